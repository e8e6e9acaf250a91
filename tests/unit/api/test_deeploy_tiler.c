/* test_deeploy_tiler.c - Deeploy's Tiler, method by method: what each of ours
 * does in its place. */
#include "ashlar/deeploy.h"
#include "tile_net.h"

#include "ashlar/compile.h"
#include "base/rng.h"
#include "plan/planner.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct bench {
  net n;
  const ash_device *device;
  ash_tiler *t;
} bench;

static bench open_with(const ash_tiler_settings *settings, const char *home) {
  bench b = {.n = matmul_net(1, 32, 48, 64)};
  b.device = tile_device(&b.n, 4000, 64000, home);
  CHECK_EQ(ash_tiler_new(b.n.ctx, &b.t, b.device, settings), ASH_OK);
  return b;
}

static const ash_plan *compute(bench *b, const ash_tilings **tilings) {
  const ash_plan *map;
  CHECK_EQ(ash_tiler_setup_model(b->t, b->n.g, NULL, NULL), ASH_OK);
  CHECK_EQ(ash_tiler_compute_schedule(b->t, tilings), ASH_OK);
  CHECK_EQ(ash_tiler_compute_memory_map(b->t, &map), ASH_OK);
  CHECK_EQ(ash_tiler_annotate_memory_level(b->t, tilings), ASH_OK);
  return map;
}

static void init_needs_a_compute_memory(void) {
  net n = matmul_net(1, 4, 4, 4);
  ash_tiler *t;
  CHECK_EQ(ash_tiler_new(n.ctx, &t, small_device(&n), NULL), ASH_MISUSE);
  CHECK_EQ(last_diag(&n)->id, ASH_D_tile_device);
  CHECK(!t);
  net_free(&n);
}

static void calls_out_of_order_are_misuse(void) {
  bench b = open_with(NULL, "L2");
  const ash_tilings *tilings;
  const ash_plan *map;
  uint64_t bytes[ASH_MEMORY_MAX], start, end;
  CHECK_EQ(ash_tiler_compute_schedule(b.t, &tilings), ASH_MISUSE);
  CHECK_EQ(last_diag(&b.n)->id, ASH_D_tiler_order);
  CHECK_EQ(ash_tiler_compute_memory_map(b.t, &map), ASH_MISUSE);
  CHECK_EQ(ash_tiler_annotate_memory_level(b.t, &tilings), ASH_MISUSE);
  CHECK_EQ(ash_tiler_test_solution(b.t), ASH_MISUSE);
  CHECK_EQ(ash_tiler_test_memory_map(b.t), ASH_MISUSE);
  CHECK_EQ(ash_tiler_worst_case_buffer_sizes(b.t, bytes), ASH_MISUSE);
  CHECK_EQ(ash_tiler_plot(b.t, "."), ASH_MISUSE);
  CHECK_EQ(ash_tiler_address_space(b.t, 0, 0, 0, 0, &start, &end), ASH_MISUSE);
  CHECK_EQ(ash_tiler_use(b.t, NULL, NULL), ASH_MISUSE);
  CHECK_EQ(ash_tiler_setup_model(b.t, b.n.g, NULL, NULL), ASH_OK);
  CHECK_EQ(ash_tiler_compute_memory_map(b.t, &map), ASH_MISUSE);
  net_free(&b.n);
}

/* x -> relu -> a, x -> neg -> b, a + b -> y */
static net branches_net(void) {
  net n = net_new();
  const ash_shape shape = NET_DIMS(16, 40);
  const ash_tensor made = {.name = "a",
                           .kind = ASH_TENSOR_ACTIVATION,
                           .type = ASH_FLOAT32,
                           .shape = shape};
  const uint32_t x = net_input(&n, ASH_FLOAT32, shape, 0, 0);
  const uint32_t a = net_tensor(&n, made, 0, 0), b = net_tensor(&n, made, 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, shape, 0, 0);
  n.g->tensors.items[y].is_output = true;
  (void)net_op(&n, ASH_FN_ROW(relu), NET_IDS(x), a);
  (void)net_op(&n, ASH_FN_ROW(neg), NET_IDS(x), b);
  (void)net_op(&n, ASH_FN_ROW(add), NET_IDS(a, b), y);
  return n;
}

/* Of a struct that an older program was compiled with only its bytes are
 * read: the allocation ends there. */
static void *short_options(size_t bytes) {
  size_t *made = calloc(1, bytes);
  CHECK(made != NULL);
  *made = bytes; /* struct_bytes is the first field of all */
  return made;
}

static void options_may_be_shorter_than_ours(void) {
  void *old = short_options(offsetof(ash_plan_options, no_views));
  void *settings = short_options(2 * sizeof(size_t));
  const ash_tilings *tilings;
  const ash_plan *map;
  bench b = open_with(settings, "L2");
  CHECK_EQ(ash_tiler_setup_model(b.t, b.n.g, NULL, old), ASH_OK);
  CHECK_EQ(ash_tiler_compute_schedule(b.t, &tilings), ASH_OK);
  CHECK_EQ(ash_tiler_compute_memory_map(b.t, &map), ASH_OK);
  CHECK_EQ(ash_tile_model(b.n.ctx, &tilings, b.n.g, b.device, old, NULL),
           ASH_OK);
  net_free(&b.n);
  net n = branches_net();
  CHECK_EQ(ash_plan_model(n.ctx, &map, n.g, small_device(&n), old), ASH_OK);
  net_free(&n);
  free(settings);
  free(old);
}

