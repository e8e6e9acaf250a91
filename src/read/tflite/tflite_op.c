/* tflite_op.c - operators of a TFLite file: which the reader knows, their
 * options and the types their tensors may have.
 *
 * One line of `rules` is one operator. A new operator is a line there and, if
 * it has options, one `read_` function of a few lines. */
#include "read/tflite/tflite_parts.h"

#include <math.h>
#include <string.h>

enum { ATTRS_MAX = 16, LSTM_INPUTS = 24 };

enum { /* Operator's fields that are read here */
       OPERATOR_OPTIONS_TYPE = 3,
       OPERATOR_OPTIONS = 4,
       OPERATOR_CUSTOM_OPTIONS = 5,
       OPERATOR_INTERMEDIATES = 8,
       /* and of tensors, for intermediate ones */
       TENSOR_QUANTIZATION = 4,
       QUANT_SCALE = 2,
       QUANT_ZERO_POINT = 3,
};

/* An operator while it is read. */
typedef struct call {
  ash_tflite *r;
  const struct rule *rule;
  uint32_t index; /* in the file */
  ash_fb_table options;
  ash_op op; /* tensors are those of the graph */
  ash_attr attrs[ATTRS_MAX];
} call;

/* ---- what option readers use ------------------------------------------- */

static ash_status bad_options(const call *c, const char *what, int64_t value) {
  return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_options,
                  ash_tflite_at_op(c->r, c->index), "%s is %lld", what,
                  (long long)value);
}

/* The place of one of the operator's tensors, by the file's number. */
static ash_loc at_tensor(const call *c, uint32_t tensor) {
  ash_loc at = ash_tflite_at_op(c->r, c->index);
  at.tensor = tensor;
  at.tensor_name = c->r->g->tensors.items[c->r->uses[tensor].graph].name;
  return at;
}

static ash_loc at_input(const call *c, uint32_t k) {
  return at_tensor(c, c->r->ops[c->index].inputs[k]);
}

static ash_loc at_output(const call *c, uint32_t k) {
  return at_tensor(c, c->r->ops[c->index].outputs[k]);
}

static void put(call *c, ash_attr attr) {
  if (c->op.attr_count < ATTRS_MAX)
    c->attrs[c->op.attr_count++] = attr;
}

static void put_int(call *c, const char *name, int64_t value) {
  put(c, ASH_INT_ATTR(name, value));
}

/* Integers that must be at least `least`. */
static ash_status put_field(call *c, const char *name, uint32_t field,
                            int32_t otherwise, int32_t least) {
  const int32_t value = ash_fb_i32(&c->options, field, otherwise);
  if (value < least)
    return bad_options(c, name, value);
  put_int(c, name, value);
  return ASH_OK;
}

static ash_status put_act(call *c, uint32_t field) {
  static const char *const act[] = {"none",  "relu", "relu_n1_to_1",
                                    "relu6", "tanh", "sign_bit"};
  const uint32_t number = ash_fb_u8(&c->options, field, 0);
  if (number >= ASH_COUNT_OF(act))
    return bad_options(c, "the fused activation's number", number);
  put(c, ASH_STRING_ATTR("act", act[number]));
  return ASH_OK;
}

/* An integer put before. */
static int64_t got(const call *c, const char *name) {
  return ash_op_int(&c->op, name, 1);
}

static const ash_shape *shape_in(const call *c, uint32_t k) {
  return &ash_op_in(c->r->g, &c->op, k)->shape;
}

static ash_status need_rank(const call *c, uint32_t input, uint32_t rank) {
  const uint32_t found = shape_in(c, input)->rank;
  if (found == rank)
    return ASH_OK;
  return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_options,
                  at_input(c, input),
                  "the input has %u dimensions, the operator needs %u",
                  (unsigned)found, (unsigned)rank);
}

/* ---- windows ----------------------------------------------------------- */

/* SAME makes ceil(in / stride) outputs and pads as much as that needs, the
 * smaller half in front. VALID pads nothing. */
static void put_pads(call *c, bool same, const char *front, const char *back,
                     int64_t in, int64_t filter, int64_t stride) {
  const int64_t out = (in + stride - 1) / stride;
  int64_t total = (out - 1) * stride + filter - in;
  if (!same || total < 0)
    total = 0;
  put_int(c, front, total / 2);
  put_int(c, back, total - total / 2);
}

/* `filter` is of the window itself; dilation spreads it. */
static ash_status put_window(call *c, int32_t filter_h, int32_t filter_w) {
  const uint32_t padding = ash_fb_u8(&c->options, 0, 0);
  const ash_shape *in = shape_in(c, 0);
  if (padding > 1)
    return bad_options(c, "the padding's number", padding);
  if (filter_h < 1 || filter_w < 1)
    return bad_options(c, "a side of the window",
                       filter_h < 1 ? filter_h : filter_w);
  put_pads(c, padding == 0, "pad_top", "pad_bottom", in->dim[1],
           (filter_h - 1) * got(c, "dilation_h") + 1, got(c, "stride_h"));
  put_pads(c, padding == 0, "pad_left", "pad_right", in->dim[2],
           (filter_w - 1) * got(c, "dilation_w") + 1, got(c, "stride_w"));
  return ASH_OK;
}

/* Fields 1 and 2 of all windowed operators. */
static ash_status put_strides(call *c) {
  ASH_TRY(need_rank(c, 0, 4));
  ASH_TRY(put_field(c, "stride_h", 2, 0, 1));
  return put_field(c, "stride_w", 1, 0, 1);
}

static ash_status read_conv(call *c) {
  ASH_TRY(put_strides(c));
  ASH_TRY(need_rank(c, 1, 4));
  ASH_TRY(put_field(c, "dilation_h", 5, 1, 1));
  ASH_TRY(put_field(c, "dilation_w", 4, 1, 1));
  const ash_shape *filter = shape_in(c, 1);
  ASH_TRY(put_window(c, filter->dim[1], filter->dim[2]));
  return put_act(c, 3);
}

