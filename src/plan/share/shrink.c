/* shrink.c - results that are smaller than the dying input that they are
 * written over: a quantisation of floats needs a quarter of their bytes.
 *
 * As an alias, such a result would keep all bytes of its input as long as it
 * lives. Here both are buffers of their own that are either apart or, during
 * the step that makes one of the other, lie over each other from the start;
 * after the step the tail is free. Only the exact solver knows relations. */
#include "plan/share/shrink.h"

#include "kernel/kernel.h"
#include "op/reads.h"

typedef struct finder {
  const ash_draft *d;
  uint32_t *slot_of; /* by tensor                                           */
  uint32_t *root;    /* by slot                                             */
  uint64_t *at;      /* by slot: from the start of its root                 */
  bool *has_output;  /* by root: a member is wanted for ever                */
} finder;

static const ash_slot *slot_at(const finder *f, uint32_t i) {
  ASH_ASSERT(i < f->d->ask->slot_count);
  return &f->d->ask->slots[i];
}

/* Along the chain to its end, or to a slot that knows. */
static void find_root(finder *f, uint32_t i) {
  uint32_t of = i;
  f->at[i] = 0;
  while (slot_at(f, of)->alias_of != ASH_NO_ID && of >= i) {
    f->at[i] += slot_at(f, of)->alias_offset;
    of = slot_at(f, of)->alias_of;
  }
  f->at[i] += of < i ? f->at[of] : 0;
  f->root[i] = of < i ? f->root[of] : of;
}

static ash_status prepare(finder *f) {
  const ash_plan_request *ask = f->d->ask;
  ash_zone *z = &f->d->ctx->scratch;
  f->slot_of = ASH_NEW_ARRAY(z, uint32_t, ask->graph->tensor_count + 1u);
  f->root = ASH_NEW_ARRAY(z, uint32_t, ask->slot_count + 1u);
  f->at = ASH_NEW_ARRAY(z, uint64_t, ask->slot_count + 1u);
  f->has_output = ASH_NEW_ARRAY(z, bool, ask->slot_count + 1u);
  ASH_TRY(ash_zone_check(f->d->ctx, z));
  for (size_t t = 0; t < ask->graph->tensor_count; t++)
    f->slot_of[t] = ASH_NO_ID;
  for (uint32_t i = 0; i < ask->slot_count; i++) {
    const uint32_t tensor = ask->slots[i].tensor;
    find_root(f, i);
    if (tensor == ASH_NO_ID || ask->slots[i].kind != ASH_SLOT_TENSOR)
      continue;
    f->slot_of[tensor] = i;
    if (ask->graph->tensors.items[tensor].is_output)
      f->has_output[f->root[i]] = true;
  }
  return ASH_OK;
}

/* Is it placed by the solver, where that likes? */
static bool is_free(const finder *f, uint32_t root) {
  return slot_at(f, root)->binding.role == ASH_SCRATCH &&
         f->d->ask->offset[root] == ASH_NO_OFFSET;
}

/* Can both be aligned at this distance? Alignments are powers of two. */
static bool can_align(const finder *f, uint32_t a, uint32_t b,
                      int64_t distance) {
  const uint64_t x = slot_at(f, a)->alignment, y = slot_at(f, b)->alignment;
  ASH_ASSERT(x > 0 && y > 0);
  return distance % (int64_t)(x < y ? x : y) == 0;
}

/* Does another input of the op lie in the same storage? */
static bool read_twice(const finder *f, uint32_t op, uint32_t input) {
  const ash_op *o = &f->d->ask->graph->ops.items[op];
  const uint32_t in = f->slot_of[o->inputs[input]];
  for (uint32_t k = 0; k < o->input_count; k++) {
    const uint32_t slot =
        o->inputs[k] == ASH_NO_ID ? ASH_NO_ID : f->slot_of[o->inputs[k]];
    if (slot != ASH_NO_ID && slot != in && f->root[slot] == f->root[in])
      return true;
  }
  return false;
}

static bool may_overwrite(const finder *f, uint32_t op, uint32_t k) {
  const ash_plan_request *ask = f->d->ask;
  const ash_tilings *tilings = ask->options->tilings;
  return ash_kernel_in_place(ask->choices[op].kernel, ask->graph, op, k) &&
         (!tilings || ash_tiling_in_place(ask->graph, &tilings->items[op], k));
}

static bool try_input(const finder *f, uint32_t step, uint32_t op, uint32_t k,
                      ash_shrink *out) {
  const ash_op *o = &f->d->ask->graph->ops.items[op];
  if (o->inputs[k] == ASH_NO_ID || !may_overwrite(f, op, k))
    return false;
  const uint32_t in = f->slot_of[o->inputs[k]], to = f->slot_of[o->outputs[0]];
  if (in == ASH_NO_ID || to == ASH_NO_ID ||
      slot_at(f, to)->size >= slot_at(f, in)->size || slot_at(f, to)->size == 0)
    return false;
  const uint32_t a = f->root[in], b = f->root[to];
  const int64_t distance = (int64_t)f->at[in] - (int64_t)f->at[to];
  if (a == b || !is_free(f, a) || !is_free(f, b) || f->has_output[a] ||
      slot_at(f, a)->life.end_step != step + 1 ||
      slot_at(f, b)->life.first_step != step || !can_align(f, a, b, distance) ||
      read_twice(f, op, k))
    return false;
  *out = (ash_shrink){a, b, step, distance, slot_at(f, to)->size};
  return true;
}

