/* ref_window_nd.c - conv_nd and pool_nd of any type. */
#include "ref/ref_any.h"

#include <string.h>

/* Sums of float32 and narrower floats are rounded as they are made. */
void ash_ref_number_accumulate(ash_type type, ash_number *sum, ash_number a,
                               ash_number b) {
  sum->x += type == ASH_FLOAT64 ? a.x * b.x : (double)(float)(a.x * b.x);
  if (type != ASH_FLOAT64)
    sum->x = (double)(float)sum->x;
  sum->i = (int64_t)((uint64_t)sum->i + (uint64_t)a.i * (uint64_t)b.i);
}

ash_number ash_ref_number_zero(const ash_tensor *t) {
  return (ash_number){.real = ash_type_is_float(t->type),
                      .is_unsigned = t->type == ASH_UINT64};
}

/* ---- windows ------------------------------------------------------------ */

/* Spatial place of tap `k` of the window of output `at`; false outside. */
static bool tap(const ash_ref_call *c, const int32_t *at, const int32_t *k,
                uint64_t *place) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  *place = 0;
  for (uint32_t i = 2; i < in->rank; i++) {
    const int64_t where = at[i] * ash_op_ints(c->op, "stride", i - 2, 1) +
                          k[i - 2] * ash_op_ints(c->op, "dilation", i - 2, 1) -
                          ash_op_ints(c->op, "pad", i - 2, 0);
    if (where < 0 || where >= in->dim[i])
      return false;
    *place = *place * (uint64_t)in->dim[i] + (uint64_t)where;
  }
  return true;
}

/* Within the padding that the model asked for? */
static bool counted(const ash_ref_call *c, const int32_t *at,
                    const int32_t *k) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const uint32_t axes = in->rank - 2;
  for (uint32_t i = 0; i < axes; i++) {
    const int64_t where = at[i + 2] * ash_op_ints(c->op, "stride", i, 1) +
                          k[i] * ash_op_ints(c->op, "dilation", i, 1) -
                          ash_op_ints(c->op, "pad", i, 0);
    if (where >= in->dim[i + 2] + ash_op_ints(c->op, "pad", i + axes, 0))
      return false;
  }
  return true;
}

static uint64_t plane(const ash_shape *s) {
  uint64_t n = 1;
  for (uint32_t i = 2; i < s->rank; i++)
    n *= (uint64_t)s->dim[i];
  return n;
}

static ash_number convolve(const ash_ref_call *c, const int32_t *at) {
  const ash_tensor *x = ash_ref_in(c, 0), *w = ash_ref_in(c, 1);
  const int64_t groups = ash_attr_int(c->op, "groups", 1);
  const uint64_t channels = (uint64_t)w->shape.dim[1];
  const uint64_t group =
      (uint64_t)(at[1] / (ash_ref_out(c, 0)->shape.dim[1] / groups));
  ash_shape taps = {.rank = x->shape.rank - 2};
  for (uint32_t i = 0; i < taps.rank; i++)
    taps.dim[i] = w->shape.dim[i + 2];
  const uint64_t count = ash_shape_elements(&taps);
  ash_number sum = ash_ref_number_zero(x);
  if (ash_ref_in(c, 2))
    sum = ash_ref_number_get(ash_ref_in(c, 2), ash_ref_read(c, 2),
                             (uint64_t)at[1]);
  for (uint64_t ch = 0; ch < channels; ch++) {
    int32_t k[ASH_RANK_MAX] = {0};
    const uint64_t from =
        ((uint64_t)at[0] * (uint64_t)x->shape.dim[1] + group * channels + ch) *
        plane(&x->shape);
    for (uint64_t i = 0; i < count; i++, ash_ref_next(&taps, k)) {
      uint64_t place;
      if (tap(c, at, k, &place))
        ash_ref_number_accumulate(
            x->type, &sum,
            ash_ref_number_get(x, ash_ref_read(c, 0), from + place),
            ash_ref_number_get(w, ash_ref_read(c, 1),
                               ((uint64_t)at[1] * channels + ch) * count + i));
    }
  }
  return sum;
}

static ash_number pool(const ash_ref_call *c, const int32_t *at) {
  const ash_tensor *x = ash_ref_in(c, 0);
  const bool max = strcmp(ash_attr_string(c->op, "fn", ""), "max") == 0;
  const bool pads = ash_attr_int(c->op, "count_pad", 0) != 0;
  ash_shape taps = {.rank = x->shape.rank - 2};
  for (uint32_t i = 0; i < taps.rank; i++)
    taps.dim[i] = (int32_t)ash_op_ints(c->op, "kernel", i, 1);
  const uint64_t from =
      ((uint64_t)at[0] * (uint64_t)x->shape.dim[1] + (uint64_t)at[1]) *
      plane(&x->shape);
  const ash_number one = {.real = true, .x = 1, .i = 1};
  ash_number sum = ash_ref_number_zero(x);
  int64_t seen = 0, inside = 0;
  int32_t k[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < ash_shape_elements(&taps);
       i++, ash_ref_next(&taps, k)) {
    uint64_t place;
    inside += pads && counted(c, at, k);
    if (!tap(c, at, k, &place))
      continue;
    const ash_number v =
        ash_ref_number_get(x, ash_ref_read(c, 0), from + place);
    const ash_number o[3] = {sum, v, v};
    if (max)
      sum = seen ? ash_ref_number_apply(ASH_FN_maximum, o) : v;
    else
      ash_ref_number_accumulate(x->type, &sum, v, one);
    seen++;
  }
  const int64_t n = pads ? inside : seen;
  if (!max && n) {
    sum.x /= (double)n;
    sum.i /= n;
  }
  return sum;
}

static ash_status for_each(const ash_ref_call *c,
                           ash_number (*at_place)(const ash_ref_call *c,
                                                  const int32_t *at)) {
  const ash_tensor *y = ash_ref_out(c, 0);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < ash_ref_elements(y);
       i++, ash_ref_next(&y->shape, at))
    ash_ref_number_put(y, ash_ref_write(c, 0), i, at_place(c, at));
  return ASH_OK;
}

ash_status ash_ref_conv_nd(const ash_ref_call *c) {
  return for_each(c, convolve);
}

ash_status ash_ref_pool_nd(const ash_ref_call *c) {
  return for_each(c, pool);
}
