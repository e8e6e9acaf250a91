/* check_moved.c - operators that move elements as they are: does every element
 * already lie where it is to go? Element by element from the definition of the
 * operator; the planner finds its views another way (op/views.c). */
#include "check/check_plan.h"

#include "op/functions.h"

/* Where the elements of one output come from. */
typedef struct source {
  const ash_shape *in, *out;
  const ash_op *op;
  int64_t start, outer, length, inner; /* of splits: along their axis */
  int64_t first, step[ASH_RANK_MAX];   /* of strided                  */
} source;

static void next(const ash_shape *s, int32_t *at) {
  for (uint32_t d = s->rank; d-- > 0;) {
    if (++at[d] < s->dim[d])
      return;
    at[d] = 0;
  }
}

static void cut_along(const ash_graph *g, uint32_t k, source *s) {
  const int64_t given = ash_attr_int(s->op, "axis", 0);
  const int64_t axis = given < 0 ? given + (int64_t)s->in->rank : given;
  s->outer = s->inner = 1;
  s->length = s->in->dim[axis];
  for (int64_t d = 0; d < (int64_t)s->in->rank; d++) {
    s->outer *= d < axis ? s->in->dim[d] : 1;
    s->inner *= d > axis ? s->in->dim[d] : 1;
  }
  for (uint32_t i = 0; i < k; i++) {
    const ash_shape *before = &ash_op_out(g, s->op, i)->shape;
    s->start += (int64_t)ash_shape_elements(before) / (s->outer * s->inner);
  }
}

/* The input's element that is element `i` of the output, at position `at`. */
static int64_t from_of(const source *s, int64_t i, const int32_t *at) {
  if (s->op->kind == ASH_OP_strided) {
    int64_t from = s->first;
    for (uint32_t d = 0; d < s->out->rank; d++)
      from += at[d] * s->step[d];
    return from;
  }
  const int64_t all = (int64_t)ash_shape_elements(s->out);
  const int64_t row = s->outer ? all / s->outer : 0;
  return row ? i / row * s->length * s->inner + s->start * s->inner + i % row
             : 0;
}

static bool begin(const ash_graph *g, uint32_t k, source *s) {
  switch (s->op->kind) {
  case ASH_OP_split:
    cut_along(g, k, s);
    return true;
  case ASH_OP_strided:
    s->first = ash_attr_int(s->op, "offset", 0);
    for (uint32_t d = 0; d < s->out->rank; d++)
      s->step[d] = ash_op_ints(s->op, "step", d, 0);
    return true;
  default:
    return false;
  }
}

bool ash_check_is_there(const ash_graph *g, uint32_t op, uint32_t k,
                        uint64_t bytes) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *in = ash_op_in(g, o, 0), *out = ash_op_out(g, o, k);
  const uint32_t width = ash_type_bits(out->type) / 8;
  source s = {.in = &in->shape, .out = &out->shape, .op = o};
  if (in->type != out->type || width == 0 || bytes % width || !begin(g, k, &s))
    return false;
  int32_t at[ASH_RANK_MAX] = {0};
  const int64_t count = (int64_t)ash_shape_elements(s.out);
  for (int64_t i = 0; i < count; i++, next(s.out, at))
    if (from_of(&s, i, at) != i + (int64_t)(bytes / width))
      return false;
  return true;
}
