/* check_tiles.c - is every tiling right? The rules of ashlar/tile.h, applied
 * slowly and without the search's code: pieces are walked one by one along each
 * axis (a box is a product of intervals, one an axis, so that is exact),
 * buffers are compared with the boxes they must hold, slots with the buffers.
 */
#include "check/check_tiles.h"

#include "op/views.h"
#include "plan/record/record.h"

#include <inttypes.h>
#include <string.h>

typedef struct checker {
  ash_ctx *ctx;
  const ash_plan *plan;
  const ash_graph *g;
  const ash_device *device;
  const ash_tiling *t;
  uint32_t step; /* of the op */
  const ash_check_index *index;
} checker;

#define REFUSE(c, id, ...)                                                     \
  ash_fail((c)->ctx, ASH_INTERNAL, (id),                                       \
           ash_graph_loc((c)->g, (c)->t->op, ASH_NO_ID), __VA_ARGS__)

static const char *name_of(const checker *c) {
  return c->g->ops.items[c->t->op].id;
}

static const ash_tile_operand *operand_at(const checker *c, uint32_t o) {
  return &c->t->space->operands[o];
}

static const ash_tile_buffer *buffer_at(const checker *c, uint32_t level,
                                        uint32_t o) {
  return &c->t->buffers[level * c->t->space->operand_count + o];
}

static const ash_tensor *tensor_of(const checker *c, uint32_t o) {
  return &c->g->tensors.items[operand_at(c, o)->tensor];
}

static uint32_t home_of(const checker *c, uint32_t o) {
  return c->plan->tilings->home[operand_at(c, o)->tensor];
}

static int64_t region_of(const checker *c, uint32_t level, uint32_t a) {
  return level ? c->t->levels[level - 1].tile[a] : c->t->space->axes[a].extent;
}

static bool is_cut(const checker *c, uint32_t level, uint32_t a) {
  return c->t->levels[level].tile[a] < region_of(c, level, a);
}

/* ---- shape of the tiling ------------------------------------------------ */

static ash_status check_levels(const checker *c) {
  const ash_tiling *t = c->t;
  if (t->level_count == 0 || t->level_count > ASH_TILE_LEVELS)
    return REFUSE(c, ASH_D_tile_levels, "%s has %u levels", name_of(c),
                  (unsigned)t->level_count);
  for (uint32_t k = 0; k < t->level_count; k++)
    if (t->levels[k].memory >= c->device->memory_count)
      return REFUSE(c, ASH_D_tile_levels, "%s has a level in no memory",
                    name_of(c));
  const ash_memory *last =
      &c->device->memories[t->levels[t->level_count - 1].memory];
  const bool whole = t->space->axis_count == 0 && t->reason;
  if (t->levels[t->level_count - 1].memory != c->device->compute_memory &&
      !(whole && last->reach_cpu))
    return REFUSE(c, ASH_D_tile_levels,
                  "the kernel of %s would read %s, not the compute memory",
                  name_of(c), last->name);
  return ASH_OK;
}

static ash_status check_sizes(const checker *c, uint32_t level) {
  const ash_tile_level *l = &c->t->levels[level];
  for (uint32_t a = 0; a < c->t->space->axis_count; a++) {
    const ash_tile_axis *axis = &c->t->space->axes[a];
    const int64_t region = region_of(c, level, a);
    if (l->tile[a] < 1 || l->tile[a] > region)
      return REFUSE(c, ASH_D_tile_size,
                    "%s: a tile of %" PRId64 " along %s of a region of "
                    "%" PRId64,
                    name_of(c), l->tile[a], axis->name, region);
    if (l->tile[a] < region && axis->granule > 1 &&
        l->tile[a] % axis->granule != 0)
      return REFUSE(c, ASH_D_tile_granule,
                    "%s: a tile of %" PRId64 " along %s, which is cut at "
                    "multiples of %" PRId64,
                    name_of(c), l->tile[a], axis->name, axis->granule);
  }
  return ASH_OK;
}

