/* reference.c - the reference interpreter for callers. */
#include "ashlar/compile.h"

#include "graph/graph.h"
#include "ref/ref.h"

/* As many pointers as the model has ends, none of them NULL. */
static bool are_given(const void *const *ends, size_t count) {
  for (size_t i = 0; ends && i < count; i++)
    if (!ends[i])
      return false;
  return ends || count == 0;
}

static bool is_callable(const ash_graph *g, const void *const *inputs,
                        void *const *outputs) {
  return are_given(inputs, g->input_count) &&
         are_given((const void *const *)outputs, g->output_count);
}

ash_status ash_run_reference(ash_ctx *ctx, const ash_graph *g,
                             const void *const *inputs, void *const *outputs) {
  ASH_NEED(ctx, ctx && g && is_callable(g, inputs, outputs));
  return ash_ref_run(ctx, g, inputs, outputs);
}

uint64_t ash_state_bytes(const ash_graph *g) {
  if (!g)
    return 0;
  return ash_ref_state_bytes(g);
}

void ash_first_state(const ash_graph *g, void *state) {
  if (!(g && state))
    return;
  ash_ref_first_state(g, state);
}

ash_status ash_run_reference_again(ash_ctx *ctx, const ash_graph *g,
                                   const void *const *inputs,
                                   void *const *outputs, void *state) {
  ASH_NEED(ctx, ctx && g && is_callable(g, inputs, outputs));
  ASH_NEED(ctx, state || ash_ref_state_bytes(g) == 0);
  return ash_ref_run_kept(ctx, g, inputs, outputs, state);
}
