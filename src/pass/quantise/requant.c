/* requant.c - requantisation after a layer of integers becomes part of it.
 *
 *   s = conv_2d(x, w)                          int32
 *   y = clip((s * m + a) >> 8, -128, 127)      four maps
 *   ->  y = conv_2d(x, w, _, m, a) shift=8 low=-128 high=127   int8
 *
 * The wide sums then need no memory. Factors and offsets are constants: one,
 * or one per channel (the last axis). */
#include "pass/pass.h"

#include "graph/compact.h"
#include "op/sums.h"
#include "op/verify.h"
#include "pass/narrow/ranges.h"
#include "pass/uses.h"

#include <string.h>

typedef struct requant {
  ash_ctx *ctx;
  ash_graph *g;
  ash_uses uses;
  ash_range *ranges;
  uint32_t made;
  bool changed;
} requant;

/* What was found after a layer. */
typedef struct tail {
  uint32_t last;       /* the op whose output is the layer's from now on */
  uint32_t factor;     /* tensor, ASH_NO_ID: none  */
  uint32_t offsets[4]; /* tensors, added together */
  uint32_t offset_count;
  int64_t shift, low, high;
  bool shifts, clips;
} tail;

static const ash_tensor *tensor(const requant *q, uint32_t t) {
  return &q->g->tensors.items[t];
}

static bool is_constant(const ash_tensor *t) {
  return t->kind == ASH_TENSOR_CONSTANT && t->data && t->type != ASH_BOOL &&
         ash_range_of_type(t->type).known;
}

/* One value, or one per channel of `like`. */
static bool is_table(const ash_tensor *t, const ash_tensor *like) {
  const uint64_t n = ash_shape_elements(&t->shape);
  const int32_t channels = like->shape.dim[like->shape.rank - 1];
  if (!is_constant(t) || t->shape.rank > like->shape.rank)
    return false;
  return n == 1 || (n == (uint64_t)channels &&
                    t->shape.dim[t->shape.rank - 1] == channels);
}

static bool read_scalar(const requant *q, uint32_t t, int64_t *out) {
  const ash_tensor *c = tensor(q, t);
  if (!is_constant(c) || ash_shape_elements(&c->shape) != 1)
    return false;
  *out = ash_tensor_int(c, 0);
  return true;
}

/* Nothing is lost by keeping the value in 64 bits instead of in the tensor:
 * it fits the tensor's type, or the tensor has as many bits. */
static bool keeps(const requant *q, const ash_op *o) {
  const ash_tensor *t = ash_op_out(q->g, o, 0);
  ash_range r[3] = {{0}};
  if (t->type == ASH_INT64)
    return true;
  for (uint32_t k = 0; k < o->input_count; k++)
    r[k] = q->ranges[o->inputs[k]];
  r[0] = ash_range_apply(ash_op_fn(o), r);
  return ash_range_fits(&r[0], t->type);
}

/* Adds the op to the tail; false if it does not belong there. */
static bool take(const requant *q, tail *t, uint32_t from, uint32_t op) {
  const ash_op *o = &q->g->ops.items[op];
  const ash_tensor *out = ash_op_out(q->g, o, 0);
  if (o->kind != ASH_OP_map || o->input_count < 2 || o->inputs[0] != from ||
      !ash_shape_equal(&out->shape, &tensor(q, from)->shape) || t->clips ||
      !keeps(q, o))
    return false;
  switch (ash_op_fn(o)) {
  case ASH_FN_mul:
    if (t->factor != ASH_NO_ID || t->offset_count || t->shifts ||
        !is_table(ash_op_in(q->g, o, 1), out))
      return false;
    t->factor = o->inputs[1];
    break;
  case ASH_FN_add:
    if (t->shifts || t->offset_count == ASH_COUNT_OF(t->offsets) ||
        !is_table(ash_op_in(q->g, o, 1), out))
      return false;
    t->offsets[t->offset_count++] = o->inputs[1];
    break;
  case ASH_FN_shift_right:
    if (t->shifts || !read_scalar(q, o->inputs[1], &t->shift) || t->shift < 0 ||
        t->shift > 63)
      return false;
    t->shifts = true;
    break;
  case ASH_FN_clip:
    if (!read_scalar(q, o->inputs[1], &t->low) ||
        !read_scalar(q, o->inputs[2], &t->high) || t->low > t->high)
      return false;
    t->clips = true;
    break;
  default:
    return false;
  }
  t->last = op;
  return true;
}

/* The layer's own sum: 32 bits, of which its output has lost none. */
static bool is_complete(const requant *q, const ash_op *o) {
  const ash_tensor *y = ash_op_out(q->g, o, 0);
  const ash_range r = ash_range_of_product(q->g, o, q->ranges);
  return y->type == ASH_INT32 || ash_range_fits(&r, y->type);
}

static bool is_layer_type(ash_type type) {
  return type == ASH_INT8 || type == ASH_UINT8 || type == ASH_INT16 ||
         type == ASH_UINT16 || type == ASH_INT32;
}

