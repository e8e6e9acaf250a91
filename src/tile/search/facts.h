/* facts.h - what cutting one axis means for each operand: how many pieces, how
 * large their boxes are together and at most. Everything a tiling costs is a
 * product of such facts, one an axis, so they are computed once a size. */
#ifndef ASH_TILE_FACTS_H
#define ASH_TILE_FACTS_H

#include "tile/search/problem.h"

/* Of one operand: its extent along the dimensions that follow the axis. */
typedef struct ash_operand_fact {
  uint64_t sum;      /* over all pieces                                     */
  uint64_t fresh;    /* over those whose box is not the one before          */
  uint64_t distinct; /* how many those are                                  */
  uint64_t most;     /* the largest                                         */
} ash_operand_fact;

typedef struct ash_axis_fact {
  uint64_t pieces;  /* over all regions                                      */
  uint64_t rounded; /* positions, each piece rounded up to the multiple that
                       the kernel likes                                     */
  const ash_operand_fact *operands;
} ash_axis_fact;

typedef struct ash_facts ash_facts;

ash_status ash_facts_new(ash_facts **out, const ash_tile_problem *p);

/* Of the pieces of an axis at a level. NULL: out of memory. */
const ash_axis_fact *ash_facts_get(ash_facts *f, uint32_t axis, uint32_t level,
                                   const ash_tile_cut *cut);

/* Does operand o follow the axis at all? Bit o. */
uint32_t ash_facts_followers(const ash_facts *f, uint32_t axis);
/* However the axis is cut, no fewer elements of operand o are brought. */
uint64_t ash_facts_least(const ash_facts *f, uint32_t axis, uint32_t operand);
/* Elements of operand o in dimensions that follow no axis. */
uint64_t ash_facts_base(const ash_facts *f, uint32_t operand);
/* Do windows of operand o leave elements between them out? Small pieces then
 * bring less than large ones. */
bool ash_facts_has_gaps(const ash_facts *f, uint32_t operand);

/* Positions that n positions of an axis need of a dimension, away from the
 * ends of the tensor. */
uint64_t ash_dim_nominal(const ash_tile_dim *dim, uint64_t extent, int64_t n);

#endif
