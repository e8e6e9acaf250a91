# Arm MPS2 with Cortex-M4. QEMU counts with -icount and SysTick at BOARD_MHZ.
set(BOARD_FLAGS "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16")
set(BOARD_FAMILY "arm")
set(BOARD_QEMU "qemu-system-arm -M mps2-an386")
set(BOARD_MHZ "25")
