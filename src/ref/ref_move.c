/* ref_move.c - operators that move elements as they are, whatever the type:
 * copies, padding, joining and splitting. */
#include "op/functions.h"
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <string.h>

void ash_ref_move(const ash_ref_call *c, uint32_t k, uint64_t to,
                  const void *source, uint64_t from) {
  const size_t width = ash_type_bits(ash_ref_out(c, k)->type) / 8;
  memcpy((uint8_t *)ash_ref_write(c, k) + to * width,
         (const uint8_t *)source + from * width, width);
}

/* Where nothing else is said, what comes from nowhere means zero. */
static void put_zero(const ash_ref_call *c, uint64_t i) {
  const ash_tensor *out = ash_ref_out(c, 0);
  ash_ref_put(out, ash_ref_write(c, 0), i, ash_ref_zero_of(out));
}

ash_status ash_ref_move_all(const ash_ref_call *c, ash_ref_source *source_of) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const uint64_t count = ash_shape_elements(out);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++, ash_ref_next(out, at)) {
    const uint64_t from = source_of(c, at);
    if (from == ASH_REF_NOWHERE)
      put_zero(c, i);
    else
      ash_ref_move(c, 0, i, ash_ref_read(c, 0), from);
  }
  return ASH_OK;
}

ash_status ash_ref_copy(const ash_ref_call *c) {
  memcpy(ash_ref_write(c, 0), ash_ref_read(c, 0),
         (size_t)ash_ref_out(c, 0)->bytes);
  return ASH_OK;
}

/* ---- padding ------------------------------------------------------------ */

static uint64_t inside_padding(const ash_ref_call *c, const int32_t *at) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  int32_t from[ASH_RANK_MAX];
  for (uint32_t i = 0; i < in->rank; i++) {
    from[i] = at[i] - (int32_t)ash_op_ints(c->op, "before", i, 0);
    if (from[i] < 0 || from[i] >= in->dim[i])
      return ASH_REF_NOWHERE;
  }
  return ash_ref_offset(in, from);
}

ash_status ash_ref_pad(const ash_ref_call *c) {
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  int32_t at[ASH_RANK_MAX] = {0};
  ASH_TRY(ash_ref_move_all(c, inside_padding));
  if (!ash_ref_in(c, 1))
    return ASH_OK;
  for (uint64_t i = 0; i < count;
       i++, ash_ref_next(&ash_ref_out(c, 0)->shape, at))
    if (inside_padding(c, at) == ASH_REF_NOWHERE)
      ash_ref_move(c, 0, i, ash_ref_read(c, 1), 0);
  return ASH_OK;
}

/* Backwards from the edge, the edge itself included (symmetric) or not. */
static uint64_t mirrored(const ash_ref_call *c, const int32_t *at) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const char *mode = ash_attr_string(c->op, "mode", "reflect");
  const int32_t edge = strcmp(mode, "symmetric") == 0 ? 1 : 0;
  int32_t from[ASH_RANK_MAX];
  for (uint32_t i = 0; i < in->rank; i++) {
    from[i] = at[i] - (int32_t)ash_op_ints(c->op, "before", i, 0);
    if (from[i] < 0)
      from[i] = -from[i] - edge;
    if (from[i] >= in->dim[i])
      from[i] = 2 * in->dim[i] - 2 + edge - from[i];
  }
  return ash_ref_offset(in, from);
}

ash_status ash_ref_mirror_pad(const ash_ref_call *c) {
  return ash_ref_move_all(c, mirrored);
}

/* ---- joining and splitting ---------------------------------------------- */

static uint32_t axis_of(int64_t given, uint32_t rank) {
  return (uint32_t)(given < 0 ? given + rank : given);
}

/* Elements before the axis, along it, and behind it. */
typedef struct cut {
  uint64_t outer, length, inner;
} cut;

static cut cut_at(const ash_shape *s, uint32_t axis) {
  cut k = {1, (uint64_t)s->dim[axis], 1};
  for (uint32_t i = 0; i < axis; i++)
    k.outer *= (uint64_t)s->dim[i];
  for (uint32_t i = axis + 1; i < s->rank; i++)
    k.inner *= (uint64_t)s->dim[i];
  return k;
}

/* uint8 parts are rescaled in float32 and rounded once. */
static int32_t rescale_unsigned(const ash_tensor *in, const ash_tensor *out,
                                int64_t x) {
  const float inverse = 1.0f / ash_ref_scale_of(out);
  const float scale = ash_ref_scale_of(in) * inverse;
  const float bias = (float)-ash_ref_zero_of(in) * scale;
  return ash_ref_to_int((float)x * scale + bias);
}

/* An int8 part with another quantisation is rescaled as quantize does. */
static void join_element(const ash_ref_call *c, const ash_ref_limits *limits,
                         uint32_t k, uint64_t to, uint64_t from) {
  const ash_tensor *in = ash_ref_in(c, k), *out = ash_ref_out(c, 0);
  if (!ash_ref_is_quantised(in) || in->quant.count == 0 ||
      (ash_ref_scale_of(in) == ash_ref_scale_of(out) &&
       ash_ref_zero_of(in) == ash_ref_zero_of(out))) {
    ash_ref_move(c, 0, to, ash_ref_read(c, k), from);
    return;
  }
  const int64_t x = ash_ref_get(in, ash_ref_read(c, k), from);
  const double ratio =
      (double)ash_ref_scale_of(in) / (double)ash_ref_scale_of(out);
  ash_ref_put_int(c, limits, to,
                  in->type == ASH_UINT8
                      ? rescale_unsigned(in, out, x)
                      : ash_ref_rescale((int32_t)x - ash_ref_zero_of(in),
                                        ash_ref_out_factor(c, ratio)));
}

ash_status ash_ref_concatenation(const ash_ref_call *c) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const uint32_t axis = axis_of(ash_attr_int(c->op, "axis", 0), out->rank);
  const cut whole = cut_at(out, axis);
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  uint64_t start = 0;
  for (uint32_t k = 0; k < c->op->input_count; k++) {
    const cut part = cut_at(&ash_ref_in(c, k)->shape, axis);
    const uint64_t row = part.length * part.inner;
    for (uint64_t o = 0; o < part.outer; o++)
      for (uint64_t i = 0; i < row; i++)
        join_element(c, &limits, k, o * whole.length * whole.inner + start + i,
                     o * row + i);
    start += row;
  }
  return ASH_OK;
}

/* Each output takes its part of every row. */
ash_status ash_ref_split(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const cut whole =
      cut_at(in, axis_of(ash_attr_int(c->op, "axis", 0), in->rank));
  uint64_t start = 0;
  for (uint32_t k = 0; k < c->op->output_count; k++) {
    const uint64_t row = ash_ref_elements(ash_ref_out(c, k)) / whole.outer;
    for (uint64_t o = 0; o < whole.outer; o++)
      for (uint64_t i = 0; i < row; i++)
        ash_ref_move(c, k, o * row + i, ash_ref_read(c, 0),
                     o * whole.length * whole.inner + start + i);
    start += row;
  }
  return ASH_OK;
}
