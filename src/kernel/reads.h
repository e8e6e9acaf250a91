/* reads.h - which inputs of an operator its kernel reads at run time. The
 * others (axes, paddings, new shapes) are used up by the compiler and take no
 * room on the device. */
#ifndef ASH_KERNEL_READS_H
#define ASH_KERNEL_READS_H

#include "graph/graph.h"

bool ash_op_reads(const ash_graph *g, uint32_t op, uint32_t input);

#endif
