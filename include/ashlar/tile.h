/* ashlar/tile.h - tiling: operators cut into tiles that fit the memory kernels
 * run in.
 *
 * An operator has an iteration *space*: axes that may be tiled, and for each
 * operand how its dimensions follow them. A *tiling* has, for each memory on
 * the path from the homes of the operands to the compute memory, a tile size
 * per axis, a loop order, and a number of buffers per operand. Everything else
 * (boxes, transfers, transfers that are not needed because the box is still
 * present) follows from these by the rules below; the search, the checker and
 * the emitter each implement them separately.
 *
 * The rules:
 *   - Level 0 iterates over the whole space, level k over the current tile of
 *     level k - 1 (its region). A region is cut from its start in pieces of
 *     `tile` positions; the last piece of an axis may be smaller. The loops
 *     are nested in `order`, outermost first. The kernel runs once per piece of
 *     the last level.
 *   - A staged input is loaded when a piece needs another box of it than the
 *     newest load at that level; its buffers are used in turn. A staged output
 *     is stored when the next piece has another box, and at the end.
 *   - Axes of kind ASH_AXIS_SUM are reductions: their pieces add up. In every
 *     order they come after all tiled free axes; where a level other than the
 *     last tiles one, the levels inside it do not tile free axes. The
 *     accumulator holds the output box of one piece in the compute memory; the
 *     first piece of a sum initialises it, the last one computes the output. */
#ifndef ASHLAR_TILE_H
#define ASHLAR_TILE_H

#include "ashlar/device.h"
#include "ashlar/graph.h"
#include "ashlar/place.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ASH_TILE_AXES = 12, ASH_TILE_LEVELS = 4, ASH_TILE_COPIES = 3 };
/* Tensors of at most so many bytes are not worth a transfer: kernels read and
 * write them in the first memory on their path that the processor reaches. */
enum { ASH_TILE_SCALAR_BYTES = 8 };
#define ASH_NO_AXIS UINT32_MAX

/* Part of a tensor: [start, start + size) of every dimension. */
typedef struct ash_box {
  uint32_t rank;
  int64_t start[ASH_RANK_MAX], size[ASH_RANK_MAX];
} ash_box;

/* ---- the space of an operator -------------------------------------------- */

typedef enum ash_axis_kind {
  ASH_AXIS_FREE, /* of the output                                           */
  ASH_AXIS_SUM   /* reduced                                                 */
} ash_axis_kind;

typedef struct ash_tile_axis {
  const char *name; /* "n" "h" "w" "c" "k" "m" "d0" ...: for people         */
  int64_t extent;
  ash_axis_kind kind;
  int64_t granule;   /* every cut is at a multiple of it; 1: anywhere        */
  int64_t multiple;  /* hint: the kernel prefers multiples of it; 1: none    */
  uint32_t priority; /* of the hint: the lowest is dropped first            */
} ash_tile_axis;

/* How one dimension of an operand follows an axis: positions [at, at + n) need
 *   from floor((at * stride - before) / divide)
 *   to   floor(((at + n - 1) * stride - before + window - 1) / divide)
 * both inclusive, clipped to the tensor; what is clipped is padding. Axis
 * ASH_NO_AXIS: the whole dimension in every piece. */
typedef struct ash_tile_dim {
  uint32_t axis;
  int64_t stride, window, before, divide; /* 1, 1, 0, 1: position by position */
} ash_tile_dim;

typedef struct ash_tile_operand {
  uint32_t tensor;
  bool is_output;
  uint32_t position; /* among the inputs or outputs of the op               */
  uint32_t rank;
  ash_tile_dim dim[ASH_RANK_MAX];
} ash_tile_operand;

typedef struct ash_tile_space {
  uint32_t op;
  ash_tile_axis axes[ASH_TILE_AXES];
  uint32_t axis_count;
  const ash_tile_operand *operands; /* those the kernel reads, in the order of
                                       the op, then the outputs             */
  uint32_t operand_count;
  uint32_t accumulator_bytes; /* per output element, if a sum is tiled; 0: its
                                 axes cannot be tiled                       */
  uint64_t work;              /* multiply-accumulates of the whole op, or
                                 elements if it has none                    */
} ash_tile_space;

/* The space of an operator, kept by `ctx`. NULL in *out: it has no tile rule,
 * and `*why` says why. */
ASH_API ASH_MUST_CHECK ash_status ash_tile_space_of(ash_ctx *ctx,
                                                    const ash_tile_space **out,
                                                    const char **why,
                                                    const ash_graph *g,
                                                    uint32_t op);

/* Whether an operator has a tile rule (which may refuse some tensors). */
ASH_API bool ash_op_is_tiled(ash_op_kind kind);
/* Whether its rule keeps lines along an axis, or images, together. If the
 * smallest piece does not fit, such an operator runs untiled in a memory that
 * the processor reaches. */
ASH_API bool ash_op_keeps_lines(const ash_op *op);

/* The box of an operand for the piece [at, at + n). If all cuts respect the
 * granules, a box is empty only for a concat input (or split output) that this
 * piece does not touch. */
ASH_API void ash_tile_box(ash_box *out, const ash_graph *g,
                          const ash_tile_space *space, uint32_t operand,
                          const int64_t *at, const int64_t *n);

/* Bytes of a box, and of the work memory that the kernel needs for a piece. */
ASH_API uint64_t ash_box_bytes(const ash_graph *g, uint32_t tensor,
                               const ash_box *box);
