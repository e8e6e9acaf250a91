/* variants.h - fast kernels where their work memory fits, small ones where it
 * must be. */
#ifndef ASH_PLAN_VARIANTS_H
#define ASH_PLAN_VARIANTS_H

#include "ashlar/plan.h"

/* ash_plan_model; and if that does not fit, operators give up their fast
 * kernels (ash_op.small), no more of them than must. A note names them. */
ash_status ash_plan_variants(ash_ctx *ctx, const ash_plan **out, ash_graph *g,
                             const ash_device *device,
                             const ash_plan_options *options);

/* Why an operator has its kernel, in words; NULL: no other was possible. Kept
 * by `ctx`. */
const char *ash_variant_reason(ash_ctx *ctx, const ash_graph *g, uint32_t op);

#endif