/* The multiplier follows from the shapes; old files store 0 for it. */
static ash_status put_multiplier(call *c) {
  const int32_t stored = ash_fb_i32(&c->options, 3, 0);
  const int32_t in = shape_in(c, 0)->dim[3], out = shape_in(c, 1)->dim[3];
  if (in < 1 || out < 1 || out % in)
    return bad_options(c, "the filter's number of channels", out);
  if (stored != 0 && stored != out / in)
    return bad_options(c, "the depth multiplier", stored);
  put_int(c, "multiplier", out / in);
  return ASH_OK;
}

static ash_status read_depthwise(call *c) {
  ASH_TRY(put_strides(c));
  ASH_TRY(need_rank(c, 1, 4));
  ASH_TRY(put_field(c, "dilation_h", 6, 1, 1));
  ASH_TRY(put_field(c, "dilation_w", 5, 1, 1));
  const ash_shape *filter = shape_in(c, 1);
  ASH_TRY(put_window(c, filter->dim[1], filter->dim[2]));
  ASH_TRY(put_multiplier(c));
  return put_act(c, 4);
}

static ash_status read_pool(call *c) {
  ASH_TRY(put_strides(c));
  ASH_TRY(put_field(c, "filter_h", 4, 0, 1));
  ASH_TRY(put_field(c, "filter_w", 3, 0, 1));
  ASH_TRY(
      put_window(c, (int32_t)got(c, "filter_h"), (int32_t)got(c, "filter_w")));
  return put_act(c, 5);
}

/* ---- the other options ------------------------------------------------- */

static ash_status read_act(call *c) {
  return put_act(c, 0);
}

/* int16 may ask for shifts where all scales are powers of two. */
static ash_status read_sum(call *c) {
  if (ash_op_in(c->r->g, &c->op, 0)->type == ASH_INT16)
    put_int(c, "pot", ash_fb_bool(&c->options, 1, true));
  return put_act(c, 0);
}

static ash_status read_fully_connected(call *c) {
  if (ash_fb_u8(&c->options, 1, 0) != 0)
    return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                    ash_tflite_at_op(c->r, c->index),
                    "shuffled weights are not supported");
  put_int(c, "keep_num_dims", ash_fb_bool(&c->options, 2, false));
  if (ash_op_in(c->r->g, &c->op, 0)->type == ASH_FLOAT32 &&
      ash_op_in(c->r->g, &c->op, 1)->type == ASH_INT8)
    put_int(c, "asymmetric", ash_fb_bool(&c->options, 3, false));
  return put_act(c, 0);
}

/* ---- others ------------------------------------------------------------- */

/* Name and options of an operator that is not TFLite's. */
static ash_status read_custom(call *c) {
  static const char digits[] = "0123456789abcdef";
  const ash_tflite_op *from = &c->r->ops[c->index];
  const ash_fb_vector blob = ash_fb_blob(&from->table, OPERATOR_CUSTOM_OPTIONS);
  ash_zone *zone = &c->r->ctx->scratch;
  char *hex = ASH_NEW_ARRAY(zone, char, (size_t)blob.count * 2 + 1);
  ASH_TRY(ash_zone_check(c->r->ctx, zone));
  const uint8_t *bytes = c->r->bytes + blob.at;
  for (uint64_t i = 0; i < blob.count; i++) {
    hex[2 * i] = digits[bytes[i] >> 4];
    hex[2 * i + 1] = digits[bytes[i] & 15];
  }
  put(c, ASH_STRING_ATTR("name", from->code->custom));
  put(c, ASH_STRING_ATTR("options", hex));
  return ASH_OK;
}

/* The number of elements is a constant input. */
static ash_status read_top_k(call *c) {
  const ash_tensor *k = ash_op_in(c->r->g, &c->op, 1);
  if (!k || !k->data || ash_shape_elements(&k->shape) != 1)
    return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                    at_input(c, 1), "k must be a constant");
  c->op.input_count = 1;
  put_int(c, "k", ash_tensor_int(k, 0));
  put_int(c, "axis", (int64_t)shape_in(c, 0)->rank - 1);
  put_int(c, "largest", 1);
  return ASH_OK;
}

/* ---- layers with state -------------------------------------------------- */

/* Float data with int8 weights? What is absent is refused by the shape rules.
 */
static bool is_hybrid(const call *c, uint32_t weights) {
  const ash_tensor *x = ash_op_in(c->r->g, &c->op, 0);
  const ash_tensor *w = ash_op_in(c->r->g, &c->op, weights);
  return x && w && x->type == ASH_FLOAT32 && w->type == ASH_INT8;
}

/* Such may want rows of int8 with a zero point. */
static void put_asymmetric(call *c, uint32_t weights, uint32_t field) {
  if (is_hybrid(c, weights))
    put_int(c, "asymmetric", ash_fb_bool(&c->options, field, false));
}

static ash_status read_svdf(call *c) {
  ASH_TRY(put_field(c, "rank", 0, 0, 1));
  put_asymmetric(c, 1, 2);
  return put_act(c, 1);
}

static ash_status read_rnn(call *c) {
  put_asymmetric(c, 1, 1);
  return put_act(c, 0);
}

static ash_status read_rnn_sequence(call *c) {
  put_asymmetric(c, 1, 2);
  put_int(c, "time_major", ash_fb_bool(&c->options, 0, false));
  return put_act(c, 1);
}

/* Scale and zero point of the hidden state are those of a tensor that only the
 * operator's list of intermediate ones names. */
static void put_hidden(call *c) {
  const ash_fb_vector all =
      ash_fb_vec(&c->r->ops[c->index].table, OPERATOR_INTERMEDIATES, 4);
  if (all.count < 5)
    return;
  const uint32_t tensor = (uint32_t)ash_fb_at_i32(&all, 4);
  if (tensor >= c->r->tensors.count)
    return;
  const ash_fb_table table = ash_fb_at_table(&c->r->tensors, tensor);
  const ash_fb_table quant = ash_fb_sub(&table, TENSOR_QUANTIZATION);
  const ash_fb_vector scale = ash_fb_vec(&quant, QUANT_SCALE, 4);
  const ash_fb_vector zero = ash_fb_vec(&quant, QUANT_ZERO_POINT, 8);
  if (scale.count == 1)
    put(c, ASH_FLOAT_ATTR("hidden_scale", (double)ash_fb_at_f32(&scale, 0)));
  if (zero.count == 1)
    put_int(c, "hidden_zero", ash_fb_at_i64(&zero, 0));
}

