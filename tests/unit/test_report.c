/* test_report.c - the web page of a plan: complete in itself, with exactly the
 * plan in it, and safe whatever names a model has. */
#include "ashlar/compile.h"
#include "ashlar/report.h"
#include "check.h"

#define DIGITS TEST_SOURCE_DIR "/examples/digits/digits.tflite"

static ash_ctx *new_ctx(void) {
  ash_ctx *ctx;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  return ctx;
}

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

#define TESTS(X)                                                               \
  X(a_page_needs_no_other_file)                                                \
  X(the_plan_stands_in_it_without_blanks)                                      \
  X(names_cannot_leave_the_data)                                               \
  X(two_plans_stand_in_their_places)                                           \
  X(the_report_of_a_model_repeats)
TEST_MAIN(TESTS)
