/* onnx_ops_detect.c - operators whose results are as many as the data say. A
 * compiled model has the largest shape that is possible, or the one that the
 * file declares where that is smaller: what is there comes first, the rest is
 * -1. */
#include "read/onnx/onnx_import.h"

#include <float.h>
#include <string.h>

/* Rows of the node's output `k`, at most: what the file declares along an axis,
 * if it is fewer. */
static int32_t declared(const ash_ox *m, uint32_t k, uint32_t axis,
                        int32_t most) {
  const ash_onnx_graph *g = &m->model->graph;
  const uint32_t all = g->output_count + g->value_count;
  for (uint32_t i = 0; i < all && ash_ox_wants(m, k); i++) {
    const ash_onnx_value *v =
        i < g->output_count ? &g->outputs[i] : &g->values[i - g->output_count];
    if (strcmp(v->name, m->node->outputs[k]) == 0 && v->has_shape &&
        axis < v->rank && v->dims[axis].value >= 1 &&
        v->dims[axis].value < most)
      return (int32_t)v->dims[axis].value;
  }
  return most;
}

/* The rows [n, columns] of int64 whose flag [n] is set, in their order, first;
 * -1 behind them. Rows without a flag go to one more, which is cut off. */
static uint32_t gathered(ash_ox *m, uint32_t rows, uint32_t flags,
                         int32_t wanted) {
  const int32_t n = ash_ox_dim(m, rows, 0), columns = ash_ox_dim(m, rows, 1);
  const uint32_t one = ash_ox_cast(m, flags, ASH_INT64);
  const uint32_t place =
      ash_ox_add_op(m, &(ash_ox_op){.kind = ASH_OP_cumsum,
                                    .inputs = {one},
                                    .input_count = 1,
                                    .attrs = {ASH_INT_ATTR("axis", 0),
                                              ASH_INT_ATTR("exclusive", 1)},
                                    .attr_count = 2,
                                    .type = ASH_INT64});
  const uint32_t to = ash_ox_map3(m, ASH_FN_select, flags, place,
                                  ash_ox_scalar(m, ASH_INT64, n));
  const ash_shape room = {2, {n + 1, columns}};
  const uint32_t empty =
      ash_ox_expand(m, ash_ox_scalar(m, ASH_INT64, -1), &room);
  const uint32_t y = ash_ox_add_op(
      m, &(ash_ox_op){.kind = ASH_OP_scatter_nd,
                      .inputs = {empty,
                                 ash_ox_reshape(m, to, (ash_shape){2, {n, 1}}),
                                 rows},
                      .input_count = 3,
                      .type = ASH_INT64});
  return ash_ox_slice(m, y, 0, 0, 1, wanted);
}

/* The only number of input k, which must be known. */
static double number(ash_ox *m, uint32_t k, double otherwise) {
  int64_t ignored;
  if (!ash_ox_has(m, k))
    return otherwise;
  const uint32_t id = ash_ox_in(m, k);
  (void)ash_ox_list(m, id, &ignored, 1);
  return ash_ox_value(m, id, 0);
}

/* 0 .. size - 1 along an axis of three, as a column [n] of int64. */
static uint32_t column(ash_ox *m, const ash_shape *s, uint32_t axis) {
  const uint32_t wide = ash_ox_expand(
      m, ash_ox_iota(m, ASH_INT64, s->dim[axis], s->rank, axis), s);
  return ash_ox_reshape(m, wide,
                        (ash_shape){2, {(int32_t)ash_shape_elements(s), 1}});
}

static void read_suppression(ash_ox *m) {
  static const ash_type types[] = {ASH_INT32, ASH_FLOAT32};
  const uint32_t in[] = {ash_ox_in(m, 0), ash_ox_in(m, 1)};
  const int32_t boxes = ash_ox_dim(m, in[0], 1);
  const double most = number(m, 2, 0), least = number(m, 4, -(double)FLT_MAX);
  uint32_t out[2];
  if (m->status == ASH_OK && !(most >= 1))
    ash_ox_refuse(m, "a result without elements");
  const ash_ox_op op = {
      .kind = ASH_OP_non_max_suppression,
      .attrs = {ASH_INT_ATTR("k", most < boxes ? (int64_t)most : boxes),
                ASH_FLOAT_ATTR("iou", (float)number(m, 3, 0)),
                ASH_FLOAT_ATTR("least", (float)least),
                ASH_INT_ATTR("centre", ash_ox_int(m, "center_point_box", 0))},
      .attr_count = 4};
  ash_ox_add_any(m, &op, in, 2, types, 2, out);
  const ash_shape s = *ash_ox_shape(m, out[0]);
  if (m->status != ASH_OK)
    return;
  const int32_t n = (int32_t)ash_shape_elements(&s);
  const uint32_t place = ash_ox_reshape(m, ash_ox_cast(m, out[0], ASH_INT64),
                                        (ash_shape){2, {n, 1}});
  const uint32_t found = ash_ox_with(m, ASH_FN_greater_equal, place, 0);
  const uint32_t parts[] = {column(m, &s, 0), column(m, &s, 1), place};
  ash_ox_out(m, 0,
             gathered(m, ash_ox_join(m, parts, 3, 1),
                      ash_ox_reshape(m, found, (ash_shape){1, {n}}),
                      declared(m, 0, 0, n)));
}

