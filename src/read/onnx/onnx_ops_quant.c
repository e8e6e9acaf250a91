/* onnx_ops_quant.c - quantisation: between numbers and codes (quantised
 * values), and operators on codes, spelled out in exact arithmetic. */
#include "read/onnx/onnx_import.h"

#include <string.h>

/* A list along `axis` of tensors like `x`; a single number as it is. */
static uint32_t along(ash_ox *m, uint32_t v, uint32_t x, int64_t axis) {
  const uint32_t rank = ash_ox_rank(m, x);
  const int64_t block = ash_ox_int(m, "block_size", 0);
  if (block != 0)
    return ash_ox_spread_blocks(m, v, x, axis, block);
  ash_shape s = {.rank = rank};
  if (ash_ox_rank(m, v) != 1 || ash_ox_dim(m, v, 0) == 1)
    return ash_ox_rank(m, v) == 1 ? ash_ox_reshape(m, v, (ash_shape){0}) : v;
  const uint32_t at = ash_ox_axis(m, axis, rank);
  for (uint32_t i = 0; i < rank; i++)
    s.dim[i] = i == at ? ash_ox_dim(m, v, 0) : 1;
  return ash_ox_reshape(m, v, s);
}

static void limits(ash_type type, double *low, double *high) {
  const uint32_t bits = ash_type_bits(type);
  const bool is_signed =
      type == ASH_INT8 || type == ASH_INT16 || type == ASH_INT32;
  const double codes = (double)((uint64_t)1 << bits);
  *low = is_signed ? -codes / 2 : 0;
  *high = is_signed ? codes / 2 - 1 : codes - 1;
}

static bool is_level(ash_type t) {
  return t == ASH_INT8 || t == ASH_UINT8 || t == ASH_INT16 || t == ASH_UINT16;
}

/* round(x / scale) + zero, cut to the type. */
static uint32_t quantise(ash_ox *m, uint32_t x, uint32_t scale, uint32_t zero,
                         ash_type type, int64_t axis) {
  double low, high;
  if (!is_level(type)) {
    ash_ox_refuse(m, "this type of quantised values");
    return ASH_NO_ID;
  }
  limits(type, &low, &high);
  uint32_t y = ash_ox_map1(
      m, ASH_FN_round, ash_ox_map2(m, ASH_FN_div, x, along(m, scale, x, axis)));
  if (zero != ASH_NO_ID)
    y = ash_ox_map2(m, ASH_FN_add, y,
                    ash_ox_cast(m, along(m, zero, x, axis), ash_ox_type(m, y)));
  const ash_type real = ash_ox_type(m, y);
  y = ash_ox_map3(m, ASH_FN_clip, y, ash_ox_scalar(m, real, low),
                  ash_ox_scalar(m, real, high));
  return ash_ox_cast(m, y, type);
}

static void read_quantize(ash_ox *m) {
  const uint32_t x = ash_ox_cast(m, ash_ox_in(m, 0), ASH_FLOAT32);
  const uint32_t zero = ash_ox_in_or(m, 2, ASH_NO_ID);
  const ash_type type = zero == ASH_NO_ID ? ASH_UINT8 : ash_ox_type(m, zero);
  if (!is_level(type))
    ash_ox_refuse(m, "this type or form of quantisation");
  ash_ox_out(
      m, 0,
      quantise(m, x, ash_ox_in(m, 1), zero, type, ash_ox_int(m, "axis", 1)));
}

static uint32_t centred(ash_ox *m, uint32_t x, uint32_t zero, int64_t axis) {
  const uint32_t y = ash_ox_cast(m, x, ASH_INT32);
  if (zero == ASH_NO_ID)
    return y;
  return ash_ox_map2(m, ASH_FN_sub, y,
                     ash_ox_cast(m, along(m, zero, x, axis), ASH_INT32));
}

static void read_dequantize(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), scale = ash_ox_in(m, 1);
  const int64_t axis = ash_ox_int(m, "axis", 1);
  if (ash_ox_is_float(m, x))
    ash_ox_refuse(m, "this type or form of quantisation");
  const uint32_t y = ash_ox_cast(
      m, centred(m, x, ash_ox_in_or(m, 2, ASH_NO_ID), axis), ASH_FLOAT32);
  ash_ox_out(
      m, 0,
      ash_ox_map2(m, ASH_FN_mul, y,
                  along(m, ash_ox_cast(m, scale, ASH_FLOAT32), x, axis)));
}

