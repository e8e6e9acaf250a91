/* ties.h - buffers tied at fixed distances (SAME_OFFSET, FIXED_DISTANCE),
 * merged into rigid groups: a weighted union-find. */
#ifndef ASH_PLACE_TIES_H
#define ASH_PLACE_TIES_H

#include "ashlar/place.h"
#include "base/ctx.h"

typedef struct ash_place_ties {
  uint32_t *parent;
  int64_t *delta; /* offset relative to the parent's                     */
  int64_t *modulus, *residue; /* of a root: what its alignments leave     */
  bool impossible;
} ash_place_ties;

ash_status ash_place_ties_init(ash_ctx *ctx, ash_place_ties *r,
                               const ash_place_problem *problem);
/* The root of b's group; *delta is b's offset relative to the root's. */
uint32_t ash_place_ties_find(ash_place_ties *r, uint32_t b, int64_t *delta);
/* Demands offset[b] == offset[a] + distance. ASH_LIMIT when the alignments
 * have no small common multiple. */
ash_status ash_place_ties_tie(ash_ctx *ctx, ash_place_ties *r, uint32_t a,
                              uint32_t b, int64_t distance);

#endif
