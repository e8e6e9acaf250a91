/* ref_lstm.c - long short-term memory, in float32 and in the fixed point of
 * int8 networks, and of int16 ones as TensorFlow Lite Micro has them. Inputs
 * are numbered as ops.def says. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <math.h>
#include <string.h>

typedef struct lstm {
  const ash_ref_call *c;
  ash_ref_steps s;
  size_t depth, cells, outputs;
  bool coupled;
  size_t batch, row; /* at present: of the states, of data and result */
  int32_t *codes;    /* room for a row of any of them */
} lstm;

enum { INPUT, FORGET, CELL, OUTPUT, GATES };

static bool has(const lstm *l, uint32_t k) {
  return ash_ref_in(l->c, k) != NULL;
}

static const float *reals(const lstm *l, uint32_t k) {
  return ash_ref_read(l->c, k);
}

/* ---- float -------------------------------------------------------------- */

static float sigmoid(float x) {
  return (float)(1.0 / (1.0 + exp(-(double)x)));
}

static float activate(const char *act, float x) {
  if (strcmp(act, "tanh") == 0)
    return (float)tanh((double)x);
  if (strcmp(act, "none") == 0)
    return x;
  if (strcmp(act, "relu6") == 0 && x > 6)
    return 6;
  return x < 0 ? 0 : x;
}

/* To mean 0 and deviation 1. */
static void normalise(float *x, size_t count) {
  float sum = 0, squares = 0;
  for (size_t i = 0; i < count; i++)
    sum += x[i];
  const float mean = sum / (float)count;
  for (size_t i = 0; i < count; i++) {
    const float d = x[i] - mean;
    squares += d * d;
  }
  const float variance = squares / (float)count;
  const float inverse = 1.0f / sqrtf(variance + 1e-8f);
  for (size_t i = 0; i < count; i++)
    x[i] = (x[i] - mean) * inverse;
}

/* A peephole's weight, float or int8. */
static float factor_of(const lstm *l, uint32_t k, size_t i) {
  const ash_tensor *w = ash_ref_in(l->c, k);
  if (w->type == ASH_FLOAT32)
    return reals(l, k)[i];
  return (float)((const int8_t *)ash_ref_read(l->c, k))[i] *
         ash_ref_scale_of(w);
}

static void gate_real(const lstm *l, uint32_t g, const float *h,
                      const float *cell, float *y) {
  const uint32_t peephole = g == OUTPUT ? 11 : 9 + g;
  const float *bias = reals(l, 12 + g), *norm = reals(l, 20 + g);
  for (size_t i = 0; i < l->cells; i++) {
    y[i] = norm || !bias ? 0 : bias[i];
    y[i] += ash_ref_weigh(l->c, 1 + g, i, reals(l, 0) + l->row * l->depth,
                          l->depth, l->codes);
    y[i] += ash_ref_weigh(l->c, 5 + g, i, h, l->outputs, l->codes);
    if (g != CELL && has(l, peephole))
      y[i] += factor_of(l, peephole, i) * cell[i];
  }
  if (norm)
    normalise(y, l->cells);
  for (size_t i = 0; i < l->cells; i++) {
    if (norm)
      y[i] = y[i] * norm[i] + (bias ? bias[i] : 0);
    y[i] = g == CELL ? activate(ash_attr_string(l->c->op, "act", "tanh"), y[i])
                     : sigmoid(y[i]);
  }
}

static float clip(float x, float most) {
  return most > 0 && x > most ? most : most > 0 && x < -most ? -most : x;
}

static ash_status step_real(const lstm *l) {
  float *h =
      (float *)l->c->values[l->c->op->inputs[18]] + l->batch * l->outputs;
  float *cell =
      (float *)l->c->values[l->c->op->inputs[19]] + l->batch * l->cells;
  const char *act = ash_attr_string(l->c->op, "act", "tanh");
  const float cell_clip = (float)ash_attr_float(l->c->op, "cell_clip", 0.0);
  const float proj_clip = (float)ash_attr_float(l->c->op, "proj_clip", 0.0);
  float *gate[GATES];
  for (uint32_t g = 0; g < GATES; g++)
    gate[g] = ASH_NEW_ARRAY(&l->c->ctx->scratch, float, l->cells + 1);
  ASH_TRY(ash_zone_check(l->c->ctx, &l->c->ctx->scratch));
  for (uint32_t g = l->coupled ? FORGET : INPUT; g < OUTPUT; g++)
    gate_real(l, g, h, cell, gate[g]);
  for (size_t i = 0; i < l->cells; i++) {
    const float in = l->coupled ? 1 - gate[FORGET][i] : gate[INPUT][i];
    const float old = gate[FORGET][i] * cell[i];
    cell[i] = clip(old + in * gate[CELL][i], cell_clip);
  }
  gate_real(l, OUTPUT, h, cell, gate[OUTPUT]);
  for (size_t i = 0; i < l->cells; i++)
    gate[OUTPUT][i] *= activate(act, cell[i]);
  for (size_t o = 0; o < l->outputs; o++)
    h[o] = has(l, 16) ? clip((has(l, 17) ? reals(l, 17)[o] : 0) +
                                 ash_ref_weigh(l->c, 16, o, gate[OUTPUT],
                                               l->cells, l->codes),
                             proj_clip)
                      : gate[OUTPUT][o];
  memcpy((float *)ash_ref_write(l->c, 0) + l->row * l->outputs, h,
         l->outputs * sizeof *h);
  return ASH_OK;
}

