/* linker.c - <prefix>.ld: for people who write their own GNU ld script, one
 * output section for each section that the module names, in the memory of the
 * plan, and assertions that it fits. */
#include "emit/module.h"

#include <inttypes.h>
#include <string.h>

/* What of the module lies in one memory. */
typedef struct content {
  const ash_memory *memory;
  uint64_t zeroed, initialised; /* bytes in sections of the module's naming */
  uint64_t total, alignment;
} content;

static content content_of(const ash_module *m, const ash_memory *memory) {
  content c = {.memory = memory, .alignment = 1};
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    const bool written =
        ash_emit_is_written(a) && strcmp(a->memory, memory->name) == 0;
    const bool stored =
        ash_emit_is_constant(a) && strcmp(a->source_memory, memory->name) == 0;
    c.zeroed += written ? a->size : 0;
    c.initialised += stored ? a->size : 0;
    if ((written || stored) && c.alignment < a->alignment)
      c.alignment = a->alignment;
  }
  c.total = c.zeroed + c.initialised;
  return c;
}

static void put_output(ash_module *m, const content *c, const char *section,
                       bool loaded) {
  ash_text *t = m->text;
  ash_text_line(t, "  %s%s : ALIGN(%" PRIu64 ")", section,
                loaded ? "" : " (NOLOAD)", c->alignment);
  ash_text_line(t, "  {");
  ash_text_line(t, "    KEEP(*(%s %s.*))", section, section);
  ash_text_line(t, "  } > %s", c->memory->name);
  ash_text_line(t,
                "  ASSERT(SIZEOF(%s) <= %" PRIu64 ", \"%s is over full: "
                "%" PRIu64 " bytes\")",
                section, c->memory->bytes, c->memory->name, c->memory->bytes);
}

static void put_memory(ash_module *m, const ash_memory *memory) {
  const content c = content_of(m, memory);
  ash_text *t = m->text;
  if (c.total == 0)
    return;
  ash_text_line(t,
                "  /* %s: %" PRIu64 " bytes of arenas, %" PRIu64
                " bytes of constants, aligned to %" PRIu64 ". */",
                memory->name, c.zeroed, c.initialised, c.alignment);
  if (!memory->linkable)
    ash_text_line(t, "  /* Out of the linker's reach: bound at run time. */");
  else if (c.zeroed && memory->section_zeroed)
    put_output(m, &c, memory->section_zeroed, false);
  else if (c.zeroed)
    ash_text_line(t,
                  "  /* The arenas stand in .bss: KEEP(*(.bss.%s_*)) > %s; */",
                  m->prefix, memory->name);
  if (!memory->linkable || c.initialised == 0)
    return;
  if (memory->kind == ASH_MEMORY_RAM && memory->section_initialised)
    ash_text_line(t,
                  "  /* Constants stand in %s, which start-up code fills. */",
                  memory->section_initialised);
  else
    ash_text_line(t,
                  "  /* The constants stand in .rodata: *(.rodata.%s_*) > "
                  "%s; */",
                  m->prefix, memory->name);
}

static void put_regions(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(
      t, "/* MEMORY of %s, as its description gives it:", m->device->name);
  for (uint32_t i = 0; i < m->device->memory_count; i++) {
    const ash_memory *memory = &m->device->memories[i];
    if (memory->base != ASH_NO_BASE)
      ash_text_line(
          t, " *   %-8s (%s) : ORIGIN = 0x%08" PRIx64 ", LENGTH = %" PRIu64,
          memory->name, memory->kind == ASH_MEMORY_NVM ? "rx" : "rwx",
          memory->base, memory->bytes);
  }
  ash_text_line(t, " */");
}

static const char *const intro[] = {
    "/* Write  INCLUDE %.ld  inside the SECTIONS of your script, before .data "
    "and",
    " * .bss, unless it has these sections already. The memories must have the",
    " * names used here. Afterwards `ashlar check --elf` tells whether every",
    " * arena is where the plan wants it. */", NULL};

ash_status ash_emit_linker(ash_module *m) {
  ash_emit_banner(m, ash_zone_format(&m->ctx->scratch, "%s.ld", m->prefix),
                  "output sections of the model, for GNU ld");
  ash_emit_template(m, intro);
  put_regions(m);
  for (uint32_t i = 0; i < m->device->memory_count; i++)
    put_memory(m, &m->device->memories[i]);
  return ASH_OK;
}
