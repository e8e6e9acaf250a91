/* check_file.c - a plan file on its own, without its model. */
#include "plan/file/plan_read.h"
#include "plan/file/residency.h"

#include <string.h>

/* The plan is as well proved as its worst arena, no better. */
static ash_status check_verdict(ash_ctx *ctx, const ash_plan_file *f,
                                const ash_yaml *top) {
  ash_verdict worst = ASH_OPTIMAL;
  for (uint32_t i = 0; i < f->plan.arena_count && worst == ASH_OPTIMAL; i++)
    worst = f->plan.arenas[i].verdict;
  if (f->plan.verdict != ASH_OPTIMAL || worst == ASH_OPTIMAL)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_plan_verdict, ash_yaml_loc(top),
                  "the plan claims to be optimal, an arena is only %s",
                  ash_verdict_text(worst));
}

static ash_status check_hashes(ash_ctx *ctx, const ash_plan_file *f,
                               const ash_yaml *top) {
  char plan[17], layout[17];
  ASH_TRY(ash_plan_hashes(ctx, plan, layout, &f->plan));
  if (strcmp(plan, f->plan_hash) != 0 || strcmp(layout, f->layout_hash) != 0)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_plan_hash, ash_yaml_loc(top),
                    "the contents hash to %s and %s, the file says %s and %s",
                    plan, layout, f->plan_hash, f->layout_hash);
  return ASH_OK;
}

static ash_status check_file(ash_ctx *ctx, const char *text, size_t count,
                             const char *file) {
  ash_plan_file f = {0};
  const ash_yaml *top;
  ASH_TRY(ash_yaml_parse(ctx, &top, &ctx->scratch, text, count, file));
  if (ash_is_residency(top))
    return ash_plan_check_residency(ctx, top);
  ASH_TRY(ash_plan_read(ctx, &f, top));
  const ash_status status = ash_check_plan(ctx, &f.plan, NULL, NULL);
  if (status == ASH_INTERNAL) /* the file is wrong, not we */
    return ASH_MALFORMED;
  ASH_TRY(status);
  ASH_TRY(check_verdict(ctx, &f, top));
  return check_hashes(ctx, &f, top);
}

ash_status ash_check_plan_json(ash_ctx *ctx, const char *text, size_t count,
                               const char *file) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = check_file(ctx, text, count, file);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
