/* slice.h - which elements slice and strided_slice take: their constant inputs
 * and masks resolved to one begin, step and size an axis. Shape rule, reference
 * interpreter and lowering all read the same record. */
#ifndef ASH_OP_SLICE_H
#define ASH_OP_SLICE_H

#include "graph/graph.h"

typedef struct ash_slice {
  /* by axis of the input: elements begin, begin + step, ... (size of them) */
  int32_t begin[ASH_RANK_MAX], step[ASH_RANK_MAX], size[ASH_RANK_MAX];
  /* by axis of the output: the input's axis, or ASH_NO_ID for a new one */
  uint32_t from[ASH_RANK_MAX];
  uint32_t rank; /* of the output */
} ash_slice;

/* NULL, or what is wrong with the operator's begins, ends, sizes or masks.
 * Inputs 1 and following must be constant. */
const char *ash_slice_of(const ash_graph *g, const ash_op *op, ash_slice *out);

/* The axis of split, split_v and unpack, as given: it may count from the end.
 */
int64_t ash_op_split_axis(const ash_graph *g, const ash_op *op);

#endif
