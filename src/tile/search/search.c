/* search.c - the default search: branch and bound over tile sizes, level by
 * level and axis by axis, largest first.
 *
 * A partial choice is left when, with all open sizes as small as possible, it
 * does not fit, or when, with all open axes uncut, it costs no less than what
 * is known. A few greedy choices come first, so that there is something to
 * compare with. */
#include "tile/search/search.h"

#include "base/checked.h"

#include <string.h>

enum { CANDIDATES_MAX = 320, VARIABLES_MAX = ASH_TILE_LEVELS * ASH_TILE_AXES };
enum { DEFAULT_TICKS = 100000 };

typedef struct variable {
  uint32_t level, axis;
  int64_t candidates[CANDIDATES_MAX];
  uint32_t count, at;
} variable;

typedef struct search {
  const ash_tile_problem *p;
  ash_facts *f;
  ash_tile_found *best;
  variable *vars;
  uint32_t var_count;
  /* By axis and operand: no cutting brings less. */
  uint64_t least[ASH_TILE_AXES][ASH_OPERANDS_MAX];
  ash_tile_cut cut;
  uint64_t limit;
  bool cut_short;
} search;

static bool may_cut(const ash_tile_problem *p, uint32_t axis) {
  ASH_ASSERT(axis < p->space->axis_count);
  return p->space->axes[axis].kind == ASH_AXIS_FREE ||
         p->space->accumulator_bytes != 0;
}

static int64_t region(const search *s, uint32_t level, uint32_t axis) {
  ASH_ASSERT(level < s->p->level_count && axis < s->p->space->axis_count);
  return level ? s->cut.at[level - 1][axis] : s->p->space->axes[axis].extent;
}

static int64_t smallest(const search *s, uint32_t level, uint32_t axis) {
  const ash_tile_axis *a = &s->p->space->axes[axis];
  const int64_t granule = a->granule > 1 ? a->granule : 1;
  const int64_t whole = region(s, level, axis);
  ASH_ASSERT(whole > 0);
  return may_cut(s->p, axis) && granule < whole ? granule : whole;
}

static void list_candidates(search *s, uint32_t v) {
  variable *var = &s->vars[v];
  var->at = 0;
  var->count = ash_tile_candidates(
      &s->p->space->axes[var->axis], region(s, var->level, var->axis),
      may_cut(s->p, var->axis), var->candidates, CANDIDATES_MAX);
  ASH_ASSERT(0 < var->count && var->count <= CANDIDATES_MAX);
}

/* Sizes of variables from v on: as small or as large as can be. */
static void fill_rest(search *s, uint32_t v, bool small) {
  ASH_ASSERT(v <= s->var_count);
  for (; v < s->var_count; v++) {
    const variable *var = &s->vars[v];
    s->cut.at[var->level][var->axis] = small
                                           ? smallest(s, var->level, var->axis)
                                           : region(s, var->level, var->axis);
  }
}

static ash_status sizes_fit(search *s, bool *fit, uint64_t copies) {
  ASH_ASSERT(copies > 0);
  ash_tile_sizes sizes;
  *fit = true;
  if (!ash_model_sizes(s->f, s->p, &sizes, &s->cut))
    return ash_nomem(s->p->ctx);
  s->best->ticks++;
  for (uint32_t k = 0; k < s->p->level_count; k++)
    *fit &= ash_model_least(s->p, &sizes, k) * copies <= s->p->hops[k].room;
  return ASH_OK;
}

/* ---- greedy starts ------------------------------------------------------ */

/* Axes in turn, from `first` on, as large as the rest allows. */
static ash_status greedy(search *s, uint32_t first, uint64_t copies) {
  ASH_ASSERT(first < s->p->space->axis_count);
  const uint32_t axes = s->p->space->axis_count;
  fill_rest(s, 0, true);
  for (uint32_t k = 0; k < s->p->level_count; k++)
    for (uint32_t i = 0; i < axes; i++) {
      const uint32_t a = (first + i) % axes;
      int64_t sizes[CANDIDATES_MAX];
      const uint32_t count =
          ash_tile_candidates(&s->p->space->axes[a], region(s, k, a),
                              may_cut(s->p, a), sizes, CANDIDATES_MAX);
      bool fit = false;
      for (uint32_t c = 0; c < count && !fit; c++) {
        s->cut.at[k][a] = sizes[c];
        for (uint32_t deeper = k + 1; deeper < s->p->level_count; deeper++)
          s->cut.at[deeper][a] = smallest(s, deeper, a);
        ASH_TRY(sizes_fit(s, &fit, copies));
      }
    }
  if (!ash_search_legal(s->p, &s->cut))
    return ASH_OK;
  return ash_search_leaf(s->p, s->f, &s->cut, s->best);
}

static ash_status start(search *s) {
  for (uint64_t copies = 1; copies <= 2; copies++)
    for (uint32_t a = 0; a < s->p->space->axis_count; a++)
      ASH_TRY(greedy(s, a, copies));
  return ASH_OK;
}

/* ---- branch and bound --------------------------------------------------- */

