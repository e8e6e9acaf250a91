/* onnx.h - ONNX files -> graph. */
#ifndef ASH_READ_ONNX_H
#define ASH_READ_ONNX_H

#include "ashlar/compile.h"
#include "graph/graph.h"

/* Constants are not copied where the file holds them as they are needed:
 * `bytes` must outlive the graph. `options` may be NULL.
 *
 * Nodes become one or several operators each; what depends on constants alone
 * is computed at once. Shapes are inferred, the file's are not relied upon. */
ash_status ash_read_onnx(ash_ctx *ctx, ash_graph **out, const uint8_t *bytes,
                         size_t count, const char *file,
                         const ash_load_options *options);

#endif
