/* layout.c - transpositions that meet cancel.
 *
 *   strided(perm)            y = T(x) is only remembered, and made when
 *   relu                     somebody needs y itself. An operator that works
 *   strided(inverse perm)    element by element takes x instead of T(x), and
 *                            its result is remembered as transposed.
 *
 * ONNX models keep channels in front, our windows want them behind: between
 * two convolutions nothing is left of that. Averages that keep their axes,
 * concatenations, paddings and constant operands are turned along. */
#include "pass/pass.h"

#include "graph/compact.h"
#include "op/functions.h"
#include "op/verify.h"

#include <string.h>

/* A tensor that is the transposition of another: axis i is axis perm[i] of
 * `from`. ASH_NO_ID: it is itself. */
typedef struct turned {
  uint32_t from;
  uint32_t perm[ASH_RANK_MAX];
  const ash_op *op; /* the model's own transposition, or NULL */
  uint32_t source_index;
} turned;

typedef struct layout {
  ash_ctx *ctx;
  ash_graph *g;
  turned *items; /* by tensor */
  size_t capacity;
  uint32_t made;
} layout;

static ash_shape *shape_of(const layout *l, uint32_t t) {
  return &l->g->tensors.items[t].shape;
}

static ash_status reserve(layout *l, uint32_t tensor) {
  if (tensor < l->capacity)
    return ASH_OK;
  const size_t capacity = 2 * ((size_t)tensor + 64);
  turned *items = ASH_NEW_ARRAY(&l->ctx->scratch, turned, capacity);
  ASH_TRY(ash_zone_check(l->ctx, &l->ctx->scratch));
  for (size_t i = 0; i < capacity; i++)
    items[i].from = ASH_NO_ID;
  if (l->items)
    memcpy(items, l->items, l->capacity * sizeof *items);
  l->items = items;
  l->capacity = capacity;
  return ASH_OK;
}

static bool is_identity(const uint32_t *perm, uint32_t rank) {
  for (uint32_t i = 0; i < rank; i++)
    if (perm[i] != i)
      return false;
  return true;
}

static ash_status add_like(layout *l, uint32_t *out, uint32_t model,
                           const ash_shape *shape, const uint8_t *data) {
  ash_tensor t = l->g->tensors.items[model];
  t.shape = *shape;
  t.id = NULL;
  t.data = data;
  t.is_output = false;
  t.file_byte = UINT64_MAX;
  ASH_TRY(ash_graph_add_tensor(l->g, out, t));
  return reserve(l, *out);
}

/* ---- transpositions that must be ----------------------------------------- */

static ash_status put_transpose(layout *l, const turned *was, uint32_t to) {
  const uint32_t *perm = was->perm;
  uint32_t from = was->from;
  const ash_shape *in = shape_of(l, from);
  int64_t stride[ASH_RANK_MAX], dim[ASH_RANK_MAX], step[ASH_RANK_MAX];
  int64_t order[ASH_RANK_MAX], n = 1;
  uint32_t op;
  for (uint32_t i = in->rank; i-- > 0; n *= in->dim[i])
    stride[i] = n;
  for (uint32_t i = 0; i < in->rank; i++) {
    dim[i] = in->dim[perm[i]];
    step[i] = stride[perm[i]];
    order[i] = perm[i];
  }
  ash_attr attrs[] = {
      {.name = "dim", .kind = ASH_ATTR_INTS, .ints = dim, .count = in->rank},
      {.name = "step", .kind = ASH_ATTR_INTS, .ints = step, .count = in->rank},
      {.name = "perm",
       .kind = ASH_ATTR_INTS,
       .ints = order,
       .count = in->rank}};
  const char *id = ash_zone_format(&l->g->zone, "layout_%u", l->made++);
  ASH_TRY(ash_zone_check(l->ctx, &l->g->zone));
  return ash_graph_add_op(l->g, &op,
                          (ash_op){.kind = ASH_OP_strided,
                                   .id = id,
                                   .source_index = was->source_index,
                                   .input_count = 1,
                                   .output_count = 1,
                                   .attr_count = 3,
                                   .inputs = &from,
                                   .outputs = &to,
                                   .attrs = attrs});
}