/* All axes once; sums behind free axes, here and in the levels inside. */
static ash_status check_order(const checker *c, uint32_t level) {
  const ash_tile_space *space = c->t->space;
  const ash_tile_level *l = &c->t->levels[level];
  uint32_t seen = 0;
  bool sum = false;
  for (uint32_t d = 0; d < space->axis_count; d++) {
    const uint32_t a = l->order[d];
    if (a >= space->axis_count || (seen >> a & 1))
      return REFUSE(c, ASH_D_tile_order, "%s: level %u has no order of loops",
                    name_of(c), (unsigned)level);
    seen |= (uint32_t)1 << a;
    if (!is_cut(c, level, a))
      continue;
    if (space->axes[a].kind == ASH_AXIS_SUM)
      sum = true;
    else if (sum)
      return REFUSE(c, ASH_D_tile_sum_order,
                    "%s: %s is cut inside a sum that is cut", name_of(c),
                    space->axes[a].name);
  }
  for (uint32_t k = level + 1; sum && k < c->t->level_count; k++)
    for (uint32_t a = 0; a < space->axis_count; a++)
      if (space->axes[a].kind == ASH_AXIS_FREE && is_cut(c, k, a))
        return REFUSE(c, ASH_D_tile_sum_order,
                      "%s: level %u cuts %s, level %u outside it a sum",
                      name_of(c), (unsigned)k, space->axes[a].name,
                      (unsigned)level);
  return ASH_OK;
}

/* The space is what the operator's rule says, not what somebody made of it. */
static bool same_space(const ash_tile_space *a, const ash_tile_space *b) {
  if (a->axis_count != b->axis_count || a->operand_count != b->operand_count ||
      a->accumulator_bytes != b->accumulator_bytes)
    return false;
  for (uint32_t i = 0; i < a->axis_count; i++)
    if (a->axes[i].extent != b->axes[i].extent ||
        a->axes[i].kind != b->axes[i].kind ||
        a->axes[i].granule != b->axes[i].granule)
      return false;
  for (uint32_t i = 0; i < a->operand_count; i++) {
    const ash_tile_operand *x = &a->operands[i], *y = &b->operands[i];
    if (x->tensor != y->tensor || x->rank != y->rank ||
        x->is_output != y->is_output)
      return false;
    for (uint32_t d = 0; d < x->rank; d++)
      if (x->dim[d].axis != y->dim[d].axis ||
          x->dim[d].stride != y->dim[d].stride ||
          x->dim[d].window != y->dim[d].window ||
          x->dim[d].before != y->dim[d].before ||
          x->dim[d].divide != y->dim[d].divide)
        return false;
  }
  return true;
}

static bool is_small(int64_t value) {
  return value >= -INT32_MAX && value <= INT32_MAX;
}

static bool is_dim(const ash_tile_space *s, const ash_tile_dim *d) {
  return (d->axis == ASH_NO_AXIS || d->axis < s->axis_count) &&
         is_small(d->stride) && is_small(d->before) && is_small(d->window) &&
         d->divide >= 1 && is_small(d->divide);
}

/* Can the rest be asked at all? */
static bool is_space(const checker *c) {
  const ash_tile_space *s = c->t->space;
  bool sound = s->op == c->t->op && s->axis_count <= ASH_TILE_AXES;
  for (uint32_t a = 0; sound && a < s->axis_count; a++)
    sound = s->axes[a].extent >= 1 && is_small(s->axes[a].extent);
  for (uint32_t i = 0; sound && i < s->operand_count; i++) {
    const ash_tile_operand *o = &s->operands[i];
    sound = o->tensor < c->g->tensor_count &&
            o->rank == c->g->tensors.items[o->tensor].shape.rank;
    for (uint32_t d = 0; sound && d < o->rank; d++)
      sound = is_dim(s, &o->dim[d]);
  }
  return sound;
}

