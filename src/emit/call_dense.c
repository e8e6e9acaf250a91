/* call_dense.c - fully connected layers. */
#include "emit/call_write.h"

ash_status ash_call_dense(ash_ctx *ctx, const ash_call *c) {
  (void)ctx;
  const ash_tensor *in = ash_call_in(c, 0);
  const ash_tensor *w = ash_call_in(c, 1);
  const bool integer = in->type != ASH_FLOAT32;
  const int32_t out_c = w->shape.dim[0], in_c = w->shape.dim[1];
  ash_call_open(c, integer ? "fully_connected_s8" : "fully_connected_f32");
  ash_call_int(c, "batches",
               (int64_t)ash_shape_elements(&in->shape) / (in_c ? in_c : 1));
  ash_call_int(c, "in_c", in_c);
  ash_call_int(c, "out_c", out_c);
  if (integer) {
    ash_call_int(c, "in_offset", -ash_quant_zero(in));
    ash_call_int(c, "filter_offset",
                 w->quant.count > 1 ? 0 : -ash_quant_zero(w));
    ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
    ash_call_int(c, "per_channel", w->quant.count > 1);
    ash_call_int_range(c);
  } else {
    ash_call_float_range(c);
  }
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}
