/* ash_rt_cumsum.c - running sums along an axis. */
#include "ash_rt_folds.h"

/* Element d of row (o, i), counted in the direction of the sum. */
static ptrdiff_t ash_rt_cumsum_at(const ash_rt_cumsum_params *p, int32_t o,
                                  int32_t d, int32_t i) {
  const int32_t k = p->reverse ? p->depth - 1 - d : d;
  return ((ptrdiff_t)o * p->depth + k) * p->inner + i;
}

/* kernel cumsum_f32 */
void ash_rt_cumsum_f32(const ash_rt_cumsum_params *p, const float *in,
                       float *out) {
  for (int32_t o = 0; o < p->outer; o++)
    for (int32_t i = 0; i < p->inner; i++) {
      float sum = 0.0f;
      for (int32_t d = 0; d < p->depth; d++) {
        const ptrdiff_t at = ash_rt_cumsum_at(p, o, d, i);
        const float before = sum;
        sum += in[at];
        out[at] = p->exclusive ? before : sum;
      }
    }
}

/* kernel cumsum_whole */
void ash_rt_cumsum_whole(const ash_rt_cumsum_params *p, const void *in,
                         void *out) {
  for (int32_t o = 0; o < p->outer; o++)
    for (int32_t i = 0; i < p->inner; i++) {
      uint64_t sum = 0;
      for (int32_t d = 0; d < p->depth; d++) {
        const ptrdiff_t at = ash_rt_cumsum_at(p, o, d, i);
        const uint64_t before = sum;
        sum += (uint64_t)ash_rt_load(in, p->type, at);
        ash_rt_store(out, p->type, at, (int64_t)(p->exclusive ? before : sum));
      }
    }
}
