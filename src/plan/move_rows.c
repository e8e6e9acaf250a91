/* move_rows.c - see move_rows.h.
 *
 * What cannot move gets its place first, in one of the ways of sweep_rows.c.
 * Then time passes: rows die, what is fixed comes and pushes rows aside, new
 * rows take holes. Where no hole is large enough, either a window is cleared,
 * whose rows go to other holes, or rows between neighbouring holes slide
 * together, whatever copies fewer bytes. A result that may lie over a row that
 * dies with its first step does so where that copies less: then it begins
 * before that row, and others are pushed up or down for it. Every copy goes to
 * bytes that are free at that moment, apart from those of the row itself, so
 * that copies one after the other are right. Several ways are tried; the one
 * that copies least wins.
 */
#include "plan/move_rows.h"

#include "base/checked.h"
#include "base/sort.h"

/* Which hole a row takes. */
typedef enum taste {
  TIGHTEST,     /* of all holes                                          */
  LOW,          /* the lowest                                            */
  LIKE_DEATH,   /* beside one that dies at about the same time           */
  SIDE_BY_SIZE, /* large rows low, small ones high                       */
  SIDE_BY_LIFE, /* those that live long low, others high                 */
  TASTES
} taste;

/* `before`: when the row was born or copied last before that. */
typedef struct copy {
  uint32_t buffer;
  int64_t when, before, from, to;
} copy;

typedef struct mover {
  ash_ctx *ctx;
  const ash_sweep *s;
  const bool *can_move;
  taste taste;
  uint64_t middle_size;
  int64_t middle_life;
  int64_t *first;    /* by buffer: its first place                           */
  int64_t *now;      /* by buffer: where it is                               */
  int64_t *moved_at; /* by buffer: when it was born or copied last           */
  int64_t *next;    /* by buffer that cannot move: when it comes, from now on */
  uint32_t *births; /* buffers that can move, by birth                      */
  uint32_t birth_count;
  uint32_t *spare;
  uint32_t *fixed; /* buffers that cannot move, by place                    */
  uint32_t fixed_count;
  uint32_t *live; /* buffers that are there, by place                      */
  uint32_t live_count;
  copy *copies;
  uint32_t copy_count, copy_capacity;
  uint64_t bytes, best_bytes; /* copied so far, and at best                  */
  int64_t time, end;
  int64_t *tried; /* places of what is fixed, one way after the other     */
  uint32_t tried_count;
  int64_t *target; /* by number in `live`: where a push puts it             */
  uint64_t ticks;  /* what is left                                         */
} mover;

/* Bytes from `at` on, [at, end). */
typedef struct span {
  int64_t at, end;
} span;

enum { WINDOWS = 48, TICKS = 30000000 };

static int64_t size_of(const mover *m, uint32_t buffer) {
  ASH_ASSERT(buffer < m->s->count);
  return (int64_t)m->s->buffers[buffer].size;
}

static span span_of(const mover *m, uint32_t buffer) {
  ASH_ASSERT(m->now[buffer] >= 0);
  return (span){m->now[buffer], m->now[buffer] + size_of(m, buffer)};
}

static bool meet(span a, span b) {
  return a.at < b.end && b.at < a.end;
}

static int64_t align(const mover *m, uint32_t buffer, int64_t at) {
  ASH_ASSERT(at >= 0);
  return (int64_t)ash_align_up((uint64_t)at,
                               ash_max_u64(1, m->s->buffers[buffer].alignment));
}

static int64_t align_down(const mover *m, uint32_t buffer, int64_t at) {
  const int64_t unit = (int64_t)ash_max_u64(1, m->s->buffers[buffer].alignment);
  ASH_ASSERT(at >= 0);
  return at / unit * unit;
}

/* ---- who is there -------------------------------------------------------- */

static void insert(mover *m, uint32_t buffer) {
  ASH_ASSERT(m->now[buffer] >= 0);
  uint32_t i = m->live_count++;
  ASH_ASSERT(m->live_count <= m->s->count);
  for (; i > 0 && m->now[m->live[i - 1]] > m->now[buffer]; i--)
    m->live[i] = m->live[i - 1];
  m->live[i] = buffer;
}

