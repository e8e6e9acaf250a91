#!/bin/sh
# runtime_compiles.sh - every file of runtime/ compiles on its own, as C99,
# freestanding, without warnings, with each compiler found (and as C11), and so
# does what a module carries of a file for each of its kernels; and none defines
# a global name without the prefix. Usage: runtime_compiles.sh [ROOT]
set -eu
cd "${1:-$(dirname "$0")/..}"
object=$(mktemp)
trap 'rm -f "$object" "$object.c"' EXIT
flags="-ffreestanding -O2 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion
  -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Wundef
  -Wdouble-promotion -Werror -Iruntime -Itests/cmsis_nn -Itests/vendor"
failed=0
tried=0
missing=

compile() { # compiler and its own flags, then the file
  source=$1
  shift
  tried=$((tried + 1))
  "$@" $flags -c "$source" -o "$object" && return
  echo "FAILED $* $source"
  failed=1
  return 1
}

for file in runtime/*/ash_rt_*.c; do
  for cc in "gcc -std=c99" "gcc -std=c11" "clang -std=c99" \
    "arm-none-eabi-gcc -std=c99 -mcpu=cortex-m4 -mthumb" \
    "arm-none-eabi-gcc -std=c99 -mcpu=cortex-m0 -mthumb" \
    "arm-none-eabi-gcc -std=c99 -mcpu=cortex-m55 -mthumb -mfloat-abi=hard" \
    "riscv64-unknown-elf-gcc -std=c99 -march=rv64gcv -mabi=lp64d -misa-spec=2.2 --specs=picolibc.specs"; do
    command -v "${cc%% *}" >/dev/null || {
      case $missing in *"${cc%% *}"*) ;; *) missing="$missing ${cc%% *}" ;; esac
      continue
    }
    # shellcheck disable=SC2086
    compile "$file" $cc || true
  done
  for kernel in $(tests/kernel_text "$file"); do
    tests/kernel_text "$file" "$kernel" >"$object.c"
    for cc in gcc clang; do
      command -v $cc >/dev/null || continue
      compile "$object.c" $cc -std=c99 "-I$(dirname "$file")" || echo "kernel $kernel of $file"
    done
  done
  if command -v gcc >/dev/null && command -v nm >/dev/null; then
    gcc -std=c99 -ffreestanding -Iruntime -Itests/cmsis_nn -c "$file" -o "$object"
    if nm -g --defined-only "$object" | awk '{print $3}' | grep -v '^ash_rt_'; then
      echo "FAILED $file defines a name without the prefix"
      failed=1
    fi
    # Of data, only constants.
    if nm "$object" | awk '$2 ~ /^[bBdDcC]$/' | grep .; then
      echo "FAILED $file has mutable data"
      failed=1
    fi
  fi
done
for header in runtime/*.h runtime/*/*.h; do
  printf '#include "%s"\n' "$PWD/$header" >"$object.c"
  gcc -std=c99 $flags -Wno-unused-function -c "$object.c" -o "$object" || failed=1
done
for cc in $missing; do echo "skipped the runtime by $cc: not installed"; done
if [ $failed = 0 ]; then echo "ok $tried compilations"; fi
exit $failed
