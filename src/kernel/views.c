/* views.c - see views.h. */
#include "kernel/views.h"

#include "kernel/quant.h"

#include <string.h>

bool ash_op_is_view(const ash_graph *g, uint32_t op, uint32_t out,
                    uint32_t *input, uint64_t *offset) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *from = ash_op_in(g, o, 0);
  *input = 0;
  *offset = 0;
  return (ash_op_info_of(o->kind)->flags & ASH_OP_VIEW) && out == 0 && from &&
         from->bytes == ash_op_out(g, o, 0)->bytes;
}

/* Nothing before the axis: each input's bytes stay together. */
static bool is_outermost(const ash_op *op, const ash_shape *s) {
  const int64_t given = ash_op_int(op, "axis", 0);
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
      strcmp(ash_op_string(o, "act", "none"), "none") != 0)
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
