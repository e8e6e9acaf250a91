/* tflite_variable.c - state in TFLite files. VAR_HANDLE makes a handle that
 * names a variable, READ_VARIABLE and ASSIGN_VARIABLE take such a handle, and
 * CALL_ONCE runs another subgraph before everything else, to set first values.
 *
 * The graph has variables as tensors, so handles end here: all handles of one
 * name are one tensor, and what the other subgraph assigns is its data. That
 * subgraph must assign constants; nothing is computed at compile time. */
#include "read/tflite/tflite_internal.h"

#include <string.h>

enum { CALL_ONCE = 129, VAR_HANDLE = 142, READ = 143, ASSIGN = 144 };

enum { /* fields that are read here, by number */
       MODEL_SUBGRAPHS = 2,
       SUBGRAPH_TENSORS = 0,
       SUBGRAPH_OPERATORS = 3,
       OPERATOR_CODE = 0,
       OPERATOR_INPUTS = 1,
       OPERATOR_OUTPUTS = 2,
       OPERATOR_OPTIONS = 4,
       HANDLE_CONTAINER = 0,
       HANDLE_NAME = 1,
       ONCE_SUBGRAPH = 0,
};

bool ash_tflite_makes_handles(int32_t code) {
  return code == VAR_HANDLE || code == CALL_ONCE;
}

static int32_t code_of(const ash_tflite *r, uint32_t op) {
  return r->ops[op].code->builtin;
}

static ash_status bad(const ash_tflite *r, uint32_t op, const char *what) {
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tflite_variable,
                  ash_tflite_at_op(r, op), "%s", what);
}

/* ---- names --------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "") == 0;
}

/* The variable that a VAR_HANDLE names; ASH_NO_ID: none so far. */
static uint32_t find_named(const ash_tflite *r, const ash_fb_table *op) {
  const ash_fb_table options = ash_fb_sub(op, OPERATOR_OPTIONS);
  const char *container = ash_fb_string(&options, HANDLE_CONTAINER);
  const char *name = ash_fb_string(&options, HANDLE_NAME);
  for (uint32_t i = 0; i < r->variable_count; i++)
    if (same_text(r->variables[i].container, container) &&
        same_text(r->variables[i].name, name))
      return i;
  return ASH_NO_ID;
}

static void name_variable(ash_tflite *r, uint32_t op) {
  const ash_tflite_op *o = &r->ops[op];
  const ash_fb_table options = ash_fb_sub(&o->table, OPERATOR_OPTIONS);
  uint32_t v = find_named(r, &o->table);
  if (v == ASH_NO_ID) {
    v = r->variable_count++;
    r->variables[v] = (ash_tflite_variable){
        .container = ash_fb_string(&options, HANDLE_CONTAINER),
        .name = ash_fb_string(&options, HANDLE_NAME),
        .handle = o->outputs[0],
        .value = ASH_NO_ID};
  }
  r->uses[o->outputs[0]].variable = v;
  r->uses[o->outputs[0]].used = false;
}

/* ---- who uses them ------------------------------------------------------- */

/* A value that was read or is assigned has the variable's type and shape. */
static ash_status take_use(ash_tflite *r, uint32_t op) {
  const ash_tflite_op *o = &r->ops[op];
  const bool reads = code_of(r, op) == READ;
  if (o->input_count != (reads ? 1u : 2u) || o->inputs[0] == ASH_NO_ID ||
      o->output_count != (reads ? 1u : 0u))
    return bad(r, op, "a wrong number of tensors");
  const uint32_t v = r->uses[o->inputs[0]].variable;
  if (v == ASH_NO_ID)
    return bad(r, op, "the first input is not the result of VAR_HANDLE");
  const uint32_t value = reads ? o->outputs[0] : o->inputs[1];
  if (value == ASH_NO_ID || r->uses[value].variable != ASH_NO_ID)
    return bad(r, op, "the variable's value is absent or a handle");
  if (r->variables[v].value == ASH_NO_ID)
    r->variables[v].value = value;
  return ASH_OK;
}