static ash_status check_space(const checker *c) {
  const ash_tile_space *own;
  const char *why;
  if (c->t->space->axis_count == 0)
    return ASH_OK; /* whole: there is nothing to get wrong */
  ASH_TRY(ash_tile_space_of(c->ctx, &own, &why, c->g, c->t->op));
  if (!own || !same_space(own, c->t->space))
    return REFUSE(c, ASH_D_tile_space,
                  "%s is not cut by the rule of its operator", name_of(c));
  return ASH_OK;
}

/* ---- boxes -------------------------------------------------------------- */

static int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  while (q * b > a)
    q--;
  return q;
}

ash_interval ash_check_interval(const ash_tile_dim *d, int64_t size, int64_t at,
                                int64_t n) {
  ash_interval i = {
      floor_div(at * d->stride - d->before, d->divide),
      floor_div((at + n - 1) * d->stride - d->before + d->window - 1,
                d->divide) +
          1};
  i.lo = i.lo < 0 ? 0 : i.lo > size ? size : i.lo;
  i.hi = i.hi > size ? size : i.hi < i.lo ? i.lo : i.hi;
  return i;
}

/* Where the pieces of an axis are: one region a level, nested. */
typedef struct walk {
  const checker *c;
  uint32_t axis, level;
  int64_t start[ASH_TILE_LEVELS], end[ASH_TILE_LEVELS];
} walk;

static bool next_piece(walk *w) {
  const int64_t extent = w->c->t->space->axes[w->axis].extent;
  const int64_t at = w->end[w->level];
  if (at >= extent)
    return false;
  for (uint32_t k = 0; k <= w->level; k++) {
    const int64_t outer = k ? w->end[k - 1] : extent;
    if (at < w->end[k])
      continue;
    const int64_t end = at + w->c->t->levels[k].tile[w->axis];
    w->start[k] = at;
    w->end[k] = end < outer ? end : outer;
  }
  return true;
}

/* Along one dimension of one operand: the pieces of the last level lie in the
 * boxes of the levels outside; those of an output cover it once. */
static ash_status check_dim(const checker *c, uint32_t o, uint32_t dim) {
  const ash_tile_dim *d = &operand_at(c, o)->dim[dim];
  const int64_t size = tensor_of(c, o)->shape.dim[dim];
  walk w = {.c = c, .axis = d->axis, .level = c->t->level_count - 1};
  int64_t covered = 0;
  while (next_piece(&w)) {
    const uint32_t k = w.level;
    const ash_interval in =
        ash_check_interval(d, size, w.start[k], w.end[k] - w.start[k]);
    for (uint32_t outer = 0; outer < k; outer++) {
      const ash_interval out = ash_check_interval(
          d, size, w.start[outer], w.end[outer] - w.start[outer]);
      if (in.lo < out.lo || in.hi > out.hi)
        return REFUSE(c, ASH_D_tile_read,
                      "%s reads [%" PRId64 ", %" PRId64 ") of '%s', of which "
                      "[%" PRId64 ", %" PRId64 ") is there",
                      name_of(c), in.lo, in.hi, tensor_of(c, o)->id, out.lo,
                      out.hi);
    }
    if (operand_at(c, o)->is_output && in.lo != covered)
      return REFUSE(c, ASH_D_tile_cover,
                    "%s writes '%s' up to %" PRId64 " and goes on at %" PRId64,
                    name_of(c), tensor_of(c, o)->id, covered, in.lo);
    covered = in.hi;
  }
  if (operand_at(c, o)->is_output && covered != size)
    return REFUSE(c, ASH_D_tile_cover,
                  "%s writes %" PRId64 " of %" PRId64 " positions of '%s'",
                  name_of(c), covered, size, tensor_of(c, o)->id);
  return ASH_OK;
}

static bool follows(const checker *c, uint32_t o, uint32_t a) {
  for (uint32_t d = 0; d < operand_at(c, o)->rank; d++)
    if (operand_at(c, o)->dim[d].axis == a)
      return true;
  return false;
}

