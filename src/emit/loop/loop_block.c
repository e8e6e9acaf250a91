/* loop_block.c - elements moved in blocks: blocks of pixels to channels or
 * batches and back, repetitions, padding by mirror or value.
 *
 * Where padding or cropping does not end at a block, an axis is cut into up to
 * three segments, and there is a copy for each combination of segments. */
#include "emit/loop/loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Elements to the next index along each axis. */
typedef struct steps {
  int64_t at[ASH_RANK_MAX];
} steps;

static steps steps_of(const ash_shape *s) {
  steps r = {{0}};
  int64_t step = 1;
  for (uint32_t d = s->rank; d-- > 0; step *= s->dim[d])
    r.at[d] = step;
  return r;
}

static void add_axis(ash_nest *n, int64_t dim, int64_t to, int64_t from) {
  ash_nest_add(n, dim, (const int64_t[]){to, from});
}

/* ---- repetition --------------------------------------------------------- */

void ash_loop_tile(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  const steps from = steps_of(in), to = steps_of(out);
  ash_nest n = {.operands = 2};
  for (uint32_t i = 0; i < in->rank; i++) {
    add_axis(&n, out->dim[i] / in->dim[i], to.at[i] * in->dim[i], 0);
    add_axis(&n, in->dim[i], to.at[i], from.at[i]);
  }
  ash_loop_copy(c, &n, (ash_loop_ends){0});
}

/* ---- depth -------------------------------------------------------------- */

/* Walks n, y, x, then rows, columns and channels of a block. */
void ash_loop_depth(const ash_call *c) {
  const bool deepen = ash_call_op(c)->kind == ASH_OP_space_to_depth;
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  const ash_shape *wide = deepen ? &in->shape : &out->shape;
  const ash_shape *deep = deepen ? &out->shape : &in->shape;
  const steps w = steps_of(wide), d = steps_of(deep);
  const int64_t block = ash_attr_int(ash_call_op(c), "block", 1);
  const int64_t channels = wide->dim[3];
  const int64_t dims[6] = {deep->dim[0], deep->dim[1], deep->dim[2],
                           block,        block,        channels};
  const int64_t in_wide[6] = {w.at[0], w.at[1] * block, w.at[2] * block,
                              w.at[1], w.at[2],         1};
  const int64_t in_deep[6] = {d.at[0],          d.at[1],  d.at[2],
                              block * channels, channels, 1};
  ash_nest n = {.operands = 2};
  for (uint32_t i = 0; i < 6; i++)
    add_axis(&n, dims[i], deepen ? in_deep[i] : in_wide[i],
             deepen ? in_wide[i] : in_deep[i]);
  ash_loop_copy(c, &n, (ash_loop_ends){0});
}

/* ---- segments ----------------------------------------------------------- */

typedef struct segment {
  int64_t at;            /* first element along the axis                 */
  int64_t block, blocks; /* first block, and how many                    */
  int64_t place, places; /* first place in the block, and how many       */
} segment;

enum { SEGMENTS = 3 };

/* Elements 0 to length - 1 of an axis, of which element 0 is at `start` of the
 * blocks of `size`. */
static uint32_t cut_axis(segment *s, int64_t start, int64_t length,
                         int64_t size) {
  uint32_t n = 0;
  for (int64_t at = 0; at < length;) {
    const int64_t block = (start + at) / size, place = (start + at) % size;
    const int64_t whole = (length - at) / size;
    const int64_t room = size - place, left = length - at;
    segment *next = &s[n++];
    *next = (segment){at, block, 1, place, left < room ? left : room};
    if (place == 0 && whole > 0)
      *next = (segment){at, block, whole, 0, size};
    at += next->blocks * next->places;
  }
  return n;
}

/* Counts through all combinations; false at the end. */
static bool next_choice(uint32_t *choice, const uint32_t *counts, uint32_t n) {
  for (uint32_t i = n; i-- > 0;) {
    if (++choice[i] < counts[i])
      return true;
    choice[i] = 0;
  }
  return false;
}

/* ---- values ------------------------------------------------------------- */

/* `count` elements from `y` on get `value`, a C expression. */
static void put_fill(const ash_call *c, int64_t count, const char *value) {
  const ash_type type = ash_call_out(c)->type;
  const int64_t size = (int64_t)ash_type_bits(type) / 8;
  const bool zero = strcmp(value, "0") == 0;
  if (count == 0)
    return;
  if (size == 1 || zero) {
    ash_text_line(c->text, "ASH_RT_FILL(y, %s, %" PRId64 ");", value,
                  count * size);
    return;
  }
  ash_loop_for(c, "i", count);
  ash_text_line(c->text, "y[i] = %s;", value);
  ash_loop_end(c);
}

/* What means zero to the output. */
static const char *zero_of(const ash_call *c) {
  const int32_t zero = ash_quant_zero(ash_call_out(c));
  if (zero == 0)
    return "0";
  ash_text_line(c->text, "const %s value = %" PRId32 ";",
                ash_type_c(ash_call_out(c)->type), zero);
  return "value";
}

/* ---- batches ------------------------------------------------------------ */

