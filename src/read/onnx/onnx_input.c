/* onnx_input.c - inputs of an ONNX model: the shapes that the file declares,
 * those that the caller gives, and inputs that the caller makes constants. */
#include "read/given.h"
#include "read/onnx/sequence/sequence.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- shapes -------------------------------------------------------------- */

/* Is the batch, the first of several dimensions, open? Then it is 1. */
static bool opens_batch(const ash_onnx_value *v) {
  return v->has_shape && v->rank > 1 && v->dims[0].value < 0;
}

static bool declared_shape(ash_shape *out, const ash_onnx_value *v) {
  *out = (ash_shape){.rank = v->rank};
  if (!v->has_shape || v->rank > ASH_RANK_MAX)
    return false;
  for (uint32_t i = 0; i < v->rank; i++) {
    const int64_t value = i == 0 && opens_batch(v) ? 1 : v->dims[i].value;
    if (value < 0 || value > INT32_MAX)
      return false;
    out->dim[i] = (int32_t)value;
  }
  return true;
}

enum { TEXT = 200 };

/* "N,3,H,32": what is open has its name, or the batch is 1. */
static const char *dims_text(char *buf, const ash_onnx_value *v, bool fixed) {
  size_t used = 0;
  buf[0] = '\0';
  for (uint32_t i = 0; i < v->rank && used < TEXT; i++) {
    const ash_onnx_dim *d = &v->dims[i];
    const char *comma = i ? "," : "";
    const bool one = i == 0 && fixed && opens_batch(v);
    const int n = d->value >= 0 || one
                      ? snprintf(buf + used, TEXT - used, "%s%" PRId64, comma,
                                 one ? 1 : d->value)
                      : snprintf(buf + used, TEXT - used, "%s%.40s", comma,
                                 d->name && *d->name ? d->name : "?");
    used += n > 0 ? (size_t)n : TEXT;
  }
  return buf;
}

static ash_loc at_input(const ash_ox *m, const ash_onnx_value *v,
                        uint32_t index) {
  ash_loc at = ASH_NOWHERE;
  at.file = m->file;
  at.tensor = index;
  at.tensor_name = v->name;
  return at;
}

/* How many tensors a sequence has, no file says. */
static ash_status check_sequence(ash_ox *m, const ash_onnx_value *v,
                                 uint32_t index) {
  if (v->type == ASH_NONE || ash_given_shape(m->options, v->name))
    return ASH_OK;
  const ash_status got = ash_fail(
      m->ctx, ASH_UNSUPPORTED, ASH_D_input_open, at_input(m, v, index),
      "input '%.200s' is a sequence, of how many tensors is open", v->name);
  ash_hint(m->ctx,
           "give the shapes of its tensors, with slashes between them: "
           "--input-shape %.200s=1,3/1,3; none for no tensor",
           v->name);
  return got;
}

/* All open inputs are named, each with an option that fixes it. */
static ash_status check_open(ash_ox *m, const ash_onnx_value *v,
                             uint32_t index) {
  char open[TEXT], fixed[TEXT];
  ash_shape shape;
  if (v->is_sequence)
    return check_sequence(m, v, index);
  if (v->type == ASH_NONE || ash_ox_find(m, v->name) != ASH_NO_ID ||
      ash_given_shape(m->options, v->name) || declared_shape(&shape, v))
    return ASH_OK;
  const ash_status got =
      ash_fail(m->ctx, ASH_UNSUPPORTED, ASH_D_input_open, at_input(m, v, index),
               v->has_shape ? "input '%.200s' leaves its shape open: [%s]"
                            : "input '%.200s' has no shape in the file%.0s",
               v->name, dims_text(open, v, false));
  ash_hint(m->ctx, "fix it with --input-shape %.200s=%s", v->name,
           v->has_shape ? dims_text(fixed, v, true) : "1,3,32,32");
  return got;
}

static void note_batch(ash_ox *m, const ash_onnx_value *v, uint32_t index) {
  char open[TEXT], fixed[TEXT];
  ash_note(m->ctx, ASH_D_tensor_assumed, at_input(m, v, index),
           "shape [%s] is not fixed; compiled for [%s]",
           dims_text(open, v, false), dims_text(fixed, v, true));
}

static ash_shape input_shape(ash_ox *m, const ash_onnx_value *v,
                             uint32_t index) {
  const char *given = ash_given_shape(m->options, v->name);
  ash_shape shape = {0};
  if (given)
    m->status = ash_given_read_shape(m->ctx, &shape, given, v->name);
  else if (declared_shape(&shape, v) && opens_batch(v))
    note_batch(m, v, index);
  return shape;
}

/* Names first: whoever mistypes one has not fixed the input. */
static ash_status check_inputs(ash_ox *m, const ash_onnx_graph *graph) {
  const char **names =
      ASH_NEW_ARRAY(&m->ctx->scratch, const char *, graph->input_count + 1u);
  ash_status first = ASH_OK;
  ASH_TRY(ash_zone_check(m->ctx, &m->ctx->scratch));
  for (uint32_t i = 0; i < graph->input_count; i++)
    names[i] = graph->inputs[i].name;
  ASH_TRY(
      ash_given_check(m->ctx, m->options, names, graph->input_count, m->file));
  for (uint32_t i = 0; i < graph->input_count; i++) {
    const ash_status got = check_open(m, &graph->inputs[i], i);
    first = first == ASH_OK ? got : first;
  }
  return first;
}

/* ---- values -------------------------------------------------------------- */

