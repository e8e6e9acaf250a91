/* ref_any.c - elements of any type, one at a time: map, fold, cumsum,
 * top_k. Floats are rounded after each step, as the loops do it. */
#include "ref/ref_any.h"
#include "op/sums.h"

#include <math.h>
#include <string.h>

/* What follows the function: `act` bounds floats, infinities too. */
typedef struct finish {
  bool saturates, rectifies;
  ash_ref_limits limits;
} finish;

static ash_number finished(const finish *f, ash_type type, ash_number y) {
  if (f->saturates)
    return ash_ref_number_saturate(type, y);
  if (f->rectifies)
    y.x = (double)ash_ref_clamp(&f->limits, (float)y.x);
  return y;
}

ash_status ash_ref_map_any(const ash_ref_call *c) {
  const ash_fn fn = ash_op_fn(c->op);
  const ash_tensor *out = ash_ref_out(c, 0);
  const char *act = ash_attr_string(c->op, "act", NULL);
  const finish f = {fn == ASH_FN_saturate, act && out->type == ASH_FLOAT32,
                    ash_ref_limits_of(c, act ? act : "none")};
  const float alpha = (float)ash_attr_float(c->op, "alpha", 0.0);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < ash_ref_elements(out); i++) {
    ash_number o[3] = {{0}, {.real = true, .x = (double)alpha}, {0}};
    for (uint32_t k = 0; k < ash_fn_operands(fn); k++)
      o[k] = ash_ref_number_get(
          ash_ref_in(c, k), ash_ref_read(c, k),
          ash_ref_index(&ash_ref_in(c, k)->shape, at, out->shape.rank));
    ash_ref_number_put(out, ash_ref_write(c, 0), i,
                       finished(&f, out->type, ash_ref_number_apply(fn, o)));
    ash_ref_next(&out->shape, at);
  }
  return ASH_OK;
}

/* ---- fold --------------------------------------------------------------- */

static ash_number both(ash_fn fn, ash_number a, ash_number b) {
  const ash_number o[3] = {a, b, b};
  return ash_ref_number_apply(fn, o);
}

static ash_number step(ash_fold fold, ash_number sum, ash_number x) {
  switch (fold) {
  case ASH_FOLD_PROD:
    return both(ASH_FN_mul, sum, x);
  case ASH_FOLD_MAX:
    return both(ASH_FN_maximum, sum, x);
  case ASH_FOLD_MIN:
    return both(ASH_FN_minimum, sum, x);
  case ASH_FOLD_SUM_ABS:
    return both(ASH_FN_add, sum, both(ASH_FN_abs, x, x));
  case ASH_FOLD_SUM_SQUARE:
    return both(ASH_FN_add, sum, both(ASH_FN_mul, x, x));
  case ASH_FOLD_ANY:
    return both(ASH_FN_logical_or, sum, x);
  case ASH_FOLD_ALL:
    return both(ASH_FN_logical_and, sum, x);
  default:
    return both(ASH_FN_add, sum, x);
  }
}

/* Half types are computed in float32. */
static ash_number rounded(ash_type type, ash_number n) {
  if (n.real && type != ASH_FLOAT64)
    n.x = (double)(float)n.x;
  return n;
}

static ash_number start(ash_fold fold, ash_number first) {
  const bool one = fold == ASH_FOLD_PROD || fold == ASH_FOLD_ALL;
  const ash_number nothing = {
      .real = first.real, .is_unsigned = first.is_unsigned, .x = one, .i = one};
  return fold == ASH_FOLD_MAX || fold == ASH_FOLD_MIN ? first : nothing;
}

static bool beats(ash_fold fold, ash_number x, ash_number best) {
  switch (fold) {
  case ASH_FOLD_ARG_MAX:
    return both(ASH_FN_greater, x, best).i;
  case ASH_FOLD_ARG_MIN:
    return both(ASH_FN_less, x, best).i;
  case ASH_FOLD_ARG_MAX_LAST:
    return both(ASH_FN_greater_equal, x, best).i;
  default:
    return both(ASH_FN_less_equal, x, best).i;
  }
}

/* The elements of one result: `from` is the place of the first, `in` the
 * strides of all axes, `folded` says which axes vary. */
