/* heuristics.c - what other compilers do, by name: for comparison, and when an
 * answer at once matters more than the best one. */
#include "place/fit/heuristics.h"
#include "base/rng.h"
#include "place/fit/fit.h"
#include "place/fit/orders.h"

#include <assert.h>
#include <string.h>

typedef enum method { FIRST, BEST, NEXT, TETRIS, CLIMB } method;

static const struct {
  const char *name;
  ash_place_order order;
  method method;
} known[] = {
    {"greedy-by-size", ASH_PLACE_BY_SIZE, FIRST}, /* TFLite Micro, TVM     */
    {"greedy-by-conflicts", ASH_PLACE_BY_CONFLICTS, FIRST}, /* TVM         */
    {"best-fit", ASH_PLACE_BY_SIZE, BEST},                  /* XLA, by size */
    {"hill-climb", ASH_PLACE_BY_SIZE, CLIMB},               /* TVM          */
    {"tetris-random", ASH_PLACE_BY_INPUT, TETRIS},          /* Deeploy      */
    {"first-fit-peak", ASH_PLACE_BY_PEAK_SIZE, FIRST},
    {"first-fit-area", ASH_PLACE_BY_AREA, FIRST},
    {"first-fit-life", ASH_PLACE_BY_LIFE, FIRST},
    {"first-fit-start", ASH_PLACE_BY_START, FIRST},
    {"first-fit-input", ASH_PLACE_BY_INPUT, FIRST},
    {"first-fit-conflicts-size", ASH_PLACE_BY_CONFLICTS_SIZE, FIRST},
    {"best-fit-life", ASH_PLACE_BY_LIFE, BEST}, /* XLA, temporal */
    {"best-fit-start", ASH_PLACE_BY_START, BEST},
    {"next-fit-start", ASH_PLACE_BY_START, NEXT}, /* a ring buffer */
};

static_assert(ASH_COUNT_OF(known) >= 5, "the hint names five of them");

const char *ash_place_heuristic_name(size_t index) {
  return index < ASH_COUNT_OF(known) ? known[index].name : NULL;
}

static void shuffle(uint32_t *order, size_t count, ash_rng *rng) {
  for (size_t i = count; i > 1; i--) {
    const size_t k = (size_t)ash_rng_below(rng, i);
    ASH_ASSERT(k < i);
    const uint32_t swap = order[i - 1];
    order[i - 1] = order[k];
    order[k] = swap;
  }
}

static uint64_t place_order(ash_place_fit *fit, const uint32_t *order,
                            size_t count, bool best) {
  ASH_ASSERT(count == fit->in->item_count);
  ash_place_fit_clear(fit);
  return ash_place_fit_run(fit, order, count, best, UINT64_MAX);
}

/* Random orders, the best of as many as there are items. */
static void try_random(ash_place_solve *s, ash_place_fit *fit,
                       uint32_t *order) {
  const size_t n = s->reduced.item_count;
  ash_rng rng = {s->options.seed};
  for (size_t i = 0; i < n && !ash_place_solve_done(s); i++) {
    shuffle(order, n, &rng);
    ash_place_solve_offer(s, fit->bases, place_order(fit, order, n, false));
    (void)ash_place_fit_pay(fit);
  }
}

/* Swaps two items of the order and keeps what is not worse. */
static void climb(ash_place_solve *s, ash_place_fit *fit, uint32_t *order) {
  const size_t n = s->reduced.item_count;
  ash_rng rng = {s->options.seed};
  uint64_t height = place_order(fit, order, n, false);
  ash_place_solve_offer(s, fit->bases, height);
  for (size_t i = 0; n > 1 && i < 20 * n && !ash_place_solve_done(s); i++) {
    const size_t a = (size_t)ash_rng_below(&rng, n);
    const size_t b = (size_t)ash_rng_below(&rng, n);
    const uint32_t swap = order[a];
    order[a] = order[b];
    order[b] = swap;
    const uint64_t now = place_order(fit, order, n, false);
    ash_place_solve_offer(s, fit->bases, now);
    if (now > height) {
      order[b] = order[a];
      order[a] = swap;
    } else {
      height = now;
    }
    (void)ash_place_fit_pay(fit);
  }
}

static ash_status unknown(ash_place_solve *s) {
  const ash_status status =
      ash_fail(s->ctx, ASH_MISUSE, ASH_D_place_heuristic, ASH_NOWHERE,
               "there is no heuristic '%s'", s->options.heuristic);
  ash_hint(s->ctx, "try %s, %s, %s, %s or %s", known[0].name, known[1].name,
           known[2].name, known[3].name, known[4].name);
  return status;
}

ash_status ash_place_heuristic_run(ash_place_solve *s) {
  ASH_ASSERT(s->options.heuristic && !s->reduced.impossible);
  size_t k = 0;
  while (k < ASH_COUNT_OF(known) &&
         strcmp(known[k].name, s->options.heuristic) != 0)
    k++;
  if (k == ASH_COUNT_OF(known))
    return unknown(s);
  ash_place_fit fit;
  ash_place_traits traits;
  ASH_TRY(ash_place_fit_init(s->ctx, &fit, &s->reduced));
  fit.solve = s;
  ASH_TRY(ash_place_traits_build(s->ctx, &traits, &s->reduced, &s->bound));
  uint32_t *order =
      ASH_NEW_ARRAY(&s->ctx->scratch, uint32_t, s->reduced.item_count);
  ASH_TRY(ash_zone_check(s->ctx, &s->ctx->scratch));
  ash_place_order_make(order, &traits, &s->reduced, known[k].order);
  if (known[k].method == TETRIS)
    try_random(s, &fit, order);
  else if (known[k].method == CLIMB)
    climb(s, &fit, order);
  else if (known[k].method == NEXT)
    ash_place_ring_run(s, &fit, order);
  else
    ash_place_solve_offer(s, fit.bases,
                          place_order(&fit, order, s->reduced.item_count,
                                      known[k].method == BEST));
  return ASH_OK;
}
