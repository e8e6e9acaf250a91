/* turn.c - see turn.h. */
#include "base/turn.h"

#include <stdbool.h>

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

void ash_turn(int64_t k, int64_t n, double *cosine, double *sine) {
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
