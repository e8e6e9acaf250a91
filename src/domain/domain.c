/* domain.c - what is the same for the spaces of all operators: operands, axes,
 * boxes. Which axes an operator has is in domain_*.c, one family a file. */
#include "domain/domain.h"

#include "base/checked.h"
#include "kernel/choose.h"
#include "op/chain.h"
#include "op/reads.h"
#include "op/sums.h"

/* ---- for the rules ------------------------------------------------------- */

static ash_tile_operand *find(const ash_domain_build *b, bool is_output,
                              uint32_t position) {
  for (uint32_t i = 0; i < b->space->operand_count; i++)
    if (b->operands[i].is_output == is_output &&
        b->operands[i].position == position)
      return &b->operands[i];
  return NULL;
}

ash_tile_operand *ash_domain_in(const ash_domain_build *b, uint32_t k) {
  ASH_ASSERT(k < b->op->input_count);
  return find(b, false, k);
}

ash_tile_operand *ash_domain_out(const ash_domain_build *b, uint32_t k) {
  ASH_ASSERT(k < b->op->output_count);
  return find(b, true, k);
}

const ash_shape *ash_domain_shape(const ash_domain_build *b,
                                  const ash_tile_operand *o) {
  ASH_ASSERT(o->tensor < b->g->tensor_count);
  return &b->g->tensors.items[o->tensor].shape;
}

const char *ash_domain_name(uint32_t dim) {
  static const char *const names[] = {"d0", "d1", "d2", "d3",
                                      "d4", "d5", "d6", "d7"};
  return names[dim < ASH_COUNT_OF(names) ? dim : 0];
}

uint32_t ash_domain_axis(ash_domain_build *b, const char *name,
                         int64_t extent) {
  ASH_ASSERT(extent > 0);
  ash_tile_space *s = b->space;
  if (s->axis_count == ASH_TILE_AXES)
    return ASH_NO_AXIS;
  s->axes[s->axis_count] =
      (ash_tile_axis){name, extent, ASH_AXIS_FREE, 1, 1, 0};
  return s->axis_count++;
}

uint32_t ash_domain_sum(ash_domain_build *b, const char *name, int64_t extent) {
  if (b->space->accumulator_bytes == 0)
    return ASH_NO_AXIS;
  const uint32_t axis = ash_domain_axis(b, name, extent);
  if (axis != ASH_NO_AXIS)
    b->space->axes[axis].kind = ASH_AXIS_SUM;
  return axis;
}

void ash_domain_slide(ash_tile_operand *o, uint32_t dim, uint32_t axis,
                      int64_t stride, int64_t window, int64_t before) {
  ASH_ASSERT(stride > 0 && window > 0);
  if (o && dim < o->rank)
    o->dim[dim] = (ash_tile_dim){axis, stride, window, before, 1};
}

void ash_domain_follow(ash_tile_operand *o, uint32_t dim, uint32_t axis) {
  ash_domain_slide(o, dim, axis, 1, 1, 0);
}

void ash_domain_table(const ash_domain_build *b, uint32_t input,
                      uint32_t axis) {
  ASH_ASSERT(axis == ASH_NO_AXIS || axis < b->space->axis_count);
  ash_tile_operand *o = ash_domain_in(b, input);
  if (!o || axis == ASH_NO_AXIS)
    return;
  const ash_shape *s = ash_domain_shape(b, o);
  for (uint32_t d = 0; d < s->rank; d++)
    if (s->dim[d] == b->space->axes[axis].extent &&
        ash_shape_elements(s) == (uint64_t)s->dim[d]) {
      ash_domain_follow(o, d, axis);
      return;
    }
}

void ash_domain_flat(ash_domain_build *b, ash_tile_operand *o, uint32_t from,
                     uint32_t to, uint32_t axis) {
  ASH_ASSERT(to <= o->rank);
  const ash_shape *s = ash_domain_shape(b, o);
  while (from < to && s->dim[from] == 1)
    from++;
  if (from >= to || axis == ASH_NO_AXIS)
    return;
  int64_t inner = 1;
  for (uint32_t d = from + 1; d < to; d++)
    inner *= s->dim[d];
  ash_domain_follow(o, from, axis);
  o->dim[from].divide = inner;
  if (b->space->axes[axis].granule < inner)
    b->space->axes[axis].granule = inner;
}

int64_t ash_domain_granule(int64_t extent, int64_t before, int64_t after) {
  int64_t g = (before > after ? before : after) + 1;
  while (g < extent && extent % g != 0 && extent % g <= after)
    g++;
  ASH_ASSERT(g > 0);
  return g < extent ? g : extent;
}

