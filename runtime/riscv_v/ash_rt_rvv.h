/* ash_rt_rvv.h - RISC-V vectors (RVV 1.0, VLEN of 128 or more, RV64): what the
 * kernels for them share, also in plain C; only modules with such kernels carry
 * this file.
 *
 * As assembly, because intrinsics have other names in each compiler's version
 * and GCC 12 has none. Registers: v8-15 are up to 32 sums, the others come and
 * go. */
#ifndef ASH_RT_RVV_H
#define ASH_RT_RVV_H

#include "ash_rt_packed.h"

/* Channels or elements side by side. */
enum { ASH_RT_RVV_GROUP = 32 };

static inline int32_t ash_rt_group_rvv(int32_t left) {
  return left < ASH_RT_RVV_GROUP ? left : ASH_RT_RVV_GROUP;
}

#if defined(__riscv_vector) && __riscv_xlen == 64 && !defined(ASH_RT_PLAIN)
#define ASH_RT_HAS_RVV 1

/* GCC 12 does not know the names, nor does it use the registers. */
#if defined(__clang__)
#define ASH_RT_RVV_CLOBBERS                                                    \
  "memory", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",      \
      "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",    \
      "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"
#else
#define ASH_RT_RVV_CLOBBERS "memory"
#endif

/* vtype for %[n] elements; rounding to the nearest, ties up. */
#define ASH_RT_RVV_8    "vsetvli %[t], %[n], e8, m2, ta, ma\n"
#define ASH_RT_RVV_16   "vsetvli %[t], %[n], e16, m4, ta, ma\n"
#define ASH_RT_RVV_32   "vsetvli %[t], %[n], e32, m8, ta, ma\n"
#define ASH_RT_RVV_NEAR "csrwi vxrm, 0\n"

/* v8 * 2^-v16 to the nearest, ties away from zero: lowering a negative number
 * by one makes ties that go up go away. */
#define ASH_RT_RVV_SHIFT_DOWN                                                  \
  "vsra.vi v24, v8, 31\n"                                                      \
  "vadd.vv v8, v8, v24\n"                                                      \
  "vssra.vv v8, v8, v16\n"

/* v8, within %[low] and %[high], as bytes to %[out]. */
#define ASH_RT_RVV_STORE                                                       \
  "vmax.vx v8, v8, %[low]\n"                                                   \
  "vmin.vx v8, v8, %[high]\n" ASH_RT_RVV_16                                    \
  "vnsrl.wi v16, v8, 0\n" ASH_RT_RVV_8 "vnsrl.wi v4, v16, 0\n"                 \
  "vse8.v v4, (%[out])\n"

/* A register, times %[m] and 2^%[e]: ash_rt_rescale for shifts of 0 or below.
 * Without a shift nothing is rounded again, so nothing may be lowered. */
#define ASH_RT_RVV_SCALE(v, m, e, down)                                        \
  "vsmul.vx " v ", " v ", %[" m "]\n"                                          \
  "vand.vx v24, " v ", %[" e "]\n"                                             \
  "vsra.vi v24, v24, 31\n"                                                     \
  "vadd.vv " v ", " v ", v24\n"                                                \
  "vssra.vx " v ", " v ", %[" down "]\n"

/* Bytes from %[from], plus %[offset], as 32 bits. */
#define ASH_RT_RVV_LOAD(v, from, offset)                                       \
  "vle8.v v2, (%[" from "])\n"                                                 \
  "vsext.vf4 " v ", v2\n"                                                      \
  "vadd.vx " v ", " v ", %[" offset "]\n"

/* ash_rt_rescale for shifts below 0, the zero point, and out with it. */
#define ASH_RT_RVV_FINISH                                                      \
  ASH_RT_RVV_32                                                                \
  "vle32.v v16, (%[m])\n"                                                      \
  "vsmul.vv v8, v8, v16\n"                                                     \
  "vle8.v v2, (%[e])\n"                                                        \
  "vsext.vf4 v16, v2\n"                                                        \
  "vrsub.vi v16, v16, 0\n" ASH_RT_RVV_SHIFT_DOWN                               \
  "vadd.vx v8, v8, %[offset]\n" ASH_RT_RVV_STORE

/* v8 += x[0..taps) * weights: a scalar times the weights of all channels, two
 * taps in 16 bits, which is enough because not both weights are -128. */
