/* tflite.c - the walk over a TFLite file. In this order, so that the most
 * useful complaint comes first: header, operator codes, operators, which
 * tensors they use, tensors, order, options, ends. */
#include "read/tflite/tflite.h"

#include "read/given.h"
#include "read/tflite/tflite_internal.h"

#include <string.h>

/* Fields of the format's tables, by number. */
enum { /* Model */
       MODEL_VERSION = 0,
       MODEL_OPERATOR_CODES = 1,
       MODEL_SUBGRAPHS = 2,
       MODEL_BUFFERS = 4,
};
enum { /* OperatorCode: the first builtin code was too narrow */
       CODE_NARROW = 0,
       CODE_CUSTOM = 1,
       CODE_VERSION = 2,
       CODE_WIDE = 3,
};
enum { /* SubGraph */
       SUBGRAPH_TENSORS = 0,
       SUBGRAPH_INPUTS = 1,
       SUBGRAPH_OUTPUTS = 2,
       SUBGRAPH_OPERATORS = 3,
       SUBGRAPH_NAME = 4,
};
enum { /* Operator */
       OPERATOR_CODE = 0,
       OPERATOR_INPUTS = 1,
       OPERATOR_OUTPUTS = 2,
};

static ash_loc whole_file(const ash_tflite *r) {
  ash_loc at = ASH_NOWHERE;
  at.file = r->file;
  return at;
}

static ash_status check_limit(const ash_tflite *r, const char *what,
                              uint32_t count, uint32_t limit) {
  if (count <= limit)
    return ASH_OK;
  return ash_fail(r->ctx, ASH_LIMIT, ASH_D_model_limit, whole_file(r),
                  "%u %s (the limit is %u)", (unsigned)count, what,
                  (unsigned)limit);
}

/* ---- header ------------------------------------------------------------ */

/* Names the subgraphs that are not compiled. */
static void note_other_subgraphs(ash_tflite *r) {
  const ash_fb_vector all = ash_fb_vec(&r->model, MODEL_SUBGRAPHS, 4);
  uint32_t first = 0, count = 0;
  for (uint32_t i = all.count; i-- > 1;)
    if (!ash_tflite_subgraph_is_run(r, i))
      first = i, count++;
  if (count == 0)
    return;
  const ash_fb_table next = ash_fb_at_table(&all, first);
  const char *name = ash_fb_string(&next, SUBGRAPH_NAME);
  if (count == 1)
    ash_note(r->ctx, ASH_D_tflite_subgraphs, whole_file(r),
             "subgraph %u '%.100s' is ignored", (unsigned)first,
             name ? name : "");
  else
    ash_note(r->ctx, ASH_D_tflite_subgraphs, whole_file(r),
             "subgraph %u '%.100s' and %u others are ignored", (unsigned)first,
             name ? name : "", (unsigned)count - 1);
}

static ash_status open_model(ash_tflite *r) {
  r->fb = ash_fb_over(r->bytes, r->count);
  r->model = ash_fb_root(&r->fb, "TFL3");
  const uint32_t version = ash_fb_u32(&r->model, MODEL_VERSION, 0);
  r->buffers = ash_fb_vec(&r->model, MODEL_BUFFERS, 4);
  const ash_fb_vector subgraphs = ash_fb_vec(&r->model, MODEL_SUBGRAPHS, 4);
  r->subgraph = ash_fb_at_table(&subgraphs, 0);
  r->tensors = ash_fb_vec(&r->subgraph, SUBGRAPH_TENSORS, 4);
  ASH_TRY(ash_fb_check(r->ctx, &r->fb, r->file));
  if (version != 3)
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_tflite_version,
                    whole_file(r),
                    "schema version %u is not supported (only "
                    "version 3 is)",
                    (unsigned)version);
  if (subgraphs.count == 0)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tflite_subgraph, whole_file(r),
                    "the model has no subgraph");
  return check_limit(r, "tensors", r->tensors.count, ASH_TFLITE_TENSORS_MAX);
}

/* ---- operators --------------------------------------------------------- */

/* Files store the code twice since the byte-wide field ran out of numbers;
 * the larger counts. */
