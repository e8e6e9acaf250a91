/* kernel_data.h - random data for tests of device kernels, extremes made
 * likely, and the arithmetic of kernels as plain as possible. */
#ifndef ASH_TESTS_KERNEL_DATA_H
#define ASH_TESTS_KERNEL_DATA_H

#include "base/rng.h"

#include <stdint.h>

/* What all of it is drawn from. */
extern ash_rng kernel_rng;

int32_t random_below(int32_t n);
int32_t random_between(int32_t low, int32_t high);
int8_t random_s8(void);
float random_f32(void);
void fill_s8(int8_t *to, int32_t count);
void fill_f32(float *to, int32_t count);

/* The range of an activation of int8. */
void fill_range(int32_t *low, int32_t *high);

int32_t plain_rescale(int32_t x, int32_t m, int32_t e);
int8_t plain_clamp(int64_t x, int32_t low, int32_t high);

#endif
