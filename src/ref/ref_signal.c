/* ref_signal.c - Fourier transforms by their definition, or step by step where
 * every step rounds, parts of complex numbers, and banks of filters. */
#include "base/trig.h"
#include "op/functions.h"
#include "ref/ref_call.h"

#include <math.h>

typedef struct transform {
  const float *x;
  int64_t h, w;       /* of the transform */
  int64_t in_h, in_w; /* of the image: cut, or filled up with zeros */
} transform;

static void one_value(const transform *t, int64_t u, int64_t v, float *to) {
  const double turn = -6.283185307179586476925;
  double re = 0, im = 0;
  for (int64_t y = 0; y < t->h && y < t->in_h; y++)
    for (int64_t x = 0; x < t->w && x < t->in_w; x++) {
      const double part = (double)(u * y % t->h) / (double)t->h +
                          (double)(v * x % t->w) / (double)t->w;
      const double value = (double)t->x[y * t->in_w + x];
      re += value * cos(turn * part);
      im += value * sin(turn * part);
    }
  to[0] = (float)re;
  to[1] = (float)im;
}

ash_status ash_ref_rfft2d(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  transform t = {ash_ref_read(c, 0), ash_op_ints(c->op, "length", 0, 1),
                 ash_op_ints(c->op, "length", 1, 1), in->dim[in->rank - 2],
                 in->dim[in->rank - 1]};
  const uint64_t images = ash_shape_elements(in) / (uint64_t)(t.in_h * t.in_w);
  float *to = ash_ref_write(c, 0);
  for (uint64_t i = 0; i < images; i++, t.x += t.in_h * t.in_w)
    for (int64_t u = 0; u < t.h; u++)
      for (int64_t v = 0; v <= t.w / 2; v++, to += 2)
        one_value(&t, u, v, to);
  return ASH_OK;
}

ash_status ash_ref_complex(const ash_ref_call *c) {
  const float *x = ash_ref_read(c, 0);
  float *y = ash_ref_write(c, 0);
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  for (uint64_t i = 0; i < count; i++) {
    const double re = (double)x[2 * i], im = (double)x[2 * i + 1];
    y[i] = c->op->kind == ASH_OP_real   ? x[2 * i]
           : c->op->kind == ASH_OP_imag ? x[2 * i + 1]
                                        : (float)sqrt(re * re + im * im);
  }
  return ASH_OK;
}

/* ---- integers ------------------------------------------------------------ */

typedef struct pair {
  int16_t re, im;
} pair;

static int16_t half_up(int32_t x) {
  return (int16_t)((x + (1 << 14)) >> 15);
}

static int16_t part_of(int16_t x, int32_t parts) {
  return half_up(x * (32767 / parts));
}

static pair shrunk(pair a, int32_t parts) {
  return (pair){part_of(a.re, parts), part_of(a.im, parts)};
}

static pair plus(pair a, pair b) {
  return (pair){(int16_t)(a.re + b.re), (int16_t)(a.im + b.im)};
}

static pair minus(pair a, pair b) {
  return (pair){(int16_t)(a.re - b.re), (int16_t)(a.im - b.im)};
}

/* Turned clockwise by k / n of a circle. */
static pair turned(pair a, int64_t k, int64_t n) {
  double c, s;
  ash_root_of_unity(k % n, n, &c, &s);
  const int32_t re = (int32_t)floor(0.5 + 32767 * c);
  const int32_t im = (int32_t)floor(0.5 - 32767 * s);
  return (pair){half_up(a.re * re - a.im * im), half_up(a.re * im + a.im * re)};
}

/* One number of each of 2 or 4 transforms becomes as many of one of n. */
static void join(const pair *from, int32_t parts, int64_t k, int64_t n,
                 pair *to) {
  pair x[4];
  for (int32_t i = 0; i < parts; i++) {
    const pair small = shrunk(from[i], parts);
    x[i] = i ? turned(small, i * k, n) : small;
  }
  if (parts == 2) {
    to[0] = plus(x[0], x[1]);
    to[1] = minus(x[0], x[1]);
    return;
  }
  const pair even = plus(x[0], x[2]), odd = plus(x[1], x[3]);
  const pair left = minus(x[0], x[2]), right = minus(x[1], x[3]);
  to[0] = plus(even, odd);
  to[1] = (pair){(int16_t)(left.re + right.im), (int16_t)(left.im - right.re)};
  to[2] = minus(even, odd);
  to[3] = (pair){(int16_t)(left.re - right.im), (int16_t)(left.im + right.re)};
}

