/* qdq_table.c - functions of one 8-bit value as a table of their 256 results.
 *
 *   y8 = quantize(f(dequantize(x8)))   ->   y8 = lookup(x8, table)
 *
 * Whatever stands between: every operator works element by element and needs
 * nothing but x8 and single numbers. They are run by the reference, on a graph
 * of their own whose input holds all values, so the table is exact. */
#include "pass/quantise/qdq.h"

#include "ref/ref.h"

#include <math.h>
#include <string.h>

enum { OPS_MAX = 32, RESULTS = 256 };

/* The operators between, the last first. */
typedef struct way {
  uint32_t ops[OPS_MAX], count;
  uint32_t leaf; /* the 8-bit tensor */
} way;

static bool is_eight(const ash_tensor *t) {
  return t->type == ASH_INT8 || t->type == ASH_UINT8;
}

static bool is_number(const ash_tensor *t) {
  return t->kind == ASH_TENSOR_CONSTANT && t->data &&
         ash_shape_elements(&t->shape) == 1;
}

static bool is_elementwise(const ash_op *o) {
  return ash_op_has(o, ASH_OP_ELEMENTWISE) && o->output_count == 1 &&
         o->kind != ASH_OP_lookup;
}

static bool is_listed(const way *w, uint32_t op) {
  for (uint32_t i = 0; i < w->count; i++)
    if (w->ops[i] == op)
      return true;
  return false;
}

/* Adds the op that makes `tensor`; false where the way leads elsewhere. */
static bool follow(const ash_qdq *q, way *w, uint32_t tensor) {
  const ash_tensor *t = &q->g->tensors.items[tensor];
  if (is_number(t))
    return true;
  if (is_eight(t)) {
    const bool same = w->leaf == ASH_NO_ID || w->leaf == tensor;
    w->leaf = tensor;
    return same;
  }
  const ash_op *o = ash_qdq_writer(q, tensor);
  if (!o || !is_elementwise(o))
    return false;
  const uint32_t op = q->uses.writer[tensor];
  if (is_listed(w, op))
    return true;
  if (w->count == OPS_MAX)
    return false;
  w->ops[w->count++] = op;
  return true;
}

static bool find_way(const ash_qdq *q, const ash_sink *s, way *w) {
  *w = (way){.ops = {s->cast}, .count = 1, .leaf = ASH_NO_ID};
  for (uint32_t i = 0; i < w->count; i++) {
    const ash_op *o = &q->g->ops.items[w->ops[i]];
    for (uint32_t k = 0; k < o->input_count; k++)
      if (o->inputs[k] != ASH_NO_ID && !follow(q, w, o->inputs[k]))
        return false;
  }
  return w->leaf != ASH_NO_ID &&
         ash_shape_equal(&q->g->tensors.items[w->leaf].shape,
                         &q->g->tensors.items[s->out.tensor].shape);
}

/* In the order of the graph. */
static void order(way *w) {
  for (uint32_t i = 1; i < w->count; i++)
    for (uint32_t k = i; k > 0 && w->ops[k] < w->ops[k - 1]; k--) {
      const uint32_t op = w->ops[k];
      w->ops[k] = w->ops[k - 1];
      w->ops[k - 1] = op;
    }
}

/* A tensor of the small graph for one of the large: 256 values, or the number
 * that it is. `ids` has those that exist. */
static ash_status twin(const ash_qdq *q, ash_graph *small, uint32_t *ids,
                       uint32_t tensor, bool input, uint32_t *out) {
  ash_tensor t = q->g->tensors.items[tensor];
  if (ids[tensor] != ASH_NO_ID) {
    *out = ids[tensor];
    return ASH_OK;
  }
  t.id = NULL;
  t.quant = (ash_quant){0};
  t.is_output = false;
  if (!is_number(&t)) {
    t.kind = input ? ASH_TENSOR_INPUT : ASH_TENSOR_ACTIVATION;
    t.shape = (ash_shape){1, {RESULTS}};
  }
  ASH_TRY(ash_graph_add_tensor(small, out, t));
  ids[tensor] = *out;
  return ASH_OK;
}

