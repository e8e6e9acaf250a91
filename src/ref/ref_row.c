/* ref_row.c - rows along the last axis: softmax, its logarithm and division by
 * the Euclidean length, in fixed point for 8-bit types and in float32
 * otherwise. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <float.h>
#include <math.h>

/* Differences to the largest value are brought to Q5.26 before exp. */
typedef struct scaling {
  ash_ref_factor factor; /* at least 1 */
  int32_t smallest;      /* differences below this count as nothing */
} scaling;

static scaling scaling_of(double beta, double scale) {
  const double most = 2147483647.0;
  const double real = beta * scale * (double)(1 << 26);
  const ash_ref_factor f = ash_ref_factor_of(real < most ? real : most);
  const double radius = floor(31.0 * (double)(1 << 26) / ldexp(1.0, f.shift));
  return (scaling){f, (int32_t)-radius};
}

static int32_t exponent_of(const scaling *s, int32_t difference) {
  const int32_t wide =
      ash_ref_wrap((int64_t)difference * ((int64_t)1 << s->factor.shift));
  return ash_ref_high_mul(wide, s->factor.multiplier);
}

static int32_t exp_of(const scaling *s, int32_t difference) {
  return ash_ref_exp(exponent_of(s, difference));
}

static int32_t largest(const int32_t *x, uint64_t depth) {
  int32_t max = INT32_MIN;
  for (uint64_t i = 0; i < depth; i++)
    max = x[i] > max ? x[i] : max;
  return max;
}

/* In Q12.19. */
static int32_t sum_exps(const scaling *s, const int32_t *x, uint64_t depth,
                        int32_t max) {
  int32_t sum = 0;
  for (uint64_t i = 0; i < depth; i++)
    if (x[i] - max >= s->smallest)
      sum = ash_ref_wrap((int64_t)sum +
                         ash_ref_round_shift(exp_of(s, x[i] - max), 12));
  return sum;
}

/* Shares of one are 2^bits. */
static void shares_of(const scaling *s, const int32_t *x, uint64_t depth,
                      int32_t bits, int32_t *shares) {
  const int32_t most = (1 << bits) - 1;
  const int32_t max = largest(x, depth), sum = sum_exps(s, x, depth, max);
  const int32_t zeros = ash_ref_leading_zeros((uint32_t)sum);
  const uint32_t above_one = ((uint32_t)sum << zeros) - (1u << 31);
  const int32_t inverse = ash_ref_reciprocal((int32_t)above_one);
  const int32_t shift = 12 - zeros + 31 - bits;
  for (uint64_t i = 0; i < depth; i++) {
    int32_t y = 0;
    if (x[i] - max >= s->smallest)
      y = ash_ref_round_shift(ash_ref_high_mul(inverse, exp_of(s, x[i] - max)),
                              shift);
    shares[i] = y > most ? most : y;
  }
}

void ash_ref_softmax_int(const int32_t *x, int32_t *shares, uint64_t depth,
                         double beta, double scale) {
  const scaling s = scaling_of(beta, scale);
  shares_of(&s, x, depth, 8, shares);
}

static void row_int(const ash_ref_call *c, const scaling *s, const int32_t *x,
                    int32_t *shares, uint64_t first, uint64_t depth) {
  const ash_tensor *out = ash_ref_out(c, 0);
  const int32_t lo = out->type == ASH_UINT8   ? 0
                     : out->type == ASH_INT16 ? INT16_MIN
                                              : INT8_MIN;
  shares_of(s, x, depth, out->type == ASH_INT16 ? 16 : 8, shares);
  for (uint64_t i = 0; i < depth; i++)
    ash_ref_put(out, ash_ref_write(c, 0), first + i, lo + shares[i]);
}

void ash_ref_softmax_float(const float *x, float *y, uint64_t depth,
                           float beta) {
  float max = -FLT_MAX, sum = 0;
  for (uint64_t i = 0; i < depth; i++)
    max = x[i] > max ? x[i] : max;
  for (uint64_t i = 0; i < depth; i++) {
    y[i] = (float)exp((double)((x[i] - max) * beta));
    sum += y[i];
  }
  for (uint64_t i = 0; i < depth; i++)
    y[i] /= sum;
}

