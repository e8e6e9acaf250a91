/* ash_rt_lstm_s8_mve.c - long short-term memory, int8 with cells of int16, with
 * Helium: sums of four rows of weights at once, curves of eight cells. */
#include "ash_rt_cells_s8.h"
#include "ash_rt_mve_rows.h"

/* ---- curves: see ash_rt_cells_s8.h --------------------------------------- */

#if ASH_RT_HAS_MVE
static inline int16x8_t ash_rt_exp_small_mve(int16x8_t a) {
  const int16x8_t x = vaddq_n_s16(a, 1 << 12);
  const int16x8_t x2 = vqrdmulhq_s16(x, x), x3 = vqrdmulhq_s16(x2, x);
  const int16x8_t x4 = vrshrq_n_s16(vqrdmulhq_s16(x2, x2), 2);
  const int16x8_t third = vqrdmulhq_n_s16(vaddq_s16(x4, x3), 10923);
  const int16x8_t tail = vrshrq_n_s16(vaddq_s16(third, x2), 1);
  return vqaddq_n_s16(vqrdmulhq_n_s16(vaddq_s16(x, tail), 28918), 28918);
}

ASH_RT_INLINE int16x8_t ash_rt_exp_mve(int16x8_t a, int32_t whole) {
  static const int16_t power[7] = {25520, 19875, 12055, 4435, 600, 11, 0};
  const int32_t fraction = 15 - whole, quarter = 1 << (fraction - 2);
  const int16x8_t part = vandq_s16(a, vdupq_n_s16((int16_t)(quarter - 1)));
  const int16x8_t rest = vsubq_n_s16(part, (int16_t)quarter);
  const int16x8_t multiples = vsubq_s16(rest, a);
  int16x8_t y = ash_rt_exp_small_mve(vshlq_r_s16(rest, whole));
  for (int32_t e = 0; e < 7 && e - 2 < whole; e++) {
    const int16x8_t bit = vdupq_n_s16((int16_t)(1 << (fraction + e - 2)));
    const mve_pred16_t set = vcmpneq_n_s16(vandq_s16(multiples, bit), 0);
    y = vqrdmulhq_m_s16(y, y, vdupq_n_s16(power[e]), set);
  }
  if (whole > 5)
    y = vpselq_s16(vdupq_n_s16(0), y,
                   vcmpltq_n_s16(a, (int16_t) - (1 << (fraction + 5))));
  return y;
}

static inline int16x8_t ash_rt_inverse_mve(int16x8_t x) {
  const int16x8_t half = vaddq_n_s16(vshrq_n_s16(x, 1), 1 << 14);
  int16x8_t y = vaddq_n_s16(vqrdmulhq_n_s16(half, -15420), 23130);
  for (int32_t i = 0; i < 3; i++) {
    const int16x8_t product = vqrdmulhq_s16(half, y);
    const int16x8_t rest = vsubq_s16(vdupq_n_s16(1 << 13), product);
    y = vaddq_s16(y, vshlq_n_s16(vqrdmulhq_s16(y, rest), 2));
  }
  return y;
}

static inline int16x8_t ash_rt_below_0_mve(int16x8_t a) {
  return vminq_s16(a, vnegq_s16(a));
}

static void ash_rt_logistic_mve(int16_t *y, int32_t count) {
  for (; count > 0; count -= 8, y += 8) {
    const mve_pred16_t p = vctp16q((uint32_t)count);
    const int16x8_t a = vldrhq_z_s16(y, p);
    const int16x8_t e = ash_rt_exp_mve(ash_rt_below_0_mve(a), 3);
    const int16x8_t z = vqshlq_n_s16(ash_rt_inverse_mve(e), 1);
    int16x8_t r =
        vpselq_s16(z, vsubq_s16(vdupq_n_s16(32767), z), vcmpgtq_n_s16(a, 0));
    r = vpselq_s16(vdupq_n_s16(1 << 14), r, vcmpeqq_n_s16(a, 0));
    vstrhq_p_s16(y, r, p);
  }
}

ASH_RT_INLINE void ash_rt_tanh_run_mve(int16_t *to, const int16_t *from,
                                       int32_t count, int32_t whole) {
  for (; count > 0; count -= 8, to += 8, from += 8) {
    const mve_pred16_t p = vctp16q((uint32_t)count);
    const int16x8_t a = vldrhq_z_s16(from, p);
    const int16x8_t e = ash_rt_exp_mve(ash_rt_below_0_mve(a), whole + 1);
    const int16x8_t z = vsubq_n_s16(ash_rt_inverse_mve(e), 1 << 13);
    int16x8_t r = vqshlq_n_s16(z, 2);
    r = vpselq_s16(vnegq_s16(r), r, vcmpltq_n_s16(a, 0));
    r = vpselq_s16(vdupq_n_s16(0), r, vcmpeqq_n_s16(a, 0));
    vstrhq_p_s16(to, r, p);
  }
}
#else
static void ash_rt_logistic_mve(int16_t *y, int32_t count) {
  for (int32_t i = 0; i < count; i++)
    y[i] = (int16_t)ash_rt_cell_logistic(y[i]);
}

