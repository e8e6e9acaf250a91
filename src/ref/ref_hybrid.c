/* ref_hybrid.c - float activations to int8 while the model runs, row by row:
 * what operators with float activations and int8 weights do first. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <math.h>

typedef struct row {
  const float *x;
  size_t count;
  int32_t *to;
  float scale;
} row;

static void find_ends(const row *r, float *low, float *high) {
  *low = *high = r->x[0];
  for (size_t i = 1; i < r->count; i++) {
    *low = r->x[i] < *low ? r->x[i] : *low;
    *high = r->x[i] > *high ? r->x[i] : *high;
  }
}

static int32_t bound(int32_t x, int32_t low, int32_t high) {
  return x < low ? low : x > high ? high : x;
}

static void clear(row *r) {
  r->scale = 1;
  for (size_t i = 0; i < r->count; i++)
    r->to[i] = 0;
}

static void quantise_symmetric(row *r) {
  float low, high;
  find_ends(r, &low, &high);
  const float range = fmaxf(fabsf(low), fabsf(high));
  if (range == 0) {
    clear(r);
    return;
  }
  const float inverse = 127.0f / range;
  r->scale = range / 127.0f;
  for (size_t i = 0; i < r->count; i++)
    r->to[i] = bound(ash_ref_to_int(r->x[i] * inverse), -127, 127);
}

/* The zero point that is exact at the end where that loses less. */
static int32_t zero_of(double low, double high, double scale) {
  const double from_low = -128.0 - low / scale;
  const double from_high = 127.0 - high / scale;
  const double error_low = 128.0 + fabs(low / scale);
  const double error_high = 127.0 + fabs(high / scale);
  const double zero = error_low < error_high ? from_low : from_high;
  return zero <= -128.0 ? -128 : zero >= 127.0 ? 127 : (int32_t)round(zero);
}

static void quantise_asymmetric(row *r) {
  float low, high;
  find_ends(r, &low, &high);
  low = low < 0 ? low : 0;
  high = high > 0 ? high : 0;
  if (low == high) {
    clear(r);
    return;
  }
  const double scale = ((double)high - (double)low) / 255.0;
  const int32_t zero = zero_of((double)low, (double)high, scale);
  r->scale = (float)scale;
  const float inverse = 1.0f / r->scale;
  for (size_t i = 0; i < r->count; i++) {
    const int32_t steps = ash_ref_to_int(r->x[i] * inverse);
    r->to[i] = bound(steps + zero, -128, 127) - zero;
  }
}

float ash_ref_quantise_row(const float *x, size_t count, bool asymmetric,
                           int32_t *to) {
  row r = {.x = x, .count = count, .scale = 1};
  r.to = to;
  if (asymmetric)
    quantise_asymmetric(&r);
  else
    quantise_symmetric(&r);
  return r.scale;
}

ash_status ash_ref_quantise_rows(const ash_ref_call *c, uint32_t k, size_t rows,
                                 bool asymmetric, const int32_t **values,
                                 const float **scales) {
  const size_t all = (size_t)ash_ref_elements(ash_ref_in(c, k));
  int32_t *to = ASH_NEW_ARRAY(&c->ctx->scratch, int32_t, all + 1);
  float *scale = ASH_NEW_ARRAY(&c->ctx->scratch, float, rows + 1);
  *values = to;
  *scales = scale;
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (size_t i = 0; i < rows; i++) {
    const size_t count = all / rows;
    scale[i] =
        ash_ref_quantise_row((const float *)ash_ref_read(c, k) + i * count,
                             count, asymmetric, to + i * count);
  }
  return ASH_OK;
}

float ash_ref_weigh(const ash_ref_call *c, uint32_t k, size_t i, const float *x,
                    size_t count, int32_t *codes) {
  const ash_tensor *w = ash_ref_in(c, k);
  int64_t sum = 0;
  float real = 0;
  if (w->type == ASH_FLOAT32) {
    for (size_t n = 0; n < count; n++)
      real += ((const float *)ash_ref_read(c, k))[i * count + n] * x[n];
    return real;
  }
  const float scale = ash_ref_quantise_row(
      x, count, ash_attr_int(c->op, "asymmetric", 0) != 0, codes);
  for (size_t n = 0; n < count; n++)
    sum +=
        (int64_t)((const int8_t *)ash_ref_read(c, k))[i * count + n] * codes[n];
  return (float)ash_ref_wrap(sum) * (scale * ash_ref_scale_of(w));
}
