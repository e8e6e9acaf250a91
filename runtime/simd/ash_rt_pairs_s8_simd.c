/* ash_rt_pairs_s8_simd.c - sum and product of two int8 tensors, dense along the
 * last axis, with vectors of x86-64 and AArch64: sixteen elements at once. */
#include "ash_rt_simd.h"

#if ASH_RT_SIMD == 512
typedef __m512i ash_rt_ints_simd;

/* One scale for all; shifts up to 0. */
static inline ash_rt_sixteen_simd ash_rt_scale_all_simd(int32_t multiplier,
                                                        int32_t shift) {
  return ash_rt_sixteen_512(_mm512_set1_epi32(multiplier),
                            _mm512_set1_epi32(-shift));
}

static inline ash_rt_ints_simd ash_rt_load_simd(const int8_t *p, int32_t count,
                                                int32_t offset) {
  const __m128i v =
      _mm_maskz_loadu_epi8(ash_rt_some_512(count), (const void *)p);
  return _mm512_add_epi32(_mm512_cvtepi8_epi32(v), _mm512_set1_epi32(offset));
}

static inline ash_rt_ints_simd ash_rt_up_simd(ash_rt_ints_simd x, int32_t n) {
  return _mm512_sll_epi32(x, _mm_cvtsi32_si128(n));
}

static inline ash_rt_ints_simd ash_rt_sum_simd(ash_rt_ints_simd x,
                                               ash_rt_ints_simd y) {
  return _mm512_add_epi32(x, y);
}

static inline ash_rt_ints_simd ash_rt_product_simd(ash_rt_ints_simd x,
                                                   ash_rt_ints_simd y) {
  return _mm512_mullo_epi32(x, y);
}

static inline ash_rt_ints_simd ash_rt_scaled_simd(const ash_rt_sixteen_simd *s,
                                                  ash_rt_ints_simd x) {
  return ash_rt_rescale_512(s, x);
}

static inline void ash_rt_bytes_simd(ash_rt_ints_simd x,
                                     const ash_rt_range_simd *r, int32_t rest,
                                     int8_t *out) {
  ash_rt_bytes_out_512(x, r, rest, out);
}
#elif ASH_RT_SIMD == 256
typedef struct ash_rt_ints_simd {
  __m256i a, b;
} ash_rt_ints_simd;

static inline ash_rt_sixteen_simd ash_rt_scale_all_simd(int32_t multiplier,
                                                        int32_t shift) {
  ash_rt_sixteen_simd s;
  s.at[0] = s.at[1] = ash_rt_eight_of_256(_mm256_set1_epi32(multiplier),
                                          _mm256_set1_epi32(-shift));
  return s;
}

static inline ash_rt_ints_simd ash_rt_load_simd(const int8_t *p, int32_t count,
                                                int32_t offset) {
  const __m256i o = _mm256_set1_epi32(offset);
  ash_rt_ints_simd x;
  int8_t some[16] = {0};
  if (count < 16) {
    for (int32_t i = 0; i < count; i++)
      some[i] = p[i];
    p = some;
  }
  const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
  x.a = _mm256_add_epi32(_mm256_cvtepi8_epi32(v), o);
  x.b = _mm256_add_epi32(_mm256_cvtepi8_epi32(_mm_srli_si128(v, 8)), o);
  return x;
}

static inline ash_rt_ints_simd ash_rt_up_simd(ash_rt_ints_simd x, int32_t n) {
  const __m128i by = _mm_cvtsi32_si128(n);
  x.a = _mm256_sll_epi32(x.a, by);
  x.b = _mm256_sll_epi32(x.b, by);
  return x;
}

static inline ash_rt_ints_simd ash_rt_sum_simd(ash_rt_ints_simd x,
                                               ash_rt_ints_simd y) {
  x.a = _mm256_add_epi32(x.a, y.a);
  x.b = _mm256_add_epi32(x.b, y.b);
  return x;
}

static inline ash_rt_ints_simd ash_rt_product_simd(ash_rt_ints_simd x,
                                                   ash_rt_ints_simd y) {
  x.a = _mm256_mullo_epi32(x.a, y.a);
  x.b = _mm256_mullo_epi32(x.b, y.b);
  return x;
}

static inline ash_rt_ints_simd ash_rt_scaled_simd(const ash_rt_sixteen_simd *s,
                                                  ash_rt_ints_simd x) {
  x.a = ash_rt_rescale_256(&s->at[0], x.a);
  x.b = ash_rt_rescale_256(&s->at[1], x.b);
  return x;
}

static inline void ash_rt_bytes_simd(ash_rt_ints_simd x,
                                     const ash_rt_range_simd *r, int32_t rest,
                                     int8_t *out) {
  ash_rt_bytes_out_256(x.a, x.b, r, rest, out);
}
#elif ASH_RT_SIMD == 128
typedef struct ash_rt_ints_simd {
  int32x4_t at[4];
} ash_rt_ints_simd;

static inline ash_rt_sixteen_simd ash_rt_scale_all_simd(int32_t multiplier,
                                                        int32_t shift) {
  ash_rt_sixteen_simd s;
  for (int32_t i = 0; i < 4; i++)
    ash_rt_set_neon(&s, i, vdupq_n_s32(multiplier), vdupq_n_s32(shift));
  return s;
}

