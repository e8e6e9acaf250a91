/* subset_sum.c - heights that are subset sums: in a bottom-justified placement
 * without alignments every top is the sum of a chain of buffers, so the height
 * is a subset sum of the sizes: bounds between two subset sums may be rounded
 * up. Bits of a long word array say which sums can be reached. */
#include "base/checked.h"
#include "place/exact/exact.h"

static const uint64_t BITS_MAX = (uint64_t)1 << 22;
static const uint64_t WORK_MAX = (uint64_t)1 << 25; /* words touched */

/* reachable |= reachable << size, from the top down. */
static void shift_in(uint64_t *words, size_t count, uint64_t size) {
  ASH_ASSERT(size > 0);
  const size_t whole = (size_t)(size / 64);
  const unsigned part = (unsigned)(size % 64);
  for (size_t i = count; i-- > whole;) {
    uint64_t bits = words[i - whole] << part;
    if (part && i > whole)
      bits |= words[i - whole - 1] >> (64 - part);
    words[i] |= bits;
  }
}

ash_status ash_place_subset_sum_round(ash_ctx *ctx, uint64_t *height,
                                      const uint64_t *sizes, size_t count) {
  uint64_t largest = 0;
  for (size_t i = 0; i < count; i++)
    largest = ash_max_u64(largest, sizes[i]);
  const uint64_t bits = *height + largest + 1;
  const size_t words = (size_t)(bits / 64 + 1);
  if (bits > BITS_MAX || words * count > WORK_MAX)
    return ASH_OK;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  uint64_t *reachable = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, words);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  reachable[0] = 1;
  for (size_t i = 0; i < count; i++)
    shift_in(reachable, words, sizes[i]);
  uint64_t at = *height;
  while (at < bits && (reachable[at / 64] >> (at % 64) & 1) == 0)
    at++;
  ASH_ASSERT(at >= *height);
  if (at < bits)
    *height = at;
  ash_zone_rewind(&ctx->scratch, mark);
  return ASH_OK;
}
