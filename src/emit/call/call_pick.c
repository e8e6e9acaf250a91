/* call_pick.c - elements chosen by the values of another tensor. */
#include "emit/call/call_box.h"

static int64_t product(const ash_shape *s, int64_t first, int64_t end) {
  int64_t n = 1;
  for (int64_t i = first; i < end; i++)
    n *= s->dim[i];
  return n;
}

static void put_gather(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *indices = &ash_call_in(c, 1)->shape;
  const int64_t size = (int64_t)ash_type_bits(ash_call_out(c)->type) / 8;
  int64_t axis = ash_attr_int(ash_call_op(c), "axis", 0);
  int64_t batch = ash_attr_int(ash_call_op(c), "batch_dims", 0);
  axis += axis < 0 ? in->rank : 0;
  batch += batch < 0 ? indices->rank : 0;
  ash_call_int(c, "batches", product(in, 0, batch));
  ash_call_int(c, "outer", product(in, batch, axis));
  ash_call_int(c, "picks", product(indices, batch, indices->rank));
  ash_call_int(c, "length", in->dim[axis]);
  ash_call_int(c, "run", product(in, axis + 1, in->rank) * size);
}

static void put_gather_nd(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_shape *indices = &ash_call_in(c, 1)->shape;
  const int64_t size = (int64_t)ash_type_bits(ash_call_out(c)->type) / 8;
  const int32_t depth = indices->dim[indices->rank - 1];
  ash_call_int(c, "picks", product(indices, 0, indices->rank - 1));
  ash_call_int(c, "depth", depth);
  ash_call_int(c, "run", product(in, depth, in->rank) * size);
  ash_call_ints(c, "dim", in->dim, depth > 0 ? (uint32_t)depth : 1);
}

ash_status ash_call_pick(ash_ctx *ctx, const ash_call *c) {
  (void)ctx;
  ash_call_open(c, c->kernel->name);
  if (ash_call_op(c)->kind == ASH_OP_gather)
    put_gather(c);
  else
    put_gather_nd(c);
  ash_call_type(c, "type", ash_call_in(c, 1)->type);
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}
