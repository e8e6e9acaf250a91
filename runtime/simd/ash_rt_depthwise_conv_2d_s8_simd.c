/* ash_rt_depthwise_conv_2d_s8_simd.c - depthwise convolution, int8, with
 * vectors of x86-64 and AArch64, one output channel an input channel: sixteen
 * neighbouring channels at once. */
#include "ash_rt_simd.h"

#if ASH_RT_SIMD == 512
static inline __m512i ash_rt_depthwise_get_512(const int8_t *p) {
  return _mm512_cvtepi8_epi32(
      _mm_loadu_si128((const __m128i *)(const void *)p));
}

/* Sums of channels [c, c + n), n up to 16. */
ASH_RT_INLINE void ash_rt_depthwise_sums_simd(const ash_rt_depthwise *k,
                                              int32_t c, int32_t n,
                                              int32_t *sums) {
  if (n == 16) {
    const int8_t *v = k->filter + c;
    __m512i r = _mm512_loadu_si512((const void *)(k->bias + c));
    for (int32_t j = 0; j < k->count; j++, v += k->channels)
      r = _mm512_add_epi32(
          r, _mm512_mullo_epi32(ash_rt_depthwise_get_512(k->taps[j] + c),
                                ash_rt_depthwise_get_512(v)));
    _mm512_storeu_si512((void *)sums, r);
    return;
  }
  const __mmask16 some = ash_rt_some_512(n);
  const int8_t *w = k->filter + c;
  __m512i s = _mm512_loadu_si512((const void *)(k->bias + c));
  for (int32_t j = 0; j < k->count; j++, w += k->channels) {
    const __m512i x = _mm512_cvtepi8_epi32(
        _mm_maskz_loadu_epi8(some, (const void *)(k->taps[j] + c)));
    const __m512i v =
        _mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(some, (const void *)w));
    s = _mm512_add_epi32(s, _mm512_mullo_epi32(x, v));
  }
  _mm512_storeu_si512((void *)sums, s);
}
#else
static inline int32_t ash_rt_depthwise_one_simd(const ash_rt_depthwise *k,
                                                int32_t c) {
  uint32_t s = (uint32_t)k->bias[c];
  const int8_t *w = k->filter + c;
  for (int32_t j = 0; j < k->count; j++, w += k->channels)
    s += (uint32_t)(k->taps[j][c] * *w);
  return (int32_t)s;
}

#if ASH_RT_SIMD == 256
/* Eight channels: products fit 16 bits. */
ASH_RT_INLINE void ash_rt_depthwise_eight_simd(const ash_rt_depthwise *k,
                                               int32_t c, int32_t *sums) {
  const int8_t *w = k->filter + c;
  __m256i s = _mm256_loadu_si256((const __m256i *)(const void *)(k->bias + c));
  for (int32_t j = 0; j < k->count; j++, w += k->channels) {
    const __m128i x = _mm_cvtepi8_epi16(
        _mm_loadl_epi64((const __m128i *)(const void *)(k->taps[j] + c)));
    const __m128i v =
        _mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *)(const void *)w));
    s = _mm256_add_epi32(s, _mm256_cvtepi16_epi32(_mm_mullo_epi16(x, v)));
  }
  _mm256_storeu_si256((__m256i *)(void *)sums, s);
}
#elif ASH_RT_SIMD == 128
ASH_RT_INLINE void ash_rt_depthwise_eight_simd(const ash_rt_depthwise *k,
                                               int32_t c, int32_t *sums) {
  const int8_t *w = k->filter + c;
  int32x4_t s = vld1q_s32(k->bias + c), r = vld1q_s32(k->bias + c + 4);
  for (int32_t j = 0; j < k->count; j++, w += k->channels) {
    const int16x8_t x = vmull_s8(vld1_s8(k->taps[j] + c), vld1_s8(w));
    s = vaddw_s16(s, vget_low_s16(x));
    r = vaddw_s16(r, vget_high_s16(x));
  }
  vst1q_s32(sums, s);
  vst1q_s32(sums + 4, r);
}
#else
ASH_RT_INLINE void ash_rt_depthwise_eight_simd(const ash_rt_depthwise *k,
                                               int32_t c, int32_t *sums) {
  for (int32_t i = 0; i < 8; i++)
    sums[i] = ash_rt_depthwise_one_simd(k, c + i);
}
#endif

ASH_RT_INLINE void ash_rt_depthwise_sums_simd(const ash_rt_depthwise *k,
                                              int32_t c, int32_t n,
                                              int32_t *sums) {
  int32_t i = 0;
  for (; i + 8 <= n; i += 8)
    ash_rt_depthwise_eight_simd(k, c + i, sums + i);
  for (; i < n; i++)
    sums[i] = ash_rt_depthwise_one_simd(k, c + i);
}
#endif

static void ash_rt_depthwise_pixel_simd(const ash_rt_depthwise *k,
                                        int8_t *out) {
  const ash_rt_range_simd r = {k->offset, k->low, k->high};
  for (int32_t c = 0; c < k->channels; c += ASH_RT_SIMD_GROUP) {
    const int32_t rest = k->channels - c;
    int32_t sums[ASH_RT_SIMD_GROUP];
    const ash_rt_sixteen_simd s =
        ash_rt_sixteen_of_simd(k->multiplier + c, k->shift + c);
    ash_rt_depthwise_sums_simd(
        k, c, rest < ASH_RT_SIMD_GROUP ? rest : ASH_RT_SIMD_GROUP, sums);
    ash_rt_put_simd(&s, sums, &r, rest, out + c);
  }
}

/* kernel depthwise_conv_2d_s8_simd */
void ash_rt_depthwise_conv_2d_s8_simd(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch) {
  const ash_rt_window *w = &p->window;
  ash_rt_depthwise k = {{0}, scratch, filter,        multiplier, shift, bias,
                        0,   0,       p->out_offset, 0,          0};
  ash_rt_depthwise_begin(p, &k, scratch);
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_depthwise_pixels(p, &k, &i, &o, 0, w->out_h,
                            ash_rt_depthwise_pixel_simd);
  }
}

/* kernel depthwise_conv_2d_s8_simd_lines */
void ash_rt_depthwise_conv_2d_s8_simd_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch) {
  ash_rt_depthwise k = {{0}, scratch, filter,        multiplier, shift, bias,
                        0,   0,       p->out_offset, 0,          0};
  ash_rt_depthwise_begin(p, &k, scratch);
  ash_rt_depthwise_pixels(p, &k, in, out, from, to,
                          ash_rt_depthwise_pixel_simd);
}
