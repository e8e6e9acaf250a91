/* layer_table.h - how operators are cut: one line a layer, and totals. */
#ifndef CLI_LAYER_TABLE_H
#define CLI_LAYER_TABLE_H

#include "ashlar/compile.h"
#include "term.h"

void print_layers(const term *out, const ash_plan *p, const ash_graph *g,
                  const ash_device *device);

#endif
