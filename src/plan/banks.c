/* banks.c - scratch over several memories, by benefit.
 *
 * Everything starts in the best memory. While that is too full, the storage
 * leaves whose absence costs least for the room it gives: bytes moved a run
 * times the difference of costs a byte, divided by the bytes it frees where
 * there are too many. What left is the next memory's problem. At the end those
 * who left come back, dearest first, as far as the packing still fits. Last,
 * where memories cost the same, storages move if that lets a power bank stay
 * off. */
#include "plan/share/overlap.h"
#include "plan/share/shrink.h"

#include "plan/record/record.h"

#include "base/checked.h"

#include <inttypes.h>

enum { COME_BACK_MAX = 48 };

typedef struct banks {
  ash_draft *d;
  ash_pack *pack;
  ash_scratch all;
  uint32_t *home;       /* by buffer: memory                              */
  uint32_t *buffer_of;  /* by slot that is a storage                      */
  bool *fixed;          /* by buffer: a rule says so                      */
  uint32_t *unit;       /* by buffer: the first one of those that share a
                           memory with it, as rows of a tensor do        */
  ash_traffic *traffic; /* by slot                                       */
  uint64_t *live;       /* by step: bytes alive in the memory looked at   */
  ash_scratch part;     /* the buffers of that memory                     */
  uint32_t *index;      /* of the part in all                             */
  bool *saves;          /* by buffer: moved for a power bank              */
  uint32_t *before;     /* by buffer: home, before something is tried     */
  ash_place_result placed[ASH_MEMORY_MAX];
} banks;

static const ash_memory *memory_at(const banks *b, uint32_t m) {
  ASH_ASSERT(m < b->d->ask->memory_count);
  return &b->d->ask->device->memories[m];
}

/* What a run loses, in thousandths of cycles, when buffer i is in `to` rather
 * than in `from`. At least 1, so that bytes decide where costs are equal. */
static uint64_t penalty(const banks *b, uint32_t i, uint32_t from,
                        uint32_t to) {
  ASH_ASSERT(i < b->all.count);
  const ash_traffic *t = &b->traffic[b->all.slot[i]];
  const ash_memory *x = memory_at(b, from), *y = memory_at(b, to);
  uint64_t sum = 1;
  if (y->read_cost > x->read_cost)
    sum += t->read * (y->read_cost - x->read_cost);
  if (y->write_cost > x->write_cost)
    sum += t->written * (y->write_cost - x->write_cost);
  return sum;
}

static uint64_t penalty_of_unit(const banks *b, uint32_t unit, uint32_t from,
                                uint32_t to) {
  ASH_ASSERT(b->unit[unit] == unit);
  uint64_t sum = 0;
  for (uint32_t i = unit; i < b->all.count; i++)
    if (b->unit[i] == unit)
      sum += penalty(b, i, from, to);
  return sum;
}

static void move_unit(banks *b, uint32_t unit, uint32_t to) {
  ASH_ASSERT(b->unit[unit] == unit && !b->fixed[unit]);
  for (uint32_t i = unit; i < b->all.count; i++)
    if (b->unit[i] == unit)
      b->home[i] = to;
}

/* ---- one memory ---------------------------------------------------------- */

/* Results that shrink in place share their bytes with what they are made of. */
static void give_back(banks *b, uint32_t memory) {
  for (uint32_t i = 0; i < b->d->shrink_count; i++) {
    const ash_shrink *x = &b->d->shrinks[i];
    const uint32_t in = b->buffer_of[x->in], out = b->buffer_of[x->out];
    ASH_ASSERT(in < b->all.count && out < b->all.count);
    if (b->home[in] == memory && b->home[out] == memory)
      b->live[x->step] -= x->shared;
  }
}