static void take_out(mover *m, uint32_t buffer) {
  uint32_t i = 0;
  while (m->live[i] != buffer)
    i++;
  ASH_ASSERT(i < m->live_count);
  for (m->live_count--; i < m->live_count; i++)
    m->live[i] = m->live[i + 1];
}

/* Rows that were born or copied before this step. */
static bool is_loose(const mover *m, uint32_t buffer) {
  ASH_ASSERT(buffer < m->s->count);
  return m->can_move[buffer] && m->moved_at[buffer] < m->time;
}

static ash_status relocate(mover *m, uint32_t buffer, int64_t to) {
  ASH_ASSERT(is_loose(m, buffer) && to != m->now[buffer]);
  if (m->copy_count == m->copy_capacity) {
    const uint32_t more = 2 * m->copy_capacity + 64;
    copy *grown = ASH_NEW_ARRAY(&m->ctx->scratch, copy, more);
    ASH_TRY(ash_zone_check(m->ctx, &m->ctx->scratch));
    for (uint32_t i = 0; i < m->copy_count; i++)
      grown[i] = m->copies[i];
    m->copies = grown;
    m->copy_capacity = more;
  }
  m->copies[m->copy_count++] =
      (copy){buffer, m->time, m->moved_at[buffer], m->now[buffer], to};
  take_out(m, buffer);
  m->now[buffer] = to;
  m->moved_at[buffer] = m->time;
  m->bytes += m->s->buffers[buffer].size;
  insert(m, buffer);
  return ASH_OK;
}

/* Copies from number `count` on did not happen. */
static void undo(mover *m, uint32_t count) {
  ASH_ASSERT(count <= m->copy_count);
  while (m->copy_count > count) {
    const copy *c = &m->copies[--m->copy_count];
    take_out(m, c->buffer);
    m->now[c->buffer] = c->from;
    m->moved_at[c->buffer] = c->before;
    m->bytes -= m->s->buffers[c->buffer].size;
    insert(m, c->buffer);
  }
}

/* ---- holes --------------------------------------------------------------- */

/* What stands in the way of bytes from `at` on, in the order of places: who is
 * there, and, for one that lives until `until`, fixed ones that come earlier.
 */
typedef struct walk {
  const mover *m;
  uint32_t live, fixed;
  int64_t until;
  uint32_t but; /* this one does not count */
} walk;

static bool stands(const walk *w, uint32_t fixed) {
  ASH_ASSERT(!w->m->can_move[fixed]);
  const int64_t comes = w->m->next[fixed];
  return comes >= w->m->time && comes < w->until;
}

/* The next one, ASH_NO_ID: none. */
static uint32_t step(walk *w) {
  const mover *m = w->m;
  while (w->live < m->live_count && m->live[w->live] == w->but)
    w->live++;
  while (w->fixed < m->fixed_count && !stands(w, m->fixed[w->fixed]))
    w->fixed++;
  const uint32_t a = w->live < m->live_count ? m->live[w->live] : ASH_NO_ID;
  const uint32_t b = w->fixed < m->fixed_count ? m->fixed[w->fixed] : ASH_NO_ID;
  if (a == ASH_NO_ID && b == ASH_NO_ID)
    return ASH_NO_ID;
  if (b == ASH_NO_ID || (a != ASH_NO_ID && m->now[a] <= m->now[b])) {
    w->live++;
    return a;
  }
  w->fixed++;
  return b;
}

static int64_t distance(int64_t a, int64_t b) {
  return a < b ? b - a : a - b;
}

/* How late its neighbour dies; fixed ones are the best company. */
static int64_t strangeness(const mover *m, uint32_t buffer,
                           uint32_t neighbour) {
  if (neighbour == ASH_NO_ID || !m->can_move[neighbour])
    return 0;
  return distance(m->s->buffers[buffer].upper, m->s->buffers[neighbour].upper);
}

