# BBC micro:bit with Cortex-M0: 16 KB of RAM, 256 KB of flash.
set(BOARD_FLAGS "-mcpu=cortex-m0 -mthumb -mfloat-abi=soft")
set(BOARD_FAMILY "arm")
set(BOARD_QEMU "qemu-system-arm -M microbit")
set(BOARD_MHZ "16")
