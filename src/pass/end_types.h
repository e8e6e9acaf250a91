/* end_types.h - types that the user gives inputs and outputs (--input-type,
 * --output-type): casts at the ends of the graph. */
#ifndef ASH_PASS_END_TYPES_H
#define ASH_PASS_END_TYPES_H

#include "ashlar/compile.h"
#include "graph/graph.h"

/* Verifies the graph if it changes it. */
ash_status ash_pass_end_types(ash_ctx *ctx, ash_graph *g,
                              const ash_load_options *options);

#endif