/* The place in a hole between two neighbours, and its score: less is better. */
static int64_t place_in(const mover *m, uint32_t buffer, span hole,
                        const uint32_t neighbours[2], int64_t score[2]) {
  ASH_ASSERT(hole.at + size_of(m, buffer) <= hole.end);
  const ash_buffer *b = &m->s->buffers[buffer];
  const int64_t low = align(m, buffer, hole.at);
  const int64_t high = align_down(m, buffer, hole.end - size_of(m, buffer));
  const int64_t slack = hole.end - hole.at - size_of(m, buffer);
  const bool goes_low = m->taste == SIDE_BY_SIZE ? b->size >= m->middle_size
                        : m->taste == SIDE_BY_LIFE
                            ? b->upper - b->lower >= m->middle_life
                            : true;
  score[0] = slack;
  score[1] = low;
  if (m->taste == TIGHTEST)
    return low;
  if (m->taste == LIKE_DEATH) {
    const int64_t x = strangeness(m, buffer, neighbours[0]);
    const int64_t y = strangeness(m, buffer, neighbours[1]);
    score[0] = slack == 0 ? -1 : x < y ? x : y;
    score[1] = slack;
    return x <= y ? low : high;
  }
  score[0] = slack == 0 && m->taste != LOW ? -1 - (int64_t)m->s->capacity
             : goes_low                    ? low
                                           : -high;
  score[1] = slack;
  return goes_low ? low : high;
}

/* The place of the best hole; -1: none is large enough. With `ahead`, nothing
 * fixed comes there while the row lives. */
static int64_t find_hole(mover *m, uint32_t buffer, bool ahead) {
  ASH_ASSERT(m->can_move[buffer]);
  const int64_t capacity = (int64_t)m->s->capacity;
  walk w = {m, 0, ahead ? 0 : m->fixed_count, m->s->buffers[buffer].upper,
            buffer};
  int64_t reach = 0, best = -1, least[2] = {0, 0};
  uint32_t neighbours[2] = {ASH_NO_ID, ASH_NO_ID};
  for (bool on = true; on;) {
    const uint32_t x = neighbours[1] = step(&w);
    const span hole = {reach, x == ASH_NO_ID ? capacity : m->now[x]};
    on = x != ASH_NO_ID;
    m->ticks -= m->ticks > 0;
    if (align(m, buffer, hole.at) + size_of(m, buffer) <= hole.end) {
      int64_t score[2];
      const int64_t at = place_in(m, buffer, hole, neighbours, score);
      if (best < 0 || score[0] < least[0] ||
          (score[0] == least[0] && score[1] < least[1])) {
        best = at;
        least[0] = score[0];
        least[1] = score[1];
      }
    }
    if (on && span_of(m, x).end >= reach) {
      reach = span_of(m, x).end;
      neighbours[0] = x;
    }
  }
  return best;
}

static int64_t find_place(mover *m, uint32_t buffer) {
  const int64_t at = find_hole(m, buffer, true);
  return at >= 0 ? at : find_hole(m, buffer, false);
}

/* ---- sliding ------------------------------------------------------------- */

/* Rows [from, to) of `live`, between two holes, slide to the low end: then one
 * hole is large enough. */
typedef struct slide {
  uint32_t from, to;
  int64_t bytes; /* copied              */
  int64_t start; /* where they begin then */
  int64_t at;    /* where the hole is   */
} slide;

static int64_t end_of_hole(const mover *m, uint32_t i) {
  ASH_ASSERT(i <= m->live_count);
  return i < m->live_count ? m->now[m->live[i]] : (int64_t)m->s->capacity;
}

/* The cheapest slide that starts at row `from`; bytes before it end at `reach`.
 */