typedef struct span {
  const ash_tensor *t;
  const void *data;
  ash_shape over; /* folded axes, others 1 */
  uint64_t from;
} span;

static ash_number element(const span *s, const int32_t *at) {
  uint64_t index = 0;
  for (uint32_t i = 0; i < s->over.rank; i++)
    index = index * (uint64_t)s->t->shape.dim[i] + (uint64_t)at[i];
  return ash_ref_number_get(s->t, s->data, s->from + index);
}

/* The sum as a mean of so many. */
static ash_number mean_of(ash_number sum, uint64_t count) {
  const ash_number n = {.real = sum.real,
                        .is_unsigned = sum.is_unsigned,
                        .x = (double)count,
                        .i = (int64_t)count};
  return both(ASH_FN_div, sum, n);
}

ash_number ash_ref_number_fold(ash_type type, ash_fold fold,
                               const ash_number *values, uint64_t count) {
  ash_number sum = start(fold, values[0]);
  for (uint64_t i = 0; i < count; i++)
    sum = rounded(type, step(fold, sum, values[i]));
  return fold == ASH_FOLD_MEAN ? mean_of(sum, count) : sum;
}

static ash_number fold_span(const span *s, ash_fold fold) {
  int32_t at[ASH_RANK_MAX] = {0};
  const uint64_t count = ash_shape_elements(&s->over);
  ash_number best = element(s, at), sum = start(fold, best);
  int64_t where = 0;
  for (uint64_t i = 0; i < count; i++, ash_ref_next(&s->over, at)) {
    const ash_number x = element(s, at);
    if (fold >= ASH_FOLD_ARG_MAX) {
      if (beats(fold, x, best)) {
        best = x;
        where = (int64_t)i;
      }
    } else {
      sum = rounded(s->t->type, step(fold, sum, x));
    }
  }
  if (fold >= ASH_FOLD_ARG_MAX)
    return (ash_number){.i = where};
  return fold == ASH_FOLD_MEAN ? mean_of(sum, count) : sum;
}

ash_status ash_ref_fold(const ash_ref_call *c) {
  const ash_tensor *in = ash_ref_in(c, 0);
  if (ash_op_rescales(c->g, c->op))
    return ash_ref_scaled_sum(c);
  const uint32_t folded = ash_op_folded(c->op, in->shape.rank);
  span s = {in, ash_ref_read(c, 0), in->shape, 0};
  ash_shape keep = in->shape;
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint32_t i = 0; i < keep.rank; i++)
    if (folded >> i & 1)
      keep.dim[i] = 1;
    else
      s.over.dim[i] = 1;
  const uint64_t count = ash_shape_elements(&keep);
  for (uint64_t i = 0; i < count; i++, ash_ref_next(&keep, at)) {
    s.from = 0;
    for (uint32_t k = 0; k < keep.rank; k++)
      s.from = s.from * (uint64_t)in->shape.dim[k] + (uint64_t)at[k];
    ash_ref_number_put(ash_ref_out(c, 0), ash_ref_write(c, 0), i,
                       fold_span(&s, ash_op_fold(c->op)));
  }
  return ASH_OK;
}

/* ---- along one axis ----------------------------------------------------- */

/* A tensor as [outer, size, inner] around an axis. */
typedef struct lane {
  uint64_t outer, size, inner;
} lane;

static lane lane_of(const ash_ref_call *c, const ash_shape *s) {
  const int64_t given = ash_attr_int(c->op, "axis", 0);
  const uint32_t axis = (uint32_t)(given < 0 ? given + s->rank : given);
  lane l = {1, (uint64_t)s->dim[axis], 1};
  for (uint32_t i = 0; i < axis; i++)
    l.outer *= (uint64_t)s->dim[i];
  for (uint32_t i = axis + 1; i < s->rank; i++)
    l.inner *= (uint64_t)s->dim[i];
  return l;
}

static uint64_t place(const lane *l, uint64_t o, uint64_t k, uint64_t i) {
  return (o * l->size + k) * l->inner + i;
}

