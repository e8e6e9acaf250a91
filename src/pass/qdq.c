/* qdq.c - float operators between levels become operators on levels.
 *
 *   f = (x8 - z) * s            DequantizeLinear, spelled out
 *   g = conv_2d(f, w)           w: multiples of one number a channel
 *   y8 = clip(round(g / t) + u) QuantizeLinear
 *   ->  y8 = conv_2d(x8, w8)    with scales s, t and zero points z, u
 *
 * Sums are exact then, and rounding is that of int8 kernels: results may differ
 * by one step from the float arithmetic. What does not fit the pattern stays
 * as it is. */
#include "pass/pass.h"

#include "graph/compact.h"
#include "graph/functions.h"
#include "graph/verify.h"
#include "pass/uses.h"

#include <math.h>
#include <string.h>

/* Levels: an int8 tensor, and what one step and zero mean. */
typedef struct levels {
  uint32_t tensor; /* ASH_NO_ID: none */
  float scale;
  int32_t zero;
} levels;

typedef struct qdq {
  ash_ctx *ctx;
  ash_graph *g;
  ash_uses uses;
  uint32_t made;
  bool changed;
} qdq;

/* The op that makes a tensor, if it is that function. */
static const ash_op *made_by(const qdq *q, uint32_t tensor, ash_op_kind kind,
                             const char *fn) {
  const uint32_t w = tensor == ASH_NO_ID ? ASH_NO_ID : q->uses.writer[tensor];
  if (w == ASH_NO_ID)
    return NULL;
  const ash_op *o = &q->g->ops.items[w];
  if ((o->kind == kind && kind != ASH_OP_map) ||
      (o->kind == ASH_OP_map && strcmp(ash_op_string(o, "fn", ""), fn) == 0))
    return o;
  return NULL;
}

static const ash_op *made_by_map(const qdq *q, uint32_t tensor,
                                 const char *fn) {
  return made_by(q, tensor, ASH_OP_map, fn);
}

/* The one value of a constant. */
static bool read_one(const qdq *q, uint32_t tensor, double *out) {
  const ash_tensor *t = &q->g->tensors.items[tensor];
  if (tensor == ASH_NO_ID || t->kind != ASH_TENSOR_CONSTANT || !t->data ||
      ash_shape_elements(&t->shape) != 1)
    return false;
  if (t->type == ASH_FLOAT32)
    *out = (double)ash_tensor_float(t, 0);
  else if (t->type == ASH_INT32 || t->type == ASH_INT8)
    *out = (double)ash_tensor_int(t, 0);
  else
    return false;
  return true;
}

static ash_type type_of(const qdq *q, uint32_t tensor) {
  return q->g->tensors.items[tensor].type;
}

static bool is_usable(const levels *l, double scale, double zero) {
  return l->tensor != ASH_NO_ID && isfinite(scale) && scale > 0 &&
         zero >= -128 && zero <= 127 && zero == floor(zero);
}

/* cast(cast(x8) - zero) * scale */
static bool find_source(const qdq *q, uint32_t tensor, levels *out) {
  const ash_op *o = made_by(q, tensor, ASH_OP_mul, "mul");
  double scale = 0, zero = 0;
  if (!o || o->input_count != 2 ||
      strcmp(ash_op_string(o, "act", "none"), "none") != 0)
    return false;
  const uint32_t k = read_one(q, o->inputs[1], &scale) ? 0 : 1;
  if (k == 1 && !read_one(q, o->inputs[0], &scale))
    return false;
  const ash_op *widened = made_by_map(q, o->inputs[k], "cast");
  if (!widened || type_of(q, widened->inputs[0]) != ASH_INT32)
    return false;
  uint32_t whole = widened->inputs[0];
  const ash_op *moved = made_by(q, whole, ASH_OP_sub, "sub");
  if (moved && read_one(q, moved->inputs[1], &zero))
    whole = moved->inputs[0];
  const ash_op *first = made_by_map(q, whole, "cast");
  if (!first || type_of(q, first->inputs[0]) != ASH_INT8)
    return false;
  *out = (levels){first->inputs[0], (float)scale, (int32_t)zero};
  return is_usable(out, scale, zero);
}

/* The float tensor whose levels the cast at `op` makes: cast(clip(round(f /
 * scale) + zero, -128, 127)). */
