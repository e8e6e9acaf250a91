/* kernels.c - <prefix>_kernels.[ch]: copies of those kernels of runtime/ that
 * this model uses, and no others, under the module's own names. */
#include "emit/cores/cores.h"
#include "emit/rows/rows.h"
#include "emit/tile/tile.h"
#include "kernel/runtime_files.h"

#include <string.h>

static const char own_include[] = "#include \"ash_rt";

/* A file of runtime/ without its includes of others of them: in the copy, each
 * stands there once. */
static void put_lines(ash_module *m, const char *p, const char *end) {
  ASH_ASSERT(p <= end);
  const size_t head = sizeof own_include - 1;
  while (p < end) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    const char *next = stop ? stop + 1 : end;
    const size_t n = (size_t)(next - p);
    if (n < head || memcmp(p, own_include, head) != 0)
      ash_emit_renamed(m, p, n);
    p = next;
  }
}

static void put_body(ash_module *m, const ash_embedded *file) {
  ASH_ASSERT(file && file->text);
  put_lines(m, file->text, file->text + file->bytes);
}

/* The kernels of operators that are not cut, then those of pieces. */
static size_t kernel_count(const ash_module *m) {
  return m->g->op_count + m->used.count;
}

static const ash_kernel *kernel_at(const ash_module *m, size_t i) {
  ASH_ASSERT(i < kernel_count(m));
  if (i >= m->g->op_count)
    return m->used.items[i - m->g->op_count].kernel;
  return m->code[i].tiling ? NULL : m->code[i].kernel;
}

/* The function of a kernel that steps call: all of it, or some lines. */
static const char *function_at(const ash_module *m, size_t i) {
  ASH_ASSERT(kernel_at(m, i));
  return i < m->g->op_count ? m->code[i].function
                            : m->used.items[i - m->g->op_count].function;
}

/* Does a kernel of this model need the section? Headers have no kernels and
 * are needed as a whole. */
static bool is_needed(const ash_module *m, const ash_embedded *file,
                      const ash_section *s) {
  ASH_ASSERT(s->text >= file->text && s->bytes > 0);
  for (size_t i = 0; i < kernel_count(m); i++) {
    const ash_kernel *k = kernel_at(m, i);
    if (k && ash_kernel_file(k) == file &&
        ash_section_is_for(s, function_at(m, i)))
      return true;
  }
  return ash_section_is_for(s, "");
}

/* The next file of runtime/ that is included between `*at` and `end`; moves on
 * behind it. */
static const ash_embedded *next_include(const char **at, const char *end) {
  ASH_ASSERT(*at <= end);
  const char *line = strstr(*at, own_include);
  if (!line || line >= end)
    return NULL;
  const char *name = strchr(line, '"') + 1;
  const size_t n = strcspn(name, "\"");
  *at = name + n;
  const ash_embedded *f = ash_runtime_files;
  while (f->name && (strncmp(f->name, name, n) != 0 || f->name[n] != '\0'))
    f++;
  return f;
}

/* What is known about each file of runtime/. */
enum { NEEDED = 1, WRITTEN = 2 };

/* Marks what the needed sections of a file include; true if something was not
 * marked before. */
static bool mark_includes(const ash_module *m, uint8_t *marks,
                          const ash_embedded *file) {
  ASH_ASSERT(marks[file - ash_runtime_files] != WRITTEN);
  bool more = false;
  for (ash_section s = ash_section_first(file); s.bytes;
       s = ash_section_after(&s)) {
    const char *at = s.text;
    if (!is_needed(m, file, &s))
      continue;
    for (const ash_embedded *f; (f = next_include(&at, s.text + s.bytes));) {
      more |= !marks[f - ash_runtime_files];
      marks[f - ash_runtime_files] |= NEEDED;
    }
  }
  return more;
}

static void mark_headers(const ash_module *m, uint8_t *marks) {
  marks[0] = NEEDED; /* ash_rt.h */
  for (size_t i = 0; i < kernel_count(m); i++) {
    const ash_kernel *k = kernel_at(m, i);
    if (k && k->file)
      (void)mark_includes(m, marks, ash_kernel_file(k));
  }
  if (ash_emit_is_tiled(m))
    (void)mark_includes(m, marks, ash_runtime_file("ash_rt_tile.c"));
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; ash_runtime_files[i].name; i++)
      if (marks[i] & NEEDED)
        more |= mark_includes(m, marks, &ash_runtime_files[i]);
  }
}

static bool has_its_includes(const uint8_t *marks, const ash_embedded *file) {
  ASH_ASSERT(marks[file - ash_runtime_files] & NEEDED);
  const char *at = file->text;
  for (const ash_embedded *f; (f = next_include(&at, at + strlen(at)));)
    if (!(marks[f - ash_runtime_files] & WRITTEN))
      return false;
  return true;
}

static bool has_special(const ash_module *m) {
  for (uint32_t op = 0; op < m->g->op_count; op++)
    if (m->code[op].special)
      return true;
  return false;
}

/* Of steps that stand beside their kernel. */
static void put_prototypes(ash_module *m) {
  ASH_ASSERT(m->code);
  if (!has_special(m))
    return;
  ash_text_blank(m->text);
  ash_text_line(m->text, "#include \"%s.h\"", m->prefix);
  ash_text_blank(m->text);
  if (m->rows)
    ash_emit_row_externs(m);
  if (ash_emit_has_cores(m))
    ash_emit_cores_prototype(m);
  for (uint32_t op = 0; op < m->g->op_count; op++)
    if (m->code[op].special) {
      ash_text_format(m->text, "void %s_%s(", m->prefix,
                      m->g->ops.items[op].id);
      ash_emit_step_parameters(m);
      ash_text_string(m->text, ");\n");
    }
}

