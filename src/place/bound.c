/* bound.c - the load of a section is a lower bound: its buffers are disjoint.
 *
 * With alignments: let g divide every start in a section. Then each buffer but
 * the topmost takes its size rounded up to g, so the section demands the sum of
 * the rounded sizes less the largest rounding. Buffers that may overlap demand
 * less by the most they can share (Bonferroni's inequality); tied buffers
 * demand the length of their union. */
#include "place/bound.h"
#include "base/checked.h"
#include "place/segment_tree.h"

static const uint32_t UNION_LIMIT = 2000;

typedef struct work {
  ash_ctx *ctx;
  const ash_model *m;
  uint64_t *unit;  /* piece -> what its start is a multiple of            */
  uint64_t *load;  /* section -> bytes, difference array while it grows   */
  uint64_t *grain; /* section -> greatest common divisor of the units     */
} work;

static bool has_special(const ash_model *m, uint32_t buffer) {
  return m->special_count && m->special_at[buffer] < m->special_at[buffer + 1];
}

/* Tied to another buffer, so that both may be live at once. */
static bool is_group(const ash_model *m, const ash_item *item) {
  return item->piece_count > 1 &&
         m->pieces[item->piece].buffer !=
             m->pieces[item->piece + item->piece_count - 1].buffer;
}

static uint64_t unit_of(const ash_model *m, const ash_piece *p) {
  const ash_item *item = &m->items[p->item];
  if (item->modulus == 1 || is_group(m, item) || has_special(m, p->buffer))
    return 1;
  return ash_gcd_u64((uint64_t)item->modulus,
                     (uint64_t)(item->residue + p->lo));
}

static void add(work *w, uint32_t first, uint32_t last, uint64_t bytes) {
  w->load[first] += bytes;
  if (last < w->m->section_count)
    w->load[last] -= bytes;
}

/* ---- tied buffers ------------------------------------------------------- */

/* The lowest part of a live piece above `covered`; false: none. */
static bool next_part(const ash_model *m, const ash_item *item,
                      uint32_t section, int64_t covered, ash_span *part) {
  *part = (ash_span){INT64_MAX, INT64_MIN};
  for (uint32_t k = 0; k < item->piece_count; k++) {
    const ash_piece *p = &m->pieces[item->piece + k];
    if (p->first > section || p->last <= section || p->hi <= covered)
      continue;
    const int64_t from = p->lo > covered ? p->lo : covered;
    if (from < part->lo || (from == part->lo && p->hi > part->hi))
      *part = (ash_span){from, p->hi};
  }
  return part->lo != INT64_MAX;
}

/* Until when the set of the item's live pieces stays as it is. */
static uint32_t unchanged_until(const ash_model *m, const ash_item *item,
                                uint32_t section, uint32_t until) {
  for (uint32_t k = 0; k < item->piece_count; k++) {
    const ash_piece *p = &m->pieces[item->piece + k];
    if (p->first > section && p->first < until)
      until = p->first;
    if (p->first <= section && p->last > section && p->last < until)
      until = p->last;
  }
  return until;
}

/* The union of the item's pieces that are live in `section`. */
static uint64_t union_at(const ash_model *m, const ash_item *item,
                         uint32_t section) {
  uint64_t sum = 0;
  ash_span part = {0, INT64_MIN};
  while (next_part(m, item, section, part.hi, &part))
    sum += (uint64_t)(part.hi - part.lo);
  return sum;
}

static void add_union(work *w, const ash_item *item) {
  const ash_model *m = w->m;
  uint32_t first = UINT32_MAX, last = 0;
  for (uint32_t k = 0; k < item->piece_count; k++) {
    const ash_piece *p = &m->pieces[item->piece + k];
    first = p->first < first ? p->first : first;
    last = p->last > last ? p->last : last;
  }
  while (first < last) {
    const uint32_t until = unchanged_until(m, item, first, last);
    add(w, first, until, union_at(m, item, first));
    first = until;
  }
}

/* ---- buffers that may overlap ------------------------------------------- */

static uint64_t overlap_at(const ash_piece *x, const ash_piece *y, int64_t d) {
  const int64_t lo = x->lo > y->lo + d ? x->lo : y->lo + d;
  const int64_t hi = x->hi < y->hi + d ? x->hi : y->hi + d;
  return hi > lo ? (uint64_t)(hi - lo) : 0;
}

static bool is_allowed(const ash_span *spans, int count, int64_t d) {
  for (int i = 0; i < count; i++)
    if (spans[i].lo < d && d < spans[i].hi)
      return false;
  return true;
}

/* The most two pieces can share: the overlap grows up to a plateau and falls
 * after it, so its ends and the ends of the forbidden spans are enough. */
