/* graph.c - tables of types and operators, the builder, and accessors. */
#include "graph/graph.h"

#include "base/checked.h"
#include "base/nearest.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- tables ------------------------------------------------------------- */

static const struct {
  const char *text;
  uint32_t bits;
  const char *c;
} type_table[ASH_TYPE_COUNT] = {
#define X(name, text, bits, ctype) {text, bits, ctype},
    ASH_TYPE_MAP(X)
#undef X
};

const char *ash_type_text(ash_type type) {
  return type < ASH_TYPE_COUNT ? type_table[type].text : "?";
}
uint32_t ash_type_bits(ash_type type) {
  return type < ASH_TYPE_COUNT ? type_table[type].bits : 0;
}
const char *ash_type_c(ash_type type) {
  return type < ASH_TYPE_COUNT ? type_table[type].c : "?";
}

static const ash_op_info op_table[ASH_OP_COUNT] = {
#define OP(kind, columns) {.name = #kind, columns},
#define ARITY(fewest, most, count)                                             \
  .inputs_min = (fewest), .inputs_max = (most), .outputs = (count),
#define FLAGS(bits) .flags = (bits),
#define ATTRS(text) .attrs = (text),
#include "op/ops.def"
#undef OP
};

const ash_op_info *ash_kind_info(ash_op_kind kind) {
  return &op_table[kind];
}

const char *ash_op_kind_text(ash_op_kind kind) {
  return kind < ASH_OP_COUNT ? op_table[kind].name : "?";
}

const char *ash_op_text(const ash_op *op) {
  if (!op)
    return "?";
  return op->kind == ASH_OP_map ? ash_attr_string(op, "fn", "map")
                                : ash_op_kind_text(op->kind);
}

ash_op_kind ash_kind_find(const char *name) {
  return (ash_op_kind)ash_name_find(&op_table->name, sizeof *op_table,
                                    ASH_OP_COUNT, name);
}

/* ---- shapes ------------------------------------------------------------- */

uint64_t ash_shape_elements(const ash_shape *s) {
  uint64_t n = 1;
  for (uint32_t i = 0; i < s->rank; i++)
    n *= (uint64_t)s->dim[i];
  return n;
}

bool ash_shape_equal(const ash_shape *a, const ash_shape *b) {
  if (a->rank != b->rank)
    return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (a->dim[i] != b->dim[i])
      return false;
  return true;
}

bool ash_shape_bytes(uint64_t *out, const ash_shape *s, ash_type type) {
  uint64_t n = 1;
  if (s->rank > ASH_RANK_MAX)
    return false;
  for (uint32_t i = 0; i < s->rank; i++)
    if (s->dim[i] < 0 || !ash_mul_u64(&n, n, (uint64_t)s->dim[i]))
      return false;
  if (!ash_mul_u64(&n, n, ash_type_bits(type)) || n > UINT64_MAX / 2)
    return false;
  *out = ash_ceil_div(n, 8);
  return true;
}

const char *ash_shape_text(char *buf, const ash_shape *s) {
  size_t at = 0;
  buf[at++] = '[';
  for (uint32_t i = 0; i < s->rank; i++)
    at += (size_t)snprintf(buf + at, ASH_SHAPE_TEXT - at, "%s%" PRId32,
                           i ? "," : "", s->dim[i]);
  buf[at] = ']';
  buf[at + 1] = '\0';
  return buf;
}

/* ---- building ----------------------------------------------------------- */

/* Names reach terminals, pages and generated comments. */
static const char *copy_name(ash_zone *z, const char *name) {
  char *copy = ash_zone_string(z, name);
  if (copy)
    ash_text_clean(copy, "");
  return copy;
}

ash_status ash_graph_new(ash_ctx *ctx, ash_graph **out, const char *name,
                         const char *file) {
  *out = NULL;
  ash_graph *g = ctx->mem.resize(ctx->mem.user, NULL, 0, sizeof *g);
  if (!g)
    return ash_nomem(ctx);
  *g = (ash_graph){.ctx = ctx};
  ash_zone_init(&g->zone, &ctx->mem);
  g->name = copy_name(&g->zone, name ? name : "model");
  g->file = ash_zone_string(&g->zone, file);
  if (g->zone.failed) {
    ash_graph_free(g);
    return ash_nomem(ctx);
  }
  *out = g;
  return ASH_OK;
}

