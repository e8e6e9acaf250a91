/* plain.c - a refutation by valley branching: nothing of these blocks fits the
 * capacity. The state of docs/certificates.md is kept move by move; a line of
 * the certificate only says which way to go. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

typedef struct block {
  int64_t size, room, align;
  uint32_t first, last; /* moments [first, last) */
  uint32_t buffer;
} block;

typedef struct frame {
  uint32_t moment, from, to;
  size_t node;    /* its number */
  size_t covered; /* first of its options that are refuted */
  size_t mark;    /* undo log before the move */
  bool moved;
  uint32_t move; /* the block, or NOBODY */
} frame;

#define NOBODY UINT32_MAX

typedef struct plain {
  verify *v;
  block *blocks;
  uint32_t count, moments;
  uint32_t *block_of; /* buffer -> block, or NOBODY                          */
  int64_t buffer_count;
  uint32_t *alive_at, *alive;
  int64_t *time, *waste;
  int64_t capacity, unit;
  bool aligned;
  /* the state */
  int64_t *low, *placed, *sky, *top, *left, *bridges;
  trail log;
  frame *frames;
  size_t depth, frame_capacity;
  uint32_t *covered;
  size_t covered_count, covered_capacity;
  size_t nodes;
  int64_t **states; /* node -> NULL: not referred to; `state`: not refuted  */
  size_t state_capacity;
  int64_t *state; /* the one that is looked for                              */
  bool done;
} plain;

/* ---- setting up ---------------------------------------------------------- */

static int by_start(const void *a, const void *b) {
  const block *x = a, *y = b;
  return (x->first > y->first) - (x->first < y->first);
}

typedef struct event {
  int64_t time;
  int kind; /* 0: an end, 1: a start */
  uint32_t block;
} event;

static int by_time(const void *a, const void *b) {
  const event *x = a, *y = b;
  return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                            : x->kind - y->kind;
}

/* Moments are the maximal sets of blocks that live together: a start, and then
 * an end. They are named by the latest start. */
static void find_moments(plain *p, const problem *in) {
  event *events = get(p->v, 2 * (size_t)p->count, sizeof *events);
  for (uint32_t j = 0; j < p->count; j++) {
    const buffer *b = &in->buffers[p->blocks[j].buffer];
    events[2 * (size_t)j] = (event){b->lower, 1, j};
    events[2 * (size_t)j + 1] = (event){b->upper, 0, j};
  }
  qsort(events, 2 * (size_t)p->count, sizeof *events, by_time);
  bool open = false;
  int64_t start = 0;
  for (size_t i = 0; i < 2 * (size_t)p->count; i++) {
    block *b = &p->blocks[events[i].block];
    if (events[i].kind) {
      open = true;
      start = events[i].time;
      b->first = p->moments;
      continue;
    }
    if (open)
      p->time[p->moments++] = start;
    open = false;
    b->last = p->moments;
  }
}

static void scale(plain *p, const problem *in) {
  int64_t grain = 0;
  for (uint32_t j = 0; j < p->count; j++) {
    const buffer *b = &in->buffers[p->blocks[j].buffer];
    if (b->gap_count || b->offset != FREE || b->size == 0 ||
        b->lower == b->upper)
      broken(p->v, "buffer %lu is not plain",
             (unsigned long)p->blocks[j].buffer);
    grain = gcd(grain, b->align);
    p->unit = gcd(p->unit, b->size);
    if (b->align > 1)
      p->unit = gcd(p->unit, b->align);
  }
  for (uint32_t j = 0; j < p->count; j++) {
    const buffer *b = &in->buffers[p->blocks[j].buffer];
    p->blocks[j].size = b->size / p->unit;
    p->blocks[j].room = round_up(b->size, grain) / p->unit;
    p->blocks[j].align = b->align > 1 ? b->align / p->unit : 1;
    p->aligned = p->aligned || p->blocks[j].align > 1;
  }
}

