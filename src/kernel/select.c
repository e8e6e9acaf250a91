/* select.c - operator, types and needs -> kernel. */
#include "kernel/kernel.h"

#include "op/reads.h"
#include "op/sums.h"

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
  } known[] = {
      {"dsp", ASH_FEATURE_DSP},        {"mve", ASH_FEATURE_MVE},
      {"mvef", ASH_FEATURE_MVE_FLOAT}, {"rvv", ASH_FEATURE_RVV},
      {"simd", ASH_FEATURE_SIMD},      {"cmsis-nn", ASH_FEATURE_CMSIS_NN},
      {"scalar", ASH_FEATURE_SCALAR},  {"mvef-fast", ASH_FEATURE_MVE_FAST},
      {"pie", ASH_FEATURE_PIE}};
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++)
    if (strcmp(feature, known[i].name) == 0)
      return known[i].bit;
  return 0;
}

bool ash_kernel_is_cmsis(const ash_kernel *kernel) {
  return kernel->feature &&
         feature_bit(kernel->feature) == ASH_FEATURE_CMSIS_NN;
}

bool ash_kernel_is_vector(const ash_kernel *kernel) {
  return kernel->feature && feature_bit(kernel->feature) != ASH_FEATURE_SCALAR;
}

bool ash_kernel_is_fast_math(const ash_kernel *kernel) {
  return kernel->feature &&
         feature_bit(kernel->feature) == ASH_FEATURE_MVE_FAST;
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

/* A `map`: its kernels of 8 and 16 bits are for quantised values. */
static bool is_function(const ash_kernel *k, ash_fn fn, bool scaled) {
  const uint32_t narrow = 1u << ASH_INT8 | 1u << ASH_UINT8 | 1u << ASH_INT16;
  return (k->fn == ASH_FN_COUNT || k->fn == fn) &&
         scaled == (narrow >> k->inputs[0] & 1);
}

bool ash_kernel_suits(const ash_kernel *kernel, const ash_graph *g,
                      uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  if (kernel->op != o->kind)
    return false;
  if (o->kind == ASH_OP_map &&
      !is_function(kernel, ash_op_fn(o), ash_op_is_scaled(g, o)))
    return false;
  return (kernel->params == ASH_PARAMS_loop ||
          !ash_op_is_integer_layer(g, o)) &&
         types_match(kernel, g, o) && (!kernel->fits || kernel->fits(g, o));
}

const ash_kernel *ash_kernel_find(const ash_graph *g, uint32_t op,
                                  const ash_target *target, bool small) {
  const ash_kernel *k;
  for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++)
    if (is_allowed(k, target, small) && ash_kernel_suits(k, g, op))
      return k;
  return NULL;
}

/* A variant for instructions that the target has, of this operator. */
static bool is_relative(const ash_kernel *k, const ash_op *op,
                        uint32_t features) {
  return k->feature && (feature_bit(k->feature) & features) &&
         k->op == op->kind &&
         (op->kind != ASH_OP_map || k->fn == ash_op_fn(op));
}

const char *ash_kernel_why_portable(const ash_kernel *kernel,
                                    const ash_graph *g, uint32_t op,
                                    const ash_target *target) {
  const uint32_t vectors = ASH_FEATURE_DSP | ASH_FEATURE_MVE |
                           ASH_FEATURE_MVE_FLOAT | ASH_FEATURE_RVV |
                           ASH_FEATURE_SIMD | ASH_FEATURE_PIE;
  const uint32_t features = target ? target->features & vectors : 0;
  const ash_op *o = &g->ops.items[op];
  const ash_kernel *k;
  bool any = false;
  if (!features || kernel->feature || kernel->params == ASH_PARAMS_loop)
    return NULL;
  for (size_t i = 0; (k = ash_kernel_at(i)) != NULL; i++) {
    if (!is_relative(k, o, features))
      continue;
    any = true;
    if (types_match(k, g, o) && ash_kernel_refusal(k, g, o))
      return ash_kernel_refusal(k, g, o);
  }
  if (any)
    return "there is no faster one for its types";
  return ash_op_macs(g, op) > 0 || o->kind == ASH_OP_reduce
             ? "there is no faster one for this operator"
             : NULL;
}
