/* ash_rt_fully_connected_s8.c - matrix times vectors, int8. */
#include "ash_rt_fixed.h"
#include "ash_rt_layers_s8.h"
#include "ash_rt_sums.h"

typedef struct ash_rt_fc_scale {
  const int32_t *bias;
  const int64_t *multiplier;
  const int8_t *shift;
  uint32_t extra; /* what the zero point of the weights adds to each sum */
} ash_rt_fc_scale;

static int8_t ash_rt_fc_finish(const ash_rt_fully_connected_s8_params *p,
                               const ash_rt_fc_scale *s, int32_t channel,
                               uint32_t sum) {
  const int32_t k = p->per_channel ? channel : 0;
  sum += s->extra;
  if (s->bias)
    sum += (uint32_t)s->bias[channel];
  const int32_t high = (int32_t)(s->multiplier[k] >> 22);
  const int32_t low = (int32_t)(s->multiplier[k] & 0x3fffff);
  const int32_t y = ash_rt_rescale_53((int32_t)sum, high, low, s->shift[k]);
  return (int8_t)ash_rt_finish(y, p->out_offset, p->act_min, p->act_max);
}

/* Not inlined: alone, the loop fits the registers of small processors. */
static ASH_RT_NOINLINE ash_rt_quad ash_rt_fc_dot_4(const int8_t *x,
                                                   const int8_t *w,
                                                   int32_t count,
                                                   int32_t offset) {
  return ash_rt_dot_4_s8(x, w, (size_t)count, count, offset);
}

static void ash_rt_fc_row(const ash_rt_fully_connected_s8_params *p,
                          const ash_rt_fc_scale *s, const int8_t *in,
                          const int8_t *filter, int8_t *out) {
  const size_t pitch = (size_t)p->in_c;
  int32_t c = 0;
  for (; c + 4 <= p->out_c; c += 4, filter += 4 * pitch) {
    const ash_rt_quad q = ash_rt_fc_dot_4(in, filter, p->in_c, p->in_offset);
    out[c] = ash_rt_fc_finish(p, s, c, q.a);
    out[c + 1] = ash_rt_fc_finish(p, s, c + 1, q.b);
    out[c + 2] = ash_rt_fc_finish(p, s, c + 2, q.c);
    out[c + 3] = ash_rt_fc_finish(p, s, c + 3, q.d);
  }
  for (; c < p->out_c; c++, filter += pitch)
    out[c] = ash_rt_fc_finish(p, s, c,
                              ash_rt_dot_s8(in, filter, p->in_c, p->in_offset));
}

void ash_rt_fully_connected_s8(const ash_rt_fully_connected_s8_params *p,
                               const int8_t *in, const int8_t *filter,
                               const int32_t *bias, const int64_t *multiplier,
                               const int8_t *shift, int8_t *out) {
  ash_rt_fc_scale s = {bias, multiplier, shift, 0};
  for (int32_t b = 0; b < p->batches; b++) {
    if (p->filter_offset != 0) {
      uint32_t sum = 0;
      for (int32_t i = 0; i < p->in_c; i++)
        sum += (uint32_t)(in[i] + p->in_offset);
      s.extra = sum * (uint32_t)p->filter_offset;
    }
    ash_rt_fc_row(p, &s, in, filter, out);
    in += p->in_c;
    out += p->out_c;
  }
}
