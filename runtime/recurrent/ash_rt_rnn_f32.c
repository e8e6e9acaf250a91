/* ash_rt_rnn_f32.c - a layer that sees its own last result. */
#include "ash_rt_cells.h"

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