static ash_status read_lstm(call *c) {
  const float cell_clip = ash_fb_f32(&c->options, 1, 0);
  const float proj_clip = ash_fb_f32(&c->options, 2, 0);
  if (!isfinite(cell_clip) || !isfinite(proj_clip))
    return bad_options(c, "a clip, which must be finite,", -1);
  put(c, ASH_FLOAT_ATTR("cell_clip", (double)cell_clip));
  put(c, ASH_FLOAT_ATTR("proj_clip", (double)proj_clip));
  put_int(c, "time_major", ash_fb_bool(&c->options, 3, false));
  if (ash_op_out(c->r->g, &c->op, 0)->type == ASH_INT8)
    put_hidden(c);
  if (ash_op_in(c->r->g, &c->op, 2))
    put_asymmetric(c, 2, 4);
  return put_act(c, 0);
}

static ash_status read_softmax(call *c) {
  const float beta = ash_fb_f32(&c->options, 0, 0);
  if (!isfinite(beta))
    return bad_options(c, "beta, which must be finite,", -1);
  put(c, ASH_FLOAT_ATTR("beta", (double)beta));
  return ASH_OK;
}

static ash_status read_leaky_relu(call *c) {
  const float alpha = ash_fb_f32(&c->options, 0, 0);
  if (!isfinite(alpha))
    return bad_options(c, "alpha, which must be finite,", -1);
  put(c, ASH_FLOAT_ATTR("alpha", (double)alpha));
  return ASH_OK;
}

static ash_status read_gelu(call *c) {
  put_int(c, "approximate", ash_fb_bool(&c->options, 0, false));
  return ASH_OK;
}

static ash_status read_mirror_pad(call *c) {
  const uint32_t mode = ash_fb_u8(&c->options, 0, 0);
  if (mode > 1)
    return bad_options(c, "the mode's number", mode);
  put(c, ASH_STRING_ATTR("mode", mode ? "symmetric" : "reflect"));
  return ASH_OK;
}

/* Paddings are those of the convolution from the output to the input; the
 * output's shape is declared, the tensor that repeats it is left out. */
static ash_status read_transpose_conv(call *c) {
  const uint32_t padding = ash_fb_u8(&c->options, 0, 0);
  const ash_shape *out = &ash_op_out(c->r->g, &c->op, 0)->shape;
  ASH_TRY(put_strides(c));
  ASH_TRY(need_rank(c, 1, 4));
  if (padding > 1 || out->rank != 4)
    return bad_options(c, "the padding's number", padding);
  const ash_shape *filter = shape_in(c, 1);
  put_pads(c, padding == 0, "pad_top", "pad_bottom", out->dim[1],
           filter->dim[1], got(c, "stride_h"));
  put_pads(c, padding == 0, "pad_left", "pad_right", out->dim[2],
           filter->dim[2], got(c, "stride_w"));
  return put_act(c, 3);
}

static ash_status read_reducer(call *c) {
  put_int(c, "keep_dims", ash_fb_bool(&c->options, 0, false));
  return ASH_OK;
}

static ash_status read_concatenation(call *c) {
  const int32_t rank = (int32_t)shape_in(c, 0)->rank;
  const int32_t axis = ash_fb_i32(&c->options, 0, 0);
  if (axis < -rank || axis >= rank)
    return bad_options(c, "the axis", axis);
  put_int(c, "axis", axis < 0 ? axis + rank : axis);
  return put_act(c, 1);
}

/* The new shape as the file asks for it, from a constant second input or from
 * the options. False when it is computed as the model runs, or not given. */
static bool wanted_shape(const call *c, int64_t *wanted, uint64_t *count) {
  const ash_tensor *given = ash_op_in(c->r->g, &c->op, 1);
  const ash_fb_vector option = ash_fb_vec(&c->options, 0, 4);
  *count = option.count;
  for (uint32_t i = 0; i < option.count && i < ASH_RANK_MAX; i++)
    wanted[i] = ash_fb_at_i32(&option, i);
  if (!given)
    return option.count > 0;
  if (given->kind != ASH_TENSOR_CONSTANT)
    return false;
  *count = ash_shape_elements(&given->shape);
  for (uint32_t i = 0; i < *count && i < ASH_RANK_MAX; i++)
    wanted[i] = ash_tensor_int(given, i);
  return true;
}

/* -1 stands for whatever is left. */
static bool shape_agrees(const ash_shape *out, const int64_t *wanted,
                         uint64_t count) {
  bool agrees = count == out->rank;
  for (uint32_t i = 0; agrees && i < out->rank; i++)
    agrees = wanted[i] == -1 || wanted[i] == out->dim[i];
  return agrees;
}

/* The graph takes the declared shape of the output, so both must agree. */
static ash_status read_reshape(call *c) {
  int64_t wanted[ASH_RANK_MAX] = {0};
  uint64_t count;
  const ash_tensor *items = c->r->g->tensors.items;
  if (!wanted_shape(c, wanted, &count) ||
      shape_agrees(&items[c->op.outputs[0]].shape, wanted, count))
    return ASH_OK;
  return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_options, at_output(c, 0),
                  "the new shape is not the shape of the output");
}

/* ---- the operators ----------------------------------------------------- */

/* How an operator is read. The language of `types` is in tflite_types.c. */
typedef struct rule {
  int32_t code; /* TFLite's builtin operator */
  ash_op_kind kind;
  int32_t version_max;
  uint32_t options; /* their number in the format's union; 0: not read */
  ash_status (*read)(call *c);
  bool quantised; /* narrow integers need scale and zero point */
  const char *types;
} rule;

#define CONV_TYPES    "fff>f fbf>f bbi>b hbl>h hbi>h uui>u"
#define MATH_TYPES    "ff>f bb>b hh>h uu>u ii>i ll>l"
#define REDUCE_TYPES  "fi>f bi>b ui>u hi>h ii>i li>l"
#define COMPARE_TYPES "ff>o bb>o uu>o hh>o ii>o ll>o"
#define UNARY_TYPES   "f>f b>b u>u h>h"
#define QUANT_TYPES                                                            \
  "f>b f>u f>h h>b h>h h>i i>b i>h b>b b>u b>h b>i u>b u>u u>h"

