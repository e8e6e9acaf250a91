/* onnx_ops_fold.c - sums and searches along axes, and counts of n-grams. */
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

/* ---- counts of n-grams --------------------------------------------------- */

typedef struct grams {
  const int64_t *pool, *starts, *indexes;
  uint32_t pool_count, lengths, index_count;
  int64_t least, most, skips;
  uint32_t rows; /* [batch, length] */
} grams;

/* Where grams of `n` numbers at this distance occur: [batch, grams], summed. */
static uint32_t occurrences(ash_ox *m, const grams *g, uint32_t n,
                            uint32_t count, int64_t step) {
  const ash_shape s = *ash_ox_shape(m, g->rows);
  const int64_t places = s.dim[1] - (int64_t)(n - 1) * step;
  uint32_t same = ASH_NO_ID;
  int64_t *list = ASH_NEW_ARRAY(&m->ctx->scratch, int64_t, count + 1u);
  if (places < 1 || !list)
    return ASH_NO_ID;
  for (uint32_t j = 0; j < n; j++) {
    for (uint32_t k = 0; k < count; k++)
      list[k] = g->pool[g->starts[n - 1] + (int64_t)k * n + j];
    const uint32_t x =
        ash_ox_reshape(m, ash_ox_slice(m, g->rows, 1, j * step, 1, places),
                       (ash_shape){3, {s.dim[0], (int32_t)places, 1}});
    const uint32_t hit = ash_ox_map2(
        m, ASH_FN_equal, x,
        ash_ox_constant(m, ASH_INT64, (ash_shape){1, {(int32_t)count}}, list));
    same = j ? ash_ox_map2(m, ASH_FN_logical_and, same, hit) : hit;
  }
  return ash_ox_fold(m, ASH_FOLD_SUM, ash_ox_cast(m, same, ASH_FLOAT32), 2,
                     false);
}

/* Grams of n numbers, at every distance that may lie between them. */
static uint32_t counts_of(ash_ox *m, const grams *g, uint32_t n,
                          uint32_t count) {
  const ash_shape none = {2, {ash_ox_dim(m, g->rows, 0), (int32_t)count}};
  uint32_t sum = ASH_NO_ID;
  const bool wanted = n >= g->least && n <= g->most;
  for (int64_t skip = 0; wanted && skip <= (n > 1 ? g->skips : 0); skip++) {
    const uint32_t part = occurrences(m, g, n, count, skip + 1);
    if (part == ASH_NO_ID)
      break;
    sum = sum == ASH_NO_ID ? part : ash_ox_map2(m, ASH_FN_add, sum, part);
  }
  return sum == ASH_NO_ID ? ash_ox_constant(m, ASH_FLOAT32, none, NULL) : sum;
}

static bool open_grams(ash_ox *m, grams *g) {
  enum { SKIPS_MAX = 64 };
  *g = (grams){.least = ash_ox_int(m, "min_gram_length", 1),
               .most = ash_ox_int(m, "max_gram_length", 1),
               .skips = ash_ox_int(m, "max_skip_count", 0)};
  g->pool = ash_ox_ints(m, "pool_int64s", &g->pool_count);
  g->starts = ash_ox_ints(m, "ngram_counts", &g->lengths);
  g->indexes = ash_ox_ints(m, "ngram_indexes", &g->index_count);
  const uint32_t x = ash_ox_cast(m, ash_ox_in(m, 0), ASH_INT64);
  const ash_shape s = *ash_ox_shape(m, x);
  if (!g->pool)
    ash_ox_refuse(m, "a pool of strings");
  if (m->status == ASH_OK &&
      (!g->starts || !g->indexes || s.rank < 1 || s.rank > 2 ||
       g->lengths > ASH_RANK_MAX || g->skips < 0 || g->skips > SKIPS_MAX))
    ash_ox_bad(m, "lists of n-grams are missing, or data have other than one "
                  "or two axes");
  for (uint32_t i = 0; m->status == ASH_OK && i < g->lengths; i++) {
    const int64_t end =
        i + 1 < g->lengths ? g->starts[i + 1] : (int64_t)g->pool_count;
    if (g->starts[i] < 0 || end > (int64_t)g->pool_count ||
        end < g->starts[i] || (end - g->starts[i]) % (i + 1))
      ash_ox_bad(m, "ngram_counts does not fit the pool");
  }
  for (uint32_t i = 0; m->status == ASH_OK && i < g->index_count; i++)
    if (g->indexes[i] < 0 || g->indexes[i] > 65535)
      ash_ox_bad(m, "an index of ngram_indexes is impossible");
  g->rows =
      s.rank == 1 ? ash_ox_reshape(m, x, (ash_shape){2, {1, s.dim[0]}}) : x;
  return m->status == ASH_OK;
}