static bool find_sink(const qdq *q, uint32_t op, levels *out, uint32_t *real) {
  const ash_op *cast = &q->g->ops.items[op];
  double low, high, scale, zero = 0;
  if (cast->kind != ASH_OP_map ||
      strcmp(ash_op_string(cast, "fn", ""), "cast") != 0 ||
      type_of(q, cast->outputs[0]) != ASH_INT8)
    return false;
  const ash_op *clip = made_by_map(q, cast->inputs[0], "clip");
  if (!clip || !read_one(q, clip->inputs[1], &low) ||
      !read_one(q, clip->inputs[2], &high) || low != -128 || high != 127)
    return false;
  uint32_t at = clip->inputs[0];
  const ash_op *moved = made_by(q, at, ASH_OP_add, "add");
  if (moved && read_one(q, moved->inputs[1], &zero))
    at = moved->inputs[0];
  const ash_op *round = made_by_map(q, at, "round");
  const ash_op *div =
      round ? made_by(q, round->inputs[0], ASH_OP_div, "div") : NULL;
  if (!div || !read_one(q, div->inputs[1], &scale))
    return false;
  *real = div->inputs[0];
  *out = (levels){cast->outputs[0], (float)scale, (int32_t)zero};
  return is_usable(out, scale, zero);
}

/* ---- weights ------------------------------------------------------------- */

/* The largest number of which all are multiples by -128 to 127; 0: none. */
static float find_unit(const ash_tensor *w, uint64_t first, uint64_t step,
                       uint64_t count) {
  float most = 0;
  for (uint64_t i = 0; i < count; i++)
    most = fmaxf(most, fabsf(ash_tensor_float(w, first + i * step)));
  if (!(most > 0) || !isfinite(most))
    return most == 0 ? 1.0f : 0.0f;
  for (int32_t k = 1; k <= 128; k++) {
    const double unit = (double)most / k;
    bool fits = true;
    for (uint64_t i = 0; i < count && fits; i++) {
      const double x = (double)ash_tensor_float(w, first + i * step) / unit;
      fits = fabs(x - floor(x + 0.5)) < 1e-3 && x < 127.5;
    }
    if (fits)
      return (float)unit;
  }
  return 0.0f;
}

/* Weights [O, ..], those of depthwise layers [.., O], as int8. */
static ash_status narrow_weights(qdq *q, const ash_op *o, uint32_t *out,
                                 const float **scales) {
  const ash_tensor *w = ash_op_in(q->g, o, 1);
  const bool deep = o->kind == ASH_OP_depthwise_conv_2d;
  const uint64_t n = ash_shape_elements(&w->shape);
  const uint64_t channels = (uint64_t)w->shape.dim[deep ? 3 : 0];
  const uint64_t each = n / channels;
  float *units = ASH_NEW_ARRAY(&q->g->zone, float, (size_t)channels);
  int32_t *zeros = ASH_NEW_ARRAY(&q->g->zone, int32_t, (size_t)channels);
  int8_t *to = ASH_NEW_ARRAY(&q->g->zone, int8_t, (size_t)n);
  const char *id = ash_zone_format(&q->g->zone, "levels_%u", q->made++);
  *out = ASH_NO_ID;
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  for (uint64_t c = 0; c < channels; c++) {
    const uint64_t first = deep ? c : c * each, step = deep ? channels : 1;
    units[c] = find_unit(w, first, step, each);
    if (units[c] == 0.0f)
      return ASH_OK; /* these weights have no levels */
    for (uint64_t i = 0; i < each; i++)
      to[first + i * step] = (int8_t)floor(
          (double)ash_tensor_float(w, first + i * step) / (double)units[c] +
          0.5);
  }
  *scales = units;
  return ash_graph_add_tensor(
      q->g, out,
      (ash_tensor){.name = w->name,
                   .id = id,
                   .kind = ASH_TENSOR_CONSTANT,
                   .type = ASH_INT8,
                   .shape = w->shape,
                   .quant = {.count = (uint32_t)channels,
                             .scale = units,
                             .zero_point = zeros,
                             .axis = deep ? 3 : 0},
                   .data = (const uint8_t *)to,
                   .file_byte = UINT64_MAX});
}

/* The bias in steps of the sums; false where one does not fit. */
static ash_status narrow_bias(qdq *q, const ash_op *o, float in,
                              const float *scales, uint32_t *out, bool *fits) {
  const ash_tensor *b = ash_op_in(q->g, o, 2);
  *fits = true;
  *out = ASH_NO_ID;
  if (!b)
    return ASH_OK;
  const uint64_t n = ash_shape_elements(&b->shape);
  int32_t *to = ASH_NEW_ARRAY(&q->g->zone, int32_t, (size_t)n);
  const char *id = ash_zone_format(&q->g->zone, "steps_%u", q->made++);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  for (uint64_t i = 0; i < n; i++) {
    const double x =
        (double)ash_tensor_float(b, i) / ((double)in * (double)scales[i]);
    *fits = *fits && fabs(x) < 1e9;
    to[i] = *fits ? (int32_t)floor(x + 0.5) : 0;
  }
  const ash_shape shape = b->shape;
  return ash_uses_constant(q->g, out, id, ASH_INT32, &shape, to);
}

