/* ref_compare.c - comparisons of quantised values: on a common grid, 8 bits
 * finer than 1. */
#include "ref/ref_any.h"
#include "ref/ref_fixed.h"

static ash_number on_grid(const ash_ref_call *c, uint32_t k,
                          const int32_t *at) {
  const ash_tensor *t = ash_ref_in(c, k);
  const uint32_t rank = ash_ref_out(c, 0)->shape.rank;
  const int64_t value =
      ash_ref_get(t, ash_ref_read(c, k), ash_ref_index(&t->shape, at, rank));
  const ash_ref_factor f = ash_ref_factor_of((double)ash_ref_scale_of(t));
  const int32_t centred = (int32_t)value - ash_ref_zero_of(t);
  return (ash_number){.i = ash_ref_rescale(centred * (1 << 8), f)};
}

ash_status ash_ref_compare(const ash_ref_call *c) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const uint64_t count = ash_shape_elements(out);
  uint8_t *y = ash_ref_write(c, 0);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++, ash_ref_next(out, at)) {
    const ash_number pair[] = {on_grid(c, 0, at), on_grid(c, 1, at)};
    y[i] = ash_ref_number_apply(ash_op_fn(c->op), pair).i != 0;
  }
  return ASH_OK;
}
