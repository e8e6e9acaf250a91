/* ash_rt_pie.h - kernels for the vectors of the ESP32-S3 (PIE), and what they
 * are made of; only modules with such kernels carry this file.
 *
 * The compiler knows nothing of these vectors and their accumulators, so that
 * nothing stays in them between two pieces of assembly: each piece is a whole
 * sum. Elsewhere the same sums are made of functions that do in C what one
 * instruction does, no more and no less. What an instruction does is said in
 * the ESP32-S3 Technical Reference Manual, chapter 1 (Processor Instruction
 * Extensions), and in Espressif's esp-dl
 * (tools/agents/skills/esp32s3-pie-simd):
 *
 *   EE.VLD.128.IP/.XP    16 bytes; the last four bits of the address count as 0
 *   EE.VMULAS.S8.ACCX    adds 16 products of signed bytes to 40 bits, which
 *                        saturate once, after all of them
 *   EE.VMULAS.S8.QACC    adds each to a lane of 20 bits, which saturate
 *   EE.VMULAS.S8.*.LD    the same, then loads: the products take the vectors as
 *                        they were before
 *   EE.ST.QACC_*         lanes as they lie in 160 bits, 0 to 7 (L), 8 to 15 (H)
 *
 * Neither ever saturates here: pass/pack.c proves that sums stay below 2^30,
 * and 25 products of bytes are below 2^19. ESP-IDF saves these registers with a
 * task; an interrupt handler must not call such kernels. */
#ifndef ASH_RT_PIE_H
#define ASH_RT_PIE_H

#include "ash_rt_packed.h"

enum {
  ASH_RT_PIE_BLOCK = 16,
  ASH_RT_PIE_WORDS = 16 /* of the lanes in memory: 5 and 5, in 16-byte steps */
};

ASH_RT_STATIC_ASSERT(ASH_RT_DEPTHWISE_TAPS * 128 * 128 < 1 << 19,
                     depthwise_sums_fit_lanes);

static inline int ash_rt_is_aligned_pie(const void *p) {
  return ((uintptr_t)p & (ASH_RT_PIE_BLOCK - 1)) == 0;
}

#if defined(__XTENSA__) && !defined(ASH_RT_PLAIN)
#define ASH_RT_HAS_PIE 1
#else
#define ASH_RT_HAS_PIE 0

/* ---- instructions in C ----------------------------------------------------
 */

typedef struct ash_rt_q_pie {
  int8_t at[ASH_RT_PIE_BLOCK];
} ash_rt_q_pie;

/* EE.VLD.128 */
static inline ash_rt_q_pie ash_rt_vld_pie(const int8_t *p) {
  ash_rt_q_pie q;
  p -= (uintptr_t)p & (ASH_RT_PIE_BLOCK - 1);
  ASH_RT_COPY(q.at, p, sizeof q.at);
  return q;
}

/* EE.VMULAS.S8.ACCX */
static inline int64_t ash_rt_vmulas_accx_pie(int64_t accx, ash_rt_q_pie x,
                                             ash_rt_q_pie y) {
  const int64_t most = ((int64_t)1 << 39) - 1;
  for (int i = 0; i < ASH_RT_PIE_BLOCK; i++)
    accx += x.at[i] * y.at[i];
  return accx > most ? most : accx < -most - 1 ? -most - 1 : accx;
}

typedef struct ash_rt_qacc_pie {
  int32_t lane[ASH_RT_PIE_BLOCK];
} ash_rt_qacc_pie;

/* EE.VMULAS.S8.QACC */
static inline void ash_rt_vmulas_qacc_pie(ash_rt_qacc_pie *q, ash_rt_q_pie x,
                                          ash_rt_q_pie y) {
  const int32_t most = (1 << 19) - 1;
  for (int i = 0; i < ASH_RT_PIE_BLOCK; i++)
    q->lane[i] = ash_rt_clamp(q->lane[i] + x.at[i] * y.at[i], -most - 1, most);
}

/* EE.ST.QACC_L.L.128, EE.ST.QACC_L.H.32 and the same of H, 16 bytes apart. */
static inline void ash_rt_st_qacc_pie(uint32_t *to, const ash_rt_qacc_pie *q) {
  for (int i = 0; i < ASH_RT_PIE_WORDS; i++)
    to[i] = 0;
  for (int i = 0; i < ASH_RT_PIE_BLOCK * 20; i++) {
    const int half = i / 160, bit = i % 160;
    const uint32_t x = (uint32_t)q->lane[i / 20] >> (i % 20) & 1;
    to[8 * half + bit / 32] |= x << (bit % 32);
  }
}
#endif

/* ---- from sums to outputs -------------------------------------------------
 */

/* a * b * 2^-31 to the nearest, ties up; |a| < 2^30. */
static inline int32_t ash_rt_mul_top_pie(int32_t a, int32_t b) {
  const int64_t y = (int64_t)(a * 2) * b;
  return (int32_t)(y >> 32) + (int32_t)((uint32_t)y >> 31);
}

/* Scale, zero point and clamp; `twice` is 2 * zero point + 1. */
static inline int8_t ash_rt_rescale_pie(int32_t sum, int32_t multiplier,
                                        int32_t shift, int32_t twice,
                                        int32_t low, int32_t high) {
  const int32_t x = ash_rt_mul_top_pie(sum, multiplier);
  const int32_t y = (((x + (x >> 31)) >> shift) + twice) >> 1;
  return (int8_t)ash_rt_clamp(y, low, high);
}

/* ---- sums ---------------------------------------------------------------- */

