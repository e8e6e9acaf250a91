/* tile_flat_facts.c - how the box of each operand changes from piece to piece,
 * and the one transfer that follows it. */
#include "emit/tile/tile_flat.h"

#include <inttypes.h>
#include <string.h>

enum { PIECES_MAX = 65536 };

static int64_t steps_of(const ash_flat *w, uint32_t loop) {
  ASH_ASSERT(loop < w->cut_count);
  const uint32_t axis = w->cut[loop];
  return (ash_flat_extent(w, axis) + ash_flat_tile(w, axis) - 1) /
         ash_flat_tile(w, axis);
}

static bool is_cut(const ash_flat *w, uint32_t axis) {
  return axis != ASH_NO_AXIS &&
         ash_flat_tile(w, axis) < ash_flat_extent(w, axis);
}

/* The box of the piece that begins at these places. */
static void box_at(const ash_flat *w, uint32_t i, const int64_t *at,
                   ash_box *out) {
  ASH_ASSERT(i < w->t->space->operand_count);
  int64_t n[ASH_TILE_AXES] = {0};
  for (uint32_t a = 0; a < w->t->space->axis_count; a++) {
    const int64_t rest = ash_flat_extent(w, a) - at[a];
    n[a] = rest < ash_flat_tile(w, a) ? rest : ash_flat_tile(w, a);
  }
  ash_tile_box(out, w->m->g, w->t->space, i, at, n);
}

/* Where a dimension begins and how long it is, if that is always the same. */
static void look_along(const ash_flat *w, ash_flat_operand *x, uint32_t d) {
  ASH_ASSERT(d < x->o->rank);
  const uint32_t axis = x->o->dim[d].axis;
  int64_t at[ASH_TILE_AXES] = {0};
  ash_box box;
  box_at(w, x->index, at, &box);
  x->reach[d] = (ash_flat_reach){ASH_NO_AXIS, box.start[d], box.size[d]};
  if (!is_cut(w, axis))
    return;
  x->reach[d].axis = axis;
  for (; at[axis] < ash_flat_extent(w, axis);
       at[axis] += ash_flat_tile(w, axis)) {
    box_at(w, x->index, at, &box);
    if (box.size[d] != x->reach[d].size)
      x->reach[d].size = 0;
  }
}

/* The innermost loop that changes the operand, and how often it turns. */
static void find_turn(const ash_flat *w, ash_flat_operand *x) {
  ASH_ASSERT(w->cut_count <= ASH_TILE_AXES);
  x->turn = 0;
  x->turns = 1;
  while (x->turn < w->cut_count && !ash_flat_follows(x, w->cut[x->turn]))
    x->turn++;
  for (uint32_t k = x->turn; k < w->cut_count; k++)
    x->turns *= (uint64_t)steps_of(w, k);
}

/* The transfer of a box as loops, innermost first; dimensions that lie side by
 * side in both memories are one. */
static bool group_dims(const ash_flat *w, ash_flat_operand *x) {
  ASH_ASSERT(x->o->rank <= ASH_RANK_MAX);
  const ash_tensor *t = ash_flat_tensor(w, x);
  uint64_t far = ash_type_bits(t->type) / 8, near = far;
  const char *sizes = "";
  x->groups[0] = (ash_flat_group){far, 1, 1, ASH_NO_ID, ""};
  x->group_count = 1;
  for (uint32_t d = x->o->rank; d-- > 0;) {
    ash_flat_group *top = &x->groups[x->group_count - 1];
    const int64_t size = x->reach[d].size;
    const bool beside =
        top->dim == ASH_NO_ID && strcmp(top->sizes, sizes) == 0 &&
        top->outer * top->count == far && top->inner * top->count == near;
    if (!beside && size != 1) {
      if (x->group_count == ASH_FLAT_GROUPS)
        return false;
      top = &x->groups[x->group_count++];
      *top = (ash_flat_group){1, far, near, ASH_NO_ID, sizes};
    }
    if (size == 0)
      top->dim = d;
    else if (beside || size != 1)
      top->count *= (uint64_t)size;
    far *= (uint64_t)t->shape.dim[d];
    near *= (uint64_t)(size ? size : 1);
    if (size == 0)
      sizes = ash_zone_format(ash_flat_zone(w), "%s * size_%" PRIu32, sizes, d);
    if (!sizes)
      return false;
  }
  return true;
}

