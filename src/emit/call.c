/* call.c - dispatch, and the writing of structs and arguments. */
#include "emit/call.h"

#include "emit/call_write.h"
#include "emit/loop.h"
#include "kernel/reads.h"

#include <inttypes.h>
#include <string.h>

/* ---- parameters --------------------------------------------------------- */

void ash_call_open(const ash_call *c, const char *type) {
  ash_text_line(c->text, "static const ash_rt_%s_params p = {", type);
  c->text->indent++;
}

void ash_call_close(const ash_call *c) {
  c->text->indent--;
  ash_text_line(c->text, "};");
}

void ash_call_open_field(const ash_call *c, const char *name) {
  ash_text_line(c->text, ".%s = {", name);
  c->text->indent++;
}

void ash_call_close_field(const ash_call *c) {
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

static void put_indent(const ash_call *c) {
  for (uint32_t i = 0; i < c->text->indent; i++)
    ash_text_string(c->text, "  ");
}

void ash_call_float(const ash_call *c, const char *name, float value) {
  put_indent(c);
  ash_text_format(c->text, ".%s = ", name);
  ash_text_float(c->text, value);
  ash_text_string(c->text, "f,\n");
}

void ash_call_ints(const ash_call *c, const char *name, const int32_t *values,
                   uint32_t count) {
  put_indent(c);
  ash_text_format(c->text, ".%s = {", name);
  for (uint32_t i = 0; i < count; i++)
    ash_text_format(c->text, "%s%" PRId32, i ? ", " : "", values[i]);
  ash_text_string(c->text, "},\n");
}

void ash_call_int_range(const ash_call *c) {
  const ash_int_range r = ash_quant_range(
      ash_call_out(c), ash_op_string(ash_call_op(c), "act", "none"));
  ash_call_int(c, "act_min", r.low);
  ash_call_int(c, "act_max", r.high);
}

void ash_call_float_range(const ash_call *c) {
  const ash_float_range r =
      ash_float_range_of(ash_op_string(ash_call_op(c), "act", "none"));
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
  else
    ash_text_format(c->text, "    (const %s *)(%s)", ash_type_c(t->type), e);
}

static void put_tail(const ash_call *c) {
  ash_text_string(c->text, ",\n");
  put_indent(c);
  ash_text_format(c->text, "    (%s *)(%s)", ash_type_c(ash_call_out(c)->type),
                  c->outputs[0]);
  if (c->kernel->scratch) {
    ash_text_string(c->text, ",\n");
    put_indent(c);
    ash_text_format(c->text, "    %s", c->scratch ? c->scratch : "0");
  }
  ash_text_string(c->text, ");\n");
}

static void put_function(const ash_call *c) {
  put_indent(c);
  ash_text_format(c->text, "ash_rt_%s(&p", c->kernel->name);
}

void ash_call_invoke_one(const ash_call *c, uint32_t k) {
  put_function(c);
  put_input(c, k);
  put_tail(c);
}

/* Kernels with weights always take a bias; one that the op does not mention is
 * absent. */
static uint32_t argument_count(const ash_op *op) {
  const bool weights = op->kind == ASH_OP_conv_2d ||
                       op->kind == ASH_OP_depthwise_conv_2d ||
                       op->kind == ASH_OP_fully_connected;
  return weights && op->input_count < 3 ? 3 : op->input_count;
}

void ash_call_invoke(const ash_call *c) {
  const uint32_t count = argument_count(ash_call_op(c));
  put_function(c);
  for (uint32_t k = 0; k < count; k++)
    if (ash_op_reads(c->graph, c->op, k))
      put_input(c, k);
  put_tail(c);
}

/* ---- dispatch ----------------------------------------------------------- */

typedef ash_status write_params(ash_ctx *ctx, const ash_call *c);

static write_params *const writers[ASH_OP_COUNT] = {
    [ASH_OP_conv_2d] = ash_call_window,
    [ASH_OP_depthwise_conv_2d] = ash_call_window,
    [ASH_OP_average_pool_2d] = ash_call_window,
    [ASH_OP_max_pool_2d] = ash_call_window,
    [ASH_OP_fully_connected] = ash_call_dense,
    [ASH_OP_add] = ash_call_binary,
    [ASH_OP_mul] = ash_call_binary,
    [ASH_OP_mean] = ash_call_mean,
    [ASH_OP_softmax] = ash_call_unary,
    [ASH_OP_relu] = ash_call_unary,
    [ASH_OP_relu6] = ash_call_unary,
    [ASH_OP_relu_n1_to_1] = ash_call_unary,
    [ASH_OP_logistic] = ash_call_unary,
    [ASH_OP_tanh] = ash_call_unary,
    [ASH_OP_quantize] = ash_call_unary,
    [ASH_OP_dequantize] = ash_call_unary,
    [ASH_OP_reshape] = ash_call_copy,
    [ASH_OP_squeeze] = ash_call_copy,
    [ASH_OP_expand_dims] = ash_call_copy,
    [ASH_OP_pad] = ash_call_pad,
    [ASH_OP_concatenation] = ash_call_concatenation,
};

static write_params *const loops[ASH_OP_COUNT] = {
    [ASH_OP_map] = ash_loop_map,
    [ASH_OP_fold] = ash_loop_fold,
    [ASH_OP_strided] = ash_loop_strided,
    [ASH_OP_take] = ash_loop_take,
    [ASH_OP_take_elements] = ash_loop_take_elements,
    [ASH_OP_take_nd] = ash_loop_take_nd,
    [ASH_OP_put_elements] = ash_loop_put_elements,
    [ASH_OP_put_nd] = ash_loop_put_nd,
    [ASH_OP_fill_pad] = ash_loop_fill_pad,
    [ASH_OP_join] = ash_loop_join,
    [ASH_OP_matmul] = ash_loop_matmul,
    [ASH_OP_conv_nd] = ash_loop_conv_nd,
    [ASH_OP_pool_nd] = ash_loop_pool_nd,
    [ASH_OP_running] = ash_loop_running,
    [ASH_OP_top_k] = ash_loop_top_k,
    [ASH_OP_resample] = ash_loop_resample,
};

ash_status ash_emit_call(ash_ctx *ctx, const ash_call *call) {
  const ash_op_kind kind = ash_call_op(call)->kind;
  const bool loop = strcmp(call->kernel->name, "loop") == 0;
  write_params *write = loop ? loops[kind] : writers[kind];
  ASH_INVARIANT(ctx, write != NULL);
  ASH_TRY(write(ctx, call));
  return ash_text_check(ctx, call->text);
}
