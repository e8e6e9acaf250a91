/* foreign.c - planners that are not ours: what is taken of their answers, and
 * whose mistake a wrong one is. */
#include "plan/planner.h"

#include <string.h>

bool ash_planner_is_foreign(const ash_ctx *ctx,
                            const ash_plan_options *options) {
  ash_plan_options known = {0};
  ash_take_options(&known, sizeof known, options);
  if (known.backend)
    return !ash_planner_is_builtin(known.backend);
  if (!known.planner)
    return false;
  const ash_planner *named = ash_find_planner(ctx, known.planner);
  return named ? !ash_planner_is_builtin(named)
               : !ash_mixed_is_builtin(known.planner);
}

ash_status ash_planner_blame(ash_ctx *ctx, ash_status status, size_t said) {
  ASH_ASSERT(said <= ctx->diag_count);
  if (status != ASH_INTERNAL)
    return status;
  for (size_t i = said; i < ctx->diag_count; i++)
    if (ctx->diags[i].code == ASH_INTERNAL) {
      ctx->diags[i].code = ASH_MALFORMED;
      if (!ctx->diags[i].hint)
        ctx->diags[i].hint = "this is what the planner answered; it is not one "
                             "of Ashlar's";
    }
  return ASH_MALFORMED;
}

ash_status ash_planner_take(ash_draft *d, ash_slot *slots, ash_arena *arenas,
                            uint32_t capacity) {
  ash_plan_answer *a = d->answer;
  ASH_ASSERT(slots != NULL && arenas != NULL);
  if (a->slots != slots)
    return ash_fail(d->ctx, ASH_MALFORMED, ASH_D_planner_answer, ASH_NOWHERE,
                    "the planner answers with slots that it was not given");
  a->arenas = arenas;
  a->arena_capacity = capacity;
  for (uint32_t i = 0; i < d->ask->slot_count; i++) {
    const ash_slot said = slots[i];
    slots[i] = d->ask->slots[i];
    slots[i].bound = said.bound;
    slots[i].binding = said.binding;
    slots[i].reason = said.reason;
    if (said.bound && (unsigned)said.binding.role >= ASH_ROLE_COUNT)
      return ash_fail(d->ctx, ASH_MALFORMED, ASH_D_plan_role, ASH_NOWHERE,
                      "the planner gives '%s' role %u", slots[i].id,
                      (unsigned)said.binding.role);
  }
  return ASH_OK;
}
