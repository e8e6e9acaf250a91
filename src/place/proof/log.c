/* log.c - see log.h. The table of the search may forget a refutation, the log
 * does not: what the search finds in its table was written before. */
#include "place/proof/log.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_MOST = 128, FIRST_SLOTS = 1 << 10 };

void ash_place_log_init(ash_place_log *log, ash_place_write *write,
                        void *user) {
  *log = (ash_place_log){.write = write, .user = user};
}

void ash_place_log_flush(ash_place_log *log) {
  if (log->count && !log->failed)
    log->failed = !log->write(log->user, log->bytes, log->count);
  log->count = 0;
}

void ash_place_log_put(ash_place_log *log, const char *fmt, ...) {
  va_list args;
  if (log->count + LINE_MOST > sizeof log->bytes)
    ash_place_log_flush(log);
  va_start(args, fmt);
  const int length = vsnprintf(log->bytes + log->count, LINE_MOST, fmt, args);
  va_end(args);
  ASH_ASSERT(0 <= length && length < LINE_MOST);
  log->count += (size_t)length;
}

/* ---- refuted states ------------------------------------------------------ */

static ash_place_log_known *slot_of(const ash_place_log *log,
                                    ash_place_key key) {
  ASH_ASSERT(log->known_count <= log->known_mask);
  size_t at = key.a & log->known_mask;
  while ((log->known[at].key.a || log->known[at].key.b) &&
         (log->known[at].key.a != key.a || log->known[at].key.b != key.b))
    at = (at + 1) & log->known_mask;
  return &log->known[at];
}

static bool grow(ash_place_log *log) {
  const size_t slots = log->known_mask + 1;
  const ash_place_log_known *old = log->known;
  if (log->known_count < slots / 2)
    return true;
  log->known = ASH_NEW_ARRAY(log->zone, ash_place_log_known, slots * 2);
  if (!log->known)
    return false;
  log->known_mask = slots * 2 - 1;
  for (size_t i = 0; i < slots; i++)
    if (old[i].key.a || old[i].key.b)
      *slot_of(log, old[i].key) = old[i];
  return true;
}

bool ash_place_log_begin(ash_place_log *log, ash_zone *zone,
                         const uint32_t *buffer, const int64_t *time) {
  log->zone = zone;
  log->buffer = buffer;
  log->time = time;
  log->nodes = 0;
  log->known_count = 0;
  log->known_mask = FIRST_SLOTS - 1;
  log->known = ASH_NEW_ARRAY(zone, ash_place_log_known, FIRST_SLOTS);
  return !zone->failed;
}

/* ---- events -------------------------------------------------------------- */

uint32_t ash_place_log_open(ash_place_log *log, uint32_t moment) {
  if (!log)
    return 0;
  ash_place_log_put(log, "n %lld\n", (long long)log->time[moment]);
  return log->nodes++;
}

void ash_place_log_move(ash_place_log *log, uint32_t block) {
  if (!log)
    return;
  if (block == ASH_PLACE_NOBODY)
    ash_place_log_put(log, "u\n");
  else
    ash_place_log_put(log, "b %lu\n", (unsigned long)log->buffer[block]);
}

void ash_place_log_again(ash_place_log *log, ash_place_key key) {
  if (!log)
    return;
  const ash_place_log_known *known = slot_of(log, key);
  ASH_ASSERT(known->key.a == key.a && known->key.b == key.b);
  ash_place_log_put(log, "r %lu\n", (unsigned long)known->node);
}

void ash_place_log_refuted(ash_place_log *log, ash_place_key key,
                           uint32_t node) {
  if (!log)
    return;
  ash_place_log_put(log, "e\n");
  if ((key.a == 0 && key.b == 0) || !grow(log))
    return; /* the zone's flag ends the search */
  ash_place_log_known *known = slot_of(log, key);
  log->known_count += known->key.a == 0 && known->key.b == 0;
  *known = (ash_place_log_known){key, node};
}

void ash_place_log_leave(ash_place_log *log) {
  if (log)
    ash_place_log_put(log, "a\n");
}

void ash_place_log_restart(ash_place_log *log) {
  if (log)
    ash_place_log_put(log, "c\n");
}