/* Plain options, "axis:i0 offset:b5": attribute, kind, option's field; and the
 * order of the file's inputs where the data does not come first. */
static const struct detail {
  ash_op_kind kind;
  const char *fields, *order;
} details[] = {
    {ASH_OP_depth_to_space, "block:i0", NULL},
    {ASH_OP_space_to_depth, "block:i0", NULL},
    {ASH_OP_gather, "axis:i0 batch_dims:i1", NULL},
    {ASH_OP_strided_slice,
     "begin_mask:i0 end_mask:i1 ellipsis_mask:i2 new_axis_mask:i3 "
     "shrink_axis_mask:i4 offset:b5",
     NULL},
    {ASH_OP_split, "", "10"},
    {ASH_OP_transpose_conv, "", "213"},
    {ASH_OP_resize_bilinear, "align_corners:b2 half_pixel_centers:b3", NULL},
    {ASH_OP_resize_nearest_neighbor, "align_corners:b0 half_pixel_centers:b1",
     NULL},
    {ASH_OP_batch_matmul, "adj_x:b0 adj_y:b1", NULL},
    {ASH_OP_cumsum, "exclusive:b0 reverse:b1", NULL},
    {ASH_OP_pack, "axis:i1", NULL},
    {ASH_OP_unpack, "axis:i1", NULL},
};

static const struct detail *detail_of(ash_op_kind kind) {
  for (size_t i = 0; i < ASH_COUNT_OF(details); i++)
    if (details[i].kind == kind)
      return &details[i];
  return NULL;
}

static ash_status read_fields(call *c) {
  const char *p = detail_of(c->op.kind)->fields;
  while (*p) {
    const char *colon = strchr(p, ':');
    char name[32] = "";
    memcpy(name, p, (size_t)(colon - p));
    const char *kept = ash_zone_string(&c->r->ctx->scratch, name);
    ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
    const uint32_t field = (uint32_t)(colon[2] - '0');
    put_int(c, kept,
            colon[1] == 'b' ? ash_fb_bool(&c->options, field, false)
                            : ash_fb_i32(&c->options, field, 0));
    p = colon[3] ? colon + 4 : colon + 3;
  }
  return ASH_OK;
}

/* The weights [k, n] as [n, k], or as they are; leading axes of 1 go. */
static ash_status turn_weights(call *c, bool turned, uint32_t *out) {
  const ash_tensor w = *ash_op_in(c->r->g, &c->op, 1);
  const uint32_t rank = w.shape.rank;
  const int32_t rows = w.shape.dim[rank - 2], columns = w.shape.dim[rank - 1];
  const size_t n = (size_t)ash_shape_elements(&w.shape);
  int8_t *data = ASH_NEW_ARRAY(&c->r->g->zone, int8_t, n + 1);
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->g->zone));
  ash_tensor t = w;
  t.id = NULL;
  t.shape = (ash_shape){2, {rows, columns}};
  t.data = (const uint8_t *)data;
  t.file_byte = UINT64_MAX;
  for (size_t i = 0; i < n; i++)
    data[i] = ((const int8_t *)w.data)[i];
  for (int32_t y = 0; !turned && y < rows; y++)
    for (int32_t x = 0; x < columns; x++)
      data[(size_t)x * (size_t)rows + (size_t)y] =
          ((const int8_t *)w.data)[(size_t)y * (size_t)columns + (size_t)x];
  if (!turned)
    t.shape = (ash_shape){2, {columns, rows}};
  return ash_graph_add_tensor(c->r->g, out, t);
}

/* Float data by constant int8 weights is a dense layer. */
static ash_status read_dense_product(call *c) {
  const ash_tensor *w = ash_op_in(c->r->g, &c->op, 1);
  const ash_shape *in = shape_in(c, 0);
  const uint32_t rank = w->shape.rank;
  const uint64_t n = rank < 2 ? 0
                              : (uint64_t)w->shape.dim[rank - 2] *
                                    (uint64_t)w->shape.dim[rank - 1];
  if (w->kind != ASH_TENSOR_CONSTANT || !w->data || w->quant.count != 1 ||
      n != ash_shape_elements(&w->shape) || rank > in->rank ||
      ash_fb_bool(&c->options, 0, false))
    return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                    at_input(c, 1),
                    "float data needs one matrix of constant int8 weights with "
                    "one scale");
  ASH_TRY(
      turn_weights(c, ash_fb_bool(&c->options, 1, false), &c->op.inputs[1]));
  c->op.kind = ASH_OP_fully_connected;
  put_int(c, "keep_num_dims", 1);
  put_int(c, "asymmetric", ash_fb_bool(&c->options, 2, false));
  put(c, ASH_STRING_ATTR("act", "none"));
  return ASH_OK;
}

static ash_status read_batch_matmul(call *c) {
  if (is_hybrid(c, 1))
    return read_dense_product(c);
  return read_fields(c);
}

/* int8 rows of EMBEDDING_LOOKUP become float: looked up as they are, then
 * dequantised. */
static ash_status read_lookup(call *c) {
  ash_graph *g = c->r->g;
  if (!ash_op_in(g, &c->op, 0))
    return ASH_OK;
  const ash_tensor table = *ash_op_in(g, &c->op, 0);
  ash_tensor rows = *ash_op_out(g, &c->op, 0);
  uint32_t levels, ignored;
  if (table.type == rows.type)
    return ASH_OK;
  if (table.quant.count != 1)
    return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_tensor_quant,
                    at_input(c, 1), "the table needs one scale");
  rows.id = NULL;
  rows.type = table.type;
  rows.quant = table.quant;
  rows.is_output = false;
  ASH_TRY(ash_graph_add_tensor(g, &levels, rows));
  ash_op gather = c->op;
  gather.id =
      ash_zone_format(&c->r->ctx->scratch, "lookup_%s%u",
                      c->r->prefix ? c->r->prefix : "", (unsigned)c->index);
  gather.outputs = &levels;
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
  ASH_TRY(ash_graph_add_op(g, &ignored, gather));
  c->op.kind = ASH_OP_dequantize;
  c->op.inputs[0] = levels;
  c->op.input_count = 1;
  return ASH_OK;
}

