/* rows_read.h - rows, runs and moves of a plan from JSON. */
#ifndef ASH_PLAN_ROWS_READ_H
#define ASH_PLAN_ROWS_READ_H

#include "ashlar/plan.h"
#include "base/yaml.h"

/* The slots of the entries of `tensors`: several where there are rows. */
typedef struct ash_slot_reader {
  ash_ctx *ctx;
  ash_slot *slots;
  uint32_t slot_count;
  uint32_t *first, *rows; /* by entry: its first slot; rows, 0: none         */
  uint32_t *next;         /* by slot: where its row is moved to, or ASH_NO_ID */
  uint32_t entry_count;
  uint64_t moved_at; /* step of the last move                                */
} ash_slot_reader;

/* How many slots the list needs, and the moves. */
size_t ash_rows_count_slots(const ash_yaml *tensors, const ash_yaml *moves);

/* Makes the slots of an entry from `s`, which is read but for its rows. */
ash_status ash_rows_read(ash_slot_reader *r, const ash_yaml *map, ash_slot s);
/* When all entries are read. */
ash_status ash_moves_read(ash_slot_reader *r, const ash_yaml *moves);
ash_status ash_rows_read_aliases(ash_slot_reader *r, const ash_yaml *tensors);

/* Steps; in the scratch zone. */
ash_status ash_runs_read(ash_ctx *ctx, ash_steps *out, const ash_yaml *top);

#endif
