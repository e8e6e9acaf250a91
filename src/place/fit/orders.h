/* orders.h - the orders in which a fit engine may place items. */
#ifndef ASH_PLACE_ORDERS_H
#define ASH_PLACE_ORDERS_H

#include "place/bound.h"
#include "place/reduce.h"

typedef enum ash_order_kind {
  ASH_ORDER_PEAK_SIZE, /* largest load met, then size         */
  ASH_ORDER_SIZE,      /* size, ties as given                 */
  ASH_ORDER_SIZE_LIFE, /* size, then lifetime                 */
  ASH_ORDER_AREA,      /* size x lifetime                     */
  ASH_ORDER_LIFE,      /* lifetime, then size                 */
  ASH_ORDER_PEAK_AREA,
  ASH_ORDER_PEAK_LIFE,
  ASH_ORDER_CONFLICTS,      /* pieces met in time, then size       */
  ASH_ORDER_CONFLICTS_SIZE, /* pieces met in time x size           */
  ASH_ORDER_START,          /* earliest first                      */
  ASH_ORDER_INPUT,
  ASH_ORDER_COUNT
} ash_order_kind;

/* What the keys are made of, one value an item. */
typedef struct ash_traits {
  uint64_t *size, *life, *peak, *conflicts, *start;
  uint64_t *key;
  uint32_t *spare;
} ash_traits;

ash_status ash_traits_build(ash_ctx *ctx, ash_traits *out, const ash_model *m,
                            const ash_bound *bound);
/* Fills order[0 .. item_count). */
void ash_order_make(uint32_t *order, ash_traits *t, const ash_model *m,
                    ash_order_kind kind);

#endif
