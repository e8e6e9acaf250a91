/* loop_place.c - elements moved by position or by index. */
#include "emit/loop/loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t axis_of(const ash_call *c, const ash_shape *s) {
  const int64_t given = ash_attr_int(ash_call_op(c), "axis", 0);
  return (uint32_t)(given < 0 ? given + s->rank : given);
}

static int64_t product(const ash_shape *s, uint32_t from, uint32_t to) {
  int64_t n = 1;
  for (uint32_t i = from; i < to; i++)
    n *= s->dim[i];
  return n;
}

/* y[..] = x[offset + ..] over a nest of output (0) and input (1). */
static void put_copy(const ash_call *c, const ash_nest *n, int64_t to,
                     int64_t from, const char *array) {
  char out[ASH_LOOP_TEXT], in[ASH_LOOP_TEXT];
  ash_loop_open(c, n, "i");
  ash_text_line(c->text, "y[%" PRId64 " + %s] = %s[%" PRId64 " + %s];", to,
                ash_loop_index(out, n, 0, "i"), array, from,
                ash_loop_index(in, n, 1, "i"));
  ash_loop_close(c, n);
}

ash_status ash_loop_strided(ash_ctx *ctx, const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const ash_shape *out = &ash_call_out(c)->shape;
  ash_nest n = {.operands = 2};
  (void)ctx;
  for (uint32_t d = 0; d < out->rank; d++) {
    const int64_t steps[] = {product(out, d + 1, out->rank),
                             ash_op_ints(op, "step", d, 0)};
    ash_nest_add(&n, out->dim[d], steps);
  }
  ash_loop_input(c, "x", 0);
  ash_loop_output(c, "y", 0);
  put_copy(c, &n, 0, ash_attr_int(op, "offset", 0), "x");
  return ASH_OK;
}

ash_status ash_loop_take(ash_ctx *ctx, const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const uint32_t axis = axis_of(c, in);
  const int64_t inner = product(in, axis + 1, in->rank);
  const int64_t picks = (int64_t)ash_shape_elements(&ash_call_in(c, 1)->shape);
  (void)ctx;
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "index", 1);
  ash_loop_output(c, "y", 0);
  ash_loop_for(c, "o", product(in, 0, axis));
  ash_loop_for(c, "k", picks);
  ash_loop_pick(c, "at", "index", "k", in->dim[axis]);
  ash_loop_for(c, "i", inner);
  ash_text_line(c->text,
                "y[(o * %" PRId64 " + k) * %" PRId64 " + i] = x[(o * %" PRId32
                " + at) * %" PRId64 " + i];",
                picks, inner, in->dim[axis], inner);
  ash_loop_end(c);
  ash_loop_end(c);
  ash_loop_end(c);
  return ASH_OK;
}

/* ---- one index an element ----------------------------------------------- */

/* Loops over the indices' shape; `at` becomes the place in the data. */
static ash_nest open_elements(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *part = &ash_call_in(c, 1)->shape;
  const uint32_t axis = axis_of(c, in);
  ash_nest n = {.operands = 2};
  char index[ASH_LOOP_TEXT], place[ASH_LOOP_TEXT];
  for (uint32_t d = 0; d < part->rank; d++) {
    const int64_t steps[] = {product(part, d + 1, part->rank),
                             d == axis ? 0 : product(in, d + 1, in->rank)};
    ash_nest_add(&n, part->dim[d], steps);
  }
  ash_loop_open(c, &n, "i");
  ash_text_line(c->text, "{");
  c->text->indent++;
  ash_text_line(c->text, "const int32_t from = %s;",
                ash_loop_index(index, &n, 0, "i"));
  ash_loop_pick(c, "pick", "index", "from", in->dim[axis]);
  ash_text_line(c->text, "const int64_t at = %s + pick * %" PRId64 ";",
                ash_loop_index(place, &n, 1, "i"),
                product(in, axis + 1, in->rank));
  return n;
}

static void close_elements(const ash_call *c, const ash_nest *n) {
  ash_loop_end(c);
  ash_loop_close(c, n);
}

ash_status ash_loop_take_elements(ash_ctx *ctx, const ash_call *c) {
  (void)ctx;
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "index", 1);
  ash_loop_output(c, "y", 0);
  const ash_nest n = open_elements(c);
  ash_text_line(c->text, "y[from] = x[at];");
  close_elements(c, &n);
  return ASH_OK;
}

/* y[at] = y[at] <fn> updates[from] */
static void put_update(const ash_call *c) {
  const char *fn = ash_attr_string(ash_call_op(c), "fn", "set");
  const ash_type type = ash_call_out(c)->type;
  static const char *const names[] = {"a", "b", ""};
  char value[ASH_LOOP_TEXT], text[ASH_LOOP_TEXT];
  const ash_fn how = strcmp(fn, "add") == 0   ? ASH_FN_add
                     : strcmp(fn, "mul") == 0 ? ASH_FN_mul
                     : strcmp(fn, "min") == 0 ? ASH_FN_minimum
                                              : ASH_FN_maximum;
  if (strcmp(fn, "set") == 0) {
    ash_text_line(c->text, "y[at] = updates[from];");
    return;
  }
  ash_text_line(c->text, "const %s a = %s;", ash_loop_type(type),
                ash_loop_load(value, type, "y", "at"));
  ash_text_line(c->text, "const %s b = %s;", ash_loop_type(type),
                ash_loop_load(value, type, "updates", "from"));
  ash_loop_store(c, type, type, "y", "at",
                 ash_loop_scalar(text, sizeof text, how, type, names));
}

