/* loop_whole.c - layers of whole numbers that have no scales, whole or in
 * parts. Sums are kept in uint32_t, where wrapping around is defined; output
 * pixels are made in their order in memory, which kernels.def promises. */
#include "emit/loop/loop.h"
#include "emit/loop/part.h"

#include <inttypes.h>
#include <stdio.h>

static bool in_parts(const ash_call *c) {
  return c->part != ASH_PART_WHOLE;
}

static bool finishes(const ash_call *c) {
  return c->part == ASH_PART_WHOLE || c->part == ASH_PART_LAST;
}

static void declare(const ash_call *c) {
  static const char *const names[] = {"x", "w", "bias", "factor", "offset"};
  const uint32_t count = finishes(c) ? ash_call_op(c)->input_count : 2;
  for (uint32_t k = 0; k < count; k++)
    if (ash_call_in(c, k))
      ash_loop_input(c, names[k], k);
  if (in_parts(c))
    ash_part_declare(c);
  else
    ash_loop_output(c, "y", 0);
  ash_text_line(c->text, "int32_t i = 0;");
}

static void open_sum(const ash_call *c) {
  if (in_parts(c))
    ash_part_open(c, "i", "0");
  else
    ash_text_line(c->text, "uint32_t s = 0;");
}

static const char *channel_of(const ash_call *c, uint32_t k) {
  return ash_shape_elements(&ash_call_in(c, k)->shape) == 1 ? "0" : "o";
}

/* `v`, a sum with its bias, becomes what factors and offsets make of it. */
static void put_factor(const ash_call *c) {
  const int64_t shift = ash_attr_int(ash_call_op(c), "shift", 0);
  ash_text_line(c->text,
                "int64_t v = (int64_t)((uint64_t)(int64_t)(int32_t)s "
                "* (uint64_t)factor[%s]);",
                channel_of(c, 3));
  if (ash_call_in(c, 4))
    ash_text_line(c->text, "v = (int64_t)((uint64_t)v + (uint64_t)offset[%s]);",
                  channel_of(c, 4));
  if (shift)
    ash_text_line(c->text, "v >>= %" PRId64 ";", shift);
}

static void put_limit(const ash_call *c, const char *name, const char *sign) {
  const ash_op *op = ash_call_op(c);
  if (ash_attr_find(op, name))
    ash_text_line(c->text, "v = v %s %" PRId64 " ? %" PRId64 " : v;", sign,
                  ash_attr_int(op, name, 0), ash_attr_int(op, name, 0));
}

/* The end of output channel `o`. */
static void finish(const ash_call *c) {
  const char *type = ash_type_c(ash_call_out(c)->type);
  if (in_parts(c) && !ash_part_close(c, "i")) {
    ash_text_line(c->text, "i++;");
    return;
  }
  if (ash_call_in(c, 2))
    ash_text_line(c->text, "s += (uint32_t)bias[o];");
  if (ash_call_in(c, 3))
    put_factor(c);
  else
    ash_text_line(c->text, "int32_t v = (int32_t)s;");
  put_limit(c, "low", "<");
  put_limit(c, "high", ">");
  ash_text_line(c->text, "y[i] = (%s)v;", type);
  ash_text_line(c->text, "i++;");
}

static void put_product(const ash_call *c, const char *from, const char *by) {
  ash_text_line(c->text, "s += (uint32_t)x[%s] * (uint32_t)w[%s];", from, by);
}

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
  ash_loop_for(c, "f", w[1]);
  put_tap(c, "row", "p", "f", "h", "pad_top", 1);
  ash_loop_for(c, "g", w[2]);
  put_tap(c, "column", "q", "g", "w", "pad_left", 2);
}

static void close(const ash_call *c, int loops) {
  while (loops-- > 0)
    ash_loop_end(c);
}

/* In parts, the piece has the input channels that it has, of one group. */
ash_status ash_loop_whole_conv(ash_ctx *ctx, const ash_call *c) {
  const int32_t *in = ash_call_in(c, 0)->shape.dim;
  const int32_t *w = ash_call_in(c, 1)->shape.dim;
  const int32_t groups = in[3] / w[3];
  char from[160], by[128], group[64] = "";
  (void)ctx;
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
  return ASH_OK;
}

ash_status ash_loop_whole_depthwise(ash_ctx *ctx, const ash_call *c) {
  const int32_t *in = ash_call_in(c, 0)->shape.dim;
  const int32_t *w = ash_call_in(c, 1)->shape.dim;
  const int64_t each = ash_attr_int(ash_call_op(c), "multiplier", 1);
  char from[160], by[128], channel[32] = "o";
  (void)ctx;
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
  return ASH_OK;
}

ash_status ash_loop_whole_dense(ash_ctx *ctx, const ash_call *c) {
  const int32_t *w = ash_call_in(c, 1)->shape.dim;
  const uint64_t results = ash_shape_elements(&ash_call_out(c)->shape);
  char from[64], by[64];
  (void)ctx;
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
  return ASH_OK;
}

/* Columns of the result are its channels. */
ash_status ash_loop_whole_matmul(ash_ctx *ctx, const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const bool ta = ash_attr_int(op, "transpose_a", 0) != 0;
  const bool tb = ash_attr_int(op, "transpose_b", 0) != 0;
  const ash_shape *a = &ash_call_in(c, 0)->shape;
  const ash_shape *b = &ash_call_in(c, 1)->shape;
  const ash_shape *y = &ash_call_out(c)->shape;
  const ash_nest n = ash_nest_batches(c);
  char at[2][ASH_LOOP_TEXT], from[ASH_LOOP_TEXT + 64], by[ASH_LOOP_TEXT + 64];
  (void)ctx;
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
  return ASH_OK;
}