/* Does its engine move a box in one transfer, or in one loop of them? */
static bool has_engine(const ash_flat *w, ash_flat_operand *x) {
  ASH_ASSERT(x->group_count > 0 && x->group_count <= ASH_FLAT_GROUPS);
  const ash_device *d = w->m->device;
  const uint64_t bytes = w->t->buffers[x->index].bytes;
  x->engine = ash_emit_tile_engine(w->m, w->t, 0, x->index);
  x->rank =
      x->group_count < ASH_FLAT_JOB_RANK ? x->group_count : ASH_FLAT_JOB_RANK;
  if (x->engine == ASH_NO_DMA)
    return x->rank == x->group_count;
  const ash_dma *e = &d->dmas[x->engine];
  while (x->rank > 1 && !(e->ranks >> x->rank & 1))
    x->rank--;
  return x->rank + 1 >= x->group_count &&
         (e->transfer_bytes_max == 0 || bytes <= e->transfer_bytes_max);
}

static bool look_at(const ash_flat *w, uint32_t i) {
  ASH_ASSERT(i < w->t->space->operand_count);
  ash_flat_operand *x = &w->operands[i];
  *x = (ash_flat_operand){.o = &w->t->space->operands[i], .index = i};
  x->name = ash_emit_tile_name(ash_flat_zone(w), x->o);
  x->copies = w->t->buffers[i].copies;
  x->first = ash_emit_tile_copy(w->t, 0, i);
  for (uint32_t d = 0; d < x->o->rank; d++) {
    if (is_cut(w, x->o->dim[d].axis) && x->o->dim[d].divide != 1)
      return false;
    look_along(w, x, d);
  }
  find_turn(w, x);
  return x->copies == 0 || (group_dims(w, x) && has_engine(w, x));
}

static bool same_box(const ash_box *a, const ash_box *b) {
  ASH_ASSERT(a->rank == b->rank && a->rank <= ASH_RANK_MAX);
  for (uint32_t d = 0; d < a->rank; d++)
    if (a->start[d] != b->start[d] || a->size[d] != b->size[d])
      return false;
  return true;
}

/* A box that is never empty, and one that is moved in a loop of transfers never
 * so thin or so wide that fewer would do. */
static bool is_usual(const ash_flat *w, const ash_flat_operand *x,
                     const ash_box *box) {
  for (uint32_t d = 0; d < box->rank; d++) {
    const int64_t n = box->size[d];
    const bool edge = n == 1 || n == ash_flat_tensor(w, x)->shape.dim[d];
    if (n <= 0 || (x->rank < x->group_count && x->reach[d].size == 0 && edge))
      return false;
  }
  return true;
}

/* Does the box change exactly when its loop turns? */
static bool is_regular(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(x->turn <= w->cut_count);
  int64_t at[ASH_TILE_AXES] = {0};
  ash_box last = {0};
  for (bool first = true;; first = false) {
    ash_box box;
    bool turn = true;
    box_at(w, x->index, at, &box);
    if (!is_usual(w, x, &box))
      return false;
    for (uint32_t k = 0; k < x->turn; k++)
      turn &= at[w->cut[k]] == 0;
    if (!first && same_box(&box, &last) == turn)
      return false;
    last = box;
    uint32_t k = 0;
    for (; k < w->cut_count; k++) {
      at[w->cut[k]] += ash_flat_tile(w, w->cut[k]);
      if (at[w->cut[k]] < ash_flat_extent(w, w->cut[k]))
        break;
      at[w->cut[k]] = 0;
    }
    if (k == w->cut_count)
      return true;
  }
}

static void find_cuts(ash_flat *w) {
  ASH_ASSERT(w->t->level_count == 1 && w->cut_count == 0);
  const ash_tile_level *l = &w->t->levels[0];
  for (uint32_t k = w->t->space->axis_count; k-- > 0;)
    if (is_cut(w, l->order[k]))
      w->cut[w->cut_count++] = l->order[k];
}

bool ash_flat_look(ash_flat *w) {
  ASH_ASSERT(w->t->level_count > 0 && !w->operands);
  uint64_t pieces = 1;
  if (w->t->level_count != 1)
    return false;
  find_cuts(w);
  for (uint32_t k = 0; k < w->cut_count; k++)
    pieces *= ash_min_u64((uint64_t)steps_of(w, k), PIECES_MAX + 1);
  if (pieces > PIECES_MAX)
    return false;
  w->operands = ASH_NEW_ARRAY(ash_flat_zone(w), ash_flat_operand,
                              w->t->space->operand_count + 1u);
  if (ash_zone_check(w->m->ctx, ash_flat_zone(w)) != ASH_OK)
    return false;
  for (uint32_t i = 0; i < w->t->space->operand_count; i++)
    if (!look_at(w, i) || !is_regular(w, &w->operands[i]))
      return false;
  return true;
}
