/* onnx_ops_sample.c - images read at computed places: GridSample and RoiAlign,
 * as weighted sums of gathered pixels. */
#include "read/onnx/onnx_import.h"

#include <string.h>

/* [batch, channels, h, w] as rows of channels, [batch, h * w, channels]. */
static uint32_t pixels(ash_ox *m, uint32_t x) {
  const ash_shape s = *ash_ox_shape(m, x);
  return ash_ox_reshape(
      m, ash_ox_channels_last(m, x),
      (ash_shape){3, {s.dim[0], s.dim[2] * s.dim[3], s.dim[1]}});
}

static uint32_t clamped(ash_ox *m, uint32_t x, double low, double high) {
  const ash_type type = ash_ox_type(m, x);
  return ash_ox_map3(m, ASH_FN_clip, x, ash_ox_scalar(m, type, low),
                     ash_ox_scalar(m, type, high));
}

/* ---- GridSample ---------------------------------------------------------- */

typedef enum padding { ZEROS, BORDER, REFLECTION } padding;

typedef struct sampler {
  padding how;
  bool corners, cubic;
  uint32_t taps; /* along an axis: 1, 2 or 4 */
} sampler;

/* Places along one axis and what they weigh, for each tap. */
typedef struct axis_taps {
  uint32_t at[4], weight[4];
} axis_taps;

/* Back and forth between the edges of the image. */
static uint32_t reflected(ash_ox *m, const sampler *s, uint32_t x,
                          int32_t size) {
  const double low = s->corners ? 0 : -0.5;
  const double span = s->corners ? size - 1 : size;
  const double high = low + span;
  if (!(span > 0))
    return ash_ox_with(m, ASH_FN_mul, x, 0);
  const uint32_t t =
      ash_ox_map1(m, ASH_FN_abs, ash_ox_with(m, ASH_FN_sub, x, low));
  const uint32_t turns =
      ash_ox_map1(m, ASH_FN_floor, ash_ox_with(m, ASH_FN_div, t, span));
  const uint32_t rest =
      ash_ox_map2(m, ASH_FN_sub, t, ash_ox_with(m, ASH_FN_mul, turns, span));
  const uint32_t odd =
      ash_ox_with(m, ASH_FN_equal, ash_ox_with(m, ASH_FN_mod, turns, 2), 1);
  const uint32_t back =
      ash_ox_map2(m, ASH_FN_sub, ash_ox_scalar(m, ASH_FLOAT32, high), rest);
  return ash_ox_map3(m, ASH_FN_select, odd, back,
                     ash_ox_with(m, ASH_FN_add, rest, low));
}

/* -1 .. 1 as places of pixels. */
static uint32_t place_of(ash_ox *m, const sampler *s, uint32_t x,
                         int32_t size) {
  const uint32_t up = ash_ox_with(m, ASH_FN_add, x, 1);
  uint32_t y =
      s->corners ? ash_ox_with(m, ASH_FN_mul, up, (size - 1) / 2.0)
                 : ash_ox_with(m, ASH_FN_sub,
                               ash_ox_with(m, ASH_FN_mul, up, size / 2.0), 0.5);
  if (s->taps == 1)
    y = ash_ox_map1(m, ASH_FN_round, y);
  if (s->cubic)
    return y;
  if (s->how == BORDER)
    y = clamped(m, y, 0, size - 1);
  return s->how == REFLECTION ? reflected(m, s, y, size) : y;
}

/* The cubic convolution with a = -0.75 at distance 0 .. 1 or 1 .. 2. */
static uint32_t cubic_weight(ash_ox *m, uint32_t d, bool far) {
  static const double near_by[] = {1.25, -2.25, 0, 1};
  static const double far_off[] = {-0.75, 3.75, -6, 3};
  const double *c = far ? far_off : near_by;
  uint32_t y = ash_ox_scalar(m, ASH_FLOAT32, c[0]);
  for (uint32_t i = 1; i < 4; i++)
    y = ash_ox_with(m, ASH_FN_add, ash_ox_map2(m, ASH_FN_mul, y, d), c[i]);
  return y;
}

