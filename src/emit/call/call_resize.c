/* call_resize.c - images made larger or smaller; where pixels come from is in
 * tables (pass/lower/lower_resize.c). */
#include "emit/call/call_write.h"

void ash_call_resize(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 0)->shape.rank == 4);
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  const bool nearest = ash_call_op(c)->kind == ASH_OP_resize_nearest_neighbor;
  const int64_t size = (int64_t)ash_type_bits(ash_call_out(c)->type) / 8;
  ash_call_open(c, "resize");
  ash_call_int(c, "batches", in->dim[0]);
  ash_call_int(c, "in_h", in->dim[1]);
  ash_call_int(c, "in_w", in->dim[2]);
  ash_call_int(c, "out_h", out->dim[1]);
  ash_call_int(c, "out_w", out->dim[2]);
  ash_call_int(c, "channels", in->dim[3] * (nearest ? size : 1));
  ash_call_close(c);
  ash_call_invoke(c);
}
