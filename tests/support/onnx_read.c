/* onnx_read.c - reads the models of onnx_make.h. */
#include "onnx_read.h"

#include "check.h"
#include "op/verify.h"

void onnx_load(onnx_loaded *l, const wire *graph,
               const ash_load_options *options) {
  l->bytes = onnx_model(graph);
  CHECK_EQ(ash_ctx_new(&l->ctx, NULL), ASH_OK);
  l->status = ash_read_onnx(l->ctx, &l->g, l->bytes.bytes, l->bytes.count,
                            "m.onnx", options);
  if (l->status == ASH_OK)
    CHECK_EQ(ash_op_verify(l->ctx, l->g), ASH_OK);
}

void onnx_drop(onnx_loaded *l) {
  ash_graph_free(l->g);
  ash_ctx_free(l->ctx);
}

void onnx_says(const onnx_loaded *l, const char *words) {
  char text[600];
  size_t count;
  const ash_diag *d = ash_ctx_diags(l->ctx, &count);
  CHECK(count > 0);
  (void)ash_diag_format(text, sizeof text, &d[count - 1]);
  if (!strstr(text, words))
    CHECK_STR(text, words);
}
