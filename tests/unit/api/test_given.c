/* test_given.c - public functions without what they need, with numbers that
 * mean nothing, and with structs of options of other sizes: they say so, and
 * nothing is followed or read. */
#include "ashlar/annotate.h"
#include "ashlar/block.h"
#include "ashlar/compile.h"
#include "ashlar/deeploy.h"
#include "ashlar/firmware.h"
#include "ashlar/report.h"
#include "tile_net.h"

#include <stdlib.h>

enum { HUGE_INDEX = 99999 };

typedef struct bench {
  net n;
  const ash_device *device;
  const ash_plan *plan;
} bench;

static bench bench_new(void) {
  bench b = {.n = net_new()};
  row_end(&b.n, row_relu(&b.n, row_input(&b.n, 64)));
  b.device = small_device(&b.n);
  b.plan = must_plan(&b.n, b.device, NULL);
  return b;
}

#define MISUSE(call) CHECK_EQ(call, ASH_MISUSE)

static void the_message_names_what_is_missing(void) {
  bench b = bench_new();
  const ash_plan *plan;
  MISUSE(ash_plan_model(b.n.ctx, &plan, b.n.g, NULL, NULL));
  CHECK_EQ(last_diag(&b.n)->id, ASH_D_misuse);
  CHECK_STR(last_diag(&b.n)->message,
            "ash_plan_model needs ctx && out && g && device");
  net_free(&b.n);
}

static void contexts_and_words(void) {
  bench b = bench_new();
  const ash_allocator none = {0};
  ash_ctx *ctx;
  size_t count = 7;
  char text[8];
  const char *known[] = {NULL, "abc"};
  MISUSE(ash_ctx_new(NULL, NULL));
  MISUSE(ash_ctx_new(&ctx, &none));
  ash_ctx_free(NULL);
  ash_ctx_forget(NULL);
  ash_ctx_on_progress(NULL, NULL, NULL);
  CHECK(!ash_ctx_diags(NULL, &count) && !ash_ctx_diags(b.n.ctx, NULL));
  CHECK_EQ(ash_diag_format(text, sizeof text, NULL), 0);
  CHECK_EQ(ash_diag_format(NULL, 8, &(ash_diag){.message = "m"}), 0);
  CHECK(!ash_nearest_of(NULL, known, 2) && !ash_nearest_of("abc", NULL, 2));
  CHECK_STR(ash_nearest_of("abd", known, 2), "abc");
  CHECK_EQ(ash_crc32(NULL, 5), 0);
  CHECK_STR(ash_type_text((ash_type)-1), "?");
  CHECK_STR(ash_type_c((ash_type)HUGE_INDEX), "?");
  CHECK_EQ(ash_type_bits((ash_type)HUGE_INDEX), 0);
  CHECK_STR(ash_op_text(NULL), "?");
  CHECK_STR(ash_stage_text((ash_stage)HUGE_INDEX), "?");
  CHECK_EQ(ash_stage_find(NULL), ASH_STAGE_COUNT);
  CHECK_EQ(ash_kernels_find(NULL), ASH_KERNELS_COUNT);
  CHECK_EQ(ash_module_find(NULL), ASH_MODULE_COUNT);
  CHECK_EQ(ash_constants_find(NULL), ASH_CONSTANTS_COUNT);
  CHECK_EQ(ash_specialise_find(NULL), ASH_SPECIALISE_COUNT);
  CHECK(!ash_runtime_source(NULL, &count) && !ash_default_prefix(NULL, "m"));
  net_free(&b.n);
}

