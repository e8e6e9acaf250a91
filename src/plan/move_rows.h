/* move_rows.h - rows that are copied to another place where no hole of a small
 * arena is large enough. */
#ifndef ASH_PLAN_MOVE_ROWS_H
#define ASH_PLAN_MOVE_ROWS_H

#include "plan/sweep_rows.h"

/* Buffer `buffer` is copied to `to` before time `when`. */
typedef struct ash_sweep_move {
  uint32_t buffer;
  int64_t when, to;
} ash_sweep_move;

typedef struct ash_sweep_moves {
  const ash_sweep_move *items; /* in the order of copying */
  uint32_t count;
  uint64_t bytes; /* copied */
} ash_sweep_moves;

/* As ash_sweep_rows; buffers that `can_move` are moved where they are in the
 * way. `offsets` are the first places; `moves` the fewest
 * bytes copied of several ways to do it, kept by `ctx`. */
ash_status ash_sweep_and_move(ash_ctx *ctx, const ash_sweep *s,
                              const bool *can_move, int64_t *offsets,
                              ash_sweep_moves *moves, bool *found);

#endif
