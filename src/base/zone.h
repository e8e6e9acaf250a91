/* zone.h - the host's own bump allocator, with a sticky failure flag.
 *
 * Everything Ashlar allocates lives in a zone and dies with it; there is no
 * individual free. A failed allocation returns NULL *and* sets `failed`, so a
 * function may reserve all it needs and check once, before the first use:
 *
 *   uint32_t *order = ASH_NEW_ARRAY(zone, uint32_t, n);
 *   uint64_t *load  = ASH_NEW_ARRAY(zone, uint64_t, n);
 *   ASH_TRY(ash_zone_check(ctx, zone));
 *
 * Memory handed out is zeroed: plans must not depend on old bytes. */
#ifndef ASH_BASE_ZONE_H
#define ASH_BASE_ZONE_H

#include "ashlar/base.h"

typedef struct ash_block ash_block;

typedef struct ash_zone {
  const ash_allocator *mem;
  ash_block *newest;
  bool failed;
} ash_zone;

typedef struct ash_mark {
  ash_block *block;
  size_t used;
} ash_mark;

void ash_zone_init(ash_zone *z, const ash_allocator *mem);
void ash_zone_drop(ash_zone *z);
void *ash_zone_alloc(ash_zone *z, size_t count, size_t size, size_t align);

/* Scratch: mark, work, rewind. Rewinding never fails. */
ash_mark ash_zone_mark(const ash_zone *z);
void ash_zone_rewind(ash_zone *z, ash_mark mark);

/* Copies of bytes and strings; NULL in gives NULL out. */
void *ash_zone_copy(ash_zone *z, const void *bytes, size_t count);
char *ash_zone_string(ash_zone *z, const char *text);
char *ash_zone_format(ash_zone *z, const char *fmt, ...) ASH_PRINTF(2, 3);

#define ASH_NEW(z, T) ((T *)ash_zone_alloc((z), 1, sizeof(T), _Alignof(T)))
#define ASH_NEW_ARRAY(z, T, n)                                                 \
  ((T *)ash_zone_alloc((z), (n), sizeof(T), _Alignof(T)))

/* Room for one more element in a zone-backed array: doubles by copying (the
 * old block stays in the zone until it is dropped). Keeps `*items`, sets
 * `failed` and returns false when memory runs out. */
bool ash_zone_grow(ash_zone *z, void **items, size_t *capacity, size_t count,
                   size_t size);
#define ASH_GROW(z, array, count)                                              \
  ash_zone_grow((z), (void **)&(array)->items, &(array)->capacity, (count),    \
                sizeof *(array)->items)

#endif