void ash_domain_likes(ash_domain_build *b, uint32_t axis, int64_t multiple,
                      uint32_t priority) {
  ASH_ASSERT(multiple > 0);
  if (axis == ASH_NO_AXIS)
    return;
  ash_tile_axis *a = &b->space->axes[axis];
  if (multiple > a->extent || multiple % a->granule != 0)
    return;
  a->multiple = multiple;
  a->priority = priority;
}

/* ---- boxes --------------------------------------------------------------- */

/* Of one dimension of `size` elements: [*start, *start + *count). */
static void box_dim(const ash_tile_dim *d, int64_t size, int64_t at, int64_t n,
                    int64_t *start, int64_t *count) {
  ASH_ASSERT(n > 0 && size >= 0);
  int64_t lo = ash_floor_div(at * d->stride - d->before, d->divide);
  int64_t hi = ash_floor_div(
      (at + n - 1) * d->stride - d->before + d->window - 1, d->divide);
  lo = lo < 0 ? 0 : lo > size ? size : lo;
  hi = hi > size - 1 ? size - 1 : hi;
  *start = lo;
  *count = hi < lo ? 0 : hi - lo + 1;
  ASH_ASSERT(0 <= *start && *start + *count <= size);
}

void ash_tile_box(ash_box *out, const ash_graph *g, const ash_tile_space *space,
                  uint32_t operand, const int64_t *at, const int64_t *n) {
  if (!(out && g && space && operand < space->operand_count && at && n))
    return;
  ASH_ASSERT(operand < space->operand_count);
  const ash_tile_operand *o = &space->operands[operand];
  const ash_shape *s = &g->tensors.items[o->tensor].shape;
  *out = (ash_box){.rank = o->rank};
  for (uint32_t d = 0; d < o->rank; d++) {
    const uint32_t axis = o->dim[d].axis;
    if (axis == ASH_NO_AXIS)
      out->size[d] = s->dim[d];
    else
      box_dim(&o->dim[d], s->dim[d], at[axis], n[axis], &out->start[d],
              &out->size[d]);
  }
}

uint64_t ash_box_bytes(const ash_graph *g, uint32_t tensor,
                       const ash_box *box) {
  if (!(g && tensor < g->tensor_count && box))
    return 0;
  ASH_ASSERT(tensor < g->tensor_count);
  uint64_t n = ash_type_bits(g->tensors.items[tensor].type);
  for (uint32_t d = 0; d < box->rank; d++)
    n *= (uint64_t)box->size[d];
  return (n + 7) / 8;
}

/* Kernels in portable C need none, and no others are used on devices with a
 * compute memory; the whole operator's is enough for any piece. */
uint64_t ash_tile_work_bytes(const ash_graph *g, const ash_tile_space *space,
                             const int64_t *n) {
  if (!(g && space && n))
    return 0;
  (void)n;
  return ash_choose(g, space->op, NULL).scratch;
}

/* ---- axes that nobody needs ---------------------------------------------- */

static bool is_whole(const ash_tile_dim *d, int64_t size) {
  int64_t start, count;
  box_dim(d, size, 0, 1, &start, &count);
  return start == 0 && count == size;
}

static bool is_needed(const ash_domain_build *b, uint32_t axis) {
  ASH_ASSERT(axis < b->space->axis_count);
  for (uint32_t i = 0; i < b->space->operand_count; i++) {
    const ash_tile_operand *o = &b->operands[i];
    for (uint32_t d = 0; d < o->rank; d++)
      if (o->dim[d].axis == axis &&
          !is_whole(&o->dim[d], ash_domain_shape(b, o)->dim[d]))
        return true;
  }
  return false;
}

static void drop_axis(ash_domain_build *b, uint32_t axis) {
  ASH_ASSERT(axis < b->space->axis_count);
  for (uint32_t i = 0; i < b->space->operand_count; i++)
    for (uint32_t d = 0; d < b->operands[i].rank; d++) {
      uint32_t *follows = &b->operands[i].dim[d].axis;
      if (*follows == axis)
        b->operands[i].dim[d] = (ash_tile_dim){ASH_NO_AXIS, 1, 1, 0, 1};
      else if (*follows != ASH_NO_AXIS && *follows > axis)
        --*follows;
    }
  ash_tile_space *s = b->space;
  for (uint32_t a = axis; a + 1 < s->axis_count; a++)
    s->axes[a] = s->axes[a + 1];
  s->axis_count--;
}

static void drop_unneeded(ash_domain_build *b) {
  for (uint32_t a = b->space->axis_count; a-- > 0;)
    if (b->space->axes[a].extent == 1 && !is_needed(b, a))
      drop_axis(b, a);
}

/* ---- a space ------------------------------------------------------------- */

static ash_tile_operand whole(const ash_graph *g, uint32_t tensor,
                              bool is_output, uint32_t position) {
  ASH_ASSERT(tensor < g->tensor_count);
  ash_tile_operand o = {
      tensor, is_output, position, g->tensors.items[tensor].shape.rank, {{0}}};
  for (uint32_t d = 0; d < ASH_RANK_MAX; d++)
    o.dim[d] = (ash_tile_dim){ASH_NO_AXIS, 1, 1, 0, 1};
  return o;
}

