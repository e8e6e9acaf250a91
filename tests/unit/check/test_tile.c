/* test_tile.c - a valid tiling, spoilt in one way at a time: each must be
 * caught, and by its own diagnostic. */
#include "pass/pass.h"
#include "tile_net.h"

/* A copy of a plan in which everything can be changed. */
typedef struct victim {
  net n;
  const ash_device *device;
  ash_plan plan;
  ash_tilings tilings;
  ash_tiling tiling; /* of the only op */
  ash_tile_space space;
  ash_tile_operand operands[4];
  ash_tile_buffer buffers[ASH_TILE_LEVELS * 4];
  ash_slot slots[64];
  uint32_t home[8];
} victim;

/* A product whose depth is cut, in two levels; searched for once. */
static victim *open_victim(void) {
  static victim v, first;
  if (!first.n.ctx) {
    first.n = matmul_net(1, 24, 64, 40);
    first.device = tile_device(&first.n, 1024, 4096, "L3");
    first.plan = *must_tile(&first.n, first.device, NULL);
  }
  v = first;
  ash_ctx_forget(v.n.ctx);
  v.tilings = *v.plan.tilings;
  v.tiling = v.tilings.items[0];
  v.space = *v.tiling.space;
  CHECK(v.plan.slot_count <= ASH_COUNT_OF(v.slots));
  CHECK_EQ(v.space.operand_count, 3);
  CHECK_EQ(v.tiling.level_count, 2);
  for (uint32_t i = 0; i < 3; i++)
    v.operands[i] = v.space.operands[i];
  for (uint32_t i = 0; i < 2 * 3; i++)
    v.buffers[i] = v.tiling.buffers[i];
  for (uint32_t i = 0; i < v.plan.slot_count; i++)
    v.slots[i] = v.plan.slots[i];
  for (uint32_t i = 0; i < 3; i++)
    v.home[i] = v.tilings.home[i];
  v.space.operands = v.operands;
  v.tiling.space = &v.space;
  v.tiling.buffers = v.buffers;
  v.tilings.items = &v.tiling;
  v.tilings.home = v.home;
  v.plan.tilings = &v.tilings;
  v.plan.slots = v.slots;
  return &v;
}

static uint32_t axis_of(const victim *v, ash_axis_kind kind) {
  for (uint32_t a = 0; a < v->space.axis_count; a++)
    if (v->space.axes[a].kind == kind)
      return a;
  CHECK(false);
  return 0;
}

static ash_slot *tile_slot(victim *v, uint32_t level, uint32_t operand) {
  return &v->slots[v->buffers[level * 3 + operand].slot];
}

/* Sums that are cut, for the mutations that need one. */
static void cut_sum(victim *v, uint32_t level) {
  const uint32_t k = axis_of(v, ASH_AXIS_SUM);
  if (v->tiling.levels[level].tile[k] > 1)
    v->tiling.levels[level].tile[k]--;
  for (uint32_t i = level + 1; i < 2; i++)
    if (v->tiling.levels[i].tile[k] > v->tiling.levels[level].tile[k])
      v->tiling.levels[i].tile[k] = v->tiling.levels[level].tile[k];
}

/* ---- the ways ----------------------------------------------------------- */

