/* loop_layer.c - layers and products of matrices as loops: whole ones of
 * integers without scales and of types without kernels, parts of all others.
 * Results are numbered by `i` and made in their order in memory, which
 * loops.def promises. Integer sums are unsigned, where wrapping around is
 * defined; the arithmetic of parts is that of the kernels. */
#include "emit/loop/layer.h"
#include "emit/loop/loop.h"
#include "emit/loop/part.h"
#include "op/sums.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- sums ---------------------------------------------------------------- */

static bool in_parts(const ash_call *c) {
  return c->part != ASH_PART_WHOLE;
}

static bool is_integer(const ash_call *c) {
  return ash_op_is_integer_layer(c->graph, ash_call_op(c));
}

static bool is_quantised(const ash_call *c) {
  const ash_tensor *x = ash_call_in(c, 0);
  return !ash_type_is_float(x->type) && x->quant.count && !is_integer(c);
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
  char left[ASH_LOOP_TEXT], right[ASH_LOOP_TEXT];
  if (!is_quantised(c)) {
    ash_loop_product(c, from, by);
    return;
  }
  ash_loop_load(left, ash_call_in(c, 0)->type, "x", from);
  ash_loop_load(right, ash_call_in(c, 1)->type, "w", by);
  ash_text_line(c->text,
                "s += (%s)((%s - (%" PRId32 ")) * (%s - (%" PRId32 ")));",
                is_long(c) ? "int64_t" : "uint32_t", left,
                ash_quant_zero(ash_call_in(c, 0)), right, weight_zero(c));
}

void ash_layer_declare(const ash_call *c) {
  const ash_tensor *third = ash_call_in(c, 3);
  const bool integer = is_integer(c);
  const bool ratio = third && third->type == ASH_FLOAT64;
  const char *const names[] = {"x", "w", "bias",
                               integer ? "factor"
                               : ratio ? "ratio"
                                       : "multiplier",
                               integer ? "offset" : "shift"};
  const bool last = !in_parts(c) || c->part == ASH_PART_LAST;
  for (uint32_t k = 0; k < (last ? ASH_COUNT_OF(names) : 2); k++)
    if (ash_call_in(c, k))
      ash_loop_input(c, names[k], k);
  if (in_parts(c))
    ash_part_declare(c);
  else
    ash_loop_output(c, "y", 0);
}

static void declare(const ash_call *c) {
  ash_layer_declare(c);
  ash_text_line(c->text, "int32_t i = 0;");
}

static void open_sum(const ash_call *c) {
  if (in_parts(c))
    ash_part_open(c, "i", "0");
  else
    ash_text_line(c->text, "%s s = 0;", ash_loop_sum_type(c));
}

static void close(const ash_call *c, int loops) {
  while (loops-- > 0)
    ash_loop_end(c);
}

/* ---- what becomes of a sum: quantised and float -------------------------- */

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

/* Products of matrices have one scale, or tables of several. */
static void put_rescale(const ash_call *c, const char *channel) {
  ash_scaling s;
  if (ash_call_in(c, 3)) {
    ash_text_line(c->text,
                  "const int32_t v = ash_rt_rescale((int32_t)s, "
                  "multiplier[%s], shift[%s]);",
                  channel, channel);
    return;
  }
  const bool good = ash_quant_matmul(&s, ash_call_in(c, 0), ash_call_in(c, 1),
                                     ash_call_out(c));
  ASH_ASSERT(good && ash_call_op(c)->kind == ASH_OP_matmul);
  ash_text_line(c->text,
                "const int32_t v = ash_rt_rescale((int32_t)s, %" PRId32
                ", %" PRId32 ");",
                s.multiplier, s.shift);
}

static void finish_quantised(const ash_call *c) {
  const char *channel = ash_call_in(c, 1)->quant.count > 1 ? "o" : "0";
  const ash_tensor *multiplier = ash_call_in(c, 3);
  if (is_long(c)) {
    finish_long(c, channel);
    return;
  }
  if (ash_call_in(c, 2))
    ash_text_line(c->text, "s += (uint32_t)bias[o];");
  if (multiplier && multiplier->type == ASH_INT64)
    put_long_rescale(c, channel);
  else
    put_rescale(c, channel);
  put_clamped(c);
}

/* ---- what becomes of a sum: integers ------------------------------------- */

static const char *channel_of(const ash_call *c, uint32_t k) {
  return ash_shape_elements(&ash_call_in(c, k)->shape) == 1 ? "0" : "o";
}

