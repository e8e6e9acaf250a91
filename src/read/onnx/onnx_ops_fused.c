/* onnx_ops_fused.c - operators of com.microsoft that ONNX Runtime's optimiser
 * writes in the place of several: taken apart again, so that kernels, passes
 * and planners know one spelling. Attention is in onnx_ops_attention.c. */
#include "read/onnx/onnx_import.h"

#include <string.h>

/* ---- Gelu after a sum -----------------------------------------------------
 */

static uint32_t biased(ash_ox *m, uint32_t x, uint32_t k) {
  return ash_ox_has(m, k) ? ash_ox_map2(m, ASH_FN_add, x, ash_ox_in(m, k)) : x;
}

static void read_bias_gelu(ash_ox *m) {
  ash_ox_out(m, 0,
             ash_ox_map1(m, ASH_FN_gelu_erf, biased(m, ash_ox_in(m, 0), 1)));
}

static void read_fast_gelu(ash_ox *m) {
  ash_ox_out(m, 0,
             ash_ox_map1(m, ASH_FN_gelu_tanh, biased(m, ash_ox_in(m, 0), 1)));
}

static void read_quick_gelu(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t steep =
      ash_ox_with(m, ASH_FN_mul, x, ash_ox_float(m, "alpha", (double)1.702f));
  ash_ox_out(
      m, 0,
      ash_ox_map2(m, ASH_FN_mul, x, ash_ox_map1(m, ASH_FN_sigmoid, steep)));
}

/* ---- normalisation of sums ----------------------------------------------- */

/* One layer normalisation, as it is spelled in ONNX; RMS: without the mean. */
static uint32_t normalise(ash_ox *m, uint32_t x, uint32_t gamma, uint32_t beta,
                          bool rms) {
  const uint32_t last = 1u << (ash_ox_rank(m, x) - 1);
  const double epsilon = ash_ox_float(m, "epsilon", (double)1e-12f);
  if (!rms)
    x = ash_ox_map2(m, ASH_FN_sub, x,
                    ash_ox_fold(m, ASH_FOLD_MEAN, x, last, true));
  const uint32_t square = ash_ox_fold(
      m, ASH_FOLD_MEAN, ash_ox_map2(m, ASH_FN_mul, x, x), last, true);
  const uint32_t root =
      ash_ox_map1(m, ASH_FN_sqrt, ash_ox_with(m, ASH_FN_add, square, epsilon));
  const uint32_t y =
      ash_ox_map2(m, ASH_FN_mul, ash_ox_map2(m, ASH_FN_div, x, root), gamma);
  return beta == ASH_NO_ID ? y : ash_ox_map2(m, ASH_FN_add, y, beta);
}

static void skip_norm(ash_ox *m, bool rms) {
  const uint32_t bias = rms ? 3 : 4;
  const uint32_t sum = biased(
      m, ash_ox_map2(m, ASH_FN_add, ash_ox_in(m, 0), ash_ox_in(m, 1)), bias);
  if (ash_ox_wants(m, 1) || ash_ox_wants(m, 2))
    ash_ox_refuse(m, "the mean or deviation as an output");
  if (ash_ox_rank(m, sum) == 0)
    ash_ox_bad(m, "the input has no axis");
  if (m->status != ASH_OK)
    return;
  ash_ox_out(m, 3, sum);
  ash_ox_out(m, 0,
             normalise(m, sum, ash_ox_in(m, 2),
                       rms ? ASH_NO_ID : ash_ox_in_or(m, 3, ASH_NO_ID), rms));
}

static void read_skip_norm(ash_ox *m) {
  skip_norm(m, false);
}
static void read_skip_rms_norm(ash_ox *m) {
  skip_norm(m, true);
}

/* Rows of a table, one for each id. */
static uint32_t embedded(ash_ox *m, uint32_t table, uint32_t ids) {
  return ash_ox_gather(m, ash_ox_in(m, table), ids, 0);
}

/* Words, places and segments, summed and normalised; how many ids of each text
 * the mask keeps. */
