/* no_fit.h - the page about a model that does not fit its device: the plan that
 * is missing room, how much, and what helps. */
#ifndef CLI_NO_FIT_H
#define CLI_NO_FIT_H

#include "fit/fixes.h"
#include "fit/room.h"

void print_no_fit(const term *t, const room *r, const fix *fixes,
                  size_t fix_count, const char *path, const ash_device *device);

/* The same as a web page; `report` NULL asks for nothing. */
ash_status write_no_fit(session *s, const char *report, const room *r,
                        const fix *fixes, size_t fix_count, const char *path);

#endif
