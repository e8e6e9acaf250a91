/* ref_resize.c - images made larger or smaller, by the nearest element or
 * between four of them. int8 interpolates with 10 fractional bits an axis,
 * everything else in float32. */
#include "ref/ref_call.h"

#include <math.h>

typedef struct sampling {
  bool corners, centres; /* align_corners, half_pixel_centers */
} sampling;

static sampling sampling_of(const ash_ref_call *c) {
  return (sampling){ash_attr_int(c->op, "align_corners", 0) != 0,
                    ash_attr_int(c->op, "half_pixel_centers", 0) != 0};
}

/* ---- nearest ------------------------------------------------------------ */

static int32_t nearest(sampling s, int32_t i, int32_t in, int32_t out) {
  const float scale = s.corners && out > 1 ? (float)(in - 1) / (float)(out - 1)
                                           : (float)in / (float)out;
  const float at = ((float)i + (s.centres ? 0.5f : 0.0f)) * scale;
  const int32_t found = (int32_t)(s.corners ? roundf(at) : floorf(at));
  return found < in - 1 ? found : in - 1;
}

static uint64_t nearest_source(const ash_ref_call *c, const int32_t *at) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const int32_t *out = ash_ref_out(c, 0)->shape.dim;
  const sampling s = sampling_of(c);
  const int32_t from[4] = {at[0], nearest(s, at[1], in->dim[1], out[1]),
                           nearest(s, at[2], in->dim[2], out[2]), at[3]};
  return ash_ref_offset(in, from);
}

ash_status ash_ref_resize_nearest(const ash_ref_call *c) {
  return ash_ref_move_all(c, nearest_source);
}

/* ---- bilinear ----------------------------------------------------------- */

/* Between two neighbours: how far from the lower one. */
typedef struct between {
  int32_t lower, upper;
  float part;
  int32_t part_10; /* in 1/1024 */
} between;

static between real_between(sampling s, int32_t i, int32_t in, int32_t out) {
  const float scale = s.corners && out > 1 ? (float)(in - 1) / (float)(out - 1)
                                           : (float)in / (float)out;
  const float at =
      s.centres ? ((float)i + 0.5f) * scale - 0.5f : (float)i * scale;
  const int32_t low = (int32_t)floorf(at), high = (int32_t)ceilf(at);
  between b = {low > 0 ? low : 0, high < in - 1 ? high : in - 1, 0, 0};
  b.part = at - (float)b.lower;
  return b;
}

/* Division towards zero, also of positions left of the first element. */
static between fixed_between(sampling s, int32_t i, int32_t in, int32_t out) {
  const bool corners = s.corners && out > 1;
  const int64_t from = corners ? in - 1 : in, to = corners ? out - 1 : out;
  const int64_t scale = (1024 * from + to / 2) / to;
  const int64_t at = s.centres ? i * scale + scale / 2 - 512 : i * scale;
  const int64_t low = at / 1024, high = (at + 1023) / 1024;
  /* A scale that was rounded up may lead past the last element. */
  const int64_t lower = low < in - 1 ? low : in - 1;
  between b = {(int32_t)(lower > 0 ? lower : 0),
               (int32_t)(high < in - 1 ? high : in - 1), 0, 0};
  b.part_10 = (int32_t)(at - 1024 * (int64_t)b.lower);
  return b;
}

/* The four neighbours of an output position: low, low; high, low; low, high;
 * high, high in y, x. */
static void corners_of(const ash_ref_call *c, const int32_t *at,
                       const between *y, const between *x, uint64_t *corner) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  for (int k = 0; k < 4; k++) {
    const int32_t from[4] = {at[0], k & 1 ? y->upper : y->lower,
                             k & 2 ? x->upper : x->lower, at[3]};
    corner[k] = ash_ref_offset(in, from);
  }
}

static int64_t mix_fixed(const ash_ref_call *c, const uint64_t *corner,
                         int64_t y, int64_t x) {
  const int64_t weight[4] = {(1024 - y) * (1024 - x), y * (1024 - x),
                             (1024 - y) * x, y * x};
  int64_t sum = 0;
  for (int k = 0; k < 4; k++)
    sum += weight[k] *
           ash_ref_get(ash_ref_in(c, 0), ash_ref_read(c, 0), corner[k]);
  return (sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20);
}

static float mix_real(const ash_ref_call *c, const uint64_t *corner, float y,
                      float x) {
  float v[4];
  for (int k = 0; k < 4; k++)
    v[k] = ash_ref_is_float(c)
               ? ((const float *)ash_ref_read(c, 0))[corner[k]]
               : (float)ash_ref_get(ash_ref_in(c, 0), ash_ref_read(c, 0),
                                    corner[k]);
  return v[0] * (1 - y) * (1 - x) + v[1] * y * (1 - x) + v[2] * (1 - y) * x +
         v[3] * y * x;
}

ash_status ash_ref_resize_bilinear(const ash_ref_call *c) {
  const ash_tensor *t = ash_ref_out(c, 0);
  const int32_t *in = ash_ref_in(c, 0)->shape.dim, *out = t->shape.dim;
  const sampling s = sampling_of(c);
  const uint64_t count = ash_ref_elements(t);
  const bool fixed = t->type == ASH_INT8 || t->type == ASH_INT16;
  int32_t at[ASH_RANK_MAX] = {0};
  uint64_t corner[4];
  for (uint64_t i = 0; i < count; i++, ash_ref_next(&t->shape, at)) {
    const between y = fixed ? fixed_between(s, at[1], in[1], out[1])
                            : real_between(s, at[1], in[1], out[1]);
    const between x = fixed ? fixed_between(s, at[2], in[2], out[2])
                            : real_between(s, at[2], in[2], out[2]);
    corners_of(c, at, &y, &x, corner);
    if (fixed)
      ash_ref_put(t, ash_ref_write(c, 0), i,
                  mix_fixed(c, corner, y.part_10, x.part_10));
    else if (t->type == ASH_FLOAT32)
      ((float *)ash_ref_write(c, 0))[i] = mix_real(c, corner, y.part, x.part);
    else
      ash_ref_put(t, ash_ref_write(c, 0), i,
                  (int64_t)(mix_real(c, corner, y.part, x.part) + 0.5f));
  }
  return ASH_OK;
}
