/* ref_fixed.h - fixed-point arithmetic as LiteRT's reference kernels do it.
 * docs/numerics.md, "Building blocks", has the definitions in words. */
#ifndef ASH_REF_REF_FIXED_H
#define ASH_REF_REF_FIXED_H

#include <stdint.h>

/* A positive real number: multiplier * 2^(shift - 31). */
typedef struct ash_ref_factor {
  int32_t multiplier;
  int32_t shift;
} ash_ref_factor;

ash_ref_factor ash_ref_factor_of(double real);
/* The same for a result that is rounded once, where that loses less than the
 * second rounding does: no shift, so fewer bits for small numbers. */
ash_ref_factor ash_ref_factor_once(double real);
/* x times the factor, rounded twice: after the product, after the shift. */
int32_t ash_ref_rescale(int32_t x, ash_ref_factor f);
/* The same of a 64-bit sum: the multiplier is first cut to 15 bits, the result
 * is rounded once, ties up, and saturated to 32 bits. */
int32_t ash_ref_rescale_long(int64_t x, ash_ref_factor f);

/* a * b / 2^31, rounded to nearest, ties up. */
int32_t ash_ref_high_mul(int32_t a, int32_t b);
/* x / 2^n, rounded to nearest, ties away from zero; 0 <= n <= 31. */
int32_t ash_ref_round_shift(int32_t x, int32_t n);
/* x * 2^n, saturating. */
int32_t ash_ref_shift_left(int32_t x, int32_t n);
/* Keeps the low 32 bits, as an overflowing int32 does on every machine. */
int32_t ash_ref_wrap(int64_t x);

/* exp(a) for a <= 0 in Q5.26; the result in Q0.31. */
int32_t ash_ref_exp(int32_t a);
/* 1 / (1 + x) for x in [0, 1), both in Q0.31. */
int32_t ash_ref_reciprocal(int32_t x);
/* 1 / sqrt(x) of an integer, by Newton's method; x <= 1 gives 1. */
ash_ref_factor ash_ref_inverse_sqrt(int32_t x);
/* log(x) for x >= 1 in Q12.19; the result in Q5.26. */
int32_t ash_ref_log(int32_t x);
/* Zeros above the highest one, 32 for 0. */
int32_t ash_ref_leading_zeros(uint32_t x);

#endif
