/* problem.h - tiling one operator, as the searches see it: the levels on the
 * way to the compute memory, what is staged where, and what a choice costs. */
#ifndef ASH_TILE_PROBLEM_H
#define ASH_TILE_PROBLEM_H

#include "ashlar/tile.h"
#include "base/ctx.h"

enum { ASH_OPERANDS_MAX = 32 };

/* One memory on the way. */
typedef struct ash_tile_hop {
  uint32_t memory;
  uint64_t room;   /* bytes for tiles                                      */
  uint32_t staged; /* bit o: operand o has buffers here                    */
  bool overlaps;   /* transfers go on while the processor works            */
  uint64_t setup;  /* cycles a transfer                                    */
  uint64_t bytes_per_kilocycle;
  uint64_t row_cycles;   /* for each row of a transfer                     */
  uint64_t beat;         /* bytes that the shortest row takes the time of  */
  uint32_t rank;         /* of the largest transfer the engine makes       */
  uint64_t transfer_max; /* bytes in one, 0: no limit                      */
  uint64_t alignment;
} ash_tile_hop;

/* What a choice costs: less is better, the first difference decides. */
typedef struct ash_tile_value {
  uint64_t price; /* of cycles and bytes together, in thousandths of a cycle */
  uint64_t bytes; /* moved                                                   */
  uint64_t busy;  /* cycles in which something is moved                      */
  uint64_t footprint;
  uint64_t cycles;
  bool guessed; /* copies: not all were tried                                */
} ash_tile_value;

typedef struct ash_tile_problem {
  ash_ctx *ctx;
  const ash_graph *g;
  const ash_tile_space *space;
  uint32_t level_count;
  ash_tile_hop hops[ASH_TILE_LEVELS];
  uint32_t buffering; /* 0: free, else copies of all that moves        */
  uint8_t wanted[ASH_TILE_LEVELS][ASH_OPERANDS_MAX]; /* 0: free, else copies */
  uint64_t per_kilocycle; /* units of work                                 */
  uint64_t elements_per_kilocycle;
  uint64_t call_cycles;
  uint64_t ticks;
  uint64_t seed; /* of searches that choose at random                       */
  uint64_t byte_price;  /* thousandths of a cycle for each byte moved       */
  uint64_t inner_least; /* no choice has fewer cycles in the last level     */
  bool relaxed; /* figures no higher than those of any cut inside regions   */
} ash_tile_problem;

/* Do both have the same answer? */
bool ash_problem_same(const ash_tile_problem *a, const ash_tile_problem *b);

/* Sizes by level and axis. */
typedef struct ash_tile_cut {
  int64_t at[ASH_TILE_LEVELS][ASH_TILE_AXES];
} ash_tile_cut;

/* What a search chooses. */
typedef struct ash_tile_choice {
  ash_tile_cut cut;
  uint8_t order[ASH_TILE_LEVELS][ASH_TILE_AXES];
  uint8_t copies[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];
} ash_tile_choice;

static inline bool ash_value_less(const ash_tile_value *a,
                                  const ash_tile_value *b) {
  if (a->price != b->price)
    return a->price < b->price;
  if (a->bytes != b->bytes)
    return a->bytes < b->bytes;
  if (a->busy != b->busy)
    return a->busy < b->busy;
  return a->footprint < b->footprint;
}

static inline uint64_t ash_tile_price(const ash_tile_problem *p,
                                      uint64_t cycles, uint64_t bytes) {
  return cycles * 1000 + bytes * p->byte_price;
}

#endif