static const rule rules[] = {
    {0, ASH_OP_add, 5, 11, read_sum, true, MATH_TYPES},
    {1, ASH_OP_average_pool_2d, 3, 5, read_pool, true, UNARY_TYPES},
    {2, ASH_OP_concatenation, 5, 10, read_concatenation, true, ".=*>="},
    {3, ASH_OP_conv_2d, 8, 1, read_conv, true, CONV_TYPES},
    {4, ASH_OP_depthwise_conv_2d, 7, 2, read_depthwise, true, CONV_TYPES},
    {6, ASH_OP_dequantize, 6, 0, NULL, true, "b>f u>f h>f n>f e>f"},
    {9, ASH_OP_fully_connected, 13, 8, read_fully_connected, true, CONV_TYPES},
    {14, ASH_OP_logistic, 3, 0, NULL, true, UNARY_TYPES},
    {17, ASH_OP_max_pool_2d, 3, 5, read_pool, true, UNARY_TYPES},
    {18, ASH_OP_mul, 7, 21, read_act, true, MATH_TYPES},
    {19, ASH_OP_relu, 3, 0, NULL, true, UNARY_TYPES},
    {20, ASH_OP_relu_n1_to_1, 3, 0, NULL, true, UNARY_TYPES},
    {21, ASH_OP_relu6, 3, 0, NULL, true, UNARY_TYPES},
    {22, ASH_OP_reshape, 1, 17, read_reshape, false, ".i>="},
    {143, ASH_OP_read_variable, 1, 0, NULL, false, ".>="},
    {144, ASH_OP_assign_variable, 1, 0, NULL, false, ".>="},
    {25, ASH_OP_softmax, 3, 9, read_softmax, true, "f>f b>b b>h u>u u>h h>h"},
    {28, ASH_OP_tanh, 3, 0, NULL, true, UNARY_TYPES},
    {34, ASH_OP_pad, 4, 0, NULL, false, ".i>= .l>="},
    {40, ASH_OP_mean, 3, 27, read_reducer, true, REDUCE_TYPES},
    {60, ASH_OP_pad, 4, 0, NULL, false, ".i=>= .l=>="},
    {114, ASH_OP_quantize, 4, 0, NULL, true, QUANT_TYPES},
    {41, ASH_OP_sub, 5, 28, read_sum, true, MATH_TYPES},
    {42, ASH_OP_div, 2, 29, read_act, true, "ff>f bb>b hh>h uu>u ii>i"},
    {54, ASH_OP_prelu, 1, 0, NULL, true, "ff>f bb>b uu>u"},
    {55, ASH_OP_maximum, 4, 0, NULL, true, MATH_TYPES},
    {57, ASH_OP_minimum, 4, 0, NULL, true, MATH_TYPES},
    {58, ASH_OP_less, 3, 0, NULL, true, COMPARE_TYPES},
    {61, ASH_OP_greater, 2, 0, NULL, true, COMPARE_TYPES},
    {62, ASH_OP_greater_equal, 3, 0, NULL, true, COMPARE_TYPES},
    {63, ASH_OP_less_equal, 2, 0, NULL, true, COMPARE_TYPES},
    {71, ASH_OP_equal, 5, 0, NULL, true, COMPARE_TYPES " oo>o"},
    {72, ASH_OP_not_equal, 4, 0, NULL, true, COMPARE_TYPES " oo>o"},
    {78, ASH_OP_pow, 1, 0, NULL, false, "ff>f ii>i"},
    {84, ASH_OP_logical_or, 1, 0, NULL, false, "oo>o"},
    {86, ASH_OP_logical_and, 1, 0, NULL, false, "oo>o"},
    {87, ASH_OP_logical_not, 1, 0, NULL, false, "o>o"},
    {90, ASH_OP_floor_div, 3, 0, NULL, false, "ff>f ii>i"},
    {95, ASH_OP_floor_mod, 2, 0, NULL, false, "ff>f ii>i ll>l"},
    {8, ASH_OP_floor, 1, 0, NULL, false, "f>f"},
    {11, ASH_OP_l2_normalization, 2, 12, read_act, true, "f>f b>b u>u"},
    {47, ASH_OP_exp, 2, 0, NULL, true, "f>f b>b h>h"},
    {50, ASH_OP_log_softmax, 2, 0, NULL, true, "f>f b>b u>u"},
    {59, ASH_OP_neg, 1, 0, NULL, false, "f>f b>b h>h i>i l>l"},
    {66, ASH_OP_sin, 1, 0, NULL, false, "f>f"},
    {73, ASH_OP_log, 2, 0, NULL, true, "f>f b>b h>h"},
    {75, ASH_OP_sqrt, 2, 0, NULL, true, "f>f b>b h>h"},
    {76, ASH_OP_rsqrt, 3, 0, NULL, true, "f>f b>b h>h"},
    {92, ASH_OP_square, 1, 0, NULL, false, "f>f"},
    {98, ASH_OP_leaky_relu, 2, 75, read_leaky_relu, true, UNARY_TYPES},
    {101, ASH_OP_abs, 3, 0, NULL, true, "f>f b>b h>h i>i"},
    {104, ASH_OP_ceil, 1, 0, NULL, false, "f>f"},
    {108, ASH_OP_cos, 1, 0, NULL, false, "f>f"},
    {111, ASH_OP_elu, 1, 0, NULL, true, "f>f b>b"},
    {116, ASH_OP_round, 1, 0, NULL, false, "f>f"},
    {117, ASH_OP_hard_swish, 1, 0, NULL, true, "f>f b>b u>u"},
    {150, ASH_OP_gelu, 2, 116, read_gelu, true, "f>f b>b u>u h>h"},
    {152, ASH_OP_relu_0_to_1, 1, 0, NULL, true, UNARY_TYPES},
    {158, ASH_OP_sign, 2, 0, NULL, false, "f>f i>i"},
    {5, ASH_OP_depth_to_space, 1, 94, read_fields, false, ".>="},
    {26, ASH_OP_space_to_depth, 2, 19, read_fields, false, ".>="},
    {36, ASH_OP_gather, 8, 23, read_fields, false, ".i>= .l>="},
    {37, ASH_OP_batch_to_space_nd, 4, 0, NULL, false, ".ii>="},
    {38, ASH_OP_space_to_batch_nd, 4, 0, NULL, false, ".ii>="},
    {39, ASH_OP_transpose, 8, 0, NULL, false, ".i>="},
    {43, ASH_OP_squeeze, 2, 0, NULL, false, ".>="},
    {45, ASH_OP_strided_slice, 8, 32, read_fields, false, ".iii>="},
    {49, ASH_OP_split, 5, 0, NULL, false, ".i>=*"},
    {53, ASH_OP_cast, 9, 0, NULL, false, ".>."},
    {64, ASH_OP_select, 4, 0, NULL, false, "o..>."},
    {65, ASH_OP_slice, 8, 0, NULL, false, ".ii>= .ll>="},
    {69, ASH_OP_tile, 3, 0, NULL, false, ".i>= .l>="},
    {70, ASH_OP_expand_dims, 1, 0, NULL, false, ".i>= .l>="},
    {77, ASH_OP_shape, 1, 0, NULL, false, ".>i .>l"},
    {83, ASH_OP_pack, 5, 59, read_fields, false, ".=*>="},
    {88, ASH_OP_unpack, 6, 64, read_fields, false, ".>=*"},
    {94, ASH_OP_fill, 5, 0, NULL, false, "i.>. l.>."},
    {100, ASH_OP_mirror_pad, 3, 77, read_mirror_pad, false, ".i>= .l>="},
    {102, ASH_OP_split_v, 3, 0, NULL, false, ".ii>=* .li>=*"},
    {105, ASH_OP_reverse, 4, 0, NULL, false, ".i>="},
    {107, ASH_OP_gather_nd, 6, 0, NULL, false, ".i>= .l>="},
    {123, ASH_OP_select_v2, 2, 0, NULL, false, "o..>."},
    {130, ASH_OP_broadcast_to, 4, 0, NULL, false, ".i>= .l>="},
    {23, ASH_OP_resize_bilinear, 4, 15, read_fields, false,
     "fi>f bi>b ui>u hi>h"},
    {56, ASH_OP_arg_max, 4, 0, NULL, false, ".i>i .i>l .l>i .l>l"},
    {67, ASH_OP_transpose_conv, 5, 49, read_transpose_conv, true, CONV_TYPES},
    {74, ASH_OP_sum, 2, 27, read_reducer, true, REDUCE_TYPES},
    {79, ASH_OP_arg_min, 4, 0, NULL, false, ".i>i .i>l .l>i .l>l"},
    {81, ASH_OP_reduce_prod, 2, 27, read_reducer, true, "fi>f ii>i li>l"},
    {82, ASH_OP_reduce_max, 3, 27, read_reducer, true, REDUCE_TYPES},
    {89, ASH_OP_reduce_min, 3, 27, read_reducer, true, REDUCE_TYPES},
    {91, ASH_OP_reduce_any, 1, 27, read_reducer, false, "oi>o"},
    {97, ASH_OP_resize_nearest_neighbor, 4, 74, read_fields, false, ".i>="},
    {126, ASH_OP_batch_matmul, 4, 101, read_batch_matmul, true,
     "ff>f fb>f bb>b hh>h hb>h"},
    {128, ASH_OP_cumsum, 1, 102, read_fields, false, "fi>f ii>i li>l"},
    {140, ASH_OP_reduce_all, 1, 27, read_reducer, false, "oi>o"},
    {7, ASH_OP_gather, 3, 0, read_lookup, false, ".i>= bi>f"},
    {32, ASH_OP_custom, 1, 0, read_custom, false, ".*>.*"},
    {48, ASH_OP_top_k, 3, 0, read_top_k, false, ".i>=i .l>=i .i>=l"},
    {131, ASH_OP_rfft2d, 1, 0, NULL, false, "fi>c"},
    {133, ASH_OP_imag, 1, 0, NULL, false, "c>f"},
    {134, ASH_OP_real, 1, 0, NULL, false, "c>f"},
    {135, ASH_OP_complex_abs, 1, 0, NULL, false, "c>f"},
    {24, ASH_OP_rnn, 3, 7, read_rnn, true, "fffff>f fbbff>f"},
    {27, ASH_OP_svdf, 4, 6, read_svdf, true, "fffff>f fbbff>f bbhih>b bbbib>b"},
    {35, ASH_OP_rnn, 3, 31, read_rnn_sequence, true, "fffff>f fbbff>f"},
    {44, ASH_OP_lstm, 4, 71, read_lstm, true,
     "ffffffffffffffffffffffff>f bbbbbbbbbhhhiiiibibhhhhh>b "
     "hbbbbbbbbhhhllllblhhhhhh>h fbbbbbbbbbbbffffbfffffff>f"},
    {99, ASH_OP_squared_difference, 2, 0, NULL, true, "ff>f bb>b ii>i"},
};

