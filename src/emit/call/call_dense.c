/* call_dense.c - fully connected layers. */
#include "emit/call/call_write.h"

#include "op/reads.h"

static void put_sizes(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 1)->shape.rank == 2);
  const ash_tensor *in = ash_call_in(c, 0), *w = ash_call_in(c, 1);
  const int32_t out_c = w->shape.dim[0], in_c = w->shape.dim[1];
  ash_call_int(c, "batches",
               (int64_t)ash_shape_elements(&in->shape) / (in_c ? in_c : 1));
  ash_call_int(c, "in_c", in_c);
  ash_call_int(c, "out_c", out_c);
}

static void put_hybrid(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 1)->quant.count > 0);
  ash_call_open(c, "hybrid");
  ash_call_open_field(c, "window");
  put_sizes(c);
  ash_call_close_field(c);
  ash_call_int(c, "asymmetric",
               ash_attr_int(ash_call_op(c), "asymmetric", 0) != 0);
  ash_call_int(c, "per_channel", ash_call_in(c, 1)->quant.count > 1);
  ash_call_float_range(c);
  ash_call_close(c);
  ash_call_invoke(c);
}

/* One scale of 31 bits. */
static void call_cmsis(const ash_call *c) {
  const ash_tensor *in = ash_call_in(c, 0), *w = ash_call_in(c, 1);
  const int32_t out_c = w->shape.dim[0], in_c = w->shape.dim[1];
  ash_scaling s;
  const bool good = ash_quant_conv(&s, in, w, ash_call_out(c), 0);
  ASH_ASSERT(good);
  ash_call_open(c, "dense_cmsis");
  ash_call_int(c, "batches", (int64_t)ash_shape_elements(&in->shape) / in_c);
  ash_call_int(c, "in_c", in_c);
  ash_call_int(c, "out_c", out_c);
  ash_call_int(c, "in_offset", -ash_quant_zero(in));
  ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
  ash_call_int_range(c);
  ash_call_close(c);
  ash_call_invoke(c);
}

/* pass/lower/pack.c marks a scale of 53 bits by its last number. */
static bool has_wide_scale(const ash_call *c) {
  if (!ash_kernel_is_packed(c->kernel))
    return false;
  const ash_tensor *scale = ash_call_in(c, ASH_IN_DENSE_SCALE);
  return ash_tensor_int(scale, ash_shape_elements(&scale->shape) - 1) < 0;
}

void ash_call_dense(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 0) && ash_call_in(c, 1));
  if (c->kernel->params == ASH_PARAMS_dense_cmsis) {
    call_cmsis(c);
    return;
  }
  const ash_tensor *in = ash_call_in(c, 0);
  const ash_tensor *w = ash_call_in(c, 1), *bias = ash_call_in(c, 2);
  const bool integer = in->type != ASH_FLOAT32;
  const bool other = in->type == ASH_UINT8 || in->type == ASH_INT16;
  if (!integer && w->type == ASH_INT8) {
    put_hybrid(c);
    return;
  }
  ash_call_open(c, other     ? "dense"
                   : integer ? "fully_connected_s8"
                             : "fully_connected_f32");
  put_sizes(c);
  if (other)
    ash_call_int(c, "narrow", bias && bias->type == ASH_INT32);
  if (integer) {
    ash_call_int(c, "in_offset", -ash_quant_zero(in));
    ash_call_int(c, "filter_offset",
                 w->quant.count > 1 ? 0 : -ash_quant_zero(w));
    ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
    ash_call_int(c, "per_channel", w->quant.count > 1);
    if (!other)
      ash_call_int(c, "wide", has_wide_scale(c));
    ash_call_int_range(c);
  } else {
    ash_call_float_range(c);
  }
  ash_call_close(c);
  ash_call_invoke(c);
}
