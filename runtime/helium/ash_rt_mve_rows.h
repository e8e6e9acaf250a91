/* ash_rt_mve_rows.h - Helium: rows of a matrix as the model has them times one
 * column, int8, for layers with state. */
#ifndef ASH_RT_MVE_ROWS_H
#define ASH_RT_MVE_ROWS_H

#include "ash_rt_mve.h"
#include "ash_rt_state.h"

/* Rows that share each load of the column. */
enum { ASH_RT_ROWS_MVE = 4 };

/* A column of `count` numbers and where the first of four rows is. */
typedef struct ash_rt_rows_mve {
  const int16_t *x;
  const int8_t *w;
  int32_t pitch, count;
  int32_t sums[ASH_RT_ROWS_MVE];
} ash_rt_rows_mve;

static inline ash_rt_rows_mve ash_rt_rows_mve_of(const int16_t *x,
                                                 int32_t count) {
  const ash_rt_rows_mve r = {x, 0, count, count, {0, 0, 0, 0}};
  return r;
}

/* As assembly with its own choice of registers, which must be some of the first
 * eight where a load widens, and even where sums are. */
static inline void ash_rt_sum_rows_mve(ash_rt_rows_mve *rows) {
#if ASH_RT_HAS_MVE
  register ash_rt_rows_mve *at __asm__("r12") = rows;
  __asm__ volatile("ldrd r10, r0, [r12]\n"
                   "ldrd r8, lr, [r12, #8]\n"
                   "add r1, r0, r8\n"
                   "add r3, r1, r8\n"
                   "add r5, r3, r8\n"
                   "movs r2, #0\n"
                   "movs r4, #0\n"
                   "movs r6, #0\n"
                   "mov r8, #0\n"
                   "dlstp.16 lr, lr\n"
                   "1:\n"
                   "vldrh.16 q0, [r10], #16\n"
                   "vldrb.s16 q1, [r0], #8\n"
                   "vmladava.s16 r2, q0, q1\n"
                   "vldrb.s16 q1, [r1], #8\n"
                   "vmladava.s16 r4, q0, q1\n"
                   "vldrb.s16 q1, [r3], #8\n"
                   "vmladava.s16 r6, q0, q1\n"
                   "vldrb.s16 q1, [r5], #8\n"
                   "vmladava.s16 r8, q0, q1\n"
                   "letp lr, 1b\n"
                   "strd r2, r4, [r12, #16]\n"
                   "strd r6, r8, [r12, #24]\n"
                   : "+r"(at)
                   :
                   : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r10",
                     "lr", "cc", "q0", "q1", "memory");
#else
  const int8_t *w = rows->w;
  for (int32_t k = 0; k < ASH_RT_ROWS_MVE; k++, w += rows->pitch) {
    uint32_t s = 0;
    for (int32_t i = 0; i < rows->count; i++)
      s += (uint32_t)(rows->x[i] * w[i]);
    rows->sums[k] = (int32_t)s;
  }
#endif
}

/* Of fewer than four rows, each by itself: nothing behind them is read. */
static ASH_RT_NOINLINE ASH_RT_MAYBE_UNUSED void
ash_rt_few_rows_mve(ash_rt_rows_mve *rows, int32_t left) {
  ash_rt_rows_mve one = *rows;
  one.pitch = 0;
  for (int32_t k = 0; k < left; k++, one.w += one.count) {
    ash_rt_sum_rows_mve(&one);
    rows->sums[k] = one.sums[0];
  }
}

/* Sums of the next four rows, of which `left` are there. */
static inline ash_rt_four ash_rt_four_rows_mve(ash_rt_rows_mve *rows,
                                               int32_t left) {
  if (left >= ASH_RT_ROWS_MVE)
    ash_rt_sum_rows_mve(rows);
  else
    ash_rt_few_rows_mve(rows, left);
  rows->w += ASH_RT_ROWS_MVE * (ptrdiff_t)rows->count;
  return ash_rt_four_load(rows->sums);
}

/* x + offset as 16-bit numbers. */
static inline void ash_rt_column_mve(int16_t *to, const int8_t *from,
                                     int32_t count, int32_t offset) {
#if ASH_RT_HAS_MVE
  for (; count > 0; count -= 8, from += 8, to += 8) {
    const mve_pred16_t p = vctp16q((uint32_t)count);
    vstrhq_p_s16(to, vaddq_n_s16(vldrbq_z_s16(from, p), (int16_t)offset), p);
  }
#else
  for (int32_t i = 0; i < count; i++)
    to[i] = (int16_t)(from[i] + offset);
#endif
}

