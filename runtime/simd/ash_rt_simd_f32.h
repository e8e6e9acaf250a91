/* ash_rt_simd_f32.h - float32 on processors that run Linux: vectors of x86-64
 * and AArch64, sixteen floats at once; only modules with such kernels carry
 * this file. Products are rounded before they are added, and every sum has the
 * order of the portable kernels: results are the same bit by bit. */
#ifndef ASH_RT_SIMD_F32_H
#define ASH_RT_SIMD_F32_H

#include "ash_rt_layers_f32.h"
#include "ash_rt_pairs.h"

#if defined(ASH_RT_PLAIN)
#define ASH_RT_SIMD_F32 0
#elif defined(__AVX512F__)
#define ASH_RT_SIMD_F32 512
#include <immintrin.h>
#elif defined(__AVX__)
#define ASH_RT_SIMD_F32 256
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define ASH_RT_SIMD_F32 128
#include <arm_neon.h>
#else
#define ASH_RT_SIMD_F32 0
#endif

/* Channels side by side in packed weights; pixels whose columns work memory
 * has. */
enum { ASH_RT_SIMD_F32_GROUP = 16, ASH_RT_SIMD_F32_PIXELS = 8 };

/* ---- sixteen floats ------------------------------------------------------ */

#if ASH_RT_SIMD_F32 == 512
typedef __m512 ash_rt_floats;

static inline ash_rt_floats ash_rt_same_simd(float x) {
  return _mm512_set1_ps(x);
}

static inline ash_rt_floats ash_rt_get_simd(const float *p) {
  return _mm512_loadu_ps((const void *)p);
}

static inline __mmask16 ash_rt_mask_f32(int32_t count) {
  return (__mmask16)(count >= 16 ? 0xffff : (1 << count) - 1);
}

/* The first `count` of sixteen; the others are 0. */
static inline ash_rt_floats ash_rt_some_simd(const float *p, int32_t count) {
  return _mm512_maskz_loadu_ps(ash_rt_mask_f32(count), (const void *)p);
}

static inline void ash_rt_store_simd(float *to, ash_rt_floats x,
                                     int32_t count) {
  _mm512_mask_storeu_ps((void *)to, ash_rt_mask_f32(count), x);
}

static inline ash_rt_floats ash_rt_plus_simd(ash_rt_floats x, ash_rt_floats y) {
  return _mm512_add_ps(x, y);
}

static inline ash_rt_floats ash_rt_times_simd(ash_rt_floats x,
                                              ash_rt_floats y) {
  return _mm512_mul_ps(x, y);
}

/* ash_rt_clamp_f32: the second operand wins where one is not a number. */
static inline ash_rt_floats ash_rt_within_simd(ash_rt_floats x, float low,
                                               float high) {
  x = _mm512_max_ps(_mm512_set1_ps(low), x);
  return _mm512_min_ps(_mm512_set1_ps(high), x);
}
#else
#if ASH_RT_SIMD_F32 == 256
typedef __m256 ash_rt_part_f32;
static inline ash_rt_part_f32 ash_rt_part_within(ash_rt_part_f32 x, float low,
                                                 float high) {
  x = _mm256_max_ps(_mm256_set1_ps(low), x);
  return _mm256_min_ps(_mm256_set1_ps(high), x);
}
#define ASH_RT_PART_SAME(x)   _mm256_set1_ps(x)
#define ASH_RT_PART_GET(p)    _mm256_loadu_ps(p)
#define ASH_RT_PART_PUT(p, x) _mm256_storeu_ps(p, x)
#define ASH_RT_PART_ADD(x, y) _mm256_add_ps(x, y)
#define ASH_RT_PART_MUL(x, y) _mm256_mul_ps(x, y)
#define ASH_RT_PARTS(X)       X(a, 0) X(b, 8)
#elif ASH_RT_SIMD_F32 == 128
typedef float32x4_t ash_rt_part_f32;
/* What is not a number compares with nothing. */
static inline ash_rt_part_f32 ash_rt_part_within(ash_rt_part_f32 x, float low,
                                                 float high) {
  const float32x4_t l = vdupq_n_f32(low), h = vdupq_n_f32(high);
  x = vbslq_f32(vcltq_f32(x, l), l, x);
  return vbslq_f32(vcgtq_f32(x, h), h, x);
}
#define ASH_RT_PART_SAME(x)   vdupq_n_f32(x)
#define ASH_RT_PART_GET(p)    vld1q_f32(p)
#define ASH_RT_PART_PUT(p, x) vst1q_f32(p, x)
#define ASH_RT_PART_ADD(x, y) vaddq_f32(x, y)
#define ASH_RT_PART_MUL(x, y) vmulq_f32(x, y)
#define ASH_RT_PARTS(X)       X(a, 0) X(b, 4) X(c, 8) X(d, 12)
#else
typedef float ash_rt_part_f32;
static inline ash_rt_part_f32 ash_rt_part_within(ash_rt_part_f32 x, float low,
                                                 float high) {
  return ash_rt_clamp_f32(x, low, high);
}
#define ASH_RT_PART_SAME(x)   (x)
#define ASH_RT_PART_GET(p)    (*(p))
#define ASH_RT_PART_PUT(p, x) (*(p) = (x))
#define ASH_RT_PART_ADD(x, y) ((x) + (y))
#define ASH_RT_PART_MUL(x, y) ((x) * (y))
/* clang-format off */
#define ASH_RT_PARTS(X)                                                        \
  X(a, 0) X(b, 1) X(c, 2) X(d, 3) X(e, 4) X(f, 5) X(g, 6) X(h, 7)              \
  X(i, 8) X(j, 9) X(k, 10) X(l, 11) X(m, 12) X(n, 13) X(o, 14) X(p, 15)
