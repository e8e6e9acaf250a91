/* ashlar/steps.h - the order of execution, which everything after the passes
 * works on. */
#ifndef ASHLAR_STEPS_H
#define ASHLAR_STEPS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One step of the execution order: the ops run together, in order. */
typedef struct ash_step {
  const uint32_t *ops;
  uint32_t op_count;
} ash_step;

typedef struct ash_steps {
  const ash_step *items;
  uint32_t count;
} ash_steps;

#ifdef __cplusplus
}
#endif
#endif
