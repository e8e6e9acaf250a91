/* call_binary.c - pairs of values, with broadcasting.
 *
 * Dimensions of size 1 are dropped and neighbours joined wherever both
 * operands walk through them alike: equal shapes become one dimension, and a
 * bias along channels two. */
#include "emit/call/call_write.h"

#include <string.h>

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

/* ---- other pairs -------------------------------------------------------- */

static void put_scaling(const ash_call *c, const char *multiplier,
                        const char *shift, ash_scaling s) {
  ash_call_int(c, multiplier, s.multiplier);
  ash_call_int(c, shift, s.shift);
}

static ash_status fail_ratio(ash_ctx *ctx, const ash_call *c) {
  return ash_quant_fail_ratio(ctx, c->graph, c->op,
                              (double)ash_quant_scale(ash_call_in(c, 0)) /
                                  (double)ash_quant_scale(ash_call_in(c, 1)));
}

static ash_status put_q8(ash_ctx *ctx, const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  ash_add_scaling s;
  if (!ash_quant_pair(&s, ash_call_op(c)->kind, a, b, ash_call_out(c)))
    return fail_ratio(ctx, c);
  ash_call_int(c, "a_offset", -ash_quant_zero(a));
  put_scaling(c, "a_multiplier", "a_shift", s.a);
  ash_call_int(c, "b_offset", -ash_quant_zero(b));
  put_scaling(c, "b_multiplier", "b_shift", s.b);
  ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
  put_scaling(c, "out_multiplier", "out_shift", s.out);
  ash_call_int_range(c);
  return ASH_OK;
}

/* int16: zero points are 0. Where all scales are powers of two, an operand is
 * shifted to the output's. */
static ash_status put_s16(ash_ctx *ctx, const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  int32_t p = 0, q = 0, r = 0;
  if (ash_attr_int(ash_call_op(c), "pot", 0) && ash_quant_power(&p, a) &&
      ash_quant_power(&q, b) && ash_quant_power(&r, ash_call_out(c)) &&
      p <= r && q <= r) {
    ash_call_int(c, "pot", 1);
    ash_call_int(c, "a_shift", p - r);
    ash_call_int(c, "b_shift", q - r);
    ash_call_int_range(c);
    return ASH_OK;
  }
  ash_add_scaling s;
  if (!ash_quant_pair(&s, ash_call_op(c)->kind, a, b, ash_call_out(c)))
    return fail_ratio(ctx, c);
  put_scaling(c, "a_multiplier", "a_shift", s.a);
  put_scaling(c, "b_multiplier", "b_shift", s.b);
  put_scaling(c, "out_multiplier", "out_shift", s.out);
  ash_call_int_range(c);
  return ASH_OK;
}

static void put_relation(const ash_call *c) {
  ash_call_function(c, "holds");
  ash_call_type(c, "type", ash_call_in(c, 0)->type);
}

/* The scales themselves, not their ratio: what is compared is real. */
static ash_status put_compared(ash_ctx *ctx, const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  ash_scaling p, q;
  if (!ash_quant_scaling(&p, (double)ash_quant_scale(a)) ||
      !ash_quant_scaling(&q, (double)ash_quant_scale(b)))
    return fail_ratio(ctx, c);
  ash_call_int(c, "a_offset", -ash_quant_zero(a));
  put_scaling(c, "a_multiplier", "a_shift", p);
  ash_call_int(c, "b_offset", -ash_quant_zero(b));
  put_scaling(c, "b_multiplier", "b_shift", q);
  return ASH_OK;
}

/* ---- dispatch ----------------------------------------------------------- */

static ash_status put_rest(ash_ctx *ctx, const ash_call *c,
                           const char *params) {
  if (strcmp(params, "binary_f32") == 0)
    ash_call_float_range(c);
  if (strcmp(params, "pairs_q8") == 0)
    return put_q8(ctx, c);
  if (strcmp(params, "pairs_s16") == 0)
    return put_s16(ctx, c);
  if (strncmp(params, "compare", 7) == 0)
    put_relation(c);
  if (strcmp(params, "compare_q8") == 0)
    return put_compared(ctx, c);
  if (strcmp(params, "pairs_whole") == 0) {
    ash_call_type(c, "type", ash_call_out(c)->type);
    ash_call_function(c, "function");
  }
  if (strcmp(params, "add_s8") != 0 && strcmp(params, "mul_s8") != 0)
    return ASH_OK;
  ASH_TRY(strcmp(params, "add_s8") == 0 ? put_add(ctx, c) : put_mul(ctx, c));
  ash_call_int_range(c);
  return ASH_OK;
}

/* Parameters of the kernels that share them; the others' have their name. */
static const char *params_of(const ash_call *c) {
  static const struct {
    const char *kernel, *params;
  } table[] = {
      {"add_f32", "binary_f32"},
      {"sub_f32", "binary_f32"},
      {"mul_f32", "binary_f32"},
      {"div_f32", "binary_f32"},
      {"add_s8", "add_s8"},
      {"add_s8_mve", "add_s8"},
      {"add_s8_dsp", "add_s8"},
      {"add_s8_cmsis", "add_s8"},
      {"mul_s8_cmsis", "mul_s8"},
      {"add_s8_rvv", "add_s8"},
      {"mul_s8_rvv", "mul_s8"},
      {"mul_s8_mve", "mul_s8"},
      {"mul_s8_dsp", "mul_s8"},
      {"add_f32_mve", "binary_f32"},
      {"mul_f32_mve", "binary_f32"},
      {"mul_s8", "mul_s8"},
      {"add_s16", "pairs_s16"},
      {"sub_s16", "pairs_s16"},
      {"mul_s16", "pairs_s16"},
      {"sub_s8", "pairs_q8"},
      {"sub_u8", "pairs_q8"},
      {"add_u8", "pairs_q8"},
      {"mul_u8", "pairs_q8"},
      {"div_s8", "pairs_q8"},
      {"div_u8", "pairs_q8"},
      {"div_s16", "pairs_q8"},
      {"prelu_s8", "pairs_q8"},
      {"prelu_u8", "pairs_q8"},
      {"squared_difference_s8", "pairs_q8"},
      {"pairs_whole", "pairs_whole"},
      {"compare_f32", "compare"},
      {"compare_whole", "compare"},
      {"compare_q8", "compare_q8"},
  };
  for (size_t i = 0; i < ASH_COUNT_OF(table); i++)
    if (strcmp(table[i].kernel, c->kernel->name) == 0)
      return table[i].params;
  return "pairs";
}

ash_status ash_call_binary(ash_ctx *ctx, const ash_call *c) {
  const char *params = params_of(c);
  ash_call_open(c, params);
  ASH_TRY(put_broadcast(ctx, c));
  ASH_TRY(put_rest(ctx, c, params));
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}
