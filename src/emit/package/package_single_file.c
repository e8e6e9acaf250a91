/* package_single_file.c - the header, and one .c file that holds all the rest:
 * the other files one after the other, without their includes of each other. */
#include "emit/package/package.h"

#include <string.h>

static ash_generated *find_file(ash_module *m, const char *ending) {
  ASH_ASSERT(ending[0] == '_' || ending[0] == '.');
  const size_t n = strlen(m->prefix);
  for (size_t i = 0; i < m->files.count; i++)
    if (strncmp(m->files.items[i].name, m->prefix, n) == 0 &&
        strcmp(m->files.items[i].name + n, ending) == 0)
      return &m->files.items[i];
  return NULL;
}

/* An include of one of the module's own files; they are all here. */
static bool is_own_include(const ash_module *m, const char *line, size_t n) {
  ASH_ASSERT(n > 0);
  static const char start[] = "#include \"";
  const size_t head = sizeof start - 1, prefix = strlen(m->prefix);
  return n > head + prefix && memcmp(line, start, head) == 0 &&
         memcmp(line + head, m->prefix, prefix) == 0;
}

static void put_file(ash_module *m, const ash_generated *file) {
  ASH_ASSERT(file->bytes && file->count > 0);
  const char *p = file->bytes, *end = p + file->count;
  while (p < end) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    const char *next = stop ? stop + 1 : end;
    if (!is_own_include(m, p, (size_t)(next - p)))
      ash_text_put(m->text, p, (size_t)(next - p));
    p = next;
  }
  ash_text_blank(m->text);
}

static void remove_file(ash_module *m, const ash_generated *file) {
  ASH_ASSERT(file >= m->files.items && file < m->files.items + m->files.count);
  const size_t at = (size_t)(file - m->files.items);
  m->files.count--;
  memmove(m->files.items + at, m->files.items + at + 1,
          (m->files.count - at) * sizeof *m->files.items);
}

/* Helpers that no kernel of this model uses are no mistake; clang looks for
 * them in .c files alone. */
static const char quiet[] =
    "#if defined(__clang__)\n"
    "#pragma clang diagnostic ignored \"-Wunused-function\"\n"
    "#endif\n";

ash_status ash_package_single_file(ash_module *m) {
  static const char *const order[] = {"_kernels.h", "_memory.h", "_constants.c",
                                      "_kernels.c"};
  ash_text t;
  ash_generated *main = find_file(m, ".c");
  ASH_INVARIANT(m->ctx, main != NULL);
  ash_text_init(&t, &m->ctx->mem);
  m->text = &t;
  ash_emit_banner(m, ash_zone_format(&m->ctx->scratch, "%s.c", m->prefix),
                  "the whole model in one file");
  ash_text_line(&t, "#include \"%s.h\"", m->prefix);
  ash_text_string(&t, quiet);
  ash_text_blank(&t);
  for (size_t i = 0; i < ASH_COUNT_OF(order); i++) {
    const ash_generated *part = find_file(m, order[i]);
    if (part) {
      put_file(m, part);
      remove_file(m, part);
    }
  }
  main = find_file(m, ".c");
  put_file(m, main);
  main->bytes = ash_zone_copy(m->zone, t.bytes, t.count);
  main->count = t.count;
  const ash_status status =
      main->bytes ? ash_text_check(m->ctx, &t) : ash_nomem(m->ctx);
  ash_text_drop(&t);
  return status;
}