static void try_slide(mover *m, uint32_t from, int64_t reach, uint32_t buffer,
                      slide *best) {
  ASH_ASSERT(is_loose(m, m->live[from]));
  const int64_t start = reach;
  int64_t bytes = 0;
  for (uint32_t i = from; i <= m->live_count; i++) {
    const int64_t at = align(m, buffer, reach);
    m->ticks -= m->ticks > 0;
    if (i > from && at + size_of(m, buffer) <= end_of_hole(m, i) &&
        bytes < best->bytes)
      *best = (slide){from, i, bytes, start, at};
    if (i == m->live_count || !is_loose(m, m->live[i]) ||
        m->now[m->live[i]] < reach || bytes >= best->bytes)
      return;
    const int64_t to = align(m, m->live[i], reach);
    bytes += to == m->now[m->live[i]] ? 0 : size_of(m, m->live[i]);
    reach = to + size_of(m, m->live[i]);
  }
}

static slide find_slide(mover *m, uint32_t buffer) {
  slide best = {.bytes = INT64_MAX};
  int64_t reach = 0;
  for (uint32_t i = 0; i < m->live_count; i++) {
    const span x = span_of(m, m->live[i]);
    if (is_loose(m, m->live[i]) && reach < x.at)
      try_slide(m, i, reach, buffer, &best);
    reach = x.end > reach ? x.end : reach;
  }
  return best;
}

static ash_status do_slide(mover *m, const slide *how) {
  int64_t reach = how->start;
  for (uint32_t i = how->from; i < how->to; i++) {
    const uint32_t x = m->live[i];
    const int64_t to = align(m, x, reach);
    ASH_ASSERT(to <= m->now[x]);
    if (to != m->now[x])
      ASH_TRY(relocate(m, x, to));
    reach = to + size_of(m, x);
  }
  return ASH_OK;
}

/* ---- windows ------------------------------------------------------------- */

/* A place for a row that is in the way, where others slide if need be; -1:
 * there is none. */
static ash_status find_refuge(mover *m, uint32_t buffer, int64_t *at) {
  ASH_ASSERT(is_loose(m, buffer));
  const int64_t before = m->moved_at[buffer];
  *at = find_place(m, buffer);
  if (*at >= 0)
    return ASH_OK;
  m->moved_at[buffer] = m->time; /* it stays where it is meanwhile */
  const slide how = find_slide(m, buffer);
  m->moved_at[buffer] = before;
  if (how.bytes == INT64_MAX)
    return ASH_OK;
  *at = how.at;
  return do_slide(m, &how);
}

/* Pushes loose rows out of the bytes of one that has just come. */
static ash_status push_out(mover *m, uint32_t owner, bool *done) {
  const span window = span_of(m, owner);
  *done = false;
  for (uint32_t i = 0; i < m->live_count;) {
    const uint32_t x = m->live[i];
    int64_t at;
    if (x == owner || !meet(span_of(m, x), window)) {
      i++;
      continue;
    }
    if (!is_loose(m, x))
      return ASH_OK;
    ASH_TRY(find_refuge(m, x, &at));
    if (at < 0)
      return ASH_OK;
    ASH_TRY(relocate(m, x, at));
    i = 0;
  }
  *done = true;
  return ASH_OK;
}

typedef struct window {
  int64_t at, bytes;
} window;

static int by_bytes(const void *a, const void *b, const void *user) {
  const window *x = a, *y = b;
  (void)user;
  if (x->bytes != y->bytes)
    return x->bytes < y->bytes ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Adds the window at `at` to the cheapest ones, if it can be cleared. */
static void offer_window(mover *m, uint32_t buffer, int64_t at, window *best,
                         uint32_t *count) {
  ASH_ASSERT(*count <= WINDOWS);
  const span here = {at, at + size_of(m, buffer)};
  window w = {at, 0};
  if (at < 0 || here.end > (int64_t)m->s->capacity ||
      align(m, buffer, at) != at)
    return;
  for (uint32_t i = 0; i < m->live_count; i++) {
    const uint32_t x = m->live[i];
    if (m->now[x] >= here.end)
      break;
    m->ticks -= m->ticks > 0;
    if (!meet(span_of(m, x), here))
      continue;
    if (!is_loose(m, x))
      return;
    w.bytes += size_of(m, x);
  }
  for (uint32_t i = 0; i < *count; i++)
    if (best[i].at == at)
      return;
  if (*count == WINDOWS && by_bytes(&w, &best[WINDOWS - 1], NULL) >= 0)
    return;
  uint32_t i = *count < WINDOWS ? (*count)++ : WINDOWS - 1;
  for (; i > 0 && by_bytes(&w, &best[i - 1], NULL) < 0; i--)
    best[i] = best[i - 1];
  best[i] = w;
}

static uint32_t find_windows(mover *m, uint32_t buffer, window *best) {
  const int64_t size = size_of(m, buffer);
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->live_count; i++) {
    const span x = span_of(m, m->live[i]);
    offer_window(m, buffer, align(m, buffer, x.at), best, &count);
    offer_window(m, buffer, align(m, buffer, x.end), best, &count);
    if (x.at >= size)
      offer_window(m, buffer, align_down(m, buffer, x.at - size), best, &count);
    if (x.end >= size)
      offer_window(m, buffer, align_down(m, buffer, x.end - size), best,
                   &count);
  }
  return count;
}

