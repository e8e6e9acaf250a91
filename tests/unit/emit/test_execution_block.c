/* test_execution_block.c - Deeploy's execution blocks: the methods of the
 * passthrough pass and of the allocation pass it comes from, one test or more
 * for each. */
#include "ashlar/block.h"
#include "check.h"

typedef struct scene {
  ash_ctx *ctx;
  ash_scope *scope;
  ash_block *block;
} scene;

static scene open_scene(void) {
  scene s;
  CHECK_EQ(ash_ctx_new(&s.ctx, NULL), ASH_OK);
  CHECK_EQ(ash_scope_new(s.ctx, &s.scope), ASH_OK);
  CHECK_EQ(ash_block_new(s.scope, &s.block), ASH_OK);
  return s;
}

static void close_scene(scene *s) {
  ash_ctx_free(s->ctx);
}

static uint32_t add(scene *s, ash_block_buffer b) {
  uint32_t id;
  CHECK_EQ(ash_scope_add(s->scope, &id, &b), ASH_OK);
  return id;
}

/* A buffer in a memory that the listed nodes read; end the list with -1. */
static uint32_t variable(scene *s, const char *name, const char *memory,
                         uint64_t bytes, int user) {
  const uint32_t users[1] = {(uint32_t)user};
  return add(s, (ash_block_buffer){.name = name,
                                   .type = "int8_t",
                                   .memory = memory,
                                   .bytes = bytes,
                                   .place = "0",
                                   .base = ASH_NO_ID,
                                   .users = users,
                                   .user_count = user >= 0});
}

static uint32_t transient(scene *s, const char *name, const char *memory,
                          uint64_t bytes, uint32_t user) {
  return add(s, (ash_block_buffer){.name = name,
                                   .kind = ASH_BUFFER_TRANSIENT,
                                   .memory = memory,
                                   .bytes = bytes,
                                   .base = ASH_NO_ID,
                                   .users = &user,
                                   .user_count = 1});
}

static void refer(ash_block *b, const uint32_t *ids, size_t count) {
  ash_snippet_part parts[8];
  CHECK(count <= 6);
  for (size_t i = 0; i < count; i++)
    parts[i] = (ash_snippet_part){i ? ", " : "f(", ids[i], false};
  parts[count] = (ash_snippet_part){");", ASH_NO_ID, false};
  CHECK_EQ(ash_block_add(b, ASH_BLOCK_RIGHT, parts, count + 1), ASH_OK);
}