/* ---- operators ----------------------------------------------------------- */

static bool is_layer(const qdq *q, const ash_op *o) {
  const ash_tensor *w = ash_op_in(q->g, o, 1), *b = ash_op_in(q->g, o, 2);
  return (o->kind == ASH_OP_conv_2d || o->kind == ASH_OP_depthwise_conv_2d ||
          o->kind == ASH_OP_fully_connected) &&
         o->input_count <= 3 && w && w->data && w->type == ASH_FLOAT32 &&
         (!b || (b->data && b->type == ASH_FLOAT32));
}

/* Every tensor of levels has one meaning. */
static bool agree(const qdq *q, const levels *l) {
  const ash_quant *known = &q->g->tensors.items[l->tensor].quant;
  return known->count == 0 ||
         (known->count == 1 && known->scale[0] == l->scale &&
          known->zero_point[0] == l->zero);
}

static ash_status annotate(qdq *q, const levels *l) {
  ash_quant *quant = &q->g->tensors.items[l->tensor].quant;
  if (quant->count)
    return ASH_OK;
  float *scale = ASH_NEW_ARRAY(&q->g->zone, float, 1);
  int32_t *zero = ASH_NEW_ARRAY(&q->g->zone, int32_t, 1);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  *scale = l->scale;
  *zero = l->zero;
  *quant = (ash_quant){.count = 1, .scale = scale, .zero_point = zero};
  return ASH_OK;
}

/* The op before the cast, if only the cast needs it. */
static uint32_t slot_before(const qdq *q, uint32_t cast) {
  return ash_uses_only(&q->uses, q->g->ops.items[cast].inputs[0]);
}

/* The levels behind a float tensor, or behind the one that it is a view of. */
static bool find_levels(const qdq *q, uint32_t real, uint32_t cast, levels *out,
                        bool *view) {
  *view = false;
  if (find_source(q, real, out))
    return agree(q, out);
  const uint32_t w = q->uses.writer[real];
  *view = true;
  return w != ASH_NO_ID && q->g->ops.items[w].kind == ASH_OP_reshape &&
         slot_before(q, cast) != ASH_NO_ID &&
         find_source(q, q->g->ops.items[w].inputs[0], out) && agree(q, out);
}

/* A view of levels stands in for the view of the floats; it takes the place of
 * the op before the cast, which nothing will need. */
static ash_status put_view(qdq *q, uint32_t real, uint32_t cast,
                           const levels *of, uint32_t *out) {
  ash_tensor t = q->g->tensors.items[real];
  t.type = ASH_INT8;
  t.quant = q->g->tensors.items[of->tensor].quant;
  t.id = ash_zone_format(&q->g->zone, "view_%u", q->made++);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  ASH_TRY(ash_graph_add_tensor(q->g, out, t));
  ash_op *o = &q->g->ops.items[slot_before(q, cast)];
  o->kind = ASH_OP_reshape;
  o->input_count = o->output_count = 1;
  o->attr_count = 0;
  o->inputs[0] = of->tensor;
  o->outputs[0] = *out;
  return ASH_OK;
}

/* The cast becomes the operator itself. */
static ash_status put_op(qdq *q, uint32_t cast, const ash_op *model,
                         uint32_t *inputs, uint32_t count) {
  ash_op *o = &q->g->ops.items[cast];
  uint32_t *kept = ASH_NEW_ARRAY(&q->g->zone, uint32_t, count);
  ash_attr *attrs =
      ASH_NEW_ARRAY(&q->g->zone, ash_attr, model->attr_count + 1u);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  memcpy(kept, inputs, count * sizeof *kept);
  if (model->attr_count)
    memcpy(attrs, model->attrs, model->attr_count * sizeof *attrs);
  o->kind = model->kind;
  o->inputs = kept;
  o->input_count = count;
  o->attrs = attrs;
  o->attr_count = model->attr_count;
  o->source_index = model->source_index;
  o->name = model->name;
  q->changed = true;
  return ASH_OK;
}

