/* pass.h - rewrites of the graph; one a file, run in the order of passes.c. */
#ifndef ASH_PASS_PASS_H
#define ASH_PASS_PASS_H

#include "kernel/target.h"

typedef struct ash_pass {
  const char *name;
  ash_status (*run)(ash_ctx *ctx, ash_graph *g);
  bool verifies; /* what it made, itself, when it made something */
  /* Instead of `run`, for passes that depend on the device. */
  ash_status (*run_for)(ash_ctx *ctx, ash_graph *g, const ash_target *target);
} ash_pass;

/* The table; NULL past its end. */
const ash_pass *ash_pass_at(size_t index);

/* All of them, for portable C; or for a target, all but those named. The graph
 * is verified after each. Generated code needs "lower". A name that no pass has
 * is ASH_MISUSE. */
ash_status ash_pass_run(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_run_for(ash_ctx *ctx, ash_graph *g,
                            const ash_target *target,
                            const char *const *without, size_t count);

ash_status ash_pass_dead_code(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_constants(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_cse(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_padding(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_scales(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_activations(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_qdq(ash_ctx *ctx, ash_graph *g, const ash_target *target);
ash_status ash_pass_narrow(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_requant(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_attention(ash_ctx *ctx, ash_graph *g,
                              const ash_target *target);
ash_status ash_pass_fuse(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_layout(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_split_groups(ash_ctx *ctx, ash_graph *g,
                                 const ash_target *target);
ash_status ash_pass_split_softmax(ash_ctx *ctx, ash_graph *g,
                                  const ash_target *target);
ash_status ash_pass_fuse_rows(ash_ctx *ctx, ash_graph *g,
                              const ash_target *target);
ash_status ash_pass_one_channel(ash_ctx *ctx, ash_graph *g,
                                const ash_target *target);
ash_status ash_pass_dead_channels(ash_ctx *ctx, ash_graph *g,
                                  const ash_target *target);
ash_status ash_pass_lower(ash_ctx *ctx, ash_graph *g);
ash_status ash_pass_pack(ash_ctx *ctx, ash_graph *g, const ash_target *target);
ash_status ash_pass_pack_cmsis(ash_ctx *ctx, ash_graph *g,
                               const ash_target *target);
ash_status ash_pass_pack_float(ash_ctx *ctx, ash_graph *g,
                               const ash_target *target);

#endif