/* clang-format on */
#endif

#define ASH_RT_FIELD_F32(field, at) ash_rt_part_f32 field;
typedef struct ash_rt_floats {
  ASH_RT_PARTS(ASH_RT_FIELD_F32)
} ash_rt_floats;

static inline ash_rt_floats ash_rt_same_simd(float v) {
  ash_rt_floats y;
#define ASH_RT_DO_F32(field, at)    y.field = ASH_RT_PART_SAME(v);
  ASH_RT_PARTS(ASH_RT_DO_F32)
#undef ASH_RT_DO_F32
  return y;
}

static inline ash_rt_floats ash_rt_get_simd(const float *from) {
  ash_rt_floats y;
#define ASH_RT_DO_F32(field, at) y.field = ASH_RT_PART_GET(from + (at));
  ASH_RT_PARTS(ASH_RT_DO_F32)
#undef ASH_RT_DO_F32
  return y;
}

static inline ash_rt_floats ash_rt_some_simd(const float *from, int32_t count) {
  float some[16] = {0};
  if (count >= 16)
    return ash_rt_get_simd(from);
  for (int32_t i = 0; i < count; i++)
    some[i] = from[i];
  return ash_rt_get_simd(some);
}

static inline void ash_rt_store_simd(float *to, ash_rt_floats x,
                                     int32_t count) {
  float some[16];
  float *const at_once = count >= 16 ? to : some;
#define ASH_RT_DO_F32(field, at) ASH_RT_PART_PUT(at_once + (at), x.field);
  ASH_RT_PARTS(ASH_RT_DO_F32)
#undef ASH_RT_DO_F32
  for (int32_t i = 0; count < 16 && i < count; i++)
    to[i] = some[i];
}

static inline ash_rt_floats ash_rt_plus_simd(ash_rt_floats x, ash_rt_floats y) {
#define ASH_RT_DO_F32(field, at) x.field = ASH_RT_PART_ADD(x.field, y.field);
  ASH_RT_PARTS(ASH_RT_DO_F32)
#undef ASH_RT_DO_F32
  return x;
}

static inline ash_rt_floats ash_rt_times_simd(ash_rt_floats x,
                                              ash_rt_floats y) {
#define ASH_RT_DO_F32(field, at) x.field = ASH_RT_PART_MUL(x.field, y.field);
  ASH_RT_PARTS(ASH_RT_DO_F32)
#undef ASH_RT_DO_F32
  return x;
}

static inline ash_rt_floats ash_rt_within_simd(ash_rt_floats x, float low,
                                               float high) {
#define ASH_RT_DO_F32(field, at)                                               \
  x.field = ash_rt_part_within(x.field, low, high);
  ASH_RT_PARTS(ASH_RT_DO_F32)
#undef ASH_RT_DO_F32
  return x;
}
#endif

/* ---- columns times groups of channels ------------------------------------ */

typedef struct ash_rt_block_f32 {
  const float *x; /* columns of `taps`, `pitch` apart */
  ptrdiff_t pitch;
  const float *w; /* groups, `next` apart */
  ptrdiff_t next;
  const float *bias;  /* may be null */
  int32_t taps, rest; /* so many channels exist */
  float low, high;
} ash_rt_block_f32;

