/* order_world.h - small ordering problems, and their smallest peak by trying
 * everything. */
#ifndef ASH_TESTS_ORDER_WORLD_H
#define ASH_TESTS_ORDER_WORLD_H

#include "base/rng.h"
#include "check.h"
#include "context.h"
#include "order/problem.h"

enum { WORLD_OPS = 8, WORLD_TENSORS = 12, WORLD_ACCESSES = 4, WORLD_ROWS = 8 };

/* A problem with room for its parts; it must not be moved. */
typedef struct order_world {
  ash_order_problem p;
  ash_order_tensor tensors[WORLD_TENSORS];
  ash_order_op ops[WORLD_OPS];
  ash_order_access reads[WORLD_OPS][WORLD_ACCESSES];
  ash_order_access writes[WORLD_OPS][WORLD_ACCESSES];
  ash_order_range rows[WORLD_OPS][2 * WORLD_ACCESSES][WORLD_ROWS];
} order_world;

/* How a row of the result follows the rows of an operand. */
typedef struct world_window {
  int32_t window, stride, before;
} world_window;

/* Starts without tensors and operators. */
void world_clear(order_world *w);
/* A tensor that is there from the start, or fed row by row. */
uint32_t world_input(order_world *w, uint32_t rows, uint64_t row_bytes,
                     bool is_fed);
/* Rows of the result of a window over that many rows; 0: none. */
uint32_t world_rows_after(uint32_t rows, world_window window);
/* An operator that makes `rows` rows, one a step; its tensor. */
uint32_t world_op(order_world *w, uint32_t rows, uint64_t row_bytes);
/* The newest operator reads the tensor, through a window. */
void world_read(order_world *w, uint32_t tensor, world_window window);
/* The newest operator reads all of the tensor at every step. */
void world_read_all(order_world *w, uint32_t tensor);
/* The newest operator makes its whole result in one step. */
void world_make_whole(order_world *w);
/* The newest operator may take the place of its read k. */
void world_in_place(order_world *w, uint32_t k);
/* What nothing reads is kept. */
void world_end(order_world *w);

/* A graph with branches, strides, gaps, several outputs. */
void world_random(order_world *w, ash_rng *rng, uint32_t ops, uint32_t rows);

/* The smallest peak of all orders. */
uint64_t world_smallest_peak(const order_world *w);

#endif
