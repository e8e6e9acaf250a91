/* ash_rt_tile.h - what tiled steps share: pieces of a space, boxes of tensors,
 * and their transfers between memories.
 *
 * A step that is cut runs loops over pieces, one loop a memory on the way to
 * the kernel. Everything about a piece is computed from its number; there are
 * no tables of tiles. The words are those of ashlar/tile.h. */
#ifndef ASH_RT_TILE_H
#define ASH_RT_TILE_H

#include "ash_dma.h"

#include <stdint.h>

enum { ASH_RT_AXES = 12, ASH_RT_DIMS = 8, ASH_RT_COPIES = 3 };

/* Part of a space: [at, at + n) of every axis. */
typedef struct ash_rt_piece {
  int32_t at[ASH_RT_AXES], n[ASH_RT_AXES];
} ash_rt_piece;

/* How a region is cut: the axes that are, innermost loop first. */
typedef struct ash_rt_cuts {
  int32_t count;
  uint8_t axis[ASH_RT_AXES];
  int32_t tile[ASH_RT_AXES];
} ash_rt_cuts;

/* Part of a tensor: [start, start + size) of every dimension. */
typedef struct ash_rt_box {
  int32_t start[ASH_RT_DIMS], size[ASH_RT_DIMS];
} ash_rt_box;

/* How a dimension follows an axis; axis ASH_RT_AXES: all of it, always. */
typedef struct ash_rt_dim {
  int32_t axis, stride, window, before, divide, extent;
} ash_rt_dim;

/* An operand. */
typedef struct ash_rt_tensor {
  int32_t rank, bytes; /* of an element */
  ash_rt_dim dim[ASH_RT_DIMS];
} ash_rt_tensor;

/* What an engine can do. */
typedef struct ash_rt_way {
  const ash_dma *dma; /* NULL: the processor copies */
  uint32_t engine;
  uint32_t ranks; /* bit r: transfers of rank r */
  uint32_t limit; /* bytes in one transfer, 0: any number */
  uint32_t waits; /* the processor waits for each */
} ash_rt_way;

/* A box in some memory, its elements side by side. */
typedef struct ash_rt_part {
  uint8_t *data;
  ash_rt_box box;
} ash_rt_part;

/* An operand at a level: buffers that hold its boxes in turn. Those of inputs
 * are filled ahead, those of outputs emptied behind. */
typedef struct ash_rt_stage {
  const ash_rt_tensor *tensor;
  ash_rt_way way;
  int32_t copies;
  int32_t ahead;   /* inputs: the next piece to look at                  */
  uint32_t begun;  /* inputs: boxes loaded, or on their way              */
  uint32_t turn;   /* boxes used so far; the newest is the current one   */
  int32_t open;    /* outputs: there is a current box                    */
  ash_rt_box next; /* outputs: of the piece that was asked about  */
  int32_t from[ASH_RT_COPIES]; /* inputs: the first piece that reads the copy */
  uint32_t future[ASH_RT_COPIES];
  ash_rt_part part[ASH_RT_COPIES];
} ash_rt_stage;

/* Pieces of a region, and the one of number `i`. */
int32_t ash_rt_pieces(const ash_rt_cuts *cuts, const ash_rt_piece *region);
void ash_rt_piece_at(const ash_rt_cuts *cuts, const ash_rt_piece *region,
                     int32_t i, ash_rt_piece *out);

/* What a piece needs of a tensor. */
void ash_rt_box_of(const ash_rt_tensor *t, const ash_rt_piece *piece,
                   ash_rt_box *out);
/* The whole tensor at `data`. */
void ash_rt_home(const ash_rt_tensor *t, uint8_t *data, ash_rt_part *out);
/* Where the box of a piece begins inside a part that holds it in one row. */
uint8_t *ash_rt_inside(const ash_rt_tensor *t, const ash_rt_part *part,
                       const ash_rt_piece *piece);

/* Starts to move one box between a part of its tensor (outer) and a dense
 * buffer (inner); returns the future, 0 when all is done. */
uint32_t ash_rt_move_box(const ash_rt_way *way, const ash_rt_tensor *t,
                         const ash_rt_part *outer, const ash_rt_part *inner,
                         int32_t inward);

/* The same for bytes without gaps on both sides, and to wait for them. */
uint32_t ash_rt_move_row(const ash_rt_way *way, uint8_t *to,
                         const uint8_t *from, uint32_t bytes);
void ash_rt_move_wait(const ash_rt_way *way, uint32_t future);

/* Starts a transfer that its engine can do as it is, or `count` of them that
 * begin so many bytes apart; returns the future, 0 when all is done. No engine:
 * the processor copies. */
uint32_t ash_rt_move_job(const ash_dma *dma, const ash_dma_job *job);
uint32_t ash_rt_move_jobs(const ash_dma *dma, const ash_dma_job *job,
                          uint32_t count, uint32_t to, uint32_t from);
/* Waits for it at once: 0. */
uint32_t ash_rt_move_now(const ash_dma *dma, uint32_t future);
/* Waits for a future that is not 0, which it is then. */
void ash_rt_move_await(const ash_dma *dma, uint32_t *future);

/* A stage with nothing in its buffers yet. */
void ash_rt_stage_begin(ash_rt_stage *s, const ash_rt_tensor *tensor,
                        const ash_rt_way *way, uint8_t *const *copy,
                        int32_t copies);
/* Inputs: piece `number` of `count` is next. Starts the loads that there is
 * room for, this piece's first. */
void ash_rt_stage_fetch(ash_rt_stage *s, const ash_rt_part *outer,
                        const ash_rt_cuts *cuts, const ash_rt_piece *region,
                        const ash_rt_piece *piece, int32_t number,
                        int32_t count);
void ash_rt_stage_await(ash_rt_stage *s);
/* Outputs: does the piece have another box than the current one? */
int32_t ash_rt_stage_turns(ash_rt_stage *s, const ash_rt_piece *piece);
/* Starts to store the current box, if there is one; opens that piece's; waits
 * until its buffer is free (ash_rt_stage_await). */
void ash_rt_stage_store(ash_rt_stage *s, const ash_rt_part *outer);
void ash_rt_stage_open(ash_rt_stage *s);
/* Stores the current box and waits until all are stored. */
void ash_rt_stage_flush(ash_rt_stage *s, const ash_rt_part *outer);
/* The current part. */
const ash_rt_part *ash_rt_stage_current(const ash_rt_stage *s);

/* Copies with the processor: what ports without an engine do. */
void ash_rt_copy_rows(const ash_dma_job *job);

#endif
