/* orders.c - keys are 64-bit numbers sorted by radix, the minor key first:
 * the sort is stable. Descending keys are complemented. */
#include "place/fit/orders.h"
#include "base/checked.h"
#include "place/radix.h"

/* Rects that meet [first, last) start before `last` and do not end before
 * `first`: two prefix counts. */
static ash_status count_conflicts(ash_ctx *ctx, ash_place_traits *t,
                                  const ash_place_reduced *in) {
  const size_t n = (size_t)in->moment_count + 2;
  uint32_t *started = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  uint32_t *ended = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < in->rect_count; i++) {
    started[in->rects[i].first + 1]++;
    ended[in->rects[i].last]++;
  }
  for (size_t s = 1; s < n; s++) {
    started[s] += started[s - 1];
    ended[s] += ended[s - 1];
  }
  for (uint32_t i = 0; i < in->rect_count; i++) {
    const ash_place_rect *p = &in->rects[i];
    ASH_ASSERT(started[p->last] > ended[p->first]); /* at least itself */
    t->conflicts[p->item] += started[p->last] - ended[p->first] - 1;
  }
  return ASH_OK;
}

ash_status ash_place_traits_build(ash_ctx *ctx, ash_place_traits *out,
                                  const ash_place_reduced *in,
                                  const ash_place_bound *bound) {
  ash_zone *z = &ctx->scratch;
  const size_t n = in->item_count;
  *out = (ash_place_traits){.size = ASH_NEW_ARRAY(z, uint64_t, n),
                            .life = ASH_NEW_ARRAY(z, uint64_t, n),
                            .peak = ASH_NEW_ARRAY(z, uint64_t, n),
                            .conflicts = ASH_NEW_ARRAY(z, uint64_t, n),
                            .start = ASH_NEW_ARRAY(z, uint64_t, n),
                            .key = ASH_NEW_ARRAY(z, uint64_t, n),
                            .spare = ASH_NEW_ARRAY(z, uint32_t, n)};
  uint64_t *peak = ASH_NEW_ARRAY(z, uint64_t, in->rect_count);
  ASH_TRY(ash_zone_check(ctx, z));
  ASH_TRY(ash_place_bound_peaks(ctx, peak, in, bound));
  for (uint32_t i = 0; i < n; i++)
    out->start[i] = UINT64_MAX;
  for (uint32_t i = 0; i < in->rect_count; i++) {
    const ash_place_rect *p = &in->rects[i];
    const ash_buffer *b = &in->problem->buffers[p->buffer];
    ASH_ASSERT(b->lower < b->upper);
    const uint64_t life = (uint64_t)b->upper - (uint64_t)b->lower;
    out->size[p->item] = (uint64_t)in->items[p->item].reach;
    out->life[p->item] = ash_max_u64(out->life[p->item], life);
    out->peak[p->item] = ash_max_u64(out->peak[p->item], peak[i]);
    out->start[p->item] =
        ash_min_u64(out->start[p->item], ash_place_radix_signed(b->lower));
  }
  return count_conflicts(ctx, out, in);
}

static uint64_t saturated_product(uint64_t a, uint64_t b) {
  uint64_t product;
  return ash_mul_u64(&product, a, b) ? product : UINT64_MAX;
}

static uint64_t key_value(const ash_place_traits *t, ash_place_order kind,
                          uint32_t i, bool minor) {
  switch (kind) {
  case ASH_PLACE_BY_SIZE:
    return minor ? 0 : t->size[i];
  case ASH_PLACE_BY_SIZE_LIFE:
    return minor ? t->life[i] : t->size[i];
  case ASH_PLACE_BY_AREA:
    return minor ? t->size[i] : saturated_product(t->size[i], t->life[i]);
  case ASH_PLACE_BY_LIFE:
    return minor ? t->size[i] : t->life[i];
  case ASH_PLACE_BY_PEAK_SIZE:
    return minor ? t->size[i] : t->peak[i];
  case ASH_PLACE_BY_PEAK_AREA:
    return minor ? saturated_product(t->size[i], t->life[i]) : t->peak[i];
  case ASH_PLACE_BY_PEAK_LIFE:
    return minor ? t->life[i] : t->peak[i];
  case ASH_PLACE_BY_CONFLICTS:
    return minor ? t->size[i] : t->conflicts[i];
  case ASH_PLACE_BY_CONFLICTS_SIZE:
    return minor ? t->size[i] : saturated_product(t->conflicts[i], t->size[i]);
  case ASH_PLACE_BY_START:
    return minor ? t->size[i] : ~t->start[i];
  case ASH_PLACE_BY_INPUT:
  case ASH_PLACE_ORDER_COUNT:
    break;
  }
  return 0;
}

void ash_place_order_make(uint32_t *order, ash_place_traits *t,
                          const ash_place_reduced *in, ash_place_order kind) {
  ASH_ASSERT(kind < ASH_PLACE_ORDER_COUNT);
  for (uint32_t i = 0; i < in->item_count; i++)
    order[i] = i;
  for (int minor = 1; minor >= 0; minor--) {
    for (uint32_t i = 0; i < in->item_count; i++)
      t->key[i] = ~key_value(t, kind, i, minor != 0);
    ash_place_radix_sort(order, t->spare, t->key, in->item_count);
  }
}
