/* kernel.h - which kernel runs an operator, and what the rest of the compiler
 * may know about it. kernels.def is the one table that planner, tiler and
 * emitter read. */
#ifndef ASH_KERNEL_KERNEL_H
#define ASH_KERNEL_KERNEL_H

#include "base/embedded.h"
#include "kernel/target.h"
#include "op/functions.h"

/* In which order a kernel touches its tensors; what may overlap follows. */
typedef enum ash_kernel_order {
  ASH_ORDER_ANY,     /* assume nothing                                      */
  ASH_ORDER_PIXELS,  /* output pixels in memory order; the inputs of a pixel
                        may be read until its last channel is written      */
  ASH_ORDER_ELEMENTS /* output elements in memory order, each written after
                        the input elements at its place were read          */
} ash_kernel_order;

/* What a kernel takes as parameters: the struct ash_rt_<name>_params. */
typedef enum ash_params {
  ASH_PARAMS_other, /* the operator and its types tell  */
  ASH_PARAMS_loop,  /* none: the emitter writes a loop  */
  ASH_PARAMS_abs_s16,
  ASH_PARAMS_add_s8,
  ASH_PARAMS_attention_f32,
  ASH_PARAMS_attention_s8,
  ASH_PARAMS_binary_f32,
  ASH_PARAMS_cast,
  ASH_PARAMS_compare_q8,
  ASH_PARAMS_concatenation_s8,
  ASH_PARAMS_concatenation_u8,
  ASH_PARAMS_convert,
  ASH_PARAMS_dense_cmsis,
  ASH_PARAMS_leaky_relu_s16,
  ASH_PARAMS_log_softmax_q8,
  ASH_PARAMS_lstm_s16,
  ASH_PARAMS_lstm_s8,
  ASH_PARAMS_matmul_s16,
  ASH_PARAMS_matmul_s8,
  ASH_PARAMS_mean_s8,
  ASH_PARAMS_mul_s8,
  ASH_PARAMS_pairs_q8,
  ASH_PARAMS_pairs_s16,
  ASH_PARAMS_requantize,
  ASH_PARAMS_softmax_cmsis,
  ASH_PARAMS_softmax_s16,
  ASH_PARAMS_sqrt_s16,
  ASH_PARAMS_svdf
} ash_params;

/* Which layers are worth their own copy of a kernel, compiled for their shape
 * (docs/kernels.md has the measurements). */
typedef enum ash_special {
  ASH_SPECIAL_NEVER,
  ASH_SPECIAL_ALONE, /* the only one that uses it    */
  ASH_SPECIAL_SHORT, /* those with a short column    */
  ASH_SPECIAL_ALWAYS
} ash_special;

enum {
  ASH_KERNEL_TYPED_INPUTS = 3,
  ASH_KERNEL_RANK = 6, /* dimensions that kernels walk through: ASH_RT_RANK */
  ASH_KERNEL_FEW_PRODUCTS = 16,  /* of a pixel: see is_packed_few */
  ASH_KERNEL_DEPTHWISE_TAPS = 25 /* of small windows: ASH_RT_DEPTHWISE_TAPS */
};

typedef struct ash_kernel {
  const char *name; /* "conv_2d_s8": the function is ash_rt_conv_2d_s8 */
  ash_op_kind op;
  ash_fn fn; /* of `map`; ASH_FN_COUNT: any */
  /* Types of the first inputs and of the output; ASH_NONE: any. An absent
   * input matches. */
  ash_type inputs[ASH_KERNEL_TYPED_INPUTS];
  ash_type output;
  const char *file;  /* in runtime/; NULL: none                              */
  uint32_t in_place; /* bit k: the output may take input k's place           */
  ash_kernel_order order;
  const char *feature; /* of the CPU that this variant needs, NULL: none     */
  bool (*fits)(const ash_graph *g, const ash_op *op); /* NULL: always */
  uint64_t (*scratch)(const ash_target *target, const ash_graph *g,
                      const ash_op *op); /* NULL: none */
  uint64_t (*line_scratch)(const ash_target *target, const ash_graph *g,
                           const ash_op *op); /* of lines; NULL: the same */
  ash_params params;
  const char *params_name; /* "add_s8"; NULL: ASH_PARAMS_other */
  ash_special special;
  bool lines;  /* ash_rt_<name>_lines computes some lines of an image, wherever
                  each of them lies (runtime/ash_rt_lines.h) */
  bool blocks; /* the emitter's loops call ash_rt_<name>, which adds up blocks
                  of a layer (runtime/ash_rt_loops.h) */
} ash_kernel;