static void gather(banks *b, uint32_t memory) {
  b->part.count = 0;
  for (uint32_t s = 0; s < b->d->ask->steps.count; s++)
    b->live[s] = 0;
  for (uint32_t i = 0; i < b->all.count; i++) {
    if (b->home[i] != memory)
      continue;
    const ash_buffer *buffer = &b->all.buffers[i];
    ASH_ASSERT(0 <= buffer->lower && buffer->lower < buffer->upper);
    b->index[b->part.count] = i;
    b->part.slot[b->part.count] = b->all.slot[i];
    b->part.buffers[b->part.count++] = *buffer;
    for (int64_t s = buffer->lower; s < buffer->upper; s++)
      if (s < (int64_t)b->d->ask->steps.count)
        b->live[s] += buffer->size;
  }
  give_back(b, memory);
}

static bool is_overfull(const banks *b, uint64_t room) {
  for (uint32_t s = 0; s < b->d->ask->steps.count; s++)
    if (b->live[s] > room)
      return true;
  return false;
}

/* Bytes that would no longer be too many without this buffer; with `room` 0,
 * all that it occupies. */
static uint64_t relief(const banks *b, const ash_buffer *buffer,
                       uint64_t room) {
  ASH_ASSERT(buffer->lower < buffer->upper);
  uint64_t sum = 0;
  for (int64_t s = buffer->lower; s < buffer->upper; s++) {
    if (s >= (int64_t)b->d->ask->steps.count)
      break;
    const uint64_t over = b->live[s] > room ? b->live[s] - room : 0;
    sum += ash_min_u64(over, buffer->size);
  }
  return sum;
}

static uint64_t relief_of_unit(const banks *b, uint32_t unit, uint64_t room) {
  ASH_ASSERT(b->unit[unit] == unit);
  uint64_t sum = 0;
  for (uint32_t i = unit; i < b->all.count; i++)
    if (b->unit[i] == unit)
      sum += relief(b, &b->all.buffers[i], room);
  return sum;
}

/* The free unit of the memory that costs least for what it relieves. */
static uint32_t find_victim(const banks *b, uint32_t memory, uint32_t next,
                            uint64_t room) {
  ASH_ASSERT(memory != next);
  uint64_t best = UINT64_MAX, most = 0;
  uint32_t victim = ASH_NO_ID;
  for (uint32_t k = 0; k < b->part.count; k++) {
    const uint32_t i = b->index[k];
    const uint64_t gain =
        b->fixed[i] || b->unit[i] != i ? 0 : relief_of_unit(b, i, room);
    if (gain == 0)
      continue;
    const uint64_t loss =
        ash_min_u64(penalty_of_unit(b, i, memory, next), (uint64_t)1 << 46);
    ASH_ASSERT(b->home[i] == memory && loss > 0);
    const uint64_t score = (loss << 16) / gain;
    if (score > best || (score == best && gain <= most))
      continue;
    best = score;
    most = gain;
    victim = i;
  }
  return victim;
}

static bool fits(const banks *b, const ash_place_result *placed,
                 uint64_t room) {
  return b->part.count == 0 || (placed->offsets && placed->height <= room);
}

/* Packs what is in `memory`, sending buffers to `next` until it fits. */
static ash_status fill(banks *b, uint32_t memory, uint32_t next,
                       ash_place_result *placed) {
  ASH_ASSERT(memory < b->d->ask->memory_count && memory != next);
  const uint64_t room = ash_draft_room(b->d, memory);
  for (;;) {
    gather(b, memory);
    /* Overlapping storages take less than their sum, work memory of runs less
     * than its life. */
    const bool overfull =
        !b->d->ask->options->overlap && !b->d->rows && is_overfull(b, room);
    if (!overfull) {
      ASH_TRY(b->pack(b->d, placed, &b->part, room));
      if (fits(b, placed, room))
        return ASH_OK;
    }
    if (next == ASH_NO_MEMORY)
      break;
    const uint32_t victim = find_victim(b, memory, next, overfull ? room : 0);
    if (victim == ASH_NO_ID)
      break;
    move_unit(b, victim, next);
  }
  return b->pack(b->d, placed, &b->part, 0);
}

