/* context.h - contexts for tests. */
#ifndef ASH_TESTS_CONTEXT_H
#define ASH_TESTS_CONTEXT_H

#include "ashlar/base.h"

ash_ctx *new_ctx(void);

/* The newest diagnostic, on stderr. */
void print_newest(const ash_ctx *ctx);

#endif
