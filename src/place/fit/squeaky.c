/* squeaky.c - squeaky wheel optimisation (Joslin & Clements): first fit in an
 * order, blame what ends too high, move it forward in the order, again. */
#include "place/fit/repair.h"
#include "place/radix.h"

/* Blamed items move to a fraction of their position, before the others there.
 */
static void promote(ash_place_repair *r, uint32_t *order, uint64_t above,
                    ash_rng *rng) {
  const ash_place_reduced *in = &r->solve->reduced;
  for (uint32_t i = 0; i < in->item_count; i++) {
    const uint32_t item = order[i];
    ASH_ASSERT(r->fit.bases[item] != INT64_MIN);
    const uint64_t top = (uint64_t)(r->fit.bases[item] + in->items[item].reach);
    r->traits.key[item] = 2 * (uint64_t)i + 1;
    if (top > above)
      r->traits.key[item] = 2 * (i * (200 + ash_rng_below(rng, 700)) / 1000);
  }
  ash_place_radix_sort(order, r->traits.spare, r->traits.key, in->item_count);
}

void ash_place_squeaky_run(ash_place_repair *r, ash_place_order kind,
                           unsigned rounds) {
  ASH_ASSERT(rounds > 0);
  ash_place_solve *s = r->solve;
  ash_rng rng = {s->options.seed + 1};
  uint64_t best = UINT64_MAX;
  ash_place_order_make(r->order, &r->traits, &s->reduced, kind);
  for (unsigned i = 0; i < rounds && !ash_place_solve_done(s); i++) {
    ash_place_fit_clear(&r->fit);
    const uint64_t height = ash_place_fit_run(
        &r->fit, r->order, s->reduced.item_count, false, UINT64_MAX);
    ash_place_solve_offer(s, r->fit.bases, height);
    best = height < best ? height : best;
    /* Somewhere in the lower half between the bound and the best so far. */
    const uint64_t gap = best > s->target ? best - s->target : 0;
    promote(r, r->order, s->target + gap / 200 * ash_rng_below(&rng, 100),
            &rng);
    if (ash_place_fit_pay(&r->fit))
      return;
  }
}