/* ---- 16-bit fixed point ------------------------------------------------- */

static int32_t within(int64_t x, int32_t low, int32_t high) {
  return x < low ? low : x > high ? high : (int32_t)x;
}

static int32_t short_of(int64_t x) {
  return within(x, INT16_MIN, INT16_MAX);
}

/* a * b / 2^15, to the nearest, ties up. */
static int32_t mul15(int32_t a, int32_t b) {
  const int32_t product = a * b + (1 << 14);
  return short_of(product >= 0 ? product >> 15
                               : -((-product + (1 << 15) - 1) >> 15));
}

/* exp(a) for a in [-1/4, 0), both in Q0.15. */
static int32_t exp_near_zero(int32_t a) {
  const int32_t at_centre = 28918, third = 10923;
  const int32_t x = a + (1 << 12);
  const int32_t x2 = mul15(x, x), x3 = mul15(x2, x), x4 = mul15(x2, x2);
  const int32_t high = ash_ref_round_shift(
      mul15(ash_ref_round_shift(x4, 2) + x3, third) + x2, 1);
  return short_of(at_centre + mul15(at_centre, x + high));
}

/* exp(a) for a <= 0 with `whole` integer bits; the result in Q0.15. */
static int32_t exp15(int32_t a, int32_t whole) {
  static const int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                   39332535,   720401,     242};
  const int32_t fraction = 15 - whole, quarter = 1 << (fraction - 2);
  const int32_t rest =
      a - (int32_t)floor((double)a / quarter) * quarter - quarter;
  const int32_t multiples = rest - a;
  if (a == 0)
    return INT16_MAX;
  int32_t y = exp_near_zero(short_of((int64_t)rest * (1 << whole)));
  for (int32_t e = -2; e < 5 && e < whole; e++)
    if (multiples >> (fraction + e) & 1)
      y = mul15(y, ash_ref_round_shift(powers[e + 2], 16));
  if (whole > 5 && a < -(1 << (fraction + 5)))
    return 0;
  return y;
}

/* 2 / (1 + x) in Q2.13 for x in Q0.15. */
static int32_t two_over_one_plus(int32_t x) {
  const int32_t half = (x + INT16_MAX + 1) / 2;
  int32_t y = 23130 + mul15(half, -15420);
  for (int32_t i = 0; i < 3; i++) {
    const int32_t rest = (1 << 13) - mul15(half, y);
    y += short_of((int64_t)mul15(y, rest) * 4);
  }
  return y;
}

static int32_t sigmoid15(int32_t a) {
  const int32_t size = a > 0 ? a : a == INT16_MIN ? INT16_MIN : -a;
  const int32_t y = short_of(
      (int64_t)two_over_one_plus(exp15(size == INT16_MIN ? size : -size, 3)) *
      2);
  return a == 0 ? 1 << 14 : a > 0 ? y : INT16_MAX - y;
}

static int32_t tanh15(int32_t a, int32_t whole) {
  const int32_t below = a > 0 ? -a : a;
  const int32_t y = short_of(
      (int64_t)(two_over_one_plus(exp15(below, whole + 1)) - (1 << 13)) * 4);
  return a == 0 ? 0 : a < 0 ? -y : y;
}

static float scale(const lstm *l, uint32_t k) {
  return ash_ref_scale_of(ash_ref_in(l->c, k));
}

static int32_t power_of_cell(const lstm *l) {
  int exponent;
  (void)frexpf(scale(l, 19), &exponent);
  return exponent - 1;
}

#define GATE_STEP 0x1p-12f

/* Values of input `in` from `first` on, times row `row` of input k's weights;
 * in steps of GATE_STEP. */
static int64_t weighted_sum(const lstm *l, uint32_t k, size_t row, uint32_t in,
                            size_t first, size_t count, int64_t bias) {
  const ash_tensor *t = ash_ref_in(l->c, in), *w = ash_ref_in(l->c, k);
  const void *x = ash_ref_read(l->c, in), *weights = ash_ref_read(l->c, k);
  int64_t sum = bias;
  for (size_t i = 0; i < count; i++)
    sum += (ash_ref_get(t, x, first + i) - ash_ref_zero_of(t)) *
           ash_ref_get(w, weights, row * count + i);
  const float product = scale(l, k) * ash_ref_scale_of(t);
  const ash_ref_factor f = ash_ref_factor_of((double)(product / GATE_STEP));
  return ash_ref_rescale(ash_ref_wrap(sum), f);
}