static const rule *find_rule(int32_t code) {
  for (size_t i = 0; i < ASH_COUNT_OF(rules); i++)
    if (rules[i].code == code)
      return &rules[i];
  return NULL;
}

ash_loc ash_tflite_at_op(const ash_tflite *r, uint32_t op) {
  ash_loc at = ASH_NOWHERE;
  const ash_tflite_code *code = r->ops[op].code;
  const rule *known = find_rule(code->builtin);
  at.file = r->file;
  at.op = op;
  at.op_kind = known ? ash_op_kind_text(known->kind)
                     : ash_tflite_builtin_name(code->builtin);
  return at;
}

/* ---- is it known? ------------------------------------------------------ */

enum { CUSTOM = 32, CUSTOM_SHOWN = 200 };

static bool same_code(const ash_tflite_code *a, const ash_tflite_code *b) {
  const char *custom_a = a->custom ? a->custom : "";
  const char *custom_b = b->custom ? b->custom : "";
  return a->builtin == b->builtin && a->version == b->version &&
         strncmp(custom_a, custom_b, CUSTOM_SHOWN) == 0;
}

/* Converters may list a code once for each use. Later twins hand their uses to
 * the first, so that one operator is one message. */
static void merge_twins(ash_tflite *r, uint32_t first) {
  for (uint32_t i = first + 1; i < r->code_count; i++)
    if (same_code(&r->codes[first], &r->codes[i])) {
      r->codes[first].uses += r->codes[i].uses;
      r->codes[i].uses = 0;
    }
}

