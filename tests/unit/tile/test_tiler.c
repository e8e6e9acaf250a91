/* test_tiler.c - what is around the search: homes and ways of operands, what
 * cannot be cut, options that mean nothing, and when two operators have the
 * same answer. */
#include "tile_net.h"

#include "tile/search/problem.h"

/* ---- the same answer ----------------------------------------------------- */

typedef struct twin {
  ash_tile_problem p;
  ash_tile_space space;
  ash_tile_operand operands[3];
} twin;

static void make_twin(twin *t, net *n) {
  const ash_tile_space *space;
  const char *why;
  CHECK_EQ(ash_tile_space_of(n->ctx, &space, &why, n->g, 0), ASH_OK);
  CHECK_EQ(space->operand_count, 3);
  t->space = *space;
  memcpy(t->operands, space->operands, sizeof t->operands);
  t->space.operands = t->operands;
  t->p = (ash_tile_problem){.ctx = n->ctx,
                            .g = n->g,
                            .space = &t->space,
                            .level_count = 2,
                            .per_kilocycle = 1000};
}

/* One of the bytes of a number: it differs. */
static void raise_byte(void *at) {
  (*(uint8_t *)at)++;
}

static void problems_that_differ_anywhere_are_not_the_same(void) {
  net n = matmul_net(1, 8, 8, 8);
  twin a, b;
  ash_tile_hop *h = &b.p.hops[1];
  ash_tile_axis *x = &b.space.axes[1];
  ash_tile_operand *o = &b.operands[1];
  ash_tile_dim *d = &o->dim[1];
  void *const fields[] = {&b.p.level_count,
                          &b.p.buffering,
                          &b.p.per_kilocycle,
                          &b.p.wanted[1][1],
                          &h->memory,
                          &h->room,
                          &h->staged,
                          &h->overlaps,
                          &h->setup,
                          &h->bytes_per_kilocycle,
                          &h->row_cycles,
                          &h->beat,
                          &h->rank,
                          &h->transfer_max,
                          &h->alignment,
                          &b.space.axis_count,
                          &b.space.operand_count,
                          &b.space.accumulator_bytes,
                          &b.space.work,
                          &x->extent,
                          &x->kind,
                          &x->granule,
                          &x->multiple,
                          &o->is_output,
                          &o->rank,
                          &d->axis,
                          &d->stride,
                          &d->window,
                          &d->before,
                          &d->divide};
  for (size_t i = 0; i < ASH_COUNT_OF(fields); i++) {
    make_twin(&a, &n);
    make_twin(&b, &n);
    CHECK(ash_problem_same(&a.p, &b.p));
    raise_byte(fields[i]);
    CHECK(!ash_problem_same(&a.p, &b.p));
  }
  net_free(&n);
}

/* .. nor are operators of other kinds, types and shapes. */
static void operators_that_differ_are_not_the_same(void) {
  net n = matmul_net(1, 8, 8, 8), m = matmul_net(1, 8, 8, 8);
  twin a, b;
  ash_tensor *t = &m.g->tensors.items[1];
  make_twin(&a, &n);
  make_twin(&b, &m);
  CHECK(ash_problem_same(&a.p, &b.p));
  t->type = ASH_INT32;
  CHECK(!ash_problem_same(&a.p, &b.p));
  t->type = ASH_FLOAT32;
  t->shape.dim[1]++;
  CHECK(!ash_problem_same(&a.p, &b.p));
  t->shape.dim[1]--;
  m.g->ops.items[0].kind = ASH_OP_concatenation;
  CHECK(!ash_problem_same(&a.p, &b.p));
  net_free(&n);
  net_free(&m);
}

/* ---- options ------------------------------------------------------------- */

static void refused(net *n, const ash_device *device, ash_plan_options plan,
                    const ash_tile_options *options, ash_status want,
                    uint32_t id) {
  const ash_status status =
      ash_tile_model(n->ctx, &plan.tilings, n->g, device, &plan, options);
  if (status != want || last_diag(n)->id != id)
    tell_diags(n);
  CHECK_EQ(status, want);
  CHECK_EQ(last_diag(n)->id, id);
  CHECK(plan.tilings == NULL);
  net_free(n);
}

static uint32_t four_copies(void *user, const ash_graph *g, uint32_t op,
                            const ash_tile_operand *operand,
                            const uint32_t *path, uint32_t count,
                            uint32_t hop) {
  (void)user, (void)g, (void)op, (void)operand, (void)path, (void)count;
  (void)hop;
  return 4;
}

static void options_that_mean_nothing(void) {
  const ash_plan_options plain = {0};
  net n = matmul_net(1, 8, 8, 8);
  refused(&n, small_device(&n), plain, NULL, ASH_MISUSE, ASH_D_tile_device);
  const ash_tile_options wrong[] = {
      {.buffering = 4}, {.search = "nearly"}, {.copies = four_copies}};
  for (size_t i = 0; i < ASH_COUNT_OF(wrong); i++) {
    n = matmul_net(1, 8, 8, 8);
    refused(&n, tile_device(&n, 1024, 4096, "L2"), plain, &wrong[i], ASH_MISUSE,
            ASH_D_tile_option);
  }
}

