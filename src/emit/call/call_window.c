/* call_window.c - convolution and pooling. */
#include "emit/call/call_write.h"

static int64_t attr(const ash_call *c, const char *name, int64_t otherwise) {
  return ash_attr_int(ash_call_op(c), name, otherwise);
}

/* Weights are OHWI or 1HWC, so height and width are at the same place. */
static void put_window(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 0)->shape.rank == 4 &&
             ash_call_out(c)->shape.rank == 4);
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  const ash_tensor *w = ash_call_in(c, 1);
  ash_call_open_field(c, "window");
  ash_call_int(c, "batches", in->dim[0]);
  ash_call_int(c, "in_h", in->dim[1]);
  ash_call_int(c, "in_w", in->dim[2]);
  ash_call_int(c, "in_c", in->dim[3]);
  ash_call_int(c, "out_h", out->dim[1]);
  ash_call_int(c, "out_w", out->dim[2]);
  ash_call_int(c, "out_c", out->dim[3]);
  ash_call_int(c, "filter_h", w ? w->shape.dim[1] : attr(c, "filter_h", 1));
  ash_call_int(c, "filter_w", w ? w->shape.dim[2] : attr(c, "filter_w", 1));
  ash_call_int(c, "stride_h", attr(c, "stride_h", 1));
  ash_call_int(c, "stride_w", attr(c, "stride_w", 1));
  ash_call_int(c, "dilation_h", attr(c, "dilation_h", 1));
  ash_call_int(c, "dilation_w", attr(c, "dilation_w", 1));
  ash_call_int(c, "pad_top", attr(c, "pad_top", 0));
  ash_call_int(c, "pad_left", attr(c, "pad_left", 0));
  ash_call_close_field(c);
}

static void put_groups(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 1)->shape.rank == 4 &&
             ash_call_in(c, 1)->shape.dim[3] > 0);
  const ash_tensor *w = ash_call_in(c, 1);
  ash_call_int(c, "groups", ash_call_in(c, 0)->shape.dim[3] / w->shape.dim[3]);
}

/* Sums of 32 bits only where an int32 bias says so. */
static void put_layer(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 1)->quant.count > 0);
  const ash_tensor *w = ash_call_in(c, 1), *bias = ash_call_in(c, 2);
  ash_call_int(c, "filter_offset", w->quant.count > 1 ? 0 : -ash_quant_zero(w));
  ash_call_int(c, "narrow", bias && bias->type == ASH_INT32);
}

static void put_conv_scales(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 1)->quant.count > 0);
  ash_call_int(c, "in_offset", -ash_quant_zero(ash_call_in(c, 0)));
  ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
  ash_call_int(c, "per_channel", ash_call_in(c, 1)->quant.count > 1);
}

static void put_hybrid(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 1)->quant.count > 0);
  const ash_tensor *w = ash_call_in(c, 1);
  const bool deep = ash_call_op(c)->kind == ASH_OP_depthwise_conv_2d;
  ash_call_open(c, "hybrid");
  put_window(c);
  if (deep)
    ash_call_int(c, "groups", 1);
  else
    put_groups(c);
  ash_call_int(c, "asymmetric", deep || w->quant.count > 1);
  ash_call_int(c, "per_channel", w->quant.count > 1);
  ash_call_float_range(c);
  ash_call_close(c);
  ash_call_invoke(c);
}

/* Parameters by element type: int8, float32 and the others. */
typedef struct window_params {
  const char *s8, *f32, *other;
  bool grouped;
} window_params;

static void put_call(const ash_call *c, const window_params *p) {
  const ash_type type = ash_call_out(c)->type;
  const bool integer = type != ASH_FLOAT32;
  const bool other = type == ASH_UINT8 || type == ASH_INT16;
  if (!integer && ash_call_in(c, 1) && ash_call_in(c, 1)->type == ASH_INT8) {
    put_hybrid(c);
    return;
  }
  ash_call_open(c, other ? p->other : integer ? p->s8 : p->f32);
  put_window(c);
  if (p->grouped)
    put_groups(c);
  if (other && ash_call_in(c, 1))
    put_layer(c);
  else if (other)
    ash_call_type(c, "type", type);
  if (integer && ash_call_in(c, 1))
    put_conv_scales(c);
  if (integer)
    ash_call_int_range(c);
  else
    ash_call_float_range(c);
  ash_call_close(c);
  ash_call_invoke(c);
}

void ash_call_conv_2d(const ash_call *c) {
  static const window_params p = {"conv_2d_s8", "conv_2d_f32", "layer", true};
  put_call(c, &p);
}

void ash_call_depthwise(const ash_call *c) {
  static const window_params p = {"depthwise_conv_2d_s8", "window_f32", "layer",
                                  false};
  put_call(c, &p);
}

void ash_call_pool(const ash_call *c) {
  static const window_params p = {"pool_2d_s8", "window_f32", "pool_2d_any",
                                  false};
  put_call(c, &p);
}