static ash_status fuse_layer(qdq *q, uint32_t cast, uint32_t op,
                             const levels *out) {
  const ash_op model = q->g->ops.items[op];
  const float *scales = NULL;
  uint32_t inputs[3];
  bool fits, view;
  levels in;
  if (!find_levels(q, model.inputs[0], cast, &in, &view))
    return ASH_OK;
  ASH_TRY(narrow_weights(q, &model, &inputs[1], &scales));
  if (inputs[1] == ASH_NO_ID)
    return ASH_OK;
  ASH_TRY(narrow_bias(q, &model, in.scale, scales, &inputs[2], &fits));
  if (!fits)
    return ASH_OK;
  ASH_TRY(annotate(q, &in));
  ASH_TRY(annotate(q, out));
  inputs[0] = in.tensor;
  if (view)
    ASH_TRY(put_view(q, model.inputs[0], cast, &in, &inputs[0]));
  return put_op(q, cast, &model, inputs, 3);
}

/* A pool keeps the scale of its input; the cast becomes the step to another
 * one. Only where that is not finer: the pool has rounded already. */
static ash_status fuse_pool(qdq *q, uint32_t cast, uint32_t op,
                            const levels *out) {
  const ash_op model = q->g->ops.items[op];
  const uint32_t slot = slot_before(q, cast);
  levels in;
  if (slot == ASH_NO_ID || !find_source(q, model.inputs[0], &in) ||
      !agree(q, &in) || in.scale > out->scale)
    return ASH_OK;
  ASH_TRY(annotate(q, &in));
  ASH_TRY(annotate(q, out));
  ash_tensor t = q->g->tensors.items[model.outputs[0]];
  t.type = ASH_INT8;
  t.quant = q->g->tensors.items[in.tensor].quant;
  t.id = ash_zone_format(&q->g->zone, "pooled_%u", q->made++);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  uint32_t pooled;
  ASH_TRY(ash_graph_add_tensor(q->g, &pooled, t));
  ASH_TRY(put_op(q, slot, &model, &in.tensor, 1));
  q->g->ops.items[slot].outputs[0] = pooled;
  const ash_op step = {.kind = ASH_OP_quantize,
                       .source_index = model.source_index};
  return put_op(q, cast, &step, &pooled, 1);
}

/* Pools keep the scale, sums bring both to one. */
static ash_status fuse_other(qdq *q, uint32_t cast, uint32_t op,
                             const levels *out) {
  const ash_op model = q->g->ops.items[op];
  uint32_t inputs[2];
  levels in[2];
  const bool sum = model.kind == ASH_OP_add;
  for (uint32_t k = 0; k < model.input_count; k++) {
    if (!find_source(q, model.inputs[k], &in[k]) || !agree(q, &in[k]))
      return ASH_OK;
    inputs[k] = in[k].tensor;
    if (!sum && (in[k].scale != out->scale || in[k].zero != out->zero))
      return fuse_pool(q, cast, op, out);
  }
  const double coarse =
      sum ? 2.0 * fmax((double)in[0].scale, (double)in[1].scale) : 0;
  if (coarse >= 1048576.0 * (double)out->scale)
    return ASH_OK;
  for (uint32_t k = 0; k < model.input_count; k++)
    ASH_TRY(annotate(q, &in[k]));
  ASH_TRY(annotate(q, out));
  return put_op(q, cast, &model, inputs, model.input_count);
}

static ash_status fuse(qdq *q, uint32_t cast) {
  levels out;
  uint32_t real;
  if (!find_sink(q, cast, &out, &real) || !agree(q, &out) ||
      q->uses.writer[real] == ASH_NO_ID)
    return ASH_OK;
  const uint32_t op = q->uses.writer[real];
  const ash_op *o = &q->g->ops.items[op];
  if (is_layer(q, o))
    return fuse_layer(q, cast, op, &out);
  if ((o->kind == ASH_OP_add && o->input_count == 2) ||
      o->kind == ASH_OP_average_pool_2d || o->kind == ASH_OP_max_pool_2d)
    return fuse_other(q, cast, op, &out);
  return ASH_OK;
}

ash_status ash_pass_qdq(ash_ctx *ctx, ash_graph *g) {
  qdq q = {.ctx = ctx, .g = g};
  ASH_TRY(ash_uses_of(ctx, &q.uses, g));
  for (uint32_t op = 0; op < g->op_count; op++)
    ASH_TRY(fuse(&q, op));
  if (!q.changed)
    return ASH_OK;
  ASH_TRY(ash_graph_prune(g));
  return ash_graph_verify(ctx, g);
}
