/* check_elf.c - the arenas of a plan against the symbols of a firmware. */
#include "ashlar/compile.h"
#include "ashlar/firmware.h"
#include "base/yaml.h"
#include "elf/elf.h"
#include "render/render.h"

#include <inttypes.h>
#include <string.h>

/* What one symbol must be like. */
typedef struct wanted {
  const char *symbol;
  const char *memory;
  uint64_t size, alignment;
  bool found;
} wanted;

typedef struct checker {
  ash_ctx *ctx;
  const char *elf_file;
  const ash_device *device;
  ash_firmware_options options;
  wanted *items;
  size_t count, checked, bad;
} checker;

static ash_loc at_file(const checker *c) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = c->elf_file;
  return loc;
}

/* ---- the plan ------------------------------------------------------------ */

static ash_role role_of(const char *word) {
  unsigned role = 0;
  while (role < ASH_CONSTANT &&
         strcmp(word, ash_role_text((ash_role)role)) != 0)
    role++;
  return (ash_role)role;
}

/* An arena is one symbol; a staged one is two: the copy and its source. */
static ash_status want_arena(checker *c, const ash_yaml *map) {
  const char *role, *memory, *source;
  uint64_t size, alignment;
  ASH_TRY(ash_yaml_want_map(c->ctx, map, "an arena"));
  ASH_TRY(ash_yaml_need_string(c->ctx, &role, map, "role"));
  ASH_TRY(ash_yaml_need_string(c->ctx, &memory, map, "memory"));
  ASH_TRY(ash_yaml_need_string(c->ctx, &source, map, "source_memory"));
  ASH_TRY(ash_yaml_need_u64(c->ctx, &size, map, "size"));
  ASH_TRY(ash_yaml_need_u64(c->ctx, &alignment, map, "alignment"));
  const ash_role kind = role_of(role);
  const bool staged = strcmp(memory, source) != 0;
  const char *symbol =
      ash_render_symbol(&c->ctx->scratch, c->options.prefix, kind, memory);
  if (kind != ASH_CONSTANT || staged)
    c->items[c->count++] = (wanted){.symbol = symbol,
                                    .memory = memory,
                                    .size = size,
                                    .alignment = alignment};
  if (kind == ASH_CONSTANT)
    c->items[c->count++] = (wanted){
        .symbol = ash_render_blob_symbol(&c->ctx->scratch, symbol, staged),
        .memory = source,
        .size = size,
        .alignment = alignment};
  return ash_zone_check(c->ctx, &c->ctx->scratch);
}

