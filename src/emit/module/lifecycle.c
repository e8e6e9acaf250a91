/* lifecycle.c - the functions of <prefix>.c that do not depend on the steps:
 * arenas, bind, init, reset, hydrate, run. */
#include "emit/tile/tile.h"

#include <inttypes.h>

/* ---- the module's own arenas --------------------------------------------- */

/* An array that the linker cannot place exists only if the user says how. */
static void open_own(ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(ash_emit_is_region(m, a) && ash_emit_is_written(a));
  const char *owner = ash_emit_shared(m, a)
                          ? ash_emit_upper(m, m->options.shared_scratch)
                          : m->upper;
  if (!ash_emit_is_linkable(m, a))
    ash_text_line(m->text, "#ifdef %s_PUT_IN_%s", owner,
                  ash_emit_upper(m, a->memory));
}

static void close_own(ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(ash_emit_is_region(m, a) && ash_emit_is_written(a));
  if (!ash_emit_is_linkable(m, a))
    ash_text_line(m->text, "#endif");
}

static void put_array(ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(ash_emit_is_region(m, a) && !ash_emit_shared(m, a));
  ash_text_line(m->text, "static %s_PUT_IN_%s uint8_t", m->upper,
                ash_emit_upper(m, a->memory));
  ash_text_line(m->text, "    %s_RT_ALIGN(%" PRIu64 ") %s[%" PRIu64 "];",
                m->upper, a->alignment, a->symbol, a->size ? a->size : 1);
}

/* The other modules may have been generated at another time. */
static void put_shared_check(ash_module *m, const ash_render_arena *a,
                             const char *shared) {
  ASH_ASSERT(ash_emit_is_region(m, a) && m->options.shared_scratch);
  const char *name = ash_emit_upper(m, shared);
  ash_text_line(m->text, "#if %s_SIZE < %s_SIZE || \\", name,
                ash_emit_region(m, a));
  ash_text_line(m->text, "    %s_ALIGNMENT < %s_ALIGNMENT", name,
                ash_emit_region(m, a));
  ash_text_line(m->text, "#error \"%s is too small for %s\"", shared,
                m->prefix);
  ash_text_line(m->text, "#endif");
}

void ash_emit_arenas(ash_module *m) {
  ASH_ASSERT(m->text && m->upper);
  ash_text *t = m->text;
  if (m->options.shared_scratch) {
    ash_text_line(t, "#include \"%s_scratch.h\"", m->options.shared_scratch);
    ash_text_blank(t);
  }
  ash_text_line(t, "#ifndef %s_EXTERNAL_ARENAS", m->upper);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    if (!ash_emit_is_written(a))
      continue;
    const char *shared = ash_emit_shared(m, a);
    open_own(m, a);
    if (shared)
      put_shared_check(m, a, shared);
    else
      put_array(m, a);
    close_own(m, a);
  }
  ash_text_line(t, "#endif");
  ash_text_blank(t);
}

static void put_own_arenas(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "/* Regions that nobody bound get the module's own arenas. "
                   "*/");
  ash_text_line(t, "static void %s_own_arenas(%s_context *ctx) {", m->prefix,
                m->prefix);
  ash_text_line(t, "  (void)ctx;");
  ash_text_line(t, "#ifndef %s_EXTERNAL_ARENAS", m->upper);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    if (!ash_emit_is_written(a))
      continue;
    open_own(m, a);
    ash_text_line(t, "  if (!ctx->region[%" PRIu32 "])", i);
    const char *shared = ash_emit_shared(m, a);
    ash_text_line(t, "    ctx->region[%" PRIu32 "] = %s;", i,
                  shared ? shared : a->symbol);
    close_own(m, a);
  }
  ash_text_line(t, "#endif");
  ash_text_line(t, "}");
  ash_text_blank(t);
}

/* ---- binding ------------------------------------------------------------- */

static void put_region_table(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "static const struct {");
  ash_text_line(t, "  size_t bytes;");
  ash_text_line(t, "  uint32_t alignment;");
  ash_text_line(t, "  uint32_t takes_buffer; /* 0: constants read in place */");
  ash_text_line(t, "} %s_regions[%s_REGION_COUNT] = {", m->prefix, m->upper);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    ASH_ASSERT(a->region_id == i && a->alignment > 0);
    ash_text_line(t, "    {%" PRIu64 "u, %" PRIu64 "u, %du},", a->size,
                  a->alignment, ash_emit_is_written(a));
  }
  ash_text_line(t, "};");
  ash_text_blank(t);
}

