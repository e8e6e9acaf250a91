/* onnx_inline.c - functions that a model brings along: their nodes are read in
 * the place of the node that calls them.
 *
 * A function has names of its own. What the model calls by the same names is
 * put aside and comes back afterwards. */
#include "read/onnx/onnx_import.h"

#include <string.h>

enum { DEPTH_MAX = 8, NAMES_MAX = 4096 };

/* Names that the function uses, and what they were before. */
typedef struct aside {
  const char *name;
  uint32_t was;
} aside;

typedef struct scope {
  const ash_onnx_function *f;
  const ash_onnx_node *call;
  aside *names;
  uint32_t count;
} scope;

const ash_onnx_function *ash_ox_function_of(const ash_ox *m,
                                            const ash_onnx_node *node) {
  for (uint32_t i = 0; i < m->model->function_count; i++) {
    const ash_onnx_function *f = &m->model->functions[i];
    if (strcmp(f->name, node->type) == 0 &&
        strcmp(f->domain, node->domain) == 0)
      return f;
  }
  return NULL;
}

/* Puts the name's meaning aside; the function begins without it. */
static void put_aside(ash_ox *m, scope *s, const char *name) {
  s->names[s->count++] = (aside){name, ash_ox_find(m, name)};
  ash_ox_unbind(m, name);
}

static bool open_scope(ash_ox *m, scope *s) {
  uint64_t names = s->f->input_count;
  for (uint32_t i = 0; i < s->f->node_count; i++)
    names += s->f->nodes[i].output_count;
  if (names > NAMES_MAX || m->depth >= DEPTH_MAX ||
      s->call->input_count > s->f->input_count ||
      s->call->output_count > s->f->output_count) {
    ash_ox_refuse(m, "such a call of a function");
    return false;
  }
  s->names = ASH_NEW_ARRAY(&m->g->zone, aside, (size_t)names + 1);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->g->zone);
  return m->status == ASH_OK;
}

/* Arguments are looked up before any name is put aside. */
static void bind_inputs(ash_ox *m, scope *s) {
  const ash_onnx_function *f = s->f;
  uint32_t *ids =
      ASH_NEW_ARRAY(&m->g->zone, uint32_t, (size_t)f->input_count + 1);
  m->status = ash_zone_check(m->ctx, &m->g->zone);
  for (uint32_t k = 0; k < f->input_count && m->status == ASH_OK; k++)
    ids[k] = ash_ox_has(m, k) ? ash_ox_in_any(m, k) : ASH_NO_ID;
  if (m->status != ASH_OK)
    return;
  for (uint32_t k = 0; k < f->input_count; k++)
    put_aside(m, s, f->inputs[k]);
  for (uint32_t i = 0; i < f->node_count; i++)
    for (uint32_t k = 0; k < f->nodes[i].output_count; k++)
      put_aside(m, s, f->nodes[i].outputs[k]);
  for (uint32_t k = 0; k < f->input_count; k++)
    if (ids[k] != ASH_NO_ID)
      ash_ox_bind(m, f->inputs[k], ids[k]);
}

static const ash_onnx_attr *find_attr(const ash_onnx_attr *all, uint32_t count,
                                      const char *name) {
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(all[i].name, name) == 0)
      return &all[i];
  return NULL;
}

/* Attributes that refer to the caller's get their values, or the function's
 * defaults, or are left out. */
static void resolve_attrs(ash_ox *m, const scope *s, ash_onnx_node *n) {
  ash_onnx_attr *attrs =
      ASH_NEW_ARRAY(&m->g->zone, ash_onnx_attr, (size_t)n->attr_count + 1);
  uint32_t kept = 0;
  m->status = ash_zone_check(m->ctx, &m->g->zone);
  for (uint32_t i = 0; i < n->attr_count && m->status == ASH_OK; i++) {
    const ash_onnx_attr *a = &n->attrs[i];
    const char *name = a->name;
    if (*a->ref) {
      const char *ref = a->ref;
      a = find_attr(s->call->attrs, s->call->attr_count, ref);
      if (!a)
        a = find_attr(s->f->defaults, s->f->default_count, ref);
    }
    if (!a)
      continue;
    attrs[kept] = *a;
    attrs[kept].name = name;
    attrs[kept++].ref = "";
  }
  n->attrs = attrs;
  n->attr_count = kept;
}

/* An input of the function that the call leaves out is absent. */
static void resolve_inputs(ash_ox *m, const scope *s, ash_onnx_node *n) {
  const char **inputs =
      ASH_NEW_ARRAY(&m->g->zone, const char *, (size_t)n->input_count + 1);
  m->status = ash_zone_check(m->ctx, &m->g->zone);
  for (uint32_t k = 0; k < n->input_count && m->status == ASH_OK; k++) {
    inputs[k] = n->inputs[k];
    for (uint32_t i = 0; i < s->f->input_count; i++)
      if (strcmp(inputs[k], s->f->inputs[i]) == 0 &&
          ash_ox_find(m, inputs[k]) == ASH_NO_ID)
        inputs[k] = "";
  }
  n->inputs = inputs;
}

static void run_nodes(ash_ox *m, const scope *s) {
  for (uint32_t i = 0; i < s->f->node_count && m->status == ASH_OK; i++) {
    ash_onnx_node n = s->f->nodes[i];
    resolve_attrs(m, s, &n);
    if (m->status == ASH_OK)
      resolve_inputs(m, s, &n);
    if (m->status == ASH_OK)
      ash_ox_run_node(m, &n);
  }
}

/* Results are looked up, the model's names come back, then results are named.
 */
static void close_scope(ash_ox *m, scope *s) {
  const uint32_t outputs = s->call->output_count;
  uint32_t *ids = ASH_NEW_ARRAY(&m->g->zone, uint32_t, (size_t)outputs + 1);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->g->zone);
  if (m->status != ASH_OK)
    return;
  for (uint32_t k = 0; k < outputs; k++)
    ids[k] = ash_ox_find(m, s->f->outputs[k]);
  while (s->count > 0) {
    const aside *a = &s->names[--s->count];
    ash_ox_unbind(m, a->name);
    if (a->was != ASH_NO_ID)
      ash_ox_bind(m, a->name, a->was);
  }
  m->node = s->call;
  for (uint32_t k = 0; k < outputs; k++)
    if (ids[k] != ASH_NO_ID)
      ash_ox_out(m, k, ids[k]);
    else if (ash_ox_wants(m, k))
      ash_ox_bad(m, "nothing makes an output of the function");
}

void ash_ox_inline(ash_ox *m, const ash_onnx_function *f,
                   const ash_onnx_node *node) {
  const int64_t opset = m->opset;
  const ash_onnx_node *outer = m->node;
  scope s = {.f = f, .call = node};
  m->node = node;
  if (m->status != ASH_OK || !open_scope(m, &s))
    return;
  bind_inputs(m, &s);
  for (uint32_t i = 0; i < f->opset_count; i++)
    if (*f->opsets[i].domain == '\0')
      m->opset = f->opsets[i].version;
  m->depth++;
  run_nodes(m, &s);
  m->depth--;
  m->opset = opset;
  close_scope(m, &s);
  m->node = outer ? outer : node;
}