uint32_t ash_ox_dynamic_codes(ash_ox *m, uint32_t x, uint32_t *scale,
                              uint32_t *zero) {
  const uint32_t axes = (1u << ash_ox_rank(m, x)) - 1;
  const uint32_t low = ash_ox_with(
      m, ASH_FN_minimum, ash_ox_fold(m, ASH_FOLD_MIN, x, axes, false), 0);
  const uint32_t high = ash_ox_with(
      m, ASH_FN_maximum, ash_ox_fold(m, ASH_FOLD_MAX, x, axes, false), 0);
  *scale =
      ash_ox_with(m, ASH_FN_div, ash_ox_map2(m, ASH_FN_sub, high, low), 255);
  uint32_t at = ash_ox_map1(
      m, ASH_FN_round,
      ash_ox_map1(m, ASH_FN_neg, ash_ox_map2(m, ASH_FN_div, low, *scale)));
  at = ash_ox_map3(m, ASH_FN_clip, at, ash_ox_scalar(m, ASH_FLOAT32, 0),
                   ash_ox_scalar(m, ASH_FLOAT32, 255));
  *zero = ash_ox_cast(m, at, ASH_UINT8);
  return quantise(m, x, *scale, *zero, ASH_UINT8, 0);
}

static void read_dynamic_quantize(ash_ox *m) {
  uint32_t scale, zero;
  const uint32_t codes =
      ash_ox_dynamic_codes(m, ash_ox_in(m, 0), &scale, &zero);
  ash_ox_out(m, 0, codes);
  ash_ox_out(m, 1, scale);
  ash_ox_out(m, 2, zero);
}

/* ---- operators on codes --------------------------------------------------
 * They are the float operators between DequantizeLinear and QuantizeLinear,
 * and the qdq pass makes integer operators of that. Where its kernels do not
 * fit (weights that are no int8, scales that are computed), products of codes
 * are summed as they are, in general loops. */

/* (x - zero) * scale of inputs k, k + 1 and k + 2. */
static uint32_t real_of(ash_ox *m, uint32_t k, int64_t axis) {
  const uint32_t x = ash_ox_in(m, k), scale = ash_ox_in(m, k + 1);
  const uint32_t y = ash_ox_cast(
      m, centred(m, x, ash_ox_in_or(m, k + 2, ASH_NO_ID), axis), ASH_FLOAT32);
  return ash_ox_map2(m, ASH_FN_mul, y, along(m, scale, x, axis));
}

/* With scale and zero point of inputs k and k + 1. */
static void put_codes(ash_ox *m, uint32_t y, uint32_t k, ash_type otherwise) {
  const uint32_t zero = ash_ox_in_or(m, k + 1, ASH_NO_ID);
  ash_ox_out(m, 0,
             quantise(m, y, ash_ox_in(m, k), zero,
                      zero == ASH_NO_ID ? otherwise : ash_ox_type(m, zero), 0));
}

static bool is_fixed(const ash_ox *m, uint32_t k) {
  return ash_ox_has(m, k) &&
         ash_ox_is_constant(m, ash_ox_find(m, m->node->inputs[k]));
}

/* Are the weights of input k constant, and int8 without their zero point? */
static bool is_narrow(ash_ox *m, uint32_t k, int64_t axis) {
  if (!is_fixed(m, k) || !is_fixed(m, k + 1) || !is_fixed(m, k + 2))
    return false;
  const uint32_t w = centred(m, ash_ox_in(m, k), ash_ox_in(m, k + 2), axis);
  bool narrow = m->status == ASH_OK && ash_ox_is_constant(m, w);
  for (uint64_t i = 0; narrow && i < ash_shape_elements(ash_ox_shape(m, w));
       i++)
    narrow = ash_ox_value(m, w, i) >= -128 && ash_ox_value(m, w, i) <= 127;
  return narrow;
}

/* Scales and zero points of input and output. */
static bool are_fixed(const ash_ox *m) {
  return is_fixed(m, 1) && is_fixed(m, 2) && is_fixed(m, 6) && is_fixed(m, 7);
}

/* The codes' product, times the ratio of scales, as codes of the output. */
static uint32_t rescale(ash_ox *m, uint32_t sum, uint32_t scales,
                        uint32_t out_scale, uint32_t out_zero) {
  const uint32_t y =
      ash_ox_map2(m, ASH_FN_mul, ash_ox_cast(m, sum, ASH_FLOAT32), scales);
  return quantise(m, y, out_scale, out_zero, ash_ox_type(m, out_zero), 0);
}

