/* reads.h - which inputs of an operator its kernel reads at run time. The
 * others (axes, paddings, new shapes) are used up by the compiler and take no
 * room on the device. */
#ifndef ASH_OP_READS_H
#define ASH_OP_READS_H

#include "graph/graph.h"

/* Inputs that pass/pack.c appends for kernels that use a processor's own
 * instructions. */
enum {
  ASH_IN_PREPARED = 5, /* the first of them                               */
  /* Convolutions. */
  ASH_IN_MULTIPLIERS = 5, /* one for each channel, up to a round number      */
  ASH_IN_SHIFTS = 6,
  ASH_IN_FOLDED = 7, /* bias, with what the input's zero point adds     */
  ASH_IN_PACKED = 8, /* weights in the kernel's order (not depthwise)   */
  /* Fully connected. */
  ASH_IN_DENSE_FOLDED = 5,
  ASH_IN_DENSE_PACKED = 6,
  ASH_IN_DENSE_SCALE = 7 /* how sums become outputs                          */
};

/* Who reads: kernels in portable C take the model's own weights, those for a
 * processor what was prepared for them, and CMSIS-NN some of both. */
typedef enum ash_reader {
  ASH_READER_PORTABLE,
  ASH_READER_VARIANT,
  ASH_READER_CMSIS_NN
} ash_reader;

/* Has the op inputs that were prepared? */
bool ash_op_is_prepared(const ash_op *op);

bool ash_op_reads(const ash_graph *g, uint32_t op, ash_reader reader,
                  uint32_t input);

#endif
