/* constants.c - <prefix>_constants.c: weights and tables, packed as planned. */
#include "base/sort.h"
#include "emit/module.h"

#include <inttypes.h>
#include <string.h>

static void put_row(ash_text *t, const uint8_t *bytes, size_t count) {
  static const char digits[] = "0123456789abcdef";
  char row[2 + 16 * 5 + 1];
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    const char item[] = {'0', 'x', digits[bytes[i] >> 4],
                         digits[bytes[i] & 15], ','};
    memcpy(row + used, item, sizeof item);
    used += sizeof item;
  }
  row[used++] = '\n';
  ash_text_put(t, row, used);
}

/* What starts at `offset` of a constant arena, as comments. */
static void put_labels(ash_module *m, const char *memory, uint64_t offset,
                       uint32_t *next, const uint32_t *order, uint32_t count) {
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
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->plan->slot_count; i++)
    if (m->plan->slots[i].binding.role == ASH_CONSTANT &&
        strcmp(m->plan->slots[i].binding.memory, memory) == 0)
      order[count++] = i;
  ash_sort(order, spare, count, sizeof *order, by_offset, m->plan->slots);
  return count;
}

static void put_blob(ash_module *m, const ash_render_blob *blob,
                     const ash_render_arena *arena, uint32_t *order) {
  ash_text *t = m->text;
  uint32_t next = 0;
  const uint32_t count = constant_slots(m, order, order + m->plan->slot_count,
                                        blob->memory);
  ash_text_line(t, "%s_PUT_CONST_IN_%s const uint8_t", m->upper,
                ash_emit_upper(m, arena->source_memory));
  ash_text_line(t, "    %s_RT_ALIGN(%" PRIu64 ") %s[%" PRIu64 "] = {", m->upper,
                arena->alignment, blob->symbol, blob->size ? blob->size : 1);
  if (blob->size == 0)
    ash_text_line(t, "0");
  for (uint64_t at = 0; at < blob->size; at += 16) {
    put_labels(m, blob->memory, at, &next, order, count);
    put_row(t, blob->payload + at,
            blob->size - at < 16 ? (size_t)(blob->size - at) : 16);
  }
  ash_text_line(t, "};");
}

void ash_emit_constants(ash_module *m) {
  uint32_t *order =
      ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, 2u * m->plan->slot_count + 1u);
  uint32_t blob = 0;
  ash_emit_banner(
      m, ash_zone_format(&m->ctx->scratch, "%s_constants.c", m->prefix),
      "weights and tables, packed as planned");
  ash_text_line(m->text, "#include \"%s_kernels.h\"", m->prefix);
  ash_text_line(m->text, "#include \"%s_memory.h\"", m->prefix);
  ash_text_blank(m->text);
  for (uint32_t i = 0; order && i < m->render->arena_count; i++)
    if (strcmp(m->render->all_arenas[i].role, "constant") == 0)
      put_blob(m, &m->render->constant_blobs[blob++],
               &m->render->all_arenas[i], order);
  if (blob == 0) /* a translation unit may not be empty */
    ash_text_line(m->text, "typedef int %s_has_no_constants;", m->prefix);
}
