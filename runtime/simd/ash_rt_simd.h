/* ash_rt_simd.h - int8 on processors that run Linux: vectors of x86-64 and
 * AArch64. Which instructions there are is what the C compiler says: AVX-512
 * with VNNI, AVX2, NEON with dot products or without; else plain C. Only
 * modules with kernels for them carry this file. */
#ifndef ASH_RT_SIMD_H
#define ASH_RT_SIMD_H

#include "ash_rt_packed.h"

#if defined(ASH_RT_PLAIN)
#define ASH_RT_SIMD 0
#elif defined(__AVX512F__) && defined(__AVX512BW__) &&                         \
    defined(__AVX512VL__) && defined(__AVX512VNNI__)
#define ASH_RT_SIMD 512
#include <immintrin.h>
#elif defined(__AVX2__)
#define ASH_RT_SIMD 256
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define ASH_RT_SIMD 128
#include <arm_neon.h>
#else
#define ASH_RT_SIMD 0
#endif

/* Weights are groups of sixteen channels by blocks of four taps; up to eight
 * pixels, each a column of bytes, are summed up at once. */
enum { ASH_RT_SIMD_GROUP = 16, ASH_RT_SIMD_PIXELS = 8, ASH_RT_SIMD_SLACK = 64 };

/* VNNI multiplies unsigned by signed bytes: there, columns have 128 added, and
 * the bias is the second half of what pass/pack.c made, without 128 times the
 * weights. */
enum { ASH_RT_SIMD_FLIP = ASH_RT_SIMD == 512 ? 0x80 : 0 };

static inline int32_t ash_rt_round_up(int32_t x, int32_t to) {
  return (x + to - 1) / to * to;
}

static inline const int32_t *ash_rt_bias_simd(const int32_t *bias,
                                              int32_t channels) {
  return ASH_RT_SIMD_FLIP ? bias + ash_rt_round_up(channels, ASH_RT_SIMD_GROUP)
                          : bias;
}

static inline int32_t ash_rt_word_simd(const int8_t *p) {
  int32_t v;
  ASH_RT_COPY(&v, p, 4);
  return v;
}

/* ---- columns: runs of bytes, of which up to 64 more may be written ------- */

static inline int8_t *ash_rt_fill_simd(int8_t *to, int32_t value,
                                       int32_t count) {
  if (count > 0)
    ASH_RT_FILL(to, (uint8_t)(value ^ ASH_RT_SIMD_FLIP), (size_t)count);
  return to + count;
}

#if ASH_RT_SIMD == 512
static inline __mmask64 ash_rt_bytes_512(int32_t count) {
  return count >= 64 ? ~(__mmask64)0 : ((__mmask64)1 << count) - 1;
}

static inline __mmask16 ash_rt_some_512(int32_t count) {
  return (__mmask16)(count >= 16 ? 0xffff : (1 << count) - 1);
}

static inline int8_t *ash_rt_copy_simd(int8_t *to, const int8_t *from,
                                       int32_t count) {
  const __m512i flip = _mm512_set1_epi8((char)0x80);
  int8_t *const end = to + count;
  for (; count > 0; count -= 64, from += 64, to += 64) {
    const __m512i v =
        _mm512_maskz_loadu_epi8(ash_rt_bytes_512(count), (const void *)from);
    _mm512_storeu_si512((void *)to, _mm512_xor_si512(v, flip));
  }
  return end;
}
#else
static inline int8_t *ash_rt_copy_simd(int8_t *to, const int8_t *from,
                                       int32_t count) {
  int8_t *const end = to + count;
  int32_t i = 0;
  for (; i + 16 <= count; i += 16)
    ASH_RT_COPY(to + i, from + i, 16);
  if (i < count && count >= 16) {
    ASH_RT_COPY(end - 16, from + count - 16, 16);
    return end;
  }
  for (; i + 4 <= count; i += 4)
    ASH_RT_COPY(to + i, from + i, 4);
  for (; i < count; i++)
    to[i] = from[i];
  return end;
}
#endif

/* The column of a pixel with padding or dilation. */
static ASH_RT_NOINLINE ASH_RT_MAYBE_UNUSED void
ash_rt_conv_edge_simd(const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
                      int32_t y, int32_t x, int8_t *to) {
  ash_rt_conv_column(p, in, y, x, to, ash_rt_fill_simd, ash_rt_copy_simd);
}

