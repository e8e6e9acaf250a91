/* tiler.c - every operator of a model: which way its operands take, a search
 * for its tiling, and what to say when nothing fits. */
#include "tile/tiler.h"
#include "base/checked.h"
#include "graph/graph.h"
#include "kernel/kernel.h"
#include "op/reads.h"
#include "op/views.h"
#include "tile/hierarchy.h"
#include "tile/residents.h"
#include "tile/search/search.h"

#include <inttypes.h>

/* A search that was made: equal operators need no other. */
typedef struct known {
  ash_tile_problem p;
  ash_tile_found found;
  struct known *next;
} known;

/* The rule of an operator, asked for once. */
typedef struct rule {
  bool asked;
  const ash_tile_space *space, *own; /* own: with the caller's constraint */
  const char *why;                   /* space NULL */
} rule;

enum { BUCKETS = 512 };

typedef struct tiler {
  ash_ctx *ctx;
  const ash_graph *g;
  const ash_device *device;
  ash_tile_options options;
  ash_hierarchy h;
  ash_tile_searcher *search;
  ash_tiling *tilings; /* by op */
  rule *rules;         /* by op */
  ash_zone zone;       /* of what is known */
  known *known[BUCKETS];
} tiler;

/* ---- the problem -------------------------------------------------------- */

/* An operator that cannot be cut, whole, for what the processor does not
 * reach. */
static ash_status whole_space(tiler *t, const ash_tile_space **out,
                              uint32_t op) {
  ASH_ASSERT(op < t->g->op_count);
  const ash_op *o = &t->g->ops.items[op];
  ash_zone *z = &t->ctx->keep;
  ash_tile_space *space = ASH_NEW(z, ash_tile_space);
  ash_tile_operand *list =
      ASH_NEW_ARRAY(z, ash_tile_operand, o->input_count + o->output_count);
  ASH_TRY(ash_zone_check(t->ctx, z));
  uint32_t n = 0;
  for (uint32_t k = 0; k < o->input_count + o->output_count; k++) {
    const bool is_out = k >= o->input_count;
    const uint32_t at = is_out ? k - o->input_count : k;
    const uint32_t tensor = is_out ? o->outputs[at] : o->inputs[at];
    if (tensor == ASH_NO_ID ||
        (!is_out &&
         !ash_kernel_reads(t->h.ask->choices[op].kernel, t->g, op, at)))
      continue;
    list[n] =
        (ash_tile_operand){.tensor = tensor,
                           .is_output = is_out,
                           .position = at,
                           .rank = t->g->tensors.items[tensor].shape.rank};
    for (uint32_t d = 0; d < ASH_RANK_MAX; d++)
      list[n].dim[d] = (ash_tile_dim){ASH_NO_AXIS, 1, 1, 0, 1};
    space->work += t->g->tensors.items[tensor].bytes;
    n++;
  }
  space->op = op;
  space->operands = list;
  space->operand_count = n;
  ASH_ASSERT(n <= o->input_count + o->output_count);
  *out = space;
  return ASH_OK;
}

static void set_speed(const tiler *t, ash_tile_problem *p) {
  ASH_ASSERT(p->space->op < t->g->op_count);
  p->elements_per_kilocycle = t->device->elements_per_kilocycle;
  p->per_kilocycle = ash_op_macs(t->g, p->space->op)
                         ? t->device->macs_per_kilocycle
                         : p->elements_per_kilocycle;
  p->call_cycles = t->device->call_cycles;
  p->byte_price = t->device->byte_price;
}

/* ---- the result --------------------------------------------------------- */

