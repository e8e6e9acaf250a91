/* ash_rt_attention.h - softmax(Q K') V, for one row of Q after the other: the
 * scores of a row are all that is kept. */
#ifndef ASH_RT_ATTENTION_H
#define ASH_RT_ATTENTION_H

#include "ash_rt.h"

/* `dim` has the axes before the matrices; steps are of elements, 0 where an
 * operand is repeated. Heads of keys and values serve `group` neighbours. */
typedef struct ash_rt_attention {
  int32_t axes;
  int32_t dim[ASH_RT_RANK];
  int32_t step_k[ASH_RT_RANK];
  int32_t step_v[ASH_RT_RANK];
  int32_t step_bias[ASH_RT_RANK];
  int32_t step_keep[ASH_RT_RANK];
  int32_t group;
  int32_t rows, keys, depth, columns;
  int32_t k_key, k_depth; /* of K: to the next key, and along one */
  int32_t bias_row, bias_key, keep_row, keep_key;
} ash_rt_attention;

/* Where an operand's matrix is. */
static inline int32_t ash_rt_attention_at(const ash_rt_attention *s,
                                          const int32_t *step,
                                          const int32_t *at, int32_t group) {
  int32_t offset = 0;
  for (int32_t d = 0; d < s->axes; d++)
    offset += (d + 1 == s->axes ? at[d] / group : at[d]) * step[d];
  return offset;
}

/* The next matrix of Q; 0 at the end. */
static inline int ash_rt_attention_next(const ash_rt_attention *s,
                                        int32_t *at) {
  for (int32_t d = s->axes - 1; d >= 0; d--) {
    if (++at[d] < s->dim[d])
      return 1;
    at[d] = 0;
  }
  return 0;
}

/* Scores: sums times `factor` over `divisor`, plus bias, and `filler` where
 * `keep` is not `kept`; bias and keep may be absent. Work memory: a float for
 * each key. */
typedef struct ash_rt_attention_f32_params {
  ash_rt_attention shape;
  float factor, divisor, filler, beta;
  int32_t kept;
} ash_rt_attention_f32_params;

void ash_rt_attention_f32(const ash_rt_attention_f32_params *p, const float *q,
                          const float *k, const float *v, const float *bias,
                          const uint8_t *keep, float *out, void *scratch);

/* table[d] is exp(-d * scale * beta) in Q0.31. Work memory: four bytes for each
 * column, one for each key. `bias` and `keep` are absent. */
typedef struct ash_rt_attention_s8_params {
  ash_rt_attention shape;
  int32_t q_offset, k_offset, v_offset, out_offset;
  int32_t score_multiplier, score_shift, score_offset;
  int32_t multiplier, shift;
} ash_rt_attention_s8_params;

void ash_rt_attention_s8(const ash_rt_attention_s8_params *p, const int8_t *q,
                         const int8_t *k, const int8_t *v, const float *bias,
                         const uint8_t *keep, const int32_t *table, int8_t *out,
                         void *scratch);

#endif
