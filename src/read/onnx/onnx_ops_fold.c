/* onnx_ops_fold.c - sums and searches along axes. */
#include "read/onnx/onnx_import.h"

#include <string.h>

/* Bits of the axes to fold; all when none are given, none when the model asks
 * for that. Lists moved from attributes to inputs over time. */
static uint32_t axes_of(ash_ox *m, uint32_t x) {
  const uint32_t rank = ash_ox_rank(m, x);
  int64_t room[ASH_RANK_MAX];
  uint32_t count, bits = 0;
  const int64_t *axes = ash_ox_ints(m, "axes", &count);
  if (!axes && ash_ox_has(m, 1)) {
    count = ash_shape_elements(ash_ox_shape(m, ash_ox_in(m, 1)))
                ? ash_ox_list(m, ash_ox_in(m, 1), room, ASH_RANK_MAX)
                : 0;
    axes = room;
  }
  for (uint32_t i = 0; axes && i < count; i++)
    bits |= 1u << ash_ox_axis(m, axes[i], rank);
  if (bits == 0 && !ash_ox_int(m, "noop_with_empty_axes", 0))
    bits = (1u << rank) - 1;
  return bits;
}

static uint32_t fold(ash_ox *m, ash_fold how) {
  const uint32_t x = ash_ox_in(m, 0), axes = axes_of(m, x);
  if (how != ASH_FOLD_MAX && how != ASH_FOLD_MIN)
    ash_ox_need_sums(m, x);
  return ash_ox_fold(m, how, x, axes, ash_ox_int(m, "keepdims", 1) != 0);
}

static void read_sum(ash_ox *m) {
  ash_ox_out(m, 0, fold(m, ASH_FOLD_SUM));
}
static void read_mean(ash_ox *m) {
  if (m->options && m->options->integers &&
      !ash_ox_is_float(m, ash_ox_in(m, 0)))
    ash_ox_integer_mean(m);
  else
    ash_ox_out(m, 0, fold(m, ASH_FOLD_MEAN));
}
static void read_prod(ash_ox *m) {
  ash_ox_out(m, 0, fold(m, ASH_FOLD_PROD));
}
static void read_max(ash_ox *m) {
  ash_ox_out(m, 0, fold(m, ASH_FOLD_MAX));
}
static void read_min(ash_ox *m) {
  ash_ox_out(m, 0, fold(m, ASH_FOLD_MIN));
}
static void read_l1(ash_ox *m) {
  ash_ox_out(m, 0, fold(m, ASH_FOLD_SUM_ABS));
}
static void read_sum_square(ash_ox *m) {
  ash_ox_out(m, 0, fold(m, ASH_FOLD_SUM_SQUARE));
}
static void read_l2(ash_ox *m) {
  ash_ox_out(m, 0, ash_ox_map1(m, ASH_FN_sqrt, fold(m, ASH_FOLD_SUM_SQUARE)));
}
static void read_log_sum(ash_ox *m) {
  ash_ox_out(m, 0, ash_ox_map1(m, ASH_FN_log, fold(m, ASH_FOLD_SUM)));
}

/* The largest is taken out first, so that nothing overflows. */
static void read_log_sum_exp(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0), axes = axes_of(m, x);
  const bool keep = ash_ox_int(m, "keepdims", 1) != 0;
  const uint32_t most = ash_ox_fold(m, ASH_FOLD_MAX, x, axes, true);
  const uint32_t e =
      ash_ox_map1(m, ASH_FN_exp, ash_ox_map2(m, ASH_FN_sub, x, most));
  const uint32_t sum =
      ash_ox_map1(m, ASH_FN_log, ash_ox_fold(m, ASH_FOLD_SUM, e, axes, keep));
  ash_ox_out(m, 0,
             ash_ox_map2(m, ASH_FN_add, sum,
                         ash_ox_reshape(m, most, *ash_ox_shape(m, sum))));
}

static void arg(ash_ox *m, ash_fold first, ash_fold last) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t axis =
      ash_ox_axis(m, ash_ox_int(m, "axis", 0), ash_ox_rank(m, x));
  const bool latest = ash_ox_int(m, "select_last_index", 0) != 0;
  ash_ox_out(m, 0,
             ash_ox_fold(m, latest ? last : first, x, 1u << axis,
                         ash_ox_int(m, "keepdims", 1) != 0));
}

static void read_arg_max(ash_ox *m) {
  arg(m, ASH_FOLD_ARG_MAX, ASH_FOLD_ARG_MAX_LAST);
}
static void read_arg_min(ash_ox *m) {
  arg(m, ASH_FOLD_ARG_MIN, ASH_FOLD_ARG_MIN_LAST);
}

static void read_cum_sum(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  int64_t axis = 0;
  ash_ox_need_sums(m, x);
  (void)ash_ox_list(m, ash_ox_in(m, 1), &axis, 1);
  ash_ox_out(
      m, 0,
      ash_ox_add_op(
          m,
          &(ash_ox_op){
              .kind = ASH_OP_cumsum,
              .inputs = {x},
              .input_count = 1,
              .attrs = {ASH_INT_ATTR("axis",
                                     ash_ox_axis(m, axis, ash_ox_rank(m, x))),
                        ASH_INT_ATTR("exclusive",
                                     ash_ox_int(m, "exclusive", 0)),
                        ASH_INT_ATTR("reverse", ash_ox_int(m, "reverse", 0))},
              .attr_count = 3,
              .type = ash_ox_type(m, x)}));
}

static void read_top_k(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const ash_type types[] = {ash_ox_type(m, x), ASH_INT64};
  int64_t k = ash_ox_int(m, "k", 0);
  uint32_t out[2];
  if (ash_ox_has(m, 1))
    (void)ash_ox_list(m, ash_ox_in(m, 1), &k, 1);
  const ash_ox_op op = {
      .kind = ASH_OP_top_k,
      .attrs = {ASH_INT_ATTR("axis", ash_ox_axis(m, ash_ox_int(m, "axis", -1),
                                                 ash_ox_rank(m, x))),
                ASH_INT_ATTR("k", k),
                ASH_INT_ATTR("largest", ash_ox_int(m, "largest", 1))},
      .attr_count = 3};
  ash_ox_add_any(m, &op, &x, 1, types, 2, out);
  ash_ox_out(m, 0, out[0]);
  ash_ox_out(m, 1, out[1]);
}

const ash_ox_handler ash_ox_reduce[] = {
    {"ReduceSum", read_sum},
    {"ReduceMean", read_mean},
    {"ReduceProd", read_prod},
    {"ReduceMax", read_max},
    {"ReduceMin", read_min},
    {"ReduceL1", read_l1},
    {"ReduceL2", read_l2},
    {"ReduceLogSum", read_log_sum},
    {"ReduceLogSumExp", read_log_sum_exp},
    {"ReduceSumSquare", read_sum_square},
    {"ArgMax", read_arg_max},
    {"ArgMin", read_arg_min},
    {"CumSum", read_cum_sum},
    {"TopK", read_top_k},
    {NULL, NULL},
};
