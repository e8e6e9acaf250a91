/* rows.c - graph -> ordering problem: domain/rows.h says which rows of its
 * operands a row of a result needs. What does not run row by row is one step.
 * Views have no step: they are read where they lie. */
#include "order/rows.h"

#include "base/checked.h"
#include "domain/rows.h"

typedef struct builder {
  ash_ctx *ctx;
  const ash_graph *g;
  ash_order_kind grain;
  const ash_order_ask *ask;
  uint32_t *root;  /* by tensor of the graph: whose bytes it shows           */
  uint32_t *index; /* by tensor of the graph: of the problem, or ASH_NO_ID   */
  uint32_t *token; /* by variable: written by its newest user, or ASH_NO_ID  */
  ash_order_tensor *tensors;
  ash_order_op *ops;
  uint32_t *tensor_of, *op_of;
  uint32_t tensor_count, op_count;
} builder;

static const ash_tensor *tensor_at(const builder *b, uint32_t tensor) {
  ASH_ASSERT(tensor < b->g->tensor_count);
  return &b->g->tensors.items[tensor];
}

/* ---- tensors ------------------------------------------------------------- */

static uint32_t rows_of(const builder *b, const ash_tensor *t) {
  return b->grain == ASH_ORDER_ROWS ? ash_domain_row_count(t) : 1;
}

static uint32_t add_tensor(builder *b, uint32_t from, ash_order_tensor t) {
  b->tensor_of[b->tensor_count] = from;
  b->tensors[b->tensor_count] = t;
  return b->tensor_count++;
}

static ash_status add_activation(builder *b, uint32_t tensor, uint64_t *all) {
  const ash_tensor *t = tensor_at(b, tensor);
  const uint32_t rows = rows_of(b, t);
  if (!ash_add_u64(all, *all, t->bytes))
    return ash_fail(b->ctx, ASH_UNSUPPORTED, ASH_D_graph_shape,
                    ash_graph_loc(b->g, ASH_NO_ID, tensor),
                    "all activations together have 2^64 bytes or more");
  b->index[tensor] =
      add_tensor(b, tensor,
                 (ash_order_tensor){.rows = rows,
                                    .row_bytes = t->bytes / rows,
                                    .is_present = t->kind == ASH_TENSOR_INPUT});
  return ASH_OK;
}

static ash_status add_activations(builder *b) {
  uint64_t all = 0;
  for (uint32_t i = 0; i < b->g->tensor_count; i++) {
    const ash_tensor *t = tensor_at(b, i);
    if (b->root[i] == i &&
        (t->kind == ASH_TENSOR_ACTIVATION || t->kind == ASH_TENSOR_INPUT))
      ASH_TRY(add_activation(b, i, &all));
  }
  for (uint32_t i = 0; i < b->g->output_count; i++) {
    const uint32_t index = b->index[b->root[b->g->outputs[i]]];
    if (index != ASH_NO_ID && !(b->ask->is_drained && b->ask->is_drained[i]))
      b->tensors[index].is_kept = true;
  }
  return ASH_OK;
}

/* ---- ranges -------------------------------------------------------------- */

static ash_order_range *new_ranges(builder *b, uint32_t steps) {
  return ASH_NEW_ARRAY(&b->ctx->keep, ash_order_range, steps);
}

/* All rows at every step. */
static void put_whole(ash_order_range *rows, uint32_t steps, uint32_t count) {
  for (uint32_t s = 0; s < steps; s++)
    rows[s] = (ash_order_range){0, count};
}

/* Are its rows those of its root, so that one is as good as the other? */
static bool has_own_rows(const builder *b, uint32_t tensor) {
  return rows_of(b, tensor_at(b, tensor)) > 1 &&
         ash_domain_row_same(b->g, b->root, tensor);
}

/* ---- operators ----------------------------------------------------------- */

/* An operator under way. */
typedef struct making {
  const ash_op *op;
  ash_domain_row_rule rows;
  uint32_t steps;
  ash_order_access *reads, *writes;
  uint32_t read_count, write_count;
} making;

/* The rows of an input or output, step by step. */
static void put_rows(const builder *b, const making *m, ash_order_range *rows,
                     bool is_output, uint32_t position) {
  const uint32_t tensor =
      is_output ? m->op->outputs[position] : m->op->inputs[position];
  for (uint32_t s = 0; s < m->steps; s++) {
    const ash_domain_row_range r =
        ash_domain_row_rule_range(b->g, &m->rows, is_output, position, tensor,
                                  s * m->rows.granule, m->rows.granule);
    rows[s] = (ash_order_range){r.from, r.to};
  }
}

static bool is_whole(const builder *b, uint32_t op) {
  return b->grain != ASH_ORDER_ROWS ||
         (b->ask->is_whole && b->ask->is_whole[op]);
}