/* ash_rt_rescale for a scale that is the same for all, which may be above 1. */
static inline ash_rt_four
ash_rt_rescale_all_mve(ash_rt_four s, int32_t multiplier, int32_t shift) {
#if ASH_RT_HAS_MVE
  if (shift > 0)
    return vqrdmulhq_n_s32(vshlq_r_s32(s, shift), multiplier);
  s = vqrdmulhq_n_s32(s, multiplier);
  return shift == 0 ? s : ash_rt_shift_mve(s, vdupq_n_s32(shift));
#else
  for (int32_t i = 0; i < 4; i++)
    s.at[i] = ash_rt_rescale(s.at[i], multiplier, shift);
  return s;
#endif
}

/* ---- four numbers -------------------------------------------------------- */

/* The first `rest` of four; the others are 0. */
static inline ash_rt_four ash_rt_four_some(const int32_t *from, int32_t rest) {
#if ASH_RT_HAS_MVE
  return vldrwq_z_s32(from, vctp32q((uint32_t)rest));
#else
  ash_rt_four x = ash_rt_four_of(0);
  for (int32_t i = 0; i < 4 && i < rest; i++)
    x.at[i] = from[i];
  return x;
#endif
}

static inline ash_rt_four ash_rt_four_shorts(const int16_t *from,
                                             int32_t rest) {
#if ASH_RT_HAS_MVE
  return vldrhq_z_s32(from, vctp32q((uint32_t)rest));
#else
  ash_rt_four x = ash_rt_four_of(0);
  for (int32_t i = 0; i < 4 && i < rest; i++)
    x.at[i] = from[i];
  return x;
#endif
}

static inline ash_rt_four ash_rt_four_mul(ash_rt_four a, ash_rt_four b) {
#if ASH_RT_HAS_MVE
  return vmulq_s32(a, b);
#else
  for (int32_t i = 0; i < 4; i++)
    a.at[i] *= b.at[i];
  return a;
#endif
}

/* Wraps around. */
static inline ash_rt_four ash_rt_four_add(ash_rt_four a, ash_rt_four b) {
#if ASH_RT_HAS_MVE
  return vaddq_s32(a, b);
#else
  for (int32_t i = 0; i < 4; i++)
    a.at[i] = (int32_t)((uint32_t)a.at[i] + (uint32_t)b.at[i]);
  return a;
#endif
}

static inline ash_rt_four ash_rt_four_within(ash_rt_four x, int32_t low,
                                             int32_t high) {
#if ASH_RT_HAS_MVE
  return vminq_s32(vmaxq_s32(x, vdupq_n_s32(low)), vdupq_n_s32(high));
#else
  for (int32_t i = 0; i < 4; i++)
    x.at[i] = ash_rt_clamp(x.at[i], low, high);
  return x;
#endif
}

/* a + b within 16 bits. */
static inline ash_rt_four ash_rt_four_add_short(ash_rt_four a, ash_rt_four b) {
#if ASH_RT_HAS_MVE
  a = vqaddq_s32(a, b);
#else
  for (int32_t i = 0; i < 4; i++) {
    const int64_t y = (int64_t)a.at[i] + b.at[i];
    a.at[i] = y < -32768 ? -32768 : y > 32767 ? 32767 : (int32_t)y;
  }
#endif
  return ash_rt_four_within(a, -32768, 32767);
}

/* x * 2^-n for n > 0. */
static inline ash_rt_four ash_rt_four_shift_down(ash_rt_four x, int32_t n) {
#if ASH_RT_HAS_MVE
  return ash_rt_shift_mve(x, vdupq_n_s32(-n));
#else
  for (int32_t i = 0; i < 4; i++)
    x.at[i] = ash_rt_shift_down(x.at[i], n);
  return x;
#endif
}

/* The first `rest` of four, which fit 16 bits. */
static inline void ash_rt_store_short_mve(int16_t *to, ash_rt_four x,
                                          int32_t rest) {
#if ASH_RT_HAS_MVE
  vstrhq_p_s32(to, x, vctp32q((uint32_t)rest));
#else
  for (int32_t i = 0; i < 4 && i < rest; i++)
    to[i] = (int16_t)x.at[i];
#endif
}

void ash_rt_svdf_s8_mve(const ash_rt_svdf_params *p, const int8_t *in,
                        const int8_t *feature, const int16_t *time,
                        const int32_t *bias, int16_t *state, int8_t *out,
                        void *work);
void ash_rt_lstm_s8_mve(const ash_rt_lstm_s8_params *p, const int8_t *in,
                        const void *const *parts, int8_t *state, int16_t *cell,
                        int8_t *out, void *work);

#endif
