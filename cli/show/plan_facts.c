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

bool slot_counts(const ash_plan *p, uint32_t slot, const char *memory,
                 uint32_t step, uint32_t *rows) {
  const ash_slot *s = &p->slots[slot];
  bool is_first = true;
  *rows = 0;
  if (!slot_takes_room(s, memory) || !slot_is_there(p, s, step))
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
      born[s->life.first_step] += s->size;
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

static const ash_memory *memory_of(const ash_device *d, const char *name) {
  for (uint32_t i = 0; i < d->memory_count; i++)
    if (strcmp(d->memories[i].name, name) == 0)
      return &d->memories[i];
  return NULL;
}

/* Thousandths of cycles for the tensors of a list. */
static uint64_t traffic(const ash_plan *p, const ash_device *d,
                        const uint32_t *slot_of, const uint32_t *tensors,
                        uint32_t count, bool write) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t slot =
        tensors[i] == ASH_NO_ID ? ASH_NO_ID : slot_of[tensors[i]];
    const ash_memory *m =
        slot == ASH_NO_ID ? NULL : memory_of(d, p->slots[slot].binding.memory);
    if (m)
      sum += p->slots[slot].size * (write ? m->write_cost : m->read_cost);
  }
  return sum;
}

/* What the tile search models for an operator; 0: it is not cut. */
static uint64_t tiled_cycles(const ash_plan *p, uint32_t op) {
  for (uint32_t i = 0; p->tilings && i < p->tilings->count; i++)
    if (p->tilings->items[i].op == op && p->tilings->items[i].space)
      return p->tilings->items[i].cost.cycles;
  return 0;
}

uint64_t plan_cycles(const ash_plan *p, const ash_graph *g,
                     const ash_device *device) {
  const size_t n = ash_graph_tensor_count(g);
  uint32_t *slot_of = malloc((n + 1) * sizeof *slot_of);
  uint64_t macs = 0, milli = 0;
  if (!slot_of)
    return 0;
  for (size_t i = 0; i < n; i++)
    slot_of[i] = ASH_NO_ID;
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].tensor != ASH_NO_ID)
      slot_of[p->slots[i].tensor] = i;
  for (uint32_t k = 0; k < p->steps.count; k++)
    for (uint32_t o = 0; o < p->steps.items[k].op_count; o++) {
      const uint32_t index = p->steps.items[k].ops[o];
      const ash_op *op = ash_graph_op(g, index);
      const uint64_t tiled = tiled_cycles(p, index);
      macs += tiled ? tiled : ash_op_macs(g, index);
      if (tiled)
        continue;
      milli += traffic(p, device, slot_of, op->inputs, op->input_count, false);
      milli += traffic(p, device, slot_of, op->outputs, op->output_count, true);
    }
  free(slot_of);
  return macs + milli / 1000;
}
