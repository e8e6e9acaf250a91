/* end_types.h - what the user says that inputs and outputs hold (--input-type,
 * --output-type). */
#ifndef ASH_READ_END_TYPES_H
#define ASH_READ_END_TYPES_H

#include "ashlar/compile.h"
#include "graph/graph.h"

ash_status ash_read_end_types(ash_ctx *ctx, ash_graph *g,
                              const ash_load_options *options);

#endif
