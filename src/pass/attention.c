/* attention.c - softmax(Q K') V becomes one operator, which keeps the scores of
 * one row instead of the matrix of all.
 *
 *   s = matmul(q, k); s = mul(s, c); s = add(s, mask); p = softmax(s)
 *   y = matmul(p, v)            ->            y = attention(q, k, v, mask)
 *
 * Rows are independent of each other and each is rounded as before, so that no
 * result changes (docs/numerics.md). A transposition of the keys and heads that
 * are repeated for grouped queries are taken in. Keys and values are needed at
 * the same time then: where values are made only after the scores, the pass
 * leaves the operators alone unless what it saves has room for them. */
#include "pass/pass.h"

#include "op/functions.h"
#include "pass/uses.h"

#include <string.h>

enum { SLACK = 64 }; /* alignment of the buffers */

typedef struct finder {
  ash_ctx *ctx;
  ash_graph *g;
  ash_uses uses;
  uint64_t room;          /* of the compute memory; 0: there is none */
  bool has_fast_products; /* of int8: faster apart than the portable kernel */
} finder;

/* What was found, from the last operator to the first. */
typedef struct match {
  const ash_op *mix, *softmax, *scores; /* product, softmax, product  */
  uint32_t first;                       /* the index of `scores`      */
  uint32_t q, k, v, bias, keep;         /* tensors                    */
  int64_t kept;
  double factor, divisor, filler;
  bool turned;
  uint64_t spared; /* bytes of copies of the keys that are not needed */
} match;

static const ash_tensor *tensor(const finder *f, uint32_t t) {
  ASH_ASSERT(t < f->g->tensor_count);
  return &f->g->tensors.items[t];
}

/* The op that makes a value that nobody else reads, NULL if there is none. */
static const ash_op *maker(const finder *f, uint32_t t) {
  const uint32_t op = ash_uses_only(&f->uses, t);
  return op == ASH_NO_ID || f->uses.drop[op] ? NULL : &f->g->ops.items[op];
}

static bool is_map(const ash_op *op, ash_fn fn) {
  return op && op->kind == ASH_OP_map && ash_op_fn(op) == fn &&
         !ash_attr_find(op, "act");
}

/* A product of floats, or of int8 with one scale each. */
static bool is_product(const finder *f, const ash_op *op) {
  if (!op || op->kind != ASH_OP_matmul || op->input_count != 2 ||
      ash_attr_find(op, "low") || ash_attr_find(op, "high") ||
      ash_attr_int(op, "transpose_a", 0) != 0)
    return false;
  const ash_type type = ash_op_out(f->g, op, 0)->type;
  for (uint32_t k = 0; k < 2; k++) {
    const ash_tensor *t = ash_op_in(f->g, op, k);
    if (t->type != type || (type == ASH_INT8 && t->quant.count != 1))
      return false;
  }
  return type == ASH_FLOAT32 ||
         (type == ASH_INT8 && ash_op_out(f->g, op, 0)->quant.count == 1);
}

static int32_t last_dim(const ash_tensor *t) {
  return t->shape.rank ? t->shape.dim[t->shape.rank - 1] : 0;
}

/* Over reshapes that leave rows of `keys` elements alone. */
static uint32_t over_views(const finder *f, uint32_t t, int32_t keys) {
  const ash_op *op = maker(f, t);
  while (op && op->kind == ASH_OP_reshape &&
         last_dim(tensor(f, op->inputs[0])) == keys &&
         last_dim(tensor(f, t)) == keys) {
    t = op->inputs[0];
    op = maker(f, t);
  }
  return t;
}

/* A constant that is one number. */
static bool is_number(const finder *f, uint32_t t, double *out) {
  const ash_tensor *c = tensor(f, t);
  if (c->kind != ASH_TENSOR_CONSTANT || c->type != ASH_FLOAT32 ||
      ash_shape_elements(&c->shape) != 1)
    return false;
  *out = (double)ash_tensor_float(c, 0);
  return true;
}

/* ---- from the softmax back to the first product -------------------------- */

static bool find_product(finder *f, match *m, uint32_t t) {
  const ash_op *op = maker(f, t);
  double x;
  if (is_map(op, ASH_FN_mul) &&
      (is_number(f, op->inputs[1], &x) || is_number(f, op->inputs[0], &x))) {
    m->factor = x;
    t = op->inputs[is_number(f, op->inputs[1], &x) ? 0 : 1];
  } else if (is_map(op, ASH_FN_div) && is_number(f, op->inputs[1], &x)) {
    m->divisor = x;
    t = op->inputs[0];
  }
  op = maker(f, t);
  if (!is_product(f, op))
    return false;
  m->scores = op;
  m->first = f->uses.writer[t];
  return true;
}

