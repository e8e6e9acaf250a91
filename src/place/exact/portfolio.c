/* portfolio.c - helpers run ash_valley_search on copies. The caller's allocator
 * need not know threads, so helpers reach it through a lock. The only other
 * shared data are two atomic flags. */
#include "place/exact/portfolio.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct member {
  ash_team *team;
  pthread_t thread;
  bool running, ready;
  ash_zone zone;
  ash_skyline sky;
  ash_valley valley;
  ash_outcome outcome;
} member;

struct ash_team {
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
  ash_team *t = user;
  (void)pthread_mutex_lock(&t->lock);
  void *moved = t->mem->resize(t->mem->user, ptr, old_bytes, new_bytes);
  (void)pthread_mutex_unlock(&t->lock);
  return moved;
}

static bool keep_on(void *user, uint64_t ticks) {
  ash_team *t = user;
  (void)ticks;
  return !atomic_load(&t->stop) && !atomic_load(&t->answered);
}

static void *work(void *user) {
  member *m = user;
  m->outcome = ash_valley_search(&m->valley, m->team->capacity, m->team->nodes,
                                 keep_on, m->team);
  if (m->outcome != ASH_CUT && !m->zone.failed)
    atomic_store(&m->team->answered, true);
  else
    m->outcome = ASH_CUT;
  return NULL;
}

static bool prepare(ash_solve *s, member *m, const ash_goal *goal,
                    ash_valley_use use, uint64_t seed) {
  ash_zone_init(&m->zone, &m->team->locked);
  return ash_skyline_build(s->ctx, &m->zone, &m->sky, &s->model, goal->items,
                           goal->count) == ASH_OK &&
         ash_valley_init(&m->valley, &m->sky, &m->zone, use, seed);
}

ash_team *ash_team_new(ash_solve *s, ash_zone *zone, const ash_goal *goal,
                       ash_valley_use use, uint32_t helpers) {
  ash_team *t = ASH_NEW(zone, ash_team);
  member *members = ASH_NEW_ARRAY(zone, member, helpers);
  if (!t || !members || pthread_mutex_init(&t->lock, NULL) != 0)
    return NULL;
  t->mem = &s->ctx->mem;
  t->locked = (ash_allocator){locked_resize, t};
  t->members = members;
  t->count = helpers;
  for (uint32_t i = 0; i < helpers; i++) {
    members[i].team = t;
    members[i].ready = prepare(s, &members[i], goal, use,
                               s->options.seed + (uint64_t)1000003 * (i + 1));
    members[i].valley.restart = 3 + i; /* not the same first dives */
  }
  return t;
}

void ash_team_drop(ash_team *t) {
  if (!t)
    return;
  for (uint32_t i = 0; i < t->count; i++)
    ash_zone_drop(&t->members[i].zone);
  (void)pthread_mutex_destroy(&t->lock);
}

void ash_team_start(ash_team *t, int64_t capacity, uint64_t nodes) {
  atomic_store(&t->stop, false);
  atomic_store(&t->answered, false);
  t->nodes = nodes;
  for (uint32_t i = 0; i < t->count; i++) {
    member *m = &t->members[i];
    if (!m->ready)
      continue;
    if (capacity > t->capacity) /* what failed may succeed now */
      ash_table_forget_failed(&m->valley.table);
    ash_table_forget_solved(&m->valley.table);
    ash_guide_forget(&m->valley);
  }
  t->capacity = capacity;
  for (uint32_t i = 0; i < t->count; i++) {
    member *m = &t->members[i];
    m->outcome = ASH_CUT;
    m->running = m->ready && pthread_create(&m->thread, NULL, work, m) == 0;
  }
}

bool ash_team_has_answer(ash_team *t) {
  return atomic_load(&t->answered);
}

ash_outcome ash_team_finish(ash_team *t, ash_skyline *sky) {
  ash_outcome outcome = ASH_CUT;
  atomic_store(&t->stop, true);
  for (uint32_t i = 0; i < t->count; i++) {
    member *m = &t->members[i];
    if (!m->running)
      continue;
    (void)pthread_join(m->thread, NULL);
    m->running = false;
    if (m->outcome == ASH_CUT || outcome != ASH_CUT)
      continue;
    outcome = m->outcome;
    if (outcome == ASH_SOLVED && sky)
      memcpy(sky->place, m->sky.place, sky->tile_count * sizeof *sky->place);
  }
  return outcome;
}
