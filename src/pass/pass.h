/* pass.h - rewrites of the graph; one a file, run in the order of passes.c. */
#ifndef ASH_PASS_PASS_H
#define ASH_PASS_PASS_H

#include "graph/graph.h"

typedef struct ash_pass {
  const char *name;
  ash_status (*run)(ash_ctx *ctx, ash_graph *g);
  bool verifies; /* what it made, itself, when it made something */
} ash_pass;

/* The table; NULL past its end. */
const ash_pass *ash_pass_at(size_t index);

/* All of them; the graph is verified after each. */
ash_status ash_run_passes(ash_ctx *ctx, ash_graph *g);

ash_status ash_pass_layout(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_lower(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_pack(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_pack_cmsis(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_pack_float(ash_ctx *ctx, ash_graph *g);

#endif
