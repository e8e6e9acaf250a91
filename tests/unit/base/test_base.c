/* test_base.c - zones, text, JSON, SHA-256, sort, checked arithmetic, files. */
#include "base/checked.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "base/sort.h"
#include "base/text.h"
#include "check.h"
#include "context.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void sha256_gives_the_published_digests(void) {
  char hex[65];
  ash_sha256 h;
  ash_sha256_init(&h);
  ash_sha256_hex(&h, hex, 64);
  CHECK_STR(hex,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  ash_sha256_init(&h);
  for (int i = 0; i < 1000; i++)
    ash_sha256_add(&h, "aaaaaaaaaa", 10);
  ash_sha256_hex(&h, hex, 16);
  CHECK_STR(hex, "27dd1f61b867b6a0"); /* of 10 000 times 'a' */
}

static void sha256_gives_heliaaots_plan_hash(void) {
  static const char text[] =
      "scratch|DTCM|DTCM|14976|16|0;constant|MRAM|MRAM|25380|16|0;";
  char hex[17];
  ash_sha256 h;
  ash_sha256_init(&h);
  ash_sha256_add(&h, text, sizeof text - 1);
  ash_sha256_hex(&h, hex, 16);
  CHECK_STR(hex, "5d2b8211f7f2f774");
}

static void zone_zeroes_aligns_and_rewinds(void) {
  ash_ctx *ctx = new_ctx();
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  for (size_t i = 1; i < 3000; i++) {
    unsigned char *bytes = ASH_NEW_ARRAY(&ctx->scratch, unsigned char, i);
    uint64_t *word = ASH_NEW(&ctx->scratch, uint64_t);
    CHECK((uintptr_t)word % _Alignof(uint64_t) == 0);
    CHECK(*word == 0 && bytes[i - 1] == 0);
    memset(bytes, 0xff, i);
  }
  ash_zone_rewind(&ctx->scratch, mark);
  CHECK(ctx->scratch.newest == NULL);
  ash_ctx_free(ctx);
}

static void zone_failure_is_sticky(void) {
  ash_ctx *ctx = new_ctx();
  CHECK(ash_zone_alloc(&ctx->scratch, SIZE_MAX / 8, 16, 16) == NULL);
  CHECK(ctx->scratch.failed);
  CHECK_EQ(ash_zone_check(ctx, &ctx->scratch), ASH_NOMEM);
  ash_ctx_free(ctx);
}

static int by_first(const void *a, const void *b, const void *user) {
  (void)user;
  return ((const int *)a)[0] - ((const int *)b)[0];
}

static void sort_is_stable_and_sorts(void) {
  ash_rng rng = {7};
  static int items[1000][2], spare[1000][2];
  for (size_t count = 0; count < 1000; count += 37) {
    for (size_t i = 0; i < count; i++) {
      items[i][0] = (int)ash_rng_below(&rng, 20);
      items[i][1] = (int)i;
    }
    ash_sort(items, spare, count, sizeof items[0], by_first, NULL);
    for (size_t i = 1; i < count; i++) {
      CHECK(items[i - 1][0] <= items[i][0]);
      CHECK(items[i - 1][0] < items[i][0] || items[i - 1][1] < items[i][1]);
    }
  }
}

static void checked_arithmetic_sees_overflow(void) {
  uint64_t out;
  CHECK(ash_add_u64(&out, UINT64_MAX - 1, 1) && out == UINT64_MAX);
  CHECK(!ash_add_u64(&out, UINT64_MAX, 1));
  CHECK(ash_mul_u64(&out, UINT64_MAX, 0) && out == 0);
  CHECK(!ash_mul_u64(&out, (uint64_t)1 << 32, (uint64_t)1 << 32));
  CHECK(ash_align_up_u64(&out, 17, 16) && out == 32);
  CHECK(!ash_align_up_u64(&out, UINT64_MAX, 16));
}

static void json_nests_and_escapes(void) {
  ash_ctx *ctx = new_ctx();
  ash_text t;
  ash_json j;
  ash_text_init(&t, &ctx->mem);
  ash_json_init(&j, &t);
  ash_json_open(&j, NULL, '{');
  ash_json_string(&j, "a\"b", "x\ny");
  ash_json_open_inline(&j, "list", '[');
  ash_json_int(&j, NULL, -1);
  ash_json_double(&j, NULL, 0.1);
  ash_json_close(&j, ']');
  ash_json_open(&j, "empty", '{');
  ash_json_close(&j, '}');
  ash_json_bool(&j, "yes", true);
  ash_json_close(&j, '}');
  ash_text_put(&t, "", 1);
  CHECK_STR(t.bytes, "{\n  \"a\\\"b\": \"x\\u000ay\",\n  \"list\": [-1, 0.1],\n"
                     "  \"empty\": {},\n  \"yes\": true\n}\n");
  ash_text_drop(&t);
  ash_ctx_free(ctx);
}

