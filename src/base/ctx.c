/* ctx.c - context life cycle and diagnostics. */
#include "base/ctx.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *libc_resize(void *user, void *ptr, size_t old_bytes,
                         size_t new_bytes) {
  (void)user, (void)old_bytes;
  if (new_bytes)
    return realloc(ptr, new_bytes);
  free(ptr);
  return NULL;
}

ash_status ash_ctx_new(ash_ctx **out, const ash_allocator *mem) {
  ASH_NEED(NULL, out && (!mem || mem->resize));
  const ash_allocator libc = {.resize = libc_resize};
  if (!mem)
    mem = &libc;
  *out = NULL;
  ash_ctx *ctx = mem->resize(mem->user, NULL, 0, sizeof *ctx);
  if (!ctx)
    return ASH_NOMEM;
  *ctx = (ash_ctx){.mem = *mem};
  ash_zone_init(&ctx->keep, &ctx->mem);
  ash_zone_init(&ctx->scratch, &ctx->mem);
  *out = ctx;
  return ASH_OK;
}

void ash_ctx_free(ash_ctx *ctx) {
  if (!ctx)
    return;
  for (const ash_cleanup *c = ctx->cleanups; c; c = c->older)
    c->run(c->user);
  ash_zone_drop(&ctx->scratch);
  ash_zone_drop(&ctx->keep);
  const ash_allocator mem = ctx->mem;
  (void)mem.resize(mem.user, ctx, sizeof *ctx, 0);
}

void ash_take_options(void *to, size_t size, const void *from) {
  size_t given;
  if (!from)
    return;
  memcpy(&given, from, sizeof given);
  memcpy(to, from, given && given < size ? given : size);
}

ash_status ash_ctx_on_free(ash_ctx *ctx, void (*run)(void *user), void *user) {
  ash_cleanup *made = ASH_NEW(&ctx->keep, ash_cleanup);
  if (!made)
    return ash_nomem(ctx);
  *made = (ash_cleanup){run, user, ctx->cleanups};
  ctx->cleanups = made;
  return ASH_OK;
}

const char *ash_version(void) {
  return ASHLAR_VERSION;
}

const char *ash_status_text(ash_status code) {
  switch (code) {
#define X(name, value, text)                                                   \
  case ASH_##name:                                                             \
    return text;
    ASH_STATUS_MAP(X)
#undef X
  }
  return "unknown status";
}

const char *ash_verdict_text(ash_verdict verdict) {
  static const char *const text[] = {"unknown", "feasible", "optimal",
                                     "infeasible"};
  return (unsigned)verdict < ASH_COUNT_OF(text) ? text[verdict] : "unknown";
}

const ash_diag *ash_ctx_diags(const ash_ctx *ctx, size_t *count) {
  if (!(ctx && count))
    return NULL;
  *count = ctx->diag_count;
  return ctx->diags;
}

void ash_ctx_on_progress(ash_ctx *ctx, ash_progress_fn *fn, void *user) {
  if (!ctx)
    return;
  ctx->progress = fn;
  ctx->progress_user = user;
}

void ash_ctx_forget(ash_ctx *ctx) {
  if (!ctx)
    return;
  ctx->diag_count = 0;
}

static char *format_kept(ash_ctx *ctx, const char *fmt, va_list ap)
    ASH_PRINTF(2, 0);
static char *format_kept(ash_ctx *ctx, const char *fmt, va_list ap) {
  va_list again;
  va_copy(again, ap);
  const int need = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  const size_t bytes = need < 0 ? 1 : (size_t)need + 1;
  char *text = ASH_NEW_ARRAY(&ctx->keep, char, bytes);
  if (text)
    (void)vsnprintf(text, bytes, fmt, ap);
  return text;
}

/* Locations point into models that may be gone before the diagnostic is read,
 * so their strings are copied. A failed copy only loses the string. */
static ash_loc keep_loc(ash_ctx *ctx, ash_loc loc) {
  loc.file = ash_zone_string(&ctx->keep, loc.file);
  loc.op_kind = ash_zone_string(&ctx->keep, loc.op_kind);
  loc.op_name = ash_zone_string(&ctx->keep, loc.op_name);
  loc.tensor_name = ash_zone_string(&ctx->keep, loc.tensor_name);
  return loc;
}

static void record(ash_ctx *ctx, ash_diag diag, const char *fmt, va_list ap)
    ASH_PRINTF(3, 0);
static void record(ash_ctx *ctx, ash_diag diag, const char *fmt, va_list ap) {
  ctx->diag_dropped = ctx->diag_count == ASH_DIAG_MAX;
  if (ctx->diag_dropped)
    return;
  const char *text = format_kept(ctx, fmt, ap);
  diag.message = text ? text : ash_status_text(diag.code);
  diag.loc = keep_loc(ctx, diag.loc);
  ctx->diags[ctx->diag_count++] = diag;
}

ash_status ash_fail(ash_ctx *ctx, ash_status code, ash_diag_id id, ash_loc loc,
                    const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  record(ctx,
         (ash_diag){.severity = ASH_ERROR, .code = code, .id = id, .loc = loc},
         fmt, ap);
  va_end(ap);
  return code;
}

