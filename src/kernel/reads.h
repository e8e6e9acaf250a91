/* reads.h - which inputs of an operator its kernel reads at run time. The
 * others (axes, paddings, new shapes) are used up by the compiler and take no
 * room on the device. */
#ifndef ASH_KERNEL_READS_H
#define ASH_KERNEL_READS_H

#include "graph/graph.h"

/* Inputs that pass/pack.c appends for kernels that use a processor's own
 * instructions. */
enum {
  ASH_IN_FOLDED = 5, /* bias, with what the input's zero point adds          */
  ASH_IN_PACKED = 6, /* weights in the order of the kernel (not depthwise)   */
  ASH_IN_SCALE = 7   /* fully connected: how sums become outputs             */
};

/* Has the op these inputs, for the graph's device? */
bool ash_op_is_packed(const ash_graph *g, const ash_op *op);

bool ash_op_reads(const ash_graph *g, uint32_t op, uint32_t input);

#endif