static const char *const bind[] = {
    "static int %_check_buffer(uint32_t region, const void *buffer,",
    "                          size_t bytes) {",
    "  if (region >= $_REGION_COUNT)",
    "    return $_UNKNOWN_REGION;",
    "  if (!%_regions[region].takes_buffer)",
    "    return $_CONSTANT_REGION;",
    "  if (!buffer)",
    "    return $_NULL_BUFFER;",
    "  if (bytes < %_regions[region].bytes)",
    "    return $_UNDERSIZED;",
    "  if ((uintptr_t)buffer & (%_regions[region].alignment - 1u))",
    "    return $_MISALIGNED;",
    "  return $_OK;",
    "}",
    "",
    "int %_bind_arena(%_context *ctx, uint32_t region, void *buffer,",
    "                 size_t bytes) {",
    "  if (!ctx)",
    "    return $_NULL_CONTEXT;",
    "  const int status = %_check_buffer(region, buffer, bytes);",
    "  if (status != $_OK)",
    "    return status;",
    "  ctx->region[region] = (uint8_t *)buffer;",
    "  ctx->ready = 0;",
    "  return $_OK;",
    "}",
    "",
    "int %_bind_arenas(%_context *ctx, void *const *buffers,",
    "                  const size_t *bytes, uint32_t count) {",
    "  if (!ctx)",
    "    return $_NULL_CONTEXT;",
    "  if (!buffers || !bytes)",
    "    return $_NULL_ARGUMENT;",
    "  if (count != $_REGION_COUNT)",
    "    return $_WRONG_COUNT;",
    "  for (uint32_t i = 0; i < $_REGION_COUNT; i++) {",
    "    if (!buffers[i] && !%_regions[i].takes_buffer)",
    "      continue;",
    "    const int status = %_check_buffer(i, buffers[i], bytes[i]);",
    "    if (status != $_OK)",
    "      return status;",
    "  }",
    "  for (uint32_t i = 0; i < $_REGION_COUNT; i++)",
    "    if (buffers[i])",
    "      ctx->region[i] = (uint8_t *)buffers[i];",
    "  ctx->ready = 0;",
    "  return $_OK;",
    "}",
    "",
    NULL};

/* ---- constants and state ------------------------------------------------- */

static void put_constants_access(ash_module *m) {
  ASH_ASSERT(m->render->constant_count <= m->render->arena_count);
  ash_text *t = m->text;
  ash_text_line(t,
                "const void *%s_constants(const %s_context *ctx, "
                "uint32_t region) {",
                m->prefix, m->prefix);
  if (ash_emit_loads(m)) {
    ash_text_line(t, "  if (!ctx)");
    ash_text_line(t, "    return 0;");
  } else {
    ash_text_line(t, "  (void)ctx;");
  }
  ash_text_line(t, "  switch (region) {");
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    if (!ash_emit_is_constant(a))
      continue;
    ash_text_line(t, "  case %s:", ash_emit_region(m, a));
    ash_text_line(t, "    return %s;", ash_emit_stored(m, a));
  }
  ash_text_line(t, "  default:");
  ash_text_line(t, "    return 0;");
  ash_text_line(t, "  }");
  ash_text_line(t, "}");
  ash_text_blank(t);
}

static void put_hydrate(ash_module *m) {
  ASH_ASSERT(m->render->staged_count <= m->render->constant_count);
  ash_text *t = m->text;
  bool any = false;
  ash_text_line(t, "%s_RT_WEAK int %s_hydrate(%s_context *ctx) {", m->upper,
                m->prefix, m->prefix);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    if (!a->is_staged)
      continue;
    any = true;
    ash_text_line(t,
                  "  %s_RT_COPY(ctx->region[%" PRIu32 "], "
                  "%s_constants(ctx, %" PRIu32 "), %" PRIu64 "u);",
                  m->upper, i, m->prefix, i, a->size);
  }
  if (!any)
    ash_text_line(t, "  (void)ctx;");
  ash_text_line(t, "  return %s_OK;", m->upper);
  ash_text_line(t, "}");
  ash_text_blank(t);
}