/* Follows the only reader of each result. */
static tail find(const requant *q, uint32_t op) {
  tail t = {.last = ASH_NO_ID, .factor = ASH_NO_ID}, best = t;
  uint32_t at = q->g->ops.items[op].outputs[0];
  while (q->uses.count[at] == 1 && q->uses.reader[at] != ASH_NO_ID &&
         take(q, &t, at, q->uses.reader[at])) {
    at = q->g->ops.items[t.last].outputs[0];
    if (is_layer_type(tensor(q, at)->type))
      best = t;
  }
  return best;
}

/* ---- rewriting ----------------------------------------------------------- */

/* A constant of `count` values in the smallest type that holds them. */
static ash_status add_table(requant *q, uint32_t *out, const int64_t *values,
                            uint32_t count) {
  ash_range r = {true, values[0], values[0]};
  for (uint32_t i = 1; i < count; i++)
    r = ash_range_join(r, (ash_range){true, values[i], values[i]});
  const ash_type small = ash_range_type(&r);
  const ash_type type = small == ASH_NONE ? ASH_INT64 : small;
  const uint32_t width = ash_type_bits(type) / 8;
  uint8_t *data = ash_zone_alloc(&q->g->zone, (size_t)count * width, 1, 8);
  const char *id =
      ash_zone_format(&q->g->zone, "requant_%u", (unsigned)q->made++);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t b = 0; b < width; b++)
      data[i * width + b] = (uint8_t)((uint64_t)values[i] >> (8 * b));
  const ash_shape shape = {1, {(int32_t)count}};
  return ash_graph_add_constant(q->g, out, id, type, &shape, data);
}

/* The sum of some constants, each with one value or one per channel. */
static ash_status join_tables(requant *q, uint32_t *out, const uint32_t *from,
                              uint32_t count, int64_t otherwise) {
  uint32_t n = 1;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t own =
        (uint32_t)ash_shape_elements(&tensor(q, from[k])->shape);
    n = own > n ? own : n;
  }
  int64_t *values = ASH_NEW_ARRAY(&q->ctx->scratch, int64_t, n);
  ASH_TRY(ash_zone_check(q->ctx, &q->ctx->scratch));
  for (uint32_t i = 0; i < n; i++) {
    values[i] = count ? 0 : otherwise;
    for (uint32_t k = 0; k < count; k++) {
      const ash_tensor *c = tensor(q, from[k]);
      const bool one = ash_shape_elements(&c->shape) == 1;
      values[i] = (int64_t)((uint64_t)values[i] +
                            (uint64_t)ash_tensor_int(c, one ? 0 : i));
    }
  }
  return add_table(q, out, values, n);
}

static ash_status append(requant *q, uint32_t op, uint32_t slot,
                         uint32_t table) {
  while (q->g->ops.items[op].input_count < slot)
    ASH_TRY(ash_graph_append_input(q->g, op, ASH_NO_ID));
  return ash_graph_append_input(q->g, op, table);
}

static ash_status append_tables(requant *q, uint32_t op, const tail *t) {
  uint32_t table;
  if (t->factor != ASH_NO_ID || t->offset_count || t->shifts) {
    ASH_TRY(join_tables(q, &table, &t->factor, t->factor != ASH_NO_ID, 1));
    ASH_TRY(append(q, op, 3, table));
  }
  if (t->offset_count) {
    ASH_TRY(join_tables(q, &table, t->offsets, t->offset_count, 0));
    ASH_TRY(append(q, op, 4, table));
  }
  return ASH_OK;
}

static ash_status rewrite(requant *q, uint32_t op, const tail *t) {
  ASH_TRY(append_tables(q, op, t));
  if (t->shifts)
    ASH_TRY(ash_graph_set_attr(q->g, op, ASH_INT_ATTR("shift", t->shift)));
  if (t->clips) {
    ASH_TRY(ash_graph_set_attr(q->g, op, ASH_INT_ATTR("low", t->low)));
    ASH_TRY(ash_graph_set_attr(q->g, op, ASH_INT_ATTR("high", t->high)));
  }
  const uint32_t y = q->g->ops.items[t->last].outputs[0];
  q->g->ops.items[op].outputs[0] = y;
  q->uses.drop[t->last] = true;
  q->changed = true;
  return ASH_OK;
}

static bool may_start(const requant *q, const ash_op *o) {
  return ash_op_is_integer_layer(q->g, o) && o->input_count <= 3 &&
         !ash_attr_find(o, "low") && !ash_attr_find(o, "high") &&
         is_layer_type(ash_op_out(q->g, o, 0)->type) && is_complete(q, o);
}

ash_status ash_pass_requant(ash_ctx *ctx, ash_graph *g) {
  requant q = {.ctx = ctx, .g = g};
  ASH_TRY(ash_uses_of(ctx, &q.uses, g));
  ASH_TRY(ash_ranges_of(ctx, &q.ranges, g));
  for (uint32_t op = 0; op < g->op_count; op++) {
    if (!may_start(&q, &g->ops.items[op]))
      continue;
    const tail t = find(&q, op);
    if (t.last != ASH_NO_ID)
      ASH_TRY(rewrite(&q, op, &t));
  }
  return ash_uses_drop(g, &q.uses);
}
