/* reference.c - the reference interpreter for callers. */
#include "ashlar/compile.h"

#include "ref/ref.h"

ash_status ash_run_reference(ash_ctx *ctx, const ash_graph *g,
                             const void *const *inputs, void *const *outputs) {
  return ash_ref_run(ctx, g, inputs, outputs);
}

uint64_t ash_state_bytes(const ash_graph *g) {
  return ash_ref_state_bytes(g);
}

void ash_first_state(const ash_graph *g, void *state) {
  ash_ref_first_state(g, state);
}

ash_status ash_run_reference_again(ash_ctx *ctx, const ash_graph *g,
                                   const void *const *inputs,
                                   void *const *outputs, void *state) {
  return ash_ref_run_kept(ctx, g, inputs, outputs, state);
}
