/* hash.h - the order of slots in fingerprints and files of a plan. */
#ifndef ASH_PLAN_HASH_H
#define ASH_PLAN_HASH_H

#include "ashlar/plan.h"
#include "base/ctx.h"

/* Slots by id: numbers by value, then names; in the scratch zone. */
ash_status ash_plan_natural_order(ash_ctx *ctx, const ash_slot ***out,
                                  const ash_plan *p);

/* The hash of a plan file: of its text up to the key that says it, without
 * blanks, line ends and the last comma outside of strings. */
void ash_plan_content_hash(char hex[17], const char *text, size_t count);

#endif
