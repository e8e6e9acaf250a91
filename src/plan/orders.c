/* orders.c - the policy of orders.
 *
 * Whole operators in the given order, unless another order makes the arena
 * smaller; rows only where whole operators do not fit, or where they are asked
 * for. Of the orders of rows that fit, one in which as many operators as
 * possible run whole: each switch between operators costs a call, and late
 * layers are small. */
#include "plan/orders.h"

#include "domain/rows.h"
#include "plan/attempts.h"
#include "plan/planner.h"
#include "plan/record/record.h"
#include "plan/row_order.h"

#include <string.h>

typedef struct chooser {
  ash_ctx *ctx;
  const ash_target *target;
  const ash_tile_options *tile;
  ash_plan_options options;
  ash_ask given, found;  /* whole operators, in the given and the best order  */
  bool *is_whole;        /* by op                                             */
  ash_move_policy moves; /* of the rows that are tried                       */
} chooser;

static ash_status attempt(chooser *c, const ash_plan **out, const ash_ask *ask,
                          ash_order_kind order) {
  ash_plan_options options = c->options;
  options.order = order;
  options.moves = c->moves;
  ASH_ASSERT(order == ASH_ORDER_GIVEN || order == ASH_ORDER_ROWS);
  *out = NULL;
  return c->target
             ? ash_plan_attempts(c->ctx, out, ask, c->target, &options, c->tile)
             : ash_plan_once(c->ctx, out, ask, &options);
}

static uint64_t scratch_of(const ash_plan *p) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == ASH_SCRATCH)
      sum += p->arenas[i].size;
  return sum;
}

/* Is there a plan in `x` that needs fewer bytes than `y`? */
static bool is_smaller(const ash_plan *x, const ash_plan *y) {
  ASH_ASSERT(x != y || !x);
  return x && (!y || scratch_of(x) < scratch_of(y));
}

/* ---- whole operators ----------------------------------------------------- */

/* The best order of whole operators; is it better than the given one? */
static ash_status find_operators(chooser *c, bool *gains) {
  ash_plan_options options = c->options;
  uint64_t given;
  options.order = ASH_ORDER_OPERATORS;
  c->found = c->given;
  ASH_TRY(ash_plan_find_order(c->ctx, &c->found.steps, &c->found.order, &given,
                              &c->given, &options));
  c->given.order = c->found.order;
  c->given.order.kind = ASH_ORDER_GIVEN;
  c->given.order.peak = given;
  if (given > c->found.order.lower_bound)
    c->given.order.verdict = ASH_FEASIBLE;
  *gains = c->found.order.peak < given;
  return ASH_OK;
}

/* What was tried in vain says nothing. */
static ash_status or_nothing(chooser *c, ash_status status, size_t said) {
  ASH_ASSERT(said <= c->ctx->diag_count);
  if (status == ASH_NOFIT) {
    c->ctx->diag_count = said;
    return ASH_OK;
  }
  return status;
}

/* What was said from `first` on, up to `last`, does not belong to the plan that
 * is kept. */
static void forget(chooser *c, size_t first, size_t last) {
  ASH_ASSERT(first <= last && last <= c->ctx->diag_count);
  for (size_t i = last; i < c->ctx->diag_count; i++)
    c->ctx->diags[first + i - last] = c->ctx->diags[i];
  c->ctx->diag_count -= last - first;
}

/* `other` if it is smaller than `*out`, of which `status` is told between
 * `said` and `told`. */
static ash_status take_smaller(chooser *c, const ash_plan **out,
                               const ash_plan *other, ash_status status,
                               size_t said, size_t told) {
  ASH_ASSERT((status == ASH_OK) == (*out != NULL));
  if (is_smaller(other, *out)) {
    forget(c, said, told);
    *out = other;
    return ASH_OK;
  }
  forget(c, told, c->ctx->diag_count);
  return status;
}

/* The smaller one of the given order and the best. ASH_NOFIT is told of the
 * given one. */
static ash_status plan_operators(chooser *c, const ash_plan **out) {
  const size_t said = c->ctx->diag_count;
  const ash_plan *other = NULL;
  bool gains;
  ASH_TRY(find_operators(c, &gains));
  ash_status status = attempt(c, out, &c->given, ASH_ORDER_GIVEN);
  if (!gains || (status != ASH_OK && status != ASH_NOFIT))
    return status;
  const size_t told = c->ctx->diag_count;
  ASH_TRY(or_nothing(c, attempt(c, &other, &c->found, ASH_ORDER_GIVEN), told));
  return take_smaller(c, out, other, status, said, told);
}

/* ---- rows ---------------------------------------------------------------- */

static bool has_work(const chooser *c) {
  for (uint32_t op = 0; op < c->given.graph->op_count; op++)
    if (c->given.choices[op].scratch > 0)
      return true;
  return false;
}

