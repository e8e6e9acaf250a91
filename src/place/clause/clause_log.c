/* clause_log.c - a certificate of what was learned (docs/certificates.md): each
 * clause with the steps that contradict its negation. */
#include "place/clause/clause.h"

static void put_atom(ash_place_learner *p, ash_place_atom a) {
  if (!ash_place_is_offset(p, a.var))
    ash_stream_put(p->log, " %s %lu", a.var & 1 ? "below" : "above",
                   (unsigned long)(a.var / 2 - p->item_count));
  else
    ash_stream_put(p->log, " %s %lu %lld", a.var & 1 ? "most" : "least",
                   (unsigned long)(a.var / 2),
                   (long long)(a.var & 1 ? -a.value : a.value));
}

static void put_reason(ash_place_learner *p, const ash_place_cause *why,
                       uint32_t var) {
  const bool up = !(var & 1);
  switch (why->kind) {
  case ASH_PLACE_BY_CLAUSE:
    ash_stream_put(p->log, "c %lu\n",
                   (unsigned long)p->clauses.items[why->index].number);
    break;
  case ASH_PLACE_BY_SIDE:
  case ASH_PLACE_BY_ROOM:
    ash_stream_put(p->log, "s %lu\n", (unsigned long)why->index);
    break;
  case ASH_PLACE_BY_STACK:
    ash_stream_put(p->log, "%s %lld %lu %lld\n", up ? "p" : "q",
                   (long long)p->moment_time[why->index],
                   (unsigned long)(var / 2),
                   (long long)(up ? why->from : -why->from));
    break;
  case ASH_PLACE_BY_CROWD:
    ash_stream_put(p->log, "o %lld %lld %lld\n",
                   (long long)p->moment_time[why->index], (long long)why->from,
                   (long long)why->to);
    break;
  case ASH_PLACE_DECISION:
  case ASH_PLACE_BY_BOUNDS:
    break; /* the bounds themselves contradict each other */
  }
}

/* What holds without any decision. */
void ash_place_learner_log_facts(ash_place_learner *p) {
  ASH_ASSERT(p->level == 0);
  for (; p->log && p->logged < p->trail_count; p->logged++) {
    const ash_place_step *s = &p->trail.items[p->logged];
    put_reason(p, &s->reason, s->var);
  }
}

/* The steps that were followed back, in their order. */
static void put_path(ash_place_learner *p, const ash_place_cause *conflict) {
  for (uint32_t k = p->path_count; k-- > 0;)
    put_reason(p, &p->path.items[k].reason, p->path.items[k].var);
  p->path_count = 0;
  put_reason(p, conflict, 0);
  ash_stream_put(p->log, "x\n");
}

void ash_place_learner_log_lesson(ash_place_learner *p,
                                  const ash_place_cause *conflict) {
  if (!p->log)
    return;
  ash_stream_put(p->log, "l %lu", (unsigned long)p->lesson_count);
  for (uint32_t k = 0; k < p->lesson_count; k++)
    put_atom(p, p->lesson.items[k]);
  ash_stream_put(p->log, "\n");
  put_path(p, conflict);
}

void ash_place_learner_log_end(ash_place_learner *p,
                               const ash_place_cause *conflict) {
  if (!p->log)
    return;
  ash_place_learner_log_facts(p);
  put_path(p, conflict);
}