static void devices(void) {
  bench b = bench_new();
  ash_ctx *ctx = b.n.ctx;
  const ash_device *d, *none = NULL;
  const char *text;
  size_t count;
  uint64_t bytes;
  uint32_t memory, path[ASH_MEMORY_MAX];
  MISUSE(ash_device_load(NULL, &d, "host"));
  MISUSE(ash_device_load(ctx, NULL, "host"));
  MISUSE(ash_device_load(ctx, &d, NULL));
  MISUSE(ash_device_parse(ctx, &d, NULL, 9, "f"));
  MISUSE(ash_device_dump(ctx, &text, &count, NULL));
  MISUSE(ash_device_set_bytes(ctx, &none, "FAST", 1));
  MISUSE(ash_device_set_bytes(ctx, &b.device, NULL, 1));
  MISUSE(ash_device_find_memory(ctx, NULL, b.device, "FAST"));
  MISUSE(ash_device_find_memory(NULL, &memory, b.device, "FAST"));
  CHECK_EQ(ash_device_path(b.device, HUGE_INDEX, 0, path), 0);
  CHECK_EQ(ash_device_path(b.device, 0, 0, NULL), 0);
  CHECK_EQ(ash_device_dma(b.device, 0, UINT32_MAX), ASH_NO_DMA);
  CHECK_EQ(ash_device_memory_budget(NULL), 0);
  CHECK(!ash_parse_bytes(NULL, "1") && !ash_parse_bytes(&bytes, NULL));
  CHECK_STR(ash_format_bytes(NULL, 24, 5), "");
  net_free(&b.n);
}

static void graphs(void) {
  bench b = bench_new();
  ash_ctx *ctx = b.n.ctx;
  ash_graph *g;
  ash_op_row row;
  const char *text;
  size_t count;
  CHECK(!ash_graph_tensor(b.n.g, HUGE_INDEX) && !ash_graph_tensor(NULL, 0));
  CHECK(!ash_graph_op(b.n.g, UINT32_MAX) && !ash_graph_op(NULL, 0));
  CHECK_EQ(ash_graph_input(b.n.g, HUGE_INDEX), ASH_NO_ID);
  CHECK_EQ(ash_graph_output(NULL, 0), ASH_NO_ID);
  CHECK_EQ(ash_graph_tensor_count(NULL) + ash_graph_op_count(NULL) +
               ash_graph_input_count(NULL) + ash_graph_output_count(NULL),
           0);
  CHECK(!ash_graph_name(NULL));
  CHECK_EQ(ash_op_macs(b.n.g, HUGE_INDEX) + ash_op_macs(NULL, 0), 0);
  CHECK(!ash_op_row_at(0, &row, NULL, 0) && !ash_op_row_at(0, NULL, NULL, 0));
  MISUSE(ash_graph_dump(ctx, &text, &count, NULL));
  MISUSE(ash_graph_dump(ctx, NULL, &count, b.n.g));
  MISUSE(ash_graph_parse(ctx, &g, NULL, 5, "f"));
  MISUSE(ash_graph_parse(NULL, &g, "", 0, "f"));
  net_free(&b.n);
}

static void the_interpreter(void) {
  bench b = bench_new();
  float in[16] = {0}, out[16];
  const void *ins[] = {in}, *no_in[] = {NULL};
  void *outs[] = {out}, *no_out[] = {NULL};
  MISUSE(ash_run_reference(b.n.ctx, b.n.g, NULL, outs));
  MISUSE(ash_run_reference(b.n.ctx, b.n.g, ins, NULL));
  MISUSE(ash_run_reference(b.n.ctx, b.n.g, no_in, outs));
  MISUSE(ash_run_reference(b.n.ctx, b.n.g, ins, no_out));
  MISUSE(ash_run_reference(b.n.ctx, NULL, ins, outs));
  CHECK_EQ(ash_run_reference(b.n.ctx, b.n.g, ins, outs), ASH_OK);
  CHECK_EQ(ash_run_reference_again(b.n.ctx, b.n.g, ins, outs, NULL), ASH_OK);
  CHECK_EQ(ash_state_bytes(NULL), 0);
  ash_first_state(NULL, NULL);
  net_free(&b.n);
}

