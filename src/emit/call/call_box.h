/* call_box.h - boxes of elements that ash_rt_move brings from one pattern to
 * another. Private to call*.c. */
#ifndef ASH_EMIT_CALL_BOX_H
#define ASH_EMIT_CALL_BOX_H

#include "emit/call/call_write.h"

enum { ASH_BOX_AXES = 2 * ASH_RANK_MAX + 2 };

/* Everything is counted in elements of output 0. */
typedef struct ash_call_box {
  uint32_t rank;
  int64_t from, to; /* where the first element is */
  int64_t dim[ASH_BOX_AXES], from_step[ASH_BOX_AXES], to_step[ASH_BOX_AXES];
} ash_call_box;

/* Axes are added from the slowest to the fastest. */
void ash_emit_box_axis(ash_call_box *b, int64_t dim, int64_t from_step,
                       int64_t to_step);
/* Writes the call, in a block of its own. */
ash_status ash_emit_box_put(ash_ctx *ctx, const ash_call *c, ash_call_box b,
                            uint32_t in, uint32_t out);
/* Fills the output with a value, given as its bytes. */
void ash_emit_box_fill(const ash_call *c, const uint8_t *value);
/* The bytes that mean zero to output 0. */
void ash_emit_box_zero(const ash_call *c, uint8_t value[8]);

/* Elements to the next index along each axis. */
typedef struct ash_box_steps {
  int64_t at[ASH_RANK_MAX];
} ash_box_steps;

static inline ash_box_steps ash_box_steps_of(const ash_shape *s) {
  ash_box_steps r = {{0}};
  int64_t step = 1;
  for (uint32_t d = s->rank; d-- > 0; step *= s->dim[d])
    r.at[d] = step;
  return r;
}

#endif
