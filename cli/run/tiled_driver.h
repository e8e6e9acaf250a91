/* tiled_driver.h - a main() for modules of devices with a memory hierarchy:
 * every memory is an array of exactly its size between guards, and one of the
 * DMA engines for hosts moves the tiles. Used by `ashlar test`. */
#ifndef CLI_TILED_DRIVER_H
#define CLI_TILED_DRIVER_H

#include "ashlar/compile.h"

/* The tables of the device and the module, then the program; in it %PREFIX% and
 * %UPPER% stand for the module's prefix. To be freed; NULL without memory.
 * Usage of the program: driver IN OUT CASES ENGINE, ENGINE 0 to 2. */
char *tiled_driver_text(const ash_compiled *c, const ash_device *d);

/* "immediate", "lazy", "thread"; NULL past the last. */
const char *tiled_engine_name(unsigned engine);

#endif
