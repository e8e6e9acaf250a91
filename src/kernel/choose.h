/* choose.h - the kernel of every operator, for one target. Made before tiling
 * and planning, which need its work memory; a plan carries the choice that it
 * was made for. */
#ifndef ASH_KERNEL_CHOOSE_H
#define ASH_KERNEL_CHOOSE_H

#include "kernel/kernel.h"

typedef struct ash_choice {
  const ash_kernel *kernel;   /* NULL: nothing fits                           */
  uint64_t scratch;           /* bytes of its work memory                     */
  uint64_t row_scratch;       /* .. where it makes some rows at a time        */
  const ash_kernel *given_up; /* a faster one, for whose ..                 */
  uint64_t given_up_scratch;  /* .. work memory there is no room; or NULL   */
  const char *portable;       /* why it is portable C although the target has
                                 faster instructions; NULL: it is not, or
                                 `given_up` says */
  uint32_t cores;             /* it is split over these; 0, 1: one runs it   */
  uint64_t core_scratch;      /* then: of `scratch`, bytes for each          */
  uint32_t largest_share;     /* of one of them, in thousandths of the work  */
} ash_choice;

/* The fastest kernel of an operator. `target` NULL: portable C. */
ash_choice ash_choose(const ash_graph *g, uint32_t op,
                      const ash_target *target);
/* One that needs no work memory instead. */
ash_choice ash_choose_small(const ash_graph *g, uint32_t op,
                            const ash_target *target);

/* ash_choose for every operator; kept by `ctx`. */
ash_status ash_choose_all(ash_ctx *ctx, const ash_choice **out,
                          const ash_graph *g, const ash_target *target);

/* Is it worth its own copy of the kernel, compiled for its shape? `alone`: no
 * other operator uses the kernel. */
bool ash_choose_special(const ash_kernel *kernel, const ash_graph *g,
                        uint32_t op, bool alone, ash_specialise how);

/* Why it is not the fastest, in words; NULL: it is. Kept by `ctx`. */
const char *ash_choice_reason(ash_ctx *ctx, const ash_choice *choice);

#endif
