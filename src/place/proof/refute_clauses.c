/* refute_clauses.c - a component does not fit below the bound: what the learner
 * learns until nothing is left, with a log. */
#include "place/clause/clause.h"
#include "place/proof/proof.h"

static bool keep_on(void *user, uint64_t ticks) {
  ash_place_proof *p = user;
  return !ash_place_solve_spend(&p->solve, ticks) && !p->out.failed;
}

/* How many buffers, and which. */
static void put_blocks(ash_place_proof *p, const uint32_t *items,
                       uint32_t count) {
  const ash_place_reduced *in = &p->solve.reduced;
  ash_stream_put(&p->out, "refute %lu", (unsigned long)count);
  for (uint32_t i = 0; i < count; i++)
    ash_stream_put(&p->out, "%c%lu", i % 16 ? ' ' : '\n',
                   (unsigned long)in->rects[in->items[items[i]].rect].buffer);
  ash_stream_put(&p->out, "\n");
}

static const uint64_t FIRST_CONFLICTS = 500;

/* Starts again after more and more conflicts, with what was learned, as the
 * search does that found the bound (exact.c): in one go it may take hundreds of
 * times as long. */
static void search(ash_place_proof *p, ash_place_learner *learner,
                   bool *refuted) {
  const int64_t capacity = (int64_t)p->bound - 1;
  ash_place_outcome outcome = ASH_PLACE_CUT;
  put_blocks(p, learner->items, learner->item_count);
  learner->log = &p->out;
  for (uint64_t conflicts = FIRST_CONFLICTS;
       outcome == ASH_PLACE_CUT && keep_on(p, 0) && !learner->zone.failed;
       conflicts += conflicts / 2)
    outcome =
        ash_place_learner_search(learner, capacity, conflicts, keep_on, p);
  *refuted = outcome == ASH_PLACE_REFUTED;
  ash_stream_put(&p->out, *refuted ? "end\n" : "drop\n");
}

ash_status ash_place_refute_clauses(ash_place_proof *p, const uint32_t *items,
                                    uint32_t count, bool *refuted) {
  ASH_ASSERT(count > 0 && p->bound > 0);
  ash_ctx *ctx = p->solve.ctx;
  ash_place_learner learner;
  *refuted = false;
  if (ash_place_learner_init(&learner, &p->solve.reduced, items, count,
                             &ctx->mem))
    search(p, &learner, refuted);
  const ash_status status = ash_zone_check(ctx, &learner.zone);
  ash_place_learner_drop(&learner);
  return status;
}