static void floats_read_back_exactly(void) {
  ash_ctx *ctx = new_ctx();
  ash_rng rng = {3};
  ash_text t;
  ash_text_init(&t, &ctx->mem);
  for (int i = 0; i < 20000; i++) {
    const uint32_t bits = (uint32_t)ash_rng_next(&rng);
    float f;
    memcpy(&f, &bits, sizeof f);
    if (f != f || f - f != 0)
      continue;
    t.count = 0;
    ash_text_float(&t, f);
    ash_text_put(&t, "", 1);
    CHECK(strtof(t.bytes, NULL) == f);
  }
  ash_text_drop(&t);
  ash_ctx_free(ctx);
}

static void diagnostics_print_their_path(void) {
  ash_ctx *ctx = new_ctx();
  char buf[200];
  size_t count;
  ash_loc at = ASH_NOWHERE;
  at.file = "m.tflite";
  at.op = 17;
  at.op_kind = "conv_2d";
  (void)ash_fail(ctx, ASH_MALFORMED, ASH_D_misuse, at, "dilation %d", 2);
  ash_hint(ctx, "use 1");
  const ash_diag *d = ash_ctx_diags(ctx, &count);
  CHECK_EQ(count, 1);
  (void)ash_diag_format(buf, sizeof buf, d);
  CHECK_STR(buf, "m.tflite: op 17 conv_2d: error ASH1002: dilation 2\n"
                 "  hint: use 1");
  (void)ash_diag_format(buf, 10, d); /* cut, never overrun */
  CHECK_EQ(strlen(buf), 9);
  ash_ctx_free(ctx);
}

static void diagnostic_ids_are_unique_and_explained(void) {
  for (size_t i = 0; ash_explain_id(i); i++) {
    const uint32_t id = ash_explain_id(i);
    CHECK(ash_explain_title(id) && strlen(ash_explain_text(id)) > 40);
    for (size_t k = 0; k < i; k++)
      CHECK(ash_explain_id(k) != id);
  }
}

/* Escape sequences and marks that turn text around become question marks. */
static void names_lose_what_terminals_obey(void) {
  static const struct {
    const char *raw, *clean;
  } all[] = {{"conv/relu", "conv/relu"},
             {"a\033[31mb\x7f", "a?[31mb?"},
             {"\xc2\x9b"
              "31m",
              "?31m"}, /* CSI         */
             {"x\xe2\x80\xae"
              "gpj.exe",
              "x?gpj.exe"},                               /* U+202E      */
             {"\xd8\x9c\xe2\x80\x8f\xe2\x81\xa6", "???"}, /* other marks */
             {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
              "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"}, /* stay        */
             {"\xff\xc3", "??"},                            /* not UTF-8   */
             {"a\nb\tc", "a\nb?c"}};
  for (size_t i = 0; i < ASH_COUNT_OF(all); i++) {
    char text[64];
    (void)snprintf(text, sizeof text, "%s", all[i].raw);
    ash_text_clean(text, "\n");
    CHECK_STR(text, all[i].clean);
  }
}

static void diagnostics_do_not_command_the_terminal(void) {
  ash_ctx *ctx = new_ctx();
  char line[256];
  size_t count;
  CHECK_EQ(ash_fail(ctx, ASH_MALFORMED, ASH_D_file_open, ASH_NOWHERE,
                    "no operator '%s'", "\033]0;x\007\xe2\x80\xae"),
           ASH_MALFORMED);
  ash_hint(ctx, "try '%s'",
           "\xc2\x9b"
           "2J");
  const ash_diag *diags = ash_ctx_diags(ctx, &count);
  CHECK_EQ(count, 1);
  (void)ash_diag_format(line, sizeof line, &diags[0]);
  CHECK(strstr(line, "no operator '?]0;x?\?'") != NULL);
  CHECK(strstr(line, "\n  hint: try '?2J'") != NULL);
  ash_ctx_free(ctx);
}

/* What a model names must be a file in its folder, not a way out of it, nor a
 * pipe that never ends. */