/* Steps along the rows of the first output, if it has them. */
static ash_status find_steps(builder *b, making *m, uint32_t op) {
  m->steps = 1;
  m->rows = (ash_domain_row_rule){.axis = ASH_NO_AXIS, .granule = 1};
  if (is_whole(b, op))
    return ASH_OK;
  ASH_TRY(ash_domain_row_rule_of(b->ctx, &m->rows, b->g, op));
  if (m->rows.axis != ASH_NO_AXIS)
    m->steps = (uint32_t)ash_ceil_div(
        ash_domain_row_count(tensor_at(b, m->op->outputs[0])), m->rows.granule);
  return ASH_OK;
}

static void write_outputs(builder *b, making *m) {
  for (uint32_t k = 0; k < m->op->output_count; k++) {
    const uint32_t index = b->index[m->op->outputs[k]];
    if (index == ASH_NO_ID)
      continue;
    ash_order_range *rows = new_ranges(b, m->steps);
    m->writes[m->write_count++] = (ash_order_access){index, rows};
    if (rows && m->rows.axis == ASH_NO_AXIS)
      put_whole(rows, 1, b->tensors[index].rows);
    else if (rows)
      put_rows(b, m, rows, true, k);
  }
}

static void read_input(builder *b, making *m, uint32_t position) {
  const uint32_t tensor = m->op->inputs[position];
  const uint32_t index = b->index[b->root[tensor]];
  ash_order_range *rows = new_ranges(b, m->steps);
  m->reads[m->read_count++] = (ash_order_access){index, rows};
  if (rows && m->rows.axis != ASH_NO_AXIS && has_own_rows(b, tensor))
    put_rows(b, m, rows, false, position);
  else if (rows)
    put_whole(rows, m->steps, b->tensors[index].rows);
}

/* Is a result of type `out` small enough for the place of one of type `in`?
 * Rows are packed with their storage, which does not shrink. */
static bool is_small_enough(const builder *b, ash_type in, ash_type out) {
  return b->grain == ASH_ORDER_ROWS ? ash_type_bits(in) == ash_type_bits(out)
                                    : ash_type_bits(in) >= ash_type_bits(out);
}

/* May the result take the place of what input `position` shows? Element by
 * element and row by row, and no other input shows the same bytes in another
 * way. */
static bool can_replace(const builder *b, uint32_t op, uint32_t position) {
  const ash_op *o = &b->g->ops.items[op];
  const ash_tensor *out = tensor_at(b, o->outputs[0]);
  const ash_tensor *in = tensor_at(b, o->inputs[position]);
  const uint32_t allowed = b->ask->in_place ? b->ask->in_place[op] : UINT32_MAX;
  if (!ash_op_has(o, ASH_OP_ELEMENTWISE) || o->output_count != 1 ||
      position >= 32 || !(allowed >> position & 1) ||
      rows_of(b, tensor_at(b, b->root[o->inputs[position]])) !=
          rows_of(b, out) ||
      !ash_shape_equal(&in->shape, &out->shape) ||
      !is_small_enough(b, in->type, out->type))
    return false;
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID &&
        b->root[o->inputs[k]] == b->root[o->inputs[position]] &&
        !ash_shape_equal(&tensor_at(b, o->inputs[k])->shape, &out->shape))
      return false;
  return true;
}

/* Users of a variable keep their order: each writes a token without bytes
 * when it is done, which the next one reads. */
static void use_variable(builder *b, making *m, uint32_t tensor) {
  const uint32_t old = b->token[tensor];
  ash_order_range *rows = new_ranges(b, m->steps);
  ash_order_range *last = new_ranges(b, m->steps);
  if (!rows || !last)
    return;
  put_whole(rows, m->steps, 1);
  last[m->steps - 1].to = 1;
  if (old != ASH_NO_ID)
    m->reads[m->read_count++] = (ash_order_access){old, rows};
  b->token[tensor] = add_tensor(b, tensor, (ash_order_tensor){.rows = 1});
  m->writes[m->write_count++] = (ash_order_access){b->token[tensor], last};
}

/* Inputs, then outputs. */
static uint32_t used(const ash_op *o, uint32_t k) {
  return k < o->input_count ? o->inputs[k] : o->outputs[k - o->input_count];
}

static void use_variables(builder *b, making *m) {
  const uint32_t count = m->op->input_count + m->op->output_count;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t tensor = used(m->op, k);
    bool is_first = true;
    for (uint32_t i = 0; i < k; i++)
      is_first = is_first && used(m->op, i) != tensor;
    if (is_first && tensor != ASH_NO_ID &&
        tensor_at(b, tensor)->kind == ASH_TENSOR_VARIABLE)
      use_variable(b, m, tensor);
  }
}

