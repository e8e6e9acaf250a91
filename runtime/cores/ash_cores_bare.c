/* ash_cores_bare.c - see ash_cores_bare.h. Each core that has a share of a
 * round is told its number, and says it when it is done: until then nobody
 * writes what the core reads. Core k makes the shares k, k + count and so on.
 */
#include "ash_cores_bare.h"

/* What was written before a number is there for who has read the number. */
#ifndef ASH_CORES_READ
#define ASH_CORES_READ(place) __atomic_load_n(place, __ATOMIC_ACQUIRE)
#define ASH_CORES_WRITE(place, value)                                          \
  __atomic_store_n(place, value, __ATOMIC_RELEASE)
#endif

static void make_shares(const ash_cores_bare *c, uint32_t core) {
  for (uint32_t k = core; k < c->shares; k += c->count)
    c->share(c->argument, k);
}

static void rest(const ash_cores_bare *c, uint32_t core) {
  if (c->sleep)
    c->sleep(core);
}

/* Cores that have no share are left alone. */
static uint32_t cores_of(const ash_cores_bare *c) {
  return c->shares < c->count ? c->shares : c->count;
}

void ash_cores_bare_run(void *user, ash_share *share, const void *argument,
                        uint32_t count) {
  ash_cores_bare *const c = (ash_cores_bare *)user;
  const uint32_t round = ++c->round;
  c->share = share;
  c->argument = argument;
  c->shares = count;
  for (uint32_t k = 1; k < cores_of(c); k++) {
    ASH_CORES_WRITE(&c->go[k], round);
    if (c->wake)
      c->wake(k);
  }
  make_shares(c, 0);
  for (uint32_t k = 1; k < cores_of(c); k++)
    while (ASH_CORES_READ(&c->done[k]) != round)
      rest(c, 0);
}

void ash_cores_bare_serve(ash_cores_bare *c, uint32_t core) {
  for (;;) {
    const uint32_t round = ASH_CORES_READ(&c->go[core]);
    if (round == c->done[core]) {
      rest(c, core);
      continue;
    }
    make_shares(c, core);
    ASH_CORES_WRITE(&c->done[core], round);
    if (c->wake)
      c->wake(0);
  }
}