static void compute_tiling_schedule_cuts_every_operator(void) {
  bench b = open_with(NULL, "L2");
  const ash_tilings *tilings;
  CHECK_EQ(ash_tiler_setup_model(b.t, b.n.g, NULL, NULL), ASH_OK);
  CHECK_EQ(ash_tiler_compute_schedule(b.t, &tilings), ASH_OK);
  CHECK_EQ(tilings->count, 1);
  CHECK(tilings->items[0].space && tilings->items[0].cost.tiles > 1);
  CHECK_EQ(tilings->items[0].buffers[0].slot, ASH_NO_ID);
  net_free(&b.n);
}

static void annotate_memory_level_gives_every_copy_its_addresses(void) {
  bench b = open_with(NULL, "L3");
  const ash_tilings *tilings;
  (void)compute(&b, &tilings);
  const ash_tiling *t = &tilings->items[0];
  CHECK_EQ(t->level_count, 2);
  for (uint32_t k = 0; k < t->level_count; k++)
    for (uint32_t o = 0; o < t->space->operand_count; o++)
      for (uint32_t c = 0; c < t->buffers[k * 3 + o].copies; c++) {
        uint64_t start, end;
        CHECK_EQ(ash_tiler_address_space(b.t, 0, k, o, c, &start, &end),
                 ASH_OK);
        CHECK(end - start >= t->buffers[k * 3 + o].bytes);
        CHECK_EQ(start % 4, 0);
        CHECK(end <= (k ? 4000u : 64000u));
      }
  uint64_t start, end;
  CHECK_EQ(ash_tiler_address_space(b.t, 0, 0, 0, 9, &start, &end), ASH_MISUSE);
  net_free(&b.n);
}

static uint32_t three_of_weights(void *user, const ash_graph *g, uint32_t op,
                                 const ash_tile_operand *operand,
                                 const uint32_t *path, uint32_t count,
                                 uint32_t hop) {
  (void)g, (void)op, (void)path;
  CHECK(hop > 0 && hop < count);
  ++*(uint32_t *)user;
  return !operand->is_output && operand->position == 1 ? 3 : 1;
}

static void multi_buffer_strategy_may_be_replaced(void) {
  uint32_t asked = 0;
  const ash_tiler_settings s = {
      .tile = {.copies = three_of_weights, .copies_user = &asked}};
  bench b = open_with(&s, "L3");
  const ash_tilings *tilings;
  (void)compute(&b, &tilings);
  CHECK_EQ(asked, 6); /* three operands, two hops */
  for (uint32_t k = 0; k < 2; k++) {
    CHECK_EQ(tilings->items[0].buffers[k * 3 + 0].copies, 1);
    CHECK_EQ(tilings->items[0].buffers[k * 3 + 1].copies, 3);
    CHECK_EQ(tilings->items[0].buffers[k * 3 + 2].copies, 1);
  }
  net_free(&b.n);
}

static void multi_buffer_strategies_of_deeploy_are_there(void) {
  static const struct {
    ash_tile_copies_rule *rule;
    uint32_t outer, inner;
  } rules[] = {{ash_multi_buffer_double, 2, 2},
               {ash_multi_buffer_single, 1, 1},
               {ash_multi_buffer_outer, 2, 1}};
  for (size_t i = 0; i < ASH_COUNT_OF(rules); i++) {
    const ash_tiler_settings s = {.tile = {.copies = rules[i].rule}};
    bench b = open_with(&s, "L3");
    const ash_tilings *tilings;
    (void)compute(&b, &tilings);
    for (uint32_t o = 0; o < 3; o++) {
      CHECK_EQ(tilings->items[0].buffers[o].copies, rules[i].outer);
      CHECK_EQ(tilings->items[0].buffers[3 + o].copies, rules[i].inner);
    }
    net_free(&b.n);
  }
}

static void propagate_io_buffer_strategy_keeps_tiles_for_their_pattern(void) {
  bench b = open_with(NULL, "L2");
  const ash_tilings *tilings;
  const ash_plan *map = compute(&b, &tilings);
  ash_slot slots[64];
  CHECK(map->slot_count <= ASH_COUNT_OF(slots));
  for (uint32_t i = 0; i < map->slot_count; i++)
    slots[i] = map->slots[i];
  ash_tiler_propagate_io_buffers(slots, map->slot_count, &map->steps);
  for (uint32_t i = 0; i < map->slot_count; i++) /* one op a step: nothing */
    CHECK_EQ(slots[i].life.end_step, map->slots[i].life.end_step);
  net_free(&b.n);
}

static void assert_layer_wise_tiling_sees_patterns(void) {
  static const uint32_t ops[] = {0, 1};
  const ash_step one[] = {{.ops = ops, .op_count = 1},
                          {.ops = ops + 1, .op_count = 1}},
                 both[] = {{.ops = ops, .op_count = 2}};
  CHECK(ash_tiler_is_layer_wise(&(ash_steps){one, 2}));
  CHECK(!ash_tiler_is_layer_wise(&(ash_steps){both, 1}));
}

static bool shares_bytes(const ash_slot *a, const ash_slot *b) {
  return strcmp(a->binding.memory, b->binding.memory) == 0 &&
         a->binding.offset < b->binding.offset + b->size &&
         b->binding.offset < a->binding.offset + a->size;
}

/* Operators of a pattern are cut one by one; all their tiles are there as long
 * as the pattern runs. */
