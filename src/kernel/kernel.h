/* kernel.h - which kernel runs an operator, and what the rest of the compiler
 * may know about it. kernels.def is the one table that planner, tiler and
 * emitter read. */
#ifndef ASH_KERNEL_KERNEL_H
#define ASH_KERNEL_KERNEL_H

#include "kernel/target.h"

/* In which order a kernel touches its tensors; what may overlap follows. */
typedef enum ash_kernel_order {
  ASH_ORDER_ANY,     /* assume nothing                                      */
  ASH_ORDER_PIXELS,  /* output pixels in memory order; the inputs of a pixel
                        may be read until its last channel is written      */
  ASH_ORDER_ELEMENTS /* output elements in memory order, each written after
                        the input elements at its place were read          */
} ash_kernel_order;

enum { ASH_KERNEL_TYPED_INPUTS = 3 };

typedef struct ash_kernel {
  const char *name; /* "conv_2d_s8": the function is ash_rt_conv_2d_s8 */
  ash_op_kind op;
  /* Types of the first inputs and of the output; ASH_NONE: any. An absent
   * input matches. */
  ash_type inputs[ASH_KERNEL_TYPED_INPUTS];
  ash_type output;
  const char *file;  /* in runtime/; NULL: the emitter writes a loop, name
                        "loop" */
  uint32_t in_place; /* bit k: the output may take input k's place           */
  uint32_t folded;   /* bit k: input k must be constant and becomes part of
                        the parameters; see also reads.h                 */
  ash_kernel_order order;
  const char *feature; /* of the CPU that this variant needs, NULL: none     */
  bool (*fits)(const ash_graph *g, const ash_op *op); /* NULL: always */
  uint64_t (*scratch)(const ash_target *target, const ash_graph *g,
                      const ash_op *op); /* NULL: none */
} ash_kernel;

/* The table; NULL past its end. Where several kernels fit, the first wins. */
const ash_kernel *ash_kernel_at(size_t index);

/* The kernel for an operator: NULL where nothing fits. `target` NULL: portable
 * C. `small`: none that wants work memory for a processor's own instructions.
 */
const ash_kernel *ash_kernel_find(const ash_graph *g, uint32_t op,
                                  const ash_target *target, bool small);

/* Can it run the operator? ASH_UNSUPPORTED names operator, types and tensor;
 * NULL: no kernel can. */
ash_status ash_kernel_check(ash_ctx *ctx, const ash_kernel *kernel,
                            const ash_graph *g, uint32_t op);

/* Does it take what passes prepared instead of the model's own weights? */
bool ash_kernel_is_packed(const ash_kernel *kernel);
/* Is it a call of CMSIS-NN? */
bool ash_kernel_is_cmsis(const ash_kernel *kernel);
/* Does this kernel of the op read the input? NULL: the portable one. */
bool ash_kernel_reads(const ash_kernel *kernel, const ash_graph *g, uint32_t op,
                      uint32_t input);

/* May the output be written over input k? (Whether that input is still needed
 * is the caller's business.) */
bool ash_kernel_in_place(const ash_kernel *kernel, const ash_graph *g,
                         uint32_t op, uint32_t input);

#endif
