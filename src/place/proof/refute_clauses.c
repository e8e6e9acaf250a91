/* refute_clauses.c - a component does not fit below the bound: what the learner
 * learns until nothing is left, with a log. */
#include "place/clause/clause.h"
#include "place/proof/proof.h"

static bool keep_on(void *user, uint64_t ticks) {
  ash_place_proof *p = user;
  return !ash_place_solve_spend(&p->solve, ticks) && !p->log.failed;
}

static void search(ash_place_proof *p, ash_place_learner *learner,
                   bool *refuted) {
  const int64_t capacity = (int64_t)p->bound - 1;
  ash_place_log_put(&p->log, "refute clauses\n");
  ash_place_proof_blocks(p, learner->items, learner->item_count);
  ash_place_log_put(&p->log, "capacity %lld\n", (long long)capacity);
  learner->log = &p->log;
  *refuted = ash_place_learner_search(learner, capacity, UINT64_MAX, keep_on,
                                      p) == ASH_PLACE_REFUTED;
  ash_place_log_put(&p->log, *refuted ? "end\n" : "drop\n");
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
