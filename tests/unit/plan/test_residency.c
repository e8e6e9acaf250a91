/* test_residency.c - residency files with one thing wrong, and what cannot be
 * hashed or written at all. */
#include "plan/file/residency.h"
#include "plan_net.h"

static net make(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), c = row_constant(&n, 64, 1);
  const uint32_t s = row_variable(&n, 64), r = row_read(&n, s);
  const uint32_t y = row_add(&n, row_add(&n, x, c), r);
  row_assign(&n, s, x);
  row_end(&n, y);
  return n;
}

/* The file of that net with the first `from` after `after` replaced; is it
 * refused, and how? 0: it is right. */
static uint32_t judged(const char *after, const char *from, const char *to) {
  net n = make();
  ash_text t;
  ash_text_init(&t, &n.ctx->mem);
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK_EQ(ash_residency_json(n.ctx, &t, p, "net"), ASH_OK);
  ash_text_put(&t, "", 1);
  CHECK(!t.failed);
  const char *start = strstr(t.bytes, after);
  const char *at = start ? strstr(start, from) : NULL;
  CHECK(at != NULL);
  char *copy = calloc(1, t.count + strlen(to) + 1);
  CHECK(copy != NULL);
  memcpy(copy, t.bytes, (size_t)(at - t.bytes));
  strcat(copy, to);
  strcat(copy, at + strlen(from));
  ash_ctx_forget(n.ctx);
  const ash_status status =
      ash_check_plan_json(n.ctx, copy, strlen(copy), "net_residency.json");
  const uint32_t id = status == ASH_OK ? 0 : last_diag(&n)->id;
  CHECK(status == ASH_OK || status == ASH_MALFORMED);
  free(copy);
  ash_text_drop(&t);
  net_free(&n);
  return id;
}

static void residency_files_are_judged(void) {
  CHECK_EQ(judged("{", "{", "{"), 0);
  CHECK_EQ(judged("schema_version", "4", "3"), 0);
  CHECK_EQ(judged("schema_version", "4", "5"), ASH_D_plan_json);
  CHECK_EQ(judged("schema_version", "4", "2"), ASH_D_plan_json);
  CHECK_EQ(judged("\"region_id\"", ": ", ": 7"), ASH_D_plan_json);
  CHECK_EQ(judged("\"tensors\"", "\"scratch\"", "\"stack\""), ASH_D_plan_json);
  CHECK_EQ(judged("\"tensors\"", "\"fast\"", "\"slow\""), ASH_D_plan_no_arena);
  CHECK_EQ(judged("\"tensors\"", "\"scratch\"", "\"constant\""),
           ASH_D_plan_no_arena);
  CHECK_EQ(judged("\"tensors\"", "\"offset\": ", "\"offset\": 9"),
           ASH_D_plan_beyond_arena);
  CHECK_EQ(judged("\"tensors\"", "\"size\": ", "\"size\": 9"),
           ASH_D_plan_beyond_arena);
  CHECK_EQ(judged("\"tensors\"", "\"size\": 64", "\"size\": 32"),
           ASH_D_plan_hash);
  CHECK_EQ(judged("\"plan_hash\"", ": \"", ": \"x"), ASH_D_plan_hash);
  CHECK_EQ(judged("\"tensor_layout_hash\"", ": \"", ": \"x"), ASH_D_plan_hash);
}

/* Every key is needed, and every list is one. */
static void keys_that_residency_files_need(void) {
  static const char *const keys[] = {
      "\"scratch\"",   "\"persistent\"",    "\"constant\"",
      "\"memory\"",    "\"used\"",          "\"alignment\"",
      "\"region_id\"", "\"source_memory\"", "\"arenas\"",
      "\"tensors\"",   "\"plan_hash\"",     "\"tensor_layout_hash\""};
  static const char *const own[] = {"\"id\"", "\"role\"", "\"memory\"",
                                    "\"offset\"", "\"size\""};
  for (size_t i = 0; i < ASH_COUNT_OF(keys); i++)
    CHECK(judged("{", keys[i], "\"another\"") != 0);
  for (size_t i = 0; i < ASH_COUNT_OF(own); i++)
    CHECK(judged("\"tensors\"", own[i], "\"another\"") != 0);
  CHECK(judged("{", "[", "3, \"more\": [") != 0);
  CHECK(judged("\"tensors\"", "[", "3, \"more\": [") != 0);
  CHECK(judged("\"tensors\"", "[", "[7, ") != 0);
  CHECK(judged("\"constant\"", "[", "[7, ") != 0);
  CHECK(judged("\"tensors\"", "\"offset\"", "\"row_offsets\": 3, \"offset\"") !=
        0);
  CHECK(judged("\"tensors\"", "\"offset\"",
               "\"row_offsets\": [true], \"offset\"") != 0);
  CHECK(judged("\"tensors\"", "\"offset\"",
               "\"row_offsets\": [99999], \"offset\"") != 0);
}

/* ---- hashes and files of plans ------------------------------------------- */

static void plans_without_names_cannot_be_hashed(void) {
  for (int i = 0; i < 5; i++) {
    net n = make();
    ash_plan p = *must_plan(&n, small_device(&n), NULL);
    ash_slot slots[16];
    ash_arena arenas[8];
    char plan[17], layout[17];
    memcpy(slots, p.slots, p.slot_count * sizeof *slots);
    memcpy(arenas, p.arenas, p.arena_count * sizeof *arenas);
    p.slots = slots;
    p.arenas = arenas;
    CHECK_EQ(ash_plan_hashes(n.ctx, plan, layout, &p), ASH_OK);
    CHECK_EQ(strlen(plan), 16);
    CHECK_EQ(strlen(layout), 16);
    if (i == 0)
      arenas[0].memory = NULL;
    else if (i == 1)
      arenas[0].source_memory = NULL;
    else if (i == 2)
      slots[0].id = NULL;
    else if (i == 3)
      slots[0].binding.memory = NULL;
    else
      p.slots = NULL;
    CHECK_EQ(ash_plan_hashes(n.ctx, plan, layout, &p),
             i < 4 ? ASH_MALFORMED : ASH_MISUSE);
    if (i < 4)
      CHECK_EQ(last_diag(&n)->id, ASH_D_plan_memory);
    net_free(&n);
  }
}

#define TESTS(X)                                                               \
  X(residency_files_are_judged)                                                \
  X(keys_that_residency_files_need)                                            \
  X(plans_without_names_cannot_be_hashed)
TEST_MAIN(TESTS)
