/* names.c - stages and kernel sets by name. */
#include "ashlar/compile.h"

#include "base/nearest.h"

static const char *const stage_text[ASH_STAGE_COUNT] = {"read", "pass", "plan",
                                                        "emit"};

const char *ash_stage_text(ash_stage stage) {
  return stage < ASH_STAGE_COUNT ? stage_text[stage] : "?";
}

ash_stage ash_stage_find(const char *name) {
  return (ash_stage)ash_name_find(stage_text, sizeof *stage_text,
                                  ASH_STAGE_COUNT, name);
}

ash_kernels ash_kernels_find(const char *name) {
  static const char *const names[ASH_KERNELS_COUNT] = {"auto", "portable",
                                                       "cmsis-nn"};
  return (ash_kernels)ash_name_find(names, sizeof *names, ASH_KERNELS_COUNT,
                                    name);
}
