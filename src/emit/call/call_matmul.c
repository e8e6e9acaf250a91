/* call_matmul.c - products of quantised matrices; batches broadcast. */
#include "emit/call/call_write.h"

/* Elements to the operand's next matrix along batch axis d of the output. */
static int32_t batch_step(const ash_shape *s, uint32_t out_rank, uint32_t d) {
  ASH_ASSERT(s->rank <= out_rank && d < out_rank);
  const uint32_t missing = out_rank - s->rank;
  int32_t step = 1;
  if (d < missing || s->dim[d - missing] == 1)
    return 0;
  for (uint32_t i = d - missing + 1; i < s->rank; i++)
    step *= s->dim[i];
  return step;
}

/* The kernel walks all axes but the last: one of size 1 behind the batches. */
static void put_batches(const ash_call *c) {
  const ash_shape *out = &ash_call_out(c)->shape;
  const uint32_t rank = out->rank - 1;
  int32_t dim[ASH_RANK_MAX] = {0}, a[ASH_RANK_MAX] = {0};
  int32_t b[ASH_RANK_MAX] = {0};
  ASH_ASSERT(rank > 0 && rank <= ASH_KERNEL_RANK);
  for (uint32_t i = 0; i + 1 < rank; i++) {
    dim[i] = out->dim[i];
    a[i] = batch_step(&ash_call_in(c, 0)->shape, out->rank, i);
    b[i] = batch_step(&ash_call_in(c, 1)->shape, out->rank, i);
  }
  dim[rank - 1] = 1;
  ash_call_open_field(c, "batches");
  ash_call_int(c, "rank", rank);
  ash_call_ints(c, "dim", dim, rank);
  ash_call_ints(c, "step_a", a, rank);
  ash_call_ints(c, "step_b", b, rank);
  ash_call_close_field(c);
}

static void put_shape(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 0)->shape.rank >= 2 &&
             ash_call_in(c, 1)->shape.rank >= 2);
  const ash_shape *a = &ash_call_in(c, 0)->shape;
  const ash_shape *b = &ash_call_in(c, 1)->shape;
  const ash_shape *out = &ash_call_out(c)->shape;
  const bool ta = ash_attr_int(ash_call_op(c), "transpose_a", 0) != 0;
  const bool tb = ash_attr_int(ash_call_op(c), "transpose_b", 0) != 0;
  const int32_t a_width = a->dim[a->rank - 1], b_width = b->dim[b->rank - 1];
  ash_call_open_field(c, "shape");
  put_batches(c);
  ash_call_int(c, "rows", out->dim[out->rank - 2]);
  ash_call_int(c, "columns", out->dim[out->rank - 1]);
  ash_call_int(c, "depth", ta ? a->dim[a->rank - 2] : a_width);
  ash_call_int(c, "a_row", ta ? 1 : a_width);
  ash_call_int(c, "a_depth", ta ? a_width : 1);
  ash_call_int(c, "b_depth", tb ? 1 : b_width);
  ash_call_int(c, "b_column", tb ? b_width : 1);
  ash_call_close_field(c);
}

void ash_call_matmul(const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  ash_call_open(c, c->kernel->params_name);
  put_shape(c);
  ash_scaling s;
  const bool good = ash_quant_matmul(&s, a, b, ash_call_out(c));
  ASH_ASSERT(good);
  const bool sixteen = a->type == ASH_INT16;
  if (sixteen) {
    ash_call_type(c, "b_type", b->type);
    ash_call_int(c, "per_column", b->quant.count > 1);
  }
  ash_call_int(c, "a_offset", -ash_quant_zero(a));
  ash_call_int(c, "b_offset", -ash_quant_zero(b));
  ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
  if (!sixteen) {
    ash_call_int(c, "multiplier", s.multiplier);
    ash_call_int(c, "shift", s.shift);
  }
  ash_call_close(c);
  ash_call_invoke(c);
}
