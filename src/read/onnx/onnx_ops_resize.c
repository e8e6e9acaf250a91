/* onnx_ops_resize.c - Resize and Upsample, one axis after the other. Where each
 * output element looks is computed here: nearest becomes a lookup of constant
 * places, linear and cubic become weighted sums with constant weights. */
#include "read/onnx/onnx_import.h"

#include <math.h>
#include <string.h>

enum { SIZE_MAX_OUT = 1 << 20, TAPS_MAX = 4 };

typedef struct axis_plan {
  int32_t in, out;
  double scale;      /* as the coordinates use it */
  double start, end; /* region of interest */
} axis_plan;

/* Where element i of the output lies in the input. */
static double place_of(const ash_ox *m, const axis_plan *a, int32_t i) {
  const char *const mode = "coordinate_transformation_mode";
  const double x = i;
  if (strcmp(m->node->type, "Upsample") == 0 ||
      ash_ox_is(m, mode, "asymmetric", "half_pixel"))
    return x / a->scale;
  if (ash_ox_is(m, mode, "align_corners", "half_pixel"))
    return a->scale * a->in > 1 ? x * (a->in - 1) / (a->scale * a->in - 1) : 0;
  if (ash_ox_is(m, mode, "tf_half_pixel_for_nn", "half_pixel"))
    return (x + 0.5) / a->scale;
  if (ash_ox_is(m, mode, "tf_crop_and_resize", "half_pixel"))
    return a->out > 1 ? a->start * (a->in - 1) +
                            x * (a->end - a->start) * (a->in - 1) / (a->out - 1)
                      : 0.5 * (a->start + a->end) * (a->in - 1);
  if (ash_ox_is(m, mode, "pytorch_half_pixel", "half_pixel") && a->out <= 1)
    return 0;
  if (ash_ox_is(m, mode, "half_pixel_symmetric", "half_pixel")) {
    const double adjusted = a->out / (a->scale * a->in);
    return (double)a->in / 2 * (1 - adjusted) + (x + 0.5) / a->scale - 0.5;
  }
  return (x + 0.5) / a->scale - 0.5;
}

static double nearest(const ash_ox *m, double x) {
  const char *const mode = "nearest_mode";
  if (strcmp(m->node->type, "Upsample") == 0 ||
      ash_ox_is(m, mode, "floor", "round_prefer_floor"))
    return floor(x);
  if (ash_ox_is(m, mode, "ceil", "round_prefer_floor"))
    return ceil(x);
  if (ash_ox_is(m, mode, "round_prefer_ceil", "round_prefer_floor"))
    return floor(x + 0.5);
  return ceil(x - 0.5);
}

static double cubic(double a, double x) {
  x = fabs(x);
  if (x <= 1)
    return (a + 2) * x * x * x - (a + 3) * x * x + 1;
  return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
}

/* Weights of one output element. With smoothing, a smaller output widens the
 * filter (not done for more taps than four). */
static void weigh(const ash_ox *m, double x, int32_t size, uint32_t taps,
                  int64_t *at, float *weight) {
  const bool linear = taps == 2;
  const double a = ash_ox_float(m, "cubic_coeff_a", -0.75);
  const bool exclude = ash_ox_int(m, "exclude_outside", 0) != 0;
  const double base = floor(x);
  double w[TAPS_MAX], sum = 0;
  for (uint32_t k = 0; k < taps; k++) {
    const double where = base + k - (linear ? 0 : 1);
    w[k] = linear ? 1 - fabs(x - where) : cubic(a, x - where);
    if (exclude && !linear && (where < 0 || where >= size))
      w[k] = 0;
    sum += w[k];
    at[k] = where < 0 ? 0 : where >= size ? size - 1 : (int64_t)where;
  }
  for (uint32_t k = 0; k < taps; k++)
    weight[k] = (float)(exclude && sum != 0 ? w[k] / sum : w[k]);
}

