/* exact.c - the smallest height of a plain component by valley search.
 *
 * The bound itself is tried first: on instances from practice the optimum
 * equals it, and a tight capacity prunes best. When the bound resists, effort
 * grows geometrically and alternates between the bound, where a refutation
 * raises it, and heights on the way to the incumbent. */
#include "place/exact/exact.h"
#include "base/checked.h"
#include "place/clause/clause_pair.h"
#include "place/exact/portfolio.h"
#include "place/exact/valley.h"

static const uint64_t FIRST_NODES = 300; /* a block, at the bound */

typedef struct minimise {
  ash_place_solve *solve;
  ash_place_goal *goal;
  ash_zone zone;
  ash_place_skyline sky;
  /* One search at the bound and one above it, each with its own table, weights
   * and random numbers: how heights are probed does not disturb the search that
   * proves. The failures in a table hold up to a capacity. */
  ash_place_valley bound_valley, probe_valley;
  int64_t bound_capacity, probe_capacity;
  ash_place_portfolio *portfolio; /* NULL: one thread */
  ash_place_clause_pair clauses;
  int64_t lower, upper; /* in units: not refuted yet, known to be feasible */
} minimise;

static bool keep_on(void *user, uint64_t ticks) {
  minimise *m = user;
  return !ash_place_solve_spend(m->solve, ticks) &&
         !(m->portfolio && ash_place_portfolio_has_answer(m->portfolio));
}

static ash_place_valley_use techniques(uint64_t off) {
  return (ash_place_valley_use){.support = !(off & ASH_OFF_SUPPORT),
                                .memory = !(off & ASH_OFF_MEMORY),
                                .twins = !(off & ASH_OFF_TWINS),
                                .split = !(off & ASH_OFF_SPLIT),
                                .jackson = !(off & ASH_OFF_JACKSON),
                                .learning = !(off & ASH_OFF_LEARNING),
                                .restarts = !(off & ASH_OFF_RESTARTS),
                                .guide = !(off & ASH_OFF_GUIDE)};
}

/* Takes over the places of a solved dive; the height they reach. */
static void take_places(minimise *m) {
  int64_t height = 0;
  for (uint32_t j = 0; j < m->sky.block_count; j++) {
    const int64_t top = m->sky.place[j] + m->sky.blocks[j].size;
    ASH_ASSERT(m->sky.place[j] >= 0 && top <= m->sky.capacity);
    height = top > height ? top : height;
    m->solve->bases[m->sky.item[j]] = m->sky.place[j] * m->sky.unit;
  }
  ash_place_clause_pair_lead(&m->clauses, m->solve->bases);
  m->upper = height;
  m->goal->height = (uint64_t)(height * m->sky.unit);
}

/* Failures known at some capacity hold at every smaller one; at a larger one
 * the table starts afresh. */
static ash_place_outcome attempt(minimise *m, int64_t capacity, uint64_t nodes,
                                 bool jackson) {
  ASH_ASSERT(m->lower <= capacity && capacity < m->upper && nodes > 0);
  const bool at_bound = capacity == m->lower;
  int64_t *valid = at_bound ? &m->bound_capacity : &m->probe_capacity;
  ash_place_valley *v = at_bound ? &m->bound_valley : &m->probe_valley;
  v->use.jackson = jackson;
  if (capacity > *valid)
    ash_place_table_forget_failed(&v->table);
  ash_place_table_forget_solved(&v->table);
  ash_place_guide_forget(v);
  *valid = capacity;
  if (m->portfolio)
    ash_place_portfolio_start(m->portfolio, capacity, nodes);
  ash_place_outcome outcome =
      ash_place_valley_search(v, capacity, nodes, keep_on, m);
  if (m->portfolio) {
    const ash_place_outcome theirs = ash_place_portfolio_finish(
        m->portfolio, outcome == ASH_PLACE_CUT ? &m->sky : NULL);
    outcome = outcome == ASH_PLACE_CUT ? theirs : outcome;
  }
  if (outcome == ASH_PLACE_SOLVED)
    take_places(m);
  return outcome;
}

static bool is_done(const minimise *m) {
  return m->lower >= m->upper || ash_place_solve_spend(m->solve, 0) ||
         m->zone.failed;
}

