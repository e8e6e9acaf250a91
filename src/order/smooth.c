/* smooth.c - local improvement: neighbouring steps change places where that
 * lowers the load between them. Sweeps go forward, which delays steps that
 * write much, and back, which brings steps that free much to the front, until
 * nothing changes. Orders with less load on the way are easier to pack. */
#include "order/smooth.h"

#include "base/checked.h"

/* The load between two steps and the larger one of theirs. */
typedef struct pair_load {
  uint64_t between, peak;
} pair_load;

/* Runs both, from here. */
static pair_load run_pair(ash_order_sim *s, uint32_t a, uint32_t b) {
  const uint64_t first = ash_order_step(s, a);
  const uint64_t between = s->load;
  return (pair_load){between, ash_max_u64(first, ash_order_step(s, b))};
}

/* Do the steps of pair[0] and pair[1], which come next, change places? */
static bool swap_pair(ash_order_sim *s, uint32_t *pair, uint64_t peak) {
  const uint32_t a = pair[0], b = pair[1], count = s->count;
  if (a == b || ash_order_waits_for(s, b) != b)
    return false;
  const pair_load now = run_pair(s, a, b);
  ash_order_back(s, count);
  const pair_load other = run_pair(s, b, a);
  ash_order_back(s, count);
  if (other.between >= now.between || other.peak > peak)
    return false;
  pair[0] = b;
  pair[1] = a;
  return true;
}

static bool sweep_forward(ash_order_sim *s, uint32_t *ops, uint64_t peak) {
  bool changed = false;
  ash_order_back(s, 0);
  for (uint32_t i = 0; i + 1 < s->steps; i++) {
    changed |= swap_pair(s, ops + i, peak);
    (void)ash_order_step(s, ops[i]);
  }
  return changed;
}

/* Starts where a sweep forward ended: before the last step. */
static bool sweep_back(ash_order_sim *s, uint32_t *ops, uint64_t peak) {
  bool changed = false;
  for (uint32_t i = s->count; i-- > 0;) {
    ash_order_back(s, i);
    changed |= swap_pair(s, ops + i, peak);
  }
  return changed;
}

void ash_order_smooth(ash_order_sim *s, uint32_t *ops, uint64_t peak,
                      uint64_t ticks) {
  const uint64_t most = s->ticks + ticks;
  bool changed = s->steps > 1;
  while (changed && s->ticks < most) {
    changed = sweep_forward(s, ops, peak);
    changed |= sweep_back(s, ops, peak);
  }
}
