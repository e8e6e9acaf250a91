/* explain.c - why is this tensor here? Text for people. */
#include "ashlar/plan.h"
#include "ask/rules.h"
#include "base/nearest.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

typedef struct explainer {
  ash_ctx *ctx;
  ash_text *text;
  const ash_plan *plan;
  const ash_graph *g;
  const ash_device *device;
  const ash_rules *rules;
  const ash_slot *slot;
} explainer;

static void put_rule(const explainer *e, uint32_t i) {
  ASH_ASSERT(i < e->rules->count);
  const ash_rule *r = &e->rules->items[i];
  static const char *const rank[] = {"neither type nor id", "type", "id",
                                     "type and id"};
  ash_text_format(e->text, "  rule %" PRIu32, i + 1);
  if (r->file)
    ash_text_format(e->text, " (%s", r->file);
  if (r->file && r->line != UINT32_MAX)
    ash_text_format(e->text, ":%" PRIu32, r->line);
  ash_text_format(e->text, "%s, %s): %s\n", r->file ? "" : " (",
                  rank[ash_ask_rule_specificity(r)], r->words);
}

static ash_subject subject_of(const explainer *e) {
  ASH_ASSERT(e->slot != NULL);
  const ash_slot *s = e->slot;
  if (s->tensor == ASH_NO_ID)
    return (ash_subject){.id = s->id, .role = ASH_SCRATCH};
  const ash_tensor *t = &e->g->tensors.items[s->tensor];
  return (ash_subject){
      .id = t->id, .name = t->name, .role = ash_ask_tensor_role(t)};
}

static bool meets(const explainer *e, uint32_t rule) {
  ASH_ASSERT(rule < ash_rules_count(e->rules));
  const ash_subject s = subject_of(e);
  if (ash_ask_rule_matches(&e->rules->items[rule], &s))
    return true;
  return e->slot->op != ASH_NO_ID &&
         ash_rules_match(e->rules, rule, e->g, ASH_NO_ID, e->slot->op);
}

static void put_gift(const explainer *e, const char *what, uint32_t memory,
                     uint32_t rule) {
  ASH_ASSERT(rule == ASH_NO_RULE || memory < e->device->memory_count);
  if (rule != ASH_NO_RULE)
    ash_text_format(e->text, "  -> %s %s from rule %" PRIu32 "\n", what,
                    e->device->memories[memory].name, rule + 1);
}

static void put_gifts(const explainer *e, const ash_constraints *c) {
  if (e->slot->tensor == ASH_NO_ID) {
    const ash_op_attributes *o = &c->ops[e->slot->op];
    put_gift(e, "memory", o->scratch_placement, o->scratch_rule);
    return;
  }
  const ash_tensor_attributes *a = &c->tensors[e->slot->tensor];
  put_gift(e, "memory", a->memory, a->memory_rule);
  put_gift(e, "constant_destination_memory", a->destination,
           a->destination_rule);
  if (a->alignment_rule != ASH_NO_RULE)
    ash_text_format(e->text,
                    "  -> alignment %" PRIu64 " from rule %" PRIu32 "\n",
                    a->alignment, a->alignment_rule + 1);
  if (a->offset_rule != ASH_NO_RULE)
    ash_text_format(e->text, "  -> offset %" PRIu64 " from rule %" PRIu32 "\n",
                    a->offset, a->offset_rule + 1);
}

static ash_status put_rules(const explainer *e) {
  ash_constraints c;
  uint32_t met = 0;
  ash_text_string(e->text, "rules that match:\n");
  for (uint32_t i = 0; i < ash_rules_count(e->rules); i++)
    if (meets(e, i)) {
      put_rule(e, i);
      met++;
    }
  if (met == 0)
    ash_text_string(e->text, "  none\n");
  const size_t said = e->ctx->diag_count;
  ASH_TRY(ash_fill_tensor_constraints(e->ctx, &c, e->g, e->device, e->rules));
  e->ctx->diag_count = said; /* its warnings were given when it was planned */
  put_gifts(e, &c);
  return ASH_OK;
}

static bool is_fed(const explainer *e) {
  ASH_ASSERT(e->slot->tensor != ASH_NO_ID);
  for (uint32_t i = 0; i < e->plan->steps.count; i++)
    if (e->plan->steps.items[i].op_count == 0 &&
        e->plan->steps.items[i].input == e->slot->tensor)
      return true;
  return false;
}

static bool is_drained(const explainer *e) {
  for (size_t i = 0; e->plan->is_drained && i < e->g->output_count; i++)
    if (e->plan->is_drained[i] && e->g->outputs[i] == e->slot->tensor)
      return true;
  return false;
}