static uint32_t resample(ash_ox *m, uint32_t x, uint32_t axis,
                         const axis_plan *a, uint32_t taps) {
  const size_t n = (size_t)a->out * taps;
  int64_t *at = ASH_NEW_ARRAY(&m->ctx->scratch, int64_t, n);
  float *weight = ASH_NEW_ARRAY(&m->ctx->scratch, float, n);
  const ash_shape shape = {2, {a->out, (int32_t)taps}};
  if (!at || !weight) {
    m->status = ash_nomem(m->ctx);
    return x;
  }
  for (int32_t i = 0; i < a->out; i++)
    weigh(m, place_of(m, a, i), a->in, taps, at + (size_t)i * taps,
          weight + (size_t)i * taps);
  const uint32_t index =
      ash_ox_reshape(m, ash_ox_ints32(m, at, (uint32_t)n), shape);
  const uint32_t weights = ash_ox_constant(m, ASH_FLOAT32, shape, weight);
  return ash_ox_add_op(m, &(ash_ox_op){.kind = ASH_OP_resample,
                                       .inputs = {x, index, weights},
                                       .input_count = 3,
                                       .attrs = {ASH_INT_ATTR("axis", axis)},
                                       .attr_count = 1,
                                       .type = ash_ox_type(m, x)});
}

static uint32_t look_up(ash_ox *m, uint32_t x, uint32_t axis,
                        const axis_plan *a) {
  int64_t *at = ASH_NEW_ARRAY(&m->ctx->scratch, int64_t, (size_t)a->out);
  if (!at) {
    m->status = ash_nomem(m->ctx);
    return x;
  }
  for (int32_t i = 0; i < a->out; i++) {
    const double where = nearest(m, place_of(m, a, i));
    at[i] = where < 0 ? 0 : where >= a->in ? a->in - 1 : (int64_t)where;
  }
  return ash_ox_gather(m, x, ash_ox_ints32(m, at, (uint32_t)a->out), axis);
}

/* Elements whose place is outside get a value of their own. */
static uint32_t fill_outside(ash_ox *m, uint32_t x, uint32_t axis,
                             const axis_plan *a) {
  ash_shape s = {.rank = ash_ox_rank(m, x)};
  uint8_t *outside = ASH_NEW_ARRAY(&m->ctx->scratch, uint8_t, (size_t)a->out);
  if (!outside) {
    m->status = ash_nomem(m->ctx);
    return x;
  }
  for (int32_t i = 0; i < a->out; i++) {
    const double where = place_of(m, a, i);
    outside[i] = where < 0 || where > a->in - 1;
  }
  for (uint32_t i = 0; i < s.rank; i++)
    s.dim[i] = i == axis ? a->out : 1;
  return ash_ox_map3(m, ASH_FN_select, ash_ox_constant(m, ASH_BOOL, s, outside),
                     ash_ox_scalar(m, ash_ox_type(m, x),
                                   ash_ox_float(m, "extrapolation_value", 0)),
                     x);
}

static uint32_t resize_axis(ash_ox *m, uint32_t x, uint32_t axis,
                            const axis_plan *a) {
  const bool crop = ash_ox_is(m, "coordinate_transformation_mode",
                              "tf_crop_and_resize", "half_pixel");
  if (a->in == a->out && a->scale == 1 && !crop)
    return x;
  if (ash_ox_is(m, "mode", "nearest", "nearest"))
    x = look_up(m, x, axis, a);
  else
    x = resample(m, x, axis, a,
                 ash_ox_is(m, "mode", "cubic", "nearest") ? 4 : 2);
  return crop ? fill_outside(m, x, axis, a) : x;
}

/* ---- sizes --------------------------------------------------------------- */

static uint32_t known(ash_ox *m, uint32_t k) {
  int64_t unused[ASH_RANK_MAX * 2];
  const uint32_t id = ash_ox_in(m, k);
  (void)ash_ox_list(m, id, unused, ASH_RANK_MAX * 2);
  return id;
}

static bool has_values(ash_ox *m, uint32_t k) {
  return ash_ox_has(m, k) &&
         ash_shape_elements(ash_ox_shape(m, ash_ox_in(m, k))) > 0;
}