ash_status ash_ref_cumsum(const ash_ref_call *c) {
  const ash_tensor *t = ash_ref_in(c, 0);
  const lane l = lane_of(c, &t->shape);
  const bool exclusive = ash_attr_int(c->op, "exclusive", 0) != 0;
  const bool reverse = ash_attr_int(c->op, "reverse", 0) != 0;
  for (uint64_t o = 0; o < l.outer; o++)
    for (uint64_t i = 0; i < l.inner; i++) {
      ash_number sum = {.real = ash_type_is_float(t->type)};
      for (uint64_t k = 0; k < l.size; k++) {
        const uint64_t at = place(&l, o, reverse ? l.size - 1 - k : k, i);
        const ash_number x = ash_ref_number_get(t, ash_ref_read(c, 0), at);
        const ash_number next = rounded(t->type, both(ASH_FN_add, sum, x));
        ash_ref_number_put(t, ash_ref_write(c, 0), at, exclusive ? sum : next);
        sum = next;
      }
    }
  return ASH_OK;
}

/* By repeated search: the best of those that come after the last one found, in
 * the order value, then index. */
static uint64_t next_best(const ash_ref_call *c, const lane *l, uint64_t o,
                          uint64_t i, bool largest, const bool *used) {
  const ash_tensor *t = ash_ref_in(c, 0);
  uint64_t best = UINT64_MAX;
  for (uint64_t k = 0; k < l->size; k++) {
    if (used[k])
      continue;
    const ash_number x =
        ash_ref_number_get(t, ash_ref_read(c, 0), place(l, o, k, i));
    const ash_number y =
        best == UINT64_MAX
            ? x
            : ash_ref_number_get(t, ash_ref_read(c, 0), place(l, o, best, i));
    if (best == UINT64_MAX ||
        both(largest ? ASH_FN_greater : ASH_FN_less, x, y).i)
      best = k;
  }
  return best;
}

ash_status ash_ref_top_k(const ash_ref_call *c) {
  const ash_tensor *t = ash_ref_in(c, 0);
  const lane l = lane_of(c, &t->shape);
  const bool largest = ash_attr_int(c->op, "largest", 1) != 0;
  const uint64_t wanted = (uint64_t)ash_attr_int(c->op, "k", 1);
  bool *used = ASH_NEW_ARRAY(&c->ctx->scratch, bool, (size_t)l.size + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const lane to = {l.outer, wanted, l.inner};
  for (uint64_t o = 0; o < l.outer; o++)
    for (uint64_t i = 0; i < l.inner; i++) {
      memset(used, 0, (size_t)l.size * sizeof *used);
      for (uint64_t k = 0; k < wanted; k++) {
        const uint64_t best = next_best(c, &l, o, i, largest, used);
        used[best] = true;
        ash_ref_number_put(
            t, ash_ref_write(c, 0), place(&to, o, k, i),
            ash_ref_number_get(t, ash_ref_read(c, 0), place(&l, o, best, i)));
        ash_ref_put(ash_ref_out(c, 1), ash_ref_write(c, 1), place(&to, o, k, i),
                    (int64_t)best);
      }
    }
  return ASH_OK;
}

ash_status ash_ref_resample(const ash_ref_call *c) {
  const ash_tensor *t = ash_ref_in(c, 0), *table = ash_ref_in(c, 1);
  const int32_t *at = ash_ref_read(c, 1);
  const float *weight = ash_ref_read(c, 2);
  const uint64_t size = (uint64_t)table->shape.dim[0];
  const uint64_t taps = (uint64_t)table->shape.dim[1];
  const lane l = lane_of(c, &t->shape), to = {l.outer, size, l.inner};
  for (uint64_t o = 0; o < l.outer; o++)
    for (uint64_t k = 0; k < size; k++)
      for (uint64_t i = 0; i < l.inner; i++) {
        ash_number sum = {.real = true};
        for (uint64_t j = 0; j < taps; j++) {
          const ash_number x =
              ash_ref_number_get(t, ash_ref_read(c, 0),
                                 place(&l, o, (uint64_t)at[k * taps + j], i));
          const ash_number part = {.real = true,
                                   .x = (double)weight[k * taps + j] *
                                        (x.real ? x.x : (double)x.i)};
          sum.x += rounded(t->type, part).x;
          sum = rounded(t->type, sum);
        }
        ash_ref_number_put(t, ash_ref_write(c, 0), place(&to, o, k, i), sum);
      }
  return ASH_OK;
}
