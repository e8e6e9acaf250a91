/* cores.c - see cores.h. */
#include "plan/cores.h"

#include "base/checked.h"
#include "domain/shares.h"
#include "plan/record/record.h"

#include <string.h>

/* ---- before places are known --------------------------------------------- */

static bool is_tiled(const ash_tilings *tilings, uint32_t op) {
  return tilings && op < tilings->count && tilings->items[op].space;
}

/* With the work memory of each core at a place of its own. */
static ash_choice split(const ash_choice *whole,
                        const ash_domain_shares *shares, uint64_t alignment) {
  ash_choice c = *whole;
  ASH_ASSERT(shares->count > 1 && alignment > 0);
  c.cores = shares->count;
  c.largest_share = ash_domain_share_largest(shares);
  c.core_scratch = ash_align_up(whole->scratch, alignment);
  c.scratch = c.core_scratch * shares->count;
  return c;
}

static ash_status share_out(ash_ctx *ctx, ash_choice *choice,
                            const ash_ask *ask, uint32_t op, uint32_t cores) {
  ASH_ASSERT(op < ask->graph->op_count && cores > 1);
  ash_domain_shares shares;
  ASH_TRY(ash_domain_shares_of(ctx, &shares, ask->graph, op, choice->kernel,
                               cores, true));
  if (shares.count < 2)
    return ASH_OK;
  const ash_choice parts = split(choice, &shares, ask->device->alignment);
  if (ash_plan_choice_cycles(ask->graph, op, &parts) <
      ash_plan_choice_cycles(ask->graph, op, choice))
    *choice = parts;
  return ASH_OK;
}

ash_status ash_plan_share_out(ash_ctx *ctx, ash_choice **out,
                              const ash_ask *ask, uint32_t cores,
                              const ash_tilings *tilings) {
  const size_t count = ask->graph->op_count;
  *out = ash_zone_copy(&ctx->keep, ask->choices, (count + 1) * sizeof **out);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (uint32_t op = 0; cores > 1 && op < count; op++)
    if (is_tiled(tilings, op))
      (*out)[op].cores = cores; /* of its pieces */
    else
      ASH_TRY(share_out(ctx, &(*out)[op], ask, op, cores));
  return ASH_OK;
}

/* ---- afterwards ---------------------------------------------------------- */

typedef struct place {
  const ash_slot *slot; /* NULL: nowhere */
  ash_byte_range bytes; /* of its arena  */
} place;

static place place_of(const ash_plan *plan, uint32_t tensor,
                      ash_byte_range bytes) {
  ASH_ASSERT(bytes.from <= bytes.to);
  const uint32_t slot =
      tensor == ASH_NO_ID ? ASH_NO_ID : ash_plan_slot_of_tensor(plan, tensor);
  if (slot == ASH_NO_ID)
    return (place){.slot = NULL};
  const ash_slot *s = &plan->slots[slot];
  return (place){
      s, {s->binding.offset + bytes.from, s->binding.offset + bytes.to}};
}

static bool meet(const place *a, const place *b) {
  return a->slot && b->slot && a->slot->binding.role == b->slot->binding.role &&
         strcmp(a->slot->binding.memory, b->slot->binding.memory) == 0 &&
         a->bytes.from < b->bytes.to && b->bytes.from < a->bytes.to;
}

/* Does core `a` write what core `b` reads? */
static bool disturbs(const ash_plan *plan, const ash_graph *g, uint32_t op,
                     const ash_domain_shares *s, uint32_t a, uint32_t b) {
  ASH_ASSERT(op < g->op_count && a < s->count && b < s->count);
  const ash_op *o = &g->ops.items[op];
  const place out = place_of(plan, o->outputs[0],
                             ash_domain_share_bytes(g, s, op, a, true, 0));
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] == ASH_NO_ID || !ash_plan_reads(plan, g, op, k))
      continue;
    const place in = place_of(plan, o->inputs[k],
                              ash_domain_share_bytes(g, s, op, b, false, k));
    if (meet(&out, &in))
      return true;
  }
  return false;
}

static bool are_apart(const ash_plan *plan, const ash_graph *g, uint32_t op,
                      const ash_domain_shares *s) {
  for (uint32_t a = 0; a < s->count; a++)
    for (uint32_t b = 0; b < s->count; b++)
      if (a != b && disturbs(plan, g, op, s, a, b))
        return false;
  return true;
}

ash_status ash_plan_keep_apart(ash_ctx *ctx, ash_choice *choices,
                               const ash_plan *plan, const ash_graph *g) {
  for (uint32_t op = 0; op < g->op_count; op++) {
    ash_domain_shares shares;
    if (choices[op].cores < 2 || is_tiled(plan->tilings, op))
      continue;
    ASH_TRY(ash_domain_shares_of(ctx, &shares, g, op, choices[op].kernel,
                                 choices[op].cores, true));
    if (shares.count != choices[op].cores ||
        choices[op].scratch != choices[op].core_scratch * shares.count ||
        !are_apart(plan, g, op, &shares)) /* or no longer in tiles */
      choices[op].cores = 1;
  }
  return ASH_OK;
}
