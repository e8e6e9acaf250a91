/* onnx_read.h - an ONNX graph as the reader understands it: onnx_make.h wrote
 * the graph. */
#ifndef ASH_TESTS_ONNX_READ_H
#define ASH_TESTS_ONNX_READ_H

#include "graph/graph.h"
#include "onnx_make.h"
#include "read/onnx/onnx.h"

typedef struct onnx_loaded {
  ash_ctx *ctx;
  ash_graph *g;
  ash_status status; /* of reading; what was read is verified */
  wire bytes;
} onnx_loaded;

void onnx_load(onnx_loaded *l, const wire *graph,
               const ash_load_options *options);
void onnx_drop(onnx_loaded *l);

/* The newest diagnostic has these words. */
void onnx_says(const onnx_loaded *l, const char *words);

#endif
