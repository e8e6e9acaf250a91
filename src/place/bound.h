/* bound.h - heights below which no placement can be, and why. */
#ifndef ASH_PLACE_BOUND_H
#define ASH_PLACE_BOUND_H

#include "place/reduce.h"

typedef struct ash_bound {
  uint64_t height;
  uint32_t section; /* the section that forces it; UINT32_MAX: a fixed one */
  uint32_t item;    /* the fixed item that forces it, or UINT32_MAX         */
  uint64_t *load;   /* section -> the height it alone demands               */
} ash_bound;

ash_status ash_bound_build(ash_ctx *ctx, ash_bound *out, const ash_model *m);

/* The largest load among the sections of each piece. */
ash_status ash_bound_peaks(ash_ctx *ctx, uint64_t *peak, const ash_model *m,
                           const ash_bound *bound);

/* The buffers of the forcing section, into ctx->keep. */
ash_status ash_bound_witness(ash_ctx *ctx, const ash_model *m,
                             const ash_bound *bound, ash_place_result *out);

#endif
