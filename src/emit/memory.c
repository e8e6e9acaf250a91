/* memory.c - <prefix>_memory.h: where the linker puts each region. The macros
 * come from the device's description and can be overridden before inclusion,
 * for example by -include. */
#include "emit/module.h"

#include <inttypes.h>
#include <string.h>

static const ash_memory *find_memory(const ash_module *m, const char *name) {
  for (uint32_t i = 0; i < m->device->memory_count; i++)
    if (strcmp(m->device->memories[i].name, name) == 0)
      return &m->device->memories[i];
  return NULL;
}

static void put_macro(ash_module *m, const char *kind, const char *memory,
                      const char *section) {
  ash_text *t = m->text;
  const char *name = ash_zone_format(&m->ctx->scratch, "%s_%s_IN_%s", m->upper,
                                     kind, ash_emit_upper(m, memory));
  if (!name)
    return;
  ash_text_line(t, "#ifndef %s", name);
  if (section) {
    ash_text_line(t, "#if defined(__ELF__)");
    ash_text_line(t, "#define %s __attribute__((section(\"%s\")))", name,
                  section);
    ash_text_line(t, "#else");
    ash_text_line(t, "#define %s", name);
    ash_text_line(t, "#endif");
  } else {
    ash_text_line(t, "#define %s", name);
  }
  ash_text_line(t, "#endif");
}

/* Each memory once, however many regions lie in it. */
static bool first_mention(const ash_module *m, uint32_t at, bool constant) {
  for (uint32_t i = 0; i < at; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    const ash_render_arena *b = &m->render->all_arenas[at];
    if ((strcmp(a->role, "constant") == 0) == constant &&
        strcmp(constant ? a->source_memory : a->memory,
               constant ? b->source_memory : b->memory) == 0)
      return false;
  }
  return true;
}

static void put_placement(ash_module *m, uint32_t i) {
  const ash_render_arena *a = &m->render->all_arenas[i];
  const bool constant = strcmp(a->role, "constant") == 0;
  if (!first_mention(m, i, constant))
    return;
  const ash_memory *memory =
      find_memory(m, constant ? a->source_memory : a->memory);
  if (!memory)
    return;
  /* Read-only memory is where the toolchain puts `const` by itself. */
  if (constant)
    put_macro(m, "PUT_CONST", memory->name,
              memory->kind == ASH_MEMORY_NVM ? NULL
                                             : memory->section_initialised);
  else
    put_macro(m, "PUT", memory->name, memory->section_zeroed);
}

void ash_emit_memory(ash_module *m) {
  ash_text *t = m->text;
  uint32_t blob = 0;
  ash_emit_banner(m,
                  ash_zone_format(&m->ctx->scratch, "%s_memory.h", m->prefix),
                  "where the linker puts each region");
  ash_text_line(t, "#ifndef %s_MEMORY_H", m->upper);
  ash_text_line(t, "#define %s_MEMORY_H", m->upper);
  ash_text_blank(t);
  ash_text_line(t, "#include <stdint.h>");
  ash_text_blank(t);
  for (uint32_t i = 0; i < m->render->arena_count; i++)
    put_placement(m, i);
  ash_text_blank(t);
  for (uint32_t i = 0; i < m->render->arena_count; i++)
    if (strcmp(m->render->all_arenas[i].role, "constant") == 0) {
      const ash_render_blob *b = &m->render->constant_blobs[blob++];
      ash_text_line(t, "extern const uint8_t %s[%" PRIu64 "];", b->symbol,
                    b->size ? b->size : 1);
    }
  ash_text_blank(t);
  ash_text_line(t, "#endif");
}
