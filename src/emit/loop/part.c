/* part.c - what parts of all operators do with their accumulators. */
#include "emit/loop/part.h"

#include "op/sums.h"

static const char *type_of(const ash_call *c) {
  return ash_accumulator_c(ash_op_accumulator(c->graph, ash_call_op(c)));
}

void ash_part_declare(const ash_call *c) {
  ASH_ASSERT(c->accumulator && c->part != ASH_PART_WHOLE);
  const char *type = type_of(c);
  ash_text_line(c->text, "%s *a = (%s *)(%s);", type, type, c->accumulator);
  if (c->part == ASH_PART_LAST)
    ash_loop_output(c, "y", 0);
}

void ash_part_open(const ash_call *c, const char *at, const char *start) {
  ASH_ASSERT(c->part != ASH_PART_WHOLE);
  if (c->part == ASH_PART_FIRST)
    ash_text_line(c->text, "%s s = %s;", type_of(c), start);
  else
    ash_text_line(c->text, "%s s = a[%s];", type_of(c), at);
}

bool ash_part_close(const ash_call *c, const char *at) {
  ASH_ASSERT(c->part != ASH_PART_WHOLE);
  if (c->part == ASH_PART_LAST)
    return true;
  ash_text_line(c->text, "a[%s] = s;", at);
  return false;
}