/* `from` has the transforms of every count-th number, of `size` numbers each;
 * `to` gets those of every (count / parts)-th. */
static void join_all(const pair *from, int32_t count, int32_t size,
                     int32_t parts, pair *to) {
  const int32_t fewer = count / parts, n = size * parts;
  for (int32_t first = 0; first < fewer; first++)
    for (int32_t k = 0; k < size; k++) {
      pair in[4], out[4];
      for (int32_t i = 0; i < parts; i++)
        in[i] = from[(first + i * fewer) * size + k];
      join(in, parts, k, n, out);
      for (int32_t i = 0; i < parts; i++)
        to[first * n + k + i * size] = out[i];
    }
}

/* Of n numbers, a power of two; by two first if it is no power of four. The
 * result is in `x` or in `y`. */
static const pair *transform_pairs(pair *x, int32_t n, pair *y) {
  int32_t size = 1, power = 1;
  while (power < n)
    power *= 4;
  for (int32_t parts = power == n ? 4 : 2; size < n; parts = 4) {
    join_all(x, n / size, size, parts, y);
    size *= parts;
    pair *const next = y;
    y = x;
    x = next;
  }
  return x;
}

/* From the transform of pairs of samples to that of single ones. */
static void separate(const pair *z, int32_t n, pair *to) {
  const pair first = shrunk(z[0], 2);
  to[0] = (pair){(int16_t)(first.re + first.im), 0};
  to[n] = (pair){(int16_t)(first.re - first.im), 0};
  for (int32_t k = 1; k <= n / 2; k++) {
    const pair a = shrunk(z[k], 2);
    const pair b = shrunk((pair){z[n - k].re, (int16_t)(0 - z[n - k].im)}, 2);
    const pair sum = plus(a, b);
    const pair turn = turned(minus(a, b), k + n / 2, 2 * (int64_t)n);
    to[k] = (pair){(int16_t)((sum.re + turn.re) >> 1),
                   (int16_t)((sum.im + turn.im) >> 1)};
    to[n - k] = (pair){(int16_t)((sum.re - turn.re) >> 1),
                       (int16_t)((turn.im - sum.im) >> 1)};
  }
}

ash_status ash_ref_fixed_rfft(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const int32_t n = (int32_t)ash_attr_int(c->op, "length", 0) / 2;
  const int32_t row = in->dim[in->rank - 1];
  const uint64_t rows = ash_shape_elements(in) / (uint64_t)row;
  const int16_t *x = ash_ref_read(c, 0);
  pair *to = ash_ref_write(c, 0);
  pair *z = ASH_NEW_ARRAY(&c->ctx->scratch, pair, (size_t)n);
  pair *all = ASH_NEW_ARRAY(&c->ctx->scratch, pair, (size_t)n);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t r = 0; r < rows; r++, x += row, to += n + 1) {
    for (int32_t i = 0; i < row; i++)
      *(i % 2 ? &all[i / 2].im : &all[i / 2].re) = x[i];
    for (int32_t i = row; i < 2 * n; i++)
      *(i % 2 ? &all[i / 2].im : &all[i / 2].re) = 0;
    separate(transform_pairs(all, n, z), n, to);
  }
  return ASH_OK;
}

/* What a channel's frequencies add to it, by these weights. */
static uint64_t band(const ash_ref_call *c, uint32_t weights, uint64_t i) {
  const uint32_t *x = ash_ref_read(c, 0);
  const int16_t *w = ash_ref_read(c, weights);
  const int16_t *at = ash_ref_read(c, 3), *weight_at = ash_ref_read(c, 4);
  const int16_t *widths = ash_ref_read(c, 5);
  uint64_t sum = 0;
  for (int32_t k = 0; k < widths[i]; k++)
    sum += (uint64_t)(int64_t)w[weight_at[i] + k] * x[at[i] + k];
  return sum;
}

ash_status ash_ref_filter_bank(const ash_ref_call *c) {
  uint64_t *y = ash_ref_write(c, 0);
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  for (uint64_t i = 0; i < count; i++)
    y[i] = band(c, 1, i + 1) + band(c, 2, i);
  return ASH_OK;
}
