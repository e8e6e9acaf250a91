/* onnx_model.c - ONNX's messages into arrays: model, graph, nodes, attributes,
 * types of values. Each repeated field is counted, reserved, then read; the
 * field numbers are facts of the format. Constants are in onnx_tensor.c. */
#include "read/onnx/onnx_model.h"

#include "base/sort.h"
#include "read/onnx/onnx_internal.h"

#include <string.h>

enum { /* ModelProto */
       MODEL_IR_VERSION = 1,
       MODEL_PRODUCER = 2,
       MODEL_GRAPH = 7,
       MODEL_OPSET = 8,
       MODEL_FUNCTION = 25,
};
enum { /* OperatorSetIdProto */
       OPSET_DOMAIN = 1,
       OPSET_VERSION = 2,
};
enum { /* GraphProto */
       GRAPH_NODE = 1,
       GRAPH_NAME = 2,
       GRAPH_CONSTANT = 5,
       GRAPH_INPUT = 11,
       GRAPH_OUTPUT = 12,
       GRAPH_VALUE = 13,
       GRAPH_SPARSE_CONSTANT = 15,
};
enum { /* NodeProto */
       NODE_INPUT = 1,
       NODE_OUTPUT = 2,
       NODE_NAME = 3,
       NODE_TYPE = 4,
       NODE_ATTRIBUTE = 5,
       NODE_DOMAIN = 7,
};
enum { /* AttributeProto */
       ATTR_NAME = 1,
       ATTR_F = 2,
       ATTR_I = 3,
       ATTR_S = 4,
       ATTR_T = 5,
       ATTR_G = 6,
       ATTR_FLOATS = 7,
       ATTR_INTS = 8,
       ATTR_STRINGS = 9,
       ATTR_TYPE = 20,
       ATTR_REF = 21,
};
enum { /* FunctionProto */
       FUNCTION_NAME = 1,
       FUNCTION_INPUT = 4,
       FUNCTION_OUTPUT = 5,
       FUNCTION_NODE = 7,
       FUNCTION_OPSET = 9,
       FUNCTION_DOMAIN = 10,
       FUNCTION_DEFAULT = 11,
};
enum { /* ValueInfoProto, TypeProto, its tensor type, its shape, a dimension */
       VALUE_NAME = 1,
       VALUE_TYPE = 2,
       TYPE_TENSOR = 1,
       TYPE_SEQUENCE = 4,
       TYPE_OPTIONAL = 9,
       TENSOR_ELEMENT = 1,
       TENSOR_SHAPE = 2,
       SHAPE_DIM = 1,
       DIM_VALUE = 1,
       DIM_NAME = 2,
};

/* ---- repeated fields ----------------------------------------------------- */

uint32_t ash_onnx_count(ash_onnx_reader *r, ash_pb_span m, uint32_t number) {
  ash_pb_field f;
  uint64_t count = 0;
  while (ash_pb_next(&m, &f))
    count += f.number == number;
  if (count <= ASH_ONNX_ITEMS_MAX)
    return (uint32_t)count;
  r->over_limit = true;
  return 0;
}

static const char *const *read_strings(ash_onnx_reader *r, ash_pb_span m,
                                       uint32_t number, uint32_t *count) {
  ash_pb_field f;
  *count = ash_onnx_count(r, m, number);
  const char **all = ASH_NEW_ARRAY(r->zone, const char *, *count);
  for (uint32_t i = 0; all && i < *count && ash_pb_next(&m, &f);)
    if (f.number == number)
      all[i++] = ash_pb_string(&f, r->zone);
  return all;
}

/* Bits of a repeated number, packed or not. */
static uint64_t *read_numbers(ash_onnx_reader *r, ash_pb_span m,
                              uint32_t number, ash_pb_wire wire, ash_zone *zone,
                              uint32_t *count) {
  ash_pb_field f;
  uint64_t total = 0;
  for (ash_pb_span rest = m; ash_pb_next(&rest, &f);)
    total += f.number == number ? ash_pb_count(&f, wire) : 0;
  r->over_limit = r->over_limit || total > ASH_ONNX_ITEMS_MAX;
  *count = r->over_limit ? 0 : (uint32_t)total;
  uint64_t *all = ASH_NEW_ARRAY(zone, uint64_t, *count);
  uint64_t filled = 0;
  while (all && filled < *count && ash_pb_next(&m, &f))
    if (f.number == number) {
      ash_pb_unpack(&f, wire, all + filled);
      filled += ash_pb_count(&f, wire);
    }
  return all;
}

