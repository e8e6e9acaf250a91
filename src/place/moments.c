/* moments.c - keeps only the maximal cliques of the interval graph: a moment
 * is closed when a rect ends after one has started. Any other time sees a
 * subset of a closed moment's rects, so it forces nothing. Intervals have the
 * Helly property, so every pair that meets in time meets in a moment. */
#include "place/moments.h"
#include "place/radix.h"

typedef struct sweep {
  ash_place_reduced *out;
  const int64_t *lower, *upper;
  const uint32_t *starts, *ends; /* rects in order of lower, of upper */
} sweep;

static void run_sweep(sweep *w) {
  ash_place_reduced *out = w->out;
  uint32_t start = 0, end = 0, moment = 0;
  bool open = false;
  while (end < out->rect_count) {
    const int64_t time = w->upper[w->ends[end]];
    while (start < out->rect_count && w->lower[w->starts[start]] < time) {
      ASH_ASSERT(moment < out->rect_count);
      out->moment_time[moment] = w->lower[w->starts[start]];
      out->rects[w->starts[start++]].first = moment;
      open = true;
    }
    if (open)
      moment++;
    open = false;
    while (end < out->rect_count && w->upper[w->ends[end]] == time) {
      ASH_ASSERT(out->rects[w->ends[end]].first < moment);
      out->rects[w->ends[end++]].last = moment;
    }
  }
  ASH_ASSERT(start == out->rect_count && moment <= out->rect_count);
  out->moment_count = moment;
}

ash_status ash_place_find_moments(ash_ctx *ctx, ash_place_reduced *out,
                                  const int64_t *lower, const int64_t *upper) {
  const size_t n = out->rect_count;
  out->moment_time = ASH_NEW_ARRAY(&ctx->scratch, int64_t, n);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  uint32_t *starts = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  uint32_t *ends = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  uint32_t *spare = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  uint64_t *key = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, n);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < n; i++) {
    ASH_ASSERT(lower[i] < upper[i]);
    starts[i] = ends[i] = i;
    key[i] = ash_place_radix_signed(lower[i]);
  }
  ash_place_radix_sort(starts, spare, key, n);
  for (uint32_t i = 0; i < n; i++)
    key[i] = ash_place_radix_signed(upper[i]);
  ash_place_radix_sort(ends, spare, key, n);
  sweep w = {out, lower, upper, starts, ends};
  run_sweep(&w);
  ash_zone_rewind(&ctx->scratch, mark);
  return ASH_OK;
}
