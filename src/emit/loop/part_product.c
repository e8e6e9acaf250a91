/* part_product.c - parts of convolutions and products of matrices. Results are
 * numbered by `i`, in the order of the output. The arithmetic is that of the
 * kernels: what comes out of all parts is what they would have written. */
#include "emit/loop/part.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- sums ---------------------------------------------------------------- */

static bool is_quantised(const ash_call *c) {
  const ash_type t = ash_call_in(c, 0)->type;
  const ash_op_kind kind = ash_call_op(c)->kind;
  return (t == ASH_INT8 || t == ASH_UINT8 || t == ASH_INT16) &&
         kind != ASH_OP_matmul && kind != ASH_OP_conv_nd;
}

/* Layers of int16 have sums of 64 bits. */
static bool is_long(const ash_call *c) {
  return is_quantised(c) && ash_call_in(c, 0)->type == ASH_INT16;
}

/* Unless their bias has 32. */
static bool is_narrow(const ash_call *c) {
  const ash_tensor *bias = ash_call_in(c, 2);
  return bias && bias->type == ASH_INT32;
}

/* Weights with one scale a channel have no zero point. */
static int32_t weight_zero(const ash_call *c) {
  const ash_tensor *w = ash_call_in(c, 1);
  return w->quant.count > 1 ? 0 : ash_quant_zero(w);
}

/* `s += x[from] * w[by];` */
static void put_product(const ash_call *c, const char *from, const char *by) {
  const ash_type type = ash_call_in(c, 0)->type;
  const int bits = ash_type_bits(ash_call_out(c)->type) == 64 ? 64 : 32;
  char left[ASH_LOOP_TEXT], right[ASH_LOOP_TEXT];
  ash_loop_load(left, type, "x", from);
  ash_loop_load(right, ash_call_in(c, 1)->type, "w", by);
  if (is_quantised(c))
    ash_text_line(c->text,
                  "s += (%s)((%s - (%" PRId32 ")) * (%s - (%" PRId32 ")));",
                  is_long(c) ? "int64_t" : "uint32_t", left,
                  ash_quant_zero(ash_call_in(c, 0)), right, weight_zero(c));
  else if (ash_type_is_float(type))
    ash_text_line(c->text, "s += %s * %s;", left, right);
  else
    ash_text_line(c->text, "s += (uint%d_t)%s * (uint%d_t)%s;", bits, left,
                  bits, right);
}

static void declare_operands(const ash_call *c) {
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "w", 1);
  ash_part_declare(c);
  ash_text_line(c->text, "int32_t i = 0;");
}

/* ---- what becomes of a sum ----------------------------------------------- */

/* `y[i] = ..` of an int32_t `v`, already rescaled. */
static void put_clamped(const ash_call *c) {
  const ash_tensor *out = ash_call_out(c);
  const ash_int_range r =
      ash_quant_range(out, ash_attr_string(ash_call_op(c), "act", "none"));
  ash_text_line(c->text,
                "y[i] = (%s)ash_rt_finish(v, %" PRId32 ", %" PRId32 ", %" PRId32
                ");",
                ash_type_c(out->type), ash_quant_zero(out), r.low, r.high);
}

/* sum * multiplier * 2^-(22 + shift): see ash_rt_fully_connected_s8.c. */
static void put_long_rescale(const ash_call *c, const char *channel) {
  ash_text_line(c->text, "const int64_t m = multiplier[%s];", channel);
  ash_text_line(c->text, "const int32_t z = (int32_t)s;");
  ash_text_line(c->text, "const int64_t rest = ((int64_t)z * (int32_t)(m & "
                         "0x3fffff) - (z < 0)) >> 22;");
  ash_text_line(c->text,
                "const int64_t t = ((int64_t)z * (int32_t)(m >> 22) + rest + "
                "((int64_t)1 << (shift[%s] - 1))) >> shift[%s];",
                channel, channel);
  ash_text_line(c->text, "const int32_t v = t > 65536 ? 65536 : t < -65536 ? "
                         "-65536 : (int32_t)t;");
}

/* sum * ratio, to the nearest, ties away from zero: see
 * ash_rt_fully_connected_s16.c. */
static void put_ratio(const ash_call *c, const char *channel) {
  ash_text_line(c->text, "const double t = (double)s * ratio[%s];", channel);
  ash_text_line(c->text, "const int32_t most = 1000000000;");
  ash_text_line(c->text, "const int32_t whole = !(t > -1e9) ? -most : t >= 1e9 "
                         "? most : (int32_t)t;");
  ash_text_line(c->text, "const double rest = whole > -most && whole < most ? "
                         "t - (double)whole : 0.0;");
  ash_text_line(c->text, "const int32_t v = whole + (int32_t)(rest >= 0.5) - "
                         "(int32_t)(rest <= -0.5);");
}

static void finish_float(const ash_call *c) {
  const ash_float_range r =
      ash_float_range_of(ash_attr_string(ash_call_op(c), "act", "none"));
  ash_text_format(c->text, "%*sy[i] = ash_rt_clamp_f32(s%s, ",
                  (int)(2 * c->text->indent), "",
                  ash_call_in(c, 2) ? " + bias[o]" : "");
  ash_text_float(c->text, r.low);
  ash_text_string(c->text, "f, ");
  ash_text_float(c->text, r.high);
  ash_text_string(c->text, "f);\n");
}