static void no_levels(victim *v) {
  v->tiling.level_count = 0;
}
static void wrong_last_memory(victim *v) {
  v->tiling.levels[1].memory = 1;
}
static void empty_tile(victim *v) {
  v->tiling.levels[1].tile[0] = 0;
}
static void tile_beyond_region(victim *v) {
  v->tiling.levels[1].tile[0] = v->tiling.levels[0].tile[0] + 1;
}
static void granule(victim *v) {
  for (uint32_t a = 0; a < v->space.axis_count; a++)
    v->space.axes[a].granule = 1000;
}
static void another_accumulator(victim *v) {
  v->space.accumulator_bytes = 2;
}
static void axis_of_nobody(victim *v) {
  v->operands[1].dim[0].axis = ASH_TILE_AXES;
}
static void division_by_zero(victim *v) {
  v->operands[1].dim[0].divide = 0;
}
/* Pieces inside ask for elements before those of the piece outside. */
static void walked_backwards(victim *v) {
  for (uint32_t o = 0; o < 2; o++)
    for (uint32_t d = 0; d < v->operands[o].rank; d++)
      if (v->operands[o].dim[d].axis != ASH_NO_AXIS) {
        v->operands[o].dim[d].stride = -1;
        v->operands[o].dim[d].before =
            1 - v->space.axes[v->operands[o].dim[d].axis].extent;
      }
}
/* Of the output; its axis is cut. */
static ash_tile_dim *last_dim(victim *v) {
  ash_tile_dim *d = &v->operands[2].dim[v->operands[2].rank - 1];
  const int64_t extent = v->space.axes[d->axis].extent;
  if (v->tiling.levels[0].tile[d->axis] == extent)
    v->tiling.levels[0].tile[d->axis] = extent / 2;
  if (v->tiling.levels[1].tile[d->axis] > extent / 2)
    v->tiling.levels[1].tile[d->axis] = extent / 2;
  return d;
}
static void gaps_between_results(victim *v) {
  last_dim(v)->stride = 2;
}
static void results_written_twice(victim *v) {
  last_dim(v)->window = 2;
}
static void results_of_every_piece(victim *v) {
  *last_dim(v) = (ash_tile_dim){ASH_NO_AXIS, 1, 1, 0, 1};
}
static void axis_twice(victim *v) {
  v->tiling.levels[0].order[0] = v->tiling.levels[0].order[1];
}
static void sum_outside(victim *v) {
  const uint32_t m = axis_of(v, ASH_AXIS_FREE);
  const uint32_t k = axis_of(v, ASH_AXIS_SUM);
  v->tiling.levels[0].tile[k] = v->tiling.levels[1].tile[k] = 2;
  v->tiling.levels[0].tile[m] = 2;
  v->tiling.levels[1].tile[m] = 1;
}
static void another_stride(victim *v) {
  v->operands[0].dim[1].stride = 2;
}
static void another_extent(victim *v) {
  const int64_t extent = --v->space.axes[0].extent;
  for (uint32_t k = 0; k < 2; k++)
    if (v->tiling.levels[k].tile[0] > extent)
      v->tiling.levels[k].tile[0] = extent;
}
static void another_op(victim *v) {
  v->space.op = 1;
}
static void not_neighbours(victim *v) {
  v->buffers[0 * 3 + 0].copies = 0; /* straight from L3 to L1 */
}
static void not_staged(victim *v) {
  v->buffers[1 * 3 + 1].copies = 0; /* brought to L2, not to L1 */
}
static void four_copies(victim *v) {
  v->buffers[1 * 3 + 0].copies = 4;
}
static void small_buffer(victim *v) {
  v->buffers[1 * 3 + 2].bytes--;
}
static void no_slot(victim *v) {
  v->buffers[1 * 3 + 0].slot = ASH_NO_ID;
}
static void slot_of_another(victim *v) {
  v->buffers[1 * 3 + 0].slot = v->buffers[1 * 3 + 1].slot;
}
static void slot_in_other_memory(victim *v) {
  tile_slot(v, 1, 0)->binding.memory = "L2";
}
static void small_slot(victim *v) {
  tile_slot(v, 1, 0)->size -= 4;
}
static void odd_offset(victim *v) {
  tile_slot(v, 1, 0)->binding.offset += 2;
}
static void dead_slot(victim *v) {
  tile_slot(v, 0, 2)->life = (ash_lifetime){1, 2};
}
static void no_accumulator(victim *v) {
  cut_sum(v, 1);
  v->tiling.accumulator.copies = 0;
}
static void small_accumulator(victim *v) {
  cut_sum(v, 1);
  v->tiling.accumulator = (ash_tile_buffer){1, 4, ASH_NO_ID};
}
static void overlapping_copies(victim *v) {
  tile_slot(v, 1, 0)->binding.offset = tile_slot(v, 1, 1)->binding.offset;
}
static void wrong_tile_count(victim *v) {
  v->tiling.cost.tiles++;
}
static void impossible_bound(victim *v) {
  v->tiling.cost.lower_bound = v->tiling.cost.cycles + 1;
}
static void untiled_out_of_reach(victim *v) {
  v->tiling.space = NULL;
}
static void another_home(victim *v) {
  v->home[0] = 1;
}
static void tiling_of_another(victim *v) {
  v->tiling.op = 1;
}
static void too_few_tilings(victim *v) {
  v->tilings.count = 0;
}

