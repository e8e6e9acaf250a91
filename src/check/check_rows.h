/* check_rows.h - the parts of the checker that know rows: rules of operators,
 * what the bytes of the arenas hold, and the run. */
#ifndef ASH_CHECK_CHECK_ROWS_H
#define ASH_CHECK_CHECK_ROWS_H

#include "check/check_plan.h"

/* ---- which rows an operator reads (check_row_rules.c) -------------------- */

/* The dimension along which the rows of a tensor lie, and how many there are;
 * ASH_NO_ID and 1: it is one row. */
uint32_t ash_check_row_dim(const ash_tensor *t);
uint32_t ash_check_row_count(const ash_tensor *t);

/* Rows [from, to) of an operand. */
typedef struct ash_check_range {
  uint32_t from, to;
  bool is_whole; /* it does not follow the rows that are made: all of it */
} ash_check_range;

/* Has the operator a rule for rows, and have all its outputs as many? */
bool ash_check_has_rows(const ash_graph *g, uint32_t op);
/* What of input k does row `row` of the outputs need? */
ash_check_range ash_check_rows_read(const ash_graph *g, uint32_t op, uint32_t k,
                                    uint32_t row);
/* Does the op make nothing but another name for the bytes of its input? */
bool ash_check_is_name(const ash_graph *g, uint32_t op, const uint32_t *root);

/* ---- what bytes hold (check_cells.c) ------------------------------------- */

/* Cells are the bytes between neighbouring borders of slots. Each holds a
 * number; 0: nothing. */
typedef struct ash_cells {
  uint32_t *lo, *hi; /* by slot: its cells [lo, hi)                          */
  uint32_t leaves;   /* a power of two                                       */
  uint32_t *tree;    /* by node: what all its cells hold, or that they differ */
} ash_cells;

/* Of all slots of a plan, empty; in the scratch zone. */
ash_status ash_cells_of(ash_ctx *ctx, ash_cells *out, const ash_plan *p);
void ash_cells_put(ash_cells *c, uint32_t slot, uint32_t value);
/* What one cell of the slot holds that does not hold `value`; `value` if there
 * is none. */
uint32_t ash_cells_other(const ash_cells *c, uint32_t slot, uint32_t value);

/* ---- judges -------------------------------------------------------------- */

/* The slots of a plan with rows as a table: rows of a tensor complete, in one
 * memory, aligned; lifetimes of places that follow each other; nothing shares
 * bytes while it is alive. */
ash_status ash_check_row_slots(const ash_checker *c);

/* Every run finds the rows it reads, and the end all outputs. */
ash_status ash_check_row_run(const ash_checker *c);

/* Is the claim about the order of the plan true? */
ash_status ash_check_order_proof(const ash_checker *c);

#endif