/* int16: what is narrow wraps to 32 bits. */
static void finish_long(const ash_call *c, const char *channel) {
  const bool narrow = is_narrow(c);
  if (ash_call_in(c, 2))
    ash_text_line(c->text, "s += bias[o];");
  if (narrow)
    ash_text_line(c->text, "s = (int32_t)(uint32_t)(uint64_t)s;");
  if (ash_call_in(c, 3)->type == ASH_FLOAT64)
    put_ratio(c, channel);
  else
    ash_text_line(c->text,
                  "const int32_t v = ash_rt_rescale%s(%ss, multiplier[%s], "
                  "shift[%s]);",
                  narrow ? "" : "_long", narrow ? "(int32_t)" : "", channel,
                  channel);
  put_clamped(c);
}

/* Output channel `o` of a layer with weights. */
static void finish_layer(const ash_call *c) {
  const char *channel = ash_call_in(c, 1)->quant.count > 1 ? "o" : "0";
  if (!is_quantised(c)) {
    finish_float(c);
    return;
  }
  if (is_long(c)) {
    finish_long(c, channel);
    return;
  }
  if (ash_call_in(c, 2))
    ash_text_line(c->text, "s += (uint32_t)bias[o];");
  if (ash_call_in(c, 3)->type == ASH_INT64)
    put_long_rescale(c, channel);
  else
    ash_text_line(c->text,
                  "const int32_t v = ash_rt_rescale((int32_t)s, "
                  "multiplier[%s], shift[%s]);",
                  channel, channel);
  put_clamped(c);
}

static void declare_layer(const ash_call *c) {
  declare_operands(c);
  if (c->part != ASH_PART_LAST)
    return;
  if (ash_call_in(c, 2))
    ash_loop_input(c, "bias", 2);
  if (is_quantised(c) && ash_call_in(c, 3)->type == ASH_FLOAT64) {
    ash_loop_input(c, "ratio", 3);
  } else if (is_quantised(c)) {
    ash_loop_input(c, "multiplier", 3);
    ash_loop_input(c, "shift", 4);
  }
}

/* ---- layers -------------------------------------------------------------- */

/* A tap's row or column, passed over where it is padding. */
static void put_tap(const ash_call *c, const char *name, const char *at,
                    const char *tap, const char *axis, int64_t pad,
                    int64_t size) {
  char stride[16], dilation[16];
  (void)snprintf(stride, sizeof stride, "stride_%s", axis);
  (void)snprintf(dilation, sizeof dilation, "dilation_%s", axis);
  ash_text_line(c->text,
                "const int32_t %s = %s * %" PRId64 " + %s * %" PRId64
                " - %" PRId64 ";",
                name, at, ash_attr_int(ash_call_op(c), stride, 1), tap,
                ash_attr_int(ash_call_op(c), dilation, 1), pad);
  ash_text_line(c->text, "if (%s < 0 || %s >= %" PRId64 ")", name, name, size);
  ash_text_line(c->text, "  continue;");
}

/* The row or column of the input that a tap adds to the output, if any. */
static void put_source(const ash_call *c, const char *name, const char *at,
                       const char *tap, const char *axis, int64_t pad,
                       int64_t size) {
  char stride[16];
  (void)snprintf(stride, sizeof stride, "stride_%s", axis);
  const int64_t step = ash_attr_int(ash_call_op(c), stride, 1);
  ash_text_line(c->text, "const int32_t %s_steps = %s + %" PRId64 " - %s;",
                name, at, pad, tap);
  ash_text_line(c->text, "const int32_t %s = %s_steps / %" PRId64 ";", name,
                name, step);
  ash_text_line(c->text,
                "if (%s_steps < 0 || %s_steps %% %" PRId64 " != 0 || %s >= "
                "%" PRId64 ")",
                name, name, step, name, size);
  ash_text_line(c->text, "  continue;");
}

static void put_either(const ash_call *c, const char *name, const char *at,
                       const char *tap, const char *axis, int64_t pad,
                       int64_t size) {
  if (ash_call_op(c)->kind == ASH_OP_transpose_conv)
    put_source(c, name, at, tap, axis, pad, size);
  else
    put_tap(c, name, at, tap, axis, pad, size);
}

/* Convolutions and transposed ones. All input channels of the piece: groups
 * are never cut into parts. */
