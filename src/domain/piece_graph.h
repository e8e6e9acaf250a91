/* piece_graph.h - the kernel of a piece is the kernel of the same operator on
 * small tensors: a graph of one operator, whose tensors have the shapes of the
 * piece's boxes and whose attributes are those of the piece. */
#ifndef ASH_DOMAIN_PIECE_GRAPH_H
#define ASH_DOMAIN_PIECE_GRAPH_H

#include "ashlar/tile.h"
#include "graph/graph.h"

/* The part of the piece [at, at + n). */
ash_tile_part ash_domain_part_of(const ash_tile_space *space, const int64_t *at,
                                 const int64_t *n);

/* Elements of input 0 for each element of the output, of the whole operator:
 * what a mean divides by (ash_call.folded). */
int64_t ash_domain_folded(const ash_graph *g, const ash_tile_space *space);

/* The graph of a piece; ash_graph_free ends it. The inputs and outputs of its
 * only op are those of the op, in their places. Constants are constants, cut;
 * everything else that the kernel reads is an input of the graph. The parts of
 * a sum have the same graph (see ash_call.part for what their kernels do). */
ash_status ash_domain_piece_graph(ash_ctx *ctx, ash_graph **out,
                                  const ash_graph *g,
                                  const ash_tile_space *space,
                                  const int64_t *at, const int64_t *n,
                                  ash_tile_part part);

/* Equal numbers for pieces that the same C runs: equal shapes, attributes and
 * parts. (Values of tables that the kernel reads, and scales of single
 * channels, do not count: they are staged like other operands.) */
uint64_t ash_domain_class(const ash_graph *g, const ash_tile_space *space,
                          const int64_t *at, const int64_t *n,
                          ash_tile_part part);

#endif