static void read_qlinear_matmul(ash_ox *m) {
  const uint32_t a = ash_ox_in(m, 0), b = ash_ox_in(m, 3);
  if (are_fixed(m) && ash_ox_rank(m, b) == 2 && is_narrow(m, 3, -1)) {
    const uint32_t inputs[] = {real_of(m, 0, -2), real_of(m, 3, -1)};
    put_codes(m, ash_ox_run_as(m, "MatMul", inputs, 2), 6, ASH_INT8);
    return;
  }
  const uint32_t sum = ash_ox_matmul(m, centred(m, a, ash_ox_in(m, 2), -2),
                                     centred(m, b, ash_ox_in(m, 5), -1));
  const uint32_t scales =
      ash_ox_map2(m, ASH_FN_mul, along(m, ash_ox_in(m, 1), sum, -2),
                  along(m, ash_ox_in(m, 4), sum, -1));
  ash_ox_out(m, 0, rescale(m, sum, scales, ash_ox_in(m, 6), ash_ox_in(m, 7)));
}

/* A number, however it is written. */
static uint32_t single(ash_ox *m, uint32_t v) {
  return ash_ox_rank(m, v) ? ash_ox_reshape(m, v, (ash_shape){0}) : v;
}

/* The bias has steps of input times weights. */
static uint32_t real_bias(ash_ox *m, uint32_t k) {
  if (!ash_ox_has(m, k))
    return ASH_NO_ID;
  const uint32_t steps =
      ash_ox_map2(m, ASH_FN_mul, single(m, ash_ox_in(m, 1)), ash_ox_in(m, 4));
  return ash_ox_map2(m, ASH_FN_mul,
                     ash_ox_cast(m, ash_ox_in(m, k), ASH_FLOAT32), steps);
}

static void qlinear_layer(ash_ox *m) {
  const uint32_t inputs[] = {real_of(m, 0, 1), real_of(m, 3, 0),
                             real_bias(m, 8)};
  put_codes(m, ash_ox_run_as(m, "Conv", inputs, inputs[2] == ASH_NO_ID ? 2 : 3),
            6, ASH_INT8);
}

static void read_qlinear_conv(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), w = ash_ox_in(m, 3);
  const uint32_t rank = ash_ox_rank(m, x), axes = rank > 2 ? rank - 2 : 0;
  int64_t stride[ASH_RANK_MAX], dilation[ASH_RANK_MAX];
  int64_t pad[2 * ASH_RANK_MAX];
  if (axes == 0) {
    ash_ox_bad(m, "data needs batch, channels and at least one axis more");
    return;
  }
  if (are_fixed(m) && axes <= 2 && is_narrow(m, 3, 0)) {
    qlinear_layer(m);
    return;
  }
  if (!ash_ox_is(m, "auto_pad", "NOTSET", "NOTSET"))
    ash_ox_refuse(m, "automatic padding");
  ash_ox_fill(m, "strides", stride, axes, 1);
  ash_ox_fill(m, "dilations", dilation, axes, 1);
  ash_ox_fill(m, "pads", pad, 2 * axes, 0);
  const uint32_t bias = ash_ox_in_or(m, 8, ASH_NO_ID);
  const uint32_t sum = ash_ox_add_op(
      m,
      &(ash_ox_op){.kind = ASH_OP_conv_nd,
                   .inputs = {centred(m, x, ash_ox_in(m, 2), 1),
                              centred(m, w, ash_ox_in(m, 5), 0), bias},
                   .input_count = bias == ASH_NO_ID ? 2 : 3,
                   .attrs = {ASH_INTS_ATTR("stride", stride, axes),
                             ASH_INTS_ATTR("dilation", dilation, axes),
                             ASH_INTS_ATTR("pad", pad, 2 * axes),
                             ASH_INT_ATTR("groups", ash_ox_int(m, "group", 1))},
                   .attr_count = 4,
                   .type = ASH_INT32});
  const uint32_t scales = ash_ox_map2(m, ASH_FN_mul, ash_ox_in(m, 1),
                                      along(m, ash_ox_in(m, 4), sum, 1));
  ash_ox_out(m, 0, rescale(m, sum, scales, ash_ox_in(m, 6), ash_ox_in(m, 7)));
}

/* ---- those that ONNX Runtime adds --------------------------------------- */

