/* alias_in_place.c - results written over an input that nobody needs any more.
 *
 * The kernel must allow it (kernel/kernel.h), and every value that shares the
 * bytes must be past its last use: views of the input count as much as the
 * input itself. */
#include "plan/share/alias.h"

#include "kernel/kernel.h"
#include "op/reads.h"

typedef struct place {
  uint32_t op, step;
  uint32_t in, out; /* slots */
} place;

static const ash_slot *slot(const ash_aliaser *a, uint32_t i) {
  ASH_ASSERT(i < a->slots->count);
  return &a->slots->items[i];
}

static bool is_output(const ash_aliaser *a, uint32_t i) {
  return slot(a, i)->tensor != ASH_NO_ID &&
         a->g->tensors.items[slot(a, i)->tensor].is_output;
}

/* Is everything on the input's bytes either read for the last time by this
 * step or made later? */
static bool input_is_free(const ash_aliaser *a, const place *p) {
  ASH_ASSERT(p->in != p->out && p->step < a->steps->count);
  const ash_storages *s = &a->storages;
  if (s->end[s->root[p->in]] <= p->step + 1)
    return true;
  for (uint32_t i = s->root[p->in]; i != ASH_NO_ID; i = s->next[i]) {
    if (i == p->out || !ash_alias_overlap(a, i, p->in))
      continue;
    const ash_lifetime *life = &slot(a, i)->life;
    if (life->first_step > p->step)
      continue;
    if (life->end_step > p->step + 1 || is_output(a, i))
      return false;
  }
  return true;
}

/* Nothing may be waiting on the result's bytes when the input is there. */
static bool output_is_new(const ash_aliaser *a, const place *p) {
  const ash_storages *s = &a->storages;
  for (uint32_t i = s->root[p->out]; i != ASH_NO_ID; i = s->next[i])
    if (i != p->out && ash_alias_overlap(a, i, p->out) &&
        slot(a, i)->life.first_step < p->step)
      return false;
  return true;
}

/* Another input on the same bytes would be overwritten while it is read,
 * unless it is the same tensor. */
static bool others_are_apart(const ash_aliaser *a, const place *p) {
  ASH_ASSERT(p->op < a->g->op_count);
  const ash_op *o = &a->g->ops.items[p->op];
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] == ASH_NO_ID ||
        !ash_kernel_reads(a->choices[p->op].kernel, a->g, p->op, k))
      continue;
    const uint32_t i = a->slot_of[o->inputs[k]];
    if (i != p->in &&
        (ash_alias_overlap(a, i, p->in) || ash_alias_overlap(a, i, p->out)))
      return false;
  }
  return true;
}

/* What lies in a variable's storage is not ours to overwrite. */
static bool is_scratch(const ash_aliaser *a, uint32_t i) {
  return slot(a, a->storages.root[i])->binding.role == ASH_SCRATCH;
}

static bool is_legal(const ash_aliaser *a, const place *p) {
  return is_scratch(a, p->in) && is_scratch(a, p->out) &&
         slot(a, p->in)->life.end_step == p->step + 1 && !is_output(a, p->in) &&
         input_is_free(a, p) && output_is_new(a, p) && others_are_apart(a, p);
}

/* The result goes into the input's storage, or, when it is already part of
 * something larger, the input's storage into the result's. */
static bool join(ash_aliaser *a, const place *p) {
  if (ash_alias_join(a, p->out, p->in, 0, ASH_ALIAS_IN_PLACE))
    return true;
  const uint32_t root = a->storages.root[p->in];
  return a->storages.at[p->in] == 0 &&
         slot(a, root)->size == slot(a, p->out)->size &&
         ash_alias_join(a, root, p->out, 0, ASH_ALIAS_IN_PLACE);
}

/* Do the two storages meet at this step only, and does the result live on? Then
 * the solver can lay one over the other and give the tail back (shrink.c). */
static bool can_shrink(const ash_aliaser *a, const place *p) {
  const ash_storages *s = &a->storages;
  const uint32_t out = s->root[p->out];
  if (!a->shrinks || s->root[p->in] == out || s->end[out] <= p->step + 1 ||
      s->end[s->root[p->in]] > p->step + 1)
    return false;
  for (uint32_t i = out; i != ASH_NO_ID; i = s->next[i])
    if (slot(a, i)->life.first_step < p->step)
      return false;
  return true;
}

/* An alias of a small result keeps all of a large input's storage: is that
 * worth it? Never where the tail can be given back after the step. */
static ash_status try_smaller(ash_aliaser *a, const place *p, bool *done) {
  ash_profile before, after;
  const size_t joins = a->storages.join_count;
  if (can_shrink(a, p)) {
    a->shared[p->step] = slot(a, p->out)->size;
    *done = true;
    return ASH_OK;
  }
  if (ash_alias_is_tired(a))
    return ASH_OK;
  ASH_TRY(ash_alias_profile(a, &before));
  *done = join(a, p);
  if (!*done)
    return ASH_OK;
  ASH_TRY(ash_alias_profile(a, &after));
  *done = !ash_profile_worse(after, before);
  if (!*done)
    ash_alias_part(a, joins);
  return ASH_OK;
}

static ash_status try_input(ash_aliaser *a, const place *p, bool *done) {
  *done = false;
  if (!is_legal(a, p))
    return ASH_OK;
  if (slot(a, p->in)->size != slot(a, p->out)->size)
    return try_smaller(a, p, done);
  *done = join(a, p);
  return ASH_OK;
}

static ash_status try_op(ash_aliaser *a, uint32_t op, uint32_t step) {
  ASH_ASSERT(op < a->g->op_count && step < a->steps->count);
  const ash_op *o = &a->g->ops.items[op];
  const ash_kernel *kernel = a->choices[op].kernel;
  if (!kernel || o->output_count != 1)
    return ASH_OK;
  for (uint32_t k = 0; k < o->input_count; k++) {
    bool done;
    if (!ash_kernel_in_place(kernel, a->g, op, k) ||
        (a->tilings && !ash_tiling_in_place(a->g, &a->tilings->items[op], k)))
      continue;
    const place p = {op, step, a->slot_of[o->inputs[k]],
                     a->slot_of[o->outputs[0]]};
    ASH_ASSERT(p.in != ASH_NO_ID && p.out != ASH_NO_ID);
    ASH_TRY(try_input(a, &p, &done));
    if (done)
      return ASH_OK;
  }
  return ASH_OK;
}

ash_status ash_alias_in_place(ash_aliaser *a) {
  for (uint32_t s = 0; s < a->steps->count; s++)
    if (a->steps->items[s].op_count == 1)
      ASH_TRY(try_op(a, a->steps->items[s].ops[0], s));
  return ASH_OK;
}
