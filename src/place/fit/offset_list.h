/* offset_list.h - placed rectangles sorted by offset, as an unrolled list of
 * chunks: for dense instances, where most of what is placed meets a new buffer
 * in time anyway, reading all of it in order beats finding, collecting and
 * sorting. */
#ifndef ASH_PLACE_OFFSET_LIST_H
#define ASH_PLACE_OFFSET_LIST_H

#include "base/ctx.h"

typedef struct ash_place_offset_chunk ash_place_offset_chunk;

typedef struct ash_place_offset_list {
  ash_place_offset_chunk *chunks;
  uint32_t *list; /* chunks in order of offset */
  uint32_t count, capacity;
} ash_place_offset_list;

ash_status ash_place_offset_list_init(ash_ctx *ctx, ash_place_offset_list *out,
                                      size_t rectangles);
void ash_place_offset_list_clear(ash_place_offset_list *s);
void ash_place_offset_list_put(ash_place_offset_list *s, uint32_t first,
                               uint32_t last, int64_t bottom, int64_t top);
/* The lowest multiple of `align` at which `size` bytes are free during
 * [first, last). Adds the rectangles looked at to *steps. */
int64_t ash_place_offset_list_lowest(const ash_place_offset_list *s,
                                     uint32_t first, uint32_t last,
                                     int64_t size, int64_t align,
                                     uint64_t *steps);

#endif
