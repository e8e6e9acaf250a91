/* residency.h - residency files: which tensor lives where, in the fourth schema
 * of heliaAOT's <prefix>_residency.json. */
#ifndef ASH_PLAN_RESIDENCY_H
#define ASH_PLAN_RESIDENCY_H

#include "ashlar/plan.h"
#include "base/text.h"
#include "base/yaml.h"

/* Writes one; what fails sticks to the text and the scratch zone. */
ash_status ash_residency_json(ash_ctx *ctx, ash_text *out, const ash_plan *p,
                              const char *prefix);

/* Is this one, rather than a plan? */
bool ash_is_residency(const ash_yaml *top);
ash_status ash_plan_check_residency(ash_ctx *ctx, const ash_yaml *top);

#endif
