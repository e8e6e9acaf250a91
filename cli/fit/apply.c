/* apply.c - see apply.h. */
#include "fit/apply.h"

#include "show/plan_facts.h"

#include <inttypes.h>

/* A number that the list does not have. */
static ash_status refuse(session *s, const fixes *f, uint64_t number,
                         bool fits) {
  const char *what = fits ? "needs less" : "makes it fit";
  progress_clear(&s->progress);
  if (f->count == 0) {
    (void)usage_error(s->cmd, "--apply %" PRIu64 ": nothing that was tried %s",
                      number, what);
    return ASH_MISUSE;
  }
  fprintf(stderr, "tried, and %s:\n", what);
  print_fixes(stderr, f);
  (void)usage_error(s->cmd, "--apply takes 1 to %zu here, not %" PRIu64,
                    f->count, number);
  return ASH_MISUSE;
}

static void tell(const fix *f, bool fits, uint64_t before) {
  fprintf(stderr, "applied %s (%s): %" PRIu64 " bytes of RAM", f->option,
          f->meaning, f->scratch);
  if (fits)
    fprintf(stderr, " instead of %" PRIu64, before);
  else
    fprintf(stderr, "; it does not fit without");
  (void)fputc('\n', stderr);
}

ash_status apply_fix(session *s, fixes *f, ash_compiled *c, ash_status status,
                     const char *path, uint64_t number) {
  const bool fits = status == ASH_OK;
  if ((!fits && status != ASH_NOFIT) || (fits && !c->plan))
    return status;
  const uint64_t before = fits ? plan_scratch(c->plan) : 0;
  ash_ctx_forget(s->ctx); /* it is said again, about the other plan */
  if (fits)
    find_savings(s, f, path, s->device, before);
  else
    find_fixes(s, f, FIXES_MAX, path, s->device);
  if (number < 1 || number > f->count)
    return refuse(s, f, number, fits);
  ash_compiled_drop(c);
  s->options = f->items[number - 1].options;
  if (!s->quiet)
    tell(&f->items[number - 1], fits, before);
  status = ash_compile(s->ctx, c, path, s->device, &s->options);
  progress_clear(&s->progress);
  return status;
}