#define REFER(block, ...)                                                      \
  refer(block, (const uint32_t[]){__VA_ARGS__},                                \
        sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void gives(const ash_block *b, const char *want) {
  const char *text;
  CHECK_EQ(ash_block_render(b, &text), ASH_OK);
  CHECK_STR(text, want);
}

/* ---- is_output, is_final_input, is_transient ---------------------------- */

static void is_output_says_what_the_node_does_not_read(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", "L1", 4, 5);
  const uint32_t y = variable(&s, "y", "L1", 4, 6);
  const uint32_t w = transient(&s, "w", "L1", 4, 5);
  CHECK(!ash_buffer_is_output(s.scope, x, 5));
  CHECK(ash_buffer_is_output(s.scope, y, 5));
  CHECK(!ash_buffer_is_output(s.scope, w, 4));
  close_scene(&s);
}

static void is_final_input_says_the_last_reader(void) {
  scene s = open_scene();
  const uint32_t users[] = {1, 4, 7};
  const uint32_t x = add(
      &s, (ash_block_buffer){
              .name = "x", .base = ASH_NO_ID, .users = users, .user_count = 3});
  const uint32_t y = variable(&s, "y", NULL, 1, -1);
  CHECK(!ash_buffer_is_final_input(s.scope, x, 4));
  CHECK(ash_buffer_is_final_input(s.scope, x, 7));
  CHECK(!ash_buffer_is_final_input(s.scope, y, 7));
  close_scene(&s);
}

static void is_transient_says_work_memory_of_this_node(void) {
  scene s = open_scene();
  const uint32_t w = transient(&s, "w", "L1", 4, 5);
  CHECK(ash_buffer_is_transient(s.scope, w, 5));
  CHECK(!ash_buffer_is_transient(s.scope, w, 6));
  CHECK(!ash_buffer_is_transient(s.scope, variable(&s, "x", "L1", 1, 5), 5));
  close_scene(&s);
}

/* ---- is_memory_level ---------------------------------------------------- */

static bool level(const scene *s, uint32_t b, const char *selector) {
  bool out;
  CHECK_EQ(ash_buffer_is_memory_level(s->scope, &out, b, selector), ASH_OK);
  return out;
}

static void is_memory_level_takes_none_a_name_or_an_expression(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", "L2", 4, -1);
  const uint32_t y = variable(&s, "y", NULL, 4, -1);
  CHECK(level(&s, x, "L2") && !level(&s, x, "L1") && !level(&s, x, NULL));
  CHECK(level(&s, x, "/L[23]/") && level(&s, x, "/L.*/"));
  CHECK(!level(&s, x, "/L/")); /* the whole name must match */
  CHECK(level(&s, y, NULL) && !level(&s, y, "/.*/"));
  bool out;
  CHECK_EQ(ash_buffer_is_memory_level(s.scope, &out, x, "/L[/"), ASH_MISUSE);
  close_scene(&s);
}

static bool matches(const char *expression, const char *memory) {
  scene s = open_scene();
  bool out;
  const uint32_t x = variable(&s, "x", memory, 4, -1);
  CHECK_EQ(ash_buffer_is_memory_level(s.scope, &out, x, expression), ASH_OK);
  close_scene(&s);
  return out;
}

/* As re.fullmatch says. */
static void is_memory_level_takes_what_python_writes(void) {
  CHECK(matches("/L\\d/", "L2") && !matches("/L\\d/", "Ld"));
  CHECK(matches("/L\\D/", "Ld") && !matches("/L\\D/", "L2"));
  CHECK(matches("/\\w+/", "L_2") && !matches("/\\w+/", "L-2"));
  CHECK(matches("/\\W/", "-") && matches("/a\\sb/", "a b"));
  CHECK(matches("/a\\Sb/", "a-b") && !matches("/a\\Sb/", "a b"));
  CHECK(matches("/L.*?/", "L3_x") && matches("/L\\d+?/", "L12"));
  CHECK(matches("/L\\d?\?/", "L") && matches("/L\\d{1,2}?/", "L12"));
  CHECK(matches("/L(?:1|2)/", "L2") && !matches("/L(?:1|2)/", "L3"));
  CHECK(matches("/L(?P<level>[12])/", "L1"));
  CHECK(matches("/[\\dA]+/", "1A2") && !matches("/[\\dA]+/", "1B"));
  CHECK(matches("/[\\w.]+/", "a.b") && !matches("/[\\w.]+/", "a-b"));
  CHECK(matches("/[^\\d]/", "x") && !matches("/[^\\d]/", "7"));
  CHECK(matches("/a\\.b/", "a.b") && !matches("/a\\.b/", "axb"));
  CHECK(matches("/[\\.]/", ".") && !matches("/[\\.]/", "\\"));
  CHECK(matches("/L1|L2/", "L2") && !matches("/L1|L2/", "L1L2"));
  CHECK(matches("/a{x}/", "a{x}") && matches("/a{2}/", "aa"));
  CHECK(matches("/[]a]+/", "]a") && matches("/L\\-1/", "L-1"));
}

static void is_memory_level_refuses_what_it_does_not_know(void) {
  static const char *const odd[] = {
      "/(/",           "/)/",        "/a)|(b/",  "/L[/",   "/L\\1/",   "/\\bL/",
      "/(?=L)L2/",     "/(?!L1).*/", "/(?i)l2/", "/*L/",   "/L(*)/",   "/L++/",
      "/[[:alpha:]]/", "/[\\D]/",    "/[\\]]/",  "/L\\Z/", "/(?<=L)2/"};
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", "L2", 4, -1);
  const uint32_t nowhere = variable(&s, "y", NULL, 4, -1);
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    bool out = true;
    CHECK_EQ(ash_buffer_is_memory_level(s.scope, &out, x, odd[i]), ASH_MISUSE);
    CHECK(!out);
    CHECK_EQ(ash_buffer_is_memory_level(s.scope, &out, nowhere, odd[i]),
             ASH_MISUSE);
  }
  close_scene(&s);
}

