/* ash_rt_pad.c - a constant around a tensor. */
#include "ash_rt_moves.h"

/* kernel pad_s8 */
static int8_t *ash_rt_pad_put_s8(int8_t *out, int32_t count, int8_t value) {
  for (int32_t i = 0; i < count; i++)
    out[i] = value;
  return out + count;
}

void ash_rt_pad_s8(const ash_rt_pad_s8_params *p, const int8_t *in,
                   int8_t *out) {
  const int32_t run = p->shape.dim[p->shape.rank - 1];
  ash_rt_pad_walk k;
  ash_rt_pad_start(&k, &p->shape);
  do {
    out = ash_rt_pad_put_s8(out, k.gap, p->value);
    ASH_RT_COPY(out, in, (size_t)run * sizeof *in);
    in += run;
    out += run;
  } while (ash_rt_pad_next(&k, &p->shape));
  (void)ash_rt_pad_put_s8(out, k.gap, p->value);
}

/* kernel pad_f32 */
static float *ash_rt_pad_put_f32(float *out, int32_t count, float value) {
  for (int32_t i = 0; i < count; i++)
    out[i] = value;
  return out + count;
}

void ash_rt_pad_f32(const ash_rt_pad_f32_params *p, const float *in,
                    float *out) {
  const int32_t run = p->shape.dim[p->shape.rank - 1];
  ash_rt_pad_walk k;
  ash_rt_pad_start(&k, &p->shape);
  do {
    out = ash_rt_pad_put_f32(out, k.gap, p->value);
    ASH_RT_COPY(out, in, (size_t)run * sizeof *in);
    in += run;
    out += run;
  } while (ash_rt_pad_next(&k, &p->shape));
  (void)ash_rt_pad_put_f32(out, k.gap, p->value);
}
