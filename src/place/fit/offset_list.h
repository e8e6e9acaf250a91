/* offset_list.h - placed rectangles in order of their offset, in blocks: for
 * dense instances, where most of what is placed meets a new buffer in time
 * anyway, reading all of it in order beats finding, collecting and sorting. */
#ifndef ASH_PLACE_OFFSET_LIST_H
#define ASH_PLACE_OFFSET_LIST_H

#include "base/ctx.h"

typedef struct ash_shelf_block ash_shelf_block;

typedef struct ash_shelf {
  ash_shelf_block *blocks;
  uint32_t *list; /* blocks in order of offset */
  uint32_t count, capacity;
} ash_shelf;

ash_status ash_shelf_init(ash_ctx *ctx, ash_shelf *out, size_t rectangles);
void ash_shelf_clear(ash_shelf *s);
void ash_shelf_put(ash_shelf *s, uint32_t first, uint32_t last, int64_t bottom,
                   int64_t top);
/* The lowest multiple of `align` at which `size` bytes are free during
 * [first, last). Adds the rectangles looked at to *steps. */
int64_t ash_shelf_lowest(const ash_shelf *s, uint32_t first, uint32_t last,
                         int64_t size, int64_t align, uint64_t *steps);

#endif
