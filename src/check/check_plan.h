/* check_plan.h - how the two halves of the checker talk: check_plan.c looks at
 * the plan as a table, check_run.c goes through the steps as the device would.
 * Neither knows a planner. */
#ifndef ASH_CHECK_CHECK_PLAN_H
#define ASH_CHECK_CHECK_PLAN_H

#include "ashlar/plan.h"
#include "base/ctx.h"
#include "graph/graph.h"

/* Which slots belong together; by tensor and op only if there is a graph. */
typedef struct ash_check_index {
  uint32_t *root; /* by slot: the end of its aliases; ASH_NO_ID: a circle */
  uint32_t *of_tensor; /* by tensor: its first slot */
  uint32_t *work;  /* by op: the slot of its work memory                   */
  uint32_t *first; /* by op: the first slot of tiles and work memory ..    */
  uint32_t *next;  /* .. and by slot the next one                          */
} ash_check_index;

typedef struct ash_checker {
  ash_ctx *ctx;
  const ash_plan *plan;
  const ash_graph *g;       /* NULL: only what the plan alone can tell */
  const ash_device *device; /* NULL: likewise */
  ash_check_index index;    /* from ash_check_find on */
} ash_checker;

/* Names are there, and numbers point at something: the others rely on it. */
ash_status ash_check_fields(const ash_checker *c);
/* Fills the index, of a plan whose fields are sound. */
ash_status ash_check_find(ash_checker *c);

/* No two slots share a byte while both are alive; of constants, unless they
 * are equal. */
ash_status ash_check_overlap(const ash_checker *c);
ash_status ash_check_constants(const ash_checker *c);

/* Bytes [lo, hi) of the arena of a role and memory. */
typedef struct ash_bytes {
  ash_role role;
  const char *memory;
  uint64_t lo, hi;
} ash_bytes;

/* The slots whose values are intact. */
typedef struct ash_intact {
  const ash_plan *plan;
  uint32_t *order, *place; /* slots by arena and offset, and back            */
  uint32_t leaves;         /* a power of two                                 */
  uint64_t *end;           /* by node: the furthest end of intact ones, + 1  */
} ash_intact;

/* None at first; in the scratch zone. */
ash_status ash_intact_of(ash_ctx *ctx, ash_intact *out, const ash_plan *p);
void ash_intact_set(ash_intact *s, uint32_t slot, bool intact);
bool ash_intact_is(const ash_intact *s, uint32_t slot);
/* The place of the next intact slot that shares bytes with `what`, after
 * another (ASH_NO_ID: from the first on); ASH_NO_ID: there is none. */
uint32_t ash_intact_next(const ash_intact *s, const ash_bytes *what,
                         uint32_t after);

/* Every step finds its inputs intact, and the end all outputs. */
ash_status ash_check_run(const ash_checker *c);

/* Do cores that share an operator leave each other alone? */
ash_status ash_check_cores(const ash_checker *c);

/* Is every tiling right? */
ash_status ash_check_all_tilings(const ash_checker *all);

/* Of an op that moves elements: is element i of output k, for every i, what
 * stands i elements behind byte `bytes` of input 0? */
bool ash_check_is_there(const ash_graph *g, uint32_t op, uint32_t k,
                        uint64_t bytes);

#endif
