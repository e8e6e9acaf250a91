/* loop_fold.c - fold, cumsum, top_k and resample: loops along an axis. */
#include "emit/loop/loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- fold --------------------------------------------------------------- */

typedef struct folding {
  ash_nest keep, over; /* operands: 0 output, 1 input */
  int64_t count;
} folding;

static folding split(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  ASH_ASSERT(in->rank <= ASH_RANK_MAX);
  const uint32_t folded = ash_op_folded(ash_call_op(c), in->rank);
  folding f = {.keep = {.operands = 2}, .over = {.operands = 2}, .count = 1};
  int64_t in_step = (int64_t)ash_shape_elements(in);
  int64_t out_step = (int64_t)ash_shape_elements(&ash_call_out(c)->shape);
  for (uint32_t d = 0; d < in->rank; d++) {
    const bool fold = folded >> d & 1;
    in_step /= in->dim[d];
    out_step = fold ? out_step : out_step / in->dim[d];
    const int64_t steps[] = {fold ? 0 : out_step, in_step};
    ash_nest_add(fold ? &f.over : &f.keep, in->dim[d], steps);
    f.count *= fold ? in->dim[d] : 1;
  }
  return f;
}

/* What is picked instead of summed needs no more bits than the elements. */
const char *ash_loop_fold_type(ash_fold fold, ash_type type) {
  const bool sums = fold <= ASH_FOLD_PROD || fold == ASH_FOLD_SUM_ABS ||
                    fold == ASH_FOLD_SUM_SQUARE;
  if (sums)
    return ash_loop_type(type);
  return type == ASH_BOOL ? "int32_t" : ash_loop_held(type);
}

static const char *step_text(ash_fold fold, bool real) {
  switch (fold) {
  case ASH_FOLD_PROD:
    return real ? "s * v" : "(T)((uint64_t)s * (uint64_t)v)";
  case ASH_FOLD_MAX:
    return real ? "s != s || s > v ? s : v" : "s > v ? s : v";
  case ASH_FOLD_MIN:
    return real ? "s != s || s < v ? s : v" : "s < v ? s : v";
  case ASH_FOLD_ANY:
    return "s != 0 || v != 0";
  case ASH_FOLD_ALL:
    return "s != 0 && v != 0";
  case ASH_FOLD_SUM_ABS:
    return "s + (v < 0 ? -v : v)";
  case ASH_FOLD_SUM_SQUARE:
    return real ? "s + v * v" : "(T)((uint64_t)s + (uint64_t)v * (uint64_t)v)";
  default:
    return real ? "s + v" : "(T)((uint64_t)s + (uint64_t)v)";
  }
}

void ash_loop_fold_step(const ash_call *c, ash_fold fold, ash_type type) {
  ASH_ASSERT(fold < ASH_FOLD_ARG_MAX);
  const char *text = step_text(fold, ash_type_is_float(type));
  if (fold == ASH_FOLD_SUM_ABS && type == ASH_UINT64)
    text = "s + v";
  if (strncmp(text, "(T)", 3) == 0)
    ash_text_line(c->text, "s = (%s)%s;", ash_loop_type(type), text + 3);
  else
    ash_text_line(c->text, "s = %s;", text);
}

static const char *beats(ash_fold fold) {
  ASH_ASSERT(fold >= ASH_FOLD_ARG_MAX && fold < ASH_FOLD_COUNT);
  switch (fold) {
  case ASH_FOLD_ARG_MAX:
    return ">";
  case ASH_FOLD_ARG_MIN:
    return "<";
  case ASH_FOLD_ARG_MAX_LAST:
    return ">=";
  default:
    return "<=";
  }
}

static void put_search(const ash_call *c, ash_fold fold) {
  ash_text_line(c->text, "if (v %s s) {", beats(fold));
  ash_text_line(c->text, "  s = v;");
  ash_text_line(c->text, "  where = j0;");
  ash_text_line(c->text, "}");
}

static void put_result(const ash_call *c, const folding *f, ash_fold fold,
                       const char *at) {
  ASH_ASSERT(f->count > 0);
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  char value[64];
  if (fold >= ASH_FOLD_ARG_MAX)
    ash_text_line(c->text, "y[%s] = where;", at);
  else if (fold == ASH_FOLD_MEAN) {
    (void)snprintf(value, sizeof value, "s / %" PRId64, f->count);
    ash_loop_store(c, out->type, in->type, "y", at, value);
  } else
    ash_loop_store(c, out->type, in->type, "y", at, "s");
}