static void read_embed_norm(ash_ox *m) {
  const uint32_t ids = ash_ox_in(m, 0);
  const ash_shape s = *ash_ox_shape(m, ids);
  if (s.rank != 2 && m->status == ASH_OK)
    ash_ox_bad(m, "ids need a batch and a length");
  const uint32_t places =
      ash_ox_in_or(m, 8, ash_ox_iota(m, ASH_INT32, s.dim[1], 2, 1));
  uint32_t sum =
      ash_ox_map2(m, ASH_FN_add, embedded(m, 2, ids), embedded(m, 3, places));
  if (ash_ox_has(m, 1) && ash_ox_has(m, 4))
    sum = ash_ox_map2(m, ASH_FN_add, sum, embedded(m, 4, ash_ox_in(m, 1)));
  ash_ox_out(m, 2, sum);
  ash_ox_out(m, 0, normalise(m, sum, ash_ox_in(m, 5), ash_ox_in(m, 6), false));
  if (!ash_ox_wants(m, 1))
    return;
  const ash_shape batch = {1, {s.dim[0]}};
  const uint32_t none = ash_ox_constant(m, ASH_INT32, batch, NULL);
  ash_ox_out(
      m, 1,
      ash_ox_has(m, 7)
          ? ash_ox_fold(
                m, ASH_FOLD_SUM,
                ash_ox_cast(m, ash_ox_with(m, ASH_FN_equal, ash_ox_in(m, 7), 1),
                            ASH_INT32),
                2, false)
          : none);
}

/* ---- layers with an activation behind them ------------------------------- */

/* The numbers of an activation: of FusedConv in a list, of FusedGemm each with
 * a name. */
static double parameter(ash_ox *m, uint32_t k, double otherwise) {
  static const char *const names[] = {"activation_alpha", "activation_beta"};
  const ash_onnx_attr *list = ash_ox_attr(m, "activation_params");
  if (list && list->kind == ASH_ONNX_FLOATS && k < list->count)
    return (double)list->floats[k];
  return ash_ox_float(m, names[k], otherwise);
}

static uint32_t activated(ash_ox *m, uint32_t y) {
  const ash_type type = ash_ox_type(m, y);
  static const struct {
    const char *name;
    ash_fn fn;
    double first, second;
  } known[] = {
      {"Relu", ASH_FN_relu, 0, 0},
      {"Tanh", ASH_FN_tanh, 0, 0},
      {"Sigmoid", ASH_FN_logistic, 0, 0},
      {"LeakyRelu", ASH_FN_prelu, (double)0.01f, 0},
      {"Clip", ASH_FN_clip, -3.402823466385288598e38, 3.402823466385288598e38},
      {"HardSigmoid", ASH_FN_hard_sigmoid, (double)0.2f, 0.5},
  };
  if (!ash_ox_attr(m, "activation"))
    return y;
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++) {
    if (!ash_ox_is(m, "activation", known[i].name, ""))
      continue;
    const uint32_t n = ash_fn_operands(known[i].fn);
    const uint32_t a =
        n > 1 ? ash_ox_scalar(m, type, parameter(m, 0, known[i].first)) : y;
    const uint32_t b =
        n > 2 ? ash_ox_scalar(m, type, parameter(m, 1, known[i].second)) : y;
    return n == 1   ? ash_ox_map1(m, known[i].fn, y)
           : n == 2 ? ash_ox_map2(m, known[i].fn, y, a)
                    : ash_ox_map3(m, known[i].fn, y, a, b);
  }
  ash_ox_refuse(m, "this activation");
  return y;
}

/* The fourth input is added before the activation. */
static void read_fused_conv(ash_ox *m) {
  const uint32_t in[] = {ash_ox_in(m, 0), ash_ox_in(m, 1),
                         ash_ox_in_or(m, 2, ASH_NO_ID)};
  const uint32_t y = ash_ox_run_as(m, "Conv", in, in[2] == ASH_NO_ID ? 2 : 3);
  ash_ox_out(m, 0, activated(m, biased(m, y, 3)));
}

static void read_fused_gemm(ash_ox *m) {
  const uint32_t in[] = {ash_ox_in(m, 0), ash_ox_in(m, 1),
                         ash_ox_in_or(m, 2, ASH_NO_ID)};
  ash_ox_out(
      m, 0,
      activated(m, ash_ox_run_as(m, "Gemm", in, in[2] == ASH_NO_ID ? 2 : 3)));
}