/* Elements of the largest box of an operand at a level. */
static uint64_t largest_box(const checker *c, uint32_t level, uint32_t o) {
  uint64_t elements = 1;
  for (uint32_t d = 0; d < operand_at(c, o)->rank; d++) {
    const ash_tile_dim *dim = &operand_at(c, o)->dim[d];
    const int64_t size = tensor_of(c, o)->shape.dim[d];
    int64_t most = dim->axis == ASH_NO_AXIS ? size : 0;
    walk w = {.c = c, .axis = dim->axis, .level = level};
    while (dim->axis != ASH_NO_AXIS && next_piece(&w)) {
      const ash_interval i = ash_check_interval(dim, size, w.start[level],
                                                w.end[level] - w.start[level]);
      most = i.hi - i.lo > most ? i.hi - i.lo : most;
    }
    elements *= (uint64_t)most;
  }
  return elements;
}

/* Free axes that are cut must show in every output, or it is written again and
 * again. */
static ash_status check_operand(const checker *c, uint32_t o) {
  const ash_tile_space *space = c->t->space;
  for (uint32_t d = 0; d < operand_at(c, o)->rank; d++)
    if (operand_at(c, o)->dim[d].axis != ASH_NO_AXIS)
      ASH_TRY(check_dim(c, o, d));
  for (uint32_t a = 0; operand_at(c, o)->is_output && a < space->axis_count;
       a++) {
    bool cut = false;
    for (uint32_t k = 0; k < c->t->level_count; k++)
      cut |= is_cut(c, k, a);
    if (cut && space->axes[a].kind == ASH_AXIS_FREE && !follows(c, o, a))
      return REFUSE(c, ASH_D_tile_cover,
                    "%s writes '%s' once for every piece of %s", name_of(c),
                    tensor_of(c, o)->id, space->axes[a].name);
  }
  return ASH_OK;
}

/* ---- buffers ------------------------------------------------------------ */

static bool are_neighbours(const checker *c, uint32_t a, uint32_t b) {
  const ash_memory *m = &c->device->memories[a];
  for (uint32_t i = 0; i < m->neighbour_count; i++)
    if (m->neighbours[i] == b)
      return true;
  return false;
}

/* The memory an operand comes from at a level. */
static uint32_t source_of(const checker *c, uint32_t level, uint32_t o) {
  while (level-- > 0)
    if (buffer_at(c, level, o)->copies)
      return c->t->levels[level].memory;
  return home_of(c, o);
}

/* What is small may stay where the processor reaches it. */
static bool is_read_in(const checker *c, uint32_t o, uint32_t memory) {
  const ash_tensor *t = tensor_of(c, o);
  return t->bytes <= ASH_TILE_SCALAR_BYTES &&
         c->device->memories[memory].reach_cpu;
}

static ash_status check_way(const checker *c, uint32_t level, uint32_t o) {
  const ash_tile_buffer *b = buffer_at(c, level, o);
  const uint32_t here = c->t->levels[level].memory;
  const uint32_t from = source_of(c, level, o);
  if (from >= c->device->memory_count)
    return REFUSE(c, ASH_D_tile_home, "%s uses '%s', whose home is no memory",
                  name_of(c), tensor_of(c, o)->id);
  if (b->copies && from != here && !are_neighbours(c, from, here))
    return REFUSE(c, ASH_D_tile_way,
                  "%s brings '%s' from %s to %s, which are no neighbours",
                  name_of(c), tensor_of(c, o)->id,
                  c->device->memories[from].name,
                  c->device->memories[here].name);
  if (!b->copies && level + 1 == c->t->level_count && from != here &&
      !is_read_in(c, o, from))
    return REFUSE(c, ASH_D_tile_not_staged,
                  "the kernel of %s reads %s, where nobody brings '%s'",
                  name_of(c), c->device->memories[here].name,
                  tensor_of(c, o)->id);
  return ASH_OK;
}