static void read_code(ash_tflite_code *code, const ash_fb_table *table) {
  const int32_t narrow = ash_fb_i8(table, CODE_NARROW, 0);
  const int32_t wide = ash_fb_i32(table, CODE_WIDE, 0);
  code->builtin = wide > narrow ? wide : narrow;
  code->version = ash_fb_i32(table, CODE_VERSION, 1);
  code->custom = ash_fb_string(table, CODE_CUSTOM);
}

static ash_status read_codes(ash_tflite *r) {
  const ash_fb_vector all = ash_fb_vec(&r->model, MODEL_OPERATOR_CODES, 4);
  ASH_TRY(check_limit(r, "operator codes", all.count, ASH_TFLITE_CODES_MAX));
  r->codes = ASH_NEW_ARRAY(&r->ctx->scratch, ash_tflite_code, all.count);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  r->code_count = all.count;
  for (uint32_t i = 0; i < all.count && !r->fb.bad; i++) {
    const ash_fb_table table = ash_fb_at_table(&all, i);
    read_code(&r->codes[i], &table);
  }
  return ash_fb_check(r->ctx, &r->fb, r->file);
}

/* Copies tensor numbers; -1, where allowed, becomes ASH_NO_ID. */
static ash_status read_ids(ash_tflite *r, uint32_t **ids, uint32_t *count,
                           const ash_fb_vector *v, bool optional, ash_loc at) {
  *ids = ASH_NEW_ARRAY(&r->ctx->scratch, uint32_t, v->count);
  *count = v->count;
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (uint32_t i = 0; i < v->count; i++) {
    const int32_t id = ash_fb_at_i32(v, i);
    if (optional && id == -1)
      (*ids)[i] = ASH_NO_ID;
    else if (id >= 0 && (uint32_t)id < r->tensors.count)
      (*ids)[i] = (uint32_t)id;
    else
      return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tflite_index, at,
                      "tensor %d does not exist (the file has %u)", (int)id,
                      (unsigned)r->tensors.count);
  }
  return ASH_OK;
}

static ash_status read_op(ash_tflite *r, uint32_t index) {
  ash_tflite_op *op = &r->ops[index];
  const uint32_t code = ash_fb_u32(&op->table, OPERATOR_CODE, 0);
  if (code >= r->code_count) {
    ash_loc at = whole_file(r);
    at.op = index;
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tflite_index, at,
                    "operator code %u does not exist (the file has %u)",
                    (unsigned)code, (unsigned)r->code_count);
  }
  op->code = &r->codes[code];
  if (r->codes[code].uses++ == 0)
    r->codes[code].first_use = index;
  const ash_fb_vector in = ash_fb_vec(&op->table, OPERATOR_INPUTS, 4);
  const ash_fb_vector out = ash_fb_vec(&op->table, OPERATOR_OUTPUTS, 4);
  const ash_loc at = ash_tflite_at_op(r, index);
  ASH_TRY(read_ids(r, &op->inputs, &op->input_count, &in, true, at));
  return read_ids(r, &op->outputs, &op->output_count, &out, false, at);
}

static ash_status read_ops(ash_tflite *r) {
  const ash_fb_vector all = ash_fb_vec(&r->subgraph, SUBGRAPH_OPERATORS, 4);
  ASH_TRY(check_limit(r, "operators", all.count, ASH_TFLITE_OPS_MAX));
  r->ops = ASH_NEW_ARRAY(&r->ctx->scratch, ash_tflite_op, all.count);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  r->op_count = all.count;
  for (uint32_t i = 0; i < all.count && !r->fb.bad; i++) {
    r->ops[i].table = ash_fb_at_table(&all, i);
    ASH_TRY(read_op(r, i));
  }
  return ash_fb_check(r->ctx, &r->fb, r->file);
}

/* ---- which tensors are used -------------------------------------------- */

static ash_status mark_written(ash_tflite *r, uint32_t op, uint32_t tensor) {
  ash_tflite_use *use = &r->uses[tensor];
  if (use->writer != ASH_NO_ID) {
    ash_loc at = ash_tflite_at_op(r, op);
    const ash_loc what = ash_tflite_at_tensor(r, tensor);
    at.tensor = tensor;
    at.tensor_name = what.tensor_name;
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_op_writes, at,
                    "the tensor is already written by operator %u",
                    (unsigned)use->writer);
  }
  use->used = true;
  use->writer = op;
  return ASH_OK;
}