/* ---- extractDynamicReferences -------------------------------------------- */

static void references_come_once_in_the_order_of_the_scope(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", NULL, 4, -1);
  const uint32_t y = variable(&s, "y", NULL, 4, -1);
  const uint32_t *refs;
  size_t count;
  REFER(s.block, y, x, y);
  CHECK_EQ(ash_block_references(s.block, false, false, &refs, &count), ASH_OK);
  CHECK(count == 2 && refs[0] == x && refs[1] == y);
  close_scene(&s);
}

static void references_unroll_structs_and_include_globals_on_request(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", NULL, 4, -1);
  const uint32_t k =
      add(&s, (ash_block_buffer){
                  .name = "k", .kind = ASH_BUFFER_CONSTANT, .base = ASH_NO_ID});
  const uint32_t hidden = add(
      &s, (ash_block_buffer){.name = "h", .ignored = true, .base = ASH_NO_ID});
  const uint32_t inner_fields[] = {x, ASH_NO_ID, k};
  const uint32_t inner = add(&s, (ash_block_buffer){.name = "inner",
                                                    .kind = ASH_BUFFER_STRUCT,
                                                    .base = ASH_NO_ID,
                                                    .fields = inner_fields,
                                                    .field_count = 3});
  const uint32_t outer = add(&s, (ash_block_buffer){.name = "outer",
                                                    .kind = ASH_BUFFER_STRUCT,
                                                    .base = ASH_NO_ID,
                                                    .fields = &inner,
                                                    .field_count = 1});
  const uint32_t *refs;
  size_t count;
  REFER(s.block, outer, hidden);
  CHECK_EQ(ash_block_references(s.block, false, false, &refs, &count), ASH_OK);
  CHECK(count == 1 && refs[0] == outer);
  CHECK_EQ(ash_block_references(s.block, true, false, &refs, &count), ASH_OK);
  CHECK(count == 3 && refs[0] == x && refs[1] == inner && refs[2] == outer);
  CHECK_EQ(ash_block_references(s.block, true, true, &refs, &count), ASH_OK);
  CHECK(count == 4 && refs[1] == k);
  close_scene(&s);
}

/* ---- dereferenceVars, indexVars ------------------------------------------ */

static void dereference_and_index_change_only_the_listed_buffers(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", NULL, 4, -1);
  const uint32_t y = variable(&s, "y", NULL, 4, -1);
  REFER(s.block, x, y);
  CHECK_EQ(ash_block_dereference(s.block, 0, NULL, 0), ASH_OK);
  gives(s.block, "f(x, y);\n");
  CHECK_EQ(ash_block_dereference(s.block, 0, &x, 1), ASH_OK);
  gives(s.block, "f(*x, y);\n");
  CHECK_EQ(ash_block_index(s.block, 0, &y, 1, "i + 1"), ASH_OK);
  gives(s.block, "f(*x, y[i + 1]);\n");
  CHECK_EQ(ash_block_index(s.block, 1, &y, 1, "i"), ASH_MISUSE);
  close_scene(&s);
}

/* ---- topologicallySortBuffers -------------------------------------------- */

static uint32_t part_of(scene *s, const char *name, uint32_t base) {
  return add(s, (ash_block_buffer){.name = name, .base = base, .offset = 8});
}

static void sorting_puts_bases_before_their_parts_in_any_order(void) {
  scene s = open_scene();
  const uint32_t a = variable(&s, "a", NULL, 4, -1);
  const uint32_t b = part_of(&s, "b", a), c = part_of(&s, "c", b);
  const uint32_t d = variable(&s, "d", NULL, 4, -1);
  uint32_t all[] = {c, b, d, a};
  CHECK_EQ(ash_buffer_sort(s.scope, all, 4), ASH_OK);
  CHECK(all[0] == d && all[1] == a && all[2] == b && all[3] == c);
  uint32_t alone[] = {c}; /* its base is not in the list */
  CHECK_EQ(ash_buffer_sort(s.scope, alone, 1), ASH_OK);
  close_scene(&s);
}

