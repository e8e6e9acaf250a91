/* ash_rt_sums.h - sums of int8 products in plain C, and what turns them into
 * output bytes. */
#ifndef ASH_RT_SUMS_H
#define ASH_RT_SUMS_H

#include "ash_rt_bytes4.h"
#include "ash_rt_lanes.h"

/* Kernels keep this many sums before they scale them all. */
enum { ASH_RT_CHUNK = 16 };

/* What turns the sums of a layer into output bytes. */
typedef struct ash_rt_scale {
  const int32_t *bias; /* may be null */
  const int32_t *multiplier;
  const int8_t *shift;
  int32_t per_channel; /* 0: one multiplier for all channels */
  int32_t offset, low, high;
} ash_rt_scale;

/* `count` sums of neighbouring channels, from `channel` on. */
static ASH_RT_NOINLINE ASH_RT_MAYBE_UNUSED void
ash_rt_scale_s8(const ash_rt_scale *s, int32_t channel, const uint32_t *sums,
                int32_t count, int8_t *out) {
  const int32_t *bias = s->bias ? s->bias + channel : 0;
  const ptrdiff_t step = s->per_channel;
  const int32_t *multiplier = s->multiplier + channel * step;
  const int8_t *shift = s->shift + channel * step;
  const int32_t offset = s->offset, low = s->low, high = s->high;
  for (int32_t i = 0; i < count; i++) {
    const uint32_t sum = bias ? sums[i] + (uint32_t)bias[i] : sums[i];
    const int32_t y = ash_rt_rescale((int32_t)sum, *multiplier, *shift);
    out[i] = (int8_t)ash_rt_finish(y, offset, low, high);
    multiplier += step;
    shift += step;
  }
}

/* Four accumulators that wrap around. */
typedef struct ash_rt_quad {
  uint32_t a, b, c, d;
} ash_rt_quad;

/* Sums of (x[i] + offset) * w[i] for four rows of weights, `pitch` apart. Each
 * input is loaded once for four products. */
#if ASH_RT_XPULP
/* Sums of x[i] * w[i] and of w[i]: 13 instructions for 16 products. */
ASH_RT_INLINE void ash_rt_dot_4_step(ash_rt_quad *s, ash_rt_quad *all,
                                     const int8_t *x, const int8_t *const w[4],
                                     int32_t at) {
  const ash_rt_bytes4 one = ash_rt_four_ones(), v = ash_rt_four_bytes(x + at);
  const ash_rt_bytes4 a = ash_rt_four_bytes(w[0] + at);
  const ash_rt_bytes4 b = ash_rt_four_bytes(w[1] + at);
  const ash_rt_bytes4 c = ash_rt_four_bytes(w[2] + at);
  const ash_rt_bytes4 d = ash_rt_four_bytes(w[3] + at);
  s->a = ash_rt_dot4(s->a, v, 1, a, 1);
  s->b = ash_rt_dot4(s->b, v, 1, b, 1);
  s->c = ash_rt_dot4(s->c, v, 1, c, 1);
  s->d = ash_rt_dot4(s->d, v, 1, d, 1);
  all->a = ash_rt_dot4(all->a, one, 1, a, 1);
  all->b = ash_rt_dot4(all->b, one, 1, b, 1);
  all->c = ash_rt_dot4(all->c, one, 1, c, 1);
  all->d = ash_rt_dot4(all->d, one, 1, d, 1);
}