static void index_alive(plain *p) {
  p->alive_at = get(p->v, (size_t)p->moments + 2, sizeof *p->alive_at);
  uint64_t sum = 0;
  for (uint32_t j = 0; j < p->count; j++)
    sum += p->blocks[j].last - p->blocks[j].first;
  if (sum > (uint64_t)1 << 31)
    broken(p->v, "too many blocks live too long to be checked");
  p->alive = get(p->v, (size_t)sum + 1, sizeof *p->alive);
  for (uint32_t j = 0; j < p->count; j++)
    for (uint32_t s = p->blocks[j].first; s < p->blocks[j].last; s++)
      p->alive_at[s + 2]++;
  for (uint32_t s = 0; s < p->moments; s++)
    p->alive_at[s + 2] += p->alive_at[s + 1];
  for (uint32_t j = 0; j < p->count; j++)
    for (uint32_t s = p->blocks[j].first; s < p->blocks[j].last; s++) {
      const block *b = &p->blocks[j];
      p->alive[p->alive_at[s + 1]++] = j;
      p->left[s] += b->room;
      p->bridges[s] += s + 1 < b->last;
      if (b->room - b->size > p->waste[s])
        p->waste[s] = b->room - b->size;
    }
}

static void set_up(plain *p, const problem *in, const uint32_t *list) {
  verify *v = p->v;
  p->blocks = get(v, p->count, sizeof *p->blocks);
  p->block_of = get(v, in->count, sizeof *p->block_of);
  p->time = get(v, p->count, sizeof *p->time);
  for (uint32_t j = 0; j < p->count; j++)
    p->blocks[j].buffer = list[j];
  scale(p, in);
  find_moments(p, in);
  qsort(p->blocks, p->count, sizeof *p->blocks, by_start);
  for (size_t i = 0; i < in->count; i++)
    p->block_of[i] = NOBODY;
  for (uint32_t j = 0; j < p->count; j++)
    p->block_of[p->blocks[j].buffer] = j;
  int64_t **arrays[] = {&p->waste, &p->sky, &p->top, &p->left, &p->bridges};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    *arrays[i] = get(v, p->moments, sizeof(int64_t));
  p->low = get(v, p->count, sizeof *p->low);
  p->placed = get(v, p->count, sizeof *p->placed);
  p->state = get(v, 2 * (size_t)p->moments + p->count + 3, sizeof *p->state);
  index_alive(p);
}

/* Heights between the capacity and the bound are no sums of sizes. */
static void check_capacity(plain *p, int64_t bytes, int64_t bound) {
  const int64_t most = (bound - 1) / p->unit;
  p->capacity = bytes / p->unit;
  if (p->capacity >= most)
    return;
  if (p->aligned || most > (int64_t)1 << 26)
    broken(p->v, "heights above the capacity are not refuted");
  bool *sums = get(p->v, (size_t)most + 1, sizeof *sums);
  sums[0] = true;
  for (uint32_t j = 0; j < p->count; j++)
    for (int64_t h = most; h >= p->blocks[j].size; h--)
      sums[h] = sums[h] || sums[h - p->blocks[j].size];
  for (int64_t h = p->capacity + 1; h <= most; h++)
    if (sums[h])
      broken(p->v, "height %lld is a sum of sizes and is not refuted",
             (long long)(h * p->unit));
}

/* ---- moves --------------------------------------------------------------- */

static bool is_overfull(const plain *p, uint32_t s) {
  return p->left[s] > 0 && p->sky[s] + p->left[s] > p->capacity + p->waste[s];
}

/* Nothing unplaced lies below `height` during [a, b) any more. True: some
 * moment cannot hold what is left. */
