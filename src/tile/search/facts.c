/* facts.c - see facts.h. */
#include "tile/search/facts.h"

#include "base/checked.h"
#include "graph/graph.h"

#include <string.h>

enum { BUCKETS = 1024 };

typedef struct entry {
  uint32_t axis, level;
  int64_t tile[ASH_TILE_LEVELS];
  ash_axis_fact fact;
  struct entry *next;
} entry;

struct ash_facts {
  const ash_tile_problem *p;
  uint32_t followers[ASH_TILE_AXES];
  uint64_t base[ASH_OPERANDS_MAX];
  uint64_t least[ASH_TILE_AXES][ASH_OPERANDS_MAX];
  entry *buckets[BUCKETS];
};

static const ash_tile_operand *operand_at(const ash_facts *f, uint32_t o) {
  ASH_ASSERT(o < f->p->space->operand_count);
  return &f->p->space->operands[o];
}

static int64_t dim_of(const ash_facts *f, uint32_t o, uint32_t d) {
  ASH_ASSERT(d < operand_at(f, o)->rank);
  return f->p->g->tensors.items[operand_at(f, o)->tensor].shape.dim[d];
}

/* Windows that lie apart leave elements between them that small pieces need
 * not bring. */
static uint64_t touched(const ash_facts *f, const ash_tile_dim *d) {
  ASH_ASSERT(d->axis < f->p->space->axis_count);
  const int64_t extent = f->p->space->axes[d->axis].extent;
  if (d->stride <= d->window * d->divide)
    return UINT32_MAX;
  return extent > 2 ? (uint64_t)(extent - 2) : 1;
}

ash_status ash_facts_new(ash_facts **out, const ash_tile_problem *p) {
  ASH_ASSERT(p->space->operand_count <= ASH_OPERANDS_MAX);
  ASH_ASSERT(p->space->axis_count <= ASH_TILE_AXES);
  ash_facts *f = ASH_NEW(&p->ctx->scratch, ash_facts);
  *out = f;
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->scratch));
  f->p = p;
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    const ash_tile_operand *operand = operand_at(f, o);
    f->base[o] = 1;
    for (uint32_t a = 0; a < p->space->axis_count; a++)
      f->least[a][o] = UINT32_MAX;
    for (uint32_t d = 0; d < operand->rank; d++) {
      const uint32_t axis = operand->dim[d].axis;
      if (axis == ASH_NO_AXIS)
        f->base[o] *= (uint64_t)dim_of(f, o, d);
      else {
        const uint64_t n = touched(f, &operand->dim[d]);
        f->followers[axis] |= (uint32_t)1 << o;
        f->least[axis][o] =
            f->least[axis][o] && f->least[axis][o] < n ? f->least[axis][o] : n;
      }
    }
  }
  return ASH_OK;
}

uint32_t ash_facts_followers(const ash_facts *f, uint32_t axis) {
  ASH_ASSERT(axis < f->p->space->axis_count);
  return f->followers[axis];
}

uint64_t ash_facts_least(const ash_facts *f, uint32_t axis, uint32_t operand) {
  ASH_ASSERT(axis < f->p->space->axis_count &&
             operand < f->p->space->operand_count);
  return f->least[axis][operand];
}

uint64_t ash_facts_base(const ash_facts *f, uint32_t operand) {
  ASH_ASSERT(operand < f->p->space->operand_count);
  return f->base[operand];
}

bool ash_facts_has_gaps(const ash_facts *f, uint32_t operand) {
  const ash_tile_operand *o = operand_at(f, operand);
  for (uint32_t d = 0; d < o->rank; d++)
    if (o->dim[d].axis != ASH_NO_AXIS &&
        o->dim[d].stride > o->dim[d].window * o->dim[d].divide)
      return true;
  return false;
}

uint64_t ash_dim_nominal(const ash_tile_dim *dim, uint64_t extent, int64_t n) {
  ASH_ASSERT(n > 0 && extent > 0 && dim->divide > 0);
  if (dim->axis == ASH_NO_AXIS)
    return extent;
  const int64_t need = ((n - 1) * dim->stride + dim->window - 1) / dim->divide;
  return need < 0 ? 1 : ash_min_u64(extent, (uint64_t)need + 1);
}

/* ---- pieces -------------------------------------------------------------- */

typedef struct span {
  int64_t first, size;
} span;

/* What positions [at, at + n) of the axis need of a dimension. */
static span span_of(const ash_tile_dim *dim, int64_t extent, int64_t at,
                    int64_t n) {
  ASH_ASSERT(n > 0 && dim->divide > 0);
  int64_t first = ash_floor_div(at * dim->stride - dim->before, dim->divide);
  int64_t last = ash_floor_div(
      (at + n - 1) * dim->stride - dim->before + dim->window - 1, dim->divide);
  first = first < 0 ? 0 : first > extent ? extent : first;
  last = last >= extent ? extent - 1 : last;
  return (span){first, last < first ? 0 : last - first + 1};
}

/* The box of the operand along the axis as a number of elements; `*same`: it
 * is the box of the piece before. */
static uint64_t box_along(const ash_facts *f, uint32_t o, uint32_t axis,
                          int64_t at, int64_t n, span last[ASH_RANK_MAX],
                          bool *same) {
  const ash_tile_operand *operand = operand_at(f, o);
  uint64_t elements = 1;
  *same = true;
  for (uint32_t d = 0; d < operand->rank; d++) {
    if (operand->dim[d].axis != axis)
      continue;
    const span s = span_of(&operand->dim[d], dim_of(f, o, d), at, n);
    *same &= s.first == last[d].first && s.size == last[d].size;
    last[d] = s;
    elements *= (uint64_t)s.size;
  }
  return elements;
}