static ash_status refuse_custom(ash_tflite *r, const ash_tflite_code *code) {
  const char *name = code->custom ? code->custom : "";
  const ash_status status =
      ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_op_custom,
               ash_tflite_at_op(r, code->first_use),
               "custom operator '%.200s' is not supported (uses: %u)", name,
               (unsigned)code->uses);
  if (strcmp(name, "ethos-u") == 0)
    ash_hint(r->ctx, "Vela compiled this model for an Ethos-U; give the model "
                     "as it was before Vela");
  else if (strncmp(name, "Flex", 4) == 0)
    ash_hint(r->ctx, "convert the model with TFLite builtin operators only");
  else
    ash_hint(r->ctx,
             "--custom %.200s makes it a call of a function that you "
             "supply",
             name);
  return status;
}

/* Did the user promise to supply it? */
static bool is_supplied(const ash_tflite *r, const char *name) {
  for (size_t i = 0; name && r->options && i < r->options->custom_count; i++)
    if (strcmp(r->options->customs[i], name) == 0)
      return true;
  return false;
}

static ash_status check_code(ash_tflite *r, const ash_tflite_code *code) {
  const ash_loc at = ash_tflite_at_op(r, code->first_use);
  const rule *known = find_rule(code->builtin);
  const char *name = ash_tflite_builtin_name(code->builtin);
  if (code->builtin == CUSTOM)
    return is_supplied(r, code->custom) ? ASH_OK : refuse_custom(r, code);
  if (ash_tflite_makes_handles(code->builtin))
    return ASH_OK;
  if (ash_tflite_is_flow(code->builtin))
    return ASH_OK;
  if (r->depth > 0 && ash_tflite_makes_handles(code->builtin))
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_op_unsupported, at,
                    "%s inside IF or WHILE is not supported",
                    name ? name : "?");
  if (!known)
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_op_unsupported, at,
                    "TFLite operator %d, %s, is not supported (uses: %u)",
                    (int)code->builtin, name ? name : "of unknown name",
                    (unsigned)code->uses);
  if (code->version < 1 || code->version > known->version_max)
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_op_version, at,
                    "version %d of %s is not supported (known: 1 to %d)",
                    (int)code->version, name ? name : "?",
                    (int)known->version_max);
  return ASH_OK;
}

ash_status ash_tflite_check_codes(ash_tflite *r) {
  ash_status first = ASH_OK;
  for (uint32_t i = 0; i < r->code_count; i++) {
    if (r->codes[i].uses == 0)
      continue;
    merge_twins(r, i);
    const ash_status status = check_code(r, &r->codes[i]);
    first = first == ASH_OK ? status : first;
  }
  return first;
}

/* ---- types ------------------------------------------------------------- */

static ash_status check_types(const call *c) {
  const ash_graph *g = c->r->g;
  if (ash_tflite_types_match(g, &c->op, c->rule->types))
    return ASH_OK;
  const ash_tensor *in = ash_op_in(g, &c->op, 0);
  const ash_tensor *out = ash_op_out(g, &c->op, 0);
  char inputs[80];
  const ash_status status =
      ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_op_types, at_output(c, 0),
               "inputs of types (%s) with an output of %s are not supported",
               ash_tflite_types_text(inputs, sizeof inputs, g, &c->op),
               ash_type_text(out->type));
  if (in && in->type == ASH_FLOAT32 && c->op.input_count > 1)
    ash_hint(c->r->ctx, "this is dynamic-range quantisation; quantise the "
                        "activations too (full integer) or keep the weights "
                        "float");
  return status;
}

static ash_status check_quant(const call *c, const uint32_t *tensors,
                              uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (tensors[i] == ASH_NO_ID)
      continue;
    const uint32_t in_graph = c->r->uses[tensors[i]].graph;
    const ash_tensor *t = &c->r->g->tensors.items[in_graph];
    const bool narrow = t->type == ASH_INT8 || t->type == ASH_UINT8 ||
                        t->type == ASH_INT16 || t->type == ASH_INT4;
    if (narrow && t->quant.count == 0)
      return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_tensor_quant,
                      at_tensor(c, tensors[i]),
                      "the %s tensor has no quantisation parameters",
                      ash_type_text(t->type));
  }
  return ASH_OK;
}

/* ---- adding ------------------------------------------------------------ */

static ash_status bad_arity(const call *c, const char *what, uint32_t count) {
  return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_arity,
                  ash_tflite_at_op(c->r, c->index), "%s: %u", what,
                  (unsigned)count);
}

static ash_status check_arity(const call *c) {
  const ash_op_info *info = ash_op_info_of(c->rule->kind);
  /* What PADV2 adds to PAD is not optional. */
  const uint32_t least = c->rule->code == 60 ? 3 : info->inputs_min;
  const ash_op *op = &c->op;
  if (op->input_count < least ||
      op->input_count > ash_tflite_types_inputs_max(c->rule->types))
    return bad_arity(c, "a wrong number of inputs", op->input_count);
  if (info->outputs ? op->output_count != info->outputs : op->output_count == 0)
    return bad_arity(c, "a wrong number of outputs", op->output_count);
  for (uint32_t i = 0; i < least && !(info->flags & ASH_OP_STATE); i++)
    if (op->inputs[i] == ASH_NO_ID)
      return bad_arity(c, "a required input is absent", i);
  return ASH_OK;
}

static ash_status open_options(call *c) {
  const ash_fb_table *table = &c->r->ops[c->index].table;
  const uint32_t type = ash_fb_u8(table, OPERATOR_OPTIONS_TYPE, 0);
  c->options = (ash_fb_table){.fb = &c->r->fb};
  if (c->rule->options == 0 || type == 0)
    return ASH_OK;
  if (type != c->rule->options)
    return bad_options(c,
                       "the number of the options' table, which belongs to "
                       "another operator,",
                       type);
  c->options = ash_fb_sub(table, OPERATOR_OPTIONS);
  return ASH_OK;
}

/* The file's place of input i. */
static uint32_t place_of(ash_op_kind kind, uint32_t i) {
  const struct detail *d = detail_of(kind);
  if (!d || !d->order || i >= strlen(d->order))
    return i;
  return (uint32_t)(d->order[i] - '0');
}

/* The file has handle and value as inputs; the graph has the variable as the
 * output. Their number was checked (tflite_variable.c). */
