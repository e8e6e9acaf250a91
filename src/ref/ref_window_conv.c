/* ref_window_conv.c - convolutions and dense layers: sums of products. Integer
 * sums are made in 64 bits and then cut to 32, which is what a wrapping 32-bit
 * accumulator gives; float sums run over filter rows, columns, channels, with
 * the bias last. */
#include "op/sums.h"
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <math.h>

typedef struct geometry {
  bool depthwise;
  int32_t in_h, in_w, in_c, out_h, out_w, out_c, filter_h, filter_w;
  int32_t depth;     /* input channels that make one output channel  */
  int32_t per_group; /* output channels that read the same of them  */
  int32_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
} geometry;

/* Where in the output. */
typedef struct place {
  int32_t n, y, x, c;
} place;

static int32_t attr(const ash_ref_call *c, const char *name, int32_t value) {
  return (int32_t)ash_attr_int(c->op, name, value);
}

static geometry geometry_of(const ash_ref_call *c) {
  const int32_t *in = ash_ref_in(c, 0)->shape.dim;
  const int32_t *filter = ash_ref_in(c, 1)->shape.dim;
  const int32_t *out = ash_ref_out(c, 0)->shape.dim;
  const bool depthwise = c->op->kind == ASH_OP_depthwise_conv_2d;
  const int32_t depth = depthwise ? 1 : filter[3];
  return (geometry){.depthwise = depthwise,
                    .in_h = in[1],
                    .in_w = in[2],
                    .in_c = in[3],
                    .out_h = out[1],
                    .out_w = out[2],
                    .out_c = out[3],
                    .filter_h = filter[1],
                    .filter_w = filter[2],
                    .depth = depth,
                    .per_group = out[3] / (in[3] / depth),
                    .stride_h = attr(c, "stride_h", 1),
                    .stride_w = attr(c, "stride_w", 1),
                    .dilation_h = attr(c, "dilation_h", 1),
                    .dilation_w = attr(c, "dilation_w", 1),
                    .pad_top = attr(c, "pad_top", 0),
                    .pad_left = attr(c, "pad_left", 0)};
}

/* The input element behind channel `ic` of a filter tap; false where the tap
 * lies in the padding. */
static bool find_input(const geometry *g, const place *p, int32_t fy,
                       int32_t fx, int32_t ic, size_t *at) {
  const int64_t y =
      (int64_t)p->y * g->stride_h - g->pad_top + (int64_t)fy * g->dilation_h;
  const int64_t x =
      (int64_t)p->x * g->stride_w - g->pad_left + (int64_t)fx * g->dilation_w;
  if (y < 0 || y >= g->in_h || x < 0 || x >= g->in_w)
    return false;
  const int64_t channel = (int64_t)(p->c / g->per_group) * g->depth + ic;
  *at = (size_t)((((int64_t)p->n * g->in_h + y) * g->in_w + x) * g->in_c +
                 channel);
  return true;
}

static size_t find_weight(const geometry *g, const place *p, int32_t fy,
                          int32_t fx, int32_t ic) {
  if (g->depthwise)
    return (size_t)(((int64_t)fy * g->filter_w + fx) * g->out_c + p->c);
  return (size_t)((((int64_t)p->c * g->filter_h + fy) * g->filter_w + fx) *
                      g->depth +
                  ic);
}

/* Wraps around at 64 bits, which only sums of int32 reach. */
static int64_t add_product(int64_t sum, int32_t a, int32_t b) {
  return (int64_t)((uint64_t)sum + (uint64_t)((int64_t)a * b));
}

static int64_t sum_ints(const geometry *g, const place *p, const int32_t *x,
                        const int32_t *w) {
  int64_t sum = 0;
  size_t at;
  for (int32_t fy = 0; fy < g->filter_h; fy++)
    for (int32_t fx = 0; fx < g->filter_w; fx++)
      for (int32_t ic = 0; ic < g->depth; ic++)
        if (find_input(g, p, fy, fx, ic, &at))
          sum = add_product(sum, x[at], w[find_weight(g, p, fy, fx, ic)]);
  return sum;
}

