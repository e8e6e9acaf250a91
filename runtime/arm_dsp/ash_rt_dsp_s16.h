/* ash_rt_dsp_s16.h - Arm DSP: int16, with weights of int8. */
#ifndef ASH_RT_DSP_S16_H
#define ASH_RT_DSP_S16_H

#include "ash_rt_dsp.h"
#include "ash_rt_layers_s16.h"

/* Columns are blocks of four elements in the order 0 2 1 3, which is what two
 * instructions make of four weights, of two pixels side by side. */
enum { ASH_RT_COLUMN_STEP = 8 };

/* Two elements, wherever they lie. */
static inline uint32_t ash_rt_load_halves(const int16_t *p) {
  uint32_t v;
  ASH_RT_COPY(&v, p, sizeof v);
  return v;
}

static inline void ash_rt_store_block_dsp(int16_t *to, uint32_t first,
                                          uint32_t second) {
  const uint32_t even = (first & 0xffffu) | second << 16;
  const uint32_t odd = first >> 16 | (second & 0xffff0000u);
#if ASH_RT_HAS_DSP
  __asm__("strd %1, %2, [%0]" : : "r"(to), "r"(even), "r"(odd) : "memory");
#else
  to[0] = (int16_t)ash_rt_low(even);
  to[1] = (int16_t)ash_rt_high(even);
  to[2] = (int16_t)ash_rt_low(odd);
  to[3] = (int16_t)ash_rt_high(odd);
#endif
}

/* Elements of a column; those behind the last are 0. */
static inline int16_t *ash_rt_spread_s16_dsp(int16_t *to, const int16_t *from,
                                             int32_t count) {
  for (; count >= 4; count -= 4, to += ASH_RT_COLUMN_STEP) {
    ash_rt_store_block_dsp(to, from ? ash_rt_load_halves(from) : 0,
                           from ? ash_rt_load_halves(from + 2) : 0);
    from = from ? from + 4 : from;
  }
  if (count > 0) {
    const int32_t a = from ? from[0] : 0, b = from && count > 1 ? from[1] : 0;
    const int32_t c = from && count > 2 ? from[2] : 0;
    ash_rt_store_block_dsp(to, ash_rt_pair(a, b), ash_rt_pair(c, 0));
    to += ASH_RT_COLUMN_STEP;
  }
  return to;
}

#define ASH_RT_WEIGHTS_S16                                                     \
  "ldr %[u], [%[w]], #4\n"                                                     \
  "sxtb16 %[v], %[u]\n"                                                        \
  "sxtb16 %[u], %[u], ror #8\n"
#define ASH_RT_PIXEL_S16(low, high, step)                                      \
  "ldrd %[p], %[q], [%[x]], #" step "\n"                                       \
  "smlald " low ", " high ", %[v], %[p]\n"                                     \
  "smlald " low ", " high ", %[u], %[q]\n"
#define ASH_RT_BOTH_S16                                                        \
  ASH_RT_WEIGHTS_S16 ASH_RT_PIXEL_S16("%[a]", "%[b]", "8")                     \
      ASH_RT_PIXEL_S16("%[c]", "%[d]", "8")
#define ASH_RT_ALONE_S16                                                       \
  ASH_RT_WEIGHTS_S16 ASH_RT_PIXEL_S16("%[a]", "%[b]", "16")

/* What fewer than four taps at the end add. */
static inline int64_t ash_rt_dot_rest_dsp(const int16_t *x, const int8_t *w,
                                          int32_t count) {
  int32_t s = x[0] * w[0];
  s += count > 1 ? x[2] * w[1] : 0;
  s += count > 2 ? x[1] * w[2] : 0;
  return s;
}

/* Sums of products of one channel's weights with two pixels' columns. A pass of
 * the loop is eight taps; an odd number of fours starts in its middle. */