/* No value of a type is larger than 2 to this power; then of a sum, all of
 * whose 31 bits may be needed in parts and with a bias. */
static uint32_t magnitude(ash_type type) {
  return ash_type_bits(type) - (*ash_type_c(type) == 'u' ? 0 : 1);
}

static uint32_t sum_magnitude(const ash_call *c) {
  const ash_tensor *w = ash_call_in(c, 1);
  const ash_op_kind kind = ash_call_op(c)->kind;
  const uint32_t channels = kind == ASH_OP_depthwise_conv_2d ? 3 : 0;
  const uint64_t terms =
      kind == ASH_OP_matmul
          ? UINT32_MAX
          : ash_shape_elements(&w->shape) / (uint64_t)w->shape.dim[channels];
  uint32_t bits = magnitude(ash_call_in(c, 0)->type) + magnitude(w->type);
  for (uint64_t n = 1; n < terms && bits < 31; n *= 2)
    bits++;
  return in_parts(c) || ash_call_in(c, 2) || bits > 31 ? 31 : bits;
}

/* Do 32 bits hold what is left of sum * factor + offset? */
static bool is_short(const ash_call *c, int64_t shift) {
  const ash_tensor *offset = ash_call_in(c, 4);
  const uint32_t product =
      sum_magnitude(c) + magnitude(ash_call_in(c, 3)->type);
  const uint32_t added = offset ? magnitude(offset->type) : 0;
  const uint32_t bits = (product > added ? product : added) + 1;
  return bits < 63 && (int64_t)bits - shift < 31;
}

/* `v`, a sum with its bias, becomes what factors and offsets make of it. */
static void put_factor(const ash_call *c) {
  const int64_t shift = ash_attr_int(ash_call_op(c), "shift", 0);
  const bool fits = is_short(c, shift);
  const char *name = fits ? "t" : "v";
  ash_text_line(c->text,
                "int64_t %s = (int64_t)((uint64_t)(int64_t)(int32_t)s "
                "* (uint64_t)factor[%s]);",
                name, channel_of(c, 3));
  if (ash_call_in(c, 4))
    ash_text_line(c->text,
                  "%s = (int64_t)((uint64_t)%s + (uint64_t)offset[%s]);", name,
                  name, channel_of(c, 4));
  if (fits)
    ash_text_line(c->text, "int32_t v = (int32_t)(t >> %" PRId64 ");", shift);
  else if (shift)
    ash_text_line(c->text, "v >>= %" PRId64 ";", shift);
}

static void put_limit(const ash_call *c, const char *name, const char *sign) {
  const ash_op *op = ash_call_op(c);
  if (ash_attr_find(op, name))
    ash_text_line(c->text, "v = v %s %" PRId64 " ? %" PRId64 " : v;", sign,
                  ash_attr_int(op, name, 0), ash_attr_int(op, name, 0));
}

static void finish_integer(const ash_call *c) {
  ASH_ASSERT(ash_type_bits(ash_call_out(c)->type) <= 32);
  if (ash_call_in(c, 2))
    ash_text_line(c->text, "s += (uint32_t)bias[o];");
  if (ash_call_in(c, 3))
    put_factor(c);
  else
    ash_text_line(c->text, "int32_t v = (int32_t)s;");
  put_limit(c, "low", "<");
  put_limit(c, "high", ">");
  ash_text_line(c->text, "y[i] = (%s)v;", ash_type_c(ash_call_out(c)->type));
}

/* A product of matrices that is stored as it is, of any type. */
static bool is_plain(const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  return op->kind == ASH_OP_matmul && !is_quantised(c) &&
         op->input_count == 2 && !ash_attr_find(op, "low") &&
         !ash_attr_find(op, "high");
}

void ash_layer_finish(const ash_call *c) {
  const ash_type type = ash_call_out(c)->type;
  const bool kept = in_parts(c) && !ash_part_close(c, "i");
  if (!kept && is_plain(c))
    ash_loop_store(c, type, type, "y", "i", "s");
  else if (!kept && is_integer(c))
    finish_integer(c);
  else if (!kept && is_quantised(c))
    finish_quantised(c);
  else if (!kept)
    finish_float(c);
}

/* The end of output channel or column `o`. */
static void finish(const ash_call *c) {
  ash_layer_finish(c);
  ash_text_line(c->text, "i++;");
}

/* ---- layers -------------------------------------------------------------- */

/* A tap's row or column, passed over where it is padding. Windows that lie
 * inside need no question. */
