/* memory.c - <prefix>_memory.h: where the linker puts each region.
 *
 * The macros come from the device's description and can be overridden, for
 * example by -include. A memory that the plan uses and for which nobody knows a
 * section stops the compiler: a silent fallback would put the arena into
 * another memory than the plan says. */
#include "emit/module/module.h"

#include <inttypes.h>
#include <string.h>

/* One kind of object in one memory: a macro in front of a definition, or, for
 * the assembler, one that is a section's name. */
typedef struct placement {
  const ash_memory *memory;
  const char *kind;    /* "PUT", "PUT_CONST" or "SECTION_CONST" */
  const char *section; /* what is in a section of its own, or NULL */
  const char *plain;   /* what leaves the choice to the toolchain */
  const char *example;
  bool by_default;    /* the toolchain's choice is that memory */
  bool may_be_absent; /* not needed with external arenas */
} placement;

static const char *attribute(ash_module *m, const char *section) {
  return section ? ash_zone_format(&m->ctx->scratch,
                                   "__attribute__((section(\"%s\")))", section)
                 : NULL;
}

static placement arena_placement(ash_module *m, const ash_render_arena *a) {
  const ash_device *d = m->device;
  ASH_ASSERT(ash_emit_is_region(m, a) && d->default_memory < d->memory_count);
  const ash_memory *memory = ash_emit_find_memory(m, a->memory);
  return (placement){.memory = memory,
                     .kind = "PUT",
                     .section =
                         attribute(m, memory ? memory->section_zeroed : NULL),
                     .plain = "",
                     .example = "__attribute__((section(...)))",
                     .by_default = memory == &d->memories[d->default_memory],
                     .may_be_absent = true};
}

/* Read-only memory is where the toolchain puts `const` by itself. */
static placement constant_placement(ash_module *m, const ash_render_arena *a) {
  const ash_device *d = m->device;
  ASH_ASSERT(ash_emit_is_region(m, a) && d->constant_memory < d->memory_count);
  const bool by_assembler = m->options.constants == ASH_CONSTANTS_INCBIN;
  const ash_memory *memory = ash_emit_find_memory(m, a->source_memory);
  const bool home = memory == &d->memories[d->constant_memory];
  const bool own = memory && !(home && memory->kind == ASH_MEMORY_NVM);
  const char *section = own ? memory->section_initialised : NULL;
  if (!by_assembler)
    return (placement){.memory = memory,
                       .kind = "PUT_CONST",
                       .section = attribute(m, section),
                       .plain = "",
                       .example = "__attribute__((section(...)))",
                       .by_default = home};
  return (placement){
      .memory = memory,
      .kind = "SECTION_CONST",
      .section =
          section ? ash_zone_format(&m->ctx->scratch, "\"%s\"", section) : NULL,
      .plain = ash_zone_format(&m->ctx->scratch, "\".rodata.%s\"", m->prefix),
      .example = "the name of a section, in quotes",
      .by_default = home};
}

/* The function of a step; kernels, which several steps share, stay. */
static placement code_placement(ash_module *m, const char *name) {
  const ash_device *d = m->device;
  ASH_ASSERT(d->constant_memory < d->memory_count);
  const ash_memory *memory = ash_emit_find_memory(m, name);
  return (placement){.memory = memory,
                     .kind = "CODE",
                     .section =
                         attribute(m, memory ? memory->section_code : NULL),
                     .plain = "",
                     .example = "__attribute__((section(...)))",
                     .by_default = memory == &d->memories[d->constant_memory]};
}

static void put_missing(ash_module *m, const placement *p, const char *name,
                        const char *why) {
  ASH_ASSERT(p->memory && p->example);
  ash_text *t = m->text;
  if (p->may_be_absent)
    ash_text_line(t, "#elif !defined(%s_EXTERNAL_ARENAS)", m->upper);
  else
    ash_text_line(t, "#else");
  ash_text_line(t, "#error \"%s: define %s, for example as %s%s\"", why, name,
                p->example,
                p->may_be_absent ? ", or bind the arenas yourself" : "");
}

