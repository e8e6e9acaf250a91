/* cores.h - the other cores of the board, for ctx.cores. */
#ifndef CORES_H
#define CORES_H

#include "ash_cores.h"

/* Starts them; `count` with the one that calls. */
const ash_cores *cores_start(uint32_t count);

#endif
