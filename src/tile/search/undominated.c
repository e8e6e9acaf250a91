/* undominated.c - the tile sizes of the last level, as few as a proof allows.
 *
 * A size is left out if another one that cuts the axis into as many pieces is
 * no larger and has no higher figure (facts.h): the cost of a tiling rises with
 * each of them, so the other is no worse whatever the other axes do. Where
 * operands follow the axis position by position, the smallest size for each
 * number of pieces dominates the others. */
#include "tile/search/search.h"

#include "base/checked.h"
#include "graph/graph.h"

#include <assert.h>

enum { TRIED_MAX = 2048 }; /* sizes of an axis whose figures are compared */

static int64_t granule_of(const ash_tile_axis *a) {
  return a->granule > 1 ? a->granule : 1;
}

static bool is_plain_dim(const ash_tile_dim *d) {
  return d->stride == 1 && d->window == 1 && d->before == 0 && d->divide == 1;
}

/* Does a piece of that size have rows that are shorter than a beat? Then a
 * larger one may be faster. */
static bool has_short_rows(const ash_tile_problem *p, uint32_t axis,
                           int64_t size) {
  ASH_ASSERT(size > 0);
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    const ash_tile_operand *operand = &p->space->operands[o];
    const ash_tensor *t = &p->g->tensors.items[operand->tensor];
    uint64_t bits = ash_type_bits(t->type);
    for (uint32_t d = operand->rank; d-- > 0;) {
      const uint64_t extent = (uint64_t)t->shape.dim[d];
      if (operand->dim[d].axis == axis &&
          bits * ash_dim_nominal(&operand->dim[d], extent, size) <
              p->hops[p->level_count - 1].beat * 8)
        return true;
      bits *= extent;
    }
  }
  return false;
}

/* Is the smallest size for each number of pieces the best? */
static bool is_plain(const ash_tile_problem *p, uint32_t axis,
                     const ash_tile_cut *cut) {
  const ash_tile_axis *a = &p->space->axes[axis];
  int64_t region = a->extent;
  if (p->relaxed)
    return true;
  /* Sizes below the root of the extent all have numbers of pieces of their
   * own. */
  const int64_t beat = (int64_t)p->hops[p->level_count - 1].beat;
  if (a->multiple > 1 ||
      (has_short_rows(p, axis, 1) && a->extent < beat * beat))
    return false;
  for (uint32_t k = 0; k + 1 < p->level_count; k++) {
    if (region % cut->at[k][axis])
      return false;
    region = cut->at[k][axis];
  }
  for (uint32_t o = 0; o < p->space->operand_count; o++)
    for (uint32_t d = 0; d < p->space->operands[o].rank; d++)
      if (p->space->operands[o].dim[d].axis == axis &&
          !is_plain_dim(&p->space->operands[o].dim[d]))
        return false;
  return true;
}

/* A dimension that a piece spans joins the one outside it in a transfer: a
 * smaller size must span it too. */
static bool spans_alike(const ash_tile_problem *p, uint32_t axis,
                        const ash_tile_cut *cut, int64_t small, int64_t large) {
  ASH_ASSERT(small <= large);
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    const ash_tile_operand *operand = &p->space->operands[o];
    const ash_shape *shape = &p->g->tensors.items[operand->tensor].shape;
    for (uint32_t d = 0; d < operand->rank; d++) {
      const ash_tile_dim *dim = &operand->dim[d];
      if (dim->axis != axis)
        continue;
      const uint64_t extent = (uint64_t)shape->dim[d];
      const uint64_t least = ash_dim_nominal(dim, extent, small);
      const uint64_t most = ash_dim_nominal(dim, extent, large);
      if (least < most && most == extent)
        return false;
      for (uint32_t k = 0; k + 1 < p->level_count; k++)
        if (least < most &&
            most == ash_dim_nominal(dim, extent, cut->at[k][axis]))
          return false;
    }
  }
  return true;
}

