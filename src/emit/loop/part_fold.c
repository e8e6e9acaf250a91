/* part_fold.c - parts of folds: sums, means, products, largest and smallest. */
#include "emit/loop/part.h"

#include "op/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct folding {
  ash_nest keep, over; /* operand 0: the input */
} folding;

static folding split(const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const uint32_t folded = ash_op_folded(ash_call_op(c), in->rank);
  folding f = {.keep = {.operands = 1}, .over = {.operands = 1}};
  int64_t step = (int64_t)ash_shape_elements(in);
  for (uint32_t d = 0; d < in->rank; d++) {
    step /= in->dim[d];
    ash_nest_add(folded >> d & 1 ? &f.over : &f.keep, in->dim[d], &step);
  }
  return f;
}

/* ---- what a fold does ---------------------------------------------------- */

/* From value `v` on; NULL start: with the first element. */
typedef struct fold_step {
  const char *start, *real, *integer;
} fold_step;

/* Of floats, what is not a number stays. */
static fold_step of_fold(ash_fold fold) {
  switch (fold) {
  case ASH_FOLD_PROD:
    return (fold_step){"1", "s * v", "(T)((uint64_t)s * (uint64_t)v)"};
  case ASH_FOLD_MAX:
    return (fold_step){NULL, "s != s || s > v ? s : v", "s > v ? s : v"};
  case ASH_FOLD_MIN:
    return (fold_step){NULL, "s != s || s < v ? s : v", "s < v ? s : v"};
  case ASH_FOLD_ANY:
    return (fold_step){"0", "", "s != 0 || v != 0"};
  case ASH_FOLD_ALL:
    return (fold_step){"1", "", "s != 0 && v != 0"};
  case ASH_FOLD_SUM_ABS:
    return (fold_step){"0", "s + (v < 0 ? -v : v)", "s + (v < 0 ? -v : v)"};
  case ASH_FOLD_SUM_SQUARE:
    return (fold_step){"0", "s + v * v",
                       "(T)((uint64_t)s + (uint64_t)v * (uint64_t)v)"};
  default:
    return (fold_step){"0", "s + v", "(T)((uint64_t)s + (uint64_t)v)"};
  }
}

static void put_step(const ash_call *c, const fold_step *d, ash_accumulator a) {
  ASH_ASSERT(d->real && d->integer);
  const bool real = a == ASH_ACCUMULATOR_F32 || a == ASH_ACCUMULATOR_F64;
  const char *text = real ? d->real : d->integer;
  if (a == ASH_ACCUMULATOR_U64 && strstr(text, "-v"))
    text = "s + v";
  if (strncmp(text, "(T)", 3) == 0)
    ash_text_line(c->text, "s = (%s)%s;", ash_accumulator_c(a), text + 3);
  else
    ash_text_line(c->text, "s = %s;", text);
}

/* ---- what becomes of it -------------------------------------------------- */

/* Quantised means and sums: see ash_rt_mean_s8.c. */
static void finish_quantised(const ash_call *c) {
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  const bool mean = ash_op_fold(ash_call_op(c)) == ASH_FOLD_MEAN;
  const uint32_t zeros = (uint32_t)-ash_quant_zero(in) * (uint32_t)c->folded;
  const ash_int_range r = ash_quant_range(out, "none");
  ash_scaling s;
  const bool good = mean ? ash_quant_mean(&s, in, out, c->folded)
                         : ash_quant_convert(&s, in, out);
  ASH_ASSERT(good);
  ash_text_line(c->text,
                "const int32_t t = ash_rt_rescale((int32_t)(s + %" PRIu32
                "u), %" PRId32 ", %" PRId32 ");",
                zeros, s.multiplier, s.shift);
  ash_text_line(c->text,
                "y[i] = (%s)ash_rt_finish(t, %" PRId32 ", %" PRId32 ", %" PRId32
                ");",
                ash_type_c(out->type), ash_quant_zero(out), r.low, r.high);
}

static void finish(const ash_call *c, ash_accumulator a) {
  ASH_ASSERT(c->folded > 0);
  const ash_type in = ash_call_in(c, 0)->type, out = ash_call_out(c)->type;
  char value[64] = "s";
  if (a == ASH_ACCUMULATOR_U32) {
    finish_quantised(c);
    return;
  }
  if (ash_op_fold(ash_call_op(c)) == ASH_FOLD_MEAN)
    (void)snprintf(value, sizeof value, "s / %" PRId64, c->folded);
  ash_loop_store(c, out, in, "y", "i", value);
}

/* ---- the loops ----------------------------------------------------------- */

void ash_part_fold(const ash_call *c) {
  const folding f = split(c);
  const ash_op *op = ash_call_op(c);
  const fold_step d = of_fold(ash_op_fold(op));
  const ash_accumulator a = ash_op_accumulator(c->graph, op);
  const ash_type type = ash_call_in(c, 0)->type;
  char from[ASH_LOOP_TEXT], over[ASH_LOOP_TEXT];
  char at[2 * ASH_LOOP_TEXT + 4], value[ASH_LOOP_TEXT];
  ash_loop_input(c, "x", 0);
  ash_part_declare(c);
  ash_text_line(c->text, "int32_t i = 0;");
  ash_loop_open(c, &f.keep, "p");
  ash_text_line(c->text, "{");
  c->text->indent++;
  ash_loop_index(from, &f.keep, 0, "p");
  ash_part_open(c, "i",
                d.start ? d.start : ash_loop_load(value, type, "x", from));
  ash_loop_open(c, &f.over, "q");
  (void)snprintf(at, sizeof at, "%s + %s", from,
                 ash_loop_index(over, &f.over, 0, "q"));
  ash_text_line(c->text, "const %s v = %s(%s);", ash_accumulator_c(a),
                a == ASH_ACCUMULATOR_U32 ? "(uint32_t)" : "",
                ash_loop_load(value, type, "x", at));
  put_step(c, &d, a);
  ash_loop_close(c, &f.over);
  if (ash_part_close(c, "i"))
    finish(c, a);
  ash_text_line(c->text, "i++;");
  ash_loop_end(c);
  ash_loop_close(c, &f.keep);
}
