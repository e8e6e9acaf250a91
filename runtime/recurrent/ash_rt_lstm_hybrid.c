/* ash_rt_lstm_hybrid.c - long short-term memory, float data and int8 weights:
 * rows of data become int8 before they are multiplied. */
#include "ash_rt_cells.h"
#include "ash_rt_hybrid_row.h"

static void ash_rt_cellq_gate(const ash_rt_lstm_hybrid_params *p, int32_t gate,
                              const ash_rt_hybrid_row *x,
                              const void *const *parts,
                              const ash_rt_hybrid_row *state, const float *cell,
                              float *y) {
  const int32_t depth = p->sequence.depth, units = p->sequence.units;
  const int8_t *w = (const int8_t *)parts[ASH_RT_LSTM_IN + gate];
  const int8_t *r = (const int8_t *)parts[ASH_RT_LSTM_STATE + gate];
  const float *bias = (const float *)parts[ASH_RT_LSTM_BIAS + gate];
  const float *norm = (const float *)parts[ASH_RT_LSTM_NORM + gate];
  const int32_t hole = gate == 3 ? 2 : gate;
  const int8_t *peephole =
      gate == 2 ? 0 : (const int8_t *)parts[ASH_RT_LSTM_PEEPHOLE + hole];
  for (int32_t i = 0; i < p->cells; i++, w += depth, r += units) {
    float sum = bias && !norm ? bias[i] : 0.0f;
    sum += ash_rt_hybrid_dot(x, w, depth, p->in_scale[gate]);
    sum += ash_rt_hybrid_dot(state, r, units, p->state_scale[gate]);
    y[i] = peephole
               ? sum + (float)peephole[i] * p->peephole_scale[hole] * cell[i]
               : sum;
  }
  ash_rt_lstm_finish_gate(y, p->cells, gate, p->act, norm, bias);
}

static void ash_rt_cellq_project(const ash_rt_lstm_hybrid_params *p,
                                 const void *const *parts, const float *hidden,
                                 int8_t *codes, float *state) {
  const int8_t *w = (const int8_t *)parts[ASH_RT_LSTM_PROJECTION];
  const float *bias = (const float *)parts[ASH_RT_LSTM_PROJECTION_BIAS];
  const ash_rt_hybrid_row r =
      ash_rt_hybrid_quantise(hidden, p->cells, p->asymmetric, codes);
  for (int32_t o = 0; o < p->sequence.units; o++, w += p->cells)
    state[o] =
        ash_rt_lstm_clip((bias ? bias[o] : 0.0f) +
                             ash_rt_hybrid_dot(&r, w, p->cells, p->proj_scale),
                         p->proj_clip);
}

static void ash_rt_cellq_step(const ash_rt_lstm_hybrid_params *p,
                              const float *data, const void *const *parts,
                              float *state, float *cell, float *out,
                              float *work) {
  const int32_t n = p->cells, depth = p->sequence.depth;
  const int32_t units = p->sequence.units;
  float *in = work, *forget = in + n, *update = forget + n, *gate = update + n;
  int8_t *codes = (int8_t *)(gate + n);
  const int coupled = parts[ASH_RT_LSTM_IN] == 0;
  const ash_rt_hybrid_row x =
      ash_rt_hybrid_quantise(data, depth, p->asymmetric, codes);
  const ash_rt_hybrid_row h =
      ash_rt_hybrid_quantise(state, units, p->asymmetric, codes + depth);
  if (!coupled)
    ash_rt_cellq_gate(p, 0, &x, parts, &h, cell, in);
  ash_rt_cellq_gate(p, 1, &x, parts, &h, cell, forget);
  ash_rt_cellq_gate(p, 2, &x, parts, &h, cell, update);
  ash_rt_lstm_update_cells(cell, n, coupled, in, forget, update, p->cell_clip);
  ash_rt_cellq_gate(p, 3, &x, parts, &h, cell, gate);
  for (int32_t i = 0; i < n; i++)
    gate[i] *= ash_rt_lstm_activate(p->act, cell[i]);
  if (parts[ASH_RT_LSTM_PROJECTION])
    ash_rt_cellq_project(p, parts, gate, codes + depth + units, state);
  for (int32_t o = 0; o < units; o++) {
    if (!parts[ASH_RT_LSTM_PROJECTION])
      state[o] = gate[o];
    out[o] = state[o];
  }
}

void ash_rt_lstm_hybrid(const ash_rt_lstm_hybrid_params *p, const float *in,
                        const void *const *parts, float *state, float *cell,
                        float *out, void *work) {
  const ash_rt_sequence *s = &p->sequence;
  for (int32_t b = 0; b < s->batches; b++)
    for (int32_t t = 0; t < s->steps; t++) {
      const ptrdiff_t row = (ptrdiff_t)b * s->per_batch + t * s->per_step;
      ash_rt_cellq_step(
          p, in + row * s->depth, parts, state + (ptrdiff_t)b * s->units,
          cell + (ptrdiff_t)b * p->cells, out + row * s->units, (float *)work);
    }
}
