/* constant_data.c - <prefix>_constants.c: weights and tables, packed as
 * planned. */
#include "base/sort.h"
#include "emit/module/module.h"

#include <inttypes.h>
#include <string.h>

static void put_row(ash_text *t, const uint8_t *bytes, size_t count) {
  ASH_ASSERT(count > 0 && count <= 16);
  static const char digits[] = "0123456789abcdef";
  char row[2 + 16 * 5 + 1];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    const char item[] = {'0', 'x', digits[bytes[i] >> 4], digits[bytes[i] & 15],
                         ','};
    memcpy(row + used, item, sizeof item);
    used += sizeof item;
  }
  row[used++] = '\n';
  ash_text_put(t, row, used);
}

/* What starts at `offset` of a constant arena, as comments. */
static void put_labels(ash_module *m, const char *memory, uint64_t offset,
                       uint32_t *next, const uint32_t *order, uint32_t count) {
  ASH_ASSERT(*next <= count && offset % 16 == 0);
  while (*next < count) {
    const ash_slot *s = &m->plan->slots[order[*next]];
    if (s->binding.offset >= offset + 16)
      return;
    if (strcmp(s->binding.memory, memory) == 0)
      ash_text_line(m->text, "/* %" PRIu64 ": '%s' %" PRIu64 " bytes */",
                    s->binding.offset, ash_emit_comment(m, s->name), s->size);
    (*next)++;
  }
}

static int by_offset(const void *a, const void *b, const void *user) {
  const ash_slot *slots = user;
  const uint64_t x = slots[*(const uint32_t *)a].binding.offset;
  const uint64_t y = slots[*(const uint32_t *)b].binding.offset;
  return x == y ? 0 : x < y ? -1 : 1;
}

/* The constant slots of a memory, by offset. */
static uint32_t constant_slots(const ash_module *m, uint32_t *order,
                               uint32_t *spare, const char *memory) {
  ASH_ASSERT(ash_emit_find_memory(m, memory));
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->plan->slot_count; i++)
    if (m->plan->slots[i].binding.role == ASH_CONSTANT &&
        strcmp(m->plan->slots[i].binding.memory, memory) == 0)
      order[count++] = i;
  ash_sort(order, spare, count, sizeof *order, by_offset, m->plan->slots);
  return count;
}

static void open_array(ash_module *m, const ash_render_arena *a,
                       const char *open) {
  ASH_ASSERT(ash_emit_is_region(m, a) && ash_emit_is_constant(a));
  const ash_render_blob *blob = ash_emit_blob(m, a);
  ash_text_line(m->text, "%s_PUT_CONST_IN_%s %suint8_t", m->upper,
                ash_emit_upper(m, a->source_memory), ash_emit_const(m, a));
  ash_text_line(m->text, "    %s_RT_ALIGN(%" PRIu64 ") %s[%" PRIu64 "] =%s",
                m->upper, a->alignment, blob->symbol,
                blob->size ? blob->size : 1, open);
  if (blob->size == 0)
    ash_text_line(m->text, "0");
}

/* ---- large arrays ---------------------------------------------------------
 * Compilers keep every number of a list, 100 bytes of memory for a byte of
 * data; a string they keep as it is. */

enum { LARGE = 1 << 20, LINE = 2048, PROGRESS = 1 << 16 };

/* Octal digits end after three, so that what follows is never one of them. */
static void put_string(ash_text *t, const uint8_t *bytes, size_t count) {
  ASH_ASSERT(count > 0 && count <= LINE);
  char row[LINE * 4 + 3];
  size_t used = 0;
  row[used++] = '"';
  for (size_t i = 0; i < count; i++) {
    const uint8_t c = bytes[i];
    if (c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?') {
      row[used++] = (char)c;
      continue;
    }
    const char item[] = {'\\', (char)('0' + (c >> 6)),
                         (char)('0' + (c >> 3 & 7)), (char)('0' + (c & 7))};
    memcpy(row + used, item, sizeof item);
    used += sizeof item;
  }
  row[used++] = '"';
  row[used++] = '\n';
  ash_text_put(t, row, used);
}

