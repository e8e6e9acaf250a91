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

static void mean_float(const ash_ref_call *c, const fold *f) {
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
  for (uint64_t i = 0; i < results; i++)
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

static ash_status mean_int(const ash_ref_call *c, const fold *f) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const uint64_t results = ash_ref_elements(ash_ref_out(c, 0));
  const uint64_t count = ash_shape_elements(in);
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const double ratio = (double)ash_ref_scale_of(ash_ref_in(c, 0)) /
                       (double)ash_ref_scale_of(ash_ref_out(c, 0));
  const ash_ref_factor factor =
      divide_factor(ash_ref_factor_of(ratio), f->count);
  const int32_t *x = ash_ref_widen(c, 0);
  int64_t *sums = ASH_NEW_ARRAY(&c->ctx->scratch, int64_t, (size_t)results + 1);
  int32_t at[ASH_RANK_MAX] = {0};
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i++, ash_ref_next(in, at))
    sums[target(f, in, at)] += x[i];
  for (uint64_t i = 0; i < results; i++)
    ash_ref_put_int(c, &limits, i,
                    ash_ref_rescale(ash_ref_wrap(sums[i]), factor));
  return ASH_OK;
}

ash_status ash_ref_mean(const ash_ref_call *c) {
  const fold f = fold_of(c);
  if (!ash_ref_is_float(c))
    return mean_int(c, &f);
  mean_float(c, &f);
  return ASH_OK;
}
