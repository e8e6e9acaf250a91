/* sums.h - operators whose sums can be computed in parts, with an accumulator
 * for each element of the output in between. The accumulator is wide enough
 * that the parts give the bytes of the whole. */
#ifndef ASH_OP_SUMS_H
#define ASH_OP_SUMS_H

#include "graph/graph.h"

typedef enum ash_accumulator {
  ASH_ACCUMULATOR_NONE, /* this operator, for these types, has no parts */
  ASH_ACCUMULATOR_U32,
  ASH_ACCUMULATOR_U64,
  ASH_ACCUMULATOR_S64,
  ASH_ACCUMULATOR_F32,
  ASH_ACCUMULATOR_F64
} ash_accumulator;

/* A layer of integers, computed on what is stored: neither data nor weights
 * have scales. Inputs after the weights are the bias, factors and offsets, the
 * latter one value or one per output channel. Sums wrap around at 32 bits;
 * with factors, (sum * factor + offset) >> `shift` is computed in 64 bits; the
 * result is clamped to `low` and `high`. A product of matrices without factors
 * and limits may have 64 bits. */
bool ash_op_is_integer_layer(const ash_graph *g, const ash_op *op);

/* A sum or mean of quantised values, from one scale to another? */
bool ash_op_rescales(const ash_graph *g, const ash_op *op);

ash_accumulator ash_op_accumulator(const ash_graph *g, const ash_op *op);
uint32_t ash_accumulator_bytes(ash_accumulator a); /* 0: none */
const char *ash_accumulator_c(ash_accumulator a);  /* "uint32_t" */

#endif