static inline void ash_rt_tanh_run_mve(int16_t *to, const int16_t *from,
                                       int32_t count, int32_t whole) {
  for (int32_t i = 0; i < count; i++)
    to[i] = (int16_t)ash_rt_cell_tanh(from[i], whole);
}
#endif

static void ash_rt_tanh_mve(int16_t *to, const int16_t *from, int32_t count,
                            int32_t whole) {
  if (whole == 3)
    ash_rt_tanh_run_mve(to, from, count, 3);
  else
    ash_rt_tanh_run_mve(to, from, count, whole);
}

/* ---- a step -------------------------------------------------------------- */

typedef struct ash_rt_cells_mve {
  const ash_rt_lstm_s8_params *p;
  const void *const *parts;
  int16_t *x, *state, *gates[4]; /* columns; gates of all cells */
  int16_t *cell;
} ash_rt_cells_mve;

/* Before the curve. */
static void ash_rt_gate_sums_mve(const ash_rt_cells_mve *k, int32_t gate,
                                 int16_t *to) {
  const ash_rt_lstm_s8_params *p = k->p;
  const int32_t *bias = (const int32_t *)k->parts[ASH_RT_CELL_BIAS + gate];
  ash_rt_rows_mve data = ash_rt_rows_mve_of(k->x, p->sequence.depth);
  ash_rt_rows_mve states = ash_rt_rows_mve_of(k->state, p->sequence.units);
  data.w = (const int8_t *)k->parts[ASH_RT_CELL_IN + gate];
  states.w = (const int8_t *)k->parts[ASH_RT_CELL_STATE + gate];
  for (int32_t i = 0; i < p->cells; i += ASH_RT_ROWS_MVE) {
    const int32_t left = p->cells - i;
    ash_rt_four in = ash_rt_four_rows_mve(&data, left);
    if (bias)
      in = ash_rt_four_add(in, ash_rt_four_some(bias + i, left));
    in = ash_rt_rescale_all_mve(in, p->in_multiplier[gate], p->in_shift[gate]);
    const ash_rt_four back =
        ash_rt_rescale_all_mve(ash_rt_four_rows_mve(&states, left),
                               p->state_multiplier[gate], p->state_shift[gate]);
    in = ash_rt_four_add_short(ash_rt_four_within(in, -32768, 32767), back);
    ash_rt_store_short_mve(to + i, in, left);
  }
}

static void ash_rt_gate_peep_mve(const ash_rt_cells_mve *k, int32_t gate,
                                 const int16_t *peephole, int16_t *y) {
  const ash_rt_lstm_s8_params *p = k->p;
  for (int32_t i = 0; i < p->cells; i += 4) {
    const int32_t left = p->cells - i;
    const ash_rt_four cell = ash_rt_rescale_all_mve(
        ash_rt_four_mul(ash_rt_four_shorts(peephole + i, left),
                        ash_rt_four_shorts(k->cell + i, left)),
        p->cell_multiplier[gate], p->cell_shift[gate]);
    ash_rt_store_short_mve(
        y + i, ash_rt_four_add_short(ash_rt_four_shorts(y + i, left), cell),
        left);
  }
}

/* Gate 0 to 3 of all cells: input, forget, cell, output. */
static void ash_rt_gate_mve(const ash_rt_cells_mve *k, int32_t gate) {
  const int32_t cells = k->p->cells, hole = gate == 3 ? 2 : gate;
  const int16_t *peephole =
      gate == 2 ? 0 : (const int16_t *)k->parts[ASH_RT_CELL_PEEPHOLE + hole];
  int16_t *const y = k->gates[gate];
  ash_rt_gate_sums_mve(k, gate, y);
  if (peephole)
    ash_rt_gate_peep_mve(k, gate, peephole, y);
  if (gate == 2)
    ash_rt_tanh_mve(y, y, cells, 3);
  else
    ash_rt_logistic_mve(y, cells);
}

static void ash_rt_cells_update_mve(const ash_rt_cells_mve *k) {
  const ash_rt_lstm_s8_params *p = k->p;
  const int32_t coupled = k->parts[ASH_RT_CELL_IN] == 0;
  const int32_t high = p->cell_clip > 0 ? p->cell_clip : 32767;
  const int32_t low = p->cell_clip > 0 ? -p->cell_clip : -32768;
  for (int32_t i = 0; i < p->cells; i += 4) {
    const int32_t left = p->cells - i;
    const ash_rt_four forget = ash_rt_four_shorts(k->gates[1] + i, left);
    const ash_rt_four in =
        coupled ? ash_rt_four_add(ash_rt_four_mul(forget, ash_rt_four_of(-1)),
                                  ash_rt_four_of(32767))
                : ash_rt_four_shorts(k->gates[0] + i, left);
    const ash_rt_four kept =
        ash_rt_four_mul(forget, ash_rt_four_shorts(k->cell + i, left));
    const ash_rt_four added =
        ash_rt_four_mul(in, ash_rt_four_shorts(k->gates[2] + i, left));
    const ash_rt_four y =
        ash_rt_four_add(ash_rt_four_shift_down(kept, 15),
                        ash_rt_four_shift_down(added, 15 + p->cell_bits));
    ash_rt_store_short_mve(k->cell + i, ash_rt_four_within(y, low, high), left);
  }
}