/* The first operators by rows, those from `first` on whole. */
static ash_status plan_rows(chooser *c, const ash_plan **out, uint32_t first) {
  ASH_ASSERT(first <= c->given.graph->op_count);
  ash_ask ask = c->given;
  for (uint32_t op = 0; op < ask.graph->op_count; op++)
    c->is_whole[op] = op >= first;
  ask.is_whole = c->is_whole;
  return attempt(c, out, &ask, ASH_ORDER_ROWS);
}

/* All rows. Where packing them needs more than their load, the best order of
 * activations alone may pack better than that with work memory: the smaller
 * plan decides for all that follow. */
static ash_status plan_all_rows(chooser *c, const ash_plan **out) {
  const uint32_t all = (uint32_t)c->given.graph->op_count;
  const size_t said = c->ctx->diag_count;
  const ash_plan *other = NULL;
  ash_status status = plan_rows(c, out, all);
  if ((status != ASH_OK && status != ASH_NOFIT) || !has_work(c) ||
      (*out && scratch_of(*out) <= (*out)->order.peak_with_work))
    return status;
  const size_t told = c->ctx->diag_count;
  c->given.ignores_work = true;
  ASH_TRY(or_nothing(c, plan_rows(c, &other, all), told));
  c->given.ignores_work = is_smaller(other, *out);
  return take_smaller(c, out, other, status, said, told);
}

/* Orders that are found with more effort, or are longer, are not made again. */
enum { JOIN_TICKS = 1 << 22, JOIN_STEPS = 4096 };

/* Long runs up to the peak leave no holes, so that rows have to move; of those
 * that stay below it, more rows find a place. */
static const ash_ask_join ways_to_join[] = {
    {ASH_ROWS_TOGETHER, 0},
    {ASH_ROWS_TOGETHER, 25},
    {ASH_ROWS_TOGETHER, 50},
    {ASH_ROWS_TOGETHER / 2, 0},
};

static uint64_t cycles_of(const chooser *c, const ash_plan *p) {
  return ash_plan_cycles(p, c->given.graph, c->given.device, NULL);
}

/* The rows of `*out` with fewer switches between operators, if that takes no
 * more bytes and fewer cycles: switches cost, and so do copies, which longer
 * runs may want. Where nothing is copied, it stays so. Before `*out`, `said`
 * things were said. */
static ash_status join_runs(chooser *c, const ash_plan **out, uint32_t first,
                            size_t said) {
  ASH_ASSERT(*out != NULL && said <= c->ctx->diag_count);
  if ((*out)->order.ticks > JOIN_TICKS || (*out)->steps.count > JOIN_STEPS)
    return ASH_OK;
  const ash_move_policy moves = c->moves;
  if (ash_plan_move_facts(*out).count == 0)
    c->moves = ASH_MOVES_NEVER;
  for (uint32_t i = 0; i < ASH_COUNT_OF(ways_to_join); i++) {
    const size_t told = c->ctx->diag_count;
    const ash_plan *joined = NULL;
    c->given.join = ways_to_join[i];
    ASH_TRY(or_nothing(c, plan_rows(c, &joined, first), told));
    c->given.join = (ash_ask_join){0, 0};
    if (joined && scratch_of(joined) <= scratch_of(*out) &&
        cycles_of(c, joined) < cycles_of(c, *out)) {
      forget(c, said, told);
      *out = joined;
    } else {
      forget(c, told, c->ctx->diag_count);
    }
  }
  c->moves = moves;
  return ASH_OK;
}

/* The fewest operators by rows that fit, by bisection: `*out` is a plan of all
 * rows. Before it, `said` things were said. */
static ash_status coarsen(chooser *c, const ash_plan **out, size_t said) {
  uint32_t low = 0, high = (uint32_t)c->given.graph->op_count;
  ASH_ASSERT(*out != NULL && said <= c->ctx->diag_count);
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    const ash_plan *plan;
    const size_t told = c->ctx->diag_count;
    ASH_TRY(or_nothing(c, plan_rows(c, &plan, middle), told));
    *(plan ? &high : &low) = middle;
    if (!plan)
      continue;
    forget(c, said, told);
    *out = plan;
  }
  return join_runs(c, out, high, said);
}

static bool has_streams(const chooser *c) {
  return c->given.is_fed || c->given.is_drained;
}

/* Whole operators; what is fed arrives before the first of them. */
static ash_status plan_whole(chooser *c, const ash_plan **out) {
  const bool *is_fed = c->given.is_fed;
  c->given.is_fed = NULL;
  const ash_status status = plan_operators(c, out);
  c->given.is_fed = is_fed;
  if (status != ASH_OK || !is_fed)
    return status;
  ash_plan *plan = ASH_NEW(&c->ctx->keep, ash_plan);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->keep));
  *plan = **out;
  plan->is_fed = is_fed;
  *out = plan;
  return ASH_OK;
}

/* All rows, or whole operators if these need fewer bytes. Rows that leave are
 * made one by one. */