static uint32_t tap_weight(ash_ox *m, const sampler *s, uint32_t rest,
                           uint32_t k) {
  if (s->taps == 1)
    return ash_ox_scalar(m, ASH_FLOAT32, 1);
  const uint32_t left =
      ash_ox_map2(m, ASH_FN_sub, ash_ox_scalar(m, ASH_FLOAT32, 1), rest);
  if (s->taps == 2)
    return k == 0 ? left : rest;
  return k == 0   ? cubic_weight(m, ash_ox_with(m, ASH_FN_add, rest, 1), true)
         : k == 1 ? cubic_weight(m, rest, false)
         : k == 2 ? cubic_weight(m, left, false)
                  : cubic_weight(m, ash_ox_with(m, ASH_FN_add, left, 1), true);
}

/* x are places along an axis of `size` pixels. */
static axis_taps taps_of(ash_ox *m, const sampler *s, uint32_t x,
                         int32_t size) {
  axis_taps t;
  const uint32_t floor = ash_ox_map1(m, ASH_FN_floor, x);
  const uint32_t rest = ash_ox_map2(m, ASH_FN_sub, x, floor);
  for (uint32_t k = 0; k < s->taps; k++) {
    uint32_t at =
        ash_ox_with(m, ASH_FN_add, floor, (double)k - (s->cubic ? 1 : 0));
    uint32_t weight = tap_weight(m, s, rest, k);
    const uint32_t near_by = clamped(m, at, 0, size - 1);
    if (s->how == ZEROS)
      weight = ash_ox_map3(m, ASH_FN_select,
                           ash_ox_map2(m, ASH_FN_equal, near_by, at), weight,
                           ash_ox_scalar(m, ASH_FLOAT32, 0));
    if (s->how == REFLECTION)
      at = reflected(m, s, at, size);
    t.at[k] = ash_ox_cast(m, clamped(m, at, 0, size - 1), ASH_INT32);
    t.weight[k] = weight;
  }
  return t;
}

static bool open_sampler(ash_ox *m, sampler *s) {
  const bool nearest = ash_ox_is(m, "mode", "nearest", "linear");
  s->cubic =
      ash_ox_is(m, "mode", "bicubic", "") || ash_ox_is(m, "mode", "cubic", "");
  s->taps = nearest ? 1 : s->cubic ? 4 : 2;
  s->corners = ash_ox_int(m, "align_corners", 0) != 0;
  s->how = ash_ox_is(m, "padding_mode", "border", "zeros")       ? BORDER
           : ash_ox_is(m, "padding_mode", "reflection", "zeros") ? REFLECTION
                                                                 : ZEROS;
  const uint32_t x = ash_ox_in(m, 0), grid = ash_ox_in(m, 1);
  if (m->status == ASH_OK &&
      (ash_ox_rank(m, x) != 4 || ash_ox_rank(m, grid) != 4 ||
       ash_ox_dim(m, grid, 3) != 2 || ash_ox_type(m, x) != ASH_FLOAT32 ||
       ash_ox_dim(m, grid, 0) != ash_ox_dim(m, x, 0)))
    ash_ox_refuse(m, "another form than float32 images with a grid of pairs");
  return m->status == ASH_OK;
}

/* The sum over the taps of both axes. */
static uint32_t weighted(ash_ox *m, uint32_t taps, const axis_taps *v,
                         const axis_taps *h, uint32_t image, int32_t width) {
  uint32_t sum = ASH_NO_ID;
  for (uint32_t i = 0; i < taps; i++)
    for (uint32_t j = 0; j < taps; j++) {
      const uint32_t at = ash_ox_map2(
          m, ASH_FN_add, ash_ox_with(m, ASH_FN_mul, v->at[i], width), h->at[j]);
      const uint32_t weight =
          ash_ox_map2(m, ASH_FN_mul, v->weight[i], h->weight[j]);
      const uint32_t pixel = ash_ox_add_op(
          m, &(ash_ox_op){.kind = ASH_OP_gather,
                          .inputs = {image, at},
                          .input_count = 2,
                          .attrs = {ASH_INT_ATTR("axis", 1),
                                    ASH_INT_ATTR("batch_dims", 1)},
                          .attr_count = 2,
                          .type = ASH_FLOAT32});
      ash_shape wide = *ash_ox_shape(m, weight);
      if (wide.rank > 0 && wide.rank < ASH_RANK_MAX)
        wide.dim[wide.rank++] = 1;
      const uint32_t part =
          ash_ox_map2(m, ASH_FN_mul, pixel, ash_ox_reshape(m, weight, wide));
      sum = sum == ASH_NO_ID ? part : ash_ox_map2(m, ASH_FN_add, sum, part);
    }
  return sum;
}

