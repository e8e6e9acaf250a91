/* combined.c - "A+B": memories that hold only tiles are packed by A, those
 * where tensors live by B; both may be built in or registered. */
#include "plan/planner.h"

#include "base/checked.h"

#include <string.h>

typedef struct way {
  const char *name;
  ash_pack *pack;
} way;

static const way ways[] = {{"exact", ash_plan_pack_exact},
                           {"greedy", ash_plan_pack_greedy},
                           {"first-fit", ash_plan_pack_first_fit},
                           {"naive", ash_plan_pack_naive},
                           {"TetrisRandom", ash_plan_pack_tetris_random},
                           {"TetrisCo-Opt", ash_plan_pack_tetris_chosen},
                           {"MiniMalloc", ash_plan_pack_minimalloc}};

static bool is_word(const char *word, const char *text, size_t length) {
  return strlen(word) == length && memcmp(word, text, length) == 0;
}

static ash_pack *find_way(const char *name, size_t length) {
  for (size_t i = 0; i < ASH_COUNT_OF(ways); i++)
    if (is_word(ways[i].name, name, length))
      return ways[i].pack;
  return NULL;
}

static const ash_planner *find_registered(const ash_ctx *ctx, const char *name,
                                          size_t length) {
  const ash_planner *p;
  for (size_t i = 0; (p = ash_planner_at(ctx, i)); i++)
    if (is_word(p->name, name, length))
      return p;
  return NULL;
}

/* ---- a registered planner, asked for one memory -------------------------- */

/* The part of the request that is about the buffers of one memory. */
static ash_status make_part(const ash_draft *d, const ash_scratch *s,
                            ash_plan_request *ask, ash_plan_answer *answer) {
  ash_zone *z = &d->ctx->scratch;
  ash_slot *asked = ASH_NEW_ARRAY(z, ash_slot, s->count + 1u);
  uint32_t *memory = ASH_NEW_ARRAY(z, uint32_t, s->count + 1u);
  uint64_t *offset = ASH_NEW_ARRAY(z, uint64_t, s->count + 1u);
  const uint32_t arenas = ASH_ROLE_COUNT * d->ask->device->memory_count;
  *answer =
      (ash_plan_answer){.struct_bytes = sizeof *answer,
                        .slots = ASH_NEW_ARRAY(z, ash_slot, s->count + 1u),
                        .arenas = ASH_NEW_ARRAY(z, ash_arena, arenas),
                        .arena_capacity = arenas};
  ASH_TRY(ash_zone_check(d->ctx, z));
  for (uint32_t i = 0; i < s->count; i++) {
    const uint32_t demand = d->ask->memory[s->slot[i]];
    asked[i] = d->ask->slots[s->slot[i]];
    ASH_ASSERT(asked[i].alias_of == ASH_NO_ID);
    asked[i].follows = ASH_NO_ID;
    answer->slots[i] = asked[i];
    memory[i] =
        demand == ASH_NO_MEMORY ? d->ask->device->default_memory : demand;
    offset[i] = d->ask->offset[s->slot[i]];
  }
  *ask = *d->ask;
  ask->slots = asked;
  ask->slot_count = s->count;
  ask->memory = memory;
  ask->offset = offset;
  return ASH_OK;
}

static ash_status pack_by(ash_draft *d, ash_place_result *out,
                          const ash_scratch *s, const ash_planner *planner) {
  ash_plan_request ask;
  ash_plan_answer answer;
  uint64_t height = 0;
  ASH_ASSERT(planner && planner->plan); /* ash_find_mixed found it */
  int64_t *offsets = ASH_NEW_ARRAY(&d->ctx->scratch, int64_t, s->count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, &d->ctx->scratch));
  ASH_TRY(make_part(d, s, &ask, &answer));
  const ash_slot *slots = answer.slots;
  ASH_TRY(planner->plan(planner->user, d->ctx, &ask, &answer));
  for (uint32_t i = 0; i < s->count; i++) {
    const ash_binding *at = &slots[i].binding;
    const char *want = d->ask->memories[ask.memory[i]].memory;
    uint64_t end;
    if (!slots[i].bound || !at->memory || strcmp(at->memory, want) != 0 ||
        !ash_add_u64(&end, at->offset, ask.slots[i].size) || end > INT64_MAX)
      return ash_fail(d->ctx, ASH_MALFORMED, ASH_D_plan_unbound, ASH_NOWHERE,
                      "planner '%s' gives '%s' no place in %s", planner->name,
                      ask.slots[i].id, want);
    offsets[i] = (int64_t)at->offset;
    height = ash_max_u64(height, end);
  }
  return ash_plan_pack_result(d, out, s, offsets, height);
}

/* ---- the planner --------------------------------------------------------- */

static bool only_tiles(const ash_draft *d, const ash_scratch *s) {
  for (uint32_t i = 0; i < s->count; i++)
    if (d->answer->slots[s->slot[i]].kind == ASH_SLOT_TENSOR)
      return false;
  return true;
}

static ash_status pack(ash_draft *d, ash_place_result *out,
                       const ash_scratch *s, uint64_t capacity) {
  const char *names = d->ask->options->planner, *plus = strchr(names, '+');
  ASH_ASSERT(plus != NULL); /* ash_find_mixed found both */
  const bool inner = only_tiles(d, s);
  const char *name = inner ? names : plus + 1;
  const size_t length = inner ? (size_t)(plus - names) : strlen(plus + 1);
  ash_pack *ours = find_way(name, length);
  if (ours)
    return ours(d, out, s, capacity);
  return pack_by(d, out, s, find_registered(d->ctx, name, length));
}

ASH_PLAN_IN_BANKS(plan, pack)

static const ash_planner mixed = {.abi = ASH_PLANNER_ABI,
                                  .name = "mixed",
                                  .help = "one way for tiles, one for tensors",
                                  .plan = plan,
                                  .views_only = true};

bool ash_mixed_is_builtin(const char *name) {
  const char *plus = strchr(name, '+');
  return plus && find_way(name, (size_t)(plus - name)) &&
         find_way(plus + 1, strlen(plus + 1));
}

const ash_planner *ash_find_mixed(const ash_ctx *ctx, const char *name) {
  const char *plus = strchr(name, '+');
  if (!plus || !find_registered(ctx, name, (size_t)(plus - name)) ||
      !find_registered(ctx, plus + 1, strlen(plus + 1)))
    return NULL;
  return &mixed;
}