/* Strings may be longer than ISO C promises and have no NUL at the end. */
static void allow_strings(ash_module *m) {
  ASH_ASSERT(m->options.constants == ASH_CONSTANTS_HEX);
  ash_text *t = m->text;
  ash_text_line(t, "#ifdef __GNUC__");
  ash_text_line(t, "#pragma GCC diagnostic ignored \"-Woverlength-strings\"");
  ash_text_line(t, "#endif");
  ash_text_line(t, "#if defined(__clang__) ? __clang_major__ >= 21 "
                   ": defined(__GNUC__) && __GNUC__ >= 15");
  ash_text_line(t, "#pragma GCC diagnostic ignored "
                   "\"-Wunterminated-string-initialization\"");
  ash_text_line(t, "#endif");
}

/* Up to the next constant, or a line. */
static size_t string_bytes(const ash_module *m, const uint32_t *order,
                           uint32_t next, uint32_t count, uint64_t at,
                           uint64_t end) {
  ASH_ASSERT(at < end && next <= count);
  const uint64_t starts =
      next < count ? m->plan->slots[order[next]].binding.offset / 16 * 16 : end;
  const uint64_t to = starts > at && starts < end ? starts : end;
  return to - at < LINE ? (size_t)(to - at) : LINE;
}

static void put_strings(ash_module *m, const ash_render_arena *a,
                        const uint32_t *order, uint32_t count) {
  const ash_render_blob *blob = ash_emit_blob(m, a);
  ASH_ASSERT(blob->size >= LARGE);
  uint32_t next = 0;
  size_t bytes;
  allow_strings(m);
  open_array(m, a, "");
  for (uint64_t at = 0; at < blob->size; at += bytes) {
    put_labels(m, blob->memory, at, &next, order, count);
    bytes = string_bytes(m, order, next, count, at, blob->size);
    put_string(m->text, blob->payload + at, bytes);
    if (at % PROGRESS < bytes)
      ash_progress(m->ctx, "writing constants", at, blob->size);
  }
  ash_text_line(m->text, ";");
}

/* ---- files ----------------------------------------------------------------
 */

static void put_hex(ash_module *m, const ash_render_arena *a, uint32_t *order) {
  ASH_ASSERT(ash_emit_is_region(m, a) && !ash_emit_loads(m));
  const ash_render_blob *blob = ash_emit_blob(m, a);
  uint32_t next = 0;
  const uint32_t count =
      constant_slots(m, order, order + m->plan->slot_count, blob->memory);
  if (blob->size >= LARGE) {
    put_strings(m, a, order, count);
    return;
  }
  open_array(m, a, " {");
  for (uint64_t at = 0; at < blob->size; at += 16) {
    put_labels(m, blob->memory, at, &next, order, count);
    put_row(m->text, blob->payload + at,
            blob->size - at < 16 ? (size_t)(blob->size - at) : 16);
  }
  ash_text_line(m->text, "};");
}

static void put_embed(ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(m->options.constants == ASH_CONSTANTS_EMBED);
  const ash_render_blob *blob = ash_emit_blob(m, a);
  ash_text_line(m->text, "#ifndef __has_embed");
  ash_text_line(m->text, "#error \"this compiler has no #embed: use "
                         "--constants hex or incbin\"");
  ash_text_line(m->text, "#else");
  open_array(m, a, " {");
  if (blob->size)
    ash_text_line(m->text, "#embed \"%s\"", blob->sidecar_filename);
  ash_text_line(m->text, "};");
  ash_text_line(m->text, "#endif");
}