static void a_schedule_may_have_patterns_of_several_operators(void) {
  static const uint32_t ops[] = {1, 0, 2};
  const ash_step steps[] = {{.ops = ops, .op_count = 2},
                            {.ops = ops + 2, .op_count = 1}};
  net n = branches_net();
  ash_tiler *t;
  const ash_tilings *tilings;
  const ash_plan *map;
  CHECK_EQ(ash_tiler_new(n.ctx, &t, tile_device(&n, 1200, 64000, "L3"), NULL),
           ASH_OK);
  CHECK_EQ(ash_tiler_setup_model(t, n.g, &(ash_steps){steps, 2}, NULL), ASH_OK);
  CHECK_EQ(ash_tiler_compute_schedule(t, &tilings), ASH_OK);
  CHECK_EQ(ash_tiler_compute_memory_map(t, &map), ASH_OK);
  CHECK_EQ(ash_tiler_annotate_memory_level(t, &tilings), ASH_OK);
  CHECK_EQ(ash_tiler_test_solution(t), ASH_OK);
  CHECK_EQ(map->steps.count, 2);
  uint32_t tiles[2] = {0, 0};
  for (uint32_t i = 0; i < map->slot_count; i++) {
    const ash_slot *a = &map->slots[i];
    if (a->kind != ASH_SLOT_TILE || a->op == 2)
      continue;
    tiles[a->op]++;
    CHECK_EQ(a->life.first_step, 0);
    for (uint32_t k = 0; k < i; k++)
      CHECK(map->slots[k].kind != ASH_SLOT_TILE || map->slots[k].op == 2 ||
            !shares_bytes(a, &map->slots[k]));
  }
  CHECK(tiles[0] >= 4 && tiles[1] >= 4); /* in and out, in L2 and L1 */
  net_free(&n);
}

static void schedules_that_are_none_are_refused(void) {
  static const uint32_t late[] = {2, 0, 1}, twice[] = {0, 0, 2}, few[] = {0, 1},
                        strange[] = {0, 1, 9};
  static const struct {
    const uint32_t *ops;
    uint32_t count;
  } all[] = {{late, 3}, {twice, 3}, {few, 2}, {strange, 3}};
  net n = branches_net();
  ash_tiler *t;
  CHECK_EQ(ash_tiler_new(n.ctx, &t, tile_device(&n, 1200, 64000, "L3"), NULL),
           ASH_OK);
  for (size_t i = 0; i < ASH_COUNT_OF(all); i++) {
    const ash_step one = {.ops = all[i].ops, .op_count = all[i].count};
    CHECK_EQ(ash_tiler_setup_model(t, n.g, &(ash_steps){&one, 1}, NULL),
             ASH_MISUSE);
    CHECK_EQ(last_diag(&n)->id, ASH_D_tiler_steps);
  }
  net_free(&n);
}

static void assert_uniform_memory_level_looks_at_homes(void) {
  bench b = open_with(NULL, "L3");
  const ash_tilings *tilings;
  net_free(&b.n);
  const ash_tiler_settings s = {.tile = {.io_memory = "L3"}};
  b.n = branches_net();
  b.device = tile_device(&b.n, 4000, 64000, "L2");
  CHECK_EQ(ash_tiler_new(b.n.ctx, &b.t, b.device, &s), ASH_OK);
  (void)compute(&b, &tilings);
  CHECK_EQ(tilings->home[0], 2); /* an input; local buffers are in L2 */
  CHECK(ash_tiler_is_uniform(tilings, b.n.g, 1));
  CHECK(!ash_tiler_is_uniform(tilings, b.n.g, 2));
  net_free(&b.n);
}

static void tests_of_solution_and_map_pass_on_our_own(void) {
  bench b = open_with(NULL, "L3");
  const ash_tilings *tilings;
  (void)compute(&b, &tilings);
  CHECK_EQ(ash_tiler_test_solution(b.t), ASH_OK);
  CHECK_EQ(ash_tiler_test_memory_map(b.t), ASH_OK);
  net_free(&b.n);
}

static void a_solution_from_elsewhere_is_checked(void) {
  bench b = open_with(NULL, "L2");
  const ash_tilings *tilings;
  ash_plan map = *compute(&b, &tilings);
  CHECK_EQ(ash_tiler_setup_model(b.t, b.n.g, NULL, NULL), ASH_OK);
  CHECK_EQ(ash_tiler_use(b.t, tilings, &map), ASH_OK);
  ash_tiling spoilt = tilings->items[0];
  ash_tilings all = *tilings;
  spoilt.cost.tiles++;
  all.items = &spoilt;
  map.tilings = &all;
  CHECK_EQ(ash_tiler_setup_model(b.t, b.n.g, NULL, NULL), ASH_OK);
  CHECK_EQ(ash_tiler_use(b.t, &all, &map), ASH_MALFORMED);
  CHECK_EQ(last_diag(&b.n)->id, ASH_D_tile_cost);
  net_free(&b.n);
}

/* The solution itself is looked at, not the one that the map carries. */
static void a_solution_from_elsewhere_must_be_that_of_the_map(void) {
  bench b = open_with(NULL, "L2");
  const ash_tilings *tilings;
  ash_plan map = *compute(&b, &tilings);
  ash_tiling other = tilings->items[0];
  ash_tilings all = *tilings;
  all.items = &other;
  CHECK_EQ(ash_tiler_use(b.t, &(ash_tilings){0}, &map), ASH_MALFORMED);
  CHECK_EQ(last_diag(&b.n)->id, ASH_D_tile_op);
  other.buffers = NULL;
  CHECK_EQ(ash_tiler_use(b.t, &all, &map), ASH_MALFORMED);
  other = tilings->items[0];
  other.levels[0].tile[0] = 0;
  CHECK_EQ(ash_tiler_use(b.t, &all, &map), ASH_MALFORMED);
  CHECK_EQ(last_diag(&b.n)->id, ASH_D_tile_size);
  map.tilings = NULL; /* the solution says enough */
  CHECK_EQ(ash_tiler_use(b.t, tilings, &map), ASH_OK);
  CHECK_EQ(ash_tiler_annotate_memory_level(b.t, &tilings), ASH_OK);
  CHECK_EQ(ash_tiler_test_solution(b.t), ASH_OK);
  net_free(&b.n);
}

