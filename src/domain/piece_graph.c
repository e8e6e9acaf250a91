/* piece_graph.c - see piece_graph.h. */
#include "domain/piece_graph.h"

#include "domain/domain.h"

#include <string.h>

/* ---- what the rules say -------------------------------------------------- */

static ash_box box_of(const ash_domain_local *l, bool is_output, uint32_t k) {
  ASH_ASSERT(k < (is_output ? l->op->output_count : l->op->input_count));
  ash_box box = {0};
  for (uint32_t i = 0; i < l->space->operand_count; i++) {
    const ash_tile_operand *o = &l->space->operands[i];
    if (o->is_output == is_output && o->position == k)
      ash_tile_box(&box, l->g, l->space, i, l->at, l->n);
  }
  return box;
}

ash_box ash_local_in(const ash_domain_local *l, uint32_t k) {
  return box_of(l, false, k);
}

ash_box ash_local_out(const ash_domain_local *l, uint32_t k) {
  return box_of(l, true, k);
}

static void put(ash_domain_local *l, const char *name, bool is_list,
                const int64_t *values, uint32_t count) {
  ASH_ASSERT(name != NULL && l->attr_count < ASH_LOCAL_ATTRS);
  if (l->attr_count == ASH_LOCAL_ATTRS || count > ASH_LOCAL_INTS)
    return;
  l->attrs[l->attr_count].name = name;
  l->attrs[l->attr_count].is_list = is_list;
  l->attrs[l->attr_count].count = count;
  memcpy(l->attrs[l->attr_count++].values, values, count * sizeof *values);
}

void ash_local_int(ash_domain_local *l, const char *name, int64_t value) {
  put(l, name, false, &value, 1);
}

void ash_local_ints(ash_domain_local *l, const char *name,
                    const int64_t *values, uint32_t count) {
  ASH_ASSERT(count <= ASH_LOCAL_INTS);
  put(l, name, true, values, count);
}

void ash_local_kind(ash_domain_local *l, ash_op_kind kind) {
  l->kind = kind;
}

static void localise(ash_domain_local *l, const ash_graph *g,
                     const ash_tile_space *space, const int64_t *at,
                     const int64_t *n) {
  ASH_ASSERT(space->op < g->op_count);
  ash_domain_rule *rule;
  ash_local_rule *local = NULL;
  *l = (ash_domain_local){.g = g,
                          .op = &g->ops.items[space->op],
                          .space = space,
                          .at = at,
                          .n = n,
                          .kind = g->ops.items[space->op].kind};
  if (ash_domain_rules_of(l->op->kind, &rule, &local) && local)
    local(l);
}

/* ---- classes ------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t value) {
  for (int i = 0; i < 8; i++, value >>= 8)
    h = (h ^ (value & 0xff)) * UINT64_C(0x100000001b3);
  return h;
}

uint64_t ash_domain_class(const ash_graph *g, const ash_tile_space *space,
                          const int64_t *at, const int64_t *n,
                          ash_tile_part part) {
  ASH_ASSERT(space->op < g->op_count);
  uint64_t h = mix(UINT64_C(0xcbf29ce484222325), (uint64_t)part);
  ash_domain_local l;
  localise(&l, g, space, at, n);
  for (uint32_t i = 0; i < space->operand_count; i++) {
    ash_box box;
    ash_tile_box(&box, g, space, i, at, n);
    for (uint32_t d = 0; d < box.rank; d++)
      h = mix(h, (uint64_t)box.size[d]);
  }
  for (uint32_t i = 0; i < l.attr_count; i++)
    for (uint32_t k = 0; k < l.attrs[i].count; k++)
      h = mix(h, (uint64_t)l.attrs[i].values[k]);
  return h;
}

ash_tile_part ash_domain_part_of(const ash_tile_space *space, const int64_t *at,
                                 const int64_t *n) {
  bool first = true, last = true;
  for (uint32_t a = 0; a < space->axis_count; a++)
    if (space->axes[a].kind == ASH_AXIS_SUM) {
      ASH_ASSERT(n[a] > 0 && at[a] + n[a] <= space->axes[a].extent);
      first = first && at[a] == 0;
      last = last && at[a] + n[a] == space->axes[a].extent;
    }
  return first && last ? ASH_PART_WHOLE
         : first       ? ASH_PART_FIRST
         : last        ? ASH_PART_LAST
                       : ASH_PART_MIDDLE;
}

int64_t ash_domain_folded(const ash_graph *g, const ash_tile_space *space) {
  ASH_ASSERT(space->op < g->op_count);
  const ash_op *op = &g->ops.items[space->op];
  return (int64_t)(ash_shape_elements(&ash_op_in(g, op, 0)->shape) /
                   ash_shape_elements(&ash_op_out(g, op, 0)->shape));
}

/* ---- tensors ------------------------------------------------------------- */

