/* ref_element_int16.c - functions of int16 as LiteRT computes them: from tables
 * with linear interpolation. docs/numerics.md, "int16", has the words. */
#include "op/functions.h"
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <math.h>

/* ---- logistic, tanh ----------------------------------------------------- */

static double logistic_at(double i) {
  return 65536.0 / (1.0 + exp(-i / 24.0));
}

/* Entry i of the table: the logistic function of i / 24, raised by half of what
 * the chord to the next entry misses in the middle. */
static int32_t entry(int32_t i) {
  const double here = logistic_at(i), next = logistic_at(i + 1);
  const double missed = logistic_at(i + 0.5) - (here + next) / 2;
  return i < 255 ? (int32_t)round(here + missed / 2) : 65535;
}

/* Between the entries; `bits` of x lie between two of them. */
static int32_t interpolate(int64_t x, int32_t bits, int32_t far) {
  const int32_t i = (int32_t)(x >> bits);
  if (i >= 255)
    return far;
  const int32_t part = (int32_t)(x & ((1 << bits) - 1));
  return entry(i) * (1 << bits) + part * (entry(i + 1) - entry(i));
}

/* Turns x into 1/12288: exactly for some powers of two. */
typedef struct input_scale {
  int32_t multiplier, shift;
} input_scale;

static input_scale input_of(const ash_ref_call *c) {
  const float scale = ash_ref_scale_of(ash_ref_in(c, 0));
  const int32_t most = ash_op_fn(c->op) == ASH_FN_tanh ? 1 : 0;
  int exponent;
  const bool power = frexpf(scale, &exponent) == 0.5f;
  const int32_t left = 12 + exponent - 1;
  if (power && left >= 0 && left <= most)
    return (input_scale){3 * (1 << left), 0};
  double multiplier = (double)scale * 4096.0 * 3.0;
  input_scale s = {0, 0};
  while (multiplier <= 32767.0 / 2.0 && s.shift <= 30) {
    s.shift++;
    multiplier *= 2.0;
  }
  s.multiplier = multiplier > 1e9 ? 1000000000 : (int32_t)multiplier;
  return s;
}

static int64_t floor_shift(int64_t x, int32_t n) {
  const int64_t unit = (int64_t)1 << n;
  return x >= 0 ? x / unit : -((-x + unit - 1) / unit);
}

int64_t ash_ref_logistic16(int32_t x) {
  const int32_t size = x < 0 ? -x : x;
  const int64_t y = interpolate(size, 9, 0x7fff << 10);
  return floor_shift(x >= 0 ? y + 512 : (1 << 25) - y + 511, 10);
}

int64_t ash_ref_tanh16(int32_t x) {
  const int32_t size = x < 0 ? -x : x;
  const int64_t y = interpolate(size, 8, 0xffff << 8);
  return floor_shift(x >= 0 ? y - (1 << 23) + 128 : (1 << 23) - y + 127, 8);
}

ash_status ash_ref_curve(const ash_ref_call *c) {
  const ash_tensor *in = ash_ref_in(c, 0), *out = ash_ref_out(c, 0);
  const input_scale s = input_of(c);
  const uint64_t count = ash_ref_elements(in);
  for (uint64_t i = 0; i < count; i++) {
    const int64_t x = ash_ref_get(in, ash_ref_read(c, 0), i) * s.multiplier;
    const int64_t half = s.shift > 0 ? (int64_t)1 << (s.shift - 1) : 0;
    const int32_t y = (int32_t)floor_shift(ash_ref_wrap(x + half), s.shift);
    ash_ref_put(out, ash_ref_write(c, 0), i,
                ash_op_fn(c->op) == ASH_FN_tanh ? ash_ref_tanh16(y)
                                                : ash_ref_logistic16(y));
  }
  return ASH_OK;
}

/* ---- softmax ------------------------------------------------------------ */

enum { STEPS = 512 };

typedef struct table {
  int32_t at[STEPS + 1];
} table;

static double over_one_plus(double x) {
  return 1.0 / (1.0 + x);
}

static int32_t within(double x) {
  return x > 32767.0 ? 32767 : x < -32768.0 ? -32768 : (int32_t)x;
}

/* Entries are moved by half of the chord's error in the middle. */
static void make_table(table *t, double (*f)(double x), double low,
                       double high) {
  const double unit = 2.0 / 65535.0;
  const double scale = 65536.0 / (unit * 32767.0 - unit * -32768.0);
  const double step = (high - low) / STEPS;
  for (int32_t i = 0; i < STEPS; i++) {
    const double here = round(f(low + i * step) * scale);
    const double middle = round(f(low + i * step + step / 2) * scale);
    const double next = f(low + (i + 1) * step) * scale;
    const double chord = round((next + here) / 2);
    t->at[i] = within(here - round((chord - middle) / 2));
  }
  t->at[STEPS] = within(round(f(high) * scale));
}

