/* part.c - what parts of all operators do with their accumulators. */
#include "emit/loop/part.h"

#include "op/sums.h"

static ash_write_part *const writers[ASH_OP_COUNT] = {
    [ASH_OP_conv_2d] = ash_part_conv_2d,
    [ASH_OP_transpose_conv] = ash_part_conv_2d,
    [ASH_OP_fully_connected] = ash_part_dense,
    [ASH_OP_batch_matmul] = ash_part_matmul,
    [ASH_OP_matmul] = ash_part_matmul,
    [ASH_OP_conv_nd] = ash_part_conv_nd,
    [ASH_OP_whole_conv_2d] = ash_loop_whole_conv,
    [ASH_OP_whole_fully_connected] = ash_loop_whole_dense,
    [ASH_OP_whole_matmul] = ash_loop_whole_matmul,
    [ASH_OP_mean] = ash_part_fold,
    [ASH_OP_sum] = ash_part_fold,
    [ASH_OP_reduce_prod] = ash_part_fold,
    [ASH_OP_reduce_max] = ash_part_fold,
    [ASH_OP_reduce_min] = ash_part_fold,
    [ASH_OP_reduce_any] = ash_part_fold,
    [ASH_OP_reduce_all] = ash_part_fold,
    [ASH_OP_fold] = ash_part_fold,
};

ash_write_part *ash_part_of(ash_op_kind kind) {
  return kind < ASH_OP_COUNT ? writers[kind] : NULL;
}

static const char *type_of(const ash_call *c) {
  return ash_accumulator_c(ash_op_accumulator(c->graph, ash_call_op(c)));
}

void ash_part_declare(const ash_call *c) {
  const char *type = type_of(c);
  ash_text_line(c->text, "%s *a = (%s *)(%s);", type, type, c->accumulator);
  if (c->part == ASH_PART_LAST)
    ash_loop_output(c, "y", 0);
}

void ash_part_open(const ash_call *c, const char *at, const char *start) {
  if (c->part == ASH_PART_FIRST)
    ash_text_line(c->text, "%s s = %s;", type_of(c), start);
  else
    ash_text_line(c->text, "%s s = a[%s];", type_of(c), at);
}

bool ash_part_close(const ash_call *c, const char *at) {
  if (c->part == ASH_PART_LAST)
    return true;
  ash_text_line(c->text, "a[%s] = s;", at);
  return false;
}