/* Counts in the order of the pool become those of the indexes. */
static uint32_t arranged(ash_ox *m, const grams *g, uint32_t counts) {
  int64_t most = 0;
  for (uint32_t i = 0; i < g->index_count; i++)
    most = g->indexes[i] > most ? g->indexes[i] : most;
  const ash_shape to = {2, {(int32_t)most + 1, ash_ox_dim(m, counts, 1)}};
  float *w = ASH_NEW_ARRAY(&m->ctx->scratch, float,
                           (size_t)ash_shape_elements(&to) + 1);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  for (uint32_t i = 0; i < g->index_count; i++)
    w[(size_t)g->indexes[i] * g->index_count + i] = 1;
  return ash_ox_dense(m, counts, ash_ox_constant(m, ASH_FLOAT32, to, w),
                      ASH_NO_ID);
}

/* A weight for each gram of the pool. */
static uint32_t weighed(ash_ox *m, uint32_t y) {
  const ash_onnx_attr *a = ash_ox_attr(m, "weights");
  const bool plain = ash_ox_is(m, "mode", "TF", "TF");
  const uint32_t there =
      ash_ox_cast(m, ash_ox_with(m, ASH_FN_greater, y, 0), ASH_FLOAT32);
  if (plain)
    return y;
  const uint32_t x = ash_ox_is(m, "mode", "IDF", "") ? there : y;
  if (!a)
    return x;
  if (a->kind != ASH_ONNX_FLOATS || a->count != (uint32_t)ash_ox_dim(m, y, 1)) {
    ash_ox_refuse(m, "weights that are not one for each n-gram");
    return y;
  }
  return ash_ox_map2(m, ASH_FN_mul, x,
                     ash_ox_constant(m, ASH_FLOAT32,
                                     (ash_shape){1, {(int32_t)a->count}},
                                     a->floats));
}

static void read_tf_idf(ash_ox *m) {
  uint32_t parts[ASH_RANK_MAX], count = 0, all = 0;
  grams g;
  if (!open_grams(m, &g))
    return;
  for (uint32_t n = 1; n <= g.lengths; n++) {
    const int64_t end = n < g.lengths ? g.starts[n] : (int64_t)g.pool_count;
    const uint32_t here = (uint32_t)(end - g.starts[n - 1]) / n;
    all += here;
    if (here)
      parts[count++] = counts_of(m, &g, n, here);
  }
  if (m->status == ASH_OK && (count == 0 || all != g.index_count))
    ash_ox_bad(m, "ngram_indexes has another number of n-grams than the pool");
  if (m->status != ASH_OK)
    return;
  const uint32_t y =
      arranged(m, &g, weighed(m, ash_ox_join(m, parts, count, 1)));
  const uint32_t rank = ash_ox_rank(m, ash_ox_in(m, 0));
  ash_ox_out(m, 0,
             rank == 1
                 ? ash_ox_reshape(m, y, (ash_shape){1, {ash_ox_dim(m, y, 1)}})
                 : y);
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
    {"TfIdfVectorizer", read_tf_idf},
    {NULL, NULL},
};
