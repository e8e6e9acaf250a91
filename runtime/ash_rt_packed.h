/* ash_rt_packed.h - what the variants for a processor share. */
#ifndef ASH_RT_PACKED_H
#define ASH_RT_PACKED_H

#include "ash_rt_layers_s8.h"
#include "ash_rt_pairs.h"
#include "ash_rt_rows.h"

/* The same results from weights and constants that pass/pack.c prepared: the
 * input's zero point is part of the bias, multipliers and shifts (none above 0)
 * have an entry for each channel, up to a multiple of four. A group of channels
 * whose first shift is above 0 is constant: its bias is the output, and it has
 * no weights. Without the instructions, plain C takes their place: a module for
 * a device can be tested elsewhere. */

#endif
