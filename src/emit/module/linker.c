/* linker.c - <prefix>.ld: for people who write their own GNU ld script, one
 * output section for all that the module has in each memory of the plan, with
 * assertions that it fits, and a table of what start-up code must copy and
 * clear. */
#include "emit/module/module.h"

#include <inttypes.h>
#include <string.h>

/* What of the module lies in one memory. */
typedef struct content {
  const ash_memory *memory;
  uint64_t zeroed, initialised; /* bytes in sections of the module's naming */
  uint64_t total, alignment;
  bool code; /* a rule wants operators' code here */
} content;

static content content_of(const ash_module *m, const ash_memory *memory) {
  ASH_ASSERT(ash_emit_find_memory(m, memory->name) == memory);
  content c = {.memory = memory, .alignment = 4};
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
  for (uint32_t op = 0; op < m->g->op_count; op++) {
    const char *wanted = ash_emit_code_memory(m, op);
    c.code = c.code || (wanted && strcmp(wanted, memory->name) == 0);
  }
  c.total = c.zeroed + c.initialised;
  return c;
}

/* Where the image is stored: what lies in other memories is copied from here.
 */
static const ash_memory *image_of(const ash_module *m) {
  ASH_ASSERT(m->device->constant_memory < m->device->memory_count);
  return &m->device->memories[m->device->constant_memory];
}

/* ---- output sections ----------------------------------------------------- */

/* One output section. `kind` is "_bss", "_data", "_rodata" or "_text"; its name
 * is the device's, or made of prefix and memory where there is none. */
typedef struct output {
  const content *c;
  const char *name;
  bool loaded, copied;
} output;

static output output_of(ash_module *m, const content *c, const char *section,
                        const char *kind) {
  ASH_ASSERT(c->memory && kind[0] == '_');
  const ash_memory *memory = c->memory;
  output o = {c, section, strcmp(kind, "_bss") != 0, false};
  if (!section)
    o.name = ash_zone_format(&m->ctx->scratch, ".%s_%s%s", m->prefix,
                             ash_emit_lower(m, memory->name), kind);
  o.copied = o.loaded && memory->kind == ASH_MEMORY_RAM &&
             image_of(m)->kind == ASH_MEMORY_NVM;
  return o;
}

static void open_output(ash_module *m, const output *o) {
  ASH_ASSERT(o->name && o->c->alignment > 0);
  ash_text_line(m->text, "  %s%s : ALIGN(%" PRIu64 ")", o->name,
                o->loaded ? "" : " (NOLOAD)", o->c->alignment);
  ash_text_line(m->text, "  {");
}

static void close_output(ash_module *m, const output *o) {
  ASH_ASSERT(o->name && o->c->memory->linkable);
  const ash_memory *memory = o->c->memory;
  ash_text_line(m->text, "    . = ALIGN(8);");
  ash_text_line(m->text, "  } > %s%s%s", memory->name,
                o->copied ? " AT > " : "", o->copied ? image_of(m)->name : "");
  ash_text_line(m->text,
                "  ASSERT(SIZEOF(%s) <= %" PRIu64 ", \"%s is over full: "
                "%" PRIu64 " bytes\")",
                o->name, memory->bytes, memory->name, memory->bytes);
}

/* Objects in a section of the device's naming, or, where the toolchain finds
 * the place by itself, those that -fdata-sections tells apart. */
static void put_objects(ash_module *m, const content *c, const char *section,
                        const char *kind, const char *plain) {
  ASH_ASSERT(c->memory->linkable && plain[0] == '.');
  const output o = output_of(m, c, section, kind);
  open_output(m, &o);
  if (section)
    ash_text_line(m->text, "    KEEP(*(%s %s.*))", section, section);
  else
    ash_text_line(m->text, "    *(%s.%s_arena_*)", plain, m->prefix);
  close_output(m, &o);
}

/* Kernels, which several steps share, follow when all steps are here. */
static bool has_all_code(const ash_module *m, const ash_memory *memory) {
  ASH_ASSERT(ash_emit_find_memory(m, memory->name) == memory);
  for (uint32_t op = 0; op < m->g->op_count; op++) {
    const char *wanted = ash_emit_code_memory(m, op);
    if (m->code[op].kernel && (!wanted || strcmp(wanted, memory->name) != 0))
      return false;
  }
  return true;
}

static void put_code(ash_module *m, const content *c) {
  ASH_ASSERT(c->code);
  const char *section = c->memory->section_code;
  const output o = output_of(m, c, section, "_text");
  if (!section)
    return; /* where the toolchain puts code by itself */
  open_output(m, &o);
  ash_text_line(m->text, "    *(%s %s.*)", section, section);
  if (has_all_code(m, c->memory))
    ash_text_line(m->text, "    *%s_kernels.*(.text .text.*)", m->prefix);
  close_output(m, &o);
}

