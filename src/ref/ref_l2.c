/* ref_l2.c - rows along the last axis divided by their Euclidean length. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <math.h>

static void row_float(const float *x, float *y, uint64_t depth) {
  float sum = 0;
  for (uint64_t i = 0; i < depth; i++)
    sum += x[i] * x[i];
  const float length = fmaxf(sqrtf(sum), 1e-6f);
  for (uint64_t i = 0; i < depth; i++)
    y[i] = x[i] / length;
}

/* The output has 7 fractional bits: int8 gets them in the shift, uint8 before
 * it, which rounds differently. */
static void row_int(const ash_ref_call *c, const int32_t *x, uint64_t first,
                    uint64_t depth) {
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const bool before = ash_ref_out(c, 0)->type == ASH_UINT8;
  int64_t sum = 0;
  for (uint64_t i = 0; i < depth; i++)
    sum += (int64_t)x[i] * x[i];
  ash_ref_factor f = ash_ref_inverse_sqrt(ash_ref_wrap(sum));
  f.shift += before ? 0 : 7;
  for (uint64_t i = 0; i < depth; i++)
    ash_ref_put_int(c, &limits, first + i,
                    ash_ref_rescale(before ? 128 * x[i] : x[i], f));
}

ash_status ash_ref_l2_normalization(const ash_ref_call *c) {
  const ash_tensor *in = ash_ref_in(c, 0);
  const uint64_t depth = (uint64_t)in->shape.dim[in->shape.rank - 1];
  const uint64_t count = ash_ref_elements(in);
  if (ash_ref_is_float(c)) {
    const float *x = ash_ref_read(c, 0);
    float *y = ash_ref_write(c, 0);
    for (uint64_t i = 0; i < count; i += depth)
      row_float(x + i, y + i, depth);
    return ASH_OK;
  }
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i += depth)
    row_int(c, x + i, i, depth);
  return ASH_OK;
}
