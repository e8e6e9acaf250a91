/* apply.h - --apply N: plan again with the fix or saving of that number. */
#ifndef CLI_APPLY_H
#define CLI_APPLY_H

#include "fit/fixes.h"

#define APPLY_NOTHING UINT64_MAX

/* The option, for the tables of commands that have it. */
#define APPLY_OPTION(number)                                                   \
  {                                                                            \
    "apply", 0, ARG_NUMBER, (number), "N",                                     \
        "take the fix of that number: of 'plan' for a model that does not "    \
        "fit, of 'explain' for one that does"                                  \
  }

/* `*c` and `status` are what planning without it gave. Afterwards they are what
 * compiling with the fix gives, the session has its options, and the change was
 * told. `f` must live as long as the session's options. */
ash_status apply_fix(session *s, fixes *f, ash_compiled *c, ash_status status,
                     const char *path, uint64_t number);

#endif