/* Is there room over time, and can it still be packed? */
static ash_status try_back(banks *b, uint32_t i, uint32_t memory,
                           ash_place_result *placed) {
  ASH_ASSERT(i < b->all.count && b->home[i] != memory && !b->fixed[i]);
  const uint64_t room = ash_draft_room(b->d, memory);
  const uint32_t was = b->home[i];
  ash_place_result now = {0};
  move_unit(b, i, memory);
  gather(b, memory);
  if (b->d->ask->options->overlap || b->d->rows || !is_overfull(b, room))
    ASH_TRY(b->pack(b->d, &now, &b->part, room));
  if (fits(b, &now, room))
    *placed = now;
  else
    move_unit(b, i, was);
  return ASH_OK;
}

static ash_status bring_back(banks *b, uint32_t memory, uint32_t next,
                             ash_place_result *placed) {
  ASH_ASSERT(memory != next && next < b->d->ask->memory_count);
  uint64_t below = UINT64_MAX;
  for (uint32_t tries = 0; tries < COME_BACK_MAX; tries++) {
    uint32_t best = ASH_NO_ID;
    uint64_t value = 0;
    for (uint32_t i = 0; i < b->all.count; i++) {
      if (b->home[i] != next || b->fixed[i] || b->unit[i] != i)
        continue;
      const uint64_t p = penalty_of_unit(b, i, memory, next);
      if (p < below && p > value)
        best = i, value = p;
    }
    if (best == ASH_NO_ID)
      return ASH_OK;
    ASH_ASSERT(value < below);
    below = value;
    ASH_TRY(try_back(b, best, memory, placed));
  }
  return ASH_OK;
}

/* ---- verdicts ------------------------------------------------------------ */

static bool is_alive(const banks *b, uint32_t k, int64_t when) {
  const ash_buffer *buffer = &b->part.buffers[k];
  return buffer->lower <= when && when < buffer->upper;
}

static const ash_slot *slot_of(const banks *b, uint32_t k) {
  ASH_ASSERT(k < b->part.count);
  return &b->d->answer->slots[b->part.slot[k]];
}

/* Bytes of the k-th storage that are alive, with all rows of its tensor; 0 if
 * another row of it was told before. */
static uint64_t bytes_alive(const banks *b, uint32_t k, int64_t when) {
  const ash_slot *slot = slot_of(b, k);
  uint64_t sum = 0;
  if (!slot->has_row)
    return slot->size;
  for (uint32_t i = 0; i < b->part.count; i++) {
    if (slot_of(b, i)->tensor != slot->tensor || !is_alive(b, i, when))
      continue;
    if (i < k)
      return 0;
    sum += slot->size;
  }
  return sum;
}

static void note_peak(banks *b, const ash_place_result *best) {
  const int64_t when = best->witness_time;
  uint32_t told = 0;
  for (uint32_t k = 0; k < b->part.count && told < 8; k++) {
    const uint64_t bytes = is_alive(b, k, when) ? bytes_alive(b, k, when) : 0;
    if (bytes == 0)
      continue;
    told++;
    ash_note(b->d->ctx, ASH_D_plan_nofit, ASH_NOWHERE,
             "alive at the peak (step %" PRId64 "): '%s' %" PRIu64 " bytes",
             when, slot_of(b, k)->name, bytes);
  }
}

static ash_status nofit(banks *b, const ash_place_result *best, uint32_t memory,
                        bool spilled) {
  ASH_ASSERT(memory < b->d->ask->memory_count);
  const uint64_t room = ash_draft_room(b->d, memory);
  const uint64_t need = best->offsets ? best->height : best->lower_bound;
  const ash_memory *m = memory_at(b, memory);
  (void)ash_fail(
      b->d->ctx, ASH_NOFIT, ASH_D_plan_nofit,
      ash_graph_loc(b->d->ask->graph, ASH_NO_ID, ASH_NO_ID),
      "does not fit %s: %s need %" PRIu64
      " bytes (no plan needs fewer than %" PRIu64 "), %s has room "
      "for %" PRIu64 ": %" PRIu64 " bytes short",
      b->d->ask->device->name,
      spilled ? "activations that no faster memory takes" : "activations", need,
      best->lower_bound, m->name, room, need > room ? need - room : 0);
  const ash_memory_budget *budget = &b->d->ask->memories[memory];
  const uint64_t all = budget->constrained ? budget->max_size : m->bytes;
  ash_hint(b->d->ctx, "it would fit with --%s %s=%" PRIu64,
           budget->constrained ? "budget" : "set", m->name,
           all - ash_min_u64(all, room) + need);
  note_peak(b, best);
  return ASH_NOFIT;
}

