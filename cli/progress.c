/* progress.c - see progress.h. */
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double PATIENCE = 1.0, INTERVAL = 0.2; /* seconds */

static double now_seconds(void) {
  struct timespec t;
  if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
    return 0;
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_open(progress *p, bool quiet) {
  *p = (progress){.on = !quiet && isatty(STDERR_FILENO)};
  p->begun = p->started = p->told = now_seconds();
}

void progress_estimate(char *buf, size_t size, double seconds, uint64_t done,
                       uint64_t most) {
  buf[0] = '\0';
  if (most == 0 || done == 0 || done > most || done * 100 < most)
    return;
  const double left = seconds * (double)(most - done) / (double)done;
  if (left < 90)
    (void)snprintf(buf, size, "%.0f s", left < 1 ? 1 : left);
  else
    (void)snprintf(buf, size, "%.0f min", left / 60);
}

static void show(progress *p, const char *what, uint64_t done, uint64_t most,
                 double now) {
  char left[32];
  progress_estimate(left, sizeof left, now - p->started, done, most);
  fprintf(stderr, "\r\033[K%s%s%s", p->outer ? p->outer : "",
          p->outer ? ", " : "", what);
  if (most && done <= most)
    fprintf(stderr, " %.0f %%", 100.0 * (double)done / (double)most);
  fprintf(stderr, ", %.0f s", now - p->started);
  if (left[0])
    fprintf(stderr, ", at most %s more", left);
  (void)fflush(stderr);
  p->shown = true;
  p->told = now;
}

static void hear(void *user, const char *what, uint64_t done, uint64_t most) {
  progress *p = user;
  const double now = now_seconds();
  if (!p->what || strcmp(p->what, what) != 0) {
    p->what = what;
    if (!p->outer)
      p->started = now;
  }
  if (now - p->begun >= PATIENCE && now - p->told >= INTERVAL)
    show(p, what, done, most, now);
}

void progress_listen(progress *p, ash_ctx *ctx) {
  if (p->on)
    ash_ctx_on_progress(ctx, hear, p);
}

void progress_part(progress *p, const char *what, uint64_t done,
                   uint64_t most) {
  if (!p->on)
    return;
  const double now = now_seconds();
  char left[32];
  if (!p->outer)
    p->started = now;
  progress_estimate(left, sizeof left, now - p->started, done, most);
  (void)snprintf(p->outer_text, sizeof p->outer_text, "%s %llu of %llu%s%s",
                 what, (unsigned long long)done + 1, (unsigned long long)most,
                 left[0] ? ", about " : "", left);
  p->outer = p->outer_text;
}

void progress_next(progress *p, const char *what) {
  if (p->on)
    hear(p, what, 0, 0);
}

void progress_say(progress *p, const char *what) {
  if (!p->on)
    return;
  fprintf(stderr, "\r\033[K%s ...", what);
  (void)fflush(stderr);
  p->shown = true;
}

void progress_clear(progress *p) {
  if (p->shown)
    fprintf(stderr, "\r\033[K");
  p->shown = false;
}
