/* ash_rt_fully_connected_s8_simd.c - matrix times vectors, int8, with vectors
 * of x86-64 and AArch64: up to eight vectors by 32 rows of the matrix at once.
 */
#include "ash_rt_simd.h"

#if ASH_RT_SIMD == 512
/* The upper halves of 64-bit numbers, of even and of odd lanes. */
static inline __m512i ash_rt_upper_512(__m512i even, __m512i odd) {
  return _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
}

static inline __m512i ash_rt_fc_whole_512(__m512i s, __m512i high, __m512i low,
                                          __m512i sign) {
  const __m512i rest =
      _mm512_srai_epi64(_mm512_add_epi64(_mm512_mul_epi32(s, low), sign), 22);
  return _mm512_add_epi64(_mm512_mul_epi32(s, high), rest);
}

static inline __m512i ash_rt_fc_wide_512(__m512i s, __m512i high, __m512i low) {
  const __m512i sign = _mm512_srai_epi32(s, 31);
  const __m512i odd = _mm512_srai_epi64(s, 32);
  const __m512i even_sign = _mm512_srai_epi64(_mm512_slli_epi64(sign, 32), 32);
  return ash_rt_upper_512(ash_rt_fc_whole_512(s, high, low, even_sign),
                          ash_rt_fc_whole_512(odd, _mm512_srli_epi64(high, 32),
                                              _mm512_srli_epi64(low, 32),
                                              _mm512_srai_epi64(sign, 32)));
}

static inline void ash_rt_fc_put_simd(const int32_t *sums, const int32_t *scale,
                                      int32_t wide, const ash_rt_range_simd *r,
                                      int32_t rest, int8_t *out) {
  const __m512i s = _mm512_loadu_si512((const void *)sums);
  const __m512i p = _mm512_loadu_si512((const void *)scale);
  const __m512i q = _mm512_loadu_si512((const void *)(scale + 16));
  const __m512i f = _mm512_loadu_si512((const void *)(scale + 32));
  const __m512i e = _mm512_loadu_si512((const void *)(scale + 48));
  __m512i y;
  if (wide)
    y = _mm512_srav_epi32(_mm512_add_epi32(ash_rt_fc_wide_512(s, p, q), f),
                          _mm512_sub_epi32(_mm512_setzero_si512(), e));
  else
    y = _mm512_srav_epi32(
        _mm512_add_epi32(ash_rt_mul_high_512(_mm512_sllv_epi32(s, e), p), q),
        f);
  ash_rt_bytes_out_512(y, r, rest, out);
}
#elif ASH_RT_SIMD == 256
static inline __m256i ash_rt_fc_eight_256(const int32_t *sums,
                                          const int32_t *scale) {
  const __m256i *const at = (const __m256i *)(const void *)scale;
  const __m256i s = _mm256_loadu_si256((const __m256i *)(const void *)sums);
  const __m256i y = ash_rt_mul_high_256(
      _mm256_sllv_epi32(s, _mm256_loadu_si256(at + 6)), _mm256_loadu_si256(at));
  return _mm256_srav_epi32(_mm256_add_epi32(y, _mm256_loadu_si256(at + 2)),
                           _mm256_loadu_si256(at + 4));
}
#elif ASH_RT_SIMD == 128
static inline int32x4_t ash_rt_fc_four_neon(const int32_t *sums,
                                            const int32_t *scale) {
  const int32x4_t s = vshlq_s32(vld1q_s32(sums), vld1q_s32(scale + 48));
  const int32x4_t y = vqrdmulhq_s32(s, vld1q_s32(scale));
  return vshlq_s32(vaddq_s32(y, vld1q_s32(scale + 16)),
                   vnegq_s32(vld1q_s32(scale + 32)));
}
#endif

#if ASH_RT_SIMD != 512
/* ash_rt_scale_wide and the short scale, for one channel i of a group. */
static inline int32_t ash_rt_fc_one_simd(int32_t sum, const int32_t *scale,
                                         int32_t i, int32_t wide) {
  const int32_t s[4] = {scale[i], scale[16 + i], scale[32 + i], scale[48 + i]};
  if (wide)
    return ash_rt_scale_wide(sum, s);
  return (ash_rt_mul_high((int32_t)((uint32_t)sum << s[3]), s[0]) + s[1]) >>
         s[2];
}

