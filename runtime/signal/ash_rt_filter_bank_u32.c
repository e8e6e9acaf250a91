/* ash_rt_filter_bank_u32.c - energies of frequencies, added up in channels. */
#include "ash_rt_fourier.h"

void ash_rt_filter_bank_u32(const ash_rt_count_params *p, const uint32_t *in,
                            const int16_t *weights, const int16_t *unweights,
                            const int16_t *at, const int16_t *weight_at,
                            const int16_t *widths, uint64_t *out) {
  uint64_t left = 0; /* of frequencies that the channel before has in part */
  for (int32_t i = 0; i <= p->count; i++) {
    const int16_t *w = weights + weight_at[i], *u = unweights + weight_at[i];
    const uint32_t *x = in + at[i];
    uint64_t sum = left;
    left = 0;
    for (int32_t k = 0; k < widths[i]; k++) {
      sum += (uint64_t)((int64_t)w[k] * (int64_t)x[k]);
      left += (uint64_t)((int64_t)u[k] * (int64_t)x[k]);
    }
    if (i > 0)
      out[i - 1] = sum;
  }
}
