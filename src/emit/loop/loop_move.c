/* loop_move.c - elements moved by position or by index. */
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

void ash_loop_strided(const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const ash_shape *out = &ash_call_out(c)->shape;
  ash_nest n = {.operands = 2};
  for (uint32_t d = 0; d < out->rank; d++) {
    const int64_t steps[] = {product(out, d + 1, out->rank),
                             ash_op_ints(op, "step", d, 0)};
    ash_nest_add(&n, out->dim[d], steps);
  }
  ash_loop_copy(c, &n, (ash_loop_ends){.from = ash_attr_int(op, "offset", 0)});
}

/* `count` elements from x[at] on to y[to] on, both counted in such runs. */
static void put_run(const ash_call *c, const char *to, const char *at,
                    int64_t count) {
  const ash_type type = ash_call_out(c)->type;
  const int64_t size = (int64_t)ash_type_bits(type) / 8;
  const int64_t items = type == ASH_COMPLEX64 ? 2 * count : count;
  if (ash_loop_copies(type, count)) {
    ash_text_line(c->text,
                  "ASH_RT_COPY(y + (%s) * %" PRId64 ", x + (%s) * %" PRId64
                  ", %" PRId64 ");",
                  to, items, at, items, count * size);
    return;
  }
  ash_loop_for(c, "i", items);
  ash_text_line(c->text,
                "y[(%s) * %" PRId64 " + i] = x[(%s) * %" PRId64 " + i];", to,
                items, at, items);
  ash_loop_end(c);
}

void ash_loop_gather(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *index = &ash_call_in(c, 1)->shape;
  const uint32_t axis = axis_of(c, in);
  const int64_t given = ash_attr_int(ash_call_op(c), "batch_dims", 0);
  const uint32_t batch = (uint32_t)(given < 0 ? given + index->rank : given);
  const int64_t picks = product(index, batch, index->rank);
  char which[64], to[64], at[64];
  (void)snprintf(which, sizeof which, "o / %" PRId64 " * %" PRId64 " + k",
                 product(in, batch, axis), picks);
  (void)snprintf(to, sizeof to, "o * %" PRId64 " + k", picks);
  (void)snprintf(at, sizeof at, "o * %" PRId32 " + at", in->dim[axis]);
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "index", 1);
  ash_loop_output(c, "y", 0);
  ash_loop_for(c, "o", product(in, 0, axis));
  ash_loop_for(c, "k", picks);
  ash_loop_pick(c, "at", 1, batch > 0 ? which : "k", in->dim[axis]);
  put_run(c, to, at, product(in, axis + 1, in->rank));
  ash_loop_end(c);
  ash_loop_end(c);
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
  ash_loop_pick(c, "pick", 1, "from", in->dim[axis]);
  ash_text_line(c->text, "const int64_t at = %s + pick * %" PRId64 ";",
                ash_loop_index(place, &n, 1, "i"),
                product(in, axis + 1, in->rank));
  return n;
}

static void close_elements(const ash_call *c, const ash_nest *n) {
  ash_loop_end(c);
  ash_loop_close(c, n);
}

void ash_loop_gather_elements(const ash_call *c) {
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "index", 1);
  ash_loop_output(c, "y", 0);
  const ash_nest n = open_elements(c);
  ash_text_line(c->text, "y[from] = x[at];");
  close_elements(c, &n);
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

/* In place there is nothing to copy. */
static void open_put(const ash_call *c) {
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "index", 1);
  ash_loop_input(c, "updates", 2);
  ash_loop_output(c, "y", 0);
  ash_text_line(c->text, "if ((const void *)x != (const void *)y)");
  c->text->indent++;
  ash_loop_for(c, "i", (int64_t)ash_shape_elements(&ash_call_out(c)->shape));
  ash_text_line(c->text, "y[i] = x[i];");
  ash_loop_end(c);
  c->text->indent--;
}

void ash_loop_scatter_elements(const ash_call *c) {
  open_put(c);
  const ash_nest n = open_elements(c);
  put_update(c);
  close_elements(c, &n);
}

/* ---- tuples of indices -------------------------------------------------- */