/* The mask may be either operand of the sum. */
static bool find_sum(finder *f, match *m, uint32_t t) {
  const ash_op *op = maker(f, t);
  if (!is_map(op, ASH_FN_add))
    return find_product(f, m, t);
  for (uint32_t k = 0; k < 2; k++) {
    m->factor = m->divisor = 1.0;
    m->bias = op->inputs[1 - k];
    if (ash_shape_equal(&tensor(f, op->inputs[k])->shape,
                        &tensor(f, t)->shape) &&
        find_product(f, m, op->inputs[k]))
      return true;
  }
  return false;
}

/* select(mask, scores, number), or with the number first. */
static bool find_selection(finder *f, match *m, uint32_t t) {
  const ash_op *op = maker(f, t);
  if (!is_map(op, ASH_FN_select))
    return find_sum(f, m, t);
  m->keep = op->inputs[0];
  for (uint32_t k = 0; k < 2; k++)
    if (is_number(f, op->inputs[2 - k], &m->filler) &&
        ash_shape_equal(&tensor(f, op->inputs[1 + k])->shape,
                        &tensor(f, t)->shape)) {
      m->kept = 1 - (int64_t)k;
      return find_sum(f, m, op->inputs[1 + k]);
    }
  return false;
}

/* ---- keys and values ----------------------------------------------------- */

/* A transposition of the last two axes; its input or ASH_NO_ID. */
static uint32_t before_turn(const finder *f, uint32_t t) {
  const uint32_t by = f->uses.writer[t];
  const ash_op *op = by == ASH_NO_ID ? NULL : &f->g->ops.items[by];
  const uint32_t rank = tensor(f, t)->shape.rank;
  const ash_attr *perm =
      op && op->kind == ASH_OP_strided ? ash_attr_find(op, "perm") : NULL;
  if (!perm || perm->count != rank || rank < 2)
    return ASH_NO_ID;
  for (uint32_t d = 0; d < rank; d++) {
    const uint32_t from = d + 2 < rank ? d : 2 * rank - 3 - d;
    if (perm->ints[d] != (int64_t)from)
      return ASH_NO_ID;
  }
  return op->inputs[0];
}

/* Heads [b, h, n, d] that were repeated to [b, h, times, n, d], as one axis:
 * the op that repeats them, or ASH_NO_ID. */
static uint32_t repeater(const finder *f, uint32_t t) {
  const ash_op *view = maker(f, t);
  if (!view || view->kind != ASH_OP_reshape || tensor(f, t)->shape.rank != 4)
    return ASH_NO_ID;
  const ash_op *op = maker(f, view->inputs[0]);
  const ash_tensor *wide = tensor(f, view->inputs[0]);
  if (!op || op->kind != ASH_OP_strided || wide->shape.rank != 5 ||
      ash_attr_int(op, "offset", 0) != 0)
    return ASH_NO_ID;
  const int32_t *n = wide->shape.dim, *y = tensor(f, t)->shape.dim;
  int64_t step = 1;
  for (uint32_t d = 5; d-- > 0;) {
    if (ash_op_ints(op, "step", d, -1) != (d == 2 ? 0 : step) && n[d] != 1)
      return ASH_NO_ID;
    step *= d == 2 ? 1 : n[d];
  }
  const bool joined = y[0] == n[0] && y[1] == n[1] * n[2] && y[2] == n[3] &&
                      y[3] == n[4] && n[1] > 1 && n[2] > 1;
  const uint64_t bare = ash_shape_elements(&tensor(f, op->inputs[0])->shape);
  return joined && bare == (uint64_t)step ? f->uses.writer[view->inputs[0]]
                                          : ASH_NO_ID;
}

/* The repetition becomes a view of the heads that there are. */
static ash_status bare_heads(finder *f, uint32_t *t) {
  const uint32_t by = repeater(f, *t);
  if (by == ASH_NO_ID)
    return ASH_OK;
  ash_tensor bare = *tensor(f, f->g->ops.items[by].outputs[0]);
  const int32_t *n = bare.shape.dim;
  bare.id = NULL;
  bare.is_output = false;
  bare.shape = (ash_shape){4, {n[0], n[1], n[3], n[4]}};
  ASH_TRY(ash_graph_add_tensor(f->g, t, bare));
  ash_op *op = &f->g->ops.items[by];
  op->kind = ASH_OP_reshape;
  op->attr_count = 0;
  op->outputs[0] = *t;
  return ASH_OK;
}