typedef struct batches {
  const ash_shape *wide, *many; /* the image, the batches of places */
  steps in_wide, in_many;
  int64_t size[ASH_RANK_MAX];       /* of blocks, by axis */
  int64_t place_step[ASH_RANK_MAX]; /* in `many` */
  segment segments[ASH_RANK_MAX][SEGMENTS];
  uint32_t counts[ASH_RANK_MAX];
} batches;

static batches batches_of(const ash_call *c, bool spread) {
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  const ash_op *op = ash_call_op(c);
  batches k = {.wide = spread ? &in->shape : &out->shape,
               .many = spread ? &out->shape : &in->shape};
  k.in_wide = steps_of(k.wide);
  k.in_many = steps_of(k.many);
  int64_t step = k.wide->dim[0] * k.in_many.at[0];
  for (uint32_t i = k.wide->rank - 2; i >= 1; i--) {
    k.size[i] = ash_op_ints(op, "block", i - 1, 1);
    k.place_step[i] = step;
    step *= k.size[i];
    k.counts[i] = cut_axis(k.segments[i], ash_op_ints(op, "before", i - 1, 0),
                           k.wide->dim[i], k.size[i]);
  }
  return k;
}

static void put_choice(const ash_call *c, const batches *k,
                       const uint32_t *choice, bool spread) {
  const uint32_t last = k->wide->rank - 1, to = spread ? 1 : 0;
  int64_t at[2] = {0, 0}; /* in the wide image and in the batches */
  ash_nest n = {.operands = 2};
  int64_t step[2] = {k->in_wide.at[0], k->in_many.at[0]};
  add_axis(&n, k->wide->dim[0], step[to], step[1 - to]);
  for (uint32_t i = 1; i < last; i++) {
    const segment *s = &k->segments[i][choice[i]];
    const int64_t blocks[2] = {k->in_wide.at[i] * k->size[i], k->in_many.at[i]};
    const int64_t places[2] = {k->in_wide.at[i], k->place_step[i]};
    at[0] += s->at * k->in_wide.at[i];
    at[1] += s->block * k->in_many.at[i] + s->place * k->place_step[i];
    add_axis(&n, s->blocks, blocks[to], blocks[1 - to]);
    add_axis(&n, s->places, places[to], places[1 - to]);
  }
  add_axis(&n, k->wide->dim[last], 1, 1);
  ash_loop_copy(c, &n, (ash_loop_ends){.to = at[to], .from = at[1 - to]});
}

void ash_loop_batches(const ash_call *c) {
  const bool spread = ash_call_op(c)->kind == ASH_OP_space_to_batch_nd;
  const ash_tensor *out = ash_call_out(c);
  const batches k = batches_of(c, spread);
  uint32_t choice[ASH_RANK_MAX] = {0};
  if (spread && ash_call_in(c, 0)->bytes < out->bytes) {
    ash_call_open_block(c);
    ash_loop_output(c, "y", 0);
    put_fill(c, (int64_t)ash_shape_elements(&out->shape), zero_of(c));
    ash_call_close_block(c);
  }
  do
    put_choice(c, &k, choice, spread);
  while (next_choice(choice + 1, k.counts + 1, k.wide->rank - 2));
}

/* ---- mirrors ------------------------------------------------------------ */

/* The runs of an output axis: elements [to, to + count) come from element
 * `from` on, forwards or backwards. */
typedef struct run {
  int64_t to, count, from, step;
} run;

static uint32_t mirror_axis(run *r, int64_t length, int64_t before,
                            int64_t after, int64_t edge) {
  uint32_t n = 0;
  if (before > 0)
    r[n++] = (run){0, before, before - edge, -1};
  r[n++] = (run){before, length, 0, 1};
  if (after > 0)
    r[n++] = (run){before + length, after, length - 2 + edge, -1};
  return n;
}

void ash_loop_mirror_pad(const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const steps from = steps_of(in), to = steps_of(&ash_call_out(c)->shape);
  const char *mode = ash_attr_string(op, "mode", "reflect");
  run runs[ASH_RANK_MAX][SEGMENTS];
  uint32_t counts[ASH_RANK_MAX], choice[ASH_RANK_MAX] = {0};
  for (uint32_t i = 0; i < in->rank; i++)
    counts[i] = mirror_axis(
        runs[i], in->dim[i], ash_op_ints(op, "before", i, 0),
        ash_op_ints(op, "after", i, 0), strcmp(mode, "symmetric") == 0);
  do {
    ash_nest n = {.operands = 2};
    ash_loop_ends ends = {0};
    for (uint32_t i = 0; i < in->rank; i++) {
      const run *r = &runs[i][choice[i]];
      ends.from += r->from * from.at[i];
      ends.to += r->to * to.at[i];
      add_axis(&n, r->count, to.at[i], r->step * from.at[i]);
    }
    ash_loop_copy(c, &n, ends);
  } while (next_choice(choice, counts, in->rank));
}

/* ---- a value around ----------------------------------------------------- */

/* Axes without padding are part of those in front of them. `lead` and `trail`
 * are the elements of padding before the first and behind the last element of
 * what an axis walks through. */
