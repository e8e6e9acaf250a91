/* loop_layer_blocks.c - layers of bytes without scales: loops around a function
 * of the runtime that adds up the products of two pixels and some channels.
 *
 * A window that lies inside the image, and the one beside it, are a block.
 * At the edges pixels are alone, with what they see of the image. */
#include "emit/loop/layer.h"
#include "emit/loop/loop.h"

#include <inttypes.h>
#include <stdio.h>

enum { COUNT_TEXT = 16 };
enum { CHANNELS = 16, PIXELS = 2 }; /* as ash_rt_loops.h has them */

/* How many channels a block has: a number where all have as many. */
static const char *put_count(const ash_call *c, int32_t channels, char *buf) {
  (void)snprintf(buf, COUNT_TEXT, "%" PRId32,
                 channels < CHANNELS ? channels : CHANNELS);
  if (channels <= CHANNELS || channels % CHANNELS == 0)
    return buf;
  ash_text_line(c->text,
                "const int32_t channels = first > %" PRId32 " ? %" PRId32
                " - first : %d;",
                channels - CHANNELS, channels, CHANNELS);
  return "channels";
}

/* The sums of the block from element `x` of the input and `w` of the weights on
 * become results: pixel `m` of it is number `at` + m of the output. */
static void put_block(const ash_call *c, int32_t channels, const char *x,
                      const char *w, const char *at) {
  char buf[COUNT_TEXT];
  const char *count = put_count(c, channels, buf);
  ash_text_line(c->text, "uint32_t sums[%d];", PIXELS * CHANNELS);
  ash_text_line(c->text, "ash_rt_%s(&block, pixels, %s, x + %s, w + %s, sums);",
                c->kernel->name, count, x, w);
  ash_text_line(c->text, "for (int32_t m = 0; m < pixels; m++) {");
  c->text->indent++;
  ash_text_line(c->text, "for (int32_t o = first; o < first + %s; o++) {",
                count);
  c->text->indent++;
  ash_text_line(c->text, "const int32_t i = (%s + m) * %" PRId32 " + o;", at,
                channels);
  ash_text_line(
      c->text, "uint32_t s = sums[%d * m + o - first]%s;", CHANNELS,
      c->part == ASH_PART_MIDDLE || c->part == ASH_PART_LAST ? " + a[i]" : "");
  ash_layer_finish(c);
  ash_loop_end(c);
  ash_loop_end(c);
}

static void open_channels(const ash_call *c, int32_t channels) {
  ash_text_line(c->text,
                "for (int32_t first = 0; first < %" PRId32 "; first += %d) {",
                channels, CHANNELS);
  c->text->indent++;
}

/* ---- windows ------------------------------------------------------------- */

/* Along one dimension. */
typedef struct sight {
  int32_t in, taps, out;
  int64_t stride, pad;
} sight;

static sight sight_of(const ash_call *c, uint32_t dim, const char *stride,
                      const char *pad) {
  const ash_op *op = ash_call_op(c);
  return (sight){ash_call_in(c, 0)->shape.dim[dim],
                 ash_call_in(c, 1)->shape.dim[dim],
                 ash_call_out(c)->shape.dim[dim], ash_attr_int(op, stride, 1),
                 ash_attr_int(op, pad, 0)};
}

/* Where window `at` begins, and which taps [above, below) of it see the image.
 */
static void put_sight(const ash_call *c, const sight *s, const char *at,
                      const char *begin, const char *from, const char *to) {
  const int64_t last = (s->out - 1) * s->stride - s->pad;
  ash_text_line(c->text, "const int32_t %s = %s * %" PRId64 " - %" PRId64 ";",
                begin, at, s->stride, s->pad);
  if (s->pad > 0)
    ash_text_line(c->text, "const int32_t %s = %s < 0 ? -%s : 0;", from, begin,
                  begin);
  else
    ash_text_line(c->text, "const int32_t %s = 0;", from);
  if (last + s->taps > s->in)
    ash_text_line(c->text,
                  "const int32_t %s = %s > %" PRId32 " ? %" PRId32
                  " - %s : %" PRId32 ";",
                  to, begin, s->in - s->taps, s->in, begin, s->taps);
  else
    ash_text_line(c->text, "const int32_t %s = %" PRId32 ";", to, s->taps);
}

/* Two pixels where both windows lie inside. */
static void put_pixels(const ash_call *c, const sight *s) {
  if (c->apart && s->out > 1)
    ash_text_line(c->text,
                  "pixels = left >= 0 && q < %" PRId32 " && left <= %" PRId64
                  " ? 2 : 1;",
                  s->out - 1, s->in - s->taps - s->stride);
  else
    ash_text_line(c->text, "pixels = 1;");
}

