/* list_spaces.c - how the operators of models may be cut:
 *
 *   list_spaces MODEL..
 *
 * A line an operator: the bytes of its smallest piece (all operands, the
 * accumulator), its axes with extents (`*`: summed) and granules, or why it
 * cannot be cut. */
#include "ashlar/plan.h"
#include "base/ctx.h"
#include "base/file.h"
#include "pass/pass.h"
#include "read/read.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t smallest(const ash_graph *g, const ash_tile_space *s) {
  int64_t at[ASH_TILE_AXES] = {0}, n[ASH_TILE_AXES];
  uint64_t bytes = 0;
  for (uint32_t a = 0; a < s->axis_count; a++)
    n[a] = s->axes[a].granule;
  for (uint32_t i = 0; i < s->operand_count; i++) {
    ash_box box;
    ash_tile_box(&box, g, s, i, at, n);
    const uint64_t own = ash_box_bytes(g, s->operands[i].tensor, &box);
    bytes += own;
    if (s->operands[i].is_output && s->accumulator_bytes)
      bytes += own * 8 * s->accumulator_bytes /
               ash_type_bits(g->tensors.items[s->operands[i].tensor].type);
  }
  return bytes + ash_tile_work_bytes(g, s, n);
}

static ash_status list_op(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                          const char *file) {
  const ash_tile_space *s;
  const char *why;
  ASH_TRY(ash_tile_space_of(ctx, &s, &why, g, op));
  printf("%8" PRIu64 " %s", s ? smallest(g, s) : 0, g->ops.items[op].id);
  for (uint32_t a = 0; s && a < s->axis_count; a++)
    printf(" %s%s %" PRId64 "/%" PRId64, s->axes[a].name,
           s->axes[a].kind == ASH_AXIS_SUM ? "*" : "", s->axes[a].extent,
           s->axes[a].granule);
  printf("%s%s  %s\n", s ? "" : " no rule: ", s ? "" : why, file);
  return ASH_OK;
}

static ash_status list_ops(ash_ctx *ctx, ash_graph *g, const char *file) {
  ASH_TRY(ash_pass_run(ctx, g));
  for (uint32_t op = 0; op < g->op_count; op++)
    ASH_TRY(list_op(ctx, g, op, file));
  return ASH_OK;
}

static ash_status list_model(ash_ctx *ctx, const char *file) {
  ash_graph *g = NULL;
  ash_file model = {0};
  ash_status status = ash_file_read(ctx, &model, file);
  if (status == ASH_OK)
    status = ash_read_model(ctx, &g, model.bytes, model.count, file);
  if (status == ASH_OK)
    status = list_ops(ctx, g, file);
  ash_graph_free(g);
  ash_file_drop(&model);
  return status;
}

int main(int argc, char **argv) {
  int failed = 0;
  for (int i = 1; i < argc; i++) {
    ash_ctx *ctx;
    if (ash_ctx_new(&ctx, NULL) != ASH_OK)
      return 1;
    if (list_model(ctx, argv[i]) != ASH_OK) {
      printf("unread %s\n", argv[i]);
      failed = 1;
    }
    ash_ctx_free(ctx);
  }
  return failed;
}
