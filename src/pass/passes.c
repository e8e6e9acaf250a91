/* passes.c - the list of passes. */
#include "pass/pass.h"

#include "base/nearest.h"
#include "op/verify.h"

#include <stdio.h>

static const ash_pass pass_table[] = {
    {"dead_code", ash_pass_dead_code, true, NULL},
    {"constants", ash_pass_constants, true, NULL},
    {"cse", ash_pass_cse, true, NULL},
    {"layout", ash_pass_layout, true, NULL},
    {"padding", ash_pass_padding, true, NULL},
    {"scales", ash_pass_scales, true, NULL},
    {"activations", ash_pass_activations, true, NULL},
    {"qdq", NULL, true, ash_pass_qdq},
    {"padding", ash_pass_padding, true, NULL},
    {"narrow", ash_pass_narrow, true, NULL},
    {"requant", ash_pass_requant, true, NULL},
    {"attention", NULL, true, ash_pass_attention},
    {"split_groups", NULL, true, ash_pass_split_groups},
    {"split_softmax", NULL, true, ash_pass_split_softmax},
    {"one_channel", NULL, true, ash_pass_one_channel},
    {"dead_channels", NULL, true, ash_pass_dead_channels},
    {"fuse", ash_pass_fuse, true, NULL},
    {"fuse_rows", NULL, true, ash_pass_fuse_rows},
    {"lower", ash_pass_lower, false, NULL},
    {"pack", NULL, false, ash_pass_pack},
    {"pack_cmsis", NULL, false, ash_pass_pack_cmsis},
    {"pack_float", NULL, false, ash_pass_pack_float},
};

const ash_pass *ash_pass_at(size_t index) {
  return index < ASH_COUNT_OF(pass_table) ? &pass_table[index] : NULL;
}

/* "dead_code, constants, ..": a pass that runs twice is named once. */
static const char *names_of_passes(char *buf, size_t size) {
  size_t at = 0;
  for (size_t i = 0; i < ASH_COUNT_OF(pass_table) && at < size; i++)
    if (ash_name_find(&pass_table->name, sizeof *pass_table, i,
                      pass_table[i].name) == i)
      at += (size_t)snprintf(buf + at, size - at, "%s%s", i ? ", " : "",
                             pass_table[i].name);
  return buf;
}

static ash_status check_names(ash_ctx *ctx, const char *const *names,
                              size_t count) {
  for (size_t i = 0; i < count; i++) {
    const size_t passes = ASH_COUNT_OF(pass_table);
    if (ash_name_find(&pass_table->name, sizeof *pass_table, passes, names[i]) <
        passes)
      continue;
    char list[256];
    const ash_status status =
        ash_fail(ctx, ASH_MISUSE, ASH_D_pass_unknown, ASH_NOWHERE,
                 "there is no pass '%.100s'", names[i]);
    ash_hint(ctx, "passes: %s", names_of_passes(list, sizeof list));
    return status;
  }
  return ASH_OK;
}

ash_status ash_pass_run(ash_ctx *ctx, ash_graph *g) {
  const ash_target portable = {0};
  return ash_pass_run_for(ctx, g, &portable, NULL, 0);
}

/* Each pass has the scratch zone to itself. */
static ash_status run_pass(ash_ctx *ctx, ash_graph *g, const ash_target *target,
                           const ash_pass *pass) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status =
      pass->run_for ? pass->run_for(ctx, g, target) : pass->run(ctx, g);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

ash_status ash_pass_run_for(ash_ctx *ctx, ash_graph *g,
                            const ash_target *target,
                            const char *const *without, size_t count) {
  ASH_TRY(check_names(ctx, without, count));
  for (size_t i = 0; i < ASH_COUNT_OF(pass_table); i++) {
    if (ash_name_find(without, sizeof *without, count, pass_table[i].name) <
        count)
      continue;
    ASH_TRY(run_pass(ctx, g, target, &pass_table[i]));
    if (!pass_table[i].verifies)
      ASH_TRY(ash_op_verify(ctx, g));
  }
  return ASH_OK;
}
