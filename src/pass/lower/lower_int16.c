/* lower_int16.c - tables of functions in int16: few entries, and the kernels
 * interpolate between them. */
#include "pass/lower/lower_append.h"

#include "pass/lower/fixed_exp.h"

#include <math.h>

/* Half away from zero. */
static double round_away(double x) {
  return x < 0 ? -floor(0.5 - x) : floor(x + 0.5);
}

/* The logistic function of i / 24. */
static double logistic_at(double i) {
  return 65536.0 / (1.0 + ash_exact_exp(-i / 24.0));
}

/* Entries are raised by half of what the chord to the next one misses in the
 * middle. */
ash_status ash_lower_curve(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  uint8_t *bytes = ASH_NEW_ARRAY(&g->zone, uint8_t, 512);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (int32_t i = 0; i < 256; i++) {
    const double here = logistic_at(i), next = logistic_at(i + 1);
    const double missed = logistic_at(i + 0.5) - (here + next) / 2;
    const double y = round_away(here + missed / 2);
    ash_lower_put_int(bytes + (size_t)i * 2, i < 255 ? (int64_t)y : 65535, 2);
  }
  return ash_lower_append(g, op, "lut", ASH_UINT16, 256, bytes);
}

static double over_one_plus(double x) {
  return 1.0 / (1.0 + x);
}

enum { STEPS = 512, TABLE_BYTES = 2 * (STEPS + 1) };

static int64_t within(double x) {
  return x > 32767.0 ? 32767 : x < -32768.0 ? -32768 : (int64_t)x;
}

/* 512 steps from `low` to `high`. Each entry gives up half of what the chord
 * above it is off in the middle. */
static void fill(uint8_t *to, double (*f)(double x), double low, double high) {
  const double unit = 2.0 / 65535.0;
  const double least = unit * -32768.0, most = unit * 32767.0;
  const double scale = 65536.0 / (most - least);
  const double step = (high - low) / STEPS;
  for (int32_t i = 0; i < STEPS; i++) {
    const double here = f(low + i * step) * scale;
    const double middle = f(low + i * step + step / 2) * scale;
    const double next = f(low + (i + 1) * step) * scale;
    const double chord = round_away((next + round_away(here)) / 2);
    const double off = round_away((chord - round_away(middle)) / 2);
    ash_lower_put_int(to + (size_t)i * 2, within(round_away(here) - off), 2);
  }
  ash_lower_put_int(to + TABLE_BYTES - 2, within(round_away(f(high) * scale)),
                    2);
}

ash_status ash_lower_softmax_s16(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  uint8_t *bytes = ASH_NEW_ARRAY(&g->zone, uint8_t, TABLE_BYTES + TABLE_BYTES);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  const double ten = 10.0 / 65535.0, one = 1.0 / 65535.0;
  fill(bytes, ash_exact_exp, ten * -65535.0, ten * 0.0);
  fill(bytes + TABLE_BYTES, over_one_plus, one * 0.0, one * 65535.0);
  return ash_lower_append(g, op, "lut", ASH_INT16, 2 * (STEPS + 1), bytes);
}
