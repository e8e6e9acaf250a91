/* shape.c - asks the rule of an operator, after the types of its first input
 * are known to be right. */
#include "op/shape/shape.h"

#include "op/functions.h"
#include "op/shape/shape_rule.h"

#define F32   ASH_T(FLOAT32)
#define REAL  (F32 | ASH_T(FLOAT64) | ASH_T(FLOAT16) | ASH_T(BFLOAT16))
#define Q8    (ASH_T(INT8) | ASH_T(UINT8))
#define QUANT ASH_T_QUANT
#define I8    ASH_T(INT8)
#define I16   ASH_T(INT16)
#define I32   ASH_T(INT32)
#define INTS  ASH_T_INDEX
#define ANY   ASH_T_ANY
/* Types whose elements start on byte boundaries. */
#define BYTES   (ANY & ~(ASH_T(INT4) | ASH_T(UINT4)))
#define INTEGER ASH_T_INTEGER
#define COMPLEX ASH_T(COMPLEX64)

static const struct {
  uint32_t row;
  uint32_t types; /* of input 0 */
  ash_status (*rule)(const ash_rule *r);
} table[ASH_ROW_COUNT] = {
#define OP(op, columns) [ASH_OP_##op] = {columns.row = ASH_OP_##op},
#define FN(fn, columns) [ASH_FN_ROW(fn)] = {columns.row = ASH_FN_ROW(fn)},
#define TYPES(bits)     .types = (bits),
#define SHAPE(shape)    .rule = ash_op_shape_##shape,
#include "op/ops.def"
#undef OP
};

/* Nothing in, nothing out: no device code is made for that. */
static ash_status check_not_empty(const ash_rule *r, const ash_tensor *t) {
  char buf[ASH_SHAPE_TEXT];
  if (ash_shape_elements(&t->shape) > 0)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, elements, r->op->inputs[0],
                       "shape %s holds no elements",
                       ash_shape_text(buf, &t->shape));
}

ash_status ash_infer_shape(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                           ash_shape *outputs) {
  const ash_op *o = &g->ops.items[op];
  const ash_rule r = {ctx, g, op, o, outputs};
  const ash_tensor *first;
  if (!table[o->kind].rule)
    return ASH_RULE_FAIL(&r, ASH_UNSUPPORTED, none, ASH_NO_ID,
                         "no shape rule for %s", ash_op_text(o));
  ASH_TRY(ash_rule_input(&r, 0, "data", &first));
  ASH_TRY(ash_rule_type(&r, o->inputs[0], ASH_COLUMN(table, o, types)));
  ASH_TRY(check_not_empty(&r, first));
  ASH_TRY(table[o->kind].rule(&r));
  const uint32_t row = ash_row_of(o); /* a function's own demands */
  return row != o->kind && table[row].rule ? table[row].rule(&r) : ASH_OK;
}