static ash_status keep(tiler *t, ash_tiling *out, const ash_tile_problem *p,
                       ash_facts *f, const ash_tile_found *found) {
  ASH_ASSERT(found->found && p->level_count > 0);
  const ash_tile_space *space = p->space;
  const ash_tile_choice *c = &found->choice;
  ash_tile_buffer *buffers =
      ASH_NEW_ARRAY(&t->ctx->keep, ash_tile_buffer,
                    (size_t)p->level_count * space->operand_count);
  ash_tile_sizes sizes;
  ash_tile_value value;
  ASH_TRY(ash_zone_check(t->ctx, &t->ctx->keep));
  if (!ash_model_sizes(f, p, &sizes, &c->cut))
    return ash_nomem(t->ctx);
  out->space = space;
  out->level_count = p->level_count;
  out->buffers = buffers;
  for (uint32_t k = 0; k < p->level_count; k++) {
    ash_tile_level *level = &out->levels[k];
    level->memory = p->hops[k].memory;
    for (uint32_t a = 0; a < space->axis_count; a++) {
      level->tile[a] = c->cut.at[k][a];
      level->order[a] = c->order[k][a];
    }
    for (uint32_t o = 0; o < space->operand_count; o++)
      buffers[k * space->operand_count + o] = (ash_tile_buffer){
          c->copies[k][o], c->copies[k][o] ? sizes.box[k][o] : 0, ASH_NO_ID};
  }
  out->accumulator =
      (ash_tile_buffer){sizes.accumulator > 0, sizes.accumulator, ASH_NO_ID};
  out->work = (ash_tile_buffer){sizes.work > 0, sizes.work, ASH_NO_ID};
  if (!ash_model_given(f, p, &sizes, c, &value, &out->cost))
    return ash_fail(t->ctx, ASH_INTERNAL, ASH_D_internal, ASH_NOWHERE,
                    "a tiling of %s does not fit after all",
                    t->g->ops.items[space->op].id);
  out->cost.lower_bound = ash_ceil_div(found->lower_bound, 1000);
  out->cost.verdict = found->verdict;
  return ASH_OK;
}

/* ---- does not fit ------------------------------------------------------- */

/* The smallest tiles there are, with sums whole or cut. */
static void smallest_cut(const ash_tile_problem *p, ash_tile_cut *cut,
                         bool cut_sums) {
  for (uint32_t a = 0; a < p->space->axis_count; a++) {
    const ash_tile_axis *axis = &p->space->axes[a];
    const int64_t granule = axis->granule > 1 ? axis->granule : 1;
    const bool whole = axis->kind == ASH_AXIS_SUM && !cut_sums;
    ASH_ASSERT(axis->extent > 0);
    for (uint32_t k = 0; k < p->level_count; k++)
      cut->at[k][a] = whole || granule > axis->extent ? axis->extent : granule;
  }
}

/* The level that is too small for them, and by how much. */
static uint64_t shortage(const ash_tile_problem *p, const ash_tile_sizes *sizes,
                         uint32_t *level) {
  ASH_ASSERT(p->level_count > 0 && p->level_count <= ASH_TILE_LEVELS);
  uint64_t most = 0;
  *level = p->level_count - 1;
  for (uint32_t k = 0; k < p->level_count; k++) {
    const uint64_t need = ash_model_asked(p, sizes, k);
    if (need > p->hops[k].room && need - p->hops[k].room > most) {
      most = need - p->hops[k].room;
      *level = k;
    }
  }
  return most;
}

static ash_status say_nofit(tiler *t, const ash_tile_problem *p,
                            const ash_tile_sizes *sizes) {
  uint32_t k;
  const ash_tile_space *space = p->space;
  const uint64_t missing = shortage(p, sizes, &k);
  const ash_memory *m = &t->device->memories[p->hops[k].memory];
  ASH_ASSERT(p->hops[k].memory < t->device->memory_count);
  (void)ash_fail(t->ctx, ASH_NOFIT, ASH_D_tile_nofit,
                 ash_graph_loc(t->g, space->op, ASH_NO_ID),
                 "the smallest tiles of %s need %" PRIu64 " bytes of %s, which "
                 "has room for %" PRIu64 ": %" PRIu64 " bytes short",
                 t->g->ops.items[space->op].id, p->hops[k].room + missing,
                 m->name, p->hops[k].room, missing);
  ash_hint(t->ctx, "what if it were larger: --set %s=%" PRIu64, m->name,
           m->bytes + missing);
  for (uint32_t o = 0; o < space->operand_count; o++)
    if (p->hops[k].staged >> o & 1)
      ash_note(t->ctx, ASH_D_tile_nofit, ASH_NOWHERE,
               "smallest tile of '%s': %" PRIu64 " bytes",
               t->g->tensors.items[space->operands[o].tensor].name,
               sizes->box[k][o]);
  return ASH_NOFIT;
}

/* Sizes of the smallest legal tiles: sums cut or not, and if residents forbid
 * both, nothing cut. */
static bool size_smallest(const ash_tile_problem *p, ash_facts *f, bool sums,
                          ash_tile_sizes *out) {
  ash_tile_cut cut = {0};
  smallest_cut(p, &cut, sums);
  if (!ash_search_legal(p, &cut))
    for (uint32_t k = 0; k < p->level_count; k++)
      for (uint32_t a = 0; a < p->space->axis_count; a++)
        cut.at[k][a] = p->space->axes[a].extent;
  return ash_model_sizes(f, p, out, &cut);
}