/* "not_larger", "not_smaller": one scale for all axes. */
static void keep_ratio(const ash_ox *m, axis_plan *plans, uint32_t rank,
                       uint32_t axes) {
  const bool smaller =
      ash_ox_is(m, "keep_aspect_ratio_policy", "not_larger", "stretch");
  double scale = smaller ? 1e30 : 0;
  if (ash_ox_is(m, "keep_aspect_ratio_policy", "stretch", "stretch"))
    return;
  for (uint32_t i = 0; i < rank; i++)
    if (axes >> i & 1)
      scale =
          smaller ? fmin(scale, plans[i].scale) : fmax(scale, plans[i].scale);
  for (uint32_t i = 0; i < rank; i++)
    if (axes >> i & 1) {
      plans[i].scale = scale;
      plans[i].out = (int32_t)floor(scale * plans[i].in + 0.5);
    }
}

static void plan_axes(ash_ox *m, uint32_t x, axis_plan *plans) {
  const uint32_t rank = ash_ox_rank(m, x);
  const bool upsample = strcmp(m->node->type, "Upsample") == 0;
  const bool old = upsample || m->opset < 11;
  const uint32_t scales_at = old ? 1 : 2;
  const bool sized = !old && has_values(m, 3);
  uint32_t count, axes = 0;
  const int64_t *given = ash_ox_ints(m, "axes", &count);
  const uint32_t list = known(m, sized ? 3 : scales_at);
  const uint32_t roi = ash_ox_is(m, "coordinate_transformation_mode",
                                 "tf_crop_and_resize", "half_pixel") &&
                               has_values(m, 1)
                           ? known(m, 1)
                           : ASH_NO_ID;
  const uint32_t n = given ? count : rank;
  if (m->status == ASH_OK && ash_shape_elements(ash_ox_shape(m, list)) != n)
    ash_ox_bad(m, "one scale or size an axis is needed");
  for (uint32_t i = 0; i < rank; i++)
    plans[i] = (axis_plan){ash_ox_dim(m, x, i), ash_ox_dim(m, x, i), 1, 0, 1};
  for (uint32_t k = 0; k < n && m->status == ASH_OK; k++) {
    const uint32_t i = given ? ash_ox_axis(m, given[k], rank) : k;
    const double v = ash_ox_value(m, list, k);
    axis_plan *p = &plans[i];
    axes |= 1u << i;
    p->scale = sized ? v / p->in : v;
    const double out = sized ? v : floor((double)p->in * v);
    if (!(out >= 1 && out <= SIZE_MAX_OUT)) {
      ash_ox_refuse(m, "this size");
      return;
    }
    p->out = (int32_t)out;
    if (roi != ASH_NO_ID) {
      p->start = ash_ox_value(m, roi, k);
      p->end = ash_ox_value(m, roi, k + n);
    }
  }
  if (sized)
    keep_ratio(m, plans, rank, axes);
}

/* Integers are weighted as float32 along all axes, then cut off, once. */
static void read_resize(ash_ox *m) {
  uint32_t x = ash_ox_in(m, 0);
  axis_plan plans[ASH_RANK_MAX];
  if (ash_ox_int(m, "antialias", 0))
    ash_ox_refuse(m, "smoothing (antialias)");
  plan_axes(m, x, plans);
  const ash_type type = ash_ox_type(m, x);
  const bool sums = !ash_ox_is(m, "mode", "nearest", "nearest");
  if (sums && !ash_ox_is_float(m, x))
    x = ash_ox_cast(m, x, ASH_FLOAT32);
  for (uint32_t i = 0; i < ash_ox_rank(m, x) && m->status == ASH_OK; i++)
    x = resize_axis(m, x, i, &plans[i]);
  ash_ox_out(m, 0, ash_ox_type(m, x) == type ? x : ash_ox_saturate(m, x, type));
}

const ash_ox_handler ash_ox_resize[] = {
    {"Resize", read_resize},
    {"Upsample", read_resize},
    {NULL, NULL},
};