static void put_start(const ash_call *c, ash_fold fold, const char *from) {
  ASH_ASSERT(fold < ASH_FOLD_COUNT);
  const ash_type type = ash_call_in(c, 0)->type;
  char value[2 * ASH_LOOP_TEXT];
  const bool search = fold >= ASH_FOLD_ARG_MAX;
  if (search || fold == ASH_FOLD_MAX || fold == ASH_FOLD_MIN)
    ash_text_line(c->text, "%s s = %s;", ash_loop_fold_type(fold, type),
                  ash_loop_load(value, type, "x", from));
  else
    ash_text_line(c->text, "%s s = %d;", ash_loop_fold_type(fold, type),
                  fold == ASH_FOLD_PROD || fold == ASH_FOLD_ALL);
  if (search)
    ash_text_line(c->text, "int32_t where = 0;");
}

void ash_loop_fold(const ash_call *c) {
  const folding f = split(c);
  const ash_fold fold = ash_op_fold(ash_call_op(c));
  const ash_type type = ash_call_in(c, 0)->type;
  char out[ASH_LOOP_TEXT], from[ASH_LOOP_TEXT], over[ASH_LOOP_TEXT];
  char at[2 * ASH_LOOP_TEXT + 4], value[3 * ASH_LOOP_TEXT];
  ash_loop_input(c, "x", 0);
  ash_loop_output(c, "y", 0);
  ash_loop_open(c, &f.keep, "i");
  ash_text_line(c->text, "{");
  c->text->indent++;
  ash_loop_index(from, &f.keep, 1, "i");
  put_start(c, fold, from);
  ash_loop_open(c, &f.over, "j");
  (void)snprintf(at, sizeof at, "%s + %s", from,
                 ash_loop_index(over, &f.over, 1, "j"));
  ash_text_line(c->text, "const %s v = %s;", ash_loop_fold_type(fold, type),
                ash_loop_load(value, type, "x", at));
  if (fold < ASH_FOLD_ARG_MAX)
    ash_loop_fold_step(c, fold, type);
  else if (f.over.rank)
    put_search(c, fold);
  else
    ash_text_line(c->text, "(void)s, (void)v;");
  ash_loop_close(c, &f.over);
  put_result(c, &f, fold, ash_loop_index(out, &f.keep, 0, "i"));
  ash_loop_end(c);
  ash_loop_close(c, &f.keep);
}

/* ---- along one axis: [outer, size, inner] ------------------------------- */

typedef struct lane {
  int64_t outer, size, inner;
} lane;

static lane lane_of(const ash_call *c) {
  const ash_shape *s = &ash_call_in(c, 0)->shape;
  const int64_t given = ash_attr_int(ash_call_op(c), "axis", 0);
  const uint32_t axis = (uint32_t)(given < 0 ? given + s->rank : given);
  ASH_ASSERT(axis < s->rank);
  lane l = {1, s->dim[axis], 1};
  for (uint32_t i = 0; i < axis; i++)
    l.outer *= s->dim[i];
  for (uint32_t i = axis + 1; i < s->rank; i++)
    l.inner *= s->dim[i];
  return l;
}

void ash_loop_cumsum(const ash_call *c) {
  const lane l = lane_of(c);
  const ash_type type = ash_call_in(c, 0)->type;
  const bool exclusive = ash_attr_int(ash_call_op(c), "exclusive", 0) != 0;
  const bool reverse = ash_attr_int(ash_call_op(c), "reverse", 0) != 0;
  char value[ASH_LOOP_TEXT];
  ash_loop_input(c, "x", 0);
  ash_loop_output(c, "y", 0);
  ash_loop_for(c, "o", l.outer);
  ash_loop_for(c, "i", l.inner);
  ash_text_line(c->text, "%s s = 0;", ash_loop_type(type));
  ash_loop_for(c, "k", l.size);
  if (reverse)
    ash_text_line(c->text,
                  "const int32_t at = (o * %" PRId64 " + %" PRId64
                  " - k) * %" PRId64 " + i;",
                  l.size, l.size - 1, l.inner);
  else
    ash_text_line(c->text,
                  "const int32_t at = (o * %" PRId64 " + k) * %" PRId64 " + i;",
                  l.size, l.inner);
  ash_text_line(c->text, "const %s before = s;", ash_loop_type(type));
  ash_text_line(c->text, "s += %s;", ash_loop_load(value, type, "x", "at"));
  ash_loop_store(c, type, type, "y", "at", exclusive ? "before" : "s");
  if (!exclusive)
    ash_text_line(c->text, "(void)before;");
  ash_loop_end(c);
  ash_loop_end(c);
  ash_loop_end(c);
}

