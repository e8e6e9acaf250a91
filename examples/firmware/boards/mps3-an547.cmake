# Arm MPS3 with Cortex-M55 and Helium.
set(BOARD_FLAGS "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard")
set(BOARD_FAMILY "arm")
set(BOARD_QEMU "qemu-system-arm -M mps3-an547")
set(BOARD_MHZ "32")
