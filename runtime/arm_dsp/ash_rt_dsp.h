/* ash_rt_dsp.h - single instructions of Arm's DSP extension, each also in plain
 * C; only modules with kernels for them carry this file. */
#ifndef ASH_RT_DSP_H
#define ASH_RT_DSP_H

#include "ash_rt_packed.h"

/* A pair is two 16-bit numbers, the
 * first in the low half. */
#if defined(__ARM_FEATURE_DSP) && defined(__ARM_FEATURE_SIMD32) &&             \
    !defined(ASH_RT_PLAIN)
#define ASH_RT_HAS_DSP 1
#else
#define ASH_RT_HAS_DSP 0
#endif

static inline uint32_t ash_rt_load_4(const int8_t *p) {
#if ASH_RT_HAS_DSP
  uint32_t v;
  ASH_RT_COPY(&v, p, 4);
  return v;
#else
  return (uint32_t)(uint8_t)p[0] | (uint32_t)(uint8_t)p[1] << 8 |
         (uint32_t)(uint8_t)p[2] << 16 | (uint32_t)(uint8_t)p[3] << 24;
#endif
}

static inline uint32_t ash_rt_pair(int32_t low, int32_t high) {
  return ((uint32_t)low & 0xffffu) | (uint32_t)high << 16;
}

static inline int32_t ash_rt_low(uint32_t pair) {
  return (int16_t)(uint16_t)pair;
}

static inline int32_t ash_rt_high(uint32_t pair) {
  return (int16_t)(uint16_t)(pair >> 16);
}

/* Bytes 0 and 2 as a pair. */
static inline uint32_t ash_rt_even(uint32_t x) {
#if ASH_RT_HAS_DSP
  uint32_t r;
  __asm__("sxtb16 %0, %1" : "=r"(r) : "r"(x));
  return r;
#else
  return ash_rt_pair((int8_t)(uint8_t)x, (int8_t)(uint8_t)(x >> 16));
#endif
}

/* Bytes 1 and 3. */
static inline uint32_t ash_rt_odd(uint32_t x) {
#if ASH_RT_HAS_DSP
  uint32_t r;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(r) : "r"(x));
  return r;
#else
  return ash_rt_pair((int8_t)(uint8_t)(x >> 8), (int8_t)(uint8_t)(x >> 24));
#endif
}

