# Arm MPS2 with two Cortex-M33; the first has neither DSP nor FPU.
set(BOARD_FLAGS "-mcpu=cortex-m33+nodsp -mthumb -mfloat-abi=soft")
set(BOARD_FAMILY "arm")
set(BOARD_QEMU "qemu-system-arm -M mps2-an521")
set(BOARD_MHZ "20")
