/* assert.h - preconditions and invariants, checked in debug builds.
 *
 * ASH_ASSERT(condition) states what a function relies on because its callers or
 * an earlier stage guarantee it: an index in range, a sorted list, a non-empty
 * interval. Debug and sanitizer builds (ASH_DEBUG, cmake/flags.cmake) print
 * file, line and condition and abort; other builds compile it to nothing, so it
 * may be as expensive as it likes to be and must have no side effect.
 *
 * ASH_INVARIANT(ctx, condition) of base/ctx.h is for the few facts that are
 * checked in every build, because a wrong answer would leave the library: there
 * a release build returns ASH_INTERNAL. Input is never asserted: it is checked,
 * with a diagnostic. */
#ifndef ASH_BASE_ASSERT_H
#define ASH_BASE_ASSERT_H

#ifdef ASH_DEBUG
void ash_assertion_failed(const char *condition, const char *file, int line);
#define ASH_ASSERT(condition)                                                  \
  ((condition) ? (void)0 : ash_assertion_failed(#condition, __FILE__, __LINE__))
#else
#define ASH_ASSERT(condition) ((void)(0 && (condition)))
#endif

#endif