void ash_layer_window_blocks(const ash_call *c) {
  const int32_t *in = ash_call_in(c, 0)->shape.dim;
  const int32_t *out = ash_call_out(c)->shape.dim;
  const sight h = sight_of(c, 1, "stride_h", "pad_top");
  const sight w = sight_of(c, 2, "stride_w", "pad_left");
  const bool each = ash_call_op(c)->kind == ASH_OP_depthwise_conv_2d;
  const int64_t window = (int64_t)h.taps * w.taps * in[3];
  char x[160], by[96], at[96];
  ASH_ASSERT(c->kernel->blocks);
  ash_layer_declare(c);
  ash_loop_for(c, "n", out[0]);
  ash_loop_for(c, "p", out[1]);
  put_sight(c, &h, "p", "top", "above", "below");
  ash_text_line(c->text,
                "for (int32_t q = 0, pixels; q < %" PRId32 "; q += pixels) {",
                out[2]);
  c->text->indent++;
  put_sight(c, &w, "q", "left", "before", "behind");
  put_pixels(c, &w);
  ash_text_line(c->text,
                "const ash_rt_block block = {below - above, (behind - before)"
                " * %" PRId32 ", %" PRId32 ", %" PRId64 ", %" PRId64
                ", %" PRId64 ", %" PRId64 "};",
                each ? 1 : in[3], in[3], (int64_t)in[2] * in[3],
                (int64_t)w.taps * in[3], w.stride * in[3], window);
  open_channels(c, out[3]);
  (void)snprintf(x, sizeof x,
                 "((n * %" PRId32 " + top + above) * %" PRId32
                 " + left + before) * %" PRId32 "%s",
                 in[1], in[2], in[3], each ? " + first" : "");
  (void)snprintf(by, sizeof by,
                 each ? "(above * %" PRId32 " + before) * %" PRId32 " + first"
                      : "(above * %" PRId32 " + before) * %" PRId32
                        " + first * %" PRId64,
                 w.taps, in[3], window);
  (void)snprintf(at, sizeof at, "(n * %" PRId32 " + p) * %" PRId32 " + q",
                 out[1], out[2]);
  put_block(c, out[3], x, by, at);
  for (int loops = 0; loops < 4; loops++)
    ash_loop_end(c);
}

/* ---- dense --------------------------------------------------------------- */

/* Rows in pairs. */
static void open_rows(const ash_call *c, int64_t rows) {
  ash_text_line(c->text,
                "for (int32_t n = 0, pixels; n < %" PRId64 "; n += pixels) {",
                rows);
  c->text->indent++;
  if (rows > 1)
    ash_text_line(c->text, "pixels = n < %" PRId64 " ? 2 : 1;", rows - 1);
  else
    ash_text_line(c->text, "pixels = 1;");
}

void ash_layer_dense_blocks(const ash_call *c) {
  const int32_t *w = ash_call_in(c, 1)->shape.dim;
  const int64_t rows =
      (int64_t)(ash_shape_elements(&ash_call_out(c)->shape) / (uint64_t)w[0]);
  char x[64], by[64];
  ASH_ASSERT(c->kernel->blocks);
  ash_layer_declare(c);
  ash_text_line(c->text,
                "const ash_rt_block block = {1, %" PRId32 ", 0, 0, 0, %" PRId32
                ", %" PRId32 "};",
                w[1], w[1], w[1]);
  open_rows(c, rows);
  open_channels(c, w[0]);
  (void)snprintf(x, sizeof x, "n * %" PRId32, w[1]);
  (void)snprintf(by, sizeof by, "first * %" PRId32, w[1]);
  put_block(c, w[0], x, by, "n");
  ash_loop_end(c);
  ash_loop_end(c);
}

/* ---- matrices ------------------------------------------------------------ */

void ash_layer_product_blocks(const ash_call *c, const ash_nest *batches) {
  const ash_shape *a = &ash_call_in(c, 0)->shape;
  const ash_shape *y = &ash_call_out(c)->shape;
  const int32_t depth = a->dim[a->rank - 1], rows = y->dim[y->rank - 2];
  const int32_t columns = y->dim[y->rank - 1];
  const bool turned = ash_attr_int(ash_call_op(c), "transpose_b", 0) != 0;
  char at[3][ASH_LOOP_TEXT], x[ASH_LOOP_TEXT + 48], by[ASH_LOOP_TEXT + 48];
  char to[ASH_LOOP_TEXT + 48];
  ASH_ASSERT(c->kernel->blocks);
  ash_layer_declare(c);
  ash_text_line(c->text,
                "const ash_rt_block block = {1, %" PRId32 ", %" PRId32
                ", 0, 0, %" PRId32 ", %" PRId32 "};",
                depth, turned ? 0 : columns, depth, turned ? depth : 0);
  ash_loop_open(c, batches, "b");
  open_rows(c, rows);
  open_channels(c, columns);
  (void)snprintf(x, sizeof x, "%s + n * %" PRId32,
                 ash_loop_index(at[0], batches, 1, "b"), depth);
  (void)snprintf(by, sizeof by, "%s + first * %" PRId32,
                 ash_loop_index(at[1], batches, 2, "b"), turned ? depth : 1);
  (void)snprintf(to, sizeof to, "(%s) / %" PRId32 " + n",
                 ash_loop_index(at[2], batches, 0, "b"), columns);
  put_block(c, columns, x, by, to);
  ash_loop_end(c);
  ash_loop_end(c);
  ash_loop_close(c, batches);
}
