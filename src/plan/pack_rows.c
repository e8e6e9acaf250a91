/* pack_rows.c - rows packed by the exact solver.
 *
 * Tensors in one piece are rows at fixed distances. Where that does not raise
 * the load, such a group is one solid buffer from its first row to its last:
 * the solver is at its best where nothing is tied. It also finds a place for
 * everything else more easily when a large input that is there from the start
 * lies at an end of the arena: both ends are tried, at the height that no
 * placement is below, before it may lie anywhere.
 *
 * Tables of rows hold 16-bit numbers: in large arenas they count units of more
 * than one byte. */
#include "plan/planner.h"

#include "base/checked.h"
#include "domain/rows.h"
#include "plan/move_rows.h"
#include "plan/share/row_overlap.h"

enum {
  TICKS = 200000,
  TICKS_OF_NEED = 50000 /* how much is missing: no plan is made of it */
};

/* Rows that are tied to each other: of tensors in one piece. */
typedef struct group {
  ash_buffer solid;
  bool is_solid;
} group;

typedef struct packing {
  ash_draft *d;
  const ash_scratch *s;
  uint32_t *buffer_of; /* by slot: of its storage, if it is in this memory */
  uint32_t *group_of;  /* by buffer of `s`; ASH_NO_ID: it is alone          */
  int64_t *delta;      /* by buffer of `s`: from the start of its group     */
  group *groups;
  uint32_t group_count;
  /* What the solver sees. */
  ash_buffer *buffers;
  uint32_t *index; /* by buffer of `s`: there                               */
  uint32_t count;
  ash_relation *relations;
  uint32_t relation_count;
  uint64_t load;
  int64_t when; /* the load is reached                                     */
  ash_row_overlaps overlaps;
  uint64_t least; /* the load where new rows lie over dying ones             */
  bool *can_move; /* by buffer of `s`                                        */
  bool will_move; /* rows may move if they do not fit otherwise              */
} packing;

static const ash_tensor *tensor_at(const packing *p, uint32_t tensor) {
  ASH_ASSERT(tensor < p->d->ask->graph->tensor_count);
  return &p->d->ask->graph->tensors.items[tensor];
}

/* The buffer of a row; ASH_NO_ID: the row is in another memory, or nowhere. */
static uint32_t buffer_of_row(const packing *p, uint32_t tensor, uint32_t row) {
  ASH_ASSERT(p->d->rows->slot_of[tensor] != ASH_NO_ID);
  const uint32_t slot = p->d->rows->slot_of[tensor] + row;
  const ash_slot *slots = p->d->answer->slots;
  const uint32_t count = p->d->ask->slot_count;
  if (slot >= count || slots[slot].tensor != tensor || slots[slot].row != row)
    return ASH_NO_ID;
  return p->buffer_of[ash_alias_root(slots, count, slot, NULL)];
}

/* ---- the problem --------------------------------------------------------- */

static bool has_piece(const packing *p, uint32_t tensor) {
  ASH_ASSERT(tensor < p->d->ask->graph->tensor_count);
  const ash_row_layout *r = p->d->rows;
  return r->root[tensor] == tensor && r->has_rows[tensor] &&
         r->is_piece[tensor] && r->slot_of[tensor] != ASH_NO_ID;
}

/* Joins buffer b, `distance` after a, to the group of a. */
static void join(packing *p, uint32_t a, uint32_t b, int64_t distance) {
  const uint32_t from = p->group_of[b], to = p->group_of[a];
  const int64_t shift = p->delta[a] + distance - p->delta[b];
  ASH_ASSERT(to != ASH_NO_ID && a != b);
  if (from == ASH_NO_ID) {
    p->group_of[b] = to;
    p->delta[b] = p->delta[a] + distance;
    return;
  }
  ASH_ASSERT(from != to || shift == 0);
  for (uint32_t i = 0; i < p->s->count && from != to; i++)
    if (p->group_of[i] == from) {
      p->group_of[i] = to;
      p->delta[i] += shift;
    }
}

static void group_rows(packing *p, uint32_t tensor) {
  const ash_tensor *t = tensor_at(p, tensor);
  const uint32_t first = buffer_of_row(p, tensor, 0);
  if (first == ASH_NO_ID)
    return;
  if (p->group_of[first] == ASH_NO_ID)
    p->group_of[first] = p->group_count++;
  for (uint32_t row = 1; row < ash_domain_row_count(t); row++) {
    const uint32_t b = buffer_of_row(p, tensor, row);
    if (b == ASH_NO_ID)
      return;
    join(p, first, b, (int64_t)(row * ash_domain_row_bytes(t)));
  }
}

