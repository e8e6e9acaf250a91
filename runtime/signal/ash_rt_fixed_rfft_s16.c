/* ash_rt_fixed_rfft_s16.c - Fourier transform of int16 samples, length a power
 * of two: even and odd samples as one complex number each, by fours and at most
 * one by two, then taken apart. Every step halves, so nothing overflows. */
#include "ash_rt_fourier.h"

typedef struct ash_rt_pair_s16 {
  int16_t re, im;
} ash_rt_pair_s16;

static int16_t ash_rt_half_up(int32_t x) {
  return (int16_t)((x + (1 << 14)) >> 15);
}

static ash_rt_pair_s16 ash_rt_pair_shrunk(const int16_t *a, int32_t by) {
  ash_rt_pair_s16 y;
  y.re = ash_rt_half_up(a[0] * by);
  y.im = ash_rt_half_up(a[1] * by);
  return y;
}

static ash_rt_pair_s16 ash_rt_pair_turned(ash_rt_pair_s16 a, const int16_t *w) {
  ash_rt_pair_s16 y;
  y.re = ash_rt_half_up(a.re * w[0] - a.im * w[1]);
  y.im = ash_rt_half_up(a.re * w[1] + a.im * w[0]);
  return y;
}

/* Two transforms of m numbers become one of 2 m. */
static void ash_rt_join_two(int16_t *x, int32_t m, const int16_t *w,
                            int32_t stride) {
  for (int32_t k = 0; k < m; k++, x += 2, w += 2 * stride) {
    int16_t *const b = x + 2 * m;
    const ash_rt_pair_s16 p = ash_rt_pair_shrunk(x, 32767 / 2);
    const ash_rt_pair_s16 q =
        ash_rt_pair_turned(ash_rt_pair_shrunk(b, 32767 / 2), w);
    x[0] = (int16_t)(p.re + q.re);
    x[1] = (int16_t)(p.im + q.im);
    b[0] = (int16_t)(p.re - q.re);
    b[1] = (int16_t)(p.im - q.im);
  }
}

/* Four of m become one of 4 m. */
static void ash_rt_join_four(int16_t *x, int32_t m, const int16_t *table,
                             int32_t stride) {
  for (int32_t k = 0; k < m; k++, x += 2) {
    const int16_t *const w = table + 2 * (ptrdiff_t)k * stride;
    const ash_rt_pair_s16 a = ash_rt_pair_shrunk(x, 32767 / 4);
    const ash_rt_pair_s16 b =
        ash_rt_pair_turned(ash_rt_pair_shrunk(x + 2 * m, 32767 / 4), w);
    const ash_rt_pair_s16 c = ash_rt_pair_turned(
        ash_rt_pair_shrunk(x + 4 * m, 32767 / 4), table + 4 * k * stride);
    const ash_rt_pair_s16 d = ash_rt_pair_turned(
        ash_rt_pair_shrunk(x + 6 * m, 32767 / 4), table + 6 * k * stride);
    const int16_t even_re = (int16_t)(a.re + c.re),
                  odd_re = (int16_t)(b.re + d.re);
    const int16_t even_im = (int16_t)(a.im + c.im),
                  odd_im = (int16_t)(b.im + d.im);
    const int16_t left_re = (int16_t)(a.re - c.re),
                  right_re = (int16_t)(b.re - d.re);
    const int16_t left_im = (int16_t)(a.im - c.im),
                  right_im = (int16_t)(b.im - d.im);
    x[0] = (int16_t)(even_re + odd_re);
    x[1] = (int16_t)(even_im + odd_im);
    x[2 * m] = (int16_t)(left_re + right_im);
    x[2 * m + 1] = (int16_t)(left_im - right_re);
    x[4 * m] = (int16_t)(even_re - odd_re);
    x[4 * m + 1] = (int16_t)(even_im - odd_im);
    x[6 * m] = (int16_t)(left_re - right_im);
    x[6 * m + 1] = (int16_t)(left_im + right_re);
  }
}

/* Where number i of n, a power of two, starts: its digits to the base of 4, the
 * last of which is one of two where n is no power of 4, the other way round. */
static int32_t ash_rt_place_of(int32_t i, int32_t n) {
  int32_t place = 0;
  while (n > 1) {
    const int32_t parts = n % 4 == 0 ? 4 : 2;
    n /= parts;
    place += i % parts * n;
    i /= parts;
  }
  return place;
}

static void ash_rt_fixed_fft(int16_t *x, int32_t n, const int16_t *table) {
  int32_t size = 1;
  while (size * 4 <= n)
    size *= 4;
  int32_t m = 1;
  if (size != n) { /* the innermost is the one by two */
    for (int32_t first = 0; first < n; first += 2)
      ash_rt_join_two(x + 2 * first, 1, table, n / 2);
    m = 2;
  }
  for (; m < n; m *= 4)
    for (int32_t first = 0; first < n; first += 4 * m)
      ash_rt_join_four(x + 2 * first, m, table, n / (4 * m));
}

/* From the transform of pairs of samples to that of single ones. */
static void ash_rt_separate(const int16_t *z, int32_t n, const int16_t *table,
                            int16_t *out) {
  const ash_rt_pair_s16 first = ash_rt_pair_shrunk(z, 32767 / 2);
  out[0] = (int16_t)(first.re + first.im);
  out[2 * n] = (int16_t)(first.re - first.im);
  out[1] = out[2 * n + 1] = 0;
  for (int32_t k = 1; k <= n / 2; k++) {
    const int16_t *const back = z + 2 * (n - k);
    const int16_t mirrored[2] = {back[0], (int16_t)(0 - back[1])};
    const ash_rt_pair_s16 a = ash_rt_pair_shrunk(z + 2 * k, 32767 / 2);
    const ash_rt_pair_s16 b = ash_rt_pair_shrunk(mirrored, 32767 / 2);
    const int16_t re = (int16_t)(a.re + b.re), im = (int16_t)(a.im + b.im);
    ash_rt_pair_s16 turn;
    turn.re = (int16_t)(a.re - b.re);
    turn.im = (int16_t)(a.im - b.im);
    turn = ash_rt_pair_turned(turn, table + 2 * (n + k - 1));
    out[2 * k] = (int16_t)((re + turn.re) >> 1);
    out[2 * k + 1] = (int16_t)((im + turn.im) >> 1);
    out[2 * (n - k)] = (int16_t)((re - turn.re) >> 1);
    out[2 * (n - k) + 1] = (int16_t)((turn.im - im) >> 1);
  }
}

void ash_rt_fixed_rfft_s16(const ash_rt_fixed_rfft_params *p, const int16_t *in,
                           const int16_t *table, int16_t *out, void *work) {
  const int32_t n = p->length / 2;
  int16_t *const x = (int16_t *)work;
  for (int32_t r = 0; r < p->rows; r++) {
    for (int32_t i = 0; i < n; i++) {
      int16_t *const to = x + 2 * ash_rt_place_of(i, n);
      to[0] = 2 * i < p->row ? in[2 * i] : 0;
      to[1] = 2 * i + 1 < p->row ? in[2 * i + 1] : 0;
    }
    ash_rt_fixed_fft(x, n, table);
    ash_rt_separate(x, n, table, out);
    in += p->row;
    out += 2 * (n + 1);
  }
}