/* A map whose tiles live while their own operator runs: static buffering of a
 * pattern makes them live as long as the pattern. */
static void a_map_from_elsewhere_gets_the_lives_of_its_patterns(void) {
  bench b = open_with(NULL, "L2");
  const ash_tilings *tilings;
  ash_plan map = *compute(&b, &tilings);
  ash_slot slots[64];
  uint32_t tiles = 0;
  CHECK(map.slot_count <= ASH_COUNT_OF(slots));
  for (uint32_t i = 0; i < map.slot_count; i++) {
    slots[i] = map.slots[i];
    if (slots[i].kind == ASH_SLOT_TILE)
      slots[i].life.end_step = slots[i].life.first_step, tiles++;
  }
  map.slots = slots;
  CHECK(tiles > 0);
  CHECK_EQ(ash_check_plan(b.n.ctx, &map, b.n.g, b.device), ASH_INTERNAL);
  CHECK_EQ(ash_tiler_use(b.t, tilings, &map), ASH_OK);
  CHECK_EQ(ash_tiler_test_memory_map(b.t), ASH_OK);
  net_free(&b.n);
}

/* int8: a tile at any byte has its elements aligned, but not itself. */
static void test_tiling_solution_correctness_sees_alignment(void) {
  net n = net_new();
  const ash_shape shape = NET_DIMS(64, 64);
  const uint32_t x = net_input(&n, ASH_INT8, shape, 0.5f, 0);
  const uint32_t y = net_result(&n, ASH_INT8, shape, 0.5f, 0);
  n.g->tensors.items[y].is_output = true;
  (void)net_op(&n, ASH_FN_ROW(relu), NET_IDS(x), y);
  CHECK_EQ(ash_lower(n.ctx, n.g), ASH_OK);
  bench b = {.n = n, .device = tile_device(&n, 4000, 64000, "L2")};
  const ash_tilings *tilings;
  CHECK_EQ(ash_tiler_new(n.ctx, &b.t, b.device, NULL), ASH_OK);
  ash_plan map = *compute(&b, &tilings);
  ash_slot slots[64];
  CHECK(map.slot_count <= ASH_COUNT_OF(slots));
  for (uint32_t i = 0; i < map.slot_count; i++) {
    slots[i] = map.slots[i];
    if (slots[i].kind == ASH_SLOT_TILE) {
      slots[i].binding.offset++;
      slots[i].alignment = 1; /* the memory's is enough */
    }
  }
  map.slots = slots;
  CHECK_EQ(ash_check_tilings(n.ctx, &map, n.g, b.device), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_tile_alignment);
  CHECK_EQ(ash_tiler_use(b.t, tilings, &map), ASH_MALFORMED);
  net_free(&n);
}

static void worst_case_buffer_size_is_that_of_the_arenas(void) {
  bench b = open_with(NULL, "L2");
  const ash_tilings *tilings;
  (void)compute(&b, &tilings);
  uint64_t bytes[ASH_MEMORY_MAX];
  CHECK_EQ(ash_tiler_worst_case_buffer_sizes(b.t, bytes), ASH_OK);
  CHECK(bytes[0] > 0 && bytes[0] <= 4000);
  CHECK_EQ(bytes[1], 4 * (32 * 48 + 48 * 64 + 32 * 64));
  CHECK_EQ(bytes[2], 0);
  net_free(&b.n);
}

/* x * w, with 16 KiB of weights. */
static net dense_net(void) {
  static float weights[64 * 64];
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(1, 64), 0, 0);
  const uint32_t w =
      net_constant(&n, ASH_FLOAT32, NET_DIMS(64, 64), weights, 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(1, 64), 0, 0);
  n.g->tensors.items[y].is_output = true;
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w), y);
  return n;
}

static void worst_case_buffer_size_is_without_constants(void) {
  bench b = {.n = dense_net()};
  const ash_tilings *tilings;
  uint64_t bytes[ASH_MEMORY_MAX];
  b.device = tile_device(&b.n, 4000, 64000, "L2");
  CHECK_EQ(ash_tiler_new(b.n.ctx, &b.t, b.device, NULL), ASH_OK);
  (void)compute(&b, &tilings);
  CHECK_EQ(ash_tiler_worst_case_buffer_sizes(b.t, bytes), ASH_OK);
  CHECK_EQ(bytes[1], 2 * 64 * 4); /* x and y */
  net_free(&b.n);
}

static void arena_names_have_the_prefix(void) {
  bench b = open_with(NULL, "L2");
  char name[64];
  CHECK_STR(ash_tiler_arena_name(b.t, name, sizeof name, 0), "model_arena_l1");
  CHECK_STR(ash_tiler_arena_name(b.t, name, sizeof name, 99), "");
  net_free(&b.n);
}

static bool a_file_has(const ash_compiled *c, const char *text) {
  for (size_t i = 0; i < c->file_count; i++) {
    const char *bytes = (const char *)c->files[i].bytes;
    const size_t n = strlen(text);
    for (size_t k = 0; k + n <= c->files[i].count; k++)
      if (memcmp(bytes + k, text, n) == 0)
        return true;
  }
  return false;
}

