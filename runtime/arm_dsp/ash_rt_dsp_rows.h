/* ash_rt_dsp_rows.h - Arm DSP: rows of a matrix as the model has them times one
 * column, int8, for layers with state. */
#ifndef ASH_RT_DSP_ROWS_H
#define ASH_RT_DSP_ROWS_H

#include "ash_rt_dsp.h"
#include "ash_rt_state.h"

/* Rows that share each load of the column. */
enum { ASH_RT_ROWS_DSP = 3 };

/* x + offset as 16-bit numbers, blocks of four in the order 0 2 1 3, which is
 * what two instructions make of four weights. Returns the end. */
static inline int16_t *ash_rt_column_dsp(int16_t *to, const int8_t *from,
                                         int32_t count, int32_t offset) {
  const uint32_t both = ash_rt_pair(offset, offset);
  for (; count > 0; count -= 4, from += 4, to += 4) {
    int8_t last[4] = {0, 0, 0, 0};
    for (int32_t i = 0; i < count && count < 4; i++)
      last[i] = from[i];
    const uint32_t x = ash_rt_load_4(count < 4 ? last : from);
    const uint32_t even = ash_rt_add_pair(ash_rt_even(x), both);
    const uint32_t odd = ash_rt_add_pair(ash_rt_odd(x), both);
    ASH_RT_COPY(to, &even, sizeof even);
    ASH_RT_COPY(to + 2, &odd, sizeof odd);
  }
  return to;
}

/* What fewer than four taps at the end add. */
static inline uint32_t ash_rt_row_rest_dsp(uint32_t s, const int16_t *x,
                                           const int8_t *w, int32_t count) {
  s += (uint32_t)(x[0] * w[0]);
  s += count > 1 ? (uint32_t)(x[2] * w[1]) : 0;
  s += count > 2 ? (uint32_t)(x[1] * w[2]) : 0;
  return s;
}

#if ASH_RT_HAS_DSP
#define ASH_RT_ROW_DSP(from, sum)                                              \
  "ldr %[u], " from "\n"                                                       \
  "sxtb16 %[v], %[u]\n"                                                        \
  "sxtb16 %[u], %[u], ror #8\n"                                                \
  "smlad " sum ", %[v], %[p], " sum "\n"                                       \
  "smlad " sum ", %[u], %[q], " sum "\n"
#define ASH_RT_ONE_DSP                                                         \
  "ldrd %[p], %[q], [%[x]], #8\n" ASH_RT_ROW_DSP("[%[w]], #4", "%[a]")
#define ASH_RT_THREE_DSP                                                       \
  "ldrd %[p], %[q], [%[x]], #8\n" ASH_RT_ROW_DSP("[%[w], %[pitch]]", "%[b]")   \
      ASH_RT_ROW_DSP("[%[w], %[pitch], lsl #1]", "%[c]")                       \
          ASH_RT_ROW_DSP("[%[w]], #4", "%[a]")
#endif

/* Sums of products of the column with three rows, `pitch` apart, which may be
 * one and the same (0). A pass of the loop is eight taps; an odd number of
 * fours starts in its middle. */
static inline void ash_rt_three_rows_dsp(int32_t *sums, const int16_t *x,
                                         const int8_t *w, int32_t pitch,
                                         int32_t count) {
  int32_t blocks = count >> 2;
  uint32_t a = 0, b = 0, c = 0;
#if ASH_RT_HAS_DSP
  if (blocks) {
    uint32_t p, q, u, v;
    __asm__("tst %[n], #1\n"
            "bne 2f\n"
            "1:\n" ASH_RT_THREE_DSP "2:\n" ASH_RT_THREE_DSP "subs %[n], #2\n"
            "bgt 1b\n"
            : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [x] "+r"(x), [w] "+r"(w),
              [n] "+r"(blocks), [p] "=&r"(p), [q] "=&r"(q), [u] "=&r"(u),
              [v] "=&r"(v)
            : [pitch] "r"(pitch)
            : "cc", "memory");
  }
#else
  for (; blocks > 0; blocks--, x += 4, w += 4) {
    static const int32_t order[4] = {0, 2, 1, 3};
    for (int32_t i = 0; i < 4; i++) {
      a += (uint32_t)(x[order[i]] * w[i]);
      b += (uint32_t)(x[order[i]] * w[pitch + i]);
      c += (uint32_t)(x[order[i]] * w[2 * pitch + i]);
    }
  }
#endif
  if (count & 3) {
    a = ash_rt_row_rest_dsp(a, x, w, count & 3);
    b = ash_rt_row_rest_dsp(b, x, w + pitch, count & 3);
    c = ash_rt_row_rest_dsp(c, x, w + 2 * (ptrdiff_t)pitch, count & 3);
  }
  sums[0] = (int32_t)a;
  sums[1] = (int32_t)b;
  sums[2] = (int32_t)c;
}

