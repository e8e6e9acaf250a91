/* ranges.h - which tensors hold nothing but integers, and between which limits:
 * proved from types, constants and operators, never from samples.
 *
 * Floats beyond 2^24 are taken for the integers that the model means, not
 * for what rounding would make of them. */
#ifndef ASH_PASS_RANGES_H
#define ASH_PASS_RANGES_H

#include "graph/graph.h"
#include "op/functions.h"

typedef struct ash_range {
  bool known; /* every element is an integer from low to high */
  int64_t low, high;
} ash_range;

/* One for each tensor, in the scratch zone. */
ash_status ash_ranges_of(ash_ctx *ctx, ash_range **out, const ash_graph *g);

/* All values of an integer type; unknown for floats and uint64. */
ash_range ash_range_of_type(ash_type type);
bool ash_range_fits(const ash_range *r, ash_type type);
/* int8, uint8, int16 or int32, the smallest; ASH_NONE if none is enough. */
ash_type ash_range_type(const ash_range *r);
/* From the smallest to the largest of both. */
ash_range ash_range_join(ash_range a, ash_range b);

/* a scalar function of ranges (ranges_map.c); operands that it does not have
 * are not looked at. Arithmetic is in 64 bits: unknown where that may wrap. */
ash_range ash_range_apply(ash_fn fn, const ash_range *o);
ash_range ash_range_times(ash_range a, ash_range b);
ash_range ash_range_plus(ash_range a, ash_range b);
/* The sum of `count` elements. */
ash_range ash_range_sum(ash_range each, uint64_t count);
ash_range ash_range_clamp(ash_range r, int64_t low, int64_t high);

/* Sums of products (ranges_product.c): float or integer, without scales.
 * Partial sums, in any order, lie between 0 and the result's limits or between
 * those and the bias: where the result fits 32 bits without its bias, so do
 * they. */
ash_range ash_range_of_product(const ash_graph *g, const ash_op *op,
                               const ash_range *ranges);

#endif
