/* ref_fold.c - sums and means of quantised values. */
#include "ref/ref_any.h"
#include "ref/ref_fixed.h"

/* Which axes are folded. */
typedef struct fold {
  uint32_t axes; /* as bits */
  int64_t count; /* elements that make one result */
} fold;

static fold fold_of(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  fold f = {.axes = ash_op_folded(c->op, in->rank), .count = 1};
  for (uint32_t i = 0; i < in->rank; i++)
    f.count *= f.axes >> i & 1 ? in->dim[i] : 1;
  return f;
}

/* The result that the element at `at` belongs to. */
static uint64_t target(const fold *f, const ash_shape *in, const int32_t *at) {
  uint64_t index = 0;
  for (uint32_t i = 0; i < in->rank; i++)
    if (!(f->axes >> i & 1))
      index = index * (uint64_t)in->dim[i] + (uint64_t)at[i];
  return index;
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

/* Sums of centred values. */
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

ash_status ash_ref_scaled_sum(const ash_ref_call *c) {
  const ash_tensor *out = ash_ref_out(c, 0);
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const double ratio = (double)ash_ref_scale_of(ash_ref_in(c, 0)) /
                       (double)ash_ref_scale_of(out);
  const fold f = fold_of(c);
  ash_ref_factor factor = ash_ref_factor_of(ratio);
  int64_t *sums;
  ASH_TRY(sum_ints(c, &f, &sums));
  if (ash_op_fold(c->op) == ASH_FOLD_MEAN)
    factor = divide_factor(factor, f.count);
  for (uint64_t i = 0; i < ash_ref_elements(out); i++)
    ash_ref_put_int(c, &limits, i,
                    ash_ref_rescale(ash_ref_wrap(sums[i]), factor));
  return ASH_OK;
}
