/* fixed_exp.h - exponentials for the tables that kernels look up: in fixed
 * point, with the roundings of TensorFlow Lite's reference, and in double,
 * the same on every machine. */
#ifndef ASH_PASS_FIXED_EXP_H
#define ASH_PASS_FIXED_EXP_H

#include <stdint.h>

/* a * b * 2^-31 to the nearest, ties up. */
int32_t ash_fixed_mul(int32_t a, int32_t b);

/* exp(x) for x <= 0 in Q5.26; the result is in Q0.31. */
int32_t ash_fixed_exp(int32_t x);

/* To within a few units in the last place; does not use the C library's, whose
 * last bit differs between systems. */
double ash_exact_exp(double x);

#endif
