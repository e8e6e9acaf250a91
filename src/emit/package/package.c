/* package.c - see package.h. */
#include "emit/package/package.h"

#include <string.h>

static bool ends_with(const char *s, const char *end) {
  ASH_ASSERT(s && end);
  const size_t n = strlen(s), k = strlen(end);
  return n >= k && strcmp(s + n - k, end) == 0;
}

/* Where a file goes; NULL: it stays. */
static const char *folder_of(const ash_module *m, const char *name,
                             const char *source_folder,
                             const char *header_folder) {
  ASH_ASSERT(name && source_folder && header_folder);
  const size_t n = strlen(m->prefix);
  if (strncmp(name, m->prefix, n) == 0 && strcmp(name + n, ".h") == 0)
    return header_folder;
  if (strcmp(name, "ash_dma.h") == 0) /* the module's header includes it */
    return header_folder;
  return ends_with(name, ".c") || ends_with(name, ".h") ||
                 ends_with(name, ".bin")
             ? source_folder
             : NULL;
}

ash_status ash_package_move(ash_module *m, const char *source_folder,
                            const char *header_folder) {
  ASH_ASSERT(m->files.count > 0);
  for (size_t i = 0; i < m->files.count; i++) {
    ash_generated *file = &m->files.items[i];
    const char *folder = folder_of(m, file->name, source_folder, header_folder);
    if (folder)
      file->name = ash_zone_format(m->zone, "%s/%s", folder, file->name);
  }
  return ash_zone_check(m->ctx, m->zone);
}

ash_status ash_package_add(ash_module *m, const char *name,
                           const char *const *lines) {
  ASH_ASSERT(name && lines);
  ash_text t;
  ash_text_init(&t, &m->ctx->mem);
  m->text = &t;
  ash_emit_template(m, lines);
  ash_status status = ash_text_check(m->ctx, &t);
  if (status == ASH_OK)
    status = ash_emit_add_file(
        m, name, ash_zone_copy(m->zone, t.bytes, t.count), t.count);
  ash_text_drop(&t);
  return status;
}