/* ---- products ------------------------------------------------------------ */

/* The last two axes change places. */
static uint32_t turned(ash_ox *m, uint32_t x, bool turn) {
  const uint32_t rank = ash_ox_rank(m, x);
  uint32_t perm[ASH_RANK_MAX];
  if (!turn || rank < 2)
    return x;
  for (uint32_t i = 0; i < rank; i++)
    perm[i] = i;
  perm[rank - 2] = rank - 1;
  perm[rank - 1] = rank - 2;
  return ash_ox_transpose(m, x, perm);
}

static void read_fused_matmul(ash_ox *m) {
  const double alpha = ash_ox_float(m, "alpha", 1);
  if (ash_ox_int(m, "transBatchA", 0) || ash_ox_int(m, "transBatchB", 0))
    ash_ox_refuse(m, "a batch that is not in front");
  const uint32_t in[] = {
      turned(m, ash_ox_in(m, 0), ash_ox_int(m, "transA", 0) != 0),
      turned(m, ash_ox_in(m, 1), ash_ox_int(m, "transB", 0) != 0)};
  const uint32_t y = ash_ox_run_as(m, "MatMul", in, 2);
  ash_ox_out(m, 0, alpha == 1 ? y : ash_ox_with(m, ASH_FN_mul, y, alpha));
}

/* Codes multiplied as integers, then scaled; input `k` is a bias of floats. */
static void put_product(ash_ox *m, const uint32_t *codes, uint32_t scale,
                        uint32_t k) {
  const uint32_t sum = ash_ox_run_as(m, "MatMulInteger", codes, 4);
  const uint32_t y =
      ash_ox_map2(m, ASH_FN_mul, ash_ox_cast(m, sum, ASH_FLOAT32), scale);
  ash_ox_out(m, 0, biased(m, y, k));
}

static void read_matmul_to_float(ash_ox *m) {
  const uint32_t codes[] = {ash_ox_in(m, 0), ash_ox_in(m, 1),
                            ash_ox_in_or(m, 4, ASH_NO_ID),
                            ash_ox_in_or(m, 5, ASH_NO_ID)};
  put_product(m, codes,
              ash_ox_map2(m, ASH_FN_mul, ash_ox_in(m, 2), ash_ox_in(m, 3)), 6);
}

static void read_dynamic_matmul(ash_ox *m) {
  uint32_t scale, zero;
  const uint32_t x = ash_ox_dynamic_codes(m, ash_ox_in(m, 0), &scale, &zero);
  const uint32_t codes[] = {x, ash_ox_in(m, 1), zero,
                            ash_ox_in_or(m, 3, ASH_NO_ID)};
  put_product(m, codes, ash_ox_map2(m, ASH_FN_mul, scale, ash_ox_in(m, 2)), 4);
}

/* ---- channels last ------------------------------------------------------- */

static void read_nhwc_max_pool(ash_ox *m) {
  const uint32_t x = ash_ox_channels_first(m, ash_ox_in(m, 0));
  ash_ox_out(m, 0, ash_ox_channels_last(m, ash_ox_run_as(m, "MaxPool", &x, 1)));
}

const ash_ox_handler ash_ox_fused[] = {
    {"BiasGelu", read_bias_gelu},
    {"FastGelu", read_fast_gelu},
    {"QuickGelu", read_quick_gelu},
    {"SkipLayerNormalization", read_skip_norm},
    {"SkipSimplifiedLayerNormalization", read_skip_rms_norm},
    {"EmbedLayerNormalization", read_embed_norm},
    {"FusedConv", read_fused_conv},
    {"FusedGemm", read_fused_gemm},
    {"FusedMatMul", read_fused_matmul},
    {"TransposeMatMul", read_fused_matmul},
    {"MatMulIntegerToFloat", read_matmul_to_float},
    {"DynamicQuantizeMatMul", read_dynamic_matmul},
    {"NhwcMaxPool", read_nhwc_max_pool},
    {"MatMulNBits", ash_ox_read_matmul_bits},
    {NULL, NULL},
};