#define ASH_RT_RVV_DOT                                                         \
  ASH_RT_RVV_32                                                                \
  "vle32.v v8, (%[bias])\n" ASH_RT_RVV_8 "beqz %[pairs], 2f\n"                 \
  "1:\n"                                                                       \
  "lb %[a], 0(%[x])\n"                                                         \
  "lb %[b], 1(%[x])\n"                                                         \
  "vle8.v v2, (%[w])\n"                                                        \
  "add %[w], %[w], %[n]\n"                                                     \
  "vle8.v v4, (%[w])\n"                                                        \
  "add %[w], %[w], %[n]\n"                                                     \
  "vwmul.vx v16, v2, %[a]\n"                                                   \
  "vwmacc.vx v16, %[b], v4\n" ASH_RT_RVV_16 "vwadd.wv v8, v8, v16\n"           \
  "addi %[x], %[x], 2\n"                                                       \
  "addi %[pairs], %[pairs], -1\n" ASH_RT_RVV_8 "bnez %[pairs], 1b\n"           \
  "2:\n"                                                                       \
  "beqz %[odd], 3f\n"                                                          \
  "lb %[a], 0(%[x])\n"                                                         \
  "vle8.v v2, (%[w])\n"                                                        \
  "vwmul.vx v16, v2, %[a]\n" ASH_RT_RVV_16 "vwadd.wv v8, v8, v16\n"            \
  "3:\n"
#else
#define ASH_RT_HAS_RVV 0

/* The sum of channel i of a group of n. */
static inline int32_t ash_rt_dot_rvv(const int32_t *bias, const int8_t *x,
                                     const int8_t *w, int32_t taps, int32_t n,
                                     int32_t i) {
  uint32_t s = (uint32_t)bias[i];
  for (int32_t t = 0; t < taps; t++)
    s += (uint32_t)(x[t] * w[(ptrdiff_t)t * n + i]);
  return (int32_t)s;
}
#endif

/* RISC-V vectors: weights are groups of 32 channels (the last may have fewer),
 * tap by tap; of two neighbouring taps, at most one is -128. */
void ash_rt_conv_2d_s8_rvv(const ash_rt_conv_2d_s8_params *p, const int8_t *in,
                           const int32_t *multiplier, const int8_t *shift,
                           const int32_t *bias, const int8_t *filter,
                           int8_t *out, void *scratch);
void ash_rt_conv_2d_s8_rvv_lines(const ash_rt_conv_2d_s8_params *p,
                                 const ash_rt_lines *in,
                                 const int32_t *multiplier, const int8_t *shift,
                                 const int32_t *bias, const int8_t *filter,
                                 const ash_rt_lines *out, int32_t from,
                                 int32_t to, void *scratch);
void ash_rt_depthwise_conv_2d_s8_rvv(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_rvv_lines(
    const ash_rt_depthwise_conv_2d_s8_params *p, const ash_rt_lines *in,
    const int8_t *filter, const int32_t *multiplier, const int8_t *shift,
    const int32_t *bias, const ash_rt_lines *out, int32_t from, int32_t to,
    void *scratch);
void ash_rt_fully_connected_s8_rvv(const ash_rt_fully_connected_s8_params *p,
                                   const int8_t *in, const int32_t *bias,
                                   const int8_t *filter, const int32_t *scale,
                                   int8_t *out);

/* Tensors of one shape. */
void ash_rt_add_s8_rvv(const ash_rt_add_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_mul_s8_rvv(const ash_rt_mul_s8_params *p, const int8_t *a,
                       const int8_t *b, int8_t *out);
void ash_rt_average_pool_2d_s8_rvv(const ash_rt_pool_2d_s8_params *p,
                                   const int8_t *in, int8_t *out);
void ash_rt_average_pool_2d_s8_rvv_lines(const ash_rt_pool_2d_s8_params *p,
                                         const ash_rt_lines *in,
                                         const ash_rt_lines *out, int32_t from,
                                         int32_t to);
void ash_rt_max_pool_2d_s8_rvv(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out);
void ash_rt_max_pool_2d_s8_rvv_lines(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_lines *in,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to);
void ash_rt_softmax_s8_rvv(const ash_rt_rows_params *p, const int8_t *in,
                           const int32_t *table, int8_t *out);

#endif
