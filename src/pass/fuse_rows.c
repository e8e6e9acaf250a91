/* fuse_rows.c - operators that make rows of the same rows become one: functions
 * of single elements, and folds of the last axis.
 *
 *   m = reduce(x) fn="mean"; y = map(x, m) fn="sub"
 *       ->   y = row_chain(x) code="float32 fold_mean i0; float32 sub i0 s0"
 *
 * Normalisations and integer softmax, which readers make of several operators,
 * are one that way: it is cut between rows, and what lies between its stages is
 * never moved. A row is gone through once more for each fold, so functions may
 * be computed again. Only for devices with a compute memory, where that is
 * cheaper than to load and store, and where it holds a row. */
#include "pass/pass.h"

#include "graph/compact.h"
#include "op/sums.h"
#include "op/verify.h"
#include "pass/fuse.h"
#include "pass/uses.h"

#include <string.h>

enum { SLACK = 64 }; /* alignment of the buffers */

typedef struct fuser {
  ash_ctx *ctx;
  ash_graph *g;
  uint64_t room;
  ash_uses uses;
  uint32_t first, count; /* the operators under way */
  ash_shape shape;       /* of whole results        */
  ash_chain chain;
  bool folds;
  uint32_t inputs[ASH_CHAIN_INPUTS], input_count;
  uint32_t last[ASH_CHAIN_STAGES]; /* by operator: the stage of its result */
} fuser;

static const ash_tensor *tensor_of(const fuser *f, uint32_t tensor) {
  return &f->g->tensors.items[tensor];
}

static const ash_op *op_at(const fuser *f, uint32_t op) {
  return &f->g->ops.items[op];
}

/* ---- which operators ----------------------------------------------------- */

static bool is_row_fold(const fuser *f, const ash_op *o) {
  const ash_attr *axes = ash_attr_find(o, "axes");
  if (o->kind != ASH_OP_reduce)
    return false;
  const int64_t rank = ash_op_in(f->g, o, 0)->shape.rank;
  return !ash_op_rescales(f->g, o) && ash_chain_folds(ash_op_fold(o)) &&
         ash_attr_int(o, "keep_dims", 0) != 0 && axes && axes->count == 1 &&
         (axes->ints[0] == -1 || axes->ints[0] == rank - 1) &&
         ash_op_in(f->g, o, 0)->kind != ASH_TENSOR_VARIABLE &&
         ash_op_out(f->g, o, 0)->kind != ASH_TENSOR_VARIABLE;
}

static bool is_function(const fuser *f, const ash_op *o) {
  if (o->kind == ASH_OP_map)
    return ash_fuse_is_stage(f->g, o) && !ash_attr_find(o, "act");
  if (o->kind != ASH_OP_chain)
    return false;
  for (uint32_t k = 0; k < o->input_count; k++)
    if (ash_op_in(f->g, o, k)->kind == ASH_TENSOR_VARIABLE)
      return false;
  return true;
}

/* The rows of the operators under way, or one value for each of them. */
static bool has_rows(const fuser *f, const ash_shape *s) {
  if (s->rank != f->shape.rank)
    return false;
  for (uint32_t d = 0; d < s->rank; d++)
    if (s->dim[d] != f->shape.dim[d] && (d + 1 < s->rank || s->dim[d] != 1))
      return false;
  return true;
}

/* Broadcast to those rows. */
static bool suits(const fuser *f, const ash_shape *s) {
  if (s->rank > f->shape.rank)
    return false;
  for (uint32_t d = 0; d < s->rank; d++) {
    const int32_t n = f->shape.dim[d + f->shape.rank - s->rank];
    if (s->dim[d] != 1 && s->dim[d] != n)
      return false;
  }
  return true;
}

/* ---- the program --------------------------------------------------------- */

