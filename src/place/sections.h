/* sections.h - time, compressed. */
#ifndef ASH_PLACE_SECTIONS_H
#define ASH_PLACE_SECTIONS_H

#include "place/model.h"

/* Gives every piece its sections from its times. */
ash_status ash_sections_build(ash_ctx *ctx, ash_model *m, const int64_t *lower,
                              const int64_t *upper);

#endif
