/* ref_fold.c - sums and means of quantised values, and choices. */
#include "ref/ref_any.h"
#include "ref/ref_fixed.h"

#include <math.h>

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

/* ---- choices --------------------------------------------------------------
 */

/* Intersection over union of two boxes, each step rounded to float32. */
static float overlap(const float *a, const float *b, bool centre) {
  float low[2], high[2], area[2], sides[2];
  for (uint32_t d = 0; d < 2; d++) { /* along one axis, then the other */
    float from[2], to[2];
    for (uint32_t k = 0; k < 2; k++) {
      const float *box = k ? b : a;
      const float half = box[2 + d] / 2;
      from[k] = centre ? box[d] - half : fminf(box[d], box[d + 2]);
      to[k] = centre ? box[d] + half : fmaxf(box[d], box[d + 2]);
    }
    low[d] = fmaxf(from[0], from[1]);
    high[d] = fminf(to[0], to[1]);
    for (uint32_t k = 0; k < 2; k++)
      area[k] = d == 0 ? to[k] - from[k] : (to[k] - from[k]) * area[k];
    sides[d] = fmaxf(high[d] - low[d], 0);
  }
  const float both = sides[0] * sides[1];
  return area[0] > 0 && area[1] > 0 ? both / (area[0] + area[1] - both) : 0;
}

/* By the definition: the scores of all that are left, after every choice. */
static ash_status choose(const ash_ref_call *c, const float *boxes,
                         const float *scores, int32_t *places, float *best) {
  const uint64_t n = (uint64_t)ash_ref_in(c, 0)->shape.dim[1];
  const float iou = (float)ash_attr_float(c->op, "iou", 0);
  const float least = (float)ash_attr_float(c->op, "least", 0);
  const double sigma = ash_attr_float(c->op, "sigma", 0);
  const bool centre = ash_attr_int(c->op, "centre", 0) != 0;
  float *now = ASH_NEW_ARRAY(&c->ctx->scratch, float, n);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint64_t i = 0; i < n; i++)
    now[i] = scores[i] > least ? scores[i] : least;
  for (int64_t k = 0; k < ash_attr_int(c->op, "k", 1); k++) {
    uint64_t next = 0;
    for (uint64_t i = 1; i < n; i++)
      next = now[i] > now[next] ? i : next;
    const bool found = now[next] > least;
    places[k] = found ? (int32_t)next : -1;
    best[k] = found ? now[next] : 0;
    for (uint64_t i = 0; found && i < n; i++) {
      const float v = overlap(&boxes[4 * i], &boxes[4 * next], centre);
      if (i == next || v > iou)
        now[i] = least;
      else if (sigma > 0)
        now[i] *= expf((float)(-0.5 / sigma) * v * v);
    }
  }
  return ASH_OK;
}

ash_status ash_ref_non_max_suppression(const ash_ref_call *c) {
  const ash_shape *s = &ash_ref_in(c, 1)->shape;
  const int64_t k = ash_attr_int(c->op, "k", 1);
  const float *boxes = ash_ref_read(c, 0), *scores = ash_ref_read(c, 1);
  int32_t *places = ash_ref_write(c, 0);
  float *best = ash_ref_write(c, 1);
  for (int64_t i = 0; i < (int64_t)s->dim[0] * s->dim[1]; i++)
    ASH_TRY(choose(c, boxes + i / s->dim[1] * 4 * s->dim[2],
                   scores + i * s->dim[2], places + i * k, best + i * k));
  return ASH_OK;
}

/* How likely class i is, if it is i or j. */
static float rather(const float *r, int64_t n, int64_t i, int64_t j) {
  return i < j ? r[i * n + j] : 1 - r[j * n + i];
}

/* Entry of the matrix Q of the quadratic form that is made least. */
static float form(const float *r, int64_t n, int64_t i, int64_t j) {
  float sum = 0;
  if (i != j)
    return -rather(r, n, j, i) * rather(r, n, i, j);
  for (int64_t k = 0; k < n; k++)
    sum += k == i ? 0 : rather(r, n, k, i) * rather(r, n, k, i);
  return sum;
}

/* Q p, and p' Q p. */
static float apply(const float *r, int64_t n, const float *p, float *qp) {
  float pqp = 0;
  for (int64_t i = 0; i < n; i++) {
    qp[i] = 0;
    for (int64_t j = 0; j < n; j++)
      qp[i] += form(r, n, i, j) * p[j];
    pqp += p[i] * qp[i];
  }
  return pqp;
}

/* One sweep over the classes, in float32; true when it was not needed. */
static bool couple(int64_t n, const float *r, float *p, float *qp) {
  float pqp = apply(r, n, p, qp), worst = 0;
  for (int64_t i = 0; i < n; i++)
    worst = fmaxf(worst, fabsf(qp[i] - pqp));
  if (worst < 0.005f / (float)n)
    return true;
  for (int64_t i = 0; i < n; i++) {
    const float own = form(r, n, i, i), d = (pqp - qp[i]) / own;
    p[i] += d;
    pqp = (pqp + d * (d * own + 2 * qp[i])) / (1 + d) / (1 + d);
    for (int64_t j = 0; j < n; j++) {
      qp[j] = (qp[j] + d * form(r, n, i, j)) / (1 + d);
      p[j] /= 1 + d;
    }
  }
  return false;
}

ash_status ash_ref_pairwise_coupling(const ash_ref_call *c) {
  enum { ROUNDS = 100 };
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const int64_t n = out->dim[1];
  const float *pair = ash_ref_read(c, 0);
  float *p = ash_ref_write(c, 0);
  float *r = ASH_NEW_ARRAY(&c->ctx->scratch, float, (size_t)(n * n));
  float *qp = ASH_NEW_ARRAY(&c->ctx->scratch, float, (size_t)n);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (int64_t row = 0; row < out->dim[0]; row++, p += n) {
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = i + 1; j < n; j++)
        r[i * n + j] = *pair++;
    for (int64_t i = 0; i < n; i++)
      p[i] = 1 / (float)n;
    for (uint32_t round = 0; round < ROUNDS; round++)
      if (couple(n, r, p, qp))
        break;
  }
  return ASH_OK;
}
