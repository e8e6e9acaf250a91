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

/* A sum or mean of quantised values, from one scale to another? */
bool ash_op_rescales(const ash_graph *g, const ash_op *op);

ash_accumulator ash_op_accumulator(const ash_graph *g, const ash_op *op);
uint32_t ash_accumulator_bytes(ash_accumulator a); /* 0: none */
const char *ash_accumulator_c(ash_accumulator a);  /* "uint32_t" */

#endif
