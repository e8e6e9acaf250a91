/* tile_class.c - which pieces of a tiled operator run the same C.
 *
 * Pieces differ at edges: the last along an axis is smaller, the first has
 * padding. A piece's class is made of one class an axis, each a function of
 * where the piece begins along it, so the program computes it from the piece
 * with a few comparisons. */
#include "emit/tile/tile.h"

#include "base/checked.h"

#include <inttypes.h>
#include <string.h>

/* ---- runs along an axis -------------------------------------------------- */

/* Cuts every run of `from` in pieces of `tile`. */
static ash_status cut_runs(ash_ctx *ctx, ash_axis_runs *out,
                           const ash_axis_runs *from, int64_t tile) {
  ASH_ASSERT(tile > 0);
  uint64_t count = 0;
  for (uint32_t i = 0; i < from->count; i++)
    count += (uint64_t)((from->items[i].n + tile - 1) / tile);
  ASH_INVARIANT(ctx, count < UINT32_MAX);
  *out = (ash_axis_runs){
      .items = ASH_NEW_ARRAY(&ctx->scratch, ash_tile_run, (size_t)count + 1)};
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < from->count; i++)
    for (int64_t at = 0; at < from->items[i].n; at += tile) {
      const int64_t rest = from->items[i].n - at;
      out->items[out->count++] = (ash_tile_run){.at = from->items[i].at + at,
                                                .n = rest < tile ? rest : tile};
    }
  return ASH_OK;
}

static ash_status runs_of(ash_ctx *ctx, ash_axis_runs *out, const ash_tiling *t,
                          uint32_t axis) {
  ASH_ASSERT(axis < t->space->axis_count);
  ash_axis_runs from = {.count = 1};
  from.items = ASH_NEW(&ctx->scratch, ash_tile_run);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  from.items->n = t->space->axes[axis].extent;
  for (uint32_t k = 0; k < t->level_count; k++) {
    ASH_TRY(cut_runs(ctx, out, &from, t->levels[k].tile[axis]));
    from = *out;
  }
  *out = from;
  return ASH_OK;
}

/* ---- classes along an axis ----------------------------------------------- */

typedef struct sorter {
  ash_ctx *ctx;
  const ash_graph *g;
  const ash_tiling *t;
  ash_tile_classes *out;
} sorter;

/* What a run does to the class while the other axes stay at their first, or
 * last, runs. */
static uint64_t effect_of(const sorter *s, uint32_t axis, uint32_t run,
                          bool last) {
  ASH_ASSERT(axis < s->t->space->axis_count && run < s->out->axes[axis].count);
  int64_t at[ASH_TILE_AXES] = {0}, n[ASH_TILE_AXES] = {0};
  for (uint32_t a = 0; a < s->t->space->axis_count; a++) {
    const ash_axis_runs *r = &s->out->axes[a];
    const uint32_t k = a == axis ? run : last ? r->count - 1 : 0;
    at[a] = r->items[k].at;
    n[a] = r->items[k].n;
  }
  return ash_domain_class(s->g, s->t->space, at, n, ASH_PART_WHOLE);
}

/* Equal for runs of one class. */
typedef struct effect {
  uint64_t first, last;
  uint32_t part; /* of a sum: is it its start, its end? */
} effect;

static effect effects_of(const sorter *s, uint32_t axis, uint32_t run) {
  const ash_tile_axis *a = &s->t->space->axes[axis];
  const ash_tile_run *r = &s->out->axes[axis].items[run];
  effect e = {effect_of(s, axis, run, false), effect_of(s, axis, run, true), 0};
  if (a->kind == ASH_AXIS_SUM)
    e.part = (r->at == 0) + 2u * (r->at + r->n == a->extent);
  return e;
}

static bool same(const effect *a, const effect *b) {
  return a->first == b->first && a->last == b->last && a->part == b->part;
}

static ash_status classify_axis(sorter *s, uint32_t axis) {
  ASH_ASSERT(axis < s->t->space->axis_count && s->out->axes[axis].count > 0);
  ash_axis_runs *r = &s->out->axes[axis];
  ash_zone *z = &s->ctx->scratch;
  effect *known = ASH_NEW_ARRAY(z, effect, r->count + 1u);
  r->first = ASH_NEW_ARRAY(z, uint32_t, r->count + 1u);
  ASH_TRY(ash_zone_check(s->ctx, z));
  for (uint32_t i = 0; i < r->count; i++) {
    const effect e = effects_of(s, axis, i);
    uint32_t c = i ? r->items[i - 1].class : 0; /* most are like the last */
    if (i == 0 || !same(&known[c], &e))
      for (c = 0; c < r->class_count && !same(&known[c], &e); c++)
        ;
    if (c == r->class_count) {
      known[c] = e;
      r->first[r->class_count++] = i;
    }
    r->items[i].class = c;
  }
  return ASH_OK;
}