static ash_status mark_op(ash_tflite *r, uint32_t index) {
  const ash_tflite_op *op = &r->ops[index];
  for (uint32_t i = 0; i < op->input_count; i++)
    if (op->inputs[i] != ASH_NO_ID)
      r->uses[op->inputs[i]].used = true;
  for (uint32_t i = 0; i < op->output_count; i++)
    ASH_TRY(mark_written(r, index, op->outputs[i]));
  return ASH_OK;
}

static ash_status mark_ends(ash_tflite *r) {
  for (uint32_t i = 0; i < r->input_count; i++) {
    ash_tflite_use *use = &r->uses[r->inputs[i]];
    if (use->is_input)
      return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tflite_index,
                      ash_tflite_at_tensor(r, r->inputs[i]),
                      "the tensor is listed as an input twice");
    use->used = use->is_input = true;
  }
  for (uint32_t i = 0; i < r->output_count; i++)
    r->uses[r->outputs[i]].used = true;
  return ASH_OK;
}

static ash_status mark_uses(ash_tflite *r) {
  r->uses = ASH_NEW_ARRAY(&r->ctx->scratch, ash_tflite_use, r->tensors.count);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (uint32_t i = 0; i < r->tensors.count; i++)
    r->uses[i] = (ash_tflite_use){
        .writer = ASH_NO_ID, .graph = ASH_NO_ID, .variable = ASH_NO_ID};
  for (uint32_t i = 0; i < r->op_count; i++)
    ASH_TRY(mark_op(r, i));
  return mark_ends(r);
}

/* ---- tensors, order, ends ---------------------------------------------- */

static ash_status add_tensors(ash_tflite *r) {
  for (uint32_t i = 0; i < r->tensors.count; i++)
    if (r->uses[i].used && !r->uses[i].given)
      ASH_TRY(ash_tflite_add_tensor(r, i));
  ash_tflite_note_assumed(r);
  return ASH_OK;
}

/* Whether the tensor has a value before operator `op` runs. */
static bool exists_before(const ash_tflite *r, uint32_t tensor, uint32_t op) {
  const ash_tflite_use *use = &r->uses[tensor];
  if (use->given ||
      r->g->tensors.items[use->graph].kind != ASH_TENSOR_ACTIVATION)
    return true;
  return use->writer != ASH_NO_ID && use->writer < op;
}

static ash_status check_order(ash_tflite *r, uint32_t index) {
  const ash_tflite_op *op = &r->ops[index];
  for (uint32_t i = 0; i < op->input_count; i++) {
    const uint32_t t = op->inputs[i];
    if (t == ASH_NO_ID || exists_before(r, t, index))
      continue;
    ash_loc at = ash_tflite_at_op(r, index);
    at.tensor = t;
    at.tensor_name = r->g->tensors.items[r->uses[t].graph].name;
    if (r->uses[t].writer == ASH_NO_ID)
      return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_op_order, at,
                      "nothing writes the tensor that the operator reads");
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_op_order, at,
                    "the operator reads what only operator %u writes",
                    (unsigned)r->uses[t].writer);
  }
  return ASH_OK;
}

static ash_status add_ops(ash_tflite *r) {
  for (uint32_t i = 0; i < r->op_count; i++) {
    if (ash_tflite_makes_handles(r->ops[i].code->builtin))
      continue;
    ASH_TRY(check_order(r, i));
    ASH_TRY(ash_tflite_is_flow(r->ops[i].code->builtin)
                ? ash_tflite_add_flow(r, i)
                : ash_tflite_add_op(r, i));
  }
  return ASH_OK;
}

static ash_status check_outputs(ash_tflite *r) {
  if (r->output_count == 0)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tflite_subgraph, whole_file(r),
                    "the model has no output");
  for (uint32_t i = 0; i < r->output_count; i++)
    if (!exists_before(r, r->outputs[i], r->op_count))
      return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_op_order,
                      ash_tflite_at_tensor(r, r->outputs[i]),
                      "nothing writes this output of the model");
  return ASH_OK;
}