const int64_t *ash_onnx_ints(ash_onnx_reader *r, ash_pb_span m, uint32_t number,
                             uint32_t *count) {
  /* Same size and, in two's complement, the same bits. */
  return (const int64_t *)read_numbers(r, m, number, ASH_PB_VARINT, r->zone,
                                       count);
}

static const float *read_floats(ash_onnx_reader *r, ash_pb_span m,
                                uint32_t number, uint32_t *count) {
  const ash_mark mark = ash_zone_mark(&r->ctx->scratch);
  const uint64_t *bits =
      read_numbers(r, m, number, ASH_PB_FIXED32, &r->ctx->scratch, count);
  float *all = ASH_NEW_ARRAY(r->zone, float, *count);
  for (uint32_t i = 0; bits && all && i < *count; i++) {
    const ash_pb_field one = {.wire = ASH_PB_FIXED32, .bits = bits[i]};
    all[i] = ash_pb_float(&one);
  }
  ash_zone_rewind(&r->ctx->scratch, mark);
  return all;
}

/* ---- types of values ----------------------------------------------------- */

static void read_dim(ash_onnx_reader *r, ash_onnx_dim *dim, ash_pb_span m) {
  ash_pb_field f;
  *dim = (ash_onnx_dim){.value = -1};
  while (ash_pb_next(&m, &f))
    if (f.number == DIM_VALUE)
      dim->value = ash_pb_int(&f);
    else if (f.number == DIM_NAME)
      dim->name = ash_pb_string(&f, r->zone);
}

static void read_shape(ash_onnx_reader *r, ash_onnx_value *v, ash_pb_span m) {
  ash_pb_field f;
  v->has_shape = true;
  v->rank = ash_onnx_count(r, m, SHAPE_DIM);
  ash_onnx_dim *dims = ASH_NEW_ARRAY(r->zone, ash_onnx_dim, v->rank);
  v->dims = dims;
  for (uint32_t i = 0; dims && i < v->rank && ash_pb_next(&m, &f);)
    if (f.number == SHAPE_DIM)
      read_dim(r, &dims[i++], ash_pb_sub(&f));
}

static void read_tensor_type(ash_onnx_reader *r, ash_onnx_value *v,
                             ash_pb_span m) {
  ash_pb_field f;
  while (ash_pb_next(&m, &f))
    if (f.number == TENSOR_ELEMENT) {
      v->type_number = ash_onnx_type_number(&f);
      v->type = ash_onnx_type(v->type_number);
    } else if (f.number == TENSOR_SHAPE) {
      read_shape(r, v, ash_pb_sub(&f));
    }
}

/* Is it a sequence or optional value, of which v is not one yet? `inner` gets
 * the type inside. */
static bool opens_type(ash_onnx_value *v, const ash_pb_field *f,
                       ash_pb_span *inner) {
  const bool sequence = f->number == TYPE_SEQUENCE;
  ash_pb_field g;
  if ((!sequence && f->number != TYPE_OPTIONAL) || v->is_sequence ||
      (v->is_optional && !sequence))
    return false;
  v->is_sequence = sequence;
  v->is_optional = v->is_optional || !sequence;
  ash_pb_span element = ash_pb_sub(f);
  while (ash_pb_next(&element, &g))
    if (g.number == 1) {
      *inner = ash_pb_sub(&g);
      return true;
    }
  return false;
}

/* Inside sequences and optional values there are types again: tensors, or an
 * optional sequence of them. Others are none that the reader knows. */
static void read_type(ash_onnx_reader *r, ash_onnx_value *v, ash_pb_span type) {
  ash_pb_span inner = type;
  bool more = true;
  while (more) {
    ash_pb_field f;
    more = false;
    while (ash_pb_next(&type, &f))
      if (f.number == TYPE_TENSOR)
        read_tensor_type(r, v, ash_pb_sub(&f));
      else
        more = opens_type(v, &f, &inner) || more;
    type = inner;
  }
}

