/* ashlar/plan.h - the memory plan: which tensor lives where, and when.
 *
 * A plan is complete and checked before anyone sees it. Planner backends own
 * the policy; what they return goes through ash_check_plan, whoever wrote it.
 * Lifetimes are half-open intervals of steps. */
#ifndef ASHLAR_PLAN_H
#define ASHLAR_PLAN_H

#include "ashlar/base.h"
#include "ashlar/device.h"
#include "ashlar/graph.h"
#include "ashlar/place.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- steps -------------------------------------------------------------- */

/* One step of the execution order: the ops run together, in order. */
typedef struct ash_step {
  const uint32_t *ops;
  uint32_t op_count;
} ash_step;

typedef struct ash_steps {
  const ash_step *items;
  uint32_t count;
} ash_steps;

/* ---- records ------------------------------------------------------------ */

typedef enum ash_role {
  ASH_SCRATCH,    /* reused while the model runs             */
  ASH_PERSISTENT, /* survives a run                          */
  ASH_CONSTANT    /* known at compile time                   */
} ash_role;

ASH_API const char *ash_role_text(ash_role role);

/* Where a tensor lives. source_memory differs from memory only for staged
 * constants, which are copied at boot. */
typedef struct ash_binding {
  ash_role role;
  const char *memory;
  uint64_t offset; /* in the arena of that role and memory */
  const char *source_memory;
} ash_binding;

typedef struct ash_lifetime {
  uint32_t first_step, end_step; /* live during [first_step, end_step) */
} ash_lifetime;

/* One planned thing: a tensor, or work memory that one op needs. */
typedef struct ash_slot {
  const char *id;
  const char *name;
  uint32_t tensor; /* in the graph, or ASH_NO_ID for work memory         */
  uint32_t op;     /* whose work memory this is, else ASH_NO_ID          */
  uint64_t size;
  uint64_t alignment;
  ash_lifetime life;
  uint32_t alias_of; /* slot whose storage this one shares, or ASH_NO_ID */
  bool bound;
  ash_binding binding;
} ash_slot;

typedef struct ash_arena {
  ash_role role;
  const char *memory;
  const char *source_memory;
  uint64_t size;       /* bytes used                                       */
  uint64_t total_size; /* bytes the memory could give                      */
  uint64_t alignment;  /* of the arena's first byte                        */
  uint64_t lower_bound; /* no plan of these slots is smaller               */
  ash_verdict verdict;
} ash_arena;

typedef struct ash_plan {
  const char *model;
  const char *target;
  const char *planner;
  ash_verdict verdict; /* optimal when every arena is                      */
  ash_steps steps;
  const ash_slot *slots; /* in order of first use                          */
  uint32_t slot_count;
  const ash_arena *arenas; /* scratch, persistent, constant; by memory name */
  uint32_t arena_count;
  uint64_t ticks;
} ash_plan;

/* ---- planning ----------------------------------------------------------- */

typedef struct ash_plan_options {
  size_t struct_bytes;
  const char *planner; /* backend by name; NULL: "exact" */
  uint64_t ticks;
  uint64_t seed;
} ash_plan_options;

/* Plans `g` for `device`. ASH_NOFIT, with a diagnostic that says what is short
 * by how much, when no memory is large enough. The plan is kept by `ctx`. */
ASH_API ASH_MUST_CHECK ash_status ash_plan_memory(
    ash_ctx *ctx, const ash_plan **out, const ash_graph *g,
    const ash_device *device, const ash_plan_options *options);

/* Independent of every planner: is this plan right for this graph? */
ASH_API ASH_MUST_CHECK ash_status ash_check_plan(ash_ctx *ctx,
                                                 const ash_plan *plan,
                                                 const ash_graph *g,
                                                 const ash_device *device);

/* Union of live ranges over alias links, until nothing changes: alias_of[i] is
 * the index that i shares storage with, or ASH_NO_ID. */
ASH_API void ash_merge_alias_lifetimes(ash_lifetime *lives,
                                       const uint32_t *alias_of, size_t count);

/* Index of the slot of a tensor, ASH_NO_ID if it has none. */
ASH_API uint32_t ash_plan_slot_of_tensor(const ash_plan *plan, uint32_t tensor);
/* The work memory of an op, ASH_NO_ID if it needs none. */
ASH_API uint32_t ash_plan_slot_of_op(const ash_plan *plan, uint32_t op);

/* ---- as JSON (docs/plan-format.md) --------------------------------------- */

ASH_API ASH_MUST_CHECK ash_status ash_plan_json(ash_ctx *ctx, const char **text,
                                                size_t *count,
                                                const ash_plan *plan,
                                                const ash_graph *g);

/* Checks a plan as written by ash_plan_json, without the model: overlaps in
 * time and space, arena sizes, alignment, bindings, hashes. */
ASH_API ASH_MUST_CHECK ash_status ash_check_plan_json(ash_ctx *ctx,
                                                      const char *text,
                                                      size_t count,
                                                      const char *file);

#ifdef __cplusplus
}
#endif
#endif