static int32_t gate_fixed(const lstm *l, uint32_t g, size_t i) {
  const int32_t *bias = ash_ref_read(l->c, 12 + g);
  const uint32_t peephole = g == OUTPUT ? 11 : 9 + g;
  int32_t y = short_of(weighted_sum(l, 1 + g, i, 0, l->row * l->depth, l->depth,
                                    bias ? bias[i] : 0));
  y = short_of(
      y + weighted_sum(l, 5 + g, i, 18, l->batch * l->outputs, l->outputs, 0));
  if (g != CELL && has(l, peephole)) {
    const double unit = ldexp(1.0, power_of_cell(l));
    const float ratio =
        (float)(unit * (double)scale(l, peephole) / (double)GATE_STEP);
    const int32_t product =
        ((const int16_t *)ash_ref_read(l->c, peephole))[i] *
        ((const int16_t *)ash_ref_read(l->c, 19))[l->batch * l->cells + i];
    y = short_of((int64_t)y +
                 ash_ref_rescale(product, ash_ref_factor_of((double)ratio)));
  }
  return g == CELL ? tanh15(y, 3) : sigmoid15(y);
}

static int32_t clip_fixed(int32_t x, double real, float step, int32_t most) {
  const float steps = (float)real / step;
  const int32_t end = steps > (float)most ? most : (int32_t)steps;
  return real > 0 && end > 0 ? within(x, -end, end) : x;
}

static void update_cells(const lstm *l) {
  int16_t *cell =
      (int16_t *)l->c->values[l->c->op->inputs[19]] + l->batch * l->cells;
  for (size_t i = 0; i < l->cells; i++) {
    const int32_t forget = gate_fixed(l, FORGET, i);
    const int32_t in =
        l->coupled ? INT16_MAX - forget : gate_fixed(l, INPUT, i);
    const int32_t new = gate_fixed(l, CELL, i);
    const int32_t kept = short_of(ash_ref_round_shift(forget * cell[i], 15));
    const int32_t added =
        short_of(ash_ref_round_shift(in * new, 30 + power_of_cell(l)));
    cell[i] = (int16_t)clip_fixed(short_of((int64_t)kept + added),
                                  ash_attr_float(l->c->op, "cell_clip", 0.0),
                                  scale(l, 19), INT16_MAX);
  }
}

