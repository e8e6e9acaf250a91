/* call_binary.c - add and mul, with broadcasting.
 *
 * Dimensions of size 1 are dropped and neighbours joined wherever both
 * operands walk through them alike: equal shapes become one dimension, and a
 * bias along channels two. */
#include "emit/call_write.h"

enum { RANK_MAX = 6 }; /* ASH_RT_RANK */

typedef struct broadcast {
  uint32_t rank;
  int32_t dim[ASH_RANK_MAX];
  int32_t step_a[ASH_RANK_MAX];
  int32_t step_b[ASH_RANK_MAX];
} broadcast;

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

static broadcast join(const ash_shape *a, const ash_shape *b,
                      const ash_shape *out) {
  broadcast s = {0};
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
    s = (broadcast){1, {1}, {1}, {1}};
  return s;
}

static ash_status put_broadcast(ash_ctx *ctx, const ash_call *c) {
  const broadcast s = join(&ash_call_in(c, 0)->shape, &ash_call_in(c, 1)->shape,
                           &ash_call_out(c)->shape);
  if (s.rank > RANK_MAX)
    return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_rank,
                    ash_graph_loc(c->graph, c->op, ASH_NO_ID),
                    "broadcasting over %u dimensions; %d are supported",
                    (unsigned)s.rank, RANK_MAX);
  ash_call_open_field(c, "shape");
  ash_call_int(c, "rank", s.rank);
  ash_call_ints(c, "dim", s.dim, s.rank);
  ash_call_ints(c, "step_a", s.step_a, s.rank);
  ash_call_ints(c, "step_b", s.step_b, s.rank);
  ash_call_close_field(c);
  return ASH_OK;
}

static ash_status put_add(ash_ctx *ctx, const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  ash_add_scaling s;
  if (!ash_quant_add(&s, a, b, ash_call_out(c)))
    return ash_quant_fail_ratio(ctx, c->graph, c->op,
                                (double)ash_quant_scale(ash_call_in(c, 0)));
  ash_call_int(c, "a_offset", -ash_quant_zero(a));
  ash_call_int(c, "a_multiplier", s.a.multiplier);
  ash_call_int(c, "a_shift", s.a.shift);
  ash_call_int(c, "b_offset", -ash_quant_zero(b));
  ash_call_int(c, "b_multiplier", s.b.multiplier);
  ash_call_int(c, "b_shift", s.b.shift);
  ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
  ash_call_int(c, "out_multiplier", s.out.multiplier);
  ash_call_int(c, "out_shift", s.out.shift);
  return ASH_OK;
}

static ash_status put_mul(ash_ctx *ctx, const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  ash_scaling s;
  if (!ash_quant_mul(&s, a, b, ash_call_out(c)))
    return ash_quant_fail_ratio(ctx, c->graph, c->op,
                                (double)ash_quant_scale(ash_call_in(c, 0)));
  ash_call_int(c, "a_offset", -ash_quant_zero(a));
  ash_call_int(c, "b_offset", -ash_quant_zero(b));
  ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
  ash_call_int(c, "out_multiplier", s.multiplier);
  ash_call_int(c, "out_shift", s.shift);
  return ASH_OK;
}

ash_status ash_call_binary(ash_ctx *ctx, const ash_call *c) {
  const bool add = ash_call_op(c)->kind == ASH_OP_add;
  if (ash_call_out(c)->type == ASH_FLOAT32) {
    ash_call_open(c, "binary_f32");
    ASH_TRY(put_broadcast(ctx, c));
    ash_call_float_range(c);
  } else {
    ash_call_open(c, add ? "add_s8" : "mul_s8");
    ASH_TRY(put_broadcast(ctx, c));
    ASH_TRY(add ? put_add(ctx, c) : put_mul(ctx, c));
    ash_call_int_range(c);
  }
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}