/* The column of a pixel without padding, whose rows of taps are runs. */
ASH_RT_INLINE void ash_rt_conv_inner_simd(const ash_rt_window *w,
                                          const ash_rt_lines *in, int32_t y,
                                          int32_t x, int8_t *to) {
  const int32_t run = w->filter_w * w->in_c;
  const ptrdiff_t left = (ptrdiff_t)(x * w->stride_w - w->pad_left) * w->in_c;
  int32_t row = y * w->stride_h - w->pad_top;
#if ASH_RT_SIMD == 512
  if (run <= 64) {
    const __mmask64 some = ash_rt_bytes_512(run);
    const __m512i flip = _mm512_set1_epi8((char)0x80);
    for (int32_t k = 0; k < w->filter_h; k++, row += w->dilation_h, to += run) {
      const int8_t *const line = ash_rt_line(in, row);
      const __m512i v = _mm512_maskz_loadu_epi8(some, line + left);
      _mm512_storeu_si512((void *)to, _mm512_xor_si512(v, flip));
    }
    return;
  }
#endif
  for (int32_t k = 0; k < w->filter_h; k++, row += w->dilation_h)
    to = ash_rt_copy_simd(to, (const int8_t *)ash_rt_line(in, row) + left, run);
}

/* Output columns whose taps are runs inside the input. */
static inline ash_rt_taps ash_rt_inside_simd(const ash_rt_window *w) {
  ash_rt_taps t = ash_rt_inner_columns(w);
  t.hi = w->dilation_w == 1 ? t.hi : t.lo;
  return t;
}

/* The column of pixel (y, x). */
ASH_RT_INLINE void ash_rt_column_simd(const ash_rt_conv_2d_s8_params *p,
                                      const ash_rt_lines *in,
                                      ash_rt_taps inside, int32_t y, int32_t x,
                                      int8_t *to) {
  if (x >= inside.lo && x < inside.hi && ash_rt_is_inner_line(&p->window, y))
    ash_rt_conv_inner_simd(&p->window, in, y, x, to);
  else
    ash_rt_conv_edge_simd(p, in, y, x, to);
}

/* ---- sums ---------------------------------------------------------------- */

/* Columns times one or two groups of channels. */
typedef struct ash_rt_block_simd {
  const int8_t *x; /* columns, `pitch` apart */
  ptrdiff_t pitch;
  const int8_t *w; /* groups, `next` apart */
  ptrdiff_t next;
  const int32_t *bias;
  int32_t blocks;
} ash_rt_block_simd;

/* Sums of a pixel: of two groups. */
enum { ASH_RT_SIMD_SUMS = 2 * ASH_RT_SIMD_GROUP };

#define ASH_RT_EACH_4(X) X(0) X(1) X(2) X(3)
#define ASH_RT_EACH_8(X) ASH_RT_EACH_4(X) X(4) X(5) X(6) X(7)

#if ASH_RT_SIMD == 512
#define ASH_RT_BEGIN_512(i)                                                    \
  __m512i a##i = a, b##i = b;                                                  \
  const int8_t *const x##i = k->x + i * k->pitch;
