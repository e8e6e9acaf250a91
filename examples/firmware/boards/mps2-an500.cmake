# Arm MPS2 with Cortex-M7.
set(BOARD_FLAGS "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16")
set(BOARD_FAMILY "arm")
set(BOARD_QEMU "qemu-system-arm -M mps2-an500")
set(BOARD_MHZ "25")