/* Puts the new row where a window is cleared, or rows slide. */
static ash_status make_room(mover *m, uint32_t buffer, bool *done) {
  ASH_ASSERT(m->moved_at[buffer] == m->time);
  const slide how = find_slide(m, buffer);
  const uint32_t before = m->copy_count;
  window windows[WINDOWS];
  const uint32_t count = find_windows(m, buffer, windows);
  const uint64_t start = m->bytes;
  for (uint32_t i = 0; i < count && windows[i].bytes < how.bytes; i++) {
    m->now[buffer] = windows[i].at;
    insert(m, buffer);
    ASH_TRY(push_out(m, buffer, done));
    if (*done && (int64_t)(m->bytes - start) <= how.bytes)
      return ASH_OK;
    *done = false;
    undo(m, before);
    take_out(m, buffer);
  }
  if (how.bytes == INT64_MAX)
    return ASH_OK;
  ASH_TRY(do_slide(m, &how));
  m->now[buffer] = how.at;
  insert(m, buffer);
  *done = true;
  return ASH_OK;
}

/* ---- over what dies ------------------------------------------------------ */

/* A new row at `at`, over the dying row number `dying` of `live`, after rows
 * [from, to) were pushed to their targets. */
typedef struct push {
  uint32_t dying, from, to;
  bool up;
  int64_t bytes; /* copied; INT64_MAX: it cannot be done */
  int64_t at;
} push;

static const push no_push = {.bytes = INT64_MAX};

static uint32_t number_of(const mover *m, uint32_t buffer) {
  uint32_t i = 0;
  while (m->live[i] != buffer)
    i++;
  ASH_ASSERT(i < m->live_count);
  return i;
}

/* The end of all that is there below row number `i`. */
static int64_t end_below(const mover *m, uint32_t i) {
  int64_t reach = 0;
  ASH_ASSERT(i <= m->live_count);
  for (uint32_t k = 0; k < i; k++)
    reach =
        span_of(m, m->live[k]).end > reach ? span_of(m, m->live[k]).end : reach;
  return reach;
}

/* The dying row, and those after it as far as they are in the way, go up. */
static push push_up(mover *m, uint32_t buffer, uint32_t dying) {
  const uint32_t x = m->live[dying];
  const int64_t least = m->s->distance[buffer];
  push how = {.dying = dying, .from = dying, .to = dying, .up = true};
  ASH_ASSERT(least >= 0 && dying < m->live_count);
  how.at = align(m, buffer, end_below(m, dying));
  int64_t to = m->now[x];
  if (to - least >= how.at)
    how.at = align_down(m, buffer, to - least);
  else
    to = align(m, x, how.at + least);
  const int64_t end = how.at + size_of(m, buffer);
  int64_t reach = 0;
  for (uint32_t i = dying; i < m->live_count; i++, how.to++) {
    const uint32_t k = m->live[i];
    if (i > dying && m->now[k] >= reach)
      break;
    m->target[i] = i == dying ? to : align(m, k, reach);
    reach = m->target[i] + size_of(m, k);
    reach = i == dying && end > reach ? end : reach;
    if (m->target[i] == m->now[k])
      continue;
    how.bytes += size_of(m, k);
    if (!is_loose(m, k))
      return no_push;
  }
  return reach <= (int64_t)m->s->capacity ? how : no_push;
}