/* A constant from "1,2,3", in the shape that the input has. */
static uint32_t given_constant(ash_ox *m, ash_type type, ash_shape shape,
                               const char *text, const char *name) {
  const uint64_t count = ash_shape_elements(&shape);
  const int64_t width = ash_type_bits(type) / 8;
  uint32_t id = ASH_NO_ID;
  if (width == 0 || count > 4096) {
    ash_ox_refuse(m, "a constant of this type or size on the command line");
    return ASH_NO_ID;
  }
  uint32_t *parts = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, count + 1);
  if (!parts) {
    m->status = ash_nomem(m->ctx);
    return ASH_NO_ID;
  }
  for (uint64_t i = 0; i < count && m->status == ASH_OK; i++) {
    double value = 0;
    if (!ash_given_number(&text, &value) || (i + 1 < count) != (*text == ','))
      ash_ox_fail(m, ASH_MISUSE, ASH_D_input_open,
                  "constant '%s' needs %" PRIu64 " numbers", name, count);
    text += *text == ',';
    parts[i] =
        ash_ox_reshape(m, ash_ox_scalar(m, type, value), (ash_shape){1, {1}});
  }
  if (count == 0)
    id = ash_ox_constant(m, type, shape, NULL);
  else {
    const ash_ox_op op = {.kind = ASH_OP_concatenation,
                          .attrs = {ASH_INT_ATTR("axis", 0)},
                          .attr_count = 1};
    ash_ox_add_any(m, &op, parts, (uint32_t)count, &type, 1, &id);
    id = ash_ox_reshape(m, id, shape);
  }
  return id;
}

static ash_type input_type(const ash_ox *m, const ash_onnx_value *v) {
  const bool integers = m->options && m->options->integers;
  return integers && v->type == ASH_FLOAT32 ? ASH_INT32 : v->type;
}

/* Inputs of the graph: more than the model's, where those are sequences. */
typedef struct ends {
  uint32_t *ids;
  size_t count;
} ends;

static uint32_t new_input(ash_ox *m, ends *e, const ash_onnx_value *v,
                          const char *name, ash_shape shape) {
  uint32_t id = ASH_NO_ID;
  if (m->status == ASH_OK)
    m->status = ash_graph_add_tensor(m->g, &id,
                                     (ash_tensor){.name = name,
                                                  .kind = ASH_TENSOR_INPUT,
                                                  .type = input_type(m, v),
                                                  .shape = shape,
                                                  .file_byte = UINT64_MAX});
  if (m->status == ASH_OK)
    e->ids[e->count++] = id;
  return id;
}

/* "2,3/4": shapes with slashes between them; "none" is no tensor. */
static uint32_t count_members(const char *text) {
  uint32_t count = strcmp(text, "none") != 0;
  for (const char *p = text; count > 0 && (p = strchr(p, '/')) != NULL; p++)
    count++;
  return count;
}

static uint32_t add_members(ash_ox *m, ends *e, const ash_onnx_value *v,
                            const char *text) {
  const uint32_t count = count_members(text);
  uint32_t *ids = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, count + 1u);
  m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  for (uint32_t i = 0; i < count && m->status == ASH_OK; i++) {
    const size_t n = strcspn(text, "/");
    const char *part = ash_zone_format(&m->ctx->scratch, "%.*s", (int)n, text);
    const char *name = ash_zone_format(&m->g->zone, "%s_%u", v->name, i);
    ash_shape shape = {0};
    text += n + (text[n] == '/');
    m->status = part && name ? ash_given_read_shape(m->ctx, &shape, part, name)
                             : ash_nomem(m->ctx);
    ids[i] = new_input(m, e, v, name, shape);
  }
  return ash_ox_sequence(m, ids, count);
}

static void add_input(ash_ox *m, uint32_t index, ends *e) {
  const ash_onnx_value *v = &m->model->graph.inputs[index];
  const char *fixed = ash_given_constant(m->options, v->name);
  const char *given = ash_given_shape(m->options, v->name);
  if (m->status != ASH_OK || ash_ox_find(m, v->name) != ASH_NO_ID)
    return; /* an initialiser */
  if (v->type == ASH_NONE) {
    ash_ox_fail(m, ASH_UNSUPPORTED, ASH_D_onnx_type,
                v->type_number ? "input '%s' has element type %s"
                               : "input '%s' is a map, or a sequence of "
                                 "others than tensors%.0s",
                v->name, ash_onnx_type_text(v->type_number));
    return;
  }
  if (given && v->is_optional && strcmp(given, "none") == 0) {
    ash_ox_bind(m, v->name, ash_ox_nothing(m));
    return;
  }
  if (v->is_sequence) {
    ash_ox_bind(m, v->name, add_members(m, e, v, given));
    return;
  }
  const ash_shape shape = input_shape(m, v, index);
  if (m->status != ASH_OK)
    return;
  ash_ox_bind(m, v->name,
              fixed ? given_constant(m, v->type, shape, fixed, v->name)
                    : new_input(m, e, v, v->name, shape));
}

static uint32_t most_inputs(const ash_ox *m, const ash_onnx_graph *graph) {
  uint32_t all = graph->input_count;
  for (uint32_t i = 0; i < graph->input_count; i++) {
    const ash_onnx_value *v = &graph->inputs[i];
    const char *given = ash_given_shape(m->options, v->name);
    all += v->is_sequence && given ? count_members(given) : 0;
  }
  return all;
}

void ash_ox_add_inputs(ash_ox *m) {
  if (m->status != ASH_OK)
    return;
  const ash_onnx_graph *graph = &m->model->graph;
  ends e = {.ids = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t,
                                 most_inputs(m, graph) + 1u)};
  if (!e.ids) {
    m->status = ash_nomem(m->ctx);
    return;
  }
  m->status = check_inputs(m, graph);
  for (uint32_t i = 0; i < graph->input_count; i++)
    add_input(m, i, &e);
  if (m->status == ASH_OK)
    m->status = ash_graph_set_inputs(m->g, e.ids, e.count);
}
