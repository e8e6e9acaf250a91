/* compact.h - dropping what the graph's outputs do not need. */
#ifndef ASH_GRAPH_COMPACT_H
#define ASH_GRAPH_COMPACT_H

#include "graph/graph.h"

/* Drops operators whose outputs nothing reads, and tensors that nothing
 * mentions; the rest is renumbered in order. Inputs stay. */
ash_status ash_graph_compact(ash_graph *g);
/* The same, but tensors keep their ids, which users know. */
ash_status ash_graph_prune(ash_graph *g);

#endif