/* The names are those of the C that is made of the map. */
static void arena_names_are_those_of_the_generated_c(void) {
  const ash_tiler_settings s = {.arena_prefix = "qqq"};
  bench b = open_with(&s, "L2");
  const ash_tilings *tilings;
  char name[64];
  ash_compiled c = {.graph = b.n.g};
  c.plan = compute(&b, &tilings);
  CHECK_EQ(ash_emit_module(b.n.ctx, &c, b.device, s.arena_prefix, NULL),
           ASH_OK);
  for (uint32_t m = 0; m < 2; m++)
    CHECK(a_file_has(&c, ash_tiler_arena_name(b.t, name, sizeof name, m)));
  CHECK(!a_file_has(&c, ash_tiler_arena_name(b.t, name, sizeof name, 2)));
  net_free(&b.n);
}

static void minimalloc_answers_yes_or_no(void) {
  bench b = open_with(NULL, "L2");
  const ash_buffer blocks[] = {
      {0, 2, 10, 1, ASH_FREE_OFFSET, ASH_FREE_OFFSET, NULL, 0},
      {1, 3, 20, 1, ASH_FREE_OFFSET, ASH_FREE_OFFSET, NULL, 0},
      {2, 4, 10, 1, ASH_FREE_OFFSET, ASH_FREE_OFFSET, NULL, 0}};
  const int64_t *offsets;
  CHECK_EQ(ash_tiler_minimalloc(b.t, blocks, 3, 30, &offsets), ASH_OK);
  CHECK(offsets);
  CHECK_EQ(ash_tiler_minimalloc(b.t, blocks, 3, 29, &offsets), ASH_NOFIT);
  net_free(&b.n);
}

static void plot_writes_a_page(void) {
  char folder[] = "/tmp/ashlar-tiler-XXXXXX", path[128];
  CHECK(mkdtemp(folder));
  const ash_tiler_settings s = {
      .visualise = true, .test_name = "a/b", .work_folder = folder};
  bench b = open_with(&s, "L2");
  const ash_tilings *tilings;
  (void)compute(&b, &tilings);
  (void)snprintf(path, sizeof path, "%s/memory_alloc_a_b.html", folder);
  CHECK_EQ(access(path, R_OK), 0);
  CHECK_EQ(unlink(path), 0);
  CHECK_EQ(rmdir(folder), 0);
  net_free(&b.n);
}

/* ---- strategies --------------------------------------------------------- */

static void allocation_strategies_are_chosen_by_name(void) {
  static const char *const names[] = {"exact", "TetrisRandom", "TetrisCo-Opt",
                                      "MiniMalloc"};
  for (size_t i = 0; i < ASH_COUNT_OF(names); i++)
    for (size_t k = 0; k < ASH_COUNT_OF(names); k++) {
      const ash_tiler_settings s = {.inner = names[i], .outer = names[k]};
      bench b = open_with(&s, "L2");
      const ash_tilings *tilings;
      (void)compute(&b, &tilings);
      CHECK_EQ(ash_tiler_test_memory_map(b.t), ASH_OK);
      net_free(&b.n);
    }
}

/* Blocks of one memory, one after the other. */
static ash_status stack_all(void *user, ash_ctx *ctx,
                            const ash_plan_request *ask,
                            ash_plan_answer *answer) {
  uint64_t top = 0;
  (void)ctx;
  ++*(uint32_t *)user;
  for (uint32_t i = 0; i < ask->slot_count; i++) {
    ash_slot *s = &answer->slots[i];
    if (s->binding.role != ASH_SCRATCH || s->alias_of != ASH_NO_ID)
      continue;
    s->bound = true;
    s->binding.memory = ask->memories[ask->memory[i]].memory;
    s->binding.offset = top;
    top += (s->size + 15) / 16 * 16;
  }
  return ASH_OK;
}

static void inner_and_outer_may_be_planners_of_the_user(void) {
  static const char *const names[][2] = {{"mine", "exact"},
                                         {"first-fit", "naive"},
                                         {"naive", "mine"},
                                         {"mine", "TetrisRandom"}};
  for (size_t i = 0; i < ASH_COUNT_OF(names); i++) {
    uint32_t asked = 0;
    const ash_planner mine = {.abi = ASH_PLANNER_ABI,
                              .name = "mine",
                              .plan = stack_all,
                              .user = &asked};
    const ash_tiler_settings s = {.inner = names[i][0], .outer = names[i][1]};
    bench b = open_with(&s, "L2");
    const ash_tilings *tilings;
    CHECK_EQ(ash_register_planner(b.n.ctx, &mine), ASH_OK);
    (void)compute(&b, &tilings);
    CHECK_EQ(ash_tiler_test_memory_map(b.t), ASH_OK);
    CHECK_EQ(asked > 0, i != 1);
    net_free(&b.n);
  }
  const ash_tiler_settings s = {.inner = "nobody", .outer = "exact"};
  bench b = open_with(&s, "L2");
  const ash_tilings *tilings;
  const ash_plan *map;
  CHECK_EQ(ash_tiler_setup_model(b.t, b.n.g, NULL, NULL), ASH_OK);
  CHECK_EQ(ash_tiler_compute_schedule(b.t, &tilings), ASH_OK);
  CHECK_EQ(ash_tiler_compute_memory_map(b.t, &map), ASH_MISUSE);
  CHECK_EQ(last_diag(&b.n)->id, ASH_D_planner_unknown);
  net_free(&b.n);
}

