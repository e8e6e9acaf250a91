/* ashlar/base.h - shared by the whole public interface: status codes,
 * diagnostics, the allocator and the context.
 *
 * Rules that hold for the whole library:
 *   - argument order: context, outputs, inputs (an array, then its count),
 *     options;
 *   - outputs are set to a defined "nothing" before anything can fail;
 *   - the library never prints, exits, aborts or reads the clock;
 *   - a verdict ("does not fit") is a result, not an error. */
#ifndef ASHLAR_BASE_H
#define ASHLAR_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ASH_API          __attribute__((visibility("default")))
#define ASH_MUST_CHECK   __attribute__((warn_unused_result))
#define ASH_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define ASH_API
#define ASH_MUST_CHECK
#define ASH_PRINTF(f, a)
#endif

/* Status codes. Values are pinned: a code keeps its number for ever. */
#define ASH_STATUS_MAP(X)                                                      \
  X(OK, 0, "success")                                                          \
  X(NOMEM, 1, "out of host memory")                                            \
  X(MISUSE, 2, "the caller broke a documented precondition")                   \
  X(LIMIT, 3, "a limit was reached")                                           \
  X(IO, 10, "a file could not be read or written")                             \
  X(MALFORMED, 20, "an input contradicts its own format")                      \
  X(UNSUPPORTED, 21, "an input uses something Ashlar does not implement")      \
  X(NOFIT, 30, "no plan fits the device")                                      \
  X(INTERNAL, 90, "Ashlar contradicted itself; please report this")

typedef enum ash_status {
#define X(name, value, text) ASH_##name = (value),
  ASH_STATUS_MAP(X)
#undef X
} ash_status;

ASH_API const char *ash_status_text(ash_status code);

/* What a search ended with. A proof that nothing fits is a useful answer. */
typedef enum ash_verdict {
  ASH_UNKNOWN = 0,   /* budget spent, nothing found, nothing proved   */
  ASH_FEASIBLE = 1,  /* a checked answer exists; optimality not proved */
  ASH_OPTIMAL = 2,   /* a checked answer and a matching lower bound    */
  ASH_INFEASIBLE = 3 /* proved that no answer exists                   */
} ash_verdict;

ASH_API const char *ash_verdict_text(ash_verdict verdict);

/* One function does malloc, realloc and free; `old_bytes` is exact, so an
 * allocator needs no header of its own. new_bytes == 0 frees, returns NULL. */
typedef struct ash_allocator {
  void *(*resize)(void *user, void *ptr, size_t old_bytes, size_t new_bytes);
  void *user;
} ash_allocator;

/* Where something was found: a path into the user's input rather than a line.
 * Numbers are UINT32_MAX / UINT64_MAX and strings NULL where they do not
 * apply. Strings live as long as the context. */
typedef struct ash_loc {
  const char *file;
  uint32_t line;
  uint32_t op;
  const char *op_kind;
  const char *op_name;
  uint32_t tensor;
  const char *tensor_name;
  uint64_t byte;
} ash_loc;

typedef enum ash_severity { ASH_NOTE, ASH_WARNING, ASH_ERROR } ash_severity;

typedef struct ash_diag {
  ash_severity severity;
  ash_status code;
  uint32_t id; /* 2107 is printed as ASH2107; `ashlar explain ASH2107` */
  ash_loc loc;
  const char *message;
  const char *hint; /* what to do about it, or NULL */
} ash_diag;

typedef struct ash_ctx ash_ctx;

/* Structs of options grow at their end. Their first field, `struct_bytes`, is
 * the sizeof that the caller was compiled with: fields after it are not read
 * and have their defaults. 0 means all fields of this version. Structs that are
 * members of others have a `reserved` field, which must be zero, and keep their
 * size. */

/* NULL for `mem` means the C library's allocator. */
ASH_API ASH_MUST_CHECK ash_status ash_ctx_new(ash_ctx **out,
                                              const ash_allocator *mem);
ASH_API void ash_ctx_free(ash_ctx *ctx);

/* All diagnostics so far, oldest first; ash_ctx_forget empties the list. */
ASH_API const ash_diag *ash_ctx_diags(const ash_ctx *ctx, size_t *count);
ASH_API void ash_ctx_forget(ash_ctx *ctx);

/* Called now and then during long work: what it is ("placing"), how much is
 * done and, if known, an upper limit (0: not known; it may end sooner). It
 * should return quickly. NULL: no reports. */
typedef void ash_progress_fn(void *user, const char *what, uint64_t done,
                             uint64_t most);
ASH_API void ash_ctx_on_progress(ash_ctx *ctx, ash_progress_fn *fn, void *user);

/* One diagnostic as a compiler would print it, without a newline, NUL-ended
 * and truncated to `size`. Returns the full length. */
ASH_API size_t ash_diag_format(char *buf, size_t size, const ash_diag *diag);

/* The registered diagnostics: title and explanation of an id, NULL if there is
 * none. `ash_explain_id` walks them: index 0.. until it returns 0. */
ASH_API const char *ash_explain_title(uint32_t id);
ASH_API const char *ash_explain_text(uint32_t id);
ASH_API uint32_t ash_explain_id(size_t index);

#define ASHLAR_VERSION "0.1.0"
ASH_API const char *ash_version(void);

/* The one of `known` that a mistyped word probably meant, NULL if none is near.
 */
ASH_API const char *ash_nearest_of(const char *word, const char *const *known,
                                   size_t count);

/* CRC-32 as zip, PNG and the header of a weights file have it. */
ASH_API uint32_t ash_crc32(const void *bytes, size_t count);

#ifdef __cplusplus
}
#endif
#endif
