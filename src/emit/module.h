/* module.h - the generated module: which files, and what stands in each. The
 * contract with its users is docs/generated-code.md. */
#ifndef ASH_EMIT_MODULE_H
#define ASH_EMIT_MODULE_H

#include "ashlar/compile.h"
#include "ashlar/render.h"
#include "base/ctx.h"
#include "base/text.h"
#include "graph/graph.h"
#include "kernel/kernel.h"

/* All that the emitters of single files look at. */
typedef struct ash_module {
  ash_ctx *ctx;
  ash_zone *zone; /* holds the finished files */
  const ash_graph *g;
  const ash_plan *plan;
  const ash_render_plan *render;
  const ash_device *device;
  const char *prefix; /* digits */
  const char *upper;  /* DIGITS */
  const ash_kernel **kernels; /* by op; NULL: no code (a view) */
  ash_text *text;     /* the file being written */
} ash_module;

void ash_emit_banner(ash_module *m, const char *file, const char *what);
void ash_emit_header(ash_module *m);
ash_status ash_emit_source(ash_module *m);
void ash_emit_constants(ash_module *m);
void ash_emit_memory(ash_module *m);
ash_status ash_emit_kernels_header(ash_module *m);
ash_status ash_emit_kernels_source(ash_module *m);

/* Rewrites the names of the runtime (ash_rt_, ASH_RT_) to the module's own. */
void ash_emit_renamed(ash_module *m, const char *text, size_t count);

/* "int8[1,8,8,16]" */
const char *ash_emit_type(ash_module *m, const ash_tensor *t);
/* Text that is safe inside a C comment. */
const char *ash_emit_comment(ash_module *m, const char *text);
/* The name of a memory, lower and upper case, as symbols contain it. */
const char *ash_emit_lower(ash_module *m, const char *text);
const char *ash_emit_upper(ash_module *m, const char *text);

/* Was input k of a concatenation made where it belongs? */
bool ash_emit_in_place(const ash_module *m, uint32_t op, uint32_t k);

#endif
