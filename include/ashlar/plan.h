/* ashlar/plan.h - the memory plan: which tensor lives where, and when.
 *
 * A plan is complete and checked before anyone sees it. Planner backends own
 * the policy; what they return goes through ash_check_plan, whoever wrote it.
 * Lifetimes are half-open intervals of steps. */
#ifndef ASHLAR_PLAN_H
#define ASHLAR_PLAN_H

#include "ashlar/base.h"
#include "ashlar/device.h"
#include "ashlar/graph.h"
#include "ashlar/place.h"
#include "ashlar/rules.h"
#include "ashlar/steps.h"
#include "ashlar/tile.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- records ------------------------------------------------------------ */

/* Where a tensor lives. source_memory differs from memory only for staged
 * constants, which are copied at boot. */
typedef struct ash_binding {
  ash_role role;
  const char *memory;
  uint64_t offset; /* in the arena of that role and memory */
  const char *source_memory;
} ash_binding;

typedef struct ash_lifetime {
  uint32_t first_step, end_step; /* live during [first_step, end_step) */
} ash_lifetime;

/* Why one slot lies in the storage of another. */
typedef enum ash_alias_kind {
  ASH_ALIAS_NONE,
  ASH_ALIAS_VIEW,    /* the same bytes under another shape                 */
  ASH_ALIAS_MEMBER,  /* concat input, computed where it belongs            */
  ASH_ALIAS_IN_PLACE /* the op overwrites an input that dies there         */
} ash_alias_kind;

ASH_API const char *ash_alias_text(ash_alias_kind kind);

typedef enum ash_slot_kind {
  ASH_SLOT_TENSOR,
  ASH_SLOT_WORK,       /* of the kernel of an op                            */
  ASH_SLOT_TILE,       /* a copy of an operand's tile (ashlar/tile.h)       */
  ASH_SLOT_ACCUMULATOR /* of an op whose reduction is tiled                 */
} ash_slot_kind;

ASH_API const char *ash_slot_kind_text(ash_slot_kind kind);

/* One planned thing: a tensor, a row of a tensor, or work memory that one op
 * needs. A tensor whose maker or readers run row by row has one slot per row,
 * in the order of rows; a row that is moved has one slot per place. Work memory
 * of an op with several runs occupies its bytes during these runs only. */
typedef struct ash_slot {
  const char *id;   /* unique in the plan, except for slots of one tensor  */
  const char *name; /* from the model                                      */
  uint32_t tensor;  /* in the graph, or ASH_NO_ID for work memory         */
  uint32_t op;      /* whose work memory this is, else ASH_NO_ID          */
  uint64_t size;
  uint64_t alignment; /* of its offset and of its arena                    */
  ash_lifetime life;  /* of an alias: of all slots that share the storage  */
  uint32_t alias_of;  /* slot whose storage this one shares, or ASH_NO_ID */
  ash_alias_kind alias_kind;
  uint64_t alias_offset; /* where in that slot's bytes this one begins     */
  uint32_t follows;      /* slot this one overwrites while its last reader is
                            still running: a smaller result in place, or a
                            window behind its reading (`--overlap`); or
                            ASH_NO_ID                                      */
  bool bound;            /* is `binding` valid?                            */
  ash_binding binding;
  const char *reason; /* why it is placed there, or NULL                   */
  ash_slot_kind kind;
  uint32_t operand, level, copy; /* of a tile                               */
  uint32_t row;        /* of the tensor, if has_row                          */
  bool has_row;        /* it holds this row only                             */
  uint32_t moved_from; /* slot that held the row before: it is copied from
                          there before life.first_step starts, after earlier
                          slots' copies; or ASH_NO_ID                        */
} ash_slot;

typedef struct ash_arena {
  ash_role role;
  const char *memory;
  const char *source_memory;
  uint64_t size;        /* bytes used                                       */
  uint64_t total_size;  /* bytes available in the memory                    */
  uint64_t alignment;   /* of the arena's first byte                        */
  uint64_t lower_bound; /* no plan of these slots is smaller               */
  ash_verdict verdict;
} ash_arena;

/* How much of a memory must have power for the arenas of a plan. */
typedef struct ash_power {
  const char *memory;
  uint64_t bank_bytes; /* powered together                                 */
  uint64_t used;       /* arenas, stored constants, the device's reserve   */
  uint64_t powered, banks; /* of all                                       */
} ash_power;

