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

/* ---- plans with rows ----------------------------------------------------- */

/* A plan with rows, and which of its tensors are looked at. */
typedef struct rows_check {
  ash_ctx *ctx;
  const ash_plan *plan;
  const ash_yaml *top;
} rows_check;

static bool lists(const ash_yaml *list, const char *id) {
  for (const ash_yaml_item *i = list ? list->first : NULL; i; i = i->next)
    if (strcmp(i->node->text, id) == 0)
      return true;
  return false;
}

/* Do all rows of the tensor of `s` that exist at a step lie one after the other
 * from `offset` on? */
static bool is_piece(const ash_plan *p, const ash_slot *s, uint32_t step,
                     uint64_t offset) {
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *row = &p->slots[i];
    if (row->has_row && row->tensor == s->tensor &&
        row->life.first_step <= step && step < row->life.end_step &&
        row->binding.offset != offset + row->row * row->size)
      return false;
  }
  return true;
}

static ash_status not_one_piece(const rows_check *r, const ash_slot *s) {
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_row_pieces,
                  ash_yaml_loc(r->top), "the rows of '%s' are not in one piece",
                  s->id);
}

static bool is_fed(const rows_check *r, uint32_t input) {
  for (uint32_t i = 0; i < r->plan->steps.count; i++)
    if (r->plan->steps.items[i].op_count == 0 &&
        r->plan->steps.items[i].input == input)
      return true;
  return false;
}

static uint32_t number_in(const ash_yaml *list, const char *id) {
  uint32_t n = 0;
  for (const ash_yaml_item *i = list->first; i; i = i->next, n++)
    if (strcmp(i->node->text, id) == 0)
      return n;
  return ASH_NO_ID;
}

/* What the caller sees, or a kernel reads whole, is in one piece. */
static ash_status check_pieces(const rows_check *r) {
  const ash_plan *p = r->plan;
  const ash_yaml *inputs = ash_yaml_get(r->top, "inputs");
  const ash_yaml *outputs = ash_yaml_get(r->top, "outputs");
  const ash_yaml *drained = ash_yaml_get(r->top, "drained");
  const uint32_t last = p->steps.count ? p->steps.count - 1 : 0;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    const ash_slot *of =
        s->alias_of == ASH_NO_ID ? NULL : &p->slots[s->alias_of];
    if (of && of->has_row && !s->has_row &&
        !is_piece(p, of, s->life.end_step - 1, s->binding.offset))
      return not_one_piece(r, of);
    if (!s->has_row || s->row > 0 || s->moved_from != ASH_NO_ID)
      continue;
    if (lists(inputs, s->id) && !is_fed(r, number_in(inputs, s->id)) &&
        !is_piece(p, s, 0, s->binding.offset))
      return not_one_piece(r, s);
    if (!lists(outputs, s->id) || lists(drained, s->id))
      continue;
    for (uint32_t k = 0; k < p->slot_count; k++) {
      const ash_slot *row = &p->slots[k];
      if (row->has_row && row->tensor == s->tensor && row->row == 0 &&
          row->life.end_step > last &&
          !is_piece(p, s, last, row->binding.offset))
        return not_one_piece(r, s);
    }
  }
  return ASH_OK;
}

/* The runs of every operator, and the rows of every input that arrive, go on
 * where they ended. */
static ash_status check_runs(const rows_check *r) {
  const ash_steps *steps = &r->plan->steps;
  const size_t most = ash_yaml_get(r->top, "ops")->count +
                      ash_yaml_get(r->top, "inputs")->count;
  uint32_t *next = ASH_NEW_ARRAY(&r->ctx->scratch, uint32_t, most + 1);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (uint32_t i = 0; i < steps->count; i++) {
    const ash_step *s = &steps->items[i];
    uint32_t *at = s->op_count ? &next[s->ops[0]] : &next[most - 1 - s->input];
    if (*at != s->first_row || *at == ASH_NO_ID)
      return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_row_run,
                      ash_yaml_loc(r->top),
                      "run %u begins with row %u, the next is %u", (unsigned)i,
                      (unsigned)s->first_row, (unsigned)*at);
    *at = s->row_count ? *at + s->row_count : ASH_NO_ID;
  }
  return ASH_OK;
}

static ash_status check_rows(ash_ctx *ctx, const ash_plan *plan,
                             const ash_yaml *top) {
  const rows_check r = {ctx, plan, top};
  if (!ash_yaml_get(top, "runs"))
    return ASH_OK;
  ASH_TRY(check_runs(&r));
  return check_pieces(&r);
}

/* ---- the file ------------------------------------------------------------ */

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
  ASH_TRY(check_rows(ctx, &f.plan, top));
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
