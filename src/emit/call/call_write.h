/* call_write.h - what the writers of parameters share. Private to call*.c. */
#ifndef ASH_EMIT_CALL_WRITE_H
#define ASH_EMIT_CALL_WRITE_H

#include "emit/call/call.h"
#include "kernel/quant.h"

static inline const ash_op *ash_call_op(const ash_call *c) {
  ASH_ASSERT(c->op < c->graph->op_count);
  return &c->graph->ops.items[c->op];
}
static inline const ash_tensor *ash_call_in(const ash_call *c, uint32_t k) {
  return ash_op_in(c->graph, ash_call_op(c), k);
}
static inline const ash_tensor *ash_call_out(const ash_call *c) {
  return ash_op_out(c->graph, ash_call_op(c), 0);
}

/* `static const ash_rt_<type>_params p = {` ... `};` */
void ash_call_open(const ash_call *c, const char *type);
void ash_call_close(const ash_call *c);
/* A nested struct: `.name = {` ... `},` */
void ash_call_open_field(const ash_call *c, const char *name);
void ash_call_close_field(const ash_call *c);
void ash_call_int(const ash_call *c, const char *name, int64_t value);
/* `.name = ASH_RT_word,` */
void ash_call_word(const ash_call *c, const char *name, const char *word);
/* The same with the operator's own word (column WORD), if it has one. */
void ash_call_function(const ash_call *c, const char *name);
/* The element type as kernels for any type know it. */
void ash_call_type(const ash_call *c, const char *name, ash_type type);
void ash_call_float(const ash_call *c, const char *name, float value);
void ash_call_floats(const ash_call *c, const char *name, const float *values,
                     uint32_t count);
void ash_call_ints(const ash_call *c, const char *name, const int32_t *values,
                   uint32_t count);
/* Fused activation: act_min, act_max. */
void ash_call_int_range(const ash_call *c);
void ash_call_float_range(const ash_call *c);

/* The call itself, with all inputs that the kernel reads, and all outputs. */
void ash_call_invoke(const ash_call *c);
/* With input k only. */
void ash_call_invoke_one(const ash_call *c, uint32_t k);
/* Input `in` and output `out` only. */
void ash_call_invoke_between(const ash_call *c, uint32_t in, uint32_t out);
/* A block of its own, for operators that need several calls. */
void ash_call_open_block(const ash_call *c);
void ash_call_close_block(const ash_call *c);

/* The parameters and call of each operator; ash_emit_call closes the block. */
#define OP(op, columns) columns
#define FN(fn, columns) columns
#define CALL(writer)    void ash_call_##writer(const ash_call *c);
#include "op/ops.def"
#undef OP

/* An array `parts` of the inputs [first, end), and the call that takes data,
 * parts, two states and the output. */
void ash_call_parts(const ash_call *c, uint32_t first, uint32_t end);
void ash_call_invoke_parts(const ash_call *c, uint32_t state, uint32_t cell);

#endif
