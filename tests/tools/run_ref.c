/* run_ref.c - runs a model in the reference interpreter on raw bytes:
 *
 *   run_ref MODEL INPUTS OUTPUTS
 *
 * INPUTS holds any number of cases, each the bytes of all inputs one after the
 * other; OUTPUTS gets the same for the outputs. tools/oracle/check-ref compares
 * the result with LiteRT. */
#include "base/ctx.h"
#include "base/file.h"
#include "read/read.h"
#include "ref/ref.h"

#include <stdio.h>
#include <stdlib.h>

static void print_diags(ash_ctx *ctx) {
  size_t count;
  char buf[1000];
  const ash_diag *d = ash_ctx_diags(ctx, &count);
  for (size_t i = 0; i < count; i++) {
    (void)ash_diag_format(buf, sizeof buf, &d[i]);
    fprintf(stderr, "%s\n", buf);
  }
}

/* Pointers to the tensors of one case; returns the case's bytes. */
static size_t lay_out(const ash_graph *g, const uint32_t *ids, size_t count,
                      uint8_t *base, void **at) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) {
    at[i] = base + bytes;
    bytes += (size_t)g->tensors.items[ids[i]].bytes;
  }
  return bytes;
}

static ash_status run_case(ash_ctx *ctx, const ash_graph *g, uint8_t *in,
                           uint8_t *out) {
  void **inputs = ASH_NEW_ARRAY(&ctx->keep, void *, g->input_count + 1);
  void **outputs = ASH_NEW_ARRAY(&ctx->keep, void *, g->output_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  (void)lay_out(g, g->inputs, g->input_count, in, inputs);
  (void)lay_out(g, g->outputs, g->output_count, out, outputs);
  return ash_ref_run(ctx, g, (const void *const *)inputs, outputs);
}

static ash_status run_cases(ash_ctx *ctx, const ash_graph *g,
                            const ash_file *data, FILE *to) {
  void *at[64];
  const size_t in_bytes = lay_out(g, g->inputs, g->input_count, NULL, at);
  const size_t out_bytes = lay_out(g, g->outputs, g->output_count, NULL, at);
  uint8_t *in = ash_zone_alloc(&ctx->keep, in_bytes + 1, 1, 16);
  uint8_t *out = ash_zone_alloc(&ctx->keep, out_bytes + 1, 1, 16);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (size_t from = 0; from + in_bytes <= data->count; from += in_bytes) {
    for (size_t i = 0; i < in_bytes; i++)
      in[i] = data->bytes[from + i];
    ASH_TRY(run_case(ctx, g, in, out));
    if (fwrite(out, 1, out_bytes, to) != out_bytes)
      return ASH_IO;
    if (in_bytes == 0)
      break;
  }
  return ASH_OK;
}

static ash_status run_files(ash_ctx *ctx, ash_graph **g, ash_file *model,
                            ash_file *data, char **paths) {
  ASH_TRY(ash_file_read(ctx, model, paths[0]));
  ASH_TRY(ash_file_read(ctx, data, paths[1]));
  ASH_TRY(ash_read_model(ctx, g, model->bytes, model->count, paths[0]));
  FILE *to = fopen(paths[2], "wb");
  if (!to || (*g)->input_count > 64 || (*g)->output_count > 64)
    return ASH_IO;
  const ash_status status = run_cases(ctx, *g, data, to);
  return fclose(to) == 0 ? status : ASH_IO;
}

int main(int argc, char **argv) {
  ash_ctx *ctx;
  ash_graph *g = NULL;
  ash_file model = {0}, data = {0};
  if (argc != 4 || ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 64;
  const ash_status status = run_files(ctx, &g, &model, &data, argv + 1);
  if (status != ASH_OK)
    print_diags(ctx);
  ash_graph_free(g);
  ash_file_drop(&data);
  ash_file_drop(&model);
  ash_ctx_free(ctx);
  return status == ASH_OK ? 0 : 1;
}
