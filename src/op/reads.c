/* reads.c - see reads.h. */
#include "op/reads.h"

typedef bool reads_rule(const ash_graph *g, const ash_op *op, ash_reader reader,
                        uint32_t input);

static bool reads_weights(const ash_graph *g, const ash_op *op,
                          ash_reader reader, uint32_t input) {
  if (reader == ASH_READER_PORTABLE || !ash_op_is_prepared(op))
    return input < ASH_IN_PREPARED;
  if (reader == ASH_READER_CMSIS_NN) /* its scales, and the rest */
    return input < 3 || input >= ASH_IN_PREPARED;
  if (input == 1)
    return op->kind == ASH_OP_depthwise_conv_2d;
  const bool real = ash_op_in(g, op, 0)->type == ASH_FLOAT32;
  if (input == 2) /* of float layers, the bias stays what it is */
    return real;
  if (input == 3) /* and so do the scales of int8 weights */
    return real && ash_op_in(g, op, 1)->type == ASH_INT8;
  return input == 0 || input >= ASH_IN_PREPARED;
}

/* An absent bias is not an argument. */
static bool reads_matmul(const ash_graph *g, const ash_op *op,
                         ash_reader reader, uint32_t input) {
  (void)reader;
  return input != 2 || ash_op_in(g, op, 2);
}

/* A constant value is part of the code. */
static bool reads_pad(const ash_graph *g, const ash_op *op, ash_reader reader,
                      uint32_t input) {
  (void)reader;
  return input == 0 ||
         g->tensors.items[op->inputs[input]].kind != ASH_TENSOR_CONSTANT;
}

/* CMSIS-NN has no table. */
static bool reads_softmax(const ash_graph *g, const ash_op *op,
                          ash_reader reader, uint32_t input) {
  (void)g, (void)op;
  return input == 0 || reader != ASH_READER_CMSIS_NN;
}

static const struct {
  ash_op_kind kind;
  reads_rule *reads; /* NULL: all inputs */
} table[ASH_OP_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.kind = ASH_OP_##op},
#define READS(rule)     .reads = reads_##rule,
#include "op/ops.def"
#undef OP
};

bool ash_op_reads(const ash_graph *g, uint32_t op, ash_reader reader,
                  uint32_t input) {
  const ash_op *o = &g->ops.items[op];
  reads_rule *reads = table[o->kind].reads;
  return !reads || reads(g, o, reader, input);
}

bool ash_op_is_prepared(const ash_op *op) {
  return op->input_count > ASH_IN_PREPARED &&
         table[op->kind].reads == reads_weights;
}