/* After the height `refuted` no placement fits; the next that can. */
static ash_status raise_lower(minimise *m, int64_t refuted) {
  ASH_ASSERT(refuted >= m->lower - 1);
  m->lower = refuted + 1;
  if (m->sky.aligned || m->solve->options.off & ASH_OFF_SUBSET)
    return ASH_OK;
  ash_ctx *ctx = m->solve->ctx;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  uint64_t *sizes = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, m->sky.block_count);
  uint64_t height = (uint64_t)m->lower;
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t j = 0; j < m->sky.block_count; j++)
    sizes[j] = (uint64_t)m->sky.blocks[j].size;
  ASH_TRY(ash_place_subset_sum_round(ctx, &height, sizes, m->sky.block_count));
  ASH_ASSERT((int64_t)height > refuted);
  m->lower = (int64_t)height;
  ash_zone_rewind(&ctx->scratch, mark);
  return ASH_OK;
}

/* Nodes with the one-machine bound take twice as long and seldom help where the
 * bound can be met. */
static uint64_t round_nodes(uint64_t nodes, bool jackson) {
  return jackson ? nodes / 8 : nodes;
}

/* The one-machine bound halves the speed: it is for proofs, so it is used every
 * fourth time once the bound has resisted. */
static bool uses_jackson(const minimise *m, unsigned round) {
  return !(m->solve->options.off & ASH_OFF_JACKSON) && round % 4 == 3;
}

/* ---- with clauses -------------------------------------------------------- */

enum { CLAUSE_BLOCKS = 120 };

/* Valley branching is quick where there is a placement, clauses are where there
 * is none: they take turns, unless there are many blocks. */
static ash_status try_clauses(minimise *m, int64_t capacity, bool at_bound,
                              uint64_t conflicts) {
  ash_place_clause_pair *pair = &m->clauses;
  if (!pair->is_ready || is_done(m) || capacity >= m->upper)
    return ASH_OK;
  ash_place_outcome outcome;
  ASH_TRY(ash_place_clause_pair_try(pair, &outcome, m->solve, m->goal,
                                    capacity * m->sky.unit, at_bound,
                                    conflicts));
  if (outcome == ASH_PLACE_SOLVED)
    m->upper = (int64_t)(m->goal->height / (uint64_t)m->sky.unit);
  if (outcome == ASH_PLACE_REFUTED)
    return raise_lower(m, capacity);
  return ASH_OK;
}

/* Down from the best placement: each one leads to the next, so steps are cheap
 * until one is refuted or cut. */
static ash_status descend(minimise *m, uint64_t conflicts) {
  int64_t before;
  ASH_ASSERT(conflicts > 0);
  do {
    before = m->upper;
    ASH_TRY(try_clauses(m, m->upper - 1, false, conflicts));
  } while (m->upper < before);
  return ASH_OK;
}

/* Only a placement within `limit` is wanted. */
static ash_status reach_limit(minimise *m, int64_t limit) {
  ASH_ASSERT(m->lower <= limit + 1);
  uint64_t nodes = FIRST_NODES * m->sky.block_count + 1000;
  for (unsigned round = 0; m->upper > limit && !is_done(m); round++) {
    const bool jackson = uses_jackson(m, round);
    if (attempt(m, limit, round_nodes(nodes, jackson), jackson) ==
        ASH_PLACE_REFUTED)
      return raise_lower(m, limit);
    ASH_TRY(try_clauses(m, limit, false, nodes / 32));
    if (m->lower > limit)
      return ASH_OK;
    nodes += nodes / 2;
  }
  return ASH_OK;
}

/* The height of the next probe: half way down from the incumbent to the bound,
 * and after each probe that was cut half as far, until the next height below
 * the incumbent; then from the middle again. So every height between them is
 * looked at some day, and cheap gains near the incumbent are found soon. */
static int64_t probe_height(const minimise *m, unsigned *halvings) {
  ASH_ASSERT(m->lower < m->upper);
  const int64_t gap = m->upper - m->lower;
  if (*halvings > 61 || gap >> *halvings == 0)
    *halvings = 0;
  const int64_t step = gap >> (*halvings + 1);
  return m->upper - (step ? step : 1);
}

/* `limit` is the capacity, or where no solution is known yet. */
static ash_status reach_optimum(minimise *m) {
  uint64_t nodes = FIRST_NODES * m->sky.block_count + 1000;
  unsigned halvings = 0;
  for (unsigned round = 0; !is_done(m); round++) {
    const bool jackson = uses_jackson(m, round);
    ash_place_outcome outcome =
        attempt(m, m->lower, round_nodes(nodes, jackson), jackson);
    if (outcome == ASH_PLACE_REFUTED)
      ASH_TRY(raise_lower(m, m->lower));
    if (outcome != ASH_PLACE_CUT || is_done(m))
      continue;
    ASH_TRY(try_clauses(m, m->lower, true, nodes / 32));
    ASH_TRY(descend(m, nodes / 32));
    if (is_done(m))
      break;
    const int64_t height = probe_height(m, &halvings);
    if (height > m->lower) {
      outcome = attempt(m, height, nodes / 4, jackson);
      if (outcome == ASH_PLACE_REFUTED)
        ASH_TRY(raise_lower(m, height));
      if (outcome == ASH_PLACE_CUT)
        halvings++;
    } else {
      halvings = 0;
    }
    nodes += nodes / 2;
  }
  return ASH_OK;
}

