/* progress.h - a line on the terminal that says how far something long is. It
 * appears after a second, only on terminals, and goes away without a trace. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "ashlar/base.h"

typedef struct progress {
  bool on;        /* standard error is a terminal and nobody said --quiet */
  bool shown;     /* there is a line to wipe out                          */
  double begun;   /* of all of it                                         */
  double started; /* of what is going on now                              */
  double told;    /* when the line was last written                       */
  const char *what;
  const char *outer; /* what it is part of, or NULL: "size 3 of 12"        */
  char outer_text[48];
} progress;

void progress_open(progress *p, bool quiet);
/* Listens to the library. */
void progress_listen(progress *p, ash_ctx *ctx);
/* Part `done` of `most` of a longer list. */
void progress_part(progress *p, const char *what, uint64_t done, uint64_t most);
/* What follows now, outside the library. */
void progress_next(progress *p, const char *what);
/* Says at once what is about to take long: a child that tells nothing. */
void progress_say(progress *p, const char *what);
/* Wipes the line out; before anything else is printed. */
void progress_clear(progress *p);

/* "about 12 s", "at most 3 min": `seconds` so far for `done` of `most`. Empty
 * while nothing can be said. */
void progress_estimate(char *buf, size_t size, double seconds, uint64_t done,
                       uint64_t most);

#endif
