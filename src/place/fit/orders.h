/* orders.h - the orders in which a fit engine may place items. */
#ifndef ASH_PLACE_ORDERS_H
#define ASH_PLACE_ORDERS_H

#include "place/bound.h"
#include "place/reduce.h"

typedef enum ash_place_order {
  ASH_PLACE_BY_PEAK_SIZE, /* largest load met, then size         */
  ASH_PLACE_BY_SIZE,      /* size, ties as given                 */
  ASH_PLACE_BY_SIZE_LIFE, /* size, then lifetime                 */
  ASH_PLACE_BY_AREA,      /* size x lifetime                     */
  ASH_PLACE_BY_LIFE,      /* lifetime, then size                 */
  ASH_PLACE_BY_PEAK_AREA,
  ASH_PLACE_BY_PEAK_LIFE,
  ASH_PLACE_BY_CONFLICTS,      /* rects met in time, then size       */
  ASH_PLACE_BY_CONFLICTS_SIZE, /* rects met in time x size           */
  ASH_PLACE_BY_START,          /* earliest first                      */
  ASH_PLACE_BY_INPUT,
  ASH_PLACE_ORDER_COUNT
} ash_place_order;

/* What the keys are made of, one value an item. */
typedef struct ash_place_traits {
  uint64_t *size, *life, *peak, *conflicts, *start;
  uint64_t *key;
  uint32_t *spare;
} ash_place_traits;

ash_status ash_place_traits_build(ash_ctx *ctx, ash_place_traits *out,
                                  const ash_place_reduced *in,
                                  const ash_place_bound *bound);
/* Fills order[0 .. item_count). */
void ash_place_order_make(uint32_t *order, ash_place_traits *t,
                          const ash_place_reduced *in, ash_place_order kind);

#endif
