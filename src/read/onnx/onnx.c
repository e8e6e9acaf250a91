/* onnx.c - walks an ONNX graph: constants, inputs, nodes in the file's order,
 * outputs; then drops what nothing needs. */
#include "read/onnx/onnx.h"

#include "base/file.h"
#include "base/rng.h"
#include "graph/compact.h"
#include "read/onnx/ml/ml.h"
#include "read/onnx/onnx_import.h"
#include "read/onnx/sequence/sequence.h"

#include <inttypes.h>
#include <string.h>

enum {
  DEPTH_MAX = 8,           /* graphs inside graphs */
  OPERATORS_MAX = 1 << 20, /* after unrolling */
  SWEEPS_MAX = 256,        /* over nodes that are out of order */
};

/* ---- names --------------------------------------------------------------- */

static size_t hash(const char *name) {
  uint64_t h = 1469598103934665603u;
  for (; *name; name++)
    h = (h ^ (unsigned char)*name) * 1099511628211u;
  return (size_t)(h >> 17);
}

static ash_ox_name *slot_of(ash_ox_name *items, size_t capacity,
                            const char *name) {
  size_t at = hash(name) & (capacity - 1);
  while (items[at].name && strcmp(items[at].name, name) != 0)
    at = (at + 1) & (capacity - 1);
  return &items[at];
}

uint32_t ash_ox_find(const ash_ox *m, const char *name) {
  if (m->names.capacity == 0)
    return ASH_NO_ID;
  const ash_ox_name *s = slot_of(m->names.items, m->names.capacity, name);
  return s->name ? s->tensor : ASH_NO_ID;
}

static void grow_names(ash_ox *m) {
  const size_t capacity = m->names.capacity ? 2 * m->names.capacity : 256;
  ash_ox_name *items = ASH_NEW_ARRAY(&m->g->zone, ash_ox_name, capacity);
  if (!items) {
    m->status = ash_nomem(m->ctx);
    return;
  }
  for (size_t i = 0; i < m->names.capacity; i++)
    if (m->names.items[i].name)
      *slot_of(items, capacity, m->names.items[i].name) = m->names.items[i];
  m->names.items = items;
  m->names.capacity = capacity;
}

/* The first name a tensor gets is the one it carries. */
void ash_ox_bind(ash_ox *m, const char *name, uint32_t tensor) {
  if (m->status == ASH_OK && 2 * (m->names.count + 1) > m->names.capacity)
    grow_names(m);
  const bool sequence = ash_ox_is_sequence(tensor);
  if (m->status != ASH_OK || (tensor >= m->g->tensor_count && !sequence))
    return;
  ash_ox_name *s = slot_of(m->names.items, m->names.capacity, name);
  m->names.count += s->name == NULL;
  *s = (ash_ox_name){name, tensor};
  if (sequence)
    return;
  ash_tensor *t = &m->g->tensors.items[tensor];
  if (!*t->name)
    t->name = name;
}

void ash_ox_unbind(ash_ox *m, const char *name) {
  if (m->status == ASH_OK && ash_ox_find(m, name) != ASH_NO_ID)
    slot_of(m->names.items, m->names.capacity, name)->tensor = ASH_NO_ID;
}

/* ---- constants ----------------------------------------------------------- */

