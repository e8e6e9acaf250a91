/* broadcast.c - see broadcast.h. */
#include "op/broadcast.h"

/* Elements to the next index along axis d of the output; 0 if repeated. */
static int32_t step_of(const ash_shape *s, uint32_t out_rank, uint32_t d) {
  const uint32_t missing = out_rank - s->rank;
  if (d < missing || s->dim[d - missing] == 1)
    return 0;
  int32_t step = 1;
  for (uint32_t i = d - missing + 1; i < s->rank; i++)
    step *= s->dim[i];
  return step;
}

ash_broadcast ash_broadcast_of(const ash_graph *g, const ash_op *op) {
  const ash_shape *a = &ash_op_in(g, op, 0)->shape;
  const ash_shape *b = &ash_op_in(g, op, 1)->shape;
  const ash_shape *out = &ash_op_out(g, op, 0)->shape;
  ash_broadcast s = {0};
  for (uint32_t d = 0; d < out->rank; d++) {
    const int32_t n = out->dim[d];
    const int32_t step_a = step_of(a, out->rank, d);
    const int32_t step_b = step_of(b, out->rank, d);
    const uint32_t last = s.rank - 1;
    if (n == 1)
      continue;
    if (s.rank > 0 && s.step_a[last] == step_a * n &&
        s.step_b[last] == step_b * n) {
      s.dim[last] *= n;
      s.step_a[last] = step_a;
      s.step_b[last] = step_b;
      continue;
    }
    s.dim[s.rank] = n;
    s.step_a[s.rank] = step_a;
    s.step_b[s.rank] = step_b;
    s.rank++;
  }
  if (s.rank == 0)
    s = (ash_broadcast){1, {1}, {1}, {1}};
  return s;
}