/* ---- homes --------------------------------------------------------------- */

static uint32_t memory_of(const ash_device *device, const char *name) {
  for (uint32_t i = 0; i < device->memory_count; i++)
    if (strcmp(device->memories[i].name, name) == 0)
      return i;
  CHECK(false);
  return 0;
}

/* x times a constant matrix. */
static net dense_net(uint32_t *w) {
  static const float zeros[16 * 16] = {0};
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(8, 16), 0, 0);
  *w = net_constant(&n, ASH_FLOAT32, NET_DIMS(16, 16), zeros, 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(8, 16), 0, 0);
  n.g->tensors.items[y].is_output = true;
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(x, *w), y);
  return n;
}

static void rules_say_where_constants_live(void) {
  static const struct {
    const char *rule, *home;
  } cases[] = {
      {"- {type: constant, memory: L3}", "L3"},
      {"- {type: constant, memory: L3, constant_destination_memory: L2}", "L2"},
      {"- {type: constant, constant_destination_memory: L1}", "L1"}};
  for (size_t i = 0; i < ASH_COUNT_OF(cases); i++) {
    uint32_t w;
    net n = dense_net(&w);
    const ash_device *device = tile_device(&n, 4096, 16384, "L2");
    ash_plan_options plan = {.rules = rules_from(&n, cases[i].rule)};
    CHECK_EQ(ash_tile_model(n.ctx, &plan.tilings, n.g, device, &plan, NULL),
             ASH_OK);
    CHECK_EQ(plan.tilings->home[w], memory_of(device, cases[i].home));
    net_free(&n);
  }
}

/* x -> svdf with a variable, which has no tile rule. */
static net state_net(void) {
  static const float zeros[64] = {0};
  net n = net_new();
  const uint32_t state = row_variable(&n, 96), x = row_input(&n, 20);
  const uint32_t w = net_constant(&n, ASH_FLOAT32, NET_DIMS(6, 5), zeros, 0, 0);
  const uint32_t t = net_constant(&n, ASH_FLOAT32, NET_DIMS(6, 4), zeros, 0, 0);
  const uint32_t b = net_constant(&n, ASH_FLOAT32, NET_DIMS(3), zeros, 0, 0);
  const uint32_t y = row_tensor(&n, 12);
  net_int(&n, net_op(&n, ASH_OP_svdf, NET_IDS(x, w, t, b, state), y), "rank",
          2);
  row_end(&n, y);
  return n;
}

static void state_lives_where_the_processor_reaches_it(void) {
  net n = state_net();
  const ash_plan_options plan = {
      .rules = rules_from(&n, "- {type: persistent, memory: L3}")};
  refused(&n, tile_device(&n, 4096, 16384, "L3"), plan, NULL, ASH_UNSUPPORTED,
          ASH_D_tile_reach);
}

/* What has no tile rule is brought as a whole to where the processor reads. */
static void what_cannot_be_cut_comes_as_a_whole(void) {
  net n = state_net();
  const ash_device *device = tile_device(&n, 4096, 16384, "L3");
  const ash_plan *p = must_tile(&n, device, NULL);
  const ash_tiling *t = &p->tilings->items[0];
  CHECK(t->space != NULL && t->reason != NULL);
  CHECK_EQ(t->space->axis_count, 0);
  CHECK_EQ(t->cost.tiles, 1);
  CHECK_EQ(t->levels[t->level_count - 1].memory, memory_of(device, "L2"));
  CHECK_EQ(ash_check_tilings(n.ctx, p, n.g, device), ASH_OK);
  net_free(&n);
}

/* .. or runs where its operands are, if that is near enough. */
static void what_cannot_be_cut_may_run_where_it_is(void) {
  net n = state_net();
  const ash_device *device = tile_device(&n, 4096, 16384, "L2");
  const ash_plan *p = must_tile(&n, device, NULL);
  CHECK(p->tilings->items[0].space == NULL);
  CHECK_EQ(ash_check_tilings(n.ctx, p, n.g, device), ASH_OK);
  net_free(&n);
}

static void what_fits_nowhere_as_a_whole_is_refused(void) {
  net n = state_net();
  refused(&n, tile_device(&n, 256, 240, "L3"), (ash_plan_options){0}, NULL,
          ASH_NOFIT, ASH_D_tile_nofit);
}

/* ---- ways ---------------------------------------------------------------- */

static const ash_device *device_of(net *n, const char *memories,
                                   const char *dma) {
  char text[2048];
  const ash_device *device = NULL;
  const int count =
      snprintf(text, sizeof text,
               "name: ways\ncpu: riscv\nalignment: 4\nmemories:\n%s"
               "default: HOME\ncompute: L1\nconstants: HOME\norder: [HOME]\n%s",
               memories, dma);
  const ash_status status =
      ash_device_parse(n->ctx, &device, text, (size_t)count, "ways.yaml");
  if (status != ASH_OK)
    tell_diags(n);
  CHECK_EQ(status, ASH_OK);
  return device;
}

