/* tile.h - a tiled operator as C: loops over pieces, one a memory on the way to
 * the kernel, with transfers started early and awaited late, and one function
 * a class of pieces. */
#ifndef ASH_EMIT_TILE_H
#define ASH_EMIT_TILE_H

#include "ashlar/plan.h"
#include "domain/piece_graph.h"
#include "emit/module/module.h"

/* ---- classes of pieces (tile_class.c) ----------------------------------- */

/* Pieces of the last level along one axis, by where they begin. */
typedef struct ash_tile_run {
  int64_t at, n;
  uint32_t class; /* along this axis */
} ash_tile_run;

typedef struct ash_axis_runs {
  ash_tile_run *items;
  uint32_t count;
  uint32_t class_count;
  uint32_t *first; /* by class: the run that stands for it */
} ash_axis_runs;

/* One combination of classes, and the function that runs it. */
typedef struct ash_tile_case {
  uint32_t number;
  uint32_t function;
} ash_tile_case;

typedef struct ash_tile_function {
  uint64_t class; /* ash_domain_class */
  ash_tile_part part;
  int64_t at[ASH_TILE_AXES], n[ASH_TILE_AXES];
} ash_tile_function;

typedef struct ash_tile_classes {
  ash_axis_runs axes[ASH_TILE_AXES];
  ash_tile_case *cases;
  uint32_t case_count;
  ash_tile_function *functions;
  uint32_t function_count;
} ash_tile_classes;

/* In the scratch zone. */
ash_status ash_emit_tile_classify(ash_ctx *ctx, ash_tile_classes *out,
                                  const ash_graph *g, const ash_tiling *t);
/* "static int32_t NAME(const ash_rt_piece *p)": the number of a piece's case.
 */
void ash_emit_tile_classes(ash_text *t, const char *name,
                           const ash_tile_classes *c, uint32_t axis_count);

/* ---- kernels (tile_kernel.c) --------------------------------------------- */

/* A function a class, and one that chooses. */
ash_status ash_emit_tile_kernels(ash_module *m, ash_text *t,
                                 const ash_tiling *tiling, const char *name,
                                 const ash_tile_classes *c);
/* The call of one of them, whose arguments are variables of these names. */
void ash_emit_tile_call(ash_module *m, ash_text *t, const ash_tiling *tiling,
                        const char *name, uint32_t function);
/* "in_0" or "out_0": input or output 0 of the op. */
const char *ash_emit_tile_name(ash_zone *z, const ash_tile_operand *o);

/* ---- loops (tile_loop.c) ------------------------------------------------- */

/* The function of the loops, for whatever addresses: it takes the homes of the
 * operands and all buffers. */
ash_status ash_emit_tile_loops(ash_module *m, ash_text *out,
                               const ash_tiling *tiling, const char *name);
/* The buffers, in the order in which that function takes them, as the inside of
 * an array. */
void ash_emit_tile_buffers(ash_module *m, const ash_tiling *t);

/* The number of an operand's first copy at a level among them. */
uint32_t ash_emit_tile_copy(const ash_tiling *t, uint32_t level, uint32_t i);
/* The engine for the way into a level; ASH_NO_DMA: the processor copies. */
uint32_t ash_emit_tile_engine(ash_module *m, const ash_tiling *tiling,
                              uint32_t level, uint32_t i);
/* "{ctx->dma, engine, ranks, limit, waits}" for it. */
void ash_emit_tile_way(ash_module *m, ash_text *t, const ash_tiling *tiling,
                       uint32_t level, uint32_t i);

/* ---- loops at one level (tile_flat.c) ------------------------------------ */

/* The same function with all numbers in it; false: it is not so simple, and
 * nothing was written. */
bool ash_emit_tile_flat(ash_module *m, ash_text *out, const ash_tiling *tiling,
                        const char *name);

/* ---- operators in one piece (tile_whole.c) ------------------------------- */

/* Is there one level, one piece, and does it take all of each operand? */
bool ash_emit_tile_is_whole(const ash_module *m, const ash_tiling *t);
/* Its function, which takes the same as that of loops: transfers, the kernel,
 * transfers. */
void ash_emit_tile_whole(ash_module *m, ash_text *out, const ash_tiling *tiling,
                         const char *name);

/* ---- the whole (tile.c) -------------------------------------------------- */

bool ash_emit_is_tiled(const ash_module *m);
/* Writes the loops and kernels of a tiled step, unless an earlier step has the
 * same; they have that number. */
ash_status ash_emit_tiled_loops(ash_module *m, const ash_tiling *t,
                                size_t *number);
/* The end of the step's comment, and its function: where everything lies. */
void ash_emit_tiled_step(ash_module *m, const ash_tiling *t, size_t number);
/* Where an operand lives. */
const ash_slot *ash_emit_home(const ash_module *m, const ash_tile_operand *o);
/* A tile, accumulator or work memory of an op in the plan, as an expression;
 * "0" where there is none. */
const char *ash_emit_tile_slot(ash_module *m, uint32_t op, ash_slot_kind kind,
                               uint32_t operand, uint32_t level, uint32_t copy);
/* Remembers that the module needs a kernel, or its function for lines. */
ash_status ash_emit_use_kernel(ash_module *m, const ash_kernel *kernel,
                               bool lines);

#endif
