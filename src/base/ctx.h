/* ctx.h - what every internal function may reach: memory and diagnostics. */
#ifndef ASH_BASE_CTX_H
#define ASH_BASE_CTX_H

/* Models, plans and generated constants are read and written as they lie in
 * memory. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Ashlar needs a little-endian host"
#endif
#endif

#include "ashlar/base.h"
#include "base/assert.h"
#include "base/zone.h"

enum { ASH_DIAG_MAX = 64 };

/* Something to be undone when the context goes, newest first. */
typedef struct ash_cleanup {
  void (*run)(void *user);
  void *user;
  struct ash_cleanup *older;
} ash_cleanup;

struct ash_ctx {
  ash_allocator mem;
  ash_zone keep;    /* results and diagnostics: lives as long as the ctx */
  ash_zone scratch; /* empty between public calls                        */
  ash_diag diags[ASH_DIAG_MAX];
  size_t diag_count;
  ash_cleanup *cleanups;
  void *planners;    /* what was registered: plan/backend/registry.c */
  bool diag_dropped; /* the newest found no room */
  ash_progress_fn *progress;
  void *progress_user;
};

/* Tells who listens how far a long piece of work is. */
static inline void ash_progress(const ash_ctx *ctx, const char *what,
                                uint64_t done, uint64_t most) {
  if (ctx->progress)
    ctx->progress(ctx->progress_user, what, done, most);
}

/* Calls `run` when the context is freed. */
ash_status ash_ctx_on_free(ash_ctx *ctx, void (*run)(void *user), void *user);

/* Takes what the caller knows of a struct of options, by its `struct_bytes`,
 * the first field of all of them (see ashlar/base.h); the rest stays as it is
 * in `to`. */
void ash_take_options(void *to, size_t size, const void *from);

/* Ids of all diagnostics: ASH_D_<name>, from diags.def. */
typedef enum ash_diag_id {
#define DIAG(id, name, title, text) ASH_D_##name = (id),
#include "base/diags.def"
#undef DIAG
} ash_diag_id;

#define ASH_NOWHERE                                                            \
  ((ash_loc){.line = UINT32_MAX,                                               \
             .op = UINT32_MAX,                                                 \
             .tensor = UINT32_MAX,                                             \
             .byte = UINT64_MAX})

/* Record an error and hand its code back, so that the failing line reads
 *   return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_op_version, at,
 *                   "version %u of %s", v, name);
 * The first errors win; after ASH_DIAG_MAX nothing more is kept. */
ash_status ash_fail(ash_ctx *ctx, ash_status code, ash_diag_id id, ash_loc loc,
                    const char *fmt, ...) ASH_PRINTF(5, 6);
void ash_warn(ash_ctx *ctx, ash_diag_id id, ash_loc loc, const char *fmt, ...)
    ASH_PRINTF(4, 5);
void ash_note(ash_ctx *ctx, ash_diag_id id, ash_loc loc, const char *fmt, ...)
    ASH_PRINTF(4, 5);
/* Attach a hint to the newest diagnostic. */
void ash_hint(ash_ctx *ctx, const char *fmt, ...) ASH_PRINTF(2, 3);

/* A sticky zone failure becomes ASH_NOMEM, once per call site. */
ash_status ash_zone_check(ash_ctx *ctx, const ash_zone *z);
ash_status ash_nomem(ash_ctx *ctx);

/* Forward a failure unchanged. ASH_TRY, ASH_NEED and ASH_INVARIANT alone return
 * from inside a macro. */
#define ASH_TRY(expr)                                                          \
  do {                                                                         \
    const ash_status ash_try_status = (expr);                                  \
    if (ash_try_status != ASH_OK)                                              \
      return ash_try_status;                                                   \
  } while (0)

/* What the caller of a public function must give: nothing is done without it,
 * and the diagnostic names it. Without a context there is nobody to tell. */
#define ASH_NEED(ctx, condition)                                               \
  do {                                                                         \
    if (!(condition))                                                          \
      return ash_need((ctx), __func__, #condition);                            \
  } while (0)
ash_status ash_need(ash_ctx *ctx, const char *function, const char *condition);

/* A fact that is checked in every build, because a wrong answer would leave the
 * library otherwise: debug builds stop at once, release builds turn the
 * contradiction into ASH_INTERNAL with the place it was noticed. What only
 * debug builds check is ASH_ASSERT of base/assert.h. */
#ifdef ASH_DEBUG
#define ASH_INVARIANT(ctx, cond)                                               \
  ((void)(ctx),                                                                \
   (cond) ? (void)0 : ash_assertion_failed(#cond, __FILE__, __LINE__))
#else
#define ASH_INVARIANT(ctx, cond)                                               \
  do {                                                                         \
    if (!(cond))                                                               \
      return ash_fail((ctx), ASH_INTERNAL, ASH_D_internal, ASH_NOWHERE,        \
                      "%s:%d: not (%s)", __FILE__, __LINE__, #cond);           \
  } while (0)
#endif

#define ASH_COUNT_OF(array) (sizeof(array) / sizeof *(array))

#endif
