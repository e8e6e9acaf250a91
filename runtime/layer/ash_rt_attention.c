/* ash_rt_attention.c - softmax(Q K') V without the matrix of scores. Each row
 * is done before the next one starts, in the order and with the roundings of
 * product, softmax and product; the result may take the place of Q. */
#include "ash_rt_attention.h"

/* kernel attention_f32 */
#include <math.h>

static void ash_rt_attention_scores_f32(const ash_rt_attention_f32_params *p,
                                        const float *q, const float *k,
                                        const float *bias, const uint8_t *keep,
                                        float *scores) {
  const ash_rt_attention *s = &p->shape;
  for (int32_t n = 0; n < s->keys; n++, k += s->k_key) {
    if (keep && (keep[n * s->keep_key] != 0) != p->kept) {
      scores[n] = p->filler;
      continue;
    }
    float sum = 0.0f;
    for (int32_t d = 0; d < s->depth; d++)
      sum += q[d] * k[d * s->k_depth];
    sum = sum * p->factor / p->divisor;
    scores[n] = bias ? sum + bias[n * s->bias_key] : sum;
  }
}

static void ash_rt_attention_softmax_f32(const ash_rt_attention_f32_params *p,
                                         float *x) {
  const int32_t keys = p->shape.keys;
  float max = x[0], sum = 0.0f;
  for (int32_t n = 1; n < keys; n++)
    max = x[n] > max ? x[n] : max;
  for (int32_t n = 0; n < keys; n++) {
    x[n] = expf((x[n] - max) * p->beta);
    sum += x[n];
  }
  for (int32_t n = 0; n < keys; n++)
    x[n] = x[n] / sum;
}

static void ash_rt_attention_mix_f32(const ash_rt_attention *s,
                                     const float *shares, const float *v,
                                     float *out) {
  for (int32_t e = 0; e < s->columns; e++)
    out[e] = 0.0f;
  for (int32_t n = 0; n < s->keys; n++, v += s->columns)
    for (int32_t e = 0; e < s->columns; e++)
      out[e] += shares[n] * v[e];
}

void ash_rt_attention_f32(const ash_rt_attention_f32_params *p, const float *q,
                          const float *k, const float *v, const float *bias,
                          const uint8_t *keep, float *out, void *scratch) {
  const ash_rt_attention *s = &p->shape;
  int32_t at[ASH_RT_RANK] = {0};
  float *x = (float *)scratch;
  do {
    const float *k0 = k + ash_rt_attention_at(s, s->step_k, at, s->group);
    const float *v0 = v + ash_rt_attention_at(s, s->step_v, at, s->group);
    const int32_t b0 = ash_rt_attention_at(s, s->step_bias, at, 1);
    const int32_t m0 = ash_rt_attention_at(s, s->step_keep, at, 1);
    for (int32_t m = 0; m < s->rows; m++) {
      ash_rt_attention_scores_f32(p, q, k0,
                                  bias ? bias + b0 + m * s->bias_row : 0,
                                  keep ? keep + m0 + m * s->keep_row : 0, x);
      ash_rt_attention_softmax_f32(p, x);
      ash_rt_attention_mix_f32(s, x, v0, out);
      q += s->depth;
      out += s->columns;
    }
  } while (ash_rt_attention_next(s, at));
}

/* kernel attention_s8 */
#include "ash_rt_softmax.h"

static void ash_rt_attention_scores_s8(const ash_rt_attention_s8_params *p,
                                       const int8_t *q, const int8_t *k,
                                       int8_t *scores) {
  const ash_rt_attention *s = &p->shape;
  for (int32_t n = 0; n < s->keys; n++, k += s->k_key) {
    uint32_t sum = 0;
    for (int32_t d = 0; d < s->depth; d++)
      sum +=
          (uint32_t)((q[d] + p->q_offset) * (k[d * s->k_depth] + p->k_offset));
    scores[n] = (int8_t)ash_rt_finish(
        ash_rt_rescale((int32_t)sum, p->score_multiplier, p->score_shift),
        p->score_offset, -128, 127);
  }
}

/* Shares start at -128. */
static void ash_rt_attention_mix_s8(const ash_rt_attention_s8_params *p,
                                    const int8_t *shares, const int8_t *v,
                                    uint32_t *sums, int8_t *out) {
  const int32_t columns = p->shape.columns;
  for (int32_t e = 0; e < columns; e++)
    sums[e] = 0;
  for (int32_t n = 0; n < p->shape.keys; n++, v += columns)
    for (int32_t e = 0; e < columns; e++)
      sums[e] += (uint32_t)((shares[n] + 128) * (v[e] + p->v_offset));
  for (int32_t e = 0; e < columns; e++)
    out[e] = (int8_t)ash_rt_finish(
        ash_rt_rescale((int32_t)sums[e], p->multiplier, p->shift),
        p->out_offset, -128, 127);
}

void ash_rt_attention_s8(const ash_rt_attention_s8_params *p, const int8_t *q,
                         const int8_t *k, const int8_t *v, const float *bias,
                         const uint8_t *keep, const int32_t *table, int8_t *out,
                         void *scratch) {
  const ash_rt_attention *s = &p->shape;
  int32_t at[ASH_RT_RANK] = {0};
  uint32_t *sums = (uint32_t *)scratch;
  int8_t *x = (int8_t *)(sums + s->columns);
  (void)bias, (void)keep;
  do {
    const int8_t *k0 = k + ash_rt_attention_at(s, s->step_k, at, s->group);
    const int8_t *v0 = v + ash_rt_attention_at(s, s->step_v, at, s->group);
    for (int32_t m = 0; m < s->rows; m++) {
      ash_rt_attention_scores_s8(p, q, k0, x);
      ash_rt_softmax_row((const uint8_t *)x, s->keys, table, x, 0, 8);
      ash_rt_attention_mix_s8(p, x, v0, sums, out);
      q += s->depth;
      out += s->columns;
    }
  } while (ash_rt_attention_next(s, at));
}