static ash_status put_copy(layout *l, const turned *was, uint32_t to) {
  uint32_t from = was->from;
  const char *id = ash_zone_format(&l->g->zone, "layout_%u", l->made++);
  uint32_t op;
  ASH_TRY(ash_zone_check(l->ctx, &l->g->zone));
  return ash_graph_add_op(l->g, &op,
                          (ash_op){.kind = ASH_OP_reshape,
                                   .id = id,
                                   .source_index = was->source_index,
                                   .input_count = 1,
                                   .output_count = 1,
                                   .inputs = &from,
                                   .outputs = &to});
}

/* Makes the tensor itself exist. */
static ash_status settle(layout *l, uint32_t t) {
  const turned was = l->items[t];
  uint32_t op;
  if (was.from == ASH_NO_ID)
    return ASH_OK;
  l->items[t].from = ASH_NO_ID;
  if (was.op)
    return ash_graph_add_op(l->g, &op, *was.op);
  return is_identity(was.perm, shape_of(l, t)->rank)
             ? put_copy(l, &was, t)
             : put_transpose(l, &was, t);
}

/* The tensor to read in its place: the origin of one turned back and forth. */
static ash_status readable(layout *l, uint32_t *t) {
  const turned *r = &l->items[*t];
  if (r->from != ASH_NO_ID && is_identity(r->perm, shape_of(l, *t)->rank)) {
    *t = r->from;
    return ASH_OK;
  }
  return settle(l, *t);
}

static ash_status keep_op(layout *l, ash_op *op) {
  uint32_t index;
  for (uint32_t k = 0; k < op->input_count; k++)
    if (op->inputs[k] != ASH_NO_ID)
      ASH_TRY(readable(l, &op->inputs[k]));
  return ash_graph_add_op(l->g, &index, *op);
}

/* ---- transpositions that are remembered ---------------------------------- */

static bool is_transpose(const ash_op *op, uint32_t rank) {
  const ash_attr *a = ash_attr_find(op, "perm");
  return op->kind == ASH_OP_strided && a && a->kind == ASH_ATTR_INTS &&
         a->count == rank;
}

/* Is it really the transposition that `perm` says? */
static bool perm_is_true(const layout *l, const ash_op *op) {
  const ash_shape *in = shape_of(l, op->inputs[0]);
  uint32_t seen = 0;
  int64_t stride[ASH_RANK_MAX], n = 1;
  for (uint32_t i = in->rank; i-- > 0; n *= in->dim[i])
    stride[i] = n;
  for (uint32_t i = 0; i < in->rank; i++) {
    const int64_t axis = ash_op_ints(op, "perm", i, -1);
    if (axis < 0 || axis >= in->rank ||
        ash_op_ints(op, "step", i, 0) != stride[axis])
      return false;
    seen |= 1u << axis;
  }
  return seen == (1u << in->rank) - 1 && ash_attr_int(op, "offset", 0) == 0;
}

static void remember(layout *l, const ash_op *op) {
  const uint32_t x = op->inputs[0];
  const turned before = l->items[x];
  turned *to = &l->items[op->outputs[0]];
  to->from = before.from == ASH_NO_ID ? x : before.from;
  to->op = before.from == ASH_NO_ID ? op : NULL;
  to->source_index = op->source_index;
  for (uint32_t i = 0; i < shape_of(l, x)->rank; i++) {
    const uint32_t axis = (uint32_t)ash_op_ints(op, "perm", i, 0);
    to->perm[i] = before.from == ASH_NO_ID ? axis : before.perm[axis];
  }
}

