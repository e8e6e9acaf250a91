/* fuzz_place.c - bytes as a packing problem with everything it may have:
 * alignments, fixed offsets, gaps, relations. The solver must never be refused
 * by its own checker, and two seeds must not contradict each other. */
#include "ashlar/place.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { MOST = 24 };

typedef struct source {
  const uint8_t *at, *end;
} source;

static unsigned next(source *s) {
  return s->at < s->end ? *s->at++ : 0;
}

static ash_buffer next_buffer(source *s, ash_gap *gap) {
  const int64_t lower = next(s) % 16;
  ash_buffer b = {.lower = lower,
                  .upper = lower + next(s) % 8,
                  .size = next(s) % 32,
                  .alignment = next(s) % 5,
                  .offset = ASH_FREE_OFFSET,
                  .hint = ASH_FREE_OFFSET};
  const unsigned kind = next(s);
  if (kind % 8 == 1)
    b.offset = next(s) % 64;
  if (kind % 8 == 2) {
    *gap = (ash_gap){.lower = lower, .upper = b.upper};
    gap->window_hi = next(s) % 32;
    b.gaps = gap;
    b.gap_count = 1;
  }
  return b;
}

static void solve_both(const ash_place_problem *p) {
  ash_place_result r[2];
  ash_ctx *ctx;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return;
  for (uint64_t seed = 0; seed < 2; seed++) {
    const ash_place_options o = {.struct_bytes = sizeof o,
                                 .ticks = 3000,
                                 .seed = seed,
                                 .off = seed ? ASH_OFF_RACE : 0};
    if (ash_place(ctx, &r[seed], p, &o) != ASH_OK) {
      ash_ctx_free(ctx);
      return;
    }
  }
  for (int i = 0; i < 2; i++)
    if (r[i].offsets && (r[i].height < r[1 - i].lower_bound ||
                         r[1 - i].verdict == ASH_INFEASIBLE))
      abort();
  ash_ctx_free(ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  source s = {bytes, bytes + count};
  ash_buffer buffers[MOST];
  ash_gap gaps[MOST];
  ash_relation relations[4];
  ash_place_problem p = {.buffers = buffers, .relations = relations};
  p.buffer_count = next(&s) % MOST;
  p.relation_count = p.buffer_count > 1 ? next(&s) % 4 : 0;
  p.capacity = next(&s) % 4 ? 0 : next(&s);
  for (size_t i = 0; i < p.buffer_count; i++)
    buffers[i] = next_buffer(&s, &gaps[i]);
  for (size_t i = 0; i < p.relation_count; i++)
    relations[i] = (ash_relation){.kind = (ash_relation_kind)(next(&s) % 4),
                                  .a = next(&s) % MOST,
                                  .b = next(&s) % MOST,
                                  .distance = (int64_t)next(&s) % 32 - 16};
  solve_both(&p);
  return 0;
}
