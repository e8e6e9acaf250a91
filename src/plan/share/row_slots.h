/* row_slots.h - the slots of an order of rows: one per row of each tensor that
 * a run makes or reads. */
#ifndef ASH_PLAN_ROW_SLOTS_H
#define ASH_PLAN_ROW_SLOTS_H

#include "plan/share/lifetime.h"

/* How the slots of an order of rows belong together. */
typedef struct ash_row_layout {
  const uint32_t *root;    /* by tensor: whose bytes it shows                */
  const uint32_t *slot_of; /* by tensor: its first slot, or ASH_NO_ID        */
  const bool *has_rows;    /* by root: one slot per row                      */
  const bool *is_piece;    /* by root: its rows follow each other in memory  */
  const ash_gap **gaps;    /* by slot: between the runs of an op             */
  uint32_t *gap_count;     /* by slot                                        */
  const ash_lifetime *own; /* by slot: its life without those that share its
                              storage                                        */
} ash_row_layout;

/* As ash_collect_slots, for steps that are runs; with aliases: views, row by
 * row where the rows are the same, and results that take the place of dying
 * rows, if `in_place`. The layout is in ctx->scratch. */
ash_status ash_collect_row_slots(ash_ctx *ctx, ash_zone *zone, ash_slots *out,
                                 ash_row_layout *layout, const ash_ask *ask,
                                 bool in_place);

/* Tables of rows hold 16-bit numbers: the unit in which they count, so that
 * they reach `bytes`. */
uint64_t ash_plan_row_unit(uint64_t bytes);

#endif