/* Beside the model, never above it. */
static bool is_inside(const char *path) {
  if (*path == '/' || *path == '\0')
    return false;
  for (const char *p = path; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
    if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
      return false;
  return true;
}

/* Reads a file beside the model, unless it is the one that was read last. */
static bool open_outside(ash_ox *m, const char *name) {
  if (m->outside.name && strcmp(m->outside.name, name) == 0)
    return true;
  if (m->outside.name)
    ash_file_drop(&m->outside.file);
  m->status = ash_file_read_beside(m->ctx, &m->outside.file, m->file, name);
  m->outside.name = name; /* to be dropped after a failure, too */
  return m->status == ASH_OK;
}

/* Weights alone are made up: other numbers decide about shapes. */
static bool can_stand_in(const ash_ox *m, ash_type type, uint64_t bytes) {
  static const uint64_t most = (uint64_t)256 << 20;
  const bool is_weight = type == ASH_FLOAT32 || type == ASH_FLOAT16 ||
                         type == ASH_BFLOAT16 || type == ASH_INT8 ||
                         type == ASH_UINT8;
  return is_weight && bytes <= most && m->made_up <= most - bytes;
}

/* Bytes for a constant whose file is not there. All constants get others, so
 * that equal ones are not joined; as floats they are small. */
static const uint8_t *stand_in(ash_ox *m, const ash_onnx_tensor *t,
                               uint64_t need) {
  uint8_t *data =
      ASH_NEW_ARRAY(&m->g->zone, uint8_t, (size_t)need + (need == 0));
  ash_rng rng = {m->g->tensor_count};
  const uint32_t width = ash_type_bits(t->type) / 8;
  m->status = ash_zone_check(m->ctx, &m->g->zone);
  for (uint64_t i = 0; m->status == ASH_OK && i < need; i++)
    data[i] = (uint8_t)ash_rng_below(&rng, 128);
  for (uint64_t i = width; m->status == ASH_OK && width > 1 && i <= need;
       i += width)
    data[i - 1] = (uint8_t)(0x3c - width / 2); /* exponent: below 1 */
  m->made_up += need;
  if (m->status != ASH_OK || m->g->absent)
    return data;
  m->g->absent = t->name;
  m->g->absent_file = t->location;
  ash_note(m->ctx, ASH_D_constant_absent,
           ash_graph_loc(m->g, ASH_NO_ID, ASH_NO_ID),
           "'%s', which has constant '%s', is not there: planned with made-up "
           "bytes of the same shapes",
           t->location, t->name);
  return data;
}

static const uint8_t *read_outside(ash_ox *m, const ash_onnx_tensor *t,
                                   uint64_t need) {
  if (!m->file || !is_inside(t->location)) {
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_storage,
                "constant '%s' lies in '%s', which is not beside the model",
                t->name, t->location);
    return NULL;
  }
  if (can_stand_in(m, t->type, need) &&
      ash_file_is_missing(m->ctx, m->file, t->location))
    return stand_in(m, t, need);
  if (!open_outside(m, t->location))
    return NULL;
  const ash_file *file = &m->outside.file;
  if (t->outside_at > file->count || need > file->count - t->outside_at) {
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_storage,
                "'%s' is too short for constant '%s'", t->location, t->name);
    return NULL;
  }
  return ash_zone_copy(&m->g->zone, file->bytes + t->outside_at,
                       (size_t)need + (need == 0));
}

static bool shape_of(ash_shape *out, const ash_onnx_tensor *t) {
  *out = (ash_shape){.rank = t->rank};
  for (uint32_t i = 0; i < t->rank; i++) {
    if (i >= ASH_RANK_MAX || t->dims[i] > INT32_MAX)
      return false;
    out->dim[i] = (int32_t)t->dims[i];
  }
  return true;
}

/* With the option that floats hold integers: does this constant? */
static bool holds_integers(const ash_ox *m, uint32_t id) {
  const ash_tensor *t = ash_ox_t(m, id);
  if (!m->options || !m->options->integers || t->type != ASH_FLOAT32)
    return false;
  for (uint64_t i = 0; i < ash_shape_elements(&t->shape); i++) {
    const double x = ash_ox_value(m, id, i);
    if (!(x >= -2147483648.0 && x < 2147483648.0) || x != (double)(int64_t)x)
      return false;
  }
  return true;
}

/* Constants of 4 bits become bytes: two numbers a byte, the lower half first.
 */
static void unpack_nibbles(ash_ox *m, ash_tensor *t) {
  const uint64_t count = ash_shape_elements(&t->shape);
  const bool is_signed = t->type == ASH_INT4;
  if (m->status != ASH_OK || (!is_signed && t->type != ASH_UINT4))
    return;
  uint8_t *wide = ASH_NEW_ARRAY(&m->g->zone, uint8_t, (size_t)count + 1);
  m->status = ash_zone_check(m->ctx, &m->g->zone);
  for (uint64_t i = 0; i < count && m->status == ASH_OK; i++) {
    const uint32_t x = (uint32_t)t->data[i / 2] >> (i % 2 * 4) & 15u;
    wide[i] = (uint8_t)(is_signed && x > 7 ? x | 0xf0u : x);
  }
  t->type = is_signed ? ASH_INT8 : ASH_UINT8;
  t->data = wide;
  t->file_byte = UINT64_MAX;
}

