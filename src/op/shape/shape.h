/* shape.h - what an operator makes of its inputs' shapes and types. One rule an
 * operator, in shape_*.c, listed in shape.c. */
#ifndef ASH_OP_SHAPE_H
#define ASH_OP_SHAPE_H

#include "graph/graph.h"

/* Checks inputs, types and attributes of `op` and says which shape each output
 * must have. Failures name the op and the tensor. The declared shapes of the
 * outputs are not looked at, except by operators whose output shape is given
 * by the model alone (reshape). */
ash_status ash_infer_shape(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                           ash_shape *outputs);

#endif