static inline void ash_rt_dot_both_dsp(int64_t sums[2], const int16_t *x,
                                       const int8_t *w, int32_t count) {
  int32_t blocks = count >> 2;
  sums[0] = sums[1] = 0;
#if ASH_RT_HAS_DSP
  if (blocks) {
    uint32_t a = 0, b = 0, c = 0, d = 0, p, q, u, v;
    __asm__("tst %[n], #1\n"
            "bne 2f\n"
            "1:\n" ASH_RT_BOTH_S16 "2:\n" ASH_RT_BOTH_S16 "subs %[n], #2\n"
            "bgt 1b\n"
            : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [x] "+r"(x),
              [w] "+r"(w), [n] "+r"(blocks), [p] "=&r"(p), [q] "=&r"(q),
              [u] "=&r"(u), [v] "=&r"(v)
            :
            : "cc", "memory");
    sums[0] = (int64_t)((uint64_t)b << 32 | a);
    sums[1] = (int64_t)((uint64_t)d << 32 | c);
  }
#else
  for (; blocks > 0; blocks--, x += ASH_RT_COLUMN_STEP, w += 4) {
    static const int32_t order[4] = {0, 2, 1, 3};
    for (int32_t i = 0; i < 4; i++) {
      sums[0] += x[order[i]] * w[i];
      sums[1] += x[4 + order[i]] * w[i];
    }
  }
#endif
  if (count & 3) {
    sums[0] += ash_rt_dot_rest_dsp(x, w, count & 3);
    sums[1] += ash_rt_dot_rest_dsp(x + 4, w, count & 3);
  }
}

/* The same of the first pixel alone. */
static inline int64_t ash_rt_dot_alone_dsp(const int16_t *x, const int8_t *w,
                                           int32_t count) {
  int32_t blocks = count >> 2;
  int64_t sum = 0;
#if ASH_RT_HAS_DSP
  if (blocks) {
    uint32_t a = 0, b = 0, p, q, u, v;
    __asm__(
        "tst %[n], #1\n"
        "bne 2f\n"
        "1:\n" ASH_RT_ALONE_S16 "2:\n" ASH_RT_ALONE_S16 "subs %[n], #2\n"
        "bgt 1b\n"
        : [a] "+r"(a), [b] "+r"(b), [x] "+r"(x), [w] "+r"(w), [n] "+r"(blocks),
          [p] "=&r"(p), [q] "=&r"(q), [u] "=&r"(u), [v] "=&r"(v)
        :
        : "cc", "memory");
    sum = (int64_t)((uint64_t)b << 32 | a);
  }
#else
  for (; blocks > 0; blocks--, x += ASH_RT_COLUMN_STEP, w += 4)
    sum += (int64_t)(x[0] * w[0] + x[2] * w[1] + x[1] * w[2] + x[3] * w[3]);
#endif
  return sum + (count & 3 ? ash_rt_dot_rest_dsp(x, w, count & 3) : 0);
}

void ash_rt_conv_2d_s16_dsp(const ash_rt_layer_params *p, const int16_t *in,
                            const int8_t *filter, const void *bias,
                            const int32_t *multiplier, const int8_t *shift,
                            int16_t *out, void *scratch);
void ash_rt_conv_2d_s16_dsp_lines(const ash_rt_layer_params *p,
                                  const ash_rt_lines *in, const int8_t *filter,
                                  const void *bias, const int32_t *multiplier,
                                  const int8_t *shift, const ash_rt_lines *out,
                                  int32_t from, int32_t to, void *scratch);
void ash_rt_depthwise_conv_2d_s16_dsp(const ash_rt_layer_params *p,
                                      const int16_t *in, const int8_t *filter,
                                      const void *bias,
                                      const int32_t *multiplier,
                                      const int8_t *shift, int16_t *out);
void ash_rt_depthwise_conv_2d_s16_dsp_lines(
    const ash_rt_layer_params *p, const ash_rt_lines *in, const int8_t *filter,
    const void *bias, const int32_t *multiplier, const int8_t *shift,
    const ash_rt_lines *out, int32_t from, int32_t to);
void ash_rt_fully_connected_s16_dsp(const ash_rt_dense_params *p,
                                    const int16_t *in, const int8_t *filter,
                                    const void *bias, const double *ratio,
                                    int16_t *out, void *scratch);

/* Of int16 alone. */
void ash_rt_average_pool_2d_any_dsp(const ash_rt_pool_2d_any_params *p,
                                    const void *in, void *out);
void ash_rt_average_pool_2d_any_dsp_lines(const ash_rt_pool_2d_any_params *p,
                                          const ash_rt_lines *in,
                                          const ash_rt_lines *out, int32_t from,
                                          int32_t to);
void ash_rt_max_pool_2d_any_dsp(const ash_rt_pool_2d_any_params *p,
                                const void *in, void *out);
void ash_rt_max_pool_2d_any_dsp_lines(const ash_rt_pool_2d_any_params *p,
                                      const ash_rt_lines *in,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to);

#endif