/* Both sums; they wrap around. */
static inline uint32_t ash_rt_add_pair(uint32_t a, uint32_t b) {
#if ASH_RT_HAS_DSP
  uint32_t r;
  __asm__("sadd16 %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
  return r;
#else
  return ash_rt_pair(ash_rt_low(a) + ash_rt_low(b),
                     ash_rt_high(a) + ash_rt_high(b));
#endif
}

/* s + the sum of both products; wraps around. */
static inline int32_t ash_rt_mla_pair(int32_t s, uint32_t a, uint32_t b) {
#if ASH_RT_HAS_DSP
  __asm__("smlad %0, %1, %2, %0" : "+r"(s) : "r"(a), "r"(b));
  return s;
#else
  return (int32_t)((uint32_t)s + (uint32_t)(ash_rt_low(a) * ash_rt_low(b)) +
                   (uint32_t)(ash_rt_high(a) * ash_rt_high(b)));
#endif
}

static inline int32_t ash_rt_mla_low(int32_t s, uint32_t a, uint32_t b) {
#if ASH_RT_HAS_DSP
  __asm__("smlabb %0, %1, %2, %0" : "+r"(s) : "r"(a), "r"(b));
  return s;
#else
  return (int32_t)((uint32_t)s + (uint32_t)(ash_rt_low(a) * ash_rt_low(b)));
#endif
}

static inline int32_t ash_rt_mla_high(int32_t s, uint32_t a, uint32_t b) {
#if ASH_RT_HAS_DSP
  __asm__("smlatt %0, %1, %2, %0" : "+r"(s) : "r"(a), "r"(b));
  return s;
#else
  return (int32_t)((uint32_t)s + (uint32_t)(ash_rt_high(a) * ash_rt_high(b)));
#endif
}

/* a * b * 2^-32, to the nearest, ties up. */
static inline int32_t ash_rt_mul_top(int32_t a, int32_t b) {
#if ASH_RT_HAS_DSP
  int32_t r;
  __asm__("smmulr %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
  return r;
#else
  return (int32_t)(((int64_t)a * b + ((int64_t)1 << 31)) >> 32);
#endif
}

/* x / 2, rounded down, within int8. */
static inline int8_t ash_rt_halve_s8(int32_t x) {
#if ASH_RT_HAS_DSP
  int32_t r;
  __asm__("ssat %0, #8, %1, asr #1" : "=r"(r) : "r"(x));
  return (int8_t)r;
#else
  return (int8_t)ash_rt_clamp(x >> 1, -128, 127);
#endif
}

static inline int8_t ash_rt_saturate_s8(int32_t x) {
#if ASH_RT_HAS_DSP
  int32_t r;
  __asm__("ssat %0, #8, %1" : "=r"(r) : "r"(x));
  return (int8_t)r;
#else
  return (int8_t)ash_rt_clamp(x, -128, 127);
#endif
}

/* ash_rt_rescale, zero point and saturation, for |sum| < 2^30 and shift < 0,
 * where `right` is -shift - 1: doubling the sum makes one instruction of
 * mul_high; lowering a negative number by one makes ties that go up go away
 * from zero; the last bit of the shift is left to ash_rt_halve_s8, with which 2
 * * zero point + 1 is added. */
static inline int8_t ash_rt_rescale_dsp(int32_t sum, int32_t multiplier,
                                        int32_t right, int32_t twice) {
  const int32_t x = ash_rt_mul_top((int32_t)((uint32_t)sum << 1), multiplier);
  return ash_rt_halve_s8(((x + (x >> 31)) >> right) + twice);
}

/* For fused activations that leave less than int8. */
static ASH_RT_NOINLINE ASH_RT_MAYBE_UNUSED void
ash_rt_clamp_each_s8(int8_t *out, int32_t count, int32_t low, int32_t high) {
  for (int32_t i = 0; i < count; i++)
    out[i] = (int8_t)ash_rt_clamp(out[i], low, high);
}

static inline void ash_rt_clamp_run_s8(int8_t *out, int32_t count, int32_t low,
                                       int32_t high) {
  if (low != -128 || high != 127)
    ash_rt_clamp_each_s8(out, count, low, high);
}

/* Blocks of four bytes, at least one, as 16-bit numbers in the order 0 2 1 3,
 * which is what two instructions make of four weights too; `step` numbers from
 * one block to the next. Returns where the next one would be. */
static inline int16_t *ash_rt_spread_dsp(int16_t *to, int32_t step,
                                         const int8_t *from, int32_t count) {
  const int8_t *const end = from + count;
  do {
    const uint32_t x = ash_rt_load_4(from);
    const uint32_t even = ash_rt_even(x), odd = ash_rt_odd(x);
#if ASH_RT_HAS_DSP
    __asm__("strd %1, %2, [%0]" : : "r"(to), "r"(even), "r"(odd) : "memory");
#else
    to[0] = (int16_t)ash_rt_low(even);
    to[1] = (int16_t)ash_rt_high(even);
    to[2] = (int16_t)ash_rt_low(odd);
    to[3] = (int16_t)ash_rt_high(odd);
#endif
    from += 4;
    to += step;
  } while (from < end);
  return to;
}

/* Two 16-bit numbers at an address that is a multiple of 4. */
static inline uint32_t ash_rt_load_pair(const int16_t *p) {
#if ASH_RT_HAS_DSP
  typedef uint32_t __attribute__((may_alias)) ash_rt_word;
  return *(const ash_rt_word *)(const void *)p;
#else
  return ash_rt_pair(p[0], p[1]);
#endif
}

/* Arm DSP: two 16-bit products at once. Weights are groups of channels (two for
 * convolution and for fully connected layers of one or two rows, else four) by
 * blocks of four taps, an even number of them; sums are below 2^30. Shifts are
 * below 0; `shift` has -shift - 1, below 0 for constant channels. */
void ash_rt_conv_2d_s8_dsp(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch);
void ash_rt_conv_2d_s8_dsp_lines(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const int32_t *multiplier, const int8_t *shift,
                                 const int32_t *bias, const int8_t *filter,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to, void *scratch);
/* Of groups, and transposed: see ash_rt_parts.h. */
void ash_rt_conv_2d_s8_groups_dsp(const ash_rt_conv_2d_s8_params *p,
                                  const int8_t *in, const int32_t *multiplier,
                                  const int8_t *shift, const int32_t *bias,
                                  const int8_t *filter, int8_t *out,
                                  void *scratch);
void ash_rt_conv_2d_s8_groups_dsp_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
void ash_rt_transpose_conv_s8_dsp(const ash_rt_conv_2d_s8_params *p,
                                  const int8_t *in, const int32_t *multiplier,
                                  const int8_t *shift, const int32_t *bias,
                                  const int8_t *filter, int8_t *out,
                                  void *scratch);
void ash_rt_transpose_conv_s8_dsp_lines(
    const ash_rt_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int32_t *multiplier, const int8_t *shift, const int32_t *bias,
    const int8_t *filter, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
/* Of points, without padding; `scratch` is not used. */
void ash_rt_conv_2d_s8_few_dsp(const ash_rt_conv_2d_s8_params *p,
                               const int8_t *in, const int32_t *multiplier,
                               const int8_t *shift, const int32_t *bias,
                               const int8_t *filter, int8_t *out,
                               void *scratch);
void ash_rt_conv_2d_s8_few_dsp_lines(const ash_rt_conv_2d_s8_params *p,
                                     const ash_rt_lines *in,
                                     const int32_t *multiplier,
                                     const int8_t *shift, const int32_t *bias,
                                     const int8_t *filter,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to, void *scratch);
void ash_rt_depthwise_conv_2d_s8_dsp(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_dsp_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
/* `scale` is multiplier m, addend c, shifts f and k: a sum s becomes
 * (mul_high(s << k, m) + c) >> f, which the compiler has compared with the
 * arithmetic of ash_rt_fully_connected_s8 for every sum there can be. */
void ash_rt_fully_connected_s8_dsp(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out, void *scratch);

/* Tensors of one shape; mul_s8_dsp: for shifts below 0. */
void ash_rt_add_s8_dsp(const ash_rt_add_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_mul_s8_dsp(const ash_rt_mul_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_average_pool_2d_s8_dsp(const ash_rt_pool_2d_s8_params *p,
                                   const int8_t *in, int8_t *out);
void ash_rt_average_pool_2d_s8_dsp_lines(const ash_rt_pool_2d_s8_params *p,
                                         const ash_rt_lines *in,
                                         const ash_rt_lines *out, int32_t from,
                                         int32_t to);
void ash_rt_max_pool_2d_s8_dsp(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out);
void ash_rt_max_pool_2d_s8_dsp_lines(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_lines *in,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to);

#endif