void ash_graph_free(ash_graph *g) {
  if (!g)
    return;
  ash_ctx *ctx = g->ctx;
  ash_zone_drop(&g->zone);
  if (g->bytes.mem)
    ash_file_drop(&g->bytes);
  (void)ctx->mem.resize(ctx->mem.user, g, sizeof *g, 0);
}

static void copy_quant(ash_zone *z, ash_quant *q) {
  if (q->count == 0) {
    *q = (ash_quant){0};
    return;
  }
  q->scale = ash_zone_copy(z, q->scale, q->count * sizeof *q->scale);
  q->zero_point =
      ash_zone_copy(z, q->zero_point, q->count * sizeof *q->zero_point);
}

/* The number that an id is; 0 for others. No graph has a billion tensors. */
static uint32_t number_of(const char *id) {
  uint32_t n = 0;
  if (strlen(id) > 9)
    return 0;
  for (; *id; id++) {
    if (*id < '0' || *id > '9')
      return 0;
    n = 10 * n + (uint32_t)(*id - '0');
  }
  return n;
}

/* A tensor without an id gets a number that none has: files number tensors,
 * too, and those that nothing uses are left out. */
static const char *numbered(ash_graph *g, const char *given, uint32_t index) {
  if (!given && index > g->next_number)
    g->next_number = index;
  const char *id =
      given ? ash_zone_string(&g->zone, given)
            : ash_zone_format(&g->zone, "%u", (unsigned)g->next_number);
  const uint32_t number = id ? number_of(id) : 0;
  if (number >= g->next_number)
    g->next_number = number + 1;
  return id;
}

ash_status ash_graph_add_tensor(ash_graph *g, uint32_t *out, ash_tensor t) {
  const uint32_t index = (uint32_t)g->tensor_count;
  *out = ASH_NO_ID;
  t.name = copy_name(&g->zone, t.name ? t.name : "");
  t.id = numbered(g, t.id, index);
  copy_quant(&g->zone, &t.quant);
  if (!ash_shape_bytes(&t.bytes, &t.shape, t.type))
    return ash_fail(g->ctx, ASH_MALFORMED, ASH_D_graph_shape,
                    ash_graph_loc(g, ASH_NO_ID, ASH_NO_ID),
                    "tensor '%s' has an impossible shape",
                    t.name ? t.name : "");
  if (!ASH_GROW(&g->zone, &g->tensors, g->tensor_count) || g->zone.failed)
    return ash_nomem(g->ctx);
  g->tensors.items[g->tensor_count++] = t;
  *out = index;
  return ASH_OK;
}

ash_status ash_graph_add_constant(ash_graph *g, uint32_t *out, const char *id,
                                  ash_type type, const ash_shape *shape,
                                  const void *data) {
  return ash_graph_add_tensor(g, out,
                              (ash_tensor){.name = id,
                                           .id = id,
                                           .kind = ASH_TENSOR_CONSTANT,
                                           .type = type,
                                           .shape = *shape,
                                           .data = data,
                                           .file_byte = UINT64_MAX});
}

static void copy_attr(ash_zone *z, ash_attr *a) {
  a->name = ash_zone_string(z, a->name);
  a->s = ash_zone_string(z, a->s);
  a->ints = a->kind == ASH_ATTR_INTS
                ? ash_zone_copy(z, a->ints, a->count * sizeof *a->ints)
                : NULL;
}

ash_status ash_graph_add_op(ash_graph *g, uint32_t *out, ash_op op) {
  ash_zone *z = &g->zone;
  *out = ASH_NO_ID;
  op.id = op.id ? ash_zone_string(z, op.id)
                : ash_zone_format(z, "%s_%u", ash_op_text(&op),
                                  (unsigned)op.source_index);
  op.name = copy_name(z, op.name);
  op.inputs = op.input_count ? ash_zone_copy(z, op.inputs,
                                             op.input_count * sizeof(uint32_t))
                             : NULL;
  op.outputs =
      op.output_count
          ? ash_zone_copy(z, op.outputs, op.output_count * sizeof(uint32_t))
          : NULL;
  op.attrs = op.attr_count
                 ? ash_zone_copy(z, op.attrs, op.attr_count * sizeof(ash_attr))
                 : NULL;
  for (uint32_t i = 0; op.attrs && i < op.attr_count; i++)
    copy_attr(z, &op.attrs[i]);
  if (!ASH_GROW(z, &g->ops, g->op_count) || z->failed)
    return ash_nomem(g->ctx);
  *out = (uint32_t)g->op_count;
  g->ops.items[g->op_count++] = op;
  return ASH_OK;
}