/* The dying row stays, and those before it go down. */
static push push_down(mover *m, uint32_t buffer, uint32_t dying) {
  const int64_t at = m->now[m->live[dying]] - m->s->distance[buffer];
  push how = {.dying = dying, .from = dying, .to = dying};
  ASH_ASSERT(dying < m->live_count);
  if (at < 0)
    return no_push;
  how.at = align_down(m, buffer, at);
  if (how.at + size_of(m, buffer) > end_of_hole(m, dying + 1))
    return no_push;
  int64_t reach = how.at;
  for (uint32_t i = dying; i-- > 0 && span_of(m, m->live[i]).end > reach;) {
    const uint32_t k = m->live[i];
    if (!is_loose(m, k) || reach < size_of(m, k))
      return no_push;
    reach = m->target[i] = align_down(m, k, reach - size_of(m, k));
    how.from = i;
    how.bytes += size_of(m, k);
  }
  return how;
}

static push find_push(mover *m, uint32_t buffer) {
  const uint32_t behind = m->s->behind ? m->s->behind[buffer] : ASH_NO_ID;
  if (behind == ASH_NO_ID)
    return no_push;
  ASH_ASSERT(m->s->buffers[behind].upper == m->time + 1);
  const uint32_t dying = number_of(m, behind);
  m->ticks -= m->ticks > m->live_count ? m->live_count : m->ticks;
  const push up = push_up(m, buffer, dying);
  const push down = push_down(m, buffer, dying);
  return down.bytes < up.bytes ? down : up;
}

/* Whoever goes furthest goes first: its place is free. */
static ash_status do_push(mover *m, uint32_t buffer, const push *how) {
  for (uint32_t n = how->from; n < how->to; n++) {
    const uint32_t i = how->up ? how->to - 1 - (n - how->from) : n;
    if (m->target[i] != m->now[m->live[i]])
      ASH_TRY(relocate(m, m->live[i], m->target[i]));
  }
  m->now[buffer] = how->at;
  insert(m, buffer);
  return ASH_OK;
}

/* Where rows are copied, or over a row that dies, whatever copies less. */
static ash_status squeeze_in(mover *m, uint32_t buffer, bool *done) {
  const uint32_t before = m->copy_count;
  const uint64_t start = m->bytes;
  const push how = find_push(m, buffer);
  *done = false;
  if (how.bytes > 0)
    ASH_TRY(make_room(m, buffer, done));
  if (how.bytes == INT64_MAX ||
      (*done && m->bytes - start <= (uint64_t)how.bytes))
    return ASH_OK;
  if (*done) {
    undo(m, before);
    take_out(m, buffer);
  }
  *done = true;
  return do_push(m, buffer, &how);
}

/* ---- time ---------------------------------------------------------------- */

static bool is_away(const ash_buffer *b, int64_t time) {
  for (size_t k = 0; k < b->gap_count; k++)
    if (b->gaps[k].lower <= time && time < b->gaps[k].upper)
      return true;
  return time < b->lower || b->upper <= time;
}

/* The first time from `time` on at which a fixed one is there. */
static int64_t next_time(const ash_buffer *b, int64_t time) {
  ASH_ASSERT(b->lower < b->upper);
  if (time < b->lower)
    return b->lower;
  for (size_t k = 0; k < b->gap_count; k++)
    if (b->gaps[k].lower <= time && time < b->gaps[k].upper)
      time = b->gaps[k].upper;
  return time < b->upper ? time : INT64_MAX;
}

static void leave(mover *m) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < m->live_count; i++)
    if (!is_away(&m->s->buffers[m->live[i]], m->time))
      m->live[kept++] = m->live[i];
  m->live_count = kept;
}