/* Groups begin at 0. */
static void shift_groups(packing *p) {
  for (uint32_t k = 0; k < p->group_count; k++) {
    int64_t low = INT64_MAX;
    for (uint32_t i = 0; i < p->s->count; i++)
      if (p->group_of[i] == k && p->delta[i] < low)
        low = p->delta[i];
    for (uint32_t i = 0; i < p->s->count; i++)
      if (p->group_of[i] == k)
        p->delta[i] -= low;
  }
}

/* The buffer that holds the whole group all the time; size 0: there cannot be
 * one. */
static ash_buffer solid_of(const packing *p, uint32_t k) {
  ash_buffer out = {.lower = INT64_MAX,
                    .alignment = 1,
                    .offset = ASH_FREE_OFFSET,
                    .hint = ASH_FREE_OFFSET};
  for (uint32_t i = 0; i < p->s->count; i++) {
    const ash_buffer *b = &p->s->buffers[i];
    if (p->group_of[i] != k)
      continue;
    const uint64_t at = (uint64_t)p->delta[i];
    if (at % b->alignment != 0 || b->offset != ASH_FREE_OFFSET)
      return (ash_buffer){0};
    out.lower = b->lower < out.lower ? b->lower : out.lower;
    out.upper = b->upper > out.upper ? b->upper : out.upper;
    out.size = ash_max_u64(out.size, at + b->size);
    out.alignment = ash_max_u64(out.alignment, b->alignment);
  }
  return out;
}

static bool is_solid(const packing *p, uint32_t buffer) {
  ASH_ASSERT(buffer < p->s->count);
  const uint32_t k = p->group_of[buffer];
  return k != ASH_NO_ID && p->groups[k].is_solid;
}

static void count_buffer(int64_t *change, const ash_buffer *b) {
  ASH_ASSERT(0 <= b->lower && b->lower < b->upper);
  change[b->lower] += (int64_t)b->size;
  change[b->upper] -= (int64_t)b->size;
  for (size_t k = 0; k < b->gap_count; k++) {
    change[b->gaps[k].lower] -= (int64_t)b->size;
    change[b->gaps[k].upper] += (int64_t)b->size;
  }
}

/* The largest sum of sizes alive at one step. */
static ash_status count_load(packing *p, uint64_t *load, int64_t *when) {
  const uint32_t steps = p->d->ask->steps.count + 1;
  ash_zone *z = &p->d->ctx->scratch;
  int64_t *change = ASH_NEW_ARRAY(z, int64_t, steps + 1u), live = 0;
  ASH_TRY(ash_zone_check(p->d->ctx, z));
  for (uint32_t i = 0; i < p->s->count; i++)
    if (!is_solid(p, i))
      count_buffer(change, &p->s->buffers[i]);
  for (uint32_t k = 0; k < p->group_count; k++)
    if (p->groups[k].is_solid)
      count_buffer(change, &p->groups[k].solid);
  *load = 0;
  for (uint32_t i = 0; i < steps; i++) {
    live += change[i];
    ASH_ASSERT(live >= 0);
    if ((uint64_t)live > *load) {
      *load = (uint64_t)live;
      *when = i;
    }
  }
  return ASH_OK;
}

/* Smallest first. */
static uint32_t next_group(const packing *p, uint32_t after) {
  ASH_ASSERT(after == ASH_NO_ID || after < p->group_count);
  uint32_t best = ASH_NO_ID;
  for (uint32_t k = 0; k < p->group_count; k++) {
    const uint64_t bytes = p->groups[k].solid.size;
    if (after != ASH_NO_ID &&
        (bytes < p->groups[after].solid.size ||
         (bytes == p->groups[after].solid.size && k <= after)))
      continue;
    if (best == ASH_NO_ID || bytes < p->groups[best].solid.size)
      best = k;
  }
  return best;
}

static ash_status make_solid(packing *p) {
  for (uint32_t k = 0; k < p->group_count; k++)
    p->groups[k].solid = solid_of(p, k);
  for (uint32_t k = next_group(p, ASH_NO_ID); k != ASH_NO_ID;
       k = next_group(p, k)) {
    uint64_t load;
    int64_t when;
    p->groups[k].is_solid = p->groups[k].solid.size > 0;
    ASH_TRY(count_load(p, &load, &when));
    p->groups[k].is_solid = p->groups[k].is_solid && load <= p->load;
  }
  return ASH_OK;
}