ash_status ash_graph_set_inputs(ash_graph *g, const uint32_t *ids, size_t n) {
  g->inputs = ash_zone_copy(&g->zone, ids, n * sizeof *ids);
  g->input_count = n;
  return ash_zone_check(g->ctx, &g->zone);
}

ash_status ash_graph_set_outputs(ash_graph *g, const uint32_t *ids, size_t n) {
  g->outputs = ash_zone_copy(&g->zone, ids, n * sizeof *ids);
  g->output_count = n;
  for (size_t i = 0; i < n; i++)
    if (ids[i] < g->tensor_count)
      g->tensors.items[ids[i]].is_output = true;
  return ash_zone_check(g->ctx, &g->zone);
}

ash_status ash_graph_set_attr(ash_graph *g, uint32_t op, ash_attr attr) {
  ash_op *o = &g->ops.items[op];
  copy_attr(&g->zone, &attr);
  ASH_TRY(ash_zone_check(g->ctx, &g->zone));
  uint32_t at = 0;
  while (at < o->attr_count && strcmp(o->attrs[at].name, attr.name) != 0)
    at++;
  if (at == o->attr_count) {
    ash_attr *more = ASH_NEW_ARRAY(&g->zone, ash_attr, (size_t)at + 1);
    if (!more)
      return ash_nomem(g->ctx);
    if (at)
      memcpy(more, o->attrs, at * sizeof *more);
    o->attrs = more;
    o->attr_count++;
  }
  o->attrs[at] = attr;
  return ASH_OK;
}

ash_status ash_graph_append_input(ash_graph *g, uint32_t op, uint32_t tensor) {
  ash_op *o = &g->ops.items[op];
  uint32_t *more =
      ASH_NEW_ARRAY(&g->zone, uint32_t, (size_t)o->input_count + 1);
  if (!more)
    return ash_nomem(g->ctx);
  if (o->input_count)
    memcpy(more, o->inputs, o->input_count * sizeof *more);
  more[o->input_count++] = tensor;
  o->inputs = more;
  return ASH_OK;
}

/* ---- reading ------------------------------------------------------------ */

const ash_attr *ash_attr_find(const ash_op *op, const char *name) {
  for (uint32_t i = 0; i < op->attr_count; i++)
    if (strcmp(op->attrs[i].name, name) == 0)
      return &op->attrs[i];
  return NULL;
}

int64_t ash_attr_int(const ash_op *op, const char *name, int64_t otherwise) {
  const ash_attr *a = ash_attr_find(op, name);
  return a && a->kind == ASH_ATTR_INT ? a->i : otherwise;
}

double ash_attr_float(const ash_op *op, const char *name, double otherwise) {
  const ash_attr *a = ash_attr_find(op, name);
  return a && a->kind == ASH_ATTR_FLOAT ? a->f : otherwise;
}

const char *ash_attr_string(const ash_op *op, const char *name,
                            const char *otherwise) {
  const ash_attr *a = ash_attr_find(op, name);
  return a && a->kind == ASH_ATTR_STRING ? a->s : otherwise;
}

static bool is_variable(const ash_graph *g, uint32_t tensor) {
  return tensor != ASH_NO_ID &&
         g->tensors.items[tensor].kind == ASH_TENSOR_VARIABLE;
}

bool ash_graph_updates(const ash_graph *g, const ash_op *op, uint32_t tensor) {
  if (!is_variable(g, tensor))
    return false;
  for (uint32_t k = 0; k < op->output_count; k++)
    if (op->outputs[k] == tensor)
      return true;
  for (uint32_t k = 0; k < op->input_count; k++)
    if (op->inputs[k] == tensor)
      return ash_op_has(op, ASH_OP_STATE);
  return false;
}

