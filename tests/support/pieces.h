/* pieces.h - the proof of a tile rule: an operator cut at random, each piece
 * run alone in the reference interpreter on nothing but its boxes, the results
 * put together, and compared with the operator run as a whole, byte by byte. */
#ifndef ASH_TESTS_PIECES_H
#define ASH_TESTS_PIECES_H

#include "ashlar/plan.h"
#include "base/rng.h"
#include "net.h"

/* Random values that no operator chokes on; integers are small enough to
 * be positions. */
void pieces_fill(ash_rng *rng, const ash_tensor *t, void *to);

/* Values of all tensors: constants have theirs. */
void **pieces_values(ash_zone *z, const ash_graph *g);

/* Cuts one operator `rounds` times. Returns how many axes may be cut. */
uint32_t pieces_agree(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                      ash_rng *rng, uint32_t rounds);

/* Sets the shapes of the outputs to what the operator makes of its inputs. */
void pieces_shape(net *n, uint32_t op);

#endif
