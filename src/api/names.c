/* names.c - stages and kernel sets by name. */
#include "ashlar/compile.h"

#include <string.h>

static const char *const stage_text[ASH_STAGE_COUNT] = {"read", "pass", "plan",
                                                        "emit"};

const char *ash_stage_text(ash_stage stage) {
  return stage < ASH_STAGE_COUNT ? stage_text[stage] : "?";
}

ash_stage ash_stage_find(const char *name) {
  unsigned stage = 0;
  while (stage < ASH_STAGE_COUNT && strcmp(stage_text[stage], name) != 0)
    stage++;
  return (ash_stage)stage;
}

ash_kernels ash_kernels_find(const char *name) {
  static const char *const names[ASH_KERNELS_COUNT] = {"auto", "portable",
                                                       "cmsis-nn"};
  unsigned k = 0;
  while (k < ASH_KERNELS_COUNT && strcmp(names[k], name) != 0)
    k++;
  return (ash_kernels)k;
}
