/* ref_signal.c - Fourier transforms by their definition, and parts of complex
 * numbers. */
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