static void search_strategies_are_chosen_by_name(void) {
  static const char *const names[] = {"cost", "max", "random-max", "min"};
  uint64_t cycles[4];
  for (size_t i = 0; i < ASH_COUNT_OF(names); i++) {
    const ash_tiler_settings s = {.tile = {.search = names[i]}};
    bench b = open_with(&s, "L2");
    const ash_tilings *tilings;
    (void)compute(&b, &tilings);
    cycles[i] = tilings->items[0].cost.cycles;
    net_free(&b.n);
  }
  CHECK(cycles[0] <= cycles[1] && cycles[1] < cycles[3]);
  CHECK(cycles[2] < cycles[3]);
  const ash_tiler_settings s = {.tile = {.search = "best"}};
  bench b = open_with(&s, "L2");
  const ash_tilings *tilings;
  CHECK_EQ(ash_tiler_setup_model(b.t, b.n.g, NULL, NULL), ASH_OK);
  CHECK_EQ(ash_tiler_compute_schedule(b.t, &tilings), ASH_MISUSE);
  CHECK_EQ(last_diag(&b.n)->id, ASH_D_tile_option);
  net_free(&b.n);
}

static uint64_t tiles_of(const char *search, uint64_t seed) {
  const ash_tiler_settings s = {.tile = {.search = search, .seed = seed}};
  bench b = {.n = pool_net(40, 40, 16, 1)};
  const ash_tilings *tilings;
  b.device = tile_device(&b.n, 4000, 200000, "L2");
  CHECK_EQ(ash_tiler_new(b.n.ctx, &b.t, b.device, &s), ASH_OK);
  (void)compute(&b, &tilings);
  uint64_t sum = 0;
  for (uint32_t a = 0; a < tilings->items[0].space->axis_count; a++)
    sum = sum * 64 + (uint64_t)tilings->items[0].levels[0].tile[a];
  net_free(&b.n);
  return sum;
}

static void random_max_depends_on_its_seed_alone(void) {
  const uint64_t max = tiles_of("max", 1);
  uint32_t others = 0;
  CHECK_EQ(tiles_of("max", 2), max);
  for (uint64_t seed = 1; seed <= 12; seed++) {
    const uint64_t tiles = tiles_of("random-max", seed);
    CHECK_EQ(tiles_of("random-max", seed), tiles);
    others += tiles != max;
  }
  CHECK(others > 0);
}

/* ---- a constraint of the user's ------------------------------------------ */

typedef struct policy {
  int64_t first; /* granule of the first axis; 0: its extent */
  uint32_t asked;
} policy;

static void keep_policy(void *user, const ash_graph *g,
                        const ash_tile_space *space,
                        int64_t granule[ASH_TILE_AXES]) {
  policy *p = user;
  CHECK(space->op < g->op_count && granule[0] >= 1);
  granule[0] = p->first ? p->first : space->axes[0].extent;
  p->asked++;
}

static void a_tile_constraint_of_the_user_is_obeyed(void) {
  static const char *const names[] = {"cost", "max", "random-max", "min"};
  for (size_t i = 0; i < ASH_COUNT_OF(names); i++) {
    policy p = {.first = 8};
    const ash_tiler_settings s = {.tile = {.search = names[i],
                                           .constrain = keep_policy,
                                           .constrain_user = &p}};
    bench b = open_with(&s, "L2");
    const ash_tilings *tilings;
    (void)compute(&b, &tilings);
    const ash_tiling *t = &tilings->items[0];
    CHECK_EQ(p.asked, 1);
    CHECK(t->levels[0].tile[0] % 8 == 0 ||
          t->levels[0].tile[0] == t->space->axes[0].extent);
    CHECK_EQ(t->space->axes[0].granule, 1); /* the operator's own */
    net_free(&b.n);
    p = (policy){.first = 0};
    b = (bench){.n = matmul_net(1, 32, 48, 64)};
    b.device = tile_device(&b.n, 12000, 64000, "L2");
    CHECK_EQ(ash_tiler_new(b.n.ctx, &b.t, b.device, &s), ASH_OK);
    (void)compute(&b, &tilings);
    CHECK_EQ(tilings->items[0].levels[0].tile[0],
             tilings->items[0].space->axes[0].extent);
    net_free(&b.n);
  }
  policy p = {.first = -3};
  const ash_tiler_settings s = {
      .tile = {.constrain = keep_policy, .constrain_user = &p}};
  bench b = open_with(&s, "L2");
  const ash_tilings *tilings;
  CHECK_EQ(ash_tiler_setup_model(b.t, b.n.g, NULL, NULL), ASH_OK);
  CHECK_EQ(ash_tiler_compute_schedule(b.t, &tilings), ASH_MISUSE);
  CHECK_EQ(last_diag(&b.n)->id, ASH_D_tile_option);
  net_free(&b.n);
}

/* As Python's random.shuffle gives them after random.seed(1996080121). */
static void tetris_random_has_the_permutations_of_python(void) {
  static const uint32_t want[][10] = {{0},
                                      {0, 1},
                                      {0, 2, 1},
                                      {0, 1, 2, 3},
                                      {1, 0, 4, 2, 3},
                                      {4, 1, 5, 0, 2, 3},
                                      {4, 1, 6, 0, 2, 5, 3},
                                      {4, 1, 3, 0, 2, 6, 5, 7},
                                      {6, 1, 3, 2, 8, 0, 4, 5, 7},
                                      {3, 1, 8, 4, 2, 9, 6, 0, 5, 7}};
  for (uint32_t n = 1; n <= 10; n++) {
    uint32_t order[10];
    ash_tetris_permutation(order, n);
    for (uint32_t i = 0; i < n; i++)
      CHECK_EQ(order[i], want[n - 1][i]);
  }
}