static void turn_assignment(call *c, const ash_tflite_op *from) {
  c->op.inputs[0] = c->r->uses[from->inputs[1]].graph;
  c->op.outputs[0] = c->r->uses[from->inputs[0]].graph;
  c->op.input_count = c->op.output_count = 1;
}

/* An order also says how many of the file's inputs are kept. */
static void drop_unlisted(call *c) {
  const struct detail *d = detail_of(c->rule->kind);
  if (d && d->order && c->op.input_count > strlen(d->order))
    c->op.input_count = (uint32_t)strlen(d->order);
}

/* EMBEDDING_LOOKUP is a gather with the indices first. */
static void swap_lookup(call *c) {
  if (c->rule->code != 7 || c->op.input_count != 2)
    return;
  const uint32_t first = c->op.inputs[0];
  c->op.inputs[0] = c->op.inputs[1];
  c->op.inputs[1] = first;
}

static ash_status translate(call *c) {
  const ash_tflite_op *from = &c->r->ops[c->index];
  ash_zone *scratch = &c->r->ctx->scratch;
  c->op = (ash_op){.kind = c->rule->kind,
                   .source_index = c->index,
                   .input_count = from->input_count,
                   .output_count = from->output_count,
                   .attrs = c->attrs};
  c->op.inputs =
      ASH_NEW_ARRAY(scratch, uint32_t, from->input_count + LSTM_INPUTS);
  c->op.outputs = ASH_NEW_ARRAY(scratch, uint32_t, from->output_count + 1u);
  ASH_TRY(ash_zone_check(c->r->ctx, scratch));
  if (c->rule->kind == ASH_OP_assign_variable) {
    turn_assignment(c, from);
    return ASH_OK;
  }
  for (uint32_t i = 0; i < from->input_count; i++) {
    const uint32_t k = place_of(c->rule->kind, i);
    c->op.inputs[i] = k >= from->input_count || from->inputs[k] == ASH_NO_ID
                          ? ASH_NO_ID
                          : c->r->uses[from->inputs[k]].graph;
  }
  drop_unlisted(c);
  swap_lookup(c);
  while (c->rule->kind == ASH_OP_lstm && c->op.input_count >= 20 &&
         c->op.input_count < LSTM_INPUTS) /* no layer normalisation */
    c->op.inputs[c->op.input_count++] = ASH_NO_ID;
  for (uint32_t i = 0; i < from->output_count; i++)
    c->op.outputs[i] = c->r->uses[from->outputs[i]].graph;
  return ASH_OK;
}

static ash_status check_tensors(const call *c) {
  const ash_tflite_op *from = &c->r->ops[c->index];
  ASH_TRY(check_arity(c));
  ASH_TRY(check_types(c));
  if (!c->rule->quantised)
    return ASH_OK;
  ASH_TRY(check_quant(c, from->inputs, from->input_count));
  return check_quant(c, from->outputs, from->output_count);
}

static ash_status read_op(call *c) {
  uint32_t ignored;
  ASH_TRY(translate(c));
  ASH_TRY(check_tensors(c));
  ASH_TRY(open_options(c));
  if (c->rule->read)
    ASH_TRY(c->rule->read(c));
  ASH_TRY(ash_fb_check(c->r->ctx, &c->r->fb, c->r->file));
  if (c->r->prefix) {
    c->op.id = ash_zone_format(&c->r->ctx->scratch, "%s_%s%u",
                               ash_op_kind_text(c->op.kind), c->r->prefix,
                               (unsigned)c->index);
    ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
  }
  return ash_graph_add_op(c->r->g, &ignored, c->op);
}

/* DEQUANTIZE of float16 weights: they become float32 here, once. */
static bool is_widening(const ash_tflite *r, const ash_tflite_op *op) {
  if (op->code->builtin != 6 || op->input_count != 1 || op->output_count != 1 ||
      op->inputs[0] == ASH_NO_ID || r->uses[op->inputs[0]].graph == ASH_NO_ID)
    return false;
  const ash_tensor *items = r->g->tensors.items;
  const ash_tensor *in = &items[r->uses[op->inputs[0]].graph];
  const ash_tensor *out = &items[r->uses[op->outputs[0]].graph];
  return in->type == ASH_FLOAT16 && in->data && out->type == ASH_FLOAT32 &&
         ash_shape_equal(&in->shape, &out->shape);
}

/* The bits of a float32 with the value of a float16. */
static uint32_t widen_half(uint32_t half) {
  const uint32_t sign = (half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 31, part = half & 1023;
  if (exponent == 31)
    return sign | 0x7f800000 | part << 13;
  if (exponent == 0) {
    if (part == 0)
      return sign;
    for (exponent = 1; !(part & 1024); exponent--)
      part <<= 1;
    part &= 1023;
  }
  return sign | (exponent + 112) << 23 | part << 13;
}

static ash_status widen(ash_tflite *r, const ash_tflite_op *op) {
  const ash_tensor *in = &r->g->tensors.items[r->uses[op->inputs[0]].graph];
  ash_tensor *out = &r->g->tensors.items[r->uses[op->outputs[0]].graph];
  uint8_t *bytes = ASH_NEW_ARRAY(&r->g->zone, uint8_t, (size_t)out->bytes + 1);
  ASH_TRY(ash_zone_check(r->ctx, &r->g->zone));
  const uint8_t *from = in->data;
  for (uint64_t i = 0; i < in->bytes / 2; i++) {
    const uint32_t low = from[2 * i], high = from[2 * i + 1];
    const uint32_t bits = widen_half(low | high << 8);
    for (uint32_t k = 0; k < 4; k++)
      bytes[4 * i + k] = (uint8_t)(bits >> (8 * k));
  }
  out->data = bytes;
  out->kind = ASH_TENSOR_CONSTANT;
  return ASH_OK;
}

ash_status ash_tflite_add_op(ash_tflite *r, uint32_t op) {
  if (is_widening(r, &r->ops[op]))
    return widen(r, &r->ops[op]);
  call c = {.r = r, .rule = find_rule(r->ops[op].code->builtin), .index = op};
  const ash_mark mark = ash_zone_mark(&r->ctx->scratch);
  const ash_status status = read_op(&c);
  ash_zone_rewind(&r->ctx->scratch, mark);
  return status;
}
