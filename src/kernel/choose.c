/* choose.c - see choose.h. */
#include "kernel/choose.h"

#include <inttypes.h>

static ash_choice make(const ash_graph *g, uint32_t op,
                       const ash_target *target, bool small) {
  const ash_target portable = {0};
  const ash_kernel *k = ash_kernel_find(g, op, target, small);
  if (!target)
    target = &portable;
  if (!k)
    return (ash_choice){0};
  return (ash_choice){.kernel = k,
                      .scratch = ash_kernel_work(k, target, g, op, false),
                      .row_scratch = ash_kernel_work(k, target, g, op, true),
                      .portable = ash_kernel_why_portable(k, g, op, target)};
}

ash_choice ash_choose(const ash_graph *g, uint32_t op,
                      const ash_target *target) {
  return make(g, op, target, false);
}

ash_choice ash_choose_small(const ash_graph *g, uint32_t op,
                            const ash_target *target) {
  const ash_choice fast = make(g, op, target, false);
  ash_choice small = make(g, op, target, true);
  small.portable = NULL;
  small.given_up = fast.kernel;
  small.given_up_scratch = fast.scratch;
  return small;
}

ash_status ash_choose_all(ash_ctx *ctx, const ash_choice **out,
                          const ash_graph *g, const ash_target *target) {
  ash_choice *made = ASH_NEW_ARRAY(&ctx->keep, ash_choice, g->op_count + 1);
  *out = NULL;
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (uint32_t op = 0; op < g->op_count; op++)
    made[op] = ash_choose(g, op, target);
  *out = made;
  return ASH_OK;
}

/* A column of more than that is a loop anyway, and clang 14 unrolls one of
 * eight blocks of sixteen to something slower than the loop. */
enum { SHORT_COLUMN = 64 };

static bool has_short_column(const ash_graph *g, const ash_op *op) {
  const ash_shape *in = &ash_op_in(g, op, 0)->shape;
  const ash_shape *w = &ash_op_in(g, op, 1)->shape;
  ASH_ASSERT(in->rank == 4 && w->rank == 4);
  return (int64_t)w->dim[1] * w->dim[2] * in->dim[3] <= SHORT_COLUMN;
}

bool ash_choose_special(const ash_kernel *kernel, const ash_graph *g,
                        uint32_t op, bool alone, ash_specialise how) {
  ASH_ASSERT(op < g->op_count);
  if (how == ASH_SPECIALISE_NONE || kernel->special == ASH_SPECIAL_NEVER)
    return false;
  if (how == ASH_SPECIALISE_ALL || kernel->special == ASH_SPECIAL_ALWAYS)
    return true;
  return kernel->special == ASH_SPECIAL_SHORT
             ? has_short_column(g, &g->ops.items[op])
             : alone;
}

const char *ash_choice_reason(ash_ctx *ctx, const ash_choice *choice) {
  if (choice->portable)
    return ash_zone_format(&ctx->keep, "%s in portable C: %s",
                           choice->kernel->name, choice->portable);
  if (!choice->given_up)
    return NULL;
  return ash_zone_format(&ctx->keep,
                         "%s instead of %s, whose %" PRIu64
                         " bytes of work memory do not fit",
                         choice->kernel ? choice->kernel->name : "?",
                         choice->given_up->name, choice->given_up_scratch);
}
