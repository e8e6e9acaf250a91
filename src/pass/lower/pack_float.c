/* pack_float.c - weights of float layers for Helium and for hosts:
 *
 *   conv_2d(x, w, b) -> conv_2d(x, w, b, -, -, <id>_packed)
 *
 * Groups of eight channels (hosts: sixteen) side by side, tap by tap, so that
 * one load brings the weights that one input is multiplied with. */
#include "pass/pass.h"

#include "base/checked.h"
#include "op/reads.h"
#include "pass/lower/lower_append.h"

#include <math.h>
#include <string.h>

enum {
  MVE_GROUP = 8,  /* ASH_RT_MVE_F32_GROUP  */
  SIMD_GROUP = 16 /* ASH_RT_SIMD_F32_GROUP */
};

static bool is_plain(const ash_graph *g, const ash_op *op) {
  const ash_tensor *in = ash_op_in(g, op, 0), *w = ash_op_in(g, op, 1);
  if (op->kind != ASH_OP_conv_2d && op->kind != ASH_OP_fully_connected)
    return false;
  if (!in || !w || !w->data || in->type != ASH_FLOAT32 ||
      w->type != ASH_FLOAT32 || op->input_count > 3)
    return false;
  return op->kind == ASH_OP_fully_connected ||
         w->shape.dim[3] == in->shape.dim[3];
}

/* Kernels of hosts multiply zeros where there is padding, which is nothing
 * only if the weight is a number. */
static bool is_finite(const ash_tensor *w) {
  for (uint64_t i = 0; i < ash_shape_elements(&w->shape); i++) {
    float x;
    memcpy(&x, w->data + i * 4, 4);
    if (!isfinite(x))
      return false;
  }
  return true;
}

static uint8_t *arrange(ash_graph *g, const ash_tensor *w, uint32_t group,
                        uint64_t *count) {
  const uint64_t channels = (uint64_t)w->shape.dim[0];
  const uint64_t taps = ash_shape_elements(&w->shape) / channels;
  *count = ash_align_up(channels, group) * taps;
  if (*count > INT32_MAX / 4)
    return NULL;
  uint8_t *out = ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)*count * 4);
  uint8_t *to = out;
  for (uint64_t c = 0; out && c < channels; c += group)
    for (uint64_t t = 0; t < taps; t++)
      for (uint64_t i = c; i < c + group; i++, to += 4)
        if (i < channels)
          memcpy(to, w->data + (i * taps + t) * 4, 4);
  return out;
}

/* Float data, int8 weights: for hosts, as pack.c arranges them. */
static bool is_hybrid(const ash_graph *g, const ash_op *op) {
  const ash_tensor *in = ash_op_in(g, op, 0), *w = ash_op_in(g, op, 1);
  return op->kind == ASH_OP_conv_2d && in && w && w->data &&
         in->type == ASH_FLOAT32 && w->type == ASH_INT8 &&
         op->input_count == 4 && w->shape.dim[3] == in->shape.dim[3];
}

static uint8_t *arrange_bytes(ash_graph *g, const ash_tensor *w,
                              uint64_t *count) {
  const uint64_t channels = (uint64_t)w->shape.dim[0];
  const uint64_t taps = ash_shape_elements(&w->shape) / channels;
  const uint64_t padded = ash_align_up(taps, 4);
  *count = ash_align_up(channels, SIMD_GROUP) * padded;
  uint8_t *out = *count > INT32_MAX
                     ? NULL
                     : ASH_NEW_ARRAY(&g->zone, uint8_t, (size_t)*count);
  for (uint64_t c = 0; out && c < channels; c++)
    for (uint64_t t = 0; t < taps; t++)
      out[c / SIMD_GROUP * SIMD_GROUP * padded + t / 4 * 4 * SIMD_GROUP +
          c % SIMD_GROUP * 4 + t % 4] = w->data[c * taps + t];
  return out;
}

static ash_status pack_hybrid(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  uint64_t count;
  const uint8_t *bytes =
      arrange_bytes(g, ash_op_in(g, &g->ops.items[op], 1), &count);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  if (!bytes)
    return ASH_OK; /* too large: the portable kernel takes it */
  ASH_TRY(ash_graph_append_input(g, op, ASH_NO_ID));
  return ash_lower_append(g, op, "packed", ASH_INT8, (uint32_t)count, bytes);
}

static ash_status pack(ash_ctx *ctx, ash_graph *g, uint32_t op,
                       uint32_t group) {
  uint64_t count;
  const uint8_t *bytes =
      arrange(g, ash_op_in(g, &g->ops.items[op], 1), group, &count);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  if (!bytes)
    return ASH_OK; /* too large: the portable kernel takes it */
  while (g->ops.items[op].input_count < ASH_IN_PREPARED)
    ASH_TRY(ash_graph_append_input(g, op, ASH_NO_ID));
  return ash_lower_append(g, op, "packed", ASH_FLOAT32, (uint32_t)count, bytes);
}

ash_status ash_pass_pack_float(ash_ctx *ctx, ash_graph *g,
                               const ash_target *target) {
  const bool simd = (target->features & ASH_FEATURE_SIMD) != 0;
  const bool any = (simd || (target->features & ASH_FEATURE_MVE_FLOAT)) &&
                   !(target->features & ASH_FEATURE_CMSIS_NN);
  for (uint32_t op = 0; any && op < g->op_count; op++)
    if (is_plain(g, &g->ops.items[op]) &&
        (!simd || is_finite(ash_op_in(g, &g->ops.items[op], 1))))
      ASH_TRY(pack(ctx, g, op, simd ? SIMD_GROUP : MVE_GROUP));
  for (uint32_t op = 0; any && simd && op < g->op_count; op++)
    if (is_hybrid(g, &g->ops.items[op]))
      ASH_TRY(pack_hybrid(ctx, g, op));
  return ASH_OK;
}
