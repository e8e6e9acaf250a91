/* test_lifetime.c - lifetimes and allocations of tensors that share storage:
 * heliaAOT's merge_alias_lifetimes_to_fixed_point and
 * populate_alias_allocations. */
#include "plan/planner.h"
#include "plan_net.h"

/* ---- merge_alias_lifetimes_to_fixed_point -------------------------------- */

static void
merge_alias_lifetimes_to_fixed_point_follows_chains_and_trees(void) {
  ash_lifetime chain[] = {{4, 5}, {1, 2}, {7, 9}, {3, 4}};
  const uint32_t links[] = {ASH_NO_ID, 0, 1, 4}; /* the last: to nothing */
  ash_merge_alias_lifetimes(chain, links, 4);
  for (int i = 0; i < 3; i++)
    CHECK(chain[i].first_step == 1 && chain[i].end_step == 9);
  CHECK(chain[3].first_step == 3 && chain[3].end_step == 4);
  ash_lifetime tree[] = {{2, 3}, {5, 6}, {0, 1}};
  const uint32_t root[] = {ASH_NO_ID, 0, 0};
  ash_merge_alias_lifetimes(tree, root, 3);
  for (int i = 0; i < 3; i++)
    CHECK(tree[i].first_step == 0 && tree[i].end_step == 6);
}

/* Brute force: j is reached from i over links in either direction. */
static void reach(bool near[5][5], const uint32_t *links, int count) {
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      near[i][j] = i == j || links[i] == (uint32_t)j || links[j] == (uint32_t)i;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++)
        near[i][j] |= near[i][k] && near[k][j];
}

static bool has_circle(const uint32_t *links, int count) {
  for (int i = 0; i < count; i++) {
    uint32_t at = (uint32_t)i;
    int hops = 0;
    while (links[at] != ASH_NO_ID && hops++ <= count)
      at = links[at];
    if (hops > count)
      return true;
  }
  return false;
}

static void compare_with_reach(const uint32_t *links, int count,
                               const ash_lifetime *lives) {
  bool near[5][5];
  ash_lifetime got[5];
  memcpy(got, lives, sizeof got);
  reach(near, links, count);
  ash_merge_alias_lifetimes(got, links, (size_t)count);
  for (int i = 0; i < count; i++) {
    ash_lifetime want = lives[i];
    for (int j = 0; j < count; j++) {
      if (near[i][j] && lives[j].first_step < want.first_step)
        want.first_step = lives[j].first_step;
      if (near[i][j] && lives[j].end_step > want.end_step)
        want.end_step = lives[j].end_step;
    }
    CHECK_EQ(got[i].first_step, want.first_step);
    CHECK_EQ(got[i].end_step, want.end_step);
  }
}

/* All forests over up to 5 tensors (each links to another or to none, no
 * circles), with all lives out of three for each tensor. */
static void
merge_alias_lifetimes_to_fixed_point_is_brute_force_on_every_forest(void) {
  static const ash_lifetime some[] = {{0, 1}, {2, 3}, {1, 4}};
  unsigned long forests = 0;
  for (int count = 1; count <= 5; count++) {
    unsigned long codes = 1, lives = 1;
    for (int i = 0; i < count; i++)
      codes *= (unsigned)count + 1, lives *= 3;
    for (unsigned long code = 0; code < codes; code++) {
      uint32_t links[5];
      unsigned long rest = code;
      for (int i = 0; i < count; i++, rest /= (unsigned)count + 1) {
        const uint32_t to = (uint32_t)(rest % ((unsigned)count + 1));
        links[i] = to == (uint32_t)count ? ASH_NO_ID : to;
      }
      if (has_circle(links, count))
        continue;
      forests++;
      for (unsigned long life = 0; life < lives; life++) {
        ash_lifetime all[5] = {{0, 0}};
        unsigned long left = life;
        for (int i = 0; i < count; i++, left /= 3)
          all[i] = some[left % 3];
        compare_with_reach(links, count, all);
      }
    }
  }
  CHECK_EQ(forests, 1 + 3 + 16 + 125 + 1296); /* (n + 1)^(n - 1) each */
}

/* ---- populate_alias_allocations ------------------------------------------ */

static void populate_alias_allocations_reuses_root_allocations(void) {
  ash_slot s[4] = {{.alias_of = 1, .alias_offset = 32, .size = 8},
                   {.alias_of = 2, .alias_offset = 64, .size = 64},
                   {.alias_of = ASH_NO_ID,
                    .size = 256,
                    .bound = true,
                    .binding = {ASH_SCRATCH, "DTCM", 4096, "DTCM"}},
                   {.alias_of = ASH_NO_ID, .size = 8}};
  uint64_t at;
  CHECK_EQ(ash_alias_root(s, 4, 0, &at), 2);
  CHECK_EQ(at, 96);
  ash_populate_alias_allocations(s, 4);
  CHECK(s[0].bound && s[0].binding.offset == 4096 + 96);
  CHECK(s[1].bound && s[1].binding.offset == 4096 + 64);
  CHECK_STR(s[0].binding.memory, "DTCM");
  CHECK(!s[3].bound);
  s[2].alias_of = 0; /* a circle is no root */
  CHECK_EQ(ash_alias_root(s, 4, 0, NULL), ASH_NO_ID);
}

#define TESTS(X)                                                               \
  X(merge_alias_lifetimes_to_fixed_point_follows_chains_and_trees)             \
  X(merge_alias_lifetimes_to_fixed_point_is_brute_force_on_every_forest)       \
  X(populate_alias_allocations_reuses_root_allocations)
TEST_MAIN(TESTS)