/* Kernels know tensors without gaps: the box of an operand that is read where
 * it lives is one row of bytes, for every piece. */
static ash_status check_row(const checker *c, uint32_t o) {
  const uint32_t last = c->t->level_count - 1;
  bool longer = false; /* than one element, in a dimension before */
  for (uint32_t d = 0; d < operand_at(c, o)->rank; d++) {
    const ash_tile_dim *dim = &operand_at(c, o)->dim[d];
    const int64_t size = tensor_of(c, o)->shape.dim[d];
    int64_t least = size, most = dim->axis == ASH_NO_AXIS ? size : 0;
    walk w = {.c = c, .axis = dim->axis, .level = last};
    while (dim->axis != ASH_NO_AXIS && next_piece(&w)) {
      const ash_interval i = ash_check_interval(dim, size, w.start[last],
                                                w.end[last] - w.start[last]);
      least = i.hi - i.lo < least ? i.hi - i.lo : least;
      most = i.hi - i.lo > most ? i.hi - i.lo : most;
    }
    if (longer && least < size)
      return REFUSE(c, ASH_D_tile_row,
                    "%s reads '%s' where it lives, and its pieces have gaps",
                    name_of(c), tensor_of(c, o)->id);
    longer |= most > 1;
  }
  return ASH_OK;
}

static const ash_slot *slot_at(const checker *c, uint32_t slot) {
  return slot < c->plan->slot_count ? &c->plan->slots[slot] : NULL;
}

static bool is_in(const checker *c, const ash_slot *s, uint32_t level) {
  return s->binding.memory &&
         strcmp(s->binding.memory,
                c->device->memories[c->t->levels[level].memory].name) == 0;
}

/* What the buffer asks for, and its memory of everything. */
static uint64_t alignment_of(const checker *c, const ash_slot *s,
                             uint32_t level) {
  const uint64_t all =
      c->device->memories[c->t->levels[level].memory].alignment;
  const uint64_t most = s->alignment > all ? s->alignment : all;
  return most ? most : 1;
}

static ash_status check_slot(const checker *c, uint32_t slot,
                             ash_slot_kind kind, uint64_t bytes, uint32_t level,
                             uint64_t element) {
  const ash_slot *s = slot_at(c, slot);
  if (!s || s->kind != kind || s->op != c->t->op || s->level != level)
    return REFUSE(c, ASH_D_tile_slot, "%s: a %s has no slot of its own",
                  name_of(c), ash_slot_kind_text(kind));
  if (!is_in(c, s, level))
    return REFUSE(c, ASH_D_tile_memory, "%s: '%s' is in %s, not in %s",
                  name_of(c), s->id, s->binding.memory,
                  c->device->memories[c->t->levels[level].memory].name);
  if (s->size < bytes)
    return REFUSE(c, ASH_D_tile_slot_size,
                  "%s: '%s' has %" PRIu64 " bytes and needs %" PRIu64,
                  name_of(c), s->id, s->size, bytes);
  const uint64_t asked = alignment_of(c, s, level);
  if (s->binding.offset % asked != 0)
    return REFUSE(c, ASH_D_tile_alignment,
                  "%s: '%s' at %" PRIu64 " needs alignment %" PRIu64,
                  name_of(c), s->id, s->binding.offset, asked);
  if (element > 1 && s->binding.offset % element != 0)
    return REFUSE(c, ASH_D_tile_alignment,
                  "%s: '%s' at %" PRIu64 " has elements of %" PRIu64 " bytes",
                  name_of(c), s->id, s->binding.offset, element);
  if (c->step < s->life.first_step || c->step >= s->life.end_step)
    return REFUSE(c, ASH_D_tile_alive, "%s: '%s' is not alive at its step",
                  name_of(c), s->id);
  return ASH_OK;
}

