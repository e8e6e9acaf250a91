/* padding.c - a pad becomes part of the window behind it.
 *
 *   t = pad(x) before=[0,1,1,0] after=[0,1,1,0]; y = conv_2d(t, w)
 *   ->  y = conv_2d(x, w) pad_top=1 pad_left=1 pad_bottom=1 pad_right=1
 *
 * Convolutions take padding of zeros, maxima one of the smallest value. */
#include "pass/pass.h"

#include "op/functions.h"
#include "pass/uses.h"

#include <float.h>

typedef struct frame {
  int64_t top, bottom, left, right;
} frame;

/* Padding of height and width alone. */
static bool read_frame(const ash_graph *g, const ash_op *pad, frame *f) {
  if (ash_op_in(g, pad, 0)->shape.rank != 4)
    return false;
  for (uint32_t i = 0; i < 4; i += 3)
    if (ash_op_ints(pad, "before", i, 0) || ash_op_ints(pad, "after", i, 0))
      return false;
  *f = (frame){
      ash_op_ints(pad, "before", 1, 0), ash_op_ints(pad, "after", 1, 0),
      ash_op_ints(pad, "before", 2, 0), ash_op_ints(pad, "after", 2, 0)};
  return true;
}

static bool is_zero(const ash_graph *g, const ash_op *pad) {
  const ash_tensor *x = ash_op_in(g, pad, 0), *value = ash_op_in(g, pad, 1);
  const int32_t zero = x->quant.count ? x->quant.zero_point[0] : 0;
  if (!value)
    return true;
  if (!value->data)
    return false;
  return x->type == ASH_FLOAT32 ? ash_tensor_float(value, 0) == 0.0f
                                : ash_tensor_int(value, 0) == zero;
}

static bool is_smallest(const ash_graph *g, const ash_op *pad) {
  const ash_tensor *x = ash_op_in(g, pad, 0), *value = ash_op_in(g, pad, 1);
  if (!value || !value->data)
    return x->type == ASH_INT8 && !value && x->quant.count &&
           x->quant.zero_point[0] == INT8_MIN;
  return x->type == ASH_FLOAT32 ? ash_tensor_float(value, 0) <= -FLT_MAX
         : x->type == ASH_INT8  ? ash_tensor_int(value, 0) == INT8_MIN
                                : false;
}

static bool same_quant(const ash_tensor *a, const ash_tensor *b) {
  return a->quant.count == b->quant.count &&
         (a->quant.count == 0 ||
          (a->quant.scale[0] == b->quant.scale[0] &&
           a->quant.zero_point[0] == b->quant.zero_point[0]));
}

/* Kernels see to paddings that are smaller than their windows. */
static bool fits_window(const ash_graph *g, const ash_op *o, const frame *f) {
  const ash_tensor *w = ash_op_in(g, o, 1);
  const int64_t h = (w ? w->shape.dim[1] : ash_attr_int(o, "filter_h", 1)) - 1;
  const int64_t v = (w ? w->shape.dim[2] : ash_attr_int(o, "filter_w", 1)) - 1;
  const int64_t reach_h = h * ash_attr_int(o, "dilation_h", 1);
  const int64_t reach_w = v * ash_attr_int(o, "dilation_w", 1);
  return f->top + ash_attr_int(o, "pad_top", 0) <= reach_h &&
         f->bottom + ash_attr_int(o, "pad_bottom", 0) <= reach_h &&
         f->left + ash_attr_int(o, "pad_left", 0) <= reach_w &&
         f->right + ash_attr_int(o, "pad_right", 0) <= reach_w;
}

static bool takes(const ash_graph *g, const ash_op *o, const ash_op *pad) {
  switch (o->kind) {
  case ASH_OP_conv_2d:
  case ASH_OP_depthwise_conv_2d:
    return is_zero(g, pad);
  case ASH_OP_max_pool_2d: /* its own padding counts as nothing */
    return is_smallest(g, pad);
  default:
    return false;
  }
}

static ash_status widen(ash_graph *g, uint32_t op, const char *name,
                        int64_t more) {
  const int64_t old = ash_attr_int(&g->ops.items[op], name, 0);
  return ash_graph_set_attr(g, op, ASH_INT_ATTR(name, old + more));
}

ash_status ash_pass_padding(ash_ctx *ctx, ash_graph *g) {
  ash_uses uses;
  ASH_TRY(ash_uses_of(ctx, &uses, g));
  for (uint32_t op = 0; op < g->op_count; op++) {
    const ash_op *o = &g->ops.items[op];
    const uint32_t before =
        o->input_count ? ash_uses_only(&uses, o->inputs[0]) : ASH_NO_ID;
    if (before == ASH_NO_ID || g->ops.items[before].kind != ASH_OP_pad)
      continue;
    const ash_op *pad = &g->ops.items[before];
    frame f;
    if (!read_frame(g, pad, &f) || !takes(g, o, pad) ||
        !fits_window(g, o, &f) ||
        !same_quant(ash_op_in(g, pad, 0), ash_op_out(g, pad, 0)))
      continue;
    g->ops.items[op].inputs[0] = pad->inputs[0];
    ASH_TRY(widen(g, op, "pad_top", f.top));
    ASH_TRY(widen(g, op, "pad_bottom", f.bottom));
    ASH_TRY(widen(g, op, "pad_left", f.left));
    ASH_TRY(widen(g, op, "pad_right", f.right));
    uses.drop[before] = true;
  }
  return ash_uses_drop(g, &uses);
}
