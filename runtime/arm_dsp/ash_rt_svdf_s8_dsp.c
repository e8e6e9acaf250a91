/* ash_rt_svdf_s8_dsp.c - filters with a memory of their last answers, int8 with
 * a state of int16, with Arm's DSP instructions. */
#include "ash_rt_dsp_rows.h"

/* Two numbers, wherever they lie. */
static inline uint32_t ash_rt_svdf_pair(const int16_t *from) {
  uint32_t v;
  ASH_RT_COPY(&v, from, sizeof v);
  return v;
}

static inline int32_t ash_rt_svdf_step(int32_t s, int16_t *row,
                                       const int16_t *w) {
  const uint32_t v = ash_rt_svdf_pair(row + 1);
  ASH_RT_COPY(row, &v, sizeof v);
  return ash_rt_mla_pair(s, v, ash_rt_svdf_pair(w));
}

/* Moves the memory of a filter on, and adds to the sum of its unit. */
static inline int32_t ash_rt_svdf_push_dsp(int32_t s, int16_t *row,
                                           const int16_t *w, int32_t memory,
                                           int32_t value) {
  int32_t left = memory - 1;
  for (; left >= 4; left -= 4, row += 4, w += 4) {
    s = ash_rt_svdf_step(s, row, w);
    s = ash_rt_svdf_step(s, row + 2, w + 2);
  }
  if (left & 2) {
    s = ash_rt_svdf_step(s, row, w);
    row += 2;
    w += 2;
  }
  if (left & 1) {
    s = (int32_t)((uint32_t)s + (uint32_t)(row[1] * *w++));
    row[0] = row[1];
    row++;
  }
  *row = (int16_t)value;
  return (int32_t)((uint32_t)s + (uint32_t)(value * *w));
}

static void ash_rt_svdf_batch_dsp(const ash_rt_svdf_params *p,
                                  const int16_t *column, const int8_t *feature,
                                  const int16_t *time, const int32_t *bias,
                                  int16_t *state, int8_t *out) {
  int32_t s = bias ? *bias : 0, rank = p->rank;
  for (int32_t f = 0; f < p->filters; f += ASH_RT_ROWS_DSP) {
    const int32_t left = p->filters - f;
    const int32_t rows = left < ASH_RT_ROWS_DSP ? left : ASH_RT_ROWS_DSP;
    int32_t sums[ASH_RT_ROWS_DSP];
    ash_rt_rows_dsp(sums, column, feature, p->depth, rows);
    feature += (ptrdiff_t)rows * p->depth;
    for (int32_t i = 0; i < rows; i++) {
      const int32_t y =
          ash_rt_rescale_sum_dsp(sums[i], p->in_multiplier, p->in_shift);
      s = ash_rt_svdf_push_dsp(s, state, time, p->memory, ash_rt_short_dsp(y));
      state += p->memory;
      time += p->memory;
      if (--rank == 0) {
        *out++ = (int8_t)ash_rt_finish(
            ash_rt_rescale(s, p->out_multiplier, p->out_shift), p->out_offset,
            -128, 127);
        rank = p->rank;
        s = bias && left > i + 1 ? *++bias : 0;
      }
    }
  }
}

void ash_rt_svdf_s8_dsp(const ash_rt_svdf_params *p, const int8_t *in,
                        const int8_t *feature, const int16_t *time,
                        const int32_t *bias, int16_t *state, int8_t *out,
                        void *work) {
  for (int32_t b = 0; b < p->batches; b++) {
    (void)ash_rt_column_dsp(work, in, p->depth, p->in_offset);
    ash_rt_svdf_batch_dsp(p, work, feature, time, bias, state, out);
    in += p->depth;
    state += (ptrdiff_t)p->filters * p->memory;
    out += p->filters / p->rank;
  }
}
