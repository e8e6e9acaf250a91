/* ash_rt_complex.c - size and parts of complex numbers. */
#include "ash_rt_fourier.h"

#include <math.h>

/* kernel complex_abs */
void ash_rt_complex_abs(const ash_rt_count_params *p, const float *in,
                        float *out) {
  for (int32_t i = 0; i < p->count; i++, in += 2)
    out[i] = sqrtf(in[0] * in[0] + in[1] * in[1]);
}

/* kernel complex_real */
void ash_rt_complex_real(const ash_rt_count_params *p, const float *in,
                         float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[2 * i];
}

/* kernel complex_imag */
void ash_rt_complex_imag(const ash_rt_count_params *p, const float *in,
                         float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = in[2 * i + 1];
}