static void read_value(ash_onnx_reader *r, ash_onnx_value *v, ash_pb_span m) {
  ash_pb_field f;
  v->name = "";
  while (ash_pb_next(&m, &f)) {
    if (f.number == VALUE_NAME)
      v->name = ash_pb_string(&f, r->zone);
    if (f.number == VALUE_TYPE)
      read_type(r, v, ash_pb_sub(&f));
  }
}

static const ash_onnx_value *read_values(ash_onnx_reader *r, ash_pb_span m,
                                         uint32_t number, uint32_t *count) {
  ash_pb_field f;
  *count = ash_onnx_count(r, m, number);
  ash_onnx_value *all = ASH_NEW_ARRAY(r->zone, ash_onnx_value, *count);
  for (uint32_t i = 0; all && i < *count && ash_pb_next(&m, &f);)
    if (f.number == number)
      read_value(r, &all[i++], ash_pb_sub(&f));
  return all;
}

/* ---- attributes ---------------------------------------------------------- */

/* Old files do not store the kind: the field that is there tells. */
static ash_onnx_attr_kind kind_of_field(uint32_t number) {
  switch (number) {
  case ATTR_F:
    return ASH_ONNX_FLOAT;
  case ATTR_I:
    return ASH_ONNX_INT;
  case ATTR_S:
    return ASH_ONNX_STRING;
  case ATTR_T:
    return ASH_ONNX_TENSOR;
  case ATTR_G:
    return ASH_ONNX_GRAPH;
  case ATTR_FLOATS:
    return ASH_ONNX_FLOATS;
  case ATTR_INTS:
    return ASH_ONNX_INTS;
  case ATTR_STRINGS:
    return ASH_ONNX_STRINGS;
  default:
    return ASH_ONNX_NONE;
  }
}

static void read_kind(ash_onnx_attr *a, ash_pb_span m) {
  ash_pb_field f;
  int64_t stored = 0;
  while (ash_pb_next(&m, &f)) {
    if (f.number == ATTR_TYPE)
      stored = ash_pb_int(&f);
    else if (kind_of_field(f.number) != ASH_ONNX_NONE)
      a->kind = kind_of_field(f.number);
  }
  if (stored < 0 || stored > ASH_ONNX_STRINGS)
    a->kind = ASH_ONNX_OTHER;
  else if (stored != 0)
    a->kind = (ash_onnx_attr_kind)stored;
}

static const ash_pb_span *read_spans(ash_onnx_reader *r, ash_pb_span m,
                                     uint32_t number, uint32_t *count) {
  ash_pb_field f;
  *count = ash_onnx_count(r, m, number);
  ash_pb_span *all = ASH_NEW_ARRAY(r->zone, ash_pb_span, *count);
  for (uint32_t i = 0; all && i < *count && ash_pb_next(&m, &f);)
    if (f.number == number)
      all[i++] = ash_pb_sub(&f);
  return all;
}

static void read_lists(ash_onnx_reader *r, ash_onnx_attr *a, ash_pb_span m) {
  if (a->kind == ASH_ONNX_FLOATS)
    a->floats = read_floats(r, m, ATTR_FLOATS, &a->count);
  if (a->kind == ASH_ONNX_INTS)
    a->ints = ash_onnx_ints(r, m, ATTR_INTS, &a->count);
  if (a->kind == ASH_ONNX_STRINGS)
    a->strings = read_spans(r, m, ATTR_STRINGS, &a->count);
}

static ash_status read_attr(ash_onnx_reader *r, ash_onnx_attr *a,
                            ash_pb_span m) {
  ash_pb_field f;
  a->name = a->ref = "";
  a->s = (ash_pb_span){.pb = m.pb};
  read_kind(a, m);
  read_lists(r, a, m);
  while (ash_pb_next(&m, &f)) {
    if (f.number == ATTR_NAME)
      a->name = ash_pb_string(&f, r->zone);
    else if (f.number == ATTR_REF)
      a->ref = ash_pb_string(&f, r->zone);
    else if (f.number == ATTR_F && a->kind == ASH_ONNX_FLOAT)
      a->f = ash_pb_float(&f);
    else if (f.number == ATTR_I && a->kind == ASH_ONNX_INT)
      a->i = ash_pb_int(&f);
    else if ((f.number == ATTR_S && a->kind == ASH_ONNX_STRING) ||
             (f.number == ATTR_G && a->kind == ASH_ONNX_GRAPH))
      a->s = ash_pb_sub(&f);
    else if (f.number == ATTR_T && a->kind == ASH_ONNX_TENSOR)
      ASH_TRY(ash_onnx_new_tensor(r, &a->t, ash_pb_sub(&f)));
  }
  return ASH_OK;
}

