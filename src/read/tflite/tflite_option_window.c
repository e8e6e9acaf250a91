/* tflite_option_window.c - options of convolutions and pools: SAME and VALID
 * become numbers. */
#include "read/tflite/tflite_option.h"

/* SAME makes ceil(in / stride) outputs and pads as much as that needs, the
 * smaller half in front. VALID pads nothing. */
static void put_pads(ash_tflite_call *c, bool same, const char *front,
                     const char *back, int64_t in, int64_t filter,
                     int64_t stride) {
  const int64_t out = (in + stride - 1) / stride;
  int64_t total = (out - 1) * stride + filter - in;
  if (!same || total < 0)
    total = 0;
  ash_tflite_put_int(c, front, total / 2);
  ash_tflite_put_int(c, back, total - total / 2);
}

/* `filter` is of the window itself; dilation spreads it. */
static ash_status put_window(ash_tflite_call *c, int32_t filter_h,
                             int32_t filter_w) {
  const uint32_t padding = ash_fb_u8(&c->options, 0, 0);
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  if (padding > 1)
    return ash_tflite_bad_options(c, "the padding's number", padding);
  if (filter_h < 1 || filter_w < 1)
    return ash_tflite_bad_options(c, "a side of the window",
                                  filter_h < 1 ? filter_h : filter_w);
  put_pads(c, padding == 0, "pad_top", "pad_bottom", in->dim[1],
           (filter_h - 1) * ash_tflite_got(c, "dilation_h") + 1,
           ash_tflite_got(c, "stride_h"));
  put_pads(c, padding == 0, "pad_left", "pad_right", in->dim[2],
           (filter_w - 1) * ash_tflite_got(c, "dilation_w") + 1,
           ash_tflite_got(c, "stride_w"));
  return ASH_OK;
}

/* Fields 1 and 2 of all windowed operators. */
static ash_status put_strides(ash_tflite_call *c) {
  ASH_TRY(ash_tflite_need_rank(c, 0, 4));
  ASH_TRY(ash_tflite_put_field(c, "stride_h", 2, 0, 1));
  return ash_tflite_put_field(c, "stride_w", 1, 0, 1);
}

ash_status ash_tflite_read_conv(ash_tflite_call *c) {
  ASH_TRY(put_strides(c));
  ASH_TRY(ash_tflite_need_rank(c, 1, 4));
  ASH_TRY(ash_tflite_put_field(c, "dilation_h", 5, 1, 1));
  ASH_TRY(ash_tflite_put_field(c, "dilation_w", 4, 1, 1));
  const ash_shape *filter = ash_tflite_shape_in(c, 1);
  ASH_TRY(put_window(c, filter->dim[1], filter->dim[2]));
  return ash_tflite_put_act(c, 3);
}

/* The multiplier follows from the shapes; old files store 0 for it. */
static ash_status put_multiplier(ash_tflite_call *c) {
  const int32_t stored = ash_fb_i32(&c->options, 3, 0);
  const int32_t in = ash_tflite_shape_in(c, 0)->dim[3],
                out = ash_tflite_shape_in(c, 1)->dim[3];
  if (in < 1 || out < 1 || out % in)
    return ash_tflite_bad_options(c, "the filter's number of channels", out);
  if (stored != 0 && stored != out / in)
    return ash_tflite_bad_options(c, "the depth multiplier", stored);
  ash_tflite_put_int(c, "multiplier", out / in);
  return ASH_OK;
}

ash_status ash_tflite_read_depthwise(ash_tflite_call *c) {
  ASH_TRY(put_strides(c));
  ASH_TRY(ash_tflite_need_rank(c, 1, 4));
  ASH_TRY(ash_tflite_put_field(c, "dilation_h", 6, 1, 1));
  ASH_TRY(ash_tflite_put_field(c, "dilation_w", 5, 1, 1));
  const ash_shape *filter = ash_tflite_shape_in(c, 1);
  ASH_TRY(put_window(c, filter->dim[1], filter->dim[2]));
  ASH_TRY(put_multiplier(c));
  return ash_tflite_put_act(c, 4);
}

ash_status ash_tflite_read_pool(ash_tflite_call *c) {
  ASH_TRY(put_strides(c));
  ASH_TRY(ash_tflite_put_field(c, "filter_h", 4, 0, 1));
  ASH_TRY(ash_tflite_put_field(c, "filter_w", 3, 0, 1));
  ASH_TRY(put_window(c, (int32_t)ash_tflite_got(c, "filter_h"),
                     (int32_t)ash_tflite_got(c, "filter_w")));
  return ash_tflite_put_act(c, 5);
}

/* The output's shape is the file's first input, which the graph leaves out. */
static ash_status put_unpooled(ash_tflite_call *c) {
  const ash_tflite_op *from = &c->r->ops[c->index];
  const ash_tensor *given =
      from->inputs[0] == ASH_NO_ID
          ? NULL
          : &c->r->g->tensors.items[c->r->uses[from->inputs[0]].graph];
  ash_shape shape = {.rank = 4};
  if (!given || given->kind != ASH_TENSOR_CONSTANT || !given->data ||
      ash_shape_elements(&given->shape) != 4)
    return ASH_OK;
  for (uint32_t i = 0; i < 4; i++) {
    const int64_t dim = ash_tensor_int(given, i);
    if (dim < 1 || dim > INT32_MAX)
      return ash_tflite_bad_options(c, "a dimension of the output", dim);
    shape.dim[i] = (int32_t)dim;
  }
  return ash_tflite_put_shape(c, 0, &shape);
}

/* Paddings are those of the convolution from the output to the input; the
 * output's shape is declared, the tensor that repeats it is left out. */
ash_status ash_tflite_read_transpose_conv(ash_tflite_call *c) {
  const uint32_t padding = ash_fb_u8(&c->options, 0, 0);
  ASH_TRY(put_unpooled(c));
  const ash_shape *out = &ash_op_out(c->r->g, &c->op, 0)->shape;
  ASH_TRY(put_strides(c));
  ASH_TRY(ash_tflite_need_rank(c, 1, 4));
  if (padding > 1 || out->rank != 4)
    return ash_tflite_bad_options(c, "the padding's number", padding);
  const ash_shape *filter = ash_tflite_shape_in(c, 1);
  put_pads(c, padding == 0, "pad_top", "pad_bottom", out->dim[1],
           filter->dim[1], ash_tflite_got(c, "stride_h"));
  put_pads(c, padding == 0, "pad_left", "pad_right", out->dim[2],
           filter->dim[2], ash_tflite_got(c, "stride_w"));
  return ash_tflite_put_act(c, 3);
}
