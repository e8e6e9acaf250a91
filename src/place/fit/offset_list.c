/* offset_list.c - chunks of up to CHUNK rectangles, split in two when full.
 * Times are compared for a whole chunk at once, in a loop that compilers turn
 * into vector instructions. A chunk that is alive as a whole and has no hole
 * that is large enough is passed at once: where most buffers meet, the placed
 * ones lie without holes, and the list is as short as the number of chunks. */
#include "place/fit/offset_list.h"

#include "base/checked.h"

#include <string.h>

enum { CHUNK = 256 };

struct ash_place_offset_chunk {
  uint32_t count;
  uint32_t first[CHUNK], last[CHUNK];
  int64_t bottom[CHUNK], top[CHUNK];
};

ash_status ash_place_offset_list_init(ash_ctx *ctx, ash_place_offset_list *out,
                                      size_t rectangles) {
  const size_t chunks = 2 * rectangles / CHUNK + 2; /* at least half full */
  *out = (ash_place_offset_list){
      .chunks = ASH_NEW_ARRAY(&ctx->scratch, ash_place_offset_chunk, chunks),
      .list = ASH_NEW_ARRAY(&ctx->scratch, ash_place_offset_outline, chunks),
      .capacity = (uint32_t)chunks};
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  ash_place_offset_list_clear(out);
  return ASH_OK;
}

void ash_place_offset_list_clear(ash_place_offset_list *s) {
  s->count = 1;
  s->list[0] = (ash_place_offset_outline){0};
  s->chunks[0].count = 0;
}

/* The last chunk that starts at or below `bottom`. */
static uint32_t find_chunk(const ash_place_offset_list *s, int64_t bottom) {
  ASH_ASSERT(s->count > 0 && s->count <= s->capacity);
  uint32_t lo = 0, hi = s->count;
  while (hi - lo > 1) {
    const uint32_t middle = lo + (hi - lo) / 2;
    if (s->list[middle].bottom <= bottom)
      lo = middle;
    else
      hi = middle;
  }
  return lo;
}

#define MOVE(array, to, from, n)                                               \
  memmove(&(array)[to], &(array)[from], (n) * sizeof *(array))
#define COPY(a, b, n) memcpy((a), (b), (n) * sizeof *(a))

/* Draws the outline of a chunk anew. */
static void outline(ash_place_offset_list *s, uint32_t at) {
  ASH_ASSERT(at < s->count);
  ash_place_offset_outline *o = &s->list[at];
  const ash_place_offset_chunk *b = &s->chunks[o->chunk];
  ASH_ASSERT(b->count > 0);
  int64_t top = b->top[0], hole = 0;
  uint32_t first = b->first[0], last = b->last[0];
  for (uint32_t i = 1; i < b->count; i++) {
    hole = b->bottom[i] - top > hole ? b->bottom[i] - top : hole;
    top = b->top[i] > top ? b->top[i] : top;
    first = b->first[i] > first ? b->first[i] : first;
    last = b->last[i] < last ? b->last[i] : last;
  }
  o->bottom = b->bottom[0];
  o->top = top;
  o->hole = hole;
  o->first = first;
  o->last = last;
}

static void split(ash_place_offset_list *s, uint32_t at) {
  ASH_ASSERT(at < s->count && s->count < s->capacity);
  ash_place_offset_chunk *b = &s->chunks[s->list[at].chunk];
  ash_place_offset_chunk *next = &s->chunks[s->count];
  const uint32_t half = b->count / 2;
  next->count = b->count - half;
  COPY(next->first, b->first + half, next->count);
  COPY(next->last, b->last + half, next->count);
  COPY(next->bottom, b->bottom + half, next->count);
  COPY(next->top, b->top + half, next->count);
  b->count = half;
  MOVE(s->list, at + 2, at + 1, s->count - at - 1);
  s->list[at + 1].chunk = s->count++;
  outline(s, at);
  outline(s, at + 1);
}

void ash_place_offset_list_put(ash_place_offset_list *s, uint32_t first,
                               uint32_t last, int64_t bottom, int64_t top) {
  ASH_ASSERT(first < last && 0 <= bottom && bottom < top);
  uint32_t at = find_chunk(s, bottom);
  if (s->chunks[s->list[at].chunk].count == CHUNK) {
    split(s, at);
    at += s->list[at + 1].bottom <= bottom;
  }
  ash_place_offset_chunk *b = &s->chunks[s->list[at].chunk];
  uint32_t i = b->count;
  while (i > 0 && b->bottom[i - 1] > bottom)
    i--;
  const uint32_t above = b->count - i;
  MOVE(b->first, i + 1, i, above);
  MOVE(b->last, i + 1, i, above);
  MOVE(b->bottom, i + 1, i, above);
  MOVE(b->top, i + 1, i, above);
  b->first[i] = first;
  b->last[i] = last;
  b->bottom[i] = bottom;
  b->top[i] = top;
  ASH_ASSERT(i == 0 || b->bottom[i - 1] <= bottom);
  ASH_ASSERT(i == b->count || bottom <= b->bottom[i + 1]);
  b->count++;
  outline(s, at);
}

static int64_t round_up(int64_t at, int64_t align) {
  return align == 1 ? at : (int64_t)ash_align_up((uint64_t)at, (uint64_t)align);
}

/* Goes on from `at` through one chunk; true: there is room at *at. */
static bool look_inside(const ash_place_offset_chunk *b, uint32_t first,
                        uint32_t last, int64_t size, int64_t align,
                        int64_t *at) {
  uint8_t meets[CHUNK];
  for (uint32_t i = 0; i < CHUNK; i++)
    meets[i] = (uint8_t)((b->first[i] < last) & (b->last[i] > first));
  for (uint32_t i = 0; i < b->count; i++) {
    if (!meets[i] || b->top[i] <= *at)
      continue;
    if (*at + size <= b->bottom[i])
      return true;
    *at = round_up(b->top[i], align);
  }
  return false;
}

int64_t ash_place_offset_list_lowest(const ash_place_offset_list *s,
                                     uint32_t first, uint32_t last,
                                     int64_t from, int64_t size, int64_t align,
                                     uint64_t *steps) {
  ASH_ASSERT(first < last && from >= 0 && size > 0 && align > 0);
  int64_t at = round_up(from, align);
  for (uint32_t k = 0; k < s->count; k++) {
    const ash_place_offset_outline *o = &s->list[k];
    const ash_place_offset_chunk *b = &s->chunks[o->chunk];
    if (at + size <= o->bottom)
      break;
    ++*steps;
    if (o->first < last && o->last > first && o->hole < size) {
      at = o->top > at ? round_up(o->top, align) : at;
      continue;
    }
    *steps += b->count / 8;
    if (look_inside(b, first, last, size, align, &at))
      return at;
  }
  return at;
}