static inline ash_rt_quad ash_rt_dot_4_s8(const int8_t *x, const int8_t *w,
                                          size_t pitch, int32_t count,
                                          int32_t offset) {
  const int8_t *const rows[4] = {w, w + pitch, w + 2 * pitch, w + 3 * pitch};
  const int32_t most = count & ~3;
  ash_rt_quad s = {0, 0, 0, 0}, all = {0, 0, 0, 0};
  for (int32_t i = 0; i < most; i += 4)
    ash_rt_dot_4_step(&s, &all, x, rows, i);
  s.a += all.a * (uint32_t)offset;
  s.b += all.b * (uint32_t)offset;
  s.c += all.c * (uint32_t)offset;
  s.d += all.d * (uint32_t)offset;
  for (int32_t i = most; i < count; i++) {
    const int32_t v = x[i] + offset;
    s.a += (uint32_t)(v * rows[0][i]);
    s.b += (uint32_t)(v * rows[1][i]);
    s.c += (uint32_t)(v * rows[2][i]);
    s.d += (uint32_t)(v * rows[3][i]);
  }
  return s;
}
#elif ASH_RT_LANES > 1
ASH_RT_INLINE ash_rt_quad ash_rt_dot_4_part(ash_rt_quad s, const int8_t *x,
                                            const int8_t *w, size_t pitch,
                                            uint32_t count, int32_t offset) {
  const int8_t *w1 = w + pitch;
  const int8_t *w2 = w1 + pitch;
  const int8_t *w3 = w2 + pitch;
  uint32_t a = s.a, b = s.b, c = s.c, d = s.d;
  for (uint32_t i = 0; i < count; i++) {
    const ash_rt_factor v = (ash_rt_factor)(x[i] + offset);
    a += (uint32_t)(v * w[i]);
    b += (uint32_t)(v * w1[i]);
    c += (uint32_t)(v * w2[i]);
    d += (uint32_t)(v * w3[i]);
  }
  const ash_rt_quad all = {a, b, c, d};
  return all;
}

static inline ash_rt_quad ash_rt_dot_4_s8(const int8_t *x, const int8_t *w,
                                          size_t pitch, int32_t count,
                                          int32_t offset) {
  const uint32_t n = ash_rt_in_lanes(count);
  ash_rt_quad s = {0, 0, 0, 0};
  s = ash_rt_dot_4_part(s, x, w, pitch, n, offset);
  return ash_rt_dot_4_part(s, x + n, w + n, pitch, (uint32_t)count - n, offset);
}
#else
static inline ash_rt_quad ash_rt_dot_4_s8(const int8_t *x, const int8_t *w,
                                          size_t pitch, int32_t count,
                                          int32_t offset) {
  const int8_t *w1 = w + pitch;
  const int8_t *w2 = w1 + pitch;
  const int8_t *w3 = w2 + pitch;
  const int8_t *end = x + count;
  ash_rt_quad s = {0, 0, 0, 0};
  while (x != end) {
    const int32_t v = *x++ + offset;
    s.a += (uint32_t)(v * *w++);
    s.b += (uint32_t)(v * *w1++);
    s.c += (uint32_t)(v * *w2++);
    s.d += (uint32_t)(v * *w3++);
  }
  return s;
}
#endif

#if ASH_RT_XPULP
static inline uint32_t ash_rt_dot_s8(const int8_t *x, const int8_t *w,
                                     int32_t count, int32_t offset) {
  const int32_t most = count & ~3;
  uint32_t s = 0, all = 0;
  for (int32_t i = 0; i < most; i += 4) {
    const ash_rt_bytes4 four = ash_rt_four_bytes(w + i);
    s = ash_rt_dot4(s, ash_rt_four_bytes(x + i), 1, four, 1);
    all = ash_rt_dot4(all, ash_rt_four_ones(), 1, four, 1);
  }
  s += all * (uint32_t)offset;
  for (int32_t i = most; i < count; i++)
    s += (uint32_t)((x[i] + offset) * w[i]);
  return s;
}
#else
static inline uint32_t ash_rt_dot_s8(const int8_t *x, const int8_t *w,
                                     int32_t count, int32_t offset) {
  const uint32_t n = ash_rt_in_lanes(count);
  uint32_t s = 0;
  for (uint32_t i = 0; i < n; i++)
    s += (uint32_t)((ash_rt_factor)(x[i] + offset) * w[i]);
  for (uint32_t i = n; i < (uint32_t)count; i++)
    s += (uint32_t)((x[i] + offset) * w[i]);
  return s;
}
#endif

#endif