static void a_circle_of_references_is_named(void) {
  scene s = open_scene();
  const uint32_t a = part_of(&s, "a", 1), b = part_of(&s, "b", 0);
  const uint32_t c = variable(&s, "c", NULL, 4, -1);
  uint32_t all[] = {c, a, b};
  size_t count;
  CHECK_EQ(ash_buffer_sort(s.scope, all, 3), ASH_MISUSE);
  CHECK(strstr(ash_ctx_diags(s.ctx, &count)->message, "-> ") != NULL);
  close_scene(&s);
}

/* ---- apply --------------------------------------------------------------- */

static void passthrough_marks_and_counts_and_writes_nothing(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", "L2", 100, 1);
  const uint32_t y = variable(&s, "y", "L2", 60, 2);
  ash_block *first;
  CHECK_EQ(ash_block_new(s.scope, &first), ASH_OK);
  REFER(first, x);
  CHECK_EQ(ash_block_pass_through(first, 0, "L2"), ASH_OK);
  CHECK_EQ(ash_scope_bytes(s.scope, "L2"), 100);
  REFER(s.block, x, y);
  CHECK_EQ(ash_block_pass_through(s.block, 1, "L2"), ASH_OK);
  CHECK(!ash_scope_is_live(s.scope, x) && ash_scope_is_live(s.scope, y));
  CHECK_EQ(ash_scope_bytes(s.scope, "L2"), 60);
  CHECK_EQ(ash_scope_peak(s.scope, "L2"), 160);
  gives(s.block, "f(x, y);\n");
  close_scene(&s);
}

static void passthrough_works_on_the_selected_memories_only(void) {
  scene s = open_scene();
  const uint32_t a = variable(&s, "a", "L1", 8, -1);
  const uint32_t b = variable(&s, "b", "L2", 16, -1);
  const uint32_t c = variable(&s, "c", NULL, 32, -1);
  REFER(s.block, a, b, c);
  CHECK_EQ(ash_block_pass_through(s.block, 0, NULL), ASH_OK);
  CHECK(!ash_scope_is_live(s.scope, a) && ash_scope_is_live(s.scope, c));
  CHECK_EQ(ash_block_pass_through(s.block, 0, "/L[1-2]/"), ASH_OK);
  CHECK_EQ(ash_scope_bytes(s.scope, "L1"), 8);
  CHECK_EQ(ash_scope_bytes(s.scope, "L2"), 16);
  CHECK_EQ(ash_scope_bytes(s.scope, NULL), 32);
  close_scene(&s);
}

static void allocation_twice_and_freeing_twice_are_errors(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", "L2", 100, 1);
  size_t count;
  REFER(s.block, x);
  CHECK_EQ(ash_block_allocate(s.block, 1, "L2"), ASH_MISUSE);
  CHECK(strstr(ash_ctx_diags(s.ctx, &count)->message, "not live") != NULL);
  CHECK_EQ(ash_block_pass_through(s.block, 0, "L2"), ASH_OK);
  CHECK_EQ(ash_block_pass_through(s.block, 0, "L2"), ASH_MISUSE);
  CHECK(strstr(ash_ctx_diags(s.ctx, &count)[1].message, "live already") !=
        NULL);
  close_scene(&s);
}

static void allocation_gives_addresses_before_and_frees_behind(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", "L1", 10, 1);
  const uint32_t y = variable(&s, "y", "L1", 20, 2);
  const uint32_t part = add(&s, (ash_block_buffer){.name = "part",
                                                   .type = "float",
                                                   .memory = "L1",
                                                   .base = y,
                                                   .offset = 4});
  const uint32_t w = transient(&s, "w", "L1", 5, 1);
  ash_block *first;
  CHECK_EQ(ash_block_new(s.scope, &first), ASH_OK);
  REFER(first, x);
  CHECK_EQ(ash_block_allocate(first, 0, "L1"), ASH_OK);
  gives(first, "int8_t *x = (int8_t *)(0);\nf(x);\n");
  REFER(s.block, x, part, y, w);
  CHECK_EQ(ash_block_allocate(s.block, 1, "L1"), ASH_OK);
  gives(s.block, "int8_t *y = (int8_t *)(0);\n"
                 "float *part = (float *)((uint8_t *)y + 4);\n"
                 "uint8_t *w = (uint8_t *)(0);\n"
                 "f(x, part, y, w);\n"
                 "/* x is free */\n"
                 "/* w is free */\n");
  CHECK_EQ(ash_scope_peak(s.scope, "L1"), 35);
  CHECK_EQ(ash_scope_bytes(s.scope, "L1"), 20);
  close_scene(&s);
}