/* ---- the promise -------------------------------------------------------- */

/* int8, 512 x 64 x 512, L1 of 64000 bytes: Deeploy's choice moves about
 * 659 kB, everything once is about 332 kB. With one buffer per tile the
 * processor waits for every byte. */
static void a_product_moves_no_more_than_it_must(void) {
  static int8_t weights[512 * 64];
  static int32_t bias[512];
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(512, 64), 0.5f, 0);
  const uint32_t w =
      net_constant(&n, ASH_INT8, NET_DIMS(512, 64), weights, 0.5f, 0);
  const uint32_t c = net_constant(&n, ASH_INT32, NET_DIMS(512), bias, 0.25f, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(512, 512), 8, 0);
  n.g->tensors.items[y].is_output = true;
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w, c), y);
  CHECK_EQ(ash_lower(n.ctx, n.g), ASH_OK);
  const ash_tile_options one = {.buffering = 1};
  const ash_plan *p =
      must_tile(&n, tile_device(&n, 64000, 1000000, "L2"), &one);
  const ash_tiling *t = &p->tilings->items[0];
  uint64_t once = 0;
  for (uint32_t o = 0; o < t->space->operand_count; o++) {
    const ash_tensor *tensor =
        &n.g->tensors.items[t->space->operands[o].tensor];
    if (tensor->bytes > ASH_TILE_SCALAR_BYTES)
      once += tensor->bytes;
    else /* kernels read it where it lives */
      CHECK_EQ(t->buffers[o].copies, 0);
  }
  CHECK(t->cost.bytes_moved[0] >= once);
  CHECK(t->cost.bytes_moved[0] <= once + once / 100);
  CHECK(once < 334000);
  net_free(&n);
}

/* The size that the verdict names is enough, four bytes less is not; with two
 * buffers per tile another size is named. */
static void a_verdict_names_the_smallest_size_that_would_do(void) {
  for (unsigned kind = 0; kind < 4; kind++) {
    net n = kind & 1 ? matmul_net(1, 8, 8, 8) : pool_net(9, 9, 16, 1);
    const ash_tile_options o = {.buffering = kind & 2};
    const ash_tilings *tilings;
    unsigned need = 0;
    CHECK_EQ(ash_tile_model(n.ctx, &tilings, n.g,
                            tile_device(&n, 4, 64000, "L2"), NULL, &o),
             ASH_NOFIT);
    size_t count;
    const ash_diag *d = ash_ctx_diags(n.ctx, &count);
    while (count && d[count - 1].severity != ASH_ERROR)
      count--;
    CHECK(count > 0);
    CHECK_EQ(d[count - 1].id, ASH_D_tile_nofit);
    CHECK(d[count - 1].hint);
    CHECK_EQ(sscanf(strstr(d[count - 1].hint, "L1="), "L1=%u", &need), 1);
    CHECK_EQ(ash_tile_model(n.ctx, &tilings, n.g,
                            tile_device(&n, need, 64000, "L2"), NULL, &o),
             ASH_OK);
    CHECK_EQ(ash_tile_model(n.ctx, &tilings, n.g,
                            tile_device(&n, need - 4, 64000, "L2"), NULL, &o),
             ASH_NOFIT);
    net_free(&n);
  }
}

/* Homes that are too full: constants go on to the next memory, and the plan
 * still fits. */
static void homes_that_are_too_full_move_on(void) {
  static float weights[64 * 64];
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(1, 64), 0, 0);
  const uint32_t w =
      net_constant(&n, ASH_FLOAT32, NET_DIMS(64, 64), weights, 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(1, 64), 0, 0);
  n.g->tensors.items[y].is_output = true;
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w), y);
  const ash_tile_options o = {.spill = 768};
  const ash_plan *p = must_tile(&n, tile_device(&n, 2000, 8000, "L2"), &o);
  CHECK_EQ(p->tilings->home[x], 1);
  CHECK_EQ(p->tilings->home[w], 2);
  CHECK_EQ(p->tilings->items[0].level_count, 2);
  CHECK_EQ(p->tilings->items[0].buffers[0].copies, 0); /* x is in L2 */
  CHECK(p->tilings->items[0].buffers[1].copies > 0);
  CHECK(has_diag(&n, ASH_D_tile_spill));
  net_free(&n);
}

/* Two results made where their concatenation has them: it is not cut, has no
 * buffers, moves nothing. */
static void what_lies_in_place_is_not_moved(void) {
  net n = net_new();
  const ash_shape half = NET_DIMS(20, 8), whole = NET_DIMS(40, 8);
  const ash_tensor made = {.name = "a",
                           .kind = ASH_TENSOR_ACTIVATION,
                           .type = ASH_FLOAT32,
                           .shape = half};
  const uint32_t x = net_input(&n, ASH_FLOAT32, half, 0, 0);
  const uint32_t a = net_tensor(&n, made, 0, 0), b = net_tensor(&n, made, 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, whole, 0, 0);
  n.g->tensors.items[y].is_output = true;
  (void)net_op(&n, ASH_FN_ROW(relu), NET_IDS(x), a);
  (void)net_op(&n, ASH_FN_ROW(neg), NET_IDS(x), b);
  net_int(&n, net_op(&n, ASH_OP_concatenation, NET_IDS(a, b), y), "axis", 0);
  const ash_plan *p = must_tile(&n, tile_device(&n, 600, 64000, "L3"), NULL);
  const ash_tiling *t = &p->tilings->items[2];
  CHECK(p->tilings->items[0].space && !t->space);
  CHECK(strstr(t->reason, "nothing is moved"));
  CHECK_EQ(t->cost.bytes_moved[0], 0);
  for (uint32_t i = 0; i < p->slot_count; i++)
    CHECK(p->slots[i].tensor != ASH_NO_ID || p->slots[i].op != 2);
  CHECK_EQ(p->slots[ash_plan_slot_of_tensor(p, b)].binding.offset,
           p->slots[ash_plan_slot_of_tensor(p, y)].binding.offset + 640);
  net_free(&n);
}