static ash_status step_fixed(const lstm *l) {
  const ash_ref_call *c = l->c;
  const int16_t *cell =
      (const int16_t *)ash_ref_read(c, 19) + l->batch * l->cells;
  int8_t *h = (int8_t *)c->values[c->op->inputs[18]] + l->batch * l->outputs;
  int32_t *hidden = ASH_NEW_ARRAY(&c->ctx->scratch, int32_t, l->cells + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const float unit = (float)ash_attr_float(c->op, "hidden_scale", 0.0);
  const int32_t zero = (int32_t)ash_attr_int(c->op, "hidden_zero", 0);
  const bool projected = has(l, 16);
  const float ratio = (float)(ldexp(1.0, -15) / (double)unit * ldexp(1.0, -15));
  const ash_ref_factor f = ash_ref_factor_of((double)ratio);
  update_cells(l);
  for (size_t i = 0; i < l->cells; i++) {
    const int32_t product =
        gate_fixed(l, OUTPUT, i) * tanh15(cell[i], 15 + power_of_cell(l));
    hidden[i] = within((int64_t)ash_ref_rescale(product, f) +
                           (projected ? -zero : zero),
                       INT8_MIN, INT8_MAX);
  }
  for (size_t o = 0; o < l->outputs; o++) {
    if (!projected) {
      h[o] = (int8_t)hidden[o];
      continue;
    }
    const int32_t *bias = ash_ref_read(c, 17);
    int64_t sum = bias ? bias[o] : 0;
    for (size_t i = 0; i < l->cells; i++)
      sum += (int64_t)(hidden[i] + zero) *
             ((const int8_t *)ash_ref_read(c, 16))[o * l->cells + i];
    const float product = scale(l, 16) * unit;
    const ash_ref_factor p =
        ash_ref_factor_of((double)(product / scale(l, 18)));
    h[o] = (int8_t)clip_fixed(
        within((int64_t)ash_ref_rescale(ash_ref_wrap(sum), p) +
                   ash_ref_zero_of(ash_ref_in(c, 18)),
               INT8_MIN, INT8_MAX),
        ash_attr_float(c->op, "proj_clip", 0.0),
        ash_ref_scale_of(ash_ref_out(c, 0)), INT8_MAX);
  }
  memcpy((int8_t *)ash_ref_write(c, 0) + l->row * l->outputs, h, l->outputs);
  return ASH_OK;
}

/* ---- int16 data --------------------------------------------------------- */

/* A sum with input k's weights, in Q3.12. */
static int32_t wide_sum(const lstm *l, uint32_t k, size_t i, uint32_t in,
                        size_t first, size_t count, int64_t bias) {
  const ash_tensor *t = ash_ref_in(l->c, in), *w = ash_ref_in(l->c, k);
  int64_t sum = bias;
  for (size_t n = 0; n < count; n++)
    sum += (ash_ref_get(t, ash_ref_read(l->c, in), first + n) -
            ash_ref_zero_of(t)) *
           ash_ref_get(w, ash_ref_read(l->c, k), i * count + n);
  const float product = ash_ref_scale_of(t) * scale(l, k);
  return short_of(
      ash_ref_rescale_long(sum, ash_ref_factor_of((double)product * 4096.0)));
}

static int32_t wide_gate(const lstm *l, uint32_t g, size_t i) {
  const int64_t *bias = ash_ref_read(l->c, 12 + g);
  const int32_t a =
      wide_sum(l, 1 + g, i, 0, l->row * l->depth, l->depth, bias ? bias[i] : 0);
  const int32_t b =
      wide_sum(l, 5 + g, i, 18, l->batch * l->outputs, l->outputs, 0);
  const int32_t x = 3 * short_of((int64_t)a + b);
  return (int32_t)(g == CELL ? ash_ref_tanh16(x) : ash_ref_logistic16(x));
}

/* 3 * 2^(12 + power) * x, halves up. */
static int32_t wide_cell(const lstm *l, int32_t x) {
  const double y = ldexp(3.0 * x, 12 + power_of_cell(l));
  return (int32_t)floor(y + 0.5);
}

static int32_t wide_product(int32_t a, int32_t b, double real) {
  return ash_ref_rescale(a * b, ash_ref_factor_of(real));
}

static ash_status step_wide(const lstm *l) {
  const ash_ref_call *c = l->c;
  int16_t *cell = (int16_t *)c->values[c->op->inputs[19]] + l->batch * l->cells;
  int16_t *h = (int16_t *)c->values[c->op->inputs[18]] + l->batch * l->outputs;
  int16_t *y = (int16_t *)ash_ref_write(c, 0) + l->row * l->outputs;
  const double unit = ldexp(1.0, -30);
  for (size_t i = 0; i < l->cells; i++) {
    const int32_t kept = short_of(
        wide_product(wide_gate(l, FORGET, i), cell[i], ldexp(1.0, -15)));
    const int32_t added =
        short_of(wide_product(wide_gate(l, INPUT, i), wide_gate(l, CELL, i),
                              unit / (double)scale(l, 19)));
    cell[i] = (int16_t)clip_fixed(short_of((int64_t)kept + added),
                                  ash_attr_float(c->op, "cell_clip", 0.0),
                                  scale(l, 19), INT16_MAX);
  }
  for (size_t i = 0; i < l->cells; i++)
    y[i] = (int16_t)short_of(
        (int64_t)wide_product(wide_gate(l, OUTPUT, i),
                              (int32_t)ash_ref_tanh16(wide_cell(l, cell[i])),
                              unit / (double)scale(l, 18)) +
        ash_ref_zero_of(ash_ref_in(c, 18)));
  memcpy(h, y, l->outputs * sizeof *h);
  return ASH_OK;
}

static ash_status step(const lstm *l) {
  if (ash_ref_is_float(l->c))
    return step_real(l);
  return ash_ref_in(l->c, 0)->type == ASH_INT16 ? step_wide(l) : step_fixed(l);
}

ash_status ash_ref_lstm(const ash_ref_call *c) {
  lstm l = {.c = c, .s = ash_ref_steps_of(c)};
  const ash_shape *w = &ash_ref_in(c, 2)->shape;
  l.cells = (size_t)w->dim[0];
  l.depth = (size_t)w->dim[1];
  l.outputs = (size_t)ash_ref_in(c, 6)->shape.dim[1];
  l.coupled = !has(&l, 1);
  l.codes = ASH_NEW_ARRAY(&c->ctx->scratch, int32_t,
                          l.cells + l.depth + l.outputs + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (l.batch = 0; l.batch < l.s.batches; l.batch++)
    for (size_t t = 0; t < l.s.steps; t++) {
      const ash_mark mark = ash_zone_mark(&c->ctx->scratch);
      l.row = l.batch * l.s.per_batch + t * l.s.per_step;
      const ash_status status = step(&l);
      ash_zone_rewind(&c->ctx->scratch, mark);
      ASH_TRY(status);
    }
  return ASH_OK;
}
