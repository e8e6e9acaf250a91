/* cores.h - operators that are split over cores (domain/shares.h) as C: a
 * function that makes the share of one core, and a call that has all cores make
 * theirs (runtime/cores/ash_cores.h). */
#ifndef ASH_EMIT_CORES_H
#define ASH_EMIT_CORES_H

#include "emit/call/call.h"
#include "emit/module/module.h"

/* The most cores that an operator, or a piece of one, runs on; several? */
uint32_t ash_emit_most_cores(const ash_module *m);
bool ash_emit_has_cores(const ash_module *m);
/* What hands shares out: its prototype, and itself. */
void ash_emit_cores_prototype(ash_module *m);
void ash_emit_cores_function(ash_module *m);

/* The inside of a function that makes the share of the core whose number is in
 * `core`. `whole` is the call of the operator; its operands are those of all
 * shares together, and so is its work memory, `core_scratch` bytes for each. */
ash_status ash_emit_share(ash_ctx *ctx, const ash_call *whole, uint32_t cores,
                          uint64_t core_scratch);

#endif