uint32_t ash_ox_from_tensor(ash_ox *m, const ash_onnx_tensor *t) {
  static const uint8_t none[1];
  ash_tensor made = {.name = t->name,
                     .kind = ASH_TENSOR_CONSTANT,
                     .type = t->type,
                     .data = t->data ? t->data : none,
                     .file_byte = t->file_byte};
  uint32_t id = ASH_NO_ID;
  uint64_t need;
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  if (t->type == ASH_NONE) {
    ash_ox_fail(m, ASH_UNSUPPORTED, ASH_D_onnx_type,
                "constant '%s' has element type %s", t->name,
                ash_onnx_type_text(t->type_number));
    return ASH_NO_ID;
  }
  if (!shape_of(&made.shape, t) ||
      !ash_shape_bytes(&need, &made.shape, t->type)) {
    ash_ox_refuse(m, "a constant of more than 8 dimensions");
    return ASH_NO_ID;
  }
  if (t->location)
    made.data = read_outside(m, t, need);
  unpack_nibbles(m, &made);
  if (m->status == ASH_OK)
    m->status = ash_graph_add_tensor(m->g, &id, made);
  return holds_integers(m, id) ? ash_ox_cast(m, id, ASH_INT32) : id;
}

/* ---- nodes --------------------------------------------------------------- */

static const ash_ox_handler *const families[] = {
    ash_ox_math,      ash_ox_move,          ash_ox_window, ash_ox_norm,
    ash_ox_reduce,    ash_ox_matrix,        ash_ox_rnn,    ash_ox_loss,
    ash_ox_resize,    ash_ox_quant,         ash_ox_flow,   ash_ox_make,
    ash_ox_deeploy,   ash_ox_signal,        ash_ox_detect, ash_ox_sample,
    ash_ox_sequences, ash_ox_onnx_attention};

/* Operators that only one other domain has. */
static const struct {
  const char *domain;
  const ash_ox_handler *rows;
} own[] = {
    {"com.microsoft", ash_ox_fused}, {"com.microsoft", ash_ox_attention},
    {"ai.onnx.ml", ash_ml_features}, {"ai.onnx.ml", ash_ml_machines},
    {"ai.onnx.ml", ash_ml_trees},
};

/* Operators of other domains; those of ONNX, and those that are written
 * without a domain, are in no list. The same name elsewhere may mean anything.
 */
static const struct {
  const char *domain, *types; /* with blanks around each */
} foreign[] = {
    {"com.microsoft",
     " Gelu QuantizeLinear DequantizeLinear QGemm QLinearAdd QLinearMul"
     " QLinearAveragePool QLinearGlobalAveragePool QLinearSigmoid"
     " QLinearLeakyRelu QLinearSoftmax QLinearReduceMean QLinearConcat"
     " QLinearWhere SoftmaxGrad SoftmaxCrossEntropyLossGrad"
     " LayerNormalizationGrad GeluGrad Trilu Pad GridSample GatherND Range "},
    {"ai.onnx.preview.training", " Adagrad Adam Momentum "},
    {"PACTOps", " RequantShift iGELU iHardswish iSoftmax ITAMax ITAPartialMax "
                "iLayerNorm iRMSNorm iNoNorm IntegerMean IntegerDiv "
                "TrueIntegerDiv "},
};

static bool is_in(const char *list, const char *type) {
  const size_t n = strlen(type);
  for (const char *p = list; n > 0 && (p = strstr(p, type)) != NULL; p += n)
    if (p[-1] == ' ' && p[n] == ' ')
      return true;
  return false;
}

static bool is_known(const ash_onnx_node *node) {
  if (*node->domain == '\0' || strcmp(node->domain, "ai.onnx") == 0)
    return true;
  for (size_t i = 0; i < ASH_COUNT_OF(foreign); i++)
    if (strcmp(node->domain, foreign[i].domain) == 0)
      return is_in(foreign[i].types, node->type);
  return false;
}

static const ash_ox_handler *row_of(const ash_ox_handler *rows,
                                    const char *type) {
  while (rows->type && strcmp(rows->type, type) != 0)
    rows++;
  return rows->type ? rows : NULL;
}

static const ash_ox_handler *find_handler(const ash_onnx_node *node) {
  const ash_ox_handler *h = NULL;
  for (size_t i = 0; i < ASH_COUNT_OF(own) && !h; i++)
    if (strcmp(own[i].domain, node->domain) == 0)
      h = row_of(own[i].rows, node->type);
  for (size_t f = 0; f < ASH_COUNT_OF(families) && !h && is_known(node); f++)
    h = row_of(families[f], node->type);
  return h;
}