static uint64_t bytes_of(const finder *f, uint32_t t) {
  return t == ASH_NO_ID ? 0 : tensor(f, t)->bytes;
}

static void find_keys(finder *f, match *m) {
  m->k = m->scores->inputs[1];
  m->turned = ash_attr_int(m->scores, "transpose_b", 0) == 0;
  const uint32_t before = m->turned ? before_turn(f, m->k) : ASH_NO_ID;
  if (before != ASH_NO_ID) {
    m->spared = f->uses.count[m->k] == 1 ? bytes_of(f, m->k) : 0;
    m->k = before;
    m->turned = false;
  }
}

/* ---- whether it may, and should ------------------------------------------ */

static bool same_batches(const ash_shape *a, const ash_shape *b) {
  if (a->rank != b->rank || a->rank < 2)
    return false;
  for (uint32_t d = 0; d + 2 < a->rank; d++)
    if (a->dim[d] != b->dim[d])
      return false;
  return true;
}

/* The shape rule of attention, for what the operators have accepted. */
static bool fits(const finder *f, const match *m) {
  const ash_shape *q = &tensor(f, m->q)->shape;
  const ash_shape *k = &tensor(f, m->k)->shape;
  const ash_tensor *scores = ash_op_out(f->g, m->scores, 0);
  const ash_tensor *result = ash_op_out(f->g, m->mix, 0);
  const ash_shape *s = &scores->shape, *y = &result->shape;
  if (scores->quant.once != result->quant.once || !same_batches(q, s) ||
      !same_batches(y, s) || k->rank != q->rank ||
      !same_batches(k, &tensor(f, m->v)->shape) ||
      !ash_shape_equal(s, &ash_op_in(f->g, m->mix, 0)->shape))
    return false;
  const bool masked = m->bias != ASH_NO_ID || m->keep != ASH_NO_ID;
  if (tensor(f, m->q)->type == ASH_INT8 && (masked || f->has_fast_products))
    return false;
  return (m->bias == ASH_NO_ID || tensor(f, m->bias)->type == ASH_FLOAT32) &&
         (m->keep == ASH_NO_ID || tensor(f, m->keep)->type == ASH_BOOL);
}

static uint64_t keys_of(const finder *f, const match *m) {
  return (uint64_t)last_dim(ash_op_out(f->g, m->scores, 0));
}

/* Of the kernel. */
static uint64_t work_of(const finder *f, const match *m) {
  const ash_tensor *y = ash_op_out(f->g, m->mix, 0);
  return y->type == ASH_FLOAT32 ? 4 * keys_of(f, m)
                                : 4 * (uint64_t)last_dim(y) + keys_of(f, m);
}

static bool is_late(const finder *f, const match *m) {
  const uint32_t by = f->uses.writer[m->v];
  return by != ASH_NO_ID && by > m->first;
}

/* Smaller than before? A whole head must fit a compute memory. */
static bool pays(const finder *f, const match *m) {
  const uint64_t scores = ash_op_out(f->g, m->scores, 0)->bytes;
  const uint64_t work = work_of(f, m);
  const uint64_t late = is_late(f, m) ? bytes_of(f, m->v) : 0;
  if (scores <= work || scores + m->spared < work + late)
    return false;
  const ash_shape *k = &tensor(f, m->k)->shape, *v = &tensor(f, m->v)->shape;
  uint64_t heads = 1, rows = 1;
  for (uint32_t d = 0; d + 2 < k->rank; d++)
    heads *= (uint64_t)k->dim[d];
  for (uint32_t d = 0; d + 1 < v->rank; d++)
    rows *= (uint64_t)tensor(f, m->q)->shape.dim[d];
  const uint64_t piece =
      (bytes_of(f, m->k) + bytes_of(f, m->v)) / (heads ? heads : 1) +
      (bytes_of(f, m->q) + ash_op_out(f->g, m->mix, 0)->bytes) /
          (rows ? rows : 1) +
      5 * keys_of(f, m) + work + SLACK;
  return f->room == 0 || piece <= f->room;
}

