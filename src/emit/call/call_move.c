/* call_move.c - copying, and concatenation of inputs with other scales. */
#include "emit/call/call_write.h"

/* ---- copying ------------------------------------------------------------ */

void ash_call_copy(const ash_call *c) {
  ash_call_open(c, "copy");
  ash_call_int(c, "bytes", (int64_t)ash_call_out(c)->bytes);
  ash_call_close(c);
  ash_call_invoke(c);
}

/* Elements behind `axis`. */
static int64_t inner_of(const ash_shape *s, uint32_t axis) {
  ASH_ASSERT(axis < s->rank);
  int64_t n = 1;
  for (uint32_t d = axis + 1; d < s->rank; d++)
    n *= s->dim[d];
  return n;
}

static uint32_t concatenation_axis(const ash_call *c) {
  const int64_t rank = ash_call_out(c)->shape.rank;
  const int64_t axis = ash_attr_int(ash_call_op(c), "axis", 0);
  return (uint32_t)(axis < 0 ? axis + rank : axis);
}

static void put_piece(const ash_call *c, uint32_t k, int64_t *at) {
  const ash_tensor *in = ash_call_in(c, k), *out = ash_call_out(c);
  const uint32_t axis = concatenation_axis(c);
  const int64_t unit =
      inner_of(&out->shape, axis) * (int64_t)ash_type_bits(out->type) / 8;
  const int64_t run = in->shape.dim[axis] * unit;
  ash_call_open(c, c->kernel->params_name);
  ash_call_int(c, "rows", run ? (int64_t)in->bytes / run : 0);
  ash_call_int(c, "run", run);
  ash_call_int(c, "pitch", out->shape.dim[axis] * unit);
  ash_call_int(c, "at", *at);
  if (c->kernel->params == ASH_PARAMS_concatenation_u8) {
    const float inverse = 1.0f / ash_quant_scale(out);
    const float scale = ash_quant_scale(in) * inverse;
    const bool same = ash_quant_equal(in, out);
    const float zero = (float)-ash_quant_zero(in);
    ash_call_float(c, "scale", same ? 1.0f : scale);
    ash_call_float(c, "offset", same ? zero : zero * scale);
    ash_call_int(c, "zero_point", ash_quant_zero(out));
  }
  if (c->kernel->params == ASH_PARAMS_concatenation_s8) {
    ash_scaling s;
    const bool good = ash_quant_convert(&s, in, out);
    ASH_ASSERT(good);
    ash_call_int(c, "in_offset", -ash_quant_zero(in));
    ash_call_int(c, "out_offset", ash_quant_zero(out));
    ash_call_int(c, "multiplier", s.multiplier);
    ash_call_int(c, "shift", s.shift);
  }
  ash_call_close(c);
  ash_call_invoke_one(c, k);
  *at += run;
}

/* One call an input, each in a block of its own. */
void ash_call_concatenation(const ash_call *c) {
  int64_t at = 0;
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++) {
    if (!ash_call_in(c, k) || ash_call_in(c, k)->bytes == 0)
      continue; /* a piece has nothing of it */
    ash_text_line(c->text, "{");
    c->text->indent++;
    put_piece(c, k, &at);
    c->text->indent--;
    ash_text_line(c->text, "}");
  }
}
