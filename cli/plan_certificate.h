/* plan_certificate.h - why the arenas of a plan cannot be smaller
 * (docs/certificates.md). */
#ifndef CLI_PLAN_CERTIFICATE_H
#define CLI_PLAN_CERTIFICATE_H

#include "ashlar/plan.h"

/* Writes the file; false after saying on stderr what is wrong, also if the
 * bound of an arena is not that of its load. */
bool write_plan_certificate(ash_ctx *ctx, const char *path,
                            const ash_plan *plan, const ash_graph *graph);

#endif