static void too_many_levels(victim *v) {
  v->tiling.level_count = ASH_TILE_LEVELS + 1;
}
static void level_in_no_memory(victim *v) {
  v->tiling.levels[0].memory = 99;
}
static void loop_over_no_axis(victim *v) {
  v->tiling.levels[0].order[0] = ASH_TILE_AXES;
}
/* The first level cuts the sum, the second one a free axis. */
static void sum_in_an_outer_level(victim *v) {
  const uint32_t m = axis_of(v, ASH_AXIS_FREE);
  const uint32_t k = axis_of(v, ASH_AXIS_SUM);
  for (uint32_t a = 0; a < v->space.axis_count; a++)
    for (uint32_t level = 0; level < 2; level++)
      v->tiling.levels[level].tile[a] = v->space.axes[a].extent;
  v->tiling.levels[0].tile[k] = v->tiling.levels[1].tile[k] = 2;
  v->tiling.levels[1].tile[m] = 1;
}
static void too_many_axes(victim *v) {
  v->space.axis_count = ASH_TILE_AXES + 1;
}
static void another_granule(victim *v) {
  v->space.axes[0].granule = -1;
}
static void sums_only(victim *v) {
  for (uint32_t a = 0; a < v->space.axis_count; a++)
    v->space.axes[a].kind = ASH_AXIS_SUM;
}
static void without_output(victim *v) {
  v->space.operand_count = 2;
}
static void output_called_input(victim *v) {
  v->operands[2].is_output = false;
}
static void another_window(victim *v) {
  v->operands[0].dim[1].window = 2;
}
static void another_start(victim *v) {
  v->operands[0].dim[1].before = 1;
}
static void another_division(victim *v) {
  v->operands[0].dim[1].divide = 2;
}
static void another_axis(victim *v) {
  v->operands[0].dim[1].axis = ASH_NO_AXIS;
}
static void huge_stride(victim *v) {
  v->operands[0].dim[1].stride = INT64_MAX;
}
static void huge_start(victim *v) {
  v->operands[0].dim[1].before = INT64_MIN;
}
static void huge_window(victim *v) {
  v->operands[0].dim[1].window = INT64_MAX;
}
static void huge_division(victim *v) {
  v->operands[0].dim[1].divide = INT64_MAX;
}
static void empty_axis(victim *v) {
  v->space.axes[0].extent = 0;
}
static void huge_axis(victim *v) {
  v->space.axes[0].extent = INT64_MAX;
}
static void tensor_of_nobody(victim *v) {
  v->operands[0].tensor = 4711;
}
static void another_rank(victim *v) {
  v->operands[0].rank--;
}
static void home_of_nobody(victim *v) {
  v->home[v->operands[0].tensor] = 99;
}
static void slot_of_work_memory(victim *v) {
  tile_slot(v, 1, 0)->kind = ASH_SLOT_WORK;
}
static void slot_of_no_operator(victim *v) {
  tile_slot(v, 1, 0)->op = ASH_NO_ID;
}
static void slot_of_another_level(victim *v) {
  tile_slot(v, 1, 0)->level = 0;
}
static void slot_of_another_copy(victim *v) {
  tile_slot(v, 1, 0)->copy = 2;
}
static void slot_that_died(victim *v) {
  tile_slot(v, 0, 2)->life = (ash_lifetime){0, 0};
}
static void faster_than_its_sums(victim *v) {
  v->tiling.cost.compute_cycles = v->tiling.cost.cycles + 1;
}
static void cheaper_than_its_cycles(victim *v) {
  v->tiling.cost.price = v->tiling.cost.cycles - 1;
  v->tiling.cost.lower_bound = 0;
}
static void step_of_nobody(victim *v) {
  static const uint32_t none[] = {4711};
  static const ash_step step = {.ops = none, .op_count = 1};
  v->plan.steps.items = &step;
}

