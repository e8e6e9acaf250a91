/* ref_any.h - elements of any type as numbers: floats
 * are computed in double and rounded once when stored, integers in 64 bits
 * that wrap around. */
#ifndef ASH_REF_REF_ANY_H
#define ASH_REF_REF_ANY_H

#include "op/functions.h"
#include "ref/ref_call.h"

typedef struct ash_number {
  bool real;
  bool is_unsigned; /* 64 bits, no sign */
  double x;
  int64_t i;
} ash_number;

ash_number ash_ref_number_get(const ash_tensor *t, const void *data,
                              uint64_t at);
/* As stored in a tensor of that type: conversions are C's, but values beyond
 * an integer type become 0. */
void ash_ref_number_put(const ash_tensor *t, void *data, uint64_t at,
                        ash_number n);
/* Cut towards zero; floats beyond the type become its ends, NaN its largest. */
ash_number ash_ref_number_saturate(ash_type type, ash_number n);
/* The fold of quantised values (ref_fold.c). */
ash_status ash_ref_scaled_sum(const ash_ref_call *c);
/* 0 as a value of that tensor. */
ash_number ash_ref_number_zero(const ash_tensor *t);
/* sum + a * b in that type: integers wrap around at 64 bits. */
void ash_ref_number_accumulate(ash_type type, ash_number *sum, ash_number a,
                               ash_number b);
ash_number ash_ref_number_apply(ash_fn fn, const ash_number *o);
/* What a fold of values makes, from a tensor of that type. */
ash_number ash_ref_number_fold(ash_type type, ash_fold fold,
                               const ash_number *values, uint64_t count);

#endif
