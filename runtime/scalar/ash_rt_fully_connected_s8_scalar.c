/* ash_rt_fully_connected_s8_scalar.c - matrix times vectors, int8: four rows of
 * the matrix at once, whose weights lie side by side. */
#include "ash_rt_scalar.h"

#define ASH_RT_FC_INPUT(i)                                                     \
  do {                                                                         \
    const int32_t v = x[i];                                                    \
    a += v * w[4 * (i)];                                                       \
    b += v * w[4 * (i) + 1];                                                   \
    c += v * w[4 * (i) + 2];                                                   \
    d += v * w[4 * (i) + 3];                                                   \
  } while (0)

/* Not inlined: alone, the loop fits the registers of small processors. */
static ASH_RT_NOINLINE const int8_t *
ash_rt_fc_four_scalar(int32_t s[4], const int32_t *bias, const int8_t *x,
                      int32_t count, const int8_t *w) {
  const int8_t *const end = x + count, *const most = end - count % 4;
  int32_t a = bias[0], b = bias[1], c = bias[2], d = bias[3];
  ASH_RT_NO_UNROLL
  for (; x != most; x += 4, w += 16) {
    ASH_RT_FC_INPUT(0);
    ASH_RT_FC_INPUT(1);
    ASH_RT_FC_INPUT(2);
    ASH_RT_FC_INPUT(3);
  }
  ASH_RT_NO_UNROLL
  for (; x != end; x++, w += 4)
    ASH_RT_FC_INPUT(0);
  s[0] = a;
  s[1] = b;
  s[2] = c;
  s[3] = d;
  return w;
}

static inline int32_t ash_rt_fc_finish_scalar(int32_t sum,
                                              const int32_t *scale) {
  const int32_t x =
      ash_rt_mul_top_scalar((int32_t)((uint32_t)sum << scale[3]), scale[0]);
  return (x + scale[1]) >> scale[2];
}

static void ash_rt_fc_row_scalar(const ash_rt_fully_connected_s8_params *p,
                                 const int8_t *in, const int32_t *bias,
                                 const int8_t *w, const int32_t *scale,
                                 int8_t *out) {
  const int32_t step = p->per_channel ? 4 : 0;
  for (int32_t rest = p->out_c; rest > 0; rest -= 4, bias += 4) {
    int32_t s[4];
    w = ash_rt_fc_four_scalar(s, bias, in, p->in_c, w);
    for (int32_t i = 0; i < 4 && i < rest; i++, scale += step) {
      const int32_t y = p->wide ? ash_rt_scale_wide(s[i], scale)
                                : ash_rt_fc_finish_scalar(s[i], scale);
      *out++ = (int8_t)ash_rt_clamp(y, p->act_min, p->act_max);
    }
  }
}

void ash_rt_fully_connected_s8_scalar(const ash_rt_fully_connected_s8_params *p,
                                      const int8_t *in, const int32_t *bias,
                                      const int8_t *filter,
                                      const int32_t *scale, int8_t *out) {
  for (int32_t b = 0; b < p->batches; b++, in += p->in_c, out += p->out_c)
    ash_rt_fc_row_scalar(p, in, bias, filter, scale, out);
}
