/* nearest.c - exact search, and the distance of optimal string
 * alignment: letters put in, left out, replaced, or swapped with the next. */
#include "base/nearest.h"

#include <stdint.h>
#include <string.h>

size_t ash_name_find(const char *const *first, size_t stride, size_t count,
                     const char *word) {
  const char *row = (const char *)first;
  for (size_t i = 0; word && i < count; i++, row += stride)
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

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static bool is_swapped(const char *a, const char *b, size_t i, size_t k) {
  return i > 0 && k > 0 && lower(a[i]) == lower(b[k - 1]) &&
         lower(a[i - 1]) == lower(b[k]);
}

size_t ash_edit_distance(const char *a, const char *b) {
  const size_t a_count = count_of(a), b_count = count_of(b);
  size_t rows[3][WORD_MAX]; /* of letter i of a: rows[i % 3] */
  for (size_t k = 0; k <= b_count; k++)
    rows[0][k] = k;
  for (size_t i = 0; i < a_count; i++) {
    const size_t *above = rows[i % 3], *above_that = rows[(i + 2) % 3];
    size_t *row = rows[(i + 1) % 3];
    row[0] = i + 1;
    for (size_t k = 0; k < b_count; k++) {
      row[k + 1] = least(above[k] + (lower(a[i]) != lower(b[k])),
                         least(above[k + 1], row[k]) + 1);
      if (is_swapped(a, b, i, k))
        row[k + 1] = least(row[k + 1], above_that[k - 1] + 1);
    }
  }
  return rows[a_count % 3][b_count];
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

/* A third of the word may be wrong; of a short one two letters, of four one,
 * unless more is only missing behind them. */
const char *ash_nearest_word(const ash_nearest *n) {
  const size_t count = count_of(n->word), third = count / 3;
  const bool is_begun = n->best && strncmp(n->best, n->word, count) == 0;
  const size_t limit = count <= 4 && !is_begun ? 1 : third > 2 ? third : 2;
  return n->distance <= limit ? n->best : NULL;
}

const char *ash_nearest_of(const char *word, const char *const *known,
                           size_t count) {
  if (!(word && known))
    return NULL;
  ash_nearest n;
  ash_nearest_init(&n, word);
  for (size_t i = 0; i < count; i++)
    if (known[i])
      ash_nearest_offer(&n, known[i]);
  return ash_nearest_word(&n);
}
