/* why.h - "why is my arena this big?" in words. */
#ifndef CLI_WHY_H
#define CLI_WHY_H

#include "ashlar/plan.h"
#include "term.h"

/* The same plan made another way, for comparison. */
typedef struct what_if {
  const char *option; /* "--overlap" */
  const char *meaning;
  uint64_t bytes; /* of the same arena */
} what_if;

/* One scratch arena: the step that sets it, who is alive there and why, what
 * would lower it: `ifs` by their numbers, from 1, where they lower this one. */
void print_why(const term *t, const ash_plan *p, const ash_graph *g,
               const ash_arena *arena, const what_if *ifs, size_t if_count);
void print_why_json(FILE *out, const ash_plan *p, const ash_graph *g,
                    const ash_arena *arena, const what_if *ifs,
                    size_t if_count);

#endif
