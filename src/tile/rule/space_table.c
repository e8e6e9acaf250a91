/* space_table.c - which rule cuts an operator, and which one makes its
 * attributes those of a piece. */
#include "tile/rule/space.h"

#include "op/functions.h"

static const struct {
  ash_op_kind kind;
  ash_space_rule *space; /* NULL: runs where its tensors are            */
  ash_local_rule *local; /* NULL: attributes do not depend on the piece */
} table[ASH_OP_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.kind = ASH_OP_##op},
#define TILE(rule)      .space = ash_space_##rule,
#define LOCAL(rule)     .local = ash_local_##rule,
#include "op/ops.def"
#undef OP
};

/* Whatever has these rules keeps lines along an axis, or images, together. */
bool ash_op_keeps_lines(const ash_op *op) {
  static ash_space_rule *const rules[] = {
      ash_space_rows,         ash_space_along,         ash_space_resize,
      ash_space_resample,     ash_space_images,        ash_space_take,
      ash_space_take_nd,      ash_space_take_elements, ash_space_put_nd,
      ash_space_put_elements, ash_space_batches};
  for (size_t i = 0; i < ASH_COUNT_OF(rules); i++)
    if (table[op->kind].space == rules[i])
      return true;
  return op->kind == ASH_OP_reduce && ash_op_fold(op) >= ASH_FOLD_ARG_MAX;
}

bool ash_space_rules_of(ash_op_kind kind, ash_space_rule **space,
                        ash_local_rule **local) {
  if (kind >= ASH_OP_COUNT || !table[kind].space)
    return false;
  *space = table[kind].space;
  *local = table[kind].local;
  return true;
}