/* Handles that go elsewhere are tensors after all, of a type that is refused
 * with the rest. */
static void leave_handles(ash_tflite *r, const uint32_t *ids, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (ids[i] != ASH_NO_ID && r->uses[ids[i]].variable != ASH_NO_ID)
      r->uses[ids[i]].used = true;
}

ash_status ash_tflite_find_variables(ash_tflite *r) {
  r->variables =
      ASH_NEW_ARRAY(&r->ctx->scratch, ash_tflite_variable, r->op_count + 1u);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (uint32_t op = 0; op < r->op_count; op++) {
    if (code_of(r, op) != VAR_HANDLE)
      continue;
    if (r->ops[op].output_count != 1)
      return bad(r, op, "a wrong number of outputs");
    name_variable(r, op);
  }
  for (uint32_t op = 0; op < r->op_count; op++)
    if (code_of(r, op) == READ || code_of(r, op) == ASSIGN)
      ASH_TRY(take_use(r, op));
    else
      leave_handles(r, r->ops[op].inputs, r->ops[op].input_count);
  leave_handles(r, r->outputs, r->output_count);
  leave_handles(r, r->inputs, r->input_count);
  return ash_fb_check(r->ctx, &r->fb, r->file);
}

/* ---- first values -------------------------------------------------------- */

/* The other subgraph, while it is read. */
typedef struct once {
  ash_tflite *r;
  uint32_t op; /* CALL_ONCE */
  ash_fb_vector tensors;
  uint32_t *variable_of; /* by tensor of that subgraph */
} once;

static bool tensor_at(const once *o, const ash_fb_vector *ids, uint32_t i,
                      uint32_t *out) {
  const int32_t id = i < ids->count ? ash_fb_at_i32(ids, i) : -1;
  *out = (uint32_t)id;
  return id >= 0 && (uint32_t)id < o->tensors.count;
}

static ash_status take_first_value(const once *o, uint32_t variable,
                                   uint32_t value) {
  ash_tflite *r = o->r;
  ash_tflite_variable *v = &r->variables[variable];
  const ash_fb_table table = ash_fb_at_table(&o->tensors, value);
  ash_tensor found = {0};
  if (v->value == ASH_NO_ID)
    return ASH_OK; /* nobody will see it */
  const ash_tensor *like = &r->g->tensors.items[r->uses[v->value].graph];
  ASH_TRY(ash_tflite_read_value(r, &table, &found));
  if (!found.data)
    return ash_fail(
        r->ctx, ASH_UNSUPPORTED, ASH_D_tflite_once, ash_tflite_at_op(r, o->op),
        "the first value of '%.100s' is no constant", v->name ? v->name : "");
  if (found.type != like->type || found.bytes != like->bytes)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tflite_variable,
                    ash_tflite_at_op(r, o->op),
                    "the first value of '%.100s' has another type or size "
                    "than its later ones",
                    v->name ? v->name : "");
  v->data = found.data;
  v->file_byte = found.file_byte;
  return ASH_OK;
}

static ash_status run_once_op(const once *o, const ash_fb_table *op) {
  ash_tflite *r = o->r;
  const uint32_t index = ash_fb_u32(op, OPERATOR_CODE, 0);
  const int32_t code = index < r->code_count ? r->codes[index].builtin : -1;
  const ash_fb_vector in = ash_fb_vec(op, OPERATOR_INPUTS, 4);
  const ash_fb_vector out = ash_fb_vec(op, OPERATOR_OUTPUTS, 4);
  uint32_t handle, value;
  if (code == VAR_HANDLE) {
    if (!tensor_at(o, &out, 0, &handle))
      return bad(r, o->op, "a handle of its subgraph does not exist");
    o->variable_of[handle] = find_named(r, op);
    return ASH_OK;
  }
  if (code != ASSIGN) {
    const char *name = ash_tflite_builtin_name(code);
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_tflite_once,
                    ash_tflite_at_op(r, o->op),
                    "its subgraph computes (%s); only constants can be "
                    "assigned",
                    name ? name : "an unknown operator");
  }
  if (!tensor_at(o, &in, 0, &handle) || !tensor_at(o, &in, 1, &value))
    return bad(r, o->op, "an assignment of its subgraph lacks its tensors");
  return o->variable_of[handle] == ASH_NO_ID
             ? ASH_OK
             : take_first_value(o, o->variable_of[handle], value);
}

