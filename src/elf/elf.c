/* elf.c - see elf.h. Field offsets are facts of the ELF specification; those
 * of 32 and 64 bits stand side by side. */
#include "elf/elf.h"

#include <inttypes.h>
#include <string.h>

enum {
  TYPE_EXECUTABLE = 2,
  TYPE_SHARED = 3, /* position-independent executables, too */
  SECTION_SYMBOLS = 2,
  SECTION_STRINGS = 3,
  SYMBOL_NO_TYPE = 0,
  SYMBOL_OBJECT = 1
};

static uint64_t read_bytes(const ash_elf *e, uint64_t at, uint32_t count) {
  uint64_t value = 0;
  if (at > e->count || count > e->count - at)
    return 0; /* callers have checked the range of every table */
  for (uint32_t i = 0; i < count; i++)
    value |= (uint64_t)e->bytes[at + i] << (8 * i);
  return value;
}

/* A field that is an address or size: 4 bytes at `narrow`, 8 at `wide`. */
static uint64_t read_word(const ash_elf *e, uint64_t at, uint32_t narrow,
                          uint32_t wide) {
  return e->wide ? read_bytes(e, at + wide, 8) : read_bytes(e, at + narrow, 4);
}

static bool inside(const ash_elf *e, uint64_t at, uint64_t bytes) {
  return at <= e->count && bytes <= e->count - at;
}

static ash_status malformed(ash_ctx *ctx, const ash_elf *e, uint64_t at,
                            const char *what) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = e->file;
  loc.byte = at;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_elf_malformed, loc, "%s", what);
}

/* ---- sections ------------------------------------------------------------ */

typedef struct section {
  uint32_t type, link;
  uint64_t at, bytes, entry_bytes;
} section;

static section read_section(const ash_elf *e, uint64_t index) {
  const uint64_t at = e->sections_at + index * e->section_bytes;
  return (section){.type = (uint32_t)read_bytes(e, at + 4, 4),
                   .at = read_word(e, at, 16, 24),
                   .bytes = read_word(e, at, 20, 32),
                   .link = (uint32_t)read_bytes(e, at + (e->wide ? 40 : 24), 4),
                   .entry_bytes = read_word(e, at, 36, 56)};
}

/* More than 65279 sections: the count is in the first section's size. */
static uint64_t count_sections(const ash_elf *e) {
  const uint64_t count = read_bytes(e, e->wide ? 60 : 48, 2);
  return count || !inside(e, e->sections_at, e->section_bytes)
             ? count
             : read_section(e, 0).bytes;
}

static ash_status open_sections(ash_ctx *ctx, ash_elf *e) {
  e->sections_at = read_word(e, 0, 32, 40);
  e->section_bytes = read_bytes(e, e->wide ? 58 : 46, 2);
  if (e->sections_at == 0)
    return ASH_OK; /* stripped of everything */
  if (e->section_bytes < (e->wide ? 64u : 40u))
    return malformed(ctx, e, e->wide ? 58 : 46,
                     "section headers are too short");
  e->section_count = count_sections(e);
  if (e->section_count > e->count / e->section_bytes ||
      !inside(e, e->sections_at, e->section_count * e->section_bytes))
    return malformed(ctx, e, e->sections_at,
                     "section headers reach beyond the file");
  return ASH_OK;
}

ash_status ash_elf_open(ash_ctx *ctx, ash_elf *out, const void *bytes,
                        size_t count, const char *file) {
  *out = (ash_elf){.bytes = bytes, .count = count, .file = file};
  if (count < 52 || memcmp(bytes, "\177ELF", 4) != 0)
    return malformed(ctx, out, 0, "this is not an ELF file");
  out->wide = out->bytes[4] == 2;
  if (out->bytes[4] < 1 || out->bytes[4] > 2 || (out->wide && count < 64))
    return malformed(ctx, out, 4, "neither 32 nor 64 bits");
  if (out->bytes[5] != 1)
    return malformed(ctx, out, 5, "this ELF file is not little-endian");
  const uint64_t type = read_bytes(out, 16, 2);
  if (type != TYPE_EXECUTABLE && type != TYPE_SHARED) {
    ash_loc loc = ASH_NOWHERE;
    loc.file = file;
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_elf_not_linked, loc,
                    "this ELF file was not linked");
  }
  return open_sections(ctx, out);
}

/* ---- symbols ------------------------------------------------------------- */

/* A name that ends before its table does, or NULL. */
static const char *name_at(const ash_elf *e, const section *strings,
                           uint64_t offset) {
  if (offset >= strings->bytes)
    return NULL;
  const char *name = (const char *)e->bytes + strings->at + offset;
  return memchr(name, '\0', (size_t)(strings->bytes - offset)) ? name : NULL;
}

typedef void visitor(void *user, const ash_elf_symbol *symbol);

static ash_status visit_table(ash_ctx *ctx, const ash_elf *e,
                              const section *table, visitor *visit,
                              void *user) {
  const uint64_t entry = e->wide ? 24 : 16;
  if (table->link >= e->section_count)
    return malformed(ctx, e, table->at, "the symbols have no names");
  const section strings = read_section(e, table->link);
  if (strings.type != SECTION_STRINGS || !inside(e, strings.at, strings.bytes))
    return malformed(ctx, e, table->at, "the symbols have no names");
  if (table->entry_bytes < entry || !inside(e, table->at, table->bytes))
    return malformed(ctx, e, table->at, "symbols reach beyond the file");
  for (uint64_t i = 0; i < table->bytes / table->entry_bytes; i++) {
    const uint64_t at = table->at + i * table->entry_bytes;
    const uint64_t info = read_bytes(e, at + (e->wide ? 4 : 12), 1) & 15;
    const uint64_t home = read_bytes(e, at + (e->wide ? 6 : 14), 2);
    const ash_elf_symbol symbol = {
        .name = name_at(e, &strings, read_bytes(e, at, 4)),
        .address = read_word(e, at, 4, 8),
        .size = read_word(e, at, 8, 16),
        .is_object = info == SYMBOL_NO_TYPE || info == SYMBOL_OBJECT};
    if (!symbol.name)
      return malformed(ctx, e, at, "a symbol's name is outside the file");
    if (home != 0 && symbol.name[0])
      visit(user, &symbol);
  }
  return ASH_OK;
}

ash_status ash_elf_symbols(ash_ctx *ctx, const ash_elf *elf, visitor *visit,
                           void *user) {
  bool any = false;
  for (uint64_t i = 0; i < elf->section_count; i++) {
    const section s = read_section(elf, i);
    if (s.type != SECTION_SYMBOLS)
      continue;
    any = true;
    ASH_TRY(visit_table(ctx, elf, &s, visit, user));
  }
  if (!any) {
    ash_loc loc = ASH_NOWHERE;
    loc.file = elf->file;
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_elf_stripped, loc,
                    "this firmware has no symbol table");
  }
  return ASH_OK;
}
