/* ref_gather.c - operators that choose elements by values of another input.
 * Those values are known only now, so they are checked here. */
#include "ref/ref_call.h"

#include <inttypes.h>

static ash_status bad_index(const ash_ref_call *c, int64_t index) {
  return ash_fail(c->ctx, ASH_MALFORMED, ASH_D_ref_index,
                  ash_graph_loc(c->g, c->index, c->op->inputs[1]),
                  "index %" PRId64 " is outside the input", index);
}

/* Index k of input 1; those from the back are not counted as negative. */
static ash_status read_index(const ash_ref_call *c, uint64_t k, int32_t length,
                             uint64_t *out) {
  const int64_t index = ash_ref_get(ash_ref_in(c, 1), ash_ref_read(c, 1), k);
  if (index < 0 || index >= length)
    return bad_index(c, index);
  *out = (uint64_t)index;
  return ASH_OK;
}

static uint64_t product(const ash_shape *s, uint32_t first, uint32_t end) {
  uint64_t n = 1;
  for (uint32_t i = first; i < end; i++)
    n *= (uint64_t)s->dim[i];
  return n;
}

ash_status ash_ref_gather(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const ash_shape *indices = &ash_ref_in(c, 1)->shape;
  const int64_t given = ash_attr_int(c->op, "axis", 0);
  const int64_t dims = ash_attr_int(c->op, "batch_dims", 0);
  const uint32_t axis = (uint32_t)(given < 0 ? given + in->rank : given);
  const uint32_t batch = (uint32_t)(dims < 0 ? dims + indices->rank : dims);
  const uint64_t batches = product(in, 0, batch);
  const uint64_t outer = product(in, batch, axis);
  const uint64_t inner = product(in, axis + 1, in->rank);
  const uint64_t picks = product(indices, batch, indices->rank);
  const uint64_t length = (uint64_t)in->dim[axis];
  for (uint64_t b = 0; b < batches; b++)
    for (uint64_t o = 0; o < outer; o++)
      for (uint64_t p = 0; p < picks; p++) {
        uint64_t index = 0;
        ASH_TRY(read_index(c, b * picks + p, in->dim[axis], &index));
        const uint64_t row = b * outer + o;
        for (uint64_t i = 0; i < inner; i++)
          ash_ref_move(c, 0, (row * picks + p) * inner + i, ash_ref_read(c, 0),
                       (row * length + index) * inner + i);
      }
  return ASH_OK;
}

ash_status ash_ref_gather_nd(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const ash_shape *indices = &ash_ref_in(c, 1)->shape;
  const uint32_t depth = (uint32_t)indices->dim[indices->rank - 1];
  const uint64_t picks = product(indices, 0, indices->rank - 1);
  const uint64_t inner = product(in, depth, in->rank);
  for (uint64_t p = 0; p < picks; p++) {
    uint64_t row = 0;
    for (uint32_t d = 0; d < depth; d++) {
      uint64_t index = 0;
      ASH_TRY(read_index(c, p * depth + d, in->dim[d], &index));
      row = row * (uint64_t)in->dim[d] + index;
    }
    for (uint64_t i = 0; i < inner; i++)
      ash_ref_move(c, 0, p * inner + i, ash_ref_read(c, 0), row * inner + i);
  }
  return ASH_OK;
}
