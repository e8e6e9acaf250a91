/* search_deeploy.c - the searches of Deeploy's tiler, for comparison.
 *
 * Sizes are variables in the order in which operands and their dimensions
 * mention the axes; each takes the largest ("max") or smallest ("min") value
 * with which the others can still be chosen. Sums are never cut, the tile of
 * every level is that of the last, all buffers have the same number of copies,
 * less than all of a memory is used, and tiles run along the first axis first.
 * Only the first operator has an objective: to fill the memory. "random-max"
 * takes the axes in a random order, that of the seed. */
#include "tile/search/search.h"

#include "base/checked.h"
#include "base/rng.h"

typedef struct deeploy {
  const ash_tile_problem *p;
  ash_facts *f;
  ash_tile_found *out;
  ash_tile_cut cut;
  uint32_t order[ASH_TILE_AXES]; /* of variables */
  uint32_t count;
  uint8_t copies;
  bool no_memory;
} deeploy;

static void add_axis(deeploy *d, uint32_t axis) {
  ASH_ASSERT(axis < d->p->space->axis_count);
  for (uint32_t i = 0; i < d->count; i++)
    if (d->order[i] == axis)
      return;
  d->order[d->count++] = axis;
}

static void list_axes(deeploy *d) {
  const ash_tile_space *s = d->p->space;
  for (uint32_t o = 0; o < s->operand_count; o++)
    for (uint32_t k = 0; k < s->operands[o].rank; k++)
      if (s->operands[o].dim[k].axis != ASH_NO_AXIS)
        add_axis(d, s->operands[o].dim[k].axis);
  for (uint32_t a = 0; a < s->axis_count; a++)
    add_axis(d, a);
  ASH_ASSERT(d->count == s->axis_count);
}

/* Every operator has an order of its own. */
static void shuffle_axes(deeploy *d) {
  ash_rng rng = {d->p->seed};
  rng.state = ash_rng_next(&rng) + d->p->space->op;
  for (uint32_t i = d->count; i > 1; i--) {
    const uint32_t k = (uint32_t)ash_rng_below(&rng, i);
    const uint32_t was = d->order[i - 1];
    ASH_ASSERT(k < d->count);
    d->order[i - 1] = d->order[k];
    d->order[k] = was;
  }
}

static void set(deeploy *d, uint32_t axis, int64_t size) {
  ASH_ASSERT(size > 0 && size <= d->p->space->axes[axis].extent);
  for (uint32_t k = 0; k < d->p->level_count; k++)
    d->cut.at[k][axis] = size;
}

static int64_t least_of(const deeploy *d, uint32_t axis) {
  ASH_ASSERT(axis < d->p->space->axis_count);
  const ash_tile_axis *a = &d->p->space->axes[axis];
  const int64_t granule = a->granule > 1 ? a->granule : 1;
  return a->kind == ASH_AXIS_SUM || granule > a->extent ? a->extent : granule;
}

static bool fits(deeploy *d) {
  ASH_ASSERT(d->copies > 0);
  ash_tile_sizes s;
  if (!ash_model_sizes(d->f, d->p, &s, &d->cut)) {
    d->no_memory = true;
    return false;
  }
  d->out->ticks++;
  for (uint32_t k = 0; k < d->p->level_count; k++) {
    uint64_t room = ash_model_least(d->p, &s, k);
    for (uint32_t o = 0; o < d->p->space->operand_count; o++)
      if (d->p->hops[k].staged >> o & 1)
        room += ash_align_up(s.box[k][o], d->p->hops[k].alignment) *
                ((d->p->wanted[k][o] ? d->p->wanted[k][o] : d->copies) - 1u);
    if (room >= d->p->hops[k].room)
      return false;
  }
  return true;
}

/* The largest size of an axis that fits: what fits is smaller than what does
 * not, so halving finds it; then down to what the kernel likes. */
static void maximise(deeploy *d, uint32_t axis) {
  const ash_tile_axis *a = &d->p->space->axes[axis];
  const int64_t granule = a->granule > 1 ? a->granule : 1;
  set(d, axis, a->extent);
  if (a->kind == ASH_AXIS_SUM || fits(d))
    return;
  int64_t lo = 1, hi = (a->extent + granule - 1) / granule;
  while (lo + 1 < hi) {
    const int64_t middle = lo + (hi - lo) / 2;
    ASH_ASSERT(lo < middle && middle < hi);
    set(d, axis, middle * granule);
    if (fits(d))
      lo = middle;
    else
      hi = middle;
  }
  int64_t size = lo * granule;
  if (a->multiple > 1 && size > a->multiple && a->multiple % granule == 0)
    size -= size % a->multiple;
  set(d, axis, size < a->extent ? size : a->extent);
}

