/* combined.c - "A+B": memories that hold only tiles are packed by A, those
 * where tensors live by B. */
#include "plan/planner.h"

#include <string.h>

typedef struct way {
  const char *name;
  ash_pack *pack;
} way;

static const way ways[] = {{"exact", ash_plan_pack_exact},
                           {"greedy", ash_plan_pack_greedy},
                           {"TetrisRandom", ash_plan_pack_tetris_random},
                           {"TetrisCo-Opt", ash_plan_pack_tetris_chosen},
                           {"MiniMalloc", ash_plan_pack_minimalloc}};

static ash_pack *find(const char *name, size_t length) {
  for (size_t i = 0; i < ASH_COUNT_OF(ways); i++)
    if (strlen(ways[i].name) == length &&
        memcmp(ways[i].name, name, length) == 0)
      return ways[i].pack;
  return NULL;
}

static bool only_tiles(const ash_draft *d, const ash_scratch *s) {
  for (uint32_t i = 0; i < s->count; i++)
    if (d->answer->slots[s->slot[i]].kind == ASH_SLOT_TENSOR)
      return false;
  return true;
}

static ash_status pack(ash_draft *d, ash_place_result *out,
                       const ash_scratch *s, uint64_t capacity) {
  const char *names = d->ask->options->planner, *plus = strchr(names, '+');
  ash_pack *inner = find(names, (size_t)(plus - names));
  ash_pack *outer = find(plus + 1, strlen(plus + 1));
  ASH_ASSERT(inner && outer); /* ash_find_mixed found both */
  return (only_tiles(d, s) ? inner : outer)(d, out, s, capacity);
}

ASH_PLAN_IN_BANKS(plan, pack)

static const ash_planner mixed = {.abi = ASH_PLANNER_ABI,
                                  .name = "mixed",
                                  .help = "one way for tiles, one for tensors",
                                  .plan = plan,
                                  .views_only = true};

const ash_planner *ash_find_mixed(const char *name) {
  const char *plus = strchr(name, '+');
  if (!plus || !find(name, (size_t)(plus - name)) ||
      !find(plus + 1, strlen(plus + 1)))
    return NULL;
  return &mixed;
}