/* The first buffer of a group that is not solid is the one that the others are
 * tied to. */
static void put_buffers(packing *p) {
  p->count = p->relation_count = 0;
  for (uint32_t k = 0; k < p->group_count; k++)
    if (p->groups[k].is_solid)
      p->buffers[p->count++] = p->groups[k].solid;
  for (uint32_t i = 0, k = 0; i < p->s->count; i++) {
    if (is_solid(p, i)) {
      p->index[i] = 0;
      for (k = 0; k < p->group_of[i]; k++)
        p->index[i] += p->groups[k].is_solid;
      continue;
    }
    p->index[i] = p->count;
    p->buffers[p->count++] = p->s->buffers[i];
    for (k = 0; k < i && p->group_of[i] != ASH_NO_ID; k++)
      if (p->group_of[k] == p->group_of[i]) {
        p->relations[p->relation_count++] =
            (ash_relation){.kind = ASH_FIXED_DISTANCE,
                           .a = p->index[k],
                           .b = p->index[i],
                           .distance = p->delta[i] - p->delta[k]};
        break;
      }
  }
}

/* Rows that nothing sees but the operators that read them from a table. */
static ash_status find_movable(packing *p) {
  const uint32_t count = p->d->ask->slot_count;
  const ash_slot *slots = p->d->answer->slots;
  p->can_move = ASH_NEW_ARRAY(&p->d->ctx->scratch, bool, p->s->count + 1u);
  ASH_TRY(ash_zone_check(p->d->ctx, &p->d->ctx->scratch));
  for (uint32_t i = 0; i < p->s->count; i++)
    p->can_move[i] = slots[p->s->slot[i]].has_row &&
                     p->group_of[i] == ASH_NO_ID &&
                     p->s->buffers[i].offset == ASH_FREE_OFFSET;
  for (uint32_t i = 0; i < count; i++) {
    if (slots[i].alias_of == ASH_NO_ID || slots[i].alias_kind != ASH_ALIAS_VIEW)
      continue;
    const uint32_t b = p->buffer_of[ash_alias_root(slots, count, i, NULL)];
    if (b != ASH_NO_ID)
      p->can_move[b] = false;
  }
  return ASH_OK;
}

/* Where new rows lie over dying ones, less is alive at once. */
static ash_status count_least(packing *p) {
  const uint32_t steps = p->d->ask->steps.count + 1;
  ash_zone *z = &p->d->ctx->scratch;
  int64_t *change = ASH_NEW_ARRAY(z, int64_t, steps + 1u), live = 0;
  ASH_TRY(ash_find_row_overlaps(p->d, p->s, p->buffer_of, p->can_move,
                                &p->overlaps));
  ASH_TRY(ash_zone_check(p->d->ctx, z));
  for (uint32_t i = 0; i < p->s->count; i++)
    count_buffer(change, &p->s->buffers[i]);
  p->least = 0;
  for (uint32_t i = 0; i + 1 < steps; i++) {
    live += change[i];
    const uint64_t now = (uint64_t)live - p->overlaps.saved[i];
    ASH_ASSERT(p->overlaps.saved[i] <= (uint64_t)live);
    if (now > p->least) {
      p->least = now;
      p->when = i;
    }
  }
  return ASH_OK;
}

static bool wants_overlaps(const packing *p) {
  const ash_plan_options *o = p->d->ask->options;
  return o->overlap && o->moves != ASH_MOVES_NEVER;
}

static ash_status prepare(packing *p) {
  const ash_plan_request *ask = p->d->ask;
  const size_t n = p->s->count + 1u;
  ash_zone *z = &p->d->ctx->scratch;
  p->buffers = ASH_NEW_ARRAY(z, ash_buffer, n);
  p->index = ASH_NEW_ARRAY(z, uint32_t, n);
  p->group_of = ASH_NEW_ARRAY(z, uint32_t, n);
  p->delta = ASH_NEW_ARRAY(z, int64_t, n);
  p->groups = ASH_NEW_ARRAY(z, group, n);
  p->relations = ASH_NEW_ARRAY(z, ash_relation, n);
  p->buffer_of = ASH_NEW_ARRAY(z, uint32_t, ask->slot_count + 1u);
  ASH_TRY(ash_zone_check(p->d->ctx, z));
  for (uint32_t i = 0; i < ask->slot_count; i++)
    p->buffer_of[i] = ASH_NO_ID;
  for (uint32_t i = 0; i < p->s->count; i++) {
    p->buffer_of[p->s->slot[i]] = i;
    p->group_of[i] = ASH_NO_ID;
  }
  for (uint32_t t = 0; t < ask->graph->tensor_count; t++)
    if (has_piece(p, t))
      group_rows(p, t);
  shift_groups(p);
  ASH_TRY(find_movable(p));
  ASH_TRY(count_load(p, &p->load, &p->when));
  p->least = p->load;
  return wants_overlaps(p) ? count_least(p) : ASH_OK;
}