/* The assembler finds the file in its folder or through -I. */
static void put_incbin(ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(m->options.constants == ASH_CONSTANTS_INCBIN);
  ash_text *t = m->text;
  const ash_render_blob *blob = ash_emit_blob(m, a);
  const bool writable = *ash_emit_const(m, a) == '\0';
  ash_text_line(t, "#if !defined(__GNUC__) || !defined(__ELF__)");
  ash_text_line(t, "#error \".incbin needs gcc or clang and ELF: use "
                   "--constants hex\"");
  ash_text_line(t, "#endif");
  ash_text_line(t, "__asm__(\".pushsection \" %s_SECTION_CONST_IN_%s", m->upper,
                ash_emit_upper(m, a->source_memory));
  ash_text_line(t, "        \",\\\"%s\\\",%%progbits\\n\"",
                writable ? "aw" : "a");
  ash_text_line(t, "        \".balign %" PRIu64 "\\n\"", a->alignment);
  ash_text_line(t, "        \".global %s\\n\"", blob->symbol);
  ash_text_line(t, "        \".type %s, %%object\\n\"", blob->symbol);
  ash_text_line(t, "        \".size %s, %" PRIu64 "\\n\"", blob->symbol,
                blob->size);
  ash_text_line(t, "        \"%s:\\n\"", blob->symbol);
  ash_text_line(t, "        \".incbin \\\"%s\\\"\\n\"", blob->sidecar_filename);
  ash_text_line(t, "        \".popsection\\n\");");
}

static void put_blob(ash_module *m, const ash_render_arena *a,
                     uint32_t *order) {
  ASH_ASSERT(ash_emit_is_region(m, a) && ash_emit_is_constant(a));
  switch (m->options.constants) {
  case ASH_CONSTANTS_INCBIN:
    put_incbin(m, a);
    break;
  case ASH_CONSTANTS_EMBED:
    put_embed(m, a);
    break;
  case ASH_CONSTANTS_SIDECAR:
    break; /* loaded at run time */
  default:
    put_hex(m, a, order);
  }
}

/* First values of variables, as they lie in their arena. */
static ash_status put_first_values(ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(ash_emit_is_region(m, a) && ash_emit_is_persistent(a));
  uint8_t *bytes = ash_zone_alloc(&m->ctx->scratch, a->size, 1, 1);
  ASH_TRY(ash_zone_check(m->ctx, &m->ctx->scratch));
  for (uint32_t i = 0; i < m->plan->slot_count; i++) {
    const ash_slot *s = &m->plan->slots[i];
    if (s->binding.role != ASH_PERSISTENT || s->tensor == ASH_NO_ID ||
        strcmp(s->binding.memory, a->memory) != 0 ||
        !m->g->tensors.items[s->tensor].data)
      continue;
    ASH_ASSERT(s->binding.offset + s->size <= a->size);
    memcpy(bytes + s->binding.offset, m->g->tensors.items[s->tensor].data,
           s->size);
  }
  ash_text_line(m->text, "const uint8_t %s__first[%" PRIu64 "] = {", a->symbol,
                a->size);
  for (uint64_t at = 0; at < a->size; at += 16)
    put_row(m->text, bytes + at, a->size - at < 16 ? a->size - at : 16);
  ash_text_line(m->text, "};");
  return ASH_OK;
}

ash_status ash_emit_constants(ash_module *m) {
  uint32_t *order =
      ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, 2u * m->plan->slot_count + 1u);
  bool any = false;
  ASH_TRY(ash_zone_check(m->ctx, &m->ctx->scratch));
  ash_emit_banner(
      m, ash_zone_format(&m->ctx->scratch, "%s_constants.c", m->prefix),
      "weights and tables, packed as planned");
  ash_text_line(m->text, "#include \"%s_kernels.h\"", m->prefix);
  ash_text_line(m->text, "#include \"%s_memory.h\"", m->prefix);
  ash_text_blank(m->text);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    const bool constant = ash_emit_is_constant(a) && !ash_emit_loads(m);
    any |= constant || ash_emit_has_first_values(m, a);
    if (constant)
      put_blob(m, a, order);
    else if (ash_emit_has_first_values(m, a))
      ASH_TRY(put_first_values(m, a));
  }
  if (!any) /* a translation unit may not be empty */
    ash_text_line(m->text, "typedef int %s_has_no_constants;", m->prefix);
  return ASH_OK;
}
