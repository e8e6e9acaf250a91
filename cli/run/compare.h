/* compare.h - arrays of numbers of any type: conversion and comparison. */
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "ashlar/graph.h"

typedef struct comparison {
  uint64_t errors, count;
  double max_difference;
} comparison;

/* Adds the comparison of `count` elements. Integers must be equal (within
 * `tolerance` if it is at least 1); floats may differ by
 * tolerance * max(1, |want|); NaN equals NaN. */
void compare_arrays(comparison *c, ash_type type, const void *got,
                    const void *want, uint64_t count, double tolerance);

/* Element as a double; exact for everything but large 64-bit integers. */
double element_value(ash_type type, const void *data, uint64_t index);

/* Writes `from` elements as `to` elements. False if a value does not fit. */
bool convert_elements(ash_type to_type, void *to, ash_type from_type,
                      const void *from, uint64_t count);

#endif