static inline int32_t ash_rt_row_dsp(const int16_t *x, const int8_t *w,
                                     int32_t count) {
  int32_t blocks = count >> 2;
  uint32_t a = 0;
#if ASH_RT_HAS_DSP
  if (blocks) {
    uint32_t p, q, u, v;
    __asm__("tst %[n], #1\n"
            "bne 2f\n"
            "1:\n" ASH_RT_ONE_DSP "2:\n" ASH_RT_ONE_DSP "subs %[n], #2\n"
            "bgt 1b\n"
            : [a] "+r"(a), [x] "+r"(x), [w] "+r"(w), [n] "+r"(blocks),
              [p] "=&r"(p), [q] "=&r"(q), [u] "=&r"(u), [v] "=&r"(v)
            :
            : "cc", "memory");
  }
#else
  for (; blocks > 0; blocks--, x += 4, w += 4)
    a += (uint32_t)(x[0] * w[0] + x[2] * w[1] + x[1] * w[2] + x[3] * w[3]);
#endif
  if (count & 3)
    a = ash_rt_row_rest_dsp(a, x, w, count & 3);
  return (int32_t)a;
}

/* Of up to three rows. */
static inline void ash_rt_rows_dsp(int32_t *sums, const int16_t *x,
                                   const int8_t *w, int32_t depth,
                                   int32_t rows) {
  if (rows >= ASH_RT_ROWS_DSP) {
    ash_rt_three_rows_dsp(sums, x, w, depth, depth);
    return;
  }
  for (int32_t i = 0; i < rows; i++, w += depth)
    sums[i] = ash_rt_row_dsp(x, w, depth);
}

/* x within 16 bits. */
static inline int32_t ash_rt_short_dsp(int32_t x) {
#if ASH_RT_HAS_DSP
  int32_t r;
  __asm__("ssat %0, #16, %1" : "=r"(r) : "r"(x));
  return r;
#else
  return ash_rt_clamp(x, -32768, 32767);
#endif
}

/* a + b within 16 bits. */
static inline int32_t ash_rt_add_short_dsp(int32_t a, int32_t b) {
#if ASH_RT_HAS_DSP
  int32_t r;
  __asm__("qadd %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
  return ash_rt_short_dsp(r);
#else
  const int64_t y = (int64_t)a + b;
  return y < -32768 ? -32768 : y > 32767 ? 32767 : (int32_t)y;
#endif
}

/* ash_rt_rescale of sums below 2^30: doubling them makes one instruction of the
 * product where the shift is below 0. */
static inline int32_t ash_rt_rescale_sum_dsp(int32_t sum, int32_t multiplier,
                                             int32_t shift) {
  if (shift >= 0)
    return ash_rt_rescale(sum, multiplier, shift);
  const int32_t x = ash_rt_mul_top((int32_t)((uint32_t)sum << 1), multiplier);
  return (((x + (x >> 31)) >> (-shift - 1)) + 1) >> 1;
}

/* The compiler has seen that sums and biases are below 2^29. */
void ash_rt_svdf_s8_dsp(const ash_rt_svdf_params *p, const int8_t *in,
                        const int8_t *feature, const int16_t *time,
                        const int32_t *bias, int16_t *state, int8_t *out,
                        void *work);
void ash_rt_lstm_s8_dsp(const ash_rt_lstm_s8_params *p, const int8_t *in,
                        const void *const *parts, int8_t *state, int16_t *cell,
                        int8_t *out, void *work);

#endif
