/* module.h - the generated module: which files, and what stands in each. The
 * contract with its users is docs/generated-code.md. */
#ifndef ASH_EMIT_MODULE_H
#define ASH_EMIT_MODULE_H

#include "ashlar/compile.h"
#include "ashlar/render.h"
#include "base/ctx.h"
#include "base/text.h"
#include "graph/graph.h"
#include "render/code.h"

/* Loops and kernels of tiled steps, with a sign where their names stand. */
typedef struct ash_tiled_text {
  const char *bytes;
  size_t count;
} ash_tiled_text;

/* A kernel that pieces call, and which of its functions (ash_code). */
typedef struct ash_used_kernel {
  const ash_kernel *kernel;
  const char *function;
} ash_used_kernel;

/* All that the emitters of single files look at. */
typedef struct ash_module {
  ash_ctx *ctx;
  ash_zone *zone; /* holds the finished files */
  const ash_graph *g;
  const ash_plan *plan;
  const ash_render_plan *render;
  const ash_device *device;
  ash_emit_options options;
  const char *prefix;          /* digits */
  const char *upper;           /* DIGITS */
  const ash_code *code;        /* by op */
  const struct ash_rows *rows; /* NULL: operators run as a whole (emit/rows) */
  ash_text *text;              /* the file being written */
  struct { /* kernels of pieces: their files are needed too */
    struct ash_used_kernel *items;
    size_t capacity, count;
  } used;
  struct { /* what tiled steps share */
    ash_tiled_text *items;
    size_t capacity, count;
  } tiled;
  struct {
    ash_generated *items;
    size_t capacity, count;
  } files;
} ash_module;

/* The files of a module for a plan that is rendered. */
ash_status ash_emit_rendered(ash_ctx *ctx, ash_compiled *c,
                             const ash_code *code, const ash_device *device,
                             const ash_emit_options *options);
/* ASH_MISUSE for a plan that was made for another device. */
ash_status ash_emit_check_device(ash_ctx *ctx, const ash_plan *plan,
                                 const ash_device *device);
ash_status ash_emit_check_prefix(ash_ctx *ctx, const char *prefix);

/* ---- one function a file of the module ----------------------------------- */

ash_status ash_emit_header(ash_module *m);
ash_status ash_emit_source(ash_module *m);
ash_status ash_emit_constants(ash_module *m);
ash_status ash_emit_memory(ash_module *m);
ash_status ash_emit_kernels_header(ash_module *m);
ash_status ash_emit_kernels_source(ash_module *m);
ash_status ash_emit_linker(ash_module *m);
ash_status ash_emit_readme(ash_module *m);

/* The function of an op that is not cut. */
ash_status ash_emit_step(ash_module *m, uint32_t op);
/* "const digits_context *ctx", and which rows, where operators make rows. */
void ash_emit_step_parameters(ash_module *m);

/* Parts of <prefix>.c. */
void ash_emit_arenas(ash_module *m);
void ash_emit_life(ash_module *m);
void ash_emit_loader(ash_module *m);
void ash_emit_views(ash_module *m);
/* Can a run be interrupted between steps? (stepping.c) */
bool ash_emit_is_stepped(const ash_module *m);
/* What that adds to <prefix>.c and to the parts of <prefix>.h. */
void ash_emit_stepping(ash_module *m);
void ash_emit_stepping_types(ash_module *m);
void ash_emit_stepping_fields(ash_module *m);
void ash_emit_stepping_functions(ash_module *m);

/* Runs the allocation pass over all steps; ASH_INTERNAL if they contradict the
 * plan. */
ash_status ash_emit_account(ash_module *m);

/* The files of constants, where they are not in C. */
ash_status ash_emit_blobs(ash_module *m);
/* `name` and `bytes` are kept by the module's zone. */
ash_status ash_emit_add_file(ash_module *m, const char *name, const void *bytes,
                             size_t count);

/* Adds a file that `write` makes. */
ash_status ash_emit_text(ash_module *m, const char *name,
                         ash_status (*write)(ash_module *m));

/* ---- questions about regions --------------------------------------------- */

/* Is the arena one of the module's regions? */
static inline bool ash_emit_is_region(const ash_module *m,
                                      const ash_render_arena *a) {
  return a->region_id < m->render->arena_count &&
         a == &m->render->all_arenas[a->region_id];
}
bool ash_emit_is_constant(const ash_render_arena *a);
bool ash_emit_is_persistent(const ash_render_arena *a);
/* Has a buffer of its own that the module writes: all but constants that are
 * read in place. */
bool ash_emit_is_written(const ash_render_arena *a);
/* The stored bytes of a constant arena. */
const ash_render_blob *ash_emit_blob(const ash_module *m,
                                     const ash_render_arena *a);
/* The symbol of the arena that a region shares with other modules, or NULL. */
const char *ash_emit_shared(ash_module *m, const ash_render_arena *a);
/* The memory where a rule wants an op's code, or NULL. */
const char *ash_emit_code_memory(const ash_module *m, uint32_t op);
/* By name; NULL if the device has none. */
const ash_memory *ash_emit_find_memory(const ash_module *m, const char *name);
/* Can the linker put the module's own arena there? */
bool ash_emit_is_linkable(const ash_module *m, const ash_render_arena *a);
/* Are constants loaded at run time? Then they are read through the context's
 * `constants`, which starts with the first constant region. */
bool ash_emit_loads(const ash_module *m);
uint32_t ash_emit_first_constant(const ash_module *m);
/* "const ", or "" for constants whose section is loaded into RAM: a `const`
 * object would make GNU ld take that section for a read-only one. */
const char *ash_emit_const(const ash_module *m, const ash_render_arena *a);
/* Do variables of this arena start with something else than zeros? */
bool ash_emit_has_first_values(const ash_module *m, const ash_render_arena *a);

/* C expressions for the first byte of a slot, of a tensor that lies in one
 * piece ("NULL": it is nowhere), and of a region's constants. */
const char *ash_emit_slot(ash_module *m, const ash_slot *s);
const char *ash_emit_tensor(ash_module *m, uint32_t tensor);
const char *ash_emit_stored(ash_module *m, const ash_render_arena *a);

/* ---- small texts --------------------------------------------------------- */

/* The version of the package. */
const char *ash_package_version(const ash_module *m);
void ash_emit_banner(ash_module *m, const char *file, const char *what);
/* Lines in which % stands for the prefix and $ for the prefix in capitals; $^
 * is the package's version, $@ its page, $$ a dollar, $% a percent sign. Ends
 * with NULL. */
void ash_emit_template(ash_module *m, const char *const *lines);
/* Rewrites the names of the runtime (ash_rt_, ASH_RT_) to the module's own. */
void ash_emit_renamed(ash_module *m, const char *text, size_t count);
/* "int8[1,8,8,16]" */
const char *ash_emit_type(ash_module *m, const ash_tensor *t);
/* Text that is safe inside a C comment. */
const char *ash_emit_comment(ash_module *m, const char *text);
/* The name of a memory, lower and upper case, as symbols contain it. */
const char *ash_emit_lower(ash_module *m, const char *text);
const char *ash_emit_upper(ash_module *m, const char *text);
/* "DIGITS_ARENA_DTCM", "DIGITS_ARENA_CONST_MRAM" */
const char *ash_emit_region(ash_module *m, const ash_render_arena *a);

#endif
