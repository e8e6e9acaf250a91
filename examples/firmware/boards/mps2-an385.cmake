# Arm MPS2 with Cortex-M3. QEMU counts with -icount and SysTick at BOARD_MHZ.
set(BOARD_FLAGS "-mcpu=cortex-m3 -mthumb -mfloat-abi=soft")
set(BOARD_FAMILY "arm")
set(BOARD_QEMU "qemu-system-arm -M mps2-an385")
set(BOARD_MHZ "25")
