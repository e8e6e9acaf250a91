/* ash_rt_rnn.c - a layer that sees its own last result. */
#include "ash_rt_cells.h"

/* kernel rnn_f32 */
void ash_rt_rnn_f32(const ash_rt_rnn_f32_params *p, const float *in,
                    const float *weights, const float *recurrent,
                    const float *bias, float *state, float *out) {
  const ash_rt_sequence *s = &p->sequence;
  for (int32_t b = 0; b < s->batches; b++, state += s->units)
    for (int32_t t = 0; t < s->steps; t++) {
      const ptrdiff_t row = (ptrdiff_t)b * s->per_batch + t * s->per_step;
      const float *x = in + row * s->depth, *w = weights, *r = recurrent;
      float *y = out + row * s->units;
      for (int32_t u = 0; u < s->units; u++) {
        float sum = 0, back = 0;
        for (int32_t i = 0; i < s->depth; i++)
          sum += *w++ * x[i];
        for (int32_t i = 0; i < s->units; i++)
          back += *r++ * state[i];
        y[u] =
            ash_rt_rnn_activate(p->act, (bias ? bias[u] : 0.0f) + sum + back);
      }
      for (int32_t u = 0; u < s->units; u++)
        state[u] = y[u];
    }
}

/* kernel rnn_hybrid: float data and int8 weights. */
#include "ash_rt_hybrid_row.h"

void ash_rt_rnn_hybrid(const ash_rt_rnn_hybrid_params *p, const float *in,
                       const int8_t *weights, const int8_t *recurrent,
                       const float *bias, float *state, float *out,
                       void *work) {
  const ash_rt_sequence *s = &p->sequence;
  int8_t *codes = (int8_t *)work;
  for (int32_t b = 0; b < s->batches; b++, state += s->units)
    for (int32_t t = 0; t < s->steps; t++) {
      const ptrdiff_t row = (ptrdiff_t)b * s->per_batch + t * s->per_step;
      const ash_rt_hybrid_row x = ash_rt_hybrid_quantise(
          in + row * s->depth, s->depth, p->asymmetric, codes);
      const ash_rt_hybrid_row h = ash_rt_hybrid_quantise(
          state, s->units, p->asymmetric, codes + s->depth);
      float *y = out + row * s->units;
      for (int32_t u = 0; u < s->units; u++) {
        float sum = bias ? bias[u] : 0.0f;
        sum += ash_rt_hybrid_dot(&x, weights + (ptrdiff_t)u * s->depth,
                                 s->depth, p->in_scale);
        sum += ash_rt_hybrid_dot(&h, recurrent + (ptrdiff_t)u * s->units,
                                 s->units, p->state_scale);
        y[u] = ash_rt_rnn_activate(p->act, sum);
      }
      for (int32_t u = 0; u < s->units; u++)
        state[u] = y[u];
    }
}