#define ASH_RT_STEP_512(i)                                                     \
  {                                                                            \
    const __m512i v = _mm512_set1_epi32(ash_rt_word_simd(x##i + t));           \
    a##i = _mm512_dpbusd_epi32(a##i, v, u);                                    \
    b##i = _mm512_dpbusd_epi32(b##i, v, w);                                    \
  }
#define ASH_RT_END_512(i)                                                      \
  _mm512_storeu_si512((void *)(sums + i * ASH_RT_SIMD_SUMS), a##i);            \
  _mm512_storeu_si512((void *)(sums + i * ASH_RT_SIMD_SUMS + 16), b##i);
#define ASH_RT_PIXELS_512(name, each)                                          \
  static inline void name(const ash_rt_block_simd *k, int32_t *sums) {         \
    const int8_t *p = k->w, *q = k->w + k->next;                               \
    const ptrdiff_t end = (ptrdiff_t)4 * k->blocks;                            \
    const __m512i a = _mm512_loadu_si512((const void *)k->bias);               \
    const __m512i b = _mm512_loadu_si512((const void *)(k->bias + 16));        \
    each(ASH_RT_BEGIN_512) for (ptrdiff_t t = 0; t < end; t += 4) {            \
      const __m512i u = _mm512_loadu_si512((const void *)p);                   \
      const __m512i w = _mm512_loadu_si512((const void *)q);                   \
      p += 64;                                                                 \
      q += 64;                                                                 \
      each(ASH_RT_STEP_512)                                                    \
    }                                                                          \
    each(ASH_RT_END_512)                                                       \
  }
ASH_RT_PIXELS_512(ash_rt_dot_8_512, ASH_RT_EACH_8)
ASH_RT_PIXELS_512(ash_rt_dot_4_512, ASH_RT_EACH_4)

/* One pixel: four chains of sums hide how long a product takes. */
static inline void ash_rt_dot_1_512(const ash_rt_block_simd *k, int32_t *sums) {
  const int8_t *p = k->w, *q = k->w + k->next, *x = k->x;
  __m512i a = _mm512_loadu_si512((const void *)k->bias), c;
  __m512i b = _mm512_loadu_si512((const void *)(k->bias + 16)), d;
  int32_t left = k->blocks;
  c = d = _mm512_setzero_si512();
  for (; left >= 2; left -= 2, p += 128, q += 128, x += 8) {
    const __m512i v = _mm512_set1_epi32(ash_rt_word_simd(x));
    const __m512i w = _mm512_set1_epi32(ash_rt_word_simd(x + 4));
    a = _mm512_dpbusd_epi32(a, v, _mm512_loadu_si512((const void *)p));
    b = _mm512_dpbusd_epi32(b, v, _mm512_loadu_si512((const void *)q));
    c = _mm512_dpbusd_epi32(c, w, _mm512_loadu_si512((const void *)(p + 64)));
    d = _mm512_dpbusd_epi32(d, w, _mm512_loadu_si512((const void *)(q + 64)));
  }
  if (left) {
    const __m512i v = _mm512_set1_epi32(ash_rt_word_simd(x));
    a = _mm512_dpbusd_epi32(a, v, _mm512_loadu_si512((const void *)p));
    b = _mm512_dpbusd_epi32(b, v, _mm512_loadu_si512((const void *)q));
  }
  _mm512_storeu_si512((void *)sums, _mm512_add_epi32(a, c));
  _mm512_storeu_si512((void *)(sums + 16), _mm512_add_epi32(b, d));
}

/* Sums of one group only, for the last. */
static inline void ash_rt_dot_group_512(const ash_rt_block_simd *k,
                                        int32_t pixels, int32_t *sums) {
  const int8_t *x = k->x;
  for (; pixels > 0; pixels--, x += k->pitch, sums += ASH_RT_SIMD_SUMS) {
    __m512i a = _mm512_loadu_si512((const void *)k->bias);
    __m512i b = _mm512_setzero_si512();
    const int8_t *p = k->w;
    int32_t t = 0;
    for (; t + 2 <= k->blocks; t += 2, p += 128) {
      const __m512i v = _mm512_set1_epi32(ash_rt_word_simd(x + 4 * t));
      const __m512i w = _mm512_set1_epi32(ash_rt_word_simd(x + 4 * t + 4));
      a = _mm512_dpbusd_epi32(a, v, _mm512_loadu_si512((const void *)p));
      b = _mm512_dpbusd_epi32(b, w, _mm512_loadu_si512((const void *)(p + 64)));
    }
    if (t < k->blocks)
      a = _mm512_dpbusd_epi32(a, _mm512_set1_epi32(ash_rt_word_simd(x + 4 * t)),
                              _mm512_loadu_si512((const void *)p));
    _mm512_storeu_si512((void *)sums, _mm512_add_epi32(a, b));
  }
}

#define ASH_RT_BEGIN_ONE_512(i)                                                \
  __m512i a##i = a;                                                            \
  const int8_t *const x##i = k->x + i * k->pitch;
#define ASH_RT_STEP_ONE_512(i)                                                 \
  a##i = _mm512_dpbusd_epi32(                                                  \
      a##i, _mm512_set1_epi32(ash_rt_word_simd(x##i + t)), u);
#define ASH_RT_END_ONE_512(i)                                                  \
  _mm512_storeu_si512((void *)(sums + i * ASH_RT_SIMD_SUMS), a##i);

static inline void ash_rt_dot_8_one_512(const ash_rt_block_simd *k,
                                        int32_t *sums) {
  const int8_t *p = k->w;
  const ptrdiff_t end = (ptrdiff_t)4 * k->blocks;
  const __m512i a = _mm512_loadu_si512((const void *)k->bias);
  ASH_RT_EACH_8(ASH_RT_BEGIN_ONE_512)
  for (ptrdiff_t t = 0; t < end; t += 4, p += 64) {
    const __m512i u = _mm512_loadu_si512((const void *)p);
    ASH_RT_EACH_8(ASH_RT_STEP_ONE_512)
  }
  ASH_RT_EACH_8(ASH_RT_END_ONE_512)
}

static inline void ash_rt_dot_simd(const ash_rt_block_simd *block,
                                   int32_t pixels, int32_t groups,
                                   int32_t *sums) {
  ash_rt_block_simd k = *block;
  if (groups == 1) {
    if (pixels == 8)
      ash_rt_dot_8_one_512(&k, sums);
    else
      ash_rt_dot_group_512(&k, pixels, sums);
    return;
  }
  if (pixels == 8) {
    ash_rt_dot_8_512(&k, sums);
    return;
  }
  if (pixels >= 4) {
    ash_rt_dot_4_512(&k, sums);
    k.x += 4 * k.pitch;
    sums += 4 * ASH_RT_SIMD_SUMS;
    pixels -= 4;
  }
  for (; pixels > 0; pixels--, k.x += k.pitch, sums += ASH_RT_SIMD_SUMS)
    ash_rt_dot_1_512(&k, sums);
}
#elif ASH_RT_SIMD == 256
/* Sums of four channels, each in two parts. */
#define ASH_RT_PART_256(q)                                                     \
  {                                                                            \
    const __m256i u = _mm256_cvtepi8_epi16(                                    \
        _mm_loadu_si128((const __m128i *)(const void *)(w + 16 * q)));         \
    a##q = _mm256_add_epi32(a##q, _mm256_madd_epi16(u, x));                    \
    b##q = _mm256_add_epi32(b##q, _mm256_madd_epi16(u, y));                    \
  }

/* The parts of eight channels added up. */
static inline void ash_rt_join_256(int32_t *sums, const int32_t *bias,
                                   __m256i low, __m256i high) {
  const __m256i s =
      _mm256_permute4x64_epi64(_mm256_hadd_epi32(low, high), 0xd8);
  _mm256_storeu_si256(
      (__m256i *)(void *)sums,
      _mm256_add_epi32(
          s, _mm256_loadu_si256((const __m256i *)(const void *)bias)));
}

static inline __m256i ash_rt_taps_256(const int8_t *p) {
  return _mm256_cvtepi8_epi16(_mm_set1_epi32(ash_rt_word_simd(p)));
}

/* Two pixels, a group. */
static inline void ash_rt_dot_2_256(const int8_t *p, const int8_t *q,
                                    const int8_t *w, const int32_t *bias,
                                    int32_t blocks, int32_t *s, int32_t *r) {
  __m256i a0, a1, a2, a3, b0, b1, b2, b3;
  a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = _mm256_setzero_si256();
  for (; blocks > 0; blocks--, p += 4, q += 4, w += 64) {
    const __m256i x = ash_rt_taps_256(p), y = ash_rt_taps_256(q);
    ASH_RT_EACH_4(ASH_RT_PART_256)
  }
  ash_rt_join_256(s, bias, a0, a1);
  ash_rt_join_256(s + 8, bias + 8, a2, a3);
  ash_rt_join_256(r, bias, b0, b1);
  ash_rt_join_256(r + 8, bias + 8, b2, b3);
}

static inline void ash_rt_dot_simd(const ash_rt_block_simd *k, int32_t pixels,
                                   int32_t groups, int32_t *sums) {
  for (int32_t g = 0; g < groups; g++)
    for (int32_t i = 0; i < pixels; i += 2) {
      /* An odd one is computed twice. */
      const int32_t j = i + 1 < pixels ? i + 1 : i;
      ash_rt_dot_2_256(k->x + i * k->pitch, k->x + j * k->pitch,
                       k->w + g * k->next, k->bias + 16 * g, k->blocks,
                       sums + i * ASH_RT_SIMD_SUMS + 16 * g,
                       sums + j * ASH_RT_SIMD_SUMS + 16 * g);
    }
}
#elif ASH_RT_SIMD == 128
#if defined(__ARM_FEATURE_DOTPROD)
#define ASH_RT_BEGIN_NEON(i)                                                   \
  const int8_t *const x##i = k->x + (i < pixels ? i : 0) * k->pitch;           \
  int32x4_t a##i = vld1q_s32(bias), b##i = vld1q_s32(bias + 4);                \
  int32x4_t c##i = vld1q_s32(bias + 8), d##i = vld1q_s32(bias + 12);
#define ASH_RT_STEP_NEON(i)                                                    \
  {                                                                            \
    const int8x16_t v =                                                        \
        vreinterpretq_s8_s32(vdupq_n_s32(ash_rt_word_simd(x##i + t)));         \
    a##i = vdotq_s32(a##i, w0, v);                                             \
    b##i = vdotq_s32(b##i, w1, v);                                             \
    c##i = vdotq_s32(c##i, w2, v);                                             \
    d##i = vdotq_s32(d##i, w3, v);                                             \
  }
#define ASH_RT_END_NEON(i)                                                     \
  if (i < pixels) {                                                            \
    vst1q_s32(sums + i * ASH_RT_SIMD_SUMS, a##i);                              \
    vst1q_s32(sums + i * ASH_RT_SIMD_SUMS + 4, b##i);                          \
    vst1q_s32(sums + i * ASH_RT_SIMD_SUMS + 8, c##i);                          \
    vst1q_s32(sums + i * ASH_RT_SIMD_SUMS + 12, d##i);                         \
  }

/* Up to four pixels, a group. */
static inline void ash_rt_dot_neon(const ash_rt_block_simd *k, int32_t pixels,
                                   int32_t *sums) {
  const int32_t *const bias = k->bias;
  const int8_t *w = k->w;
  const ptrdiff_t end = (ptrdiff_t)4 * k->blocks;
  ASH_RT_EACH_4(ASH_RT_BEGIN_NEON)
  for (ptrdiff_t t = 0; t < end; t += 4, w += 64) {
    const int8x16_t w0 = vld1q_s8(w), w1 = vld1q_s8(w + 16);
    const int8x16_t w2 = vld1q_s8(w + 32), w3 = vld1q_s8(w + 48);
    ASH_RT_EACH_4(ASH_RT_STEP_NEON)
  }
  ASH_RT_EACH_4(ASH_RT_END_NEON)
}
enum { ASH_RT_NEON_PIXELS = 4 };
#else
/* Sums of four channels, each in two parts; one pixel. */
#define ASH_RT_STEP_NEON(q)                                                    \
  {                                                                            \
    const int8x16_t u = vld1q_s8(w + 16 * q);                                  \
    a##q = vpadalq_s16(a##q, vmull_s8(vget_low_s8(u), v));                     \
    b##q = vpadalq_s16(b##q, vmull_s8(vget_high_s8(u), v));                    \
  }
#define ASH_RT_END_NEON(q)                                                     \
  vst1q_s32(sums + 4 * q,                                                      \
            vaddq_s32(vld1q_s32(k->bias + 4 * q), vpaddq_s32(a##q, b##q)));

static inline void ash_rt_dot_neon(const ash_rt_block_simd *k, int32_t pixels,
                                   int32_t *sums) {
  const int8_t *x = k->x, *w = k->w;
  int32x4_t a0, a1, a2, a3, b0, b1, b2, b3;
  (void)pixels;
  a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = vdupq_n_s32(0);
  for (int32_t t = 0; t < k->blocks; t++, x += 4, w += 64) {
    const int8x8_t v = vreinterpret_s8_s32(vdup_n_s32(ash_rt_word_simd(x)));
    ASH_RT_EACH_4(ASH_RT_STEP_NEON)
  }
  ASH_RT_EACH_4(ASH_RT_END_NEON)
}
enum { ASH_RT_NEON_PIXELS = 1 };
#endif

static inline void ash_rt_dot_simd(const ash_rt_block_simd *block,
                                   int32_t pixels, int32_t groups,
                                   int32_t *sums) {
  for (int32_t i = 0; i < pixels; i += ASH_RT_NEON_PIXELS)
    for (int32_t g = 0; g < groups; g++) {
      ash_rt_block_simd k = *block;
      k.x += i * k.pitch;
      k.w += g * k.next;
      k.bias += 16 * g;
      ash_rt_dot_neon(&k, pixels - i, sums + i * ASH_RT_SIMD_SUMS + 16 * g);
    }
}
#else
static inline void ash_rt_dot_simd(const ash_rt_block_simd *k, int32_t pixels,
                                   int32_t groups, int32_t *sums) {
  for (int32_t i = 0; i < pixels; i++, sums += ASH_RT_SIMD_SUMS)
    for (int32_t c = 0; c < 16 * groups; c++) {
      const int8_t *const x = k->x + i * k->pitch;
      const int8_t *const w = k->w + c / 16 * k->next + 4 * (c % 16);
      uint32_t s = (uint32_t)k->bias[c];
      for (int32_t t = 0; t < 4 * k->blocks; t++)
        s += (uint32_t)(x[t] * w[t / 4 * 64 + t % 4]);
      sums[c] = (int32_t)s;
    }
}
#endif

/* ---- from sums to bytes: ash_rt_rescale for shifts up to 0 --------------- */

/* Of sixteen channels; `range` is what outputs are held to. */
typedef struct ash_rt_range_simd {
  int32_t offset, low, high;
} ash_rt_range_simd;

#if ASH_RT_SIMD == 512
typedef struct ash_rt_sixteen_simd {
  __m512i m, n, half;
  __mmask16 down; /* shifted at all */
} ash_rt_sixteen_simd;

static inline ash_rt_sixteen_simd ash_rt_sixteen_512(__m512i m, __m512i n) {
  ash_rt_sixteen_simd s;
  s.m = m;
  s.n = n;
  s.half = _mm512_srli_epi32(_mm512_sllv_epi32(_mm512_set1_epi32(1), n), 1);
  s.down = _mm512_test_epi32_mask(n, n);
  return s;
}

static inline ash_rt_sixteen_simd
ash_rt_sixteen_of_simd(const int32_t *multiplier, const int8_t *shift) {
  const __m512i e = _mm512_cvtepi8_epi32(
      _mm_loadu_si128((const __m128i *)(const void *)shift));
  return ash_rt_sixteen_512(_mm512_loadu_si512((const void *)multiplier),
                            _mm512_sub_epi32(_mm512_setzero_si512(), e));
}

static inline __m512i ash_rt_mul_high_512(__m512i x, __m512i m) {
  const __m512i half = _mm512_set1_epi64(1 << 30);
  const __m512i even = _mm512_mul_epi32(x, m);
  const __m512i odd =
      _mm512_mul_epi32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(m, 32));
  return _mm512_mask_blend_epi32(
      0xaaaa, _mm512_srli_epi64(_mm512_add_epi64(even, half), 31),
      _mm512_slli_epi64(_mm512_add_epi64(odd, half), 1));
}

static inline __m512i ash_rt_rescale_512(const ash_rt_sixteen_simd *s,
                                         __m512i x) {
  x = ash_rt_mul_high_512(x, s->m);
  x = _mm512_mask_add_epi32(x, s->down, x, _mm512_srai_epi32(x, 31));
  return _mm512_srav_epi32(_mm512_add_epi32(x, s->half), s->n);
}

/* Sixteen numbers, of which `rest` exist. */
static inline void ash_rt_bytes_out_512(__m512i x, const ash_rt_range_simd *r,
                                        int32_t rest, int8_t *out) {
  x = _mm512_add_epi32(x, _mm512_set1_epi32(r->offset));
  __m128i y = _mm512_cvtsepi32_epi8(x);
  y = _mm_max_epi8(y, _mm_set1_epi8((char)r->low));
  y = _mm_min_epi8(y, _mm_set1_epi8((char)r->high));
  if (rest >= 16)
    _mm_storeu_si128((__m128i *)(void *)out, y);
  else
    _mm_mask_storeu_epi8((void *)out, ash_rt_some_512(rest), y);
}

static inline void ash_rt_put_simd(const ash_rt_sixteen_simd *s,
                                   const int32_t *sums,
                                   const ash_rt_range_simd *r, int32_t rest,
                                   int8_t *out) {
  const __m512i x = _mm512_loadu_si512((const void *)sums);
  ash_rt_bytes_out_512(ash_rt_rescale_512(s, x), r, rest, out);
}
#elif ASH_RT_SIMD == 256
typedef struct ash_rt_eight_256 {
  __m256i m, n, half, down;
} ash_rt_eight_256;
typedef struct ash_rt_sixteen_simd {
  ash_rt_eight_256 at[2];
} ash_rt_sixteen_simd;

static inline ash_rt_eight_256 ash_rt_eight_of_256(__m256i m, __m256i n) {
  ash_rt_eight_256 s;
  s.m = m;
  s.n = n;
  s.half = _mm256_srli_epi32(_mm256_sllv_epi32(_mm256_set1_epi32(1), n), 1);
  s.down = _mm256_cmpgt_epi32(n, _mm256_setzero_si256());
  return s;
}

static inline ash_rt_sixteen_simd
ash_rt_sixteen_of_simd(const int32_t *multiplier, const int8_t *shift) {
  ash_rt_sixteen_simd s;
  for (int32_t i = 0; i < 2; i++) {
    const __m256i e = _mm256_cvtepi8_epi32(
        _mm_loadl_epi64((const __m128i *)(const void *)(shift + 8 * i)));
    s.at[i] = ash_rt_eight_of_256(
        _mm256_loadu_si256((const __m256i *)(const void *)(multiplier + 8 * i)),
        _mm256_sub_epi32(_mm256_setzero_si256(), e));
  }
  return s;
}

static inline __m256i ash_rt_mul_high_256(__m256i x, __m256i m) {
  const __m256i half = _mm256_set1_epi64x(1 << 30);
  const __m256i even = _mm256_mul_epi32(x, m);
  const __m256i odd =
      _mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(m, 32));
  return _mm256_blend_epi32(_mm256_srli_epi64(_mm256_add_epi64(even, half), 31),
                            _mm256_slli_epi64(_mm256_add_epi64(odd, half), 1),
                            0xaa);
}

static inline __m256i ash_rt_rescale_256(const ash_rt_eight_256 *s, __m256i x) {
  x = ash_rt_mul_high_256(x, s->m);
  x = _mm256_add_epi32(x, _mm256_and_si256(_mm256_srai_epi32(x, 31), s->down));
  return _mm256_srav_epi32(_mm256_add_epi32(x, s->half), s->n);
}

static inline void ash_rt_bytes_out_256(__m256i x, __m256i y,
                                        const ash_rt_range_simd *r,
                                        int32_t rest, int8_t *out) {
  const __m256i offset = _mm256_set1_epi32(r->offset);
  const __m256i p =
      _mm256_permute4x64_epi64(_mm256_packs_epi32(_mm256_add_epi32(x, offset),
                                                  _mm256_add_epi32(y, offset)),
                               0xd8);
  __m128i b = _mm_packs_epi16(_mm256_castsi256_si128(p),
                              _mm256_extracti128_si256(p, 1));
  b = _mm_max_epi8(b, _mm_set1_epi8((char)r->low));
  b = _mm_min_epi8(b, _mm_set1_epi8((char)r->high));
  if (rest >= 16) {
    _mm_storeu_si128((__m128i *)(void *)out, b);
  } else {
    int8_t some[16];
    _mm_storeu_si128((__m128i *)(void *)some, b);
    for (int32_t i = 0; i < rest; i++)
      out[i] = some[i];
  }
}

static inline void ash_rt_put_simd(const ash_rt_sixteen_simd *s,
                                   const int32_t *sums,
                                   const ash_rt_range_simd *r, int32_t rest,
                                   int8_t *out) {
  const __m256i *const x = (const __m256i *)(const void *)sums;
  ash_rt_bytes_out_256(ash_rt_rescale_256(&s->at[0], _mm256_loadu_si256(x)),
                       ash_rt_rescale_256(&s->at[1], _mm256_loadu_si256(x + 1)),
                       r, rest, out);
}
#elif ASH_RT_SIMD == 128
typedef struct ash_rt_sixteen_simd {
  int32x4_t m[4], e[4], down[4];
} ash_rt_sixteen_simd;

static inline void ash_rt_set_neon(ash_rt_sixteen_simd *s, int32_t i,
                                   int32x4_t m, int32x4_t e) {
  s->m[i] = m;
  s->e[i] = e;
  s->down[i] = vshrq_n_s32(e, 31);
}

static inline ash_rt_sixteen_simd
ash_rt_sixteen_of_simd(const int32_t *multiplier, const int8_t *shift) {
  ash_rt_sixteen_simd s;
  for (int32_t i = 0; i < 4; i += 2) {
    const int16x8_t e = vmovl_s8(vld1_s8(shift + 4 * i));
    ash_rt_set_neon(&s, i, vld1q_s32(multiplier + 4 * i),
                    vmovl_s16(vget_low_s16(e)));
    ash_rt_set_neon(&s, i + 1, vld1q_s32(multiplier + 4 * i + 4),
                    vmovl_s16(vget_high_s16(e)));
  }
  return s;
}

static inline int32x4_t ash_rt_rescale_neon(const ash_rt_sixteen_simd *s,
                                            int32_t i, int32x4_t x) {
  x = vqrdmulhq_s32(x, s->m[i]);
  x = vaddq_s32(x, vandq_s32(vshrq_n_s32(x, 31), s->down[i]));
  return vrshlq_s32(x, s->e[i]);
}

static inline void ash_rt_bytes_out_neon(const int32x4_t x[4],
                                         const ash_rt_range_simd *r,
                                         int32_t rest, int8_t *out) {
  const int32x4_t o = vdupq_n_s32(r->offset);
  const int16x8_t p = vcombine_s16(vqmovn_s32(vaddq_s32(x[0], o)),
                                   vqmovn_s32(vaddq_s32(x[1], o)));
  const int16x8_t q = vcombine_s16(vqmovn_s32(vaddq_s32(x[2], o)),
                                   vqmovn_s32(vaddq_s32(x[3], o)));
  int8x16_t b = vcombine_s8(vqmovn_s16(p), vqmovn_s16(q));
  b = vmaxq_s8(b, vdupq_n_s8((int8_t)r->low));
  b = vminq_s8(b, vdupq_n_s8((int8_t)r->high));
  if (rest >= 16) {
    vst1q_s8(out, b);
  } else {
    int8_t some[16];
    vst1q_s8(some, b);
    for (int32_t i = 0; i < rest; i++)
      out[i] = some[i];
  }
}

static inline void ash_rt_put_simd(const ash_rt_sixteen_simd *s,
                                   const int32_t *sums,
                                   const ash_rt_range_simd *r, int32_t rest,
                                   int8_t *out) {
  int32x4_t x[4];
  for (int32_t i = 0; i < 4; i++)
    x[i] = ash_rt_rescale_neon(s, i, vld1q_s32(sums + 4 * i));
  ash_rt_bytes_out_neon(x, r, rest, out);
}
#else
typedef struct ash_rt_sixteen_simd {
  const int32_t *m;
  const int8_t *e;
} ash_rt_sixteen_simd;

static inline ash_rt_sixteen_simd
ash_rt_sixteen_of_simd(const int32_t *multiplier, const int8_t *shift) {
  const ash_rt_sixteen_simd s = {multiplier, shift};
  return s;
}

static inline void ash_rt_put_simd(const ash_rt_sixteen_simd *s,
                                   const int32_t *sums,
                                   const ash_rt_range_simd *r, int32_t rest,
                                   int8_t *out) {
  for (int32_t i = 0; i < 16 && i < rest; i++)
    out[i] = (int8_t)ash_rt_finish(ash_rt_rescale(sums[i], s->m[i], s->e[i]),
                                   r->offset, r->low, r->high);
}
#endif

/* Vectors of x86-64 and AArch64. Sums are below 2^30. */
void ash_rt_conv_2d_s8_simd(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                            const int32_t *multiplier, const int8_t *shift,
                            const int32_t *bias, const int8_t *filter,
                            int8_t *out, void *scratch);
void ash_rt_conv_2d_s8_simd_lines(const ash_rt_conv_2d_s8_params *p,
                                  const ash_rt_lines *in,
                                  const int32_t *multiplier,
                                  const int8_t *shift, const int32_t *bias,
                                  const int8_t *filter, const ash_rt_lines *out,
                                  int32_t from, int32_t to, void *scratch);
void ash_rt_depthwise_conv_2d_s8_simd(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_simd_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
/* `scale`: for each group of sixteen channels, sixteen of each of the four
 * numbers of ash_rt_packed.h. */
void ash_rt_fully_connected_s8_simd(const ash_rt_fully_connected_s8_params *p,
                                    const int8_t *in, const int32_t *bias,
                                    const int8_t *filter, const int32_t *scale,
                                    int8_t *out, void *scratch);

/* Operands that are dense along the last axis. */
void ash_rt_add_s8_simd(const ash_rt_add_s8_params *p, const int8_t *a,
                        const int8_t *b, int8_t *out);
void ash_rt_mul_s8_simd(const ash_rt_mul_s8_params *p, const int8_t *a,
                        const int8_t *b, int8_t *out);

#endif
