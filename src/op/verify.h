/* verify.h - is this graph well formed, and where not? Run after every stage.
 */
#ifndef ASH_OP_VERIFY_H
#define ASH_OP_VERIFY_H

#include "graph/graph.h"

ash_status ash_op_verify(ash_ctx *ctx, const ash_graph *g);

#endif
