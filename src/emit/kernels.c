/* kernels.c - <prefix>_kernels.[ch]: copies of the runtime's files that this
 * model uses, and no others, under the module's own names. */
#include "emit/tile.h"
#include "kernel/runtime_files.h"

#include <string.h>

static const char own_include[] = "#include \"ash_rt";

/* A file of runtime/ without its includes of others of them: in the copy, each
 * stands there once. */
static void put_body(ash_module *m, const ash_embedded *file) {
  const size_t head = sizeof own_include - 1;
  const char *p = file->text, *end = p + file->bytes;
  while (p < end) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    const char *next = stop ? stop + 1 : end;
    const size_t n = (size_t)(next - p);
    if (n < head || memcmp(p, own_include, head) != 0)
      ash_emit_renamed(m, p, n);
    p = next;
  }
}

static bool includes(const ash_embedded *file, const char *name) {
  const char *line = strstr(file->text, own_include);
  const size_t n = strlen(name);
  return line && strncmp(strchr(line, '"') + 1, name, n) == 0 &&
         strchr(line, '"')[n + 1] == '"';
}

static bool is_header(const ash_embedded *file) {
  return strcmp(strrchr(file->name, '.'), ".h") == 0;
}

/* The kernels of operators that are not cut, then those of pieces. */
static size_t kernel_count(const ash_module *m) {
  return m->g->op_count + m->used.count;
}

static const ash_kernel *kernel_at(const ash_module *m, size_t i) {
  if (i >= m->g->op_count)
    return m->used.items[i - m->g->op_count];
  return ash_emit_tiling(m, (uint32_t)i) ? NULL : m->kernels[i];
}

/* Does a kernel of this model include the header? */
static bool is_needed(const ash_module *m, const char *header) {
  for (size_t i = 0; i < kernel_count(m); i++) {
    const ash_kernel *k = kernel_at(m, i);
    const ash_embedded *file = k && k->file ? ash_runtime_file(k->file) : NULL;
    if (file && includes(file, header))
      return true;
  }
  return false;
}

/* ash_rt.h, and the helpers for those instructions that the kernels use. */
ash_status ash_emit_kernels_header(ash_module *m) {
  const ash_embedded *file = ash_runtime_file("ash_rt.h");
  ASH_INVARIANT(m->ctx, file != NULL);
  ash_emit_banner(m,
                  ash_zone_format(&m->ctx->scratch, "%s_kernels.h", m->prefix),
                  "arithmetic and parameters of the kernels");
  ash_emit_renamed(m, file->text, file->bytes);
  for (const ash_embedded *f = ash_runtime_files; f->name; f++)
    if (f != file && is_header(f) && is_needed(m, f->name)) {
      ash_text_blank(m->text);
      put_body(m, f);
    }
  if (ash_emit_is_tiled(m)) {
    ash_text_blank(m->text);
    put_body(m, ash_runtime_file("ash_rt_tile.h"));
  }
  return ASH_OK;
}

/* Was this file already written for an earlier kernel? */
static bool seen(const ash_module *m, size_t kernel) {
  for (size_t i = 0; i < kernel; i++) {
    const ash_kernel *k = kernel_at(m, i);
    if (k && k->file && strcmp(k->file, kernel_at(m, kernel)->file) == 0)
      return true;
  }
  return false;
}

ash_status ash_emit_kernels_source(ash_module *m) {
  bool any = ash_emit_is_tiled(m);
  ash_emit_banner(m,
                  ash_zone_format(&m->ctx->scratch, "%s_kernels.c", m->prefix),
                  "the kernels that this model uses");
  ash_text_line(m->text, "#include \"%s_kernels.h\"", m->prefix);
  if (any) {
    ash_text_blank(m->text);
    put_body(m, ash_runtime_file("ash_rt_tile.c"));
  }
  for (size_t i = 0; i < kernel_count(m); i++) {
    const ash_kernel *k = kernel_at(m, i);
    if (!k || !k->file || seen(m, i))
      continue;
    const ash_embedded *file = ash_runtime_file(k->file);
    ASH_INVARIANT(m->ctx, file != NULL);
    ash_text_blank(m->text);
    put_body(m, file);
    any = true;
  }
  if (!any)
    ash_text_line(m->text, "typedef int %s_has_no_kernels;", m->prefix);
  return ASH_OK;
}
