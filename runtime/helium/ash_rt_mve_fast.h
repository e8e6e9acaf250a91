/* ash_rt_mve_fast.h - Helium with floating point for `--fast-math`: products
 * are added without being rounded first (fused multiply-add), sums begin with
 * the bias, and what is not a number may come out as a bound. Only modules with
 * such kernels carry this file; docs/numerics.md has the tolerance. */
#ifndef ASH_RT_MVE_FAST_H
#define ASH_RT_MVE_FAST_H

#include "ash_rt_mve_f32.h"

/* Pixels that share a load of weights, at most. */
enum { ASH_RT_MVE_FAST_PIXELS = 3 };

#if ASH_RT_HAS_MVE_F32
/* Sums of neighbouring pixels, eight channels each. */
typedef struct ash_rt_block_fast {
  float32x4_t a[ASH_RT_MVE_FAST_PIXELS], b[ASH_RT_MVE_FAST_PIXELS];
} ash_rt_block_fast;

static inline float32x4_t ash_rt_clamp_mve_fast(float32x4_t x, float low,
                                                float high) {
  return vminnmq_f32(vmaxnmq_f32(x, vdupq_n_f32(low)), vdupq_n_f32(high));
}

/* All pixels begin with the bias (may be null) of channels of which `rest`
 * exist. */
ASH_RT_INLINE void ash_rt_begin_mve_fast(ash_rt_block_fast *s,
                                         const float *bias, int32_t rest) {
  float32x4_t a = vdupq_n_f32(0.0f), b = a;
  if (bias) {
    a = vldrwq_z_f32(bias, vctp32q((uint32_t)rest));
    b = rest > 4 ? vldrwq_z_f32(bias + 4, vctp32q((uint32_t)(rest - 4))) : b;
  }
  for (int i = 0; i < ASH_RT_MVE_FAST_PIXELS; i++) {
    s->a[i] = a;
    s->b[i] = b;
  }
}

/* The next weights of eight channels, in q6 and q7; a load and a product take
 * turns where they can. */
#define ASH_RT_FAST_TAP(x)                                                     \
  "vldrw.32 q6, [%[w]], #16\n"                                                 \
  "vfma.f32 %q[a], q6, %[" x "]\n"                                             \
  "vldrw.32 q7, [%[w]], #16\n"                                                 \
  "vfma.f32 %q[b], q7, %[" x "]\n"
#define ASH_RT_FAST_TAP_3(x, y, z)                                             \
  "vldrw.32 q6, [%[w]], #16\n"                                                 \
  "vfma.f32 %q[a], q6, %[" x "]\n"                                             \
  "vldrw.32 q7, [%[w]], #16\n"                                                 \
  "vfma.f32 %q[c], q6, %[" y "]\n"                                             \
  "vfma.f32 %q[e], q6, %[" z "]\n"                                             \
  "vfma.f32 %q[b], q7, %[" x "]\n"                                             \
  "vfma.f32 %q[d], q7, %[" y "]\n"                                             \
  "vfma.f32 %q[f], q7, %[" z "]\n"

/* s += x[0..count) of one pixel times eight channels' weights, two taps at a
 * time. */
ASH_RT_INLINE void ash_rt_run_1_mve_fast(ash_rt_block_fast *s, const float *x,
                                         const float *w, int32_t count) {
  if (count > 1) {
    int32_t t = count / 2, u;
    __asm__("dls lr, %[t]\n"
            "1:\n"
            "ldrd %[t], %[u], [%[x]], #8\n" ASH_RT_FAST_TAP("t")
                ASH_RT_FAST_TAP("u") "le lr, 1b\n"
            : [a] "+w"(s->a[0]), [b] "+w"(s->b[0]), [x] "+r"(x), [w] "+r"(w),
              [t] "+r"(t), [u] "=&r"(u)
            :
            : "lr", "q6", "q7", "memory");
  }
  if (count & 1) {
    s->a[0] = vfmaq_n_f32(s->a[0], vldrwq_f32(w), *x);
    s->b[0] = vfmaq_n_f32(s->b[0], vldrwq_f32(w + 4), *x);
  }
}

ASH_RT_INLINE void ash_rt_tap_mve_fast(ash_rt_block_fast *s, int pixel,
                                       float32x4_t a, float32x4_t b, float x) {
  s->a[pixel] = vfmaq_n_f32(s->a[pixel], a, x);
  s->b[pixel] = vfmaq_n_f32(s->b[pixel], b, x);
}

