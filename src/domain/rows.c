/* rows.c - see rows.h. The iteration spaces say which rows of its operands a
 * row of a result needs. */
#include "domain/rows.h"

#include "base/checked.h"
#include "domain/domain.h"
#include "op/reads.h"
#include "op/views.h"

/* ---- tensors ------------------------------------------------------------- */

/* Longer tensors are one row: steps of all operators are counted in 32 bits. */
enum { ROWS_MAX = 1 << 16 };

uint32_t ash_domain_row_dimension(const ash_tensor *t) {
  const ash_shape *s = &t->shape;
  uint32_t d = 0;
  while (d < s->rank && s->dim[d] == 1)
    d++;
  return d + 1 < s->rank && s->dim[d] <= ROWS_MAX && t->bytes > 0 &&
                 ash_type_bits(t->type) >= 8
             ? d
             : ASH_NO_ID;
}

uint32_t ash_domain_row_count(const ash_tensor *t) {
  const uint32_t d = ash_domain_row_dimension(t);
  return d == ASH_NO_ID ? 1 : (uint32_t)t->shape.dim[d];
}

uint64_t ash_domain_row_bytes(const ash_tensor *t) {
  return t->bytes / ash_domain_row_count(t);
}

/* ---- views --------------------------------------------------------------- */

/* Variables are read and written by copying: they change. */
bool ash_domain_row_is_view(const ash_graph *g, const uint32_t *root,
                            uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  uint32_t input;
  uint64_t offset;
  if (!ash_op_is_view(g, op, 0, &input, &offset))
    return false;
  const ash_tensor *from = &g->tensors.items[root[o->inputs[0]]];
  const ash_tensor *to = &g->tensors.items[o->outputs[0]];
  return to->kind == ASH_TENSOR_ACTIVATION &&
         (from->kind == ASH_TENSOR_ACTIVATION ||
          (from->kind == ASH_TENSOR_INPUT && !to->is_output));
}

void ash_domain_row_roots(const ash_graph *g, uint32_t *root) {
  for (uint32_t t = 0; t < g->tensor_count; t++)
    root[t] = t;
  for (uint32_t op = 0; op < g->op_count; op++)
    if (ash_domain_row_is_view(g, root, op))
      root[g->ops.items[op].outputs[0]] = root[g->ops.items[op].inputs[0]];
}

bool ash_domain_row_same(const ash_graph *g, const uint32_t *root,
                         uint32_t tensor) {
  ASH_ASSERT(tensor < g->tensor_count);
  const ash_tensor *t = &g->tensors.items[tensor];
  const ash_tensor *of = &g->tensors.items[root[tensor]];
  return ash_domain_row_count(t) == ash_domain_row_count(of) &&
         t->bytes == of->bytes;
}

/* ---- operators ----------------------------------------------------------- */

uint32_t ash_domain_row_rule_operand(const ash_domain_row_rule *r,
                                     bool is_output, uint32_t position) {
  for (uint32_t i = 0; r->space && i < r->space->operand_count; i++)
    if (r->space->operands[i].is_output == is_output &&
        r->space->operands[i].position == position)
      return i;
  return ASH_NO_ID;
}

/* How the rows of an operand follow the axes. */
static const ash_tile_dim *
row_dim(const ash_graph *g, const ash_domain_row_rule *r, uint32_t operand) {
  ASH_ASSERT(operand < r->space->operand_count);
  const ash_tile_operand *o = &r->space->operands[operand];
  const uint32_t d = ash_domain_row_dimension(&g->tensors.items[o->tensor]);
  return d == ASH_NO_ID ? NULL : &o->dim[d];
}

/* Positions of the axis for each row of the first output. */
static int64_t positions_per_row(const ash_graph *g,
                                 const ash_domain_row_rule *r) {
  return row_dim(g, r, ash_domain_row_rule_operand(r, true, 0))->divide;
}

/* What `count` positions of the axis from `first` on need of an operand. */
static ash_box box_of(const ash_graph *g, const ash_domain_row_rule *r,
                      uint32_t operand, int64_t first, int64_t count) {
  const ash_tile_space *s = r->space;
  const int64_t extent = s->axes[r->axis].extent;
  int64_t at[ASH_TILE_AXES], n[ASH_TILE_AXES];
  ash_box box;
  for (uint32_t a = 0; a < s->axis_count; a++) {
    at[a] = 0;
    n[a] = s->axes[a].extent;
  }
  at[r->axis] = first;
  n[r->axis] = count < extent - first ? count : extent - first;
  ASH_ASSERT(first < extent && n[r->axis] > 0);
  ash_tile_box(&box, g, s, operand, at, n);
  return box;
}