static void to_graph(const ash_tflite *r, uint32_t *ids, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    ids[i] = r->uses[ids[i]].graph;
}

static ash_status add_ends(ash_tflite *r) {
  ASH_TRY(check_outputs(r));
  to_graph(r, r->inputs, r->input_count);
  to_graph(r, r->outputs, r->output_count);
  ASH_TRY(ash_graph_set_inputs(r->g, r->inputs, r->input_count));
  return ash_graph_set_outputs(r->g, r->outputs, r->output_count);
}

static ash_status read_ends(ash_tflite *r) {
  const ash_fb_vector ins = ash_fb_vec(&r->subgraph, SUBGRAPH_INPUTS, 4);
  const ash_fb_vector outs = ash_fb_vec(&r->subgraph, SUBGRAPH_OUTPUTS, 4);
  const ash_loc at = whole_file(r);
  ASH_TRY(read_ids(r, &r->inputs, &r->input_count, &ins, false, at));
  return read_ids(r, &r->outputs, &r->output_count, &outs, false, at);
}

/* ---- subgraphs that are written out -------------------------------------- */

static ash_status open_subgraph(ash_tflite *s, const ash_tflite *r, uint32_t op,
                                int32_t subgraph) {
  const ash_fb_vector all = ash_fb_vec(&r->model, MODEL_SUBGRAPHS, 4);
  if (subgraph < 1 || (uint32_t)subgraph >= all.count)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_op_options,
                    ash_tflite_at_op(r, op), "subgraph %d does not exist",
                    (int)subgraph);
  s->subgraph = ash_fb_at_table(&all, (uint32_t)subgraph);
  s->tensors = ash_fb_vec(&s->subgraph, SUBGRAPH_TENSORS, 4);
  s->prefix =
      ash_zone_format(&r->ctx->scratch, "r%u_", (unsigned)(*r->rounds)++);
  s->variables = NULL;
  s->variable_count = s->assumed_count = 0;
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  return check_limit(r, "tensors", s->tensors.count, ASH_TFLITE_TENSORS_MAX);
}

static ash_status give_inputs(ash_tflite *s, const uint32_t *given,
                              uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    ash_tflite_use *use = &s->uses[s->inputs[i]];
    if (use->writer != ASH_NO_ID)
      return ash_fail(s->ctx, ASH_MALFORMED, ASH_D_op_order, whole_file(s),
                      "an operator of a subgraph writes the subgraph's input");
    use->graph = given[i];
    use->given = use->loose = true;
  }
  return ASH_OK;
}

static ash_status write_out(ash_tflite *s, const uint32_t *given,
                            uint32_t given_count, uint32_t *made,
                            uint32_t made_count) {
  ASH_TRY(read_codes(s));
  ASH_TRY(read_ops(s));
  ASH_TRY(ash_tflite_check_codes(s));
  ASH_TRY(read_ends(s));
  if (s->input_count != given_count || s->output_count != made_count)
    return ash_fail(s->ctx, ASH_MALFORMED, ASH_D_tflite_subgraph, whole_file(s),
                    "a subgraph has %u inputs and %u outputs, its caller %u "
                    "and %u",
                    (unsigned)s->input_count, (unsigned)s->output_count,
                    (unsigned)given_count, (unsigned)made_count);
  ASH_TRY(mark_uses(s));
  ASH_TRY(give_inputs(s, given, given_count));
  ASH_TRY(add_tensors(s));
  ASH_TRY(add_ops(s));
  ASH_TRY(check_outputs(s));
  for (uint32_t i = 0; i < made_count; i++)
    made[i] = s->uses[s->outputs[i]].graph;
  return ASH_OK;
}