typedef struct mutation {
  const char *name;
  void (*spoil)(victim *v);
  uint32_t id;
} mutation;

#define MUTATION(name, id)                                                     \
  { #name, name, ASH_D_##id }

static const mutation mutations[] = {
    MUTATION(no_levels, tile_levels),
    MUTATION(wrong_last_memory, tile_levels),
    MUTATION(empty_tile, tile_size),
    MUTATION(tile_beyond_region, tile_size),
    MUTATION(granule, tile_granule),
    MUTATION(another_accumulator, tile_space),
    MUTATION(axis_of_nobody, tile_space),
    MUTATION(division_by_zero, tile_space),
    MUTATION(walked_backwards, tile_read),
    MUTATION(gaps_between_results, tile_cover),
    MUTATION(results_written_twice, tile_cover),
    MUTATION(results_of_every_piece, tile_cover),
    MUTATION(axis_twice, tile_order),
    MUTATION(sum_outside, tile_sum_order),
    MUTATION(another_stride, tile_space),
    MUTATION(another_extent, tile_cover),
    MUTATION(another_op, tile_space),
    MUTATION(not_neighbours, tile_way),
    MUTATION(not_staged, tile_not_staged),
    MUTATION(four_copies, tile_copies),
    MUTATION(small_buffer, tile_buffer),
    MUTATION(no_slot, tile_slot),
    MUTATION(slot_of_another, tile_slot),
    MUTATION(slot_in_other_memory, tile_memory),
    MUTATION(small_slot, tile_slot_size),
    MUTATION(odd_offset, tile_alignment),
    MUTATION(dead_slot, tile_alive),
    MUTATION(no_accumulator, tile_accumulator),
    MUTATION(small_accumulator, tile_accumulator),
    MUTATION(overlapping_copies, tile_overlap),
    MUTATION(wrong_tile_count, tile_cost),
    MUTATION(impossible_bound, tile_cost),
    MUTATION(untiled_out_of_reach, tile_reach),
    MUTATION(another_home, tile_home),
    MUTATION(tiling_of_another, tile_op),
    MUTATION(too_few_tilings, tile_op),
    MUTATION(too_many_levels, tile_levels),
    MUTATION(level_in_no_memory, tile_levels),
    MUTATION(loop_over_no_axis, tile_order),
    MUTATION(sum_in_an_outer_level, tile_sum_order),
    MUTATION(too_many_axes, tile_space),
    MUTATION(another_granule, tile_space),
    MUTATION(sums_only, tile_space),
    MUTATION(without_output, tile_space),
    MUTATION(output_called_input, tile_space),
    MUTATION(another_window, tile_space),
    MUTATION(another_start, tile_space),
    MUTATION(another_division, tile_space),
    MUTATION(another_axis, tile_space),
    MUTATION(huge_stride, tile_space),
    MUTATION(huge_start, tile_space),
    MUTATION(huge_window, tile_space),
    MUTATION(huge_division, tile_space),
    MUTATION(empty_axis, tile_space),
    MUTATION(huge_axis, tile_space),
    MUTATION(tensor_of_nobody, tile_space),
    MUTATION(another_rank, tile_space),
    MUTATION(home_of_nobody, tile_home),
    MUTATION(slot_of_work_memory, tile_slot),
    MUTATION(slot_of_no_operator, tile_slot),
    MUTATION(slot_of_another_level, tile_slot),
    MUTATION(slot_of_another_copy, tile_slot),
    MUTATION(slot_that_died, tile_alive),
    MUTATION(faster_than_its_sums, tile_cost),
    MUTATION(cheaper_than_its_cycles, tile_cost),
    MUTATION(step_of_nobody, tile_op)};

static ash_status check(victim *v) {
  return ash_check_tilings(v->n.ctx, &v->plan, v->n.g, v->device);
}

static void the_copy_itself_is_right(void) {
  victim *v = open_victim();
  CHECK_EQ(check(v), ASH_OK);
}

static void every_mutation_is_caught_by_its_own_diagnostic(void) {
  for (size_t i = 0; i < ASH_COUNT_OF(mutations); i++) {
    victim *v = open_victim();
    mutations[i].spoil(v);
    const ash_status status = check(v);
    if (status == ASH_OK || last_diag(&v->n)->id != mutations[i].id) {
      fprintf(stderr, "%s\n", mutations[i].name);
      tell_diags(&v->n);
    }
    CHECK_EQ(status, ASH_INTERNAL);
    CHECK_EQ(last_diag(&v->n)->id, mutations[i].id);
  }
}

static void plans_without_their_lists_are_misuse(void) {
  victim *v = open_victim();
  CHECK_EQ(ash_check_tilings(v->n.ctx, &v->plan, NULL, v->device), ASH_MISUSE);
  CHECK_EQ(ash_check_tilings(v->n.ctx, &v->plan, v->n.g, NULL), ASH_MISUSE);
  v->tilings.home = NULL;
  CHECK_EQ(check(v), ASH_MISUSE);
  v->plan.tilings = NULL;
  CHECK_EQ(check(v), ASH_OK);
}

/* A rule that says "multiples of 8" and a tile that is none: the rule's own
 * words are believed here, so the space is the operator's. */
static void a_cut_between_granules_is_caught(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(6, 2, 4), 0, 0);
  const float zeros[4 * 4] = {0};
  const uint32_t w = net_constant(&n, ASH_FLOAT32, NET_DIMS(4, 4), zeros, 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(12, 4), 0, 0);
  n.g->tensors.items[y].is_output = true;
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w), y);
  const ash_device *device = tile_device(&n, 512, 4096, "L2");
  ash_plan plan = *must_tile(&n, device, NULL);
  ash_tilings tilings = *plan.tilings;
  ash_tiling tiling = tilings.items[0];
  tilings.items = &tiling;
  plan.tilings = &tilings;
  uint32_t a = 0;
  while (a < tiling.space->axis_count && tiling.space->axes[a].granule < 2)
    a++;
  CHECK(a < tiling.space->axis_count);
  tiling.levels[0].tile[a] = 3;
  CHECK_EQ(ash_check_tilings(n.ctx, &plan, n.g, device), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_tile_granule);
  net_free(&n);
}

