/* options.h - the options of callers, before anything relies on them. */
#ifndef ASH_API_OPTIONS_H
#define ASH_API_OPTIONS_H

#include "ashlar/compile.h"

/* Lists that are announced are there and have no holes, and numbers of
 * enumerations mean something; else ASH_MISUSE. Options are those that the
 * caller knows (ash_take_options). */
ash_status ash_options_load(ash_ctx *ctx, const ash_load_options *o);
/* NULL: there are none. */
ash_status ash_options_steps(ash_ctx *ctx, const ash_steps *steps);
ash_status ash_options_plan(ash_ctx *ctx, const ash_plan_options *o);
ash_status ash_options_emit(ash_ctx *ctx, const ash_emit_options *o);
ash_status ash_options_compile(ash_ctx *ctx, const ash_compile_options *o);

#endif
