/* select.c - operator, types and needs -> kernel. */
#include "kernel/kernel.h"

#include "base/text.h"
#include "op/reads.h"

#include <string.h>

static bool types_match(const ash_kernel *k, const ash_graph *g,
                        const ash_op *op) {
  for (uint32_t i = 0; i < ASH_KERNEL_TYPED_INPUTS; i++) {
    const ash_tensor *t = ash_op_in(g, op, i);
    if (t && k->inputs[i] != ASH_NONE && k->inputs[i] != t->type)
      return false;
  }
  return k->output == ASH_NONE || k->output == ash_op_out(g, op, 0)->type;
}

static uint32_t feature_bit(const char *feature) {
  static const struct {
    const char *name;
    uint32_t bit;
  } known[] = {{"dsp", ASH_FEATURE_DSP},
               {"mve", ASH_FEATURE_MVE},
               {"mvef", ASH_FEATURE_MVE_FLOAT},
               {"rvv", ASH_FEATURE_RVV},
               {"cmsis-nn", ASH_FEATURE_CMSIS_NN}};
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++)
    if (strcmp(feature, known[i].name) == 0)
      return known[i].bit;
  return 0;
}

bool ash_kernel_is_cmsis(const ash_kernel *kernel) {
  return kernel->feature &&
         feature_bit(kernel->feature) == ASH_FEATURE_CMSIS_NN;
}

bool ash_kernel_reads(const ash_kernel *kernel, const ash_graph *g, uint32_t op,
                      uint32_t input) {
  const ash_reader reader = !kernel || !kernel->feature   ? ASH_READER_PORTABLE
                            : ash_kernel_is_cmsis(kernel) ? ASH_READER_CMSIS_NN
                                                          : ASH_READER_VARIANT;
  return ash_op_reads(g, op, reader, input);
}

/* A variant for a feature, which an operator without room for its work memory
 * may not take. */
static bool is_allowed(const ash_kernel *k, const ash_target *target,
                       bool small) {
  if (!k->feature)
    return true;
  return target && (target->features & feature_bit(k->feature)) &&
         !(small && (k->scratch || ash_kernel_is_packed(k)));
}

const ash_kernel *ash_kernel_find(const ash_graph *g, uint32_t op,
                                  const ash_target *target, bool small) {
  const ash_op *o = &g->ops.items[op];
  const ash_kernel *k;
  for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++)
    if (k->op == o->kind && is_allowed(k, target, small) &&
        types_match(k, g, o) && (!k->fits || k->fits(g, o)))
      return k;
  return NULL;
}

/* "int16, int8, int32 to int16" */
static ash_status fail_types(ash_ctx *ctx, const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  ash_text types;
  ash_text_init(&types, &ctx->mem);
  for (uint32_t i = 0; i < o->input_count && i < 3; i++) {
    const ash_tensor *t = ash_op_in(g, o, i);
    ash_text_format(&types, "%s%s", i ? ", " : "",
                    t ? ash_type_text(t->type) : "none");
  }
  ash_text_format(&types, " to %s", ash_type_text(ash_op_out(g, o, 0)->type));
  const ash_status status =
      ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_none,
               ash_graph_loc(g, op, o->inputs[0]), "no kernel for %s from %.*s",
               ash_op_kind_text(o->kind), (int)types.count,
               types.bytes ? types.bytes : "");
  ash_hint(ctx, "int8 and float32 networks have kernels");
  ash_text_drop(&types);
  return status;
}

static ash_status check_folded(ash_ctx *ctx, const ash_kernel *k,
                               const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  for (uint32_t i = 0; i < o->input_count && i < 32; i++) {
    const ash_tensor *t = ash_op_in(g, o, i);
    if (t && (k->folded >> i & 1) && !t->data)
      return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_constant,
                      ash_graph_loc(g, op, o->inputs[i]),
                      "input %u of %s must be constant", (unsigned)i,
                      ash_op_kind_text(o->kind));
  }
  return ASH_OK;
}

static ash_status check_activation(ash_ctx *ctx, const ash_graph *g,
                                   uint32_t op) {
  static const char *const known[] = {"none", "relu", "relu6", "relu_n1_to_1"};
  const char *act = ash_attr_string(&g->ops.items[op], "act", "none");
  if (g->ops.items[op].kind == ASH_OP_lstm ||
      g->ops.items[op].kind == ASH_OP_rnn) /* their shape rules look */
    return ASH_OK;
  const bool moves = g->ops.items[op].kind == ASH_OP_concatenation;
  for (size_t i = 0; i < (moves ? 1 : ASH_COUNT_OF(known)); i++)
    if (strcmp(act, known[i]) == 0)
      return ASH_OK;
  return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_activation,
                  ash_graph_loc(g, op, ASH_NO_ID),
                  "no kernel for %s with fused activation %s",
                  ash_op_kind_text(g->ops.items[op].kind), act);
}

/* Kernels index with int32_t. */
static ash_status check_sizes(ash_ctx *ctx, const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  for (uint32_t i = 0; i < o->input_count; i++) {
    const ash_tensor *t = ash_op_in(g, o, i);
    if (t && t->bytes > INT32_MAX)
      return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_size,
                      ash_graph_loc(g, op, o->inputs[i]),
                      "a tensor of more than 2 GiB");
  }
  for (uint32_t i = 0; i < o->output_count; i++)
    if (ash_op_out(g, o, i)->bytes > INT32_MAX)
      return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_kernel_size,
                      ash_graph_loc(g, op, o->outputs[i]),
                      "a tensor of more than 2 GiB");
  return ASH_OK;
}

ash_status ash_kernel_check(ash_ctx *ctx, const ash_kernel *kernel,
                            const ash_graph *g, uint32_t op) {
  if (!kernel)
    return fail_types(ctx, g, op);
  ASH_TRY(check_folded(ctx, kernel, g, op));
  ASH_TRY(check_activation(ctx, g, op));
  return check_sizes(ctx, g, op);
}