static const char *reason_for(banks *b, uint32_t i, uint32_t first) {
  ASH_ASSERT(i < b->all.count && b->home[i] < b->d->ask->memory_count);
  const uint32_t home = b->home[i];
  ash_zone *z = &b->d->ctx->keep;
  if (b->fixed[i])
    return "a rule asks for it, or for a tensor that shares its storage";
  if (b->saves[i])
    return ash_zone_format(z,
                           "%s costs the same, and a power bank stays off "
                           "elsewhere",
                           memory_at(b, home)->name);
  if (home == first)
    return ash_zone_format(z, "%s is where activations go first",
                           memory_at(b, home)->name);
  return ash_zone_format(
      z,
      "%s is full: being here costs about %" PRIu64
      " cycles a run, less for the room it gives than what stayed",
      memory_at(b, first)->name, penalty(b, i, first, home) / 1000);
}

static ash_status tell(banks *b, uint32_t first) {
  for (uint32_t i = 0; i < b->all.count; i++)
    b->d->answer->slots[b->all.slot[i]].reason = reason_for(b, i, first);
  return ash_zone_check(b->d->ctx, &b->d->ctx->keep);
}

/* ---- all memories -------------------------------------------------------- */

/* Joins the units of two buffers. Where a rule says the memory of one, it says
 * that of all. */
static void join(banks *b, uint32_t x, uint32_t y) {
  const uint32_t u = b->unit[x], v = b->unit[y];
  const uint32_t to = u < v ? u : v, from = u < v ? v : u;
  const bool fixed = b->fixed[u] || b->fixed[v];
  const uint32_t home = b->fixed[v] ? b->home[v] : b->home[u];
  ASH_ASSERT(b->unit[to] == to && b->unit[from] == from);
  for (uint32_t i = to; i < b->all.count; i++)
    if (b->unit[i] == from || b->unit[i] == to) {
      b->unit[i] = to;
      b->fixed[i] = fixed;
      b->home[i] = home;
    }
}

/* All rows of a tensor, and what shares its storage, are in one memory. */
static ash_status join_rows(banks *b) {
  const uint32_t count = b->d->ask->slot_count;
  const ash_slot *slots = b->d->answer->slots;
  ash_zone *z = &b->d->ctx->scratch;
  uint32_t *of_slot = ASH_NEW_ARRAY(z, uint32_t, count + 1u);
  uint32_t *of_tensor =
      ASH_NEW_ARRAY(z, uint32_t, b->d->ask->graph->tensor_count + 1);
  uint32_t *root = ASH_NEW_ARRAY(z, uint32_t, count + 1u);
  ASH_TRY(ash_zone_check(b->d->ctx, z));
  ash_alias_roots(root, slots, count);
  for (uint32_t i = 0; i < b->all.count; i++)
    of_slot[b->all.slot[i]] = i + 1;
  for (uint32_t s = 0; s < count; s++) {
    const uint32_t own = of_slot[root[s]];
    if (own == 0 || slots[s].tensor == ASH_NO_ID)
      continue;
    uint32_t *first = &of_tensor[slots[s].tensor];
    if (*first == 0)
      *first = own;
    else if (b->unit[*first - 1] != b->unit[own - 1])
      join(b, *first - 1, own - 1);
  }
  return ASH_OK;
}