/* Bias, clamp and store of the group that begins with channel c. */
static inline void ash_rt_put_simd_f32(const ash_rt_block_f32 *k, int32_t c,
                                       ash_rt_floats s, float *out) {
  const int32_t rest = k->rest - c;
  if (rest <= 0)
    return;
  if (k->bias)
    s = ash_rt_plus_simd(s, ash_rt_some_simd(k->bias + c, rest));
  ash_rt_store_simd(out + c, ash_rt_within_simd(s, k->low, k->high), rest);
}

#define ASH_RT_MLA_F32(s, v, w)                                                \
  s = ash_rt_plus_simd(s, ash_rt_times_simd(v, w));

#if ASH_RT_SIMD_F32 == 512
enum { ASH_RT_F32_AT_ONCE = 8, ASH_RT_F32_GROUPS = 2 };
#define ASH_RT_PIXELS_F32(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#else
enum { ASH_RT_F32_AT_ONCE = 4, ASH_RT_F32_GROUPS = 1 };
#define ASH_RT_PIXELS_F32(X) X(0) X(1) X(2) X(3)
#endif

#define ASH_RT_BEGIN_F32(i)                                                    \
  ash_rt_floats a##i = ash_rt_same_simd(0.0f);                                 \
  const float *const x##i = k->x + i * k->pitch;
#define ASH_RT_STEP_F32(i) ASH_RT_MLA_F32(a##i, ash_rt_same_simd(x##i[t]), u)
#define ASH_RT_END_F32(i)  ash_rt_put_simd_f32(k, 0, a##i, out[i]);

/* All pixels at once, one group. */
static inline void ash_rt_dot_group_f32(const ash_rt_block_f32 *k,
                                        float *const *out) {
  const float *w = k->w;
  ASH_RT_PIXELS_F32(ASH_RT_BEGIN_F32)
  for (int32_t t = 0; t < k->taps; t++, w += 16) {
    const ash_rt_floats u = ash_rt_get_simd(w);
    ASH_RT_PIXELS_F32(ASH_RT_STEP_F32)
  }
  ASH_RT_PIXELS_F32(ASH_RT_END_F32)
}

#if ASH_RT_SIMD_F32 == 512
#define ASH_RT_BEGIN_2_F32(i)                                                  \
  ASH_RT_BEGIN_F32(i) ash_rt_floats b##i = ash_rt_same_simd(0.0f);