/* Without an engine the processor copies; an engine is never slower here. */
static void transfers_without_an_engine_are_the_processors(void) {
  static const char memories[] =
      "  - {name: L1, bytes: 1K, neighbours: [HOME], reach: [cpu, dma]}\n"
      "  - {name: HOME, bytes: 64K, neighbours: [L1], reach: [cpu, dma], "
      "read_cost: 500}\n";
  static const char *const engines[] = {
      "", "dma:\n  - {name: D, memories: [L1, HOME], ranks: [1, 2], "
          "bytes_per_kilocycle: 8000}\n"};
  uint64_t cycles[2];
  for (int i = 0; i < 2; i++) {
    net n = matmul_net(1, 24, 24, 24);
    const ash_device *device = device_of(&n, memories, engines[i]);
    const ash_plan *p = must_tile(&n, device, NULL);
    cycles[i] = p->tilings->items[0].cost.cycles;
    CHECK_EQ(ash_check_tilings(n.ctx, p, n.g, device), ASH_OK);
    net_free(&n);
  }
  CHECK(cycles[0] > cycles[1]);
}

/* Operands at home in HOME and in FAR, whose ways to L1 are not the same. */
static void ways_that_do_not_join_are_refused(void) {
  static const char memories[] =
      "  - {name: L1, bytes: 1K, neighbours: [A, B], reach: [cpu, dma]}\n"
      "  - {name: A, bytes: 4K, neighbours: [L1, HOME], reach: [dma]}\n"
      "  - {name: B, bytes: 4K, neighbours: [L1, FAR], reach: [dma]}\n"
      "  - {name: HOME, bytes: 64K, neighbours: [A], reach: [dma]}\n"
      "  - {name: FAR, bytes: 64K, neighbours: [B], reach: [dma]}\n";
  net n = matmul_net(1, 8, 8, 8);
  const ash_plan_options plan = {
      .rules = rules_from(&n, "- {id: '1', memory: FAR}")};
  refused(&n, device_of(&n, memories, ""), plan, NULL, ASH_UNSUPPORTED,
          ASH_D_tile_path);
}

static void ways_that_are_too_long_are_refused(void) {
  static const char memories[] =
      "  - {name: L1, bytes: 1K, neighbours: [A], reach: [cpu, dma]}\n"
      "  - {name: A, bytes: 4K, neighbours: [L1, B], reach: [dma]}\n"
      "  - {name: B, bytes: 4K, neighbours: [A, C], reach: [dma]}\n"
      "  - {name: C, bytes: 4K, neighbours: [B, D], reach: [dma]}\n"
      "  - {name: D, bytes: 4K, neighbours: [C, HOME], reach: [dma]}\n"
      "  - {name: HOME, bytes: 64K, neighbours: [D], reach: [dma]}\n";
  net n = matmul_net(1, 8, 8, 8);
  refused(&n, device_of(&n, memories, ""), (ash_plan_options){0}, NULL,
          ASH_UNSUPPORTED, ASH_D_tile_path);
}

/* ---- many operands ------------------------------------------------------- */

enum { MANY = ASH_OPERANDS_MAX + 1 };

static net join_net(void) {
  net n = net_new();
  uint32_t in[MANY], op, y;
  for (uint32_t i = 0; i < MANY; i++)
    in[i] = row_input(&n, 8);
  y = row_tensor(&n, 8 * MANY);
  CHECK_EQ(ash_graph_add_op(n.g, &op,
                            (ash_op){.kind = ASH_OP_concatenation,
                                     .inputs = in,
                                     .input_count = MANY,
                                     .outputs = &y,
                                     .output_count = 1}),
           ASH_OK);
  net_int(&n, op, "axis", 1);
  row_end(&n, y);
  return n;
}

static void too_many_operands_are_not_cut(void) {
  net n = join_net();
  const ash_device *device = tile_device(&n, 4096, 16384, "L2");
  const ash_plan *p = must_tile(&n, device, NULL);
  CHECK(p->tilings->items[0].space == NULL);
  CHECK(p->tilings->items[0].reason != NULL);
  CHECK_EQ(ash_check_tilings(n.ctx, p, n.g, device), ASH_OK);
  net_free(&n);
  n = join_net();
  refused(&n, tile_device(&n, 4096, 16384, "L3"), (ash_plan_options){0}, NULL,
          ASH_UNSUPPORTED, ASH_D_tile_path);
}

#define TESTS(X)                                                               \
  X(problems_that_differ_anywhere_are_not_the_same)                            \
  X(operators_that_differ_are_not_the_same)                                    \
  X(options_that_mean_nothing)                                                 \
  X(rules_say_where_constants_live)                                            \
  X(state_lives_where_the_processor_reaches_it)                                \
  X(what_cannot_be_cut_comes_as_a_whole)                                       \
  X(what_cannot_be_cut_may_run_where_it_is)                                    \
  X(what_fits_nowhere_as_a_whole_is_refused)                                   \
  X(transfers_without_an_engine_are_the_processors)                            \
  X(ways_that_do_not_join_are_refused)                                         \
  X(ways_that_are_too_long_are_refused)                                        \
  X(too_many_operands_are_not_cut)
TEST_MAIN(TESTS)
