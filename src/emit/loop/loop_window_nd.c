/* loop_window_nd.c - conv_nd and pool_nd, and sums of products. */
#include "emit/loop/loop.h"
#include "emit/loop/part.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The type of sums: of integers, only the bits of the output matter. */
const char *ash_loop_sum_type(const ash_call *c) {
  const ash_type type = ash_call_out(c)->type;
  if (ash_type_is_float(type) || type == ASH_BOOL)
    return ash_loop_type(type);
  return ash_type_bits(type) == 64 ? "uint64_t" : "uint32_t";
}

void ash_loop_product(const ash_call *c, const char *a, const char *b) {
  char left[2 * ASH_LOOP_TEXT], right[2 * ASH_LOOP_TEXT];
  const char *type = ash_loop_sum_type(c);
  ash_loop_load(left, ash_call_in(c, 0)->type, "x", a);
  ash_loop_load(right, ash_call_in(c, 1)->type, "w", b);
  if (*type == 'u')
    ash_text_line(c->text, "s += (%s)%s * (%s)%s;", type, left, type, right);
  else
    ash_text_line(c->text, "s += %s * %s;", left, right);
}

/* ---- windows ------------------------------------------------------------ */

static int64_t plane(const ash_shape *s) {
  int64_t n = 1;
  for (uint32_t i = 2; i < s->rank; i++)
    n *= s->dim[i];
  return n;
}

/* Loops over the output's places: `to` is the place in its plane. */
static void open_places(const ash_call *c) {
  const ash_shape *y = &ash_call_out(c)->shape;
  char to[ASH_LOOP_TEXT] = "p2";
  for (uint32_t i = 2; i < y->rank; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "p%u", (unsigned)i);
    ash_loop_for(c, name, y->dim[i]);
  }
  for (uint32_t i = 3; i < y->rank; i++) {
    char longer[ASH_LOOP_TEXT];
    (void)snprintf(longer, sizeof longer, "(%.*s) * %" PRId32 " + p%u", 300, to,
                   y->dim[i], (unsigned)i);
    memcpy(to, longer, sizeof to);
  }
  ash_text_line(c->text, "const int32_t to = %s;", to);
}

/* Loops over the taps: `at` is the place in the input's plane, `tap` the tap's
 * number. Taps outside are passed over. */
static void open_taps(const ash_call *c, const int64_t *size,
                      const char *before_skip) {
  const ash_op *op = ash_call_op(c);
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  for (uint32_t i = 2; i < in->rank; i++) {
    char name[16];
    (void)snprintf(name, sizeof name, "k%u", (unsigned)i);
    ash_loop_for(c, name, size[i - 2]);
    ash_text_line(c->text,
                  "const int32_t q%u = p%u * %" PRId64 " + k%u * %" PRId64
                  " - %" PRId64 ";",
                  (unsigned)i, (unsigned)i, ash_op_ints(op, "stride", i - 2, 1),
                  (unsigned)i, ash_op_ints(op, "dilation", i - 2, 1),
                  ash_op_ints(op, "pad", i - 2, 0));
  }
  if (before_skip)
    ash_text_line(c->text, "%s", before_skip);
  for (uint32_t i = 2; i < in->rank; i++) {
    ash_text_line(c->text, "if (q%u < 0 || q%u >= %" PRId32 ")", (unsigned)i,
                  (unsigned)i, in->dim[i]);
    ash_text_line(c->text, "  continue;");
  }
  ash_text_line(c->text, "int32_t at = 0, tap = 0;");
  for (uint32_t i = 2; i < in->rank; i++) {
    ash_text_line(c->text, "at = at * %" PRId32 " + q%u;", in->dim[i],
                  (unsigned)i);
    ash_text_line(c->text, "tap = tap * %" PRId64 " + k%u;", size[i - 2],
                  (unsigned)i);
  }
}

static void close_axes(const ash_call *c) {
  for (uint32_t i = 2; i < ash_call_in(c, 0)->shape.rank; i++)
    ash_loop_end(c);
}

