/* call_move.c - operators that move elements as they are: each becomes one or
 * a few boxes (call_box.h). Blocks and mirrors are in call_blocks.c. */
#include "emit/call/call_box.h"
#include "op/slice.h"

static uint32_t axis_of(int64_t given, uint32_t rank) {
  return (uint32_t)(given < 0 ? given + rank : given);
}

/* ---- one box ------------------------------------------------------------ */

static ash_call_box transposed(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  const ash_box_steps from = ash_box_steps_of(in), to = ash_box_steps_of(out);
  ash_call_box b = {0};
  for (uint32_t i = 0; i < out->rank; i++) {
    const int64_t axis = ash_tensor_int(ash_call_in(c, 1), i);
    ash_emit_box_axis(&b, out->dim[i], from.at[axis_of(axis, in->rank)],
                      to.at[i]);
  }
  return b;
}

static ash_call_box sliced(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  const ash_box_steps from = ash_box_steps_of(in), to = ash_box_steps_of(out);
  ash_slice s;
  ash_call_box b = {0};
  (void)ash_slice_of(c->graph, ash_call_op(c), &s); /* verified */
  for (uint32_t i = 0; i < in->rank; i++)
    b.from += s.begin[i] * from.at[i];
  for (uint32_t i = 0; i < s.rank; i++)
    if (s.from[i] != ASH_NO_ID)
      ash_emit_box_axis(&b, out->dim[i], from.at[s.from[i]] * s.step[s.from[i]],
                        to.at[i]);
  return b;
}

static ash_call_box tiled(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  const ash_box_steps from = ash_box_steps_of(in), to = ash_box_steps_of(out);
  ash_call_box b = {0};
  for (uint32_t i = 0; i < in->rank; i++) {
    ash_emit_box_axis(&b, out->dim[i] / in->dim[i], 0, to.at[i] * in->dim[i]);
    ash_emit_box_axis(&b, in->dim[i], from.at[i], to.at[i]);
  }
  return b;
}

static ash_call_box stretched(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  const ash_box_steps from = ash_box_steps_of(in), to = ash_box_steps_of(out);
  const uint32_t missing = out->rank - in->rank;
  ash_call_box b = {0};
  for (uint32_t i = 0; i < out->rank; i++) {
    const bool repeated = i < missing || in->dim[i - missing] == 1;
    ash_emit_box_axis(&b, out->dim[i], repeated ? 0 : from.at[i - missing],
                      to.at[i]);
  }
  return b;
}

static bool is_turned(const ash_tensor *axes, uint32_t axis, uint32_t rank) {
  for (uint64_t k = 0; k < ash_shape_elements(&axes->shape); k++)
    if (axis_of(ash_tensor_int(axes, k), rank) == axis)
      return true;
  return false;
}

static ash_call_box reversed(const ash_call *c) {
  const ash_shape *s = &ash_call_in(c, 0)->shape;
  const ash_box_steps step = ash_box_steps_of(s);
  ash_call_box b = {0};
  for (uint32_t i = 0; i < s->rank; i++) {
    const bool turned = is_turned(ash_call_in(c, 1), i, s->rank);
    b.from += turned ? (s->dim[i] - 1) * step.at[i] : 0;
    ash_emit_box_axis(&b, s->dim[i], turned ? -step.at[i] : step.at[i],
                      step.at[i]);
  }
  return b;
}

ash_status ash_call_transpose(ash_ctx *ctx, const ash_call *c) {
  return ash_emit_box_put(ctx, c, transposed(c), 0, 0);
}

ash_status ash_call_slice(ash_ctx *ctx, const ash_call *c) {
  return ash_emit_box_put(ctx, c, sliced(c), 0, 0);
}

ash_status ash_call_tile(ash_ctx *ctx, const ash_call *c) {
  return ash_emit_box_put(ctx, c, tiled(c), 0, 0);
}

ash_status ash_call_broadcast_to(ash_ctx *ctx, const ash_call *c) {
  return ash_emit_box_put(ctx, c, stretched(c), 0, 0);
}

ash_status ash_call_reverse(ash_ctx *ctx, const ash_call *c) {
  return ash_emit_box_put(ctx, c, reversed(c), 0, 0);
}

/* ---- joining and splitting ---------------------------------------------- */

/* The axis that is split, and elements before and behind it. */
typedef struct cut {
  int64_t outer, length, inner;
} cut;

static cut cut_at(const ash_shape *s, int64_t given) {
  const uint32_t axis = axis_of(given, s->rank);
  cut k = {1, s->dim[axis], 1};
  for (uint32_t i = 0; i < s->rank; i++) {
    k.outer *= i < axis ? s->dim[i] : 1;
    k.inner *= i > axis ? s->dim[i] : 1;
  }
  return k;
}

ash_status ash_call_split(ash_ctx *ctx, const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const cut k =
      cut_at(&ash_call_in(c, 0)->shape, ash_op_split_axis(c->graph, op));
  int64_t start = 0;
  for (uint32_t i = 0; i < op->output_count; i++) {
    const ash_shape *s = &ash_op_out(c->graph, op, i)->shape;
    const int64_t row = (int64_t)ash_shape_elements(s) / k.outer;
    ash_call_box b = {.from = start};
    ash_emit_box_axis(&b, k.outer, k.length * k.inner, row);
    ash_emit_box_axis(&b, row, 1, 1);
    if (row > 0 && (!c->made || !c->made[i]))
      ASH_TRY(ash_emit_box_put(ctx, c, b, 0, i));
    start += row;
  }
  return ASH_OK;
}

ash_status ash_call_pack(ash_ctx *ctx, const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const cut k = cut_at(&ash_call_out(c)->shape, ash_attr_int(op, "axis", 0));
  for (uint32_t i = 0; i < op->input_count; i++) {
    ash_call_box b = {.to = i * k.inner};
    ash_emit_box_axis(&b, k.outer, k.inner, k.length * k.inner);
    ash_emit_box_axis(&b, k.inner, 1, 1);
    if (!c->in_place || !c->in_place[i])
      ASH_TRY(ash_emit_box_put(ctx, c, b, i, 0));
  }
  return ASH_OK;
}

ash_status ash_call_fill(ash_ctx *ctx, const ash_call *c) {
  ash_call_box b = {0};
  ash_emit_box_axis(&b, (int64_t)ash_shape_elements(&ash_call_out(c)->shape), 0,
                    1);
  return ash_emit_box_put(ctx, c, b, 1, 0);
}
