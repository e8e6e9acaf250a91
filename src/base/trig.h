/* trig.h - cosines and sines for tables, the same on every machine: the C
 * library's differ in the last bit. */
#ifndef ASH_BASE_TRIG_H
#define ASH_BASE_TRIG_H

#include <stdint.h>

/* Cosine and sine of the angle 2 pi k / n, 0 <= k < n < 2^59: the k-th of the
 * n-th roots of unity, as Fourier transforms need them. */
void ash_root_of_unity(int64_t k, int64_t n, double *cosine, double *sine);

#endif