static inline void ash_rt_fc_put_simd(const int32_t *sums, const int32_t *scale,
                                      int32_t wide, const ash_rt_range_simd *r,
                                      int32_t rest, int8_t *out) {
#if ASH_RT_SIMD == 256
  if (!wide) {
    ash_rt_bytes_out_256(ash_rt_fc_eight_256(sums, scale),
                         ash_rt_fc_eight_256(sums + 8, scale + 8), r, rest,
                         out);
    return;
  }
#elif ASH_RT_SIMD == 128
  if (!wide) {
    const int32x4_t y[4] = {ash_rt_fc_four_neon(sums, scale),
                            ash_rt_fc_four_neon(sums + 4, scale + 4),
                            ash_rt_fc_four_neon(sums + 8, scale + 8),
                            ash_rt_fc_four_neon(sums + 12, scale + 12)};
    ash_rt_bytes_out_neon(y, r, rest, out);
    return;
  }
#endif
  for (int32_t i = 0; i < ASH_RT_SIMD_GROUP && i < rest; i++)
    out[i] = (int8_t)ash_rt_clamp(ash_rt_fc_one_simd(sums[i], scale, i, wide),
                                  r->low, r->high);
}
#endif

/* All channels of up to eight vectors, whose columns are made. */
static void ash_rt_fc_rows_simd(const ash_rt_fully_connected_s8_params *p,
                                ash_rt_block_simd b, const int32_t *scale,
                                int32_t rows, int8_t *out) {
  /* The zero point is part of the scale. */
  const ash_rt_range_simd r = {0, p->act_min, p->act_max};
  int32_t sums[ASH_RT_SIMD_PIXELS * ASH_RT_SIMD_SUMS];
  for (int32_t c = 0; c < p->out_c; c += ASH_RT_SIMD_SUMS) {
    const int32_t groups = p->out_c - c > ASH_RT_SIMD_GROUP ? 2 : 1;
    ash_rt_dot_simd(&b, rows, groups, sums);
    for (int32_t g = 0; g < groups; g++, scale += 4 * ASH_RT_SIMD_GROUP)
      for (int32_t i = 0; i < rows; i++) {
        const int32_t at = c + ASH_RT_SIMD_GROUP * g;
        ash_rt_fc_put_simd(sums + i * ASH_RT_SIMD_SUMS + ASH_RT_SIMD_GROUP * g,
                           scale, p->wide, &r, p->out_c - at,
                           out + (ptrdiff_t)i * p->out_c + at);
      }
    b.w += groups * b.next;
    b.bias += ASH_RT_SIMD_SUMS;
  }
}

void ash_rt_fully_connected_s8_simd(const ash_rt_fully_connected_s8_params *p,
                                    const int8_t *in, const int32_t *bias,
                                    const int8_t *filter, const int32_t *scale,
                                    int8_t *out, void *scratch) {
  const int32_t blocks = (p->in_c + 3) / 4;
  const ptrdiff_t pitch = (ptrdiff_t)4 * blocks;
  int8_t *const columns = scratch;
  const ash_rt_block_simd b = {columns,
                               pitch,
                               filter,
                               (ptrdiff_t)64 * blocks,
                               ash_rt_bias_simd(bias, p->out_c),
                               blocks};
  for (int32_t n = 0; n < p->batches; n += ASH_RT_SIMD_PIXELS) {
    const int32_t left = p->batches - n;
    const int32_t rows = left < ASH_RT_SIMD_PIXELS ? left : ASH_RT_SIMD_PIXELS;
    for (int32_t i = 0; i < rows; i++)
      (void)ash_rt_copy_simd(columns + i * pitch,
                             in + (ptrdiff_t)(n + i) * p->in_c, p->in_c);
    ash_rt_fc_rows_simd(p, b, scale, rows, out + (ptrdiff_t)n * p->out_c);
  }
}
