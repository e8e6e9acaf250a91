/* plan_map.h - a scratch arena drawn with characters. */
#ifndef CLI_PLAN_MAP_H
#define CLI_PLAN_MAP_H

#include "ashlar/plan.h"
#include "term.h"

/* Addresses up, steps to the right. With room for at least three columns a
 * step every tensor is a box with its name, else a shade; several steps may
 * share a column. Tensors alive at `peak` are emphasised. */
void print_plan_map(const term *t, const ash_plan *p, const ash_arena *arena,
                    uint32_t peak);

#endif