/* The input or stage that has a tensor; false: there are too many inputs. */
static bool find_source(fuser *f, uint32_t tensor, ash_chain_arg *a) {
  const uint32_t writer = f->uses.writer[tensor];
  *a = (ash_chain_arg){.type = tensor_of(f, tensor)->type};
  if (writer != ASH_NO_ID && writer >= f->first) {
    a->source = ASH_CHAIN_STAGE;
    a->index = f->last[writer - f->first];
    return true;
  }
  a->source = ASH_CHAIN_INPUT;
  while (a->index < f->input_count && f->inputs[a->index] != tensor)
    a->index++;
  if (a->index == f->input_count) {
    if (a->index == ASH_CHAIN_INPUTS)
      return false;
    f->inputs[f->input_count++] = tensor;
  }
  return true;
}

static bool add_stage(fuser *f, const ash_chain_stage *s) {
  if (f->chain.count == ASH_CHAIN_STAGES)
    return false;
  f->chain.stages[f->chain.count++] = *s;
  return true;
}

static bool add_chain(fuser *f, const ash_op *o) {
  const uint32_t base = f->chain.count;
  ash_chain own;
  uint32_t stage;
  if (!ash_chain_read(&own, f->g, o, &stage))
    return false;
  for (uint32_t k = 0; k < own.count; k++) {
    ash_chain_stage s = own.stages[k];
    for (uint32_t i = 0; i < ash_chain_operands(&s); i++)
      if (s.args[i].source == ASH_CHAIN_STAGE)
        s.args[i].index += base;
      else if (s.args[i].source == ASH_CHAIN_INPUT &&
               !find_source(f, o->inputs[s.args[i].index], &s.args[i]))
        return false;
    if (!add_stage(f, &s))
      return false;
  }
  return true;
}

static bool add_function(fuser *f, const ash_op *o) {
  ash_chain_stage s = {.fn = ASH_FN_COUNT,
                       .folds = o->kind == ASH_OP_reduce,
                       .type = ash_op_out(f->g, o, 0)->type};
  if (s.folds)
    s.fold = ash_op_fold(o);
  else
    s.fn = ash_op_fn(o);
  f->folds |= s.folds;
  for (uint32_t k = 0; k < ash_chain_operands(&s); k++)
    if (!find_source(f, o->inputs[k], &s.args[k]))
      return false;
  return add_stage(f, &s);
}

/* Takes the next operator in; false: it is none of them. */
static bool add(fuser *f) {
  const ash_op *o = op_at(f, f->first + f->count);
  bool joined = f->count == 0;
  if (!is_row_fold(f, o) && !is_function(f, o))
    return false;
  if (!has_rows(f, &ash_op_out(f->g, o, 0)->shape))
    return false;
  for (uint32_t k = 0; k < o->input_count; k++) {
    const uint32_t writer = f->uses.writer[o->inputs[k]];
    joined |= writer != ASH_NO_ID && writer >= f->first;
    if (!suits(f, &tensor_of(f, o->inputs[k])->shape))
      return false;
  }
  joined |= f->input_count > 0 && o->inputs[0] == f->inputs[0];
  if (!joined || !(o->kind == ASH_OP_chain ? add_chain : add_function)(f, o))
    return false;
  f->last[f->count++] = f->chain.count - 1;
  return true;
}

/* ---- which of them ------------------------------------------------------- */

/* Is all that they make for themselves, but the last? */
static bool is_closed(const fuser *f) {
  for (uint32_t i = 0; i + 1 < f->count; i++) {
    const uint32_t t = op_at(f, f->first + i)->outputs[0];
    uint32_t readings = 0;
    for (uint32_t k = i + 1; k < f->count; k++) {
      const ash_op *o = op_at(f, f->first + k);
      for (uint32_t n = 0; n < o->input_count; n++)
        readings += o->inputs[n] == t;
    }
    if (tensor_of(f, t)->is_output || readings != f->uses.count[t])
      return false;
  }
  return true;
}

