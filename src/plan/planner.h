/* planner.h - what planner backends share: the work in progress, and the
 * pieces every policy needs. */
#ifndef ASH_PLAN_PLANNER_H
#define ASH_PLAN_PLANNER_H

#include "plan/alias.h"
#include "plan/lifetime.h"

enum { ASH_ROLE_COUNT = 3 };

typedef struct ash_draft {
  ash_ctx *ctx;
  ash_zone *zone; /* what the finished plan keeps */
  const ash_graph *g;
  const ash_device *device;
  ash_plan_options options;
  ash_steps steps;
  ash_slots slots;
  ash_arena *arenas; /* at most one a role and memory */
  uint32_t arena_count;
  uint64_t ticks;
} ash_draft;

/* A backend gives every slot that is not an alias a binding and fills the
 * arenas; aliases, checking and hashing follow. */
typedef struct ash_planner {
  const char *name;
  const char *help;
  ash_status (*plan)(ash_draft *draft);
} ash_planner;

const ash_planner *ash_find_planner(const char *name);
const ash_planner *ash_planner_at(size_t index); /* NULL past the last */

/* The arena of a role and memory, made on first use. */
ash_arena *ash_draft_arena(ash_draft *d, ash_role role, uint32_t memory,
                           uint32_t source_memory);

/* Bytes of `memory` not yet given to arenas. */
uint64_t ash_draft_room(const ash_draft *d, uint32_t memory);

/* Persistent and constant slots, the same for all backends: placed one behind
 * the other in order of first use; equal constants share a place. */
ash_status ash_draft_bump(ash_draft *d);

/* The scratch slots that need a place (aliases left out), as buffers. */
typedef struct ash_scratch {
  uint32_t *slot; /* buffer -> slot */
  ash_buffer *buffers;
  uint32_t count;
} ash_scratch;
ash_status ash_draft_scratch(ash_draft *d, ash_scratch *out);

/* Puts placed buffers into `memory` and books the arena. */
ash_status ash_draft_commit(ash_draft *d, const ash_scratch *s,
                            const ash_place_result *placed, uint32_t memory);

/* The memories a backend may use for scratch, best first. */
uint32_t ash_draft_candidates(const ash_draft *d, uint32_t *memories);

/* For heuristics: puts the placement into the first memory with room, with the
 * largest live sum as its bound, or says that none has. */
ash_status ash_draft_settle(ash_draft *d, const ash_scratch *s,
                            const int64_t *offsets, uint64_t height);

/* No memory had room: says which tensors force the peak and what is short. */
ash_status ash_draft_nofit(ash_draft *d, const ash_scratch *s,
                           const ash_place_result *best, uint32_t memory);

extern const ash_planner ash_planner_exact, ash_planner_greedy,
    ash_planner_first_fit, ash_planner_naive;

#endif
