/* estimate.c - how long an operator takes, in cycles: a linear model with three
 * coefficients for each instruction set, fitted to the instructions that were
 * counted on emulated boards (bench/devices.csv), one cycle an instruction.
 * `tests/e2e/estimates` says how far it is from these counts. */
#include "ashlar/plan.h"

#include "base/assert.h"
#include "graph/graph.h"
#include "op/views.h"
#include "plan/record/record.h"

#include <string.h>

/* An element that is not rescaled to other quantised values takes a part of the
 * time of one that is. */
enum { CALL_CYCLES = 200, UNSCALED_PART = 6 };
/* To start the other cores and to wait for them: an assumption, generous for
 * bare-metal cores that sleep in between (docs/clusters.md). */
enum { FORK_CYCLES = 300 };

/* Thousandths of cycles. */
typedef struct rate {
  const char *feature; /* of the kernel; NULL: portable C */
  uint32_t mac, element;
} rate;

static const rate rates[] = {
    {"dsp", 1150, 22000}, {"cmsis-nn", 1150, 22000}, {"mve", 150, 13000},
    {"mvef", 600, 13000}, {"mvef-fast", 300, 13000}, {"rvv", 250, 7500},
    {"simd", 30, 1000},   {"pie", 700, 36000},       {"scalar", 2600, 36000},
    {NULL, 5150, 54500},
};

static const rate *rate_of(const ash_kernel *kernel) {
  const rate *r = rates;
  while (r->feature && !(kernel && kernel->feature &&
                         strcmp(kernel->feature, r->feature) == 0))
    r++;
  return r;
}

static bool is_rescaled(const ash_graph *g, const ash_op *op) {
  const ash_tensor *out = &g->tensors.items[op->outputs[0]];
  const uint32_t in = op->input_count ? op->inputs[0] : ASH_NO_ID;
  return out->quant.count > 0 && in != ASH_NO_ID &&
         !ash_quant_equal(&g->tensors.items[in], out);
}

static uint64_t elements_of(const ash_graph *g, const ash_op *op) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < op->output_count; k++) {
    const ash_tensor *t = &g->tensors.items[op->outputs[k]];
    ASH_ASSERT(ash_type_bits(t->type) > 0);
    sum += t->bytes * 8 / ash_type_bits(t->type);
  }
  return sum;
}

/* What the tile search models for an operator; NULL: it is not cut. */
static const ash_tiling *tiling_of(const ash_plan *p, uint32_t op) {
  const ash_tiling *t =
      p->tilings && op < p->tilings->count ? &p->tilings->items[op] : NULL;
  ASH_ASSERT(!t || t->op == op);
  return t && t->space ? t : NULL;
}

/* Of all cores: the largest share of rows that are dealt out evenly. */
static uint64_t on_cores(uint64_t work, const ash_choice *choice) {
  return choice->cores > 1
             ? FORK_CYCLES + (work * choice->largest_share + 999) / 1000
             : work;
}

uint64_t ash_plan_choice_cycles(const ash_graph *g, uint32_t op,
                                const ash_choice *choice) {
  const ash_op *o = &g->ops.items[op];
  const rate *r = rate_of(choice->kernel);
  const uint64_t element = r->element / (is_rescaled(g, o) ? 1 : UNSCALED_PART);
  const uint64_t work =
      (ash_op_macs(g, op) * r->mac + elements_of(g, o) * element) / 1000;
  return CALL_CYCLES + on_cores(work, choice);
}

uint64_t ash_plan_op_cycles(const ash_plan *plan, const ash_graph *g,
                            uint32_t op) {
  if (!(plan && g && op < g->op_count))
    return 0;
  const ash_tiling *tiling = tiling_of(plan, op);
  uint32_t input;
  uint64_t offset;
  ASH_ASSERT(op < g->op_count);
  if (tiling)
    return tiling->cost.cycles;
  if (ash_op_is_view(g, op, 0, &input, &offset))
    return 0;
  const ash_choice choice = ash_plan_choice(plan, g, op);
  return ash_plan_choice_cycles(g, op, &choice);
}

uint64_t ash_plan_estimate(const ash_plan *plan, const ash_graph *g) {
  if (!(plan && g))
    return 0;
  uint64_t cycles = 0;
  for (uint32_t op = 0; op < g->op_count; op++)
    cycles += ash_plan_op_cycles(plan, g, op);
  return cycles;
}