/* A, B and a bias of int32; without a scale of the output it is float. */
static void read_qgemm(ash_ox *m) {
  const bool by_rows = ash_ox_int(m, "transB", 0) != 0;
  const uint32_t inputs[] = {real_of(m, 0, 0), real_of(m, 3, by_rows ? 0 : 1),
                             real_bias(m, 6)};
  const double alpha = ash_ox_float(m, "alpha", 1);
  if (alpha != 1 && inputs[2] != ASH_NO_ID)
    ash_ox_refuse(m, "a bias together with alpha");
  const uint32_t y =
      ash_ox_run_as(m, "Gemm", inputs, inputs[2] == ASH_NO_ID ? 2 : 3);
  if (ash_ox_has(m, 7))
    put_codes(m, y, 7, ash_ox_type(m, ash_ox_in(m, 0)));
  else
    ash_ox_out(m, 0, y);
}

/* Two operands with their scales and zero points, then those of the output. */
static void pair_of_codes(ash_ox *m, const char *type) {
  const uint32_t inputs[] = {real_of(m, 0, 0), real_of(m, 3, 0)};
  put_codes(m, ash_ox_run_as(m, type, inputs, 2), 6,
            ash_ox_type(m, ash_ox_in(m, 0)));
}

static void read_qlinear_add(ash_ox *m) {
  pair_of_codes(m, "Add");
}
static void read_qlinear_mul(ash_ox *m) {
  pair_of_codes(m, "Mul");
}

/* One operand, its scale and zero point, then those of the output. */
static void function_of_codes(ash_ox *m, const char *type) {
  const bool last = ash_ox_int(m, "channels_last", 0) != 0;
  const uint32_t real = real_of(m, 0, 0);
  const uint32_t x = last ? ash_ox_channels_first(m, real) : real;
  const uint32_t y = ash_ox_run_as(m, type, &x, 1);
  put_codes(m, last ? ash_ox_channels_last(m, y) : y, 3,
            ash_ox_type(m, ash_ox_in(m, 0)));
}

static void read_qlinear_pool(ash_ox *m) {
  function_of_codes(m, "AveragePool");
}
static void read_qlinear_global(ash_ox *m) {
  function_of_codes(m, "GlobalAveragePool");
}
static void read_qlinear_sigmoid(ash_ox *m) {
  function_of_codes(m, "Sigmoid");
}
static void read_qlinear_leaky(ash_ox *m) {
  function_of_codes(m, "LeakyRelu");
}
static void read_qlinear_softmax(ash_ox *m) {
  function_of_codes(m, "Softmax");
}
static void read_qlinear_mean(ash_ox *m) {
  function_of_codes(m, "ReduceMean");
}

enum { PARTS_MAX = 64 };

/* Scale and zero point of the output, then three inputs a part. */
static void read_qlinear_concat(ash_ox *m) {
  const uint32_t parts = m->node->input_count / 3;
  uint32_t inputs[PARTS_MAX];
  if (m->node->input_count < 5 || parts > PARTS_MAX) {
    ash_ox_refuse(m, "this number of inputs");
    return;
  }
  for (uint32_t k = 0; k < parts; k++)
    inputs[k] = real_of(m, 2 + 3 * k, 0);
  put_codes(m, ash_ox_run_as(m, "Concat", inputs, parts), 0, ASH_UINT8);
}

/* Condition, two operands, scale and zero point of the output. */
static void read_qlinear_where(ash_ox *m) {
  const uint32_t inputs[] = {ash_ox_in(m, 0), real_of(m, 1, 0),
                             real_of(m, 4, 0)};
  put_codes(m, ash_ox_run_as(m, "Where", inputs, 3), 7, ASH_UINT8);
}

const ash_ox_handler ash_ox_quant[] = {
    {"QuantizeLinear", read_quantize},
    {"DequantizeLinear", read_dequantize},
    {"DynamicQuantizeLinear", read_dynamic_quantize},
    {"QLinearMatMul", read_qlinear_matmul},
    {"QLinearConv", read_qlinear_conv},
    {"QGemm", read_qgemm},
    {"QLinearAdd", read_qlinear_add},
    {"QLinearMul", read_qlinear_mul},
    {"QLinearAveragePool", read_qlinear_pool},
    {"QLinearGlobalAveragePool", read_qlinear_global},
    {"QLinearSigmoid", read_qlinear_sigmoid},
    {"QLinearLeakyRelu", read_qlinear_leaky},
    {"QLinearSoftmax", read_qlinear_softmax},
    {"QLinearReduceMean", read_qlinear_mean},
    {"QLinearConcat", read_qlinear_concat},
    {"QLinearWhere", read_qlinear_where},
    {NULL, NULL},
};