void ash_ox_run_node(ash_ox *m, const ash_onnx_node *node) {
  const ash_ox_handler *h = find_handler(node);
  const ash_onnx_function *f = ash_ox_function_of(m, node);
  if (f) {
    ash_ox_inline(m, f, node);
    return;
  }
  const ash_mark mark = ash_zone_mark(&m->ctx->scratch);
  m->node = node;
  if (m->made > OPERATORS_MAX)
    ash_ox_refuse(m, "such a number of operators");
  if (h && m->opset < 7 && ash_ox_attr(m, "broadcast"))
    ash_ox_refuse(m, "broadcasting as before operator set 7");
  if (h)
    h->read(m);
  else
    ash_ox_fail(m, ASH_UNSUPPORTED, ASH_D_onnx_op,
                "operator %s%s%s is not supported", node->domain,
                *node->domain ? "." : "", node->type);
  ash_zone_rewind(&m->ctx->scratch, mark);
}

/* Are all inputs of the node made? */
static bool is_ready(const ash_ox *m, const ash_onnx_node *node) {
  for (uint32_t k = 0; k < node->input_count; k++)
    if (*node->inputs[k] && ash_ox_find(m, node->inputs[k]) == ASH_NO_ID)
      return false;
  return true;
}

/* Files should hold nodes in the order in which they run, but not all do: what
 * is not ready waits for the next sweep. The first node that stays behind says
 * what it misses. */
static void run_nodes(ash_ox *m, const ash_onnx_graph *graph) {
  bool *done = ASH_NEW_ARRAY(&m->ctx->scratch, bool, graph->node_count + 1u);
  uint32_t left = graph->node_count, before = 0;
  if (!done) {
    m->status = ash_nomem(m->ctx);
    return;
  }
  for (uint32_t sweep = 0; left > 0 && m->status == ASH_OK; sweep++) {
    const bool last = left == before || sweep == SWEEPS_MAX;
    before = left;
    for (uint32_t i = 0; i < graph->node_count && m->status == ASH_OK; i++) {
      if (done[i] || (!last && !is_ready(m, &graph->nodes[i])))
        continue;
      m->node_index = i;
      ash_ox_run_node(m, &graph->nodes[i]);
      done[i] = true;
      left--;
    }
  }
}

void ash_ox_run_graph(ash_ox *m, const ash_onnx_graph *graph) {
  const ash_onnx_node *outer = m->node;
  if (++m->depth > DEPTH_MAX)
    ash_ox_refuse(m, "such a depth of nested graphs");
  for (uint32_t i = 0; i < graph->constant_count; i++)
    ash_ox_bind(m, graph->constants[i].name,
                ash_ox_from_tensor(m, &graph->constants[i]));
  for (uint32_t i = 0; i < graph->node_count && m->status == ASH_OK; i++) {
    m->node_index = m->depth == 1 ? i : m->node_index;
    ash_ox_run_node(m, &graph->nodes[i]);
  }
  m->depth--;
  m->node = outer;
}

enum { AS_INPUTS = 64 };

uint32_t ash_ox_run_as(ash_ox *m, const char *type, const uint32_t *inputs,
                       uint32_t count) {
  const ash_onnx_node *outer = m->node;
  ash_onnx_node node = *outer;
  const char *names[AS_INPUTS];
  if (count > AS_INPUTS || outer->output_count < 1) {
    ash_ox_refuse(m, "this number of inputs");
    return ASH_NO_ID;
  }
  for (uint32_t k = 0; k < count; k++) {
    names[k] = "";
    if (inputs[k] == ASH_NO_ID)
      continue;
    names[k] = ash_zone_format(&m->g->zone, "\x01%u", m->made++);
    if (m->status == ASH_OK)
      m->status = ash_zone_check(m->ctx, &m->g->zone);
    if (m->status == ASH_OK)
      ash_ox_bind(m, names[k], inputs[k]);
  }
  node.type = type;
  node.domain = "";
  node.inputs = names;
  node.input_count = count;
  node.output_count = 1;
  if (m->status == ASH_OK)
    ash_ox_run_node(m, &node);
  m->node = outer;
  return m->status == ASH_OK ? ash_ox_find(m, node.outputs[0]) : ASH_NO_ID;
}

