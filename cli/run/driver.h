/* driver.h - a main() for generated modules: reads recorded inputs, runs,
 * writes the outputs. Used by `ashlar test`. */
#ifndef CLI_DRIVER_H
#define CLI_DRIVER_H

/* C text; %PREFIX% and %UPPER% stand for the module's prefix. */
extern const char driver_text[];

#endif
