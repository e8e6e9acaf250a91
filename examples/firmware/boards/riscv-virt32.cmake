# RV32IMAC on QEMU's virt machine.
set(BOARD_FLAGS "-march=rv32imac -mabi=ilp32 -mcmodel=medany")
set(BOARD_FAMILY "riscv32")
set(BOARD_QEMU "qemu-system-riscv32 -M virt -bios none -cpu rv32,f=off,d=off")
set(BOARD_MHZ "1")
