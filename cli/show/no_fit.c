/* no_fit.c - see no_fit.h. */
#include "show/no_fit.h"

#include "show/plan_table.h"

#include <inttypes.h>

static void print_shortages(const term *t, const room *r) {
  for (uint32_t i = 0; i < r->shortage_count; i++) {
    const shortage *m = &r->shortages[i];
    fprintf(t->out,
            "%s%s: %" PRIu64 " bytes short%s: it needs %" PRIu64
            " and may use %" PRIu64 "\n",
            t->colour ? "\033[1;31m" : "", m->memory, m->needs - m->has,
            t->colour ? "\033[0m" : "", m->needs, m->has);
  }
}

static void print_fixes(const term *t, const fix *fixes, size_t count,
                        const char *path, const ash_device *device) {
  if (count == 0) {
    fprintf(
        t->out,
        "\nnothing that was tried makes it fit: other memories, --overlap, "
        "rows,\ninputs that arrive row by row, smaller kernels. 'ashlar fit "
        "%s'\nlists the devices that do.\n",
        path);
    return;
  }
  fprintf(t->out, "\nit fits with one of these (each was tried):\n");
  for (size_t i = 0; i < count; i++)
    fprintf(t->out,
            "  ashlar plan %s --target %s %s\n      %s: %" PRIu64
            " bytes of RAM\n",
            path, device->name, fixes[i].option, fixes[i].meaning,
            fixes[i].scratch);
}

void print_no_fit(const term *t, const room *r, const fix *fixes,
                  size_t fix_count, const char *path,
                  const ash_device *device) {
  fprintf(t->out, "the smallest plan, which does not fit:\n\n");
  print_plan_page(t, &r->plan, r->made.graph);
  fputc('\n', t->out);
  print_shortages(t, r);
  print_fixes(t, fixes, fix_count, path, device);
}

enum { COMMAND_BYTES = 4096 };

/* Commands as a user would type them. */
static size_t list_fixes(ash_report_fix *out, char (*lines)[COMMAND_BYTES],
                         const fix *fixes, size_t count, const char *path,
                         const char *target) {
  for (size_t i = 0; i < count; i++) {
    (void)snprintf(lines[i], COMMAND_BYTES, "ashlar plan %s --target %s %s",
                   path, target, fixes[i].option);
    out[i] = (ash_report_fix){lines[i], fixes[i].meaning, fixes[i].scratch};
  }
  return count;
}

ash_status write_no_fit(session *s, const char *report, const room *r,
                        const fix *fixes, size_t fix_count, const char *path) {
  static char lines[FIXES_MAX][COMMAND_BYTES];
  ash_report_fix listed[FIXES_MAX];
  ash_report_shortage shortages[ASH_MEMORY_MAX];
  const char *text;
  size_t count;
  if (!report)
    return ASH_OK;
  for (uint32_t i = 0; i < r->shortage_count; i++)
    shortages[i] = (ash_report_shortage){
        r->shortages[i].memory, r->shortages[i].needs, r->shortages[i].has};
  const ash_report_no_fit why = {
      shortages, r->shortage_count, listed,
      list_fixes(listed, lines, fixes, fix_count, path, s->device->name)};
  const ash_status status = ash_report_short_html(
      s->ctx, &text, &count, &r->plan, r->made.graph, &why);
  return status == ASH_OK ? write_text(s, report, text, count) : status;
}
