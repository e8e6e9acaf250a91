/* ashlar/report.h - plans for people: a self-contained web page. */
#ifndef ASHLAR_REPORT_H
#define ASHLAR_REPORT_H

#include "ashlar/place.h"
#include "ashlar/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One self-contained HTML file: the viewer with the plan in it. NUL-ended,
 * kept by the context. */
ASH_API ASH_MUST_CHECK ash_status ash_report_html(ash_ctx *ctx,
                                                  const char **text,
                                                  size_t *count,
                                                  const ash_plan *plan,
                                                  const ash_graph *g);

/* A memory that is too small for a plan, and a way to run the model that was
 * tried and fits. */
typedef struct ash_report_shortage {
  const char *memory;
  uint64_t needs, has; /* bytes */
} ash_report_shortage;

typedef struct ash_report_fix {
  const char *command; /* to be copied                         */
  const char *meaning; /* half a sentence                      */
  uint64_t scratch;    /* bytes of all scratch arenas with it  */
  const char *option;  /* what the command has more than before */
} ash_report_fix;

typedef struct ash_report_no_fit {
  const ash_report_shortage *shortages;
  size_t shortage_count;
  const ash_report_fix *fixes;
  size_t fix_count;
} ash_report_no_fit;

/* The page of a plan that does not fit its device: its arenas are larger than
 * their total_size, or than what `why` says. */
ASH_API ASH_MUST_CHECK ash_status ash_report_short_html(
    ash_ctx *ctx, const char **text, size_t *count, const ash_plan *plan,
    const ash_graph *g, const ash_report_no_fit *why);

/* A size of a memory that the model was planned for (`ashlar sweep`). */
typedef struct ash_report_point {
  uint64_t bytes, used;   /* of the memory                          */
  uint64_t cycles;        /* modelled: ash_plan_cycles              */
  uint32_t row_operators; /* 0: layer by layer                      */
} ash_report_point;

typedef struct ash_report_curve {
  const char *memory;
  const ash_report_point *points; /* by size                        */
  size_t count;
  uint64_t chosen; /* the size that the plan of the page is for     */
} ash_report_curve;

/* The page of a plan, with what other sizes of a memory cost. */
ASH_API ASH_MUST_CHECK ash_status ash_report_curve_html(
    ash_ctx *ctx, const char **text, size_t *count, const ash_plan *plan,
    const ash_graph *g, const ash_report_curve *curve);

/* The same from plans as JSON (docs/plan-format.md). They are not checked
 * here: ash_check_plan_json does that. With `other` the page compares the two;
 * NULL: it shows one. */
ASH_API ASH_MUST_CHECK ash_status ash_report_html_json(
    ash_ctx *ctx, const char **text, size_t *count, const char *json,
    size_t json_count, const char *other, size_t other_count);

/* A packing of buffers on the same page; it must have offsets. `capacity` 0:
 * there was none. */
ASH_API ASH_MUST_CHECK ash_status ash_report_packing(
    ash_ctx *ctx, const char **text, size_t *count, const char *name,
    const ash_csv *csv, const ash_place_result *result, uint64_t capacity);

/* What a certificate (docs/certificates.md) says of the plan or the packing of
 * a page. */
typedef struct ash_report_certificate {
  const char *file; /* its name                                 */
  bool order;       /* it shows the bound of the order of steps */
  uint32_t arenas;  /* of activations ..                        */
  uint32_t shown;   /* .. whose bounds it shows                 */
} ash_report_certificate;

/* Adds that to a page that one of the functions above made. */
ASH_API ASH_MUST_CHECK ash_status
ash_report_certified(ash_ctx *ctx, const char **text, size_t *count,
                     const ash_report_certificate *certificate);

/* ---- two plans ----------------------------------------------------------- */

typedef enum ash_change_kind {
  ASH_CHANGE_NEW,   /* only in the second                                   */
  ASH_CHANGE_GONE,  /* only in the first                                    */
  ASH_CHANGE_SIZE,  /* another size                                         */
  ASH_CHANGE_PLACE, /* same size, another role, memory or offset            */
} ash_change_kind;

ASH_API const char *ash_change_text(ash_change_kind kind);

/* A tensor, as one of the two plans has it. */
typedef struct ash_diff_place {
  const char *role, *memory; /* NULL: it is not in that plan                */
  uint64_t offset, size;     /* of rows: of row 0; of all                   */
  uint32_t rows;             /* 0: it is whole                              */
  uint32_t most_alive;       /* rows at once                                */
  uint64_t row_bytes;
  uint32_t moves;
  uint64_t offsets; /* a fingerprint of where its rows lie                  */
} ash_diff_place;

typedef struct ash_diff_tensor {
  ash_change_kind kind;
  const char *id, *name;
  ash_diff_place before, after;
} ash_diff_tensor;

typedef struct ash_diff_arena {
  const char *role, *memory;
  uint64_t before, after; /* bytes; 0: there is none                        */
} ash_diff_arena;

typedef struct ash_diff_head {
  const char *model, *target, *verdict, *plan_hash, *layout_hash;
  uint32_t moves; /* of rows, in a run                                      */
  uint64_t moved_bytes;
} ash_diff_head;

typedef struct ash_plan_diff {
  ash_diff_head before, after;
  const ash_diff_arena *arenas; /* of both plans, also those that stayed     */
  size_t arena_count;
  const ash_diff_tensor *tensors; /* changed ones: largest change of bytes
                                     first, then by id                       */
  size_t tensor_count;
} ash_plan_diff;

/* What changed between two plans; tensors are the same if their names
 * are, or where a name repeats or is empty, their ids. Kept by the context. The
 * plans should have been checked before. */
ASH_API ASH_MUST_CHECK ash_status ash_diff_plans(ash_ctx *ctx,
                                                 ash_plan_diff *out,
                                                 const ash_plan_text *before,
                                                 const ash_plan_text *after);

#ifdef __cplusplus
}
#endif
#endif