/* The headers that the kernels of this model include and those that these
 * include, each after what it needs. */
ash_status ash_emit_kernels_header(ash_module *m) {
  size_t count = 0;
  while (ash_runtime_files[count].name)
    count++;
  uint8_t *marks = ASH_NEW_ARRAY(&m->ctx->scratch, uint8_t, count + 1);
  ASH_TRY(ash_zone_check(m->ctx, &m->ctx->scratch));
  ash_emit_banner(m,
                  ash_zone_format(&m->ctx->scratch, "%s_kernels.h", m->prefix),
                  "arithmetic and parameters of the kernels");
  mark_headers(m, marks);
  ASH_INVARIANT(m->ctx, !marks[count]); /* an include of no file */
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < count; i++) {
      const ash_embedded *f = &ash_runtime_files[i];
      if (marks[i] != NEEDED || !has_its_includes(marks, f))
        continue;
      if (i > 0)
        ash_text_blank(m->text);
      put_body(m, f);
      marks[i] |= WRITTEN;
      more = true;
    }
  }
  put_prototypes(m);
  return ASH_OK;
}

/* Was this file already written for an earlier kernel? */
static bool seen(const ash_module *m, size_t kernel) {
  ASH_ASSERT(kernel_at(m, kernel) && kernel_at(m, kernel)->file);
  const ash_embedded *file = ash_kernel_file(kernel_at(m, kernel));
  for (size_t i = 0; i < kernel; i++)
    if (kernel_at(m, i) && ash_kernel_file(kernel_at(m, i)) == file)
      return true;
  return false;
}

/* Does a step call this function of a kernel as a function? */
static bool is_shared(const ash_module *m, const ash_kernel *kernel,
                      const char *function) {
  ASH_ASSERT(kernel->special != ASH_SPECIAL_NEVER);
  for (size_t i = 0; i < kernel_count(m); i++)
    if (kernel_at(m, i) == kernel && strcmp(function_at(m, i), function) == 0 &&
        (i >= m->g->op_count || !m->code[i].special))
      return true;
  return false;
}

/* A specialised layer whose function is in this section, and where that
 * begins; ASH_NO_ID: there is none. */
static uint32_t special_in(const ash_module *m, const ash_embedded *file,
                           const ash_section *s, const char **entry) {
  for (uint32_t op = 0; op < m->g->op_count; op++) {
    const ash_kernel *k = m->code[op].kernel;
    if (!m->code[op].special || ash_kernel_file(k) != file)
      continue;
    const char *head = ash_zone_format(&m->ctx->scratch, "\nvoid ash_rt_%s(",
                                       m->code[op].function);
    *entry = head ? strstr(s->text, head) : NULL;
    if (*entry && *entry < s->text + s->bytes)
      return op;
  }
  return ASH_NO_ID;
}

/* A section, which ends with the kernel's function, this function once more as
 * a part of its callers, and these: each is compiled for the parameters of one
 * layer. */
static ash_status put_special(ash_module *m, uint32_t layer,
                              const ash_section *s, const char *entry) {
  const ash_kernel *k = m->code[layer].kernel;
  const char *function = m->code[layer].function;
  ASH_ASSERT(k->special != ASH_SPECIAL_NEVER && entry > s->text &&
             entry < s->text + s->bytes);
  const char *const end = s->text + s->bytes;
  put_lines(m, s->text, is_shared(m, k, function) ? end : entry);
  ash_text_blank(m->text);
  ash_text_line(m->text, "%s_RT_INLINE void %s_rt_%s_inline(", m->upper,
                m->prefix, function);
  put_lines(m, strchr(entry, '(') + 1, end);
  for (uint32_t op = 0; op < m->g->op_count; op++)
    if (m->code[op].kernel == k && m->code[op].special &&
        strcmp(m->code[op].function, function) == 0) {
      ash_text_blank(m->text);
      ASH_TRY(ash_emit_step(m, op));
    }
  return ASH_OK;
}

static ash_status put_sections(ash_module *m, const ash_embedded *file) {
  ASH_ASSERT(file && file->text);
  for (ash_section s = ash_section_first(file); s.bytes;
       s = ash_section_after(&s)) {
    const char *entry = NULL;
    if (!is_needed(m, file, &s))
      continue;
    ash_text_blank(m->text);
    const uint32_t special = special_in(m, file, &s, &entry);
    if (special != ASH_NO_ID)
      ASH_TRY(put_special(m, special, &s, entry));
    else
      put_lines(m, s.text, s.text + s.bytes);
  }
  return ash_zone_check(m->ctx, &m->ctx->scratch);
}

ash_status ash_emit_kernels_source(ash_module *m) {
  bool any = ash_emit_is_tiled(m);
  ash_emit_banner(m,
                  ash_zone_format(&m->ctx->scratch, "%s_kernels.c", m->prefix),
                  "the kernels that this model uses");
  ash_text_line(m->text, "#include \"%s_kernels.h\"", m->prefix);
  if (has_special(m))
    ash_text_line(m->text, "#include \"%s_memory.h\"", m->prefix);
  if (any) {
    ash_text_blank(m->text);
    put_body(m, ash_runtime_file("ash_rt_tile.c"));
  }
  for (size_t i = 0; i < kernel_count(m); i++) {
    const ash_kernel *k = kernel_at(m, i);
    if (!k || !k->file || seen(m, i))
      continue;
    ASH_TRY(put_sections(m, ash_kernel_file(k)));
    any = true;
  }
  if (!any)
    ash_text_line(m->text, "typedef int %s_has_no_kernels;", m->prefix);
  return ASH_OK;
}