/* Fixed ones that come now. */
static ash_status come(mover *m, bool *done) {
  *done = true;
  for (uint32_t i = 0; i < m->fixed_count && *done; i++) {
    const uint32_t x = m->fixed[i];
    const ash_buffer *b = &m->s->buffers[x];
    const bool was = m->time > 0 && !is_away(b, m->time - 1);
    if (m->next[x] < m->time)
      m->next[x] = next_time(b, m->time);
    if (m->next[x] != m->time || was)
      continue;
    insert(m, x);
    ASH_TRY(push_out(m, x, done));
  }
  return ASH_OK;
}

static ash_status be_born(mover *m, uint32_t buffer, bool *done) {
  ASH_ASSERT(m->s->buffers[buffer].lower == m->time);
  const int64_t at = find_place(m, buffer);
  *done = at >= 0;
  m->moved_at[buffer] = m->time;
  if (at >= 0) {
    m->now[buffer] = at;
    insert(m, buffer);
  } else {
    ASH_TRY(squeeze_in(m, buffer, done));
  }
  m->first[buffer] = m->now[buffer];
  return ASH_OK;
}

static void begin(mover *m) {
  m->live_count = m->copy_count = 0;
  m->bytes = 0;
  for (uint32_t i = 0; i < m->s->count; i++) {
    m->now[i] = m->first[i];
    m->moved_at[i] = -1;
    m->next[i] = m->can_move[i] ? INT64_MAX : next_time(&m->s->buffers[i], 0);
  }
}

/* False in `*done`: this way does not lead to the end, or copies more than
 * another. */
static ash_status pass_time(mover *m, bool *done) {
  uint32_t born = 0;
  begin(m);
  *done = true;
  for (m->time = 0; m->time < m->end && *done; m->time++) {
    leave(m);
    ASH_TRY(come(m, done));
    for (; *done && born < m->birth_count &&
           m->s->buffers[m->births[born]].lower == m->time;
         born++)
      ASH_TRY(be_born(m, m->births[born], done));
    *done = *done && m->bytes < m->best_bytes && m->ticks > 0;
  }
  return ASH_OK;
}

/* ---- ways ---------------------------------------------------------------- */

static int by_birth(const void *a, const void *b, const void *user) {
  const mover *m = user;
  const ash_buffer *x = &m->s->buffers[*(const uint32_t *)a];
  const ash_buffer *y = &m->s->buffers[*(const uint32_t *)b];
  if (x->lower != y->lower)
    return x->lower < y->lower ? -1 : 1;
  return x->size > y->size ? -1 : x->size < y->size;
}

static int by_place(const void *a, const void *b, const void *user) {
  const mover *m = user;
  const int64_t x = m->first[*(const uint32_t *)a];
  const int64_t y = m->first[*(const uint32_t *)b];
  return x < y ? -1 : x > y;
}

static void list_fixed(mover *m) {
  m->fixed_count = 0;
  for (uint32_t i = 0; i < m->s->count; i++)
    if (!m->can_move[i] && m->s->buffers[i].size > 0)
      m->fixed[m->fixed_count++] = i;
  ash_sort(m->fixed, m->spare, m->fixed_count, sizeof *m->fixed, by_place, m);
}

static void list_births(mover *m) {
  ASH_ASSERT(m->birth_count == 0 && m->end == 0);
  uint64_t bytes = 0;
  int64_t life = 0;
  for (uint32_t i = 0; i < m->s->count; i++) {
    const ash_buffer *b = &m->s->buffers[i];
    m->end = b->upper > m->end ? b->upper : m->end;
    if (!m->can_move[i])
      continue;
    m->births[m->birth_count++] = i;
    bytes += b->size;
    life += b->upper - b->lower;
  }
  if (m->birth_count > 0) {
    m->middle_size = bytes / m->birth_count;
    m->middle_life = life / m->birth_count;
  }
  ash_sort(m->births, m->spare, m->birth_count, sizeof *m->births, by_birth, m);
}

