/* check_tile_moves.c - does a tiling move the bytes that it says? The loops of
 * ashlar/tile.h are run, piece by piece and level by level; a box that is not
 * the one before is a transfer. The search never walks: it multiplies facts of
 * single axes. */
#include "check/check_tiles.h"

#include <inttypes.h>

/* A tiling of more pieces is believed: walking them takes too long. */
enum { PIECES_MAX = 1 << 20 };

typedef struct walk {
  const ash_tiling *t;
  uint32_t levels; /* that are walked: those from the outermost on */
  int64_t start[ASH_TILE_LEVELS][ASH_TILE_AXES];
  int64_t end[ASH_TILE_LEVELS][ASH_TILE_AXES];
} walk;

static int64_t region_end(const walk *w, uint32_t level, uint32_t axis) {
  return level ? w->end[level - 1][axis] : w->t->space->axes[axis].extent;
}

static void put(walk *w, uint32_t level, uint32_t axis, int64_t at) {
  const int64_t end = at + w->t->levels[level].tile[axis];
  const int64_t most = region_end(w, level, axis);
  w->start[level][axis] = at;
  w->end[level][axis] = end < most ? end : most;
}

/* Loop i of all levels, the outermost first, and those inside it to their
 * start. */
static void restart(walk *w, uint32_t from) {
  const uint32_t axes = w->t->space->axis_count;
  for (uint32_t i = from; i < w->levels * axes; i++) {
    const uint32_t level = i / axes;
    const uint32_t axis = w->t->levels[level].order[i % axes];
    put(w, level, axis, level ? w->start[level - 1][axis] : 0);
  }
}

static bool advance(walk *w) {
  const uint32_t axes = w->t->space->axis_count;
  for (uint32_t i = w->levels * axes; i-- > 0;) {
    const uint32_t level = i / axes;
    const uint32_t axis = w->t->levels[level].order[i % axes];
    if (w->end[level][axis] >= region_end(w, level, axis))
      continue;
    put(w, level, axis, w->end[level][axis]);
    restart(w, i + 1);
    return true;
  }
  return false;
}

static void find_box(const walk *w, const ash_graph *g, uint32_t operand,
                     ash_box *box) {
  const ash_tile_operand *o = &w->t->space->operands[operand];
  const ash_shape *shape = &g->tensors.items[o->tensor].shape;
  const uint32_t level = w->levels - 1;
  *box = (ash_box){.rank = o->rank};
  for (uint32_t d = 0; d < o->rank; d++) {
    const uint32_t a = o->dim[d].axis;
    ash_interval i = {0, shape->dim[d]};
    if (a != ASH_NO_AXIS)
      i = ash_check_interval(&o->dim[d], shape->dim[d], w->start[level][a],
                             w->end[level][a] - w->start[level][a]);
    box->start[d] = i.lo;
    box->size[d] = i.hi - i.lo;
  }
}

static bool same_box(const ash_box *a, const ash_box *b) {
  bool same = a->rank == b->rank;
  for (uint32_t d = 0; same && d < a->rank; d++)
    same = a->start[d] == b->start[d] && a->size[d] == b->size[d];
  return same;
}

static uint64_t elements_of(const ash_box *box) {
  uint64_t count = 1;
  for (uint32_t d = 0; d < box->rank; d++)
    count *= (uint64_t)box->size[d];
  return count;
}

typedef struct moves {
  uint64_t bytes, without_reuse;
} moves;

/* Of one operand into or out of one level. */
static moves count_moves(const ash_tiling *t, const ash_graph *g,
                         uint32_t level, uint32_t operand) {
  const uint32_t tensor = t->space->operands[operand].tensor;
  const uint64_t bits = ash_type_bits(g->tensors.items[tensor].type);
  walk w = {.t = t, .levels = level + 1};
  ash_box last = {.rank = UINT32_MAX}, box;
  moves m = {0, 0};
  restart(&w, 0);
  do {
    find_box(&w, g, operand, &box);
    const uint64_t elements = elements_of(&box);
    m.without_reuse += elements;
    if (!same_box(&box, &last))
      m.bytes += elements;
    last = box;
  } while (advance(&w));
  return (moves){(m.bytes * bits + 7) / 8, (m.without_reuse * bits + 7) / 8};
}

ash_status ash_check_tile_moves(ash_ctx *ctx, const ash_graph *g,
                                const ash_tiling *t) {
  const uint32_t count = t->space->operand_count;
  const ash_loc loc = ash_graph_loc(g, t->op, ASH_NO_ID);
  uint64_t without_reuse = 0;
  if (t->cost.tiles > PIECES_MAX)
    return ASH_OK;
  for (uint32_t k = 0; k < t->level_count; k++) {
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < count; o++) {
      if (!t->buffers[k * count + o].copies)
        continue;
      const moves m = count_moves(t, g, k, o);
      bytes += m.bytes;
      without_reuse += m.without_reuse;
    }
    if (bytes != t->cost.bytes_moved[k])
      return ash_fail(ctx, ASH_INTERNAL, ASH_D_tile_cost, loc,
                      "%s is said to move %" PRIu64 " bytes at level %u; it "
                      "moves %" PRIu64,
                      g->ops.items[t->op].id, t->cost.bytes_moved[k],
                      (unsigned)k, bytes);
  }
  if (without_reuse != t->cost.bytes_without_reuse)
    return ash_fail(ctx, ASH_INTERNAL, ASH_D_tile_cost, loc,
                    "%s is said to move %" PRIu64 " bytes without reuse; it "
                    "would move %" PRIu64,
                    g->ops.items[t->op].id, t->cost.bytes_without_reuse,
                    without_reuse);
  return ASH_OK;
}
