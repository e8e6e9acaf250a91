/* alias.c - who lies in whose storage: the links, the fixed point of live
 * ranges over them, and views, the simplest kind. */
#include "plan/share/alias.h"

#include "base/checked.h"
#include "op/views.h"

void ash_populate_alias_allocations(ash_slot *slots, uint32_t count) {
  if (!slots)
    return;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t of = i;
    uint64_t offset = 0;
    uint32_t hops = 0;
    /* As far as the root, or a slot before this one, which has its place. */
    for (; of < count && slots[of].alias_of != ASH_NO_ID && of >= i &&
           hops <= count;
         hops++) {
      offset += slots[of].alias_offset;
      of = slots[of].alias_of;
    }
    if (of == i || of >= count || hops > count)
      continue;
    slots[i].bound = slots[of].bound;
    slots[i].binding = slots[of].binding;
    slots[i].binding.offset += offset;
  }
}

static bool widen(ash_lifetime *life, const ash_lifetime *by) {
  ASH_ASSERT(life->first_step < life->end_step &&
             by->first_step < by->end_step);
  const ash_lifetime was = *life;
  if (by->first_step < life->first_step)
    life->first_step = by->first_step;
  if (by->end_step > life->end_step)
    life->end_step = by->end_step;
  return was.first_step != life->first_step || was.end_step != life->end_step;
}

/* Links lead both ways, so what is linked ends with one life. Chains are the
 * common case: forward and back, each link sees what the others gave. */
void ash_merge_alias_lifetimes(ash_lifetime *lives, const uint32_t *alias_of,
                               size_t count) {
  if (!(lives && alias_of))
    return;
  bool changed = true;
  for (bool back = false; changed; back = !back) {
    changed = false;
    for (size_t k = 0; k < count; k++) {
      const size_t i = back ? count - 1 - k : k;
      if (alias_of[i] >= count) /* ASH_NO_ID, or none of these */
        continue;
      changed |= widen(&lives[i], &lives[alias_of[i]]);
      changed |= widen(&lives[alias_of[i]], &lives[i]);
    }
  }
}

/* ---- joining ------------------------------------------------------------- */

/* A tensor that a rule pins stays alone, and one memory cannot be two. */
static bool demands_agree(const ash_aliaser *a, uint32_t x, uint32_t y) {
  ASH_ASSERT(x != y && x < a->slots->count && y < a->slots->count);
  const ash_storages *s = &a->storages;
  if (s->is_pinned[x] || s->is_pinned[y])
    return false;
  return s->memory[x] == ASH_NO_MEMORY || s->memory[y] == ASH_NO_MEMORY ||
         s->memory[x] == s->memory[y];
}

/* Users see the model's inputs and outputs, and a rule may have asked: those
 * keep their alignment. Others need what their elements need. */
static uint64_t least_alignment(const ash_aliaser *a, uint32_t slot) {
  ASH_ASSERT(slot < a->slots->count);
  const ash_slot *s = &a->slots->items[slot];
  if (a->aligned[slot] || s->tensor == ASH_NO_ID)
    return s->alignment;
  const ash_tensor *t = &a->g->tensors.items[s->tensor];
  if (t->is_output || t->kind == ASH_TENSOR_INPUT)
    return s->alignment;
  return ash_max_u64(1, ash_type_bits(t->type) / 8);
}

/* With root `inner` at `at` in another root: can all be aligned enough? */
static bool can_align(const ash_aliaser *a, uint32_t inner, uint64_t at) {
  ASH_ASSERT(a->storages.root[inner] == inner);
  for (uint32_t i = inner; i != ASH_NO_ID; i = a->storages.next[i])
    if ((at + a->storages.at[i]) % least_alignment(a, i) != 0)
      return false;
  return true;
}

/* Every member from `first` on, which has just joined, is aligned as well as
 * its place allows; the root takes the largest demand. False: no memory. */
static bool align_group(ash_aliaser *a, uint32_t root, uint32_t first) {
  ash_slot *slots = a->slots->items;
  ash_storages *s = &a->storages;
  if (!ash_storages_note(s, slots, root))
    return false;
  for (uint32_t i = first; i != ASH_NO_ID; i = s->next[i]) {
    ASH_ASSERT(s->root[i] == root && slots[i].alignment > 0);
    if (!ash_storages_note(s, slots, i))
      return false;
    while (s->at[i] % slots[i].alignment != 0)
      slots[i].alignment /= 2;
    slots[root].alignment =
        ash_max_u64(slots[root].alignment, slots[i].alignment);
  }
  return true;
}