/* How good the order of a plan is among all orders of its kind. */
typedef struct ash_order_proof {
  ash_order_kind kind;  /* of this order; never ASH_ORDER_AUTO               */
  uint64_t peak;        /* bytes of activations alive at once, at most       */
  uint64_t lower_bound; /* .. in every order of this kind, at least; 0: not
                           known                                            */
  ash_verdict verdict;  /* ASH_OPTIMAL: they are equal                      */
  uint64_t ticks;
  /* The same with the work memory of the operator that runs, which orders of
   * rows keep as small as they can; 0: not known. */
  uint64_t peak_with_work, bound_with_work;
  /* The problems that the bounds are of, without and with work memory; NULL:
   * not known any more, as in a plan that was read. */
  const struct ash_order_model *model, *model_with_work;
} ash_order_proof;

typedef struct ash_plan {
  const char *model;
  const char *target;
  const ash_device
      *device; /* it was made for, or NULL: only its name is known */
  const char *planner;
  ash_verdict verdict; /* optimal when every arena is                      */
  ash_steps steps;
  const ash_slot *slots; /* in order of first use                          */
  uint32_t slot_count;
  const ash_arena *arenas; /* scratch, persistent, constant; by memory name */
  uint32_t arena_count;
  uint64_t ticks;
  const char *const *code_memory; /* one per op: where a rule places its
                                     code, or NULL; NULL: no rule        */
  const ash_tilings *tilings;     /* ashlar/tile.h; NULL: nothing is tiled */
  const ash_power *power; /* memories in use whose banks are known          */
  uint32_t power_count;
  const struct ash_choice *choices; /* the kernels that it is made for, one an
                                       operator; NULL: portable C           */
  ash_order_proof order;
  const bool *is_drained; /* by output of the graph: its rows leave while the
                             model runs; NULL: none                         */
  const bool *is_fed; /* by input, of whole operators: its rows arrive before
                         the first step; NULL: none. In an order of rows the
                         steps say when                                    */
  uint64_t cycles, move_cycles; /* of one run, of its moves, modelled
                                   (ash_plan_cycles); 0: nothing moves      */
} ash_plan;

/* ---- aliases ------------------------------------------------------------- */

/* Union of live ranges over alias links, until nothing changes: alias_of[i] is
 * the index that i shares storage with, or ASH_NO_ID. An index that is not
 * below `count` is a link to nothing. */
ASH_API void ash_merge_alias_lifetimes(ash_lifetime *lives,
                                       const uint32_t *alias_of, size_t count);

/* Gives every slot that shares another's storage the binding that follows from
 * its root's: same role and memory, offset plus alias_offset. */
ASH_API void ash_populate_alias_allocations(ash_slot *slots, uint32_t count);

/* The end of the alias chain that starts at `slot`, and how far from its first
 * byte the slot begins (`offset` may be NULL). ASH_NO_ID: a cycle. */
ASH_API uint32_t ash_alias_root(const ash_slot *slots, uint32_t count,
                                uint32_t slot, uint64_t *offset);

/* ---- backends ------------------------------------------------------------ */

enum { ASH_CORES_MAX = 64 }; /* that an operator is split over */

typedef struct ash_plan_options {
  size_t struct_bytes;
  const char *planner; /* backend by name; NULL: "exact". A name with '/' is
                          a shared object, "exec:PROGRAM ARGS" a program   */
  uint64_t ticks;      /* effort limit of the packing search; 0: default   */
  uint64_t seed;
  const ash_rules *rules; /* or NULL                                       */
  const ash_memory_constraint *constraints;
  size_t constraint_count;
  bool no_views;    /* reshapes copy                                       */
  bool no_in_place; /* no operator overwrites its input                    */
  bool no_concat;   /* concatenations copy all their inputs                */
  bool no_slices;   /* slices and splits copy                              */
  bool overlap;     /* "exact": convolutions and pools may overwrite a dying
                       input while they read it                            */
  uint32_t timeout_seconds;   /* of an external program; 0: 60               */
  const ash_tilings *tilings; /* how operators are tiled, and where
                                        tensors live; ashlar/tile.h         */
  const struct ash_planner *backend; /* this one, registered or not; its name
                                        may be NULL. Comes before `planner` */
  const ash_steps *steps;  /* the order, and which operators share a step; NULL:
                              the graph's order, one operator per step      */
  const char *const *feed; /* inputs whose rows arrive while the model runs */
  const char *const *drain; /* outputs whose rows leave while it runs        */
  uint32_t feed_count, drain_count;
  uint64_t order_ticks;  /* effort limit of the search for an order; 0: the
                            default                                      */
  ash_order_kind order;  /* which orders are tried                       */
  ash_move_policy moves; /* of rows                                      */
  uint32_t cores;        /* operators may be split over so many; 0: one, in
                            tiles as many as the device has              */
} ash_plan_options;

