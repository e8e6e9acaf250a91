/* ash_rt_lines.h - the lines of an image, wherever each of them lies.
 *
 * A kernel K that computes windows also has a function ash_rt_K_lines, with the
 * same parameters: it computes the output lines [from, to) of one image from
 * the input lines under their windows, which is all that it reads. It makes one
 * line after the other: a line may lie where a line did that only those before
 * it need. Lines are counted from the top of the whole image; what is outside
 * is padding. */
#ifndef ASH_RT_LINES_H
#define ASH_RT_LINES_H

#include "ash_rt.h"

/* Line y is at base + at[y] * unit, or at base + y * pitch if `at` is null;
 * units and distances in bytes. */
typedef struct ash_rt_lines {
  const void *base;
  const uint16_t *at;
  int32_t unit;
  ptrdiff_t pitch;
} ash_rt_lines;

ASH_RT_INLINE const void *ash_rt_line(const ash_rt_lines *lines, int32_t y) {
  const unsigned char *const base = lines->base;
  return lines->at ? base + (ptrdiff_t)lines->at[y] * lines->unit
                   : base + y * lines->pitch;
}

/* The same line, to be written. */
ASH_RT_INLINE void *ash_rt_line_out(const ash_rt_lines *lines, int32_t y) {
  return (void *)(uintptr_t)ash_rt_line(lines, y);
}

/* The lines from `first` on, without their first `bytes` bytes. */
ASH_RT_INLINE ash_rt_lines ash_rt_lines_from(const ash_rt_lines *lines,
                                             int32_t first, ptrdiff_t bytes) {
  const unsigned char *const base = (const unsigned char *)lines->base + bytes;
  ash_rt_lines rest = *lines;
  if (lines->at) {
    rest.base = base;
    rest.at = lines->at + first;
  } else {
    rest.base = base + first * lines->pitch;
  }
  return rest;
}

/* Image n of a tensor whose images have `count` lines of `pitch` bytes. */
ASH_RT_INLINE ash_rt_lines ash_rt_image(const void *tensor, int32_t n,
                                        int32_t count, ptrdiff_t pitch) {
  const ash_rt_lines lines = {(const unsigned char *)tensor + n * count * pitch,
                              NULL, 0, pitch};
  return lines;
}

#endif
