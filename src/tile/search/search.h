/* search.h - ways to choose a tiling of one operator. */
#ifndef ASH_TILE_SEARCH_H
#define ASH_TILE_SEARCH_H

#include "tile/search/cost.h"

typedef struct ash_tile_found {
  bool found;
  ash_tile_choice choice;
  ash_tile_value value;
  uint64_t lower_bound; /* of the price */
  ash_verdict verdict;
  bool left_out; /* some orders or copies were not tried */
  uint64_t ticks;
} ash_tile_found;

/* A search by name: "cost", "min", "max", "random-max". */
typedef ash_status ash_tile_searcher(const ash_tile_problem *p, ash_facts *f,
                                     ash_tile_found *out);
ash_tile_searcher *ash_tile_searcher_named(const char *name);

ash_tile_searcher ash_search_cost, ash_search_min, ash_search_max,
    ash_search_random_max;

enum { ASH_CANDIDATES_MAX = 4096 };

static inline uint32_t ash_candidates_most(int64_t extent) {
  return extent < ASH_CANDIDATES_MAX ? (uint32_t)extent + 1u
                                     : (uint32_t)ASH_CANDIDATES_MAX;
}

/* The sizes worth trying for an axis inside a region of `extent`, largest
 * first; returns how many (at most `max`). */
uint32_t ash_tile_candidates(const ash_tile_axis *axis, int64_t extent,
                             bool may_cut, int64_t *out, uint32_t max);

/* Sizes of an axis, largest first. */
typedef struct ash_size_list {
  const int64_t *sizes;
  uint32_t count;
  bool complete; /* any other size costs no less than one of these */
} ash_size_list;

/* The sizes of an axis in the last level, given those of the levels outside:
 * all that no smaller one dominates. */
ash_status ash_tile_undominated(const ash_tile_problem *p, ash_facts *f,
                                uint32_t axis, const ash_tile_cut *cut,
                                ash_size_list *out);

/* The best orders and copies for these sizes, if better than what is there. */
ash_status ash_search_leaf(const ash_tile_problem *p, ash_facts *f,
                           const ash_tile_cut *cut, ash_tile_found *best);

/* May these sizes stand together? (Sums are cut behind free axes; what is read
 * where it lives is cut in rows.) */
bool ash_search_legal(const ash_tile_problem *p, const ash_tile_cut *cut);

#endif