static void open_put(const ash_call *c) {
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "index", 1);
  ash_loop_input(c, "updates", 2);
  ash_loop_output(c, "y", 0);
  ash_loop_for(c, "i", (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  ash_text_line(c->text, "y[i] = x[i];");
  ash_loop_end(c);
}

ash_status ash_loop_put_elements(ash_ctx *ctx, const ash_call *c) {
  (void)ctx;
  open_put(c);
  const ash_nest n = open_elements(c);
  put_update(c);
  close_elements(c, &n);
  return ASH_OK;
}

/* ---- tuples of indices -------------------------------------------------- */

/* Loops over batches, tuples and runs: `at` in the data, `from` in a row of
 * runs, one a tuple. */
static void open_tuples(const ash_call *c, uint32_t batch) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *index = &ash_call_in(c, 1)->shape;
  const uint32_t depth = (uint32_t)index->dim[index->rank - 1];
  const int64_t inner = product(in, batch + depth, in->rank);
  const int64_t batches = product(in, 0, batch);
  const int64_t tuples = (int64_t)ash_shape_elements(index) / depth / batches;
  ash_loop_for(c, "o", batches);
  ash_loop_for(c, "k", tuples);
  ash_text_line(c->text, "const int32_t tuple = o * %" PRId64 " + k;", tuples);
  ash_text_line(c->text, "int64_t run = o;");
  for (uint32_t i = 0; i < depth; i++) {
    char at[64], name[16];
    (void)snprintf(at, sizeof at, "tuple * %u + %u", (unsigned)depth,
                   (unsigned)i);
    (void)snprintf(name, sizeof name, "at_%u", (unsigned)i);
    ash_loop_pick(c, name, "index", at, in->dim[batch + i]);
    ash_text_line(c->text, "run = run * %" PRId32 " + %s;", in->dim[batch + i],
                  name);
  }
  ash_loop_for(c, "i", inner);
  ash_text_line(c->text, "const int64_t at = run * %" PRId64 " + i;", inner);
  ash_text_line(c->text, "const int64_t from = tuple * %" PRId64 " + i;",
                inner);
}

static void close_tuples(const ash_call *c) {
  ash_loop_end(c);
  ash_loop_end(c);
  ash_loop_end(c);
}

ash_status ash_loop_take_nd(ash_ctx *ctx, const ash_call *c) {
  (void)ctx;
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "index", 1);
  ash_loop_output(c, "y", 0);
  open_tuples(c, (uint32_t)ash_attr_int(ash_call_op(c), "batch_dims", 0));
  ash_text_line(c->text, "y[from] = x[at];");
  close_tuples(c);
  return ASH_OK;
}

ash_status ash_loop_put_nd(ash_ctx *ctx, const ash_call *c) {
  (void)ctx;
  open_put(c);
  open_tuples(c, 0);
  put_update(c);
  close_tuples(c);
  return ASH_OK;
}

/* ---- blocks ------------------------------------------------------------- */

ash_status ash_loop_fill_pad(ash_ctx *ctx, const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  ash_nest n = {.operands = 2};
  int64_t start = 0;
  (void)ctx;
  for (uint32_t d = 0; d < in->rank; d++) {
    const int64_t steps[] = {product(out, d + 1, out->rank),
                             product(in, d + 1, in->rank)};
    ash_nest_add(&n, in->dim[d], steps);
    start += steps[0] * ash_op_ints(ash_call_op(c), "before", d, 0);
  }
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "value", 1);
  ash_loop_output(c, "y", 0);
  ash_loop_for(c, "i", (int64_t)ash_shape_elements(out));
  ash_text_line(c->text, "y[i] = value[0];");
  ash_loop_end(c);
  put_copy(c, &n, start, 0, "x");
  return ASH_OK;
}

ash_status ash_loop_join(ash_ctx *ctx, const ash_call *c) {
  const ash_shape *out = &ash_call_out(c)->shape;
  const uint32_t axis = axis_of(c, out);
  const int64_t inner = product(out, axis + 1, out->rank);
  int64_t start = 0;
  (void)ctx;
  ash_loop_output(c, "y", 0);
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++) {
    const int64_t run = inner * ash_call_in(c, k)->shape.dim[axis];
    ash_nest n = {.operands = 2};
    const int64_t outer[] = {inner * out->dim[axis], run};
    const int64_t one[] = {1, 1};
    char name[16];
    (void)snprintf(name, sizeof name, "part%u", (unsigned)k);
    ash_nest_add(&n, product(out, 0, axis), outer);
    ash_nest_add(&n, run, one);
    if (run > 0 && (!c->in_place || !c->in_place[k])) {
      ash_loop_input(c, name, k);
      put_copy(c, &n, start, 0, name);
    }
    start += run;
  }
  return ASH_OK;
}
