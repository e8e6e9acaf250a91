/* ash_rt_lstm_f32.c - long short-term memory, float32. */
#include "ash_rt_state.h"

#include <math.h>

/* Places in `parts`: inputs of the operator from the second on. */
enum {
  ASH_RT_LSTM_IN = 0,
  ASH_RT_LSTM_STATE = 4,
  ASH_RT_LSTM_PEEPHOLE = 8, /* input, forget, output */
  ASH_RT_LSTM_BIAS = 11,
  ASH_RT_LSTM_PROJECTION = 15,
  ASH_RT_LSTM_PROJECTION_BIAS = 16,
  ASH_RT_LSTM_NORM = 19
};

static float ash_rt_lstm_activate(int32_t act, float x) {
  if (act == ASH_RT_ACT_TANH)
    return tanhf(x);
  if (act == ASH_RT_ACT_NONE)
    return x;
  return act == ASH_RT_ACT_RELU6 && x > 6.0f ? 6.0f : x < 0 ? 0.0f : x;
}

static float ash_rt_lstm_clip(float x, float most) {
  return most > 0 ? ash_rt_clamp_f32(x, -most, most) : x;
}

static float ash_rt_lstm_dot(const float *a, const float *b, int32_t count) {
  float sum = 0;
  for (int32_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

/* To mean 0 and deviation 1. */
static void ash_rt_lstm_normalise(float *x, int32_t count) {
  float sum = 0, squares = 0;
  for (int32_t i = 0; i < count; i++)
    sum += x[i];
  const float mean = sum / (float)count;
  for (int32_t i = 0; i < count; i++)
    squares += (x[i] - mean) * (x[i] - mean);
  const float inverse = 1.0f / sqrtf(squares / (float)count + 1e-8f);
  for (int32_t i = 0; i < count; i++)
    x[i] = (x[i] - mean) * inverse;
}

/* Gate 0 to 3: input, forget, cell, output. */
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
  if (norm)
    ash_rt_lstm_normalise(y, p->cells);
  for (int32_t i = 0; i < p->cells; i++) {
    if (norm)
      y[i] = y[i] * norm[i] + (bias ? bias[i] : 0.0f);
    y[i] = gate == 2 ? ash_rt_lstm_activate(p->act, y[i])
                     : 1.0f / (1.0f + expf(-y[i]));
  }
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
  for (int32_t i = 0; i < n; i++) {
    const float old = forget[i] * cell[i];
    const float part = coupled ? 1.0f - forget[i] : in[i];
    cell[i] = ash_rt_lstm_clip(old + part * update[i], p->cell_clip);
  }
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