/* ---- lines of resized images ---------------------------------------------
 */

static bool mixes(const ash_op *op) {
  return op->kind == ASH_OP_resize_bilinear;
}

static bool is_resized(const ash_op *op) {
  return mixes(op) || op->kind == ASH_OP_resize_nearest_neighbor;
}

/* What its kernel knows of the lines that a line of the result takes: the first
 * constant that lowering appends (lower_resize.c), by line the nearest one, or
 * those above and below. NULL: not lowered. */
static const int32_t *lines_taken(const ash_graph *g, const ash_op *op) {
  const ash_tensor *t = op->input_count > 1 ? ash_op_in(g, op, 1) : NULL;
  return t && t->type == ASH_INT32 && t->data ? (const int32_t *)t->data : NULL;
}

static ash_domain_row_range resized_rows(const ash_graph *g, const ash_op *op,
                                         int64_t first, int64_t last) {
  const int32_t *taken = lines_taken(g, op);
  const int64_t each = mixes(op) ? 2 : 1;
  ASH_ASSERT(taken && 0 <= first && first <= last);
  return (ash_domain_row_range){(uint32_t)taken[first * each],
                                (uint32_t)taken[last * each + each - 1] + 1};
}

static ash_domain_row_range box_rows(const ash_graph *g,
                                     const ash_domain_row_rule *r,
                                     uint32_t operand, int64_t first,
                                     int64_t count) {
  const ash_op *op = &g->ops.items[r->space->op];
  const int64_t extent = r->space->axes[r->axis].extent;
  if (is_resized(op) && !r->space->operands[operand].is_output &&
      r->space->operands[operand].position == 0 &&
      ash_domain_row_dimension(
          &g->tensors.items[r->space->operands[operand].tensor]) == 1)
    return resized_rows(g, op, first,
                        (first + count < extent ? first + count : extent) - 1);
  const uint32_t tensor = r->space->operands[operand].tensor;
  const uint32_t d = ash_domain_row_dimension(&g->tensors.items[tensor]);
  const ash_box box = box_of(g, r, operand, first, count);
  return (ash_domain_row_range){(uint32_t)box.start[d],
                                (uint32_t)(box.start[d] + box.size[d])};
}

/* Do the rows never go back, and those that are written leave no gap? */
static bool moves_on(const ash_graph *g, const ash_domain_row_rule *r,
                     uint32_t operand) {
  const ash_tile_axis *axis = &r->space->axes[r->axis];
  const bool is_output = r->space->operands[operand].is_output;
  ash_domain_row_range last = {0, 0};
  for (int64_t at = 0; at < axis->extent; at += axis->granule) {
    const ash_domain_row_range now = box_rows(g, r, operand, at, axis->granule);
    if (is_output && now.from == now.to)
      continue;
    if (now.from < last.from || now.to < last.to ||
        (is_output && now.from != last.to))
      return false;
    last = now;
  }
  const uint32_t tensor = r->space->operands[operand].tensor;
  return !is_output ||
         last.to == ash_domain_row_count(&g->tensors.items[tensor]);
}

/* The axis along which the rows of the first output lie. */
static uint32_t find_axis(const ash_graph *g, const ash_domain_row_rule *r) {
  const uint32_t out = ash_domain_row_rule_operand(r, true, 0);
  const ash_tile_dim *d = out == ASH_NO_ID ? NULL : row_dim(g, r, out);
  return d && d->stride == 1 && d->window == 1 && d->before == 0 ? d->axis
                                                                 : ASH_NO_AXIS;
}

/* All outputs must follow the axis; other operands may. */
static bool find_followers(const ash_graph *g, const ash_domain_row_rule *r,
                           bool *follows) {
  for (uint32_t i = 0; i < r->space->operand_count; i++) {
    const ash_tile_dim *d = row_dim(g, r, i);
    follows[i] = d && d->axis == r->axis && moves_on(g, r, i);
    if (r->space->operands[i].is_output && !follows[i])
      return false;
  }
  return true;
}

/* Does it have a row for each position of the axis? */
static bool is_beside(const ash_domain_row_rule *r, const ash_tile_dim *x,
                      int64_t rows) {
  return x->stride == 1 && x->before == 0 &&
         rows == r->space->axes[r->axis].extent;
}

