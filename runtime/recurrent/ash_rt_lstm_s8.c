/* ash_rt_lstm_s8.c - long short-term memory, int8 with cells of int16: gates in
 * fixed point with the roundings of TensorFlow Lite. */
#include "ash_rt_cells_s8.h"
#include "ash_rt_sums.h"

/* ---- a step -------------------------------------------------------------- */

/* Gate 0 to 3 of one cell: input, forget, cell, output. */
static int32_t ash_rt_cell_gate(const ash_rt_lstm_s8_params *p, int32_t gate,
                                int32_t i, const int8_t *x,
                                const void *const *parts, const int8_t *state,
                                int32_t cell) {
  const int32_t depth = p->sequence.depth, units = p->sequence.units;
  const int8_t *w = (const int8_t *)parts[ASH_RT_CELL_IN + gate];
  const int8_t *r = (const int8_t *)parts[ASH_RT_CELL_STATE + gate];
  const int32_t *bias = (const int32_t *)parts[ASH_RT_CELL_BIAS + gate];
  const int32_t hole = gate == 3 ? 2 : gate;
  const int16_t *peephole =
      gate == 2 ? 0 : (const int16_t *)parts[ASH_RT_CELL_PEEPHOLE + hole];
  uint32_t sum =
      ash_rt_dot_s8(x, w + (ptrdiff_t)i * depth, depth, p->in_offset);
  if (bias)
    sum += (uint32_t)bias[i];
  int32_t y = ash_rt_cell_short(
      ash_rt_rescale((int32_t)sum, p->in_multiplier[gate], p->in_shift[gate]));
  sum = ash_rt_dot_s8(state, r + (ptrdiff_t)i * units, units, p->state_offset);
  y = ash_rt_cell_add(y, ash_rt_rescale((int32_t)sum, p->state_multiplier[gate],
                                        p->state_shift[gate]));
  if (peephole)
    y = ash_rt_cell_add(y, ash_rt_rescale(peephole[i] * cell,
                                          p->cell_multiplier[gate],
                                          p->cell_shift[gate]));
  return gate == 2 ? ash_rt_cell_tanh(y, 3) : ash_rt_cell_logistic(y);
}

static void ash_rt_cell_update(const ash_rt_lstm_s8_params *p, const int8_t *x,
                               const void *const *parts, const int8_t *state,
                               int16_t *cell) {
  const int coupled = parts[ASH_RT_CELL_IN] == 0;
  for (int32_t i = 0; i < p->cells; i++) {
    const int32_t old = cell[i];
    const int32_t forget = ash_rt_cell_gate(p, 1, i, x, parts, state, old);
    const int32_t in = coupled
                           ? 32767 - forget
                           : ash_rt_cell_gate(p, 0, i, x, parts, state, old);
    const int32_t update = ash_rt_cell_gate(p, 2, i, x, parts, state, old);
    const int32_t y =
        ash_rt_cell_short(ash_rt_shift_down(forget * old, 15) +
                          ash_rt_shift_down(in * update, 15 + p->cell_bits));
    cell[i] = (int16_t)(p->cell_clip > 0
                            ? ash_rt_clamp(y, -p->cell_clip, p->cell_clip)
                            : y);
  }
}

/* Projects the hidden state. */
static void ash_rt_cell_project(const ash_rt_lstm_s8_params *p,
                                const int8_t *hidden, const void *const *parts,
                                int8_t *state) {
  const int8_t *w = (const int8_t *)parts[ASH_RT_CELL_PROJECTION];
  const int32_t *bias = (const int32_t *)parts[ASH_RT_CELL_PROJECTION_BIAS];
  for (int32_t o = 0; o < p->sequence.units; o++, w += p->cells) {
    uint32_t sum = ash_rt_dot_s8(hidden, w, p->cells, p->hidden_zero);
    if (bias)
      sum += (uint32_t)bias[o];
    const int32_t y = ash_rt_finish(
        ash_rt_rescale((int32_t)sum, p->proj_multiplier, p->proj_shift),
        -p->state_offset, -128, 127);
    state[o] =
        (int8_t)(p->proj_clip > 0 ? ash_rt_clamp(y, -p->proj_clip, p->proj_clip)
                                  : y);
  }
}

static void ash_rt_cell_step(const ash_rt_lstm_s8_params *p, const int8_t *x,
                             const void *const *parts, int8_t *state,
                             int16_t *cell, int8_t *out, int8_t *hidden) {
  const int projected = parts[ASH_RT_CELL_PROJECTION] != 0;
  const int32_t zero = projected ? -p->hidden_zero : p->hidden_zero;
  ash_rt_cell_update(p, x, parts, state, cell);
  for (int32_t i = 0; i < p->cells; i++) {
    const int32_t y = ash_rt_cell_gate(p, 3, i, x, parts, state, cell[i]) *
                      ash_rt_cell_tanh(cell[i], p->cell_bits);
    hidden[i] = (int8_t)ash_rt_finish(
        ash_rt_rescale(y, p->hidden_multiplier, p->hidden_shift), zero, -128,
        127);
  }
  if (projected)
    ash_rt_cell_project(p, hidden, parts, state);
  for (int32_t o = 0; o < p->sequence.units; o++) {
    if (!projected)
      state[o] = hidden[o];
    out[o] = state[o];
  }
}

void ash_rt_lstm_s8(const ash_rt_lstm_s8_params *p, const int8_t *in,
                    const void *const *parts, int8_t *state, int16_t *cell,
                    int8_t *out, void *work) {
  const ash_rt_sequence *s = &p->sequence;
  for (int32_t b = 0; b < s->batches; b++)
    for (int32_t t = 0; t < s->steps; t++) {
      const ptrdiff_t row = (ptrdiff_t)b * s->per_batch + t * s->per_step;
      ash_rt_cell_step(
          p, in + row * s->depth, parts, state + (ptrdiff_t)b * s->units,
          cell + (ptrdiff_t)b * p->cells, out + row * s->units, (int8_t *)work);
    }
}