static void add_piece(const ash_facts *f, entry *e, ash_operand_fact *facts,
                      span last[][ASH_RANK_MAX], int64_t at, int64_t n) {
  ASH_ASSERT(n > 0);
  const int64_t liked = f->p->space->axes[e->axis].multiple;
  const uint64_t multiple = liked > 1 ? (uint64_t)liked : 1;
  const bool first = e->fact.pieces == 0;
  e->fact.pieces++;
  e->fact.rounded += ash_align_up((uint64_t)n, multiple);
  for (uint32_t o = 0; o < f->p->space->operand_count; o++) {
    if (!(f->followers[e->axis] >> o & 1))
      continue;
    bool same;
    const uint64_t size = box_along(f, o, e->axis, at, n, last[o], &same);
    facts[o].sum += size;
    facts[o].most = size > facts[o].most ? size : facts[o].most;
    if (!same || first) {
      facts[o].fresh += size;
      facts[o].distinct++;
    }
  }
}

/* Goes through the pieces of nested regions without recursion: `end[k]` is
 * where the region of level k ends. */
static void walk(const ash_facts *f, entry *e, ash_operand_fact *facts) {
  span last[ASH_OPERANDS_MAX][ASH_RANK_MAX];
  const int64_t extent = f->p->space->axes[e->axis].extent;
  int64_t end[ASH_TILE_LEVELS] = {0};
  memset(last, -1, sizeof last);
  for (int64_t at = 0; at < extent;) {
    for (uint32_t k = 0; k <= e->level; k++)
      if (at >= end[k]) {
        const int64_t outer = k ? end[k - 1] : extent;
        end[k] = at + e->tile[k] < outer ? at + e->tile[k] : outer;
      }
    add_piece(f, e, facts, last, at, end[e->level] - at);
    ASH_ASSERT(at < end[e->level] && end[e->level] <= extent);
    at = end[e->level];
  }
}

/* No more than any cut inside regions has whose last level has this size,
 * wherever its regions begin: nothing is rounded, no two pieces overlap, the
 * first piece has the largest box, and boxes are as few as pieces of the
 * largest size that is cut as often would need. */
static void relax(const ash_facts *f, entry *e, ash_operand_fact *facts) {
  const int64_t extent = f->p->space->axes[e->axis].extent;
  const int64_t size = e->tile[0];
  const int64_t pieces = (extent + size - 1) / size;
  const int64_t longest = pieces > 1 ? (extent - 1) / (pieces - 1) : extent;
  ASH_ASSERT(e->level == 0 && size <= longest);
  e->fact.pieces = (uint64_t)pieces;
  e->fact.rounded = (uint64_t)extent;
  for (uint32_t o = 0; o < f->p->space->operand_count; o++) {
    const ash_tile_operand *operand = operand_at(f, o);
    uint64_t first = 1, whole = 1, most = 1;
    if (!(f->followers[e->axis] >> o & 1))
      continue;
    for (uint32_t d = 0; d < operand->rank; d++) {
      const ash_tile_dim *dim = &operand->dim[d];
      if (dim->axis != e->axis)
        continue;
      const int64_t reach = (longest - 1) * dim->stride + dim->window - 1;
      first *= (uint64_t)span_of(dim, dim_of(f, o, d), 0, size).size;
      whole *= (uint64_t)span_of(dim, dim_of(f, o, d), 0, extent).size;
      most *= (uint64_t)(reach + dim->divide - 1) / (uint64_t)dim->divide + 1;
    }
    facts[o].sum = facts[o].fresh = whole;
    facts[o].most = first;
    facts[o].distinct = ash_max_u64(1, ash_ceil_div(whole, most));
  }
}

/* ---- the table ----------------------------------------------------------- */

static uint64_t hash_of(uint32_t axis, uint32_t level,
                        const ash_tile_cut *cut) {
  uint64_t h = axis * 31u + level;
  for (uint32_t k = 0; k <= level; k++)
    h = (h ^ (uint64_t)cut->at[k][axis]) * 0x9e3779b97f4a7c15u;
  return h >> 40;
}

static bool is_it(const entry *e, uint32_t axis, uint32_t level,
                  const ash_tile_cut *cut) {
  if (e->axis != axis || e->level != level)
    return false;
  for (uint32_t k = 0; k <= level; k++)
    if (e->tile[k] != cut->at[k][axis])
      return false;
  return true;
}

const ash_axis_fact *ash_facts_get(ash_facts *f, uint32_t axis, uint32_t level,
                                   const ash_tile_cut *cut) {
  ASH_ASSERT(axis < f->p->space->axis_count && level < f->p->level_count);
  ASH_ASSERT(cut->at[level][axis] > 0);
  ash_zone *z = &f->p->ctx->scratch;
  entry **bucket = &f->buckets[hash_of(axis, level, cut) % BUCKETS];
  for (entry *e = *bucket; e; e = e->next)
    if (is_it(e, axis, level, cut))
      return &e->fact;
  entry *e = ASH_NEW(z, entry);
  ash_operand_fact *facts =
      ASH_NEW_ARRAY(z, ash_operand_fact, f->p->space->operand_count + 1u);
  if (!e || !facts)
    return NULL;
  e->axis = axis;
  e->level = level;
  for (uint32_t k = 0; k <= level; k++)
    e->tile[k] = cut->at[k][axis];
  for (uint32_t o = 0; o < f->p->space->operand_count; o++)
    if (!(f->followers[axis] >> o & 1))
      facts[o] = (ash_operand_fact){1, 1, 1, 1};
  e->fact.operands = facts;
  if (f->p->relaxed)
    relax(f, e, facts);
  else
    walk(f, e, facts);
  e->next = *bucket;
  *bucket = e;
  return &e->fact;
}