ash_status ash_part_conv_2d(ash_ctx *ctx, const ash_call *c) {
  const int32_t *in = ash_call_in(c, 0)->shape.dim;
  const int32_t *w = ash_call_in(c, 1)->shape.dim;
  const int32_t *out = ash_call_out(c)->shape.dim;
  char from[128], by[128];
  (void)ctx;
  declare_layer(c);
  ash_loop_for(c, "n", out[0]);
  ash_loop_for(c, "p", out[1]);
  ash_loop_for(c, "q", out[2]);
  ash_loop_for(c, "o", out[3]);
  ash_part_open(c, "i", "0");
  ash_loop_for(c, "f", w[1]);
  put_either(c, "row", "p", "f", "h",
             ash_attr_int(ash_call_op(c), "pad_top", 0), in[1]);
  ash_loop_for(c, "g", w[2]);
  put_either(c, "column", "q", "g", "w",
             ash_attr_int(ash_call_op(c), "pad_left", 0), in[2]);
  ash_loop_for(c, "k", in[3]);
  (void)snprintf(from, sizeof from,
                 "((n * %" PRId32 " + row) * %" PRId32 " + column) * %" PRId32
                 " + k",
                 in[1], in[2], in[3]);
  (void)snprintf(by, sizeof by,
                 "((o * %" PRId32 " + f) * %" PRId32 " + g) * %" PRId32 " + k",
                 w[1], w[2], w[3]);
  put_product(c, from, by);
  for (int i = 0; i < 3; i++)
    ash_loop_end(c);
  if (ash_part_close(c, "i"))
    finish_layer(c);
  ash_text_line(c->text, "i++;");
  for (int i = 0; i < 4; i++)
    ash_loop_end(c);
  return ASH_OK;
}

ash_status ash_part_dense(ash_ctx *ctx, const ash_call *c) {
  const int32_t *w = ash_call_in(c, 1)->shape.dim;
  const uint64_t results = ash_shape_elements(&ash_call_out(c)->shape);
  char from[64], by[64];
  (void)ctx;
  declare_layer(c);
  ash_loop_for(c, "n", (int64_t)(results / (uint64_t)w[0]));
  ash_loop_for(c, "o", w[0]);
  ash_part_open(c, "i", "0");
  ash_loop_for(c, "k", w[1]);
  (void)snprintf(from, sizeof from, "n * %" PRId32 " + k", w[1]);
  (void)snprintf(by, sizeof by, "o * %" PRId32 " + k", w[1]);
  put_product(c, from, by);
  ash_loop_end(c);
  if (ash_part_close(c, "i"))
    finish_layer(c);
  ash_text_line(c->text, "i++;");
  ash_loop_end(c);
  ash_loop_end(c);
  return ASH_OK;
}

/* ---- matrices ------------------------------------------------------------ */

static void finish_matmul(const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  const ash_tensor *out = ash_call_out(c);
  const char *column = b->quant.count > 1 ? "n" : "0";
  if (!is_quantised(c)) {
    ash_loop_store(c, out->type, out->type, "y", "i", "s");
    return;
  }
  if (is_long(c)) {
    ash_text_line(c->text,
                  "const int32_t v = ash_rt_rescale_long(s, multiplier[%s], "
                  "shift[%s]);",
                  column, column);
    put_clamped(c);
    return;
  }
  ash_scaling s;
  const bool good = ash_quant_matmul(&s, a, b, out);
  ASH_ASSERT(good);
  ash_text_line(c->text,
                "const int32_t v = ash_rt_rescale((int32_t)s, %" PRId32
                ", %" PRId32 ");",
                s.multiplier, s.shift);
  put_clamped(c);
}

ash_status ash_part_matmul(ash_ctx *ctx, const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const bool batch = op->kind == ASH_OP_batch_matmul;
  const bool ta = ash_attr_int(op, batch ? "adj_x" : "transpose_a", 0) != 0;
  const bool tb = ash_attr_int(op, batch ? "adj_y" : "transpose_b", 0) != 0;
  const ash_shape *a = &ash_call_in(c, 0)->shape;
  const ash_shape *b = &ash_call_in(c, 1)->shape;
  const ash_shape *y = &ash_call_out(c)->shape;
  const ash_nest n = ash_nest_batches(c);
  char at[2][ASH_LOOP_TEXT], from[ASH_LOOP_TEXT + 64], by[ASH_LOOP_TEXT + 64];
  (void)ctx;
  declare_operands(c);
  if (is_long(c) && c->part == ASH_PART_LAST) {
    ash_loop_input(c, "multiplier", 2);
    ash_loop_input(c, "shift", 3);
  }
  ash_loop_open(c, &n, "b");
  ash_loop_for(c, "m", y->dim[y->rank - 2]);
  ash_loop_for(c, "n", y->dim[y->rank - 1]);
  ash_part_open(c, "i", "0");
  ash_loop_for(c, "k", a->dim[a->rank - (ta ? 2 : 1)]);
  (void)snprintf(from, sizeof from,
                 ta ? "%s + k * %" PRId32 " + m" : "%s + m * %" PRId32 " + k",
                 ash_loop_index(at[0], &n, 1, "b"), a->dim[a->rank - 1]);
  (void)snprintf(by, sizeof by,
                 tb ? "%s + n * %" PRId32 " + k" : "%s + k * %" PRId32 " + n",
                 ash_loop_index(at[1], &n, 2, "b"), b->dim[b->rank - 1]);
  put_product(c, from, by);
  ash_loop_end(c);
  if (ash_part_close(c, "i"))
    finish_matmul(c);
  ash_text_line(c->text, "i++;");
  ash_loop_end(c);
  ash_loop_end(c);
  ash_loop_close(c, &n);
  return ASH_OK;
}
