/* views.h - operators that only say how bytes are to be read: what they make
 * may lie where their input lies, or the other way round. */
#ifndef ASH_OP_VIEWS_H
#define ASH_OP_VIEWS_H

#include "graph/graph.h"

/* Is output `out` of the op nothing but bytes [offset, offset + its size) of
 * input `*input`? */
bool ash_op_is_view(const ash_graph *g, uint32_t op, uint32_t out,
                    uint32_t *input, uint64_t *offset);

/* Is it one run of input 0's bytes, from `*offset` on, but not all of them?
 * (Slices and splits along the outermost axis that counts.) */
bool ash_op_is_slice(const ash_graph *g, uint32_t op, uint32_t out,
                     uint64_t *offset);

/* Are the bytes of input k copied as they are to one place of the op's output,
 * at `*offset`? (Concatenation along the outermost axis that counts.) */
bool ash_op_is_piece(const ash_graph *g, uint32_t op, uint32_t k,
                     uint64_t *offset);

#endif
