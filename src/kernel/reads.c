/* reads.c - see reads.h. */
#include "kernel/reads.h"

bool ash_op_reads(const ash_graph *g, uint32_t op, uint32_t input) {
  switch (g->ops.items[op].kind) {
  case ASH_OP_reshape:
  case ASH_OP_squeeze:
  case ASH_OP_expand_dims:
  case ASH_OP_mean:
  case ASH_OP_pad:
    return input == 0;
  default:
    return true;
  }
}