ash_status ash_ref_softmax(const ash_ref_call *c) {
  const ash_tensor *in = ash_ref_in(c, 0);
  const double beta = ash_attr_float(c->op, "beta", 1.0);
  const uint64_t depth = (uint64_t)in->shape.dim[in->shape.rank - 1];
  const uint64_t count = ash_ref_elements(in);
  if (ash_ref_is_float(c)) {
    const float *x = ash_ref_read(c, 0);
    float *y = ash_ref_write(c, 0);
    for (uint64_t i = 0; i < count; i += depth)
      ash_ref_softmax_float(x + i, y + i, depth, (float)beta);
    return ASH_OK;
  }
  if (in->type == ASH_INT16)
    return ash_ref_softmax_sixteen(c, depth);
  const int32_t *x = ash_ref_widen(c, 0);
  int32_t *shares = ASH_NEW_ARRAY(&c->ctx->scratch, int32_t, depth);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const scaling s = scaling_of(beta, (double)ash_ref_scale_of(in));
  for (uint64_t i = 0; i < count; i += depth)
    row_int(c, &s, x + i, shares, i, depth);
  return ASH_OK;
}

/* ---- log_softmax -------------------------------------------------------- */

/* Differences so small that their logarithm would leave Q5.26. */
static int32_t lowest_difference(const scaling *s, int32_t log_sum) {
  const double back =
      ldexp(1.0, 31 - s->factor.shift) / (double)s->factor.multiplier;
  const int32_t bound = ash_ref_rescale(
      ash_ref_wrap((int64_t)log_sum + INT32_MIN), ash_ref_factor_of(back));
  return bound > s->smallest - 1 ? bound : s->smallest - 1;
}

static void log_row_int(const ash_ref_call *c, const scaling *s,
                        const int32_t *x, uint64_t first, uint64_t depth) {
  const ash_tensor *out = ash_ref_out(c, 0);
  const int32_t hi = out->type == ASH_UINT8 ? UINT8_MAX : INT8_MAX;
  const int32_t max = largest(x, depth);
  const int32_t log_sum = ash_ref_log(sum_exps(s, x, depth, max));
  const int32_t lowest = lowest_difference(s, log_sum);
  for (uint64_t i = 0; i < depth; i++) {
    int32_t y = -UINT8_MAX;
    if (x[i] - max > lowest)
      y = ash_ref_round_shift(
          ash_ref_wrap((int64_t)exponent_of(s, x[i] - max) - log_sum), 22);
    y = y > 0 ? 0 : y < -UINT8_MAX ? -UINT8_MAX : y;
    ash_ref_put(out, ash_ref_write(c, 0), first + i, hi + y);
  }
}

static void log_row_float(const float *x, float *y, uint64_t depth) {
  float max = -FLT_MAX, sum = 0;
  for (uint64_t i = 0; i < depth; i++)
    max = x[i] > max ? x[i] : max;
  for (uint64_t i = 0; i < depth; i++)
    sum += (float)exp((double)(x[i] - max));
  const float log_sum = (float)log((double)sum);
  for (uint64_t i = 0; i < depth; i++)
    y[i] = x[i] - max - log_sum;
}

static ash_status each_row_float(const ash_ref_call *c,
                                 void (*run)(const float *x, float *y,
                                             uint64_t depth)) {
  const ash_tensor *in = ash_ref_in(c, 0);
  const uint64_t depth = (uint64_t)in->shape.dim[in->shape.rank - 1];
  const uint64_t count = ash_ref_elements(in);
  const float *x = ash_ref_read(c, 0);
  float *y = ash_ref_write(c, 0);
  for (uint64_t i = 0; i < count; i += depth)
    run(x + i, y + i, depth);
  return ASH_OK;
}

ash_status ash_ref_log_softmax(const ash_ref_call *c) {
  const ash_tensor *in = ash_ref_in(c, 0);
  const uint64_t depth = (uint64_t)in->shape.dim[in->shape.rank - 1];
  const uint64_t count = ash_ref_elements(in);
  if (ash_ref_is_float(c))
    return each_row_float(c, log_row_float);
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const scaling s = scaling_of(1.0, (double)ash_ref_scale_of(in));
  for (uint64_t i = 0; i < count; i += depth)
    log_row_int(c, &s, x + i, i, depth);
  return ASH_OK;
}

/* ---- rows divided by their Euclidean length ----------------------------- */

static void l2_row_float(const float *x, float *y, uint64_t depth) {
  float sum = 0;
  for (uint64_t i = 0; i < depth; i++)
    sum += x[i] * x[i];
  const float length = fmaxf(sqrtf(sum), 1e-6f);
  for (uint64_t i = 0; i < depth; i++)
    y[i] = x[i] / length;
}

/* The output has 7 fractional bits: int8 gets them in the shift, uint8 before
 * it, which rounds differently. */
static void l2_row_int(const ash_ref_call *c, const int32_t *x, uint64_t first,
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
  if (ash_ref_is_float(c))
    return each_row_float(c, l2_row_float);
  const int32_t *x = ash_ref_widen(c, 0);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < count; i += depth)
    l2_row_int(c, x + i, i, depth);
  return ASH_OK;
}
