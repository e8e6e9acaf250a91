/* fuse.c - functions of single elements that follow one another become one.
 *
 *   t = map(x, c) fn="mul"; y = map(t) fn="cast"
 *       ->   y = chain(x) code="int64 mul i0 int64:12; int8 cast s0"
 *
 * Tensors in between are no longer stored, and constants of one element become
 * part of the code. A group grows from its last operator backwards, over
 * results that nobody else reads; it takes an operator in only if that cannot
 * make more bytes live at once: either nothing runs between it and the group,
 * which reads nothing else but constants, or the operator reads no more bytes
 * than it writes. */
#include "pass/fuse.h"
#include "pass/pass.h"

#include "graph/compact.h"
#include "kernel/quant.h"
#include "op/chain.h"
#include "op/verify.h"
#include "pass/uses.h"

#include <string.h>

typedef struct fuser {
  ash_ctx *ctx;
  ash_graph *g;
  ash_uses uses;
  uint32_t ops[ASH_CHAIN_STAGES]; /* the group, its last operator first */
  uint32_t count;
  uint32_t last[ASH_CHAIN_STAGES];   /* stage of each operator's result */
  uint32_t inputs[ASH_CHAIN_INPUTS]; /* what it reads */
  uint32_t input_count;
  ash_chain chain;
} fuser;

/* ---- what may be part ---------------------------------------------------- */

/* Variables change between operators; what reads them stays where it is. */
static bool reads_only_values(const ash_graph *g, const ash_op *o) {
  for (uint32_t k = 0; k < o->input_count; k++) {
    const ash_tensor *t = ash_op_in(g, o, k);
    if (!t || t->kind == ASH_TENSOR_VARIABLE)
      return false;
  }
  return ash_op_out(g, o, 0)->kind != ASH_TENSOR_VARIABLE;
}

/* Functions of the runtime, and those with parameters, stay. */
bool ash_fuse_is_stage(const ash_graph *g, const ash_op *o) {
  if (o->kind != ASH_OP_map || ash_op_is_scaled(g, o))
    return false;
  const ash_fn fn = ash_op_fn(o);
  return fn != ASH_FN_integer_sqrt && fn != ASH_FN_bit_length &&
         fn != ASH_FN_saturate && fn != ASH_FN_leaky_relu &&
         reads_only_values(g, o) && !ash_op_is_integer_pow(g, o);
}

/* `act` bounds floats: one stage more. */
static bool is_bounded(const ash_graph *g, const ash_op *o) {
  return ash_attr_find(o, "act") && ash_op_out(g, o, 0)->type == ASH_FLOAT32;
}

static uint32_t stages_of(const fuser *f) {
  uint32_t count = f->count;
  for (uint32_t i = 0; i < f->count; i++)
    count += is_bounded(f->g, &f->g->ops.items[f->ops[i]]);
  return count;
}

/* A constant that can stand in the code. */
static bool is_value(const ash_graph *g, uint32_t tensor) {
  const ash_tensor *t = &g->tensors.items[tensor];
  if (t->kind != ASH_TENSOR_CONSTANT || ash_shape_elements(&t->shape) != 1)
    return false;
  switch (t->type) {
  case ASH_INT8:
  case ASH_UINT8:
  case ASH_INT16:
  case ASH_INT32:
  case ASH_INT64:
  case ASH_FLOAT32:
    return true;
  default:
    return false;
  }
}

static bool is_constant(const ash_graph *g, uint32_t tensor) {
  return g->tensors.items[tensor].kind == ASH_TENSOR_CONSTANT;
}

/* ---- the group ----------------------------------------------------------- */

static bool has_op(const fuser *f, uint32_t op) {
  for (uint32_t i = 0; i < f->count; i++)
    if (f->ops[i] == op)
      return true;
  return false;
}

static bool is_inside(const fuser *f, uint32_t tensor) {
  return f->uses.writer[tensor] != ASH_NO_ID &&
         has_op(f, f->uses.writer[tensor]);
}

static uint32_t readings(const fuser *f, uint32_t tensor) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    const ash_op *o = &f->g->ops.items[f->ops[i]];
    for (uint32_t k = 0; k < o->input_count; k++)
      count += o->inputs[k] == tensor;
  }
  return count;
}

/* Fills `inputs`; false: there are too many. */
static bool collect_inputs(fuser *f) {
  f->input_count = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    const ash_op *o = &f->g->ops.items[f->ops[i]];
    for (uint32_t k = 0; k < o->input_count; k++) {
      const uint32_t t = o->inputs[k];
      uint32_t at = 0;
      while (at < f->input_count && f->inputs[at] != t)
        at++;
      if (at < f->input_count || is_inside(f, t) || is_value(f->g, t))
        continue;
      if (at == ASH_CHAIN_INPUTS)
        return false;
      f->inputs[f->input_count++] = t;
    }
  }
  return true;
}

