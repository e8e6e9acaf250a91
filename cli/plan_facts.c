/* plan_facts.c - see plan_facts.h. */
#include "plan_facts.h"

#include <stdlib.h>
#include <string.h>

bool slot_takes_room(const ash_slot *s, const char *memory) {
  return s->binding.role == ASH_SCRATCH && s->alias_of == ASH_NO_ID &&
         strcmp(s->binding.memory, memory) == 0;
}

bool slot_is_alive(const ash_slot *s, uint32_t step) {
  return s->life.first_step <= step && step < s->life.end_step;
}

bool plan_peak(const ash_plan *p, const char *memory, uint32_t *step,
               uint64_t *bytes) {
  uint64_t *born = calloc((size_t)p->steps.count + 1, 2 * sizeof *born);
  *step = 0;
  *bytes = 0;
  if (!born || p->steps.count == 0) {
    free(born);
    return false;
  }
  uint64_t *gone = born + p->steps.count + 1, alive = 0;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (slot_takes_room(s, memory) && s->life.end_step <= p->steps.count) {
      born[s->life.first_step] += s->size;
      gone[s->life.end_step] += s->size;
    }
  }
  for (uint32_t k = 0; k < p->steps.count; k++) {
    alive += born[k] - gone[k];
    if (alive > *bytes) {
      *bytes = alive;
      *step = k;
    }
  }
  free(born);
  return true;
}