/* The input of a backend: everything that is known before placement. */
typedef struct ash_plan_request {
  size_t struct_bytes;
  const ash_graph *graph;
  const ash_device *device;
  const ash_plan_options *options;
  ash_steps steps;
  const ash_memory_budget *memories; /* one per memory of the device        */
  uint32_t memory_count;
  const ash_slot *slots; /* sizes, lives, aliases; constants and variables
                            already bound, scratch not                     */
  uint32_t slot_count;
  const uint32_t *memory; /* one per slot: the memory a rule demands, or
                             ASH_NO_MEMORY                                 */
  const uint64_t *offset; /* one per slot: pinned there, or ASH_NO_OFFSET   */
  const struct ash_choice *choices; /* as of the plan                       */
} ash_plan_request;

/* Its output. Initially a copy of the request's slots without scratch arenas.
 * The backend binds every scratch slot that is not an alias (memory names from
 * the device); it may move the others. Arenas that it does not fill in are
 * derived from the bindings; bounds and verdicts are computed again, except
 * those of built-in backends. */
typedef struct ash_plan_answer {
  size_t struct_bytes;
  ash_slot *slots;
  ash_arena *arenas; /* room for arena_capacity                             */
  uint32_t arena_count, arena_capacity;
  uint64_t ticks;
  const char *message; /* why there is no plan, on failure                  */
} ash_plan_answer;

#define ASH_PLANNER_ABI 1

/* A planner backend: anything that fills the answer. `plan` returns ASH_OK,
 * ASH_NOFIT or another status. It is not trusted: its answer is checked
 * (ash_check_plan) before anyone sees it. A shared object exports
 * `const ash_planner ashlar_planner;`. */
typedef struct ash_planner {
  uint32_t abi;     /* ASH_PLANNER_ABI; others are refused                   */
  const char *name; /* for --planner                                         */
  const char *help; /* one line                                              */
  ash_status (*plan)(void *user, ash_ctx *ctx, const ash_plan_request *request,
                     ash_plan_answer *answer);
  void *user;
  bool views_only; /* no in-place and no concatenation in place, as heliaAOT */
} ash_planner;

/* Registers a backend, which must outlive the context. A name that is taken is
 * an error. */
ASH_API ASH_MUST_CHECK ash_status
ash_register_planner(ash_ctx *ctx, const ash_planner *planner);
/* By name; NULL if there is none. */
ASH_API const ash_planner *ash_find_planner(const ash_ctx *ctx,
                                            const char *name);
/* All of them, built in first: index 0.. until it returns NULL. */
ASH_API const ash_planner *ash_planner_at(const ash_ctx *ctx, size_t index);
/* From a shared object, which stays loaded as long as the context. */
ASH_API ASH_MUST_CHECK ash_status ash_load_planner(ash_ctx *ctx,
                                                   const ash_planner **out,
                                                   const char *path);

/* ---- planning ------------------------------------------------------------ */

/* Homes of all tensors and the tiling of every operator, for a device with a
 * compute memory; `plan` says budgets and rules. ASH_NOFIT names the operator
 * that cannot be tiled small enough, its operands and the size that would fit.
 * Kept by `ctx`. */
ASH_API ASH_MUST_CHECK ash_status
ash_tile_model(ash_ctx *ctx, const ash_tilings **out, const ash_graph *g,
               const ash_device *device, const ash_plan_options *plan,
               const ash_tile_options *options);

/* Plans `g` for `device`: constraints, lifetimes, aliases, the backend, the
 * check. ASH_NOFIT, with a diagnostic that names the memory and the bytes
 * missing, when no memory is large enough. The plan is kept by `ctx`. */
ASH_API ASH_MUST_CHECK ash_status
ash_plan_model(ash_ctx *ctx, const ash_plan **out, const ash_graph *g,
               const ash_device *device, const ash_plan_options *options);

/* Takes a piece of a text; false: it cannot. */
typedef bool ash_text_writer(void *user, const char *bytes, size_t count);

/* Writes why no order of its kind has a lower peak than the plan says, for a
 * program that checks it (docs/certificates.md). The bounds are refuted again,
 * each in at most `ticks` (0: the default). `*certified` is false if that was
 * not enough, if nothing is claimed, or if the writer failed: what was written
 * is worth nothing then. */
ASH_API ASH_MUST_CHECK ash_status ash_plan_certify_order(
    ash_ctx *ctx, bool *certified, const ash_plan *plan, const ash_graph *g,
    uint64_t ticks, ash_text_writer *write, void *user);

/* Independent of every planner: is this plan right for this graph? */
ASH_API ASH_MUST_CHECK ash_status ash_check_plan(ash_ctx *ctx,
                                                 const ash_plan *plan,
                                                 const ash_graph *g,
                                                 const ash_device *device);

