/* plan_facts.c - see plan_facts.h. */
#include "show/plan_facts.h"

#include "ashlar/plan.h"

#include <stdlib.h>
#include <string.h>

bool slot_takes_room(const ash_slot *s, const char *memory) {
  return s->binding.role == ASH_SCRATCH && s->alias_of == ASH_NO_ID &&
         strcmp(s->binding.memory, memory) == 0;
}

bool slot_is_alive(const ash_slot *s, uint32_t step) {
  return s->life.first_step <= step && step < s->life.end_step;
}

bool slot_is_there(const ash_plan *p, const ash_slot *s, uint32_t step) {
  if (!slot_is_alive(s, step) || s->kind != ASH_SLOT_WORK ||
      step >= p->steps.count || p->order.kind != ASH_ORDER_ROWS)
    return slot_is_alive(s, step);
  return p->steps.items[step].op_count == 1 &&
         p->steps.items[step].ops[0] == s->op;
}

/* Bytes that a result shares, at its first step, with what it is made of. */
static uint64_t shared_bytes(const ash_plan *p, const ash_slot *s) {
  if (s->follows == ASH_NO_ID)
    return 0;
  const ash_slot *in = &p->slots[s->follows];
  const uint64_t from = s->binding.offset > in->binding.offset
                            ? s->binding.offset
                            : in->binding.offset;
  const uint64_t end = s->binding.offset + s->size;
  const uint64_t other = in->binding.offset + in->size;
  const uint64_t to = end < other ? end : other;
  return from < to && strcmp(s->binding.memory, in->binding.memory) == 0
             ? to - from
             : 0;
}

uint64_t slot_bytes_at(const ash_plan *p, const ash_slot *s, uint32_t step) {
  return s->size - (step == s->life.first_step ? shared_bytes(p, s) : 0);
}

uint64_t row_bytes_at(const ash_plan *p, uint32_t slot, const char *memory,
                      uint32_t step) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (s->has_row && s->tensor == p->slots[slot].tensor &&
        slot_takes_room(s, memory) && slot_is_alive(s, step))
      sum += slot_bytes_at(p, s, step);
  }
  return sum;
}

bool slot_counts(const ash_plan *p, uint32_t slot, const char *memory,
                 uint32_t step, uint32_t *rows) {
  const ash_slot *s = &p->slots[slot];
  bool is_first = true;
  *rows = 0;
  if (!slot_takes_room(s, memory) || !slot_is_there(p, s, step) ||
      (s->size > 0 && slot_bytes_at(p, s, step) == 0))
    return false;
  for (uint32_t i = 0; i < p->slot_count && s->has_row; i++) {
    const ash_slot *other = &p->slots[i];
    if (!other->has_row || other->tensor != s->tensor ||
        !slot_takes_room(other, memory) || !slot_is_alive(other, step))
      continue;
    is_first = is_first && i >= slot;
    ++*rows;
  }
  return is_first;
}

const char *step_name(const ash_plan *p, const ash_graph *g, uint32_t step) {
  const ash_step *s = &p->steps.items[step];
  return s->op_count ? ash_graph_op(g, s->ops[0])->id : "rows arrive";
}

/* Steps of its life at which the slot is not there after all. */
static void leave_gaps(const ash_plan *p, const ash_slot *s, uint64_t *born,
                       uint64_t *gone) {
  for (uint32_t k = s->life.first_step; k < s->life.end_step; k++)
    if (!slot_is_there(p, s, k)) {
      gone[k] += s->size;
      born[k + 1] += s->size;
    }
}

bool plan_peak(const ash_plan *p, const char *memory, uint32_t *step,
               uint64_t *bytes) {
  uint64_t *born = calloc((size_t)p->steps.count + 1, 2 * sizeof *born);
  *step = 0;
  *bytes = 0;
  if (!born || p->steps.count == 0) {
    free(born);
    return false;
  }
  uint64_t *gone = born + p->steps.count + 1, alive = 0;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (slot_takes_room(s, memory) && s->life.end_step <= p->steps.count) {
      const uint64_t shared = shared_bytes(p, s);
      born[s->life.first_step] += s->size - shared;
      born[s->life.first_step + 1] += shared;
      gone[s->life.end_step] += s->size;
      if (s->kind == ASH_SLOT_WORK)
        leave_gaps(p, s, born, gone);
    }
  }
  for (uint32_t k = 0; k < p->steps.count; k++) {
    alive += born[k] - gone[k];
    if (alive > *bytes) {
      *bytes = alive;
      *step = k;
    }
  }
  free(born);
  return true;
}

/* The first run of an operator makes its row 0. */
uint32_t plan_row_ops(const ash_plan *p) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->steps.count; i++) {
    const ash_step *s = &p->steps.items[i];
    count += s->op_count > 0 && s->row_count > 0 && s->first_row == 0;
  }
  return count;
}

uint64_t plan_scratch(const ash_plan *p) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == ASH_SCRATCH)
      sum += p->arenas[i].size;
  return sum;
}
