/* read.h - any model file -> graph: looks at the first bytes and dispatches. */
#ifndef ASH_READ_READ_H
#define ASH_READ_READ_H

#include "ashlar/compile.h"
#include "graph/graph.h"

/* `bytes` must outlive the graph, whose constants point into it. Files that
 * are no model are refused with what they look like and what to do. `options`
 * may be NULL. */
ash_status ash_read_model_with(ash_ctx *ctx, ash_graph **out,
                               const uint8_t *bytes, size_t count,
                               const char *file,
                               const ash_load_options *options);
ash_status ash_read_model(ash_ctx *ctx, ash_graph **out, const uint8_t *bytes,
                          size_t count, const char *file);

#endif