static float sum_floats(const geometry *g, const place *p, const float *x,
                        const float *w) {
  float sum = 0;
  size_t at;
  for (int32_t fy = 0; fy < g->filter_h; fy++)
    for (int32_t fx = 0; fx < g->filter_w; fx++)
      for (int32_t ic = 0; ic < g->depth; ic++)
        if (find_input(g, p, fy, fx, ic, &at))
          sum += x[at] * w[find_weight(g, p, fy, fx, ic)];
  return sum;
}

static place place_of(const ash_ref_call *c, uint64_t i) {
  const int32_t *d = ash_ref_out(c, 0)->shape.dim;
  const uint64_t channels = (uint64_t)d[3], width = (uint64_t)d[2];
  const uint64_t height = (uint64_t)d[1];
  return (place){(int32_t)(i / channels / width / height),
                 (int32_t)(i / channels / width % height),
                 (int32_t)(i / channels % width), (int32_t)(i % channels)};
}

/* Sums of int16 networks have 64 bits, unless a bias says 32. */
static bool is_long(const ash_ref_call *c) {
  const ash_tensor *bias = ash_ref_in(c, 2);
  return ash_ref_in(c, 0)->type == ASH_INT16 &&
         (!bias || bias->type == ASH_INT64);
}

static int64_t bias_of(const ash_ref_call *c, int64_t channel) {
  const ash_tensor *bias = ash_ref_in(c, 2);
  return bias ? ash_ref_get(bias, ash_ref_read(c, 2), (uint64_t)channel) : 0;
}

/* Real value of one step of the accumulator over one step of the output. The
 * older uint8 layers multiply the scales in float32. */
static double step_ratio(const ash_ref_call *c, int32_t channel) {
  const ash_quant *w = &ash_ref_in(c, 1)->quant;
  const float x = ash_ref_scale_of(ash_ref_in(c, 0));
  const float scale = w->scale[w->count > 1 ? channel : 0];
  const double out = (double)ash_ref_scale_of(ash_ref_out(c, 0));
  const float product = x * scale;
  if (ash_ref_in(c, 0)->type == ASH_UINT8)
    return (double)product / out;
  return (double)x * (double)scale / out;
}

/* What becomes of a sum. */
static int32_t scale_sum(const ash_ref_call *c, int64_t sum, int32_t channel) {
  const ash_ref_factor factor = ash_ref_out_factor(c, step_ratio(c, channel));
  return is_long(c) ? ash_ref_rescale_long(sum, factor)
                    : ash_ref_rescale(ash_ref_wrap(sum), factor);
}