static ash_status prepare(banks *b, uint32_t first) {
  ASH_ASSERT(first < b->d->ask->memory_count);
  ash_zone *z = &b->d->ctx->scratch;
  ASH_TRY(ash_draft_scratch(b->d, &b->all));
  const size_t n = b->all.count + 1u;
  b->home = ASH_NEW_ARRAY(z, uint32_t, n);
  b->buffer_of = ASH_NEW_ARRAY(z, uint32_t, b->d->ask->slot_count + 1u);
  b->fixed = ASH_NEW_ARRAY(z, bool, n);
  b->unit = ASH_NEW_ARRAY(z, uint32_t, n);
  b->index = ASH_NEW_ARRAY(z, uint32_t, n);
  b->saves = ASH_NEW_ARRAY(z, bool, n);
  b->before = ASH_NEW_ARRAY(z, uint32_t, n);
  b->part.slot = ASH_NEW_ARRAY(z, uint32_t, n);
  b->part.buffers = ASH_NEW_ARRAY(z, ash_buffer, n);
  b->live = ASH_NEW_ARRAY(z, uint64_t, b->d->ask->steps.count + 1u);
  b->traffic = ASH_NEW_ARRAY(z, ash_traffic, b->d->ask->slot_count + 1u);
  ASH_TRY(ash_zone_check(b->d->ctx, z));
  for (uint32_t i = 0; i < b->all.count; i++) {
    const uint32_t asked = b->d->ask->memory[b->all.slot[i]];
    const bool pinned = b->all.buffers[i].offset != ASH_FREE_OFFSET;
    b->buffer_of[b->all.slot[i]] = i;
    b->home[i] = asked == ASH_NO_MEMORY ? first : asked;
    b->fixed[i] = asked != ASH_NO_MEMORY || pinned;
    b->unit[i] = i;
  }
  if (b->d->rows)
    ASH_TRY(join_rows(b));
  else if (b->pack == ash_plan_pack_exact && !b->d->ask->options->no_in_place)
    ASH_TRY(ash_find_shrinks(b->d));
  return ash_count_traffic(b->d, b->traffic);
}

static ash_status settle(banks *b, uint32_t memory, uint32_t next,
                         bool spilled) {
  ASH_ASSERT(memory < ASH_MEMORY_MAX);
  ash_place_result *placed = &b->placed[memory];
  ASH_TRY(fill(b, memory, next, placed));
  if (!fits(b, placed, ash_draft_room(b->d, memory)))
    return nofit(b, placed, memory, spilled);
  return next == ASH_NO_MEMORY ? ASH_OK : bring_back(b, memory, next, placed);
}

/* ---- power banks --------------------------------------------------------- */

/* Bytes of scratch with which the memory needs one bank less than now. */
static bool find_limit(const banks *b, uint32_t memory, uint64_t *limit) {
  const ash_memory *m = memory_at(b, memory);
  const uint64_t height = b->placed[memory].height;
  if (m->bank_bytes == 0 || height == 0)
    return false;
  const uint64_t rest = m->reserve_bytes + ash_arenas_in(b->d, memory);
  ASH_ASSERT(ash_banks_powered(b->d, memory, height) > 0);
  const uint64_t less =
      (ash_banks_powered(b->d, memory, height) - 1) * m->bank_bytes;
  *limit = less > rest ? less - rest : 0;
  return less >= rest; /* else what cannot move needs that bank */
}

static bool cost_the_same(const banks *b, uint32_t x, uint32_t y) {
  const ash_memory *m = memory_at(b, x), *n = memory_at(b, y);
  return m->read_cost == n->read_cost && m->write_cost == n->write_cost;
}

/* Moves storages from `from` to `to` until the rest, packed in `here`, needs at
 * most `limit` bytes, or until none can move. */