#define ASH_RT_STEP_2_F32(i)                                                   \
  {                                                                            \
    const ash_rt_floats v = ash_rt_same_simd(x##i[t]);                         \
    ASH_RT_MLA_F32(a##i, v, u)                                                 \
    ASH_RT_MLA_F32(b##i, v, w)                                                 \
  }
#define ASH_RT_END_2_F32(i)                                                    \
  ash_rt_put_simd_f32(k, 0, a##i, out[i]);                                     \
  ash_rt_put_simd_f32(k, 16, b##i, out[i]);

static inline void ash_rt_dot_groups_f32(const ash_rt_block_f32 *k,
                                         float *const *out) {
  const float *p = k->w, *q = k->w + k->next;
  ASH_RT_PIXELS_F32(ASH_RT_BEGIN_2_F32)
  for (int32_t t = 0; t < k->taps; t++, p += 16, q += 16) {
    const ash_rt_floats u = ash_rt_get_simd(p), w = ash_rt_get_simd(q);
    ASH_RT_PIXELS_F32(ASH_RT_STEP_2_F32)
  }
  ASH_RT_PIXELS_F32(ASH_RT_END_2_F32)
}
#endif

/* One pixel, up to four groups. */
static inline void ash_rt_dot_pixel_f32(const ash_rt_block_f32 *k, float *out) {
  const float *const x = k->x;
  ash_rt_floats a = ash_rt_same_simd(0.0f), b = a, c = a, d = a;
  if (k->rest > 48) {
    const float *p = k->w, *q = p + k->next, *r = q + k->next, *s = r + k->next;
    for (int32_t t = 0; t < k->taps; t++, p += 16, q += 16, r += 16, s += 16) {
      const ash_rt_floats v = ash_rt_same_simd(x[t]);
      ASH_RT_MLA_F32(a, v, ash_rt_get_simd(p))
      ASH_RT_MLA_F32(b, v, ash_rt_get_simd(q))
      ASH_RT_MLA_F32(c, v, ash_rt_get_simd(r))
      ASH_RT_MLA_F32(d, v, ash_rt_get_simd(s))
    }
  } else if (k->rest > 16) {
    const float *p = k->w, *q = p + k->next;
    for (int32_t t = 0; t < k->taps; t++, p += 16, q += 16) {
      const ash_rt_floats v = ash_rt_same_simd(x[t]);
      ASH_RT_MLA_F32(a, v, ash_rt_get_simd(p))
      ASH_RT_MLA_F32(b, v, ash_rt_get_simd(q))
    }
    for (int32_t t = 0; k->rest > 32 && t < k->taps; t++)
      ASH_RT_MLA_F32(c, ash_rt_same_simd(x[t]),
                     ash_rt_get_simd(k->w + 2 * k->next + (ptrdiff_t)16 * t))
  } else {
    for (int32_t t = 0; t < k->taps; t++)
      ASH_RT_MLA_F32(a, ash_rt_same_simd(x[t]),
                     ash_rt_get_simd(k->w + (ptrdiff_t)16 * t))
  }
  ash_rt_put_simd_f32(k, 0, a, out);
  ash_rt_put_simd_f32(k, 16, b, out);
  ash_rt_put_simd_f32(k, 32, c, out);
  ash_rt_put_simd_f32(k, 48, d, out);
}

/* The block moved on by so many groups; weights and channels. */
static inline void ash_rt_block_next_f32(ash_rt_block_f32 *k, int32_t groups) {
  k->w += groups * k->next;
  k->bias = k->bias ? k->bias + 16 * (ptrdiff_t)groups : k->bias;
  k->rest -= 16 * groups;
}

/* All channels of `pixels` pixels. */
static inline void ash_rt_dot_simd_f32(const ash_rt_block_f32 *block,
                                       int32_t pixels, float *const *out) {
  ash_rt_block_f32 first = *block;
  for (; pixels >= ASH_RT_F32_AT_ONCE; pixels -= ASH_RT_F32_AT_ONCE) {
    ash_rt_block_f32 k = first;
    float *at[ASH_RT_F32_AT_ONCE];
    for (int32_t i = 0; i < ASH_RT_F32_AT_ONCE; i++)
      at[i] = out[i];
    while (k.rest > 0) {
      const int32_t groups = k.rest > 16 ? ASH_RT_F32_GROUPS : 1;
#if ASH_RT_SIMD_F32 == 512
      if (groups == 2)
        ash_rt_dot_groups_f32(&k, at);
      else
#endif
        ash_rt_dot_group_f32(&k, at);
      for (int32_t i = 0; i < ASH_RT_F32_AT_ONCE; i++)
        at[i] += 16 * groups;
      ash_rt_block_next_f32(&k, groups);
    }
    first.x += ASH_RT_F32_AT_ONCE * first.pitch;
    out += ASH_RT_F32_AT_ONCE;
  }
  for (; pixels > 0; pixels--, out++, first.x += first.pitch) {
    ash_rt_block_f32 k = first;
    for (float *at = *out; k.rest > 0; at += 64) {
      ash_rt_dot_pixel_f32(&k, at);
      ash_rt_block_next_f32(&k, 4);
    }
  }
}

/* Vectors of x86-64 and AArch64: weights are groups of sixteen channels, tap by
 * tap, and finite; `bias` may be null. */
void ash_rt_conv_2d_f32_simd(const ash_rt_conv_2d_f32_params *p,
                             const float *in, const float *bias,
                             const float *filter, float *out, void *scratch);
void ash_rt_conv_2d_f32_simd_lines(const ash_rt_conv_2d_f32_params *p,
                                   const ash_rt_lines *in, const float *bias,
                                   const float *filter, const ash_rt_lines *out,
                                   int32_t from, int32_t to, void *scratch);
void ash_rt_fully_connected_f32_simd(const ash_rt_fully_connected_f32_params *p,
                                     const float *in, const float *bias,
                                     const float *filter, float *out,
                                     void *scratch);
void ash_rt_depthwise_conv_2d_f32_simd(const ash_rt_window_f32_params *p,
                                       const float *in, const float *filter,
                                       const float *bias, float *out);
void ash_rt_depthwise_conv_2d_f32_simd_lines(const ash_rt_window_f32_params *p,
                                             const ash_rt_lines *in,
                                             const float *filter,
                                             const float *bias,
                                             const ash_rt_lines *out,
                                             int32_t from, int32_t to);
void ash_rt_add_f32_simd(const ash_rt_binary_f32_params *p, const float *a,
                         const float *b, float *out);
void ash_rt_mul_f32_simd(const ash_rt_binary_f32_params *p, const float *a,
                         const float *b, float *out);

#endif
