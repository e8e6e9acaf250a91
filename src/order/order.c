/* order.c - the order the model came in. */
#include "order/order.h"

ash_status ash_order_as_given(ash_ctx *ctx, ash_zone *zone, ash_steps *out,
                              const ash_graph *g) {
  uint32_t *ops = ASH_NEW_ARRAY(zone, uint32_t, g->op_count + 1);
  ash_step *steps = ASH_NEW_ARRAY(zone, ash_step, g->op_count + 1);
  *out = (ash_steps){0};
  ASH_TRY(ash_zone_check(ctx, zone));
  for (uint32_t i = 0; i < g->op_count; i++) {
    ops[i] = i;
    steps[i] = (ash_step){.ops = &ops[i], .op_count = 1};
  }
  *out = (ash_steps){.items = steps, .count = (uint32_t)g->op_count};
  return ASH_OK;
}
