/* strategies.c - the searches by name. */
#include "tile/search/search.h"

#include <string.h>

ash_tile_searcher *ash_tile_searcher_named(const char *name) {
  static const struct {
    const char *name;
    ash_tile_searcher *search;
  } known[] = {{"cost", ash_search_cost},
               {"min", ash_search_min},
               {"max", ash_search_max},
               {"random-max", ash_search_random_max}};
  if (!name)
    return ash_search_cost;
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++)
    if (strcmp(known[i].name, name) == 0)
      return known[i].search;
  return NULL;
}
