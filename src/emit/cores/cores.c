/* cores.c - what a module with split operators has once. */
#include "emit/cores/cores.h"

uint32_t ash_emit_most_cores(const ash_module *m) {
  uint32_t most = 1;
  for (uint32_t op = 0; m->g && op < m->g->op_count; op++)
    if (m->code[op].cores > most)
      most = m->code[op].cores;
  return most;
}

bool ash_emit_has_cores(const ash_module *m) {
  return ash_emit_most_cores(m) > 1;
}

void ash_emit_cores_prototype(ash_module *m) {
  ASH_ASSERT(ash_emit_has_cores(m));
  ash_text_line(m->text,
                "void %s_on_cores(const %s_context *ctx, ash_share *share,",
                m->prefix, m->prefix);
  ash_text_line(m->text, "    const void *argument, uint32_t count);");
}

static const char *const function[] = {
    "/* All shares: at the same time, or one after the other without cores. */",
    "void %_on_cores(const %_context *ctx, ash_share *share,",
    "    const void *argument, uint32_t count) {",
    "  if (ctx->cores) {",
    "    ctx->cores->run(ctx->cores->user, share, argument, count);",
    "    return;",
    "  }",
    "  for (uint32_t core = 0; core < count; core++)",
    "    share(argument, core);",
    "}",
    "",
    NULL};

void ash_emit_cores_function(ash_module *m) {
  ASH_ASSERT(ash_emit_has_cores(m));
  ash_emit_template(m, function);
}
