/* chain.h - the program of a `chain`: functions of one element after the other;
 * and of a `row_chain`, which also folds rows, the last dimension.
 *
 *   code="int64 cast i0; int64 mul s0 int64:12; int8 cast s1"
 *   code="float32 fold_mean i0; float32 sub i0 s0"
 *
 * Each stage has a type, a function of functions.def and its operands: an input
 * of the operator (i0), an earlier stage (s0) or a value (int64:12). What a
 * stage computes is what a `map` with tensors of those types would store, or a
 * `reduce` of the last axis that keeps it; the last stage is the output. */
#ifndef ASH_OP_CHAIN_H
#define ASH_OP_CHAIN_H

#include "base/text.h"
#include "op/functions.h"

enum { ASH_CHAIN_INPUTS = 8, ASH_CHAIN_STAGES = 32, ASH_FN_OPERANDS = 3 };

typedef enum ash_chain_source {
  ASH_CHAIN_INPUT,
  ASH_CHAIN_STAGE,
  ASH_CHAIN_VALUE
} ash_chain_source;

typedef struct ash_chain_arg {
  ash_chain_source source;
  ash_type type;
  uint32_t index; /* of the input or stage */
  int64_t i;      /* the value, by type    */
  double x;
} ash_chain_arg;

typedef struct ash_chain_stage {
  ash_fn fn;
  bool folds; /* then `fold` is what it does with its one operand */
  ash_fold fold;
  ash_type type;
  ash_chain_arg args[ASH_FN_OPERANDS];
} ash_chain_stage;

typedef struct ash_chain {
  uint32_t count;
  ash_chain_stage stages[ASH_CHAIN_STAGES];
} ash_chain;

/* Reads the code of an op; types of inputs come from their tensors. False: it
 * does not follow the grammar, or a stage's types do not suit its function;
 * `stage` is set to the one that is wrong. */
bool ash_chain_read(ash_chain *out, const ash_graph *g, const ash_op *op,
                    uint32_t *stage);
void ash_chain_write(ash_text *t, const ash_chain *c);

uint32_t ash_chain_operands(const ash_chain_stage *s);
/* Which stages have one value a row: folds, and functions of nothing else but
 * such stages, values, and inputs whose last dimension is 1. */
void ash_chain_narrow(bool narrow[ASH_CHAIN_STAGES], const ash_chain *c,
                      const ash_graph *g, const ash_op *op);
/* Folds that a row chain may have: those that yield a value, not a place. */
bool ash_chain_folds(ash_fold fold);

/* The stages of an op: 1 for any operator but a chain. */
uint32_t ash_op_stages(const ash_op *op);

#endif
