/* macs.c - the work of an operator in multiply-accumulates: the figure people
 * compare models by, and the tiler's first estimate. Additions of a bias,
 * requantisation and operators without products count nothing. */
#include "op/attention.h"

/* Of `each` products per element of the output. */
static uint64_t per_output(const ash_graph *g, const ash_op *op,
                           uint64_t each) {
  return each * ash_shape_elements(&ash_op_out(g, op, 0)->shape);
}

static uint64_t weights(const ash_graph *g, const ash_op *op, uint32_t axis) {
  return (uint64_t)ash_op_in(g, op, 1)->shape.dim[axis];
}

static uint64_t macs_conv(const ash_graph *g, const ash_op *op) {
  return per_output(g, op,
                    weights(g, op, 1) * weights(g, op, 2) * weights(g, op, 3));
}

static uint64_t macs_depthwise(const ash_graph *g, const ash_op *op) {
  return per_output(g, op, weights(g, op, 1) * weights(g, op, 2));
}

static uint64_t macs_dense(const ash_graph *g, const ash_op *op) {
  return per_output(g, op, weights(g, op, 1));
}

static uint64_t macs_matmul(const ash_graph *g, const ash_op *op) {
  const uint32_t rank = ash_op_in(g, op, 1)->shape.rank;
  return per_output(
      g, op,
      weights(g, op, rank - (ash_attr_int(op, "transpose_b", 0) ? 1 : 2)));
}

static uint64_t macs_attention(const ash_graph *g, const ash_op *op) {
  const ash_attention a = ash_attention_of(g, op);
  return ash_shape_elements(&ash_op_in(g, op, 0)->shape) * (uint64_t)a.keys +
         per_output(g, op, (uint64_t)a.keys);
}

/* Every step multiplies all weights with its data and with the last result. */
static uint64_t macs_recurrence(const ash_graph *g, const ash_op *op) {
  const ash_shape *in = &ash_op_in(g, op, 0)->shape;
  const ash_shape *back = &ash_op_in(g, op, 2)->shape;
  return (uint64_t)in->dim[0] * (uint64_t)in->dim[1] * (uint64_t)back->dim[0] *
         (uint64_t)(in->dim[2] + back->dim[1]);
}

/* Each element of the input meets each weight of its channel once. */
static uint64_t macs_transpose_conv(const ash_graph *g, const ash_op *op) {
  return ash_shape_elements(&ash_op_in(g, op, 0)->shape) * weights(g, op, 0) *
         weights(g, op, 1) * weights(g, op, 2);
}

static const struct {
  ash_op_kind kind;
  uint64_t (*macs)(const ash_graph *g, const ash_op *op);
} table[ASH_OP_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.kind = ASH_OP_##op},
#define MACS(rule)      .macs = macs_##rule,
#include "op/ops.def"
#undef OP
};

uint64_t ash_op_macs(const ash_graph *g, uint32_t op) {
  if (!(g && op < g->op_count))
    return 0;
  const ash_op *o = &g->ops.items[op];
  return table[o->kind].macs ? table[o->kind].macs(g, o) : 0;
}