ash_status ash_need(ash_ctx *ctx, const char *function, const char *condition) {
  return ctx ? ash_fail(ctx, ASH_MISUSE, ASH_D_misuse, ASH_NOWHERE,
                        "%s needs %s", function, condition)
             : ASH_MISUSE;
}

void ash_warn(ash_ctx *ctx, ash_diag_id id, ash_loc loc, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  record(ctx, (ash_diag){.severity = ASH_WARNING, .id = id, .loc = loc}, fmt,
         ap);
  va_end(ap);
}

void ash_note(ash_ctx *ctx, ash_diag_id id, ash_loc loc, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  record(ctx, (ash_diag){.severity = ASH_NOTE, .id = id, .loc = loc}, fmt, ap);
  va_end(ap);
}

void ash_hint(ash_ctx *ctx, const char *fmt, ...) {
  if (ctx->diag_count == 0 || ctx->diag_dropped)
    return;
  va_list ap;
  va_start(ap, fmt);
  ctx->diags[ctx->diag_count - 1].hint = format_kept(ctx, fmt, ap);
  va_end(ap);
}

ash_status ash_nomem(ash_ctx *ctx) {
  return ash_fail(ctx, ASH_NOMEM, ASH_D_nomem, ASH_NOWHERE,
                  "out of host memory");
}

#ifdef ASH_DEBUG
/* Only in debug builds: says what was false, and stops where it was noticed. */
void ash_assertion_failed(const char *condition, const char *file, int line) {
  (void)fprintf(stderr, "%s:%d: not (%s)\n", file, line, condition);
  abort();
}
#endif

ash_status ash_zone_check(ash_ctx *ctx, const ash_zone *z) {
  return z->failed ? ash_nomem(ctx) : ASH_OK;
}

/* ---- printing ----------------------------------------------------------- */

typedef struct cut { /* snprintf into what is left, counting what was wanted */
  char *buf;
  size_t size, want;
} cut;

static void put(cut *c, const char *fmt, ...) ASH_PRINTF(2, 3);
static void put(cut *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  const size_t at = c->want < c->size ? c->want : c->size;
  const int n = vsnprintf(c->buf + at, c->size - at, fmt, ap);
  va_end(ap);
  c->want += n < 0 ? 0 : (size_t)n;
}

/* The path inside a model: op, tensor, byte. Says whether there was one. */
static bool put_path(cut *c, const ash_loc *loc) {
  const size_t before = c->want;
  if (loc->op != UINT32_MAX)
    put(c, "op %u ", (unsigned)loc->op);
  if (loc->op_kind)
    put(c, "%s ", loc->op_kind);
  if (loc->op_name)
    put(c, "'%s' ", loc->op_name);
  if (loc->tensor != UINT32_MAX)
    put(c, "tensor %u ", (unsigned)loc->tensor);
  if (loc->tensor_name)
    put(c, "'%s' ", loc->tensor_name);
  if (loc->byte != UINT64_MAX)
    put(c, "at byte 0x%llx ", (unsigned long long)loc->byte);
  return c->want > before;
}

static void put_location(cut *c, const ash_loc *loc) {
  if (loc->file)
    put(c, "%s:", loc->file);
  if (loc->line != UINT32_MAX)
    put(c, "%u:", (unsigned)loc->line);
  if (c->want)
    put(c, " ");
  if (put_path(c, loc)) {
    c->want--; /* the path's last blank gives way to a colon */
    put(c, ": ");
  }
}

size_t ash_diag_format(char *buf, size_t size, const ash_diag *diag) {
  if (!(diag && (buf || size == 0)))
    return 0;
  static const char *const severity[] = {"note", "warning", "error"};
  cut c = {buf, size, 0};
  if (size)
    buf[0] = '\0';
  put_location(&c, &diag->loc);
  put(&c, "%s", severity[diag->severity]);
  if (diag->id)
    put(&c, " ASH%04u", (unsigned)diag->id);
  put(&c, ": %s", diag->message);
  if (diag->hint)
    put(&c, "\n  hint: %s", diag->hint);
  if (size)
    ash_text_clean(buf, "\n\t");
  return c.want;
}

/* ---- explanations ------------------------------------------------------- */

static const struct {
  uint32_t id;
  const char *title, *text;
} explained[] = {
#define DIAG(id, name, title, text) {id, title, text},
#include "base/diags.def"
#undef DIAG
};

const char *ash_explain_title(uint32_t id) {
  for (size_t i = 0; i < ASH_COUNT_OF(explained); i++)
    if (explained[i].id == id)
      return explained[i].title;
  return NULL;
}

const char *ash_explain_text(uint32_t id) {
  for (size_t i = 0; i < ASH_COUNT_OF(explained); i++)
    if (explained[i].id == id)
      return explained[i].text;
  return NULL;
}

uint32_t ash_explain_id(size_t index) {
  return index < ASH_COUNT_OF(explained) ? explained[index].id : 0;
}
