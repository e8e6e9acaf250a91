/* ash_rt_hybrid_row.h - floats that become int8 while the model runs, and their
 * products with int8 weights. */
#ifndef ASH_RT_HYBRID_ROW_H
#define ASH_RT_HYBRID_ROW_H

#include "ash_rt_quantize.h"

/* A row of floats as int8: (x - zero) * scale. */
typedef struct ash_rt_hybrid_row {
  int8_t *x;
  float scale;
  int32_t zero;
} ash_rt_hybrid_row;

static inline float ash_rt_hybrid_size(float x) {
  return x < 0 ? -x : x;
}

static inline int32_t ash_rt_hybrid_zero(double low, double high,
                                         double scale) {
  const double a = low / scale, b = high / scale; /* a <= 0 <= b */
  const double zero = 128.0 - a < 127.0 + b ? -128.0 - a : 127.0 - b;
  if (zero <= -128.0)
    return -128;
  if (zero >= 127.0)
    return 127;
  const int32_t whole = (int32_t)zero;
  const double rest = zero - (double)whole;
  return whole + (int32_t)(rest >= 0.5) - (int32_t)(rest <= -0.5);
}

/* Sets scale and zero point for floats from `low` to `high`; returns what they
 * are multiplied with. */
static inline float ash_rt_hybrid_range(ash_rt_hybrid_row *r, float low,
                                        float high, int32_t asymmetric) {
  if (asymmetric) {
    low = low < 0 ? low : 0;
    high = high > 0 ? high : 0;
    if (low < high) {
      const double scale = ((double)high - (double)low) / 255.0;
      r->zero = ash_rt_hybrid_zero((double)low, (double)high, scale);
      r->scale = (float)scale;
    }
    return low < high ? 1.0f / r->scale : 0.0f;
  }
  const float a = ash_rt_hybrid_size(low), b = ash_rt_hybrid_size(high);
  const float range = a > b ? a : b;
  r->scale = range > 0 ? range / 127.0f : 1.0f;
  return range > 0 ? 127.0f / range : 0.0f;
}

static inline ash_rt_hybrid_row ash_rt_hybrid_quantise(const float *in,
                                                       int32_t count,
                                                       int32_t asymmetric,
                                                       void *to) {
  ash_rt_hybrid_row r = {(int8_t *)to, 1.0f, 0};
  float low = in[0], high = in[0];
  for (int32_t i = 1; i < count; i++) {
    low = in[i] < low ? in[i] : low;
    high = in[i] > high ? in[i] : high;
  }
  const float inverse = ash_rt_hybrid_range(&r, low, high, asymmetric);
  for (int32_t i = 0; i < count; i++) {
    const int32_t steps = ash_rt_round_f32(in[i] * inverse, -1000, 1000);
    r.x[i] =
        (int8_t)ash_rt_clamp(steps + r.zero, asymmetric ? -128 : -127, 127);
  }
  return r;
}

/* Sum of the row's products with int8 weights, in steps of both scales. */
static inline float ash_rt_hybrid_dot(const ash_rt_hybrid_row *r,
                                      const int8_t *w, int32_t count,
                                      float scale) {
  uint32_t sum = 0;
  for (int32_t i = 0; i < count; i++)
    sum += (uint32_t)((r->x[i] - r->zero) * w[i]);
  return (float)(int32_t)sum * (r->scale * scale);
}

#endif
