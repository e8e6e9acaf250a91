/* offset_list.h - placed rectangles sorted by offset, as an unrolled list of
 * chunks: for dense instances, where most of what is placed meets a new buffer
 * in time anyway, reading all of it in order beats finding, collecting and
 * sorting. */
#ifndef ASH_PLACE_OFFSET_LIST_H
#define ASH_PLACE_OFFSET_LIST_H

#include "base/ctx.h"

typedef struct ash_place_offset_chunk ash_place_offset_chunk;

/* What is known of a whole chunk: where nothing in it can be free for a query,
 * it is passed without a look inside. */
typedef struct ash_place_offset_outline {
  uint32_t chunk;
  uint32_t first, last; /* all of it is alive during [first, last)           */
  int64_t bottom, top;
  int64_t hole; /* its largest hole, when all of it is alive            */
} ash_place_offset_outline;

typedef struct ash_place_offset_list {
  ash_place_offset_chunk *chunks;
  ash_place_offset_outline *list; /* chunks in order of offset */
  uint32_t count, capacity;
} ash_place_offset_list;

ash_status ash_place_offset_list_init(ash_ctx *ctx, ash_place_offset_list *out,
                                      size_t rectangles);
void ash_place_offset_list_clear(ash_place_offset_list *s);
void ash_place_offset_list_put(ash_place_offset_list *s, uint32_t first,
                               uint32_t last, int64_t bottom, int64_t top);
/* The lowest multiple of `align`, `from` or above, at which `size` bytes are
 * free during [first, last). Adds the rectangles looked at to *steps. */
int64_t ash_place_offset_list_lowest(const ash_place_offset_list *s,
                                     uint32_t first, uint32_t last,
                                     int64_t from, int64_t size, int64_t align,
                                     uint64_t *steps);

#endif
