/* components.h - items that have nothing to do with each other, apart. */
#ifndef ASH_PLACE_COMPONENTS_H
#define ASH_PLACE_COMPONENTS_H

#include "place/reduce.h"

typedef struct ash_place_component {
  uint32_t first, count; /* its items are components.items[first .. +count) */
  bool plain;            /* every item one rect from 0, free, no special   */
} ash_place_component;

typedef struct ash_place_components {
  ash_place_component *list;
  uint32_t count;
  uint32_t *items;
} ash_place_components;

/* Items are together when their rects share a moment, directly or through
 * others, or when a relation ties them. Items without rects that no relation
 * ties are in no component. */
ash_status ash_place_components_build(ash_ctx *ctx, ash_place_components *out,
                                      const ash_place_reduced *in);

#endif
