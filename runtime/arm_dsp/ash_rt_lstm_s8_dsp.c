/* ash_rt_lstm_s8_dsp.c - long short-term memory, int8 with cells of int16, with
 * Arm's DSP instructions: sums of three rows of weights at once. */
#include "ash_rt_cells_s8.h"
#include "ash_rt_dsp_rows.h"

typedef struct ash_rt_cells_dsp {
  const ash_rt_lstm_s8_params *p;
  const void *const *parts;
  int32_t *sums;              /* of a gate: with the data, with the states */
  int16_t *x, *state, *gates; /* columns; three rows of gates */
  int16_t *cell;
} ash_rt_cells_dsp;

/* Steps of a gate are functions of their own, for want of registers. */

static ASH_RT_NOINLINE void ash_rt_cells_sum_dsp(int32_t *sums,
                                                 const int16_t *column,
                                                 const int8_t *w, int32_t depth,
                                                 int32_t rows) {
  for (; rows >= ASH_RT_ROWS_DSP; rows -= ASH_RT_ROWS_DSP) {
    ash_rt_three_rows_dsp(sums, column, w, depth, depth);
    w += ASH_RT_ROWS_DSP * (ptrdiff_t)depth;
    sums += ASH_RT_ROWS_DSP;
  }
  for (; rows > 0; rows--, w += depth)
    *sums++ = ash_rt_row_dsp(column, w, depth);
}

static ASH_RT_NOINLINE void
ash_rt_cells_scale_dsp(const ash_rt_lstm_s8_params *p, int32_t gate,
                       const int32_t *sums, const int32_t *bias, int16_t *y) {
  const int32_t in_shift = p->in_shift[gate], back_shift = p->state_shift[gate];
  const int32_t in_multiplier = p->in_multiplier[gate];
  const int32_t back_multiplier = p->state_multiplier[gate];
  const int32_t cells = p->cells;
  for (int32_t i = 0; i < cells; i++) {
    const int32_t in = bias ? sums[i] + bias[i] : sums[i];
    y[i] = (int16_t)ash_rt_add_short_dsp(
        ash_rt_short_dsp(ash_rt_rescale_sum_dsp(in, in_multiplier, in_shift)),
        ash_rt_rescale_sum_dsp(sums[cells + i], back_multiplier, back_shift));
  }
}

static ASH_RT_NOINLINE void
ash_rt_cells_peep_dsp(const ash_rt_lstm_s8_params *p, int32_t gate,
                      const int16_t *cell, const int16_t *peephole,
                      int16_t *y) {
  for (int32_t i = 0; i < p->cells; i++)
    y[i] = (int16_t)ash_rt_add_short_dsp(
        y[i], ash_rt_rescale(peephole[i] * cell[i], p->cell_multiplier[gate],
                             p->cell_shift[gate]));
}

static ASH_RT_NOINLINE void ash_rt_cells_logistic_dsp(int16_t *y,
                                                      int32_t count) {
  int16_t *const end = y + count;
  for (; y < end; y++)
    *y = (int16_t)ash_rt_cell_logistic(*y);
}

static ASH_RT_NOINLINE void ash_rt_cells_tanh_dsp(int16_t *y, int32_t count) {
  int16_t *const end = y + count;
  for (; y < end; y++)
    *y = (int16_t)ash_rt_cell_tanh(*y, 3);
}

/* Gate 0 to 3 of all cells: input, forget, cell, output. */
static void ash_rt_gate_dsp(const ash_rt_cells_dsp *k, int32_t gate,
                            int16_t *to) {
  const ash_rt_lstm_s8_params *p = k->p;
  const int32_t hole = gate == 3 ? 2 : gate;
  const int16_t *peephole =
      gate == 2 ? 0 : (const int16_t *)k->parts[ASH_RT_CELL_PEEPHOLE + hole];
  ash_rt_cells_sum_dsp(k->sums, k->x,
                       (const int8_t *)k->parts[ASH_RT_CELL_IN + gate],
                       p->sequence.depth, p->cells);
  ash_rt_cells_sum_dsp(k->sums + p->cells, k->state,
                       (const int8_t *)k->parts[ASH_RT_CELL_STATE + gate],
                       p->sequence.units, p->cells);
  ash_rt_cells_scale_dsp(
      p, gate, k->sums, (const int32_t *)k->parts[ASH_RT_CELL_BIAS + gate], to);
  if (peephole)
    ash_rt_cells_peep_dsp(p, gate, k->cell, peephole, to);
  if (gate == 2)
    ash_rt_cells_tanh_dsp(to, p->cells);
  else
    ash_rt_cells_logistic_dsp(to, p->cells);
}

