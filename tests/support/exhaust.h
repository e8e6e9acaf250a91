/* exhaust.h - memory runs out at every place that asks for some, by every way
 * there.
 *
 * Zones ask the allocator rarely, so an allocator that fails reaches few of
 * their callers. Here requests to zones fail as well: the functions of zone.h
 * are wrapped by the linker (--wrap; tests/unit/CMakeLists.txt), and the first
 * request whose chain of callers has not failed yet fails. Builds without
 * optimisation know the whole chain, others its innermost function. */
#ifndef ASH_TESTS_EXHAUST_H
#define ASH_TESTS_EXHAUST_H

#include "ashlar/base.h"

/* Runs `scenario` in new contexts until no chain of callers is left that has
 * not failed. A failure must be ASH_NOMEM with a diagnostic, and nothing may be
 * left allocated; at last it must succeed. Returns the number of failures; what
 * failed in earlier calls does not fail again. */
size_t exhaust(ash_status (*scenario)(ash_ctx *ctx));

#endif
