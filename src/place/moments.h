/* moments.h - time, compressed. */
#ifndef ASH_PLACE_MOMENTS_H
#define ASH_PLACE_MOMENTS_H

#include "place/reduce.h"

/* Gives every piece its sections from its times. */
ash_status ash_sections_build(ash_ctx *ctx, ash_model *m, const int64_t *lower,
                              const int64_t *upper);

#endif