static void state_must_be_kept_somewhere(void) {
  net n = net_new();
  const uint32_t state = row_variable(&n, 64);
  const uint32_t x = row_input(&n, 64), old = row_read(&n, state);
  const uint32_t y = row_add(&n, x, old);
  row_assign(&n, state, y);
  row_end(&n, y);
  float in[16] = {0}, out[16];
  const void *ins[] = {in};
  void *outs[] = {out};
  MISUSE(ash_run_reference_again(n.ctx, n.g, ins, outs, NULL));
  ash_first_state(n.g, NULL);
  net_free(&n);
}

static void plans_of_nothing(void) {
  bench b = bench_new();
  ash_ctx *ctx = b.n.ctx;
  const ash_plan *p;
  const ash_tilings *tilings;
  const ash_render_plan *render;
  const char *text;
  size_t count;
  char hash[17], layout[17];
  const ash_plan announced = {.slot_count = 3, .arena_count = 2};
  MISUSE(ash_plan_model(NULL, &p, b.n.g, b.device, NULL));
  MISUSE(ash_plan_model(ctx, NULL, b.n.g, b.device, NULL));
  MISUSE(ash_plan_model(ctx, &p, NULL, b.device, NULL));
  MISUSE(ash_tile_model(ctx, &tilings, b.n.g, NULL, NULL, NULL));
  MISUSE(ash_check_plan(ctx, NULL, b.n.g, b.device));
  MISUSE(ash_check_plan(NULL, b.plan, b.n.g, b.device));
  MISUSE(ash_check_tilings(ctx, NULL, b.n.g, b.device));
  MISUSE(ash_plan_json(ctx, &text, &count, b.plan, NULL));
  MISUSE(ash_plan_json(ctx, &text, &count, &announced, b.n.g));
  MISUSE(ash_plan_hashes(ctx, hash, NULL, b.plan));
  MISUSE(ash_plan_hashes(ctx, hash, layout, &announced));
  MISUSE(ash_explain_tensor(ctx, &text, b.plan, b.n.g, b.device, NULL, NULL));
  MISUSE(ash_build_render_plan(ctx, NULL, b.plan, b.n.g, "m"));
  MISUSE(ash_build_render_plan(NULL, &render, b.plan, b.n.g, "m"));
  MISUSE(ash_report_html(ctx, &text, &count, NULL, b.n.g));
  MISUSE(ash_report_short_html(ctx, &text, &count, b.plan, b.n.g, NULL));
  MISUSE(ash_report_curve_html(ctx, &text, &count, b.plan, b.n.g,
                               &(ash_report_curve){.count = 4}));
  MISUSE(ash_report_html_json(ctx, &text, &count, NULL, 5, NULL, 0));
  text = "no page";
  MISUSE(ash_report_certified(ctx, &text, &count,
                              &(ash_report_certificate){.file = "c"}));
  MISUSE(ash_report_certified(ctx, &text, &count, NULL));
  net_free(&b.n);
}

static void facts_of_plans_of_nothing(void) {
  bench b = bench_new();
  const ash_plan announced = {.slot_count = 3, .arena_count = 2};
  ash_row_facts rows;
  CHECK_EQ(ash_plan_slot_of_tensor(NULL, 0), ASH_NO_ID);
  CHECK_EQ(ash_plan_slot_of_tensor(&announced, 0), ASH_NO_ID);
  CHECK_EQ(ash_plan_slot_of_tensor(b.plan, HUGE_INDEX), ASH_NO_ID);
  CHECK_EQ(ash_plan_slot_of_op(NULL, 0), ASH_NO_ID);
  CHECK(!ash_plan_row_facts(&announced, 0, &rows));
  CHECK(!ash_plan_row_facts(b.plan, HUGE_INDEX, &rows));
  CHECK(!ash_plan_row_facts(b.plan, 0, NULL));
  CHECK(!ash_plan_heads_tensor(b.plan, HUGE_INDEX));
  CHECK_EQ(ash_plan_move_facts(NULL).count, 0);
  CHECK_EQ(ash_plan_cycles(b.plan, b.n.g, NULL, NULL), 0);
  CHECK(ash_plan_cycles(b.plan, b.n.g, b.device, NULL) > 0);
  CHECK_EQ(ash_plan_op_cycles(b.plan, b.n.g, HUGE_INDEX), 0);
  CHECK_EQ(ash_plan_estimate(NULL, b.n.g), 0);
  CHECK(!ash_render_region(NULL, ASH_SCRATCH, "FAST"));
  ash_merge_alias_lifetimes(NULL, NULL, 4);
  ash_populate_alias_allocations(NULL, 4);
  CHECK_EQ(ash_alias_root(NULL, 4, 2, NULL), 2);
  net_free(&b.n);
}