static bool raise_to(plain *p, uint32_t a, uint32_t b, int64_t height) {
  uint32_t x = a, y = b;
  bool full = false;
  for (uint32_t k = 0; k < p->count && p->blocks[k].first < b; k++) {
    const block *t = &p->blocks[k];
    if (p->placed[k] || t->last <= a || p->low[k] >= height)
      continue;
    set(p->v, &p->log, &p->low[k], round_up(height, t->align));
    x = t->first < x ? t->first : x;
    y = t->last > y ? t->last : y;
  }
  for (uint32_t s = x; s < y; s++) {
    int64_t lowest = INT64_MAX;
    for (uint32_t i = p->alive_at[s]; i < p->alive_at[s + 1]; i++)
      if (!p->placed[p->alive[i]] && p->low[p->alive[i]] < lowest)
        lowest = p->low[p->alive[i]];
    if (lowest < INT64_MAX && lowest != p->sky[s])
      set(p->v, &p->log, &p->sky[s], lowest);
    full = full || is_overfull(p, s);
  }
  return full;
}

static bool put(plain *p, uint32_t j) {
  const block *b = &p->blocks[j];
  const int64_t top = p->low[j] + b->size;
  set(p->v, &p->log, &p->placed[j], 1);
  for (uint32_t s = b->first; s < b->last; s++) {
    set(p->v, &p->log, &p->left[s], p->left[s] - b->room);
    set(p->v, &p->log, &p->top[s], top);
    if (s + 1 < b->last)
      set(p->v, &p->log, &p->bridges[s], p->bridges[s] - 1);
  }
  return top > p->capacity || raise_to(p, b->first, b->last, top);
}

/* If nobody rests on the floor of moment s, its lowest block lies at least this
 * high: one that cannot come lower, or one on a block beside the moment. */
static int64_t next_height(const plain *p, uint32_t s) {
  uint32_t x = s, y = s + 1;
  int64_t next = INT64_MAX;
  for (uint32_t i = p->alive_at[s]; i < p->alive_at[s + 1]; i++) {
    const uint32_t j = p->alive[i];
    if (p->placed[j])
      continue;
    if (p->low[j] > p->sky[s]) {
      next = p->low[j] < next ? p->low[j] : next;
      continue;
    }
    x = p->blocks[j].first < x ? p->blocks[j].first : x;
    y = p->blocks[j].last > y ? p->blocks[j].last : y;
  }
  for (uint32_t k = 0; k < p->count && p->blocks[k].first < y; k++) {
    const block *b = &p->blocks[k];
    if (!p->placed[k] && b->last > x && (b->last <= s || b->first > s) &&
        p->low[k] + b->size < next)
      next = p->low[k] + b->size;
  }
  return next;
}

/* True: the move is refuted at once. */
static bool move(plain *p, uint32_t moment, uint32_t j) {
  if (j != NOBODY)
    return put(p, j);
  const int64_t next = next_height(p, moment);
  return next == INT64_MAX || raise_to(p, moment, moment + 1, next);
}

/* ---- parts and their states ---------------------------------------------- */

static uint32_t moment_of(plain *p, int64_t time) {
  for (uint32_t s = 0; s < p->moments; s++)
    if (p->time[s] == time)
      return s;
  broken(p->v, "%lld is not the name of a moment", (long long)time);
}

/* All that makes a state: blocks that are left, sky, and where the sky is the
 * top of a block; into p->state. The number of words. */
static size_t state_of(const plain *p, uint32_t from, uint32_t to) {
  int64_t *out = p->state + 3;
  for (uint32_t s = from; s < to; s++) {
    *out++ = p->sky[s];
    *out++ = p->aligned ? p->top[s] : p->top[s] == p->sky[s];
  }
  for (uint32_t j = 0; j < p->count && p->blocks[j].first < to; j++)
    if (!p->placed[j] && p->blocks[j].first >= from)
      *out++ = j;
  p->state[0] = from;
  p->state[1] = to;
  p->state[2] = out - p->state;
  return (size_t)p->state[2];
}