ASH_API uint64_t ash_tile_work_bytes(const ash_graph *g,
                                     const ash_tile_space *space,
                                     const int64_t *n);

/* Which partial sum a piece computes. */
typedef enum ash_tile_part {
  ASH_PART_WHOLE,  /* no sum axis is tiled                                  */
  ASH_PART_FIRST,  /* initialises the accumulator                           */
  ASH_PART_MIDDLE, /* adds to it                                            */
  ASH_PART_LAST    /* adds to it and computes the output                    */
} ash_tile_part;

/* ---- a tiling ------------------------------------------------------------ */

typedef struct ash_tile_level {
  uint32_t memory;
  int64_t tile[ASH_TILE_AXES];   /* size per axis; the last may be smaller   */
  uint32_t order[ASH_TILE_AXES]; /* axes, outermost loop first               */
} ash_tile_level;

/* An operand at a level. */
typedef struct ash_tile_buffer {
  uint32_t copies; /* buffers; 0: not staged here, it is accessed where the
                      level outside has it (finally its home)               */
  uint64_t bytes;  /* of one buffer: the largest box                        */
  uint32_t slot;   /* in the plan: the first of `copies` slots in a row, or
                      ASH_NO_ID before there is a plan                      */
} ash_tile_buffer;

typedef struct ash_tile_cost {
  uint64_t tiles;                        /* calls of the kernel              */
  uint64_t bytes_moved[ASH_TILE_LEVELS]; /* into and out of each level       */
  uint64_t transfers[ASH_TILE_LEVELS];
  uint64_t rows[ASH_TILE_LEVELS]; /* of these transfers: bytes without gaps  */
  uint64_t bytes_without_reuse; /* if every piece loaded everything          */
  uint64_t compute_cycles, cycles; /* modelled: kernels alone, and in total  */
  uint64_t price;       /* cycles, and the device's price of the bytes moved,
                           rounded up to cycles                             */
  uint64_t lower_bound; /* of the price                                     */
  ash_verdict verdict;  /* of the search                         */
} ash_tile_cost;

typedef struct ash_tiling {
  uint32_t op;
  const ash_tile_space *space; /* NULL: the op is not tiled                  */
  const char *reason;          /* then: why                                 */
  uint32_t level_count;        /* outermost first, the last is the compute
                                  memory                                    */
  ash_tile_level levels[ASH_TILE_LEVELS];
  const ash_tile_buffer *buffers; /* [level * operand_count + operand]       */
  ash_tile_buffer accumulator;    /* copies 0: none                         */
  ash_tile_buffer work;           /* the kernel's, for the largest piece    */
  ash_tile_cost cost;
} ash_tiling;

/* May the output overwrite input k of the op, if the kernel can work in place?
 * Each piece must read exactly the box that it writes. */
ASH_API bool ash_tiling_in_place(const ash_graph *g, const ash_tiling *tiling,
                                 uint32_t input);

/* ---- the tilings of a model ---------------------------------------------- */

typedef struct ash_tilings {
  const ash_tiling *items; /* one per operator, in the graph's order         */
  uint32_t count;
  const uint32_t *home; /* one per tensor: its memory                        */
  const ash_device *device;
  const bool *stays; /* one per tensor: a result that is not sent to the home
                        it would have had; NULL: none                       */
} ash_tilings;

/* Buffers of an operand's tile in the memory path[hop] of its path from
 * path[0] (its home) to path[count - 1]: 1 to 3, or 0: the search chooses. */
typedef uint32_t ash_tile_copies_rule(void *user, const ash_graph *g,
                                      uint32_t op,
                                      const ash_tile_operand *operand,
                                      const uint32_t *path, uint32_t count,
                                      uint32_t hop);

/* A constraint of the caller's on the tiles of an operator: `granule` has, for
 * each axis of the space, what every cut must be a multiple of, and may be
 * raised to a multiple of that; the extent of an axis, or more, forbids to cut
 * it. Called once per operator, before its search; all searches obey. */
typedef void ash_tile_constraint(void *user, const ash_graph *g,
                                 const ash_tile_space *space,
                                 int64_t granule[ASH_TILE_AXES]);

typedef struct ash_tile_options {
  size_t struct_bytes;        /* sizeof, for growth; 0: all fields are there */
  const char *default_memory; /* home of tensors without a rule; NULL: the
                                 device's                                    */
  const char *io_memory;      /* of the model's inputs and outputs, NULL: the
                                 same                                        */
  uint32_t buffering;         /* buffers per tile that moves: 1, 2 or 3; 0: the
                                 search chooses                              */
  const char *search; /* "cost" (NULL), "min", "max", "random-max"           */
  uint64_t ticks;     /* effort limit of one operator's search; 0: default   */
  uint32_t shrink;    /* 1024ths of the room that tiles must leave free      */
  uint32_t spill;     /* 1024ths of a memory that tensors may fill before
                         those without a rule are spilled to the next memory
                         of the device's order; 0: never spill               */
  ash_tile_copies_rule *copies; /* or NULL: what `buffering` says            */
  void *copies_user;
  ash_tile_constraint *constrain; /* or NULL: none                           */
  void *constrain_user;
  uint64_t seed; /* of "random-max"; 0: that of the plan                     */
  bool no_residents; /* every result goes back to its home; else those for
                        which the compute memory has room stay there until
                        their last reader (search "cost" only)              */
} ash_tile_options;

#ifdef __cplusplus
}
#endif
#endif
