/* call_shape.c - mean, pad, concatenation and copying: operators whose
 * parameters are mostly shapes. */
#include "emit/call_write.h"

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
  if (!ash_quant_mean(&s, in, out, elements))
    return ash_quant_fail_ratio(ctx, c->graph, c->op,
                                (double)ash_quant_scale(ash_call_in(c, 0)));
  const uint32_t offset = (uint32_t)-ash_quant_zero(in) * (uint32_t)elements;
  ash_call_int(c, "sum_offset", (int32_t)offset);
  ash_call_int(c, "out_offset", ash_quant_zero(out));
  ash_call_int(c, "multiplier", s.multiplier);
  ash_call_int(c, "shift", s.shift);
  return ASH_OK;
}

ash_status ash_call_mean(ash_ctx *ctx, const ash_call *c) {
  const mean_axes m = split(&ash_call_in(c, 0)->shape, ash_call_in(c, 1));
  const bool integer = ash_call_out(c)->type != ASH_FLOAT32;
  ASH_INVARIANT(ctx, m.keep.count <= MEAN_AXES && m.fold.count <= MEAN_AXES);
  ash_call_open(c, integer ? "mean_s8" : "mean_f32");
  ash_call_open_field(c, "axes");
  put_axes(c, "keep_dim", "keep_step", &m.keep);
  put_axes(c, "fold_dim", "fold_step", &m.fold);
  ash_call_close_field(c);
  if (integer)
    ASH_TRY(put_mean_scales(ctx, c, m.elements ? m.elements : 1));
  else
    ash_call_int(c, "count", m.elements);
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}

/* ---- pad ---------------------------------------------------------------- */

enum { PAD_RANK_MAX = 6 }; /* ASH_RT_RANK */

typedef struct padding {
  uint32_t rank;
  int32_t dim[ASH_RANK_MAX], before[ASH_RANK_MAX], after[ASH_RANK_MAX];
} padding;

/* A dimension without padding joins the one before it. */
static padding join_padding(const ash_shape *s, const ash_tensor *list) {
  padding p = {0};
  for (uint32_t d = 0; d < s->rank; d++) {
    const int32_t before = (int32_t)ash_tensor_int(list, (uint64_t)d * 2);
    const int32_t after = (int32_t)ash_tensor_int(list, (uint64_t)d * 2 + 1);
    if (p.rank > 0 && before == 0 && after == 0) {
      const uint32_t last = p.rank - 1;
      p.dim[last] *= s->dim[d];
      p.before[last] *= s->dim[d];
      p.after[last] *= s->dim[d];
      continue;
    }
    p.dim[p.rank] = s->dim[d];
    p.before[p.rank] = before;
    p.after[p.rank++] = after;
  }
  if (p.rank == 0)
    p = (padding){1, {1}, {0}, {0}};
  return p;
}

static void put_pad_value(const ash_call *c) {
  const ash_tensor *value = ash_call_in(c, 2);
  if (ash_call_out(c)->type == ASH_FLOAT32)
    ash_call_float(c, "value", value ? ash_tensor_float(value, 0) : 0.0f);
  else
    ash_call_int(c, "value",
                 value ? ash_tensor_int(value, 0)
                       : ash_quant_zero(ash_call_out(c)));
}

ash_status ash_call_pad(ash_ctx *ctx, const ash_call *c) {
  const padding p = join_padding(&ash_call_in(c, 0)->shape, ash_call_in(c, 1));
  if (p.rank > PAD_RANK_MAX)
    return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_rank,
                    ash_graph_loc(c->graph, c->op, ASH_NO_ID),
                    "padding of %u dimensions; %d are supported",
                    (unsigned)p.rank, PAD_RANK_MAX);
  ash_call_open(c, ash_call_out(c)->type == ASH_FLOAT32 ? "pad_f32" : "pad_s8");
  ash_call_open_field(c, "shape");
  ash_call_int(c, "rank", p.rank);
  ash_call_ints(c, "dim", p.dim, p.rank);
  ash_call_ints(c, "before", p.before, p.rank);
  ash_call_ints(c, "after", p.after, p.rank);
  ash_call_close_field(c);
  put_pad_value(c);
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}

/* ---- copying ------------------------------------------------------------ */

ash_status ash_call_copy(ash_ctx *ctx, const ash_call *c) {
  (void)ctx;
  ash_call_open(c, "copy");
  ash_call_int(c, "bytes", (int64_t)ash_call_out(c)->bytes);
  ash_call_close(c);
  ash_call_invoke(c);
  return ASH_OK;
}

/* Elements behind `axis`. */
static int64_t inner_of(const ash_shape *s, uint32_t axis) {
  int64_t n = 1;
  for (uint32_t d = axis + 1; d < s->rank; d++)
    n *= s->dim[d];
  return n;
}

static uint32_t concatenation_axis(const ash_call *c) {
  const int64_t rank = ash_call_out(c)->shape.rank;
  const int64_t axis = ash_op_int(ash_call_op(c), "axis", 0);
  return (uint32_t)(axis < 0 ? axis + rank : axis);
}

static ash_status put_piece(ash_ctx *ctx, const ash_call *c, uint32_t k,
                            int64_t *at) {
  const ash_tensor *in = ash_call_in(c, k), *out = ash_call_out(c);
  const bool scaled = strcmp(c->kernel->name, "concatenation_s8") == 0;
  const uint32_t axis = concatenation_axis(c);
  const int64_t unit =
      inner_of(&out->shape, axis) * (int64_t)ash_type_bits(out->type) / 8;
  const int64_t run = in->shape.dim[axis] * unit;
  ash_call_open(c, c->kernel->name);
  ash_call_int(c, "rows", run ? (int64_t)in->bytes / run : 0);
  ash_call_int(c, "run", run);
  ash_call_int(c, "pitch", out->shape.dim[axis] * unit);
  ash_call_int(c, "at", *at);
  if (scaled) {
    ash_scaling s;
    if (!ash_quant_convert(&s, in, out))
      return ash_quant_fail_ratio(ctx, c->graph, c->op,
                                  (double)ash_quant_scale(ash_call_in(c, 0)));
    ash_call_int(c, "in_offset", -ash_quant_zero(in));
    ash_call_int(c, "out_offset", ash_quant_zero(out));
    ash_call_int(c, "multiplier", s.multiplier);
    ash_call_int(c, "shift", s.shift);
  }
  ash_call_close(c);
  ash_call_invoke_one(c, k);
  *at += run;
  return ASH_OK;
}

/* One call an input, each in a block of its own. */
ash_status ash_call_concatenation(ash_ctx *ctx, const ash_call *c) {
  int64_t at = 0;
  for (uint32_t k = 0; k < ash_call_op(c)->input_count; k++) {
    if (!ash_call_in(c, k))
      continue;
    if (c->in_place && c->in_place[k]) {
      /* Only where each input is one run of bytes. */
      at += (int64_t)ash_call_in(c, k)->bytes;
      continue;
    }
    ash_text_line(c->text, "{");
    c->text->indent++;
    ASH_TRY(put_piece(ctx, c, k, &at));
    c->text->indent--;
    ash_text_line(c->text, "}");
  }
  return ASH_OK;
}