/* ---- combinations -------------------------------------------------------- */

static uint32_t function_for(sorter *s, uint64_t class, ash_tile_part part,
                             const int64_t *at, const int64_t *n) {
  ash_tile_classes *o = s->out;
  for (uint32_t i = 0; i < o->function_count; i++)
    if (o->functions[i].class == class && o->functions[i].part == part)
      return i;
  ash_tile_function *f = &o->functions[o->function_count];
  f->class = class;
  f->part = part;
  memcpy(f->at, at, sizeof f->at);
  memcpy(f->n, n, sizeof f->n);
  return o->function_count++;
}

static ash_status combine(sorter *s) {
  ash_tile_classes *o = s->out;
  const ash_tile_space *space = s->t->space;
  uint64_t count = 1;
  for (uint32_t a = 0; a < space->axis_count; a++)
    count *= o->axes[a].class_count;
  ASH_INVARIANT(s->ctx, count < 1u << 20);
  ash_zone *z = &s->ctx->scratch;
  o->cases = ASH_NEW_ARRAY(z, ash_tile_case, (size_t)count);
  o->functions = ASH_NEW_ARRAY(z, ash_tile_function, (size_t)count);
  ASH_TRY(ash_zone_check(s->ctx, z));
  for (uint32_t i = 0; i < count; i++) {
    int64_t at[ASH_TILE_AXES] = {0}, n[ASH_TILE_AXES] = {0};
    uint32_t rest = i;
    for (uint32_t a = space->axis_count; a-- > 0;) {
      const ash_axis_runs *r = &o->axes[a];
      const ash_tile_run *run = &r->items[r->first[rest % r->class_count]];
      rest /= r->class_count;
      at[a] = run->at;
      n[a] = run->n;
    }
    const ash_tile_part part = ash_domain_part_of(space, at, n);
    const uint64_t class = ash_domain_class(s->g, space, at, n, part);
    o->cases[o->case_count++] =
        (ash_tile_case){i, function_for(s, class, part, at, n)};
  }
  return ASH_OK;
}

/* The classes of axes must say all about a piece: looked at along the diagonals
 * of the space. */
static ash_status check_diagonals(sorter *s) {
  const ash_tile_space *space = s->t->space;
  enum { STEPS = 64 };
  for (uint32_t step = 0; step < STEPS; step++) {
    int64_t at[ASH_TILE_AXES] = {0}, n[ASH_TILE_AXES] = {0};
    uint32_t number = 0;
    for (uint32_t a = 0; a < space->axis_count; a++) {
      const ash_axis_runs *r = &s->out->axes[a];
      const ash_tile_run *run = &r->items[(step * (a + 1)) % r->count];
      at[a] = run->at;
      n[a] = run->n;
      number = number * r->class_count + run->class;
    }
    const ash_tile_part part = ash_domain_part_of(space, at, n);
    const ash_tile_function *f =
        &s->out->functions[s->out->cases[number].function];
    ASH_INVARIANT(s->ctx,
                  f->part == part &&
                      f->class == ash_domain_class(s->g, space, at, n, part));
  }
  return ASH_OK;
}

ash_status ash_emit_tile_classify(ash_ctx *ctx, ash_tile_classes *out,
                                  const ash_graph *g, const ash_tiling *t) {
  ASH_ASSERT(t->space->axis_count <= ASH_TILE_AXES && t->level_count > 0);
  sorter s = {ctx, g, t, out};
  *out = (ash_tile_classes){0};
  for (uint32_t a = 0; a < t->space->axis_count; a++)
    ASH_TRY(runs_of(ctx, &out->axes[a], t, a));
  for (uint32_t a = 0; a < t->space->axis_count; a++)
    ASH_TRY(classify_axis(&s, a));
  ASH_TRY(combine(&s));
  return check_diagonals(&s);
}

/* ---- as C
 * ----------------------------------------------------------------------------
 */

enum { CHAIN_MAX = 6, TABLE_LINE = 24 };

/* Changes of class, going through the runs of size `n` (0: all) by place. */
static uint32_t changes(const ash_axis_runs *r, int64_t n) {
  uint32_t count = 0, class = UINT32_MAX;
  for (uint32_t i = 0; i < r->count; i++)
    if (n == 0 || r->items[i].n == n) {
      count += r->items[i].class != class;
      class = r->items[i].class;
    }
  return count;
}

