/* segment_tree.h - values put on ranges of sections, combined at a point:
 * maximum or greatest common divisor of all ranges that contain it. */
#ifndef ASH_PLACE_SEGMENT_TREE_H
#define ASH_PLACE_SEGMENT_TREE_H

#include "base/ctx.h"

typedef uint64_t ash_stab_combine(uint64_t a, uint64_t b);

typedef struct ash_stab {
  ash_stab_combine *combine; /* 0 is its neutral element */
  uint64_t *tree;
  size_t count;
} ash_stab;

ash_status ash_stab_init(ash_ctx *ctx, ash_stab *out, size_t count,
                         ash_stab_combine *combine);
void ash_stab_add(ash_stab *t, size_t first, size_t last, uint64_t value);
uint64_t ash_stab_get(const ash_stab *t, size_t at);

#endif
