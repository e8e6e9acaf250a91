/* stack.c - the buffers of one moment, stacked in the best order. With several
 * alignments the load says too little: every order of the buffers leaves holes.
 * The least end of a set of buffers on top of each other is that of the set
 * without its topmost one, rounded up to the alignment of that one, plus its
 * size: dynamic programming over sets (Held and Karp). */
#include "place/bound.h"

enum { MEMBERS_MOST = 16, WORK_MOST = 1 << 23 };

typedef struct member {
  int64_t size, modulus, residue; /* its start is residue modulo modulus */
} member;

typedef struct stack {
  member list[MEMBERS_MOST];
  uint32_t count;
} stack;

static int64_t end_on(const member *m, int64_t top) {
  ASH_ASSERT(0 <= m->residue && m->residue < m->modulus && top >= 0);
  const int64_t over = (top - m->residue) % m->modulus;
  const int64_t hole = over > 0 ? m->modulus - over : -over;
  return top + hole + m->size;
}

/* A fixed offset is looked at as a free one: the bound only gets weaker. */
static member member_of(const ash_place_reduced *in, const ash_place_rect *r) {
  const ash_place_item *x = &in->items[r->item];
  const bool is_free = x->fixed == ASH_FREE_OFFSET;
  const int64_t modulus = is_free ? x->modulus : 1;
  return (member){r->hi - r->lo, modulus, (x->residue + r->lo) % modulus};
}

/* One order of them, the strictest alignment first: the least end is not
 * higher. */
static int64_t some_end(const stack *s) {
  bool used[MEMBERS_MOST] = {false};
  int64_t top = 0;
  for (uint32_t k = 0; k < s->count; k++) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < s->count; i++)
      if (!used[i] &&
          (best == UINT32_MAX || s->list[i].modulus > s->list[best].modulus))
        best = i;
    used[best] = true;
    top = end_on(&s->list[best], top);
  }
  return top;
}

static int64_t least_end(const stack *s, int64_t *end) {
  ASH_ASSERT(0 < s->count && s->count <= MEMBERS_MOST);
  const uint32_t all = (1u << s->count) - 1;
  for (uint32_t set = 1; set <= all; set++) {
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < s->count; i++)
      if (set >> i & 1) {
        const int64_t top = end_on(&s->list[i], end[set ^ 1u << i]);
        least = top < least ? top : least;
      }
    end[set] = least;
  }
  return end[all];
}

static bool is_aligned(const ash_place_reduced *in) {
  for (uint32_t i = 0; i < in->item_count; i++)
    if (in->items[i].modulus > 1)
      return true;
  return false;
}

/* Fills the stacks of all moments; a count above the most: too many. */
static void fill(const ash_place_reduced *in, stack *stacks) {
  for (uint32_t i = 0; i < in->rect_count; i++)
    for (uint32_t s = in->rects[i].first; s < in->rects[i].last; s++) {
      if (stacks[s].count < MEMBERS_MOST)
        stacks[s].list[stacks[s].count] = member_of(in, &in->rects[i]);
      stacks[s].count++;
    }
}

static const uint32_t MOMENTS_MOST = 10000;

ash_status ash_place_bound_stack(ash_ctx *ctx, ash_place_bound *out,
                                 const ash_place_reduced *in) {
  if (in->problem->relation_count || in->moment_count > MOMENTS_MOST ||
      !is_aligned(in))
    return ASH_OK;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  stack *stacks = ASH_NEW_ARRAY(&ctx->scratch, stack, in->moment_count);
  int64_t *end = ASH_NEW_ARRAY(&ctx->scratch, int64_t, 1u << MEMBERS_MOST);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  fill(in, stacks);
  uint64_t work = 0;
  for (uint32_t s = 0; s < in->moment_count && work < WORK_MOST; s++) {
    if (stacks[s].count == 0 || stacks[s].count > MEMBERS_MOST ||
        (uint64_t)some_end(&stacks[s]) <= out->height)
      continue;
    const uint64_t height = (uint64_t)least_end(&stacks[s], end);
    work += (uint64_t)stacks[s].count << stacks[s].count;
    if (height <= out->height)
      continue;
    out->load[s] = out->height = height;
    out->moment = s;
    out->item = UINT32_MAX;
    out->stacked = true;
  }
  ash_zone_rewind(&ctx->scratch, mark);
  return ASH_OK;
}
