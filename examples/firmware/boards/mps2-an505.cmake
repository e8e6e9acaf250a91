# Arm MPS2 with Cortex-M33.
set(BOARD_FLAGS "-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16")
set(BOARD_FAMILY "arm")
set(BOARD_QEMU "qemu-system-arm -M mps2-an505")
set(BOARD_MHZ "20")