static ash_status run_once(ash_tflite *r, uint32_t op) {
  const ash_fb_table options = ash_fb_sub(&r->ops[op].table, OPERATOR_OPTIONS);
  const ash_fb_vector all = ash_fb_vec(&r->model, MODEL_SUBGRAPHS, 4);
  const int32_t index = ash_fb_i32(&options, ONCE_SUBGRAPH, 0);
  if (index <= 0 || (uint32_t)index >= all.count)
    return bad(r, op, "its subgraph does not exist");
  const ash_fb_table subgraph = ash_fb_at_table(&all, (uint32_t)index);
  const ash_fb_vector ops = ash_fb_vec(&subgraph, SUBGRAPH_OPERATORS, 4);
  once o = {r, op, ash_fb_vec(&subgraph, SUBGRAPH_TENSORS, 4), NULL};
  if (o.tensors.count > ASH_TFLITE_TENSORS_MAX ||
      ops.count > ASH_TFLITE_OPS_MAX)
    return bad(r, op, "its subgraph is larger than the reader's limits");
  o.variable_of =
      ASH_NEW_ARRAY(&r->ctx->scratch, uint32_t, o.tensors.count + 1u);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (uint32_t i = 0; i < o.tensors.count; i++)
    o.variable_of[i] = ASH_NO_ID;
  for (uint32_t i = 0; i < ops.count && !r->fb.bad; i++) {
    const ash_fb_table table = ash_fb_at_table(&ops, i);
    ASH_TRY(run_once_op(&o, &table));
  }
  return ash_fb_check(r->ctx, &r->fb, r->file);
}

/* ---- adding -------------------------------------------------------------- */

/* The handle's number is free: handles are no tensors of the graph. */
static ash_status add_variable(ash_tflite *r, const ash_tflite_variable *v,
                               uint32_t *out) {
  ash_tensor t = r->g->tensors.items[r->uses[v->value].graph];
  t.kind = ASH_TENSOR_VARIABLE;
  t.id = ash_zone_format(&r->ctx->scratch, "%u", (unsigned)v->handle);
  t.name = ash_tflite_clean(r, v->name);
  t.data = v->data;
  t.file_byte = v->data ? v->file_byte : UINT64_MAX;
  t.is_output = false;
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  return ash_graph_add_tensor(r->g, out, t);
}

ash_status ash_tflite_add_variables(ash_tflite *r) {
  for (uint32_t op = 0; op < r->op_count; op++)
    if (code_of(r, op) == CALL_ONCE)
      ASH_TRY(run_once(r, op));
  for (uint32_t i = 0; i < r->variable_count; i++) {
    uint32_t tensor;
    if (r->variables[i].value == ASH_NO_ID)
      continue;
    ASH_TRY(add_variable(r, &r->variables[i], &tensor));
    for (uint32_t k = 0; k < r->tensors.count; k++)
      if (r->uses[k].variable == i)
        r->uses[k].graph = tensor;
  }
  return ASH_OK;
}

bool ash_tflite_subgraph_is_run(const ash_tflite *r, uint32_t subgraph) {
  for (uint32_t op = 0; op < r->op_count; op++) {
    const ash_fb_table options =
        ash_fb_sub(&r->ops[op].table, OPERATOR_OPTIONS);
    if (ash_tflite_flow_runs(r, op, subgraph))
      return true;
    if (code_of(r, op) == CALL_ONCE &&
        ash_fb_i32(&options, ONCE_SUBGRAPH, 0) == (int32_t)subgraph)
      return true;
  }
  return false;
}