static bool dominates(const ash_tile_problem *p, const ash_axis_fact *a,
                      const ash_axis_fact *b) {
  if (a->pieces > b->pieces || a->rounded > b->rounded)
    return false;
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    const ash_operand_fact *x = &a->operands[o], *y = &b->operands[o];
    if (x->sum > y->sum || x->fresh > y->fresh || x->distinct > y->distinct ||
        x->most > y->most)
      return false;
  }
  return true;
}

typedef struct picked {
  int64_t *size;
  const ash_axis_fact **fact;
  uint32_t count;
} picked;

static ash_status new_picked(const ash_tile_problem *p, picked *out,
                             int64_t region) {
  const uint32_t most = ash_candidates_most(region);
  out->size = ASH_NEW_ARRAY(&p->ctx->scratch, int64_t, most);
  out->fact = ASH_NEW_ARRAY(&p->ctx->scratch, const ash_axis_fact *, most);
  out->count = 0;
  return ash_zone_check(p->ctx, &p->ctx->scratch);
}

/* Is the size dominated by one from `from` on? */
static bool is_dominated(const ash_tile_problem *p, uint32_t axis,
                         const ash_tile_cut *cut, const picked *kept,
                         uint32_t from, int64_t size,
                         const ash_axis_fact *fact) {
  ASH_ASSERT(from <= kept->count);
  for (uint32_t i = from; i < kept->count; i++)
    if (dominates(p, kept->fact[i], fact) &&
        !has_short_rows(p, axis, kept->size[i]) &&
        spans_alike(p, axis, cut, kept->size[i], size))
      return true;
  return false;
}

/* All sizes in ascending order; those with as many pieces are side by side. */
static ash_status compare_sizes(const ash_tile_problem *p, ash_facts *f,
                                uint32_t axis, const ash_tile_cut *cut,
                                int64_t region, picked *kept) {
  const uint32_t last = p->level_count - 1;
  const int64_t granule = granule_of(&p->space->axes[axis]);
  ash_tile_cut trial = *cut;
  int64_t pieces = 0;
  uint32_t from = 0;
  for (int64_t size = granule < region ? granule : region;;) {
    ASH_ASSERT(0 < size && size <= region);
    trial.at[last][axis] = size;
    const ash_axis_fact *fact = ash_facts_get(f, axis, last, &trial);
    if (!fact)
      return ash_nomem(p->ctx);
    if ((region + size - 1) / size != pieces) {
      pieces = (region + size - 1) / size;
      from = kept->count;
    }
    if (!is_dominated(p, axis, cut, kept, from, size, fact)) {
      kept->size[kept->count] = size;
      kept->fact[kept->count++] = fact;
    }
    if (size == region)
      return ASH_OK;
    size = size + granule < region ? size + granule : region;
  }
}

ash_status ash_tile_undominated(const ash_tile_problem *p, ash_facts *f,
                                uint32_t axis, const ash_tile_cut *cut,
                                ash_size_list *out) {
  const ash_tile_axis *a = &p->space->axes[axis];
  const uint32_t last = p->level_count - 1;
  const int64_t region = last ? cut->at[last - 1][axis] : a->extent;
  const bool may_cut = a->kind == ASH_AXIS_FREE || p->space->accumulator_bytes;
  const bool compare =
      may_cut && !is_plain(p, axis, cut) && region / granule_of(a) <= TRIED_MAX;
  static_assert(TRIED_MAX + 1 < ASH_CANDIDATES_MAX, "all that are kept fit");
  picked kept;
  ASH_TRY(new_picked(p, &kept, region));
  if (compare) {
    ASH_TRY(compare_sizes(p, f, axis, cut, region, &kept));
    for (uint32_t i = 0; i < kept.count / 2; i++) { /* largest first */
      const int64_t size = kept.size[i];
      kept.size[i] = kept.size[kept.count - 1 - i];
      kept.size[kept.count - 1 - i] = size;
    }
  } else {
    kept.count = ash_tile_candidates(a, region, may_cut, kept.size,
                                     ash_candidates_most(region));
  }
  ASH_ASSERT(kept.count > 0);
  *out = (ash_size_list){
      kept.size, kept.count,
      compare || !may_cut ||
          (is_plain(p, axis, cut) && kept.count < ASH_CANDIDATES_MAX)};
  return ASH_OK;
}
