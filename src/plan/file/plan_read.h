/* plan_read.h - plan JSON -> plan, with what the file claims of it. */
#ifndef ASH_PLAN_PLAN_READ_H
#define ASH_PLAN_PLAN_READ_H

#include "ashlar/plan.h"
#include "base/yaml.h"

typedef struct ash_plan_file {
  ash_plan plan; /* in the scratch zone */
  const char *plan_hash, *layout_hash;
} ash_plan_file;

ash_status ash_plan_read(ash_ctx *ctx, ash_plan_file *out, const ash_yaml *top);

#endif
