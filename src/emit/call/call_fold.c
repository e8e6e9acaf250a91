/* call_fold.c - sums and means of quantised values. */
#include "emit/call/call_write.h"

#include "op/functions.h"

enum { MEAN_AXES = 4 }; /* ASH_RT_MEAN_AXES: enough for ASH_RANK_MAX */

typedef struct axes {
  uint32_t count;
  int32_t dim[ASH_RANK_MAX], step[ASH_RANK_MAX];
} axes;

typedef struct mean_axes {
  axes keep, fold;
  int64_t elements; /* in each average */
} mean_axes;

/* From the last axis to the first; joins with the one before where possible. */
static void add_axis(axes *to, int32_t dim, int32_t step, bool join) {
  ASH_ASSERT(to->count < ASH_RANK_MAX && (!join || to->count > 0));
  if (join)
    to->dim[to->count - 1] *= dim;
  else {
    to->dim[to->count] = dim;
    to->step[to->count++] = step;
  }
}

static mean_axes split(const ash_shape *s, uint32_t folded) {
  ASH_ASSERT(s->rank <= ASH_RANK_MAX && folded >> s->rank == 0);
  mean_axes m = {.elements = 1};
  int32_t step = 1;
  const axes *newest = NULL;
  for (uint32_t d = s->rank; d-- > 0;) {
    if (s->dim[d] == 1)
      continue;
    axes *to = folded >> d & 1 ? &m.fold : &m.keep;
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
  ASH_ASSERT(a->count <= MEAN_AXES);
  int32_t dim[MEAN_AXES] = {1, 1, 1, 1}, step[MEAN_AXES] = {0};
  for (uint32_t i = 0; i < a->count; i++) {
    dim[MEAN_AXES - 1 - i] = a->dim[i];
    step[MEAN_AXES - 1 - i] = a->step[i];
  }
  ash_call_ints(c, dims, dim, MEAN_AXES);
  ash_call_ints(c, steps, step, MEAN_AXES);
}

static void put_mean_scales(const ash_call *c, int64_t elements) {
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  ash_scaling s;
  const bool mean = ash_op_fold(ash_call_op(c)) == ASH_FOLD_MEAN;
  const bool good = mean ? ash_quant_mean(&s, in, out, elements)
                         : ash_quant_convert(&s, in, out);
  ASH_ASSERT(good);
  const uint32_t offset = (uint32_t)-ash_quant_zero(in) * (uint32_t)elements;
  ash_call_int(c, "sum_offset", (int32_t)offset);
  ash_call_int(c, "out_offset", ash_quant_zero(out));
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
}

/* Kernels for all quantised types have the same parameters. */
void ash_call_fold(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const mean_axes m = split(in, ash_op_folded(ash_call_op(c), in->rank));
  ASH_ASSERT(m.keep.count <= MEAN_AXES && m.fold.count <= MEAN_AXES);
  ash_call_open(c, "mean_s8");
  ash_call_open_field(c, "axes");
  put_axes(c, "keep_dim", "keep_step", &m.keep);
  put_axes(c, "fold_dim", "fold_step", &m.fold);
  ash_call_close_field(c);
  put_mean_scales(c, m.elements);
  ash_call_close(c);
  ash_call_invoke(c);
}