/* The permutation that the op's turned inputs share; NULL if there is none. */
static const turned *shared_turn(const layout *l, const ash_op *op) {
  const uint32_t rank = shape_of(l, op->outputs[0])->rank;
  const turned *first = NULL;
  for (uint32_t k = 0; k < op->input_count; k++) {
    if (op->inputs[k] == ASH_NO_ID)
      return NULL;
    const ash_tensor *t = &l->g->tensors.items[op->inputs[k]];
    const turned *r = &l->items[op->inputs[k]];
    if (t->quant.count > 1 ||
        (t->kind == ASH_TENSOR_CONSTANT && t->shape.rank > rank))
      return NULL;
    if (t->kind == ASH_TENSOR_CONSTANT)
      continue;
    if (r->from == ASH_NO_ID || t->shape.rank != rank)
      return NULL;
    if (first && memcmp(first->perm, r->perm, rank * sizeof *r->perm) != 0)
      return NULL;
    first = r;
  }
  return first;
}

/* ---- operators that are turned along ------------------------------------- */

/* A constant as the turned operator needs it. */
static ash_status turn_constant(layout *l, uint32_t *t, const uint32_t *perm,
                                uint32_t rank) {
  const ash_tensor *c = &l->g->tensors.items[*t];
  const uint32_t missing = rank - c->shape.rank;
  const size_t width = ash_type_bits(c->type) / 8;
  ash_shape out = {.rank = rank};
  int64_t step[ASH_RANK_MAX] = {0}, n = 1;
  const uint64_t count = ash_shape_elements(&c->shape);
  if (count == 1)
    return ASH_OK;
  for (uint32_t i = rank; i-- > 0;) {
    const int32_t dim = i < missing ? 1 : c->shape.dim[i - missing];
    out.dim[perm[i]] = dim;
    step[perm[i]] = n;
    n *= dim;
  }
  uint8_t *data = ASH_NEW_ARRAY(&l->g->zone, uint8_t, (size_t)c->bytes + 1);
  ASH_TRY(ash_zone_check(l->ctx, &l->g->zone));
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++) {
    int64_t from = 0;
    for (uint32_t d = 0; d < rank; d++)
      from += at[d] * step[d];
    memcpy(data + i * width, c->data + (size_t)from * width, width);
    for (uint32_t d = rank; d-- > 0 && ++at[d] == out.dim[d];)
      at[d] = 0;
  }
  return add_like(l, t, *t, &out, data);
}

static ash_status turn_inputs(layout *l, ash_op *op, const uint32_t *perm,
                              uint32_t rank) {
  for (uint32_t k = 0; k < op->input_count; k++) {
    if (l->g->tensors.items[op->inputs[k]].kind != ASH_TENSOR_CONSTANT)
      op->inputs[k] = l->items[op->inputs[k]].from;
    else
      ASH_TRY(turn_constant(l, &op->inputs[k], perm, rank));
  }
  return ASH_OK;
}

/* Axes of an average, seen from the origin. */
static ash_status turn_axes(layout *l, uint32_t op, const turned *turn,
                            uint32_t rank) {
  const uint32_t folded = ash_op_folded(&l->g->ops.items[op], rank);
  int64_t axes[ASH_RANK_MAX];
  uint32_t count = 0;
  for (uint32_t i = 0; i < rank; i++)
    if (folded >> i & 1)
      axes[count++] = turn->perm[i];
  return ash_graph_set_attr(l->g, op, ASH_INTS_ATTR("axes", axes, count));
}

/* Paddings, one per axis, in the origin's order. */
static ash_status turn_pads(layout *l, uint32_t op, const turned *turn,
                            uint32_t rank) {
  static const char *const names[] = {"before", "after"};
  for (uint32_t k = 0; k < ASH_COUNT_OF(names); k++) {
    int64_t pads[ASH_RANK_MAX];
    for (uint32_t i = 0; i < rank; i++)
      pads[turn->perm[i]] = ash_op_ints(&l->g->ops.items[op], names[k], i, 0);
    ASH_TRY(ash_graph_set_attr(l->g, op, ASH_INTS_ATTR(names[k], pads, rank)));
  }
  return ASH_OK;
}

static bool is_padding(const ash_op *op) {
  return op->kind == ASH_OP_pad || op->kind == ASH_OP_mirror_pad;
}