/* ---- units --------------------------------------------------------------- */

/* Rows that a table points at: of tensors that are not in one piece. */
static void align_rows(packing *p, uint64_t unit) {
  ASH_ASSERT(unit > 0 && (unit & (unit - 1)) == 0);
  const ash_row_layout *r = p->d->rows;
  ash_slot *slots = p->d->answer->slots;
  for (uint32_t i = 0; i < p->d->ask->slot_count; i++) {
    ash_slot *s = &slots[i];
    if (!s->has_row || r->is_piece[r->root[s->tensor]])
      continue;
    s->alignment = ash_max_u64(s->alignment, unit);
    const uint32_t root = ash_alias_root(slots, p->d->ask->slot_count, i, NULL);
    slots[root].alignment = ash_max_u64(slots[root].alignment, unit);
    if (p->buffer_of[root] != ASH_NO_ID)
      p->s->buffers[p->buffer_of[root]].alignment = slots[root].alignment;
  }
}

/* ---- attempts ------------------------------------------------------------ */

static ash_status place(packing *p, ash_place_result *out, uint64_t capacity,
                        uint64_t ticks) {
  ASH_ASSERT(p->count <= p->s->count && p->relation_count < p->count + 1u);
  const uint64_t asked = p->d->ask->options->ticks;
  const ash_place_problem problem = {.buffers = p->buffers,
                                     .buffer_count = p->count,
                                     .relations = p->relations,
                                     .relation_count = p->relation_count,
                                     .capacity = capacity,
                                     .minimise = true};
  const ash_place_options options = {.struct_bytes = sizeof options,
                                     .ticks = asked ? asked : ticks,
                                     .seed = p->d->ask->options->seed};
  return ash_place(p->d->ctx, out, &problem, &options);
}

/* A large input that is there from the start. */
static bool is_resident(const packing *p, uint32_t tensor) {
  if (!has_piece(p, tensor) || tensor_at(p, tensor)->kind != ASH_TENSOR_INPUT)
    return false;
  const uint32_t i = buffer_of_row(p, tensor, 0);
  return i != ASH_NO_ID && !is_solid(p, i) &&
         p->s->buffers[i].offset == ASH_FREE_OFFSET;
}

/* Inputs one after the other, from the low end up or from the high end down:
 * the first row is fixed, the others follow. False: there are none, or they do
 * not fit. */
static bool pin_inputs(packing *p, bool high) {
  uint64_t low = 0, top = p->load;
  bool any = false;
  for (uint32_t t = 0; t < p->d->ask->graph->tensor_count; t++) {
    if (!is_resident(p, t))
      continue;
    ash_buffer *b = &p->buffers[p->index[buffer_of_row(p, t, 0)]];
    const uint64_t bytes = tensor_at(p, t)->bytes;
    if (bytes > top)
      return false;
    top = (top - bytes) / b->alignment * b->alignment;
    low = ash_align_up(low, b->alignment);
    b->offset = (int64_t)(high ? top : low);
    low += bytes;
    any = true;
  }
  return any;
}

static ash_status try_ends(packing *p, ash_place_result *out,
                           uint64_t capacity) {
  if (p->load == 0 || capacity == 0)
    return ASH_OK;
  ASH_ASSERT(capacity >= p->load);
  for (int high = 1; high >= 0 && !out->offsets; high--) {
    if (pin_inputs(p, high))
      ASH_TRY(place(p, out, p->load, TICKS));
    put_buffers(p);
  }
  return ASH_OK;
}

/* From what the solver saw to what was asked. */
static ash_status put_offsets(packing *p, ash_place_result *out) {
  ASH_ASSERT(out->offsets != NULL);
  int64_t *offsets = ASH_NEW_ARRAY(&p->d->ctx->keep, int64_t, p->s->count + 1u);
  ASH_TRY(ash_zone_check(p->d->ctx, &p->d->ctx->keep));
  for (uint32_t i = 0; i < p->s->count; i++) {
    offsets[i] = out->offsets[p->index[i]];
    if (is_solid(p, i))
      offsets[i] += p->delta[i];
  }
  out->offsets = offsets;
  return ASH_OK;
}

