/* qdq.c - float operators between codes become operators on codes.
 *
 *   f = (x8 - z) * s            DequantizeLinear, spelled out
 *   g = conv_2d(f, w)           w: multiples of one number a channel
 *   y8 = clip(round(g / t) + u) QuantizeLinear
 *   ->  y8 = conv_2d(x8, w8)    with scales s, t and zero points z, u
 *
 * Sums are exact then, and rounding is that of int8 kernels: results may differ
 * by one step from the float arithmetic. Functions of one value become tables
 * of their 256 results. uint8 codes are moved by 128 to where int8 kernels
 * want them; between two layers nothing of that is left. Weights that need all
 * 256 codes around a zero point make a layer of uint8. What does not fit the
 * pattern stays as it is.
 *
 * A new operator stands where one of QuantizeLinear's was, so that the order of
 * the graph holds. */
#include "pass/pass.h"

#include "graph/compact.h"
#include "op/functions.h"
#include "op/verify.h"
#include "pass/quantise/qdq.h"

#include <math.h>
#include <string.h>

enum { STEPS_MAX = 24, INPUTS_MAX = 16, MOVES_MAX = 3 };

/* The operators that will stand for one float operator and its ends. */
typedef struct chain {
  struct {
    ash_op model; /* kind, attributes, source */
    uint32_t *inputs, count, out;
  } steps[STEPS_MAX];
  uint32_t count;
} chain;

/* ---- codes --------------------------------------------------------------- */

/* Every tensor of codes has one meaning. */
static bool agree(const ash_qdq *q, const ash_codes *l) {
  const ash_quant *known = &q->g->tensors.items[l->tensor].quant;
  return known->count == 0 ||
         (known->count == 1 && known->scale[0] == l->scale &&
          known->zero_point[0] == l->zero);
}

static ash_status annotate(ash_qdq *q, const ash_codes *l) {
  ash_quant *quant = &q->g->tensors.items[l->tensor].quant;
  if (quant->count)
    return ASH_OK;
  float *scale = ASH_NEW_ARRAY(&q->g->zone, float, 1);
  int32_t *zero = ASH_NEW_ARRAY(&q->g->zone, int32_t, 1);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  *scale = l->scale;
  *zero = l->zero;
  *quant = (ash_quant){
      .count = 1, .scale = scale, .zero_point = zero, .once = q->once};
  return ASH_OK;
}

/* The same codes as int8 or uint8. */
static ash_codes as_type(const ash_codes *l, ash_type type) {
  const int32_t up = type == l->type ? 0 : type == ASH_UINT8 ? 128 : -128;
  return (ash_codes){l->tensor, type, l->scale, l->zero + up};
}

static ash_codes as_int8(const ash_codes *l) {
  return as_type(l, ASH_INT8);
}

static bool same_meaning(const ash_codes *a, const ash_codes *b) {
  return a->scale == b->scale && a->zero == b->zero;
}

/* A new tensor of this shape. */
static ash_status add_codes(ash_qdq *q, ash_codes *l, const ash_shape *s) {
  const char *id = ash_zone_format(&q->g->zone, "q_%u", q->made++);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  ASH_TRY(ash_graph_add_tensor(q->g, &l->tensor,
                               (ash_tensor){.name = id,
                                            .id = id,
                                            .kind = ASH_TENSOR_ACTIVATION,
                                            .type = l->type,
                                            .shape = *s,
                                            .file_byte = UINT64_MAX}));
  return annotate(q, l);
}

/* ---- chains -------------------------------------------------------------- */

static ash_status add_step(ash_qdq *q, chain *c, const ash_op *model,
                           const uint32_t *inputs, uint32_t count,
                           uint32_t out) {
  uint32_t *kept = ASH_NEW_ARRAY(&q->g->zone, uint32_t, count + 1u);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  memcpy(kept, inputs, count * sizeof *kept);
  c->steps[c->count].model = *model;
  c->steps[c->count].inputs = kept;
  c->steps[c->count].count = count;
  c->steps[c->count++].out = out;
  return ASH_OK;
}

static ash_status add_plain(ash_qdq *q, chain *c, ash_op_kind kind,
                            const ash_op *beside, uint32_t input,
                            uint32_t out) {
  const ash_op plain = {.kind = kind, .source_index = beside->source_index};
  return add_step(q, c, &plain, &input, 1, out);
}

