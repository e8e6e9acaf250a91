/* nearest.h - "did you mean": the known word nearest to a mistyped one.
 *
 *   ash_nearest n;
 *   ash_nearest_init(&n, word);
 *   for (...) ash_nearest_offer(&n, known[i]);
 *   if (ash_nearest_word(&n)) ash_hint(ctx, "did you mean '%s'?", ...);
 */
#ifndef ASH_BASE_NEAREST_H
#define ASH_BASE_NEAREST_H

#include <stddef.h>

typedef struct ash_nearest {
  const char *word, *best;
  size_t distance; /* from word to best */
} ash_nearest;

void ash_nearest_init(ash_nearest *n, const char *word);
/* Of equally near words the one offered first stays. */
void ash_nearest_offer(ash_nearest *n, const char *known);
/* NULL when nothing is near enough to be worth suggesting. */
const char *ash_nearest_word(const ash_nearest *n);

/* The same for an array. */
const char *ash_nearest_of(const char *word, const char *const *known,
                           size_t count);

/* Insertions, deletions and replacements that turn a into b, not counting
 * case; only the first 63 characters of each are looked at. */
size_t ash_edit_distance(const char *a, const char *b);

#endif
