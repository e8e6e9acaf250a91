/* ashlar/render.h - a plan turned into facts ready to be written as C: regions
 * with dense ids, packed constant blobs, hashes. Decides nothing. */
#ifndef ASHLAR_RENDER_H
#define ASHLAR_RENDER_H

#include "ashlar/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_render_arena {
  uint32_t region_id; /* dense from 0: scratch, persistent, constant; inside a
                         role by memory name, ignoring case */
  const char *role;
  const char *memory;
  const char *source_memory;
  uint64_t size;
  uint64_t alignment;
  bool is_staged;
  const char *symbol; /* "<prefix>_arena_dtcm", "<prefix>_arena_const_mram" */
} ash_render_arena;

typedef struct ash_render_blob {
  const char *memory;
  bool is_staged;
  const char *sidecar_filename;
  const char *symbol; /* "<arena symbol>__blob" or "__source" */
  const uint8_t *payload;
  uint64_t size;
} ash_render_blob;

typedef struct ash_render_plan {
  const char *prefix;
  const ash_render_arena *all_arenas; /* all_arenas[i].region_id == i */
  uint32_t arena_count;
  /* The parts of all_arenas, by role; what is staged among the constants. */
  const ash_render_arena *scratch_arenas, *persistent_arenas, *constant_arenas;
  uint32_t scratch_count, persistent_count, constant_count;
  const ash_render_arena *const *staged_constant_arenas;
  uint32_t staged_count;
  const ash_render_blob
      *constant_blobs; /* one per constant arena, same order */
  char plan_hash[17];
  char tensor_layout_hash[17];
} ash_render_plan;

/* Every contradiction in a plan has its own diagnostic: a constant with no
 * allocation, slots of an arena that disagree on their source memory, a
 * missing binding, a tensor without a slot, a binding to an arena that does not
 * exist, two arenas for one role and memory, a slot beyond its arena, a
 * constant whose bytes are missing or are not as many as the slot says. The
 * order of the plan's arenas does not matter. */
ASH_API ASH_MUST_CHECK ash_status ash_build_render_plan(
    ash_ctx *ctx, const ash_render_plan **out, const ash_plan *plan,
    const ash_graph *g, const char *prefix);

/* The region a binding points into, NULL if there is none. */
ASH_API const ash_render_arena *ash_render_region(const ash_render_plan *plan,
                                                  ash_role role,
                                                  const char *memory);

#ifdef __cplusplus
}
#endif
#endif
