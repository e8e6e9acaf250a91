/* certify.h - why no order has a lower peak, for a program that checks it. */
#ifndef ASH_ORDER_CERTIFY_H
#define ASH_ORDER_CERTIFY_H

#include "base/text.h"
#include "order/problem.h"

/* Writes evidence that the bound is true (docs/certificates.md), by a second
 * search at one cap. False: the effort was not enough, or ctx->scratch has
 * failed. */
bool ash_order_certify(ash_ctx *ctx, ash_stream *out,
                       const ash_order_problem *p, uint64_t bound,
                       const ash_order_options *options);

#endif
