/* check_file_arenas.c - the arenas of a plan file against its tensors: sizes
 * are what is used, bounds at least the load (the bytes that are alive at
 * once), verdicts what sizes and bounds say. */
#include "check/check_file.h"

#include "base/checked.h"
#include "base/sort.h"
#include "device/device.h"

#include <inttypes.h>
#include <string.h>

typedef struct sums {
  const ash_file_check *k;
  uint32_t *arena; /* by slot */
  uint64_t *end;   /* by arena: of its last byte in use */
  uint64_t *load;  /* by arena: the most that is alive at once */
} sums;

static const ash_arena *arena_at(const ash_file_check *k, uint32_t i) {
  return &k->f->plan.arenas[i];
}

#define REFUSE(k, at, id, ...)                                                 \
  ash_fail((k)->ctx, ASH_MALFORMED, (id), ash_yaml_loc(at), __VA_ARGS__)

static uint32_t arena_of(const ash_plan *p, const ash_binding *b) {
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == b->role &&
        strcmp(p->arenas[i].memory, b->memory) == 0)
      return i;
  return ASH_NO_ID;
}

static bool is_storage(const ash_slot *s) {
  return s->alias_of == ASH_NO_ID && s->size > 0;
}

/* ---- load ---------------------------------------------------------------- */

typedef struct change {
  uint32_t time, arena;
  bool comes;
  uint64_t bytes;
} change;

static int by_time(const void *a, const void *b, const void *user) {
  const change *x = a, *y = b;
  (void)user;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->comes == y->comes ? 0 : y->comes ? -1 : 1;
}

/* What follows another one at its first step may share that one's bytes there,
 * and work memory in an order of rows has gaps: neither counts then. */
static ash_lifetime counted(const ash_slot *s) {
  ash_lifetime life = s->life;
  if (s->kind == ASH_SLOT_WORK)
    life.end_step = life.first_step;
  else if (s->follows != ASH_NO_ID)
    life.first_step++;
  return life;
}

