/* turn.h - cosines and sines for tables, the same on every machine: the C
 * library's differ in the last bit. */
#ifndef ASH_BASE_TURN_H
#define ASH_BASE_TURN_H

#include <stdint.h>

/* Of k / n turns, 0 <= k < n < 2^59. */
void ash_turn(int64_t k, int64_t n, double *cosine, double *sine);

#endif