static void read_grid_sample(ash_ox *m) {
  sampler s;
  if (!open_sampler(m, &s))
    return;
  const uint32_t x = ash_ox_in(m, 0), grid = ash_ox_in(m, 1);
  const ash_shape in = *ash_ox_shape(m, x), to = *ash_ox_shape(m, grid);
  const ash_shape list = {2, {to.dim[0], to.dim[1] * to.dim[2]}};
  axis_taps taps[2];
  for (uint32_t i = 0; i < 2; i++) {
    const uint32_t part =
        ash_ox_reshape(m, ash_ox_slice(m, grid, 3, 1 - i, 1, 1), list);
    const uint32_t place = place_of(m, &s, part, in.dim[2 + i]);
    taps[i] = taps_of(m, &s, place, in.dim[2 + i]);
  }
  const uint32_t y =
      weighted(m, s.taps, &taps[0], &taps[1], pixels(m, x), in.dim[3]);
  ash_ox_out(m, 0,
             ash_ox_channels_first(
                 m, ash_ox_reshape(
                        m, y,
                        (ash_shape){
                            4, {to.dim[0], to.dim[1], to.dim[2], in.dim[1]}})));
}

/* ---- RoiAlign ------------------------------------------------------------ */

typedef struct regions {
  int32_t count, bins[2], samples;
  double scale, shift;
  bool least; /* a region is at least one pixel */
  uint32_t corners;
} regions;

/* One edge of all regions, [count, 1], in pixels. */
static uint32_t edge(ash_ox *m, const regions *r, uint32_t k) {
  const uint32_t x = ash_ox_with(
      m, ASH_FN_mul, ash_ox_slice(m, r->corners, 1, k, 1, 1), r->scale);
  return ash_ox_with(m, ASH_FN_sub, x, r->shift);
}

/* Sampled places along an axis (0: h, 1: w), [count, bins * samples], as two
 * taps; places further than a pixel outside weigh nothing. */
static axis_taps region_taps(ash_ox *m, const regions *r, uint32_t axis,
                             int32_t size) {
  const int32_t n = r->bins[axis] * r->samples;
  const uint32_t from = edge(m, r, 1 - axis);
  uint32_t length = ash_ox_map2(m, ASH_FN_sub, edge(m, r, 3 - axis), from);
  if (r->least)
    length = ash_ox_with(m, ASH_FN_maximum, length, 1);
  const uint32_t step = ash_ox_with(m, ASH_FN_div, length, n);
  const uint32_t at =
      ash_ox_with(m, ASH_FN_add, ash_ox_iota(m, ASH_FLOAT32, n, 2, 1), 0.5);
  const uint32_t x =
      ash_ox_map2(m, ASH_FN_add, from, ash_ox_map2(m, ASH_FN_mul, step, at));
  const uint32_t near_by = clamped(m, x, 0, size - 1);
  const uint32_t inside =
      ash_ox_map2(m, ASH_FN_equal, clamped(m, x, -1, size), x);
  const uint32_t low = ash_ox_map1(m, ASH_FN_floor, near_by);
  const uint32_t rest = ash_ox_map2(m, ASH_FN_sub, near_by, low);
  const uint32_t zero = ash_ox_scalar(m, ASH_FLOAT32, 0);
  const uint32_t left =
      ash_ox_map2(m, ASH_FN_sub, ash_ox_scalar(m, ASH_FLOAT32, 1), rest);
  const uint32_t next =
      clamped(m, ash_ox_with(m, ASH_FN_add, low, 1), 0, size - 1);
  axis_taps t = {
      {ash_ox_cast(m, low, ASH_INT32), ash_ox_cast(m, next, ASH_INT32)},
      {ash_ox_map3(m, ASH_FN_select, inside, left, zero),
       ash_ox_map3(m, ASH_FN_select, inside, rest, zero)}};
  const ash_shape wide = {3, {r->count, axis == 0 ? n : 1, axis == 0 ? 1 : n}};
  for (uint32_t k = 0; k < 2; k++) {
    t.at[k] = ash_ox_reshape(m, t.at[k], wide);
    t.weight[k] = ash_ox_reshape(m, t.weight[k], wide);
  }
  return t;
}