static void ash_rt_cells_hide_mve(const ash_rt_cells_mve *k, int32_t zero,
                                  int8_t *hidden) {
  const ash_rt_lstm_s8_params *p = k->p;
  const ash_rt_four low = ash_rt_four_of(-128), high = ash_rt_four_of(127);
  ash_rt_tanh_mve(k->gates[0], k->cell, p->cells, p->cell_bits);
  for (int32_t i = 0; i < p->cells; i += 4) {
    const int32_t left = p->cells - i;
    const ash_rt_four y = ash_rt_rescale_all_mve(
        ash_rt_four_mul(ash_rt_four_shorts(k->gates[3] + i, left),
                        ash_rt_four_shorts(k->gates[0] + i, left)),
        p->hidden_multiplier, p->hidden_shift);
    ash_rt_store_mve(ash_rt_four_add(y, ash_rt_four_of(zero)), low, high,
                     hidden + i, left);
  }
}

/* Projects the hidden state. */
static void ash_rt_cells_project_mve(const ash_rt_cells_mve *k,
                                     const int8_t *hidden, int8_t *state) {
  const ash_rt_lstm_s8_params *p = k->p;
  const int8_t *w = (const int8_t *)k->parts[ASH_RT_CELL_PROJECTION];
  const int32_t *bias = (const int32_t *)k->parts[ASH_RT_CELL_PROJECTION_BIAS];
  const int32_t clip = p->proj_clip > 0 ? p->proj_clip : 128;
  const ash_rt_four low = ash_rt_four_of(-clip);
  const ash_rt_four high = ash_rt_four_of(clip < 128 ? clip : 127);
  int16_t *const column = k->gates[0];
  ash_rt_rows_mve rows = ash_rt_rows_mve_of(column, p->cells);
  rows.w = w;
  ash_rt_column_mve(column, hidden, p->cells, p->hidden_zero);
  for (int32_t o = 0; o < p->sequence.units; o += ASH_RT_ROWS_MVE) {
    const int32_t left = p->sequence.units - o;
    ash_rt_four y = ash_rt_four_rows_mve(&rows, left);
    if (bias)
      y = ash_rt_four_add(y, ash_rt_four_some(bias + o, left));
    y = ash_rt_rescale_all_mve(y, p->proj_multiplier, p->proj_shift);
    ash_rt_store_mve(ash_rt_four_add(y, ash_rt_four_of(-p->state_offset)), low,
                     high, state + o, left);
  }
}

static void ash_rt_cells_step_mve(const ash_rt_cells_mve *k, const int8_t *x,
                                  int8_t *state, int8_t *out) {
  const ash_rt_lstm_s8_params *p = k->p;
  const int projected = k->parts[ASH_RT_CELL_PROJECTION] != 0;
  int8_t *const hidden = projected ? (int8_t *)k->gates[1] : state;
  ash_rt_column_mve(k->x, x, p->sequence.depth, p->in_offset);
  ash_rt_column_mve(k->state, state, p->sequence.units, p->state_offset);
  for (int32_t gate = k->parts[ASH_RT_CELL_IN] ? 0 : 1; gate < 3; gate++)
    ash_rt_gate_mve(k, gate);
  ash_rt_cells_update_mve(k);
  ash_rt_gate_mve(k, 3);
  ash_rt_cells_hide_mve(k, projected ? -p->hidden_zero : p->hidden_zero,
                        hidden);
  if (projected)
    ash_rt_cells_project_mve(k, hidden, state);
  (void)ash_rt_copy_mve(out, state, p->sequence.units);
}

/* `work` holds the columns of data and states, and the gates. */
void ash_rt_lstm_s8_mve(const ash_rt_lstm_s8_params *p, const int8_t *in,
                        const void *const *parts, int8_t *state, int16_t *cell,
                        int8_t *out, void *work) {
  const ash_rt_sequence *s = &p->sequence;
  ash_rt_cells_mve k = {p, parts, work, 0, {0, 0, 0, 0}, cell};
  k.state = k.x + s->depth;
  k.gates[0] = k.state + s->units;
  for (int32_t gate = 1; gate < 4; gate++)
    k.gates[gate] = k.gates[gate - 1] + p->cells;
  for (int32_t b = 0; b < s->batches; b++) {
    for (int32_t t = 0; t < s->steps; t++) {
      const ptrdiff_t row = (ptrdiff_t)b * s->per_batch + t * s->per_step;
      ash_rt_cells_step_mve(&k, in + row * s->depth, state,
                            out + row * s->units);
    }
    state += s->units;
    k.cell += p->cells;
  }
}