static ash_status planned_with(bench *b, const ash_plan_options *options) {
  const ash_plan *p;
  return ash_plan_model(b->n.ctx, &p, b->n.g, b->device, options);
}

static void options_that_mean_nothing(void) {
  bench b = bench_new();
  const char *const hole[] = {NULL};
  const ash_steps no_items = {.count = 3},
                  no_ops = {&(ash_step){.op_count = 2}, 1};
  const ash_tilings empty = {0};
  const ash_plan_options wrong[] = {
      {.constraint_count = 2},
      {.order = (ash_order_kind)HUGE_INDEX},
      {.moves = (ash_move_policy)HUGE_INDEX},
      {.cores = ASH_CORES_MAX + 1},
      {.feed_count = 1},
      {.feed_count = 1, .feed = hole},
      {.drain_count = 1},
      {.drain_count = 1, .drain = hole},
      {.steps = &no_items},
      {.steps = &no_ops},
      {.tilings = &empty},
      {.backend = &(ash_planner){0}},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK(planned_with(&b, &wrong[i]) == ASH_MISUSE);
  CHECK_EQ(planned_with(&b, &(ash_plan_options){.cores = ASH_CORES_MAX}),
           ASH_OK);
  net_free(&b.n);
}

/* A copy of the first bytes of `of` in a block of exactly these. */
static void *cut(const void *of, size_t bytes) {
  void *copy = malloc(bytes);
  CHECK(copy);
  memcpy(copy, of, bytes);
  memcpy(copy, &bytes, sizeof bytes);
  return copy;
}

/* Sanitizers see who reads on. */
static void options_may_have_any_size(void) {
  bench b = bench_new();
  const ash_plan_options none = {0};
  for (size_t bytes = sizeof(size_t); bytes <= sizeof none; bytes += 4) {
    ash_plan_options *o = cut(&none, bytes);
    CHECK_EQ(planned_with(&b, o), ASH_OK);
    free(o);
  }
  ash_place_result result;
  const ash_place_problem problem = {0};
  const ash_place_options plain = {0};
  for (size_t bytes = sizeof(size_t); bytes <= sizeof plain; bytes += 4) {
    ash_place_options *o = cut(&plain, bytes);
    CHECK_EQ(ash_place(b.n.ctx, &result, &problem, o), ASH_OK);
    free(o);
  }
  net_free(&b.n);
}

static void compiling(void) {
  bench b = bench_new();
  ash_ctx *ctx = b.n.ctx;
  ash_graph *g;
  const char *const hole[] = {NULL};
  ash_compiled c = {.graph = b.n.g, .plan = b.plan}, empty = {0};
  const ash_load_options loads[] = {
      {.input_shape_count = 1}, {.constant_count = 1, .constants = hole},
      {.custom_count = 1},      {.input_type_count = 1, .input_types = hole},
      {.output_type_count = 1}, {.state_count = 1, .states = hole}};
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
    MISUSE(ash_load_model_with(ctx, &g, "absent.tflite", &loads[i]));
  MISUSE(ash_load_model(ctx, NULL, "absent.tflite"));
  MISUSE(ash_lower(ctx, NULL));
  MISUSE(ash_lower_without(ctx, b.n.g, NULL, 2));
  MISUSE(ash_lower_without(ctx, b.n.g, hole, 1));
  MISUSE(ash_compile(ctx, NULL, "m", b.device, NULL));
  MISUSE(ash_compile(ctx, &empty, "m", NULL, NULL));
  const ash_compile_options wrong[] = {
      {.kernels = (ash_kernels)HUGE_INDEX},
      {.stop = true, .stop_after = (ash_stage)HUGE_INDEX},
      {.no_pass_count = 1},
      {.emit = {.constants = (ash_constants)HUGE_INDEX}},
      {.emit = {.module = (ash_module_kind)HUGE_INDEX}},
      {.emit = {.specialise = (ash_specialise)HUGE_INDEX}},
      {.emit = {.reserved = 1}},
      {.plan = {.cores = 1000}}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    MISUSE(ash_compile(ctx, &empty, "absent.tflite", b.device, &wrong[i]));
  MISUSE(ash_emit_module(ctx, &c, b.device, NULL, NULL));
  MISUSE(ash_emit_module(ctx, &empty, b.device, "m", NULL));
  ash_compiled_drop(NULL);
  net_free(&b.n);
}

static void code_for_another_device(void) {
  bench b = bench_new();
  ash_compiled c = {.graph = b.n.g, .plan = b.plan};
  const ash_plan *plans[] = {b.plan, NULL};
  const ash_device *other;
  const ash_generated *files;
  size_t count;
  CHECK_EQ(ash_device_load(b.n.ctx, &other, "apollo510"), ASH_OK);
  MISUSE(ash_emit_module(b.n.ctx, &c, other, "m", NULL));
  MISUSE(
      ash_emit_shared_scratch(b.n.ctx, &files, &count, plans, 1, other, "m"));
  MISUSE(ash_emit_shared_scratch(b.n.ctx, &files, &count, plans, 2, b.device,
                                 "m"));
  net_free(&b.n);
}

static void files_stay_in_their_folder(void) {
  net n = net_new();
  const ash_generated wrong[] = {{NULL, "a", 1}, {"a", NULL, 1},
                                 {"", "a", 1},   {"../a", "a", 1},
                                 {"/a", "a", 1}, {"b/..", "a", 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    MISUSE(ash_write_files(n.ctx, "nowhere", &wrong[i], 1));
  MISUSE(ash_write_files(n.ctx, NULL, wrong, 0));
  MISUSE(ash_write_files(n.ctx, "nowhere", NULL, 1));
  net_free(&n);
}

static void texts_of_plans(void) {
  bench b = bench_new();
  ash_ctx *ctx = b.n.ctx;
  const ash_plan_text none = {0}, text = {"{}", 2, NULL};
  ash_plan_diff diff;
  size_t count;
  MISUSE(ash_check_plan_file(ctx, NULL, b.device));
  MISUSE(ash_check_plan_file(ctx, &none, b.device));
  MISUSE(ash_check_plan_json(ctx, NULL, 9, "f"));
  MISUSE(ash_check_plan_json(NULL, "{}", 2, "f"));
  CHECK_EQ(ash_check_plan_json(ctx, "{}", 2, NULL), ASH_MALFORMED);
  MISUSE(ash_check_plan_of_model(ctx, &text, NULL, b.device, NULL));
  MISUSE(ash_check_plan_of_model(ctx, &none, "m", b.device, NULL));
  MISUSE(ash_check_elf(ctx, &count, NULL, 3, "e", &text, NULL));
  MISUSE(ash_check_elf(ctx, &count, "abc", 3, "e", NULL, NULL));
  MISUSE(ash_diff_plans(ctx, &diff, NULL, &text));
  MISUSE(ash_diff_plans(ctx, &diff, &text, &none));
  net_free(&b.n);
}

static void asked_of_a_plan(void) {
  bench b = bench_new();
  ash_ctx *ctx = b.n.ctx;
  const ash_memory_budget *budget;
  ash_constraints found;
  ash_rules *rules;
  MISUSE(ash_fill_memory_constraints(ctx, &budget, NULL, NULL, 0));
  MISUSE(ash_fill_memory_constraints(ctx, &budget, b.device, NULL, 3));
  MISUSE(ash_fill_tensor_constraints(ctx, &found, NULL, b.device, NULL));
  MISUSE(ash_rules_new(ctx, NULL));
  CHECK_EQ(ash_rules_new(ctx, &rules), ASH_OK);
  MISUSE(ash_rules_add(ctx, rules, NULL));
  MISUSE(ash_rules_add(ctx, NULL, "type=constant"));
  MISUSE(ash_rules_parse(ctx, rules, NULL, 5, "f"));
  MISUSE(ash_rules_load(ctx, rules, NULL));
  CHECK_EQ(ash_rules_add(ctx, rules, "type=constant memory=ROM"), ASH_OK);
  CHECK(!ash_rules_match(rules, 0, NULL, 0, 0));
  CHECK(!ash_rules_match(rules, 0, b.n.g, HUGE_INDEX, ASH_NO_ID));
  CHECK(!ash_rules_match(rules, 0, b.n.g, ASH_NO_ID, HUGE_INDEX));
  net_free(&b.n);
}

static void planners_must_have_names_of_their_own(void) {
  net n = net_new();
  const ash_planner *found;
  ash_planner p = {.abi = ASH_PLANNER_ABI, .name = "a/b"};
  MISUSE(ash_register_planner(n.ctx, NULL));
  MISUSE(ash_register_planner(n.ctx, &p));
  p.plan = ash_find_planner(n.ctx, "naive")->plan;
  MISUSE(ash_register_planner(n.ctx, &p));
  p.name = "exec:ls";
  MISUSE(ash_register_planner(n.ctx, &p));
  p.name = "mine";
  CHECK_EQ(ash_register_planner(n.ctx, &p), ASH_OK);
  CHECK(!ash_find_planner(n.ctx, NULL) && !ash_planner_at(NULL, 0));
  MISUSE(ash_load_planner(n.ctx, &found, NULL));
  net_free(&n);
}

static void packing_problems(void) {
  net n = net_new();
  ash_place_result r;
  bool certified;
  uint64_t height;
  const ash_buffer open = {.upper = 5,
                           .size = 8,
                           .offset = ASH_FREE_OFFSET,
                           .hint = ASH_FREE_OFFSET,
                           .gap_count = 3};
  const ash_place_problem wrong[] = {{.buffer_count = 2},
                                     {.relation_count = 2},
                                     {.buffers = &open, .buffer_count = 1}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    MISUSE(ash_place(n.ctx, &r, &wrong[i], NULL));
  MISUSE(ash_place(n.ctx, &r, NULL, NULL));
  MISUSE(ash_place(n.ctx, NULL, &wrong[0], NULL));
  MISUSE(ash_place_check(n.ctx, &height, &wrong[0], NULL));
  MISUSE(ash_place_check(n.ctx, &height, &wrong[0], (int64_t[2]){0}));
  MISUSE(ash_place_check(n.ctx, &height, &wrong[1], NULL));
  MISUSE(ash_place_certify(n.ctx, &certified, &wrong[0], &r, NULL, NULL, NULL));
  net_free(&n);
}

static void packing_files(void) {
  net n = net_new();
  ash_csv csv = {.count = 3};
  const ash_place_result r = {0};
  const char *text;
  size_t count;
  MISUSE(ash_csv_write(n.ctx, &text, &count, &csv, (int64_t[3]){0}));
  MISUSE(ash_report_packing(n.ctx, &text, &count, "n", &csv, &r, 0));
  MISUSE(ash_csv_read(n.ctx, &csv, NULL, 5, "f"));
  MISUSE(ash_csv_read(NULL, &csv, "", 0, "f"));
  net_free(&n);
}

static void blocks_and_scopes(void) {
  net n = net_new();
  ash_scope *s;
  ash_block *b;
  uint32_t id;
  bool out;
  const char *text;
  MISUSE(ash_scope_new(n.ctx, NULL));
  CHECK_EQ(ash_scope_new(n.ctx, &s), ASH_OK);
  const ash_block_buffer wrong[] = {
      {.name = NULL},
      {.name = ""},
      {.name = "a b"},
      {.name = "a", .kind = (ash_buffer_kind)HUGE_INDEX},
      {.name = "a", .user_count = 2},
      {.name = "a", .field_count = 2}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    MISUSE(ash_scope_add(s, &id, &wrong[i]));
  MISUSE(ash_scope_add(NULL, &id, wrong));
  MISUSE(ash_scope_alias(NULL, 0, 0));
  CHECK(!ash_scope_buffer(NULL, 0) && !ash_scope_is_live(NULL, 0));
  CHECK_EQ(ash_scope_bytes(NULL, NULL) + ash_scope_peak(NULL, NULL), 0);
  CHECK(!ash_buffer_is_output(NULL, 0, 0));
  MISUSE(ash_buffer_is_memory_level(NULL, &out, 0, NULL));
  MISUSE(ash_buffer_sort(s, NULL, 2));
  MISUSE(ash_block_new(NULL, &b));
  CHECK_EQ(ash_block_new(s, &b), ASH_OK);
  MISUSE(ash_block_add(b, ASH_BLOCK_LEFT, NULL, 1));
  MISUSE(ash_block_text(b, (ash_block_side)HUGE_INDEX, "a"));
  MISUSE(ash_block_text(b, ASH_BLOCK_LEFT, NULL));
  MISUSE(ash_block_wrap(b, NULL, "b"));
  MISUSE(ash_block_render(b, NULL));
  MISUSE(ash_block_dereference(b, 0, NULL, 1));
  MISUSE(ash_block_allocate(NULL, 0, NULL));
  MISUSE(ash_block_close(b, "a b", &text));
  CHECK_EQ(ash_block_snippets(NULL), 0);
  net_free(&n);
}

/* A block that refers to nothing meets no memory. */
static void an_expression_is_one_also_where_it_meets_nothing(void) {
  net n = net_new();
  ash_scope *s;
  ash_block *b;
  CHECK_EQ(ash_scope_new(n.ctx, &s), ASH_OK);
  CHECK_EQ(ash_block_new(s, &b), ASH_OK);
  MISUSE(ash_block_allocate(b, 0, "/(/"));
  MISUSE(ash_block_pass_through(b, 0, "/(/"));
  CHECK_EQ(ash_block_allocate(b, 0, "/L1/"), ASH_OK);
  net_free(&n);
}

static void spaces_and_boxes(void) {
  net n = matmul_net(1, 4, 4, 4);
  const ash_tile_space *s;
  const char *why;
  int64_t at[ASH_TILE_AXES] = {0}, size[ASH_TILE_AXES];
  ash_box box = {.rank = 7};
  for (int i = 0; i < ASH_TILE_AXES; i++)
    size[i] = 1;
  MISUSE(ash_tile_space_of(n.ctx, &s, &why, n.g, HUGE_INDEX));
  MISUSE(ash_tile_space_of(n.ctx, &s, &why, NULL, 0));
  CHECK_EQ(ash_tile_space_of(n.ctx, &s, &why, n.g, 0), ASH_OK);
  ash_tile_box(&box, n.g, s, HUGE_INDEX, at, size);
  ash_tile_box(&box, n.g, s, 0, NULL, size);
  ash_tile_box(NULL, n.g, s, 0, at, size);
  CHECK_EQ(box.rank, 7);
  CHECK_EQ(ash_box_bytes(n.g, HUGE_INDEX, &box), 0);
  CHECK_EQ(ash_box_bytes(n.g, 0, NULL), 0);
  CHECK_EQ(ash_tile_work_bytes(n.g, NULL, size), 0);
  CHECK(!ash_op_keeps_lines(NULL));
  CHECK(!ash_op_keeps_lines(&(ash_op){.kind = HUGE_INDEX}));
  CHECK(!ash_tiling_in_place(n.g, NULL, 0));
  net_free(&n);
}

static void the_tiler(void) {
  net n = matmul_net(1, 32, 48, 64);
  const ash_device *device = tile_device(&n, 4000, 64000, "L2");
  const ash_tiler_settings spaced = {.arena_prefix = "a b"};
  const ash_tilings *tilings, empty = {0};
  const int64_t *offsets;
  ash_tiler *t;
  MISUSE(ash_tiler_new(n.ctx, &t, NULL, NULL));
  MISUSE(ash_tiler_new(n.ctx, NULL, device, NULL));
  MISUSE(ash_tiler_new(n.ctx, &t, device, &spaced));
  CHECK_EQ(ash_tiler_new(n.ctx, &t, device, NULL), ASH_OK);
  MISUSE(ash_tiler_setup_model(t, NULL, NULL, NULL));
  MISUSE(ash_tiler_setup_model(t, n.g, &(ash_steps){.count = 2}, NULL));
  MISUSE(ash_tiler_setup_model(t, n.g, NULL,
                               &(ash_plan_options){.constraint_count = 1}));
  MISUSE(ash_tiler_compute_schedule(NULL, &tilings));
  MISUSE(ash_tiler_use(NULL, &empty, NULL));
  MISUSE(ash_tiler_minimalloc(t, NULL, 1, 9, &offsets));
  CHECK(!ash_tiler_arena_name(NULL, NULL, 0, 0));
  CHECK(ash_tiler_is_layer_wise(NULL));
  CHECK(!ash_tiler_is_uniform(&empty, n.g, 0));
  ash_tiler_propagate_io_buffers(NULL, 3, NULL);
  net_free(&n);
}

static void files_for_the_interpreter(void) {
  net n = net_new();
  const uint8_t *bytes;
  size_t count;
  ash_offline_plan plan;
  MISUSE(ash_annotate_tflite(n.ctx, &bytes, &count, &plan, NULL, 3, "f"));
  MISUSE(ash_annotate_tflite(n.ctx, NULL, &count, &plan, bytes = NULL, 0, "f"));
  MISUSE(ash_read_offline_plan(n.ctx, NULL, NULL, 0, "f"));
  MISUSE(ash_read_offline_plan(NULL, &plan, NULL, 0, "f"));
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(the_message_names_what_is_missing)                                         \
  X(contexts_and_words)                                                        \
  X(devices)                                                                   \
  X(graphs)                                                                    \
  X(the_interpreter)                                                           \
  X(state_must_be_kept_somewhere)                                              \
  X(plans_of_nothing)                                                          \
  X(facts_of_plans_of_nothing)                                                 \
  X(options_that_mean_nothing)                                                 \
  X(options_may_have_any_size)                                                 \
  X(compiling)                                                                 \
  X(code_for_another_device)                                                   \
  X(files_stay_in_their_folder)                                                \
  X(texts_of_plans)                                                            \
  X(asked_of_a_plan)                                                           \
  X(planners_must_have_names_of_their_own)                                     \
  X(packing_problems)                                                          \
  X(packing_files)                                                             \
  X(blocks_and_scopes)                                                         \
  X(an_expression_is_one_also_where_it_meets_nothing)                          \
  X(spaces_and_boxes)                                                          \
  X(the_tiler)                                                                 \
  X(files_for_the_interpreter)
TEST_MAIN(TESTS)
