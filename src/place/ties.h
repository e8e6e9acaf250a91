/* ties.h - buffers tied at fixed distances, merged into groups. */
#ifndef ASH_PLACE_TIES_H
#define ASH_PLACE_TIES_H

#include "ashlar/place.h"
#include "base/ctx.h"

typedef struct ash_rigid {
  uint32_t *parent;
  int64_t *delta; /* offset relative to the parent's                     */
  int64_t *modulus, *residue; /* of a root: what its alignments leave     */
  bool impossible;
} ash_rigid;

ash_status ash_rigid_init(ash_ctx *ctx, ash_rigid *r,
                          const ash_place_problem *problem);
/* The root of b's group; *delta is b's offset relative to the root's. */
uint32_t ash_rigid_find(ash_rigid *r, uint32_t b, int64_t *delta);
/* Demands offset[b] == offset[a] + distance. ASH_LIMIT when the alignments
 * have no small common multiple. */
ash_status ash_rigid_tie(ash_ctx *ctx, ash_rigid *r, uint32_t a, uint32_t b,
                         int64_t distance);
/* Can it be demanded at all? */
bool ash_rigid_fits(ash_rigid *r, uint32_t a, uint32_t b, int64_t distance);

#endif
