/* certify.c - see certify.h. All states can be recomputed from the problem; the
 * second search, without valleys as the checker's, shows that they are few
 * enough. */
#include "order/certify.h"

#include "order/bound.h"
#include "order/search.h"

static bool refute(ash_zone *z, ash_stream *out, const ash_order_problem *p,
                   uint64_t bound, const ash_order_options *options) {
  ash_order_sim sim;
  ash_order_search search;
  if (!ash_order_sim_init(&sim, z, p))
    return false;
  if (bound <= ash_order_simple_bound(&sim)) {
    ash_stream_put(out, "simple\n");
    return true;
  }
  if (!ash_order_search_init(&search, &sim, z, options))
    return false;
  ash_stream_put(out, "refute\n");
  return !z->failed &&
         ash_order_under(&search, bound - 1, options->ticks) == ASH_INFEASIBLE;
}

bool ash_order_certify(ash_ctx *ctx, ash_stream *out,
                       const ash_order_problem *p, uint64_t bound,
                       const ash_order_options *options) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_order_options effort = options ? *options : (ash_order_options){0};
  if (!effort.ticks)
    effort.ticks = ASH_ORDER_TICKS;
  if (!effort.bytes)
    effort.bytes = ASH_ORDER_STATE_BYTES;
  effort.off |= ASH_ORDER_VALLEYS;
  const bool shown = refute(&ctx->scratch, out, p, bound, &effort);
  ash_zone_rewind(&ctx->scratch, mark);
  return shown;
}