/* ---- nodes --------------------------------------------------------------- */

static ash_status read_attrs(ash_onnx_reader *r, ash_pb_span m, uint32_t number,
                             const ash_onnx_attr **out, uint32_t *count) {
  ash_pb_field f;
  *count = ash_onnx_count(r, m, number);
  ash_onnx_attr *all = ASH_NEW_ARRAY(r->zone, ash_onnx_attr, *count);
  ASH_TRY(ash_zone_check(r->ctx, r->zone));
  *out = all;
  for (uint32_t i = 0; i < *count && ash_pb_next(&m, &f);)
    if (f.number == number)
      ASH_TRY(read_attr(r, &all[i++], ash_pb_sub(&f)));
  return ASH_OK;
}

static ash_status read_node(ash_onnx_reader *r, ash_onnx_node *n,
                            ash_pb_span m) {
  ash_pb_field f;
  n->name = n->type = n->domain = "";
  n->inputs = read_strings(r, m, NODE_INPUT, &n->input_count);
  n->outputs = read_strings(r, m, NODE_OUTPUT, &n->output_count);
  for (ash_pb_span rest = m; ash_pb_next(&rest, &f);)
    if (f.number == NODE_NAME)
      n->name = ash_pb_string(&f, r->zone);
    else if (f.number == NODE_TYPE)
      n->type = ash_pb_string(&f, r->zone);
    else if (f.number == NODE_DOMAIN)
      n->domain = ash_pb_string(&f, r->zone);
  r->node_name = n->name;
  ASH_TRY(read_attrs(r, m, NODE_ATTRIBUTE, &n->attrs, &n->attr_count));
  if (n->type[0] == '\0' && !m.pb->bad && !r->zone->failed)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_onnx_model, ash_onnx_at(r),
                    "the node has no operator type");
  return ASH_OK;
}

static ash_status read_nodes(ash_onnx_reader *r, ash_pb_span m, uint32_t number,
                             const ash_onnx_node **out, uint32_t *count) {
  ash_pb_field f;
  *count = ash_onnx_count(r, m, number);
  ash_onnx_node *all = ASH_NEW_ARRAY(r->zone, ash_onnx_node, *count);
  ASH_TRY(ash_zone_check(r->ctx, r->zone));
  *out = all;
  for (uint32_t i = 0; i < *count && ash_pb_next(&m, &f);)
    if (f.number == number) {
      r->node = i;
      ASH_TRY(read_node(r, &all[i++], ash_pb_sub(&f)));
    }
  r->node = UINT32_MAX;
  r->node_name = NULL;
  return ASH_OK;
}

/* ---- graph and model ----------------------------------------------------- */

typedef struct written {
  const char *name;
  uint32_t node;
} written;

static int by_name(const void *a, const void *b, const void *user) {
  (void)user;
  return strcmp(((const written *)a)->name, ((const written *)b)->name);
}

/* Every name is written once: by one node, and by none if it is a constant. */
static ash_status check_writers(ash_onnx_reader *r, const ash_onnx_node *nodes,
                                uint32_t count, const ash_onnx_tensor *constant,
                                uint32_t constants) {
  size_t most = constants, n = 0;
  const ash_mark mark = ash_zone_mark(&r->ctx->scratch);
  for (uint32_t i = 0; i < count; i++)
    most += nodes[i].output_count;
  written *all = ASH_NEW_ARRAY(&r->ctx->scratch, written, 2 * most + 1);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (uint32_t i = 0; i < constants; i++)
    all[n++] = (written){constant[i].name, UINT32_MAX};
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < nodes[i].output_count; k++)
      if (*nodes[i].outputs[k])
        all[n++] = (written){nodes[i].outputs[k], i};
  ash_sort(all, all + most, n, sizeof *all, by_name, NULL);
  ash_status status = ASH_OK;
  for (size_t i = 1; i < n && status == ASH_OK; i++)
    if (all[i].node != UINT32_MAX &&
        strcmp(all[i - 1].name, all[i].name) == 0) {
      r->node = all[i].node;
      r->node_name = nodes[all[i].node].name;
      status = ash_fail(r->ctx, ASH_MALFORMED, ASH_D_onnx_node, ash_onnx_at(r),
                        "'%s' is written twice", all[i].name);
    }
  ash_zone_rewind(&r->ctx->scratch, mark);
  return status;
}

