/* onnx_node.c - the node under way: its inputs, outputs and attributes, and
 * failures that name it. */
#include "read/onnx/onnx_import.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- failures ------------------------------------------------------------ */

static ash_loc at_node(const ash_ox *m) {
  ash_loc at = ASH_NOWHERE;
  at.file = m->file;
  if (m->node) {
    at.op = m->node_index;
    at.op_kind = m->node->type;
    at.op_name = *m->node->name ? m->node->name : NULL;
  }
  return at;
}

void ash_ox_fail(ash_ox *m, ash_status status, ash_diag_id id, const char *fmt,
                 ...) {
  char text[300];
  va_list args;
  if (m->status != ASH_OK)
    return;
  va_start(args, fmt);
  (void)vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  m->status = ash_fail(m->ctx, status, id, at_node(m), "%s", text);
}

void ash_ox_refuse(ash_ox *m, const char *what) {
  ash_ox_fail(m, ASH_UNSUPPORTED, ASH_D_onnx_op, "%s: %s is not supported",
              m->node ? m->node->type : "model", what);
}

void ash_ox_bad(ash_ox *m, const char *what) {
  ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node, "%s: %s",
              m->node ? m->node->type : "model", what);
}

void ash_ox_need_sums(ash_ox *m, uint32_t id) {
  const ash_type type = ash_ox_type(m, id);
  if (m->status != ASH_OK || ash_type_is_float(type) ||
      ash_type_bits(type) > 16)
    return;
  ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
              "%s: ONNX defines no sums of %s, whose results would wrap",
              m->node->type, ash_type_text(type));
  ash_hint(m->ctx, "MatMulInteger, ConvInteger and the QLinear operators sum "
                   "8-bit integers in 32 bits; or cast the inputs to int32");
}

uint32_t ash_ox_axis(ash_ox *m, int64_t axis, uint32_t rank) {
  const int64_t at = axis < 0 ? axis + (int64_t)rank : axis;
  if (at >= 0 && at < (int64_t)rank)
    return (uint32_t)at;
  ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
              "axis %lld of a tensor of rank %u", (long long)axis,
              (unsigned)rank);
  return 0;
}

/* ---- inputs and outputs -------------------------------------------------- */

bool ash_ox_has(const ash_ox *m, uint32_t k) {
  return k < m->node->input_count && *m->node->inputs[k];
}

uint32_t ash_ox_in_any(ash_ox *m, uint32_t k) {
  if (!ash_ox_has(m, k)) {
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node, "input %u is missing",
                (unsigned)k);
    return ASH_NO_ID;
  }
  const uint32_t id = ash_ox_find(m, m->node->inputs[k]);
  if (id == ASH_NO_ID)
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
                "nothing makes input '%s' before this node",
                m->node->inputs[k]);
  return id;
}

uint32_t ash_ox_in(ash_ox *m, uint32_t k) {
  const uint32_t id = ash_ox_in_any(m, k);
  if (!ash_ox_is_sequence(id))
    return id;
  ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
              "%s: input '%s' is a sequence or optional value, not a tensor",
              m->node->type, m->node->inputs[k]);
  return ASH_NO_ID;
}

uint32_t ash_ox_in_or(ash_ox *m, uint32_t k, uint32_t otherwise) {
  return ash_ox_has(m, k) ? ash_ox_in(m, k) : otherwise;
}

bool ash_ox_wants(const ash_ox *m, uint32_t k) {
  return k < m->node->output_count && *m->node->outputs[k];
}

void ash_ox_out(ash_ox *m, uint32_t k, uint32_t tensor) {
  if (m->status == ASH_OK && ash_ox_wants(m, k))
    ash_ox_bind(m, m->node->outputs[k], tensor);
}

/* ---- attributes ---------------------------------------------------------- */

const ash_onnx_attr *ash_ox_attr(const ash_ox *m, const char *name) {
  for (uint32_t i = 0; i < m->node->attr_count; i++)
    if (strcmp(m->node->attrs[i].name, name) == 0)
      return &m->node->attrs[i];
  return NULL;
}

int64_t ash_ox_int(const ash_ox *m, const char *name, int64_t otherwise) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  return a && a->kind == ASH_ONNX_INT ? a->i : otherwise;
}

double ash_ox_float(const ash_ox *m, const char *name, double otherwise) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  return a && a->kind == ASH_ONNX_FLOAT ? (double)a->f : otherwise;
}