/* "p->at[1] < 8 ? 0 : p->at[1] < 56 ? 1 : 2" over the runs of size n. */
static void put_chain(ash_text *t, const ash_axis_runs *r, uint32_t axis,
                      int64_t n) {
  ASH_ASSERT(axis < ASH_TILE_AXES && r->count > 0);
  uint32_t class = UINT32_MAX;
  for (uint32_t i = 0; i < r->count; i++) {
    const ash_tile_run *run = &r->items[i];
    if ((n && run->n != n) || run->class == class)
      continue;
    if (class != UINT32_MAX)
      ash_text_format(t, "p->at[%" PRIu32 "] < %" PRId64 " ? %" PRIu32 " : ",
                      axis, run->at, class);
    class = run->class;
  }
  ash_text_format(t, "%" PRIu32, class);
}

/* The sizes that occur, the most three. */
static uint32_t sizes_of(const ash_axis_runs *r, int64_t *sizes,
                         uint32_t most) {
  ASH_ASSERT(r->count > 0);
  uint32_t count = 0;
  for (uint32_t i = 0; i < r->count; i++) {
    uint32_t k = 0;
    while (k < count && sizes[k] != r->items[i].n)
      k++;
    if (k == most)
      return most + 1;
    if (k == count)
      sizes[count++] = r->items[i].n;
  }
  return count;
}

static bool put_by_size(ash_text *t, const ash_axis_runs *r, uint32_t axis) {
  int64_t sizes[4];
  const uint32_t count = sizes_of(r, sizes, 4);
  if (count < 2 || count > 4)
    return false;
  for (uint32_t k = 0; k < count; k++)
    if (changes(r, sizes[k]) > CHAIN_MAX)
      return false;
  for (uint32_t k = 0; k + 1 < count; k++) {
    ash_text_format(t, "p->n[%" PRIu32 "] == %" PRId64 " ? (", axis, sizes[k]);
    put_chain(t, r, axis, sizes[k]);
    ash_text_string(t, ") : ");
  }
  put_chain(t, r, axis, sizes[count - 1]);
  return true;
}

static int64_t step_of(const ash_axis_runs *r) {
  uint64_t step = 0;
  for (uint32_t i = 0; i < r->count; i++)
    step = ash_gcd_u64((uint64_t)r->items[i].at, step);
  return step ? (int64_t)step : 1;
}

static bool needs_table(const ash_axis_runs *r) {
  int64_t sizes[4];
  const uint32_t count = sizes_of(r, sizes, 4);
  if (changes(r, 0) <= CHAIN_MAX)
    return false;
  if (count > 4)
    return true;
  for (uint32_t k = 0; k < count; k++)
    if (changes(r, sizes[k]) > CHAIN_MAX)
      return true;
  return false;
}

/* Where classes follow no simple pattern: a byte a place. */
static void put_table(ash_text *t, const ash_axis_runs *r, uint32_t axis) {
  ASH_ASSERT(r->count > 0 && r->class_count <= UINT8_MAX + 1);
  const int64_t step = step_of(r);
  uint32_t i = 0;
  ash_text_format(t, "  static const uint8_t axis_%" PRIu32 "[] = {", axis);
  for (int64_t k = 0; k <= r->items[r->count - 1].at / step; k++) {
    while (i + 1 < r->count && r->items[i + 1].at <= k * step)
      i++;
    ash_text_format(t, "%s%" PRIu32 ",", k % TABLE_LINE ? "" : "\n      ",
                    r->items[i].class);
  }
  ash_text_string(t, "};\n");
}

static void put_axis(ash_text *t, const ash_axis_runs *r, uint32_t axis) {
  ASH_ASSERT(r->class_count > 1);
  if (needs_table(r))
    ash_text_format(t, "axis_%" PRIu32 "[p->at[%" PRIu32 "] / %" PRId64 "]",
                    axis, axis, step_of(r));
  else if (changes(r, 0) <= CHAIN_MAX)
    put_chain(t, r, axis, 0);
  else
    (void)put_by_size(t, r, axis);
}

void ash_emit_tile_classes(ash_text *t, const char *name,
                           const ash_tile_classes *c, uint32_t axis_count) {
  ASH_ASSERT(axis_count <= ASH_TILE_AXES && c->function_count > 1);
  ash_text_line(t,
                "/* What is special about a piece: edges of the tensors, and "
                "what is left there. */");
  ash_text_line(t, "static int32_t %s_class(const ash_rt_piece *p) {", name);
  for (uint32_t a = 0; a < axis_count; a++)
    if (c->axes[a].class_count > 1 && needs_table(&c->axes[a]))
      put_table(t, &c->axes[a], a);
  ash_text_line(t, "  int32_t number = 0;");
  ash_text_line(t, "  (void)p;");
  for (uint32_t a = 0; a < axis_count; a++) {
    if (c->axes[a].class_count < 2)
      continue;
    ash_text_format(t, "  number = number * %" PRIu32 " + (",
                    c->axes[a].class_count);
    put_axis(t, &c->axes[a], a);
    ash_text_string(t, ");\n");
  }
  ash_text_line(t, "  return number;");
  ash_text_line(t, "}");
  ash_text_blank(t);
}
