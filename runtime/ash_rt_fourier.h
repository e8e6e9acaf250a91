/* ash_rt_fourier.h - Fourier transforms and complex numbers. */
#ifndef ASH_RT_FOURIER_H
#define ASH_RT_FOURIER_H

#include "ash_rt_maps.h"

/* Images of in_h by in_w, cut or filled up with zeros to fft_h by fft_w. The
 * output has fft_w / 2 + 1 complex columns; the table cosine and sine of each
 * k / n turns, n the larger length; `work` n complex numbers. */
typedef struct ash_rt_rfft2d_params {
  int32_t images, in_h, in_w, fft_h, fft_w;
} ash_rt_rfft2d_params;

void ash_rt_rfft2d(const ash_rt_rfft2d_params *p, const float *in,
                   const float *table, float *out, void *work);
void ash_rt_complex_abs(const ash_rt_count_params *p, const float *in,
                        float *out);
void ash_rt_complex_real(const ash_rt_count_params *p, const float *in,
                         float *out);
void ash_rt_complex_imag(const ash_rt_count_params *p, const float *in,
                         float *out);

#endif