/* ---- outputs ------------------------------------------------------------- */

/* The elements that the model declares; false if it leaves that open. */
static bool declared_elements(const ash_onnx_value *v, uint64_t *out) {
  *out = 1;
  for (uint32_t i = 0; v->has_shape && i < v->rank; i++) {
    if (v->dims[i].value < 0 || v->dims[i].value > INT32_MAX ||
        *out > UINT32_MAX)
      return false;
    *out *= (uint64_t)v->dims[i].value;
  }
  return v->has_shape;
}

/* Networks whose floats hold integers (QuantLib, Deeploy) declare int32. */
static void check_type(ash_ox *m, const ash_onnx_value *v, ash_type type) {
  const ash_load_options *o = m->options;
  const char *said = ash_type_text(v->type), *made = ash_type_text(type);
  const bool told =
      o && (o->integers || o->input_type_count || o->output_type_count);
  if (m->status != ASH_OK || v->type == ASH_NONE || v->type == type || told)
    return;
  if (v->type != ASH_INT32 || type != ASH_FLOAT32) {
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
                "output '%s' is declared as %s, the model makes %s", v->name,
                said, made);
    return;
  }
  ash_loc at = ASH_NOWHERE;
  at.file = m->file;
  ash_warn(m->ctx, ASH_D_onnx_node, at,
           "output '%s' is declared as %s, the model makes %s", v->name, said,
           made);
  ash_hint(m->ctx, "--integers reads floats that hold integers as int32");
}

/* What the model says of its output must be what it makes. Shapes of the same
 * elements are the same bytes; shapes that the caller gives for inputs may
 * change those of outputs. */
static void check_declared(ash_ox *m, const ash_onnx_value *v, uint32_t id) {
  const ash_load_options *o = m->options;
  const ash_tensor *t = ash_ox_t(m, id);
  const bool given = o && (o->input_shape_count || o->constant_count);
  char text[ASH_SHAPE_TEXT];
  uint64_t elements;
  if (declared_elements(v, &elements) && !given &&
      elements != ash_shape_elements(&t->shape))
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
                "output '%s' is declared with %" PRIu64
                " elements, the model makes %s",
                v->name, elements, ash_shape_text(text, &t->shape));
}

/* An output of the model must be computed, once: constants, inputs and second
 * names are copied. */
static uint32_t own_output(ash_ox *m, uint32_t id, const uint32_t *before,
                           uint32_t count, const char *name) {
  bool copy = ash_ox_t(m, id)->kind != ASH_TENSOR_ACTIVATION;
  for (uint32_t i = 0; i < count; i++)
    copy = copy || before[i] == id;
  if (!copy || m->status != ASH_OK)
    return id;
  const ash_tensor from = *ash_ox_t(m, id);
  uint32_t out, op;
  m->status = ash_graph_add_tensor(m->g, &out,
                                   (ash_tensor){.name = name,
                                                .kind = ASH_TENSOR_ACTIVATION,
                                                .type = from.type,
                                                .shape = from.shape,
                                                .file_byte = UINT64_MAX});
  const char *op_id = ash_zone_format(&m->g->zone, "copy_%u", m->made++);
  if (m->status == ASH_OK)
    m->status = ash_graph_add_op(m->g, &op,
                                 (ash_op){.kind = ASH_OP_reshape,
                                          .source_index = m->node_index,
                                          .id = op_id,
                                          .input_count = 1,
                                          .output_count = 1,
                                          .inputs = &id,
                                          .outputs = &out});
  return out;
}

/* Outputs of the graph: more than the model's, where those are sequences. */
typedef struct ends {
  uint32_t *ids;
  uint32_t count;
} ends;

static void add_output(ash_ox *m, ends *e, const ash_onnx_value *v, uint32_t id,
                       const char *name) {
  ash_ox_bind(m, name, id);
  check_type(m, v, ash_ox_type(m, id));
  id = own_output(m, id, e->ids, e->count, name);
  e->ids[e->count++] = id;
}

