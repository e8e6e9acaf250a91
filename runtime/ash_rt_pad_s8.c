/* ash_rt_pad_s8.c - a constant around a tensor, int8.
 *
 * Runs of the innermost dimension are copied in order; between two of them
 * lies the padding after the one, of the dimensions that end there, and before
 * the other. */
#include "ash_rt_moves.h"

static int8_t *ash_rt_pad_put_s8(int8_t *out, int32_t count, int8_t value) {
  for (int32_t i = 0; i < count; i++)
    out[i] = value;
  return out + count;
}

void ash_rt_pad_s8(const ash_rt_pad_s8_params *p, const int8_t *in,
                   int8_t *out) {
  const ash_rt_pad_params *s = &p->shape;
  const int32_t last = s->rank - 1;
  int32_t size[ASH_RT_RANK]; /* padded elements in one step of a dimension */
  int32_t at[ASH_RT_RANK] = {0};
  size[last] = 1;
  for (int32_t d = last; d > 0; d--)
    size[d - 1] = size[d] * (s->before[d] + s->dim[d] + s->after[d]);
  for (int32_t d = 0; d < s->rank; d++)
    out = ash_rt_pad_put_s8(out, s->before[d] * size[d], p->value);
  for (;;) {
    ASH_RT_COPY(out, in, (size_t)s->dim[last] * sizeof *in);
    in += s->dim[last];
    out += s->dim[last];
    out = ash_rt_pad_put_s8(out, s->after[last], p->value);
    int32_t d = last - 1;
    for (; d >= 0 && ++at[d] == s->dim[d]; d--) {
      at[d] = 0;
      out = ash_rt_pad_put_s8(out, s->after[d] * size[d], p->value);
    }
    if (d < 0)
      return;
    for (d++; d <= last; d++)
      out = ash_rt_pad_put_s8(out, s->before[d] * size[d], p->value);
  }
}
