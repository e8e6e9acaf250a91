/* rows_json.h - rows, runs and moves of a plan as JSON. */
#ifndef ASH_PLAN_ROWS_JSON_H
#define ASH_PLAN_ROWS_JSON_H

#include "ashlar/plan.h"
#include "base/ctx.h"
#include "base/json.h"

/* Which slots have an entry of their own: all rows of a tensor share one. */
typedef struct ash_row_entries {
  uint32_t
      *entry;   /* by slot: place in `tensors` of the slot, or of its tensor */
  bool *begins; /* by slot: the entry is written for this one             */
  uint32_t *next; /* by slot: where its row is moved to, or ASH_NO_ID       */
} ash_row_entries;

/* In the scratch zone. */
ash_status ash_rows_entries(ash_ctx *ctx, ash_row_entries *out,
                            const ash_plan *p);
bool ash_rows_begin(const ash_row_entries *e, uint32_t slot);
/* From the first to the last step of all rows; `slot` is the first of them. */
ash_lifetime ash_rows_life(const ash_row_entries *e, const ash_plan *p,
                           uint32_t slot);

/* `rows` of a tensor whose first slot is `slot`; `runs` and `moves` of a plan.
 */
void ash_rows_json(ash_json *j, const ash_row_entries *e, const ash_plan *p,
                   uint32_t slot);
void ash_runs_json(ash_json *j, const ash_plan *p, const ash_graph *g);
void ash_moves_json(ash_json *j, const ash_row_entries *e, const ash_plan *p);

#endif
