/* call_element_pair.c - pairs of values, with broadcasting (op/broadcast.h). */
#include "emit/call/call_write.h"
#include "op/broadcast.h"

static void put_broadcast(const ash_call *c) {
  const ash_broadcast s = ash_broadcast_of(c->graph, ash_call_op(c));
  ASH_ASSERT(s.rank <= ASH_KERNEL_RANK);
  ash_call_open_field(c, "shape");
  ash_call_int(c, "rank", s.rank);
  ash_call_ints(c, "dim", s.dim, s.rank);
  ash_call_ints(c, "step_a", s.step_a, s.rank);
  ash_call_ints(c, "step_b", s.step_b, s.rank);
  ash_call_close_field(c);
}

static void put_add(const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  ash_add_scaling s;
  const bool good = ash_quant_add(&s, a, b, ash_call_out(c));
  ASH_ASSERT(good);
  ash_call_int(c, "a_offset", -ash_quant_zero(a));
  ash_call_int(c, "a_multiplier", s.a.multiplier);
  ash_call_int(c, "a_shift", s.a.shift);
  ash_call_int(c, "b_offset", -ash_quant_zero(b));
  ash_call_int(c, "b_multiplier", s.b.multiplier);
  ash_call_int(c, "b_shift", s.b.shift);
  ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
  ash_call_int(c, "out_multiplier", s.out.multiplier);
  ash_call_int(c, "out_shift", s.out.shift);
  ash_call_int_range(c);
}

static void put_mul(const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  ash_scaling s;
  const bool good = ash_quant_mul(&s, a, b, ash_call_out(c));
  ASH_ASSERT(good);
  ash_call_int(c, "a_offset", -ash_quant_zero(a));
  ash_call_int(c, "b_offset", -ash_quant_zero(b));
  ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
  ash_call_int(c, "out_multiplier", s.multiplier);
  ash_call_int(c, "out_shift", s.shift);
  ash_call_int_range(c);
}

/* ---- other pairs -------------------------------------------------------- */

static void put_scaling(const ash_call *c, const char *multiplier,
                        const char *shift, ash_scaling s) {
  ash_call_int(c, multiplier, s.multiplier);
  ash_call_int(c, shift, s.shift);
}

static void put_q8(const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  ash_add_scaling s;
  const bool good =
      ash_quant_pair(&s, ash_op_fn(ash_call_op(c)), a, b, ash_call_out(c));
  ASH_ASSERT(good);
  ash_call_int(c, "a_offset", -ash_quant_zero(a));
  put_scaling(c, "a_multiplier", "a_shift", s.a);
  ash_call_int(c, "b_offset", -ash_quant_zero(b));
  put_scaling(c, "b_multiplier", "b_shift", s.b);
  ash_call_int(c, "out_offset", ash_quant_zero(ash_call_out(c)));
  put_scaling(c, "out_multiplier", "out_shift", s.out);
  ash_call_int_range(c);
}

/* int16: zero points are 0. Where all scales are powers of two, an operand is
 * shifted to the output's. */
static void put_s16(const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  int32_t p, q;
  if (ash_attr_int(ash_call_op(c), "pot", 0) &&
      ash_quant_shifts(&p, &q, a, b, ash_call_out(c))) {
    ash_call_int(c, "pot", 1);
    ash_call_int(c, "a_shift", p);
    ash_call_int(c, "b_shift", q);
    ash_call_int_range(c);
    return;
  }
  ash_add_scaling s;
  const bool good =
      ash_quant_pair(&s, ash_op_fn(ash_call_op(c)), a, b, ash_call_out(c));
  ASH_ASSERT(good);
  put_scaling(c, "a_multiplier", "a_shift", s.a);
  put_scaling(c, "b_multiplier", "b_shift", s.b);
  put_scaling(c, "out_multiplier", "out_shift", s.out);
  ash_call_int_range(c);
}

/* The scales themselves, not their ratio: what is compared is real. */
static void put_compared(const ash_call *c) {
  const ash_tensor *a = ash_call_in(c, 0), *b = ash_call_in(c, 1);
  ash_scaling p = {0, 0}, q = {0, 0};
  const bool good = ash_quant_scaling(&p, (double)ash_quant_scale(a)) &&
                    ash_quant_scaling(&q, (double)ash_quant_scale(b));
  ASH_ASSERT(good);
  ash_call_function(c, "holds");
  ash_call_type(c, "type", a->type);
  ash_call_int(c, "a_offset", -ash_quant_zero(a));
  put_scaling(c, "a_multiplier", "a_shift", p);
  ash_call_int(c, "b_offset", -ash_quant_zero(b));
  put_scaling(c, "b_multiplier", "b_shift", q);
}

/* ---- dispatch ----------------------------------------------------------- */

void ash_call_binary(const ash_call *c) {
  ASH_ASSERT(c->kernel->params != ASH_PARAMS_other);
  ash_call_open(c, c->kernel->params_name);
  put_broadcast(c);
  switch (c->kernel->params) {
  case ASH_PARAMS_add_s8:
    put_add(c);
    break;
  case ASH_PARAMS_mul_s8:
    put_mul(c);
    break;
  case ASH_PARAMS_binary_f32:
    ash_call_float_range(c);
    break;
  case ASH_PARAMS_pairs_q8:
    put_q8(c);
    break;
  case ASH_PARAMS_pairs_s16:
    put_s16(c);
    break;
  default:
    ASH_ASSERT(c->kernel->params == ASH_PARAMS_compare_q8);
    put_compared(c);
  }
  ash_call_close(c);
  ash_call_invoke(c);
}
