/* alias_state.c - new values of variables that are made where the variable
 * lies, so that the assignment has nothing left to copy.
 *
 * From the step that makes the value on, the old one is gone: nobody may need
 * it any more, except the maker itself if its kernel allows that. And as long
 * as anybody needs the value, nothing else may be assigned. */
#include "plan/share/alias.h"

#include "base/checked.h"
#include "kernel/kernel.h"
#include "op/reads.h"

typedef struct state {
  ash_aliaser *a;
  uint32_t variable, value; /* slots */
  uint32_t made, assigned;  /* steps */
  uint32_t end;             /* of all that lies on the value */
} state;

static const ash_slot *slot(const state *s, uint32_t i) {
  ASH_ASSERT(i < s->a->slots->count);
  return &s->a->slots->items[i];
}

static uint32_t root_of(const state *s, uint32_t i) {
  return s->a->storages.root[i];
}

static const ash_op *op_at(const state *s, uint32_t step, uint32_t k) {
  ASH_ASSERT(step < s->a->steps->count &&
             k < s->a->steps->items[step].op_count);
  return &s->a->g->ops.items[s->a->steps->items[step].ops[k]];
}

/* The value and its views are the compiler's own, and want no other place. */
static bool is_ours(state *s) {
  s->made = slot(s, s->value)->life.first_step;
  s->end = 0;
  for (uint32_t i = s->value; i != ASH_NO_ID; i = s->a->storages.next[i]) {
    const uint32_t tensor = slot(s, i)->tensor;
    if (tensor == ASH_NO_ID || s->a->g->tensors.items[tensor].is_output ||
        s->a->g->tensors.items[tensor].kind != ASH_TENSOR_ACTIVATION)
      return false;
    if (s->a->memory[i] != ASH_NO_MEMORY &&
        s->a->memory[i] != s->a->memory[s->variable])
      return false;
    if (slot(s, i)->life.end_step > s->end)
      s->end = slot(s, i)->life.end_step;
  }
  return true;
}

/* May the op that makes the value read input k, which lies in the variable? */
static bool maker_allows(const state *s, uint32_t op, uint32_t k) {
  ASH_ASSERT(op < s->a->g->op_count);
  const ash_op *o = &s->a->g->ops.items[op];
  const ash_kernel *kernel = s->a->choices[op].kernel;
  const uint64_t inside = s->a->storages.at[s->a->slot_of[o->inputs[k]]];
  return kernel && inside == 0 && o->output_count == 1 &&
         ash_kernel_in_place(kernel, s->a->g, op, k) &&
         (!s->a->tilings ||
          ash_tiling_in_place(s->a->g, &s->a->tilings->items[op], k));
}

/* Is the variable's storage, as it was before the value, read at this step? */
static bool needs_old(const state *s, uint32_t step) {
  ASH_ASSERT(step < s->a->steps->count);
  for (uint32_t k = 0; k < s->a->steps->items[step].op_count; k++) {
    const uint32_t op = s->a->steps->items[step].ops[k];
    const ash_op *o = op_at(s, step, k);
    for (uint32_t n = 0; n < o->input_count; n++) {
      const uint32_t i =
          o->inputs[n] == ASH_NO_ID ||
                  !ash_kernel_reads(s->a->choices[op].kernel, s->a->g, op, n)
              ? ASH_NO_ID
              : s->a->slot_of[o->inputs[n]];
      if (i == ASH_NO_ID || root_of(s, i) != s->variable)
        continue;
      if (step != s->made || !maker_allows(s, op, n))
        return true;
    }
  }
  return false;
}

static bool is_assigned_elsewhere(const state *s, uint32_t step) {
  ASH_ASSERT(step < s->a->steps->count);
  for (uint32_t k = 0; k < s->a->steps->items[step].op_count; k++)
    if (step != s->assigned && ash_graph_updates(s->a->g, op_at(s, step, k),
                                                 slot(s, s->variable)->tensor))
      return true;
  return false;
}

static bool is_legal(state *s) {
  if (s->value == ASH_NO_ID || s->variable == ASH_NO_ID ||
      root_of(s, s->value) != s->value || !is_ours(s))
    return false;
  ASH_ASSERT(s->made <= s->assigned && s->end > s->made);
  for (uint32_t step = s->made; step <= s->assigned; step++)
    if (needs_old(s, step))
      return false;
  for (uint32_t step = s->made; step < s->end; step++)
    if (is_assigned_elsewhere(s, step))
      return false;
  return true;
}

void ash_alias_state(ash_aliaser *a) {
  for (uint32_t step = 0; step < a->steps->count; step++) {
    if (a->steps->items[step].op_count != 1)
      continue;
    const ash_op *o = &a->g->ops.items[a->steps->items[step].ops[0]];
    if (o->kind != ASH_OP_assign_variable)
      continue;
    state s = {.a = a,
               .variable = a->slot_of[o->outputs[0]],
               .value = a->slot_of[o->inputs[0]],
               .assigned = step};
    if (is_legal(&s))
      (void)ash_alias_join(a, s.value, s.variable, 0, ASH_ALIAS_IN_PLACE);
  }
}
