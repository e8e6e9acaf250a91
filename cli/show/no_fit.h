/* no_fit.h - the page about a model that does not fit its device: the plan that
 * is missing room, how much, and what helps. */
#ifndef CLI_NO_FIT_H
#define CLI_NO_FIT_H

#include "fit/fixes.h"
#include "fit/room.h"

void print_no_fit(session *s, const room *r, const fixes *f, const char *path);

/* The same as a web page; `report` NULL asks for nothing. */
ash_status write_no_fit(session *s, const char *report, const room *r,
                        const fixes *f);

#endif
