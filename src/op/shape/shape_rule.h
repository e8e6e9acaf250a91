/* shape_rule.h - what the shape rules (shape_*.c) share: the call, the checks
 * that fail with op, tensor, expected and found, and the list of all rules.
 *
 * A rule is a ladder of checks followed by the output shapes. Types of input 0
 * are checked by the table in shape.c before the rule runs. */
#ifndef ASH_OP_SHAPE_RULE_H
#define ASH_OP_SHAPE_RULE_H

#include "op/shape/shape.h"

/* One operator under the eyes of its rule. */
typedef struct ash_rule {
  ash_ctx *ctx;
  const ash_graph *g;
  uint32_t index; /* of the op */
  const ash_op *op;
  ash_shape *out; /* one per output, to be filled */
} ash_rule;

/* Sets of element types. */
#define ASH_T(name) (1u << ASH_##name)
#define ASH_T_QUANT (ASH_T(INT8) | ASH_T(UINT8) | ASH_T(INT16))
#define ASH_T_INDEX (ASH_T(INT32) | ASH_T(INT64))
#define ASH_T_ANY   (~ASH_T(NONE))
/* Integers that are computed in 64 bits with a sign. */
#define ASH_T_INTEGER                                                          \
  (ASH_T_QUANT | ASH_T_INDEX | ASH_T(UINT16) | ASH_T(UINT32))

/* "error ASH31xx: ..." at this op and tensor (ASH_NO_ID: the op alone). */
#define ASH_RULE_FAIL(r, status, name, tensor, ...)                            \
  ash_fail((r)->ctx, (status), ASH_D_shape_##name,                             \
           ash_graph_loc((r)->g, (r)->index, (tensor)), __VA_ARGS__)

/* The tensor of input k, which must be there. */
ash_status ash_rule_input(const ash_rule *r, uint32_t k, const char *role,
                          const ash_tensor **out);
/* Input k must be a constant of one of these types. */
ash_status ash_rule_constant(const ash_rule *r, uint32_t k, const char *role,
                             uint32_t types, const ash_tensor **out);
ash_status ash_rule_type(const ash_rule *r, uint32_t tensor, uint32_t types);
/* The first `count` inputs and all outputs have the type of input 0. */
/* Of all inputs: whole bytes each, which one loop can treat. */
ash_status ash_rule_bytes(const ash_rule *r);
/* The attribute `fn` names nothing. */
ash_status ash_rule_no_function(const ash_rule *r);
ash_status ash_rule_one_type(const ash_rule *r, uint32_t count);
ash_status ash_rule_rank(const ash_rule *r, uint32_t tensor, uint32_t lo,
                         uint32_t hi);
/* An integer attribute in lo..INT32_MAX; absent means `otherwise`. */
ash_status ash_rule_int(const ash_rule *r, const char *name, int64_t otherwise,
                        int64_t lo, int64_t *out);
/* `axis` may count from the back; the result is in 0..rank-1. */
ash_status ash_rule_axis(const ash_rule *r, uint32_t tensor, int64_t axis,
                         uint32_t rank, uint32_t *out);
ash_status ash_rule_act(const ash_rule *r);
/* If its type is a quantised one: one positive scale, one zero point that the
 * type can hold. */
ash_status ash_rule_quant(const ash_rule *r, uint32_t tensor);
/* The same for the first `count` inputs and all outputs. */
ash_status ash_rule_quants(const ash_rule *r, uint32_t count);
/* Two tensors whose bytes are copied must mean the same by them. */
ash_status ash_rule_same_quant(const ash_rule *r, uint32_t a, uint32_t b);
/* Weights: one scale, or one per element of `axis`; zero points 0, except that
 * `shifted` ones may have another when there is one scale. */
ash_status ash_rule_weights(const ash_rule *r, uint32_t k, int32_t axis,
                            bool shifted);
/* Numpy's rule. */
ash_status ash_rule_broadcast(const ash_rule *r, const ash_shape *a,
                              const ash_shape *b, ash_shape *out);

/* The output has the shape of the input. */
ash_status ash_op_shape_same(const ash_rule *r);
/* Does the operator say what becomes of an integer sum? */
bool ash_rule_finishes(const ash_rule *r);
/* It must not. */
ash_status ash_rule_unfinished(const ash_rule *r);
/* What layers of integers make of their sums (shape_window.c). */
ash_status ash_rule_integer_layer(const ash_rule *r, int32_t channels);

/* The rules. */
#define OP(op, columns) columns
#define FN(fn, columns) columns
#define SHAPE(rule)     ash_status ash_op_shape_##rule(const ash_rule *r);
#include "op/ops.def"
#undef OP

#endif
