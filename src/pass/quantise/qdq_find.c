/* qdq_find.c - the patterns of the qdq pass: codes that become floats, floats
 * that become codes, and float constants that are multiples of one number. */
#include "pass/quantise/qdq.h"

#include "op/functions.h"

#include <float.h>
#include <math.h>
#include <string.h>

const ash_op *ash_qdq_writer(const ash_qdq *q, uint32_t tensor) {
  const uint32_t w = tensor < q->known ? q->uses.writer[tensor] : ASH_NO_ID;
  return w == ASH_NO_ID ? NULL : &q->g->ops.items[w];
}

/* The op that makes a tensor, if it is that function. */
static const ash_op *made_by(const ash_qdq *q, uint32_t tensor, ash_fn fn) {
  const ash_op *o = ash_qdq_writer(q, tensor);
  return o && o->kind == ASH_OP_map && ash_op_fn(o) == fn ? o : NULL;
}

/* The one value of a constant. */
static bool read_one(const ash_qdq *q, uint32_t tensor, double *out) {
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

static ash_type type_of(const ash_qdq *q, uint32_t tensor) {
  return q->g->tensors.items[tensor].type;
}

static bool is_eight(ash_type t) {
  return t == ASH_INT8 || t == ASH_UINT8;
}

static bool is_usable(const ash_codes *l, double scale, double zero) {
  const int32_t low = l->type == ASH_INT8 ? -128 : 0;
  return l->tensor != ASH_NO_ID && isfinite(scale) && scale > 0 &&
         scale < 1e30 && scale > 1e-30 && zero >= low && zero <= low + 255 &&
         zero == floor(zero);
}

/* cast(cast(x) - zero) * scale */
bool ash_qdq_source(const ash_qdq *q, uint32_t tensor, ash_codes *out) {
  const ash_op *o = made_by(q, tensor, ASH_FN_mul);
  double scale = 0, zero = 0;
  if (!o || o->input_count != 2 ||
      strcmp(ash_attr_string(o, "act", "none"), "none") != 0)
    return false;
  const uint32_t k = read_one(q, o->inputs[1], &scale) ? 0 : 1;
  if (k == 1 && !read_one(q, o->inputs[0], &scale))
    return false;
  const ash_op *widened = made_by(q, o->inputs[k], ASH_FN_cast);
  if (!widened || type_of(q, widened->inputs[0]) != ASH_INT32)
    return false;
  uint32_t code = widened->inputs[0];
  const ash_op *moved = made_by(q, code, ASH_FN_sub);
  if (moved && read_one(q, moved->inputs[1], &zero))
    code = moved->inputs[0];
  const ash_op *first = made_by(q, code, ASH_FN_cast);
  if (!first || !is_eight(type_of(q, first->inputs[0])))
    return false;
  *out = (ash_codes){first->inputs[0], type_of(q, first->inputs[0]),
                     (float)scale, (int32_t)zero};
  return is_usable(out, scale, zero);
}

/* Adds the op that makes a tensor to the free places, if nothing else needs
 * it; places are found from the last to the first. */
static bool add_slot(const ash_qdq *q, ash_sink *s, uint32_t tensor) {
  const uint32_t op = ash_uses_only(&q->uses, tensor);
  if (op == ASH_NO_ID || s->slots == ASH_QDQ_SLOTS)
    return false;
  for (uint32_t i = s->slots++; i > 0; i--)
    s->slot[i] = s->slot[i - 1];
  s->slot[0] = op;
  return true;
}

/* The limits of the type, which the values were cut to. */
static bool is_cut(const ash_qdq *q, const ash_op *clip, ash_type type) {
  double low, high;
  const double least = type == ASH_INT8 ? -128 : 0;
  return clip && read_one(q, clip->inputs[1], &low) &&
         read_one(q, clip->inputs[2], &high) && low == least &&
         high == least + 255;
}

bool ash_qdq_sink(const ash_qdq *q, uint32_t op, ash_sink *out) {
  const ash_op *cast = &q->g->ops.items[op];
  double scale, zero = 0;
  *out = (ash_sink){.cast = op};
  if (cast->kind != ASH_OP_map || ash_op_fn(cast) != ASH_FN_cast ||
      !is_eight(type_of(q, cast->outputs[0])))
    return false;
  const ash_op *clip = made_by(q, cast->inputs[0], ASH_FN_clip);
  if (!is_cut(q, clip, type_of(q, cast->outputs[0])))
    return false;
  bool own = add_slot(q, out, cast->inputs[0]);
  uint32_t at = clip->inputs[0];
  const ash_op *moved = made_by(q, at, ASH_FN_add);
  if (moved && read_one(q, moved->inputs[1], &zero)) {
    own = own && add_slot(q, out, at);
    at = moved->inputs[0];
  }
  const ash_op *round = made_by(q, at, ASH_FN_round);
  const ash_op *div = round ? made_by(q, round->inputs[0], ASH_FN_div) : NULL;
  if (!div || !read_one(q, div->inputs[1], &scale))
    return false;
  if (own && add_slot(q, out, at))
    (void)add_slot(q, out, round->inputs[0]);
  out->real = div->inputs[0];
  out->out = (ash_codes){cast->outputs[0], type_of(q, cast->outputs[0]),
                         (float)scale, (int32_t)zero};
  return is_usable(&out->out, scale, zero);
}

void ash_qdq_skip(const ash_qdq *q, ash_sink *s) {
  const ash_op *view = ash_qdq_writer(q, s->real);
  (void)add_slot(q, s, s->real);
  s->real = view->inputs[0];
}

/* ---- weights ------------------------------------------------------------- */

/* Some elements of a tensor. */
typedef struct walk {
  uint64_t first, step, count;
} walk;

/* Whole multiples of `unit`, of which at most `codes` follow each other;
 * `least` and `most` are the ends. */
static bool fits_unit(const ash_tensor *w, const walk *at, double unit,
                      double *least, double *most) {
  *least = *most = 0;
  for (uint64_t i = 0; i < at->count; i++) {
    const double x =
        (double)ash_tensor_float(w, at->first + i * at->step) / unit;
    const double near = floor(x + 0.5);
    if (fabs(x - near) >= 1e-3)
      return false;
    *least = fmin(*least, near);
    *most = fmax(*most, near);
  }
  return true;
}

/* The largest number of which all are multiples: by -128 to 127, or, where
 * `zero` is asked for, by any 256 numbers in a row with 0 among them; 0: none.
 */
static float find_unit(const ash_tensor *w, const walk *at, int32_t *zero) {
  const int32_t codes = zero ? 255 : 128;
  double least, most, high = 0;
  for (uint64_t i = 0; i < at->count; i++) {
    const double x = (double)ash_tensor_float(w, at->first + i * at->step);
    if (!isfinite(x))
      return 0.0f;
    high = fmax(high, fabs(x));
  }
  if (high == 0 && !zero)
    return 1.0f;
  for (int32_t k = 1; k <= codes && high > 0; k++) {
    const double unit = high / k;
    if (!fits_unit(w, at, unit, &least, &most) ||
        (zero ? most - least > 255 : most > 127))
      continue;
    if (zero)
      *zero = (int32_t)-least;
    /* a float that has all its bits */
    return unit < (double)FLT_MIN ? 0.0f : (float)unit;
  }
  return 0.0f;
}

/* Weights [O, ..], those of depthwise layers [.., O]: each channel's. */
static walk channel_of(const ash_tensor *w, bool deep, uint64_t channels,
                       uint64_t c) {
  const uint64_t each = ash_shape_elements(&w->shape) / channels;
  return deep ? (walk){c, channels, each} : (walk){c * each, 1, each};
}

static void put_codes(const ash_tensor *w, const walk *at, float unit,
                      int32_t zero, uint8_t *to) {
  for (uint64_t i = 0; i < at->count; i++) {
    const uint64_t k = at->first + i * at->step;
    const double code =
        floor((double)ash_tensor_float(w, k) / (double)unit + 0.5);
    to[k] = (uint8_t)((int32_t)code + zero);
  }
}

/* One scale a channel and int8; failing that, one scale, a zero point, uint8.
 */
static bool find_codes(const ash_tensor *w, bool deep, uint32_t channels,
                       ash_tensor *made, float *units, int32_t *zeros,
                       uint8_t *to) {
  bool narrow = true;
  for (uint32_t c = 0; c < channels && narrow; c++) {
    const walk at = channel_of(w, deep, channels, c);
    units[c] = find_unit(w, &at, NULL);
    narrow = units[c] != 0.0f;
    if (narrow)
      put_codes(w, &at, units[c], 0, to);
  }
  made->type = ASH_INT8;
  made->quant = (ash_quant){.count = channels,
                            .scale = units,
                            .zero_point = zeros,
                            .axis = deep ? 3 : 0};
  if (narrow)
    return true;
  const walk all = {0, 1, ash_shape_elements(&w->shape)};
  units[0] = find_unit(w, &all, &zeros[0]);
  if (units[0] == 0.0f)
    return false;
  put_codes(w, &all, units[0], zeros[0], to);
  for (uint32_t c = 1; c < channels; c++)
    units[c] = units[0];
  made->type = ASH_UINT8;
  made->quant.count = 1;
  made->quant.axis = 0;
  return true;
}

ash_status ash_qdq_weights(ash_qdq *q, const ash_op *o,
                           ash_coded_weights *out) {
  const ash_tensor *w = ash_op_in(q->g, o, 1);
  const bool deep = o->kind == ASH_OP_depthwise_conv_2d;
  const uint32_t channels = (uint32_t)w->shape.dim[deep ? 3 : 0];
  float *units = ASH_NEW_ARRAY(&q->g->zone, float, channels);
  int32_t *zeros = ASH_NEW_ARRAY(&q->g->zone, int32_t, channels);
  uint8_t *to = ASH_NEW_ARRAY(&q->g->zone, uint8_t,
                              (size_t)ash_shape_elements(&w->shape));
  const char *id = ash_zone_format(&q->g->zone, "codes_%u", q->made++);
  *out = (ash_coded_weights){.made = {.name = w->name,
                                      .id = id,
                                      .kind = ASH_TENSOR_CONSTANT,
                                      .shape = w->shape,
                                      .data = to,
                                      .file_byte = UINT64_MAX},
                             .scales = units,
                             .codes = to};
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  if (!find_codes(w, deep, channels, &out->made, units, zeros, to))
    out->made.type = ASH_NONE;
  return ASH_OK;
}

/* A bias of so many steps of a sum leaves room for the sum. */
static const double BIAS_MOST = 1e9;

/* Does a bias have a whole number of steps? */
static bool is_whole_bias(double bias, double step) {
  const double x = bias / step;
  return fabs(x - floor(x + 0.5)) < 1e-3;
}

/* The codes found are the smallest there are: few or even ones leave steps so
 * large that the bias would be rounded, too. Smaller steps, as many to one as
 * the type has codes for, that hold it; failing that, the smallest. */
void ash_qdq_refine(const ash_qdq *q, const ash_op *o,
                    const ash_coded_weights *w, float in) {
  const ash_tensor *real = ash_op_in(q->g, o, 1), *b = ash_op_in(q->g, o, 2);
  const uint32_t channels = w->made.quant.count;
  if (!b || w->made.type != ASH_INT8 ||
      ash_shape_elements(&b->shape) != channels)
    return;
  for (uint32_t c = 0; c < channels; c++) {
    const walk at =
        channel_of(real, o->kind == ASH_OP_depthwise_conv_2d, channels, c);
    const double bias = (double)ash_tensor_float(b, c);
    const double unit = (double)w->scales[c];
    double least, most;
    if (!fits_unit(real, &at, unit, &least, &most) || (least == 0 && most == 0))
      continue;
    const int32_t fine = (int32_t)(127 / fmax(-least, most));
    int32_t parts = 1;
    while (parts < fine && !is_whole_bias(bias, unit / parts * (double)in))
      parts++;
    w->scales[c] = (float)(unit / fmax(parts, 1));
    put_codes(real, &at, w->scales[c], 0, w->codes);
  }
}

/* Channels whose weights are next to nothing beside their bias: in steps that
 * small the bias has no room, so they get larger ones. A weight then errs by
 * half a step, which is 5e-10 of the bias: all of them together, times inputs
 * of 8 bits, by far less than a step of any result that shows the bias. */
void ash_qdq_widen(const ash_qdq *q, const ash_op *o,
                   const ash_coded_weights *w, float in) {
  const ash_tensor *real = ash_op_in(q->g, o, 1), *b = ash_op_in(q->g, o, 2);
  const uint32_t channels = w->made.quant.count;
  ASH_ASSERT(w->made.quant.scale == w->scales);
  if (!b || w->made.type != ASH_INT8 ||
      ash_shape_elements(&b->shape) != channels)
    return;
  for (uint32_t c = 0; c < channels; c++) {
    const double bias = fabs((double)ash_tensor_float(b, c));
    const double least = bias / ((double)in * BIAS_MOST * 0.99);
    if ((double)w->scales[c] >= least || !isfinite(least) || least > 1e30)
      continue;
    const walk at =
        channel_of(real, o->kind == ASH_OP_depthwise_conv_2d, channels, c);
    w->scales[c] = (float)least;
    put_codes(real, &at, w->scales[c], 0, w->codes);
  }
}

/* The bias in steps of the sums; false where one does not fit. */
ash_status ash_qdq_bias(ash_qdq *q, const ash_op *o, float in,
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
    *fits = *fits && fabs(x) < BIAS_MOST;
    to[i] = *fits ? (int32_t)floor(x + 0.5) : 0;
  }
  const ash_shape shape = b->shape;
  return ash_graph_add_constant(q->g, out, id, ASH_INT32, &shape, to);
}

ash_status ash_qdq_constant(ash_qdq *q, uint32_t tensor, ash_codes *out) {
  const ash_tensor t = q->g->tensors.items[tensor];
  *out = (ash_codes){.tensor = ASH_NO_ID, .type = ASH_INT8};
  if (!t.data || t.type != ASH_FLOAT32)
    return ASH_OK;
  const uint64_t n = ash_shape_elements(&t.shape);
  int8_t *to = ASH_NEW_ARRAY(&q->g->zone, int8_t, (size_t)n);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  out->scale = find_unit(&t, &(walk){0, 1, n}, NULL);
  if (out->scale == 0.0f || !isfinite(out->scale))
    return ASH_OK;
  for (uint64_t i = 0; i < n; i++)
    to[i] = (int8_t)floor((double)ash_tensor_float(&t, i) / (double)out->scale +
                          0.5);
  const char *id = ash_zone_format(&q->g->zone, "codes_%u", q->made++);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  return ash_graph_add_constant(q->g, &out->tensor, id, ASH_INT8, &t.shape, to);
}