static void put_tap(const ash_call *c, const char *name, const char *at,
                    const char *tap, const char *axis, const char *pad,
                    uint32_t dim) {
  const ash_op *op = ash_call_op(c);
  const int32_t size = ash_call_in(c, 0)->shape.dim[dim];
  const int32_t taps = ash_call_in(c, 1)->shape.dim[dim];
  char stride[16], dilation[16];
  (void)snprintf(stride, sizeof stride, "stride_%s", axis);
  (void)snprintf(dilation, sizeof dilation, "dilation_%s", axis);
  const int64_t before = ash_attr_int(op, pad, 0);
  const int64_t step = ash_attr_int(op, stride, 1);
  const int64_t apart = ash_attr_int(op, dilation, 1);
  const int64_t last = (ash_call_out(c)->shape.dim[dim] - 1) * step +
                       (taps - 1) * apart - before;
  ash_text_line(c->text,
                "const int32_t %s = %s * %" PRId64 " + %s * %" PRId64
                " - %" PRId64 ";",
                name, at, step, tap, apart, before);
  if (before == 0 && last < size)
    return;
  ash_text_line(c->text, "if (%s < 0 || %s >= %" PRId32 ")", name, name, size);
  ash_text_line(c->text, "  continue;");
}

/* The row or column of the input that a tap adds to the output, if any. */
static void put_source(const ash_call *c, const char *name, const char *at,
                       const char *tap, const char *axis, const char *pad,
                       uint32_t dim) {
  char stride[16];
  (void)snprintf(stride, sizeof stride, "stride_%s", axis);
  const int64_t step = ash_attr_int(ash_call_op(c), stride, 1);
  const int32_t size = ash_call_in(c, 0)->shape.dim[dim];
  ash_text_line(c->text, "const int32_t %s_steps = %s + %" PRId64 " - %s;",
                name, at, ash_attr_int(ash_call_op(c), pad, 0), tap);
  ash_text_line(c->text, "const int32_t %s = %s_steps / %" PRId64 ";", name,
                name, step);
  ash_text_line(c->text,
                "if (%s_steps < 0 || %s_steps %% %" PRId64 " != 0 || %s >= "
                "%" PRId32 ")",
                name, name, step, name, size);
  ash_text_line(c->text, "  continue;");
}

static void open_pixels(const ash_call *c) {
  const int32_t *out = ash_call_out(c)->shape.dim;
  ash_loop_for(c, "n", out[0]);
  ash_loop_for(c, "p", out[1]);
  ash_loop_for(c, "q", out[2]);
  ash_loop_for(c, "o", out[3]);
  open_sum(c);
}

static void open_taps(const ash_call *c) {
  const int32_t *w = ash_call_in(c, 1)->shape.dim;
  const bool reverse = ash_call_op(c)->kind == ASH_OP_transpose_conv;
  ash_loop_for(c, "f", w[1]);
  (reverse ? put_source : put_tap)(c, "row", "p", "f", "h", "pad_top", 1);
  ash_loop_for(c, "g", w[2]);
  (reverse ? put_source : put_tap)(c, "column", "q", "g", "w", "pad_left", 2);
}

/* Convolutions and transposed ones. In parts, the piece has the input channels
 * that it has, of one group. */
void ash_loop_conv_2d(const ash_call *c) {
  const int32_t *in = ash_call_in(c, 0)->shape.dim;
  const int32_t *w = ash_call_in(c, 1)->shape.dim;
  const int32_t groups = in[3] / w[3];
  char from[160], by[128], group[64] = "";
  if (c->kernel->blocks) {
    ash_layer_window_blocks(c);
    return;
  }
  if (groups > 1)
    (void)snprintf(group, sizeof group, " + o / %" PRId32 " * %" PRId32,
                   ash_call_out(c)->shape.dim[3] / groups, w[3]);
  declare(c);
  open_pixels(c);
  open_taps(c);
  ash_loop_for(c, "k", w[3]);
  (void)snprintf(from, sizeof from,
                 "((n * %" PRId32 " + row) * %" PRId32 " + column) * %" PRId32
                 "%s + k",
                 in[1], in[2], in[3], group);
  (void)snprintf(by, sizeof by,
                 "((o * %" PRId32 " + f) * %" PRId32 " + g) * %" PRId32 " + k",
                 w[1], w[2], w[3]);
  put_product(c, from, by);
  close(c, 3);
  finish(c);
  close(c, 4);
}