static ash_sweep sweep_of(const packing *p, uint64_t capacity) {
  ASH_ASSERT(capacity >= p->least);
  return (ash_sweep){.buffers = p->s->buffers,
                     .count = p->s->count,
                     .group_of = p->group_of,
                     .delta = p->delta,
                     .group_count = p->group_count,
                     .capacity = capacity,
                     .behind = p->overlaps.behind,
                     .distance = p->overlaps.distance};
}

/* Sweeps over time, at the load: whatever is found is the smallest. */
static ash_status try_sweeps(packing *p, ash_place_result *out,
                             uint64_t capacity) {
  int64_t *offsets = ASH_NEW_ARRAY(&p->d->ctx->keep, int64_t, p->s->count + 1u);
  ASH_TRY(ash_zone_check(p->d->ctx, &p->d->ctx->keep));
  const ash_sweep sweep = sweep_of(p, p->load);
  bool found;
  if (capacity && capacity < p->load)
    return ASH_OK;
  ASH_TRY(ash_sweep_rows(p->d->ctx, &sweep, offsets, &found));
  if (found)
    *out = (ash_place_result){.verdict = ASH_OPTIMAL,
                              .reason = ASH_REASON_BOUND_MET,
                              .height = p->load,
                              .witness_time = p->when,
                              .lower_bound = p->load,
                              .offsets = offsets};
  return ASH_OK;
}

/* ---- moves --------------------------------------------------------------- */

static uint64_t height_of(const packing *p, const int64_t *offsets,
                          const ash_sweep_moves *moves) {
  uint64_t height = 0;
  for (uint32_t i = 0; i < p->s->count; i++)
    height = ash_max_u64(height, (uint64_t)offsets[i] + p->s->buffers[i].size);
  for (uint32_t i = 0; i < moves->count; i++)
    height =
        ash_max_u64(height, (uint64_t)moves->items[i].to +
                                p->s->buffers[moves->items[i].buffer].size);
  return height;
}

/* The draft knows the moves that belong to these offsets. */
static ash_status note_moves(packing *p, const int64_t *offsets,
                             const ash_sweep_moves *moves) {
  ash_zone *z = &p->d->ctx->keep;
  ash_moves *noted = ASH_NEW(z, ash_moves);
  ash_move *items = ASH_NEW_ARRAY(z, ash_move, moves->count + 1u);
  ASH_TRY(ash_zone_check(p->d->ctx, z));
  for (uint32_t i = 0; i < moves->count; i++)
    items[i] = (ash_move){p->s->slot[moves->items[i].buffer],
                          (uint32_t)moves->items[i].when,
                          (uint64_t)moves->items[i].to};
  *noted = (ash_moves){offsets, items, moves->count, false, p->d->moves};
  p->d->moves = noted;
  return ASH_OK;
}

/* Below `capacity`, as few bytes copied as possible. */
static ash_status try_moves(packing *p, ash_place_result *out,
                            uint64_t capacity) {
  ASH_ASSERT(capacity >= p->least);
  int64_t *offsets = ASH_NEW_ARRAY(&p->d->ctx->keep, int64_t, p->s->count + 1u);
  ASH_TRY(ash_zone_check(p->d->ctx, &p->d->ctx->keep));
  const ash_sweep sweep = sweep_of(p, capacity);
  ash_sweep_moves moves;
  bool found;
  ASH_TRY(ash_sweep_and_move(p->d->ctx, &sweep, p->can_move, offsets, &moves,
                             &found));
  if (!found)
    return ASH_OK;
  const uint64_t height = height_of(p, offsets, &moves);
  ASH_ASSERT(p->least <= height && height <= capacity);
  *out = (ash_place_result){
      .verdict = height == p->least ? ASH_OPTIMAL : ASH_FEASIBLE,
      .reason = height == p->least ? ASH_REASON_BOUND_MET : ASH_REASON_NONE,
      .height = height,
      .witness_time = p->when,
      .lower_bound = p->least,
      .offsets = offsets};
  return note_moves(p, offsets, &moves);
}

