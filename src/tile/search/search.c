/* search.c - the default search: branch and bound over tile sizes, level by
 * level and axis by axis, largest first.
 *
 * A partial choice is dropped when no completion fits: neither with all open
 * sizes as small as possible nor, because a sum that is cut needs an
 * accumulator, with free axes small and sums whole. It is dropped too when,
 * with all open axes uncut, it costs no less than what is known. A few greedy
 * choices come first, so that there is something to compare with. */
#include "tile/search/search.h"

#include "base/checked.h"

#include <string.h>

enum { VARIABLES_MAX = ASH_TILE_LEVELS * ASH_TILE_AXES };
enum { DEFAULT_TICKS = 100000, BUCKETS = 256 };

typedef struct variable {
  uint32_t level, axis;
  ash_size_list list;
  uint32_t at;
} variable;

/* The sizes of an axis in a level, given those outside: made once. */
typedef struct known_list {
  uint32_t level, axis;
  int64_t outside[ASH_TILE_LEVELS];
  ash_size_list list;
  struct known_list *next;
} known_list;

typedef struct search {
  const ash_tile_problem *p;
  ash_facts *f;
  ash_tile_found *best;
  variable *vars;
  uint32_t var_count;
  known_list *known[BUCKETS];
  ash_tile_cut cut;
  uint64_t limit;
  bool cut_short, incomplete;
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

static bool is_list(const known_list *l, const search *s, uint32_t level,
                    uint32_t axis) {
  if (l->level != level || l->axis != axis)
    return false;
  for (uint32_t k = 0; k < level; k++)
    if (l->outside[k] != s->cut.at[k][axis])
      return false;
  return true;
}

static known_list **bucket_of(search *s, uint32_t level, uint32_t axis) {
  uint64_t h = axis * 31u + level;
  for (uint32_t k = 0; k < level; k++)
    h = (h ^ (uint64_t)s->cut.at[k][axis]) * 0x9e3779b97f4a7c15u;
  return &s->known[(h >> 40) % BUCKETS];
}

/* Of the last level all sizes that matter; outside it one for each number of
 * pieces. */
static ash_status make_list(search *s, uint32_t level, uint32_t axis,
                            ash_size_list *out) {
  ash_zone *z = &s->p->ctx->scratch;
  const int64_t extent = region(s, level, axis);
  if (level + 1 == s->p->level_count)
    return ash_tile_undominated(s->p, s->f, axis, &s->cut, out);
  const uint32_t most = ash_candidates_most(extent);
  int64_t *sizes = ASH_NEW_ARRAY(z, int64_t, most);
  ASH_TRY(ash_zone_check(s->p->ctx, z));
  const uint32_t count = ash_tile_candidates(&s->p->space->axes[axis], extent,
                                             may_cut(s->p, axis), sizes, most);
  *out = (ash_size_list){sizes, count, count < ASH_CANDIDATES_MAX};
  return ASH_OK;
}

static ash_status list_sizes(search *s, uint32_t level, uint32_t axis,
                             ash_size_list *out) {
  ash_zone *z = &s->p->ctx->scratch;
  known_list **bucket = bucket_of(s, level, axis);
  for (const known_list *l = *bucket; l; l = l->next)
    if (is_list(l, s, level, axis)) {
      *out = l->list;
      return ASH_OK;
    }
  known_list *made = ASH_NEW(z, known_list);
  ASH_TRY(ash_zone_check(s->p->ctx, z));
  ASH_TRY(make_list(s, level, axis, &made->list));
  ASH_ASSERT(made->list.count > 0);
  made->level = level;
  made->axis = axis;
  for (uint32_t k = 0; k < level; k++)
    made->outside[k] = s->cut.at[k][axis];
  made->next = *bucket;
  *bucket = made;
  *out = made->list;
  return ASH_OK;
}

static ash_status list_candidates(search *s, uint32_t v) {
  ASH_ASSERT(v < s->var_count);
  variable *var = &s->vars[v];
  var->at = 0;
  ASH_TRY(list_sizes(s, var->level, var->axis, &var->list));
  s->incomplete |= !var->list.complete;
  return ASH_OK;
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
      ash_size_list list;
      bool fit = false;
      ASH_TRY(list_sizes(s, k, a, &list));
      for (uint32_t c = 0; c < list.count && !fit; c++) {
        s->cut.at[k][a] = list.sizes[c];
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

/* With variables up to v chosen: does any completion fit? Boxes shrink with
 * every size. A cut sum needs an accumulator, however small its pieces, so
 * either all open sums are as small as can be, or none is cut. */
static ash_status can_fit(search *s, uint32_t v, bool *yes) {
  ASH_ASSERT(v + 1 < s->var_count);
  bool sums = false;
  fill_rest(s, v + 1, true);
  ASH_TRY(sizes_fit(s, yes, 1));
  if (*yes)
    return ASH_OK;
  for (uint32_t i = v + 1; i < s->var_count; i++) {
    const variable *var = &s->vars[i];
    if (s->p->space->axes[var->axis].kind != ASH_AXIS_SUM)
      continue;
    s->cut.at[var->level][var->axis] = region(s, var->level, var->axis);
    sums = true;
  }
  return sums ? sizes_fit(s, yes, 1) : ASH_OK;
}

/* With variables up to v chosen: can it fit, and can it be better? */
static ash_status promising(search *s, uint32_t v, bool *yes) {
  ash_tile_sizes sizes;
  ASH_TRY(can_fit(s, v, yes));
  if (!*yes)
    return ASH_OK;
  fill_rest(s, v + 1, false);
  if (!ash_model_sizes(s->f, s->p, &sizes, &s->cut))
    return ash_nomem(s->p->ctx);
  s->best->ticks++;
  ash_tile_value bound = ash_model_bound(s->f, s->p, &sizes, true);
  bound.footprint = 0;
  *yes = !s->best->found || ash_value_less(&bound, &s->best->value);
  return ASH_OK;
}

static ash_status explore(search *s) {
  ASH_ASSERT(s->var_count > 0);
  uint32_t v = 0;
  ASH_TRY(list_candidates(s, 0));
  for (;;) {
    variable *var = &s->vars[v];
    if (var->at == var->list.count) {
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
    ASH_ASSERT(v < s->var_count && var->at < var->list.count);
    s->cut.at[var->level][var->axis] = var->list.sizes[var->at++];
    if (v + 1 == s->var_count) {
      if (ash_search_legal(s->p, &s->cut))
        ASH_TRY(ash_search_leaf(s->p, s->f, &s->cut, s->best));
      continue;
    }
    ASH_TRY(promising(s, v, &yes));
    if (yes)
      ASH_TRY(list_candidates(s, ++v));
  }
}

static ash_status root_bound(search *s, uint64_t *price) {
  ash_tile_sizes sizes;
  fill_rest(s, 0, false);
  if (!ash_model_sizes(s->f, s->p, &sizes, &s->cut))
    return ash_nomem(s->p->ctx);
  *price = ash_model_bound(s->f, s->p, &sizes, true).price;
  return ASH_OK;
}

/* One for each level and axis, the outermost level first. */
static ash_status list_variables(search *s) {
  const ash_tile_problem *p = s->p;
  s->vars = ASH_NEW_ARRAY(&p->ctx->scratch, variable,
                          p->level_count * p->space->axis_count + 1u);
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->scratch));
  for (uint32_t k = 0; k < p->level_count; k++)
    for (uint32_t a = 0; a < p->space->axis_count; a++) {
      s->vars[s->var_count].level = k;
      s->vars[s->var_count++].axis = a;
    }
  ASH_ASSERT(s->var_count <= VARIABLES_MAX);
  return ASH_OK;
}

static ash_status judge(search *s) {
  ash_tile_found *out = s->best;
  const bool all = !s->cut_short && !s->incomplete && !out->left_out;
  out->verdict = !out->found ? (all ? ASH_INFEASIBLE : ASH_UNKNOWN)
                 : all       ? ASH_OPTIMAL
                             : ASH_FEASIBLE;
  out->lower_bound = out->value.price;
  if (!all)
    ASH_TRY(root_bound(s, &out->lower_bound));
  if (out->found && out->lower_bound == out->value.price)
    out->verdict = ASH_OPTIMAL;
  return ASH_OK;
}

static ash_status search_all(const ash_tile_problem *p, ash_facts *f,
                             ash_tile_found *out) {
  search s = {.p = p, .f = f, .best = out};
  s.limit = p->ticks ? p->ticks : DEFAULT_TICKS;
  ASH_TRY(list_variables(&s));
  if (s.var_count == 0) {
    ASH_TRY(ash_search_leaf(p, f, &s.cut, out)); /* nothing to cut */
  } else {
    ASH_TRY(start(&s));
    ASH_TRY(explore(&s));
  }
  return judge(&s);
}

/* ---- levels inside ------------------------------------------------------ */

static bool has_gaps(const ash_facts *f, const ash_tile_space *s) {
  for (uint32_t o = 0; o < s->operand_count; o++)
    if (ash_facts_has_gaps(f, o))
      return true;
  return false;
}

/* What the last level costs at least, whatever the levels outside do. With
 * every axis cut as the last level cuts it, in one region and with loops in the
 * order of the innermost level that cuts each, no operand is loaded more often
 * than with regions, and figures that no cut inside regions falls below
 * (`relaxed`) take care of where pieces begin. A box may be moved in fewer
 * transfers than its region, so the engine is taken to need one. With gaps
 * between windows small pieces may bring less. */
static ash_status bound_inside(const ash_tile_problem *p, const ash_facts *f,
                               uint64_t *least, uint64_t *ticks) {
  ASH_ASSERT(p->level_count > 1);
  ash_tile_problem inner = *p;
  ash_tile_found found = {0};
  ash_facts *own;
  const uint32_t last = p->level_count - 1;
  *least = 0;
  if (has_gaps(f, p->space))
    return ASH_OK;
  inner.level_count = 1;
  inner.relaxed = true;
  inner.byte_price = 0;
  inner.hops[0] = p->hops[last];
  inner.hops[0].rank = ASH_RANK_MAX;
  inner.hops[0].transfer_max = 0;
  inner.hops[0].row_cycles = inner.hops[0].beat = 0;
  for (uint32_t o = 0; o < ASH_OPERANDS_MAX; o++)
    inner.wanted[0][o] = p->wanted[last][o];
  ASH_TRY(ash_facts_new(&own, &inner));
  ASH_TRY(search_all(&inner, own, &found));
  *ticks = found.ticks;
  if (found.found)
    *least = found.lower_bound / 1000;
  return ASH_OK;
}

/* Without a proof, what "max" finds may be better. */
static ash_status try_max(const ash_tile_problem *p, ash_facts *f,
                          ash_tile_found *out) {
  ash_tile_found simple = {0};
  ASH_TRY(ash_search_max(p, f, &simple));
  out->ticks += simple.ticks;
  if (!simple.found ||
      (out->found && !ash_value_less(&simple.value, &out->value)))
    return ASH_OK;
  ASH_ASSERT(out->lower_bound <= simple.value.price);
  out->found = true;
  out->value = simple.value;
  out->choice = simple.choice;
  out->verdict = ASH_FEASIBLE;
  return ASH_OK;
}

ash_status ash_search_cost(const ash_tile_problem *p, ash_facts *f,
                           ash_tile_found *out) {
  ASH_ASSERT(p->level_count > 0 && p->level_count <= ASH_TILE_LEVELS);
  ash_tile_problem bounded = *p;
  uint64_t ticks = 0;
  if (p->level_count > 1)
    ASH_TRY(bound_inside(p, f, &bounded.inner_least, &ticks));
  ASH_TRY(search_all(&bounded, f, out));
  out->ticks += ticks;
  return out->verdict == ASH_FEASIBLE || out->verdict == ASH_UNKNOWN
             ? try_max(p, f, out)
             : ASH_OK;
}
