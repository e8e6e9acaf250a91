/* squeaky.c - squeaky wheel optimisation (Joslin & Clements): first fit in an
 * order, blame what ends too high, move it forward in the order, again. */
#include "place/fit/repair.h"
#include "place/radix.h"

/* Blamed items move to a fraction of their position, before the others there.
 */
static void promote(ash_repair *r, uint32_t *order, uint64_t above,
                    ash_rng *rng) {
  const ash_model *m = &r->solve->model;
  for (uint32_t i = 0; i < m->item_count; i++) {
    const uint32_t item = order[i];
    const uint64_t top = (uint64_t)(r->fit.bases[item] + m->items[item].reach);
    r->traits.key[item] = 2 * (uint64_t)i + 1;
    if (top > above)
      r->traits.key[item] = 2 * (i * (200 + ash_rng_below(rng, 700)) / 1000);
  }
  ash_radix_sort(order, r->traits.spare, r->traits.key, m->item_count);
}

void ash_squeaky_run(ash_repair *r, ash_order_kind kind, unsigned rounds) {
  ash_solve *s = r->solve;
  ash_rng rng = {s->options.seed + 1};
  uint64_t best = UINT64_MAX;
  ash_order_make(r->order, &r->traits, &s->model, kind);
  for (unsigned i = 0; i < rounds && !ash_solve_done(s); i++) {
    const uint64_t before = r->fit.steps;
    ash_fit_clear(&r->fit);
    const uint64_t height =
        ash_fit_run(&r->fit, r->order, s->model.item_count, false, UINT64_MAX);
    ash_solve_offer(s, r->fit.bases, height);
    best = height < best ? height : best;
    /* Somewhere in the lower half between the bound and the best so far. */
    const uint64_t gap = best > s->target ? best - s->target : 0;
    promote(r, r->order, s->target + gap / 200 * ash_rng_below(&rng, 100),
            &rng);
    if (ash_solve_spend(s, (r->fit.steps - before) / 64 + 1))
      return;
  }
}
