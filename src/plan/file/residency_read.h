/* residency_read.h - residency files, see residency_read.c. */
#ifndef ASH_PLAN_RESIDENCY_READ_H
#define ASH_PLAN_RESIDENCY_READ_H

#include "base/yaml.h"

/* Is this one, rather than a plan? */
bool ash_is_residency(const ash_yaml *top);
ash_status ash_check_residency(ash_ctx *ctx, const ash_yaml *top);

#endif
