/* ref_move.c - operators that move elements as they are, whatever the type. */
#include "ref/ref_call.h"

#include <string.h>

ash_status ash_ref_copy(const ash_ref_call *c) {
  memcpy(ash_ref_write(c, 0), ash_ref_read(c, 0),
         (size_t)ash_ref_out(c, 0)->bytes);
  return ASH_OK;
}

/* Element `from` of a tensor becomes element `to` of output 0. */
static void move(const ash_ref_call *c, const void *source, uint64_t from,
                 uint64_t to) {
  const size_t width = ash_type_bits(ash_ref_out(c, 0)->type) / 8;
  memcpy((uint8_t *)ash_ref_write(c, 0) + to * width,
         (const uint8_t *)source + from * width, width);
}

/* Where nothing else is said, padding is the value that means zero. */
static int64_t default_padding(const ash_ref_call *c) {
  const ash_tensor *out = ash_ref_out(c, 0);
  return out->quant.count ? out->quant.zero_point[0] : 0;
}

ash_status ash_ref_pad(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const ash_tensor *pads = ash_ref_in(c, 1);
  const uint64_t count = ash_shape_elements(out);
  int64_t nothing = 0;
  const void *value = ash_ref_read(c, 2) ? ash_ref_read(c, 2) : &nothing;
  ash_ref_put(ash_ref_out(c, 0), &nothing, 0, default_padding(c));
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++, ash_ref_next(out, at)) {
    bool inside = true;
    uint64_t from = 0;
    for (uint32_t k = 0; k < in->rank; k++) {
      const int64_t where = at[k] - ash_tensor_int(pads, 2 * k);
      inside = inside && where >= 0 && where < in->dim[k];
      from = from * (uint64_t)in->dim[k] + (uint64_t)where;
    }
    move(c, inside ? ash_ref_read(c, 0) : value, inside ? from : 0, i);
  }
  return ASH_OK;
}

ash_status ash_ref_concatenation(const ash_ref_call *c) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const int64_t given = ash_op_int(c->op, "axis", 0);
  const uint32_t axis = (uint32_t)(given < 0 ? given + out->rank : given);
  int32_t start = 0;
  for (uint32_t k = 0; k < c->op->input_count; k++) {
    const ash_shape *in = &ash_ref_in(c, k)->shape;
    const uint64_t count = ash_shape_elements(in);
    int32_t at[ASH_RANK_MAX] = {0};
    for (uint64_t i = 0; i < count; i++, ash_ref_next(in, at)) {
      uint64_t to = 0;
      for (uint32_t d = 0; d < out->rank; d++)
        to = to * (uint64_t)out->dim[d] +
             (uint64_t)(at[d] + (d == axis ? start : 0));
      move(c, ash_ref_read(c, k), i, to);
    }
    start += in->dim[axis];
  }
  return ASH_OK;
}
