/* room.c - see room.h. */
#include "fit/room.h"

#include "show/plan_facts.h"

#include <string.h>

#define ENOUGH ((uint64_t)1 << 32)

enum { ROUNDS = 6 };

static bool enlarge(session *s, const ash_device **device, uint32_t memory) {
  const ash_memory *m = &(*device)->memories[memory];
  return m->bytes >= ENOUGH ||
         ash_device_set_bytes(s->ctx, device, m->name, ENOUGH) == ASH_OK;
}

/* Where scratch tensors go when nothing else has room: the memories before it
 * keep their sizes, so that they are filled first as on the real device. */
static uint32_t last_ram(const ash_device *d) {
  uint32_t last = d->default_memory;
  for (uint32_t i = 0; i < d->order_count; i++)
    if (d->memories[d->order[i]].kind == ASH_MEMORY_RAM)
      last = d->order[i];
  return last;
}

static uint64_t sum_of_arenas(const ash_plan *p, const char *memory) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (strcmp(p->arenas[i].memory, memory) == 0)
      sum += p->arenas[i].size;
  return sum;
}

/* What a memory must have: arenas that are never reused end at a multiple of
 * their alignment, those that are copied at start are in two memories. */
static uint64_t needed_of(const ash_plan *p, const char *memory) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->arena_count; i++) {
    const ash_arena *a = &p->arenas[i];
    const uint64_t unit = a->role == ASH_SCRATCH ? 1 : a->alignment;
    const bool is_copy = strcmp(a->memory, a->source_memory) != 0;
    if (strcmp(a->memory, memory) == 0 ||
        (is_copy && strcmp(a->source_memory, memory) == 0))
      sum += (a->size + unit - 1) / unit * unit;
  }
  return sum;
}

static uint64_t usable(const ash_memory *m) {
  return m->bytes > m->reserve_bytes ? m->bytes - m->reserve_bytes : 0;
}

/* Bytes that the memories lack, all together. */
static uint64_t lacking(const ash_plan *p, const ash_device *device) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < device->memory_count; i++) {
    const uint64_t needs = needed_of(p, device->memories[i].name);
    const uint64_t has = usable(&device->memories[i]);
    sum += needs > has ? needs - has : 0;
  }
  return sum;
}

/* Less of what is missing is better, then less working memory: kernels that
 * want none may want more constants, of which there may be no room. */
static bool is_better(const room *r, const ash_plan *p) {
  const ash_plan *old = r->made.plan;
  const uint64_t lacks = lacking(p, r->device);
  if (!old)
    return true;
  const uint64_t lacked = lacking(old, r->device);
  return lacks != lacked ? lacks < lacked : plan_scratch(p) < plan_scratch(old);
}

/* Keeps the plan if it is better than the one there is. */
static void try_plan(session *s, room *r, const char *path,
                     const ash_device *device, ash_order_kind order,
                     ash_kernels kernels) {
  ash_compile_options o = s->options;
  ash_compiled c;
  o.stop = true;
  o.stop_after = ASH_STAGE_PLAN;
  o.dump = NULL;
  o.plan.order = order;
  o.kernels = kernels;
  const bool made = ash_compile(s->ctx, &c, path, device, &o) == ASH_OK;
  ash_ctx_forget(s->ctx);
  if (made && is_better(r, c.plan)) {
    const ash_compiled old = r->made;
    r->made = c;
    c = old;
  }
  ash_compiled_drop(&c);
}

/* With less room than the plan takes, operators give up kernels that want work
 * memory: until that helps no more. */
static void squeeze(session *s, room *r, const char *path,
                    const ash_device *device, uint32_t memory) {
  const ash_memory *m = &device->memories[memory];
  for (int round = 0; round < ROUNDS; round++) {
    const uint64_t before = plan_scratch(r->made.plan);
    const uint64_t used = sum_of_arenas(r->made.plan, m->name);
    const ash_device *tight = device;
    if (used == 0 ||
        ash_device_set_bytes(s->ctx, &tight, m->name,
                             m->reserve_bytes + used - 1) != ASH_OK)
      return;
    try_plan(s, r, path, tight, s->options.plan.order, s->options.kernels);
    if (plan_scratch(r->made.plan) == before)
      return;
  }
}

/* The order and the kernels that need least, unless the user chose. */
static bool try_orders(session *s, room *r, const char *path,
                       const ash_device *device) {
  const ash_order_kind asked = s->options.plan.order;
  const ash_order_kind order = asked == ASH_ORDER_AUTO ? ASH_ORDER_ROWS : asked;
  try_plan(s, r, path, device, order, s->options.kernels);
  if (s->options.kernels == ASH_KERNELS_AUTO)
    try_plan(s, r, path, device, order, ASH_KERNELS_PORTABLE);
  if (!r->made.plan && order != asked)
    try_plan(s, r, path, device, asked, s->options.kernels);
  return r->made.plan != NULL;
}

/* What the other arenas of its memory leave to one. */
static uint64_t capacity_of(const room *r, const ash_arena *a,
                            const ash_device *d) {
  for (uint32_t i = 0; i < d->memory_count; i++)
    if (strcmp(d->memories[i].name, a->memory) == 0) {
      const uint64_t others = sum_of_arenas(r->made.plan, a->memory) - a->size;
      const uint64_t has = usable(&d->memories[i]);
      return has > others ? has - others : 1; /* 0: not known */
    }
  return a->total_size;
}

static void take_capacities(room *r, const ash_device *device) {
  const ash_plan *made = r->made.plan;
  r->plan = *made;
  r->plan.arenas = r->arenas;
  if (r->plan.arena_count > ROOM_ARENAS)
    r->plan.arena_count = ROOM_ARENAS;
  for (uint32_t i = 0; i < r->plan.arena_count; i++) {
    r->arenas[i] = made->arenas[i];
    if (r->arenas[i].role == ASH_SCRATCH)
      r->arenas[i].total_size = capacity_of(r, &made->arenas[i], device);
  }
}

static void find_shortages(room *r, const ash_device *device) {
  for (uint32_t i = 0; i < device->memory_count; i++) {
    const ash_memory *m = &device->memories[i];
    const uint64_t needs = needed_of(r->made.plan, m->name);
    if (needs > usable(m))
      r->shortages[r->shortage_count++] = (shortage){m->name, needs, usable(m)};
  }
}

bool plan_with_room(session *s, room *r, const char *path,
                    const ash_device *device) {
  const ash_device *large = device;
  memset(r, 0, sizeof *r);
  r->device = device;
  if (!enlarge(s, &large, last_ram(device)) ||
      !enlarge(s, &large, device->constant_memory))
    return false;
  if (!try_orders(s, r, path, large)) {
    for (uint32_t i = 0; i < device->memory_count; i++)
      if (!enlarge(s, &large, i))
        return false;
    if (!try_orders(s, r, path, large))
      return false;
  }
  squeeze(s, r, path, large, last_ram(device));
  take_capacities(r, device);
  find_shortages(r, device);
  return true;
}