/* Does an op give the variable of slot `root` a new value while the slot is
 * alive? The op that makes the slot does not count: it reads. */
static bool changes_meanwhile(const ash_aliaser *a, uint32_t root,
                              const ash_lifetime *life) {
  ASH_ASSERT(root < a->slots->count);
  const uint32_t variable = a->slots->items[root].tensor;
  for (uint32_t s = life->first_step; s < life->end_step; s++)
    for (uint32_t k = 0; s < a->steps->count && k < a->steps->items[s].op_count;
         k++)
      if (ash_graph_updates(a->g, &a->g->ops.items[a->steps->items[s].ops[k]],
                            variable))
        return true;
  return false;
}

/* May a value lie in a variable's storage? As a view of what the variable holds
 * as long as it holds it, or as what it is about to hold (alias_state.c).
 * Outputs may not: callers may use their bytes between runs. */
static bool may_join_state(const ash_aliaser *a, uint32_t inner, uint32_t root,
                           ash_alias_kind kind) {
  ASH_ASSERT(a->slots->items[inner].binding.role == ASH_SCRATCH);
  const ash_slot *s = &a->slots->items[inner];
  if (a->slots->items[root].binding.role != ASH_PERSISTENT ||
      s->tensor == ASH_NO_ID)
    return false;
  if (kind == ASH_ALIAS_IN_PLACE)
    return true;
  if (kind != ASH_ALIAS_VIEW || a->g->tensors.items[s->tensor].is_output)
    return false;
  if (a->memory[inner] != ASH_NO_MEMORY && a->memory[inner] != a->memory[root])
    return false;
  return !changes_meanwhile(a, root, &s->life);
}

bool ash_alias_join(ash_aliaser *a, uint32_t inner, uint32_t outer,
                    uint64_t offset, ash_alias_kind kind) {
  ash_slot *slots = a->slots->items;
  ash_storages *s = &a->storages;
  const uint32_t to = s->root[outer];
  const uint64_t at = s->at[outer] + offset;
  if (s->root[inner] != inner || to == inner)
    return false;
  if (at + slots[inner].size > slots[to].size)
    return false;
  if (slots[inner].binding.role != ASH_SCRATCH || slots[inner].size == 0)
    return false;
  if (slots[to].binding.role != ASH_SCRATCH &&
      !may_join_state(a, inner, to, kind))
    return false;
  if (!demands_agree(a, inner, to) || !can_align(a, inner, at))
    return false;
  const size_t before = s->join_count;
  if (!ash_storages_join(s, inner, to, at))
    return false;
  slots[inner].alias_of = outer;
  slots[inner].alias_offset = offset;
  slots[inner].alias_kind = kind;
  if (!align_group(a, to, inner)) { /* the zone's failure is told later */
    ash_alias_part(a, before);
    return false;
  }
  return true;
}

void ash_alias_part(ash_aliaser *a, size_t count) {
  ASH_ASSERT(count <= a->storages.join_count);
  ash_storages_part(&a->storages, a->slots->items, count);
}

bool ash_alias_overlap(const ash_aliaser *a, uint32_t x, uint32_t y) {
  ASH_ASSERT(x < a->slots->count && y < a->slots->count);
  const ash_slot *slots = a->slots->items;
  const ash_storages *s = &a->storages;
  return s->root[x] == s->root[y] && s->at[x] < s->at[y] + slots[y].size &&
         s->at[y] < s->at[x] + slots[x].size;
}

/* ---- how good is it? ----------------------------------------------------- */

/* Live sums over time as differences: +size where a storage starts, -size
 * where it ends. */
static void add_storages(const ash_aliaser *a, const ash_lifetime *lives,
                         int64_t *change) {
  for (uint32_t i = 0; i < a->slots->count; i++) {
    const ash_slot *s = &a->slots->items[i];
    if (s->alias_of != ASH_NO_ID || s->binding.role != ASH_SCRATCH)
      continue;
    ASH_ASSERT(lives[i].first_step < lives[i].end_step);
    change[lives[i].first_step] += (int64_t)s->size;
    change[lives[i].end_step] -= (int64_t)s->size;
  }
}