static uint64_t bytes_read_by(const fuser *f, const ash_op *o) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < o->input_count; k++)
    if (!is_constant(f->g, o->inputs[k]) && !readings(f, o->inputs[k]))
      bytes += f->g->tensors.items[o->inputs[k]].bytes;
  return bytes;
}

/* Does the group read nothing but `tensor` and constants? */
static bool is_all_it_reads(fuser *f, uint32_t tensor) {
  if (!collect_inputs(f))
    return false;
  for (uint32_t i = 0; i < f->input_count; i++)
    if (f->inputs[i] != tensor && !is_constant(f->g, f->inputs[i]))
      return false;
  return true;
}

/* Does nothing run between the operator and the group? */
static bool runs_next(const fuser *f, uint32_t op) {
  for (uint32_t i = op + 1; !has_op(f, i); i++)
    if (!f->uses.drop[i] && !ash_op_has(&f->g->ops.items[i], ASH_OP_VIEW))
      return false;
  return true;
}

static bool may_join(fuser *f, uint32_t tensor, uint32_t op) {
  const ash_op *o = &f->g->ops.items[op];
  const ash_tensor *t = &f->g->tensors.items[tensor];
  const ash_tensor *last = ash_op_out(f->g, &f->g->ops.items[f->ops[0]], 0);
  if (f->uses.drop[op] || !ash_fuse_is_stage(f->g, o) ||
      readings(f, tensor) != f->uses.count[tensor] ||
      !ash_shape_equal(&t->shape, &last->shape))
    return false;
  return bytes_read_by(f, o) <= t->bytes ||
         (runs_next(f, op) && is_all_it_reads(f, tensor));
}

/* Takes one more operator in, if there is one. */
static bool grow(fuser *f) {
  for (uint32_t i = 0; i < f->count && f->count < ASH_CHAIN_STAGES; i++) {
    const ash_op *o = &f->g->ops.items[f->ops[i]];
    for (uint32_t k = 0; k < o->input_count; k++) {
      const uint32_t writer = f->uses.writer[o->inputs[k]];
      if (writer == ASH_NO_ID || has_op(f, writer) ||
          !may_join(f, o->inputs[k], writer))
        continue;
      f->ops[f->count++] = writer;
      if (stages_of(f) <= ASH_CHAIN_STAGES && collect_inputs(f))
        return true;
      f->count--;
    }
  }
  return false;
}

/* In the order of the graph, so that stages follow what they read. */
static void sort_ops(fuser *f) {
  for (uint32_t i = 1; i < f->count; i++)
    for (uint32_t k = i; k > 0 && f->ops[k] < f->ops[k - 1]; k--) {
      const uint32_t op = f->ops[k];
      f->ops[k] = f->ops[k - 1];
      f->ops[k - 1] = op;
    }
}

/* ---- the chain ----------------------------------------------------------- */

static ash_chain_arg argument(const fuser *f, uint32_t tensor) {
  const ash_tensor *t = &f->g->tensors.items[tensor];
  ash_chain_arg a = {.type = t->type};
  if (is_value(f->g, tensor)) {
    a.source = ASH_CHAIN_VALUE;
    if (t->type == ASH_FLOAT32)
      a.x = (double)ash_tensor_float(t, 0);
    else
      a.i = ash_tensor_int(t, 0);
    return a;
  }
  a.source = is_inside(f, tensor) ? ASH_CHAIN_STAGE : ASH_CHAIN_INPUT;
  if (a.source == ASH_CHAIN_STAGE) {
    while (f->ops[a.index] != f->uses.writer[tensor])
      a.index++;
    a.index = f->last[a.index];
  } else {
    while (f->inputs[a.index] != tensor)
      a.index++;
  }
  return a;
}

static ash_chain_arg real_value(float x) {
  return (ash_chain_arg){
      .source = ASH_CHAIN_VALUE, .type = ASH_FLOAT32, .x = (double)x};
}

/* A stage between the bounds of the activation. */
static ash_chain_stage bounds_of(const ash_op *o, uint32_t stage) {
  const ash_float_range r =
      ash_float_range_of(ash_attr_string(o, "act", "none"));
  return (ash_chain_stage){
      .fn = ASH_FN_clip,
      .type = ASH_FLOAT32,
      .args = {{.source = ASH_CHAIN_STAGE, .type = ASH_FLOAT32, .index = stage},
               real_value(r.low),
               real_value(r.high)}};
}

