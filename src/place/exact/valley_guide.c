/* valley_guide.c - restarts led by good dives of the past (solution-guided
 * search): a block that lay at its present floor in the leading dive is tried
 * first. So most dives look around what almost worked instead of starting from
 * nothing; the failures in the table keep them from repeating it. A leader that
 * leads to nothing better for a while is forgotten. Every other dive follows
 * strictly: where the leader left the floor empty, so does it at first. */
#include "place/exact/valley.h"

#include <string.h>

static const uint32_t PATIENCE = 10; /* dives                              */
static const uint64_t FREE = 25;     /* per cent of the dives have no leader */

static const int64_t NOWHERE = -1;

bool ash_place_guide_init(ash_place_valley *v) {
  for (int i = 0; i <= ASH_PLACE_ELITES; i++)
    v->guide.place[i] = ASH_NEW_ARRAY(v->zone, int64_t, v->sky->block_count);
  return !v->zone->failed;
}

void ash_place_guide_forget(ash_place_valley *v) {
  memset(v->guide.settled, 0, sizeof v->guide.settled);
}

void ash_place_guide_start(ash_place_valley *v) {
  ASH_ASSERT(!v->use.guide || v->guide.place[ASH_PLACE_ELITES]);
  ash_place_guide *g = &v->guide;
  g->best = 0;
  g->lead = NULL;
  if (!v->use.guide)
    return;
  g->leader = (uint32_t)ash_rng_below(&v->rng, ASH_PLACE_ELITES);
  if (g->settled[g->leader] && ash_rng_below(&v->rng, 100) >= FREE)
    g->lead = g->place[g->leader];
  g->strict = ash_rng_below(&v->rng, 2);
}

void ash_place_guide_note(ash_place_valley *v) {
  ASH_ASSERT(v->settled <= v->sky->block_count);
  ash_place_guide *g = &v->guide;
  const ash_place_skyline *k = v->sky;
  int64_t *place = g->place[ASH_PLACE_ELITES];
  if (v->settled <= g->best || !v->use.guide)
    return;
  g->best = v->settled;
  for (uint32_t j = 0; j < k->block_count; j++)
    place[j] = ash_place_skyline_is_unplaced(k, j) ? NOWHERE : k->place[j];
}

static uint32_t find_worst(const ash_place_guide *g) {
  uint32_t worst = 0;
  for (uint32_t i = 1; i < ASH_PLACE_ELITES; i++)
    if (g->settled[i] < g->settled[worst])
      worst = i;
  return worst;
}

/* A led dive may replace its leader, another one the worst. */
void ash_place_guide_finish(ash_place_valley *v) {
  ash_place_guide *g = &v->guide;
  if (!v->use.guide)
    return;
  ash_place_guide_note(v);
  const uint32_t at = g->lead ? g->leader : find_worst(g);
  ASH_ASSERT(at < ASH_PLACE_ELITES && g->best <= v->sky->block_count);
  if (g->best > g->settled[at]) {
    int64_t *old = g->place[at];
    g->place[at] = g->place[ASH_PLACE_ELITES];
    g->place[ASH_PLACE_ELITES] = old;
    g->settled[at] = g->best;
    g->idle[at] = 0;
  } else if (g->lead && ++g->idle[at] > PATIENCE) {
    g->settled[at] = 0;
  }
}
