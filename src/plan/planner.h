/* planner.h - what planner backends share: the work in progress, and the
 * pieces every policy needs. */
#ifndef ASH_PLAN_PLANNER_H
#define ASH_PLAN_PLANNER_H

#include "ask/ask.h"
#include "plan/share/alias.h"
#include "plan/share/lifetime.h"
#include "plan/share/row_slots.h"

enum { ASH_ROLE_COUNT = 3 };

/* Lifetimes, aliases and the backend: one plan, or what is short by how much.
 * Steps, rules and budgets are those of `ask`, whatever the options say. The
 * plan is complete but not checked. */
ash_status ash_plan_once(ash_ctx *ctx, const ash_plan **out, const ash_ask *ask,
                         const ash_plan_options *options);

/* The row of a slot is copied to `to` before step `when`. */
typedef struct ash_move {
  uint32_t slot;
  uint32_t when;
  uint64_t to;
} ash_move;

/* The moves of a packing, in the order of copying. */
typedef struct ash_moves {
  const int64_t *offsets; /* of that packing: which one it is               */
  const ash_move *items;
  uint32_t count;
  bool is_taken; /* it is part of the plan                          */
  struct ash_moves *next;
} ash_moves;

typedef struct ash_shrink ash_shrink; /* share/shrink.h */

/* A request and its answer, as built-in backends see them. */
typedef struct ash_draft {
  ash_ctx *ctx;
  const ash_plan_request *ask;
  ash_plan_answer *answer;
  const ash_row_layout *rows; /* NULL: whole tensors                        */
  ash_moves *moves;           /* of all packings that were tried             */
  const ash_shrink *shrinks;  /* results that give a tail back               */
  uint32_t shrink_count;
} ash_draft;

/* ---- the registry -------------------------------------------------------- */

bool ash_planner_is_builtin(const ash_planner *planner);
/* The interface's version and the fields that must be there. */
ash_status ash_planner_check(ash_ctx *ctx, const ash_planner *planner,
                             const char *where, bool named);
/* "exec:PROGRAM ARGS" as a backend; exec.c. */
ash_status ash_exec_planner(ash_ctx *ctx, const ash_planner **out,
                            const char *command);
/* The backend that options ask for, loaded if need be. */
ash_status ash_plan_choose_planner(ash_ctx *ctx, const ash_planner **out,
                                   const char *name);

/* ---- foreign planners ---------------------------------------------------- */

/* Is the backend that options ask for, or a part of it, not one of ours? */
bool ash_planner_is_foreign(const ash_ctx *ctx,
                            const ash_plan_options *options);
/* A contradiction in what a foreign planner answered is its own: the status
 * and the diagnostics since `said` become ASH_MALFORMED. */
ash_status ash_planner_blame(ash_ctx *ctx, ash_status status, size_t said);
/* Of its answer, only what it may decide: bindings and reasons. */
ash_status ash_planner_take(ash_draft *d, ash_slot *slots, ash_arena *arenas,
                            uint32_t capacity);

/* ---- arenas and rooms ---------------------------------------------------- */

/* The arena of a role and memory, made on first use. */
ash_arena *ash_draft_arena(ash_draft *d, ash_role role, uint32_t memory,
                           uint32_t source_memory);

/* Bytes of `memory` not yet given to arenas, nor to the stored bytes of staged
 * ones. */
uint64_t ash_draft_room(const ash_draft *d, uint32_t memory);

/* The memories a backend may use for scratch, best first. */
uint32_t ash_draft_candidates(const ash_draft *d, uint32_t *memories);

/* Persistent and constant slots, the same for all backends: placed one behind
 * the other in order of first use; equal constants share a place. */
ash_status ash_plan_place_constants(ash_draft *d, const ash_constraints *rules,
                                    const ash_rules *book);

/* Bound and verdict of a persistent or constant arena. */
ash_status ash_bound_packed(ash_draft *d, ash_arena *arena);

/* ---- scratch ------------------------------------------------------------- */

/* Scratch slots that need a place (aliases left out), as buffers. */
typedef struct ash_scratch {
  uint32_t *slot; /* buffer -> slot */
  ash_buffer *buffers;
  uint32_t count;
} ash_scratch;
ash_status ash_draft_scratch(ash_draft *d, ash_scratch *out);

/* A way of packing buffers: offsets, height and bound. capacity 0: no limit,
 * else no offsets may mean "more than that". */
