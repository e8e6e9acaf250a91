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

/* select: a condition of rank 1 speaks of the first axis; select_v2: of the
 * last, as broadcasting does. */
ash_status ash_ref_select(const ash_ref_call *c) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const ash_shape *when = &ash_ref_in(c, 0)->shape;
  const uint8_t *condition = ash_ref_read(c, 0);
  const uint64_t count = ash_shape_elements(out);
  const bool first_axis =
      c->op->kind == ASH_OP_select && when->rank == 1 && out->rank != 1;
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++, ash_ref_next(out, at)) {
    const uint64_t w =
        first_axis ? (uint64_t)at[0] : ash_ref_index(when, at, out->rank);
    const uint32_t k = condition[w] ? 1 : 2;
    ash_ref_move(c, 0, i, ash_ref_read(c, k),
                 ash_ref_index(&ash_ref_in(c, k)->shape, at, out->rank));
  }
  return ASH_OK;
}

/* ---- cast --------------------------------------------------------------- */

/* Smallest and largest integer of a type. */
static int64_t least(ash_type type) {
  switch (type) {
  case ASH_INT8:
    return INT8_MIN;
  case ASH_INT16:
    return INT16_MIN;
  case ASH_INT32:
    return INT32_MIN;
  case ASH_INT64:
    return INT64_MIN;
  default:
    return 0;
  }
}

static int64_t most(ash_type type) {
  switch (type) {
  case ASH_INT8:
    return INT8_MAX;
  case ASH_UINT8:
    return UINT8_MAX;
  case ASH_INT16:
    return INT16_MAX;
  case ASH_UINT16:
    return UINT16_MAX;
  case ASH_INT32:
    return INT32_MAX;
  case ASH_UINT32:
    return UINT32_MAX;
  default:
    return INT64_MAX;
  }
}

/* Cut towards zero; what does not fit saturates, NaN gives the largest. */
static int64_t cut_off(float x, ash_type type) {
  if (type == ASH_BOOL)
    return x != 0;
  if (x != x || (double)x >= (double)most(type))
    return most(type);
  return (double)x <= (double)least(type) ? least(type) : (int64_t)x;
}

ash_status ash_ref_cast(const ash_ref_call *c) {
  const ash_tensor *in = ash_ref_in(c, 0), *out = ash_ref_out(c, 0);
  const uint64_t count = ash_ref_elements(in);
  const float *floats = ash_ref_read(c, 0);
  for (uint64_t i = 0; i < count; i++) {
    const int64_t x =
        in->type == ASH_FLOAT32 ? 0 : ash_ref_get(in, ash_ref_read(c, 0), i);
    if (out->type == ASH_FLOAT32)
      ((float *)ash_ref_write(c, 0))[i] =
          in->type == ASH_FLOAT32 ? floats[i] : (float)x;
    else if (in->type == ASH_FLOAT32)
      ash_ref_put(out, ash_ref_write(c, 0), i, cut_off(floats[i], out->type));
    else
      ash_ref_put(out, ash_ref_write(c, 0), i,
                  out->type == ASH_BOOL ? x != 0 : x);
  }
  return ASH_OK;
}
