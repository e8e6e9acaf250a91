/* plan_facts.h - figures of a plan that several commands tell. */
#ifndef CLI_PLAN_FACTS_H
#define CLI_PLAN_FACTS_H

#include "ashlar/device.h"
#include "ashlar/plan.h"

/* Does this slot take room of its own in the scratch arena of `memory`? Views
 * use the room of what they look at. */
bool slot_takes_room(const ash_slot *s, const char *memory);
bool slot_is_alive(const ash_slot *s, uint32_t step);
/* The same; work memory of an operator that makes rows is there during its
 * runs only. */
bool slot_is_there(const ash_plan *p, const ash_slot *s, uint32_t step);

/* Bytes that the slot takes at that step, at which it is there, besides those
 * of an input that it is written over. */
uint64_t slot_bytes_at(const ash_plan *p, const ash_slot *s, uint32_t step);

/* The same of all rows of its tensor that are there. */
uint64_t row_bytes_at(const ash_plan *p, uint32_t slot, const char *memory,
                      uint32_t step);

/* Does the slot take room there at that step, and is it the first of its
 * tensor's rows that do? `*rows`: how many do; 0: it is whole. */
bool slot_counts(const ash_plan *p, uint32_t slot, const char *memory,
                 uint32_t step, uint32_t *rows);

/* "conv_2d_3", or that rows arrive. */
const char *step_name(const ash_plan *p, const ash_graph *g, uint32_t step);

/* Bytes of all scratch arenas. */
uint64_t plan_scratch(const ash_plan *p);

/* Operators that run row by row. */
uint32_t plan_row_ops(const ash_plan *p);

/* The first step at which most bytes are alive, and how many. False: no steps
 * or no host memory. */
bool plan_peak(const ash_plan *p, const char *memory, uint32_t *step,
               uint64_t *bytes);

#endif
