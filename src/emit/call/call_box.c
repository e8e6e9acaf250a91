/* call_box.c - see call_box.h. Axes that both sides walk through alike become
 * one, and a run of neighbours becomes the thing that is moved. */
#include "emit/call/call_box.h"

#include <inttypes.h>

enum { MOVE_RANK = 8 }; /* ASH_RT_MOVE_RANK */

void ash_emit_box_axis(ash_call_box *b, int64_t dim, int64_t from_step,
                       int64_t to_step) {
  if (dim == 1)
    return;
  const uint32_t last = b->rank - 1;
  if (b->rank > 0 && b->from_step[last] == from_step * dim &&
      b->to_step[last] == to_step * dim) {
    b->dim[last] *= dim;
    b->from_step[last] = from_step;
    b->to_step[last] = to_step;
    return;
  }
  b->dim[b->rank] = dim;
  b->from_step[b->rank] = from_step;
  b->to_step[b->rank++] = to_step;
}

static void put_bytes(const ash_call *c, const char *name,
                      const int64_t *elements, uint32_t count, int64_t size) {
  int32_t bytes[MOVE_RANK];
  for (uint32_t i = 0; i < count; i++)
    bytes[i] = (int32_t)(elements[i] * size);
  ash_call_ints(c, name, bytes, count);
}

ash_status ash_emit_box_put(ash_ctx *ctx, const ash_call *c, ash_call_box b,
                            uint32_t in, uint32_t out) {
  const int64_t size = (int64_t)ash_type_bits(ash_call_out(c)->type) / 8;
  int64_t unit = size;
  if (b.rank > 0 && b.from_step[b.rank - 1] == 1 && b.to_step[b.rank - 1] == 1)
    unit *= b.dim[--b.rank];
  if (b.rank == 0)
    b.dim[b.rank++] = 1;
  if (b.rank > MOVE_RANK)
    return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_rank,
                    ash_graph_loc(c->graph, c->op, ASH_NO_ID),
                    "elements moved along %u axes; %d are supported",
                    (unsigned)b.rank, MOVE_RANK);
  ash_call_open_block(c);
  ash_call_open(c, "move");
  ash_call_int(c, "rank", b.rank);
  ash_call_int(c, "unit", unit);
  ash_call_int(c, "from", b.from * size);
  ash_call_int(c, "to", b.to * size);
  put_bytes(c, "dim", b.dim, b.rank, 1);
  put_bytes(c, "from_step", b.from_step, b.rank, size);
  put_bytes(c, "to_step", b.to_step, b.rank, size);
  ash_call_close(c);
  ash_call_invoke_between(c, in, out);
  ash_call_close_block(c);
  return ASH_OK;
}

void ash_emit_box_zero(const ash_call *c, uint8_t value[8]) {
  const uint64_t zero = (uint64_t)(int64_t)ash_quant_zero(ash_call_out(c));
  for (uint32_t i = 0; i < 8; i++)
    value[i] = (uint8_t)(zero >> (8 * i));
}

void ash_emit_box_fill(const ash_call *c, const uint8_t *value) {
  const ash_tensor *out = ash_call_out(c);
  const uint32_t size = ash_type_bits(out->type) / 8;
  int32_t bytes[8] = {0};
  for (uint32_t i = 0; i < size && i < 8; i++)
    bytes[i] = value[i];
  ash_call_open_block(c);
  ash_call_open(c, "fill");
  ash_call_int(c, "count", (int64_t)ash_shape_elements(&out->shape));
  ash_call_int(c, "unit", size);
  ash_call_ints(c, "value", bytes, size < 8 ? size : 8);
  ash_call_close(c);
  ash_call_invoke_other(c, "move_fill");
  ash_call_close_block(c);
}
