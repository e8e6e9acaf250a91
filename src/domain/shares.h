/* shares.h - an operator split over cores: each makes a share of the result.
 *
 * A share is some lines of an image, where the kernel makes lines, or a piece
 * of the operator's space, cut along one axis, that lies in one row of every
 * operand: then the kernel runs on it as on an operator of its own, whose
 * operands begin further on. Results of shares are apart; no sum is cut. */
#ifndef ASH_DOMAIN_SHARES_H
#define ASH_DOMAIN_SHARES_H

#include "ashlar/tile.h"
#include "graph/graph.h"
#include "kernel/kernel.h"

enum { ASH_SHARES_MAX = 64 }; /* ASH_CORES_MAX */

typedef struct ash_domain_shares {
  uint32_t count; /* 1: it is not split                                     */
  bool lines;     /* else pieces                                            */
  const ash_tile_space *space; /* of pieces                                 */
  uint32_t axis;               /* of the space                              */
  int64_t blocks, granule;     /* what is dealt out, and positions of each  */
  int64_t extent;              /* lines, or positions of the axis           */
} ash_domain_shares;

/* At most `cores` shares for the kernel, the largest as small as it gets, the
 * axis the outermost one that allows that; `lines`: they may be lines. Kept by
 * `ctx`. */
ash_status ash_domain_shares_of(ash_ctx *ctx, ash_domain_shares *out,
                                const ash_graph *g, uint32_t op,
                                const ash_kernel *kernel, uint32_t cores,
                                bool lines);

/* The first line or position of share `core`; of share `count`: the end. */
int64_t ash_domain_share_first(const ash_domain_shares *s, uint32_t core);
/* The largest share, in thousandths of the operator, rounded up. */
uint32_t ash_domain_share_largest(const ash_domain_shares *s);
/* The piece of share `core`. */
void ash_domain_share_piece(const ash_domain_shares *s, uint32_t core,
                            int64_t *at, int64_t *n);

/* Bytes [from, to) of a tensor. */
typedef struct ash_byte_range {
  uint64_t from, to;
} ash_byte_range;

/* What share `core` reads or writes of an input or output: at most that. */
ash_byte_range ash_domain_share_bytes(const ash_graph *g,
                                      const ash_domain_shares *s, uint32_t op,
                                      uint32_t core, bool is_output,
                                      uint32_t position);

#endif
