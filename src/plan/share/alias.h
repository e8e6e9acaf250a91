/* alias.h - which slots lie in the storage of others. */
#ifndef ASH_PLAN_ALIAS_H
#define ASH_PLAN_ALIAS_H

#include "plan/share/storage.h"

/* What the searches for aliases work on. Lives are each slot's own until all
 * aliases are found. */
typedef struct ash_aliaser {
  ash_ctx *ctx;
  const ash_graph *g;
  const ash_steps *steps;
  const ash_choice *choices; /* by op                                       */
  ash_slots *slots;
  const uint32_t *slot_of; /* by tensor                                     */
  const uint32_t *memory;  /* by slot: demanded, or ASH_NO_MEMORY           */
  const uint64_t *offset;  /* by slot: pinned, or ASH_NO_OFFSET             */
  const bool *aligned;     /* by slot: its alignment is a demand            */
  const ash_tilings *tilings; /* or NULL                                    */
  ash_storages storages; /* of the slots, as the aliases so far say          */
  uint64_t effort;       /* spent on profiles                                */
  bool shrinks;     /* the backend gives the tails of results in place back */
  uint64_t *shared; /* by step: bytes of a result that may do (shrink.c)    */
} ash_aliaser;

/* Finds views, concatenations in place and results in place, as far as they
 * are wanted, and merges the lives of those who share. */
ash_status ash_find_aliases(ash_aliaser *a, const ash_plan_options *options,
                            bool views_only);

/* Puts the storage of `inner` into that of `outer`, `offset` bytes behind its
 * start, if bytes, demands and alignment allow it. Says nothing about time. */
bool ash_alias_join(ash_aliaser *a, uint32_t inner, uint32_t outer,
                    uint64_t offset, ash_alias_kind kind);

/* Takes back all joins but the first `count` (storages.join_count). */
void ash_alias_part(ash_aliaser *a, size_t count);

/* Do two slots of one storage share bytes? */
bool ash_alias_overlap(const ash_aliaser *a, uint32_t x, uint32_t y);

/* One technique a file. */
void ash_alias_views(ash_aliaser *a);
ash_status ash_alias_slices(ash_aliaser *a);
void ash_alias_state(ash_aliaser *a);
ash_status ash_alias_concat(ash_aliaser *a);
ash_status ash_alias_in_place(ash_aliaser *a);

/* What rules ask of slots, one an entry each. */
typedef struct ash_demands {
  uint32_t *memory;
  uint64_t *offset;
  bool *aligned;
} ash_demands;

/* Takes operators that move nothing out of `a->tilings`, and their buffers out
 * of the slots and what is asked of them (tiles_without_work.c). */
ash_status ash_plan_tile_settle(ash_aliaser *a, ash_demands *d);

/* How full memory is over time with the aliases so far; smaller is better. */
typedef struct ash_profile {
  uint64_t peak;
  uint64_t squares; /* sum of squared live sums, scaled: flat is good */
} ash_profile;
ash_status ash_alias_profile(ash_aliaser *a, ash_profile *out);
/* Have profiles cost so much that no more should be asked for? Models with
 * many thousands of pieces then do without what profiles decide. */
bool ash_alias_is_tired(const ash_aliaser *a);
static inline bool ash_profile_worse(ash_profile x, ash_profile than) {
  return x.peak != than.peak ? x.peak > than.peak : x.squares > than.squares;
}

#endif
