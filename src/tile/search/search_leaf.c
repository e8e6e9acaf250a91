/* search_leaf.c - sizes are chosen: the best orders of loops and copies. */
#include "tile/search/search.h"

#include "graph/graph.h"

enum { PERMUTED = 5 }; /* loops of one level whose orders are all tried */

static bool is_cut(const ash_tile_problem *p, const ash_tile_cut *cut,
                   uint32_t level, uint32_t a) {
  ASH_ASSERT(level < p->level_count && a < p->space->axis_count);
  ASH_ASSERT(cut->at[level][a] > 0);
  return cut->at[level][a] <
         (level ? cut->at[level - 1][a] : p->space->axes[a].extent);
}

/* What lives where the kernel reads is read there, and kernels know only
 * tensors without gaps: behind the first dimension of more than one element
 * nothing may be cut, nor left out (by strides, or a slice). */
static bool lies_in_a_row(const ash_tile_problem *p, const ash_tile_cut *cut,
                          uint32_t operand) {
  const ash_tile_operand *o = &p->space->operands[operand];
  const ash_shape *shape = &p->g->tensors.items[o->tensor].shape;
  const int64_t start[ASH_TILE_AXES] = {0};
  int64_t extent[ASH_TILE_AXES] = {0};
  ash_box whole;
  bool longer = false;
  for (uint32_t a = 0; a < p->space->axis_count; a++)
    extent[a] = p->space->axes[a].extent;
  ash_tile_box(&whole, p->g, p->space, operand, start, extent);
  for (uint32_t d = 0; d < o->rank; d++) {
    const ash_tile_dim *dim = &o->dim[d];
    if (shape->dim[d] == 1)
      continue;
    if (dim->axis == ASH_NO_AXIS) {
      longer = true;
      continue;
    }
    ASH_ASSERT(dim->axis < p->space->axis_count);
    const int64_t inner = cut->at[p->level_count - 1][dim->axis];
    if (longer && (inner < extent[dim->axis] || whole.size[d] < shape->dim[d]))
      return false;
    longer |= inner > 1 || dim->window > 1 || dim->stride > 1;
  }
  return true;
}

static bool rows_are_whole(const ash_tile_problem *p, const ash_tile_cut *cut) {
  for (uint32_t o = 0; o < p->space->operand_count; o++)
    if (!(p->hops[p->level_count - 1].staged >> o & 1) &&
        !lies_in_a_row(p, cut, o))
      return false;
  return true;
}

bool ash_search_legal(const ash_tile_problem *p, const ash_tile_cut *cut) {
  ASH_ASSERT(p->level_count > 0);
  bool sum_outside = false;
  for (uint32_t k = 0; k < p->level_count; k++) {
    bool sum = false;
    for (uint32_t a = 0; a < p->space->axis_count; a++) {
      if (!is_cut(p, cut, k, a))
        continue;
      if (p->space->axes[a].kind == ASH_AXIS_SUM)
        sum = true;
      else if (sum_outside)
        return false;
    }
    sum_outside |= sum;
  }
  return rows_are_whole(p, cut);
}

/* The loops of a level: cut free axes, cut sums, then what is not cut. */
typedef struct loops {
  uint8_t axes[ASH_TILE_AXES];
  uint32_t free, sums;
} loops;

static void list_loops(const ash_tile_problem *p, const ash_tile_cut *cut,
                       uint32_t level, loops *out) {
  uint32_t n = 0;
  out->free = out->sums = 0;
  for (int pass = 0; pass < 3; pass++)
    for (uint32_t a = 0; a < p->space->axis_count; a++) {
      const bool sum = p->space->axes[a].kind == ASH_AXIS_SUM;
      const int mine = !is_cut(p, cut, level, a) ? 2 : sum ? 1 : 0;
      if (mine != pass)
        continue;
      out->axes[n++] = (uint8_t)a;
      out->free += pass == 0;
      out->sums += pass == 1;
    }
  ASH_ASSERT(n == p->space->axis_count);
}

/* The next permutation in lexicographic order; false after the last, which
 * becomes the first again. */
static bool permute(uint8_t *v, uint32_t n) {
  uint32_t i = n;
  if (n < 2 || n > PERMUTED)
    return false;
  for (i = n - 1; i > 0 && v[i - 1] > v[i];)
    i--;
  for (uint32_t lo = i, hi = n - 1; lo < hi; lo++, hi--) {
    const uint8_t t = v[lo];
    v[lo] = v[hi];
    v[hi] = t;
  }
  if (i == 0)
    return false;
  uint32_t k = i;
  while (v[k] < v[i - 1])
    k++;
  ASH_ASSERT(k < n);
  const uint8_t t = v[k];
  v[k] = v[i - 1];
  v[i - 1] = t;
  return true;
}

static bool next_order(loops *all, uint32_t levels) {
  ASH_ASSERT(levels <= ASH_TILE_LEVELS);
  for (uint32_t k = 0; k < levels; k++) {
    if (permute(all[k].axes, all[k].free))
      return true;
    if (permute(all[k].axes + all[k].free, all[k].sums))
      return true;
  }
  return false;
}

ash_status ash_search_leaf(const ash_tile_problem *p, ash_facts *f,
                           const ash_tile_cut *cut, ash_tile_found *best) {
  ash_tile_sizes sizes;
  loops all[ASH_TILE_LEVELS];
  ash_tile_choice choice = {.cut = *cut};
  if (!ash_model_sizes(f, p, &sizes, cut))
    return ash_nomem(p->ctx);
  best->ticks++;
  for (uint32_t k = 0; k < p->level_count; k++)
    if (ash_model_least(p, &sizes, k) > p->hops[k].room)
      return ASH_OK;
  const ash_tile_value bound = ash_model_bound(f, p, &sizes, false);
  if (best->found && !ash_value_less(&bound, &best->value))
    return ASH_OK;
  for (uint32_t k = 0; k < p->level_count; k++) {
    list_loops(p, cut, k, &all[k]);
    best->left_out |= all[k].free > PERMUTED || all[k].sums > PERMUTED;
  }
  do {
    ash_tile_value value;
    for (uint32_t k = 0; k < p->level_count; k++)
      for (uint32_t a = 0; a < p->space->axis_count; a++)
        choice.order[k][a] = all[k].axes[a];
    best->ticks++;
    if (!ash_model_value(f, p, &sizes, &choice, &value, NULL))
      continue;
    best->left_out |= value.guessed;
    if (best->found && !ash_value_less(&value, &best->value))
      continue;
    best->found = true;
    best->value = value;
    best->choice = choice;
  } while (next_order(all, p->level_count));
  return ASH_OK;
}
