/* cycles.c - what a run of a plan costs, roughly. */
#include "ashlar/plan.h"

#include "base/assert.h"
#include "graph/graph.h"
#include "plan/record/record.h"

#include <string.h>

static const ash_memory *memory_of(const ash_device *d, const char *name) {
  ASH_ASSERT(name != NULL);
  for (uint32_t i = 0; i < d->memory_count; i++)
    if (strcmp(d->memories[i].name, name) == 0)
      return &d->memories[i];
  return NULL;
}

/* Thousandths of cycles for a tensor. */
static uint64_t traffic(const ash_plan *p, const ash_graph *g,
                        const ash_device *d, uint32_t tensor, bool write) {
  const uint32_t slot =
      tensor == ASH_NO_ID ? ASH_NO_ID : ash_plan_slot_of_tensor(p, tensor);
  if (slot == ASH_NO_ID)
    return 0;
  ASH_ASSERT(tensor < g->tensor_count);
  const ash_slot *s = &p->slots[slot];
  const ash_memory *m = memory_of(d, s->binding.memory);
  const uint64_t bytes = s->has_row ? g->tensors.items[tensor].bytes : s->size;
  return !m ? 0 : bytes * (write ? m->write_cost : m->read_cost);
}

static uint64_t traffic_of_op(const ash_plan *p, const ash_graph *g,
                              const ash_device *d, uint32_t op) {
  ASH_ASSERT(op < g->op_count);
  const ash_op *o = &g->ops.items[op];
  uint64_t sum = 0;
  for (uint32_t k = 0; k < o->input_count; k++)
    sum += traffic(p, g, d, o->inputs[k], false);
  for (uint32_t k = 0; k < o->output_count; k++)
    sum += traffic(p, g, d, o->outputs[k], true);
  return sum;
}

/* Of a call: parameters, the table of the order, the first and last pixels of
 * lines; of a row that is copied; and thousandths for each of its bytes,
 * besides reading and writing it, since sixteen are copied at a time. */
enum { CALL_CYCLES = 300, MOVE_CYCLES = 60, COPY_MILLICYCLES = 200 };

static uint64_t traffic_of_moves(const ash_plan *p, const ash_device *d) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    const ash_memory *m =
        s->moved_from == ASH_NO_ID ? NULL : memory_of(d, s->binding.memory);
    if (m)
      sum +=
          UINT64_C(1000) * MOVE_CYCLES +
          s->size * ((uint64_t)COPY_MILLICYCLES + m->read_cost + m->write_cost);
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

uint64_t ash_plan_cycles(const ash_plan *plan, const ash_graph *g,
                         const ash_device *device, uint64_t *moves) {
  if (!(plan && g && device && (plan->slots || plan->slot_count == 0)))
    return 0;
  uint64_t cycles = (uint64_t)CALL_CYCLES * ash_plan_calls(plan, g), milli = 0;
  for (uint32_t k = 0; k < plan->steps.count; k++) {
    const ash_step *s = &plan->steps.items[k];
    for (uint32_t i = 0; i < s->op_count && s->first_row == 0; i++) {
      const uint64_t tiled = tiled_cycles(plan, s->ops[i]);
      ASH_ASSERT(s->ops[i] < g->op_count);
      cycles += tiled ? tiled : ash_op_macs(g, s->ops[i]);
      milli += tiled ? 0 : traffic_of_op(plan, g, device, s->ops[i]);
    }
  }
  const uint64_t moved = traffic_of_moves(plan, device);
  if (moves)
    *moves = moved / 1000;
  return cycles + (milli + moved) / 1000;
}
