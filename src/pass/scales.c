/* scales.c - factors and offsets of channels become part of the layer before.
 *
 *   t = conv_2d(x, w, b); u = mul(t, c); y = add(u, d)
 *   ->  y = conv_2d(x, w * c, b * c + d)
 *
 * That is what batch normalisation becomes. In float32, for constants with one
 * value, or one for each channel. */
#include "pass/pass.h"

#include "op/functions.h"
#include "pass/uses.h"

#include <string.h>

/* What follows a layer: t * c or t + c. */
typedef struct tail {
  bool product;
  uint32_t constant; /* tensor */
  uint32_t layer;    /* op */
} tail;

static bool is_fn(const ash_op *o, ash_fn fn) {
  return o->kind == ASH_OP_map && ash_op_fn(o) == fn;
}

static bool is_layer(const ash_graph *g, const ash_op *o) {
  const ash_tensor *w = ash_op_in(g, o, 1), *b = ash_op_in(g, o, 2);
  return (o->kind == ASH_OP_conv_2d || o->kind == ASH_OP_depthwise_conv_2d ||
          o->kind == ASH_OP_fully_connected) &&
         o->input_count <= 3 && w && w->type == ASH_FLOAT32 && w->data &&
         ash_op_in(g, o, 0)->type == ASH_FLOAT32 &&
         (!b || (b->data && b->type == ASH_FLOAT32)) &&
         strcmp(ash_attr_string(o, "act", "none"), "none") == 0;
}

/* One value, or one for each element of the last axis of `like`. */
static bool fits_channels(const ash_tensor *c, const ash_tensor *like) {
  const uint64_t n = ash_shape_elements(&c->shape);
  const int32_t channels = like->shape.dim[like->shape.rank - 1];
  if (c->kind != ASH_TENSOR_CONSTANT || !c->data || c->type != ASH_FLOAT32 ||
      c->shape.rank > like->shape.rank)
    return false;
  return n == 1 || (n == (uint64_t)channels &&
                    c->shape.dim[c->shape.rank - 1] == channels);
}

static bool match(const ash_graph *g, const ash_uses *uses, uint32_t op,
                  tail *out) {
  const ash_op *o = &g->ops.items[op];
  out->product = is_fn(o, ASH_FN_mul);
  if (!out->product && !is_fn(o, ASH_FN_add))
    return false;
  for (uint32_t k = 0; k < 2; k++) {
    const uint32_t layer = ash_uses_only(uses, o->inputs[k]);
    const ash_tensor *c = ash_op_in(g, o, 1 - k);
    if (layer == ASH_NO_ID || uses->drop[layer] || !c ||
        !is_layer(g, &g->ops.items[layer]) ||
        !fits_channels(c, ash_op_out(g, &g->ops.items[layer], 0)) ||
        !ash_shape_equal(&ash_op_out(g, o, 0)->shape,
                         &ash_op_out(g, &g->ops.items[layer], 0)->shape))
      continue;
    out->constant = o->inputs[1 - k];
    out->layer = layer;
    return true;
  }
  return false;
}

static float value_of(const ash_graph *g, const tail *t, uint64_t channel) {
  const ash_tensor *c = &g->tensors.items[t->constant];
  return ash_tensor_float(c, ash_shape_elements(&c->shape) == 1 ? 0 : channel);
}

/* Weights are [O, ..], those of depthwise layers [.., O]. */
static ash_status scale_weights(ash_ctx *ctx, ash_graph *g, const tail *t,
                                uint64_t channels, uint32_t made) {
  const ash_op *o = &g->ops.items[t->layer];
  const ash_tensor *w = ash_op_in(g, o, 1);
  const bool deep = o->kind == ASH_OP_depthwise_conv_2d;
  const uint64_t n = ash_shape_elements(&w->shape);
  float *to = ASH_NEW_ARRAY(&g->zone, float, (size_t)n);
  const char *id = ash_zone_format(&g->zone, "scaled_%u", (unsigned)made);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (uint64_t i = 0; i < n; i++)
    to[i] = ash_tensor_float(w, i) *
            value_of(g, t, deep ? i % channels : i / (n / channels));
  uint32_t tensor;
  const ash_shape shape = w->shape;
  ASH_TRY(ash_graph_add_constant(g, &tensor, id, ASH_FLOAT32, &shape, to));
  g->ops.items[t->layer].inputs[1] = tensor;
  return ASH_OK;
}

static ash_status change_bias(ash_ctx *ctx, ash_graph *g, const tail *t,
                              uint64_t channels, uint32_t made) {
  const ash_tensor *b = ash_op_in(g, &g->ops.items[t->layer], 2);
  float *to = ASH_NEW_ARRAY(&g->zone, float, (size_t)channels);
  const char *id = ash_zone_format(&g->zone, "moved_%u", (unsigned)made);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  for (uint64_t i = 0; i < channels; i++) {
    const float old = b ? ash_tensor_float(b, i) : 0.0f;
    to[i] = t->product ? old * value_of(g, t, i) : old + value_of(g, t, i);
  }
  const ash_shape shape = {1, {(int32_t)channels}};
  uint32_t tensor;
  ASH_TRY(ash_graph_add_constant(g, &tensor, id, ASH_FLOAT32, &shape, to));
  while (g->ops.items[t->layer].input_count < 3)
    ASH_TRY(ash_graph_append_input(g, t->layer, ASH_NO_ID));
  g->ops.items[t->layer].inputs[2] = tensor;
  return ASH_OK;
}

static ash_status fold(ash_ctx *ctx, ash_graph *g, const tail *t, uint32_t op,
                       uint32_t made) {
  const ash_shape *out = &ash_op_out(g, &g->ops.items[t->layer], 0)->shape;
  const uint64_t channels = (uint64_t)out->dim[out->rank - 1];
  const char *act = ash_attr_string(&g->ops.items[op], "act", "none");
  if (t->product)
    ASH_TRY(scale_weights(ctx, g, t, channels, made));
  if (!t->product || ash_op_in(g, &g->ops.items[t->layer], 2))
    ASH_TRY(change_bias(ctx, g, t, channels, made));
  if (strcmp(act, "none") != 0)
    ASH_TRY(ash_graph_set_attr(g, t->layer, ASH_STRING_ATTR("act", act)));
  g->ops.items[t->layer].outputs[0] = g->ops.items[op].outputs[0];
  return ASH_OK;
}

ash_status ash_pass_scales(ash_ctx *ctx, ash_graph *g) {
  ash_uses uses;
  tail t;
  ASH_TRY(ash_uses_of(ctx, &uses, g));
  for (uint32_t op = 0; op < g->op_count; op++) {
    if (!match(g, &uses, op, &t))
      continue;
    ASH_TRY(fold(ctx, g, &t, op, op));
    uses.writer[g->ops.items[op].outputs[0]] = t.layer;
    uses.drop[op] = true;
  }
  return ash_uses_drop(g, &uses);
}