static void put_choices(ash_module *m, const placement *p, const char *name,
                        const char *why) {
  ASH_ASSERT(p->memory && p->plain);
  ash_text *t = m->text;
  ash_text_line(t, "#ifdef %s_NO_PLACEMENT", m->upper);
  ash_text_line(t, "#define %s %s", name, p->plain);
  if (p->section) {
    ash_text_line(t, "#elif defined(__ELF__)");
    ash_text_line(t, "#define %s %s", name, p->section);
    put_missing(m, p, name, "sections are named for ELF targets only");
  } else if (p->may_be_absent && !p->memory->linkable) {
    ash_text_line(t,
                  "/* else: %s is out of the linker's reach; bind the region "
                  "before init. */",
                  p->memory->name);
  } else {
    put_missing(m, p, name, why);
  }
  ash_text_line(t, "#endif");
}

static void put_macro(ash_module *m, const placement *p) {
  ASH_ASSERT(p->memory && p->kind && p->plain);
  ash_text *t = m->text;
  const char *name =
      ash_zone_format(&m->ctx->scratch, "%s_%s_IN_%s", m->upper, p->kind,
                      ash_emit_upper(m, p->memory->name));
  const char *why =
      ash_zone_format(&m->ctx->scratch, "%s: no linker section is known for %s",
                      m->device->name, p->memory->name);
  if (!name || !why)
    return;
  ash_text_line(t, "#ifndef %s", name);
  if (!p->section && p->by_default)
    ash_text_line(t, "#define %s %s /* where the toolchain puts it */", name,
                  p->plain);
  else
    put_choices(m, p, name, why);
  ash_text_line(t, "#endif");
}

/* Each memory once, however many regions lie in it. */
static bool is_new(const placement *done, size_t count, const placement *p) {
  ASH_ASSERT(p->kind);
  if (!p->memory)
    return false;
  for (size_t i = 0; i < count; i++)
    if (done[i].memory == p->memory && strcmp(done[i].kind, p->kind) == 0)
      return false;
  return true;
}

/* What has been written, so that no macro comes twice. */
typedef struct written {
  placement items[3 * ASH_MEMORY_MAX];
  size_t count;
} written;

static void put_once(ash_module *m, written *done, placement p) {
  ASH_ASSERT(done->count <= ASH_COUNT_OF(done->items));
  if (done->count == ASH_COUNT_OF(done->items) ||
      !is_new(done->items, done->count, &p))
    return;
  put_macro(m, &p);
  done->items[done->count++] = p;
}

static void put_placements(ash_module *m) {
  ASH_ASSERT(m->render->arena_count == 0 || m->render->all_arenas);
  written done = {.count = 0};
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    if (ash_emit_is_written(a) && !ash_emit_shared(m, a))
      put_once(m, &done, arena_placement(m, a));
    if (ash_emit_is_constant(a) && !ash_emit_loads(m))
      put_once(m, &done, constant_placement(m, a));
  }
  for (uint32_t op = 0; m->g && op < m->g->op_count; op++)
    if (ash_emit_code_memory(m, op))
      put_once(m, &done, code_placement(m, ash_emit_code_memory(m, op)));
}

static const char *const intro[] = {
    "/* These macros stand before definitions. Define them beforehand to "
    "choose",
    " * other sections, or define $_NO_PLACEMENT where everything may lie",
    " * anywhere, as on a host. */", NULL};

static void put_declarations(ash_module *m) {
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    if (ash_emit_is_constant(a) && !ash_emit_loads(m)) {
      const ash_render_blob *b = ash_emit_blob(m, a);
      ash_text_line(m->text, "extern %suint8_t %s[%" PRIu64 "];",
                    ash_emit_const(m, a), b->symbol, b->size ? b->size : 1);
    } else if (ash_emit_has_first_values(m, a)) {
      ash_text_line(m->text, "extern const uint8_t %s__first[%" PRIu64 "];",
                    a->symbol, a->size);
    }
  }
}

ash_status ash_emit_memory(ash_module *m) {
  ASH_ASSERT(m->text && m->device && m->render);
  ash_text *t = m->text;
  ash_emit_banner(m,
                  ash_zone_format(&m->ctx->scratch, "%s_memory.h", m->prefix),
                  "where the linker puts each region");
  ash_text_line(t, "#ifndef %s_MEMORY_H", m->upper);
  ash_text_line(t, "#define %s_MEMORY_H", m->upper);
  ash_text_blank(t);
  ash_text_line(t, "#include <stdint.h>");
  ash_text_blank(t);
  ash_emit_template(m, intro);
  put_placements(m);
  ash_text_blank(t);
  put_declarations(m);
  ash_text_blank(t);
  ash_text_line(t, "#endif");
  return ASH_OK;
}
