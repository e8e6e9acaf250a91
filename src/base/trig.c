/* trig.c - angles are reduced exactly, in integers, to an eighth of the circle;
 * there the Taylor series are evaluated in double. */
#include "base/trig.h"
#include "base/assert.h"

#include <stdbool.h>

/* Sine and cosine of x in [0, pi/4]. */
static void taylor(double x, double *cosine, double *sine) {
  double c = 1.0, s = 1.0;
  for (int n = 22; n > 0; n -= 2) {
    c = 1.0 - c * x * x / (double)(n * (n - 1));
    s = 1.0 - s * x * x / (double)(n * (n + 1));
  }
  *cosine = c;
  *sine = x * s;
}

void ash_root_of_unity(int64_t k, int64_t n, double *cosine, double *sine) {
  ASH_ASSERT(0 <= k && k < n && n < (int64_t)1 << 59);
  const int64_t eighths = 8 * k / n; /* which eighth of the circle */
  const int64_t rest = 8 * k - eighths * n;
  const bool back = eighths % 2 != 0;
  const double unit = 0.785398163397448309616 / (double)n;
  double c, s;
  taylor((double)(back ? n - rest : rest) * unit, &c, &s);
  const int64_t quarter = (eighths + 1) / 2 % 4;
  if (back)
    s = -s;
  *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}
