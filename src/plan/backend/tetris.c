/* tetris.c - Deeploy's allocation strategies as planners, for comparison.
 *
 * Blocks are dropped in the order of a permutation: each lands on the highest
 * earlier block that lives at the same time; holes are never filled. Residents
 * come first; the buffers of tiles are stacked above the highest of them, as
 * Deeploy budgets it.
 *   TetrisRandom   one permutation, that of Python's shuffle after seeding with
 *                  1996080121: it depends on the number of blocks only;
 *   TetrisCo-Opt   the permutation is a choice: random ones until one fits;
 *   MiniMalloc     is asked only whether the capacity is enough, not for the
 *                  smallest. */
#include "plan/planner.h"

#include "base/checked.h"
#include "base/rng.h"

/* ---- MT19937 ------------------------------------------------------------ */

enum { STATE = 624, SHIFT = 397 };

typedef struct twister {
  uint32_t state[STATE];
  uint32_t at;
} twister;

/* Seeded by an array of one word, as Python does for small integers. */
static void twister_seed(twister *t, uint32_t key) {
  uint32_t *s = t->state, i = 1;
  s[0] = 19650218u;
  for (uint32_t k = 1; k < STATE; k++)
    s[k] = 1812433253u * (s[k - 1] ^ (s[k - 1] >> 30)) + k;
  for (uint32_t k = 0; k < STATE; k++) {
    s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * 1664525u)) + key;
    if (++i == STATE)
      s[0] = s[STATE - 1], i = 1;
  }
  for (uint32_t k = 0; k < STATE - 1; k++) {
    s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * 1566083941u)) - i;
    if (++i == STATE)
      s[0] = s[STATE - 1], i = 1;
  }
  s[0] = 0x80000000u;
  t->at = STATE;
}

static void twister_turn(twister *t) {
  uint32_t *s = t->state;
  for (uint32_t k = 0; k < STATE; k++) {
    const uint32_t y =
        (s[k] & 0x80000000u) | (s[(k + 1) % STATE] & 0x7fffffffu);
    s[k] = s[(k + SHIFT) % STATE] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
  }
  t->at = 0;
}

static uint32_t twister_next(twister *t) {
  ASH_ASSERT(t->at <= STATE);
  if (t->at == STATE)
    twister_turn(t);
  uint32_t y = t->state[t->at++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

static uint32_t bit_length(uint32_t n) {
  uint32_t bits = 0;
  for (; n; n >>= 1)
    bits++;
  return bits;
}

static uint32_t twister_below(twister *t, uint32_t n) {
  ASH_ASSERT(n > 0);
  const uint32_t bits = bit_length(n);
  uint32_t r;
  do
    r = twister_next(t) >> (32 - bits);
  while (r >= n);
  return r;
}

void ash_tetris_permutation(uint32_t *order, uint32_t count) {
  twister t;
  twister_seed(&t, 1996080121u);
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  for (uint32_t i = count; i-- > 1;) {
    const uint32_t k = twister_below(&t, i + 1);
    const uint32_t was = order[i];
    order[i] = order[k];
    order[k] = was;
  }
}

/* ---- dropping ----------------------------------------------------------- */

typedef struct drop {
  ash_draft *d;
  const ash_scratch *s;
  int64_t *offsets;
  uint32_t *blocks, *order; /* room for all */
} drop;

static bool overlap(const ash_buffer *a, const ash_buffer *b) {
  ASH_ASSERT(a->lower < a->upper && b->lower < b->upper);
  return a->lower < b->upper && b->lower < a->upper;
}

static int64_t align(int64_t at, uint64_t alignment) {
  ASH_ASSERT(at >= 0);
  return (int64_t)ash_align_up((uint64_t)at, alignment > 4 ? alignment : 4);
}

/* Blocks in the order given, on a floor; returns the height. */
static int64_t drop_all(const drop *p, uint32_t count, int64_t floor) {
  ASH_ASSERT(count <= p->s->count && floor >= 0);
  int64_t height = floor;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t x = p->blocks[p->order[i]];
    int64_t at = floor;
    for (uint32_t k = 0; k < i; k++) {
      const uint32_t y = p->blocks[p->order[k]];
      const int64_t end = p->offsets[y] + (int64_t)p->s->buffers[y].size;
      if (overlap(&p->s->buffers[x], &p->s->buffers[y]) && end > at)
        at = end;
    }
    p->offsets[x] = align(at, p->s->buffers[x].alignment);
    const int64_t end = p->offsets[x] + (int64_t)p->s->buffers[x].size;
    height = end > height ? end : height;
  }
  return height;
}

/* Picks the blocks of residents, or of the tiles of one step. */
static uint32_t pick(const drop *p, bool tiles, int64_t step) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->s->count; i++) {
    const ash_slot *slot = &p->d->answer->slots[p->s->slot[i]];
    if ((slot->kind != ASH_SLOT_TENSOR) == tiles &&
        (!tiles || p->s->buffers[i].lower == step))
      p->blocks[count++] = i;
  }
  ASH_ASSERT(count <= p->s->count);
  return count;
}

