/* nearest.c - exact search, and Levenshtein distance, one row at a time. */
#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

size_t ash_name_find(const char *const *first, size_t stride, size_t count,
                     const char *word) {
  const char *row = (const char *)first;
  for (size_t i = 0; i < count; i++, row += stride)
    if (strcmp(*(const char *const *)(const void *)row, word) == 0)
      return i;
  return count;
}

enum { WORD_MAX = 64 };

static int lower(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static size_t count_of(const char *word) {
  const char *end = memchr(word, '\0', WORD_MAX);
  return end ? (size_t)(end - word) : WORD_MAX - 1;
}

static size_t least(size_t a, size_t b, size_t c) {
  const size_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

size_t ash_edit_distance(const char *a, const char *b) {
  const size_t a_count = count_of(a), b_count = count_of(b);
  size_t row[WORD_MAX];
  for (size_t k = 0; k <= b_count; k++)
    row[k] = k;
  for (size_t i = 0; i < a_count; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t k = 0; k < b_count; k++) {
      const size_t above = row[k + 1];
      const size_t replaced = diagonal + (lower(a[i]) != lower(b[k]));
      row[k + 1] = least(above + 1, row[k] + 1, replaced);
      diagonal = above;
    }
  }
  return row[b_count];
}

void ash_nearest_init(ash_nearest *n, const char *word) {
  *n = (ash_nearest){.word = word, .distance = SIZE_MAX};
}

void ash_nearest_offer(ash_nearest *n, const char *known) {
  const size_t distance = ash_edit_distance(n->word, known);
  if (distance >= n->distance)
    return;
  n->best = known;
  n->distance = distance;
}

/* A third of the word may be wrong; of a short one, two letters. */
const char *ash_nearest_word(const ash_nearest *n) {
  const size_t limit = count_of(n->word) / 3;
  return n->distance <= (limit > 2 ? limit : 2) ? n->best : NULL;
}

const char *ash_nearest_of(const char *word, const char *const *known,
                           size_t count) {
  ash_nearest n;
  ash_nearest_init(&n, word);
  for (size_t i = 0; i < count; i++)
    ash_nearest_offer(&n, known[i]);
  return ash_nearest_word(&n);
}