static ash_status put_step(ash_qdq *q, const chain *c, uint32_t i,
                           uint32_t place) {
  const ash_op *model = &c->steps[i].model;
  ash_attr *attrs =
      ASH_NEW_ARRAY(&q->g->zone, ash_attr, model->attr_count + 1u);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  if (model->attr_count)
    memcpy(attrs, model->attrs, model->attr_count * sizeof *attrs);
  ash_op *o = &q->g->ops.items[place];
  o->kind = model->kind;
  o->inputs = c->steps[i].inputs;
  o->input_count = c->steps[i].count;
  o->attrs = attrs;
  o->attr_count = model->attr_count;
  o->source_index = model->source_index;
  o->name = model->name;
  o->outputs[0] = c->steps[i].out;
  return ASH_OK;
}

/* All but the last stand in free places, the last where the cast was. Too many
 * for that: nothing happens. */
static ash_status put_chain(ash_qdq *q, const chain *c, const ash_sink *s) {
  if (c->count == 0 || c->count - 1 > s->slots)
    return ASH_OK;
  const uint32_t first = s->slots - (c->count - 1);
  for (uint32_t i = 0; i < c->count; i++)
    ASH_TRY(
        put_step(q, c, i, i + 1 == c->count ? s->cast : s->slot[first + i]));
  q->changed = true;
  return ASH_OK;
}

/* ---- ends ---------------------------------------------------------------- */

/* uint8 codes as int8 ones, or the other way: those that they were made of, or
 * a step. */
static ash_status turn(ash_qdq *q, chain *c, const ash_op *beside,
                       ash_type type, ash_codes *l) {
  const ash_op *w = ash_qdq_writer(q, l->tensor);
  const ash_tensor *from = w ? ash_op_in(q->g, w, 0) : NULL;
  ash_codes to = as_type(l, type);
  if (l->type == type)
    return ASH_OK;
  if (w && w->kind == ASH_OP_quantize && from->type == type &&
      from->quant.count == 1 && from->quant.scale[0] == to.scale &&
      from->quant.zero_point[0] == to.zero) {
    to.tensor = w->inputs[0];
    *l = to;
    return ASH_OK;
  }
  const uint32_t wide = l->tensor;
  const ash_shape shape = q->g->tensors.items[wide].shape;
  ASH_TRY(add_codes(q, &to, &shape));
  *l = to;
  return add_plain(q, c, ASH_OP_quantize, beside, wide, to.tensor);
}

static bool is_move(const ash_op *o) {
  return o && (o->kind == ASH_OP_reshape || o->kind == ASH_OP_strided);
}

/* The same move of the codes that was one of floats. */
static ash_status move(ash_qdq *q, chain *c, const ash_op *o, ash_codes *l) {
  const ash_op model = *o;
  const ash_shape shape = ash_op_out(q->g, o, 0)->shape;
  const uint32_t input = l->tensor;
  ASH_TRY(add_codes(q, l, &shape));
  return add_step(q, c, &model, &input, 1, l->tensor);
}

/* The codes behind a float tensor, behind the one that it is a view or
 * transposition of, or of a constant (of int8); no tensor if there are none. */
static ash_status take_as(ash_qdq *q, chain *c, const ash_op *beside,
                          uint32_t real, ash_type type, ash_codes *l) {
  const ash_op *moves[MOVES_MAX];
  uint32_t count = 0, at = real;
  bool found = ash_qdq_source(q, at, l);
  while (!found && count < MOVES_MAX && is_move(ash_qdq_writer(q, at))) {
    moves[count++] = ash_qdq_writer(q, at);
    at = moves[count - 1]->inputs[0];
    found = ash_qdq_source(q, at, l);
  }
  if (!found) {
    ASH_TRY(ash_qdq_constant(q, real, l));
    if (type != ASH_INT8)
      l->tensor = ASH_NO_ID;
    return l->tensor == ASH_NO_ID ? ASH_OK : annotate(q, l);
  }
  if (!agree(q, l)) {
    l->tensor = ASH_NO_ID;
    return ASH_OK;
  }
  ASH_TRY(annotate(q, l));
  ASH_TRY(turn(q, c, beside, type, l));
  while (count > 0)
    ASH_TRY(move(q, c, moves[--count], l));
  return ASH_OK;
}

