/* overlap.c - results that follow closely behind the reading of an input that
 * dies there: a convolution has no use for the rows it has left behind.
 *
 * Opt-in, for the exact backend: such pairs become relations of the packing
 * problem, which may then lay one over the other up to a distance. */
#include "plan/share/overlap.h"

#include "kernel/frontier.h"

typedef struct finder {
  const ash_draft *d;
  const ash_scratch *s;
  uint32_t *buffer_of; /* by slot: of its storage, if it is in this part */
} finder;

static uint32_t slot_of(const finder *f, uint32_t tensor) {
  ASH_ASSERT(tensor < f->d->ask->graph->tensor_count);
  for (uint32_t i = 0; i < f->d->ask->slot_count; i++)
    if (f->d->ask->slots[i].tensor == tensor)
      return i;
  return ASH_NO_ID;
}

/* Does anything else that this op reads lie in the same storage? */
static bool read_twice(const finder *f, const ash_op *o, uint32_t storage) {
  for (uint32_t k = 1; k < o->input_count; k++) {
    const uint32_t slot =
        o->inputs[k] == ASH_NO_ID ? ASH_NO_ID : slot_of(f, o->inputs[k]);
    if (slot != ASH_NO_ID &&
        ash_alias_root(f->d->ask->slots, f->d->ask->slot_count, slot, NULL) ==
            storage)
      return true;
  }
  return false;
}

/* Both storages must meet at this step only. */
static bool find(const finder *f, uint32_t step, ash_relation *out) {
  ASH_ASSERT(step < f->d->ask->steps.count);
  const ash_graph *g = f->d->ask->graph;
  const uint32_t op = f->d->ask->steps.items[step].ops[0];
  const ash_op *o = &g->ops.items[op];
  int64_t distance;
  if (f->d->ask->steps.items[step].op_count != 1 || o->output_count != 1 ||
      !ash_kernel_frontier(g, op, f->d->ask->choices[op].kernel, 0, &distance))
    return false;
  const ash_slot *slots = f->d->ask->slots;
  const uint32_t count = f->d->ask->slot_count;
  const uint32_t in = slot_of(f, o->inputs[0]), to = slot_of(f, o->outputs[0]);
  if (in == ASH_NO_ID || to == ASH_NO_ID)
    return false;
  uint64_t in_at = 0, to_at = 0;
  const uint32_t a = ash_alias_root(slots, count, in, &in_at);
  const uint32_t b = ash_alias_root(slots, count, to, &to_at);
  if (a == b || f->buffer_of[a] == ASH_NO_ID || f->buffer_of[b] == ASH_NO_ID ||
      slots[a].life.end_step != step + 1 || slots[b].life.first_step != step ||
      read_twice(f, o, a))
    return false;
  *out = (ash_relation){.kind = ASH_MAY_OVERLAP,
                        .a = f->buffer_of[a],
                        .b = f->buffer_of[b],
                        .distance = distance + (int64_t)to_at - (int64_t)in_at};
  return true;
}

ash_status ash_find_overlaps(ash_draft *d, const ash_scratch *s,
                             const ash_relation **out, size_t *count) {
  ash_zone *z = &d->ctx->scratch;
  const finder f = {d, s, ASH_NEW_ARRAY(z, uint32_t, d->ask->slot_count + 1u)};
  ash_relation *made = ASH_NEW_ARRAY(z, ash_relation, d->ask->steps.count + 1u);
  *out = made;
  *count = 0;
  ASH_TRY(ash_zone_check(d->ctx, z));
  for (uint32_t i = 0; i < d->ask->slot_count; i++)
    f.buffer_of[i] = ASH_NO_ID;
  for (uint32_t i = 0; i < s->count; i++)
    f.buffer_of[s->slot[i]] = i;
  ASH_ASSERT(s->count <= d->ask->slot_count);
  for (uint32_t step = 0; step < d->ask->steps.count; step++)
    *count += find(&f, step, &made[*count]);
  return ASH_OK;
}

ash_status ash_mark_overlaps(ash_draft *d, const ash_scratch *s,
                             const ash_place_result *placed) {
  const ash_relation *relations = NULL;
  size_t count = 0;
  ASH_ASSERT(s->count == 0 || placed->offsets);
  if (d->ask->options->overlap)
    ASH_TRY(ash_find_overlaps(d, s, &relations, &count));
  for (size_t i = 0; i < count; i++) {
    const uint32_t a = relations[i].a, b = relations[i].b;
    ASH_ASSERT(a < s->count && b < s->count && a != b);
    const int64_t x = placed->offsets[a], y = placed->offsets[b];
    if (x < y + (int64_t)s->buffers[b].size &&
        y < x + (int64_t)s->buffers[a].size)
      d->answer->slots[s->slot[b]].follows = s->slot[a];
  }
  return ASH_OK;
}
