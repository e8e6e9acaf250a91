/* test_yaml.c - the YAML tree: structure, lines, limits, typed values. */
#include "base/number.h"
#include "base/yaml.h"
#include "check.h"

#include <math.h>

static ash_ctx *ctx;

/* Parses into the scratch zone; NULL when it fails. */
static const ash_yaml *parse_bytes(const char *text, size_t count) {
  const ash_yaml *root;
  ash_ctx_free(ctx);
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  const ash_status status =
      ash_yaml_parse(ctx, &root, &ctx->scratch, text, count, "f.yaml");
  CHECK((status == ASH_OK) == (root != NULL));
  CHECK((status == ASH_OK) == (ctx->diag_count == 0));
  return root;
}

static const ash_yaml *parse(const char *text) {
  return parse_bytes(text, strlen(text));
}

static void refuse(const char *text, ash_diag_id id, uint32_t line) {
  CHECK(parse(text) == NULL);
  CHECK_EQ(ctx->diag_count, 1);
  CHECK_EQ(ctx->diags[0].id, id);
  CHECK_EQ(ctx->diags[0].loc.line, line);
}

static void trees_keep_order_and_lines(void) {
  const ash_yaml *root = parse("# a comment\n"
                               "b: 1\n"
                               "a:\n"
                               "  - x\n"
                               "  - {k: 'v'}\n");
  CHECK_EQ(root->kind, ASH_YAML_MAP);
  CHECK_EQ(root->count, 2);
  CHECK_STR(root->first->key, "b");
  CHECK_EQ(root->first->line, 2);
  CHECK_STR(root->first->node->file, "f.yaml");
  const ash_yaml *a = ash_yaml_get(root, "a");
  CHECK(a && a->kind == ASH_YAML_LIST && a->count == 2 && a->weight == 4);
  CHECK_EQ(a->first->line, 4);
  CHECK(a->first->key == NULL);
  CHECK_STR(a->first->node->text, "x");
  CHECK_STR(ash_yaml_get(a->first->next->node, "k")->text, "v");
  CHECK(ash_yaml_get(a->first->next->node, "k")->quoted);
  CHECK(ash_yaml_get(a, "k") == NULL);
  CHECK(ash_yaml_get(root, "c") == NULL);
}

static void json_is_read_too(void) {
  const ash_yaml *root =
      parse("{\"a\":[1,2.5,-3e2,true,null,\"t\\u00b5\\n\\/\"],\n \"b\":{}}");
  const ash_yaml_item *i = ash_yaml_get(root, "a")->first;
  uint64_t u;
  double d;
  bool b;
  const char *s;
  CHECK_EQ(ash_yaml_u64(ctx, &u, i->node, "it"), ASH_OK);
  CHECK_EQ(u, 1);
  CHECK_EQ(ash_yaml_double(ctx, &d, i->next->node, "it"), ASH_OK);
  CHECK(d == 2.5);
  i = i->next->next;
  CHECK_EQ(ash_yaml_double(ctx, &d, i->node, "it"), ASH_OK);
  CHECK(d == -300);
  CHECK_EQ(ash_yaml_bool(ctx, &b, i->next->node, "it"), ASH_OK);
  CHECK(b && ash_yaml_is_null(i->next->next->node));
  CHECK_EQ(ash_yaml_string(ctx, &s, i->next->next->next->node, "it"), ASH_OK);
  CHECK_STR(s, "t\xc2\xb5\n/");
  CHECK_EQ(ash_yaml_get(root, "b")->count, 0);
}

static void empty_texts_are_null(void) {
  CHECK(ash_yaml_is_null(parse("")));
  CHECK(ash_yaml_is_null(parse("# only this\n")));
  CHECK(ash_yaml_is_null(parse("~")));
  CHECK(!ash_yaml_is_null(parse("''")));
  CHECK(!ash_yaml_is_null(parse("[]")));
}

static void wrong_syntax_says_where(void) {
  refuse("a: 1\nb: [1, 2\n", ASH_D_yaml_syntax, 3);
  refuse("a: 1\n\tb: 2\n", ASH_D_yaml_syntax, 2);
  refuse("a: \"\\q\"\n", ASH_D_yaml_syntax, 1);
  refuse("a: 1\n---\nb: 2\n", ASH_D_yaml_syntax, 2);
  refuse("a: \"x\\0y\"\n", ASH_D_yaml_syntax, 1);
  refuse("a: !!str 5\n", ASH_D_yaml_tag, 1);
  refuse("a: 1\n? [x]\n: 2\n", ASH_D_yaml_key, 2);
  refuse("a: &n 1\n? *n\n: 2\n", ASH_D_yaml_key, 2);
  CHECK(parse_bytes("a: \xff\n", 5) == NULL);
  CHECK_EQ(ctx->diags[0].loc.byte, 3);
  CHECK(parse_bytes("a: \0b\n", 6) == NULL);
}