static ash_status move_out(banks *b, uint32_t from, uint32_t to, uint64_t limit,
                           ash_place_result *here) {
  for (;;) {
    gather(b, from);
    if (b->part.count == 0)
      return ASH_OK;
    if (!is_overfull(b, limit) && limit > 0) {
      ASH_TRY(b->pack(b->d, here, &b->part, limit));
      if (fits(b, here, limit))
        return ASH_OK;
    }
    const uint32_t victim = find_victim(b, from, to, limit);
    const uint32_t other =
        victim == ASH_NO_ID ? find_victim(b, from, to, 0) : victim;
    if (other == ASH_NO_ID)
      return ASH_OK;
    ASH_ASSERT(b->home[other] == from && !b->fixed[other]);
    move_unit(b, other, to);
  }
}

/* Moves storages out of `from` until it needs one bank less; all or nothing. */
static ash_status save_bank(banks *b, uint32_t from, uint32_t to,
                            uint64_t limit, bool *saved) {
  ASH_ASSERT(from != to && cost_the_same(b, from, to));
  ash_place_result here = {0}, there = {0};
  const uint64_t room = ash_draft_room(b->d, to);
  *saved = false;
  for (uint32_t i = 0; i < b->all.count; i++)
    b->before[i] = b->home[i];
  ASH_TRY(move_out(b, from, to, limit, &here));
  const bool out = b->part.count == 0 || (here.offsets && here.height <= limit);
  gather(b, to);
  if (out && !is_overfull(b, room))
    ASH_TRY(b->pack(b->d, &there, &b->part, room));
  *saved = out && there.offsets && there.height <= room &&
           ash_banks_powered(b->d, to, there.height) <=
               ash_banks_powered(b->d, to, b->placed[to].height);
  for (uint32_t i = 0; i < b->all.count; i++) {
    b->saves[i] = b->saves[i] || (*saved && b->home[i] != b->before[i]);
    b->home[i] = *saved ? b->home[i] : b->before[i];
  }
  if (*saved) {
    b->placed[from] = here;
    b->placed[to] = there;
  }
  return ASH_OK;
}

static ash_status save_banks(banks *b, const uint32_t *memories,
                             uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < count; k++) {
      uint64_t limit;
      bool saved = true;
      while (saved && i != k && cost_the_same(b, memories[i], memories[k]) &&
             find_limit(b, memories[i], &limit))
        ASH_TRY(save_bank(b, memories[i], memories[k], limit, &saved));
    }
  return ASH_OK;
}

static ash_status commit(banks *b) {
  for (uint32_t m = 0; m < b->d->ask->memory_count; m++) {
    gather(b, m);
    ASH_ASSERT(fits(b, &b->placed[m], ash_draft_room(b->d, m)));
    ASH_TRY(ash_draft_commit(b->d, &b->part, &b->placed[m], m));
    if (b->d->rows || b->part.count == 0)
      continue;
    ASH_TRY(ash_mark_overlaps(b->d, &b->part, &b->placed[m]));
    ASH_TRY(ash_mark_shrinks(b->d, &b->part, &b->placed[m]));
  }
  return ASH_OK;
}

static bool is_candidate(const uint32_t *memories, uint32_t count, uint32_t m) {
  for (uint32_t i = 0; i < count; i++)
    if (memories[i] == m)
      return true;
  return false;
}

ash_status ash_plan_banks(ash_draft *d, ash_pack *pack) {
  banks b = {.d = d, .pack = pack};
  uint32_t memories[ASH_MEMORY_MAX + 1];
  const uint32_t count = ash_draft_candidates(d, memories);
  ASH_TRY(prepare(&b, memories[0]));
  for (uint32_t m = 0; m < d->ask->memory_count; m++)
    if (!is_candidate(memories, count, m))
      ASH_TRY(settle(&b, m, ASH_NO_MEMORY, false));
  for (uint32_t k = 0; k < count; k++)
    ASH_TRY(settle(&b, memories[k],
                   k + 1 < count ? memories[k + 1] : ASH_NO_MEMORY, k > 0));
  if (!d->ask->options->overlap && !d->rows)
    ASH_TRY(save_banks(&b, memories, count));
  ASH_TRY(commit(&b));
  return tell(&b, memories[0]);
}