static ash_status start(mover *m) {
  const size_t n = m->s->count + 1u;
  ash_zone *z = &m->ctx->scratch;
  m->first = ASH_NEW_ARRAY(z, int64_t, n);
  m->now = ASH_NEW_ARRAY(z, int64_t, n);
  m->moved_at = ASH_NEW_ARRAY(z, int64_t, n);
  m->next = ASH_NEW_ARRAY(z, int64_t, n);
  m->births = ASH_NEW_ARRAY(z, uint32_t, n);
  m->spare = ASH_NEW_ARRAY(z, uint32_t, n);
  m->fixed = ASH_NEW_ARRAY(z, uint32_t, n);
  m->live = ASH_NEW_ARRAY(z, uint32_t, n);
  m->target = ASH_NEW_ARRAY(z, int64_t, n);
  m->tried = ASH_NEW_ARRAY(z, int64_t, n * ASH_SWEEP_WAYS);
  ASH_TRY(ash_zone_check(m->ctx, z));
  list_births(m);
  return ASH_OK;
}

/* Were the fixed ones there before? */
static bool is_known(mover *m) {
  ASH_ASSERT(m->tried_count < ASH_SWEEP_WAYS);
  const size_t n = m->s->count;
  bool known = false;
  for (uint32_t way = 0; way < m->tried_count && !known; way++) {
    known = true;
    for (size_t i = 0; i < n && known; i++)
      known = m->can_move[i] || m->tried[way * n + i] == m->first[i];
  }
  for (size_t i = 0; i < n && !known; i++)
    m->tried[m->tried_count * n + i] = m->first[i];
  m->tried_count += !known;
  return known;
}

static ash_status keep(mover *m, int64_t *offsets, ash_sweep_moves *moves) {
  ASH_ASSERT(m->bytes < m->best_bytes);
  ash_sweep_move *items =
      ASH_NEW_ARRAY(&m->ctx->keep, ash_sweep_move, m->copy_count + 1u);
  ASH_TRY(ash_zone_check(m->ctx, &m->ctx->keep));
  for (uint32_t i = 0; i < m->s->count; i++)
    offsets[i] = m->first[i];
  for (uint32_t i = 0; i < m->copy_count; i++)
    items[i] = (ash_sweep_move){m->copies[i].buffer, m->copies[i].when,
                                m->copies[i].to};
  *moves = (ash_sweep_moves){items, m->copy_count, m->bytes};
  m->best_bytes = m->bytes;
  return ASH_OK;
}

static ash_status try_tastes(mover *m, int64_t *offsets, ash_sweep_moves *moves,
                             bool *found) {
  for (int i = 0; i < TASTES; i++) {
    bool done;
    m->taste = (taste)i;
    ASH_TRY(pass_time(m, &done));
    if (!done)
      continue;
    ASH_TRY(keep(m, offsets, moves));
    *found = true;
  }
  return ASH_OK;
}

static ash_status try_ways(mover *m, int64_t *offsets, ash_sweep_moves *moves,
                           bool *found) {
  ash_sweep fixed = *m->s;
  fixed.is_left_out = m->can_move;
  ASH_TRY(start(m));
  for (uint32_t way = 0; way < ASH_SWEEP_WAYS; way++) {
    bool placed;
    ASH_TRY(ash_sweep_one_way(m->ctx, &fixed, way, m->first, &placed));
    if (!placed || is_known(m))
      continue;
    list_fixed(m);
    ASH_TRY(try_tastes(m, offsets, moves, found));
  }
  return ASH_OK;
}

ash_status ash_sweep_and_move(ash_ctx *ctx, const ash_sweep *s,
                              const bool *can_move, int64_t *offsets,
                              ash_sweep_moves *moves, bool *found) {
  ASH_ASSERT(can_move != NULL);
  mover m = {.ctx = ctx,
             .s = s,
             .can_move = can_move,
             .best_bytes = UINT64_MAX,
             .ticks = TICKS};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  *found = false;
  *moves = (ash_sweep_moves){0};
  const ash_status status = try_ways(&m, offsets, moves, found);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