/* The best of those that come after the last one found, in the order value,
 * then index: no memory is needed for what was found. */
void ash_loop_top_k(const ash_call *c) {
  ASH_ASSERT(ash_call_op(c)->output_count == 2);
  const lane l = lane_of(c);
  const ash_type type = ash_call_in(c, 0)->type;
  const int64_t k = ash_attr_int(ash_call_op(c), "k", 1);
  const char *less = ash_attr_int(ash_call_op(c), "largest", 1) ? "<" : ">";
  char value[ASH_LOOP_TEXT];
  ash_loop_input(c, "x", 0);
  ash_loop_output(c, "y", 0);
  ash_loop_output(c, "z", 1);
  ash_loop_for(c, "o", l.outer);
  ash_loop_for(c, "i", l.inner);
  ash_text_line(c->text, "%s last = 0;", ash_loop_type(type));
  ash_text_line(c->text, "int32_t last_at = -1;");
  ash_loop_for(c, "k", k);
  ash_text_line(c->text, "%s best = 0;", ash_loop_type(type));
  ash_text_line(c->text, "int32_t best_at = -1;");
  ash_loop_for(c, "j", l.size);
  ash_text_line(c->text,
                "const int32_t at = (o * %" PRId64 " + j) * %" PRId64 " + i;",
                l.size, l.inner);
  ash_text_line(c->text, "const %s v = %s;", ash_loop_type(type),
                ash_loop_load(value, type, "x", "at"));
  ash_text_line(c->text,
                "if (last_at >= 0 && !(v %s last || (v == last && j > "
                "last_at)))",
                less);
  ash_text_line(c->text, "  continue;");
  ash_text_line(c->text, "if (best_at < 0 || best %s v) {", less);
  ash_text_line(c->text, "  best = v;");
  ash_text_line(c->text, "  best_at = j;");
  ash_text_line(c->text, "}");
  ash_loop_end(c);
  ash_text_line(c->text,
                "const int32_t to = (o * %" PRId64 " + k) * %" PRId64 " + i;",
                k, l.inner);
  ash_loop_store(c, type, type, "y", "to", "best");
  ash_text_line(c->text, "z[to] = best_at;");
  ash_text_line(c->text, "last = best;");
  ash_text_line(c->text, "last_at = best_at;");
  ash_loop_end(c);
  ash_loop_end(c);
  ash_loop_end(c);
}

void ash_loop_resample(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 1)->shape.rank == 2);
  const lane l = lane_of(c);
  const ash_type type = ash_call_in(c, 0)->type;
  const int32_t size = ash_call_in(c, 1)->shape.dim[0];
  const int32_t taps = ash_call_in(c, 1)->shape.dim[1];
  const char *sum = type == ASH_FLOAT64 ? "double" : "float";
  char value[ASH_LOOP_TEXT], at[ASH_LOOP_TEXT];
  ash_loop_input(c, "x", 0);
  ash_loop_input(c, "from", 1);
  ash_loop_input(c, "weight", 2);
  ash_loop_output(c, "y", 0);
  ash_loop_for(c, "o", l.outer);
  ash_loop_for(c, "k", size);
  ash_loop_for(c, "i", l.inner);
  ash_text_line(c->text, "%s s = 0;", sum);
  ash_loop_for(c, "j", taps);
  (void)snprintf(at, sizeof at,
                 "(o * %" PRId64 " + from[k * %" PRId32 " + j]) * %" PRId64
                 " + i",
                 l.size, taps, l.inner);
  ash_text_line(c->text, "s += (%s)weight[k * %" PRId32 " + j] * (%s)%s;", sum,
                taps, sum, ash_loop_load(value, type, "x", at));
  ash_loop_end(c);
  (void)snprintf(at, sizeof at, "(o * %" PRId32 " + k) * %" PRId64 " + i", size,
                 l.inner);
  ash_loop_store(c, type, type == ASH_FLOAT64 ? type : ASH_FLOAT32, "y", at,
                 "s");
  ash_loop_end(c);
  ash_loop_end(c);
  ash_loop_end(c);
}