/* Rows are told as one thing: how many, how many at once, where. */
static void put_rows(const explainer *e) {
  const ash_slot *s = e->slot;
  ash_row_facts f;
  if (!ash_plan_row_facts(e->plan, (uint32_t)(s - e->plan->slots), &f))
    return;
  ASH_ASSERT(f.count > 0 && f.most_alive > 0);
  ash_text_format(
      e->text,
      "%s '%s': %" PRIu32 " rows of %" PRIu64 " bytes, steps %" PRIu32
      " to %" PRIu32 "\nat most %" PRIu32 " of them alive, %" PRIu64
      " bytes, first at step %" PRIu32 "\n",
      s->id, s->name, f.count, f.bytes, f.life.first_step, f.life.end_step - 1,
      f.most_alive, f.most_alive * f.bytes, f.most_step);
  ash_text_format(e->text, "%s arena in %s, %s %" PRIu64 "\n",
                  ash_role_text(s->binding.role), s->binding.memory,
                  f.is_piece ? "in one piece at offset"
                             : "wherever there is room, row 0 at offset",
                  s->binding.offset);
  if (is_fed(e))
    ash_text_string(e->text, "fed: its rows arrive while the model runs\n");
  if (is_drained(e))
    ash_text_string(e->text, "drained: its rows leave while the model runs\n");
  if (f.moves > 0)
    ash_text_format(e->text, "%" PRIu32 " moves of rows, %" PRIu64 " bytes\n",
                    f.moves, f.moves * f.bytes);
}

/* What a tensor shares, and why it is where it is. */
static void put_reason(const explainer *e) {
  const ash_slot *s = e->slot;
  if (s->alias_of != ASH_NO_ID) {
    const uint32_t root = ash_alias_root(e->plan->slots, e->plan->slot_count,
                                         (uint32_t)(s - e->plan->slots), NULL);
    ash_text_format(e->text, "shares the storage of '%s' (%s)\n",
                    e->plan->slots[s->alias_of].id,
                    ash_alias_text(s->alias_kind));
    s = &e->plan->slots[root];
  }
  if (s->reason)
    ash_text_format(e->text, "why: %s\n", s->reason);
}

static void put_place(const explainer *e) {
  const ash_slot *s = e->slot;
  const ash_binding *b = &s->binding;
  ash_text_format(
      e->text,
      "%s '%s': %" PRIu64 " bytes, steps %" PRIu32 " to %" PRIu32
      "\n%s arena in %s at offset %" PRIu64 ", alignment %" PRIu64 "\n",
      s->id, s->name, s->size, s->life.first_step, s->life.end_step - 1,
      ash_role_text(b->role), b->memory, b->offset, s->alignment);
  if (strcmp(b->memory, b->source_memory) != 0)
    ash_text_format(e->text, "staged: copied from %s at boot\n",
                    b->source_memory);
}

static const ash_slot *find(const ash_plan *p, const char *name) {
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (strcmp(p->slots[i].id, name) == 0)
      return &p->slots[i];
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (strcmp(p->slots[i].name, name) == 0)
      return &p->slots[i];
  return NULL;
}

static ash_status unknown(ash_ctx *ctx, const ash_plan *p, const char *name) {
  ash_nearest near;
  ash_nearest_init(&near, name);
  for (uint32_t i = 0; i < p->slot_count; i++) {
    ash_nearest_offer(&near, p->slots[i].id);
    ash_nearest_offer(&near, p->slots[i].name);
  }
  (void)ash_fail(ctx, ASH_MISUSE, ASH_D_plan_explain, ASH_NOWHERE,
                 "the plan has no tensor '%s'", name);
  if (ash_nearest_word(&near))
    ash_hint(ctx, "did you mean '%s'?", ash_nearest_word(&near));
  return ASH_MISUSE;
}

ash_status ash_explain_tensor(ash_ctx *ctx, const char **text,
                              const ash_plan *plan, const ash_graph *g,
                              const ash_device *device, const ash_rules *rules,
                              const char *tensor) {
  ASH_NEED(ctx, ctx && text && plan && g && device && tensor);
  ash_text t;
  *text = NULL;
  const ash_slot *slot = find(plan, tensor);
  if (!slot)
    return unknown(ctx, plan, tensor);
  const explainer e = {ctx, &t, plan, g, device, rules, slot};
  ash_text_init(&t, &ctx->mem);
  if (slot->has_row)
    put_rows(&e);
  else
    put_place(&e);
  put_reason(&e);
  ash_status status = put_rules(&e);
  ash_text_put(&t, "", 1);
  if (status == ASH_OK)
    *text = t.failed ? NULL : ash_zone_copy(&ctx->keep, t.bytes, t.count);
  if (status == ASH_OK && !*text)
    status = ash_nomem(ctx);
  ash_text_drop(&t);
  return status;
}