static ash_status plan_smallest(chooser *c, const ash_plan **out) {
  const size_t said = c->ctx->diag_count;
  const ash_plan *whole = NULL;
  const ash_status status = plan_all_rows(c, out);
  if (status == ASH_OK)
    ASH_TRY(join_runs(c, out, (uint32_t)c->given.graph->op_count, said));
  if ((status != ASH_OK && status != ASH_NOFIT) || c->given.is_drained)
    return status;
  const size_t told = c->ctx->diag_count;
  ASH_TRY(or_nothing(c, plan_whole(c, &whole), told));
  return take_smaller(c, out, whole, status, said, told);
}

/* ---- which of them ------------------------------------------------------- */

/* NULL, or why rows cannot be planned. */
static const char *refusal(const chooser *c) {
  const ash_plan_options *o = &c->options;
  if (o->steps)
    return "the schedule is given";
  if (o->tilings || c->given.device->compute_memory != ASH_NO_MEMORY)
    return "the device computes in a small memory: operators are tiled instead";
  if (o->backend || (o->planner && strcmp(o->planner, "exact") != 0))
    return "only the planner 'exact' knows rows";
  return o->no_views ? "rows need views" : NULL;
}

static ash_status refuse(chooser *c, const char *why) {
  ASH_ASSERT(why != NULL);
  return ash_fail(c->ctx, ASH_MISUSE,
                  has_streams(c) ? ASH_D_plan_stream : ASH_D_plan_order,
                  ash_graph_loc(c->given.graph, ASH_NO_ID, ASH_NO_ID),
                  "%s cannot be planned: %s",
                  has_streams(c) ? "rows that arrive or leave" : "rows", why);
}

/* Is there anything that runs by rows? */
static bool has_rows(const chooser *c) {
  const ash_graph *g = c->given.graph;
  for (uint32_t t = 0; t < g->tensor_count; t++)
    if (g->tensors.items[t].kind == ASH_TENSOR_ACTIVATION &&
        ash_domain_row_count(&g->tensors.items[t]) > 1)
      return true;
  return false;
}

/* Rows that stay in their places, if these fit. */
static ash_status plan_auto_rows(chooser *c, const ash_plan **out) {
  const size_t said = c->ctx->diag_count;
  if (c->options.moves == ASH_MOVES_AUTO)
    c->moves = ASH_MOVES_NEVER;
  const ash_status status = plan_all_rows(c, out);
  if (status != ASH_NOFIT || c->options.moves != ASH_MOVES_AUTO)
    return status;
  c->ctx->diag_count = said;
  c->moves = ASH_MOVES_FIT;
  return plan_all_rows(c, out);
}

/* Whole operators if they fit, else as few rows as possible. */
static ash_status plan_auto(chooser *c, const ash_plan **out) {
  const size_t said = c->ctx->diag_count;
  ash_status status = plan_operators(c, out);
  if (status != ASH_NOFIT)
    return status;
  c->ctx->diag_count = said;
  status = plan_auto_rows(c, out);
  if (status == ASH_OK)
    return coarsen(c, out, said);
  if (status != ASH_NOFIT || has_rows(c))
    return status;
  c->ctx->diag_count = said;
  return attempt(c, out, &c->given, ASH_ORDER_GIVEN);
}

static ash_status choose(chooser *c, const ash_plan **out) {
  const char *why = refusal(c);
  const ash_order_kind order = c->options.order;
  if (why && (order == ASH_ORDER_ROWS || has_streams(c)))
    return refuse(c, why);
  if (has_streams(c) && order != ASH_ORDER_ROWS && order != ASH_ORDER_AUTO)
    return refuse(c, "the order is one of whole operators");
  if (order == ASH_ORDER_ROWS || has_streams(c))
    return plan_smallest(c, out);
  if (why || order == ASH_ORDER_GIVEN)
    return attempt(c, out, &c->given, ASH_ORDER_GIVEN);
  return order == ASH_ORDER_AUTO ? plan_auto(c, out) : plan_operators(c, out);
}

ash_status ash_plan_orders(ash_ctx *ctx, const ash_plan **out,
                           const ash_ask *ask, const ash_target *target,
                           const ash_plan_options *options,
                           const ash_tile_options *tile) {
  chooser c = {.ctx = ctx, .target = target, .tile = tile, .given = *ask};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  *out = NULL;
  ash_take_options(&c.options, sizeof c.options, options);
  c.options.struct_bytes = sizeof c.options;
  c.given.order.kind = ASH_ORDER_GIVEN;
  c.moves =
      c.options.moves == ASH_MOVES_AUTO ? ASH_MOVES_SMALLEST : c.options.moves;
  c.is_whole = ASH_NEW_ARRAY(&ctx->scratch, bool, ask->graph->op_count + 1);
  ash_status status = ash_zone_check(ctx, &ctx->scratch);
  if (status == ASH_OK)
    status = choose(&c, out);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