static ash_status turn_op(layout *l, ash_op *op, turned turn) {
  const uint32_t y = op->outputs[0];
  const ash_shape was = *shape_of(l, y);
  ash_shape shape = was;
  uint32_t origin, index;
  for (uint32_t i = 0; i < was.rank; i++)
    shape.dim[turn.perm[i]] = was.dim[i];
  ASH_TRY(turn_inputs(l, op, turn.perm, was.rank));
  ASH_TRY(add_like(l, &origin, y, &shape, NULL));
  ash_op copy = *op;
  copy.outputs = &origin;
  ASH_TRY(ash_graph_add_op(l->g, &index, copy));
  if (op->kind == ASH_OP_reduce)
    ASH_TRY(turn_axes(l, index, &turn, was.rank));
  if (is_padding(op))
    ASH_TRY(turn_pads(l, index, &turn, was.rank));
  if (op->kind == ASH_OP_concatenation) {
    const int64_t axis = ash_attr_int(op, "axis", 0);
    const uint32_t from = (uint32_t)(axis < 0 ? axis + was.rank : axis);
    ASH_TRY(
        ash_graph_set_attr(l->g, index, ASH_INT_ATTR("axis", turn.perm[from])));
  }
  l->items[y] = turn;
  l->items[y].from = origin;
  l->items[y].op = NULL;
  l->items[y].source_index = op->source_index;
  return ASH_OK;
}

static bool turns_along(const ash_op *op) {
  if (op->kind == ASH_OP_reduce)
    return ash_op_fold(op) == ASH_FOLD_MEAN &&
           ash_attr_int(op, "keep_dims", 0) != 0;
  return op->kind == ASH_OP_concatenation || is_padding(op) ||
         (ash_op_has(op, ASH_OP_ELEMENTWISE) && op->output_count == 1);
}

/* Constants joined to activations would need copies of their own. */
static bool joins_constants(const layout *l, const ash_op *op) {
  if (op->kind != ASH_OP_concatenation)
    return false;
  for (uint32_t k = 0; k < op->input_count; k++)
    if (op->inputs[k] == ASH_NO_ID ||
        l->g->tensors.items[op->inputs[k]].kind == ASH_TENSOR_CONSTANT)
      return true;
  return false;
}

static ash_status visit(layout *l, ash_op *op) {
  const uint32_t rank = op->input_count ? shape_of(l, op->inputs[0])->rank : 0;
  if (is_transpose(op, rank) && perm_is_true(l, op)) {
    remember(l, op);
    return ASH_OK;
  }
  const turned *turn =
      turns_along(op) && !joins_constants(l, op) ? shared_turn(l, op) : NULL;
  return turn ? turn_op(l, op, *turn) : keep_op(l, op);
}

static bool has_transpose(const ash_graph *g) {
  for (size_t i = 0; i < g->op_count; i++)
    if (ash_attr_find(&g->ops.items[i], "perm"))
      return true;
  return false;
}

static ash_status turn_graph(layout *l) {
  ash_graph *g = l->g;
  const size_t count = g->op_count;
  ash_op *ops = ash_zone_copy(&l->ctx->scratch, g->ops.items,
                              count * sizeof *ops + (count == 0));
  ASH_TRY(reserve(l, (uint32_t)g->tensor_count));
  ASH_TRY(ash_zone_check(l->ctx, &l->ctx->scratch));
  g->op_count = 0;
  for (size_t i = 0; i < count; i++)
    ASH_TRY(visit(l, &ops[i]));
  for (size_t i = 0; i < g->output_count; i++)
    ASH_TRY(settle(l, g->outputs[i]));
  return ash_graph_compact(g);
}

ash_status ash_pass_layout(ash_ctx *ctx, ash_graph *g) {
  layout l = {.ctx = ctx, .g = g};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  if (!has_transpose(g))
    return ASH_OK;
  const ash_status status = turn_graph(&l);
  ash_zone_rewind(&ctx->scratch, mark);
  return status == ASH_OK ? ash_op_verify(ctx, g) : status;
}