static void write_stages(fuser *f) {
  f->chain.count = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    const ash_op *o = &f->g->ops.items[f->ops[i]];
    ash_chain_stage *s = &f->chain.stages[f->chain.count++];
    *s = (ash_chain_stage){.fn = ash_op_fn(o),
                           .type = ash_op_out(f->g, o, 0)->type};
    for (uint32_t k = 0; k < o->input_count; k++)
      s->args[k] = argument(f, o->inputs[k]);
    f->last[i] = f->chain.count - 1;
    if (!is_bounded(f->g, o))
      continue;
    f->chain.stages[f->chain.count] = bounds_of(o, f->last[i]);
    f->last[i] = f->chain.count++;
  }
}

ash_status ash_fuse_set_code(ash_graph *g, uint32_t op,
                             const ash_chain *chain) {
  ash_text t;
  ash_text_init(&t, &g->ctx->mem);
  ash_chain_write(&t, chain);
  char *code = ASH_NEW_ARRAY(&g->zone, char, t.count + 1);
  if (code)
    memcpy(code, t.bytes, t.count);
  const ash_status status = ash_text_check(g->ctx, &t);
  ash_text_drop(&t);
  ASH_TRY(status);
  ASH_TRY(ash_zone_check(g->ctx, &g->zone));
  g->ops.items[op].attr_count = 0;
  return ash_graph_set_attr(g, op, ASH_STRING_ATTR("code", code));
}

/* The group's last operator becomes the chain, the others go. */
static ash_status replace(fuser *f) {
  const uint32_t last = f->ops[f->count - 1];
  ash_op *o = &f->g->ops.items[last];
  uint32_t *inputs = ASH_NEW_ARRAY(&f->g->zone, uint32_t, f->input_count);
  ASH_TRY(ash_zone_check(f->ctx, &f->g->zone));
  memcpy(inputs, f->inputs, f->input_count * sizeof *inputs);
  o->kind = ASH_OP_chain;
  o->inputs = inputs;
  o->input_count = f->input_count;
  for (uint32_t i = 0; i + 1 < f->count; i++)
    f->uses.drop[f->ops[i]] = true;
  return ash_fuse_set_code(f->g, last, &f->chain);
}

/* Constants that became values must not have shaped the result. */
static bool keeps_shape(const fuser *f) {
  const ash_shape *out =
      &ash_op_out(f->g, &f->g->ops.items[f->ops[f->count - 1]], 0)->shape;
  ash_shape all = {0};
  for (uint32_t i = 0; i < f->input_count; i++) {
    const ash_shape *s = &f->g->tensors.items[f->inputs[i]].shape;
    const uint32_t rank = s->rank > all.rank ? s->rank : all.rank;
    ash_shape next = {.rank = rank};
    for (uint32_t d = 0; d < rank; d++) {
      const int32_t a = d + s->rank >= rank ? s->dim[d + s->rank - rank] : 1;
      const int32_t b = d + all.rank >= rank ? all.dim[d + all.rank - rank] : 1;
      next.dim[d] = a == 1 ? b : a;
    }
    all = next;
  }
  return ash_shape_equal(&all, out);
}

/* Worth it: two functions, or a constant less to carry. */
static bool gains(const fuser *f) {
  uint32_t read = 0;
  for (uint32_t i = 0; i < f->count; i++) {
    const ash_op *o = &f->g->ops.items[f->ops[i]];
    for (uint32_t k = 0; k < o->input_count; k++)
      read += is_value(f->g, o->inputs[k]);
  }
  return f->count > 1 || read > 0;
}

ash_status ash_pass_fuse(ash_ctx *ctx, ash_graph *g) {
  fuser f = {.ctx = ctx, .g = g};
  bool changed = false;
  ASH_TRY(ash_uses_of(ctx, &f.uses, g));
  for (uint32_t i = (uint32_t)g->op_count; i-- > 0;) {
    if (f.uses.drop[i] || !ash_fuse_is_stage(g, &g->ops.items[i]))
      continue;
    f.ops[0] = i;
    f.count = 1;
    while (grow(&f))
      continue;
    sort_ops(&f);
    if (!collect_inputs(&f) || f.input_count == 0 || !gains(&f) ||
        !keeps_shape(&f))
      continue;
    write_stages(&f);
    ASH_TRY(replace(&f));
    changed = true;
  }
  if (!changed)
    return ASH_OK;
  ASH_TRY(ash_uses_drop(g, &f.uses));
  ASH_TRY(ash_graph_prune(g)); /* constants that became values */
  return ash_op_verify(ctx, g);
}