static ash_status finish(deeploy *d) {
  const ash_tile_space *s = d->p->space;
  ash_tile_found *out = d->out;
  ash_tile_sizes sizes;
  if (d->no_memory || !ash_model_sizes(d->f, d->p, &sizes, &d->cut))
    return ash_nomem(d->p->ctx);
  out->choice = (ash_tile_choice){.cut = d->cut};
  for (uint32_t k = 0; k < d->p->level_count; k++) {
    uint32_t n = 0;
    for (uint32_t a = s->axis_count; a-- > 0;)
      if (s->axes[a].kind == ASH_AXIS_FREE)
        out->choice.order[k][n++] = (uint8_t)a;
    for (uint32_t a = 0; a < s->axis_count; a++)
      if (s->axes[a].kind == ASH_AXIS_SUM)
        out->choice.order[k][n++] = (uint8_t)a;
    ASH_ASSERT(n == s->axis_count);
    for (uint32_t o = 0; o < s->operand_count; o++)
      out->choice.copies[k][o] = !(d->p->hops[k].staged >> o & 1) ? 0
                                 : d->p->wanted[k][o] ? d->p->wanted[k][o]
                                                      : d->copies;
  }
  if (!ash_search_legal(d->p, &d->cut))
    return ASH_OK;
  out->found =
      ash_model_given(d->f, d->p, &sizes, &out->choice, &out->value, NULL);
  out->verdict = out->found ? ASH_FEASIBLE : ASH_UNKNOWN;
  return ASH_OK;
}

/* ---- the first operator ------------------------------------------------- */

static uint64_t filled(deeploy *d) {
  ash_tile_sizes s;
  uint64_t sum = 0;
  if (!ash_model_sizes(d->f, d->p, &s, &d->cut))
    return 0;
  for (uint32_t o = 0; o < d->p->space->operand_count; o++)
    sum += s.box[d->p->level_count - 1][o];
  return sum;
}

/* As much of the memory as one axis after the other can fill, whichever comes
 * first. */
static void fill_memory(deeploy *d) {
  ash_tile_cut best = d->cut;
  uint64_t most = filled(d);
  for (uint32_t first = 1; first < d->count; first++) {
    for (uint32_t i = 0; i < d->count; i++)
      set(d, d->order[i], least_of(d, d->order[i]));
    for (uint32_t i = 0; i < d->count; i++)
      maximise(d, d->order[(first + i) % d->count]);
    const uint64_t now = filled(d);
    if (now <= most)
      continue;
    most = now;
    best = d->cut;
  }
  d->cut = best;
}

typedef enum values { SMALL, LARGE, LARGE_AT_RANDOM } values;

static ash_status run(const ash_tile_problem *p, ash_facts *f,
                      ash_tile_found *out, values first) {
  const bool large = first != SMALL;
  deeploy d = {.p = p,
               .f = f,
               .out = out,
               .copies = (uint8_t)(p->buffering ? p->buffering : 1)};
  list_axes(&d);
  if (first == LARGE_AT_RANDOM)
    shuffle_axes(&d);
  for (uint32_t i = 0; i < d.count; i++)
    set(&d, d.order[i], least_of(&d, d.order[i]));
  if (!fits(&d))
    return d.no_memory ? ash_nomem(p->ctx) : ASH_OK;
  for (uint32_t i = 0; large && i < d.count; i++)
    maximise(&d, d.order[i]);
  if (large && p->space->op == 0)
    fill_memory(&d);
  return finish(&d);
}

ash_status ash_search_max(const ash_tile_problem *p, ash_facts *f,
                          ash_tile_found *out) {
  return run(p, f, out, LARGE);
}

ash_status ash_search_min(const ash_tile_problem *p, ash_facts *f,
                          ash_tile_found *out) {
  return run(p, f, out, SMALL);
}

ash_status ash_search_random_max(const ash_tile_problem *p, ash_facts *f,
                                 ash_tile_found *out) {
  return run(p, f, out, LARGE_AT_RANDOM);
}