static int32_t look_up(const table *t, int64_t x) {
  const int32_t value = x > 32767 ? 32767 : x < -32768 ? -32768 : (int32_t)x;
  const int32_t i = (int32_t)floor_shift(value, 7) + 256;
  const int32_t part = value - (i - 256) * 128;
  const int32_t slope = t->at[i + 1] - t->at[i];
  return t->at[i] + (int32_t)floor_shift((int64_t)slope * part + 64, 7);
}

/* ---- other functions ----------------------------------------------------- */

/* In float32, where LiteRT makes these tables. */
static float nearest(float x) {
  return x > 1e9f ? 1e9f : x > -1e9f ? roundf(x) : -1e9f; /* NaN: the least */
}

/* f(x) in steps; where there is no value, the end of the range. */
static float steps_of(float (*f)(float x), float x, float out, float unit) {
  const float y = f(x);
  return (isinf(y) ? out * (y < 0 ? -32768.0f : 32767.0f) : y) * unit;
}

static void make_function(table *t, float (*f)(float x), float in, float out) {
  const float low = in * -32768.0f, high = in * 32767.0f;
  const float unit = 65536.0f / (out * 32767.0f - out * -32768.0f);
  const float step = (high - low) / (float)STEPS, half = step / 2;
  for (int32_t i = 0; i < STEPS; i++) {
    const float x = low + (float)i * step;
    const float here = nearest(steps_of(f, x, out, unit));
    const float next = steps_of(f, x + step, out, unit);
    const float chord = nearest((next + here) / 2);
    const float middle = nearest(steps_of(f, x + half, out, unit));
    t->at[i] = within((double)(here - nearest((chord - middle) / 2)));
  }
  t->at[STEPS] = within((double)nearest(steps_of(f, high, out, unit)));
}

ash_status ash_ref_map16(const ash_ref_call *c, float (*f)(float x)) {
  const ash_tensor *in = ash_ref_in(c, 0), *out = ash_ref_out(c, 0);
  table t;
  make_function(&t, f, ash_ref_scale_of(in), ash_ref_scale_of(out));
  for (uint64_t i = 0; i < ash_ref_elements(out); i++)
    ash_ref_put(out, ash_ref_write(c, 0), i,
                look_up(&t, ash_ref_get(in, ash_ref_read(c, 0), i)));
  return ASH_OK;
}

/* ---- softmax, continued -------------------------------------------------- */

typedef struct softmax {
  table exps, inverses;
  ash_ref_factor factor;
} softmax;

static void one_row(const softmax *s, const int16_t *x, int16_t *y,
                    uint64_t depth) {
  int32_t most = x[0], sum = 0;
  for (uint64_t i = 1; i < depth; i++)
    most = x[i] > most ? x[i] : most;
  for (uint64_t i = 0; i < depth; i++) {
    const int32_t d = ash_ref_rescale(x[i] - most, s->factor);
    y[i] = (int16_t)look_up(&s->exps, (int64_t)d + 32767);
    sum += y[i];
  }
  const int32_t zeros = ash_ref_leading_zeros((uint32_t)sum);
  const int32_t down = 31 - zeros;
  const int64_t scaled =
      floor_shift((int64_t)sum * ((int64_t)1 << (zeros - 1)) + 8192, 14);
  const int32_t inverse = look_up(&s->inverses, scaled - 32768 - 65536);
  for (uint64_t i = 0; i < depth; i++) {
    const int64_t half = down > 0 ? (int64_t)1 << (down - 1) : 0;
    const int64_t v = floor_shift((int64_t)y[i] * inverse + half, down);
    y[i] = (int16_t)(v < 0 ? 0 : v > 32767 ? 32767 : v);
  }
}

ash_status ash_ref_softmax_sixteen(const ash_ref_call *c, uint64_t depth) {
  const uint64_t count = ash_ref_elements(ash_ref_in(c, 0));
  const float beta = (float)ash_attr_float(c->op, "beta", 1.0);
  const float product = ash_ref_scale_of(ash_ref_in(c, 0)) * beta;
  softmax *s = ASH_NEW(&c->ctx->scratch, softmax);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  make_table(&s->exps, exp, 10.0 / 65535.0 * -65535.0, 0.0);
  make_table(&s->inverses, over_one_plus, 0.0, 1.0 / 65535.0 * 65535.0);
  s->factor = ash_ref_factor_of((double)product / (10.0 / 65535.0));
  for (uint64_t i = 0; i < count; i += depth)
    one_row(s, (const int16_t *)ash_ref_read(c, 0) + i,
            (int16_t *)ash_ref_write(c, 0) + i, depth);
  return ASH_OK;
}