bool ash_ox_is(const ash_ox *m, const char *name, const char *text,
               const char *otherwise) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  if (!a || a->kind != ASH_ONNX_STRING)
    return strcmp(text, otherwise) == 0;
  const uint64_t n = ash_pb_bytes(&a->s);
  return n == strlen(text) &&
         (n == 0 || memcmp(a->s.pb->bytes + a->s.at, text, (size_t)n) == 0);
}

const int64_t *ash_ox_ints(const ash_ox *m, const char *name, uint32_t *count) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  if (a &&
      a->kind == ASH_ONNX_INT) { /* some exporters write a list of one so */
    *count = 1;
    return &a->i;
  }
  *count = a && a->kind == ASH_ONNX_INTS ? a->count : 0;
  return a && a->kind == ASH_ONNX_INTS ? a->ints : NULL;
}

void ash_ox_fill(ash_ox *m, const char *name, int64_t *to, uint32_t n,
                 int64_t otherwise) {
  uint32_t count;
  const int64_t *given = ash_ox_ints(m, name, &count);
  if (given && count != n)
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
                "%s: attribute %s has %u numbers, expected %u", m->node->type,
                name, (unsigned)count, (unsigned)n);
  for (uint32_t i = 0; i < n; i++)
    to[i] = given && i < count ? given[i] : otherwise;
}

/* ---- constants ----------------------------------------------------------- */

static const ash_tensor nothing = {.name = "",
                                   .id = "",
                                   .kind = ASH_TENSOR_ACTIVATION,
                                   .type = ASH_FLOAT32,
                                   .shape = {4, {1, 1, 1, 1}}};

const ash_tensor *ash_ox_t(const ash_ox *m, uint32_t id) {
  return id < m->g->tensor_count && m->status == ASH_OK
             ? &m->g->tensors.items[id]
             : &nothing;
}

bool ash_ox_is_float(const ash_ox *m, uint32_t id) {
  return ash_type_is_float(ash_ox_type(m, id));
}

double ash_ox_value(const ash_ox *m, uint32_t id, uint64_t i) {
  const ash_tensor *t = ash_ox_t(m, id);
  if (!t->data || i >= ash_shape_elements(&t->shape))
    return 0;
  if (t->type == ASH_FLOAT32)
    return (double)ash_tensor_float(t, i);
  if (t->type == ASH_FLOAT64) {
    double x;
    memcpy(&x, t->data + 8 * i, sizeof x);
    return x;
  }
  return ash_type_is_float(t->type) ? 0 : (double)ash_tensor_int(t, i);
}

/* An input of the model that this value depends on: operators stand in order,
 * so one walk from the last to the first finds it. */
static const char *input_behind(const ash_ox *m, uint32_t id) {
  const ash_graph *g = m->g;
  for (size_t i = g->op_count; i-- > 0;) {
    const ash_op *op = &g->ops.items[i];
    if (op->outputs[0] != id)
      continue;
    for (uint32_t k = 0; k < op->input_count; k++)
      if (op->inputs[k] != ASH_NO_ID &&
          g->tensors.items[op->inputs[k]].kind != ASH_TENSOR_CONSTANT)
        id = op->inputs[k];
  }
  const ash_tensor *t = ash_ox_t(m, id);
  return t->kind == ASH_TENSOR_INPUT ? t->name : NULL;
}

void ash_ox_need_constant(ash_ox *m, uint32_t id) {
  if (m->status != ASH_OK || ash_ox_is_constant(m, id))
    return;
  const char *input = input_behind(m, id);
  ash_ox_fail(m, ASH_UNSUPPORTED, ASH_D_onnx_constant,
              "'%s' must be known when the model is compiled",
              ash_ox_t(m, id)->name);
  if (input)
    ash_hint(m->ctx, "fix it with --constant %s=VALUES", input);
}

/* Cut off; what is too large for an integer, or no number, is the least. */
static int64_t integer_of(double x) {
  return x > -9e18 && x < 9e18 ? (int64_t)x : INT64_MIN;
}

uint32_t ash_ox_list(ash_ox *m, uint32_t id, int64_t *out, uint32_t most) {
  const ash_tensor *t = ash_ox_t(m, id);
  const uint64_t count = ash_shape_elements(&t->shape);
  if (m->status != ASH_OK)
    return 0;
  ash_ox_need_constant(m, id);
  if (m->status != ASH_OK)
    return 0;
  if (count > most) {
    ash_ox_bad(m, "a list of numbers is too long");
    return 0;
  }
  for (uint64_t i = 0; i < count; i++)
    out[i] = ash_type_is_float(t->type) ? integer_of(ash_ox_value(m, id, i))
                                        : ash_tensor_int(t, i);
  return (uint32_t)count;
}
