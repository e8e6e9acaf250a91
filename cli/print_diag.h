/* print_diag.h - diagnostics for people, and what the shell is told. */
#ifndef ASH_CLI_PRINT_DIAG_H
#define ASH_CLI_PRINT_DIAG_H

#include "ashlar/base.h"

#include <stdio.h>

/* Everything the context has to say, one diagnostic a line (hints on a line
 * of their own), then forgets it. `color` is
 * --color, see term.h; print_diags means "auto". */
void print_diags_as(ash_ctx *ctx, FILE *out, const char *color);
void print_diags(ash_ctx *ctx, FILE *out);

/* The exit code for a status: 0 done, 20 does not fit, 64 usage, 65 bad input,
 * 69 unsupported, 70 internal, 74 I/O. */
int exit_code_of(ash_status status);

#endif