typedef struct padding {
  uint32_t rank;
  int64_t dim[ASH_RANK_MAX], before[ASH_RANK_MAX], after[ASH_RANK_MAX];
  int64_t lead[ASH_RANK_MAX + 1], trail[ASH_RANK_MAX + 1];
} padding;

static padding padding_of(const ash_op *op, const ash_shape *s) {
  padding p = {0};
  int64_t inner = 1;
  for (uint32_t d = 0; d < s->rank; d++) {
    const int64_t before = ash_op_ints(op, "before", d, 0);
    const int64_t after = ash_op_ints(op, "after", d, 0);
    const bool joins = p.rank > 0 && before == 0 && after == 0;
    const uint32_t at = joins ? p.rank - 1 : p.rank++;
    p.dim[at] = s->dim[d] * (joins ? p.dim[at] : 1);
    p.before[at] = joins ? p.before[at] * s->dim[d] : before;
    p.after[at] = joins ? p.after[at] * s->dim[d] : after;
  }
  for (uint32_t d = p.rank; d-- > 0;) {
    p.lead[d] = p.before[d] * inner + p.lead[d + 1];
    p.trail[d] = p.after[d] * inner + p.trail[d + 1];
    inner *= p.before[d] + p.dim[d] + p.after[d];
  }
  return p;
}

/* Elements from `x` on to `y` on; both move on. */
static void put_row(const ash_call *c, int64_t count) {
  const ash_type type = ash_call_out(c)->type;
  if (ash_loop_copies(type, count)) {
    ash_text_line(c->text, "ASH_RT_COPY(y, x, %" PRId64 ");",
                  count * (int64_t)ash_type_bits(type) / 8);
  } else {
    ash_loop_for(c, "i", count);
    ash_text_line(c->text, "y[i] = x[i];");
    ash_loop_end(c);
  }
  ash_text_line(c->text, "x += %" PRId64 ";", count);
  ash_text_line(c->text, "y += %" PRId64 ";", count);
}

static void put_gap(const ash_call *c, int64_t count, const char *value) {
  put_fill(c, count, value);
  if (count > 0)
    ash_text_line(c->text, "y += %" PRId64 ";", count);
}

/* What an axis walks through, without the padding around it: rows, and between
 * two of them the padding behind the one and before the other. */
static void put_rows(const ash_call *c, const padding *p, const char *value) {
  for (uint32_t d = 0; d + 1 < p->rank; d++)
    ash_loop_for(c, (const char[]){'i', (char)('0' + d), '\0'}, p->dim[d]);
  put_row(c, p->rank ? p->dim[p->rank - 1] : 1);
  for (uint32_t d = p->rank; d-- > 1;) {
    const int64_t gap = p->trail[d] + p->lead[d];
    if (gap > 0) {
      ash_text_line(c->text, "if (i%" PRIu32 " < %" PRId64 ") {", d - 1,
                    p->dim[d - 1] - 1);
      c->text->indent++;
      put_gap(c, gap, value);
      ash_loop_end(c);
    }
    ash_loop_end(c);
  }
}

/* The bytes of a constant are in the code. */
static const char *constant_of(const ash_call *c, const ash_tensor *t) {
  char bytes[64] = "";
  bool zero = true;
  ASH_ASSERT(t->bytes <= 8);
  for (uint64_t i = 0; i < t->bytes; i++) {
    const size_t used = strlen(bytes);
    (void)snprintf(bytes + used, sizeof bytes - used, "%s%u", i ? ", " : "",
                   (unsigned)t->data[i]);
    zero = zero && t->data[i] == 0;
  }
  if (zero)
    return "0";
  ash_text_line(c->text, "static const uint8_t bytes[] = {%s};", bytes);
  ash_text_line(c->text, "%s value;", ash_type_c(t->type));
  ash_text_line(c->text, "ASH_RT_COPY(&value, bytes, sizeof value);");
  return "value";
}

static const char *value_of(const ash_call *c) {
  const ash_tensor *t = ash_call_in(c, 1);
  if (!t)
    return zero_of(c);
  if (t->kind == ASH_TENSOR_CONSTANT)
    return constant_of(c, t);
  ash_text_line(c->text, "const %s value = *(const %s *)(%s);",
                ash_type_c(t->type), ash_type_c(t->type), c->inputs[1]);
  return "value";
}

/* A row of padding alone reads nothing, one without any needs no value
 * (emit/rows). */
void ash_loop_pad(const ash_call *c) {
  const padding p = padding_of(ash_call_op(c), &ash_call_in(c, 0)->shape);
  const uint64_t given = ash_shape_elements(&ash_call_in(c, 0)->shape);
  const uint64_t made = ash_shape_elements(&ash_call_out(c)->shape);
  if (given > 0)
    ash_loop_input(c, "x", 0);
  ash_loop_output(c, "y", 0);
  const char *value = given < made ? value_of(c) : "0";
  if (given == 0) {
    put_fill(c, (int64_t)made, value);
    return;
  }
  put_gap(c, p.lead[0], value);
  put_rows(c, &p, value);
  put_gap(c, p.trail[0], value);
}
