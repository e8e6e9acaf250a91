/* proof.h - what is shared by the parts of ash_place_certify: a claim about the
 * heights that no placement has, and the searches that write why. */
#ifndef ASH_PLACE_PROOF_H
#define ASH_PLACE_PROOF_H

#include "base/text.h"
#include "place/exact/components.h"
#include "place/solve.h"

typedef struct ash_place_proof {
  ash_place_solve solve; /* the budget; the reduced problem and its bound     */
  uint64_t bound;        /* to be shown: nothing is lower than this           */
  ash_stream out;
} ash_place_proof;

/* Writes a section about the items of a component, which stands if the outcome
 * is that nothing lower than the bound exists, and says so. */
ash_status ash_place_refute_clauses(ash_place_proof *p, const uint32_t *items,
                                    uint32_t count, bool *refuted);

#endif
