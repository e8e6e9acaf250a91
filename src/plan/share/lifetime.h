/* lifetime.h - which slots a sequence of steps needs, and when each lives. */
#ifndef ASH_PLAN_LIFETIME_H
#define ASH_PLAN_LIFETIME_H

#include "ashlar/plan.h"
#include "ask/ask.h"

typedef struct ash_slots {
  ash_slot *items;
  size_t capacity;
  uint32_t count;
} ash_slots;

/* Makes the slots of everything the steps touch, in order of first use (in a
 * step: inputs, outputs, work memory), with sizes and lifetimes; aliases and
 * places are left to others. `*slot_of`, by tensor, is in ctx->scratch. */
ash_status ash_collect_slots(ash_ctx *ctx, ash_zone *zone, ash_slots *out,
                             uint32_t **slot_of, const ash_ask *ask,
                             const ash_tilings *tilings);

/* Appends a slot. */
ash_status ash_slots_add(ash_ctx *ctx, ash_zone *zone, ash_slots *slots,
                         uint32_t *out, ash_slot slot);

/* Appends the tiles, accumulator and work memory of a tiled op. */
ash_status ash_slots_add_tiles(ash_ctx *ctx, ash_zone *zone, ash_slots *slots,
                               const ash_graph *g, const ash_tiling *tiling,
                               uint32_t step, uint64_t alignment);

#endif