static bool try_step(const finder *f, uint32_t step, ash_shrink *out) {
  const ash_step *s = &f->d->ask->steps.items[step];
  const ash_graph *g = f->d->ask->graph;
  if (s->op_count != 1 || g->ops.items[s->ops[0]].output_count != 1 ||
      !f->d->ask->choices[s->ops[0]].kernel)
    return false;
  for (uint32_t k = 0; k < g->ops.items[s->ops[0]].input_count; k++)
    if (try_input(f, step, s->ops[0], k, out))
      return true;
  return false;
}

ash_status ash_find_shrinks(ash_draft *d) {
  const uint32_t steps = d->ask->steps.count;
  finder f = {.d = d};
  ash_shrink *made = ASH_NEW_ARRAY(&d->ctx->scratch, ash_shrink, steps + 1u);
  ASH_TRY(prepare(&f));
  d->shrinks = made;
  d->shrink_count = 0;
  for (uint32_t step = 0; step < steps; step++)
    d->shrink_count += try_step(&f, step, &made[d->shrink_count]);
  return ASH_OK;
}

/* By slot: its buffer in this part, counted from 1; 0: none. */
static ash_status find_buffers(ash_draft *d, const ash_scratch *s,
                               uint32_t **buffer_of) {
  ash_zone *z = &d->ctx->scratch;
  *buffer_of = ASH_NEW_ARRAY(z, uint32_t, d->ask->slot_count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, z));
  for (uint32_t i = 0; i < s->count; i++)
    (*buffer_of)[s->slot[i]] = i + 1;
  return ASH_OK;
}

ash_status ash_shrunk_peak(ash_draft *d, const ash_scratch *s, uint64_t *peak) {
  ash_zone *z = &d->ctx->scratch;
  const ash_mark mark = ash_zone_mark(z);
  uint32_t *buffer_of;
  ASH_TRY(find_buffers(d, s, &buffer_of));
  uint64_t *change = ASH_NEW_ARRAY(z, uint64_t, d->ask->steps.count + 2u);
  ASH_TRY(ash_zone_check(d->ctx, z));
  for (uint32_t i = 0; i < s->count; i++) {
    change[s->buffers[i].lower] += s->buffers[i].size;
    change[s->buffers[i].upper] -= s->buffers[i].size;
  }
  for (uint32_t i = 0; i < d->shrink_count; i++) {
    const ash_shrink *x = &d->shrinks[i];
    if (!buffer_of[x->in] || !buffer_of[x->out])
      continue;
    change[x->step] -= x->shared;
    change[x->step + 1] += x->shared;
  }
  uint64_t live = 0;
  *peak = 0;
  for (uint32_t k = 0; k < d->ask->steps.count; k++) {
    live += change[k];
    ASH_ASSERT(live <= INT64_MAX);
    *peak = live > *peak ? live : *peak;
  }
  ash_zone_rewind(z, mark);
  return ASH_OK;
}

/* Two conditions that a pair must both keep to share bytes: neither starts
 * before the other. */
static void relate(ash_relation *out, uint32_t in, uint32_t to,
                   int64_t distance) {
  out[0] = (ash_relation){ASH_MAY_OVERLAP, in, to, -distance};
  out[1] = (ash_relation){ASH_MAY_OVERLAP, to, in, distance};
}

ash_status ash_shrink_relations(ash_draft *d, const ash_scratch *s,
                                const ash_relation **relations, size_t *count) {
  ash_zone *z = &d->ctx->scratch;
  const size_t before = *count;
  uint32_t *buffer_of;
  ash_relation *all =
      ASH_NEW_ARRAY(z, ash_relation, before + 2 * (size_t)d->shrink_count + 1);
  ASH_TRY(find_buffers(d, s, &buffer_of));
  for (size_t i = 0; i < before; i++)
    all[i] = (*relations)[i];
  for (uint32_t i = 0; i < d->shrink_count; i++) {
    const ash_shrink *x = &d->shrinks[i];
    const uint32_t in = buffer_of[x->in], out = buffer_of[x->out];
    if (!in || !out)
      continue;
    relate(all + *count, in - 1, out - 1, x->distance);
    *count += 2;
  }
  *relations = all;
  return ASH_OK;
}

ash_status ash_mark_shrinks(ash_draft *d, const ash_scratch *s,
                            const ash_place_result *placed) {
  uint32_t *buffer_of;
  ASH_TRY(find_buffers(d, s, &buffer_of));
  for (uint32_t i = 0; i < d->shrink_count; i++) {
    const ash_shrink *x = &d->shrinks[i];
    const uint32_t in = buffer_of[x->in], out = buffer_of[x->out];
    if (in && out &&
        placed->offsets[out - 1] == placed->offsets[in - 1] + x->distance)
      d->answer->slots[x->out].follows = x->in;
  }
  return ASH_OK;
}
