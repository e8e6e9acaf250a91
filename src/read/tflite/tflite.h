/* tflite.h - TensorFlow Lite files -> graph. */
#ifndef ASH_READ_TFLITE_H
#define ASH_READ_TFLITE_H

#include "ashlar/compile.h"
#include "graph/graph.h"

/* Reads the first subgraph. Constants are not copied: `bytes` must outlive the
 * graph. `file` is for diagnostics and names the graph; it may be NULL.
 *
 * Graph tensors carry the file's tensor number as id and stand in the file's
 * order; tensors that no operator and no end of the graph uses are left out.
 * Operators stand in the file's order, which is checked to be topological. */
ash_status ash_read_tflite(ash_ctx *ctx, ash_graph **out, const uint8_t *bytes,
                           size_t count, const char *file);
ash_status ash_read_tflite_with(ash_ctx *ctx, ash_graph **out,
                                const uint8_t *bytes, size_t count,
                                const char *file,
                                const ash_load_options *options);

/* "SVDF" for 27; NULL when TFLite has no builtin operator of that number. */
const char *ash_tflite_builtin_name(int32_t code);

#endif
