/* rows.h - rows of tensors, and which rows of its operands some rows of an
 * operator's result need.
 *
 * The rows of a tensor lie along its outermost dimension of more than one
 * element, the last dimension excepted: of an image, its lines. An operator
 * whose results have rows that follow an axis of its space can make one after
 * the other (as many at a time as the axis' granule says). An operand whose
 * rows do not follow the axis is read whole by every row. */
#ifndef ASH_DOMAIN_ROWS_H
#define ASH_DOMAIN_ROWS_H

#include "ashlar/tile.h"
#include "graph/graph.h"

/* The dimension that rows lie along; ASH_NO_ID: the tensor is one row. */
uint32_t ash_domain_row_dimension(const ash_tensor *t);
/* How many rows it has, and the bytes of each. */
uint32_t ash_domain_row_count(const ash_tensor *t);
uint64_t ash_domain_row_bytes(const ash_tensor *t);

/* By tensor: the tensor whose bytes it shows, itself if it is not a view. Views
 * of variables and constants are copies, and so is an output that shows an
 * input: the caller has two places for it. */
void ash_domain_row_roots(const ash_graph *g, uint32_t *root);
/* Does the op make a view, which needs no step of its own? */
bool ash_domain_row_is_view(const ash_graph *g, const uint32_t *root,
                            uint32_t op);
/* Are the rows of a view those of its root? */
bool ash_domain_row_same(const ash_graph *g, const uint32_t *root,
                         uint32_t tensor);

/* Which row of an operand of a row-to-row operator a row of the result takes,
 * if it takes one: row * stride + shift. */
typedef struct ash_domain_row_line {
  int64_t stride, shift;
} ash_domain_row_line;

/* Rows [from, to). */
typedef struct ash_domain_row_range {
  uint32_t from, to;
} ash_domain_row_range;

/* How an operator makes its rows. */
typedef struct ash_domain_row_rule {
  const ash_tile_space *space; /* NULL: none                                 */
  uint32_t axis; /* that the rows of the first output follow; ASH_NO_AXIS: the
                    operator runs whole                                      */
  uint32_t granule;    /* rows of the first output that are made at a time   */
  const bool *follows; /* by operand of the space: its rows follow the axis  */
  bool is_row_to_row;  /* a row needs at most one row of all that follows the
                          axis: it is a piece (piece_graph.h) of its own */
} ash_domain_row_rule;

/* Kept by `ctx`. */
ash_status ash_domain_row_rule_of(ash_ctx *ctx, ash_domain_row_rule *out,
                                  const ash_graph *g, uint32_t op);

/* Operand of the space; ASH_NO_ID: the kernel does not read it. */
uint32_t ash_domain_row_rule_operand(const ash_domain_row_rule *r,
                                     bool is_output, uint32_t position);
/* The rows of an input or output that rows [first, first + count) of the first
 * output read or write; all, if they do not follow the axis. */
ash_domain_row_range
ash_domain_row_rule_range(const ash_graph *g, const ash_domain_row_rule *r,
                          bool is_output, uint32_t position, uint32_t tensor,
                          uint32_t first, uint32_t count);

/* Of an operand of the space that follows the axis. */
ash_domain_row_line ash_domain_row_rule_line(const ash_graph *g,
                                             const ash_domain_row_rule *r,
                                             uint32_t operand);

#endif
