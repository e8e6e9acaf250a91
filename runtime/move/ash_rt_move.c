/* ash_rt_move.c - elements moved as they are, from one regular pattern to
 * another: transposition, slices, repetition, blocks, mirrors. */
#include "ash_rt_moves.h"

/* kernel copy: a reshape that could not share. */
void ash_rt_copy(const ash_rt_copy_params *p, const void *in, void *out) {
  ASH_RT_COPY(out, in, (size_t)p->bytes);
}

/* kernel move */

/* A row, with constant sizes where elements move one by one. */
static void ash_rt_move_row(const ash_rt_move_params *p, const uint8_t *from,
                            uint8_t *to) {
  const int32_t last = p->rank - 1;
  const int32_t count = p->dim[last];
  const ptrdiff_t from_step = p->from_step[last], to_step = p->to_step[last];
  for (int32_t i = 0; i < count; i++) {
    switch (p->unit) {
    case 1:
      *to = *from;
      break;
    case 2:
      ASH_RT_COPY(to, from, 2);
      break;
    case 4:
      ASH_RT_COPY(to, from, 4);
      break;
    default:
      ASH_RT_COPY(to, from, (size_t)p->unit);
      break;
    }
    from += from_step;
    to += to_step;
  }
}

void ash_rt_move(const ash_rt_move_params *p, const void *in, void *out) {
  const uint8_t *from = (const uint8_t *)in + p->from;
  uint8_t *to = (uint8_t *)out + p->to;
  int32_t at[ASH_RT_MOVE_RANK] = {0};
  for (;;) {
    ash_rt_move_row(p, from, to);
    int32_t d = p->rank - 2;
    for (; d >= 0; d--) {
      from += p->from_step[d];
      to += p->to_step[d];
      if (++at[d] < p->dim[d])
        break;
      at[d] = 0;
      from -= (ptrdiff_t)p->from_step[d] * p->dim[d];
      to -= (ptrdiff_t)p->to_step[d] * p->dim[d];
    }
    if (d < 0)
      return;
  }
}

void ash_rt_move_fill(const ash_rt_fill_params *p, void *out) {
  uint8_t *to = (uint8_t *)out;
  for (int32_t i = 0; i < p->count; i++, to += p->unit)
    ASH_RT_COPY(to, p->value, (size_t)p->unit);
}
