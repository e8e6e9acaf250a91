/* ash_rt_svdf_s8_mve.c - filters with a memory of their last answers, int8 with
 * a state of int16, with Helium. */
#include "ash_rt_mve_rows.h"

/* Moves the memories of all filters on by one: what leaves a filter becomes the
 * newest value of the one before it, which is overwritten next. */
static void ash_rt_svdf_shift_mve(int16_t *state, int32_t count) {
#if ASH_RT_HAS_MVE
  for (int32_t left = count - 1; left > 0; left -= 8, state += 8) {
    const mve_pred16_t p = vctp16q((uint32_t)left);
    vstrhq_p_s16(state, vldrhq_z_s16(state + 1, p), p);
  }
#else
  for (int32_t i = 1; i < count; i++)
    state[i - 1] = state[i];
#endif
}

/* Answers of the filters to the newest input. */
static void ash_rt_svdf_answers_mve(const ash_rt_svdf_params *p,
                                    const int16_t *column,
                                    const int8_t *feature, int16_t *state) {
  const int32_t memory = p->memory;
  ash_rt_rows_mve rows = ash_rt_rows_mve_of(column, p->depth);
  rows.w = feature;
  state += memory - 1;
  for (int32_t f = p->filters; f > 0; f -= ASH_RT_ROWS_MVE) {
    int32_t answer[4];
    const ash_rt_four s = ash_rt_rescale_all_mve(ash_rt_four_rows_mve(&rows, f),
                                                 p->in_multiplier, p->in_shift);
    ash_rt_four_store(answer, ash_rt_four_within(s, -32768, 32767));
    for (int32_t i = 0; i < 4 && i < f; i++, state += memory)
      *state = (int16_t)answer[i];
  }
}

static inline int32_t ash_rt_svdf_dot_mve(const int16_t *state,
                                          const int16_t *time, int32_t count) {
#if ASH_RT_HAS_MVE
  register int32_t s __asm__("r2") = 0;
  __asm__ volatile("dlstp.16 lr, %[n]\n"
                   "1:\n"
                   "vldrh.16 q0, [%[state]], #16\n"
                   "vldrh.16 q1, [%[time]], #16\n"
                   "vmladava.s16 %[s], q0, q1\n"
                   "letp lr, 1b\n"
                   : [s] "+r"(s), [state] "+r"(state), [time] "+r"(time)
                   : [n] "r"(count)
                   : "lr", "q0", "q1", "memory");
  return s;
#else
  uint32_t s = 0;
  for (int32_t i = 0; i < count; i++)
    s += (uint32_t)(state[i] * time[i]);
  return (int32_t)s;
#endif
}

/* A unit sums what its filters remember. */
static void ash_rt_svdf_units_mve(const ash_rt_svdf_params *p,
                                  const int16_t *time, const int32_t *bias,
                                  const int16_t *state, int8_t *out) {
  const ash_rt_four low = ash_rt_four_of(-128), high = ash_rt_four_of(127);
  const int32_t units = p->filters / p->rank;
  const int32_t each = p->rank * p->memory;
  for (int32_t u = 0; u < units; u += 4) {
    int32_t sums[4] = {0, 0, 0, 0};
    for (int32_t i = 0; i < 4 && i < units - u;
         i++, state += each, time += each)
      sums[i] = ash_rt_svdf_dot_mve(state, time, each);
    ash_rt_four s = ash_rt_four_load(sums);
    if (bias)
      s = ash_rt_four_add(s, ash_rt_four_some(bias + u, units - u));
    s = ash_rt_rescale_all_mve(s, p->out_multiplier, p->out_shift);
    ash_rt_store_mve(ash_rt_four_add(s, ash_rt_four_of(p->out_offset)), low,
                     high, out + u, units - u);
  }
}

/* `work` holds the column. */
void ash_rt_svdf_s8_mve(const ash_rt_svdf_params *p, const int8_t *in,
                        const int8_t *feature, const int16_t *time,
                        const int32_t *bias, int16_t *state, int8_t *out,
                        void *work) {
  const int32_t count = p->filters * p->memory;
  for (int32_t b = 0; b < p->batches; b++, state += count) {
    ash_rt_column_mve(work, in, p->depth, p->in_offset);
    ash_rt_svdf_shift_mve(state, count);
    ash_rt_svdf_answers_mve(p, work, feature, state);
    ash_rt_svdf_units_mve(p, time, bias, state, out);
    in += p->depth;
    out += p->filters / p->rank;
  }
}
