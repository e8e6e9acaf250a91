# boards.sh - board NAME: sets, from the board's .cmake file, machine (QEMU's
# program and options), flags (of the compilers), link_flags, tools (the prefix
# of the cross tools), triple, specs, start and mhz. $boards has room for any
# model; a microbit has not, and mps2-an521 is one of them with two cores.
boards="mps2-an385 mps2-an386 mps2-an500 mps2-an505 mps3-an547 riscv-virt32 riscv-virt64"
boards_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

value_of() { sed -n "s/^set($2 \"\(.*\)\")\$/\1/p" "$boards_folder/$1.cmake"; }

board() {
  case " $boards microbit mps2-an521 " in
  *" $1 "*) ;;
  *) echo "no board '$1'; there are: $boards microbit mps2-an521" >&2; return 1 ;;
  esac
  flags=$(value_of "$1" BOARD_FLAGS) mhz=$(value_of "$1" BOARD_MHZ)
  qemu=$(value_of "$1" BOARD_QEMU)
  machine=${qemu#* } qemu=${qemu%% *}
  case $(value_of "$1" BOARD_FAMILY) in
  arm) tools=arm-none-eabi- triple=arm-none-eabi specs=nano.specs start=start_arm.c icount=7 ;;
  riscv*) tools=riscv64-unknown-elf- triple=$(value_of "$1" BOARD_FAMILY)-unknown-elf
    specs=picolibc.specs start=start_riscv.c icount=0 ;;
  esac
  # GCC 12 finds its libraries for vectors under the name without them.
  link_flags=${flags/gcv/gc}
}

# The compiler of a board and its flags: compiler_of gcc|clang, after board.
compiler_of() {
  case $1-$triple in
  gcc-arm*) echo "${tools}gcc $flags" ;;
  gcc-*) echo "${tools}gcc $flags -misa-spec=2.2 --specs=$specs" ;;
  clang-arm*) echo "clang --target=$triple $flags -fshort-enums -ffp-contract=off -munaligned-access -isystem /usr/include/newlib" ;;
  clang-*) echo "clang --target=$triple $flags -fshort-enums -ffp-contract=off -ffreestanding" ;;
  esac
}