static ash_status copy_op(const ash_qdq *q, ash_graph *small, uint32_t *ids,
                          uint32_t op) {
  ash_op o = q->g->ops.items[op];
  uint32_t inputs[8], output, ignored;
  if (o.input_count > ASH_COUNT_OF(inputs))
    return ASH_OK;
  for (uint32_t k = 0; k < o.input_count; k++) {
    inputs[k] = ASH_NO_ID;
    if (o.inputs[k] != ASH_NO_ID)
      ASH_TRY(twin(q, small, ids, o.inputs[k], false, &inputs[k]));
  }
  ASH_TRY(twin(q, small, ids, o.outputs[0], false, &output));
  o.inputs = inputs;
  o.outputs = &output;
  return ash_graph_add_op(small, &ignored, o);
}

static ash_status build(const ash_qdq *q, ash_graph *small, const way *w,
                        uint32_t last) {
  uint32_t in, *ids = ASH_NEW_ARRAY(&q->ctx->scratch, uint32_t, q->known + 1);
  ASH_TRY(ash_zone_check(q->ctx, &q->ctx->scratch));
  memset(ids, 0xff, (q->known + 1) * sizeof *ids);
  ASH_TRY(twin(q, small, ids, w->leaf, true, &in));
  ASH_TRY(ash_graph_set_inputs(small, &in, 1));
  for (uint32_t i = 0; i < w->count; i++)
    ASH_TRY(copy_op(q, small, ids, w->ops[i]));
  return ash_graph_set_outputs(small, &ids[last], 1);
}

/* All values of the leaf, from the smallest on, through the small graph. */
static ash_status run(const ash_qdq *q, const way *w, uint32_t last,
                      uint8_t *results) {
  ash_graph *small;
  uint8_t values[RESULTS];
  const void *inputs[] = {values};
  void *outputs[] = {results};
  const uint8_t turn = q->g->tensors.items[w->leaf].type == ASH_INT8 ? 128 : 0;
  for (uint32_t i = 0; i < RESULTS; i++)
    values[i] = (uint8_t)(i ^ turn);
  ASH_TRY(ash_graph_new(q->ctx, &small, "table", NULL));
  ash_status status = build(q, small, w, last);
  if (status == ASH_OK)
    status = ash_ref_run(q->ctx, small, inputs, outputs);
  ash_graph_free(small);
  return status;
}

/* What the leaf's codes mean, if that was their first use. */
static ash_codes meaning(const ash_qdq *q, const way *w) {
  const ash_type type = q->g->tensors.items[w->leaf].type;
  ash_codes l;
  for (uint32_t i = 0; i < w->count; i++)
    if (ash_qdq_source(q, q->g->ops.items[w->ops[i]].outputs[0], &l))
      return l;
  return (ash_codes){w->leaf, type, 1.0f, type == ASH_INT8 ? 0 : 128};
}

ash_status ash_qdq_rescaled(ash_qdq *q, const ash_codes *from,
                            const ash_codes *to, uint32_t *table) {
  static const ash_shape all = {1, {RESULTS}};
  int8_t *results = ASH_NEW_ARRAY(&q->g->zone, int8_t, RESULTS);
  const char *id = ash_zone_format(&q->g->zone, "table_%u", q->made++);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  ASH_ASSERT(from->type == ASH_INT8 && to->type == ASH_INT8);
  for (int32_t i = 0; i < RESULTS; i++) {
    const float real = (float)(i - 128 - from->zero) * from->scale;
    const float code = rintf(real / to->scale) + (float)to->zero;
    results[i] = (int8_t)fminf(fmaxf(code, -128), 127);
  }
  return ash_graph_add_constant(q->g, table, id, ASH_INT8, &all, results);
}

ash_status ash_qdq_table(ash_qdq *q, const ash_sink *s, ash_codes *leaf,
                         uint32_t *table) {
  static const ash_shape all = {1, {RESULTS}};
  way w;
  *table = ASH_NO_ID;
  if (!find_way(q, s, &w))
    return ASH_OK;
  order(&w);
  uint8_t *results = ASH_NEW_ARRAY(&q->g->zone, uint8_t, RESULTS);
  const char *id = ash_zone_format(&q->g->zone, "table_%u", q->made++);
  ASH_TRY(ash_zone_check(q->ctx, &q->g->zone));
  const ash_mark mark = ash_zone_mark(&q->ctx->scratch);
  const ash_status status = run(q, &w, s->out.tensor, results);
  ash_zone_rewind(&q->ctx->scratch, mark);
  ASH_TRY(status);
  if (s->out.type == ASH_UINT8) /* the kernel works on int8 */
    for (uint32_t i = 0; i < RESULTS; i++)
      results[i] ^= 128;
  *leaf = meaning(q, &w);
  return ash_graph_add_constant(q->g, table, id, ASH_INT8, &all, results);
}
