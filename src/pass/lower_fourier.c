/* lower_fourier.c - cosines and sines for the Fourier transform, the same on
 * every machine. */
#include "pass/lower_append.h"

#include <string.h>

/* Sine and cosine of x in [0, pi/4] by their series, in double. */
static void small_turn(double x, double *cosine, double *sine) {
  double c = 1.0, s = 1.0;
  for (int n = 22; n > 0; n -= 2) {
    c = 1.0 - c * x * x / (double)(n * (n - 1));
    s = 1.0 - s * x * x / (double)(n * (n + 1));
  }
  *cosine = c;
  *sine = x * s;
}

/* Of k / n turns; n is a power of two. */
static void turn(int64_t k, int64_t n, double *cosine, double *sine) {
  const int64_t eighths = 8 * k / n; /* which eighth of the circle */
  const int64_t rest = 8 * k - eighths * n;
  const bool back = eighths % 2 != 0;
  const double unit = 0.785398163397448309616 / (double)n;
  double c, s;
  small_turn((double)(back ? n - rest : rest) * unit, &c, &s);
  const int64_t quarter = (eighths + 1) / 2 % 4;
  if (back)
    s = -s;
  *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

static void put_float(uint8_t *to, double value) {
  const float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  ash_lower_put_int(to, bits, 4);
}

ash_status ash_lower_rfft2d(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_tensor *lengths = ash_op_in(g, &g->ops.items[op], 1);
  const int64_t h = ash_tensor_int(lengths, 0), w = ash_tensor_int(lengths, 1);
  const int64_t n = h > w ? h : w;
  uint8_t *bytes = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)n * 8);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (int64_t k = 0; k < n; k++) {
    double c, s;
    turn(k, n, &c, &s);
    put_float(bytes + 8 * k, c);
    put_float(bytes + 8 * k + 4, s);
  }
  return ash_lower_append(g, op, "turns", ASH_FLOAT32, (uint32_t)(2 * n),
                          bytes);
}