/* Tensors at home where kernels read are cut in rows, or not at all. */
static void residents_are_cut_in_rows(void) {
  static float weights[64 * 64];
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(8, 64), 0, 0);
  const uint32_t w =
      net_constant(&n, ASH_FLOAT32, NET_DIMS(64, 64), weights, 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(8, 64), 0, 0);
  n.g->tensors.items[y].is_output = true;
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w), y);
  const ash_tile_options home = {.io_memory = "L1"};
  const ash_device *device = tile_device(&n, 21000, 64000, "L2");
  ash_plan plan = *must_tile(&n, device, &home);
  ash_tilings tilings = *plan.tilings;
  ash_tiling tiling = tilings.items[0];
  CHECK_EQ(tiling.buffers[0].copies, 0);
  tilings.items = &tiling;
  plan.tilings = &tilings;
  CHECK_EQ(ash_check_tilings(n.ctx, &plan, n.g, device), ASH_OK);
  uint32_t c = 0;
  while (strcmp(tiling.space->axes[c].name, "c") != 0)
    c++;
  const uint32_t rows = c == 0 ? 1 : 0;
  tiling.levels[0].tile[rows] /= 2;
  tiling.cost.tiles *= 2;
  tiling.cost.bytes_without_reuse *= 2;
  CHECK_EQ(ash_check_tilings(n.ctx, &plan, n.g, device), ASH_OK);
  tiling.cost.bytes_without_reuse /= 2;
  tiling.levels[0].tile[rows] *= 2;
  tiling.cost.tiles /= 2;
  tiling.levels[0].tile[c] = 16;
  CHECK_EQ(ash_check_tilings(n.ctx, &plan, n.g, device), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_tile_row);
  net_free(&n);
}

