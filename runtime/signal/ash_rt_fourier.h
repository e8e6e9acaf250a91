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
/* Rows of up to `length` samples, filled up with zeros. The output has length /
 * 2 + 1 complex numbers a row; the table turns by k / (length / 2), then
 * length / 4 that separate even from odd samples; `work` length / 2 complex
 * numbers. All are pairs of int16. */
typedef struct ash_rt_fixed_rfft_params {
  int32_t rows, row, length;
} ash_rt_fixed_rfft_params;

void ash_rt_fixed_rfft_s16(const ash_rt_fixed_rfft_params *p, const int16_t *in,
                           const int16_t *table, int16_t *out, void *work);

/* `count` channels and one before the first: at[i] is where the frequencies of
 * channel i - 1 start. */
void ash_rt_filter_bank_u32(const ash_rt_count_params *p, const uint32_t *in,
                            const int16_t *weights, const int16_t *unweights,
                            const int16_t *at, const int16_t *weight_at,
                            const int16_t *widths, uint64_t *out);
void ash_rt_complex_abs(const ash_rt_count_params *p, const float *in,
                        float *out);
void ash_rt_complex_real(const ash_rt_count_params *p, const float *in,
                         float *out);
void ash_rt_complex_imag(const ash_rt_count_params *p, const float *in,
                         float *out);

#endif
