/* fuzz_onnx.c - any bytes are an ONNX file; its structure must be read or
 * refused, and every constant that was read must be readable. */
#include "read/onnx/onnx_model.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t sink;

static void touch_tensor(const ash_onnx_tensor *t) {
  for (uint64_t i = 0; i < t->bytes; i++)
    sink = t->data[i];
  for (uint32_t i = 0; i < t->rank; i++)
    sink = (uint8_t)t->dims[i];
}

static void touch_constants(const ash_onnx_graph *g) {
  for (uint32_t i = 0; i < g->constant_count; i++)
    touch_tensor(&g->constants[i]);
}

/* Nested graphs are opened one level, which is what a reader would do next. */
static void touch_graph(ash_ctx *ctx, ash_zone *zone, const ash_onnx_graph *g) {
  touch_constants(g);
  for (uint32_t i = 0; i < g->node_count; i++)
    for (uint32_t k = 0; k < g->nodes[i].attr_count; k++) {
      const ash_onnx_attr *a = &g->nodes[i].attrs[k];
      ash_onnx_graph nested;
      if (a->t)
        touch_tensor(a->t);
      if (a->kind == ASH_ONNX_GRAPH &&
          ash_onnx_read_graph(ctx, &nested, zone, a->s, "f") == ASH_OK)
        touch_constants(&nested);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ash_ctx *ctx;
  ash_zone zone;
  ash_onnx_model model;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 0;
  ash_zone_init(&zone, &ctx->mem);
  const ash_status status =
      ash_onnx_read_model(ctx, &model, &zone, data, size, "f.onnx");
  if (status == ASH_INTERNAL || status == ASH_NOMEM)
    abort();
  if (status == ASH_OK)
    touch_graph(ctx, &zone, &model.graph);
  ash_zone_drop(&zone);
  ash_ctx_free(ctx);
  return 0;
}