static bool open_regions(ash_ox *m, regions *r) {
  const uint32_t x = ash_ox_in(m, 0), corners = ash_ox_in(m, 1);
  const bool half =
      ash_ox_is(m, "coordinate_transformation_mode", "half_pixel",
                m->opset < 16 ? "output_half_pixel" : "half_pixel");
  *r = (regions){.count = ash_ox_dim(m, corners, 0),
                 .bins = {(int32_t)ash_ox_int(m, "output_height", 1),
                          (int32_t)ash_ox_int(m, "output_width", 1)},
                 .samples = (int32_t)ash_ox_int(m, "sampling_ratio", 0),
                 .scale = ash_ox_float(m, "spatial_scale", 1),
                 .shift = half ? 0.5 : 0,
                 .least = !half,
                 .corners = corners};
  if (!ash_ox_is(m, "mode", "avg", "avg"))
    ash_ox_refuse(m, "the mode max");
  if (r->samples < 1)
    ash_ox_refuse(m, "a sampling_ratio of 0, which makes the number of samples "
                     "depend on the data,");
  if (m->status == ASH_OK &&
      (ash_ox_rank(m, x) != 4 || ash_ox_type(m, x) != ASH_FLOAT32 ||
       ash_ox_rank(m, corners) != 2 || ash_ox_dim(m, corners, 1) != 4 ||
       r->bins[0] < 1 || r->bins[1] < 1))
    ash_ox_bad(m, "regions need four corners, images four axes of float32");
  return m->status == ASH_OK;
}

static void read_roi_align(ash_ox *m) {
  regions r;
  if (!open_regions(m, &r))
    return;
  const uint32_t x = ash_ox_in(m, 0);
  const ash_shape s = *ash_ox_shape(m, x);
  axis_taps taps[] = {region_taps(m, &r, 0, s.dim[2]),
                      region_taps(m, &r, 1, s.dim[3])};
  const uint32_t images = ash_ox_reshape(
      m, pixels(m, x),
      (ash_shape){3, {1, s.dim[0] * s.dim[2] * s.dim[3], s.dim[1]}});
  const uint32_t first =
      ash_ox_with(m, ASH_FN_mul,
                  ash_ox_reshape(m, ash_ox_cast(m, ash_ox_in(m, 2), ASH_INT32),
                                 (ash_shape){3, {r.count, 1, 1}}),
                  s.dim[2]);
  for (uint32_t k = 0; k < 2; k++) /* rows of the region's own image */
    taps[0].at[k] = ash_ox_map2(m, ASH_FN_add, taps[0].at[k], first);
  for (uint32_t i = 0; i < 2; i++)
    for (uint32_t k = 0; k < 2; k++) {
      ash_shape one = *ash_ox_shape(m, taps[i].at[k]);
      if (one.rank != 3)
        return;
      one = (ash_shape){4, {1, one.dim[0], one.dim[1], one.dim[2]}};
      taps[i].at[k] = ash_ox_reshape(m, taps[i].at[k], one);
      taps[i].weight[k] = ash_ox_reshape(m, taps[i].weight[k], one);
    }
  uint32_t y = weighted(m, 2, &taps[0], &taps[1], images, s.dim[3]);
  y = ash_ox_reshape(
      m, y,
      (ash_shape){
          6, {r.count, r.bins[0], r.samples, r.bins[1], r.samples, s.dim[1]}});
  ash_ox_out(m, 0,
             ash_ox_channels_first(m, ash_ox_fold(m, ASH_FOLD_MEAN, y,
                                                  1u << 2 | 1u << 4, false)));
}

const ash_ox_handler ash_ox_sample[] = {
    {"GridSample", read_grid_sample},
    {"RoiAlign", read_roi_align},
    {NULL, NULL},
};
