/* log.h - writes a certificate while a refutation is searched: lines of text
 * through a small buffer, nothing kept but the numbers of refuted states. The
 * format is docs/certificates.md. */
#ifndef ASH_PLACE_PROOF_LOG_H
#define ASH_PLACE_PROOF_LOG_H

#include "ashlar/place.h"
#include "base/ctx.h"
#include "place/exact/table.h"

struct ash_place_valley;

typedef struct ash_place_log_known { /* a refuted state and its node */
  ash_place_key key;
  uint32_t node;
} ash_place_log_known;

typedef struct ash_place_log {
  ash_place_write *write;
  void *user;
  bool failed; /* the writer did not take everything */
  char bytes[1 << 14];
  size_t count;
  ash_zone *zone;
  const uint32_t *buffer; /* block -> buffer of the problem                 */
  const int64_t *time;    /* moment -> its name                             */
  uint32_t nodes;
  ash_place_log_known *known; /* open addressing, by key                    */
  size_t known_mask, known_count;
} ash_place_log;

void ash_place_log_init(ash_place_log *log, ash_place_write *write, void *user);
void ash_place_log_put(ash_place_log *log, const char *fmt, ...)
    ASH_PRINTF(2, 3);
void ash_place_log_flush(ash_place_log *log);

/* The numbering of nodes starts again, with the names of a skyline. */
bool ash_place_log_begin(ash_place_log *log, ash_zone *zone,
                         const uint32_t *buffer, const int64_t *time);

/* ---- events of valley branching; none of them does anything without a log --
 */

#define ASH_PLACE_NOBODY UINT32_MAX /* for a block: the floor stays empty */

/* A part is branched on; the node's number. */
uint32_t ash_place_log_open(ash_place_log *log, uint32_t moment);
/* A move whose parts are looked at next. */
void ash_place_log_move(ash_place_log *log, uint32_t block);
/* A part of the last move is in a state that was refuted before. */
void ash_place_log_again(ash_place_log *log, ash_place_key key);
/* All moves of a node are refuted. */
void ash_place_log_refuted(ash_place_log *log, ash_place_key key,
                           uint32_t node);
/* The part of a node can be solved: nothing is said about it. */
void ash_place_log_leave(ash_place_log *log);
/* A dive begins at the root. */
void ash_place_log_restart(ash_place_log *log);

#endif
