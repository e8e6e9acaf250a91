/* states.h - outputs that are inputs of the next run (--state). */
#ifndef ASH_PASS_STATES_H
#define ASH_PASS_STATES_H

#include "ashlar/compile.h"
#include "graph/graph.h"

/* Verifies the graph if it changes it. */
ash_status ash_pass_states(ash_ctx *ctx, ash_graph *g,
                           const ash_load_options *options);

#endif
