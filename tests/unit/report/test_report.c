/* test_report.c - the web page of a plan: complete in itself, with exactly the
 * plan in it, and safe whatever names a model has. */
#include "ashlar/compile.h"
#include "ashlar/report.h"
#include "check.h"
#include "context.h"

#define DIGITS TEST_SOURCE_DIR "/examples/digits/digits.tflite"

/* The page for one JSON text. */
static const char *page_of(ash_ctx *ctx, const char *json) {
  const char *text;
  size_t count;
  CHECK_EQ(
      ash_report_html_json(ctx, &text, &count, json, strlen(json), NULL, 0),
      ASH_OK);
  CHECK_EQ(strlen(text), count);
  return text;
}

static size_t occurrences(const char *text, const char *part) {
  size_t n = 0;
  for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
    n++;
  return n;
}

static void a_page_needs_no_other_file(void) {
  ash_ctx *ctx = new_ctx();
  const char *page = page_of(ctx, "{}");
  CHECK(strstr(page, "src=") == NULL);
  CHECK(strstr(page, "<link") == NULL);
  CHECK(strstr(page, "http") == NULL);
  CHECK(strstr(page, "@import") == NULL);
  CHECK(strstr(page, "function readPlan") != NULL);
  CHECK(strstr(page, "class MemoryMap") != NULL);
  CHECK(strstr(page, "--activation:") != NULL);
  CHECK_EQ(occurrences(page, "<script"), occurrences(page, "</script>"));
  ash_ctx_free(ctx);
}

static void the_plan_stands_in_it_without_blanks(void) {
  ash_ctx *ctx = new_ctx();
  const char *page =
      page_of(ctx, "{\n  \"a b\": [1, 2],\n  \"c\": \"\\\" x\"\n}\n");
  CHECK(strstr(page, "id=\"plan\">{\"a b\":[1,2],\"c\":\"\\\" x\"}</script>"));
  CHECK(strstr(page, "id=\"other\"></script>"));
  ash_ctx_free(ctx);
}

static void names_cannot_leave_the_data(void) {
  ash_ctx *ctx = new_ctx();
  const size_t before = occurrences(page_of(ctx, "{}"), "</script>");
  const char *page = page_of(ctx, "{\"n\": \"</script><!-- \\</script>\"}");
  CHECK_EQ(occurrences(page, "</script>"), before);
  CHECK(strstr(page, "\"\\u003c/script>\\u003c!-- ") != NULL);
  ash_ctx_free(ctx);
}

static void two_plans_stand_in_their_places(void) {
  ash_ctx *ctx = new_ctx();
  const char *text;
  size_t count;
  CHECK_EQ(ash_report_html_json(ctx, &text, &count, "[1]", 3, "[2]", 3),
           ASH_OK);
  CHECK(strstr(text, "id=\"plan\">[1]</script>"));
  CHECK(strstr(text, "id=\"other\">[2]</script>"));
  ash_ctx_free(ctx);
}

static void the_report_of_a_model_repeats(void) {
  const char *texts[2];
  size_t counts[2];
  ash_ctx *ctx = new_ctx();
  for (int k = 0; k < 2; k++) {
    const ash_device *device;
    ash_compiled c;
    CHECK_EQ(ash_device_load(ctx, &device, "apollo510"), ASH_OK);
    CHECK_EQ(ash_compile(ctx, &c, DIGITS, device, NULL), ASH_OK);
    CHECK_EQ(ash_report_html(ctx, &texts[k], &counts[k], c.plan, c.graph),
             ASH_OK);
    ash_compiled_drop(&c);
  }
  CHECK_EQ(counts[0], counts[1]);
  CHECK(memcmp(texts[0], texts[1], counts[0]) == 0);
  CHECK(strstr(texts[0], "\"model\":\"digits\"") != NULL);
  ash_ctx_free(ctx);
}

