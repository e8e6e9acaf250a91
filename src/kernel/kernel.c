/* kernel.c - the table of kernels and what can be read off it. */
#include "kernel/kernel.h"

#include "kernel/quant.h"
#include "kernel/runtime_files.h"

#include <string.h>

/* Can the inputs be copied as they are? */
static bool scales_agree(const ash_graph *g, const ash_op *op) {
  for (uint32_t i = 0; i < op->input_count; i++) {
    const ash_tensor *t = ash_op_in(g, op, i);
    if (t && !ash_quant_equal(t, ash_op_out(g, op, 0)))
      return false;
  }
  return true;
}

static bool scales_differ(const ash_graph *g, const ash_op *op) {
  return !scales_agree(g, op);
}

/* ---- loops ---------------------------------------------------------------- */

static bool is_half(const ash_tensor *t) {
  return t && (t->type == ASH_FLOAT16 || t->type == ASH_BFLOAT16);
}

static bool uses_half(const ash_graph *g, const ash_op *op) {
  bool half = is_half(ash_op_out(g, op, 0));
  for (uint32_t k = 0; k < op->input_count; k++)
    half = half || is_half(ash_op_in(g, op, k));
  return half;
}

static bool takes_root(const ash_graph *g, const ash_op *op) {
  (void)g;
  return strcmp(ash_op_string(op, "fn", ""), "integer_sqrt") == 0;
}

/* Only then may the output take the place of the first input. */
static bool keeps_type(const ash_graph *g, const ash_op *op) {
  return ash_op_in(g, op, 0)->type == ash_op_out(g, op, 0)->type &&
         !uses_half(g, op);
}

static const ash_kernel kernel_table[] = {
#define KERNEL(op, function, t0, t1, t2, out, file, in_place, folded, order,   \
               feature, fits, scratch)                                         \
  {function,                                                                   \
   ASH_OP_##op,                                                                \
   {ASH_##t0, ASH_##t1, ASH_##t2},                                             \
   ASH_##out,                                                                  \
   file,                                                                       \
   in_place,                                                                   \
   folded,                                                                     \
   ASH_ORDER_##order,                                                          \
   feature,                                                                    \
   fits,                                                                       \
   scratch},
#include "kernel/kernels.def"
#include "kernel/loops.def"
#undef KERNEL
};

const ash_kernel *ash_kernel_at(size_t index) {
  return index < ASH_COUNT_OF(kernel_table) ? &kernel_table[index] : NULL;
}

const ash_embedded *ash_runtime_file(const char *name) {
  for (const ash_embedded *f = ash_runtime_files; f->name; f++)
    if (strcmp(f->name, name) == 0)
      return f;
  return NULL;
}

bool ash_kernel_in_place(const ash_kernel *kernel, const ash_graph *g,
                         uint32_t op, uint32_t input) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *in = ash_op_in(g, o, input);
  if (!in || input >= 32 || !(kernel->in_place >> input & 1))
    return false;
  const ash_tensor *out = ash_op_out(g, o, 0);
  return out->bytes <= in->bytes && ash_shape_equal(&out->shape, &in->shape);
}
