/* ash_rt_lstm_f32.c - long short-term memory, float32. */
#include "ash_rt_cells.h"

static float ash_rt_lstm_dot(const float *a, const float *b, int32_t count) {
  float sum = 0;
  for (int32_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

static void ash_rt_lstm_gate(const ash_rt_lstm_f32_params *p, int32_t gate,
                             const float *x, const void *const *parts,
                             const float *state, const float *cell, float *y) {
  const int32_t depth = p->sequence.depth, units = p->sequence.units;
  const float *w = (const float *)parts[ASH_RT_LSTM_IN + gate];
  const float *r = (const float *)parts[ASH_RT_LSTM_STATE + gate];
  const float *bias = (const float *)parts[ASH_RT_LSTM_BIAS + gate];
  const float *norm = (const float *)parts[ASH_RT_LSTM_NORM + gate];
  const int32_t hole = gate == 3 ? 2 : gate;
  const float *peephole =
      gate == 2 ? 0 : (const float *)parts[ASH_RT_LSTM_PEEPHOLE + hole];
  for (int32_t i = 0; i < p->cells; i++, w += depth, r += units) {
    float sum = bias && !norm ? bias[i] : 0.0f;
    sum += ash_rt_lstm_dot(w, x, depth);
    sum += ash_rt_lstm_dot(r, state, units);
    y[i] = peephole ? sum + peephole[i] * cell[i] : sum;
  }
  ash_rt_lstm_finish_gate(y, p->cells, gate, p->act, norm, bias);
}

static void ash_rt_lstm_step(const ash_rt_lstm_f32_params *p, const float *x,
                             const void *const *parts, float *state,
                             float *cell, float *out, float *work) {
  const int32_t n = p->cells;
  float *in = work, *forget = in + n, *update = forget + n, *gate = update + n;
  const float *projection = (const float *)parts[ASH_RT_LSTM_PROJECTION];
  const float *bias = (const float *)parts[ASH_RT_LSTM_PROJECTION_BIAS];
  const int coupled = parts[ASH_RT_LSTM_IN] == 0;
  if (!coupled)
    ash_rt_lstm_gate(p, 0, x, parts, state, cell, in);
  ash_rt_lstm_gate(p, 1, x, parts, state, cell, forget);
  ash_rt_lstm_gate(p, 2, x, parts, state, cell, update);
  ash_rt_lstm_update_cells(cell, n, coupled, in, forget, update, p->cell_clip);
  ash_rt_lstm_gate(p, 3, x, parts, state, cell, gate);
  for (int32_t i = 0; i < n; i++)
    gate[i] *= ash_rt_lstm_activate(p->act, cell[i]);
  for (int32_t o = 0; o < p->sequence.units; o++) {
    state[o] =
        projection
            ? ash_rt_lstm_clip((bias ? bias[o] : 0.0f) +
                                   ash_rt_lstm_dot(projection + o * n, gate, n),
                               p->proj_clip)
            : gate[o];
    out[o] = state[o];
  }
}

void ash_rt_lstm_f32(const ash_rt_lstm_f32_params *p, const float *in,
                     const void *const *parts, float *state, float *cell,
                     float *out, void *work) {
  const ash_rt_sequence *s = &p->sequence;
  for (int32_t b = 0; b < s->batches; b++)
    for (int32_t t = 0; t < s->steps; t++) {
      const ptrdiff_t row = (ptrdiff_t)b * s->per_batch + t * s->per_step;
      ash_rt_lstm_step(
          p, in + row * s->depth, parts, state + (ptrdiff_t)b * s->units,
          cell + (ptrdiff_t)b * p->cells, out + row * s->units, (float *)work);
    }
}
