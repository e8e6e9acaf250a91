/* without_gaps.c - a gap only relaxes: every placement of the same buffers
 * without their gaps is one with them. Those are often plain, where the search
 * is strongest, so their best placement is an incumbent; what is not at the
 * bound then is left to the search that knows gaps. */
#include "base/checked.h"
#include "place/solve.h"

#include <string.h>

/* The share of the budget that it may take, and the most. Of few buffers only
 * as much as finds a good start: the search that knows gaps is strong there,
 * and what the copy refutes says nothing about them. */
static const uint64_t SHARE = 8, TICKS_MOST = 4000000;
static const uint64_t FEW = 120, TICKS_OF_FEW = 500; /* a buffer */

static uint64_t ticks_of_copy(const ash_place_solve *s) {
  ASH_ASSERT(s->ticks <= s->tick_limit);
  const uint64_t share = (s->tick_limit - s->ticks) / SHARE + 1;
  const uint64_t count = s->problem->buffer_count;
  return ash_min_u64(share, count <= FEW ? TICKS_OF_FEW * count : TICKS_MOST);
}

static bool has_gaps(const ash_place_problem *p) {
  for (size_t i = 0; i < p->buffer_count; i++)
    if (p->buffers[i].gap_count)
      return true;
  return false;
}

/* The solver's bases of the offsets; the height. */
static uint64_t bases_of(const ash_place_reduced *in, const int64_t *offsets,
                         int64_t *bases) {
  uint64_t height = 0;
  for (size_t b = 0; b < in->problem->buffer_count; b++) {
    const uint32_t item = in->item_of[b];
    bases[item] = offsets[b] - in->delta[b];
    const uint64_t top = (uint64_t)(bases[item] + in->items[item].reach);
    if (in->items[item].reach && top > height)
      height = top;
  }
  return height;
}

static ash_status solve_copy(ash_place_solve *s) {
  ash_zone *z = &s->ctx->scratch;
  const size_t n = s->problem->buffer_count;
  ash_buffer *buffers = ASH_NEW_ARRAY(z, ash_buffer, n);
  int64_t *bases = ASH_NEW_ARRAY(z, int64_t, s->reduced.item_count);
  ASH_TRY(ash_zone_check(s->ctx, z));
  memcpy(buffers, s->problem->buffers, n * sizeof *buffers);
  for (size_t i = 0; i < n; i++)
    buffers[i].gap_count = 0;
  ash_place_problem copy = *s->problem;
  copy.buffers = buffers;
  ash_place_options options = s->options;
  options.struct_bytes = sizeof options;
  options.ticks = ticks_of_copy(s);
  ash_place_result result;
  ASH_TRY(ash_place(s->ctx, &result, &copy, &options));
  if (result.offsets)
    ash_place_solve_offer(s, bases,
                          bases_of(&s->reduced, result.offsets, bases));
  (void)ash_place_solve_spend(s, result.ticks);
  return ASH_OK;
}

ash_status ash_place_without_gaps(ash_place_solve *s) {
  ASH_ASSERT(!s->reduced.impossible && s->ticks <= s->tick_limit);
  if (!has_gaps(s->problem))
    return ASH_OK;
  const ash_mark mark = ash_zone_mark(&s->ctx->scratch);
  const ash_status status = solve_copy(s);
  ash_zone_rewind(&s->ctx->scratch, mark);
  return status;
}
