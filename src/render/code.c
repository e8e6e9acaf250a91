/* code.c - see code.h. */
#include "render/code.h"

#include "kernel/choose.h"
#include "plan/record/record.h"

static const ash_tiling *tiling_of(const ash_plan *plan, uint32_t op) {
  if (!plan->tilings || op >= plan->tilings->count)
    return NULL;
  const ash_tiling *t = &plan->tilings->items[op];
  return t->space && t->level_count ? t : NULL;
}

static bool has_runs(const ash_plan *plan, uint32_t op) {
  for (uint32_t s = 0; s < plan->steps.count; s++) {
    const ash_step *step = &plan->steps.items[s];
    if (step->row_count > 0 && step->op_count == 1 && step->ops[0] == op)
      return true;
  }
  return false;
}

/* Lines are the rows of one image. */
static bool has_lines(const ash_kernel *kernel, const ash_graph *g,
                      uint32_t op) {
  const ash_shape *out = &ash_op_out(g, &g->ops.items[op], 0)->shape;
  return kernel->lines && out->rank == 4 && out->dim[0] == 1 && out->dim[1] > 1;
}

static void settle_rows(ash_ctx *ctx, ash_code *code, const ash_plan *plan,
                        const ash_graph *g, uint32_t op) {
  ASH_ASSERT(code->kernel && op < g->op_count);
  const bool split = code->cores > 1 && !code->tiling;
  code->function = code->kernel->name;
  if (has_runs(plan, op))
    code->rows =
        has_lines(code->kernel, g, op) ? ASH_CODE_LINES : ASH_CODE_PIECES;
  else if (split)
    code->rows = ash_kernel_makes_lines(code->kernel, g, op) ? ASH_CODE_LINES
                                                             : ASH_CODE_PIECES;
  if (code->rows == ASH_CODE_LINES)
    code->function =
        ash_zone_format(&ctx->keep, "%s_lines", code->kernel->name);
}

static bool is_alone(const ash_code *code, size_t count, uint32_t op) {
  ASH_ASSERT(op < count && code[op].kernel);
  for (size_t i = 0; i < count; i++)
    if (code[i].tiling || (i != op && code[i].kernel == code[op].kernel))
      return false;
  return true;
}

ash_status ash_settle_code(ash_ctx *ctx, const ash_code **out,
                           const ash_plan *plan, const ash_graph *g,
                           ash_specialise how) {
  ash_code *code = ASH_NEW_ARRAY(&ctx->keep, ash_code, g->op_count + 1);
  *out = NULL;
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (uint32_t op = 0; op < g->op_count; op++) {
    if (ash_plan_is_free(plan, g, op))
      continue;
    const ash_choice choice = ash_plan_choice(plan, g, op);
    code[op].kernel = choice.kernel;
    code[op].cores = choice.cores;
    code[op].tiling = tiling_of(plan, op);
    settle_rows(ctx, &code[op], plan, g, op);
    ASH_TRY(ash_kernel_check_params(ctx, code[op].kernel, g, op));
  }
  for (uint32_t op = 0; op < g->op_count; op++)
    code[op].special = code[op].kernel && !code[op].tiling &&
                       code[op].rows != ASH_CODE_PIECES &&
                       ash_choose_special(code[op].kernel, g, op,
                                          is_alone(code, g->op_count, op), how);
  *out = code;
  return ash_zone_check(ctx, &ctx->keep);
}