/* Elements that follow each position that a tuple names. */
static int64_t run_of(const ash_call *c, uint32_t batch) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *index = &ash_call_in(c, 1)->shape;
  const uint32_t depth = (uint32_t)index->dim[index->rank - 1];
  return product(in, batch + depth, in->rank);
}

/* Loops over batches and tuples: `tuple` is its number, `run` what it names,
 * counted in runs. */
static void open_tuples(const ash_call *c, uint32_t batch) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *index = &ash_call_in(c, 1)->shape;
  const uint32_t depth = (uint32_t)index->dim[index->rank - 1];
  const int64_t batches = product(in, 0, batch);
  const int64_t tuples = (int64_t)ash_shape_elements(index) / depth / batches;
  ash_loop_for(c, "o", batches);
  ash_loop_for(c, "k", tuples);
  ash_text_line(c->text, "const int32_t tuple = o * %" PRId64 " + k;", tuples);
  ash_text_line(c->text, "int32_t run = o;");
  for (uint32_t i = 0; i < depth; i++) {
    char at[64], name[16];
    (void)snprintf(at, sizeof at, "tuple * %u + %u", (unsigned)depth,
                   (unsigned)i);
    (void)snprintf(name, sizeof name, "at_%u", (unsigned)i);
    ash_loop_pick(c, name, 1, at, in->dim[batch + i]);
    ash_text_line(c->text, "run = run * %" PRId32 " + (int32_t)%s;",
                  in->dim[batch + i], name);
  }
}

static void close_tuples(const ash_call *c) {
  ash_loop_end(c);
  ash_loop_end(c);
}

void ash_loop_gather_nd(const ash_call *c) {
  const uint32_t batch =
      (uint32_t)ash_attr_int(ash_call_op(c), "batch_dims", 0);
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "index", 1);
  ash_loop_output(c, "y", 0);
  open_tuples(c, batch);
  put_run(c, "tuple", "run", run_of(c, batch));
  close_tuples(c);
}

void ash_loop_scatter_nd(const ash_call *c) {
  const int64_t run = run_of(c, 0);
  open_put(c);
  open_tuples(c, 0);
  ash_loop_for(c, "i", run);
  ash_text_line(c->text, "const int32_t at = run * %" PRId64 " + i;", run);
  ash_text_line(c->text, "const int32_t from = tuple * %" PRId64 " + i;", run);
  put_update(c);
  ash_loop_end(c);
  close_tuples(c);
}

/* ---- blocks ------------------------------------------------------------- */

/* One of the parts that lie along an axis of `big`, from element `start` of
 * each row on; the nest has the big tensor as operand `side`. */
static ash_nest part_of(const ash_shape *big, uint32_t axis, int64_t run,
                        uint32_t side) {
  static const int64_t one[] = {1, 1};
  ash_nest n = {.operands = 2};
  int64_t rows[2];
  rows[side] = product(big, axis, big->rank);
  rows[1 - side] = run;
  ash_nest_add(&n, product(big, 0, axis), rows);
  ash_nest_add(&n, run, one);
  return n;
}

/* A piece may have nothing of a part; other parts may be in place. */
void ash_loop_concatenation(const ash_call *c) {
  const ash_shape *out = &ash_call_out(c)->shape;
  const uint32_t axis = axis_of(c, out);
  int64_t start = 0;
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++) {
    const ash_tensor *in = ash_call_in(c, k);
    if (!in || in->bytes == 0)
      continue;
    const int64_t run = product(&in->shape, axis, in->shape.rank);
    const ash_nest n = part_of(out, axis, run, 0);
    if (!c->in_place || !c->in_place[k])
      ash_loop_copy(c, &n, (ash_loop_ends){.in = k, .to = start});
    start += run;
  }
}

void ash_loop_split(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const uint32_t axis = axis_of(c, in);
  int64_t start = 0;
  for (uint32_t k = 0; k < ash_call_op(c)->output_count; k++) {
    const ash_tensor *out = ash_op_out(c->graph, ash_call_op(c), k);
    if (out->bytes == 0)
      continue;
    const int64_t run = product(&out->shape, axis, out->shape.rank);
    const ash_nest n = part_of(in, axis, run, 1);
    if (!c->made || !c->made[k])
      ash_loop_copy(c, &n, (ash_loop_ends){.out = k, .from = start});
    start += run;
  }
}
