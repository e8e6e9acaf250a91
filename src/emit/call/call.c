/* call.c - dispatch, and the writing of structs and arguments. */
#include "emit/call/call.h"

#include "emit/call/call_write.h"
#include "emit/loop/loop.h"
#include "emit/loop/part.h"
#include "op/functions.h"
#include "op/reads.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- parameters --------------------------------------------------------- */

void ash_call_open(const ash_call *c, const char *type) {
  ASH_ASSERT(type && type[0]);
  ash_text_line(c->text, "static const ash_rt_%s_params p = {", type);
  c->text->indent++;
}

void ash_call_close(const ash_call *c) {
  ASH_ASSERT(c->text->indent > 0);
  c->text->indent--;
  ash_text_line(c->text, "};");
}

void ash_call_open_field(const ash_call *c, const char *name) {
  ASH_ASSERT(name[0]);
  ash_text_line(c->text, ".%s = {", name);
  c->text->indent++;
}

void ash_call_close_field(const ash_call *c) {
  ASH_ASSERT(c->text->indent > 0);
  c->text->indent--;
  ash_text_line(c->text, "},");
}

/* INT32_MIN has no literal of its own type. */
void ash_call_int(const ash_call *c, const char *name, int64_t value) {
  if (value == INT32_MIN)
    ash_text_line(c->text, ".%s = -2147483647 - 1,", name);
  else
    ash_text_line(c->text, ".%s = %" PRId64 ",", name, value);
}

void ash_call_word(const ash_call *c, const char *name, const char *word) {
  ASH_ASSERT(name[0] && word[0]);
  ash_text_line(c->text, ".%s = ASH_RT_%s,", name, word);
}

void ash_call_type(const ash_call *c, const char *name, ash_type type) {
  ASH_ASSERT(type > ASH_NONE && type < ASH_TYPE_COUNT);
  static const char *const words[ASH_TYPE_COUNT] = {
      [ASH_INT8] = "S8",    [ASH_UINT8] = "U8",    [ASH_INT16] = "S16",
      [ASH_UINT16] = "U16", [ASH_INT32] = "S32",   [ASH_UINT32] = "U32",
      [ASH_INT64] = "S64",  [ASH_FLOAT32] = "F32", [ASH_BOOL] = "BOOL",
  };
  ash_call_word(c, name, words[type] ? words[type] : "U8");
}

static void put_indent(const ash_call *c) {
  for (uint32_t i = 0; i < c->text->indent; i++)
    ash_text_string(c->text, "  ");
}

void ash_call_float(const ash_call *c, const char *name, float value) {
  put_indent(c);
  ash_text_format(c->text, ".%s = ", name);
  if (isinf(value)) {
    ash_text_string(c->text, value < 0 ? "-INFINITY,\n" : "INFINITY,\n");
    return;
  }
  ash_text_float(c->text, value);
  ash_text_string(c->text, "f,\n");
}

void ash_call_ints(const ash_call *c, const char *name, const int32_t *values,
                   uint32_t count) {
  ASH_ASSERT(values && count > 0 && count <= ASH_RANK_MAX);
  put_indent(c);
  ash_text_format(c->text, ".%s = {", name);
  for (uint32_t i = 0; i < count; i++)
    ash_text_format(c->text, "%s%" PRId32, i ? ", " : "", values[i]);
  ash_text_string(c->text, "},\n");
}

void ash_call_floats(const ash_call *c, const char *name, const float *values,
                     uint32_t count) {
  ASH_ASSERT(values && count > 0);
  put_indent(c);
  ash_text_format(c->text, ".%s = {", name);
  for (uint32_t i = 0; i < count; i++) {
    ash_text_string(c->text, i ? ", " : "");
    ash_text_float(c->text, values[i]);
    ash_text_string(c->text, "f");
  }
  ash_text_string(c->text, "},\n");
}

void ash_call_int_range(const ash_call *c) {
  ASH_ASSERT(!ash_type_is_float(ash_call_out(c)->type));
  const ash_int_range r = ash_quant_range(
      ash_call_out(c), ash_attr_string(ash_call_op(c), "act", "none"));
  ash_call_int(c, "act_min", r.low);
  ash_call_int(c, "act_max", r.high);
}

void ash_call_float_range(const ash_call *c) {
  ASH_ASSERT(ash_type_is_float(ash_call_out(c)->type));
  const ash_attr *act = ash_attr_find(ash_call_op(c), "act");
  ash_float_range r =
      ash_float_range_of(ash_attr_string(ash_call_op(c), "act", "none"));
  if (!act && ash_call_op(c)->kind == ASH_OP_map) /* infinities stay */
    r = (ash_float_range){-INFINITY, INFINITY};
  ash_call_float(c, "act_min", r.low);
  ash_call_float(c, "act_max", r.high);
}

/* ---- arguments ---------------------------------------------------------- */

static void put_input(const ash_call *c, uint32_t k) {
  const ash_tensor *t = ash_call_in(c, k);
  const char *e = t ? c->inputs[k] : NULL;
  ash_text_string(c->text, ",\n");
  put_indent(c);
  if (!e || strcmp(e, "NULL") == 0)
    ash_text_string(c->text, "    0");
  else if (c->lines && k == 0)
    ash_text_format(c->text, "    %s", e);
  else if (ash_graph_updates(c->graph, ash_call_op(c),
                             ash_call_op(c)->inputs[k]))
    ash_text_format(c->text, "    (%s *)(%s)", ash_type_c(t->type), e);
  else
    ash_text_format(c->text, "    (const %s *)(%s)", ash_type_c(t->type), e);
}