/* Layers with float activations and int8 weights quantise a row into work
 * memory. */
static void work_memory_that_is_missing_or_small_is_caught(void) {
  static const int8_t weights[16 * 16];
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(8, 16), 0, 0);
  const uint32_t w =
      net_constant(&n, ASH_INT8, NET_DIMS(16, 16), weights, 0.5f, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(8, 16), 0, 0);
  n.g->tensors.items[y].is_output = true;
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w), y);
  CHECK_EQ(ash_pass_lower(n.ctx, n.g), ASH_OK);
  const ash_device *device = tile_device(&n, 400, 4096, "L2");
  ash_plan plan = *must_tile(&n, device, NULL);
  ash_tilings tilings = *plan.tilings;
  ash_tiling tiling = tilings.items[0];
  const ash_tile_buffer work = tiling.work;
  CHECK_EQ(work.bytes, 16);
  CHECK(tiling.cost.tiles > 1);
  tilings.items = &tiling;
  plan.tilings = &tilings;
  CHECK_EQ(ash_check_tilings(n.ctx, &plan, n.g, device), ASH_OK);
  for (uint32_t missing = 0; missing < 2; missing++) {
    tiling.work = work;
    if (missing)
      tiling.work.copies = 0;
    else
      tiling.work.bytes--;
    CHECK_EQ(ash_check_tilings(n.ctx, &plan, n.g, device), ASH_INTERNAL);
    CHECK_EQ(last_diag(&n)->id, ASH_D_tile_work);
  }
  net_free(&n);
}

/* A view of what the processor does not reach is done already, if both sides
 * have a place, and that is the same. */
static void views_without_a_place_are_caught(void) {
  for (int missing = 0; missing < 3; missing++) {
    net n = net_new();
    const uint32_t x = row_input(&n, 64);
    const uint32_t v = row_reshape(&n, row_relu(&n, x));
    row_end(&n, row_relu(&n, v));
    const ash_device *device = tile_device(&n, 1024, 4096, "L3");
    const ash_tile_options far = {.no_residents = true};
    ash_plan plan = *must_tile(&n, device, &far);
    ash_slot slots[64];
    CHECK(plan.slot_count <= ASH_COUNT_OF(slots));
    memcpy(slots, plan.slots, plan.slot_count * sizeof *slots);
    plan.slots = slots;
    CHECK(plan.tilings->items[1].space == NULL);
    CHECK_EQ(ash_check_tilings(n.ctx, &plan, n.g, device), ASH_OK);
    ash_slot *in = &slots[ash_plan_slot_of_tensor(&plan, v - 1)];
    ash_slot *out = &slots[ash_plan_slot_of_tensor(&plan, v)];
    if (missing == 0)
      in->tensor = ASH_NO_ID;
    else if (missing == 1)
      out->tensor = ASH_NO_ID;
    else
      out->binding.offset += 4;
    CHECK_EQ(ash_check_tilings(n.ctx, &plan, n.g, device), ASH_INTERNAL);
    CHECK_EQ(last_diag(&n)->id, ASH_D_tile_reach);
    net_free(&n);
  }
}

#define TESTS(X)                                                               \
  X(the_copy_itself_is_right)                                                  \
  X(every_mutation_is_caught_by_its_own_diagnostic)                            \
  X(plans_without_their_lists_are_misuse)                                      \
  X(a_cut_between_granules_is_caught)                                          \
  X(residents_are_cut_in_rows)                                                 \
  X(work_memory_that_is_missing_or_small_is_caught)                            \
  X(views_without_a_place_are_caught)
TEST_MAIN(TESTS)