/* Bytes of the tables in RAM that say where rows are by now. */
static uint64_t table_bytes(const packing *p, const ash_moves *moves) {
  const ash_graph *g = p->d->ask->graph;
  uint64_t bytes = 0;
  for (uint32_t t = 0; t < g->tensor_count; t++)
    for (uint32_t i = 0; i < moves->count; i++)
      if (p->d->answer->slots[moves->items[i].slot].tensor == t) {
        bytes += 2 * (uint64_t)ash_domain_row_count(tensor_at(p, t));
        break;
      }
  return bytes;
}

/* The smallest arena in which rows that move find room, if it is smaller than
 * the one that was found, tables counted. */
static ash_status move_smallest(packing *p, ash_place_result *out,
                                uint64_t capacity, uint64_t unit) {
  uint64_t limit = capacity ? capacity : 2 * p->load;
  const bool fits = out->offsets && (!capacity || out->height <= capacity);
  if (fits)
    limit = ash_min_u64(limit, out->height - 1);
  ASH_ASSERT(ash_plan_row_unit(p->least) <= unit);
  for (uint64_t more = 0; p->least + more <= limit;
       more = more ? 2 * more : 4) {
    ash_place_result moved = {0};
    if (ash_plan_row_unit(p->least + more) > unit)
      return ASH_OK;
    ASH_TRY(try_moves(p, &moved, p->least + more));
    if (!moved.offsets)
      continue;
    if (!fits || moved.height + table_bytes(p, p->d->moves) < out->height)
      *out = moved;
    return ASH_OK;
  }
  return ASH_OK;
}

/* ---- all ----------------------------------------------------------------- */

/* Rows that stay where they are. */
static ash_status pack_still(packing *p, ash_place_result *out,
                             uint64_t capacity) {
  ASH_TRY(try_ends(p, out, capacity));
  if (!out->offsets)
    ASH_TRY(place(p, out, capacity, capacity ? TICKS : TICKS_OF_NEED));
  return out->offsets ? put_offsets(p, out) : ASH_OK;
}

static bool can_any_move(const packing *p) {
  for (uint32_t i = 0; i < p->s->count; i++)
    if (p->can_move[i])
      return true;
  return false;
}

static ash_status pack_once(packing *p, ash_place_result *out,
                            uint64_t capacity, uint64_t unit) {
  const ash_move_policy policy = p->d->ask->options->moves;
  ASH_TRY(try_sweeps(p, out, capacity));
  if (out->offsets && p->least == p->load)
    return ASH_OK;
  p->will_move = policy != ASH_MOVES_NEVER && can_any_move(p);
  if (capacity && capacity < p->least)
    return ASH_OK; /* no search finds room for more than there is */
  if (!out->offsets && (!capacity || capacity >= p->load))
    ASH_TRY(pack_still(p, out, capacity));
  if (!p->will_move || (out->offsets && out->height == p->least))
    return ASH_OK;
  if (policy == ASH_MOVES_SMALLEST || capacity == 0)
    return move_smallest(p, out, capacity, unit);
  return out->offsets && out->height <= capacity ? ASH_OK
                                                 : try_moves(p, out, capacity);
}

/* Rows that stay overlap nothing: what is proved of them does not hold for
 * those that may. */
static void weaken(const packing *p, ash_place_result *out) {
  ASH_ASSERT(p->least <= p->load);
  if (p->least == p->load || out->lower_bound <= p->least)
    return;
  out->lower_bound = p->least;
  out->verdict = ASH_FEASIBLE;
  out->reason = ASH_REASON_NONE;
}

static ash_status pack(packing *p, ash_place_result *out, uint64_t capacity) {
  uint64_t unit = ash_plan_row_unit(p->load);
  for (;;) {
    align_rows(p, unit);
    ASH_TRY(make_solid(p));
    put_buffers(p);
    *out = (ash_place_result){0};
    ASH_TRY(pack_once(p, out, capacity, unit));
    weaken(p, out);
    if (!out->offsets || ash_plan_row_unit(out->height) <= unit)
      return ASH_OK;
    unit = ash_plan_row_unit(out->height);
  }
}

ash_status ash_plan_pack_rows(ash_draft *d, ash_place_result *out,
                              const ash_scratch *s, uint64_t capacity) {
  packing p = {.d = d, .s = s};
  const ash_mark mark = ash_zone_mark(&d->ctx->scratch);
  ash_status status = prepare(&p);
  if (status == ASH_OK)
    status = pack(&p, out, capacity);
  ash_zone_rewind(&d->ctx->scratch, mark);
  return status;
}
