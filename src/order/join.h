/* join.h - fewer switches between operators, at the same peak. */
#ifndef ASH_ORDER_JOIN_H
#define ASH_ORDER_JOIN_H

#include "order/problem.h"

/* What the order may load: with work memory, and without it. Steps that change
 * places leave `free` bytes of both. */
typedef struct ash_order_caps {
  uint64_t all, rows, free;
} ash_order_caps;

/* Changes an order of the problem so that up to `most` steps of an operator
 * directly follow each other; no load exceeds the caps, which the order keeps.
 */
ash_status ash_order_join(ash_ctx *ctx, ash_order_answer *order,
                          const ash_order_problem *p,
                          const ash_order_caps *caps, uint32_t most);

#endif
