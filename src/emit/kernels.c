/* kernels.c - <prefix>_kernels.[ch]: copies of the runtime's files that this
 * model uses, and no others, under the module's own names. */
#include "emit/module.h"
#include "kernel/runtime_files.h"

#include <string.h>

ash_status ash_emit_kernels_header(ash_module *m) {
  const ash_embedded *file = ash_runtime_file("ash_rt.h");
  ASH_INVARIANT(m->ctx, file != NULL);
  ash_emit_banner(m,
                  ash_zone_format(&m->ctx->scratch, "%s_kernels.h", m->prefix),
                  "arithmetic and parameters of the kernels");
  ash_emit_renamed(m, file->text, file->bytes);
  return ASH_OK;
}

/* A runtime file without its includes of ash_rt.h: the copy stands in one file
 * that includes the header once. */
static void put_body(ash_module *m, const char *text, size_t count) {
  static const char include[] = "#include \"ash_rt.h\"\n";
  const char *end = text + count;
  while (text < end) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    const char *next = stop ? stop + 1 : end;
    const size_t n = (size_t)(next - text);
    if (n != sizeof include - 1 || memcmp(text, include, n) != 0)
      ash_emit_renamed(m, text, n);
    text = next;
  }
}

/* Was this file already written for an earlier operator? */
static bool seen(const ash_module *m, uint32_t op) {
  for (uint32_t i = 0; i < op; i++)
    if (m->kernels[i] && m->kernels[i]->file &&
        strcmp(m->kernels[i]->file, m->kernels[op]->file) == 0)
      return true;
  return false;
}

ash_status ash_emit_kernels_source(ash_module *m) {
  bool any = false;
  ash_emit_banner(m,
                  ash_zone_format(&m->ctx->scratch, "%s_kernels.c", m->prefix),
                  "the kernels that this model uses");
  ash_text_line(m->text, "#include \"%s_kernels.h\"", m->prefix);
  for (uint32_t op = 0; op < m->g->op_count; op++) {
    if (!m->kernels[op] || !m->kernels[op]->file || seen(m, op))
      continue;
    const ash_embedded *file = ash_runtime_file(m->kernels[op]->file);
    ASH_INVARIANT(m->ctx, file != NULL);
    ash_text_blank(m->text);
    put_body(m, file->text, file->bytes);
    any = true;
  }
  if (!any)
    ash_text_line(m->text, "typedef int %s_has_no_kernels;", m->prefix);
  return ASH_OK;
}
