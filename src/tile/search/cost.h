/* cost.h - what a tiling costs on the device: cycles with transfers that go
 * on while the processor works, bytes moved, bytes occupied.
 *
 * At each level, of all transfers: S belong to operands with one copy, so the
 * processor waits; V to operands with several, which hide behind the work C of
 * the level inside, except the first box of every region, F together:
 *
 *   cycles = S + F + max(C, V - F)
 *
 * and this is the C of the level outside. The innermost C is the kernel's. */
#ifndef ASH_TILE_COST_H
#define ASH_TILE_COST_H

#include "tile/search/facts.h"

/* How a box lies in the memory it comes from: rows of bytes without gaps. */
typedef struct ash_box_rows {
  uint32_t inside; /* bit a: the dimensions that follow axis a are in a row   */
  uint64_t base;   /* rows that follow no axis                               */
  uint64_t most;   /* rows of the largest box                                */
  uint64_t added;  /* bytes that a row is too short                          */
} ash_box_rows;

/* What follows from the sizes alone. */
typedef struct ash_tile_sizes {
  const ash_axis_fact *fact[ASH_TILE_LEVELS][ASH_TILE_AXES];
  uint64_t box[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];    /* bytes, the largest  */
  uint64_t pieces[ASH_TILE_LEVELS][ASH_OPERANDS_MAX]; /* transfers a box     */
  ash_box_rows rows[ASH_TILE_LEVELS][ASH_OPERANDS_MAX];
  uint64_t cycles[ASH_TILE_LEVELS][ASH_OPERANDS_MAX]; /* to move the largest */
  uint64_t regions[ASH_TILE_LEVELS]; /* how often the level starts           */
  uint64_t tiles;                    /* calls of the kernel                  */
  uint64_t compute;
  uint64_t accumulator, work; /* bytes                                       */
  bool sum_cut;
} ash_tile_sizes;

/* False: out of memory. */
bool ash_model_sizes(ash_facts *f, const ash_tile_problem *p,
                     ash_tile_sizes *out, const ash_tile_cut *cut);

/* Bytes of a level with one copy of everything. */
uint64_t ash_model_least(const ash_tile_problem *p, const ash_tile_sizes *s,
                         uint32_t level);

/* The same with the copies that are asked for of what moves more than once. */
uint64_t ash_model_asked(const ash_tile_problem *p, const ash_tile_sizes *s,
                         uint32_t level);

/* No order and no copies of these sizes cost less. `open`: nor does cutting
 * further. */
ash_tile_value ash_model_bound(const ash_facts *f, const ash_tile_problem *p,
                               const ash_tile_sizes *s, bool open);

/* How often operand o is moved at a level: loads, and what they are in all. */
typedef struct ash_tile_moves {
  uint64_t loads, bytes, rows;
} ash_tile_moves;

ash_tile_moves ash_model_moves(const ash_facts *f, const ash_tile_problem *p,
                               const ash_tile_sizes *s,
                               const ash_tile_choice *c, uint32_t level,
                               uint32_t o);

/* Chooses the copies for the orders in `choice` and says what that is worth;
 * false if it does not fit. `details` may be NULL. */
bool ash_model_value(const ash_facts *f, const ash_tile_problem *p,
                     const ash_tile_sizes *s, ash_tile_choice *choice,
                     ash_tile_value *out, ash_tile_cost *details);

/* The same with the copies as they are. */
bool ash_model_given(const ash_facts *f, const ash_tile_problem *p,
                     const ash_tile_sizes *s, const ash_tile_choice *choice,
                     ash_tile_value *out, ash_tile_cost *details);

#endif