static ash_status take(ash_qdq *q, chain *c, const ash_op *beside,
                       uint32_t real, ash_codes *l) {
  return take_as(q, c, beside, real, ASH_INT8, l);
}

/* Codes of one scale as those of another: a table, which rounds as the float
 * arithmetic does, halves to the even neighbour. uint8 has none. */
static ash_status rescale(ash_qdq *q, chain *c, const ash_op *beside,
                          const ash_codes *from, const ash_codes *to) {
  const ash_op model = {.kind = ASH_OP_lookup,
                        .source_index = beside->source_index};
  uint32_t inputs[2] = {from->tensor, ASH_NO_ID};
  if (from->type != ASH_INT8 || to->type != ASH_INT8)
    return add_plain(q, c, ASH_OP_quantize, beside, from->tensor, to->tensor);
  ASH_TRY(ash_qdq_rescaled(q, from, to, &inputs[1]));
  return add_step(q, c, &model, inputs, 2, to->tensor);
}

/* The operator itself, its result with this meaning; then what leads from there
 * to the sink's codes: a view, another scale, uint8. */
static ash_status close(ash_qdq *q, chain *c, const ash_sink *s,
                        const ash_op *model, const uint32_t *inputs,
                        uint32_t count, ash_codes made) {
  const ash_shape shape = ash_op_out(q->g, model, 0)->shape;
  const ash_shape last = q->g->tensors.items[s->out.tensor].shape;
  const ash_codes want = as_type(&s->out, made.type);
  const bool view = !ash_shape_equal(&shape, &last);
  const bool step = s->out.type != made.type || !same_meaning(&made, &want);
  ASH_TRY(annotate(q, &s->out));
  made.tensor = s->out.tensor;
  if (view || step)
    ASH_TRY(add_codes(q, &made, &shape));
  ASH_TRY(add_step(q, c, model, inputs, count, made.tensor));
  if (view) {
    const uint32_t from = made.tensor;
    made.tensor = s->out.tensor;
    if (step)
      ASH_TRY(add_codes(q, &made, &last));
    ASH_TRY(add_plain(q, c, ASH_OP_reshape, model, from, made.tensor));
  }
  if (step)
    ASH_TRY(rescale(q, c, model, &made, &s->out));
  return put_chain(q, c, s);
}

/* ---- operators ----------------------------------------------------------- */

static bool is_layer(const ash_qdq *q, const ash_op *o) {
  const ash_tensor *w = ash_op_in(q->g, o, 1), *b = ash_op_in(q->g, o, 2);
  return (o->kind == ASH_OP_conv_2d || o->kind == ASH_OP_depthwise_conv_2d ||
          o->kind == ASH_OP_fully_connected) &&
         o->input_count <= 3 && w && w->data && w->type == ASH_FLOAT32 &&
         (!b || (b->data && b->type == ASH_FLOAT32));
}

static ash_status fuse_layer(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  const ash_op model = *o;
  ash_coded_weights w;
  uint32_t inputs[3];
  chain c = {.count = 0};
  ash_codes in;
  bool fits;
  ASH_TRY(ash_qdq_weights(q, &model, &w));
  if (w.made.type == ASH_NONE)
    return ASH_OK;
  ASH_TRY(take_as(q, &c, &model, model.inputs[0], w.made.type, &in));
  if (in.tensor == ASH_NO_ID)
    return ASH_OK;
  ash_qdq_refine(q, &model, &w, in.scale);
  ash_qdq_widen(q, &model, &w, in.scale);
  ASH_TRY(ash_graph_add_tensor(q->g, &inputs[1], w.made));
  ASH_TRY(ash_qdq_bias(q, &model, in.scale, w.scales, &inputs[2], &fits));
  if (!fits)
    return ASH_OK;
  inputs[0] = in.tensor;
  return close(q, &c, s, &model, inputs, 3, as_type(&s->out, w.made.type));
}

/* The codes of all inputs; false where one has none. */
static ash_status take_all(ash_qdq *q, chain *c, const ash_op *model,
                           ash_codes *in, bool *all) {
  *all = model->input_count <= INPUTS_MAX;
  for (uint32_t k = 0; k < model->input_count && *all; k++) {
    ASH_TRY(take(q, c, model, model->inputs[k], &in[k]));
    *all = in[k].tensor != ASH_NO_ID && c->count + 8 <= STEPS_MAX;
  }
  return ASH_OK;
}

