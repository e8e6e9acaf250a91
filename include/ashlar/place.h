/* ashlar/place.h - the packing solver: buffers with lifetimes and sizes in,
 * offsets out, with a lower bound and a verdict. Knows nothing of networks. */
#ifndef ASHLAR_PLACE_H
#define ASHLAR_PLACE_H

#include "ashlar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ASH_FREE_OFFSET INT64_MIN

/* A time window in which a buffer is not needed, or only in part: during
 * [lower, upper) it occupies bytes [window_lo, window_hi) of itself; both zero:
 * none. */
typedef struct ash_gap {
  int64_t lower, upper;
  uint64_t window_lo, window_hi;
} ash_gap;

typedef struct ash_buffer {
  int64_t lower, upper; /* live during [lower, upper)                      */
  uint64_t size;        /* bytes; 0 takes no room                          */
  uint64_t alignment;   /* of the offset; 0 and 1 mean any                 */
  int64_t offset;       /* fixed by the caller, or ASH_FREE_OFFSET         */
  int64_t hint;         /* preferred offset, or ASH_FREE_OFFSET            */
  const ash_gap *gaps;  /* sorted, inside the lifetime                     */
  size_t gap_count;
} ash_buffer;

/* Constraints between two buffers, besides being disjoint while both are live.
 * `distance` in bytes.
 *   - Buffers joined by a chain of SAME_OFFSET and FIXED_DISTANCE relations may
 *     all overlap each other.
 *   - A buffer may overlap those it is INSIDE of, also through a chain. Two
 *     buffers inside the same third are disjoint while both live.
 *   - Several MAY_OVERLAP relations of one pair must all allow an overlap. */
typedef enum ash_relation_kind {
  ASH_SAME_OFFSET,    /* offset[b] == offset[a]; they may overlap            */
  ASH_FIXED_DISTANCE, /* offset[b] == offset[a] + distance; may overlap      */
  ASH_INSIDE,         /* b lies inside a: offset[a] <= offset[b] and end too  */
  ASH_MAY_OVERLAP     /* while both live, either disjoint or
                         offset[a] >= offset[b] + distance: the reader a's
                         frontier stays ahead of the writer b              */
} ash_relation_kind;

typedef struct ash_relation {
  ash_relation_kind kind;
  uint32_t a, b;
  int64_t distance;
} ash_relation;

typedef struct ash_place_problem {
  const ash_buffer *buffers;
  size_t buffer_count;
  const ash_relation *relations;
  size_t relation_count;
  uint64_t capacity; /* 0: no limit, minimise                              */
  bool minimise;     /* with a capacity: also find the smallest height     */
} ash_place_problem;

/* Techniques of the search, for ash_place_options.off. The answers do not
 * depend on them, only the effort. */
#define ASH_OFF_SUPPORT  ((uint64_t)1 << 0)  /* bottom-justified placements   */
#define ASH_OFF_MEMORY   ((uint64_t)1 << 1)  /* transposition table           */
#define ASH_OFF_TWINS    ((uint64_t)1 << 2)  /* equal buffers in one order    */
#define ASH_OFF_SPLIT    ((uint64_t)1 << 3)  /* independent parts             */
#define ASH_OFF_JACKSON  ((uint64_t)1 << 4)  /* one-machine bound             */
#define ASH_OFF_LEARNING ((uint64_t)1 << 5)  /* weights of failed moments  */
#define ASH_OFF_RESTARTS ((uint64_t)1 << 6)  /* Luby restarts */
#define ASH_OFF_SUBSET   ((uint64_t)1 << 7)  /* rounding to reachable heights */
#define ASH_OFF_RACE     ((uint64_t)1 << 8)  /* first fit before the search   */
#define ASH_OFF_REPAIR   ((uint64_t)1 << 9)  /* squeaky wheel, windows        */
#define ASH_OFF_GUIDE    ((uint64_t)1 << 10) /* guided by good dives  */
#define ASH_OFF_COUNT    11

