/* ref_compare.c - comparisons and logic: two inputs, broadcast together, one
 * truth value each. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

/* -1, 0 or 1; NaN is unordered, 2. */
static int32_t order_reals(float a, float b) {
  if (a != a || b != b)
    return 2;
  return a < b ? -1 : a > b;
}

static int32_t order_ints(int64_t a, int64_t b) {
  return a < b ? -1 : a > b;
}

static bool holds(ash_op_kind kind, int32_t order) {
  switch (kind) {
  case ASH_OP_equal:
    return order == 0;
  case ASH_OP_not_equal:
    return order != 0;
  case ASH_OP_less:
    return order == -1;
  case ASH_OP_less_equal:
    return order == -1 || order == 0;
  case ASH_OP_greater:
    return order == 1;
  default:
    return order == 0 || order == 1;
  }
}

/* Quantised values are compared on a common grid, 8 bits finer than 1. */
static int64_t on_grid(const ash_tensor *t, const void *data, uint64_t i) {
  const int64_t value = ash_ref_get(t, data, i);
  if (!ash_ref_is_quantised(t))
    return value;
  const ash_ref_factor f = ash_ref_factor_of((double)ash_ref_scale_of(t));
  const int32_t centred = (int32_t)value - ash_ref_zero_of(t);
  return ash_ref_rescale(centred * (1 << 8), f);
}

/* LiteRT looks at the scales of int16 for equality alone. */
static bool is_raw(const ash_ref_call *c) {
  return ash_ref_in(c, 0)->type == ASH_INT16 && c->op->kind != ASH_OP_equal &&
         c->op->kind != ASH_OP_not_equal;
}

static int32_t order_of(const ash_ref_call *c, uint64_t a, uint64_t b) {
  const ash_tensor *p = ash_ref_in(c, 0), *q = ash_ref_in(c, 1);
  const void *left = ash_ref_read(c, 0), *right = ash_ref_read(c, 1);
  if (p->type == ASH_FLOAT32)
    return order_reals(((const float *)left)[a], ((const float *)right)[b]);
  if (is_raw(c))
    return order_ints(ash_ref_get(p, left, a), ash_ref_get(q, right, b));
  return order_ints(on_grid(p, left, a), on_grid(q, right, b));
}

ash_status ash_ref_compare(const ash_ref_call *c) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const uint64_t count = ash_shape_elements(out);
  uint8_t *y = ash_ref_write(c, 0);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++, ash_ref_next(out, at)) {
    const uint64_t a = ash_ref_index(&ash_ref_in(c, 0)->shape, at, out->rank);
    const uint64_t b = ash_ref_index(&ash_ref_in(c, 1)->shape, at, out->rank);
    y[i] = holds(c->op->kind, order_of(c, a, b));
  }
  return ASH_OK;
}

ash_status ash_ref_logical(const ash_ref_call *c) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const uint64_t count = ash_shape_elements(out);
  const uint8_t *left = ash_ref_read(c, 0), *right = ash_ref_read(c, 1);
  uint8_t *y = ash_ref_write(c, 0);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++, ash_ref_next(out, at)) {
    const bool a = left[ash_ref_index(&ash_ref_in(c, 0)->shape, at, out->rank)];
    const bool b =
        right[ash_ref_index(&ash_ref_in(c, 1)->shape, at, out->rank)];
    y[i] = c->op->kind == ASH_OP_logical_and ? a && b : a || b;
  }
  return ASH_OK;
}

ash_status ash_ref_logical_not(const ash_ref_call *c) {
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  const uint8_t *x = ash_ref_read(c, 0);
  uint8_t *y = ash_ref_write(c, 0);
  for (uint64_t i = 0; i < count; i++)
    y[i] = !x[i];
  return ASH_OK;
}