/* Constants of the image's own memory need no section of their own. */
static const char *constant_section(const ash_module *m,
                                    const ash_memory *memory) {
  const bool home = memory == image_of(m) && memory->kind == ASH_MEMORY_NVM;
  return home ? NULL : memory->section_initialised;
}

static bool is_placed(const content *c) {
  return (c->total != 0 || c->code) && c->memory->linkable;
}

static void put_memory(ash_module *m, const ash_memory *memory) {
  ASH_ASSERT(ash_emit_find_memory(m, memory->name) == memory);
  const content c = content_of(m, memory);
  if (c.total == 0 && !c.code)
    return;
  ash_text_line(m->text,
                "  /* %s: %" PRIu64 " bytes of arenas, %" PRIu64
                " bytes of constants, aligned to %" PRIu64 ". */",
                memory->name, c.zeroed, c.initialised, c.alignment);
  if (!is_placed(&c)) {
    ash_text_line(m->text,
                  "  /* Out of the linker's reach: bound at run time. */");
    return;
  }
  if (c.code)
    put_code(m, &c);
  if (c.initialised)
    put_objects(m, &c, constant_section(m, memory),
                memory->kind == ASH_MEMORY_RAM ? "_data" : "_rodata",
                memory->kind == ASH_MEMORY_RAM ? ".data" : ".rodata");
  if (c.zeroed)
    put_objects(m, &c, memory->section_zeroed, "_bss", ".bss");
}

/* ---- what start-up code must do ------------------------------------------ */

static const char *word_of(const ash_module *m) {
  const char *cpu = m->device->cpu;
  const bool wide =
      cpu && (strncmp(cpu, "rv64", 4) == 0 || strncmp(cpu, "x86-64", 6) == 0);
  return wide ? "QUAD" : "LONG";
}

static void put_range(ash_module *m, const output *o) {
  ASH_ASSERT(o->name && o->c->memory->linkable);
  const char *word = word_of(m);
  if (o->copied)
    ash_text_line(m->text, "    %s(LOADADDR(%s))", word, o->name);
  else
    ash_text_line(m->text, "    %s(0)", word);
  ash_text_line(m->text, "    %s(ADDR(%s))", word, o->name);
  ash_text_line(m->text, "    %s(ADDR(%s) + SIZEOF(%s))", word, o->name,
                o->name);
}

static void put_ranges(ash_module *m, const ash_memory *memory) {
  ASH_ASSERT(ash_emit_find_memory(m, memory->name) == memory);
  const content c = content_of(m, memory);
  if (!is_placed(&c))
    return;
  const output code = output_of(m, &c, memory->section_code, "_text");
  const output data =
      output_of(m, &c, constant_section(m, memory),
                memory->kind == ASH_MEMORY_RAM ? "_data" : "_rodata");
  const output zeroed = output_of(m, &c, memory->section_zeroed, "_bss");
  if (c.code && memory->section_code && code.copied)
    put_range(m, &code);
  if (c.initialised && data.copied)
    put_range(m, &data);
  if (c.zeroed)
    put_range(m, &zeroed);
}

/* Three addresses an entry: where the bytes are stored (0: they are zeros), and
 * the first and the end of where they belong. */
static void put_table(ash_module *m) {
  ASH_ASSERT(m->device->memory_count <= ASH_MEMORY_MAX);
  ash_text *t = m->text;
  ash_text_line(t, "  /* For start-up code: load address (0: zeros), start, "
                   "end. */");
  ash_text_line(t, "  .%s_ranges : ALIGN(8)", m->prefix);
  ash_text_line(t, "  {");
  ash_text_line(t, "    %s_ranges = .;", m->prefix);
  for (uint32_t i = 0; i < m->device->memory_count; i++)
    put_ranges(m, &m->device->memories[i]);
  ash_text_line(t, "    %s_ranges_end = .;", m->prefix);
  ash_text_line(t, "  } > %s", image_of(m)->name);
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
    "/* Write  INCLUDE %.ld  inside the SECTIONS of your script, before .text, "
    ".data",
    " * and .bss, unless it has these sections already. The memories must have "
    "the",
    " * names used here; compile with -fdata-sections. Afterwards `ashlar "
    "check "
    "--elf`",
    " * tells whether every arena is where the plan wants it. */", NULL};

ash_status ash_emit_linker(ash_module *m) {
  ASH_ASSERT(m->text && m->device && m->render);
  ash_emit_banner(m, ash_zone_format(&m->ctx->scratch, "%s.ld", m->prefix),
                  "output sections of the model, for GNU ld");
  ash_emit_template(m, intro);
  put_regions(m);
  for (uint32_t i = 0; i < m->device->memory_count; i++)
    put_memory(m, &m->device->memories[i]);
  put_table(m);
  return ASH_OK;
}
