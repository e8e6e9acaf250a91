/* ashlar/deeploy.h - tiling and planning in the steps of Deeploy's Tiler, one
 * function for each of its methods. */
#ifndef ASHLAR_DEEPLOY_H
#define ASHLAR_DEEPLOY_H

#include "ashlar/plan.h"
#include "ashlar/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the calls:
 *
 *   ash_tiler *t;
 *   ash_tiler_new(ctx, &t, device, NULL);
 *   ash_tiler_setup_model(t, g, NULL, NULL);
 *   ash_tiler_compute_schedule(t, &tilings);
 *   ash_tiler_compute_memory_map(t, &map);
 *   ash_tiler_annotate_memory_level(t, &tilings);
 *   ash_tiler_test_solution(t);
 *   ash_tiler_test_memory_map(t);
 *   ash_tiler_plot(t, NULL);
 *
 * A step out of order is ASH_MISUSE and changes nothing. */
typedef struct ash_tiler ash_tiler;

/* The order of execution. NULL instead: the graph's, one op per step. */
typedef ash_status ash_tile_scheduler(void *user, ash_ctx *ctx, ash_steps *out,
                                      const ash_graph *g);

typedef struct ash_tiler_settings {
  size_t struct_bytes;
  ash_tile_options tile;    /* homes, copies, the search                    */
  const char *arena_prefix; /* of the generated C, as ash_emit_module gets
                               it; NULL: "model"                            */
  const char *inner;        /* how tiles are placed: a planner's name; NULL:
                               as `outer`                                   */
  const char *outer;        /* how residents are placed: "exact" (NULL),
                               "TetrisRandom", "TetrisCo-Opt", "MiniMalloc",
                               or any other planner                         */
  ash_tile_scheduler *scheduler;
  void *scheduler_user;
  bool visualise;          /* ash_tiler_compute_memory_map plots too        */
  const char *test_name;   /* part of the names of files, NULL: none        */
  const char *work_folder; /* where files go, NULL: "."                     */
} ash_tiler_settings;

/* Lives as long as the context. */
ASH_API ASH_MUST_CHECK ash_status
ash_tiler_new(ash_ctx *ctx, ash_tiler **out, const ash_device *device,
              const ash_tiler_settings *settings);

/* What is to be tiled: a lowered graph, rules and budgets (or NULL). `steps`:
 * the order, and patterns of operators that share a step; each is tiled
 * separately, and the buffers of all are alive as long as the pattern runs. */
ASH_API ASH_MUST_CHECK ash_status
ash_tiler_setup_model(ash_tiler *t, const ash_graph *g, const ash_steps *steps,
                      const ash_plan_options *plan);

/* Tilings without addresses. */
ASH_API ASH_MUST_CHECK ash_status
ash_tiler_compute_schedule(ash_tiler *t, const ash_tilings **out);

/* Addresses for everything: one packing problem per memory. */
ASH_API ASH_MUST_CHECK ash_status
ash_tiler_compute_memory_map(ash_tiler *t, const ash_plan **out);

/* Instead of the two above: a solution and a map from elsewhere. The solution's
 * buffers are found in the map's slots by operator, level, operand and copy;
 * the lives of a pattern's tiles are extended to the whole pattern. Both are
 * checked together: ASH_MALFORMED if they are wrong. */
ASH_API ASH_MUST_CHECK ash_status ash_tiler_use(ash_tiler *t,
                                                const ash_tilings *tilings,
                                                const ash_plan *map);

/* The tilings with the slots of their buffers. */
ASH_API ASH_MUST_CHECK ash_status
ash_tiler_annotate_memory_level(ash_tiler *t, const ash_tilings **out);

/* Where a buffer is: [*start, *end) in the arena of the level's memory, for
 * one copy of an operand's tile. ASH_MISUSE before annotation. */
ASH_API ASH_MUST_CHECK ash_status ash_tiler_address_space(
    const ash_tiler *t, uint32_t op, uint32_t level, uint32_t operand,
    uint32_t copy, uint64_t *start, uint64_t *end);

/* Deeploy's multi-buffer strategies, for ash_tile_options.copies: double
 * buffering; single; double only in memories before the last. */
ASH_API ash_tile_copies_rule ash_multi_buffer_double, ash_multi_buffer_single,
    ash_multi_buffer_outer;

/* Extends the lifetimes of a pattern's input and output buffers to the whole
 * pattern, for maps from elsewhere. (ash_tiler_use does; ours have it.) */
ASH_API void ash_tiler_propagate_io_buffers(ash_slot *slots, uint32_t count,
                                            const ash_steps *steps);

/* Does every step have at most one op? */
ASH_API bool ash_tiler_is_layer_wise(const ash_steps *steps);
/* Do all local buffers live in `memory`: what is neither an input, an output, a
 * constant nor a state of the model? */
ASH_API bool ash_tiler_is_uniform(const ash_tilings *tilings,
                                  const ash_graph *g, uint32_t memory);

/* Checks of what was computed or given. */
ASH_API ASH_MUST_CHECK ash_status ash_tiler_test_solution(const ash_tiler *t);
ASH_API ASH_MUST_CHECK ash_status ash_tiler_test_memory_map(const ash_tiler *t);

/* Bytes of the arenas in each memory of the device, without constants; `bytes`
 * has room for device->memory_count. */
ASH_API ASH_MUST_CHECK ash_status
ash_tiler_worst_case_buffer_sizes(const ash_tiler *t, uint64_t *bytes);

/* The name of the memory's arena in the generated C, "model_arena_l1", in
 * `buf`;
 * "" if there is no such memory. */
ASH_API const char *ash_tiler_arena_name(const ash_tiler *t, char *buf,
                                         size_t size, uint32_t memory);

/* Packs blocks into a capacity, as MiniMalloc does: any placement that fits,
 * ASH_NOFIT if there is none. */
ASH_API ASH_MUST_CHECK ash_status ash_tiler_minimalloc(ash_tiler *t,
                                                       const ash_buffer *blocks,
                                                       size_t count,
                                                       uint64_t capacity,
                                                       const int64_t **offsets);

/* The memory map over time as a web page: `folder`/memory_alloc.html, with the
 * test's name in its name if there is one. NULL: the work folder. */
ASH_API ASH_MUST_CHECK ash_status ash_tiler_plot(const ash_tiler *t,
                                                 const char *folder);

#ifdef __cplusplus
}
#endif
#endif
