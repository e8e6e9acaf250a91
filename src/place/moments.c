/* moments.c - keeps only the maximal cliques of the interval graph: a section
 * is closed when a piece ends after one has started. Any other moment sees a
 * subset of a closed section's pieces, so it forces nothing. Intervals have the
 * Helly property, so every pair that meets in time meets in a section. */
#include "place/moments.h"
#include "place/radix.h"

typedef struct sweep {
  ash_model *m;
  const int64_t *lower, *upper;
  const uint32_t *starts, *ends; /* pieces in order of lower, of upper */
} sweep;

static void run_sweep(sweep *w) {
  ash_model *m = w->m;
  uint32_t start = 0, end = 0, section = 0;
  bool open = false;
  while (end < m->piece_count) {
    const int64_t time = w->upper[w->ends[end]];
    while (start < m->piece_count && w->lower[w->starts[start]] < time) {
      m->section_time[section] = w->lower[w->starts[start]];
      m->pieces[w->starts[start++]].first = section;
      open = true;
    }
    if (open)
      section++;
    open = false;
    while (end < m->piece_count && w->upper[w->ends[end]] == time)
      m->pieces[w->ends[end++]].last = section;
  }
  m->section_count = section;
}

ash_status ash_sections_build(ash_ctx *ctx, ash_model *m, const int64_t *lower,
                              const int64_t *upper) {
  const size_t n = m->piece_count;
  m->section_time = ASH_NEW_ARRAY(&ctx->scratch, int64_t, n);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  uint32_t *starts = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  uint32_t *ends = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  uint32_t *spare = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  uint64_t *key = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, n);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < n; i++) {
    starts[i] = ends[i] = i;
    key[i] = ash_radix_signed(lower[i]);
  }
  ash_radix_sort(starts, spare, key, n);
  for (uint32_t i = 0; i < n; i++)
    key[i] = ash_radix_signed(upper[i]);
  ash_radix_sort(ends, spare, key, n);
  sweep w = {m, lower, upper, starts, ends};
  run_sweep(&w);
  ash_zone_rewind(&ctx->scratch, mark);
  return ASH_OK;
}