static ash_status add_op(builder *b, uint32_t op) {
  const ash_op *o = &b->g->ops.items[op];
  const size_t most = (size_t)o->input_count + o->output_count;
  uint32_t in_place = 0;
  making m = {.op = o};
  m.reads = ASH_NEW_ARRAY(&b->ctx->keep, ash_order_access, most + 1);
  m.writes = ASH_NEW_ARRAY(&b->ctx->keep, ash_order_access, most + 1);
  ASH_TRY(ash_zone_check(b->ctx, &b->ctx->keep));
  ASH_TRY(find_steps(b, &m, op));
  write_outputs(b, &m);
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] == ASH_NO_ID ||
        b->index[b->root[o->inputs[k]]] == ASH_NO_ID)
      continue;
    if (m.read_count < 32 && can_replace(b, op, k))
      in_place |= 1u << m.read_count;
    read_input(b, &m, k);
  }
  use_variables(b, &m);
  b->op_of[b->op_count] = op;
  b->ops[b->op_count++] =
      (ash_order_op){.steps = m.steps,
                     .reads = m.reads,
                     .writes = m.writes,
                     .read_count = m.read_count,
                     .write_count = m.write_count,
                     .in_place = in_place,
                     .work = b->ask->work ? b->ask->work[op] : 0};
  return ash_zone_check(b->ctx, &b->ctx->keep);
}

/* ---- inputs that are fed --------------------------------------------------
 */

static void add_feed(builder *b, uint32_t tensor) {
  const uint32_t index = b->index[tensor], rows = b->tensors[index].rows;
  ash_order_access *write = ASH_NEW(&b->ctx->keep, ash_order_access);
  ash_order_range *ranges = new_ranges(b, rows);
  if (!write || !ranges)
    return;
  for (uint32_t r = 0; r < rows; r++)
    ranges[r] = (ash_order_range){r, r + 1};
  *write = (ash_order_access){index, ranges};
  b->tensors[index].is_present = false;
  b->op_of[b->op_count] = ASH_NO_ID;
  b->ops[b->op_count++] =
      (ash_order_op){.steps = rows, .writes = write, .write_count = 1};
}

/* Rows after the last one that is read are not fed. */
static void end_feed(builder *b, ash_order_op *feed) {
  const uint32_t tensor = feed->writes[0].tensor;
  uint32_t last = b->tensors[tensor].is_kept ? feed->steps : 0;
  for (uint32_t op = 0; op < b->op_count; op++)
    for (uint32_t k = 0; k < b->ops[op].read_count; k++) {
      const ash_order_access *a = &b->ops[op].reads[k];
      const uint32_t to = a->rows[b->ops[op].steps - 1].to;
      if (a->tensor == tensor && to > last)
        last = to;
    }
  feed->steps = b->tensors[tensor].rows = last;
}

/* ---- the whole ----------------------------------------------------------- */

static ash_status reserve(builder *b) {
  const size_t tensors = b->g->tensor_count;
  const size_t ops = b->g->op_count + b->g->input_count + 1;
  size_t uses = tensors + 1; /* each use of a variable may add a token */
  for (size_t i = 0; i < b->g->op_count; i++)
    uses += b->g->ops.items[i].input_count + b->g->ops.items[i].output_count;
  ash_zone *z = &b->ctx->scratch, *keep = &b->ctx->keep;
  b->root = ASH_NEW_ARRAY(z, uint32_t, tensors + 1);
  b->index = ASH_NEW_ARRAY(z, uint32_t, tensors + 1);
  b->token = ASH_NEW_ARRAY(z, uint32_t, tensors + 1);
  b->tensors = ASH_NEW_ARRAY(keep, ash_order_tensor, uses);
  b->tensor_of = ASH_NEW_ARRAY(keep, uint32_t, uses);
  b->ops = ASH_NEW_ARRAY(keep, ash_order_op, ops);
  b->op_of = ASH_NEW_ARRAY(keep, uint32_t, ops);
  ASH_TRY(ash_zone_check(b->ctx, z));
  return ash_zone_check(b->ctx, keep);
}

static ash_status build(builder *b) {
  const bool *is_fed = b->ask->is_fed;
  ASH_TRY(reserve(b));
  ash_domain_row_roots(b->g, b->root);
  for (size_t t = 0; t < b->g->tensor_count; t++)
    b->index[t] = b->token[t] = ASH_NO_ID;
  ASH_TRY(add_activations(b));
  for (uint32_t i = 0; is_fed && i < b->g->input_count; i++)
    if (is_fed[i] && b->index[b->g->inputs[i]] != ASH_NO_ID)
      add_feed(b, b->g->inputs[i]);
  for (uint32_t op = 0; op < b->g->op_count; op++)
    if (!ash_domain_row_is_view(b->g, b->root, op))
      ASH_TRY(add_op(b, op));
  for (uint32_t op = 0; op < b->op_count && b->op_of[op] == ASH_NO_ID; op++)
    end_feed(b, &b->ops[op]);
  return ash_zone_check(b->ctx, &b->ctx->keep);
}

ash_status ash_order_model_of(ash_ctx *ctx, ash_order_model *out,
                              const ash_graph *g, ash_order_kind grain,
                              const ash_order_ask *ask) {
  const ash_order_ask nothing = {0};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  builder b = {.ctx = ctx, .g = g, .grain = grain};
  b.ask = ask ? ask : &nothing;
  *out = (ash_order_model){0};
  const ash_status status = build(&b);
  if (status == ASH_OK)
    *out = (ash_order_model){
        {b.tensors, b.ops, b.tensor_count, b.op_count}, b.op_of, b.tensor_of};
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