static inline ash_rt_ints_simd ash_rt_load_simd(const int8_t *p, int32_t count,
                                                int32_t offset) {
  const int32x4_t o = vdupq_n_s32(offset);
  ash_rt_ints_simd x;
  int8_t some[16] = {0};
  if (count < 16) {
    for (int32_t i = 0; i < count; i++)
      some[i] = p[i];
    p = some;
  }
  const int8x16_t v = vld1q_s8(p);
  const int16x8_t low = vmovl_s8(vget_low_s8(v));
  const int16x8_t high = vmovl_s8(vget_high_s8(v));
  x.at[0] = vaddw_s16(o, vget_low_s16(low));
  x.at[1] = vaddw_s16(o, vget_high_s16(low));
  x.at[2] = vaddw_s16(o, vget_low_s16(high));
  x.at[3] = vaddw_s16(o, vget_high_s16(high));
  return x;
}

static inline ash_rt_ints_simd ash_rt_up_simd(ash_rt_ints_simd x, int32_t n) {
  for (int32_t i = 0; i < 4; i++)
    x.at[i] = vshlq_s32(x.at[i], vdupq_n_s32(n));
  return x;
}

static inline ash_rt_ints_simd ash_rt_sum_simd(ash_rt_ints_simd x,
                                               ash_rt_ints_simd y) {
  for (int32_t i = 0; i < 4; i++)
    x.at[i] = vaddq_s32(x.at[i], y.at[i]);
  return x;
}

static inline ash_rt_ints_simd ash_rt_product_simd(ash_rt_ints_simd x,
                                                   ash_rt_ints_simd y) {
  for (int32_t i = 0; i < 4; i++)
    x.at[i] = vmulq_s32(x.at[i], y.at[i]);
  return x;
}

static inline ash_rt_ints_simd ash_rt_scaled_simd(const ash_rt_sixteen_simd *s,
                                                  ash_rt_ints_simd x) {
  for (int32_t i = 0; i < 4; i++)
    x.at[i] = ash_rt_rescale_neon(s, i, x.at[i]);
  return x;
}

static inline void ash_rt_bytes_simd(ash_rt_ints_simd x,
                                     const ash_rt_range_simd *r, int32_t rest,
                                     int8_t *out) {
  ash_rt_bytes_out_neon(x.at, r, rest, out);
}
#endif

/* kernel add_s8_simd: each operand with its own scale. */
static void ash_rt_add_run_simd(const ash_rt_add_s8_params *p, const int8_t *a,
                                const int8_t *b, int8_t *out, int32_t count) {
#if ASH_RT_SIMD
  const ash_rt_range_simd r = {p->out_offset, p->act_min, p->act_max};
  const ash_rt_sixteen_simd of_a =
      ash_rt_scale_all_simd(p->a_multiplier, p->a_shift);
  const ash_rt_sixteen_simd of_b =
      ash_rt_scale_all_simd(p->b_multiplier, p->b_shift);
  const ash_rt_sixteen_simd of_sum =
      ash_rt_scale_all_simd(p->out_multiplier, p->out_shift);
  for (int32_t i = 0; i < count; i += 16) {
    const int32_t n = count - i;
    const ash_rt_ints_simd x = ash_rt_scaled_simd(
        &of_a, ash_rt_up_simd(ash_rt_load_simd(a + i, n, p->a_offset), 20));
    const ash_rt_ints_simd y = ash_rt_scaled_simd(
        &of_b, ash_rt_up_simd(ash_rt_load_simd(b + i, n, p->b_offset), 20));
    ash_rt_bytes_simd(ash_rt_scaled_simd(&of_sum, ash_rt_sum_simd(x, y)), &r, n,
                      out + i);
  }
#else
  ash_rt_add_plain(p, a, b, out, count);
#endif
}

void ash_rt_add_s8_simd(const ash_rt_add_s8_params *p, const int8_t *a,
                        const int8_t *b, int8_t *out) {
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_add_run_simd);
}

/* kernel mul_s8_simd: the shift may be above 0. */
static void ash_rt_mul_run_simd(const ash_rt_mul_s8_params *p, const int8_t *a,
                                const int8_t *b, int8_t *out, int32_t count) {
#if ASH_RT_SIMD
  const int32_t up = p->out_shift > 0 ? p->out_shift : 0;
  const ash_rt_range_simd r = {p->out_offset, p->act_min, p->act_max};
  const ash_rt_sixteen_simd of_product =
      ash_rt_scale_all_simd(p->out_multiplier, p->out_shift - up);
  for (int32_t i = 0; i < count; i += 16) {
    const int32_t n = count - i;
    const ash_rt_ints_simd x =
        ash_rt_product_simd(ash_rt_load_simd(a + i, n, p->a_offset),
                            ash_rt_load_simd(b + i, n, p->b_offset));
    ash_rt_bytes_simd(ash_rt_scaled_simd(&of_product, ash_rt_up_simd(x, up)),
                      &r, n, out + i);
  }
#else
  ash_rt_mul_plain(p, a, b, out, count);
#endif
}

void ash_rt_mul_s8_simd(const ash_rt_mul_s8_params *p, const int8_t *a,
                        const int8_t *b, int8_t *out) {
  ASH_RT_DENSE_RUNS(p, a, b, out, ash_rt_mul_run_simd);
}