static void an_alias_that_lives_keeps_the_storage(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", "L1", 10, 1);
  const uint32_t mid = variable(&s, "mid", "L1", 0, 1);
  const uint32_t view = variable(&s, "view", "L1", 0, 2);
  CHECK_EQ(ash_scope_alias(s.scope, x, mid), ASH_OK);
  CHECK_EQ(ash_scope_alias(s.scope, mid, view), ASH_OK);
  ash_block *made, *used;
  CHECK_EQ(ash_block_new(s.scope, &made), ASH_OK);
  CHECK_EQ(ash_block_new(s.scope, &used), ASH_OK);
  REFER(made, x, mid);
  CHECK_EQ(ash_block_allocate(made, 0, "L1"), ASH_OK);
  REFER(s.block, x, mid, view);
  CHECK_EQ(ash_block_allocate(s.block, 1, "L1"), ASH_OK);
  CHECK_EQ(ash_scope_bytes(s.scope, "L1"), 10); /* through two links */
  REFER(used, view);
  CHECK_EQ(ash_block_allocate(used, 2, "L1"), ASH_OK);
  CHECK_EQ(ash_scope_bytes(s.scope, "L1"), 0); /* the last takes all along */
  close_scene(&s);
}

static void globals_are_live_from_the_start(void) {
  scene s = open_scene();
  const uint32_t x = add(&s, (ash_block_buffer){.name = "x",
                                                .memory = "L2",
                                                .global = true,
                                                .bytes = 9,
                                                .base = ASH_NO_ID});
  REFER(s.block, x);
  CHECK(ash_scope_is_live(s.scope, x));
  CHECK_EQ(ash_block_allocate(s.block, 0, "L2"), ASH_OK);
  CHECK_EQ(ash_scope_bytes(s.scope, "L2"), 0);
  close_scene(&s);
}

/* ---- closures and loops -------------------------------------------------- */

static void a_closure_is_a_function_and_its_call(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", "L1", 10, 1);
  const uint32_t w = transient(&s, "w", "L1", 5, 1);
  const char *text;
  REFER(s.block, x, w);
  CHECK_EQ(ash_block_close(s.block, "net_node", &text), ASH_OK);
  CHECK_STR(text, "typedef struct net_node_args {\n"
                  "  int8_t *x;\n"
                  "  void *w;\n"
                  "} net_node_args;\n"
                  "\n"
                  "static void net_node(const net_node_args *args) {\n"
                  "  int8_t *x = args->x;\n"
                  "  void *w = args->w;\n"
                  "  f(x, w);\n"
                  "}\n");
  gives(s.block, "const net_node_args net_node_of = {x, w};\n"
                 "net_node(&net_node_of);\n");
  close_scene(&s);
}

static void a_wrapped_block_is_indented(void) {
  scene s = open_scene();
  REFER(s.block, variable(&s, "x", NULL, 1, -1));
  CHECK_EQ(ash_block_wrap(s.block, "for (;;) {", "}"), ASH_OK);
  CHECK_EQ(ash_block_wrap(s.block, "{", "}"), ASH_OK);
  gives(s.block, "{\n  for (;;) {\n    f(x);\n  }\n}\n");
  close_scene(&s);
}

static void names_of_buffers_are_unique(void) {
  scene s = open_scene();
  uint32_t id;
  const ash_block_buffer again = {.name = "x", .base = ASH_NO_ID};
  (void)variable(&s, "x", NULL, 1, -1);
  CHECK_EQ(ash_scope_add(s.scope, &id, &again), ASH_MISUSE);
  close_scene(&s);
}