/* A plan with one arena and tensors "a" (of these bytes) and `id` at 64. */
static void named_plan(char out[2048], const char *hash, unsigned size,
                       const char *id, const char *name) {
  (void)snprintf(
      out, 2048,
      "{\"schema\": \"ashlar-plan-1\", \"model\": \"m\", \"target\": \"t\","
      "\"verdict\": \"optimal\", \"plan_hash\": \"%s\","
      "\"tensor_layout_hash\": \"0\", \"arenas\": [{\"role\": \"scratch\","
      "\"memory\": \"L1\", \"size\": %u}], \"tensors\": ["
      "{\"id\": \"a\", \"name\": \"A\", \"role\": \"scratch\","
      "\"memory\": \"L1\", \"offset\": 0, \"size\": %u},"
      "{\"id\": \"%s\", \"name\": \"%s\", \"role\": \"scratch\","
      "\"memory\": \"L1\", \"offset\": 64, \"size\": 8}]}",
      hash, 64 + size, size, id, name);
}

static void small_plan(char out[2048], const char *hash, unsigned size,
                       const char *id) {
  named_plan(out, hash, size, id, id);
}

static ash_status diff_texts(ash_ctx *ctx, ash_plan_diff *d, const char *a,
                             const char *b) {
  const ash_plan_text before = {a, strlen(a), "a"}, after = {b, strlen(b), "b"};
  return ash_diff_plans(ctx, d, &before, &after);
}

static void tensors_are_the_same_by_name_where_it_is_unique(void) {
  ash_ctx *ctx = new_ctx();
  char a[2048], b[2048];
  ash_plan_diff d;
  named_plan(a, "x1", 16, "7", "conv");
  named_plan(b, "x2", 16, "9", "conv"); /* exported again */
  CHECK_EQ(diff_texts(ctx, &d, a, b), ASH_OK);
  CHECK_EQ(d.tensor_count, 0);
  named_plan(a, "x1", 16, "7", "A"); /* twice the same name: ids count */
  named_plan(b, "x2", 16, "9", "A");
  CHECK_EQ(diff_texts(ctx, &d, a, b), ASH_OK);
  CHECK_EQ(d.tensor_count, 2);
  ash_ctx_free(ctx);
}

static void a_diff_names_what_changed(void) {
  ash_ctx *ctx = new_ctx();
  char a[2048], b[2048];
  ash_plan_diff d;
  small_plan(a, "x1", 16, "b");
  small_plan(b, "x2", 48, "c");
  CHECK_EQ(diff_texts(ctx, &d, a, b), ASH_OK);
  CHECK_STR(d.before.plan_hash, "x1");
  CHECK_STR(d.after.plan_hash, "x2");
  CHECK_EQ(d.arena_count, 1);
  CHECK_EQ(d.arenas[0].before, 80);
  CHECK_EQ(d.arenas[0].after, 112);
  CHECK_EQ(d.tensor_count, 3);
  CHECK_EQ(d.tensors[0].kind, ASH_CHANGE_SIZE);
  CHECK_STR(d.tensors[0].id, "a");
  CHECK_EQ(d.tensors[1].kind, ASH_CHANGE_GONE);
  CHECK_STR(d.tensors[1].id, "b");
  CHECK(d.tensors[1].after.memory == NULL);
  CHECK_EQ(d.tensors[2].kind, ASH_CHANGE_NEW);
  CHECK_STR(d.tensors[2].id, "c");
  ash_ctx_free(ctx);
}

static void equal_plans_have_no_difference(void) {
  ash_ctx *ctx = new_ctx();
  char a[2048];
  ash_plan_diff d;
  small_plan(a, "x1", 16, "b");
  CHECK_EQ(diff_texts(ctx, &d, a, a), ASH_OK);
  CHECK_EQ(d.tensor_count, 0);
  CHECK_EQ(d.arenas[0].before, d.arenas[0].after);
  CHECK_EQ(diff_texts(ctx, &d, a, "[]"), ASH_MALFORMED);
  CHECK(d.tensors == NULL);
  ash_ctx_free(ctx);
}

#define TESTS(X)                                                               \
  X(a_page_needs_no_other_file)                                                \
  X(the_plan_stands_in_it_without_blanks)                                      \
  X(names_cannot_leave_the_data)                                               \
  X(two_plans_stand_in_their_places)                                           \
  X(the_report_of_a_model_repeats)                                             \
  X(tensors_are_the_same_by_name_where_it_is_unique)                           \
  X(a_diff_names_what_changed)                                                 \
  X(equal_plans_have_no_difference)
TEST_MAIN(TESTS)