static void files_beside_a_model_are_files(void) {
  ash_ctx *ctx = new_ctx();
  char dir[] = "/tmp/ashlar-test-XXXXXX", model[64], path[4][64];
  static const char *const names[] = {"good", "pipe", "out", "link"};
  ash_file file;
  CHECK(mkdtemp(dir) != NULL);
  (void)snprintf(model, sizeof model, "%s/model.onnx", dir);
  for (size_t i = 0; i < 4; i++)
    (void)snprintf(path[i], sizeof path[i], "%s/%s", dir, names[i]);
  FILE *good = fopen(path[0], "wb");
  CHECK(good && fputs("abc", good) >= 0 && fclose(good) == 0);
  CHECK_EQ(mkfifo(path[1], 0600), 0);
  CHECK_EQ(symlink("/etc/passwd", path[2]), 0);
  CHECK_EQ(symlink(".", path[3]), 0);
  CHECK_EQ(ash_file_read_beside(ctx, &file, model, "good"), ASH_OK);
  CHECK_EQ(file.count, 3);
  ash_file_drop(&file);
  CHECK_EQ(ash_file_read_beside(ctx, &file, model, "link/good"), ASH_IO);
  CHECK_EQ(ash_file_read_beside(ctx, &file, model, "pipe"), ASH_IO);
  CHECK_EQ(ash_file_read_beside(ctx, &file, model, "out"), ASH_IO);
  CHECK_EQ(ash_file_read_beside(ctx, &file, model, "none"), ASH_IO);
  for (size_t i = 0; i < 4; i++)
    CHECK_EQ(unlink(path[i]), 0);
  CHECK_EQ(rmdir(dir), 0);
  ash_ctx_free(ctx);
}

static void outputs_appear_together_or_not_at_all(void) {
  ash_ctx *ctx = new_ctx();
  char dir[] = "/tmp/ashlar-test-XXXXXX", path[64], bad[64];
  CHECK(mkdtemp(dir) != NULL);
  (void)snprintf(path, sizeof path, "%s/sub/a.txt", dir);
  (void)snprintf(bad, sizeof bad, "%s/sub", dir); /* a folder: cannot rename */
  ash_output out;
  ash_output_init(&out, ctx, &ctx->keep);
  CHECK_EQ(ash_output_add(&out, path, "hello", 5), ASH_OK);
  CHECK_EQ(access(path, F_OK), -1);
  CHECK_EQ(ash_output_commit(&out), ASH_OK);
  CHECK_EQ(access(path, F_OK), 0);
  ash_output_init(&out, ctx, &ctx->keep);
  CHECK_EQ(ash_output_add(&out, bad, "x", 1), ASH_OK);
  CHECK_EQ(ash_output_commit(&out), ASH_IO);
  ash_output_abandon(&out);
  ash_file file;
  CHECK_EQ(ash_file_read(ctx, &file, path), ASH_OK);
  CHECK(file.count == 5 && memcmp(file.bytes, "hello", 5) == 0);
  ash_file_drop(&file);
  CHECK_EQ(ash_file_read(ctx, &file, dir), ASH_IO);
  CHECK_EQ(unlink(path), 0);
  CHECK_EQ(rmdir(bad), 0);
  CHECK_EQ(rmdir(dir), 0);
  ash_ctx_free(ctx);
}

static void check_text(ash_ctx *ctx, const char *path, const char *want) {
  ash_file file;
  CHECK_EQ(ash_file_read(ctx, &file, path), ASH_OK);
  CHECK(file.count == strlen(want) &&
        memcmp(file.bytes, want, file.count) == 0);
  ash_file_drop(&file);
}

static size_t files_in(const char *folder) {
  size_t count = 0;
  DIR *d = opendir(folder);
  CHECK(d != NULL);
  for (const struct dirent *e; (e = readdir(d)) != NULL;)
    count += e->d_name[0] != '.';
  (void)closedir(d);
  return count;
}

/* The third of four files cannot be put in place: the first two come back. */
static void a_failed_commit_puts_back_what_it_replaced(void) {
  ash_ctx *ctx = new_ctx();
  char dir[] = "/tmp/ashlar-test-XXXXXX", path[4][64];
  CHECK(mkdtemp(dir) != NULL);
  ash_output out;
  for (int round = 0; round < 2; round++) {
    ash_output_init(&out, ctx, &ctx->scratch);
    for (int i = 0; i < 4; i++) {
      (void)snprintf(path[i], sizeof path[i], "%s/new/%d", dir, i);
      if (round == 0 && i == 1)
        continue; /* did not exist before */
      CHECK_EQ(ash_output_add(&out, path[i], round ? "new" : "old", 3), ASH_OK);
    }
    if (round)
      CHECK_EQ(unlink(out.files.items[2].temporary), 0);
    CHECK_EQ(ash_output_commit(&out), round ? ASH_IO : ASH_OK);
    ash_output_abandon(&out);
  }
  check_text(ctx, path[0], "old");
  CHECK(access(path[1], F_OK) != 0);
  check_text(ctx, path[2], "old");
  check_text(ctx, path[3], "old");
  (void)snprintf(path[1], sizeof path[1], "%s/new", dir);
  CHECK_EQ(files_in(path[1]), 3);
  for (int i = 0; i < 4; i++)
    if (i != 1)
      CHECK_EQ(unlink(path[i]), 0);
  CHECK_EQ(rmdir(path[1]), 0);
  CHECK_EQ(rmdir(dir), 0);
  ash_ctx_free(ctx);
}

