/* sort.c - bottom-up stable merge sort. */
#include "base/sort.h"

#include <string.h>

typedef struct job {
  size_t size;
  ash_compare *compare;
  const void *user;
} job;

static void merge(const job *j, unsigned char *to, const unsigned char *a,
                  size_t a_count, const unsigned char *b, size_t b_count) {
  while (a_count && b_count) {
    const int take_b = j->compare(b, a, j->user) < 0;
    memcpy(to, take_b ? b : a, j->size);
    to += j->size;
    if (take_b)
      b += j->size, b_count--;
    else
      a += j->size, a_count--;
  }
  memcpy(to, a, a_count * j->size);
  memcpy(to + a_count * j->size, b, b_count * j->size);
}

static void merge_runs(const job *j, unsigned char *to,
                       const unsigned char *from, size_t count, size_t run) {
  for (size_t at = 0; at < count; at += 2 * run) {
    const size_t left = count - at < run ? count - at : run;
    const size_t rest = count - at - left;
    const size_t right = rest < run ? rest : run;
    merge(j, to + at * j->size, from + at * j->size, left,
          from + (at + left) * j->size, right);
  }
}

void ash_sort(void *items, void *spare, size_t count, size_t size,
              ash_compare *compare, const void *user) {
  const job j = {size, compare, user};
  unsigned char *from = items, *to = spare;
  for (size_t run = 1; run < count; run *= 2) {
    merge_runs(&j, to, from, count, run);
    unsigned char *swap = from;
    from = to;
    to = swap;
  }
  if (from != items && count)
    memcpy(items, from, count * size);
}