/* Sums of few different fractions of a step: every second or fourth is a half,
 * which goes to the even neighbour in float arithmetic, where kernels have
 * another rule. Two ranges from 0 to 6 make one from 0 to 12. */
static bool has_halves(const ash_codes *in, uint32_t count, float step) {
  for (uint32_t k = 0; k < count; k++) {
    const double parts = 16 * (double)in[k].scale / (double)step;
    if (fabs(parts - floor(parts + 0.5)) > 1e-5)
      return false;
  }
  return true;
}

static double coarsest(const ash_codes *in, uint32_t count) {
  float scale = 0;
  for (uint32_t k = 0; k < count; k++)
    if (in[k].scale > scale)
      scale = in[k].scale;
  return (double)scale;
}

/* Sums and differences, whose kernels bring the inputs to the output's
 * scale; products. */
static ash_status fuse_many(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  const ash_op model = *o;
  uint32_t inputs[INPUTS_MAX];
  ash_codes in[INPUTS_MAX];
  chain c = {.count = 0};
  bool all;
  ASH_TRY(take_all(q, &c, &model, in, &all));
  if (!all)
    return ASH_OK;
  for (uint32_t k = 0; k < model.input_count; k++)
    inputs[k] = in[k].tensor;
  if (ash_op_fn(&model) != ASH_FN_mul &&
      (2 * coarsest(in, model.input_count) >=
           1048576.0 * (double)s->out.scale ||
       (q->once && has_halves(in, model.input_count, s->out.scale))))
    return ASH_OK;
  return close(q, &c, s, &model, inputs, model.input_count, as_int8(&s->out));
}

/* Joined tensors: those of another scale get the result's, as long as there is
 * room for the steps; otherwise the kernel does it. */
static ash_status fuse_joined(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  const ash_op model = *o;
  const ash_codes want = as_int8(&s->out);
  uint32_t inputs[INPUTS_MAX], others = 0;
  ash_codes in[INPUTS_MAX];
  chain c = {.count = 0};
  bool all;
  ASH_TRY(take_all(q, &c, &model, in, &all));
  if (!all)
    return ASH_OK;
  for (uint32_t k = 0; k < model.input_count; k++) {
    others += !same_meaning(&in[k], &want);
    inputs[k] = in[k].tensor;
  }
  const bool room = c.count + others + 2 <= s->slots;
  for (uint32_t k = 0; k < model.input_count && room; k++) {
    if (same_meaning(&in[k], &want))
      continue;
    const ash_shape shape = q->g->tensors.items[in[k].tensor].shape;
    ash_codes same = want;
    ASH_TRY(add_codes(q, &same, &shape));
    ASH_TRY(rescale(q, &c, &model, &in[k], &same));
    inputs[k] = same.tensor;
  }
  return close(q, &c, s, &model, inputs, model.input_count, want);
}

/* Codes are moved or picked as they are. Averages have rounded already, so
 * that they may not become finer afterwards. */
static ash_status fuse_kept(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  const ash_op model = *o;
  uint32_t inputs[2] = {0, model.input_count > 1 ? model.inputs[1] : 0};
  chain c = {.count = 0};
  ash_codes in;
  ASH_TRY(take(q, &c, &model, model.inputs[0], &in));
  if (in.tensor == ASH_NO_ID || model.input_count > 2 ||
      (model.kind == ASH_OP_average_pool_2d && in.scale > s->out.scale))
    return ASH_OK;
  inputs[0] = in.tensor;
  return close(q, &c, s, &model, inputs, model.input_count, in);
}

/* The code of a padding value, which its tensor must hold exactly, or which
 * the sink would cut to the ends of the same codes. */
static bool find_pad(const ash_codes *in, const ash_codes *want, double value,
                     int8_t *out) {
  const double code = value / (double)in->scale + in->zero;
  const double near = floor(code + 0.5);
  const bool exact = near >= -128 && near <= 127 && fabs(code - near) < 1e-3;
  *out = (int8_t)fmin(fmax(near, -128), 127);
  return !isnan(value) && (exact || same_meaning(in, want));
}