static void two_writers_of_the_same_files_do_not_meet(void) {
  ash_ctx *ctx = new_ctx();
  char dir[] = "/tmp/ashlar-test-XXXXXX", path[64];
  CHECK(mkdtemp(dir) != NULL);
  (void)snprintf(path, sizeof path, "%s/file", dir);
  ash_output a, b;
  ash_output_init(&a, ctx, &ctx->scratch);
  ash_output_init(&b, ctx, &ctx->scratch);
  CHECK_EQ(ash_output_add(&a, path, "first", 5), ASH_OK);
  CHECK_EQ(ash_output_add(&b, path, "second", 6), ASH_OK);
  CHECK_EQ(ash_output_commit(&a), ASH_OK);
  ash_output_abandon(&a);
  check_text(ctx, path, "first");
  CHECK_EQ(ash_output_commit(&b), ASH_OK);
  ash_output_abandon(&b);
  check_text(ctx, path, "second");
  CHECK_EQ(files_in(dir), 1);
  CHECK_EQ(unlink(path), 0);
  CHECK_EQ(rmdir(dir), 0);
  ash_ctx_free(ctx);
}

static void folders_made_in_vain_go_again(void) {
  ash_ctx *ctx = new_ctx();
  char dir[] = "/tmp/ashlar-test-XXXXXX", path[64];
  CHECK(mkdtemp(dir) != NULL);
  (void)snprintf(path, sizeof path, "%s/a/b/file", dir);
  ash_output out;
  ash_output_init(&out, ctx, &ctx->scratch);
  CHECK_EQ(ash_output_add(&out, path, "text", 4), ASH_OK);
  ash_output_abandon(&out);
  CHECK_EQ(files_in(dir), 0);
  CHECK_EQ(rmdir(dir), 0);
  ash_ctx_free(ctx);
}

static void options_of_older_callers_are_read_as_far_as_they_go(void) {
  struct {
    size_t struct_bytes;
    int a, b;
  } to = {0, 1, 2}, from = {0, 7, 8};
  from.struct_bytes = (size_t)((char *)&from.b - (char *)&from);
  ash_take_options(&to, sizeof to, &from);
  CHECK(to.a == 7 && to.b == 2);
  from.struct_bytes = 0; /* all of this version */
  ash_take_options(&to, sizeof to, &from);
  CHECK_EQ(to.b, 8);
  from.struct_bytes = sizeof from + 100; /* a newer caller */
  from.b = 9;
  ash_take_options(&to, sizeof to, &from);
  CHECK_EQ(to.b, 9);
  ash_take_options(&to, sizeof to, NULL);
  CHECK_EQ(to.b, 9);
}

#define TESTS(X)                                                               \
  X(sha256_gives_the_published_digests)                                        \
  X(sha256_gives_heliaaots_plan_hash)                                          \
  X(zone_zeroes_aligns_and_rewinds)                                            \
  X(zone_failure_is_sticky)                                                    \
  X(sort_is_stable_and_sorts)                                                  \
  X(checked_arithmetic_sees_overflow)                                          \
  X(json_nests_and_escapes)                                                    \
  X(floats_read_back_exactly)                                                  \
  X(diagnostics_print_their_path)                                              \
  X(diagnostic_ids_are_unique_and_explained)                                   \
  X(names_lose_what_terminals_obey)                                            \
  X(diagnostics_do_not_command_the_terminal)                                   \
  X(files_beside_a_model_are_files)                                            \
  X(outputs_appear_together_or_not_at_all)                                     \
  X(a_failed_commit_puts_back_what_it_replaced)                                \
  X(two_writers_of_the_same_files_do_not_meet)                                 \
  X(folders_made_in_vain_go_again)                                             \
  X(options_of_older_callers_are_read_as_far_as_they_go)
TEST_MAIN(TESTS)
