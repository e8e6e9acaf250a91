/* ref_reduce.c - folds of axes. The input is walked in its own order, which is
 * the order in which float sums round. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

/* Which axes are folded. */
typedef struct fold {
  bool axis[ASH_RANK_MAX];
  int64_t count; /* elements that make one result */
} fold;

static fold fold_of(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const ash_tensor *axes = ash_ref_in(c, 1);
  const uint64_t count = ash_ref_elements(axes);
  fold f = {.count = 1};
  for (uint64_t i = 0; i < count; i++) {
    const int64_t axis = ash_tensor_int(axes, i);
    f.axis[axis < 0 ? axis + in->rank : axis] = true;
  }
  for (uint32_t i = 0; i < in->rank; i++)
    if (f.axis[i])
      f.count *= in->dim[i];
  return f;
}

/* The result that the element at `at` belongs to. */
static uint64_t target(const fold *f, const ash_shape *in, const int32_t *at) {
  uint64_t index = 0;
  for (uint32_t i = 0; i < in->rank; i++)
    if (!f->axis[i])
      index = index * (uint64_t)in->dim[i] + (uint64_t)at[i];
  return index;
}

/* Sums, and for mean one division at the end. */
static void sum_floats(const ash_ref_call *c, const fold *f) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const uint64_t results = ash_ref_elements(ash_ref_out(c, 0));
  const uint64_t count = ash_shape_elements(in);
  const float *x = ash_ref_read(c, 0);
  float *y = ash_ref_write(c, 0);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < results; i++)
    y[i] = 0;
  for (uint64_t i = 0; i < count; i++, ash_ref_next(in, at))
    y[target(f, in, at)] += x[i];
  for (uint64_t i = 0; i < results && c->op->kind == ASH_OP_mean; i++)
    y[i] /= (float)f->count;
}

/* The division by the count is part of the factor, which is not normalised
 * again: up to one bit of precision is lost there. */
static ash_ref_factor divide_factor(ash_ref_factor f, int64_t count) {
  int32_t shift = 0;
  while (shift < 62 && count >> (shift + 1) != 0)
    shift++;
  shift = shift < 32 ? shift : 32;
  shift = shift < 31 + f.shift ? shift : 31 + f.shift;
  return (ash_ref_factor){
      (int32_t)(((int64_t)f.multiplier * ((int64_t)1 << shift)) / count),
      f.shift - shift};
}

/* Sums of centred values, or of plain whole numbers. */
static ash_status sum_ints(const ash_ref_call *c, const fold *f,
                           int64_t **sums) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const uint64_t results = ash_ref_elements(ash_ref_out(c, 0));
  const uint64_t count = ash_shape_elements(in);
  int32_t at[ASH_RANK_MAX] = {0};
  *sums = ASH_NEW_ARRAY(&c->ctx->scratch, int64_t, (size_t)results + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i++, ash_ref_next(in, at)) {
    const int64_t x = ash_ref_get(ash_ref_in(c, 0), ash_ref_read(c, 0), i) -
                      ash_ref_zero_of(ash_ref_in(c, 0));
    int64_t *sum = &(*sums)[target(f, in, at)];
    *sum = (int64_t)((uint64_t)*sum + (uint64_t)x);
  }
  return ASH_OK;
}

static ash_status put_sums(const ash_ref_call *c, const fold *f) {
  const ash_tensor *out = ash_ref_out(c, 0);
  const uint64_t results = ash_ref_elements(out);
  const bool mean = c->op->kind == ASH_OP_mean;
  int64_t *sums;
  ASH_TRY(sum_ints(c, f, &sums));
  if (!ash_ref_is_quantised(out)) {
    for (uint64_t i = 0; i < results; i++)
      ash_ref_put(out, ash_ref_write(c, 0), i,
                  mean ? sums[i] / f->count : sums[i]);
    return ASH_OK;
  }
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const double ratio = (double)ash_ref_scale_of(ash_ref_in(c, 0)) /
                       (double)ash_ref_scale_of(out);
  ash_ref_factor factor = ash_ref_factor_of(ratio);
  if (mean)
    factor = divide_factor(factor, f->count);
  for (uint64_t i = 0; i < results; i++)
    ash_ref_put_int(c, &limits, i,
                    ash_ref_rescale(ash_ref_wrap(sums[i]), factor));
  return ASH_OK;
}

ash_status ash_ref_sum(const ash_ref_call *c) {
  const fold f = fold_of(c);
  if (!ash_ref_is_float(c))
    return put_sums(c, &f);
  sum_floats(c, &f);
  return ASH_OK;
}

ash_status ash_ref_mean(const ash_ref_call *c) {
  return ash_ref_sum(c);
}

/* ---- other folds -------------------------------------------------------- */

static float join_reals(ash_op_kind kind, float a, float b) {
  switch (kind) {
  case ASH_OP_reduce_prod:
    return a * b;
  case ASH_OP_reduce_max:
    return b > a ? b : a;
  default:
    return b < a ? b : a;
  }
}

