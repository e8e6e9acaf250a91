/* plan_certificate.h - why the arenas of a plan cannot be smaller
 * (docs/certificates.md). */
#ifndef CLI_PLAN_CERTIFICATE_H
#define CLI_PLAN_CERTIFICATE_H

#include "ashlar/plan.h"
#include "ashlar/report.h"

/* Writes the file, and says on stderr what is certified unless `quiet`, and in
 * `said` for a page; false after saying what is wrong, also if the bound of the
 * order is not refuted again or that of an arena is not its load. */
bool write_plan_certificate(ash_ctx *ctx, const char *path,
                            const ash_plan *plan, const ash_graph *graph,
                            uint64_t order_ticks, bool quiet,
                            ash_report_certificate *said);

#endif
