/* traffic.c - how many bytes a run moves in and out of each storage: what it
 * is worth to have it in fast memory. */
#include "plan/planner.h"

#include "op/reads.h"
#include "op/views.h"
#include "plan/record/record.h"

typedef struct counter {
  const ash_draft *d;
  const uint32_t *slot_of;
  ash_traffic *by_slot;
  const uint32_t *root; /* by slot */
} counter;

/* Counts for the storage that the slot lies in. */
static ash_traffic *storage(const counter *c, uint32_t slot) {
  ASH_ASSERT(slot < c->d->ask->slot_count);
  return &c->by_slot[c->root[slot]];
}

static bool costs_nothing(const counter *c, uint32_t op) {
  ASH_ASSERT(op < c->d->ask->graph->op_count);
  const ash_op *o = &c->d->ask->graph->ops.items[op];
  uint32_t input;
  uint64_t offset;
  for (uint32_t k = 0; k < o->output_count; k++) {
    if (!ash_op_is_view(c->d->ask->graph, op, k, &input, &offset) &&
        !ash_op_is_slice(c->d->ask->graph, op, k, &offset))
      return false;
    const uint32_t out = c->slot_of[o->outputs[k]];
    if (out == ASH_NO_ID ||
        c->d->answer->slots[out].alias_kind != ASH_ALIAS_VIEW)
      return false;
  }
  return true;
}

static void count_op(const counter *c, uint32_t op) {
  ASH_ASSERT(op < c->d->ask->graph->op_count);
  const ash_graph *g = c->d->ask->graph;
  const ash_op *o = &g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID &&
        ash_kernel_reads(c->d->ask->choices[op].kernel, g, op, k) &&
        c->slot_of[o->inputs[k]] != ASH_NO_ID)
      storage(c, c->slot_of[o->inputs[k]])->read +=
          g->tensors.items[o->inputs[k]].bytes;
  for (uint32_t k = 0; k < o->output_count; k++)
    if (c->slot_of[o->outputs[k]] != ASH_NO_ID)
      storage(c, c->slot_of[o->outputs[k]])->written +=
          g->tensors.items[o->outputs[k]].bytes;
}

ash_status ash_count_traffic(ash_draft *d, ash_traffic *by_slot) {
  const ash_graph *g = d->ask->graph;
  uint32_t *slot_of =
      ASH_NEW_ARRAY(&d->ctx->scratch, uint32_t, g->tensor_count + 1);
  uint32_t *root =
      ASH_NEW_ARRAY(&d->ctx->scratch, uint32_t, d->ask->slot_count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, &d->ctx->scratch));
  ash_alias_roots(root, d->answer->slots, d->ask->slot_count);
  for (size_t i = 0; i < g->tensor_count; i++)
    slot_of[i] = ASH_NO_ID;
  const counter c = {d, slot_of, by_slot, root};
  for (uint32_t i = 0; i < d->ask->slot_count; i++) {
    const ash_slot *s = &d->ask->slots[i];
    if (s->tensor != ASH_NO_ID)
      slot_of[s->tensor] = i;
    else /* work memory is filled and used once */
      by_slot[i] = (ash_traffic){s->size, s->size};
  }
  for (uint32_t op = 0; op < g->op_count; op++)
    if (!costs_nothing(&c, op))
      count_op(&c, op);
  return ASH_OK;
}
