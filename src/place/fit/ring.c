/* ring.c - next fit with wrap-around: buffers in order of their start lie one
 * above the other, and at the capacity the next begins at the bottom again.
 * For first-in-first-out lifetimes (queues, double buffers, pipelines) that is
 * a ring buffer, never more than the largest size above the load; first fit
 * fills the holes that the oldest leave with what outlives them. */
#include "place/fit/heuristics.h"

static const int ROUNDS = 12; /* capacities tried */

/* One turn at a capacity, what does not fit below it lies above; the height.
 * UINT64_MAX: not below the limit. */
static uint64_t turn(ash_place_fit *f, const uint32_t *order, uint64_t capacity,
                     uint64_t limit) {
  ASH_ASSERT(capacity <= INT64_MAX);
  int64_t head = 0;
  ash_place_fit_clear(f);
  uint64_t height = ash_place_fit_height(f);
  for (uint32_t i = 0; i < f->in->item_count && height < limit; i++) {
    const uint32_t item = order[i];
    const ash_place_item *x = &f->in->items[item];
    if (f->bases[item] != INT64_MIN)
      continue;
    int64_t base = ash_place_fit_lowest_from(f, item, head);
    if ((uint64_t)(base + x->reach) > capacity)
      base = ash_place_fit_lowest(f, item, false);
    ash_place_fit_put(f, item, base);
    if (x->reach) {
      head = base + x->reach;
      height = (uint64_t)head > height ? (uint64_t)head : height;
    }
    if (i % 1024 == 0 && ash_place_fit_pay(f))
      return UINT64_MAX;
  }
  return height < limit ? height : UINT64_MAX;
}

void ash_place_ring_run(ash_place_solve *s, ash_place_fit *fit,
                        const uint32_t *order) {
  ASH_ASSERT(fit->in == &s->reduced);
  int64_t largest = 0;
  for (uint32_t i = 0; i < s->reduced.item_count; i++)
    if (s->reduced.items[i].reach > largest)
      largest = s->reduced.items[i].reach;
  /* Between the bound and what a ring needs at most; a capacity that was too
   * small says little about the others, so this is a search by halves only
   * roughly. */
  uint64_t low = s->target > s->lower ? s->target : s->lower;
  uint64_t high = low + 2 * (uint64_t)largest;
  for (int i = 0; i < ROUNDS && low <= high && !ash_place_solve_done(s); i++) {
    const uint64_t capacity =
        i == 0 ? low + (uint64_t)largest : low + (high - low) / 2;
    const uint64_t height = turn(fit, order, capacity, s->height);
    if (height != UINT64_MAX)
      ash_place_solve_offer(s, fit->bases, height);
    if (height <= capacity)
      high = height - 1;
    else
      low = capacity + 1;
  }
}
