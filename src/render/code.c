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
    code[op].kernel = ash_plan_choice(plan, g, op).kernel;
    code[op].tiling = tiling_of(plan, op);
    ASH_TRY(ash_kernel_check_params(ctx, code[op].kernel, g, op));
  }
  for (uint32_t op = 0; op < g->op_count; op++)
    code[op].special = code[op].kernel && !code[op].tiling &&
                       ash_choose_special(code[op].kernel, g, op,
                                          is_alone(code, g->op_count, op), how);
  *out = code;
  return ASH_OK;
}