static ash_status nofit(tiler *t, const ash_tile_problem *p) {
  ash_tile_sizes whole, pieces;
  ash_facts *f;
  uint32_t level;
  ASH_TRY(ash_facts_new(&f, p));
  if (!size_smallest(p, f, false, &whole) ||
      !size_smallest(p, f, p->space->accumulator_bytes != 0, &pieces))
    return ash_nomem(t->ctx);
  return say_nofit(t, p,
                   shortage(p, &pieces, &level) < shortage(p, &whole, &level)
                       ? &pieces
                       : &whole);
}

/* ---- one operator ------------------------------------------------------- */

static known **bucket_of(tiler *t, const ash_tile_problem *p) {
  uint64_t h = (uint64_t)t->g->ops.items[p->space->op].kind * 31u +
               p->space->work * 7u + p->level_count;
  for (uint32_t k = 0; k < p->level_count; k++)
    h = (h ^ p->hops[k].room ^ ((uint64_t)p->hops[k].staged << 32)) *
        0x9e3779b97f4a7c15u;
  return &t->known[(h >> 40) % BUCKETS];
}

/* What the search finds, from memory if it was asked before. */
static ash_status find(tiler *t, const ash_tile_problem *p, ash_facts *f,
                       const ash_tile_found **out) {
  known **bucket = bucket_of(t, p);
  for (const known *k = *bucket; k; k = k->next)
    if (ash_problem_same(&k->p, p)) {
      *out = &k->found;
      return ASH_OK;
    }
  known *mine = ASH_NEW(&t->zone, known);
  ASH_TRY(ash_zone_check(t->ctx, &t->zone));
  mine->p = *p;
  ASH_TRY(t->search(p, f, &mine->found));
  mine->next = *bucket;
  *bucket = mine;
  *out = &mine->found;
  return ASH_OK;
}

/* Nothing fits: `out` stays as it was, and `*fits` says so. */
static ash_status search_op(tiler *t, ash_tiling *out,
                            const ash_tile_problem *p, bool *fits) {
  const ash_tile_found *found;
  ash_facts *f;
  ASH_TRY(ash_facts_new(&f, p));
  ASH_TRY(find(t, p, f, &found));
  *fits = found->found;
  return *fits ? keep(t, out, p, f, found) : ASH_OK;
}

/* Everything the op touches is where the processor reaches it: it runs
 * there. */
static ash_status run_in_place(tiler *t, ash_tiling *out, uint32_t op,
                               const char *why) {
  ASH_ASSERT(op < t->g->op_count);
  out->reason = why;
  out->work.bytes = t->h.ask->choices[op].scratch;
  out->cost.tiles = 1;
  out->cost.verdict = ASH_OPTIMAL;
  return ASH_OK;
}

static bool is_view(const tiler *t, uint32_t op) {
  ASH_ASSERT(op < t->g->op_count);
  const ash_op *o = &t->g->ops.items[op];
  for (uint32_t k = 0; k < o->output_count; k++) {
    uint32_t input;
    uint64_t offset;
    if (!ash_op_is_view(t->g, op, k, &input, &offset) ||
        t->h.home[o->outputs[k]] != t->h.home[o->inputs[input]])
      return false;
  }
  return o->output_count > 0;
}

/* What a rule of the caller says about copies. */
static ash_status ask_copies(tiler *t, ash_tile_problem *p, uint32_t target) {
  if (!t->options.copies)
    return ASH_OK;
  for (uint32_t o = 0; o < p->space->operand_count; o++) {
    const ash_tile_operand *operand = &p->space->operands[o];
    uint32_t path[ASH_MEMORY_MAX];
    const uint32_t count =
        ash_device_path(t->device, t->h.home[operand->tensor], target, path);
    for (uint32_t hop = 1; hop < count; hop++) {
      const uint32_t copies =
          t->options.copies(t->options.copies_user, t->g, p->space->op, operand,
                            path, count, hop);
      if (copies > ASH_TILE_COPIES)
        return ash_fail(t->ctx, ASH_MISUSE, ASH_D_tile_option, ASH_NOWHERE,
                        "a rule asks for %u copies of a tile of %s",
                        (unsigned)copies, t->g->ops.items[p->space->op].id);
      ASH_ASSERT(count - hop <= p->level_count);
      p->wanted[p->level_count - count + hop][o] = (uint8_t)copies;
    }
  }
  return ASH_OK;
}