void ash_call_parts(const ash_call *c, uint32_t first, uint32_t end) {
  ASH_ASSERT(first < end);
  ash_text_line(c->text, "const void *const parts[] = {");
  c->text->indent++;
  for (uint32_t k = first; k < end; k++) {
    const char *e = ash_call_in(c, k) ? c->inputs[k] : NULL;
    ash_text_line(c->text, "%s,", e && strcmp(e, "NULL") != 0 ? e : "0");
  }
  c->text->indent--;
  ash_text_line(c->text, "};");
}

static void put_tail(const ash_call *c, uint32_t k);

void ash_call_invoke_parts(const ash_call *c, uint32_t state, uint32_t cell) {
  ASH_ASSERT(state < cell && ash_call_in(c, state) && ash_call_in(c, cell));
  ash_text_line(c->text, "ash_rt_%s(&p", c->kernel->name);
  c->text->count--; /* the end of the line */
  put_input(c, 0);
  ash_text_string(c->text, ",\n");
  put_indent(c);
  ash_text_string(c->text, "    parts");
  put_input(c, state);
  put_input(c, cell);
  put_tail(c, 0);
}

static void put_output(const ash_call *c, uint32_t k) {
  ASH_ASSERT(k < ash_call_op(c)->output_count && c->outputs[k]);
  const ash_tensor *t = ash_op_out(c->graph, ash_call_op(c), k);
  ash_text_string(c->text, ",\n");
  put_indent(c);
  if (c->lines)
    ash_text_format(c->text, "    %s, from, to", c->outputs[k]);
  else
    ash_text_format(c->text, "    (%s *)(%s)", ash_type_c(t->type),
                    c->outputs[k]);
}

static void put_end(const ash_call *c) {
  if (c->kernel->scratch) {
    ash_text_string(c->text, ",\n");
    put_indent(c);
    ash_text_format(c->text, "    %s", c->scratch ? c->scratch : "0");
  }
  ash_text_string(c->text, ");\n");
}

static void put_tail(const ash_call *c, uint32_t k) {
  put_output(c, k);
  put_end(c);
}

static void put_function(const ash_call *c, const char *name) {
  ASH_ASSERT(name && c->kernel->params != ASH_PARAMS_loop);
  put_indent(c);
  ash_text_format(c->text, "ash_rt_%s%s%s(&p", name, c->lines ? "_lines" : "",
                  c->special ? "_inline" : "");
}

void ash_call_invoke_between(const ash_call *c, uint32_t in, uint32_t out) {
  ASH_ASSERT(in < ash_call_op(c)->input_count);
  put_function(c, c->kernel->name);
  put_input(c, in);
  put_tail(c, out);
}

void ash_call_open_block(const ash_call *c) {
  ash_text_line(c->text, "{");
  c->text->indent++;
}

void ash_call_close_block(const ash_call *c) {
  ASH_ASSERT(c->text->indent > 0);
  c->text->indent--;
  ash_text_line(c->text, "}");
}

void ash_call_invoke_one(const ash_call *c, uint32_t k) {
  ash_call_invoke_between(c, k, 0);
}

/* Kernels with weights always take a bias; one that the op does not mention is
 * absent. */
static uint32_t argument_count(const ash_op *op) {
  return ash_op_has(op, ASH_OP_WEIGHTS) && op->input_count < 3
             ? 3
             : op->input_count;
}

void ash_call_invoke(const ash_call *c) {
  const uint32_t count = argument_count(ash_call_op(c));
  put_function(c, c->kernel->name);
  for (uint32_t k = 0; k < count; k++)
    if (ash_kernel_reads(c->kernel, c->graph, c->op, k))
      put_input(c, k);
  for (uint32_t k = 0; k < ash_call_op(c)->output_count; k++)
    put_output(c, k);
  put_end(c);
}

/* ---- dispatch ----------------------------------------------------------- */

typedef void write_call(const ash_call *c);

static const struct {
  uint32_t row;
  write_call *call, *loop, *part; /* NULL: has none */
  const char *word;
} table[ASH_ROW_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.row = ASH_OP_##op},
#define FN(fn, columns) [ASH_FN_ROW(fn)] = {columns.row = ASH_FN_ROW(fn)},
#define CALL(writer)    .call = ash_call_##writer,
#define LOOP(writer)    .loop = ash_loop_##writer,
#define PART(writer)    .part = ash_##writer,
#define WORD(text)      .word = (text),
#include "op/ops.def"
#undef OP
};

void ash_call_function(const ash_call *c, const char *name) {
  const char *word = table[ash_row_of(ash_call_op(c))].word;
  if (word)
    ash_call_word(c, name, word);
}

ash_status ash_emit_call(ash_ctx *ctx, const ash_call *call) {
  const ash_op *op = ash_call_op(call);
  ASH_ASSERT(call->kernel && call->kernel->op == op->kind);
  const bool loop = call->kernel->params == ASH_PARAMS_loop;
  write_call *write = loop ? table[op->kind].loop : ASH_COLUMN(table, op, call);
  if (call->part != ASH_PART_WHOLE)
    write = table[op->kind].part;
  ASH_INVARIANT(ctx, write != NULL);
  write(call);
  return ash_text_check(ctx, call->text);
}
