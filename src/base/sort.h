/* sort.h - stable merge sort on arrays of any element size, with a user
 * pointer for the comparison. Never depends on the C library's qsort, whose
 * order of equal elements differs between systems. */
#ifndef ASH_BASE_SORT_H
#define ASH_BASE_SORT_H

#include <stddef.h>

/* Negative, zero, positive: a before, equal to, after b. */
typedef int ash_compare(const void *a, const void *b, const void *user);

/* `spare` has room for as many bytes as the array. */
void ash_sort(void *items, void *spare, size_t count, size_t size,
              ash_compare *compare, const void *user);

#endif