/* Zeros are what a pad without a value means. */
static ash_status fuse_pad(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  const ash_op model = *o;
  const ash_tensor *value = ash_op_in(q->g, o, 1);
  const ash_codes want = as_int8(&s->out);
  const ash_shape one = {0};
  uint32_t inputs[2] = {0, ASH_NO_ID};
  chain c = {.count = 0};
  ash_codes in;
  if (value && (!value->data || value->type != ASH_FLOAT32))
    return ASH_OK;
  const double real = value ? (double)ash_tensor_float(value, 0) : 0;
  ASH_TRY(take(q, &c, &model, model.inputs[0], &in));
  int8_t *code = ASH_NEW_ARRAY(&q->g->zone, int8_t, 1);
  const char *id = ash_zone_format(&q->g->zone, "padding_%u", q->made++);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  if (in.tensor == ASH_NO_ID || !find_pad(&in, &want, real, code))
    return ASH_OK;
  inputs[0] = in.tensor;
  if (real != 0) {
    ASH_TRY(ash_graph_add_constant(q->g, &inputs[1], id, ASH_INT8, &one, code));
    ASH_TRY(annotate(q, &(ash_codes){inputs[1], ASH_INT8, in.scale, in.zero}));
  }
  return close(q, &c, s, &model, inputs, real != 0 ? 2 : 1, in);
}

/* A function of one value. Scales do not matter here, but an int8 twin of uint8
 * codes has to have the same. */
static ash_status fuse_table(ash_qdq *q, const ash_sink *s, ash_codes in,
                             uint32_t table) {
  const ash_op model = {.kind = ASH_OP_lookup,
                        .source_index = q->g->ops.items[s->cast].source_index,
                        .outputs = &q->g->ops.items[s->cast].outputs[0],
                        .output_count = 1};
  const ash_quant *known = &q->g->tensors.items[in.tensor].quant;
  uint32_t inputs[2] = {0, table};
  chain c = {.count = 0};
  if (known->count == 1) {
    in.scale = known->scale[0];
    in.zero = known->zero_point[0];
  }
  ASH_TRY(annotate(q, &in));
  ASH_TRY(turn(q, &c, &model, ASH_INT8, &in));
  inputs[0] = in.tensor;
  return close(q, &c, s, &model, inputs, 2, as_int8(&s->out));
}

/* Does the window see the whole image at once? */
static bool is_whole(const ash_qdq *q, const ash_op *o) {
  const ash_shape *in = &ash_op_in(q->g, o, 0)->shape;
  const ash_shape *out = &ash_op_out(q->g, o, 0)->shape;
  return o->kind == ASH_OP_average_pool_2d && out->dim[1] == 1 &&
         out->dim[2] == 1 && ash_attr_int(o, "filter_h", 1) == in->dim[1] &&
         ash_attr_int(o, "filter_w", 1) == in->dim[2] &&
         ash_attr_int(o, "pad_top", 0) == 0 &&
         ash_attr_int(o, "pad_left", 0) == 0 &&
         strcmp(ash_attr_string(o, "act", "none"), "none") == 0;
}

/* Sums and means are rescaled by their kernels. */
static ash_status fuse_sum(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  const ash_op model = *o;
  chain c = {.count = 0};
  ash_codes in;
  ASH_TRY(take(q, &c, &model, model.inputs[0], &in));
  if (in.tensor == ASH_NO_ID)
    return ASH_OK;
  return close(q, &c, s, &model, &in.tensor, 1, as_int8(&s->out));
}

static ash_status fuse_fold(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  return ash_op_fold(o) == ASH_FOLD_MEAN ? fuse_sum(q, s, o) : ASH_OK;
}

/* Such a pool is a mean. */
static ash_status fuse_whole(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  static const int64_t planes[] = {1, 2};
  ash_attr attrs[] = {ASH_STRING_ATTR("fn", ash_fold_text(ASH_FOLD_MEAN)),
                      ASH_INTS_ATTR("axes", planes, 2),
                      ASH_INT_ATTR("keep_dims", 1)};
  ash_op model = *o;
  model.kind = ASH_OP_reduce;
  model.attrs = attrs;
  model.attr_count = ASH_COUNT_OF(attrs);
  return fuse_sum(q, s, &model);
}