#define ASH_RT_PIE_16                                                          \
  "ee.vld.128.ip q0, %[x], 16\n"                                               \
  "ee.vmulas.s8.accx.ld.ip q1, %[w], 16, q0, q1\n"

/* The sum of products of `blocks` (at least 1) times sixteen bytes, both in
 * whole blocks. Nothing behind them is read. */
ASH_RT_INLINE int32_t ash_rt_dot_pie(const int8_t *x, const int8_t *w,
                                     int32_t blocks) {
#if ASH_RT_HAS_PIE
  int32_t sum, fours = (blocks - 1) / 4, ones = (blocks - 1) % 4;
  __asm__ volatile(
      "ee.zero.accx\n"
      "ee.vld.128.ip q1, %[w], 16\n"
      "beqz %[f], 2f\n"
      "1:\n" ASH_RT_PIE_16 ASH_RT_PIE_16 ASH_RT_PIE_16 ASH_RT_PIE_16
      "addi %[f], %[f], -1\n"
      "bnez %[f], 1b\n"
      "2:\n"
      "beqz %[o], 4f\n"
      "3:\n" ASH_RT_PIE_16 "addi %[o], %[o], -1\n"
      "bnez %[o], 3b\n"
      "4:\n"
      "ee.vld.128.ip q0, %[x], 16\n"
      "ee.vmulas.s8.accx q0, q1\n"
      "rur.accx_0 %[s]\n"
      : [x] "+a"(x), [w] "+a"(w), [f] "+a"(fours), [o] "+a"(ones), [s] "=a"(sum)
      :
      : "memory");
  return sum;
#else
  int64_t accx = 0;
  for (int32_t i = 0; i < blocks; i++)
    accx =
        ash_rt_vmulas_accx_pie(accx, ash_rt_vld_pie(x + i * ASH_RT_PIE_BLOCK),
                               ash_rt_vld_pie(w + i * ASH_RT_PIE_BLOCK));
  return (int32_t)(uint32_t)((uint64_t)accx & UINT32_MAX);
#endif
}

/* Bits [20 i, 20 i + 20) of five words, with their sign. */
static inline int32_t ash_rt_lane_pie(const uint32_t *words, int32_t i) {
  const int32_t at = 20 * i, shift = at % 32;
  uint32_t x = words[at / 32] >> shift;
  if (shift > 12)
    x |= words[at / 32 + 1] << (32 - shift);
  return (int32_t)(x << 12) >> 12;
}

/* Sums over `count` taps of sixteen channels: of products of the bytes that
 * begin `at` bytes behind each pointer with weights `pitch` bytes apart, all in
 * whole blocks. */
ASH_RT_INLINE void ash_rt_lanes_pie(const int8_t *const *taps, int32_t at,
                                    const int8_t *w, int32_t pitch,
                                    int32_t count,
                                    int32_t sums[ASH_RT_PIE_BLOCK]) {
  ASH_RT_ALIGN(16) uint32_t words[ASH_RT_PIE_WORDS];
#if ASH_RT_HAS_PIE
  int32_t left = count - 1;
  const int8_t *t;
  uint32_t *to = words;
  __asm__ volatile(
      "ee.zero.qacc\n"
      "ee.vld.128.xp q1, %[w], %[p]\n"
      "beqz %[n], 2f\n"
      "1:\n"
      "l32i %[t], %[k], 0\n"
      "addi %[k], %[k], 4\n"
      "add %[t], %[t], %[c]\n"
      "ee.vld.128.ip q0, %[t], 0\n"
      "ee.vmulas.s8.qacc.ld.xp q1, %[w], %[p], q0, q1\n"
      "addi %[n], %[n], -1\n"
      "bnez %[n], 1b\n"
      "2:\n"
      "l32i %[t], %[k], 0\n"
      "add %[t], %[t], %[c]\n"
      "ee.vld.128.ip q0, %[t], 0\n"
      "ee.vmulas.s8.qacc q0, q1\n"
      "ee.st.qacc_l.l.128.ip %[o], 16\n"
      "ee.st.qacc_l.h.32.ip %[o], 16\n"
      "ee.st.qacc_h.l.128.ip %[o], 16\n"
      "ee.st.qacc_h.h.32.ip %[o], 0\n"
      : [w] "+a"(w), [k] "+a"(taps), [n] "+a"(left), [t] "=&a"(t), [o] "+a"(to)
      : [p] "a"(pitch), [c] "a"(at)
      : "memory");
#else
  ash_rt_qacc_pie q = {{0}};
  for (int32_t i = 0; i < count; i++)
    ash_rt_vmulas_qacc_pie(&q, ash_rt_vld_pie(taps[i] + at),
                           ash_rt_vld_pie(w + (ptrdiff_t)i * pitch));
  ash_rt_st_qacc_pie(words, &q);
#endif
  for (int32_t i = 0; i < 8; i++) {
    sums[i] = ash_rt_lane_pie(words, i);
    sums[8 + i] = ash_rt_lane_pie(words + 8, i);
  }
}

/* From pass/pack.c, with shifts as for DSP; weights are rows of channels,
 * filled up to whole blocks. */
void ash_rt_conv_2d_s8_pie(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch);
void ash_rt_conv_2d_s8_pie_lines(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const int32_t *multiplier, const int8_t *shift,
                                 const int32_t *bias, const int8_t *filter,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to, void *scratch);
void ash_rt_depthwise_conv_2d_s8_pie(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_pie_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
void ash_rt_fully_connected_s8_pie(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out, void *scratch);

#endif
