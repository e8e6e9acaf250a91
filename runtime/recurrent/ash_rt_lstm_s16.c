/* ash_rt_lstm_s16.c - long short-term memory, int16 with weights of int8: gates
 * in Q3.12 with the roundings of TensorFlow Lite Micro, curves from a table. */
#include "ash_rt_fixed.h"
#include "ash_rt_state.h"

/* Places in `parts`: inputs of the operator from the second on. */
enum {
  ASH_RT_CELL16_IN = 0,
  ASH_RT_CELL16_STATE = 4,
  ASH_RT_CELL16_BIAS = 11,
  ASH_RT_CELL16_TABLE = 23
};

static int32_t ash_rt_cell16_short(int32_t x) {
  return ash_rt_clamp(x, -32768, 32767);
}

/* Twice the logistic function minus one (tanh), or the function itself, of x in
 * 1/12288; tanh goes twice as fast through the table. */
static int32_t ash_rt_cell16_curve(const uint16_t *table, int32_t x,
                                   int32_t tanh) {
  const int32_t bits = tanh ? 8 : 9;
  const uint32_t size = x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
  const uint32_t i = size >> bits, part = size & ((1u << bits) - 1);
  int32_t y = tanh ? 0xffff << 8 : 0x7fff << 10;
  if (i < 255)
    y = (int32_t)(((uint32_t)table[i] << bits) +
                  part * (uint32_t)(table[i + 1] - table[i]));
  if (tanh)
    return (x >= 0 ? y - (1 << 23) + (1 << 7) : (1 << 23) - y + (1 << 7) - 1) >>
           8;
  return (x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1) >> 10;
}

static int64_t ash_rt_cell16_dot(const int16_t *x, const int8_t *w,
                                 int32_t count, int32_t offset) {
  int64_t sum = 0;
  for (int32_t i = 0; i < count; i++)
    sum += (int64_t)(x[i] + offset) * w[i];
  return sum;
}

/* Gate 0 to 3 of one cell: input, forget, cell, output. */
static int32_t ash_rt_cell16_gate(const ash_rt_lstm_s16_params *p, int32_t gate,
                                  int32_t i, const int16_t *x,
                                  const void *const *parts,
                                  const int16_t *state) {
  const int32_t depth = p->sequence.depth, units = p->sequence.units;
  const int8_t *w = (const int8_t *)parts[ASH_RT_CELL16_IN + gate];
  const int8_t *r = (const int8_t *)parts[ASH_RT_CELL16_STATE + gate];
  const int64_t *bias = (const int64_t *)parts[ASH_RT_CELL16_BIAS + gate];
  const int64_t in =
      ash_rt_cell16_dot(x, w + (ptrdiff_t)i * depth, depth, p->in_offset) +
      (bias ? bias[i] : 0);
  const int64_t back = ash_rt_cell16_dot(state, r + (ptrdiff_t)i * units, units,
                                         p->state_offset);
  const int32_t a = ash_rt_cell16_short(
      ash_rt_rescale_long(in, p->in_multiplier[gate], p->in_shift[gate]));
  const int32_t b = ash_rt_cell16_short(ash_rt_rescale_long(
      back, p->state_multiplier[gate], p->state_shift[gate]));
  return ash_rt_cell16_curve((const uint16_t *)parts[ASH_RT_CELL16_TABLE],
                             3 * ash_rt_cell16_short(a + b), gate == 2);
}

/* The hyperbolic tangent of a cell. */
static int32_t ash_rt_cell16_tanh(const ash_rt_lstm_s16_params *p,
                                  const void *const *parts, int32_t cell) {
  const int32_t n = p->cell_shift;
  const int32_t x =
      n >= 0 ? cell * (3 << n) : (cell * 3 + (1 << (-n - 1))) >> -n;
  return ash_rt_cell16_curve((const uint16_t *)parts[ASH_RT_CELL16_TABLE], x,
                             1);
}

static void ash_rt_cell16_step(const ash_rt_lstm_s16_params *p,
                               const int16_t *x, const void *const *parts,
                               int16_t *state, int16_t *cell, int16_t *out) {
  const int32_t units = p->sequence.units;
  for (int32_t i = 0; i < units; i++) {
    const int32_t in = ash_rt_cell16_gate(p, 0, i, x, parts, state);
    const int32_t forget = ash_rt_cell16_gate(p, 1, i, x, parts, state);
    const int32_t update = ash_rt_cell16_gate(p, 2, i, x, parts, state);
    const int32_t kept =
        ash_rt_cell16_short(ash_rt_rescale(forget * cell[i], 1 << 30, -14));
    const int32_t added = ash_rt_cell16_short(
        ash_rt_rescale(in * update, p->update_multiplier, p->update_shift));
    const int32_t y = ash_rt_cell16_short(kept + added);
    cell[i] = (int16_t)(p->cell_clip > 0
                            ? ash_rt_clamp(y, -p->cell_clip, p->cell_clip)
                            : y);
  }
  for (int32_t i = 0; i < units; i++) {
    const int32_t y = ash_rt_cell16_gate(p, 3, i, x, parts, state) *
                      ash_rt_cell16_tanh(p, parts, cell[i]);
    out[i] = (int16_t)ash_rt_finish(
        ash_rt_rescale(y, p->hidden_multiplier, p->hidden_shift),
        -p->state_offset, -32768, 32767);
  }
  for (int32_t i = 0; i < units; i++)
    state[i] = out[i];
}

void ash_rt_lstm_s16(const ash_rt_lstm_s16_params *p, const int16_t *in,
                     const void *const *parts, int16_t *state, int16_t *cell,
                     int16_t *out) {
  const ash_rt_sequence *s = &p->sequence;
  for (int32_t b = 0; b < s->batches; b++)
    for (int32_t t = 0; t < s->steps; t++) {
      const ptrdiff_t row = (ptrdiff_t)b * s->per_batch + t * s->per_step;
      ash_rt_cell16_step(p, in + row * s->depth, parts,
                         state + (ptrdiff_t)b * s->units,
                         cell + (ptrdiff_t)b * s->units, out + row * s->units);
    }
}