/* Its kernel makes 1/256ths from -128 on. */
static ash_status fuse_softmax(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  const ash_op model = *o;
  const ash_codes made = {ASH_NO_ID, ASH_INT8, 1.0f / 256, -128};
  chain c = {.count = 0};
  ash_codes in;
  ASH_TRY(take(q, &c, &model, model.inputs[0], &in));
  if (in.tensor == ASH_NO_ID || s->out.scale < made.scale ||
      ash_attr_float(&model, "beta", 1.0) * (double)in.scale * 67108864.0 <=
          1.0)
    return ASH_OK;
  return close(q, &c, s, &model, &in.tensor, 1, made);
}

/* Two matrices, or as many pairs of them as one tensor holds. */
static ash_status fuse_matmul(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  const ash_shape *a = &ash_op_in(q->g, o, 0)->shape;
  const ash_shape *b = &ash_op_in(q->g, o, 1)->shape;
  const ash_op model = *o;
  uint32_t inputs[2];
  chain c = {.count = 0};
  bool alike = a->rank == b->rank && a->rank >= 2 && a->rank <= 4;
  for (uint32_t i = 0; alike && i + 2 < a->rank; i++)
    alike = a->dim[i] == b->dim[i];
  for (uint32_t k = 0; alike && k < 2; k++) {
    ash_codes in;
    ASH_TRY(take(q, &c, &model, model.inputs[k], &in));
    alike = in.tensor != ASH_NO_ID;
    inputs[k] = in.tensor;
  }
  if (!alike)
    return ASH_OK;
  return close(q, &c, s, &model, inputs, 2, as_int8(&s->out));
}

/* ---- the pass ------------------------------------------------------------ */

static const struct {
  uint32_t row;
  ash_status (*fuse)(ash_qdq *q, const ash_sink *s, const ash_op *o);
} fusions[ASH_ROW_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.row = ASH_OP_##op},
#define FN(fn, columns) [ASH_FN_ROW(fn)] = {columns.row = ASH_FN_ROW(fn)},
#define QDQ(rule)       .fuse = fuse_##rule,
#include "op/ops.def"
#undef OP
};

static ash_status fuse_op(ash_qdq *q, const ash_sink *s, const ash_op *o) {
  if (is_layer(q, o))
    return fuse_layer(q, s, o);
  if (is_whole(q, o))
    return fuse_whole(q, s, o);
  const uint32_t row = ash_row_of(o);
  return fusions[row].fuse ? fusions[row].fuse(q, s, o) : ASH_OK;
}

/* A view before the sink is looked through; a view of codes alone moves
 * them. */
static ash_status fuse(ash_qdq *q, uint32_t op) {
  ash_codes in;
  ash_sink s;
  if (!ash_qdq_sink(q, op, &s) || !agree(q, &s.out))
    return ASH_OK;
  uint32_t table;
  ASH_TRY(ash_qdq_table(q, &s, &in, &table));
  if (table != ASH_NO_ID)
    return fuse_table(q, &s, in, table);
  const ash_op *o = ash_qdq_writer(q, s.real);
  if (!o)
    return ASH_OK;
  if (o->kind == ASH_OP_reshape) {
    if (ash_qdq_source(q, o->inputs[0], &in))
      return fuse_kept(q, &s, o);
    ash_qdq_skip(q, &s);
    o = ash_qdq_writer(q, s.real);
  }
  return o ? fuse_op(q, &s, o) : ASH_OK;
}

/* Float arithmetic rounds once, when it becomes codes. So do the layers made of
 * it, but for those processors whose layers always shift, and round there. */
ash_status ash_pass_qdq(ash_ctx *ctx, ash_graph *g, const ash_target *target) {
  const uint32_t shifting = ASH_FEATURE_DSP | ASH_FEATURE_MVE |
                            ASH_FEATURE_RVV | ASH_FEATURE_SCALAR |
                            ASH_FEATURE_PIE;
  ash_qdq q = {.ctx = ctx,
               .g = g,
               .known = g->tensor_count,
               .once = !(target->features & shifting)};
  ASH_TRY(ash_uses_of(ctx, &q.uses, g));
  for (uint32_t op = 0; op < g->op_count; op++)
    ASH_TRY(fuse(&q, op));
  if (g->tensor_count == q.known)
    return ASH_OK;
  ASH_TRY(ash_graph_prune(g));
  return ash_op_verify(ctx, g);
}