void ash_loop_depthwise(const ash_call *c) {
  const int32_t *in = ash_call_in(c, 0)->shape.dim;
  const int32_t *w = ash_call_in(c, 1)->shape.dim;
  const int64_t each = ash_attr_int(ash_call_op(c), "multiplier", 1);
  char from[160], by[128], channel[32] = "o";
  if (c->kernel->blocks) {
    ash_layer_window_blocks(c);
    return;
  }
  if (each > 1)
    (void)snprintf(channel, sizeof channel, "o / %" PRId64, each);
  declare(c);
  open_pixels(c);
  open_taps(c);
  (void)snprintf(from, sizeof from,
                 "((n * %" PRId32 " + row) * %" PRId32 " + column) * %" PRId32
                 " + %s",
                 in[1], in[2], in[3], channel);
  (void)snprintf(by, sizeof by, "(f * %" PRId32 " + g) * %" PRId32 " + o", w[2],
                 w[3]);
  put_product(c, from, by);
  close(c, 2);
  finish(c);
  close(c, 4);
}

void ash_loop_dense(const ash_call *c) {
  const int32_t *w = ash_call_in(c, 1)->shape.dim;
  const uint64_t results = ash_shape_elements(&ash_call_out(c)->shape);
  char from[64], by[64];
  if (c->kernel->blocks) {
    ash_layer_dense_blocks(c);
    return;
  }
  declare(c);
  ash_loop_for(c, "n", (int64_t)(results / (uint64_t)w[0]));
  ash_loop_for(c, "o", w[0]);
  open_sum(c);
  ash_loop_for(c, "k", w[1]);
  (void)snprintf(from, sizeof from, "n * %" PRId32 " + k", w[1]);
  (void)snprintf(by, sizeof by, "o * %" PRId32 " + k", w[1]);
  put_product(c, from, by);
  ash_loop_end(c);
  finish(c);
  close(c, 2);
}

/* ---- matrices ------------------------------------------------------------ */

/* The batch dimensions, in elements. */
static ash_nest nest_batches(const ash_call *c) {
  const ash_shape *shapes[] = {&ash_call_out(c)->shape,
                               &ash_call_in(c, 0)->shape,
                               &ash_call_in(c, 1)->shape};
  const uint32_t rank = shapes[0]->rank;
  ash_nest n = {.operands = 3};
  for (uint32_t d = 0; d + 2 < rank; d++) {
    int64_t steps[3];
    for (uint32_t k = 0; k < 3; k++) {
      const ash_shape *s = shapes[k];
      const uint32_t missing = rank - s->rank;
      steps[k] = d < missing || s->dim[d - missing] == 1 ? 0 : 1;
      for (uint32_t i = d < missing ? s->rank : d - missing + 1; i < s->rank;
           i++)
        steps[k] *= s->dim[i];
    }
    ash_nest_add(&n, shapes[0]->dim[d], steps);
  }
  return n;
}

void ash_loop_matmul(const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const bool ta = ash_attr_int(op, "transpose_a", 0) != 0;
  const bool tb = ash_attr_int(op, "transpose_b", 0) != 0;
  const ash_shape *a = &ash_call_in(c, 0)->shape;
  const ash_shape *b = &ash_call_in(c, 1)->shape;
  const ash_shape *y = &ash_call_out(c)->shape;
  const ash_nest n = nest_batches(c);
  char at[2][ASH_LOOP_TEXT], from[ASH_LOOP_TEXT + 64], by[ASH_LOOP_TEXT + 64];
  if (c->kernel->blocks) {
    ash_layer_product_blocks(c, &n);
    return;
  }
  declare(c);
  ash_loop_open(c, &n, "b");
  ash_loop_for(c, "m", y->dim[y->rank - 2]);
  ash_loop_for(c, "o", y->dim[y->rank - 1]);
  open_sum(c);
  ash_loop_for(c, "k", a->dim[a->rank - (ta ? 2 : 1)]);
  (void)snprintf(from, sizeof from,
                 ta ? "%s + k * %" PRId32 " + m" : "%s + m * %" PRId32 " + k",
                 ash_loop_index(at[0], &n, 1, "b"), a->dim[a->rank - 1]);
  (void)snprintf(by, sizeof by,
                 tb ? "%s + o * %" PRId32 " + k" : "%s + k * %" PRId32 " + o",
                 ash_loop_index(at[1], &n, 2, "b"), b->dim[b->rank - 1]);
  put_product(c, from, by);
  ash_loop_end(c);
  finish(c);
  close(c, 2);
  ash_loop_close(c, &n);
}
