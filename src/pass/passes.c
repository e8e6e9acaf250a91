/* passes.c - the list of passes. */
#include "pass/pass.h"

#include "graph/verify.h"

static const ash_pass pass_table[] = {
    {"layout", ash_pass_layout, true},
    {"lower", ash_pass_lower, false},
    {"pack", ash_pass_pack, false},
    {"pack_cmsis", ash_pass_pack_cmsis, false},
    {"pack_float", ash_pass_pack_float, false},
};

const ash_pass *ash_pass_at(size_t index) {
  return index < ASH_COUNT_OF(pass_table) ? &pass_table[index] : NULL;
}

ash_status ash_run_passes(ash_ctx *ctx, ash_graph *g) {
  for (size_t i = 0; i < ASH_COUNT_OF(pass_table); i++) {
    ASH_TRY(pass_table[i].run(ctx, g));
    if (!pass_table[i].verifies)
      ASH_TRY(ash_graph_verify(ctx, g));
  }
  return ASH_OK;
}