bool ash_graph_has_effect(const ash_graph *g, const ash_op *op) {
  for (uint32_t k = 0; k < op->output_count; k++)
    if (is_variable(g, op->outputs[k]))
      return true;
  for (uint32_t k = 0; k < op->input_count; k++)
    if (ash_graph_updates(g, op, op->inputs[k]))
      return true;
  return false;
}

static uint64_t read_bits(const ash_tensor *t, uint64_t i) {
  const uint32_t width = ash_type_bits(t->type) / 8;
  uint64_t bits = 0;
  for (uint32_t b = 0; b < width; b++)
    bits |= (uint64_t)t->data[i * width + b] << (8 * b);
  return bits;
}

int64_t ash_tensor_int(const ash_tensor *t, uint64_t i) {
  const uint64_t bits = read_bits(t, i);
  switch (t->type) {
  case ASH_INT8:
    return (int8_t)bits;
  case ASH_INT16:
    return (int16_t)bits;
  case ASH_INT32:
    return (int32_t)bits;
  default:
    return (int64_t)bits;
  }
}

float ash_tensor_float(const ash_tensor *t, uint64_t i) {
  const uint32_t bits = (uint32_t)read_bits(t, i);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Tensors keep the model's own number as id; those we made have other ids. */
static uint32_t file_index(const ash_tensor *t, uint32_t index) {
  uint64_t number = 0;
  for (const char *p = t->id; *p; p++) {
    if (*p < '0' || *p > '9' || number > UINT32_MAX)
      return index;
    number = number * 10 + (uint64_t)(*p - '0');
  }
  return number < UINT32_MAX ? (uint32_t)number : index;
}

ash_status ash_graph_need_constants(ash_ctx *ctx, const ash_graph *g) {
  if (!g->absent)
    return ASH_OK;
  (void)ash_fail(ctx, ASH_IO, ASH_D_constant_absent,
                 ash_graph_loc(g, ASH_NO_ID, ASH_NO_ID),
                 "constant '%s' of model '%s' lies in '%s', which is not there",
                 g->absent, g->name, g->absent_file);
  ash_hint(ctx,
           "put '%s' beside the model; without it the model can be planned "
           "and inspected only",
           g->absent_file);
  return ASH_IO;
}

ash_loc ash_graph_loc(const ash_graph *g, uint32_t op, uint32_t tensor) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = g->file;
  if (op < g->op_count) {
    loc.op = g->ops.items[op].source_index;
    loc.op_kind = ash_op_text(&g->ops.items[op]);
    loc.op_name = g->ops.items[op].name;
  }
  if (tensor < g->tensor_count) {
    loc.tensor = file_index(&g->tensors.items[tensor], tensor);
    loc.tensor_name = g->tensors.items[tensor].name;
    loc.byte = g->tensors.items[tensor].file_byte;
    if (!g->tensors.items[tensor].data)
      loc.byte = UINT64_MAX;
  }
  return loc;
}

size_t ash_graph_tensor_count(const ash_graph *g) {
  if (!g)
    return 0;
  return g->tensor_count;
}
const ash_tensor *ash_graph_tensor(const ash_graph *g, uint32_t index) {
  if (!(g && index < g->tensor_count))
    return NULL;
  return &g->tensors.items[index];
}
size_t ash_graph_op_count(const ash_graph *g) {
  if (!g)
    return 0;
  return g->op_count;
}
const ash_op *ash_graph_op(const ash_graph *g, uint32_t index) {
  if (!(g && index < g->op_count))
    return NULL;
  return &g->ops.items[index];
}
size_t ash_graph_input_count(const ash_graph *g) {
  if (!g)
    return 0;
  return g->input_count;
}
uint32_t ash_graph_input(const ash_graph *g, size_t index) {
  if (!(g && index < g->input_count))
    return ASH_NO_ID;
  return g->inputs[index];
}
size_t ash_graph_output_count(const ash_graph *g) {
  if (!g)
    return 0;
  return g->output_count;
}
uint32_t ash_graph_output(const ash_graph *g, size_t index) {
  if (!(g && index < g->output_count))
    return ASH_NO_ID;
  return g->outputs[index];
}
const char *ash_graph_name(const ash_graph *g) {
  if (!g)
    return NULL;
  return g->name;
}