typedef int64_t dropper(const drop *p, uint32_t count, int64_t floor,
                        uint64_t capacity);

static int64_t drop_random(const drop *p, uint32_t count, int64_t floor,
                           uint64_t capacity) {
  ASH_ASSERT(count <= p->s->count);
  (void)capacity;
  ash_tetris_permutation(p->order, count);
  return drop_all(p, count, floor);
}

static void shuffle(uint32_t *order, uint32_t count, ash_rng *rng) {
  for (uint32_t i = count; i-- > 1;) {
    const uint32_t k = (uint32_t)ash_rng_below(rng, i + 1);
    const uint32_t was = order[i];
    order[i] = order[k];
    order[k] = was;
  }
}

/* Permutations until one is below the capacity; the lowest otherwise. */
static int64_t drop_chosen(const drop *p, uint32_t count, int64_t floor,
                           uint64_t capacity) {
  ASH_ASSERT(count <= p->s->count);
  enum { TRIES = 2000 };
  ash_rng rng = {p->d->ask->options->seed + count};
  const ash_rng first = rng;
  int64_t best = INT64_MAX;
  uint32_t best_try = 0;
  for (uint32_t i = 0; i < count; i++)
    p->order[i] = i;
  for (uint32_t i = 0; i < TRIES; i++) {
    shuffle(p->order, count, &rng);
    const int64_t height = drop_all(p, count, floor);
    if (height < best)
      best = height, best_try = i;
    if (count < 2 || (capacity && (uint64_t)height < capacity))
      return height;
  }
  rng = first;
  for (uint32_t i = 0; i < count; i++)
    p->order[i] = i;
  for (uint32_t i = 0; i <= best_try; i++)
    shuffle(p->order, count, &rng);
  return drop_all(p, count, floor);
}

static ash_status pack_with(ash_draft *d, ash_place_result *out,
                            const ash_scratch *s, uint64_t capacity,
                            dropper *way) {
  ash_zone *z = &d->ctx->scratch;
  const drop p = {d, s, ASH_NEW_ARRAY(z, int64_t, s->count + 1u),
                  ASH_NEW_ARRAY(z, uint32_t, s->count + 1u),
                  ASH_NEW_ARRAY(z, uint32_t, s->count + 1u)};
  ASH_TRY(ash_zone_check(d->ctx, z));
  uint32_t count = pick(&p, false, 0);
  const int64_t floor = align(way(&p, count, 0, capacity), 8);
  int64_t height = count ? floor : 0;
  for (uint32_t step = 0; step < d->ask->steps.count; step++) {
    count = pick(&p, true, step);
    if (count == 0)
      continue;
    const int64_t top = way(&p, count, floor, capacity);
    height = top > height ? top : height;
  }
  return ash_plan_pack_result(d, out, s, p.offsets, (uint64_t)height);
}

/* ---- the planners ------------------------------------------------------- */

ash_status ash_plan_pack_tetris_random(ash_draft *d, ash_place_result *out,
                                       const ash_scratch *s,
                                       uint64_t capacity) {
  return pack_with(d, out, s, capacity, drop_random);
}

ash_status ash_plan_pack_tetris_chosen(ash_draft *d, ash_place_result *out,
                                       const ash_scratch *s,
                                       uint64_t capacity) {
  return pack_with(d, out, s, capacity, drop_chosen);
}

ash_status ash_plan_pack_minimalloc(ash_draft *d, ash_place_result *out,
                                    const ash_scratch *s, uint64_t capacity) {
  const ash_place_problem problem = {
      .buffers = s->buffers, .buffer_count = s->count, .capacity = capacity};
  const ash_place_options options = {.struct_bytes = sizeof options,
                                     .ticks = d->ask->options->ticks,
                                     .seed = d->ask->options->seed};
  return ash_place(d->ctx, out, &problem, &options);
}

ASH_PLAN_IN_BANKS(plan_random, ash_plan_pack_tetris_random)

ASH_PLAN_IN_BANKS(plan_chosen, ash_plan_pack_tetris_chosen)

ASH_PLAN_IN_BANKS(plan_feasible, ash_plan_pack_minimalloc)

const ash_planner ash_planner_tetris_random = {
    .abi = ASH_PLANNER_ABI,
    .name = "TetrisRandom",
    .help = "Deeploy's: blocks dropped in one fixed random order",
    .plan = plan_random,
    .views_only = true};

const ash_planner ash_planner_tetris_chosen = {
    .abi = ASH_PLANNER_ABI,
    .name = "TetrisCo-Opt",
    .help = "Deeploy's: blocks dropped in an order that is searched for",
    .plan = plan_chosen,
    .views_only = true};

const ash_planner ash_planner_minimalloc = {
    .abi = ASH_PLANNER_ABI,
    .name = "MiniMalloc",
    .help = "Deeploy's: whatever fits the memory, not the smallest",
    .plan = plan_feasible,
    .views_only = true};