/* Where elements are not 0: a row of positions for each axis. */
static void read_non_zero(ash_ox *m) {
  static const uint32_t turned[] = {1, 0};
  const uint32_t x = ash_ox_in(m, 0);
  ash_shape s = *ash_ox_shape(m, x);
  uint32_t parts[ASH_RANK_MAX];
  if (m->status != ASH_OK)
    return;
  if (s.rank == 0)
    s = (ash_shape){1, {1}};
  const int32_t n = (int32_t)ash_shape_elements(&s);
  for (uint32_t i = 0; i < s.rank; i++)
    parts[i] = column(m, &s, i);
  const uint32_t flat = ash_ox_reshape(m, x, (ash_shape){1, {n}});
  const uint32_t flags = ash_ox_with(m, ASH_FN_not_equal, flat, 0);
  const uint32_t rows = gathered(m, ash_ox_join(m, parts, s.rank, 1), flags,
                                 declared(m, 0, 1, n));
  ash_ox_out(m, 0, ash_ox_transpose(m, rows, turned));
}

/* ---- different elements of a constant ------------------------------------ */

enum { ROWS_MAX = 4096 };

/* Rows of numbers, and for each the first that equals it. */
typedef struct rows {
  uint32_t id; /* [count, width] */
  uint32_t count;
  uint64_t width;
  uint32_t *first, *kept; /* kept: rows that are their own first */
  uint32_t kept_count;
} rows;

static int compare_rows(const ash_ox *m, const rows *r, uint32_t a,
                        uint32_t b) {
  for (uint64_t i = 0; i < r->width; i++) {
    const double x = ash_ox_value(m, r->id, a * r->width + i);
    const double y = ash_ox_value(m, r->id, b * r->width + i);
    if (x != y)
      return x < y ? -1 : 1;
  }
  return 0;
}

static void find_first(const ash_ox *m, rows *r) {
  for (uint32_t i = 0; i < r->count; i++) {
    uint32_t k = 0;
    while (k < r->kept_count && compare_rows(m, r, r->kept[k], i) != 0)
      k++;
    if (k == r->kept_count)
      r->kept[r->kept_count++] = i;
    r->first[i] = r->kept[k];
  }
}

/* By insertion: a list from the command line, or of labels. */
static void sort_kept(const ash_ox *m, rows *r) {
  for (uint32_t i = 1; i < r->kept_count; i++) {
    const uint32_t row = r->kept[i];
    uint32_t k = i;
    for (; k > 0 && compare_rows(m, r, row, r->kept[k - 1]) < 0; k--)
      r->kept[k] = r->kept[k - 1];
    r->kept[k] = row;
  }
}

static uint32_t place_of(const rows *r, uint32_t row) {
  uint32_t k = 0;
  while (k < r->kept_count && r->kept[k] != r->first[row])
    k++;
  return k;
}

/* Where each different row is first, which each row is, and how often each
 * occurs. */
static void give_rows(ash_ox *m, const rows *r) {
  const ash_shape each = {1, {(int32_t)r->kept_count}};
  const ash_shape all = {1, {(int32_t)r->count}};
  int64_t *lists =
      ASH_NEW_ARRAY(&m->ctx->scratch, int64_t, 3 * (size_t)r->count + 1);
  m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (m->status != ASH_OK)
    return;
  int64_t *at = lists, *inverse = at + r->count, *times = inverse + r->count;
  for (uint32_t i = 0; i < r->kept_count; i++)
    at[i] = r->kept[i];
  for (uint32_t i = 0; i < r->count; i++) {
    inverse[i] = place_of(r, i);
    times[inverse[i]]++;
  }
  ash_ox_out(m, 1, ash_ox_constant(m, ASH_INT64, each, at));
  ash_ox_out(m, 2, ash_ox_constant(m, ASH_INT64, all, inverse));
  ash_ox_out(m, 3, ash_ox_constant(m, ASH_INT64, each, times));
}

/* How many there are decides the shape: the values must be known. */
static void read_unique(ash_ox *m) {
  uint32_t x = ash_ox_in(m, 0), perm[ASH_RANK_MAX], axis = 0;
  const bool flat = ash_ox_attr(m, "axis") == NULL;
  ash_ox_need_constant(m, x);
  if (m->status != ASH_OK)
    return;
  if (flat)
    x = ash_ox_reshape(
        m, x,
        (ash_shape){1, {(int32_t)ash_shape_elements(ash_ox_shape(m, x))}});
  const ash_shape s = *ash_ox_shape(m, x);
  if (!flat)
    axis = ash_ox_axis(m, ash_ox_int(m, "axis", 0), s.rank);
  for (uint32_t d = 0; d < s.rank; d++)
    perm[d] = d == 0 ? axis : d <= axis ? d - 1 : d;
  rows r = {.id = ash_ox_transpose(m, x, perm),
            .count = (uint32_t)ash_ox_dim(m, x, axis)};
  if (m->status == ASH_OK && (s.rank == 0 || r.count < 1 || r.count > ROWS_MAX))
    ash_ox_refuse(m, "more than 4096 rows, or none");
  if (m->status != ASH_OK)
    return;
  r.width = ash_shape_elements(&s) / r.count;
  r.first = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, r.count);
  r.kept = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, r.count);
  m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (m->status != ASH_OK)
    return;
  find_first(m, &r);
  if (ash_ox_int(m, "sorted", 1) != 0)
    sort_kept(m, &r);
  int64_t *at = ASH_NEW_ARRAY(&m->ctx->scratch, int64_t, r.kept_count + 1u);
  m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  for (uint32_t i = 0; i < r.kept_count && m->status == ASH_OK; i++)
    at[i] = r.kept[i];
  ash_ox_out(m, 0,
             ash_ox_gather(m, x, ash_ox_ints32(m, at, r.kept_count), axis));
  give_rows(m, &r);
}

const ash_ox_handler ash_ox_detect[] = {
    {"NonMaxSuppression", read_suppression},
    {"NonZero", read_non_zero},
    {"Unique", read_unique},
    {NULL, NULL},
};