/* With variables up to v chosen: can it fit, and can it be better? */
static ash_status promising(search *s, uint32_t v, bool *yes) {
  ASH_ASSERT(v + 1 < s->var_count);
  ash_tile_sizes sizes;
  ASH_TRY((fill_rest(s, v + 1, true), sizes_fit(s, yes, 1)));
  if (!*yes)
    return ASH_OK;
  fill_rest(s, v + 1, false);
  if (!ash_model_sizes(s->f, s->p, &sizes, &s->cut))
    return ash_nomem(s->p->ctx);
  s->best->ticks++;
  ash_tile_value bound = ash_model_bound(s->f, s->p, &sizes, true);
  bound.footprint = 0;
  *yes = ash_value_allowed(s->p, &bound) &&
         (!s->best->found || ash_value_less(&bound, &s->best->value));
  return ASH_OK;
}

static ash_status explore(search *s) {
  ASH_ASSERT(s->var_count > 0);
  uint32_t v = 0;
  list_candidates(s, 0);
  for (;;) {
    variable *var = &s->vars[v];
    if (var->at == var->count) {
      if (v == 0)
        return ASH_OK;
      v--;
      continue;
    }
    if (s->best->ticks > s->limit) {
      s->cut_short = true;
      return ASH_OK;
    }
    bool yes;
    ASH_ASSERT(v < s->var_count && var->at < var->count);
    s->cut.at[var->level][var->axis] = var->candidates[var->at++];
    if (v + 1 == s->var_count) {
      if (ash_search_legal(s->p, &s->cut))
        ASH_TRY(ash_search_leaf(s->p, s->f, &s->cut, s->best));
      continue;
    }
    ASH_TRY(promising(s, v, &yes));
    if (yes)
      list_candidates(s, ++v);
  }
}

static ash_status root_bound(search *s, uint64_t *cycles) {
  ash_tile_sizes sizes;
  fill_rest(s, 0, false);
  if (!ash_model_sizes(s->f, s->p, &sizes, &s->cut))
    return ash_nomem(s->p->ctx);
  *cycles = ash_model_bound(s->f, s->p, &sizes, true).cycles;
  return ASH_OK;
}

static ash_status search_all(const ash_tile_problem *p, ash_facts *f,
                             ash_tile_found *out) {
  search s = {.p = p, .f = f, .best = out};
  s.limit = p->ticks ? p->ticks : DEFAULT_TICKS;
  s.vars = ASH_NEW_ARRAY(&p->ctx->scratch, variable,
                         p->level_count * p->space->axis_count + 1u);
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->scratch));
  for (uint32_t k = 0; k < p->level_count; k++)
    for (uint32_t a = 0; a < p->space->axis_count; a++) {
      s.vars[s.var_count].level = k;
      s.vars[s.var_count++].axis = a;
    }
  if (s.var_count == 0) {
    ASH_TRY(ash_search_leaf(p, f, &s.cut, out)); /* nothing to cut */
  } else {
    ASH_TRY(start(&s));
    ASH_TRY(explore(&s));
  }
  ASH_ASSERT(s.var_count <= VARIABLES_MAX);
  out->verdict = !out->found   ? (s.cut_short ? ASH_UNKNOWN : ASH_INFEASIBLE)
                 : s.cut_short ? ASH_FEASIBLE
                               : ASH_OPTIMAL;
  out->lower_bound = out->value.cycles;
  if (s.cut_short)
    ASH_TRY(root_bound(&s, &out->lower_bound));
  return ASH_OK;
}

/* ---- levels inside ------------------------------------------------------ */

static bool has_gaps(const ash_tile_space *s) {
  for (uint32_t o = 0; o < s->operand_count; o++)
    for (uint32_t d = 0; d < s->operands[o].rank; d++) {
      const ash_tile_dim *dim = &s->operands[o].dim[d];
      if (dim->axis != ASH_NO_AXIS && dim->stride > dim->window * dim->divide)
        return true;
    }
  return false;
}

/* Regions of a level outside only add pieces, loads and starts to the last
 * level: whatever its cost is with one region, it is no less with several. (A
 * box may be moved in fewer transfers, so the engine is taken to need one.)
 * With gaps between windows small pieces may bring less. */
static ash_status bound_inside(const ash_tile_problem *p, uint64_t *least,
                               uint64_t *ticks) {
  ASH_ASSERT(p->level_count > 1);
  ash_tile_problem inner = *p;
  ash_tile_found found = {0};
  ash_facts *f;
  const uint32_t last = p->level_count - 1;
  *least = 0;
  if (has_gaps(p->space))
    return ASH_OK;
  inner.level_count = 1;
  inner.limited = false;
  inner.hops[0] = p->hops[last];
  inner.hops[0].rank = ASH_RANK_MAX;
  inner.hops[0].transfer_max = 0;
  for (uint32_t o = 0; o < ASH_OPERANDS_MAX; o++)
    inner.wanted[0][o] = p->wanted[last][o];
  ASH_TRY(ash_facts_new(&f, &inner));
  ASH_TRY(search_all(&inner, f, &found));
  *ticks = found.ticks;
  if (found.found)
    *least = found.lower_bound;
  return ASH_OK;
}

ash_status ash_search_cost(const ash_tile_problem *p, ash_facts *f,
                           ash_tile_found *out) {
  ASH_ASSERT(p->level_count > 0 && p->level_count <= ASH_TILE_LEVELS);
  ash_tile_problem bounded = *p;
  uint64_t ticks = 0;
  if (p->level_count > 1)
    ASH_TRY(bound_inside(p, &bounded.inner_least, &ticks));
  ASH_TRY(search_all(&bounded, f, out));
  out->ticks += ticks;
  return ASH_OK;
}