/* What the search is asked about an op whose kernel reads `target`. */
static ash_status set_problem(tiler *t, ash_tile_problem *p, uint32_t target) {
  ASH_ASSERT(target < t->device->memory_count);
  const uint32_t op = p->space->op;
  set_speed(t, p);
  if (p->space->operand_count > ASH_OPERANDS_MAX ||
      !ash_hierarchy_levels(&t->h, p, op, target))
    return ash_fail(t->ctx, ASH_UNSUPPORTED, ASH_D_tile_path,
                    ash_graph_loc(t->g, op, ASH_NO_ID),
                    "no way leads from the operands of %s to %s",
                    t->g->ops.items[op].id, t->device->memories[target].name);
  return ask_copies(t, p, target);
}

/* Cuts the op, or refuses with the sizes of its smallest pieces. */
static ash_status search_from(tiler *t, ash_tile_problem *p, uint32_t target,
                              bool *fits) {
  ASH_TRY(set_problem(t, p, target));
  return search_op(t, &t->tilings[p->space->op], p, fits);
}

static ash_tile_problem problem_of(const tiler *t) {
  return (ash_tile_problem){.ctx = t->ctx,
                            .g = t->g,
                            .buffering = t->options.buffering,
                            .ticks = t->options.ticks,
                            .seed = t->options.seed};
}

/* The space with the caller's constraint: cuts at fewer places. */
static ash_status constrain(tiler *t, const ash_tile_space **space) {
  if (!t->options.constrain)
    return ASH_OK;
  int64_t granule[ASH_TILE_AXES];
  ash_tile_space *own = ash_zone_copy(&t->ctx->keep, *space, sizeof **space);
  ASH_TRY(ash_zone_check(t->ctx, &t->ctx->keep)); /* equal ops look at it */
  ASH_ASSERT(own->axis_count <= ASH_TILE_AXES);
  for (uint32_t a = 0; a < ASH_TILE_AXES; a++)
    granule[a] = a < own->axis_count && own->axes[a].granule > 1
                     ? own->axes[a].granule
                     : 1;
  t->options.constrain(t->options.constrain_user, t->g, *space, granule);
  for (uint32_t a = 0; a < own->axis_count; a++) {
    ash_tile_axis *axis = &own->axes[a];
    const int64_t least = axis->granule > 1 ? axis->granule : 1;
    const int64_t given = granule[a] > axis->extent ? axis->extent : granule[a];
    if (given < least || (given < axis->extent && given % least != 0))
      return ash_fail(t->ctx, ASH_MISUSE, ASH_D_tile_option,
                      ash_graph_loc(t->g, own->op, ASH_NO_ID),
                      "a constraint cuts %s of %s at multiples of %" PRId64
                      ", the operator at multiples of %" PRId64,
                      axis->name, t->g->ops.items[own->op].id, granule[a],
                      least);
    axis->granule = given;
  }
  *space = own;
  return ASH_OK;
}

/* In one piece, where the processor reaches its tensors: at home, or in the
 * nearest such memory. */
static ash_status run_whole(tiler *t, uint32_t op, const char *why) {
  ASH_ASSERT(op < t->g->op_count && why != NULL);
  ash_tile_problem p = problem_of(t);
  uint32_t target = t->device->compute_memory;
  bool fits;
  if (ash_hierarchy_reaches(&t->h, op))
    return run_in_place(t, &t->tilings[op], op, why);
  ASH_TRY(whole_space(t, &p.space, op));
  t->tilings[op].reason = why;
  for (uint32_t o = 0; o < p.space->operand_count; o++)
    target = ash_hierarchy_near(&t->h, t->h.home[p.space->operands[o].tensor]);
  ASH_TRY(search_from(t, &p, target, &fits));
  return fits ? ASH_OK : nofit(t, &p);
}

/* The rule of an op, with the caller's constraint. */
static ash_status rule_of(tiler *t, uint32_t op, const rule **out) {
  ASH_ASSERT(op < t->g->op_count);
  rule *r = &t->rules[op];
  *out = r;
  if (r->asked)
    return ASH_OK;
  r->asked = true;
  ASH_TRY(ash_tile_space_of(t->ctx, &r->space, &r->why, t->g, op));
  if (r->space && r->space->operand_count > ASH_OPERANDS_MAX) {
    r->space = NULL;
    r->why = "it has too many operands";
  }
  r->own = r->space;
  return r->space ? constrain(t, &r->own) : ASH_OK;
}

