/* cores.h - which operators are split over cores (domain/shares.h). */
#ifndef ASH_PLAN_CORES_H
#define ASH_PLAN_CORES_H

#include "ask/ask.h"

/* A copy of the choices of kernels, with the cores of each operator and their
 * work memory: those are split that take less time so, in the model of
 * ash_plan_op_cycles. Kept by `ctx`. */
ash_status ash_plan_share_out(ash_ctx *ctx, ash_choice **out,
                              const ash_ask *ask, uint32_t cores,
                              const ash_tilings *tilings);

/* Operators whose result lies where another core still reads are not split
 * after all. */
ash_status ash_plan_keep_apart(ash_ctx *ctx, ash_choice *choices,
                               const ash_plan *plan, const ash_graph *g);

#endif