static ash_status read_plan(checker *c, const ash_plan_text *plan) {
  const ash_yaml *top, *arenas;
  const char *word;
  ASH_TRY(ash_yaml_parse(c->ctx, &top, &c->ctx->scratch, plan->text,
                         plan->count, plan->file));
  ASH_TRY(ash_yaml_want_map(c->ctx, top, "a plan"));
  ASH_TRY(ash_yaml_need_string(c->ctx, &word, top, "model"));
  if (!c->options.prefix)
    c->options.prefix = ash_default_prefix(c->ctx, word);
  ASH_TRY(ash_yaml_need_string(c->ctx, &word, top, "target"));
  if (!c->device)
    ASH_TRY(ash_device_load(c->ctx, &c->device, word));
  ASH_TRY(ash_yaml_need(c->ctx, &arenas, top, "arenas", "the plan"));
  ASH_TRY(ash_yaml_want_list(c->ctx, arenas, "arenas"));
  c->items = ASH_NEW_ARRAY(&c->ctx->scratch, wanted, 2 * arenas->count + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (const ash_yaml_item *i = arenas->first; i; i = i->next)
    ASH_TRY(want_arena(c, i->node));
  return ASH_OK;
}

/* ---- the firmware -------------------------------------------------------- */

static const ash_memory *memory_of(const checker *c, uint64_t address) {
  for (uint32_t i = 0; i < c->device->memory_count; i++) {
    const ash_memory *m = &c->device->memories[i];
    if (m->base != ASH_NO_BASE && address >= m->base &&
        address - m->base < m->bytes)
      return m;
  }
  return NULL;
}

static bool holds(const ash_memory *m, uint64_t address, uint64_t size) {
  return address >= m->base && address - m->base <= m->bytes &&
         size <= m->bytes - (address - m->base);
}

static void check_place(checker *c, const wanted *w,
                        const ash_elf_symbol *symbol) {
  uint32_t index;
  if (ash_device_find_memory(c->ctx, &index, c->device, w->memory) != ASH_OK) {
    c->bad++;
    return;
  }
  const ash_memory *planned = &c->device->memories[index];
  if (planned->base == ASH_NO_BASE) {
    ash_warn(c->ctx, ASH_D_elf_no_range, at_file(c),
             "'%s' is at 0x%" PRIx64 "; the address of %s is not known",
             w->symbol, symbol->address, planned->name);
    return;
  }
  if (holds(planned, symbol->address, w->size))
    return;
  const ash_memory *is = memory_of(c, symbol->address);
  c->bad++;
  (void)ash_fail(c->ctx, ASH_MALFORMED, ASH_D_elf_misplaced, at_file(c),
                 "'%s' is at 0x%" PRIx64 "%s%s, planned in %s (0x%" PRIx64
                 " to 0x%" PRIx64 ")",
                 w->symbol, symbol->address, is ? " in " : "",
                 is ? is->name : "", planned->name, planned->base,
                 planned->base + planned->bytes - 1);
}

static void check_symbol(checker *c, const wanted *w,
                         const ash_elf_symbol *symbol) {
  c->checked++;
  check_place(c, w, symbol);
  if (w->alignment && symbol->address % w->alignment != 0) {
    c->bad++;
    (void)ash_fail(c->ctx, ASH_MALFORMED, ASH_D_elf_misaligned, at_file(c),
                   "'%s' is at 0x%" PRIx64 ", not aligned to %" PRIu64,
                   w->symbol, symbol->address, w->alignment);
  }
  if (symbol->size && symbol->size < w->size) {
    c->bad++;
    (void)ash_fail(c->ctx, ASH_MALFORMED, ASH_D_elf_too_small, at_file(c),
                   "'%s' has %" PRIu64 " bytes, planned are %" PRIu64,
                   w->symbol, symbol->size, w->size);
  }
}

static void visit(void *user, const ash_elf_symbol *symbol) {
  checker *c = user;
  for (size_t i = 0; symbol->is_object && i < c->count; i++)
    if (strcmp(c->items[i].symbol, symbol->name) == 0) {
      c->items[i].found = true;
      check_symbol(c, &c->items[i], symbol);
    }
}

static void report_missing(checker *c) {
  for (size_t i = 0; i < c->count && !c->options.allow_missing; i++)
    if (!c->items[i].found) {
      c->bad++;
      (void)ash_fail(c->ctx, ASH_MALFORMED, ASH_D_elf_missing, at_file(c),
                     "there is no symbol '%s' (%" PRIu64 " bytes in %s)",
                     c->items[i].symbol, c->items[i].size, c->items[i].memory);
    }
}

ash_status ash_check_elf(ash_ctx *ctx, size_t *checked, const void *elf,
                         size_t elf_bytes, const char *elf_file,
                         const ash_plan_text *plan,
                         const ash_firmware_options *options) {
  ASH_NEED(ctx,
           ctx && checked && (elf || elf_bytes == 0) && plan && plan->text);
  checker c = {.ctx = ctx, .elf_file = ash_zone_string(&ctx->keep, elf_file)};
  ash_elf file;
  *checked = 0;
  ash_take_options(&c.options, sizeof c.options, options);
  c.device = c.options.device;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_status status = read_plan(&c, plan);
  if (status == ASH_OK)
    status = ash_elf_open(ctx, &file, elf, elf_bytes, c.elf_file);
  if (status == ASH_OK)
    status = ash_elf_symbols(ctx, &file, visit, &c);
  if (status == ASH_OK)
    report_missing(&c);
  ash_zone_rewind(&ctx->scratch, mark);
  *checked = c.checked;
  return status == ASH_OK && c.bad ? ASH_MALFORMED : status;
}
