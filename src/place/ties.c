/* ties.c - union-find weighted with distances. Each root knows which residue
 * its own offset must have so that every member is aligned: two such conditions
 * merge by the Chinese remainder theorem, or contradict each other. */
#include "place/ties.h"
#include "base/checked.h"

static const int64_t MODULUS_LIMIT = (int64_t)1 << 31;

ash_status ash_place_ties_init(ash_ctx *ctx, ash_place_ties *r,
                               const ash_place_problem *problem) {
  const size_t n = problem->buffer_count;
  *r = (ash_place_ties){.parent = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, n),
                        .delta = ASH_NEW_ARRAY(&ctx->scratch, int64_t, n),
                        .modulus = ASH_NEW_ARRAY(&ctx->scratch, int64_t, n),
                        .residue = ASH_NEW_ARRAY(&ctx->scratch, int64_t, n)};
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0; i < n; i++) {
    const uint64_t alignment = problem->buffers[i].alignment;
    ASH_ASSERT(alignment < (uint64_t)1 << 31);
    r->parent[i] = (uint32_t)i;
    r->modulus[i] = alignment ? (int64_t)alignment : 1;
  }
  return ASH_OK;
}

uint32_t ash_place_ties_find(ash_place_ties *r, uint32_t b, int64_t *delta) {
  int64_t sum = 0;
  uint32_t at = b;
  while (r->parent[at] != at) {
    const uint32_t up = r->parent[at];
    if (r->parent[up] != up) { /* halve the path as it is walked */
      r->delta[at] += r->delta[up];
      r->parent[at] = r->parent[up];
    }
    sum += r->delta[at];
    at = r->parent[at];
  }
  *delta = sum;
  return at;
}

/* gcd, and x with a * x == gcd (mod b). */
static int64_t extended_gcd(int64_t a, int64_t b, int64_t *x) {
  ASH_ASSERT(a > 0 && b > 0);
  int64_t x0 = 1, x1 = 0;
  while (b) {
    const int64_t q = a / b, rest = a % b, next = x0 - q * x1;
    a = b;
    b = rest;
    x0 = x1;
    x1 = next;
  }
  *x = x0;
  return a;
}

typedef enum merged { MERGED, CONTRADICTION, TOO_LARGE } merged;

/* x == r1 (mod m1) and x == r2 (mod m2), as one congruence. */
static merged merge(int64_t *m1, int64_t *r1, int64_t m2, int64_t r2) {
  ASH_ASSERT(0 <= *r1 && *r1 < *m1);
  ASH_ASSERT(0 <= r2 && r2 < m2);
  int64_t inverse;
  const int64_t gcd = extended_gcd(*m1, m2, &inverse);
  if (gcd <= 0 || ash_floor_mod(r2 - *r1, gcd) != 0)
    return CONTRADICTION;
  const int64_t step = m2 / gcd;
  if (*m1 > MODULUS_LIMIT / step)
    return TOO_LARGE;
  const int64_t k = ash_floor_mod(ash_floor_mod((r2 - *r1) / gcd, step) *
                                      ash_floor_mod(inverse, step),
                                  step);
  *r1 = *r1 + k * *m1;
  *m1 *= step;
  *r1 = ash_floor_mod(*r1, *m1);
  ASH_ASSERT(ash_floor_mod(*r1 - r2, m2) == 0);
  return MERGED;
}

/* What merging b's root under a's root would give; *shift is the offset of
 * b's root relative to a's root. */
static merged try_tie(ash_place_ties *r, uint32_t a, uint32_t b,
                      int64_t distance, int64_t *shift, int64_t *modulus,
                      int64_t *residue) {
  int64_t da, db;
  const uint32_t ra = ash_place_ties_find(r, a, &da);
  const uint32_t rb = ash_place_ties_find(r, b, &db);
  *shift = da + distance - db;
  *modulus = r->modulus[ra];
  *residue = r->residue[ra];
  if (ra == rb)
    return *shift == 0 ? MERGED : CONTRADICTION;
  return merge(modulus, residue, r->modulus[rb],
               ash_floor_mod(r->residue[rb] - *shift, r->modulus[rb]));
}

ash_status ash_place_ties_tie(ash_ctx *ctx, ash_place_ties *r, uint32_t a,
                              uint32_t b, int64_t distance) {
  int64_t shift, modulus, residue, ignored;
  const merged result = try_tie(r, a, b, distance, &shift, &modulus, &residue);
  if (result == TOO_LARGE)
    return ash_fail(ctx, ASH_LIMIT, ASH_D_place_limit, ASH_NOWHERE,
                    "the alignments of buffers tied to buffer %u have a common "
                    "multiple above 2^31",
                    (unsigned)a);
  if (result == CONTRADICTION) {
    r->impossible = true;
    return ASH_OK;
  }
  const uint32_t ra = ash_place_ties_find(r, a, &ignored);
  const uint32_t rb = ash_place_ties_find(r, b, &ignored);
  ASH_ASSERT(0 <= residue && residue < modulus);
  r->modulus[ra] = modulus;
  r->residue[ra] = residue;
  if (ra == rb)
    return ASH_OK;
  ASH_ASSERT(r->parent[ra] == ra && r->parent[rb] == rb);
  r->parent[rb] = ra;
  r->delta[rb] = shift;
  return ASH_OK;
}