/* The tensors of a sequence have its name and their number. */
static void add_members(ash_ox *m, ends *e, const ash_onnx_value *v,
                        uint32_t id) {
  uint32_t count = 0;
  const uint32_t *members =
      ash_ox_is_nothing(m, id) ? NULL : ash_ox_members(m, id, &count);
  for (uint32_t i = 0; i < count && m->status == ASH_OK; i++) {
    const char *name = ash_zone_format(&m->g->zone, "%s_%u", v->name, i);
    m->status = ash_zone_check(m->ctx, &m->g->zone);
    add_output(m, e, v, members[i], name);
  }
}

static uint32_t most_outputs(ash_ox *m, const ash_onnx_graph *graph) {
  uint32_t all = 0;
  for (uint32_t i = 0; i < graph->output_count && m->status == ASH_OK; i++) {
    const uint32_t id = ash_ox_find(m, graph->outputs[i].name);
    uint32_t count = 1;
    if (ash_ox_is_sequence(id) && !ash_ox_is_nothing(m, id))
      (void)ash_ox_members(m, id, &count);
    all += count;
  }
  return all;
}

static void add_outputs(ash_ox *m) {
  const ash_onnx_graph *graph = &m->model->graph;
  m->node = NULL;
  ends e = {.ids = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t,
                                 most_outputs(m, graph) + 1u)};
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  for (uint32_t i = 0; i < graph->output_count && m->status == ASH_OK; i++) {
    const ash_onnx_value *v = &graph->outputs[i];
    const uint32_t id = ash_ox_find(m, v->name);
    if (ash_ox_is_sequence(id)) {
      add_members(m, &e, v, id);
      continue;
    }
    if (id == ASH_NO_ID)
      ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
                  "nothing makes output '%s' of the model", v->name);
    check_declared(m, v, id);
    add_output(m, &e, v, id, v->name);
  }
  if (m->status == ASH_OK && e.count == 0)
    ash_ox_bad(m, "it has no output");
  if (m->status == ASH_OK)
    m->status = ash_graph_set_outputs(m->g, e.ids, e.count);
}

/* ---- entry --------------------------------------------------------------- */

static int64_t opset_of(const ash_onnx_model *model) {
  for (uint32_t i = 0; i < model->opset_count; i++)
    if (*model->opsets[i].domain == '\0' ||
        strcmp(model->opsets[i].domain, "ai.onnx") == 0)
      return model->opsets[i].version;
  return 1;
}

static const char *graph_name(ash_ctx *ctx, const char *file) {
  const char *slash = file ? strrchr(file, '/') : NULL;
  char *name = ash_zone_string(&ctx->scratch, slash  ? slash + 1
                                              : file ? file
                                                     : "model");
  char *dot = name ? strrchr(name, '.') : NULL;
  if (dot && dot != name)
    *dot = '\0';
  return name;
}

static ash_status import(ash_ox *m, const uint8_t *bytes, size_t count) {
  m->model = ASH_NEW(&m->g->zone, ash_onnx_model);
  ASH_TRY(ash_zone_check(m->ctx, &m->g->zone));
  ASH_TRY(ash_onnx_read_model(m->ctx, m->model, &m->g->zone, bytes, count,
                              m->file));
  m->opset = opset_of(m->model);
  for (uint32_t i = 0; i < m->model->opset_count; i++)
    m->quantlib =
        m->quantlib || strcmp(m->model->opsets[i].domain, "PACTOps") == 0;
  m->depth = 1;
  for (uint32_t i = 0; i < m->model->graph.constant_count; i++)
    ash_ox_bind(m, m->model->graph.constants[i].name,
                ash_ox_from_tensor(m, &m->model->graph.constants[i]));
  ash_ox_add_inputs(m);
  if (m->status == ASH_OK)
    run_nodes(m, &m->model->graph);
  if (m->status == ASH_OK)
    add_outputs(m);
  return m->status == ASH_OK ? ash_graph_compact(m->g) : m->status;
}

ash_status ash_read_onnx(ash_ctx *ctx, ash_graph **out, const uint8_t *bytes,
                         size_t count, const char *file,
                         const ash_load_options *options) {
  ash_ox m = {.ctx = ctx, .file = file, .options = options};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  *out = NULL;
  ash_status status = ash_graph_new(ctx, &m.g, graph_name(ctx, file), file);
  if (status == ASH_OK)
    status = import(&m, bytes, count);
  if (m.outside.name)
    ash_file_drop(&m.outside.file);
  ash_zone_rewind(&ctx->scratch, mark);
  if (status == ASH_OK)
    *out = m.g;
  else
    ash_graph_free(m.g);
  return status;
}