/* Operators that move elements, and may have nothing of an operand. */
static bool may_shift(const ash_op *op) {
  return ash_op_has(op, ASH_OP_MOVES) || op->kind == ASH_OP_pad ||
         op->kind == ASH_OP_concatenation;
}

/* Row by row of the axis, some way apart where elements are moved, or not at
 * all? */
static bool goes_along(const ash_graph *g, const ash_domain_row_rule *r,
                       uint32_t operand) {
  const ash_tile_operand *o = &r->space->operands[operand];
  const ash_tensor *t = &g->tensors.items[o->tensor];
  const bool shifts = may_shift(&g->ops.items[r->space->op]) && !o->is_output;
  for (uint32_t d = 0; d < o->rank; d++) {
    const ash_tile_dim *x = &o->dim[d];
    if (x->axis == r->axis &&
        (d != ash_domain_row_dimension(t) || !r->follows[operand] ||
         x->window != 1 || x->divide != 1 ||
         (!shifts && !is_beside(r, x, t->shape.dim[d]))))
      return false;
  }
  return true;
}

/* A piece of one row has its operands in one piece: a slice, which leaves out
 * columns, has not. */
static bool takes_whole_rows(const ash_graph *g, const ash_domain_row_rule *r,
                             uint32_t operand) {
  const ash_tile_operand *o = &r->space->operands[operand];
  const ash_shape *s = &g->tensors.items[o->tensor].shape;
  const ash_box box = box_of(g, r, operand, 0, 1);
  for (uint32_t d = 0; d < o->rank && d < s->rank; d++)
    if (o->dim[d].axis != r->axis &&
        (box.start[d] != 0 || box.size[d] != s->dim[d]))
      return false;
  return true;
}

static bool is_row_to_row(const ash_graph *g, const ash_domain_row_rule *r) {
  for (uint32_t i = 0; i < r->space->operand_count; i++)
    if (!goes_along(g, r, i) || !takes_whole_rows(g, r, i))
      return false;
  return r->space->axes[r->axis].granule == 1 &&
         !ash_op_is_prepared(&g->ops.items[r->space->op]);
}

ash_status ash_domain_row_rule_of(ash_ctx *ctx, ash_domain_row_rule *out,
                                  const ash_graph *g, uint32_t op) {
  const char *why;
  ASH_ASSERT(op < g->op_count);
  *out = (ash_domain_row_rule){.axis = ASH_NO_AXIS, .granule = 1};
  if (g->ops.items[op].output_count > 0)
    ASH_TRY(ash_domain_row_space_of(ctx, &out->space, &why, g, op));
  if (!out->space ||
      (is_resized(&g->ops.items[op]) && !lines_taken(g, &g->ops.items[op])))
    return ASH_OK;
  bool *follows = ASH_NEW_ARRAY(&ctx->keep, bool, out->space->operand_count);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  out->follows = follows;
  out->axis = find_axis(g, out);
  if (out->axis == ASH_NO_AXIS)
    return ASH_OK;
  const ash_tile_axis *axis = &out->space->axes[out->axis];
  ASH_ASSERT(axis->kind == ASH_AXIS_FREE && axis->granule > 0);
  if (find_followers(g, out, follows)) {
    out->granule = (uint32_t)(axis->granule / positions_per_row(g, out));
    out->is_row_to_row = is_row_to_row(g, out);
  } else {
    out->axis = ASH_NO_AXIS;
  }
  return ASH_OK;
}

ash_domain_row_range
ash_domain_row_rule_range(const ash_graph *g, const ash_domain_row_rule *r,
                          bool is_output, uint32_t position, uint32_t tensor,
                          uint32_t first, uint32_t count) {
  const uint32_t operand = ash_domain_row_rule_operand(r, is_output, position);
  if (r->axis == ASH_NO_AXIS || operand == ASH_NO_ID || !r->follows[operand])
    return (ash_domain_row_range){
        0, ash_domain_row_count(&g->tensors.items[tensor])};
  const int64_t per_row = positions_per_row(g, r);
  return box_rows(g, r, operand, first * per_row, count * per_row);
}

ash_domain_row_line ash_domain_row_rule_line(const ash_graph *g,
                                             const ash_domain_row_rule *r,
                                             uint32_t operand) {
  ASH_ASSERT(r->is_row_to_row && r->follows[operand]);
  const ash_tile_dim *d = row_dim(g, r, operand);
  return (ash_domain_row_line){d->stride, -d->before};
}