static ash_status check_buffer(const checker *c, uint32_t level, uint32_t o) {
  const ash_tile_buffer *b = buffer_at(c, level, o);
  const uint64_t bits = ash_type_bits(tensor_of(c, o)->type);
  ASH_TRY(check_way(c, level, o));
  if (b->copies > ASH_TILE_COPIES)
    return REFUSE(c, ASH_D_tile_copies, "%s: %u copies of a tile of '%s'",
                  name_of(c), (unsigned)b->copies, tensor_of(c, o)->id);
  if (!b->copies)
    return level + 1 == c->t->level_count ? check_row(c, o) : ASH_OK;
  const uint64_t need = (largest_box(c, level, o) * bits + 7) / 8;
  if (b->bytes < need)
    return REFUSE(c, ASH_D_tile_buffer,
                  "%s: a buffer of %" PRIu64 " bytes for a box of '%s' of "
                  "%" PRIu64,
                  name_of(c), b->bytes, tensor_of(c, o)->id, need);
  for (uint32_t k = 0; k < b->copies; k++) {
    const ash_slot *s = slot_at(c, b->slot + k);
    if (s && (s->operand != o || s->copy != k))
      return REFUSE(c, ASH_D_tile_slot, "%s: '%s' is the tile of another",
                    name_of(c), s->id);
    ASH_TRY(
        check_slot(c, b->slot + k, ASH_SLOT_TILE, b->bytes, level, bits / 8));
  }
  return ASH_OK;
}

static ash_status check_accumulator(const checker *c) {
  const ash_tile_space *space = c->t->space;
  const uint32_t last = c->t->level_count - 1;
  bool cut = false;
  uint64_t need = 0;
  for (uint32_t a = 0; a < space->axis_count; a++)
    for (uint32_t k = 0; k <= last; k++)
      cut |= space->axes[a].kind == ASH_AXIS_SUM && is_cut(c, k, a);
  if (!cut)
    return ASH_OK;
  for (uint32_t o = 0; o < space->operand_count; o++)
    if (operand_at(c, o)->is_output) {
      const uint64_t box = largest_box(c, last, o) * space->accumulator_bytes;
      need = box > need ? box : need;
    }
  if (!space->accumulator_bytes || !c->t->accumulator.copies ||
      c->t->accumulator.bytes < need)
    return REFUSE(c, ASH_D_tile_accumulator,
                  "%s cuts a sum and has no accumulator of %" PRIu64 " bytes",
                  name_of(c), need);
  return check_slot(c, c->t->accumulator.slot, ASH_SLOT_ACCUMULATOR, need, last,
                    space->accumulator_bytes);
}

static ash_status check_work(const checker *c) {
  const uint32_t last = c->t->level_count - 1;
  const uint64_t need =
      ash_tile_work_bytes(c->g, c->t->space, c->t->levels[last].tile);
  if (c->t->work.copies ? c->t->work.bytes < need : need > 0)
    return REFUSE(c, ASH_D_tile_work,
                  "the kernel of %s needs %" PRIu64 " bytes of work memory",
                  name_of(c), need);
  if (!c->t->work.copies)
    return ASH_OK;
  return check_slot(c, c->t->work.slot, ASH_SLOT_WORK, need, last, 1);
}

static bool share_bytes(const ash_slot *a, const ash_slot *b) {
  return a->binding.offset < b->binding.offset + b->size &&
         b->binding.offset < a->binding.offset + a->size &&
         strcmp(a->binding.memory, b->binding.memory) == 0;
}

/* Buffers of one op are used at once: no two share a byte. */
static ash_status check_apart(const checker *c) {
  const uint32_t first = c->index->first[c->t->op];
  for (uint32_t i = first; i != ASH_NO_ID; i = c->index->next[i])
    for (uint32_t k = first; k != i; k = c->index->next[k])
      if (share_bytes(&c->plan->slots[i], &c->plan->slots[k]))
        return REFUSE(c, ASH_D_tile_overlap,
                      "%s: '%s' is overwritten while '%s' is in use",
                      name_of(c), c->plan->slots[k].id, c->plan->slots[i].id);
  return ASH_OK;
}