void ash_loop_conv_nd(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *w = &ash_call_in(c, 1)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  const ash_type type = ash_call_out(c)->type;
  const int64_t groups = ash_attr_int(ash_call_op(c), "groups", 1);
  int64_t size[ASH_RANK_MAX];
  const bool parts = c->part != ASH_PART_WHOLE;
  char value[ASH_LOOP_TEXT], left[128], right[128], to[128];
  for (uint32_t i = 2; i < w->rank; i++)
    size[i - 2] = w->dim[i];
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "w", 1);
  if (ash_call_in(c, 2) && (!parts || c->part == ASH_PART_FIRST))
    ash_loop_input(c, "bias", 2);
  if (parts)
    ash_part_declare(c);
  else
    ash_loop_output(c, "y", 0);
  ash_loop_for(c, "n", in->dim[0]);
  ash_loop_for(c, "o", out->dim[1]);
  open_places(c);
  (void)snprintf(to, sizeof to, "(n * %" PRId32 " + o) * %" PRId64 " + to",
                 out->dim[1], plane(out));
  const char *start =
      ash_call_in(c, 2)
          ? ash_loop_load(value, ash_call_in(c, 2)->type, "bias", "o")
          : "0";
  if (parts)
    ash_part_open(c, to, start);
  else
    ash_text_line(c->text, "%s s = (%s)%s;", ash_loop_sum_type(c),
                  ash_loop_sum_type(c), start);
  ash_loop_for(c, "c", w->dim[1]);
  open_taps(c, size, NULL);
  (void)snprintf(left, sizeof left,
                 "(n * %" PRId32 " + o / %" PRId64 " * %" PRId32
                 " + c) * %" PRId64 " + at",
                 in->dim[1], out->dim[1] / groups, w->dim[1], plane(in));
  (void)snprintf(right, sizeof right,
                 "(o * %" PRId32 " + c) * %" PRId64 " + tap", w->dim[1],
                 plane(w));
  ash_loop_product(c, left, right);
  close_axes(c);
  ash_loop_end(c);
  if (!parts || ash_part_close(c, to))
    ash_loop_store(c, type, type, "y", to, "s");
  close_axes(c);
  ash_loop_end(c);
  ash_loop_end(c);
}

/* `inside += ..`: the tap lies in the padding that the model asked for. */
static const char *count_text(char *buf, size_t size, const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const uint32_t axes = in->rank - 2;
  size_t at = (size_t)snprintf(buf, size, "seen += ");
  for (uint32_t i = 0; i < axes; i++)
    at += (size_t)snprintf(buf + at, size - at, "%sq%u < %" PRId64,
                           i ? " && " : "", (unsigned)(i + 2),
                           in->dim[i + 2] +
                               ash_op_ints(ash_call_op(c), "pad", i + axes, 0));
  (void)snprintf(buf + at, size - at, ";");
  return buf;
}

void ash_loop_pool_nd(const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_type type = ash_call_out(c)->type;
  const bool max = strcmp(ash_attr_string(op, "fn", ""), "max") == 0;
  const bool pads = !max && ash_attr_int(op, "count_pad", 0) != 0;
  int64_t size[ASH_RANK_MAX];
  char value[ASH_LOOP_TEXT], text[ASH_LOOP_TEXT], from[128], to[128];
  for (uint32_t i = 2; i < in->rank; i++)
    size[i - 2] = ash_op_ints(op, "kernel", i - 2, 1);
  ash_loop_input(c, "x", 0);
  ash_loop_output(c, "y", 0);
  ash_loop_for(c, "n", (int64_t)in->dim[0] * in->dim[1]);
  open_places(c);
  ash_text_line(c->text, "%s s = 0;", ash_loop_type(type));
  ash_text_line(c->text, "int32_t seen = 0;");
  open_taps(c, size, pads ? count_text(text, sizeof text, c) : NULL);
  ash_text_line(c->text, "(void)tap;");
  (void)snprintf(from, sizeof from, "n * %" PRId64 " + at", plane(in));
  ash_text_line(c->text, "const %s v = %s;", ash_loop_type(type),
                ash_loop_load(value, type, "x", from));
  ash_text_line(c->text,
                max ? "s = seen == 0 || v > s || v != v ? v : s;" : "s += v;");
  if (!pads)
    ash_text_line(c->text, "seen++;");
  close_axes(c);
  (void)snprintf(to, sizeof to, "n * %" PRId64 " + to",
                 plane(&ash_call_out(c)->shape));
  (void)snprintf(value, sizeof value, "s / (%s)seen", ash_loop_type(type));
  ash_loop_store(c, type, type, "y", to, max ? "s" : value);
  close_axes(c);
  ash_loop_end(c);
}