/* The bytes of a box of a constant, one after the other. */
static const uint8_t *cut_data(ash_zone *z, const ash_tensor *t,
                               const ash_box *box, uint64_t elements) {
  const size_t size = ash_type_bits(t->type) / 8;
  uint8_t *to = ash_zone_alloc(z, (size_t)elements + 1, size, 16);
  int64_t at[ASH_RANK_MAX] = {0};
  if (!to || elements == 0)
    return to;
  for (uint64_t i = 0; i < elements; i++) {
    uint64_t from = 0;
    for (uint32_t d = 0; d < box->rank; d++)
      from =
          from * (uint64_t)t->shape.dim[d] + (uint64_t)(box->start[d] + at[d]);
    ASH_ASSERT(from < ash_shape_elements(&t->shape));
    memcpy(to + i * size, t->data + from * size, size);
    for (uint32_t d = box->rank; d-- > 0 && ++at[d] == box->size[d];)
      at[d] = 0;
  }
  return to;
}

static ash_quant cut_quant(const ash_tensor *t, const ash_box *box) {
  ash_quant q = t->quant;
  if (q.count <= 1)
    return q;
  ASH_ASSERT(box->start[q.axis] + box->size[q.axis] <= q.count);
  q.scale += box->start[q.axis];
  q.zero_point += box->start[q.axis];
  q.count = (uint32_t)box->size[q.axis];
  return q;
}

static ash_tensor cut_tensor(ash_graph *to, const ash_tensor *t,
                             const ash_box *box) {
  ASH_ASSERT(box->rank == t->shape.rank);
  ash_tensor cut = *t;
  for (uint32_t d = 0; d < box->rank; d++)
    cut.shape.dim[d] = (int32_t)box->size[d];
  cut.quant = cut_quant(t, box);
  cut.file_byte = UINT64_MAX;
  cut.is_output = false;
  if (t->kind == ASH_TENSOR_CONSTANT && t->data)
    cut.data = cut_data(&to->zone, t, box, ash_shape_elements(&cut.shape));
  return cut;
}

static ash_status add_cut(ash_graph *to, uint32_t *out, const ash_tensor *t,
                          const ash_box *box, bool is_output) {
  ash_tensor cut = cut_tensor(to, t, box);
  if (is_output)
    cut.kind = ASH_TENSOR_ACTIVATION;
  else if (t->kind != ASH_TENSOR_CONSTANT)
    cut.kind = ASH_TENSOR_INPUT;
  if (cut.kind != ASH_TENSOR_CONSTANT)
    cut.data = NULL;
  ASH_TRY(ash_zone_check(to->ctx, &to->zone));
  return ash_graph_add_tensor(to, out, cut);
}

/* An input that the kernel does not read. */
static ash_status add_unread(ash_graph *to, uint32_t *out,
                             const ash_domain_local *l, uint32_t k) {
  ASH_ASSERT(ash_op_in(l->g, l->op, k) != NULL);
  ash_tensor t = *ash_op_in(l->g, l->op, k);
  t.is_output = false;
  if (t.kind != ASH_TENSOR_CONSTANT)
    t.kind = ASH_TENSOR_INPUT;
  return ash_graph_add_tensor(to, out, t);
}

