/* ash_rt_pairwise_coupling_f32.c - probabilities of classes from those of
 * pairs, T.-F. Wu, C.-J. Lin, R. C. Weng, "Probability Estimates for
 * Multi-class Classification by Pairwise Coupling" (2004), the second method.
 */
#include "ash_rt_choices.h"

#include <math.h>

enum { ASH_RT_COUPLING_ROUNDS = 100 };

/* Q[i][i] = sum of r_ji^2, Q[i][j] = -r_ji r_ij; r_ij: i rather than j. */
static void ash_rt_pairs_matrix(int32_t n, const float *r, float *q) {
  for (int32_t i = 0; i < n; i++)
    q[i * n + i] = 0.0f;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = i + 1; j < n; j++, r++) {
      const float first = *r, second = 1.0f - *r;
      q[i * n + i] += second * second;
      q[j * n + j] += first * first;
      q[i * n + j] = q[j * n + i] = -second * first;
    }
}

/* q p and p' q p; how far p is from the fixed point. */
static float ash_rt_coupling_error(int32_t n, const float *q, const float *p,
                                   float *qp, float *pqp) {
  float error = 0.0f;
  *pqp = 0.0f;
  for (int32_t i = 0; i < n; i++) {
    qp[i] = 0.0f;
    for (int32_t j = 0; j < n; j++)
      qp[i] += q[i * n + j] * p[j];
    *pqp += p[i] * qp[i];
  }
  for (int32_t i = 0; i < n; i++) {
    const float e = fabsf(qp[i] - *pqp);
    error = e > error ? e : error;
  }
  return error;
}

static void ash_rt_couple(int32_t n, const float *q, float *p, float *qp) {
  const float enough = 0.005f / (float)n;
  float pqp;
  for (int32_t i = 0; i < n; i++)
    p[i] = 1.0f / (float)n;
  for (int32_t round = 0; round < ASH_RT_COUPLING_ROUNDS; round++) {
    if (ash_rt_coupling_error(n, q, p, qp, &pqp) < enough)
      return;
    for (int32_t i = 0; i < n; i++) {
      const float d = (pqp - qp[i]) / q[i * n + i];
      p[i] += d;
      pqp = (pqp + d * (d * q[i * n + i] + 2.0f * qp[i])) / (1.0f + d) /
            (1.0f + d);
      for (int32_t j = 0; j < n; j++) {
        qp[j] = (qp[j] + d * q[i * n + j]) / (1.0f + d);
        p[j] /= 1.0f + d;
      }
    }
  }
}

void ash_rt_pairwise_coupling_f32(const ash_rt_pairwise_coupling_params *p,
                                  const float *pairs, float *out, void *work) {
  const int32_t n = p->classes;
  float *q = (float *)work;
  for (int32_t row = 0; row < p->rows; row++) {
    ash_rt_pairs_matrix(n, pairs, q);
    ash_rt_couple(n, q, out, q + (ptrdiff_t)n * n);
    pairs += (ptrdiff_t)n * (n - 1) / 2;
    out += n;
  }
}
