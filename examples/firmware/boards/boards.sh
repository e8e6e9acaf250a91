# boards.sh - board NAME: sets machine (QEMU's), flags (of the compiler), mhz
# (of the timer that counts) and tools (the prefix of the cross tools).
boards="mps2-an386 mps2-an500 mps2-an505 mps3-an547 riscv-virt32 riscv-virt64"

board() {
  tools=arm-none-eabi-
  qemu=qemu-system-arm
  start=start_arm.c
  triple=arm-none-eabi
  icount=7
  case $1 in
  mps2-an386) mhz=25 flags="-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16" ;;
  mps2-an500) mhz=25 flags="-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16" ;;
  mps2-an505) mhz=20 flags="-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16" ;;
  mps3-an547) mhz=32 flags="-mcpu=cortex-m55 -mthumb -mfloat-abi=hard" ;;
  riscv-virt32) mhz=1 qemu=qemu-system-riscv32 flags="-march=rv32imac -mabi=ilp32 -misa-spec=2.2 -mcmodel=medany" ;;
  riscv-virt64) mhz=1 qemu=qemu-system-riscv64 flags="-march=rv64gcv -mabi=lp64d -misa-spec=2.2 -mcmodel=medany" ;;
  *) echo "no board '$1'; there are: $boards" >&2; return 1 ;;
  esac
  machine="-M $1"
  case $1 in
  riscv-virt*)
    tools=riscv64-unknown-elf-
    start=start_riscv.c
    triple=riscv${1#riscv-virt}-unknown-elf
    icount=0
    machine="-M virt -bios none"
    case $1 in
    riscv-virt32) machine="$machine -cpu rv32,f=off,d=off" ;;
    riscv-virt64) machine="$machine -cpu rv64,v=true,vlen=128,elen=64,vext_spec=v1.0" ;;
    esac
    ;;
  esac
  return 0
}
