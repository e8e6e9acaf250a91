/* call_fold.c - operators that fold axes, or go along one. */
#include "emit/call/call_write.h"

#include <string.h>

/* ---- mean --------------------------------------------------------------- */

enum { MEAN_AXES = 4 }; /* ASH_RT_MEAN_AXES: enough for ASH_RANK_MAX */

typedef struct axes {
  uint32_t count;
  int32_t dim[ASH_RANK_MAX], step[ASH_RANK_MAX];
} axes;

typedef struct mean_axes {
  axes keep, fold;
  int64_t elements; /* in each average */
} mean_axes;

static bool is_folded(const ash_tensor *list, uint32_t axis, uint32_t rank) {
  for (uint64_t i = 0; i < ash_shape_elements(&list->shape); i++) {
    const int64_t a = ash_tensor_int(list, i);
    if (a == (int64_t)axis || a + (int64_t)rank == (int64_t)axis)
      return true;
  }
  return false;
}

/* From the last axis to the first; joins with the one before where possible. */
static void add_axis(axes *to, int32_t dim, int32_t step, bool join) {
  if (join)
    to->dim[to->count - 1] *= dim;
  else {
    to->dim[to->count] = dim;
    to->step[to->count++] = step;
  }
}

static mean_axes split(const ash_shape *s, const ash_tensor *list) {
  mean_axes m = {.elements = 1};
  int32_t step = 1;
  const axes *newest = NULL;
  for (uint32_t d = s->rank; d-- > 0;) {
    if (s->dim[d] == 1)
      continue;
    axes *to = is_folded(list, d, s->rank) ? &m.fold : &m.keep;
    add_axis(to, s->dim[d], step, newest == to);
    newest = to;
    step *= s->dim[d];
    if (to == &m.fold)
      m.elements *= s->dim[d];
  }
  return m;
}

/* Four axes, the fastest last, unused ones of size 1. */
static void put_axes(const ash_call *c, const char *dims, const char *steps,
                     const axes *a) {
  int32_t dim[MEAN_AXES] = {1, 1, 1, 1}, step[MEAN_AXES] = {0};
  for (uint32_t i = 0; i < a->count; i++) {
    dim[MEAN_AXES - 1 - i] = a->dim[i];
    step[MEAN_AXES - 1 - i] = a->step[i];
  }
  ash_call_ints(c, dims, dim, MEAN_AXES);
  ash_call_ints(c, steps, step, MEAN_AXES);
}

static ash_status put_mean_scales(ash_ctx *ctx, const ash_call *c,
                                  int64_t elements) {
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  ash_scaling s;
  const bool mean = ash_call_op(c)->kind == ASH_OP_mean;
  if (mean ? !ash_quant_mean(&s, in, out, elements)
           : !ash_quant_convert(&s, in, out))
    return ash_quant_fail_ratio(ctx, c->graph, c->op,
                                (double)ash_quant_scale(ash_call_in(c, 0)));
  const uint32_t offset = (uint32_t)-ash_quant_zero(in) * (uint32_t)elements;
  ash_call_int(c, "sum_offset", (int32_t)offset);
  ash_call_int(c, "out_offset", ash_quant_zero(out));
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
  return ASH_OK;
}

/* What follows the axes. */
static ash_status put_fold(ash_ctx *ctx, const ash_call *c, int64_t elements) {
  const bool mean = ash_call_op(c)->kind == ASH_OP_mean;
  if (strncmp(c->kernel->name, "reduce", 6) == 0) {
    ash_call_function(c, "function");
    ash_call_type(c, "type", ash_call_in(c, 0)->type);
    ash_call_int(c, "count", elements);
    return ASH_OK;
  }
  if (ash_call_out(c)->type != ASH_FLOAT32)
    return put_mean_scales(ctx, c, elements);
  /* A sum is a mean of all divided by one. */
  ash_call_int(c, "count", mean ? elements : 1);
  return ASH_OK;
}

/* Kernels for uint8 and int8 have the same parameters, so have those for
 * whole numbers. */
static const char *params_of(const ash_call *c) {
  if (strncmp(c->kernel->name, "reduce", 6) == 0)
    return "reduce";
  return ash_call_out(c)->type == ASH_FLOAT32 ? "mean_f32" : "mean_s8";
}

ash_status ash_call_fold(ash_ctx *ctx, const ash_call *c) {
  const mean_axes m = split(&ash_call_in(c, 0)->shape, ash_call_in(c, 1));
  ASH_INVARIANT(ctx, m.keep.count <= MEAN_AXES && m.fold.count <= MEAN_AXES);
  ash_call_open(c, params_of(c));
  ash_call_open_field(c, "axes");
  put_axes(c, "keep_dim", "keep_step", &m.keep);
  put_axes(c, "fold_dim", "fold_step", &m.fold);
  ash_call_close_field(c);
  ASH_TRY(put_fold(ctx, c, m.elements ? m.elements : 1));
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}

/* ---- along one axis ----------------------------------------------------- */

static void put_rows(const ash_call *c) {
  const ash_shape *s = &ash_call_in(c, 0)->shape;
  int64_t axis = ash_tensor_int(ash_call_in(c, 1), 0), outer = 1, inner = 1;
  axis += axis < 0 ? s->rank : 0;
  for (int64_t i = 0; i < (int64_t)s->rank; i++) {
    outer *= i < axis ? s->dim[i] : 1;
    inner *= i > axis ? s->dim[i] : 1;
  }
  ash_call_int(c, "outer", outer);
  ash_call_int(c, "depth", s->dim[axis]);
  ash_call_int(c, "inner", inner);
}

ash_status ash_call_along(ash_ctx *ctx, const ash_call *c) {
  (void)ctx;
  const ash_op *op = ash_call_op(c);
  const bool sum = op->kind == ASH_OP_cumsum;
  ash_call_open(c, sum ? "cumsum" : "arg");
  put_rows(c);
  if (sum) {
    ash_call_int(c, "exclusive", ash_op_int(op, "exclusive", 0) != 0);
    ash_call_int(c, "reverse", ash_op_int(op, "reverse", 0) != 0);
  } else {
    ash_call_int(c, "least", op->kind == ASH_OP_arg_min);
    ash_call_type(c, "out_type", ash_call_out(c)->type);
  }
  ash_call_type(c, "type", ash_call_in(c, 0)->type);
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}
