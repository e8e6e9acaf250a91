/* lifetime.c - see lifetime.h. Inputs live from step 0, outputs to the end,
 * constants and variables always. */
#include "plan/share/lifetime.h"

#include "ask/rules.h"
#include "base/checked.h"
#include "kernel/kernel.h"
#include "op/reads.h"

typedef struct collector {
  ash_ctx *ctx;
  ash_zone *zone;
  const ash_graph *g;
  ash_slots *slots;
  uint32_t *slot_of; /* by tensor; ASH_NO_ID until it is met */
  uint32_t step_count;
  uint64_t alignment;
  const ash_tilings *tilings; /* or NULL */
  const ash_choice *choices;  /* by op */
} collector;

ash_status ash_slots_add(ash_ctx *ctx, ash_zone *zone, ash_slots *slots,
                         uint32_t *out, ash_slot slot) {
  ASH_ASSERT(slot.life.first_step < slot.life.end_step && slot.alignment > 0);
  if (!ASH_GROW(zone, slots, slots->count))
    return ash_nomem(ctx);
  *out = slots->count;
  slots->items[slots->count++] = slot;
  return ASH_OK;
}

static ash_status add_slot(collector *c, uint32_t *out, ash_slot slot) {
  return ash_slots_add(c->ctx, c->zone, c->slots, out, slot);
}

static ash_lifetime first_life(const collector *c, const ash_tensor *t,
                               uint32_t step) {
  const uint32_t last = c->step_count ? c->step_count : 1;
  if (ash_ask_tensor_role(t) != ASH_SCRATCH)
    return (ash_lifetime){0, last};
  return (ash_lifetime){t->kind == ASH_TENSOR_INPUT ? 0 : step,
                        t->is_output ? last : step + 1};
}

/* `tensor` is touched at `step`: it exists from then on, and lives at least
 * until the step is over. */
static ash_status touch(collector *c, uint32_t tensor, uint32_t step) {
  ASH_ASSERT(tensor < c->g->tensor_count);
  const ash_tensor *t = &c->g->tensors.items[tensor];
  if (c->slot_of[tensor] == ASH_NO_ID)
    return add_slot(c, &c->slot_of[tensor],
                    (ash_slot){.id = t->id,
                               .name = t->name,
                               .tensor = tensor,
                               .op = ASH_NO_ID,
                               .size = t->bytes,
                               .alignment = ash_max_u64(
                                   c->alignment, ash_type_bits(t->type) / 8),
                               .life = first_life(c, t, step),
                               .alias_of = ASH_NO_ID,
                               .follows = ASH_NO_ID,
                               .moved_from = ASH_NO_ID,
                               .binding = {.role = ash_ask_tensor_role(t)}});
  ash_lifetime *life = &c->slots->items[c->slot_of[tensor]].life;
  if (life->end_step < step + 1)
    life->end_step = step + 1;
  return ASH_OK;
}

static ash_status touch_op(collector *c, uint32_t op, uint32_t step) {
  ASH_ASSERT(op < c->g->op_count && step < c->step_count);
  const ash_op *o = &c->g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID &&
        ash_kernel_reads(c->choices[op].kernel, c->g, op, k))
      ASH_TRY(touch(c, o->inputs[k], step));
  for (uint32_t k = 0; k < o->output_count; k++)
    ASH_TRY(touch(c, o->outputs[k], step));
  if (c->tilings && c->tilings->items[op].space)
    return ash_slots_add_tiles(c->ctx, c->zone, c->slots, c->g,
                               &c->tilings->items[op], step, c->alignment);
  const uint64_t work = c->choices[op].scratch;
  if (work == 0)
    return ASH_OK;
  uint32_t made;
  const char *id = ash_zone_format(c->zone, "%s_scratch", o->id);
  ASH_TRY(ash_zone_check(c->ctx, c->zone));
  return add_slot(c, &made,
                  (ash_slot){.id = id,
                             .name = id,
                             .tensor = ASH_NO_ID,
                             .op = op,
                             .size = work,
                             .alignment = c->alignment,
                             .life = {step, step + 1},
                             .alias_of = ASH_NO_ID,
                             .follows = ASH_NO_ID,
                             .moved_from = ASH_NO_ID,
                             .binding = {.role = ASH_SCRATCH},
                             .kind = ASH_SLOT_WORK});
}

static ash_status collect(collector *c, const ash_steps *steps) {
  for (size_t i = 0; i < c->g->input_count; i++)
    ASH_TRY(touch(c, c->g->inputs[i], 0));
  for (uint32_t s = 0; s < steps->count; s++)
    for (uint32_t k = 0; k < steps->items[s].op_count; k++)
      ASH_TRY(touch_op(c, steps->items[s].ops[k], s));
  for (size_t i = 0; i < c->g->output_count; i++)
    ASH_TRY(touch(c, c->g->outputs[i], steps->count ? steps->count - 1 : 0));
  return ASH_OK;
}

ash_status ash_collect_slots(ash_ctx *ctx, ash_zone *zone, ash_slots *out,
                             uint32_t **slot_of, const ash_ask *ask,
                             const ash_tilings *tilings) {
  const ash_graph *g = ask->graph;
  ASH_ASSERT(g->op_count == 0 || ask->choices);
  collector c = {.ctx = ctx,
                 .zone = zone,
                 .g = g,
                 .slots = out,
                 .step_count = ask->steps.count,
                 .alignment = ask->device->alignment,
                 .choices = ask->choices,
                 .tilings = tilings};
  *out = (ash_slots){0};
  c.slot_of = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, g->tensor_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0; i < g->tensor_count; i++)
    c.slot_of[i] = ASH_NO_ID;
  *slot_of = c.slot_of;
  return collect(&c, &ask->steps);
}
