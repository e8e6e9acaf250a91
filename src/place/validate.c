/* validate.c - says what is wrong with a packing problem, naming the buffer by
 * its index. A problem that passes can be solved without further checks of its
 * arithmetic: sums of sizes and alignments stay below 2^62. */
#include "base/checked.h"
#include "place/reduce.h"

static const uint64_t BYTES_LIMIT = (uint64_t)1 << 61;
static const uint64_t ALIGNMENT_LIMIT = (uint64_t)1 << 31;
static const uint64_t COUNT_LIMIT = (uint64_t)1 << 31;

static ash_loc at_buffer(size_t buffer) {
  ash_loc loc = ASH_NOWHERE;
  loc.tensor = (uint32_t)buffer;
  return loc;
}

static ash_status check_gaps(ash_ctx *ctx, const ash_buffer *b, size_t i) {
  ASH_ASSERT(b->lower <= b->upper);
  int64_t from = b->lower;
  for (size_t g = 0; g < b->gap_count; g++) {
    const ash_gap *gap = &b->gaps[g];
    if (gap->lower < from || gap->upper < gap->lower || gap->upper > b->upper)
      return ash_fail(ctx, ASH_MALFORMED, ASH_D_place_gap, at_buffer(i),
                      "gap %zu, [%lld, %lld), is out of order or outside the "
                      "lifetime [%lld, %lld)",
                      g, (long long)gap->lower, (long long)gap->upper,
                      (long long)b->lower, (long long)b->upper);
    if (gap->window_lo > gap->window_hi || gap->window_hi > b->size)
      return ash_fail(ctx, ASH_MALFORMED, ASH_D_place_gap, at_buffer(i),
                      "the window of gap %zu is not inside the buffer", g);
    from = gap->upper;
  }
  return ASH_OK;
}

static ash_status check_buffer(ash_ctx *ctx, const ash_buffer *b, size_t i) {
  if (b->upper < b->lower) {
    const ash_status status =
        ash_fail(ctx, ASH_MALFORMED, ASH_D_place_lifetime, at_buffer(i),
                 "lifetime [%lld, %lld) ends before it begins",
                 (long long)b->lower, (long long)b->upper);
    ash_hint(ctx, "lifetimes are half-open; upper is the first time at which "
                  "the buffer is no longer needed");
    return status;
  }
  if (b->offset != ASH_FREE_OFFSET && b->offset < 0)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_place_offset, at_buffer(i),
                    "fixed offset %lld is negative", (long long)b->offset);
  if (b->alignment >= ALIGNMENT_LIMIT)
    return ash_fail(ctx, ASH_LIMIT, ASH_D_place_limit, at_buffer(i),
                    "alignment %llu", (unsigned long long)b->alignment);
  return check_gaps(ctx, b, i);
}

static ash_status check_relation(ash_ctx *ctx, const ash_place_problem *p,
                                 size_t i) {
  ASH_ASSERT(i < p->relation_count);
  const ash_relation *r = &p->relations[i];
  if (r->a >= p->buffer_count || r->b >= p->buffer_count || r->a == r->b)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_place_relation, ASH_NOWHERE,
                    "relation %zu ties buffer %u to buffer %u; there are %zu "
                    "buffers",
                    i, (unsigned)r->a, (unsigned)r->b, p->buffer_count);
  if ((unsigned)r->kind > ASH_MAY_OVERLAP)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_place_relation, ASH_NOWHERE,
                    "relation %zu has the unknown kind %u", i,
                    (unsigned)r->kind);
  if (r->distance > (int64_t)BYTES_LIMIT || r->distance < -(int64_t)BYTES_LIMIT)
    return ash_fail(ctx, ASH_LIMIT, ASH_D_place_limit, ASH_NOWHERE,
                    "relation %zu has a distance beyond 2^61", i);
  return ASH_OK;
}

/* Everything that may add up to a height. */
static ash_status check_sum(ash_ctx *ctx, const ash_place_problem *p) {
  uint64_t sum = 0, count = p->buffer_count;
  for (size_t i = 0; i < p->buffer_count; i++) {
    const ash_buffer *b = &p->buffers[i];
    const uint64_t offset =
        b->offset == ASH_FREE_OFFSET ? 0 : (uint64_t)b->offset;
    count += b->gap_count;
    if (b->size > BYTES_LIMIT || offset > BYTES_LIMIT)
      return ash_fail(ctx, ASH_LIMIT, ASH_D_place_limit, at_buffer(i),
                      "size or offset beyond 2^61");
    sum += b->size + b->alignment + offset;
    if (sum > BYTES_LIMIT)
      return ash_fail(ctx, ASH_LIMIT, ASH_D_place_limit, at_buffer(i),
                      "the sizes up to here add up to more than 2^61");
  }
  for (size_t i = 0; i < p->relation_count; i++) {
    const int64_t d = p->relations[i].distance;
    sum += (uint64_t)(d < 0 ? -d : d);
    if (sum > BYTES_LIMIT)
      return ash_fail(ctx, ASH_LIMIT, ASH_D_place_limit, ASH_NOWHERE,
                      "the distances of the relations add up beyond 2^61");
  }
  if (count > COUNT_LIMIT || p->relation_count > COUNT_LIMIT)
    return ash_fail(ctx, ASH_LIMIT, ASH_D_place_limit, ASH_NOWHERE,
                    "more than 2^31 buffers, gaps or relations");
  return ASH_OK;
}

/* Lists that are announced are there. */
static bool has_lists(const ash_place_problem *p) {
  if ((p->buffer_count && !p->buffers) || (p->relation_count && !p->relations))
    return false;
  for (size_t i = 0; i < p->buffer_count; i++)
    if (p->buffers[i].gap_count && !p->buffers[i].gaps)
      return false;
  return true;
}

ash_status ash_place_validate(ash_ctx *ctx, const ash_place_problem *problem) {
  if (!has_lists(problem))
    return ash_fail(ctx, ASH_MISUSE, ASH_D_misuse, ASH_NOWHERE,
                    "buffers, relations or gaps are announced and not there");
  for (size_t i = 0; i < problem->buffer_count; i++)
    ASH_TRY(check_buffer(ctx, &problem->buffers[i], i));
  for (size_t i = 0; i < problem->relation_count; i++)
    ASH_TRY(check_relation(ctx, problem, i));
  return check_sum(ctx, problem);
}