/* The same of three pixels, `step` elements apart. */
ASH_RT_INLINE void ash_rt_run_3_mve_fast(ash_rt_block_fast *s, const float *x,
                                         ptrdiff_t step, const float *w,
                                         int32_t count) {
  const float *y = x + step, *z = y + step;
  if (count > 1) {
    int32_t t = count / 2, u, p, q, k, m;
    __asm__(
        "dls lr, %[t]\n"
        "1:\n"
        "ldrd %[t], %[u], [%[x]], #8\n"
        "ldrd %[p], %[q], [%[y]], #8\n"
        "ldrd %[k], %[m], [%[z]], #8\n" ASH_RT_FAST_TAP_3("t", "p", "k")
            ASH_RT_FAST_TAP_3("u", "q", "m") "le lr, 1b\n"
        : [a] "+w"(s->a[0]), [b] "+w"(s->b[0]), [c] "+w"(s->a[1]),
          [d] "+w"(s->b[1]), [e] "+w"(s->a[2]), [f] "+w"(s->b[2]), [x] "+r"(x),
          [y] "+r"(y), [z] "+r"(z), [w] "+r"(w), [t] "+r"(t), [u] "=&r"(u),
          [p] "=&r"(p), [q] "=&r"(q), [k] "=&r"(k), [m] "=&r"(m)
        :
        : "lr", "q6", "q7", "memory");
  }
  if (count & 1) {
    const float32x4_t a = vldrwq_f32(w), b = vldrwq_f32(w + 4);
    ash_rt_tap_mve_fast(s, 0, a, b, *x);
    ash_rt_tap_mve_fast(s, 1, a, b, *y);
    ash_rt_tap_mve_fast(s, 2, a, b, *z);
  }
}

ASH_RT_INLINE void ash_rt_finish_mve_fast(const ash_rt_block_fast *s, int pixel,
                                          int32_t rest, float low, float high,
                                          float *out) {
  vstrwq_p_f32(out, ash_rt_clamp_mve_fast(s->a[pixel], low, high),
               vctp32q((uint32_t)rest));
  if (rest > 4)
    vstrwq_p_f32(out + 4, ash_rt_clamp_mve_fast(s->b[pixel], low, high),
                 vctp32q((uint32_t)(rest - 4)));
}
#else
typedef struct ash_rt_block_fast {
  float at[ASH_RT_MVE_FAST_PIXELS][ASH_RT_MVE_F32_GROUP];
} ash_rt_block_fast;

ASH_RT_INLINE void ash_rt_begin_mve_fast(ash_rt_block_fast *s,
                                         const float *bias, int32_t rest) {
  for (int32_t i = 0; i < ASH_RT_MVE_FAST_PIXELS; i++)
    for (int32_t c = 0; c < ASH_RT_MVE_F32_GROUP; c++)
      s->at[i][c] = bias && c < rest ? bias[c] : 0.0f;
}

ASH_RT_INLINE void ash_rt_runs_mve_fast(ash_rt_block_fast *s, int32_t pixels,
                                        const float *x, ptrdiff_t step,
                                        const float *w, int32_t count) {
  for (int32_t k = 0; k < count; k++)
    for (int32_t i = 0; i < pixels; i++)
      for (int32_t c = 0; c < ASH_RT_MVE_F32_GROUP; c++)
        s->at[i][c] += x[i * step + k] * w[k * ASH_RT_MVE_F32_GROUP + c];
}

ASH_RT_INLINE void ash_rt_run_1_mve_fast(ash_rt_block_fast *s, const float *x,
                                         const float *w, int32_t count) {
  ash_rt_runs_mve_fast(s, 1, x, 0, w, count);
}

ASH_RT_INLINE void ash_rt_run_3_mve_fast(ash_rt_block_fast *s, const float *x,
                                         ptrdiff_t step, const float *w,
                                         int32_t count) {
  ash_rt_runs_mve_fast(s, 3, x, step, w, count);
}

ASH_RT_INLINE void ash_rt_finish_mve_fast(const ash_rt_block_fast *s, int pixel,
                                          int32_t rest, float low, float high,
                                          float *out) {
  for (int32_t c = 0; c < ASH_RT_MVE_F32_GROUP && c < rest; c++)
    out[c] = ash_rt_clamp_f32(s->at[pixel][c], low, high);
}
#endif

/* One or three pixels, `step` elements apart. */
ASH_RT_INLINE void ash_rt_run_mve_fast(ash_rt_block_fast *s, int pixels,
                                       const float *x, ptrdiff_t step,
                                       const float *w, int32_t count) {
  if (pixels == 1)
    ash_rt_run_1_mve_fast(s, x, w, count);
  else
    ash_rt_run_3_mve_fast(s, x, step, w, count);
}

/* As those of ash_rt_mve_f32.h. */
void ash_rt_conv_2d_f32_mve_fast(const ash_rt_conv_2d_f32_params *p,
                                 const float *in, const float *bias,
                                 const float *filter, float *out);
void ash_rt_conv_2d_f32_mve_fast_lines(const ash_rt_conv_2d_f32_params *p,
                                       const ash_rt_lines *in,
                                       const float *bias, const float *filter,
                                       const ash_rt_lines *out, int32_t from,
                                       int32_t to);
void ash_rt_fully_connected_f32_mve_fast(
    const ash_rt_fully_connected_f32_params *p, const float *in,
    const float *bias, const float *filter, float *out);
void ash_rt_depthwise_conv_2d_f32_mve_fast(const ash_rt_window_f32_params *p,
                                           const float *in, const float *filter,
                                           const float *bias, float *out);
void ash_rt_depthwise_conv_2d_f32_mve_fast_lines(
    const ash_rt_window_f32_params *p, const ash_rt_lines *in,
    const float *filter, const float *bias, const ash_rt_lines *out,
    int32_t from, int32_t to);
void ash_rt_add_f32_mve_fast(const ash_rt_binary_f32_params *p, const float *a,
                             const float *b, float *out);
void ash_rt_mul_f32_mve_fast(const ash_rt_binary_f32_params *p, const float *a,
                             const float *b, float *out);

#endif