static void keys_are_unique(void) {
  CHECK(parse("{a: 1, b: 2, A: 3}") != NULL);
  refuse("a: 1\nb: 2\na: 3\n", ASH_D_yaml_duplicate, 3);
  refuse("x:\n  c: 1\n  c: 1\n", ASH_D_yaml_duplicate, 3);
}

static void aliases_share_and_are_checked(void) {
  const ash_yaml *root = parse("a: &x [1, 2]\nb: *x\nc: &x 3\nd: *x\n");
  CHECK(ash_yaml_get(root, "a") == ash_yaml_get(root, "b"));
  CHECK_STR(ash_yaml_get(root, "d")->text, "3"); /* the newest of the name */
  CHECK_EQ(root->weight, 9);
  refuse("a: *x\n", ASH_D_yaml_alias, 1);
  refuse("a: &x [1, *x]\n", ASH_D_yaml_alias, 1);
}

static void a_billion_laughs_are_not_told(void) {
  char text[2000] = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n", line[100];
  for (int i = 1; i < 9; i++) {
    (void)snprintf(line, sizeof line,
                   "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,"
                   "*a%d]\n",
                   i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1,
                   i - 1, i - 1);
    strcat(text, line);
  }
  refuse(text, ASH_D_yaml_limit, 6);
}

static char *repeated(const char *part, size_t times) {
  const size_t bytes = strlen(part);
  char *text = malloc(times * bytes + 1);
  CHECK(text != NULL);
  for (size_t i = 0; i < times; i++)
    memcpy(text + i * bytes, part, bytes);
  text[times * bytes] = '\0';
  return text;
}

static void depth_nodes_and_anchors_are_limited(void) {
  char *deep = repeated("- ", ASH_YAML_DEPTH_MAX + 1);
  refuse(deep, ASH_D_yaml_limit, 1);
  deep[2 * ASH_YAML_DEPTH_MAX] = '\0';
  CHECK(parse(deep) != NULL);
  free(deep);
  deep = repeated("[", 1000000);
  refuse(deep, ASH_D_yaml_limit, 1);
  free(deep);
  char *wide = repeated("- 1\n", ASH_YAML_NODES_MAX);
  refuse(wide, ASH_D_yaml_limit, ASH_YAML_NODES_MAX);
  wide[4 * (ASH_YAML_NODES_MAX - 1)] = '\0';
  CHECK(parse(wide) != NULL);
  free(wide);
  char *anchors = repeated("- &a 1\n", ASH_YAML_ANCHORS_MAX + 1);
  refuse(anchors, ASH_D_yaml_limit, ASH_YAML_ANCHORS_MAX + 1);
  free(anchors);
}