static uint64_t most_shared(const ash_model *m, const ash_piece *x,
                            const ash_piece *y) {
  ash_span spans[2];
  const int count = ash_model_forbidden(m, x, y, spans);
  int64_t tries[6] = {x->lo - y->lo, x->hi - y->hi};
  int try_count = 2;
  for (int i = 0; i < count; i++) {
    tries[try_count++] = spans[i].lo;
    tries[try_count++] = spans[i].hi;
  }
  uint64_t most = 0;
  for (int i = 0; i < try_count; i++)
    if (is_allowed(spans, count, tries[i]))
      most = ash_max_u64(most, overlap_at(x, y, tries[i]));
  return most;
}

static void subtract_shared(work *w, const ash_piece *x, uint32_t other) {
  const ash_model *m = w->m;
  const ash_item *item = &m->items[m->item_of[other]];
  for (uint32_t k = 0; k < item->piece_count; k++) {
    const ash_piece *y = &m->pieces[item->piece + k];
    const uint32_t first = x->first > y->first ? x->first : y->first;
    const uint32_t last = x->last < y->last ? x->last : y->last;
    if (y->buffer == other && first < last)
      add(w, first, last, 0 - most_shared(m, x, y));
  }
}

static void subtract_specials(work *w) {
  const ash_model *m = w->m;
  for (uint32_t i = 0; m->special_count && i < m->piece_count; i++) {
    const ash_piece *x = &m->pieces[i];
    uint32_t before = UINT32_MAX;
    for (uint32_t k = m->special_at[x->buffer];
         k < m->special_at[x->buffer + 1]; k++) {
      const uint32_t other = m->specials[k].other;
      bool again = other == before; /* several relations of one pair */
      for (uint32_t q = m->special_at[x->buffer]; q < k && !again; q++)
        again = m->specials[q].other == other;
      if (x->buffer < other && !again)
        subtract_shared(w, x, other);
      before = other;
    }
  }
}

/* ---- alignment ---------------------------------------------------------- */

static uint64_t rounded(const work *w, uint32_t piece, uint64_t grain) {
  const ash_piece *p = &w->m->pieces[piece];
  return ash_align_up((uint64_t)(p->hi - p->lo), grain);
}

/* Sections of grain g get the sum of sizes rounded to g, less the largest
 * rounding among their pieces. Done once a distinct grain. */
static ash_status load_with_grain(work *w, uint64_t grain, uint64_t *load) {
  const ash_model *m = w->m;
  const ash_mark mark = ash_zone_mark(&w->ctx->scratch);
  uint64_t *sum =
      ASH_NEW_ARRAY(&w->ctx->scratch, uint64_t, (size_t)m->section_count + 1);
  ash_stab waste;
  ASH_TRY(ash_stab_init(w->ctx, &waste, m->section_count, ash_max_u64));
  ASH_TRY(ash_zone_check(w->ctx, &w->ctx->scratch));
  for (uint32_t i = 0; i < m->piece_count; i++) {
    const ash_piece *p = &m->pieces[i];
    const uint64_t bytes = rounded(w, i, grain);
    sum[p->first] += bytes;
    sum[p->last] -= bytes;
    ash_stab_add(&waste, p->first, p->last, bytes - (uint64_t)(p->hi - p->lo));
  }
  uint64_t running = 0;
  for (uint32_t s = 0; s < m->section_count; s++) {
    running += sum[s];
    if (w->grain[s] == grain)
      load[s] = running - ash_stab_get(&waste, s);
  }
  ash_zone_rewind(&w->ctx->scratch, mark);
  return ASH_OK;
}

static ash_status find_grains(work *w) {
  const ash_model *m = w->m;
  ash_stab tree;
  ASH_TRY(ash_stab_init(w->ctx, &tree, m->section_count, ash_gcd_u64));
  for (uint32_t i = 0; i < m->piece_count; i++)
    ash_stab_add(&tree, m->pieces[i].first, m->pieces[i].last, w->unit[i]);
  for (uint32_t s = 0; s < m->section_count; s++)
    w->grain[s] = ash_stab_get(&tree, s);
  return ASH_OK;
}

/* Treats the largest grains one after the other, then lets what is left keep
 * its plain load, which is a bound as well. */
static ash_status align_loads(work *w) {
  const ash_model *m = w->m;
  bool aligned = false;
  for (uint32_t i = 0; i < m->piece_count; i++)
    aligned = aligned || w->unit[i] > 1;
  if (!aligned)
    return ASH_OK;
  ASH_TRY(find_grains(w));
  uint64_t below = UINT64_MAX;
  for (int round = 0; round < 8; round++) {
    uint64_t grain = 1;
    for (uint32_t s = 0; s < m->section_count; s++)
      if (w->grain[s] < below && w->grain[s] > grain)
        grain = w->grain[s];
    if (grain == 1)
      break;
    ASH_TRY(load_with_grain(w, grain, w->load));
    below = grain;
  }
  return ASH_OK;
}