static int64_t units_down(const minimise *m, uint64_t bytes) {
  ASH_ASSERT(m->sky.unit > 0);
  const uint64_t units = bytes / (uint64_t)m->sky.unit;
  return units > INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)units;
}

/* The height of all blocks on top of each other. */
static uint64_t stacked(const minimise *m) {
  uint64_t sum = 0;
  for (uint32_t j = 0; j < m->sky.block_count; j++)
    sum += (uint64_t)((m->sky.blocks[j].size + m->sky.blocks[j].align) *
                      m->sky.unit);
  return sum;
}

static ash_status run(minimise *m) {
  ash_place_goal *goal = m->goal;
  ash_place_solve *s = m->solve;
  ASH_TRY(ash_place_skyline_build(s->ctx, &m->zone, &m->sky, &s->reduced,
                                  goal->items, goal->count));
  const ash_place_valley_use use = techniques(s->options.off);
  if (!ash_place_valley_init(&m->bound_valley, &m->sky, &m->zone, use,
                             s->options.seed) ||
      !ash_place_valley_init(&m->probe_valley, &m->sky, &m->zone, use,
                             s->options.seed))
    return ash_nomem(s->ctx);
  uint32_t helpers = s->options.threads > 1 ? s->options.threads - 1 : 0;
  if (helpers > ASH_PLACE_PORTFOLIO_MAX)
    helpers = ASH_PLACE_PORTFOLIO_MAX;
  if (helpers && goal->count > 20)
    m->portfolio = ash_place_portfolio_new(s, &m->zone, goal, use, helpers);
  if (!(s->options.off & ASH_OFF_LEARNING) && goal->count <= CLAUSE_BLOCKS)
    ASH_TRY(ash_place_clause_pair_init(&m->clauses, s, goal));
  const int64_t unit = m->sky.unit;
  const int64_t floor = units_down(m, goal->floor);
  const int64_t limit = units_down(m, goal->limit);
  const uint64_t known = ash_min_u64(goal->height, stacked(m));
  m->upper = (int64_t)(known / (uint64_t)unit) + (known != goal->height);
  const bool any_will_do = s->problem->capacity && !s->problem->minimise;
  const bool unplaced = goal->height == UINT64_MAX;
  if (m->upper > limit || (any_will_do && unplaced))
    m->upper = limit + 1; /* what is higher is as good as nothing */
  m->bound_capacity = m->probe_capacity = INT64_MAX;
  ASH_ASSERT(m->sky.bound > 0);
  ASH_TRY(raise_lower(m, m->sky.bound - 1));
  if (floor > m->lower)
    m->lower = floor; /* not a bound of this component, but low enough */
  if (m->lower >= m->upper && unplaced && m->upper <= limit)
    m->lower = m->upper - 1; /* any placement will do */
  if (any_will_do)
    ASH_TRY(reach_limit(m, limit));
  else
    ASH_TRY(reach_optimum(m));
  /* Below `lower` nothing exists; at upper == limit + 1 nothing was found. */
  const uint64_t lower = (uint64_t)m->lower * (uint64_t)unit;
  goal->lower = ash_max_u64(goal->lower, ash_min_u64(lower, goal->height));
  if (m->lower > limit)
    goal->lower = ash_max_u64(goal->lower, lower);
  return ash_zone_check(s->ctx, &m->zone);
}

static const uint32_t BLOCKS_MAX = 100000; /* of an exact search */

ash_status ash_place_exact_plain(ash_place_solve *s, ash_place_goal *goal) {
  ASH_ASSERT(goal->count > 0 && goal->floor <= goal->limit);
  if (goal->count > BLOCKS_MAX)
    return ASH_OK; /* what the heuristics have found stands */
  minimise m = {.solve = s, .goal = goal};
  ash_zone_init(&m.zone, &s->ctx->mem);
  const ash_status status = run(&m);
  ash_place_portfolio_drop(m.portfolio);
  ash_place_clause_pair_drop(&m.clauses);
  ash_zone_drop(&m.zone);
  return status;
}