static ash_status read_constants(ash_onnx_reader *r, ash_onnx_graph *g,
                                 ash_pb_span m) {
  ash_pb_field f;
  g->constant_count = ash_onnx_count(r, m, GRAPH_CONSTANT);
  ash_onnx_tensor *all =
      ASH_NEW_ARRAY(r->zone, ash_onnx_tensor, g->constant_count);
  ASH_TRY(ash_zone_check(r->ctx, r->zone));
  g->constants = all;
  for (uint32_t i = 0; i < g->constant_count && ash_pb_next(&m, &f);)
    if (f.number == GRAPH_CONSTANT)
      ASH_TRY(ash_onnx_read_tensor(r, &all[i++], ash_pb_sub(&f)));
  return ASH_OK;
}

static ash_status read_graph(ash_onnx_reader *r, ash_onnx_graph *g,
                             ash_pb_span m) {
  ash_pb_field f;
  g->name = "";
  g->inputs = read_values(r, m, GRAPH_INPUT, &g->input_count);
  g->outputs = read_values(r, m, GRAPH_OUTPUT, &g->output_count);
  g->values = read_values(r, m, GRAPH_VALUE, &g->value_count);
  for (ash_pb_span rest = m; ash_pb_next(&rest, &f);)
    if (f.number == GRAPH_NAME)
      g->name = ash_pb_string(&f, r->zone);
    else if (f.number == GRAPH_SPARSE_CONSTANT)
      return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_onnx_storage,
                      ash_onnx_at(r), "sparse constants are not supported");
  ASH_TRY(read_constants(r, g, m));
  ASH_TRY(read_nodes(r, m, GRAPH_NODE, &g->nodes, &g->node_count));
  if (m.pb->bad || r->zone->failed || r->over_limit)
    return ASH_OK; /* settle reports it */
  return check_writers(r, g->nodes, g->node_count, g->constants,
                       g->constant_count);
}

static void read_opset(ash_onnx_reader *r, ash_onnx_opset *o, ash_pb_span m) {
  ash_pb_field f;
  o->domain = "";
  while (ash_pb_next(&m, &f))
    if (f.number == OPSET_DOMAIN)
      o->domain = ash_pb_string(&f, r->zone);
    else if (f.number == OPSET_VERSION)
      o->version = ash_pb_int(&f);
}

static ash_status read_opsets(ash_onnx_reader *r, ash_pb_span m,
                              uint32_t number, const ash_onnx_opset **out,
                              uint32_t *count) {
  ash_pb_field f;
  *count = ash_onnx_count(r, m, number);
  ash_onnx_opset *all = ASH_NEW_ARRAY(r->zone, ash_onnx_opset, *count);
  ASH_TRY(ash_zone_check(r->ctx, r->zone));
  *out = all;
  for (uint32_t i = 0; i < *count && ash_pb_next(&m, &f);)
    if (f.number == number)
      read_opset(r, &all[i++], ash_pb_sub(&f));
  return ASH_OK;
}

static ash_status read_function(ash_onnx_reader *r, ash_onnx_function *n,
                                ash_pb_span m) {
  ash_pb_field f;
  n->name = n->domain = "";
  n->inputs = read_strings(r, m, FUNCTION_INPUT, &n->input_count);
  n->outputs = read_strings(r, m, FUNCTION_OUTPUT, &n->output_count);
  for (ash_pb_span rest = m; ash_pb_next(&rest, &f);)
    if (f.number == FUNCTION_NAME)
      n->name = ash_pb_string(&f, r->zone);
    else if (f.number == FUNCTION_DOMAIN)
      n->domain = ash_pb_string(&f, r->zone);
  ASH_TRY(read_opsets(r, m, FUNCTION_OPSET, &n->opsets, &n->opset_count));
  ASH_TRY(read_attrs(r, m, FUNCTION_DEFAULT, &n->defaults, &n->default_count));
  ASH_TRY(read_nodes(r, m, FUNCTION_NODE, &n->nodes, &n->node_count));
  return m.pb->bad || r->zone->failed || r->over_limit
             ? ASH_OK
             : check_writers(r, n->nodes, n->node_count, NULL, 0);
}