static uint64_t row_bytes(const fuser *f, uint32_t tensor) {
  const ash_tensor *t = tensor_of(f, tensor);
  uint64_t rows = 1;
  for (uint32_t d = 0; d + 1 < t->shape.rank; d++)
    rows *= (uint64_t)t->shape.dim[d];
  const bool follows = t->shape.rank == f->shape.rank && rows > 1;
  return follows ? t->bytes / rows : t->bytes;
}

/* Does the compute memory hold a row of everything? */
static bool fits(const fuser *f) {
  const uint32_t out = op_at(f, f->first + f->count - 1)->outputs[0];
  uint64_t bytes = SLACK + row_bytes(f, out);
  for (uint32_t i = 0; i < f->input_count; i++)
    bytes += row_bytes(f, f->inputs[i]);
  return bytes <= f->room;
}

/* One operator for all: its result is whole, and broadcast from its inputs. */
static bool is_one(const fuser *f) {
  const ash_tensor *out =
      tensor_of(f, op_at(f, f->first + f->count - 1)->outputs[0]);
  bool whole = false;
  for (uint32_t i = 0; i < f->input_count; i++)
    whole |= ash_shape_equal(&tensor_of(f, f->inputs[i])->shape, &f->shape);
  return f->folds && f->count > 1 && whole &&
         ash_shape_equal(&out->shape, &f->shape) && is_closed(f) && fits(f);
}

/* Begins with an operator, whose first input has the rows. */
static bool begin(fuser *f, uint32_t first) {
  const ash_op *o = op_at(f, first);
  f->first = first;
  f->count = f->chain.count = f->input_count = 0;
  f->folds = false;
  if (o->input_count == 0 || o->inputs[0] == ASH_NO_ID || o->output_count != 1)
    return false;
  f->shape = tensor_of(f, o->inputs[0])->shape;
  return f->shape.rank > 1 && f->shape.dim[f->shape.rank - 1] > 1;
}

/* The most operators from this one on that can be one; 0: none. */
static uint32_t longest(fuser *f, uint32_t first) {
  uint32_t best = 0;
  if (!begin(f, first))
    return 0;
  while (first + f->count < f->g->op_count && add(f))
    if (is_one(f))
      best = f->count;
  return best;
}

static ash_status replace(fuser *f, uint32_t first, uint32_t count) {
  (void)begin(f, first);
  while (f->count < count)
    ASH_INVARIANT(f->ctx, add(f));
  const uint32_t last = first + count - 1;
  ash_op *o = &f->g->ops.items[last];
  o->inputs =
      ash_zone_copy(&f->g->zone, f->inputs, f->input_count * sizeof *f->inputs);
  o->id = ash_zone_format(&f->g->zone, "%s_rows", o->id);
  ASH_TRY(ash_zone_check(f->ctx, &f->g->zone));
  o->kind = ASH_OP_row_chain;
  o->input_count = f->input_count;
  for (uint32_t i = 0; i + 1 < count; i++)
    f->uses.drop[first + i] = true;
  return ash_fuse_set_code(f->g, last, &f->chain);
}

ash_status ash_pass_fuse_rows(ash_ctx *ctx, ash_graph *g,
                              const ash_target *target) {
  fuser f = {.ctx = ctx, .g = g, .room = target->compute_bytes};
  bool changed = false;
  if (f.room == 0)
    return ASH_OK;
  ASH_TRY(ash_uses_of(ctx, &f.uses, g));
  for (uint32_t i = 0; i < g->op_count;) {
    const uint32_t count = longest(&f, i);
    if (count > 0) {
      ASH_TRY(replace(&f, i, count));
      changed = true;
    }
    i += count > 0 ? count : 1;
  }
  if (!changed)
    return ASH_OK;
  ASH_TRY(ash_uses_drop(g, &f.uses));
  ASH_TRY(ash_graph_prune(g));
  return ash_op_verify(ctx, g);
}