/* The table; NULL past its end. Where several kernels fit, the first wins. */
const ash_kernel *ash_kernel_at(size_t index);

/* The kernel for an operator: NULL where nothing fits. `target` NULL: portable
 * C. `small`: none that wants work memory for a processor's own instructions.
 * Kernels are for floats and quantised values: layers of integers without
 * scales are loops. */
const ash_kernel *ash_kernel_find(const ash_graph *g, uint32_t op,
                                  const ash_target *target, bool small);

/* Is it made for an operator of this kind, these types and shapes? */
bool ash_kernel_suits(const ash_kernel *kernel, const ash_graph *g,
                      uint32_t op);

/* What about the operator its column FITS refuses, in words; NULL: nothing. */
const char *ash_kernel_refusal(const ash_kernel *kernel, const ash_graph *g,
                               const ash_op *op);

/* Why an operator that this portable kernel runs has none with the vector or
 * DSP instructions of the target, in words. NULL: it has, the target has no
 * such instructions, or nothing is computed. */
const char *ash_kernel_why_portable(const ash_kernel *kernel,
                                    const ash_graph *g, uint32_t op,
                                    const ash_target *target);

/* Can it run the operator? ASH_UNSUPPORTED names operator, types and tensor;
 * NULL: no kernel can. */
ash_status ash_kernel_check(ash_ctx *ctx, const ash_kernel *kernel,
                            const ash_graph *g, uint32_t op);
/* The same, and do scales and shapes give parameters that it can take? What is
 * emitted relies on that. */
ash_status ash_kernel_check_params(ash_ctx *ctx, const ash_kernel *kernel,
                                   const ash_graph *g, uint32_t op);

/* The file of runtime/ that holds it, NULL: none. */
const ash_embedded *ash_kernel_file(const ash_kernel *kernel);

/* Bytes of its work memory; `rows`: where it makes some rows at a time. */
uint64_t ash_kernel_work(const ash_kernel *kernel, const ash_target *target,
                         const ash_graph *g, uint32_t op, bool rows);

/* Does it take what passes prepared instead of the model's own weights? */
bool ash_kernel_is_packed(const ash_kernel *kernel);
/* Does it use instructions that not every processor has? Others are plain C. */
bool ash_kernel_is_vector(const ash_kernel *kernel);
/* Is it a call of CMSIS-NN? */
bool ash_kernel_is_cmsis(const ash_kernel *kernel);
/* Does it give other floats than the portable one? */
bool ash_kernel_is_fast_math(const ash_kernel *kernel);
/* Does this kernel of the op read the input? NULL: the portable one. */
bool ash_kernel_reads(const ash_kernel *kernel, const ash_graph *g, uint32_t op,
                      uint32_t input);

/* May the output be written over input k? (Whether that input is still needed
 * is the caller's business.) */
bool ash_kernel_in_place(const ash_kernel *kernel, const ash_graph *g,
                         uint32_t op, uint32_t input);

/* Does its function for lines make those of the result? */
bool ash_kernel_makes_lines(const ash_kernel *kernel, const ash_graph *g,
                            uint32_t op);
/* Can it make some rows of the result at a time? Lines of an image, wherever
 * they lie, or single rows as pieces, if the operator is made row to row
 * (domain/rows.h). Whether it has rows at all is the caller's business. */
bool ash_kernel_runs_rows(const ash_kernel *kernel, const ash_graph *g,
                          uint32_t op, bool is_row_to_row);

#endif
