/* input_types.h - what the user says that inputs hold (--input-type). */
#ifndef ASH_READ_INPUT_TYPES_H
#define ASH_READ_INPUT_TYPES_H

#include "ashlar/compile.h"
#include "graph/graph.h"

ash_status ash_read_input_types(ash_ctx *ctx, ash_graph *g,
                                const ash_load_options *options);

#endif