typedef struct ash_place_options {
  size_t struct_bytes; /* see ashlar/base.h                               */
  uint64_t ticks;      /* effort limit; 0: the default                    */
  uint64_t seed;
  uint32_t threads;      /* 0 and 1: one                                    */
  const char *heuristic; /* a name instead of the exact search, or NULL     */
  uint64_t off;          /* bit set of techniques switched off              */
  bool (*stop)(void *user); /* polled; true ends the run, verdict says so   */
  void *stop_user;
} ash_place_options;

typedef enum ash_place_reason {
  ASH_REASON_NONE,
  ASH_REASON_BOUND_MET,        /* height equals the lower bound        */
  ASH_REASON_SEARCH_EXHAUSTED, /* every smaller height was refuted     */
  ASH_REASON_OVER_CAPACITY,    /* the bound alone exceeds the capacity */
  ASH_REASON_TICKS,            /* the effort limit ended the search    */
  ASH_REASON_STOPPED           /* the caller's stop ended it           */
} ash_place_reason;

typedef struct ash_place_result {
  ash_verdict verdict;
  ash_place_reason reason;
  uint64_t height;        /* of the placement; valid if offsets != NULL      */
  uint64_t lower_bound;   /* no placement is lower                           */
  const int64_t *offsets; /* one per buffer, kept by the context; or NULL  */
  uint64_t ticks;
  int64_t witness_time;    /* the time whose buffers force the bound          */
  const uint32_t *witness; /* those buffers                                 */
  size_t witness_count;
} ash_place_result;

/* Solves; the status is ASH_OK whatever the verdict. ASH_MALFORMED for a
 * contradictory problem, with the buffer named by its index. */
ASH_API ASH_MUST_CHECK ash_status ash_place(ash_ctx *ctx, ash_place_result *out,
                                            const ash_place_problem *problem,
                                            const ash_place_options *options);

/* Is this placement right? Slow, obvious, shares no code with the solver. */
ASH_API ASH_MUST_CHECK ash_status
ash_place_check(ash_ctx *ctx, uint64_t *height,
                const ash_place_problem *problem, const int64_t *offsets);

/* Takes a piece of a certificate; false: it cannot. */
typedef bool ash_place_write(void *user, const char *bytes, size_t count);

/* Writes why the result's bound is true (docs/certificates.md), for a program
 * that trusts nobody. Where the load does not say it, one component is refuted
 * again, in at most `options->ticks`. `*certified` is false if that was not
 * enough, if the problem has relations, or if `write` failed: then what was
 * written is worth nothing. */
ASH_API ASH_MUST_CHECK ash_status ash_place_certify(
    ash_ctx *ctx, bool *certified, const ash_place_problem *problem,
    const ash_place_result *result, const ash_place_options *options,
    ash_place_write *write, void *user);

/* The names for ash_place_options.heuristic: index 0.. until NULL. */
ASH_API const char *ash_place_heuristic_name(size_t index);

/* ---- CSV files ----------------------------------------------------------
 * MiniMalloc's format: a header names the columns id, lower, upper, size and
 * optionally alignment, hint, gaps, offset, in any order; `start`, `begin` and
 * `end` (inclusive) are accepted as well, other columns are ignored. The first
 * empty line ends the file. An empty cell of the column offset leaves its
 * buffer free, so that some can be pinned and others not. */
typedef struct ash_csv {
  const ash_buffer *buffers; /* offset: from its cell, else free */
  const char *const *ids;
  size_t count;
  bool has_offsets; /* there was an offset column */
} ash_csv;

/* The bytes are copied; everything lives as long as the context. Errors carry
 * the line. */
ASH_API ASH_MUST_CHECK ash_status ash_csv_read(ash_ctx *ctx, ash_csv *out,
                                               const char *bytes, size_t count,
                                               const char *file);

/* The same buffers with a last column of offsets, in MiniMalloc's normal form:
 * half-open lifetimes; alignment, hint and gaps only where some buffer has
 * one. */
ASH_API ASH_MUST_CHECK ash_status ash_csv_write(ash_ctx *ctx, const char **text,
                                                size_t *text_count,
                                                const ash_csv *csv,
                                                const int64_t *offsets);

#ifdef __cplusplus
}
#endif
#endif