static int64_t join_ints(ash_op_kind kind, int64_t a, int64_t b) {
  switch (kind) {
  case ASH_OP_reduce_prod:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case ASH_OP_reduce_max:
    return b > a ? b : a;
  case ASH_OP_reduce_min:
    return b < a ? b : a;
  case ASH_OP_reduce_any:
    return a || b;
  default:
    return a && b;
  }
}

/* The first element of a fold stands for itself. */
ash_status ash_ref_fold(const ash_ref_call *c) {
  const fold f = fold_of(c);
  const ash_tensor *t = ash_ref_in(c, 0);
  const uint64_t count = ash_ref_elements(t);
  const void *x = ash_ref_read(c, 0);
  void *y = ash_ref_write(c, 0);
  bool *begun = ASH_NEW_ARRAY(&c->ctx->scratch, bool,
                              (size_t)ash_ref_elements(ash_ref_out(c, 0)) + 1);
  int32_t at[ASH_RANK_MAX] = {0};
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i++, ash_ref_next(&t->shape, at)) {
    const uint64_t to = target(&f, &t->shape, at);
    if (!begun[to])
      ash_ref_move(c, 0, to, x, i);
    else if (t->type == ASH_FLOAT32)
      ((float *)y)[to] = join_reals(c->op->kind, ((const float *)y)[to],
                                    ((const float *)x)[i]);
    else
      ash_ref_put(
          t, y, to,
          join_ints(c->op->kind, ash_ref_get(t, y, to), ash_ref_get(t, x, i)));
    begun[to] = true;
  }
  return ASH_OK;
}

/* ---- along one axis ----------------------------------------------------- */

/* Rows along the axis: element d of row (o, i). */
typedef struct rows {
  uint64_t outer, depth, inner;
} rows;

static rows rows_of(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const int64_t given = ash_tensor_int(ash_ref_in(c, 1), 0);
  const uint32_t axis = (uint32_t)(given < 0 ? given + in->rank : given);
  rows r = {1, (uint64_t)in->dim[axis], 1};
  for (uint32_t i = 0; i < axis; i++)
    r.outer *= (uint64_t)in->dim[i];
  for (uint32_t i = axis + 1; i < in->rank; i++)
    r.inner *= (uint64_t)in->dim[i];
  return r;
}

static bool beats(const ash_ref_call *c, uint64_t a, uint64_t b) {
  const ash_tensor *t = ash_ref_in(c, 0);
  const void *x = ash_ref_read(c, 0);
  const bool max = c->op->kind == ASH_OP_arg_max;
  if (t->type == ASH_FLOAT32) {
    const float p = ((const float *)x)[a], q = ((const float *)x)[b];
    return max ? p > q : p < q;
  }
  const int64_t p = ash_ref_get(t, x, a), q = ash_ref_get(t, x, b);
  return max ? p > q : p < q;
}

/* The first of equals wins. */
ash_status ash_ref_arg(const ash_ref_call *c) {
  const rows r = rows_of(c);
  for (uint64_t o = 0; o < r.outer; o++)
    for (uint64_t i = 0; i < r.inner; i++) {
      uint64_t best = 0;
      for (uint64_t d = 1; d < r.depth; d++)
        if (beats(c, (o * r.depth + d) * r.inner + i,
                  (o * r.depth + best) * r.inner + i))
          best = d;
      ash_ref_put(ash_ref_out(c, 0), ash_ref_write(c, 0), o * r.inner + i,
                  (int64_t)best);
    }
  return ASH_OK;
}

static void sum_up(const ash_ref_call *c, const rows *r, uint64_t first) {
  const ash_tensor *t = ash_ref_in(c, 0);
  const bool reverse = ash_op_int(c->op, "reverse", 0) != 0;
  const bool exclusive = ash_op_int(c->op, "exclusive", 0) != 0;
  uint64_t whole = 0;
  float real = 0;
  for (uint64_t d = 0; d < r->depth; d++) {
    const uint64_t at = first + (reverse ? r->depth - 1 - d : d) * r->inner;
    const uint64_t before = whole;
    const float real_before = real;
    if (t->type == ASH_FLOAT32)
      real += ((const float *)ash_ref_read(c, 0))[at];
    else
      whole += (uint64_t)ash_ref_get(t, ash_ref_read(c, 0), at);
    if (t->type == ASH_FLOAT32)
      ((float *)ash_ref_write(c, 0))[at] = exclusive ? real_before : real;
    else
      ash_ref_put(t, ash_ref_write(c, 0), at,
                  (int64_t)(exclusive ? before : whole));
  }
}

ash_status ash_ref_cumsum(const ash_ref_call *c) {
  const rows r = rows_of(c);
  for (uint64_t o = 0; o < r.outer; o++)
    for (uint64_t i = 0; i < r.inner; i++)
      sum_up(c, &r, o * r.depth * r.inner + i);
  return ASH_OK;
}
