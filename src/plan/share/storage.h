/* storage.h - which slots share a storage, kept up to date while aliases are
 * looked for: the root of every slot and the members of every root are known at
 * once, and joins can be taken back. */
#ifndef ASH_PLAN_STORAGE_H
#define ASH_PLAN_STORAGE_H

#include "plan/share/lifetime.h"

/* What a join changed, to take it back. */
typedef struct ash_join {
  uint32_t inner, outer; /* roots, before                                    */
  uint32_t last;         /* member of `outer`, before                        */
  uint32_t memory;       /* that members of `outer` demanded, before         */
  size_t alignments;     /* changed by earlier joins                         */
} ash_join;

typedef struct ash_old_alignment {
  uint32_t slot;
  uint64_t alignment;
} ash_old_alignment;

typedef struct ash_storages {
  ash_zone *zone;
  uint32_t *root;   /* by slot                                               */
  uint64_t *at;     /* by slot: bytes from the first byte of its root        */
  uint32_t *next;   /* by slot: another member of its storage, or ASH_NO_ID  */
  uint32_t *last;   /* by root: the last of its members; it is the first     */
  uint32_t *memory; /* by root: that a member demands, or ASH_NO_MEMORY      */
  bool *is_pinned;  /* by root                                               */
  uint32_t *end;    /* by root: no member is wanted from that step on; joins
                       that are taken back leave it too late                 */
  struct {
    ash_join *items;
    size_t capacity;
  } joins;
  size_t join_count;
  struct {
    ash_old_alignment *items;
    size_t capacity;
  } alignments;
  size_t alignment_count;
} ash_storages;

/* Every slot alone; `memory` and `offset` are what rules demand of slots. In
 * `zone`, which fails if there is no memory. */
void ash_storages_init(ash_storages *s, ash_zone *zone, uint32_t count,
                       const uint32_t *memory, const uint64_t *offset);
/* Until when a slot, still alone, is wanted. */
void ash_storages_end(ash_storages *s, uint32_t slot, uint32_t step);

/* Members of `inner`, a root, become members of `outer`'s storage, `inner`
 * itself `at` bytes from the start of that. False: no memory. */
bool ash_storages_join(ash_storages *s, uint32_t inner, uint32_t outer,
                       uint64_t at);
/* Notes the alignment of a slot before the newest join changes it. False: no
 * memory. */
bool ash_storages_note(ash_storages *s, const ash_slot *slots, uint32_t slot);
/* Takes back all joins but the first `count`, in the slots as well. */
void ash_storages_part(ash_storages *s, ash_slot *slots, size_t count);

#endif
