/* call_row.c - rows along the last axis: log_softmax and l2_normalization. */
#include "emit/call/call_write.h"

#include <math.h>

static void put_rows(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 0)->shape.rank > 0);
  const ash_shape *s = &ash_call_in(c, 0)->shape;
  const int64_t depth = s->dim[s->rank - 1];
  ash_call_int(c, "rows", (int64_t)ash_shape_elements(s) / depth);
  ash_call_int(c, "depth", depth);
}

/* Differences are brought to Q5.26 as for the table
 * (pass/lower/lower_tables.c). */
static void put_log_softmax(const ash_call *c) {
  ash_scaling s, back;
  const bool good = ash_quant_log_softmax(&s, &back, ash_call_in(c, 0));
  ASH_ASSERT(good);
  ash_call_type(c, "type", ash_call_in(c, 0)->type);
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
  ash_call_int(c, "back_multiplier", back.multiplier);
  ash_call_int(c, "back_shift", back.shift);
  ash_call_int(c, "farthest", (int64_t)floor(31.0 * ldexp(1.0, 26 - s.shift)));
}

static void put_l2(const ash_call *c) {
  ash_call_type(c, "type", ash_call_in(c, 0)->type);
  ash_call_int(c, "in_offset", -ash_quant_zero(ash_call_in(c, 0)));
}

void ash_call_rows(const ash_call *c) {
  const bool real = ash_call_out(c)->type == ASH_FLOAT32;
  ash_call_open(c, real ? "rows" : c->kernel->name);
  put_rows(c);
  if (!real && ash_call_op(c)->kind == ASH_OP_log_softmax)
    put_log_softmax(c);
  else if (!real)
    put_l2(c);
  ash_call_close(c);
  ash_call_invoke(c);
}