ash_status ash_tflite_write_out(ash_tflite *r, uint32_t op, int32_t subgraph,
                                const uint32_t *given, uint32_t given_count,
                                uint32_t *made, uint32_t made_count) {
  enum { DEPTH_MAX = 4, ROUNDS_MAX = 4096 };
  ash_tflite s = *r;
  if (r->depth >= DEPTH_MAX || *r->rounds >= ROUNDS_MAX ||
      r->g->op_count > ASH_TFLITE_OPS_MAX)
    return ash_fail(r->ctx, ASH_LIMIT, ASH_D_model_limit,
                    ash_tflite_at_op(r, op),
                    "subgraphs inside subgraphs, or too many rounds");
  s.depth = r->depth + 1;
  const ash_mark mark = ash_zone_mark(&r->ctx->scratch);
  ash_status status = open_subgraph(&s, r, op, subgraph);
  if (status == ASH_OK)
    status = write_out(&s, given, given_count, made, made_count);
  ash_zone_rewind(&r->ctx->scratch, mark);
  return status == ASH_OK ? ash_fb_check(r->ctx, &r->fb, r->file) : status;
}

/* What the caller says of inputs must be of inputs that are there. */
static ash_status check_given(ash_tflite *r) {
  const char **names =
      ASH_NEW_ARRAY(&r->ctx->scratch, const char *, r->input_count + 1u);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (uint32_t i = 0; i < r->input_count; i++) {
    const ash_loc at = ash_tflite_at_tensor(r, r->inputs[i]);
    names[i] = at.tensor_name ? at.tensor_name : "";
    if (ash_given_constant(r->options, names[i]))
      return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_input_name, at,
                      "--constant is for inputs of ONNX models");
  }
  return ash_given_check(r->ctx, r->options, names, r->input_count, r->file);
}

static ash_status read_model(ash_tflite *r) {
  ASH_TRY(open_model(r));
  ASH_TRY(read_codes(r));
  ASH_TRY(read_ops(r));
  ASH_TRY(ash_tflite_check_codes(r));
  ASH_TRY(read_ends(r));
  ASH_TRY(check_given(r));
  note_other_subgraphs(r);
  ASH_TRY(mark_uses(r));
  ASH_TRY(ash_tflite_find_variables(r));
  ASH_TRY(add_tensors(r));
  ASH_TRY(ash_tflite_add_variables(r));
  ASH_TRY(add_ops(r));
  return add_ends(r);
}

/* ---- entry ------------------------------------------------------------- */

/* The file's name without folder and ending. */
static ash_status start_graph(ash_tflite *r) {
  const char *file = r->file ? r->file : "model";
  const char *slash = strrchr(file, '/');
  char *name = ash_zone_string(&r->ctx->scratch, slash ? slash + 1 : file);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  char *dot = strrchr(name, '.');
  if (dot && dot != name)
    *dot = '\0';
  return ash_graph_new(r->ctx, &r->g, name, r->file);
}

/* Structural damage makes fields read as absent, so what was said after it may
 * be nonsense: the damage alone is reported. Notes that could not be kept are
 * an allocation failure like any other. */
static ash_status settle(ash_tflite *r, ash_status status, size_t diags) {
  if (status == ASH_NOMEM)
    return status;
  if (r->fb.bad) {
    r->ctx->diag_count = diags;
    return ash_fb_check(r->ctx, &r->fb, r->file);
  }
  return status == ASH_OK ? ash_zone_check(r->ctx, &r->ctx->keep) : status;
}

ash_status ash_read_tflite(ash_ctx *ctx, ash_graph **out, const uint8_t *bytes,
                           size_t count, const char *file) {
  return ash_read_tflite_with(ctx, out, bytes, count, file, NULL);
}

ash_status ash_read_tflite_with(ash_ctx *ctx, ash_graph **out,
                                const uint8_t *bytes, size_t count,
                                const char *file,
                                const ash_load_options *options) {
  uint32_t rounds = 0;
  ash_tflite r = {.ctx = ctx,
                  .file = file,
                  .bytes = bytes,
                  .count = count,
                  .options = options,
                  .rounds = &rounds};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const size_t diags = ctx->diag_count;
  *out = NULL;
  ash_status status = start_graph(&r);
  if (status == ASH_OK)
    status = ash_customs_read(ctx, &r.customs, options);
  if (status == ASH_OK)
    status = settle(&r, read_model(&r), diags);
  ash_zone_rewind(&ctx->scratch, mark);
  if (status == ASH_OK)
    *out = r.g;
  else
    ash_graph_free(r.g);
  return status;
}