static void put_first_state(ash_module *m) {
  ASH_ASSERT(m->render->persistent_count <= m->render->arena_count);
  ash_text *t = m->text;
  ash_text_line(t, "/* State as it is before the first run. */");
  ash_text_line(t, "static void %s_first_state(%s_context *ctx) {", m->prefix,
                m->prefix);
  ash_text_line(t, "  (void)ctx;");
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    if (!ash_emit_is_persistent(a))
      continue;
    if (ash_emit_has_first_values(m, a))
      ash_text_line(t,
                    "  %s_RT_COPY(ctx->region[%" PRIu32 "], %s__first, "
                    "%" PRIu64 "u);",
                    m->upper, i, a->symbol, a->size);
    else
      ash_text_line(t,
                    "  %s_RT_FILL(ctx->region[%" PRIu32 "], 0, %" PRIu64 "u);",
                    m->upper, i, a->size);
  }
  ash_text_line(t, "}");
  ash_text_blank(t);
}

/* ---- init, reset, run ---------------------------------------------------- */

static const char *const init_start[] = {
    "int %_init(%_context *ctx) {",
    "  if (!ctx)",
    "    return $_NULL_CONTEXT;",
    "  ctx->ready = 0;",
    "  %_own_arenas(ctx);",
    "  for (uint32_t i = 0; i < $_REGION_COUNT; i++)",
    "    if (!ctx->region[i] && %_regions[i].takes_buffer)",
    "      return $_UNBOUND;",
    NULL};

static const char *const init_loaded[] = {
    "  for (uint32_t i = 0; i < $_CONSTANT_COUNT; i++)",
    "    if (!ctx->constants[i])", "      return $_CONSTANTS_MISSING;", NULL};

static const char *const init_dma[] = {
    "  if (!ctx->dma) /* the processor does not reach all memories */",
    "    return $_DMA_MISSING;", NULL};

/* Is there a memory that only DMA reaches? */
static bool needs_dma(const ash_module *m) {
  ASH_ASSERT(m->device->memory_count <= ASH_MEMORY_MAX);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_memory *memory =
        ash_emit_find_memory(m, m->render->all_arenas[i].memory);
    if (memory && !memory->reach_cpu)
      return ash_emit_is_tiled(m);
  }
  return false;
}

static const char *const init_end[] = {
    "  const int status = %_hydrate(ctx);", "  if (status != $_OK)",
    "    return status;", "  %_first_state(ctx);", NULL};

static const char *const start_over[] = {"  ctx->position = 0;", NULL};

static const char *const reset[] = {"  ctx->ready = 1;",
                                    "  return $_OK;",
                                    "}",
                                    "",
                                    "int %_reset(%_context *ctx) {",
                                    "  if (!ctx)",
                                    "    return $_NULL_CONTEXT;",
                                    "  if (!ctx->ready)",
                                    "    return $_NOT_INITIALISED;",
                                    "  %_first_state(ctx);",
                                    NULL};

static const char *const reset_end[] = {"  return $_OK;", "}", "", NULL};

static const char *const run[] = {
    "int %_run(%_context *ctx) {",
    "  if (!ctx)",
    "    return $_NULL_CONTEXT;",
    "  if (!ctx->ready)",
    "    return $_NOT_INITIALISED;",
    "  for (int i = 0; i < (int)%_step_count; i++) {",
    "    if (ctx->callback)",
    "      ctx->callback(ctx->user, %_steps[i].op, 0);",
    "    %_steps[i].run(ctx);",
    "    if (ctx->callback)",
    "      ctx->callback(ctx->user, %_steps[i].op, 1);",
    "  }",
    "  return $_OK;",
    "}",
    "",
    NULL};

void ash_emit_life(ash_module *m) {
  put_region_table(m);
  put_own_arenas(m);
  ash_emit_template(m, bind);
  put_constants_access(m);
  put_hydrate(m);
  put_first_state(m);
  if (ash_emit_loads(m))
    ash_emit_loader(m);
  ash_emit_template(m, init_start);
  if (ash_emit_loads(m))
    ash_emit_template(m, init_loaded);
  if (needs_dma(m))
    ash_emit_template(m, init_dma);
  ash_emit_template(m, init_end);
  if (ash_emit_is_stepped(m))
    ash_emit_template(m, start_over);
  ash_emit_template(m, reset);
  if (ash_emit_is_stepped(m))
    ash_emit_template(m, start_over);
  ash_emit_template(m, reset_end);
  if (ash_emit_is_stepped(m))
    ash_emit_stepping(m);
  else
    ash_emit_template(m, run);
}