/* ---- at random ---------------------------------------------------------- */

static net random_net(ash_rng *rng) {
  const int32_t a = 1 + (int32_t)ash_rng_below(rng, 40);
  const int32_t b = 1 + (int32_t)ash_rng_below(rng, 40);
  const int32_t c = 1 + (int32_t)ash_rng_below(rng, 40);
  switch (ash_rng_below(rng, 3)) {
  case 0:
    return matmul_net(1 + (int32_t)ash_rng_below(rng, 3), a, b, c);
  case 1:
    return pool_net(2 + a, 2 + b, c, 1 + (int32_t)ash_rng_below(rng, 3));
  default:
    break;
  }
  net n = net_new();
  const uint32_t x = row_input(&n, 16 * a), y = row_relu(&n, x);
  const uint32_t z = row_reshape(&n, row_add(&n, x, y));
  row_end(&n, row_concat(&n, row_relu(&n, z), y));
  return n;
}

/* Whatever the sizes: a plan that passes every check, or a verdict; and no
 * layer with more cycles or more bytes than "max". */
static void random_models_are_planned_or_refused(void) {
  ash_rng rng = {5};
  uint32_t planned = 0;
  for (uint32_t i = 0; i < 400; i++) {
    net n = random_net(&rng);
    const unsigned l1 = 8 + 4 * (unsigned)ash_rng_below(&rng, 1000);
    const unsigned l2 = 64000 - 100 * (unsigned)ash_rng_below(&rng, 300);
    const ash_device *device =
        tile_device(&n, l1, l2, ash_rng_below(&rng, 2) ? "L3" : "L2");
    const ash_tile_options ours = {.ticks = 3000}, max = {.search = "max"};
    ash_plan_options plan = {0};
    const ash_tilings *theirs;
    const ash_plan *out;
    const ash_status found =
        ash_tile_model(n.ctx, &plan.tilings, n.g, device, &plan, &ours);
    const ash_status simple =
        ash_tile_model(n.ctx, &theirs, n.g, device, NULL, &max);
    CHECK(found == ASH_OK || found == ASH_NOFIT);
    CHECK(found == ASH_OK || simple == ASH_NOFIT);
    if (found == ASH_OK) {
      const ash_status status = ash_plan_model(n.ctx, &out, n.g, device, &plan);
      if (status == ASH_INTERNAL)
        tell_diags(&n);
      CHECK(status == ASH_OK || status == ASH_NOFIT);
      planned += status == ASH_OK;
    }
    for (uint32_t k = 0; simple == ASH_OK && k < theirs->count; k++) {
      const ash_tile_cost *a = &plan.tilings->items[k].cost;
      const ash_tile_cost *b = &theirs->items[k].cost;
      CHECK(a->price <= b->price);
    }
    net_free(&n);
  }
  CHECK(planned > 200);
}

#define TESTS(X)                                                               \
  X(init_needs_a_compute_memory)                                               \
  X(calls_out_of_order_are_misuse)                                             \
  X(options_may_be_shorter_than_ours)                                          \
  X(compute_tiling_schedule_cuts_every_operator)                               \
  X(annotate_memory_level_gives_every_copy_its_addresses)                      \
  X(multi_buffer_strategy_may_be_replaced)                                     \
  X(multi_buffer_strategies_of_deeploy_are_there)                              \
  X(propagate_io_buffer_strategy_keeps_tiles_for_their_pattern)                \
  X(a_schedule_may_have_patterns_of_several_operators)                         \
  X(schedules_that_are_none_are_refused)                                       \
  X(assert_layer_wise_tiling_sees_patterns)                                    \
  X(assert_uniform_memory_level_looks_at_homes)                                \
  X(tests_of_solution_and_map_pass_on_our_own)                                 \
  X(a_solution_from_elsewhere_is_checked)                                      \
  X(a_solution_from_elsewhere_must_be_that_of_the_map)                         \
  X(a_map_from_elsewhere_gets_the_lives_of_its_patterns)                       \
  X(test_tiling_solution_correctness_sees_alignment)                           \
  X(worst_case_buffer_size_is_that_of_the_arenas)                              \
  X(worst_case_buffer_size_is_without_constants)                               \
  X(arena_names_have_the_prefix)                                               \
  X(arena_names_are_those_of_the_generated_c)                                  \
  X(minimalloc_answers_yes_or_no)                                              \
  X(plot_writes_a_page)                                                        \
  X(allocation_strategies_are_chosen_by_name)                                  \
  X(inner_and_outer_may_be_planners_of_the_user)                               \
  X(search_strategies_are_chosen_by_name)                                      \
  X(random_max_depends_on_its_seed_alone)                                      \
  X(a_tile_constraint_of_the_user_is_obeyed)                                   \
  X(tetris_random_has_the_permutations_of_python)                              \
  X(a_product_moves_no_more_than_it_must)                                      \
  X(a_verdict_names_the_smallest_size_that_would_do)                           \
  X(what_lies_in_place_is_not_moved)                                           \
  X(homes_that_are_too_full_move_on)                                           \
  X(random_models_are_planned_or_refused)
TEST_MAIN(TESTS)
