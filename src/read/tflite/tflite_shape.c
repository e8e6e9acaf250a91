/* tflite_shape.c - shapes that the file leaves open, or stores for other inputs
 * than those that are compiled, are inferred operator by operator; shapes that
 * follow from constants and other shapes are computed as they are read, so
 * that SHAPE, STRIDED_SLICE and PACK make constants. */
#include "read/tflite/tflite_option.h"

#include "op/shape/shape.h"
#include "ref/ref.h"

#include <string.h>

/* ---- what is open ---------------------------------------------------------
 */

static bool is_loose(const ash_tflite *r, uint32_t tensor) {
  return tensor != ASH_NO_ID && r->uses[tensor].loose;
}

/* What reads or writes an open tensor makes tensors whose stored shape may be
 * that of another run. */
void ash_tflite_spread_loose(ash_tflite *r, uint32_t op) {
  const ash_tflite_op *o = &r->ops[op];
  bool loose = false;
  for (uint32_t i = 0; i < o->input_count; i++)
    loose = loose || is_loose(r, o->inputs[i]);
  for (uint32_t i = 0; i < o->output_count; i++)
    loose = loose || is_loose(r, o->outputs[i]);
  for (uint32_t i = 0; i < o->output_count; i++)
    r->uses[o->outputs[i]].loose = loose;
}

bool ash_tflite_is_loose(const ash_tflite_call *c) {
  const ash_tflite_op *o = &c->r->ops[c->index];
  return o->output_count > 0 && is_loose(c->r, o->outputs[0]);
}

/* ---- inferring ------------------------------------------------------------
 */

static ash_status give_shape(ash_tflite *r, uint32_t tensor,
                             const ash_shape *shape, ash_loc at) {
  ash_tensor *t = &r->g->tensors.items[tensor];
  t->shape = *shape;
  if (!ash_shape_bytes(&t->bytes, &t->shape, t->type))
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tensor_shape, at,
                    "the result is too large");
  return ASH_OK;
}

void ash_tflite_copy_shape(ash_tflite *r, uint32_t from, uint32_t to) {
  ash_tensor *items = r->g->tensors.items;
  items[to].shape = items[from].shape;
  (void)ash_shape_bytes(&items[to].bytes, &items[to].shape, items[to].type);
}

ash_status ash_tflite_put_shape(ash_tflite_call *c, uint32_t k,
                                const ash_shape *shape) {
  if (!ash_tflite_is_loose(c))
    return ASH_OK;
  return give_shape(c->r, c->op.outputs[k], shape,
                    ash_tflite_at_op(c->r, c->index));
}

/* The file's shape, if there is a whole one that contradicts. */
static void warn_stale(ash_tflite *r, uint32_t op, uint32_t tensor,
                       const ash_shape *made) {
  char found[ASH_SHAPE_TEXT], stored[128];
  if (r->resized || r->warned_stale ||
      ash_tflite_allows_shape(r, tensor, made, stored, sizeof stored))
    return;
  ash_loc at = ash_tflite_at_op(r, op);
  at.tensor = tensor;
  at.tensor_name = r->g->tensors.items[r->uses[tensor].graph].name;
  r->warned_stale = true;
  ash_warn(r->ctx, ASH_D_shape_stale, at,
           "declared as %s, the operator makes %s of its inputs; compiled for "
           "what it makes",
           stored, ash_shape_text(found, made));
}

/* Whose fault it may be that shapes do not fit. */
static void hint_input(ash_tflite *r) {
  char text[ASH_SHAPE_TEXT];
  if (r->assumed_count == 0)
    return;
  const ash_tensor *t = &r->g->tensors.items[r->uses[r->assumed_tensor].graph];
  ash_hint(r->ctx,
           "the model leaves the shape of input '%.100s' open, and %s was "
           "taken; --input-shape %.100s=.. gives another",
           t->name, ash_shape_text(text, &t->shape), t->name);
}

ash_status ash_tflite_infer(ash_tflite *r, uint32_t op) {
  ash_graph *g = r->g;
  const uint32_t index = (uint32_t)g->op_count - 1;
  const ash_op *o = &g->ops.items[index];
  const ash_tflite_op *from = &r->ops[op];
  ash_shape *found =
      ASH_NEW_ARRAY(&r->ctx->scratch, ash_shape, o->output_count + 1u);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  const ash_status status = ash_infer_shape(r->ctx, g, index, found);
  if (status != ASH_OK) {
    hint_input(r);
    return status;
  }
  for (uint32_t k = 0; k < o->output_count; k++)
    if (ash_op_out(g, o, k)->kind == ASH_TENSOR_ACTIVATION)
      ASH_TRY(give_shape(r, o->outputs[k], &found[k], ash_tflite_at_op(r, op)));
  for (uint32_t k = 0; k < from->output_count; k++)
    warn_stale(r, op, from->outputs[k],
               &g->tensors.items[r->uses[from->outputs[k]].graph].shape);
  return ASH_OK;
}

/* ---- what follows from constants ------------------------------------------
 */

static bool is_end(const ash_tflite *r, uint32_t graph) {
  for (uint32_t i = 0; r->depth == 0 && i < r->output_count; i++)
    if (r->uses[r->outputs[i]].graph == graph)
      return true;
  return false;
}

static bool is_foldable(const ash_tflite *r, const ash_op *o,
                        uint64_t bytes_max) {
  const ash_graph *g = r->g;
  uint64_t bytes = 0;
  if (!ash_ref_knows(o->kind) || o->input_count == 0 ||
      ash_graph_has_effect(g, o))
    return false;
  for (uint32_t k = 0; k < o->input_count; k++) {
    const ash_tensor *t = ash_op_in(g, o, k);
    if (t && (t->kind != ASH_TENSOR_CONSTANT || !t->data))
      return false;
  }
  for (uint32_t k = 0; k < o->output_count; k++) {
    if (is_end(r, o->outputs[k]))
      return false;
    bytes += ash_op_out(g, o, k)->bytes;
  }
  return bytes <= bytes_max;
}

/* The interpreter trusts shapes that were checked. */
static ash_status check_shapes(ash_ctx *ctx, const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  ash_shape *found =
      ASH_NEW_ARRAY(&ctx->scratch, ash_shape, o->output_count + 1u);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  ASH_TRY(ash_infer_shape(ctx, g, op, found));
  for (uint32_t k = 0; k < o->output_count; k++)
    if (!ash_shape_equal(&found[k], &ash_op_out(g, o, k)->shape))
      return ash_fail(ctx, ASH_MALFORMED, ASH_D_graph_shape,
                      ash_graph_loc(g, op, o->outputs[k]),
                      "the output has another shape than its operator makes");
  return ASH_OK;
}

static ash_status compute(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  ASH_TRY(check_shapes(ctx, g, op));
  return ash_ref_compute(ctx, g, op);
}

ash_status ash_tflite_fold(ash_tflite *r, size_t first, uint64_t bytes_max) {
  ash_graph *g = r->g;
  size_t kept = first;
  for (size_t i = first; i < g->op_count; i++) {
    g->ops.items[kept] = g->ops.items[i];
    if (!is_foldable(r, &g->ops.items[kept], bytes_max)) {
      kept++;
      continue;
    }
    const ash_mark mark = ash_zone_mark(&r->ctx->scratch);
    const ash_status status = compute(r->ctx, g, (uint32_t)kept);
    ash_zone_rewind(&r->ctx->scratch, mark);
    ASH_TRY(status);
  }
  g->op_count = kept;
  return ASH_OK;
}
