/* lower_fourier.c - cosines and sines for the Fourier transform, the same on
 * every machine. */
#include "pass/lower/lower_append.h"

#include "base/trig.h"
#include "op/functions.h"

#include <math.h>
#include <string.h>

static void put_float(uint8_t *to, double value) {
  const float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  ash_lower_put_int(to, bits, 4);
}

ash_status ash_lower_rfft2d(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const int64_t h = ash_op_ints(o, "length", 0, 1);
  const int64_t w = ash_op_ints(o, "length", 1, 1);
  const int64_t n = h > w ? h : w;
  uint8_t *bytes = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)n * 8);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (int64_t k = 0; k < n; k++) {
    double c, s;
    ash_root_of_unity(k, n, &c, &s);
    put_float(bytes + 8 * k, c);
    put_float(bytes + 8 * k + 4, s);
  }
  return ash_lower_append(g, op, "turns", ASH_FLOAT32, (uint32_t)(2 * n),
                          bytes);
}

/* Clockwise, in 32767ths. */
static void put_turn(uint8_t *to, int64_t k, int64_t n) {
  double c, s;
  ash_root_of_unity(k, n, &c, &s);
  ash_lower_put_int(to, (int64_t)floor(0.5 + 32767 * c), 2);
  ash_lower_put_int(to + 2, (int64_t)floor(0.5 - 32767 * s), 2);
}

/* Turns by k of length / 2, then those that separate even from odd samples. */
ash_status ash_lower_fixed_rfft(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const int64_t length = ash_attr_int(&g->ops.items[op], "length", 8);
  const int64_t n = length / 2;
  uint8_t *bytes = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)(4 * n + 2 * n));
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (int64_t k = 0; k < n; k++)
    put_turn(bytes + 4 * k, k, n);
  for (int64_t k = 0; k < n / 2; k++)
    put_turn(bytes + 4 * (n + k), k + 1 + n / 2, length);
  return ash_lower_append(g, op, "turns", ASH_INT16, (uint32_t)(3 * n), bytes);
}