static void values_have_the_kind_that_was_asked_for(void) {
  const ash_yaml *root = parse("u: 0x1F\ni: -7\nq: '5'\nf: 1.5\nb: true\n"
                               "n:\nl: [1]\nm: {}\nbig: 18446744073709551616\n"
                               "s: yes\n");
  uint64_t u;
  int64_t i;
  uint32_t w;
  double d;
  bool b;
  const char *s;
#define GET(key) ash_yaml_get(root, key)
  CHECK_EQ(ash_yaml_u64(ctx, &u, GET("u"), "u"), ASH_OK);
  CHECK_EQ(u, 31);
  CHECK_EQ(ash_yaml_i64(ctx, &i, GET("i"), "i"), ASH_OK);
  CHECK_EQ(i, -7);
  CHECK_EQ(ash_yaml_double(ctx, &d, GET("i"), "i"), ASH_OK);
  CHECK(d == -7);
  CHECK_EQ(ash_yaml_u32(ctx, &w, GET("u"), "u", 31), ASH_OK);
  CHECK_EQ(ash_yaml_string(ctx, &s, GET("f"), "f"), ASH_OK);
  CHECK_STR(s, "1.5");
  CHECK_EQ(ctx->diag_count, 0);
  CHECK_EQ(ash_yaml_u32(ctx, &w, GET("u"), "u", 30), ASH_MALFORMED);
  CHECK_EQ(ctx->diags[0].id, ASH_D_yaml_range);
  CHECK_EQ(ash_yaml_u64(ctx, &u, GET("i"), "i"), ASH_MALFORMED);
  CHECK_EQ(ash_yaml_u64(ctx, &u, GET("q"), "'q'"), ASH_MALFORMED);
  CHECK_STR(ctx->diags[2].message,
            "'q' must be an integer, 0 or more, not the text \"5\"");
  CHECK_EQ(ctx->diags[2].loc.line, 3);
  CHECK_EQ(ash_yaml_u64(ctx, &u, GET("big"), "big"), ASH_MALFORMED);
  CHECK_EQ(ash_yaml_i64(ctx, &i, GET("f"), "f"), ASH_MALFORMED);
  CHECK_EQ(ash_yaml_double(ctx, &d, GET("b"), "b"), ASH_MALFORMED);
  CHECK_EQ(ash_yaml_bool(ctx, &b, GET("s"), "s"), ASH_MALFORMED);
  CHECK_EQ(ash_yaml_string(ctx, &s, GET("n"), "n"), ASH_MALFORMED);
  CHECK_EQ(ash_yaml_string(ctx, &s, GET("l"), "l"), ASH_MALFORMED);
  CHECK_EQ(ash_yaml_want_map(ctx, GET("l"), "l"), ASH_MALFORMED);
  CHECK_EQ(ash_yaml_want_list(ctx, GET("m"), "m"), ASH_MALFORMED);
  CHECK_EQ(ash_yaml_want_map(ctx, GET("m"), "m"), ASH_OK);
  CHECK_EQ(ash_yaml_want_list(ctx, GET("l"), "l"), ASH_OK);
  CHECK_EQ(ctx->diag_count, 11);
#undef GET
}

static void keys_are_required_and_known(void) {
  static const char *const known[] = {"alpha", "beta"};
  const ash_yaml *root = parse("alpha: 1\nbeta: 2\n"), *node;
  CHECK_EQ(ash_yaml_check_keys(ctx, root, known, 2, "it"), ASH_OK);
  CHECK_EQ(ash_yaml_need(ctx, &node, root, "beta", "it"), ASH_OK);
  CHECK_EQ(ash_yaml_need(ctx, &node, root, "gamma", "it"), ASH_MALFORMED);
  CHECK_EQ(ctx->diags[0].id, ASH_D_yaml_missing);
  root = parse("alpha: 1\nbetta: 2\n");
  CHECK_EQ(ash_yaml_check_keys(ctx, root, known, 2, "it"), ASH_MALFORMED);
  CHECK_EQ(ctx->diags[0].loc.line, 2);
  CHECK_STR(ctx->diags[0].hint, "did you mean 'beta'?");
}

static void numbers_are_read_exactly(void) {
  int64_t i;
  double d;
  CHECK(ash_number_i64(&i, "-9223372036854775808") && i == INT64_MIN);
  CHECK(ash_number_i64(&i, "9223372036854775807") && i == INT64_MAX);
  CHECK(ash_number_i64(&i, "+5") && i == 5);
  CHECK(!ash_number_i64(&i, "9223372036854775808"));
  CHECK(!ash_number_i64(&i, "-9223372036854775809"));
  CHECK(!ash_number_i64(&i, "5x") && !ash_number_i64(&i, ""));
  CHECK(ash_number_double(&d, "-.inf") && d == -INFINITY);
  CHECK(ash_number_double(&d, ".nan") && isnan(d));
  CHECK(ash_number_double(&d, ".5e1") && d == 5);
  CHECK(!ash_number_double(&d, "1e") && !ash_number_double(&d, "."));
  CHECK(!ash_number_double(&d, "0x1p3") && !ash_number_double(&d, "nan"));
}

#define TESTS(X)                                                               \
  X(trees_keep_order_and_lines)                                                \
  X(json_is_read_too)                                                          \
  X(empty_texts_are_null)                                                      \
  X(wrong_syntax_says_where)                                                   \
  X(keys_are_unique)                                                           \
  X(aliases_share_and_are_checked)                                             \
  X(a_billion_laughs_are_not_told)                                             \
  X(depth_nodes_and_anchors_are_limited)                                       \
  X(values_have_the_kind_that_was_asked_for)                                   \
  X(keys_are_required_and_known)                                               \
  X(numbers_are_read_exactly)
TEST_MAIN(TESTS)
