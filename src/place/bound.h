/* bound.h - heights below which no placement can be, and why. */
#ifndef ASH_PLACE_BOUND_H
#define ASH_PLACE_BOUND_H

#include "place/reduce.h"

typedef struct ash_place_bound {
  uint64_t height;
  uint32_t moment; /* the moment that forces it; UINT32_MAX: a fixed one */
  uint32_t item;   /* the fixed item that forces it, or UINT32_MAX         */
  bool stacked;    /* the moment forces it by the order of its buffers     */
  uint64_t *load;  /* moment -> the height it alone demands               */
} ash_place_bound;

ash_status ash_place_bound_build(ash_ctx *ctx, ash_place_bound *out,
                                 const ash_place_reduced *in);

/* stack.c: raises it where no order of a moment's buffers meets all
 * alignments. */
ash_status ash_place_bound_stack(ash_ctx *ctx, ash_place_bound *out,
                                 const ash_place_reduced *in);

/* The largest load among the moments of each rect. */
ash_status ash_place_bound_peaks(ash_ctx *ctx, uint64_t *peak,
                                 const ash_place_reduced *in,
                                 const ash_place_bound *bound);

/* The buffers of the forcing moment, into ctx->keep. */
ash_status ash_place_bound_witness(ash_ctx *ctx, const ash_place_reduced *in,
                                   const ash_place_bound *bound,
                                   ash_place_result *out);

#endif
