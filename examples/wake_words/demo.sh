#!/bin/sh
# demo.sh ASHLAR - a network for visual wake words on a microcontroller with 16 KB
# of RAM: its input arrives line by line, its operators run row by row. Compares
# this with the network layer by layer, on this machine and on an emulated board.
set -eu
ashlar=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
firmware=$here/../firmware
mkdir -p out/wake_words
out=$(cd out/wake_words && pwd)
model=$out/wake_words.ir
board=microbit

say() { printf '\n== %s\n' "$*"; }

${CC:-cc} -std=c99 -O2 -o "$out/network" "$here/network.c"
"$out/network" > "$model"

# Bytes of activations, on a device with enough memory.
arena() { # OPTION...
  "$ashlar" plan "$model" --target $board --set SRAM=256K "$@" |
    sed -n 's/^  scratch  *SRAM  *\([0-9]*\) .*/\1/p'
}

build_for_host() { # NAME OPTION...
  name=$1
  shift
  "$ashlar" compile "$model" --quiet --prefix model -o "$out/$name" "$@"
  ${CC:-cc} -std=c99 -O2 -I"$out/$name" -I"$firmware" -o "$out/$name/watch" \
    "$here/camera.c" "$here/host.c" "$out/$name"/*.c
  "$out/$name/watch" > "$out/$name.txt"
}

build_for_board() {
  cmake -S "$firmware" -B "$out/board" -DBOARD=$board -DMODEL="$model" \
    -DCMAKE_TOOLCHAIN_FILE="$firmware/toolchain.cmake" \
    -DCMAKE_C_COMPILER_WORKS=1 -DASHLAR="$ashlar" -DOPTIONS="--feed image" \
    -DPROGRAM="$here/camera.c;$here/board.c" > "$out/build.log" 2>&1 &&
    cmake --build "$out/board" >> "$out/build.log" 2>&1 ||
    { cat "$out/build.log"; exit 1; }
  "$ashlar" check --quiet --elf "$out/board/image.elf" \
    "$out/board/image_model/model_plan.json" --prefix model
}

run_on_board() {
  timeout 100 qemu-system-arm -M $board -nographic -monitor none -serial none \
    -chardev stdio,id=console \
    -semihosting-config enable=on,target=native,chardev=console \
    -kernel "$out/board/image.elf" < /dev/null > "$out/board.txt"
}

same() { # NAME WHAT: the scores are those of the network layer by layer
  if sed -n '/^frame /p' "$out/$1.txt" | cmp -s - "$out/layers.txt"; then
    echo "$2: the same scores, bit for bit"
  else
    echo "$2: other scores" >&2
    exit 1
  fi
}

say "visual wake words, an image of 96 x 96 pixels, on $board: 16 KB of RAM"
layers=$(arena --order given)
whole=$(arena --order rows)
echo "layer by layer:                 $layers bytes of activations"
echo "row by row, the whole image:    $whole"
echo "row by row, the image arriving: $(arena --feed image)"
"$ashlar" plan "$model" --target $board --feed image | tee "$out/report.txt"

say "on this machine"
build_for_host layers --order given
build_for_host lines --feed image
cat "$out/layers.txt"
same lines "line by line"

say "on the board, in QEMU"
for tool in arm-none-eabi-gcc qemu-system-arm; do
  command -v $tool > /dev/null 2>&1 || {
    echo "skipped: $tool is not installed (tools/install-deps demo)"
    exit 0
  }
done
build_for_board
run_on_board
same board "line by line on the board"
awk -v layers="$layers" '
  $1 ~ /^(arena|context|other|stack)$/ { part[$1] = $2; sum += $2 }
  END {
    printf "RAM: arena %d, context %d, other data %d, stack %d: ", part["arena"], part["context"], part["other"], part["stack"]
    printf "%d of 16384 bytes\n", sum
    printf "layer by layer the arena alone would be %d bytes\n", layers
  }' "$out/board.txt"