static ash_status tile_op(tiler *t, uint32_t op) {
  ash_tile_problem p = problem_of(t);
  const ash_op *o = &t->g->ops.items[op];
  const rule *r;
  bool fits;
  t->tilings[op].op = op;
  if (is_view(t, op))
    return run_in_place(t, &t->tilings[op], op, "a view: nothing is computed");
  ASH_TRY(rule_of(t, op, &r));
  if (!r->space)
    return run_whole(t, op, r->why);
  ASH_ASSERT(r->space->op == op);
  p.space = r->own;
  ASH_TRY(search_from(t, &p, t->device->compute_memory, &fits));
  if (fits) {
    t->tilings[op].space = r->space;
    return ASH_OK;
  }
  if (!ash_op_keeps_lines(o))
    return nofit(t, &p);
  ash_note(t->ctx, ASH_D_tile_untiled, ash_graph_loc(t->g, op, ASH_NO_ID),
           "the smallest piece of %s does not fit %s: it runs outside", o->id,
           t->device->memories[t->device->compute_memory].name);
  return run_whole(t, op, "its smallest piece does not fit");
}

/* What an op costs with homes and room as they are (residents.h). */
static ash_status price_op(void *user, uint32_t op, ash_op_price *out) {
  tiler *t = user;
  ash_tile_problem p = problem_of(t);
  const ash_tile_found *found;
  const rule *r;
  ash_facts *f;
  *out = (ash_op_price){.fits = true};
  if (is_view(t, op))
    return ASH_OK;
  ASH_TRY(rule_of(t, op, &r));
  out->fits = false;
  if (!r->space)
    return ASH_OK;
  const ash_mark mark = ash_zone_mark(&t->ctx->scratch);
  p.space = r->own;
  ash_status status = set_problem(t, &p, t->device->compute_memory);
  if (status == ASH_OK)
    status = ash_facts_new(&f, &p);
  if (status == ASH_OK)
    status = find(t, &p, f, &found);
  if (status == ASH_OK)
    *out = (ash_op_price){found->found, found->value};
  ash_zone_rewind(&t->ctx->scratch, mark);
  return status;
}

/* Other searches than ours keep every tensor at home. */
static bool has_residents(const tiler *t) {
  return !t->options.no_residents && t->search == ash_search_cost;
}

static ash_status run(tiler *t, const ash_ask *ask, const ash_tilings **out) {
  ash_tilings *made = ASH_NEW(&t->ctx->keep, ash_tilings);
  t->tilings = ASH_NEW_ARRAY(&t->ctx->keep, ash_tiling, t->g->op_count + 1);
  ASH_TRY(ash_zone_check(t->ctx, &t->ctx->keep));
  t->h = (ash_hierarchy){.ctx = t->ctx,
                         .ask = ask,
                         .g = t->g,
                         .device = t->device,
                         .options = &t->options};
  ASH_TRY(ash_hierarchy_make(&t->h));
  t->rules = ASH_NEW_ARRAY(&t->ctx->scratch, rule, t->g->op_count + 1);
  ASH_TRY(ash_zone_check(t->ctx, &t->ctx->scratch));
  if (has_residents(t))
    ASH_TRY(ash_residents_choose(&t->h, price_op, t));
  for (uint32_t op = 0; op < t->g->op_count; op++) {
    const ash_mark mark = ash_zone_mark(&t->ctx->scratch);
    const ash_status status = tile_op(t, op);
    ash_zone_rewind(&t->ctx->scratch, mark);
    ASH_TRY(status);
  }
  *made = (ash_tilings){t->tilings, (uint32_t)t->g->op_count, t->h.home,
                        t->device, t->h.stays};
  *out = made;
  return ASH_OK;
}

ash_status ash_tile_ops(ash_ctx *ctx, const ash_tilings **out,
                        const ash_ask *ask, const ash_tile_options *options) {
  const ash_device *device = ask->device;
  tiler t = {.ctx = ctx, .g = ask->graph, .device = device};
  *out = NULL;
  ash_take_options(&t.options, sizeof t.options, options);
  if (device->compute_memory == ASH_NO_MEMORY)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_tile_device, ASH_NOWHERE,
                    "%s has no compute memory: there is nothing to tile for",
                    device->name);
  if (t.options.buffering > ASH_TILE_COPIES)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_tile_option, ASH_NOWHERE,
                    "%u copies of a buffer; there are 1 to %d, or 0 for the "
                    "search's choice",
                    (unsigned)t.options.buffering, ASH_TILE_COPIES);
  t.search = ash_tile_searcher_named(t.options.search);
  if (!t.search)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_tile_option, ASH_NOWHERE,
                    "there is no tile search '%s': cost, min, max, random-max",
                    t.options.search);
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_zone_init(&t.zone, &ctx->mem);
  const ash_status status = run(&t, ask, out);
  ash_zone_drop(&t.zone);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