/* ---- figures ------------------------------------------------------------ */

static uint64_t count_pieces(const checker *c, uint32_t a) {
  walk w = {.c = c, .axis = a, .level = c->t->level_count - 1};
  uint64_t n = 0;
  while (next_piece(&w))
    n++;
  return n;
}

/* Everything must come in and go out at least once. */
static ash_status check_cost(const checker *c) {
  const ash_tile_cost *cost = &c->t->cost;
  uint64_t tiles = 1;
  for (uint32_t a = 0; a < c->t->space->axis_count; a++)
    tiles *= count_pieces(c, a);
  if (cost->tiles != tiles)
    return REFUSE(c, ASH_D_tile_cost,
                  "%s is said to have %" PRIu64 " tiles; there are %" PRIu64,
                  name_of(c), cost->tiles, tiles);
  if (cost->cycles < cost->compute_cycles || cost->price < cost->cycles ||
      cost->lower_bound > cost->price)
    return REFUSE(c, ASH_D_tile_cost,
                  "%s is said to take %" PRIu64 " cycles, %" PRIu64
                  " of them to compute, at a price of %" PRIu64
                  ", no less than %" PRIu64,
                  name_of(c), cost->cycles, cost->compute_cycles, cost->price,
                  cost->lower_bound);
  return ASH_OK;
}

/* ---- operators ---------------------------------------------------------- */

static ash_status check_cuts(const checker *c) {
  ASH_TRY(check_levels(c));
  for (uint32_t k = 0; k < c->t->level_count; k++)
    ASH_TRY(check_sizes(c, k));
  for (uint32_t k = 0; k < c->t->level_count; k++)
    ASH_TRY(check_order(c, k));
  return ASH_OK;
}

static ash_status check_buffers(const checker *c) {
  for (uint32_t o = 0; o < c->t->space->operand_count; o++)
    for (uint32_t k = 0; k < c->t->level_count; k++)
      ASH_TRY(check_buffer(c, k, o));
  return ASH_OK;
}

static ash_status check_tiled(const checker *c) {
  if (!is_space(c))
    return REFUSE(c, ASH_D_tile_space, "%s is cut by the rule of another op",
                  name_of(c));
  ASH_TRY(check_cuts(c));
  for (uint32_t o = 0; o < c->t->space->operand_count; o++)
    ASH_TRY(check_operand(c, o));
  ASH_TRY(check_space(c));
  ASH_TRY(check_buffers(c));
  ASH_TRY(check_accumulator(c));
  ASH_TRY(check_work(c));
  ASH_TRY(check_apart(c));
  ASH_TRY(check_cost(c));
  return ash_check_tile_moves(c->ctx, c->g, c->t);
}

/* Does tensor `inner` lie `offset` bytes into tensor `outer`? */
static bool lies_in(const checker *c, uint32_t inner, uint32_t outer,
                    uint64_t offset) {
  const uint32_t in = c->index->of_tensor[inner];
  const uint32_t out = c->index->of_tensor[outer];
  if (in == ASH_NO_ID || out == ASH_NO_ID)
    return false;
  const ash_binding *x = &c->plan->slots[in].binding;
  const ash_binding *y = &c->plan->slots[out].binding;
  return x->role == y->role && strcmp(x->memory, y->memory) == 0 &&
         x->offset == y->offset + offset;
}

/* Are all inputs where the output has them? */
static bool is_joined(const checker *c) {
  const ash_op *o = &c->g->ops.items[c->t->op];
  uint64_t offset;
  uint32_t pieces = 0;
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] == ASH_NO_ID)
      continue;
    if (!ash_op_is_piece(c->g, c->t->op, k, &offset) ||
        !lies_in(c, o->inputs[k], o->outputs[0], offset))
      return false;
    pieces++;
  }
  return pieces > 0;
}