/* Is the part of node k in the same state now? */
static void check_again(plain *p, const frame *f, size_t k) {
  const int64_t *old = p->states[k];
  if (old == p->state)
    broken(p->v, "node %zu is not refuted yet", k);
  const uint32_t from = (uint32_t)old[0], to = (uint32_t)old[1];
  if (from < f->from || to > f->to || (from > 0 && p->bridges[from - 1] > 0) ||
      (to < p->moments && p->bridges[to - 1] > 0))
    broken(p->v, "the part of node %zu is none here", k);
  const size_t count = state_of(p, from, to);
  if (count != (size_t)old[2] ||
      memcmp(p->state, old, count * sizeof *old) != 0)
    broken(p->v, "the state is not that of node %zu", k);
}

/* ---- lines --------------------------------------------------------------- */

static frame *newest(plain *p) {
  return &p->frames[p->depth - 1];
}

/* The move of the newest frame is refuted: it is one option less. */
static void refute_move(plain *p) {
  frame *f = newest(p);
  take_back(&p->log, f->mark);
  f->moved = false;
  p->done = p->depth == 1; /* the root */
  p->covered = more(p->v, p->covered, &p->covered_capacity, p->covered_count,
                    sizeof *p->covered);
  p->covered[p->covered_count++] = f->move;
}

static void open_node(plain *p) {
  const uint32_t s =
      moment_of(p, next_number(p->v, &p->v->certificate, -LIMIT, LIMIT));
  const frame above = *newest(p);
  if (!above.moved)
    broken(p->v, "a node without a move before it");
  if (s < above.from || s >= above.to || p->left[s] == 0)
    broken(p->v, "nothing is left to be placed there");
  frame f = {.moment = s, .from = s, .to = s + 1, .node = p->nodes};
  while (f.from > above.from && p->bridges[f.from - 1] > 0)
    f.from--;
  while (f.to < above.to && p->bridges[f.to - 1] > 0)
    f.to++;
  f.covered = p->covered_count;
  p->frames =
      more(p->v, p->frames, &p->frame_capacity, p->depth, sizeof *p->frames);
  p->frames[p->depth++] = f;
  p->nodes++;
}

static void make_move(plain *p, bool is_block) {
  frame *f = newest(p);
  const uint32_t j = is_block
                         ? p->block_of[next_number(p->v, &p->v->certificate, 0,
                                                   p->buffer_count - 1)]
                         : NOBODY;
  f->move = j;
  if (p->depth == 1 || f->moved)
    broken(p->v, "a move where none can be made");
  if (is_block &&
      (j == NOBODY || p->placed[j] || p->blocks[j].first > f->moment ||
       p->blocks[j].last <= f->moment))
    broken(p->v, "this block is not left at the moment of the node");
  f->mark = p->log.count;
  f->moved = true;
  if (move(p, f->moment, f->move))
    broken(p->v, "this move is refuted at once and must not be listed");
}

/* Can the block rest where it is lowest, or does it float there? */
static bool is_supported(const plain *p, uint32_t j) {
  const block *b = &p->blocks[j];
  int64_t top = 0;
  for (uint32_t s = b->first; s < b->last; s++)
    top = p->top[s] > top ? p->top[s] : top;
  return round_up(top, b->align) == p->low[j];
}

static bool are_twins(const block *a, const block *b) {
  return a->first == b->first && a->last == b->last && a->size == b->size &&
         a->align == b->align;
}

static bool is_covered(const plain *p, const frame *f, uint32_t j) {
  for (size_t i = f->covered; i < p->covered_count; i++) {
    const uint32_t k = p->covered[i];
    if (k == j ||
        (j != NOBODY && k != NOBODY && are_twins(&p->blocks[j], &p->blocks[k])))
      return true;
  }
  return false;
}

static void need_refuted(plain *p, const frame *f, uint32_t j) {
  const size_t mark = p->log.count;
  if (is_covered(p, f, j))
    return;
  const bool refuted = move(p, f->moment, j);
  take_back(&p->log, mark);
  if (!refuted)
    broken(p->v, "that buffer %lld rests there is not refuted",
           j == NOBODY ? -1 : (long long)p->blocks[j].buffer);
}