static void numbers_that_are_no_buffers_are_misuse(void) {
  scene s = open_scene();
  const uint32_t x = variable(&s, "x", "L2", 4, -1);
  const uint32_t lost = 77;
  const uint32_t odd = add(&s, (ash_block_buffer){.name = "odd",
                                                  .kind = ASH_BUFFER_STRUCT,
                                                  .base = ASH_NO_ID,
                                                  .fields = &lost,
                                                  .field_count = 1});
  const ash_snippet_part part = {"f(", lost, false};
  const uint32_t *refs;
  size_t count;
  bool out;
  CHECK_EQ(ash_block_add(s.block, ASH_BLOCK_LEFT, &part, 1), ASH_MISUSE);
  CHECK_EQ(ash_block_snippets(s.block), 0);
  CHECK_EQ(ash_scope_alias(s.scope, x, lost), ASH_MISUSE);
  CHECK_EQ(ash_scope_alias(s.scope, lost, x), ASH_MISUSE);
  CHECK_EQ(ash_buffer_sort(s.scope, (uint32_t[]){x, lost}, 2), ASH_MISUSE);
  CHECK_EQ(ash_buffer_is_memory_level(s.scope, &out, lost, "L2"), ASH_MISUSE);
  CHECK(!ash_scope_buffer(s.scope, lost) && !ash_scope_is_live(s.scope, lost));
  CHECK(!ash_buffer_is_output(s.scope, lost, 0) &&
        !ash_buffer_is_final_input(s.scope, lost, 0) &&
        !ash_buffer_is_transient(s.scope, lost, 0));
  CHECK_EQ(ash_scope_find(s.scope, NULL), ASH_NO_ID);
  REFER(s.block, odd);
  CHECK_EQ(ash_block_references(s.block, true, false, &refs, &count),
           ASH_MISUSE);
  CHECK(!refs && count == 0);
  CHECK_EQ(ash_block_references(s.block, false, false, &refs, &count), ASH_OK);
  close_scene(&s);
}

static void buffers_without_what_they_need_are_misuse(void) {
  scene s = open_scene();
  uint32_t id = 5;
  const ash_block_buffer bad[] = {
      {.base = ASH_NO_ID},
      {.name = "a", .base = ASH_NO_ID, .user_count = 2},
      {.name = "a", .base = ASH_NO_ID, .field_count = 2}};
  for (size_t i = 0; i < 3; i++) {
    CHECK_EQ(ash_scope_add(s.scope, &id, &bad[i]), ASH_MISUSE);
    CHECK_EQ(id, ASH_NO_ID);
  }
  CHECK_EQ(ash_scope_add(s.scope, &id, NULL), ASH_MISUSE);
  close_scene(&s);
}

#define TESTS(X)                                                               \
  X(is_output_says_what_the_node_does_not_read)                                \
  X(is_final_input_says_the_last_reader)                                       \
  X(is_transient_says_work_memory_of_this_node)                                \
  X(is_memory_level_takes_none_a_name_or_an_expression)                        \
  X(is_memory_level_takes_what_python_writes)                                  \
  X(is_memory_level_refuses_what_it_does_not_know)                             \
  X(numbers_that_are_no_buffers_are_misuse)                                    \
  X(buffers_without_what_they_need_are_misuse)                                 \
  X(references_come_once_in_the_order_of_the_scope)                            \
  X(references_unroll_structs_and_include_globals_on_request)                  \
  X(dereference_and_index_change_only_the_listed_buffers)                      \
  X(sorting_puts_bases_before_their_parts_in_any_order)                        \
  X(a_circle_of_references_is_named)                                           \
  X(passthrough_marks_and_counts_and_writes_nothing)                           \
  X(passthrough_works_on_the_selected_memories_only)                           \
  X(allocation_twice_and_freeing_twice_are_errors)                             \
  X(allocation_gives_addresses_before_and_frees_behind)                        \
  X(an_alias_that_lives_keeps_the_storage)                                     \
  X(globals_are_live_from_the_start)                                           \
  X(a_closure_is_a_function_and_its_call)                                      \
  X(a_wrapped_block_is_indented)                                               \
  X(names_of_buffers_are_unique)
TEST_MAIN(TESTS)