static ash_status read_functions(ash_onnx_reader *r, ash_onnx_model *model,
                                 ash_pb_span m) {
  ash_pb_field f;
  model->function_count = ash_onnx_count(r, m, MODEL_FUNCTION);
  ash_onnx_function *all =
      ASH_NEW_ARRAY(r->zone, ash_onnx_function, model->function_count);
  ASH_TRY(ash_zone_check(r->ctx, r->zone));
  model->functions = all;
  for (uint32_t i = 0; i < model->function_count && ash_pb_next(&m, &f);)
    if (f.number == MODEL_FUNCTION)
      ASH_TRY(read_function(r, &all[i++], ash_pb_sub(&f)));
  return ASH_OK;
}

static ash_status read_model(ash_onnx_reader *r, ash_onnx_model *model,
                             ash_pb_span m) {
  ash_pb_field f;
  bool has_graph = false;
  ASH_TRY(read_opsets(r, m, MODEL_OPSET, &model->opsets, &model->opset_count));
  ASH_TRY(read_functions(r, model, m));
  while (ash_pb_next(&m, &f))
    if (f.number == MODEL_IR_VERSION) {
      model->ir_version = ash_pb_int(&f);
    } else if (f.number == MODEL_PRODUCER) {
      model->producer = ash_pb_string(&f, r->zone);
    } else if (f.number == MODEL_GRAPH && !has_graph) {
      has_graph = true;
      ASH_TRY(read_graph(r, &model->graph, ash_pb_sub(&f)));
    }
  if (m.pb->bad || r->zone->failed || r->over_limit)
    return ASH_OK; /* settle reports it */
  if (!has_graph || model->opset_count == 0)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_onnx_model, ash_onnx_at(r),
                    "the model has no %s",
                    has_graph ? "operator set" : "graph");
  return ASH_OK;
}

ash_loc ash_onnx_at(const ash_onnx_reader *r) {
  ash_loc at = ASH_NOWHERE;
  at.file = r->file;
  at.op = r->node;
  at.op_name = r->node_name;
  return at;
}

/* ---- entries ------------------------------------------------------------- */

/* What was said after structural damage may be nonsense: the damage alone is
 * reported. */
static ash_status settle(const ash_onnx_reader *r, const ash_pb *pb,
                         ash_status status, size_t diags) {
  if (status == ASH_NOMEM)
    return status;
  if (pb->bad) {
    r->ctx->diag_count = diags;
    return ash_pb_check(r->ctx, pb, r->file);
  }
  if (status == ASH_OK && r->over_limit)
    return ash_fail(r->ctx, ASH_LIMIT, ASH_D_model_limit, ash_onnx_at(r),
                    "a list has more than %d items", ASH_ONNX_ITEMS_MAX);
  return status == ASH_OK ? ash_zone_check(r->ctx, r->zone) : status;
}

static ash_onnx_reader start(ash_ctx *ctx, ash_zone *zone, const char *file) {
  return (ash_onnx_reader){
      .ctx = ctx, .zone = zone, .file = file, .node = UINT32_MAX};
}

ash_status ash_onnx_read_model(ash_ctx *ctx, ash_onnx_model *out,
                               ash_zone *zone, const uint8_t *bytes,
                               size_t count, const char *file) {
  ash_onnx_reader r = start(ctx, zone, file);
  const size_t diags = ctx->diag_count;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  *out = (ash_onnx_model){.pb = ash_pb_over(bytes, count), .producer = ""};
  const ash_status status = read_model(&r, out, ash_pb_root(&out->pb));
  ash_zone_rewind(&ctx->scratch, mark);
  return settle(&r, &out->pb, status, diags);
}

ash_status ash_onnx_read_graph(ash_ctx *ctx, ash_onnx_graph *out,
                               ash_zone *zone, ash_pb_span span,
                               const char *file) {
  ash_onnx_reader r = start(ctx, zone, file);
  const size_t diags = ctx->diag_count;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  *out = (ash_onnx_graph){.name = ""};
  const ash_status status = read_graph(&r, out, span);
  ash_zone_rewind(&ctx->scratch, mark);
  return settle(&r, span.pb, status, diags);
}
