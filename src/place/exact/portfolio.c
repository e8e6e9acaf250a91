/* portfolio.c - helpers run ash_place_valley_search on copies. The caller's
 * allocator need not know threads, so helpers reach it through a lock. The only
 * other shared data are two atomic flags. */
#include "place/exact/portfolio.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct member {
  ash_place_portfolio *portfolio;
  pthread_t thread;
  bool running, ready;
  ash_zone zone;
  ash_place_skyline sky;
  ash_place_valley valley;
  ash_place_outcome outcome;
} member;

struct ash_place_portfolio {
  pthread_mutex_t lock;
  const ash_allocator *mem;
  ash_allocator locked;
  atomic_bool stop, answered;
  int64_t capacity;
  uint64_t nodes;
  uint32_t count;
  member *members;
};

static void *locked_resize(void *user, void *ptr, size_t old_bytes,
                           size_t new_bytes) {
  ash_place_portfolio *p = user;
  (void)pthread_mutex_lock(&p->lock);
  void *moved = p->mem->resize(p->mem->user, ptr, old_bytes, new_bytes);
  (void)pthread_mutex_unlock(&p->lock);
  return moved;
}

static bool keep_on(void *user, uint64_t ticks) {
  ash_place_portfolio *p = user;
  (void)ticks;
  return !atomic_load(&p->stop) && !atomic_load(&p->answered);
}

static void *work(void *user) {
  member *m = user;
  ASH_ASSERT(m->ready);
  m->outcome =
      ash_place_valley_search(&m->valley, m->portfolio->capacity,
                              m->portfolio->nodes, keep_on, m->portfolio);
  if (m->outcome != ASH_PLACE_CUT && !m->zone.failed)
    atomic_store(&m->portfolio->answered, true);
  else
    m->outcome = ASH_PLACE_CUT;
  return NULL;
}

static bool prepare(ash_place_solve *s, member *m, const ash_place_goal *goal,
                    ash_place_valley_use use, uint64_t seed) {
  ash_zone_init(&m->zone, &m->portfolio->locked);
  return ash_place_skyline_build(s->ctx, &m->zone, &m->sky, &s->reduced,
                                 goal->items, goal->count) == ASH_OK &&
         ash_place_valley_init(&m->valley, &m->sky, &m->zone, use, seed);
}

ash_place_portfolio *ash_place_portfolio_new(ash_place_solve *s, ash_zone *zone,
                                             const ash_place_goal *goal,
                                             ash_place_valley_use use,
                                             uint32_t helpers) {
  ASH_ASSERT(0 < helpers && helpers <= ASH_PLACE_PORTFOLIO_MAX);
  ash_place_portfolio *p = ASH_NEW(zone, ash_place_portfolio);
  member *members = ASH_NEW_ARRAY(zone, member, helpers);
  if (!p || !members || pthread_mutex_init(&p->lock, NULL) != 0)
    return NULL;
  p->mem = &s->ctx->mem;
  p->locked = (ash_allocator){locked_resize, p};
  p->members = members;
  p->count = helpers;
  for (uint32_t i = 0; i < helpers; i++) {
    members[i].portfolio = p;
    members[i].ready = prepare(s, &members[i], goal, use,
                               s->options.seed + (uint64_t)1000003 * (i + 1));
    members[i].valley.restart = 3 + i; /* not the same first dives */
  }
  return p;
}

void ash_place_portfolio_drop(ash_place_portfolio *p) {
  if (!p)
    return;
  for (uint32_t i = 0; i < p->count; i++)
    ash_zone_drop(&p->members[i].zone);
  (void)pthread_mutex_destroy(&p->lock);
}

void ash_place_portfolio_start(ash_place_portfolio *p, int64_t capacity,
                               uint64_t nodes) {
  ASH_ASSERT(capacity > 0 && nodes > 0);
  atomic_store(&p->stop, false);
  atomic_store(&p->answered, false);
  p->nodes = nodes;
  for (uint32_t i = 0; i < p->count; i++) {
    member *m = &p->members[i];
    if (!m->ready)
      continue;
    if (capacity > p->capacity) /* what failed may succeed now */
      ash_place_table_forget_failed(&m->valley.table);
    ash_place_table_forget_solved(&m->valley.table);
    ash_place_guide_forget(&m->valley);
  }
  p->capacity = capacity;
  for (uint32_t i = 0; i < p->count; i++) {
    member *m = &p->members[i];
    m->outcome = ASH_PLACE_CUT;
    m->running = m->ready && pthread_create(&m->thread, NULL, work, m) == 0;
  }
}

bool ash_place_portfolio_has_answer(ash_place_portfolio *p) {
  return atomic_load(&p->answered);
}

ash_place_outcome ash_place_portfolio_finish(ash_place_portfolio *p,
                                             ash_place_skyline *sky) {
  ash_place_outcome outcome = ASH_PLACE_CUT;
  atomic_store(&p->stop, true);
  for (uint32_t i = 0; i < p->count; i++) {
    member *m = &p->members[i];
    if (!m->running)
      continue;
    (void)pthread_join(m->thread, NULL);
    m->running = false;
    if (m->outcome == ASH_PLACE_CUT || outcome != ASH_PLACE_CUT)
      continue;
    ASH_ASSERT(m->ready);
    outcome = m->outcome;
    if (outcome == ASH_PLACE_SOLVED && sky)
      memcpy(sky->place, m->sky.place, sky->block_count * sizeof *sky->place);
  }
  return outcome;
}