static ash_status find_load(const sums *s) {
  const ash_plan *p = &s->k->f->plan;
  ash_zone *z = &s->k->ctx->scratch;
  change *all = ASH_NEW_ARRAY(z, change, 2 * (size_t)p->slot_count + 1);
  change *spare = ASH_NEW_ARRAY(z, change, 2 * (size_t)p->slot_count + 1);
  uint64_t *now = ASH_NEW_ARRAY(z, uint64_t, p->arena_count + 1u);
  size_t count = 0;
  ASH_TRY(ash_zone_check(s->k->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_lifetime life = counted(&p->slots[i]);
    if (!is_storage(&p->slots[i]) || life.first_step >= life.end_step)
      continue;
    const uint64_t bytes = p->slots[i].size;
    all[count++] = (change){life.first_step, s->arena[i], true, bytes};
    all[count++] = (change){life.end_step, s->arena[i], false, bytes};
  }
  ash_sort(all, spare, count, sizeof *all, by_time, NULL);
  for (size_t i = 0; i < count; i++) {
    uint64_t *sum = &now[all[i].arena];
    *sum = all[i].comes ? *sum + all[i].bytes : *sum - all[i].bytes;
    s->load[all[i].arena] = ash_max_u64(s->load[all[i].arena], *sum);
  }
  return ASH_OK;
}

static int by_size(const void *a, const void *b, const void *user) {
  const sums *s = user;
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  if (s->arena[x] != s->arena[y])
    return s->arena[x] < s->arena[y] ? -1 : 1;
  const uint64_t u = s->k->f->plan.slots[x].size;
  const uint64_t v = s->k->f->plan.slots[y].size;
  return u == v ? 0 : u < v ? -1 : 1;
}

/* Constants of one size may all be one. */
static ash_status find_constants(const sums *s) {
  const ash_plan *p = &s->k->f->plan;
  ash_zone *z = &s->k->ctx->scratch;
  uint32_t *order = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  uint32_t count = 0;
  ASH_TRY(ash_zone_check(s->k->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (is_storage(&p->slots[i]) && p->slots[i].binding.role == ASH_CONSTANT)
      order[count++] = i;
  ash_sort(order, spare, count, sizeof *order, by_size, s);
  for (uint32_t i = 0; i < p->arena_count; i++)
    s->load[i] = p->arenas[i].role == ASH_CONSTANT ? 0 : s->load[i];
  for (uint32_t i = 0; i < count; i++)
    if (i == 0 || by_size(&order[i - 1], &order[i], s) != 0)
      s->load[s->arena[order[i]]] += p->slots[order[i]].size;
  return ASH_OK;
}

static ash_status find_sums(const ash_file_check *k, sums *s) {
  const ash_plan *p = &k->f->plan;
  ash_zone *z = &k->ctx->scratch;
  *s = (sums){k, ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u),
              ASH_NEW_ARRAY(z, uint64_t, p->arena_count + 1u),
              ASH_NEW_ARRAY(z, uint64_t, p->arena_count + 1u)};
  ASH_TRY(ash_zone_check(k->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *x = &p->slots[i];
    s->arena[i] = arena_of(p, &x->binding);
    uint64_t *end = &s->end[s->arena[i]];
    *end = ash_max_u64(*end, x->binding.offset + x->size);
  }
  ASH_TRY(find_load(s));
  return find_constants(s);
}

/* ---- what an arena says of itself ---------------------------------------- */

/* What a plan may use of the memory of an arena; all that there is where the
 * device is not known. */
static uint64_t budget_of(const ash_file_check *k, const ash_arena *a) {
  const uint32_t memory =
      k->device ? ash_device_memory_named(k->device, a->memory) : ASH_NO_MEMORY;
  return memory == ASH_NO_MEMORY
             ? UINT64_MAX
             : ash_device_memory_budget(&k->device->memories[memory]);
}

static const ash_memory *memory_of(const ash_file_check *k, const char *name) {
  for (uint32_t i = 0; k->device && i < k->device->memory_count; i++)
    if (strcmp(k->device->memories[i].name, name) == 0)
      return &k->device->memories[i];
  return NULL;
}

static ash_status check_facts(const ash_file_check *k, uint32_t i,
                              const ash_yaml *at) {
  const ash_arena *a = arena_at(k, i);
  const ash_yaml *staged = ash_yaml_get(at, "is_staged");
  uint64_t region, total;
  bool is_staged = false;
  ASH_TRY(ash_yaml_need_u64(k->ctx, &region, at, "region_id"));
  ASH_TRY(ash_yaml_need_u64(k->ctx, &total, at, "total_size"));
  ASH_TRY(ash_yaml_need(k->ctx, &staged, at, "is_staged", "an arena"));
  ASH_TRY(ash_yaml_bool(k->ctx, &is_staged, staged, "is_staged"));
  if (a->alignment > ASH_FILE_ALIGNMENT_MAX)
    return REFUSE(k, at, ASH_D_plan_misaligned,
                  "the arena at place %u has alignment %" PRIu64, (unsigned)i,
                  a->alignment);
  if (region != i)
    return REFUSE(k, at, ASH_D_plan_facts,
                  "the arena at place %u has region_id %" PRIu64, (unsigned)i,
                  region);
  if (is_staged != (strcmp(a->memory, a->source_memory) != 0) ||
      (is_staged && a->role != ASH_CONSTANT))
    return REFUSE(k, at, ASH_D_plan_facts,
                  "a %s arena from %s in %s is said to be %sstaged",
                  ash_role_text(a->role), a->source_memory, a->memory,
                  is_staged ? "" : "not ");
  const ash_memory *m = is_staged ? memory_of(k, a->memory) : NULL;
  if (m && m->kind == ASH_MEMORY_NVM)
    return REFUSE(k, at, ASH_D_plan_facts,
                  "constants cannot be copied to %s, which is read-only",
                  a->memory);
  if (a->size > total || (a->role != ASH_SCRATCH && a->size != total))
    return REFUSE(k, at, ASH_D_plan_facts,
                  "the %s arena in %s has %" PRIu64 " bytes of %" PRIu64,
                  ash_role_text(a->role), a->memory, a->size, total);
  if (total > budget_of(k, a))
    return REFUSE(k, at, ASH_D_plan_facts,
                  "the %s arena in %s may grow to %" PRIu64 " bytes, of "
                  "%" PRIu64 " that the memory gives",
                  ash_role_text(a->role), a->memory, total, budget_of(k, a));
  return ASH_OK;
}

static ash_status check_bound(const sums *s, uint32_t i, const ash_yaml *at) {
  const ash_arena *a = arena_at(s->k, i);
  if (a->size != s->end[i])
    return REFUSE(s->k, at, ASH_D_plan_facts,
                  "the %s arena in %s has %" PRIu64 " bytes, its last tensor "
                  "ends at %" PRIu64,
                  ash_role_text(a->role), a->memory, a->size, s->end[i]);
  if (a->lower_bound < s->load[i])
    return REFUSE(s->k, at, ASH_D_plan_bound,
                  "the %s arena in %s has lower bound %" PRIu64 ", and "
                  "%" PRIu64 " bytes are alive at once",
                  ash_role_text(a->role), a->memory, a->lower_bound,
                  s->load[i]);
  const ash_verdict want =
      a->lower_bound == a->size ? ASH_OPTIMAL : ASH_FEASIBLE;
  if (a->verdict != want)
    return REFUSE(s->k, at, ASH_D_plan_verdict,
                  "the %s arena in %s has size %" PRIu64 ", bound %" PRIu64
                  " and verdict %s",
                  ash_role_text(a->role), a->memory, a->size, a->lower_bound,
                  ash_verdict_text(a->verdict));
  return ASH_OK;
}

/* ---- power --------------------------------------------------------------- */

/* Bytes of arenas, and of what is copied from there. */
static uint64_t arenas_in(const ash_plan *p, const char *memory) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->arena_count; i++) {
    const ash_arena *a = &p->arenas[i];
    const uint64_t bytes = ash_align_up(a->size, a->alignment);
    const bool staged = strcmp(a->memory, a->source_memory) != 0;
    sum += strcmp(a->memory, memory) == 0 ? bytes : 0;
    sum += staged && strcmp(a->source_memory, memory) == 0 ? bytes : 0;
  }
  return sum;
}

typedef struct bank {
  const char *memory;
  uint64_t bytes, used, powered, count;
} bank;

static ash_status read_bank(const ash_file_check *k, bank *b,
                            const ash_yaml *at) {
  ASH_TRY(ash_yaml_need_string(k->ctx, &b->memory, at, "memory"));
  ASH_TRY(ash_yaml_need_u64(k->ctx, &b->bytes, at, "bank_bytes"));
  ASH_TRY(ash_yaml_need_u64(k->ctx, &b->used, at, "used"));
  ASH_TRY(ash_yaml_need_u64(k->ctx, &b->powered, at, "powered"));
  return ash_yaml_need_u64(k->ctx, &b->count, at, "banks");
}

/* Is it what the device says, where that is known? */
static bool is_of_device(const ash_file_check *k, const bank *b,
                         uint64_t arenas) {
  const ash_memory *m = memory_of(k, b->memory);
  if (!k->device)
    return b->used >= arenas;
  return m && m->bank_bytes == b->bytes &&
         b->used == m->reserve_bytes + arenas &&
         b->count == ash_ceil_div(m->bytes, m->bank_bytes);
}

static ash_status check_bank(const ash_file_check *k, const ash_yaml *at) {
  bank b;
  ASH_TRY(read_bank(k, &b, at));
  const uint64_t sum = arenas_in(&k->f->plan, b.memory);
  if (sum == 0 || b.bytes == 0 || b.powered > b.count ||
      b.powered != b.used / b.bytes + (b.used % b.bytes != 0) ||
      !is_of_device(k, &b, sum))
    return REFUSE(k, at, ASH_D_plan_facts,
                  "%" PRIu64 " of %" PRIu64 " banks of %" PRIu64
                  " bytes for %" PRIu64 " in %s, where arenas have %" PRIu64,
                  b.powered, b.count, b.bytes, b.used, b.memory, sum);
  return ASH_OK;
}

/* Memories that are named twice; there are at most as many as arenas. */
static ash_status check_once(const ash_file_check *k, const ash_yaml *power,
                             const ash_yaml_item *last) {
  const char *name, *other;
  ASH_TRY(ash_yaml_need_string(k->ctx, &name, last->node, "memory"));
  for (const ash_yaml_item *i = power->first; i != last; i = i->next) {
    ASH_TRY(ash_yaml_need_string(k->ctx, &other, i->node, "memory"));
    if (strcmp(name, other) == 0)
      return REFUSE(k, last->node, ASH_D_plan_facts, "%s has power twice",
                    name);
  }
  return ASH_OK;
}

/* All memories with banks are named, where the device is known. */
static ash_status check_named(const ash_file_check *k, const ash_yaml *power) {
  size_t banks = 0;
  for (uint32_t i = 0; k->device && i < k->device->memory_count; i++) {
    const ash_memory *m = &k->device->memories[i];
    banks += m->bank_bytes && arenas_in(&k->f->plan, m->name) > 0;
  }
  return banks <= power->count
             ? ASH_OK
             : REFUSE(k, power, ASH_D_plan_facts,
                      "power of %zu memories, %zu with arenas have banks",
                      power->count, banks);
}

static ash_status check_power(const ash_file_check *k) {
  const ash_yaml *power = ash_yaml_get(k->f->top, "power");
  if (!power)
    return ASH_OK;
  ASH_TRY(ash_yaml_want_list(k->ctx, power, "power"));
  for (const ash_yaml_item *i = power->first; i; i = i->next) {
    ASH_TRY(check_bank(k, i->node));
    ASH_TRY(check_once(k, power, i));
  }
  return check_named(k, power);
}

/* ---- all of it ----------------------------------------------------------- */

/* The plan is as well proved as its worst arena. Of tensors in several memories
 * it may be proved less: which of them each lies in is often chosen. */
static ash_status check_verdict(const ash_file_check *k) {
  const ash_plan *p = &k->f->plan;
  ash_verdict worst = ASH_OPTIMAL;
  uint32_t scratch = 0;
  for (uint32_t i = 0; i < p->arena_count; i++) {
    worst = worst == ASH_OPTIMAL ? p->arenas[i].verdict : worst;
    scratch += p->arenas[i].role == ASH_SCRATCH;
  }
  const bool is_chosen =
      worst == ASH_OPTIMAL && p->verdict == ASH_FEASIBLE && scratch > 1;
  if (p->verdict == worst || is_chosen)
    return ASH_OK;
  return REFUSE(k, k->f->top, ASH_D_plan_verdict,
                "the plan claims to be %s, its arenas are %s",
                ash_verdict_text(p->verdict), ash_verdict_text(worst));
}

ash_status ash_check_file_arenas(const ash_file_check *k) {
  const ash_yaml *arenas = ash_yaml_get(k->f->top, "arenas");
  sums s;
  uint32_t n = 0;
  ASH_TRY(find_sums(k, &s));
  for (const ash_yaml_item *i = arenas->first; i; i = i->next, n++) {
    ASH_TRY(check_facts(k, n, i->node));
    ASH_TRY(check_bound(&s, n, i->node));
  }
  ASH_TRY(check_power(k));
  return check_verdict(k);
}