/* ---- the whole ---------------------------------------------------------- */

static void plain_loads(work *w) {
  const ash_model *m = w->m;
  for (uint32_t i = 0; i < m->item_count; i++) {
    const ash_item *item = &m->items[i];
    if (is_group(m, item) && item->piece_count <= UNION_LIMIT) {
      add_union(w, item);
      continue;
    }
    const uint32_t count = is_group(m, item) ? 1 : item->piece_count;
    for (uint32_t k = 0; k < count; k++) {
      const ash_piece *p = &m->pieces[item->piece + k];
      add(w, p->first, p->last, (uint64_t)(p->hi - p->lo));
    }
  }
  subtract_specials(w);
  for (uint32_t s = 1; s < m->section_count; s++)
    w->load[s] += w->load[s - 1];
  for (uint32_t s = 0; s < m->section_count; s++)
    if (w->load[s] > (uint64_t)INT64_MAX) /* shared more than there is */
      w->load[s] = 0;
}

static void find_highest(ash_bound *out, const ash_model *m) {
  out->section = out->item = UINT32_MAX;
  for (uint32_t s = 0; s < m->section_count; s++)
    if (out->load[s] > out->height) {
      out->height = out->load[s];
      out->section = s;
    }
  for (uint32_t i = 0; i < m->item_count; i++) {
    const ash_item *item = &m->items[i];
    const int64_t base =
        item->fixed == ASH_FREE_OFFSET ? item->residue : item->fixed;
    if (item->reach > 0 && base + item->reach > (int64_t)out->height) {
      out->height = (uint64_t)(base + item->reach);
      out->section = UINT32_MAX;
      out->item = i;
    }
  }
}

ash_status ash_bound_build(ash_ctx *ctx, ash_bound *out, const ash_model *m) {
  *out = (ash_bound){.load = ASH_NEW_ARRAY(&ctx->scratch, uint64_t,
                                           (size_t)m->section_count + 1)};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  work w = {.ctx = ctx,
            .m = m,
            .unit = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, m->piece_count),
            .grain = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, m->section_count),
            .load = out->load};
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < m->piece_count; i++)
    w.unit[i] = unit_of(m, &m->pieces[i]);
  plain_loads(&w);
  ASH_TRY(align_loads(&w));
  ash_zone_rewind(&ctx->scratch, mark);
  find_highest(out, m);
  return ASH_OK;
}

/* A maximum tree over the sections, queried once a piece. */
ash_status ash_bound_peaks(ash_ctx *ctx, uint64_t *peak, const ash_model *m,
                           const ash_bound *bound) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const size_t n = m->section_count;
  uint64_t *tree = ASH_NEW_ARRAY(&ctx->scratch, uint64_t, 2 * n + 2);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t s = 0; s < n; s++)
    tree[n + s] = bound->load[s];
  for (size_t i = n; i-- > 1;)
    tree[i] = ash_max_u64(tree[2 * i], tree[2 * i + 1]);
  for (uint32_t i = 0; i < m->piece_count; i++) {
    uint64_t most = 0;
    size_t a = m->pieces[i].first + n, b = m->pieces[i].last + n;
    for (; a < b; a /= 2, b /= 2) {
      if (a & 1)
        most = ash_max_u64(most, tree[a++]);
      if (b & 1)
        most = ash_max_u64(most, tree[--b]);
    }
    peak[i] = most;
  }
  ash_zone_rewind(&ctx->scratch, mark);
  return ASH_OK;
}

ash_status ash_bound_witness(ash_ctx *ctx, const ash_model *m,
                             const ash_bound *bound, ash_place_result *out) {
  size_t count = 0;
  for (int pass = 0; pass < 2; pass++) {
    uint32_t *list =
        pass ? ASH_NEW_ARRAY(&ctx->keep, uint32_t, count ? count : 1) : NULL;
    ASH_TRY(ash_zone_check(ctx, &ctx->keep));
    count = 0;
    for (uint32_t i = 0; i < m->piece_count; i++) {
      const ash_piece *p = &m->pieces[i];
      const bool forces =
          bound->section == UINT32_MAX
              ? p->item == bound->item
              : p->first <= bound->section && bound->section < p->last;
      if (forces && list)
        list[count] = p->buffer;
      count += forces;
    }
    out->witness = list;
  }
  out->witness_count = count;
  if (bound->section != UINT32_MAX)
    out->witness_time = m->section_time[bound->section];
  else if (count && out->witness)
    out->witness_time = m->problem->buffers[out->witness[0]].lower;
  return ASH_OK;
}