/* NULL, or what is wrong with the op's tensors whatever the operator. */
static const char *add_operands(ash_domain_build *b) {
  const ash_op *op = b->op;
  uint32_t n = 0;
  for (uint32_t k = 0; k < op->input_count; k++)
    if (op->inputs[k] != ASH_NO_ID &&
        ash_kernel_reads(NULL, b->g, b->space->op, k))
      b->operands[n++] = whole(b->g, op->inputs[k], false, k);
  for (uint32_t k = 0; k < op->output_count; k++)
    b->operands[n++] = whole(b->g, op->outputs[k], true, k);
  b->space->operand_count = n;
  for (uint32_t i = 0; i < n; i++) {
    const ash_tensor *t = &b->g->tensors.items[b->operands[i].tensor];
    if (ash_shape_elements(&t->shape) == 0)
      return "a tensor is empty";
    if (ash_type_bits(t->type) < 8)
      return "elements are smaller than a byte";
  }
  return NULL;
}

static uint64_t work_of(const ash_domain_build *b) {
  ASH_ASSERT(b->space->operand_count > 0);
  const uint64_t macs = ash_op_macs(b->g, b->space->op);
  uint64_t most = 0;
  for (uint32_t i = 0; i < b->space->operand_count; i++) {
    const uint64_t n = ash_shape_elements(ash_domain_shape(b, &b->operands[i]));
    const bool counts = b->operands[i].is_output || b->operands[i].position < 2;
    most = counts && n > most ? n : most;
  }
  if (macs)
    return macs;
  return b->space->work ? b->space->work : most * ash_op_stages(b->op);
}

bool ash_op_is_tiled(ash_op_kind kind) {
  ash_domain_rule *rule;
  ash_local_rule *local;
  return ash_domain_rules_of(kind, &rule, &local);
}

static bool has_sum(const ash_tile_space *s) {
  for (uint32_t a = 0; a < s->axis_count; a++)
    if (s->axes[a].kind == ASH_AXIS_SUM)
      return true;
  return false;
}

static const char *build(ash_domain_build *b) {
  ash_domain_rule *rule;
  ash_local_rule *local;
  if (!ash_domain_rules_of(b->op->kind, &rule, &local))
    return ash_op_has(b->op, ASH_OP_STATE)
               ? "it updates its state where that is"
               : "this operator has no rule to cut it";
  const char *why = add_operands(b);
  b->space->accumulator_bytes =
      ash_accumulator_bytes(ash_op_accumulator(b->g, b->op));
  if (!why)
    why = rule(b);
  if (why)
    return why;
  ASH_ASSERT(b->space->axis_count <= ASH_TILE_AXES);
  drop_unneeded(b);
  if (!has_sum(b->space))
    b->space->accumulator_bytes = 0;
  b->space->work = work_of(b);
  return NULL;
}

ash_status ash_tile_space_of(ash_ctx *ctx, const ash_tile_space **out,
                             const char **why, const ash_graph *g,
                             uint32_t op) {
  ASH_NEED(ctx, ctx && out && why && g && op < g->op_count);
  ASH_ASSERT(op < g->op_count);
  if (!ash_op_is_prepared(&g->ops.items[op]))
    return ash_domain_space_of(ctx, out, why, g, op);
  *out = NULL;
  *why = "weights are packed for a processor's own instructions";
  return ASH_OK;
}

static ash_status make_space(ash_ctx *ctx, const ash_tile_space **out,
                             const char **why, const ash_graph *g, uint32_t op,
                             bool is_for_rows) {
  ASH_ASSERT(op < g->op_count);
  const ash_op *o = &g->ops.items[op];
  const size_t most = (size_t)o->input_count + o->output_count;
  *out = NULL;
  *why = NULL;
  ash_tile_space *space = ASH_NEW(&ctx->keep, ash_tile_space);
  ash_tile_operand *operands =
      ASH_NEW_ARRAY(&ctx->keep, ash_tile_operand, most);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  space->op = op;
  space->operands = operands;
  ash_domain_build b = {g, o, space, operands, is_for_rows};
  *why = build(&b);
  if (!*why)
    *out = space;
  return ASH_OK;
}

ash_status ash_domain_space_of(ash_ctx *ctx, const ash_tile_space **out,
                               const char **why, const ash_graph *g,
                               uint32_t op) {
  return make_space(ctx, out, why, g, op, false);
}

ash_status ash_domain_row_space_of(ash_ctx *ctx, const ash_tile_space **out,
                                   const char **why, const ash_graph *g,
                                   uint32_t op) {
  return make_space(ctx, out, why, g, op, true);
}