static bool find(finder *f, match *m, const ash_op *mix) {
  *m = (match){.mix = mix,
               .v = mix->inputs[1],
               .bias = ASH_NO_ID,
               .keep = ASH_NO_ID,
               .kept = 1,
               .factor = 1.0,
               .divisor = 1.0};
  if (!is_product(f, mix) || ash_attr_int(mix, "transpose_b", 0) != 0)
    return false;
  const int32_t keys = last_dim(ash_op_in(f->g, mix, 0));
  const uint32_t shares = over_views(f, mix->inputs[0], keys);
  m->softmax = maker(f, shares);
  if (!m->softmax || m->softmax->kind != ASH_OP_softmax ||
      m->softmax->input_count != 1 ||
      ash_op_out(f->g, m->softmax, 0)->type != ash_op_out(f->g, mix, 0)->type)
    return false;
  const uint32_t t = over_views(f, m->softmax->inputs[0], keys);
  if (!find_selection(f, m, t))
    return false;
  m->q = m->scores->inputs[0];
  find_keys(f, m);
  return true;
}

/* ---- the operator -------------------------------------------------------- */

/* Whether an attribute says something else than its default. */
static void put_float(ash_attr *attrs, uint32_t *n, const char *name,
                      double value, double otherwise) {
  if (value < otherwise || value > otherwise)
    attrs[(*n)++] = ASH_FLOAT_ATTR(name, value);
}

static uint32_t attrs_of(const finder *f, const match *m, ash_attr *attrs) {
  uint32_t n = 0;
  if (m->turned)
    attrs[n++] = ASH_INT_ATTR("transpose_k", 1);
  put_float(attrs, &n, "factor", m->factor, 1.0);
  put_float(attrs, &n, "divisor", m->divisor, 1.0);
  if (!m->kept)
    attrs[n++] = ASH_INT_ATTR("keep", 0);
  put_float(attrs, &n, "filler", m->filler, 0.0);
  put_float(attrs, &n, "beta", ash_attr_float(m->softmax, "beta", 1.0), 1.0);
  if (tensor(f, m->q)->type == ASH_INT8) {
    const ash_tensor *s = ash_op_out(f->g, m->scores, 0);
    const ash_tensor *p = ash_op_out(f->g, m->softmax, 0);
    attrs[n++] = ASH_FLOAT_ATTR("score_scale", (double)ash_quant_scale(s));
    attrs[n++] = ASH_INT_ATTR("score_zero", ash_quant_zero(s));
    attrs[n++] = ASH_FLOAT_ATTR("share_scale", (double)ash_quant_scale(p));
  }
  return n;
}

static ash_status replace(finder *f, const match *m, uint32_t index) {
  ash_attr attrs[9];
  uint32_t k = m->k, v = m->v, added;
  const uint32_t count = attrs_of(f, m, attrs);
  ASH_TRY(bare_heads(f, &k));
  ASH_TRY(bare_heads(f, &v));
  uint32_t inputs[] = {m->q, k, v, m->bias, m->keep};
  ash_op op = f->g->ops.items[index];
  op.kind = ASH_OP_attention;
  op.inputs = inputs;
  op.input_count = ASH_COUNT_OF(inputs);
  op.attrs = attrs;
  op.attr_count = count;
  ASH_TRY(ash_graph_add_op(f->g, &added, op));
  f->g->ops.items[index] = f->g->ops.items[added];
  f->g->op_count--;
  return ASH_OK;
}

/* Both must be repeated alike, or neither. */
static bool repeats_alike(const finder *f, const match *m) {
  return (repeater(f, m->k) == ASH_NO_ID) == (repeater(f, m->v) == ASH_NO_ID);
}

ash_status ash_pass_attention(ash_ctx *ctx, ash_graph *g,
                              const ash_target *target) {
  finder f = {.ctx = ctx,
              .g = g,
              .room = target->compute_bytes,
              .has_fast_products =
                  target->features & (ASH_FEATURE_DSP | ASH_FEATURE_MVE)};
  bool changed = false;
  ASH_TRY(ash_uses_of(ctx, &f.uses, g));
  for (uint32_t i = 0; i < g->op_count; i++) {
    match m;
    if (g->ops.items[i].kind != ASH_OP_matmul ||
        !find(&f, &m, &g->ops.items[i]) || !fits(&f, &m) || !pays(&f, &m) ||
        !repeats_alike(&f, &m))
      continue;
    f.uses.drop[m.first] = true;
    changed = true;
    ASH_TRY(replace(&f, &m, i));
  }
  return changed ? ash_uses_drop(g, &f.uses) : ASH_OK;
}
