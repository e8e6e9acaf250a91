/* hierarchy.h - where tensors live, and the memories between there and where
 * kernels read. */
#ifndef ASH_TILE_HIERARCHY_H
#define ASH_TILE_HIERARCHY_H

#include "ask/ask.h"
#include "tile/search/problem.h"

typedef struct ash_hierarchy {
  ash_ctx *ctx;
  const ash_ask *ask;
  const ash_graph *g;
  const ash_device *device;
  const ash_tile_options *options;
  uint32_t *home;   /* by tensor: memory                                    */
  bool *ruled;      /* by tensor: a rule says so                            */
  bool *stays;      /* by tensor: it is a resident by choice (residents.h)  */
  uint64_t **taken; /* by memory and step: bytes of residents               */
  struct ash_use *uses; /* by tensor: the steps that need it                */
  uint32_t step_count;
  uint32_t *step_of; /* by op                                               */
  uint32_t *sharers; /* by step: its ops, whose tiles are there together    */
  uint64_t limit;    /* the compute memory as if it had so many bytes; 0: it has
                        what it has                                            */
} ash_hierarchy;

typedef struct ash_use {
  uint32_t first, end; /* end 0: nobody reads it */
} ash_use;

/* Homes by rule, by the memory for inputs and outputs, by default; then what
 * residents take of each memory over time. */
ash_status ash_hierarchy_make(ash_hierarchy *h);

/* Sends tensors on to the next memories until every memory is full to no more
 * than options->spill; spill.c. */
ash_status ash_hierarchy_spill(ash_hierarchy *h);

/* What residents of a memory take; the tensor lives elsewhere from now on. */
void ash_hierarchy_leave(ash_hierarchy *h, uint32_t tensor);
void ash_hierarchy_enter(ash_hierarchy *h, uint32_t memory, uint64_t bytes,
                         ash_use life);

/* Bytes of a memory that a plan may use. */
uint64_t ash_hierarchy_size(const ash_hierarchy *h, uint32_t memory);

/* The levels of an op whose kernel reads `target`, into the problem: memories,
 * room at its step, engines, who is staged. False: no way leads there. */
bool ash_hierarchy_levels(const ash_hierarchy *h, ash_tile_problem *p,
                          uint32_t op, uint32_t target);

/* May the processor read and write all operands where they are? */
bool ash_hierarchy_reaches(const ash_hierarchy *h, uint32_t op);

/* The nearest memory that the processor reaches on the way from `memory` to
 * the compute memory. */
uint32_t ash_hierarchy_near(const ash_hierarchy *h, uint32_t memory);

#endif