static ash_status conv_int(const ash_ref_call *c, const geometry *g,
                           const ash_ref_limits *limits) {
  const int32_t *x = ash_ref_widen(c, 0), *w = ash_ref_widen(c, 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const bool stored = ash_op_is_integer_layer(c->g, c->op);
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  for (uint64_t i = 0; i < count; i++) {
    const place p = place_of(c, i);
    const int64_t sum = sum_ints(g, &p, x, w);
    if (stored)
      ash_ref_put_integer(c, i, (uint64_t)p.c, (uint64_t)sum);
    else
      ash_ref_put_int(c, limits, i, scale_sum(c, sum + bias_of(c, p.c), p.c));
  }
  return ASH_OK;
}

/* ---- float activations, int8 weights ------------------------------------ */

static float weight_scale(const ash_ref_call *c, size_t channel) {
  const ash_quant *q = &ash_ref_in(c, 1)->quant;
  return q->scale[q->count > 1 ? channel : 0];
}

/* Weights of one scale take activations symmetric around 0. */
static bool is_asymmetric(const ash_ref_call *c) {
  return c->op->kind == ASH_OP_depthwise_conv_2d ||
         ash_ref_in(c, 1)->quant.count > 1;
}

static ash_status conv_hybrid(const ash_ref_call *c, const geometry *g,
                              const ash_ref_limits *limits) {
  const float *bias = ash_ref_read(c, 2);
  const size_t batches = (size_t)ash_ref_in(c, 0)->shape.dim[0];
  const int32_t *w = ash_ref_widen(c, 1), *x;
  /* Convolutions with a scale for every channel round after each factor. */
  const bool late = !g->depthwise && ash_ref_in(c, 1)->quant.count > 1;
  const float *scales;
  ASH_TRY(ash_ref_quantise_rows(c, 0, batches, is_asymmetric(c), &x, &scales));
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  for (uint64_t i = 0; i < count; i++) {
    const place p = place_of(c, i);
    const float sum = (float)ash_ref_wrap(sum_ints(g, &p, x, w));
    const float y = late ? sum * weight_scale(c, (size_t)p.c) * scales[p.n]
                         : sum * (weight_scale(c, (size_t)p.c) * scales[p.n]);
    ((float *)ash_ref_write(c, 0))[i] =
        ash_ref_clamp(limits, y + (bias ? bias[p.c] : 0));
  }
  return ASH_OK;
}

ash_status ash_ref_conv(const ash_ref_call *c) {
  const geometry g = geometry_of(c);
  const ash_ref_limits limits =
      ash_ref_limits_of(c, ash_attr_string(c->op, "act", "none"));
  if (!ash_ref_is_float(c))
    return conv_int(c, &g, &limits);
  if (ash_ref_in(c, 1)->type == ASH_INT8)
    return conv_hybrid(c, &g, &limits);
  const float *x = ash_ref_read(c, 0), *w = ash_ref_read(c, 1);
  const float *bias = ash_ref_read(c, 2);
  float *y = ash_ref_write(c, 0);
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  for (uint64_t i = 0; i < count; i++) {
    const place p = place_of(c, i);
    const float sum = sum_floats(&g, &p, x, w);
    y[i] = ash_ref_clamp(&limits, sum + (bias ? bias[p.c] : 0));
  }
  return ASH_OK;
}

/* ---- transposed --------------------------------------------------------- */

/* Which filter tap brings input row `in` to output row `out`; -1 for none. */
static int32_t tap_of(int32_t out, int32_t in, int32_t stride, int32_t pad,
                      int32_t filter) {
  const int64_t tap = (int64_t)out + pad - (int64_t)in * stride;
  return tap >= 0 && tap < filter ? (int32_t)tap : -1;
}

/* Contributions to one output element come in the order of the input. Returns
 * the integer sum; `real` gets the float one. */
static int64_t sum_transposed(const geometry *g, const place *p,
                              const int32_t *x, const int32_t *w,
                              const float *fx, const float *fw, float *real) {
  int64_t sum = 0;
  *real = 0;
  for (int32_t y = 0; y < g->in_h; y++) {
    const int32_t ty = tap_of(p->y, y, g->stride_h, g->pad_top, g->filter_h);
    for (int32_t z = 0; ty >= 0 && z < g->in_w; z++) {
      const int32_t tx = tap_of(p->x, z, g->stride_w, g->pad_left, g->filter_w);
      for (int32_t ic = 0; tx >= 0 && ic < g->in_c; ic++) {
        const size_t at =
            (size_t)((((int64_t)p->n * g->in_h + y) * g->in_w + z) * g->in_c +
                     ic);
        const size_t weight = find_weight(g, p, ty, tx, ic);
        if (x)
          sum += (int64_t)x[at] * w[weight];
        else
          *real += fx[at] * fw[weight];
      }
    }
  }
  return sum;
}

ash_status ash_ref_transpose_conv(const ash_ref_call *c) {
  const geometry g = geometry_of(c);
  const ash_ref_limits limits =
      ash_ref_limits_of(c, ash_attr_string(c->op, "act", "none"));
  const bool real = ash_ref_is_float(c);
  const int32_t *x = real ? NULL : ash_ref_widen(c, 0);
  const int32_t *w = real ? NULL : ash_ref_widen(c, 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  for (uint64_t i = 0; i < count; i++) {
    const place p = place_of(c, i);
    float total;
    const int64_t sum = sum_transposed(&g, &p, x, w, ash_ref_read(c, 0),
                                       ash_ref_read(c, 1), &total);
    if (real) {
      const float *bias = ash_ref_read(c, 2);
      ((float *)ash_ref_write(c, 0))[i] =
          ash_ref_clamp(&limits, total + (bias ? bias[p.c] : 0));
      continue;
    }
    ash_ref_put_int(c, &limits, i, scale_sum(c, sum + bias_of(c, p.c), p.c));
  }
  return ASH_OK;
}

/* ---- dense -------------------------------------------------------------- */

/* The one operator that rescales in double: ties go away from zero. */
static int32_t rescale_double(int64_t sum, double ratio) {
  const double y = round((double)sum * ratio);
  if (y > 1e9) /* far outside every type */
    return 1000000000;
  return y < -1e9 ? -1000000000 : (int32_t)y;
}

static int32_t scale_dense(const ash_ref_call *c, int64_t sum, size_t unit) {
  if (ash_ref_in(c, 0)->type == ASH_UINT8)
    return scale_sum(c, sum, (int32_t)unit);
  return rescale_double(is_long(c) ? sum : ash_ref_wrap(sum),
                        step_ratio(c, (int32_t)unit));
}

static ash_status dense_int(const ash_ref_call *c, size_t rows, size_t units,
                            size_t depth, const ash_ref_limits *limits) {
  const int32_t *x = ash_ref_widen(c, 0), *w = ash_ref_widen(c, 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const bool stored = ash_op_is_integer_layer(c->g, c->op);
  for (size_t row = 0; row < rows; row++)
    for (size_t u = 0; u < units; u++) {
      int64_t sum = 0;
      for (size_t d = 0; d < depth; d++)
        sum = add_product(sum, x[row * depth + d], w[u * depth + d]);
      if (stored)
        ash_ref_put_integer(c, row * units + u, u, (uint64_t)sum);
      else
        ash_ref_put_int(c, limits, row * units + u,
                        scale_dense(c, sum + bias_of(c, (int64_t)u), u));
    }
  return ASH_OK;
}

static ash_status dense_hybrid(const ash_ref_call *c, size_t rows, size_t units,
                               size_t depth, const ash_ref_limits *limits) {
  const bool asymmetric = ash_attr_int(c->op, "asymmetric", 0) != 0;
  const float *bias = ash_ref_read(c, 2), *scales;
  const int32_t *w = ash_ref_widen(c, 1), *x;
  ASH_TRY(ash_ref_quantise_rows(c, 0, rows, asymmetric, &x, &scales));
  for (size_t row = 0; row < rows; row++)
    for (size_t u = 0; u < units; u++) {
      int64_t sum = 0;
      for (size_t d = 0; d < depth; d++)
        sum += (int64_t)x[row * depth + d] * w[u * depth + d];
      const float y =
          (float)ash_ref_wrap(sum) * (scales[row] * weight_scale(c, u));
      ((float *)ash_ref_write(c, 0))[row * units + u] =
          ash_ref_clamp(limits, (bias ? bias[u] : 0) + y);
    }
  return ASH_OK;
}

ash_status ash_ref_dense(const ash_ref_call *c) {
  const size_t units = (size_t)ash_ref_in(c, 1)->shape.dim[0];
  const size_t depth = (size_t)ash_ref_in(c, 1)->shape.dim[1];
  const size_t rows = (size_t)ash_ref_elements(ash_ref_in(c, 0)) / depth;
  const ash_ref_limits limits =
      ash_ref_limits_of(c, ash_attr_string(c->op, "act", "none"));
  if (!ash_ref_is_float(c))
    return dense_int(c, rows, units, depth, &limits);
  if (ash_ref_in(c, 1)->type == ASH_INT8)
    return dense_hybrid(c, rows, units, depth, &limits);
  const float *x = ash_ref_read(c, 0), *w = ash_ref_read(c, 1);
  const float *bias = ash_ref_read(c, 2);
  float *y = ash_ref_write(c, 0);
  for (size_t row = 0; row < rows; row++)
    for (size_t u = 0; u < units; u++) {
      float sum = 0;
      for (size_t d = 0; d < depth; d++)
        sum += x[row * depth + d] * w[u * depth + d];
      y[row * units + u] = ash_ref_clamp(&limits, sum + (bias ? bias[u] : 0));
    }
  return ASH_OK;
}