static void keep_state(plain *p, const frame *f) {
  if (f->node >= p->state_capacity || !p->states[f->node])
    return;
  const size_t count = state_of(p, f->from, f->to);
  p->states[f->node] = get(p->v, count, sizeof(int64_t));
  memcpy(p->states[f->node], p->state, count * sizeof(int64_t));
}

/* All options of the node are refuted: so is its part, and the move before. */
static void end_node(plain *p) {
  const frame f = *newest(p);
  const uint32_t s = f.moment;
  if (p->depth == 1 || f.moved)
    broken(p->v, "no node ends here");
  for (uint32_t i = p->alive_at[s]; i < p->alive_at[s + 1]; i++) {
    const uint32_t j = p->alive[i];
    if (!p->placed[j] && p->low[j] == p->sky[s] && is_supported(p, j)) {
      for (uint32_t t = p->blocks[j].first; t < p->blocks[j].last; t++)
        if (p->sky[t] != p->sky[s])
          broken(p->v, "the moment of this node lies in no valley");
      need_refuted(p, &f, j);
    }
  }
  need_refuted(p, &f, NOBODY);
  keep_state(p, &f);
  p->covered_count = f.covered;
  p->depth--;
  refute_move(p);
}

static void leave_node(plain *p) {
  const frame *f = newest(p);
  if (p->depth == 1)
    broken(p->v, "no node to leave");
  if (f->moved)
    take_back(&p->log, f->mark);
  p->covered_count = f->covered;
  p->depth--;
}

/* Which nodes are referred to? A first reading of the section. */
static void find_wanted(plain *p) {
  source *c = &p->v->certificate;
  const long at = ftell(c->file), line = c->line;
  size_t nodes = 0;
  while (next_word(p->v, c) && !ends_section(c)) {
    nodes += is_word(c, "n");
    if (!is_word(c, "r"))
      continue;
    const size_t k = (size_t)next_number(p->v, c, 0, INT32_MAX);
    if (k >= nodes)
      broken(p->v, "node %zu is not refuted yet", k);
    while (k >= p->state_capacity)
      p->states = more(p->v, p->states, &p->state_capacity, p->state_capacity,
                       sizeof *p->states);
    p->states[k] = p->state;
  }
  if (at < 0 || fseek(c->file, at, SEEK_SET) != 0)
    malformed(p->v, c, "this must be a file that can be read twice");
  c->line = line;
}

static void read_line(plain *p) {
  source *c = &p->v->certificate;
  if (is_word(c, "n"))
    open_node(p);
  else if (is_word(c, "b") || is_word(c, "u"))
    make_move(p, is_word(c, "b"));
  else if (is_word(c, "r")) {
    if (!newest(p)->moved)
      broken(p->v, "a state without a move before it");
    check_again(p, newest(p), (size_t)next_number(p->v, c, 0, INT32_MAX));
    refute_move(p);
  } else if (is_word(c, "e"))
    end_node(p);
  else if (is_word(c, "a"))
    leave_node(p);
  else if (is_word(c, "c"))
    while (p->depth > 1)
      leave_node(p);
  else
    malformed(p->v, c, "'%s' is no line of a refutation", c->word);
}

void check_plain(verify *v, const problem *in, int64_t bound) {
  source *c = &v->certificate;
  plain p = {.v = v, .buffer_count = (int64_t)in->count};
  const uint32_t *list = read_blocks(v, in, &p.count);
  set_up(&p, in, list);
  check_capacity(&p, next_number(v, c, 0, LIMIT), bound);
  find_wanted(&p);
  p.frames = more(v, p.frames, &p.frame_capacity, 0, sizeof *p.frames);
  p.frames[p.depth++] = (frame){.to = p.moments, .moved = true};
  for (uint32_t s = 0; s < p.moments; s++)
    p.done = p.done || is_overfull(&p, s);
  while (next_word(v, c) && !ends_section(c)) {
    if (p.done)
      malformed(v, c, "'%s' after the refutation", c->word);
    read_line(&p);
  }
  if (is_word(c, "end") && !p.done)
    broken(v, "the refutation is not complete");
}
