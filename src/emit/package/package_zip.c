/* package_zip.c - all files of a module as one archive: ZIP without compression
 * and without a date, so that the same module gives the same bytes. */
#include "emit/package/package.h"

#include <string.h>

enum { VERSION_NEEDED = 20, FIRST_OF_1980 = 33 };

static void put16(ash_text *t, uint32_t value) {
  const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8)};
  ash_text_put(t, (const char *)bytes, sizeof bytes);
}

static void put32(ash_text *t, uint32_t value) {
  put16(t, value & 0xffff);
  put16(t, value >> 16);
}

/* What the header of a file and its entry in the directory say alike. */
static void put_facts(ash_text *t, const ash_generated *file) {
  ASH_ASSERT(file->count <= UINT32_MAX && strlen(file->name) <= UINT16_MAX);
  put16(t, VERSION_NEEDED);
  put16(t, 0); /* flags */
  put16(t, 0); /* stored */
  put16(t, 0); /* midnight */
  put16(t, FIRST_OF_1980);
  put32(t, ash_crc32(file->bytes, file->count));
  put32(t, (uint32_t)file->count);
  put32(t, (uint32_t)file->count);
  put16(t, (uint32_t)strlen(file->name));
  put16(t, 0); /* extra field */
}

static void put_file(ash_text *t, const ash_generated *file) {
  ASH_ASSERT(file->name && file->bytes);
  ash_text_put(t, "PK\3\4", 4);
  put_facts(t, file);
  ash_text_string(t, file->name);
  ash_text_put(t, file->bytes, file->count);
}

static void put_entry(ash_text *t, const ash_generated *file, uint32_t at) {
  ASH_ASSERT(file->name);
  ash_text_put(t, "PK\1\2", 4);
  put16(t, VERSION_NEEDED);
  put_facts(t, file);
  put16(t, 0); /* comment */
  put16(t, 0); /* disk */
  put16(t, 0); /* internal attributes */
  put32(t, 0); /* external attributes */
  put32(t, at);
  ash_text_string(t, file->name);
}

static void put_archive(ash_module *m, ash_text *t, uint32_t *offsets) {
  ASH_ASSERT(m->files.count <= UINT16_MAX);
  const uint32_t count = (uint32_t)m->files.count;
  for (uint32_t i = 0; i < count; i++) {
    offsets[i] = (uint32_t)t->count;
    put_file(t, &m->files.items[i]);
  }
  const uint32_t start = (uint32_t)t->count;
  for (uint32_t i = 0; i < count; i++)
    put_entry(t, &m->files.items[i], offsets[i]);
  const uint32_t bytes = (uint32_t)t->count - start;
  ash_text_put(t, "PK\5\6", 4);
  put32(t, 0); /* disks */
  put16(t, count);
  put16(t, count);
  put32(t, bytes);
  put32(t, start);
  put16(t, 0); /* comment */
}

ash_status ash_package_zip(ash_module *m, const char *name) {
  ASH_ASSERT(name && m->files.count > 0);
  uint64_t total = 0;
  for (size_t i = 0; i < m->files.count; i++)
    total += m->files.items[i].count + 2 * strlen(m->files.items[i].name) + 128;
  if (total > UINT32_MAX)
    return ash_fail(m->ctx, ASH_LIMIT, ASH_D_emit_blob_size, ASH_NOWHERE,
                    "%s would have more than 4 GiB, which ZIP cannot", name);
  uint32_t *offsets = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, m->files.count);
  if (!offsets)
    return ash_nomem(m->ctx);
  ash_text t;
  ash_text_init(&t, &m->ctx->mem);
  put_archive(m, &t, offsets);
  ash_status status = ash_text_check(m->ctx, &t);
  if (status == ASH_OK)
    status = ash_emit_add_file(
        m, name, ash_zone_copy(m->zone, t.bytes, t.count), t.count);
  ash_text_drop(&t);
  return status;
}
