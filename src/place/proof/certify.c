/* certify.c - a certificate for an answer of ash_place: why nothing is lower
 * than the bound. The load of a moment where that is enough; otherwise one
 * component that does not fit below it, refuted again with a log. The search
 * that found the answer writes nothing: a second one, at one height only, is
 * shorter than the first and simpler to check. */
#include "place/proof/proof.h"

#include <string.h>

static const uint64_t PROOF_TICKS = 200000000;

/* ---- without search ------------------------------------------------------ */

static bool show_load(ash_place_proof *p) {
  const ash_place_bound *bound = &p->solve.bound;
  if (bound->height < p->bound || bound->moment == UINT32_MAX)
    return p->bound == 0;
  ash_stream_put(&p->out, "%s %lld\n", bound->stacked ? "stack" : "load",
                 (long long)p->solve.reduced.moment_time[bound->moment]);
  return true;
}

static bool collide(const ash_place_reduced *in, const ash_place_item *x,
                    const ash_place_item *y) {
  for (uint32_t a = x->rect; a < x->rect + x->rect_count; a++)
    for (uint32_t b = y->rect; b < y->rect + y->rect_count; b++) {
      const ash_place_rect *p = &in->rects[a], *q = &in->rects[b];
      if (p->first < q->last && q->first < p->last &&
          x->fixed + p->lo < y->fixed + q->hi &&
          y->fixed + q->lo < x->fixed + p->hi)
        return true;
    }
  return false;
}

/* Two buffers with fixed offsets that are in each other's way, or one that ends
 * too high: there is nothing to branch on. */
static ash_status show_fixed(ash_place_proof *p, bool *shown) {
  const ash_place_reduced *in = &p->solve.reduced;
  for (uint32_t i = 0; i < in->item_count && !*shown; i++) {
    const ash_place_item *x = &in->items[i];
    const int64_t base = x->fixed == ASH_FREE_OFFSET ? 0 : x->fixed;
    if (x->rect_count && (uint64_t)(base + x->reach) >= p->bound)
      ASH_TRY(ash_place_refute_clauses(p, &i, 1, shown));
    for (uint32_t j = 0; x->fixed != ASH_FREE_OFFSET && j < i && !*shown; j++)
      if (in->items[j].fixed != ASH_FREE_OFFSET &&
          collide(in, x, &in->items[j])) {
        const uint32_t pair[2] = {j, i};
        ASH_TRY(ash_place_refute_clauses(p, pair, 2, shown));
      }
  }
  return ASH_OK;
}

/* ---- by search ----------------------------------------------------------- */

/* Does the answer place these items below the bound? Then they are not why
 * nothing else is. */
static bool are_below(const ash_place_proof *p, const ash_place_result *result,
                      const uint32_t *items, uint32_t count) {
  const ash_place_reduced *in = &p->solve.reduced;
  if (!result->offsets)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    const ash_place_item *item = &in->items[items[i]];
    const uint32_t buffer = in->rects[item->rect].buffer;
    if ((uint64_t)(result->offsets[buffer] + item->reach) >= p->bound)
      return false;
  }
  return true;
}

static ash_status show_component(ash_place_proof *p,
                                 const ash_place_result *result, bool *shown) {
  ash_place_components all;
  ASH_TRY(ash_place_components_build(p->solve.ctx, &all, &p->solve.reduced));
  for (uint32_t i = 0; i < all.count && !*shown; i++) {
    const ash_place_component *c = &all.list[i];
    const uint32_t *items = all.items + c->first;
    if (are_below(p, result, items, c->count))
      continue;
    ASH_TRY(ash_place_refute_clauses(p, items, c->count, shown));
  }
  return ASH_OK;
}

/* ---- the whole ----------------------------------------------------------- */

static const uint64_t ANY = (uint64_t)1 << 60; /* a height for everything */

static void put_claim(ash_place_proof *p, const ash_place_result *result) {
  const bool infeasible = result->verdict == ASH_INFEASIBLE;
  const uint64_t capacity = p->solve.problem->capacity;
  p->bound = result->lower_bound;
  if (infeasible) /* fixed offsets collide whatever the capacity */
    p->bound = capacity && p->bound > capacity ? capacity + 1 : ANY;
  ash_stream_put(&p->out, "ashlar-certificate 2 packing\nclaim %s %llu\n",
                 infeasible                       ? "infeasible"
                 : result->verdict == ASH_OPTIMAL ? "optimal"
                                                  : "bound",
                 (unsigned long long)(p->bound - infeasible));
}

static ash_status certify(ash_place_proof *p, const ash_place_result *result,
                          bool *certified) {
  ash_place_solve *s = &p->solve;
  ASH_TRY(ash_place_validate(s->ctx, s->problem));
  ASH_TRY(ash_place_reduce(s->ctx, &s->reduced, s->problem));
  ASH_TRY(ash_place_bound_build(s->ctx, &s->bound, &s->reduced));
  put_claim(p, result);
  *certified = show_load(p);
  if (!*certified)
    ASH_TRY(show_fixed(p, certified));
  if (!*certified)
    ASH_TRY(show_component(p, result, certified));
  ash_stream_flush(&p->out);
  *certified = *certified && !p->out.failed;
  return ASH_OK;
}

ash_status ash_place_certify(ash_ctx *ctx, bool *certified,
                             const ash_place_problem *problem,
                             const ash_place_result *result,
                             const ash_place_options *options,
                             ash_place_write *write, void *user) {
  ASH_NEED(ctx, ctx && certified && problem && result && write);
  *certified = false;
  if (problem->relation_count)
    return ASH_OK; /* the format knows no relations */
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_place_proof *p = ASH_NEW(&ctx->scratch, ash_place_proof);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  p->solve = (ash_place_solve){.ctx = ctx, .problem = problem};
  if (options) {
    const size_t bytes = options->struct_bytes;
    memcpy(&p->solve.options, options,
           bytes && bytes < sizeof *options ? bytes : sizeof *options);
  }
  p->solve.height = UINT64_MAX;
  p->solve.tick_limit =
      p->solve.options.ticks ? p->solve.options.ticks : PROOF_TICKS;
  ash_stream_init(&p->out, write, user);
  const ash_status status = certify(p, result, certified);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