/* Independent of the search: is every tiling of the plan right? Part of
 * ash_check_plan. */
ASH_API ASH_MUST_CHECK ash_status ash_check_tilings(ash_ctx *ctx,
                                                    const ash_plan *plan,
                                                    const ash_graph *g,
                                                    const ash_device *device);

/* Which rules matched a tensor (by id or name), what they set, where it was
 * placed and why: text for people. ASH_MISUSE with the nearest id if there is
 * none. */
ASH_API ASH_MUST_CHECK ash_status ash_explain_tensor(
    ash_ctx *ctx, const char **text, const ash_plan *plan, const ash_graph *g,
    const ash_device *device, const ash_rules *rules, const char *tensor);

/* Index of the slot of a tensor, ASH_NO_ID if it has none. */
ASH_API uint32_t ash_plan_slot_of_tensor(const ash_plan *plan, uint32_t tensor);
/* The slot of an op's work memory, ASH_NO_ID if it needs none. */
ASH_API uint32_t ash_plan_slot_of_op(const ash_plan *plan, uint32_t op);

/* The rows of a tensor, taken together. */
typedef struct ash_row_facts {
  uint32_t count;      /* rows that exist                                   */
  uint64_t bytes;      /* of a row                                          */
  uint32_t most_alive; /* at once ..                                        */
  uint32_t most_step;  /* .. for the first time at this step                */
  uint32_t moves;      /* of all of them                                    */
  ash_lifetime life;   /* from the first row's first step to the last one's  */
  bool is_piece;       /* they lie one after the other and stay there        */
} ash_row_facts;

/* Of the tensor of a slot; false: it is planned whole. */
ASH_API bool ash_plan_row_facts(const ash_plan *plan, uint32_t slot,
                                ash_row_facts *out);
/* The rows of all tensors that are copied to another place in a run. */
typedef struct ash_move_facts {
  uint32_t count;
  uint64_t bytes;
} ash_move_facts;
ASH_API ash_move_facts ash_plan_move_facts(const ash_plan *plan);

/* Cycles of one run, modelled: one a multiply-accumulate, some for each call of
 * a kernel, and for every byte that an operator or a move reads or writes the
 * cost of the memory it lies in; for operators that are cut, what the tile
 * search says. Only for comparing
 * plans of one model on one device. `*moves`: of it, copies of rows; may be
 * NULL. */
ASH_API uint64_t ash_plan_cycles(const ash_plan *plan, const ash_graph *g,
                                 const ash_device *device, uint64_t *moves);

/* How many cycles an operator, and one run of the model, take: estimates from
 * multiply-accumulates, elements and the kernel's instruction set; for
 * operators that are cut, what the tile search says. */
ASH_API uint64_t ash_plan_op_cycles(const ash_plan *plan, const ash_graph *g,
                                    uint32_t op);
ASH_API uint64_t ash_plan_estimate(const ash_plan *plan, const ash_graph *g);

/* Is it the slot that stands for its tensor in lists: whole, or row 0? */
ASH_API bool ash_plan_heads_tensor(const ash_plan *plan, uint32_t slot);

/* The two fingerprints of a plan (16 hex digits each). */
ASH_API ASH_MUST_CHECK ash_status ash_plan_hashes(ash_ctx *ctx, char plan[17],
                                                  char tensor_layout[17],
                                                  const ash_plan *p);

/* ---- as JSON (docs/plan-format.md) --------------------------------------- */

typedef struct ash_plan_text {
  const char *text;
  size_t count;
  const char *file; /* for diagnostics */
} ash_plan_text;

ASH_API ASH_MUST_CHECK ash_status ash_plan_json(ash_ctx *ctx, const char **text,
                                                size_t *count,
                                                const ash_plan *plan,
                                                const ash_graph *g);

/* Checks a plan as written by ash_plan_json, without the model: nothing is
 * believed that the file contradicts (docs/plan-format.md), nor what `device`
 * cannot have; NULL: it is not asked. Residency files (<prefix>_residency.json,
 * also heliaAOT's) have no lifetimes: offsets and hashes are checked. */
ASH_API ASH_MUST_CHECK ash_status ash_check_plan_file(ash_ctx *ctx,
                                                      const ash_plan_text *plan,
                                                      const ash_device *device);
/* The same with the device that the file names, if it is built in. */
ASH_API ASH_MUST_CHECK ash_status ash_check_plan_json(ash_ctx *ctx,
                                                      const char *text,
                                                      size_t count,
                                                      const char *file);

#ifdef __cplusplus
}
#endif
#endif
