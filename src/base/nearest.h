/* nearest.h - known words: where one is in a table, and "did you mean", the one
 * nearest to a mistyped word.
 *
 *   ash_nearest n;
 *   ash_nearest_init(&n, word);
 *   for (...) ash_nearest_offer(&n, known[i]);
 *   if (ash_nearest_word(&n)) ash_hint(ctx, "did you mean '%s'?", ...);
 */
#ifndef ASH_BASE_NEAREST_H
#define ASH_BASE_NEAREST_H

#include "ashlar/base.h"

typedef struct ash_nearest {
  const char *word, *best;
  size_t distance; /* from word to best */
} ash_nearest;

void ash_nearest_init(ash_nearest *n, const char *word);
/* Of equally near words the one offered first stays. */
void ash_nearest_offer(ash_nearest *n, const char *known);
/* NULL when nothing is near enough to be worth suggesting. */
const char *ash_nearest_word(const ash_nearest *n);

/* The index of a word in a table of `count` rows, `count` if it is not there.
 * `first` is the word of the first row, `stride` the bytes of a row. */
size_t ash_name_find(const char *const *first, size_t stride, size_t count,
                     const char *word);

/* Insertions, deletions and replacements that turn a into b, not counting
 * case; only the first 63 characters of each are looked at. */
size_t ash_edit_distance(const char *a, const char *b);

#endif
