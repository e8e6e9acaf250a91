/* components.h - items that have nothing to do with each other, apart. */
#ifndef ASH_PLACE_COMPONENTS_H
#define ASH_PLACE_COMPONENTS_H

#include "place/reduce.h"

typedef struct ash_component {
  uint32_t first, count; /* its items are components.items[first .. +count) */
  bool plain;            /* every item one piece from 0, free, no special   */
} ash_component;

typedef struct ash_components {
  ash_component *list;
  uint32_t count;
  uint32_t *items;
} ash_components;

/* Items are together when their pieces share a section, directly or through
 * others, or when a relation ties them. Items without pieces that no relation
 * ties are in no component. */
ash_status ash_components_build(ash_ctx *ctx, ash_components *out,
                                const ash_model *m);

#endif