ash_status ash_alias_profile(ash_aliaser *a, ash_profile *out) {
  ash_zone *z = &a->ctx->scratch;
  const ash_mark mark = ash_zone_mark(z);
  const uint32_t count = a->slots->count, steps = a->steps->count;
  ash_lifetime *lives = ASH_NEW_ARRAY(z, ash_lifetime, count + 1u);
  int64_t *change = ASH_NEW_ARRAY(z, int64_t, steps + 2u);
  ASH_TRY(ash_zone_check(a->ctx, z));
  for (uint32_t i = 0; i < count; i++)
    lives[i] = a->slots->items[i].life;
  for (uint32_t i = 0; i < count; i++)
    (void)widen(&lives[a->storages.root[i]], &lives[i]);
  a->effort += (uint64_t)count + steps;
  add_storages(a, lives, change);
  *out = (ash_profile){0};
  uint64_t live = 0;
  for (uint32_t s = 0; s <= steps; s++) {
    live += (uint64_t)change[s];
    ASH_ASSERT(live <= INT64_MAX && a->shared[s] <= live);
    const uint64_t now = live - a->shared[s];
    const uint64_t scaled = ash_min_u64(now / 16, UINT32_MAX / 2);
    out->peak = ash_max_u64(out->peak, now);
    out->squares += scaled * scaled / 1024;
  }
  ash_zone_rewind(z, mark);
  return ASH_OK;
}

bool ash_alias_is_tired(const ash_aliaser *a) {
  const uint64_t most =
      200000000; /* slots and steps looked at: half a second */
  return a->effort > most;
}

/* ---- views --------------------------------------------------------------- */

void ash_alias_views(ash_aliaser *a) {
  for (uint32_t op = 0; op < a->g->op_count; op++) {
    const ash_op *o = &a->g->ops.items[op];
    for (uint32_t k = 0; k < o->output_count; k++) {
      uint32_t input;
      uint64_t offset;
      if (!ash_op_is_view(a->g, op, k, &input, &offset))
        continue;
      const uint32_t from = a->slot_of[o->inputs[input]];
      const uint32_t to = a->slot_of[o->outputs[k]];
      if (from != ASH_NO_ID && to != ASH_NO_ID)
        (void)ash_alias_join(a, to, from, offset, ASH_ALIAS_VIEW);
    }
  }
}

static ash_status merge_lives(ash_aliaser *a) {
  ash_zone *z = &a->ctx->scratch;
  const uint32_t count = a->slots->count;
  ash_lifetime *lives = ASH_NEW_ARRAY(z, ash_lifetime, count + 1u);
  uint32_t *alias_of = ASH_NEW_ARRAY(z, uint32_t, count + 1u);
  ASH_TRY(ash_zone_check(a->ctx, z));
  for (uint32_t i = 0; i < count; i++) {
    lives[i] = a->slots->items[i].life;
    alias_of[i] = a->slots->items[i].alias_of;
  }
  ash_merge_alias_lifetimes(lives, alias_of, count);
  for (uint32_t i = 0; i < count; i++)
    a->slots->items[i].life = lives[i];
  return ASH_OK;
}

/* Outputs are wanted for ever. */
static void note_ends(ash_aliaser *a) {
  for (uint32_t i = 0; i < a->slots->count; i++) {
    const ash_slot *s = &a->slots->items[i];
    const bool is_output =
        s->tensor != ASH_NO_ID && a->g->tensors.items[s->tensor].is_output;
    ash_storages_end(&a->storages, i,
                     is_output ? UINT32_MAX : s->life.end_step);
  }
}

ash_status ash_find_aliases(ash_aliaser *a, const ash_plan_options *options,
                            bool views_only) {
  ash_storages_init(&a->storages, &a->ctx->scratch, a->slots->count, a->memory,
                    a->offset);
  a->shared = ASH_NEW_ARRAY(&a->ctx->scratch, uint64_t, a->steps->count + 1u);
  ASH_TRY(ash_zone_check(a->ctx, &a->ctx->scratch));
  note_ends(a);
  if (!options->no_views)
    ash_alias_views(a);
  if (!options->no_slices && !views_only)
    ASH_TRY(ash_alias_slices(a));
  if (!options->no_in_place && !views_only)
    ash_alias_state(a);
  if (!options->no_concat && !views_only)
    ASH_TRY(ash_alias_concat(a));
  if (!options->no_in_place && !views_only)
    ASH_TRY(ash_alias_in_place(a));
  ASH_TRY(ash_zone_check(a->ctx, &a->ctx->scratch));
  return merge_lives(a);
}
