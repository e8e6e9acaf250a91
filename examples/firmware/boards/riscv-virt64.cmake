# RV64GCV, vectors of 128 bits, on QEMU's virt machine.
set(BOARD_FLAGS "-march=rv64gcv -mabi=lp64d -mcmodel=medany")
set(BOARD_FAMILY "riscv64")
set(BOARD_QEMU "qemu-system-riscv64 -M virt -bios none -cpu rv64,v=true,vlen=128,elen=64,vext_spec=v1.0")
set(BOARD_MHZ "1")
