/* ashlar/report.h - plans for people: a web page that needs nothing but
 * itself. */
#ifndef ASHLAR_REPORT_H
#define ASHLAR_REPORT_H

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

/* The same from plans as JSON (docs/plan-format.md). They are not checked
 * here: ash_check_plan_json does that. With `other` the page compares the two;
 * NULL: it shows one. */
ASH_API ASH_MUST_CHECK ash_status ash_report_html_json(
    ash_ctx *ctx, const char **text, size_t *count, const char *json,
    size_t json_count, const char *other, size_t other_count);

#ifdef __cplusplus
}
#endif
#endif
