/* domain_table.c - which rule cuts an operator, and which one makes its
 * attributes those of a piece. */
#include "domain/domain.h"

#include "op/functions.h"

static const struct {
  ash_op_kind kind;
  ash_domain_rule *space; /* NULL: runs where its tensors are            */
  ash_local_rule *local;  /* NULL: attributes do not depend on the piece */
} table[ASH_OP_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.kind = ASH_OP_##op},
#define TILE(rule)      .space = ash_domain_##rule,
#define LOCAL(rule)     .local = ash_local_##rule,
#include "op/ops.def"
#undef OP
};

/* Whatever has these rules keeps lines along an axis, or images, together. */
bool ash_op_keeps_lines(const ash_op *op) {
  if (!(op && op->kind < ASH_OP_COUNT))
    return false;
  static ash_domain_rule *const rules[] = {
      ash_domain_rows,       ash_domain_along,
      ash_domain_resize,     ash_domain_resample,
      ash_domain_images,     ash_domain_gather,
      ash_domain_gather_nd,  ash_domain_gather_elements,
      ash_domain_scatter_nd, ash_domain_scatter_elements,
      ash_domain_batches,    ash_domain_attention};
  for (size_t i = 0; i < ASH_COUNT_OF(rules); i++)
    if (table[op->kind].space == rules[i])
      return true;
  return op->kind == ASH_OP_reduce && ash_op_fold(op) >= ASH_FOLD_ARG_MAX;
}

bool ash_domain_rules_of(ash_op_kind kind, ash_domain_rule **space,
                         ash_local_rule **local) {
  if (kind >= ASH_OP_COUNT || !table[kind].space)
    return false;
  *space = table[kind].space;
  *local = table[kind].local;
  return true;
}
