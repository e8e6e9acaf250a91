/* views.c - see views.h. */
#include "op/views.h"

#include "op/functions.h"

#include <string.h>

bool ash_op_is_view(const ash_graph *g, uint32_t op, uint32_t out,
                    uint32_t *input, uint64_t *offset) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *from = ash_op_in(g, o, 0);
  *input = 0;
  *offset = 0;
  return ash_op_has(o, ASH_OP_VIEW) && out == 0 && from &&
         from->bytes == ash_op_out(g, o, 0)->bytes;
}

/* ---- slices -------------------------------------------------------------- */

typedef bool run_rule(const ash_graph *g, const ash_op *o, uint32_t out,
                      int64_t *first);

/* Row-major steps for these extents, as far as they matter? */
static bool is_dense(const ash_op *o, const ash_shape *out) {
  int64_t step = 1;
  for (uint32_t d = out->rank; d-- > 0; step *= out->dim[d])
    if (out->dim[d] != 1 && ash_op_ints(o, "step", d, 0) != step)
      return false;
  return true;
}

static bool run_of_split(const ash_graph *g, const ash_op *o, uint32_t out,
                         int64_t *first) {
  const ash_shape *in = &ash_op_in(g, o, 0)->shape;
  int64_t axis = ash_attr_int(o, "axis", 0);
  axis += axis < 0 ? (int64_t)in->rank : 0;
  for (int64_t d = 0; d < axis; d++)
    if (in->dim[d] != 1)
      return false;
  *first = 0;
  for (uint32_t k = 0; k < out; k++)
    *first += (int64_t)ash_shape_elements(&ash_op_out(g, o, k)->shape);
  return true;
}

static bool run_of_strided(const ash_graph *g, const ash_op *o, uint32_t out,
                           int64_t *first) {
  *first = ash_attr_int(o, "offset", 0);
  return is_dense(o, &ash_op_out(g, o, out)->shape);
}

static const struct {
  ash_op_kind kind;
  run_rule *run; /* NULL: never */
} table[ASH_OP_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.kind = ASH_OP_##op},
#define RUN(rule)       .run = run_of_##rule,
#include "op/ops.def"
#undef OP
};

static bool is_run(const ash_graph *g, const ash_op *o, uint32_t out,
                   int64_t *first) {
  run_rule *run = table[o->kind].run;
  return run && run(g, o, out, first);
}

bool ash_op_is_slice(const ash_graph *g, uint32_t op, uint32_t out,
                     uint64_t *offset) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *in = ash_op_in(g, o, 0), *to = ash_op_out(g, o, out);
  const uint32_t width = ash_type_bits(to->type) / 8;
  int64_t first;
  *offset = 0;
  if (!in || in->type != to->type || width == 0 || to->bytes == 0 ||
      !is_run(g, o, out, &first))
    return false;
  *offset = (uint64_t)first * width;
  return *offset + to->bytes <= in->bytes;
}

/* ---- pieces -------------------------------------------------------------- */

/* Nothing before the axis: each input's bytes stay together. */
static bool is_outermost(const ash_op *op, const ash_shape *s) {
  const int64_t given = ash_attr_int(op, "axis", 0);
  const int64_t axis = given < 0 ? given + (int64_t)s->rank : given;
  for (int64_t d = 0; d < axis && d < (int64_t)s->rank; d++)
    if (s->dim[d] != 1)
      return false;
  return true;
}

bool ash_op_is_piece(const ash_graph *g, uint32_t op, uint32_t k,
                     uint64_t *offset) {
  const ash_op *o = &g->ops.items[op];
  *offset = 0;
  if (o->kind != ASH_OP_concatenation ||
      strcmp(ash_attr_string(o, "act", "none"), "none") != 0)
    return false;
  const ash_tensor *out = ash_op_out(g, o, 0), *in = ash_op_in(g, o, k);
  if (!in || !is_outermost(o, &out->shape))
    return false;
  for (uint32_t i = 0; i < o->input_count; i++) {
    const ash_tensor *t = ash_op_in(g, o, i);
    if (t && (t->type != out->type || !ash_quant_equal(t, out)))
      return false;
    if (t && i < k)
      *offset += t->bytes;
  }
  return true;
}