static void ash_rt_cells_update_dsp(const ash_rt_cells_dsp *k) {
  const ash_rt_lstm_s8_params *p = k->p;
  const int32_t coupled = k->parts[ASH_RT_CELL_IN] == 0, clip = p->cell_clip;
  const int16_t *in = k->gates, *forget = in + p->cells;
  const int16_t *update = forget + p->cells;
  for (int32_t i = 0; i < p->cells; i++) {
    const int32_t part = coupled ? 32767 - forget[i] : in[i];
    const int32_t y = ash_rt_short_dsp(
        ash_rt_shift_down(forget[i] * k->cell[i], 15) +
        ash_rt_shift_down(part * update[i], 15 + p->cell_bits));
    k->cell[i] = (int16_t)(clip > 0 ? ash_rt_clamp(y, -clip, clip) : y);
  }
}

static void ash_rt_cells_hide_dsp(const ash_rt_cells_dsp *k, int32_t zero,
                                  int8_t *hidden) {
  const ash_rt_lstm_s8_params *p = k->p;
  for (int32_t i = 0; i < p->cells; i++) {
    const int32_t y = k->gates[i] * ash_rt_cell_tanh(k->cell[i], p->cell_bits);
    hidden[i] = (int8_t)ash_rt_finish(
        ash_rt_rescale(y, p->hidden_multiplier, p->hidden_shift), zero, -128,
        127);
  }
}

/* Projects the hidden state. */
static void ash_rt_cells_project_dsp(const ash_rt_cells_dsp *k,
                                     const int8_t *hidden, int8_t *state) {
  const ash_rt_lstm_s8_params *p = k->p;
  const int8_t *w = (const int8_t *)k->parts[ASH_RT_CELL_PROJECTION];
  const int32_t *bias = (const int32_t *)k->parts[ASH_RT_CELL_PROJECTION_BIAS];
  const int32_t clip = p->proj_clip > 0 ? p->proj_clip : 128;
  (void)ash_rt_column_dsp(k->gates, hidden, p->cells, p->hidden_zero);
  ash_rt_cells_sum_dsp(k->sums, k->gates, w, p->cells, p->sequence.units);
  for (int32_t o = 0; o < p->sequence.units; o++) {
    const uint32_t sum = (uint32_t)k->sums[o] + (bias ? (uint32_t)bias[o] : 0);
    state[o] = (int8_t)ash_rt_finish(
        ash_rt_rescale((int32_t)sum, p->proj_multiplier, p->proj_shift),
        -p->state_offset, -clip, clip < 128 ? clip : 127);
  }
}

static void ash_rt_cells_step_dsp(const ash_rt_cells_dsp *k, const int8_t *x,
                                  int8_t *state, int8_t *out) {
  const ash_rt_lstm_s8_params *p = k->p;
  const int projected = k->parts[ASH_RT_CELL_PROJECTION] != 0;
  int8_t *const hidden =
      projected ? (int8_t *)(k->gates + 3 * p->cells + 4) : state;
  (void)ash_rt_column_dsp(k->x, x, p->sequence.depth, p->in_offset);
  (void)ash_rt_column_dsp(k->state, state, p->sequence.units, p->state_offset);
  for (int32_t gate = k->parts[ASH_RT_CELL_IN] ? 0 : 1; gate < 3; gate++)
    ash_rt_gate_dsp(k, gate, k->gates + gate * p->cells);
  ash_rt_cells_update_dsp(k);
  ash_rt_gate_dsp(k, 3, k->gates);
  ash_rt_cells_hide_dsp(k, projected ? -p->hidden_zero : p->hidden_zero,
                        hidden);
  if (projected)
    ash_rt_cells_project_dsp(k, hidden, state);
  ASH_RT_COPY(out, state, (size_t)p->sequence.units);
}

/* `work` holds sums, the columns of data and states, three rows of gates and
 * the hidden states. */
void ash_rt_lstm_s8_dsp(const ash_rt_lstm_s8_params *p, const int8_t *in,
                        const void *const *parts, int8_t *state, int16_t *cell,
                        int8_t *out, void *work) {
  const ash_rt_sequence *s = &p->sequence;
  const int32_t sums = s->units > 2 * p->cells ? s->units : 2 * p->cells;
  ash_rt_cells_dsp k = {p, parts, work, 0, 0, 0, cell};
  k.x = (int16_t *)(void *)(k.sums + sums);
  k.state = k.x + ((s->depth + 3) & ~3);
  k.gates = k.state + ((s->units + 3) & ~3);
  for (int32_t b = 0; b < s->batches; b++) {
    for (int32_t t = 0; t < s->steps; t++) {
      const ptrdiff_t row = (ptrdiff_t)b * s->per_batch + t * s->per_step;
      ash_rt_cells_step_dsp(&k, in + row * s->depth, state,
                            out + row * s->units);
    }
    state += s->units;
    k.cell += p->cells;
  }
}
