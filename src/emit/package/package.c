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
  if (strcmp(name, "ash_dma.h") == 0 || strcmp(name, "ash_cores.h") == 0)
    return header_folder; /* the module's header includes it */
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

ash_status ash_package_add_parts(ash_module *m, const char *name,
                                 const char *const *const *parts) {
  ASH_ASSERT(name && parts && parts[0]);
  ash_text t;
  ash_text_init(&t, &m->ctx->mem);
  m->text = &t;
  for (; *parts; parts++)
    ash_emit_template(m, *parts);
  ash_status status = ash_text_check(m->ctx, &t);
  if (status == ASH_OK)
    status = ash_emit_add_file(
        m, name, ash_zone_copy(m->zone, t.bytes, t.count), t.count);
  ash_text_drop(&t);
  return status;
}

ash_status ash_package_add(ash_module *m, const char *name,
                           const char *const *lines) {
  ASH_ASSERT(lines);
  const char *const *parts[] = {lines, NULL};
  return ash_package_add_parts(m, name, parts);
}

const char *ash_package_version(const ash_module *m) {
  return m->options.version ? m->options.version : "1.0.0";
}

/* Three numbers, as package managers compare them. */
static bool is_version(const char *text) {
  ASH_ASSERT(text);
  for (int part = 0; part < 3; part++) {
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9 || (digits > 1 && text[0] == '0'))
      return false;
    text += digits;
    if (part < 2 && *text++ != '.')
      return false;
  }
  return *text == '\0';
}

/* Also safe inside XML, JSON and YAML. */
static bool is_url(const char *text) {
  ASH_ASSERT(text);
  const size_t start = strncmp(text, "https://", 8) == 0  ? 8
                       : strncmp(text, "http://", 7) == 0 ? 7
                                                          : 0;
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-._~:/?#@!$()*+,;=%";
  return start && text[start] && text[strspn(text, allowed)] == '\0';
}

ash_status ash_package_check(ash_ctx *ctx, const ash_emit_options *options) {
  if (options->version && !is_version(options->version))
    return ash_fail(ctx, ASH_MISUSE, ASH_D_emit_package, ASH_NOWHERE,
                    "'%.60s' is not a version of three numbers, as in 1.2.0",
                    options->version);
  if (options->url && !is_url(options->url))
    return ash_fail(ctx, ASH_MISUSE, ASH_D_emit_package, ASH_NOWHERE,
                    "'%.200s' is not the address of a page, as in "
                    "https://example.com/model",
                    options->url);
  return ASH_OK;
}