/* Are the outputs there already? */
static bool is_done(const checker *c) {
  const ash_op *o = &c->g->ops.items[c->t->op];
  for (uint32_t k = 0; k < o->output_count; k++) {
    uint32_t input = 0;
    uint64_t offset;
    if ((!ash_op_is_view(c->g, c->t->op, k, &input, &offset) &&
         !ash_op_is_slice(c->g, c->t->op, k, &offset)) ||
        !lies_in(c, o->outputs[k], o->inputs[input], offset))
      return is_joined(c);
  }
  return true;
}

static bool is_reached(const checker *c, uint32_t tensor) {
  const uint32_t home = c->plan->tilings->home[tensor];
  return home < c->device->memory_count && c->device->memories[home].reach_cpu;
}

/* Runs where its operands are: the processor must get there. */
static ash_status check_untiled(const checker *c) {
  const ash_op *o = &c->g->ops.items[c->t->op];
  bool reached = true;
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID && ash_plan_reads(c->plan, c->g, c->t->op, k))
      reached &= is_reached(c, o->inputs[k]);
  for (uint32_t k = 0; k < o->output_count; k++)
    reached &= is_reached(c, o->outputs[k]);
  if (reached || is_done(c))
    return ASH_OK;
  return REFUSE(c, ASH_D_tile_reach,
                "%s runs where its operands are, and the processor does not "
                "reach them all",
                name_of(c));
}

static ash_status check_homes(const checker *c) {
  for (uint32_t i = 0; i < c->plan->slot_count; i++) {
    const ash_slot *s = &c->plan->slots[i];
    if (s->tensor == ASH_NO_ID)
      continue;
    const uint32_t home = c->plan->tilings->home[s->tensor];
    if (home >= c->device->memory_count ||
        strcmp(c->device->memories[home].name, s->binding.memory) != 0)
      return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_tile_home,
                      ash_graph_loc(c->g, ASH_NO_ID, s->tensor),
                      "'%s' is planned in %s, which is not its home", s->id,
                      s->binding.memory);
  }
  return ASH_OK;
}

static ash_status check_all(checker *c) {
  const ash_tilings *all = c->plan->tilings;
  if (all->count != c->g->op_count)
    return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_tile_op, ASH_NOWHERE,
                    "%u tilings for %zu operators", (unsigned)all->count,
                    c->g->op_count);
  for (uint32_t s = 0; s < c->plan->steps.count; s++)
    for (uint32_t k = 0; k < c->plan->steps.items[s].op_count; k++) {
      const uint32_t op = c->plan->steps.items[s].ops[k];
      if (op >= all->count || all->items[op].op != op)
        return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_tile_op,
                        ash_graph_loc(c->g, op, ASH_NO_ID),
                        "a tiling stands at the place of another operator's");
      c->t = &all->items[op];
      c->step = s;
      ASH_TRY(c->t->space ? check_tiled(c) : check_untiled(c));
    }
  return check_homes(c);
}

ash_status ash_check_all_tilings(const ash_checker *all) {
  checker c = {.ctx = all->ctx,
               .plan = all->plan,
               .g = all->g,
               .device = all->device,
               .index = &all->index};
  return check_all(&c);
}

ash_status ash_check_tilings(ash_ctx *ctx, const ash_plan *plan,
                             const ash_graph *g, const ash_device *device) {
  ASH_NEED(ctx, ctx && plan);
  if (!plan->tilings)
    return ASH_OK;
  ASH_NEED(ctx, g && device && plan->tilings->home && plan->tilings->items);
  ash_checker c = {.ctx = ctx, .plan = plan, .g = g, .device = device};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_status status = ash_check_fields(&c);
  if (status == ASH_OK)
    status = ash_check_find(&c);
  if (status == ASH_OK)
    status = ash_check_all_tilings(&c);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