/* ---- the graph ----------------------------------------------------------- */

static const ash_tile_operand *operand_of(const ash_tile_space *s,
                                          uint32_t input) {
  for (uint32_t i = 0; i < s->operand_count; i++)
    if (!s->operands[i].is_output && s->operands[i].position == input)
      return &s->operands[i];
  return NULL;
}

static ash_status add_inputs(ash_graph *to, const ash_domain_local *l,
                             uint32_t *inputs, uint32_t used) {
  ASH_ASSERT(used <= l->op->input_count);
  uint32_t *given =
      ASH_NEW_ARRAY(&to->zone, uint32_t, (size_t)l->op->input_count + 1);
  ASH_TRY(ash_zone_check(to->ctx, &to->zone));
  uint32_t count = 0;
  for (uint32_t k = 0; k < used; k++) {
    inputs[k] = ASH_NO_ID;
    const ash_tensor *t = ash_op_in(l->g, l->op, k);
    if (!t)
      continue;
    const ash_box box = ash_local_in(l, k);
    if (operand_of(l->space, k))
      ASH_TRY(add_cut(to, &inputs[k], t, &box, false));
    else
      ASH_TRY(add_unread(to, &inputs[k], l, k));
    if (to->tensors.items[inputs[k]].kind == ASH_TENSOR_INPUT)
      given[count++] = inputs[k];
  }
  return ash_graph_set_inputs(to, given, count);
}

static ash_status add_outputs(ash_graph *to, const ash_domain_local *l,
                              uint32_t *outputs) {
  for (uint32_t k = 0; k < l->op->output_count; k++) {
    const ash_box box = ash_local_out(l, k);
    ASH_TRY(add_cut(to, &outputs[k], ash_op_out(l->g, l->op, k), &box, true));
  }
  return ash_graph_set_outputs(to, outputs, l->op->output_count);
}

static ash_status set_attrs(ash_graph *to, const ash_domain_local *l) {
  ASH_ASSERT(to->op_count == 1);
  for (uint32_t i = 0; i < l->attr_count; i++) {
    const ash_attr a = {.name = l->attrs[i].name,
                        .kind =
                            l->attrs[i].is_list ? ASH_ATTR_INTS : ASH_ATTR_INT,
                        .i = l->attrs[i].is_list ? 0 : l->attrs[i].values[0],
                        .ints = l->attrs[i].values,
                        .count = l->attrs[i].is_list ? l->attrs[i].count : 0};
    ASH_TRY(ash_graph_set_attr(to, 0, a));
  }
  return ASH_OK;
}

static ash_status fill(ash_graph *to, const ash_domain_local *l) {
  const size_t most = (size_t)l->op->input_count + l->op->output_count;
  uint32_t *ids = ASH_NEW_ARRAY(&to->zone, uint32_t, most + 1);
  ASH_TRY(ash_zone_check(to->ctx, &to->zone));
  ash_op op = *l->op;
  if (l->kind != op.kind) {
    op.kind = l->kind;
    op.input_count = 1;
    op.attr_count = 0;
  }
  op.inputs = ids;
  op.outputs = ids + l->op->input_count;
  ASH_TRY(add_inputs(to, l, op.inputs, op.input_count));
  ASH_TRY(add_outputs(to, l, op.outputs));
  uint32_t index;
  ASH_TRY(ash_graph_add_op(to, &index, op));
  return set_attrs(to, l);
}

ash_status ash_domain_piece_graph(ash_ctx *ctx, ash_graph **out,
                                  const ash_graph *g,
                                  const ash_tile_space *space,
                                  const int64_t *at, const int64_t *n,
                                  ash_tile_part part) {
  ash_domain_local l;
  ash_graph *to;
  (void)part;
  *out = NULL;
  localise(&l, g, space, at, n);
  ASH_TRY(ash_graph_new(ctx, &to, l.op->id, g->file));
  const ash_status status = fill(to, &l);
  if (status != ASH_OK) {
    ash_graph_free(to);
    return status;
  }
  *out = to;
  return ASH_OK;
}
