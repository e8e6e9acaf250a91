/* candidates.c - tile sizes worth trying.
 *
 * Of all sizes that cut a region into the same number of pieces the smallest
 * takes the least room and moves no more; the one that the kernel likes
 * computes faster. Small extents are tried completely. */
#include "tile/search/search.h"

#include "base/checked.h"

enum { COMPLETE = 24 };

static void add(int64_t *out, uint32_t *count, uint32_t max, int64_t size) {
  ASH_ASSERT(size > 0 && *count <= max);
  uint32_t at = *count;
  while (at > 0 && out[at - 1] < size)
    at--;
  if ((at > 0 && out[at - 1] == size) || *count == max)
    return;
  for (uint32_t i = (*count)++; i > at; i--)
    out[i] = out[i - 1];
  out[at] = size;
}

uint32_t ash_tile_candidates(const ash_tile_axis *axis, int64_t extent,
                             bool may_cut, int64_t *out, uint32_t max) {
  ASH_ASSERT(extent > 0 && max > 0);
  const int64_t granule = axis->granule > 1 ? axis->granule : 1;
  const int64_t multiple = axis->multiple > 1 ? axis->multiple : 1;
  uint32_t count = 0;
  add(out, &count, max, extent);
  if (!may_cut)
    return count;
  if (extent <= COMPLETE) {
    for (int64_t size = granule; size < extent; size += granule)
      add(out, &count, max, size);
    return count;
  }
  for (int64_t size = extent; size > 1;) {
    /* The next number of pieces. */
    const int64_t pieces = (extent + size - 2) / (size - 1);
    size = (extent + pieces - 1) / pieces;
    const int64_t cut =
        (int64_t)ash_align_up((uint64_t)size, (uint64_t)granule);
    const int64_t liked =
        (int64_t)ash_align_up((uint64_t)cut, (uint64_t)multiple);
    if (cut < extent)
      add(out, &count, max, cut);
    if (liked < extent && liked % granule == 0)
      add(out, &count, max, liked);
  }
  return count;
}