typedef ash_status ash_pack(ash_draft *d, ash_place_result *out,
                            const ash_scratch *s, uint64_t capacity);

/* Spreads scratch over the memories by benefit and packs each with `pack`. */
ash_status ash_plan_banks(ash_draft *d, ash_pack *pack);
/* Defines `name`, the function `plan` of a planner that does just that. */
#define ASH_PLAN_IN_BANKS(name, pack)                                          \
  static ash_status name(void *user, ash_ctx *ctx,                             \
                         const ash_plan_request *ask,                          \
                         ash_plan_answer *answer) {                            \
    ash_draft d = {.ctx = ctx, .ask = ask, .answer = answer};                  \
    (void)user;                                                                \
    return ash_plan_banks(&d, pack);                                           \
  }

/* Puts placed buffers into `memory` and books the arena. */
ash_status ash_draft_commit(ash_draft *d, const ash_scratch *s,
                            const ash_place_result *placed, uint32_t memory);

/* The largest sum of sizes alive at one step: no packing is lower. */
uint64_t ash_peak_live(const ash_scratch *s, uint32_t steps, int64_t *when);

/* For heuristics: the answer of a placement with that bound; pinned buffers
 * are refused. */
ash_status ash_plan_pack_result(ash_draft *d, ash_place_result *out,
                                const ash_scratch *s, const int64_t *offsets,
                                uint64_t height);

/* Bytes moved a run for the storage of each root slot. */
typedef struct ash_traffic {
  uint64_t read, written;
} ash_traffic;
ash_status ash_count_traffic(ash_draft *d, ash_traffic *by_slot);

/* ---- tilings ------------------------------------------------------------- */

/* The memory that a slot must be in. */
uint32_t ash_plan_tile_demand(const ash_tilings *tilings,
                              const ash_device *device, const ash_slot *slot);
/* Homes become demands, where no rule says otherwise. */
ash_status ash_plan_tile_homes(ash_ctx *ctx, ash_constraints *rules,
                               const ash_graph *g, const ash_tilings *tilings);
/* Why slots are where they are. */
void ash_plan_tile_reasons(ash_slot *slots, uint32_t count,
                           const ash_tilings *tilings);
/* The tilings with the slots of their buffers. */
ash_status ash_plan_tile_bind(ash_ctx *ctx, const ash_tilings **out,
                              const ash_tilings *from, const ash_slot *slots,
                              uint32_t slot_count);

/* ---- power banks --------------------------------------------------------- */

/* Bytes of a memory that arenas take, and stored bytes of staged ones. */
uint64_t ash_arenas_in(const ash_draft *d, uint32_t memory);
/* Banks of a memory that need power when `bytes` of it are taken besides the
 * arenas booked so far; 0 where the device does not tell. */
uint64_t ash_banks_powered(const ash_draft *d, uint32_t memory, uint64_t bytes);
/* What the plan's arenas keep powered. */
ash_status ash_count_power(ash_draft *d, ash_plan *plan);

/* ---- finishing ----------------------------------------------------------- */

/* Fills arenas from the bindings where a foreign backend left them out. */
ash_status ash_complete_arenas(ash_draft *d, bool trusted);
/* Budgets and rules were respected? */
ash_status ash_plan_check_demands(ash_draft *d);

/* The packings of the built-in backends. */
ash_pack ash_plan_pack_exact, ash_plan_pack_greedy, ash_plan_pack_first_fit,
    ash_plan_pack_naive, ash_plan_pack_tetris_random,
    ash_plan_pack_tetris_chosen, ash_plan_pack_minimalloc;
/* .. and of orders of rows. */
ash_pack ash_plan_pack_rows;
/* The slots of the answer, and one more per move of the packings that were
 * taken; kept by the context. */
ash_status ash_plan_put_moves(ash_draft *d, ash_slot **slots, uint32_t *count);
/* "A+B": A packs memories of tiles, B those of tensors; NULL: no such names. */
const ash_planner *ash_find_mixed(const ash_ctx *ctx, const char *name);
/* Are both of them ours? */
bool ash_mixed_is_builtin(const char *name);

extern const ash_planner ash_planner_exact, ash_planner_greedy,
    ash_planner_first_fit, ash_planner_naive;
extern const ash_planner ash_planner_tetris_random, ash_planner_tetris_chosen,
    ash_planner_minimalloc;

/* The order of Deeploy's TetrisRandom for that many blocks. */
void ash_tetris_permutation(uint32_t *order, uint32_t count);

#endif
