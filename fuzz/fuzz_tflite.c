/* fuzz_tflite.c - any bytes are a TFLite file; reading them must end in a
 * status, and what was read must be a graph that can be verified and dumped. */
#include "op/verify.h"
#include "read/tflite/tflite.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(const ash_tensor *t, const uint8_t *data,
                         size_t size) {
  if (t->file_byte == UINT64_MAX) /* decoded, or none */
    return;
  if (t->data && (t->data < data || t->bytes > size ||
                  (size_t)(t->data - data) > size - t->bytes))
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ash_ctx *ctx;
  ash_graph *g;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 0;
  const ash_status status = ash_read_tflite(ctx, &g, data, size, "f.tflite");
  if ((status == ASH_OK) != (g != NULL) || status == ASH_INTERNAL)
    abort();
  for (uint32_t i = 0; g && i < ash_graph_tensor_count(g); i++)
    check_inside(ash_graph_tensor(g, i), data, size);
  if (g && ash_op_verify(ctx, g) == ASH_INTERNAL)
    abort();
  size_t said;
  char text[256];
  const ash_diag *diags = ash_ctx_diags(ctx, &said);
  for (size_t i = 0; i < said; i++)
    (void)ash_diag_format(text, sizeof text, &diags[i]);
  ash_graph_free(g);
  ash_ctx_free(ctx);
  return 0;
}
