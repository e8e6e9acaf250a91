/* test_helia_planner.c - the methods of heliaAOT's planner. Each case's name
 * starts with the method it is about. */
#include "plan/planner.h"
#include "plan_net.h"

/* ---- plan ---------------------------------------------------------------- */

static void plan_binds_every_tensor_to_an_arena_slot(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), c = row_constant(&n, 64, 1);
  const uint32_t y = row_add(&n, row_reshape(&n, row_relu(&n, x)), c);
  row_end(&n, y);
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK_EQ(p->slot_count, n.g->tensor_count);
  for (uint32_t i = 0; i < p->slot_count; i++)
    CHECK(p->slots[i].bound && p->slots[i].binding.memory);
  CHECK_EQ(p->verdict, ASH_OPTIMAL);
  net_free(&n);
}

static void plan_keeps_persistent_tensors_in_arenas_per_bank(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), s = row_variable(&n, 64);
  const uint32_t big = row_variable(&n, 1024);
  const uint32_t y = row_add(&n, x, s);
  const uint32_t z = row_relu(&n, big);
  row_end(&n, row_concat(&n, y, z));
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK_EQ(slot_of(p, s)->binding.role, ASH_PERSISTENT);
  CHECK_STR(slot_of(p, s)->binding.memory, "FAST");
  CHECK_STR(slot_of(p, big)->binding.memory, "SLOW");
  CHECK_EQ(slot_of(p, s)->life.first_step, 0);
  CHECK_EQ(slot_of(p, s)->life.end_step, p->steps.count);
  net_free(&n);
}

static const ash_plan *staged(net *n, const char *rules, ash_status want) {
  const uint32_t x = row_input(n, 64), a = row_constant(n, 64, 1);
  const uint32_t b = row_constant(n, 64, 2);
  row_end(n, row_add(n, row_add(n, x, a), b));
  const ash_device *d = small_device(n);
  const ash_plan_options o = {.rules = rules_from(n, rules)};
  const ash_plan *p;
  CHECK_EQ(ash_plan_model(n->ctx, &p, n->g, d, &o), want);
  return p;
}

static void plan_leaves_constants_cold_by_default(void) {
  net n = net_new();
  const ash_plan *p = staged(&n, "[]", ASH_OK);
  CHECK_STR(slot_of(p, 1)->binding.memory, "ROM");
  CHECK_STR(slot_of(p, 1)->binding.source_memory, "ROM");
  net_free(&n);
}

static void plan_stages_constants_whose_destination_differs(void) {
  net n = net_new();
  const ash_plan *p = staged(
      &n, "- {type: constant, constant_destination_memory: FAST}", ASH_OK);
  CHECK_STR(slot_of(p, 1)->binding.memory, "FAST");
  CHECK_STR(slot_of(p, 1)->binding.source_memory, "ROM");
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == ASH_SCRATCH) /* what staging takes is gone */
      CHECK_EQ(p->arenas[i].total_size, 1024 - 128);
  net_free(&n);
}

static void plan_wants_one_source_memory_for_a_staged_arena(void) {
  net n = net_new();
  (void)staged(&n,
               "- {id: '1', constant_destination_memory: FAST}\n"
               "- {id: '2', memory: SLOW, constant_destination_memory: FAST}",
               ASH_MALFORMED);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_source);
  net_free(&n);
}

/* Three equal constants are stored once; each keeps its own entry. */
static void plan_interns_identical_constants(void) {
  net n = net_new();
  uint32_t x = row_input(&n, 64);
  const uint32_t a = row_constant(&n, 64, 1), b = row_constant(&n, 64, 1);
  const uint32_t other = row_constant(&n, 64, 2), c = row_constant(&n, 64, 1);
  const uint32_t all[] = {a, b, other, c};
  for (size_t i = 0; i < 4; i++)
    x = row_add(&n, x, all[i]);
  row_end(&n, x);
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK_EQ(slot_of(p, a)->binding.offset, slot_of(p, b)->binding.offset);
  CHECK_EQ(slot_of(p, a)->binding.offset, slot_of(p, c)->binding.offset);
  CHECK(slot_of(p, a)->binding.offset != slot_of(p, other)->binding.offset);
  CHECK_EQ(p->arenas[p->arena_count - 1].size, 128);
  CHECK_EQ(p->arenas[p->arena_count - 1].verdict, ASH_OPTIMAL);
  net_free(&n);
}

/* 64 and 4 bytes aligned to 64 and 16: the end is at 68, and no order is
 * better. 4 bytes aligned to 64 in front of 40 aligned to 16: not proved. */
static void plan_claims_no_more_than_it_proves_about_constants(void) {
  static const struct {
    int32_t first, second;
    uint64_t size, bound;
    ash_verdict verdict;
  } cases[] = {{64, 4, 68, 68, ASH_OPTIMAL},
               {4, 40, 56, 52, ASH_FEASIBLE},
               {40, 40, 88, 88, ASH_OPTIMAL}};
  for (size_t i = 0; i < ASH_COUNT_OF(cases); i++) {
    net n = net_new();
    const uint32_t x = row_input(&n, cases[i].first);
    const uint32_t y = row_input(&n, cases[i].second);
    const uint32_t a = row_constant(&n, cases[i].first, 1);
    const uint32_t b = row_constant(&n, cases[i].second, 9);
    const uint32_t one = row_add(&n, x, a), two = row_add(&n, y, b);
    row_end(&n, row_concat(&n, one, two));
    const ash_plan_options o = {
        .rules = rules_from(&n, "- {id: '2', alignment: 64}")};
    const ash_plan *p = must_plan(&n, small_device(&n), &o);
    const ash_arena *arena = &p->arenas[p->arena_count - 1];
    CHECK_EQ(arena->role, ASH_CONSTANT);
    CHECK_EQ(slot_of(p, a)->binding.offset % 64, 0);
    CHECK_EQ(arena->size, cases[i].size);
    CHECK_EQ(arena->verdict, cases[i].verdict);
    CHECK_EQ(arena->lower_bound, cases[i].bound);
    net_free(&n);
  }
}

static void plan_obeys_rules_and_pins(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), y = row_relu(&n, x);
  const uint32_t z = row_add(&n, x, y);
  row_end(&n, z);
  const ash_plan_options o = {.rules =
                                  rules_from(&n, "- {id: '1', memory: FAR}\n"
                                                 "- {id: '2', offset: 512}")};
  const ash_plan *p = must_plan(&n, small_device(&n), &o);
  CHECK_STR(slot_of(p, y)->binding.memory, "FAR");
  CHECK_STR(slot_of(p, z)->binding.memory, "FAST");
  CHECK_EQ(slot_of(p, z)->binding.offset, 512);
  CHECK_EQ(slot_of(p, y)->alias_of, ASH_NO_ID);
  net_free(&n);
}

/* Three rows of 400 bytes do not fit 1 KiB: the one that moves the fewest
 * bytes for the room it gives goes to SLOW, never to FAR. */
static void plan_spills_by_benefit_and_never_to_unlinkable_memory(void) {
  net n = net_new();
  const ash_plan_options o = {.no_in_place = true};
  const uint32_t x = row_input(&n, 400), y = row_relu(&n, x);
  const uint32_t often = row_add(&n, y, y), z = row_add(&n, x, often);
  row_end(&n, row_add(&n, z, often));
  const ash_plan *p = must_plan(&n, small_device(&n), &o);
  uint32_t fast = 0, slow = 0;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    fast += strcmp(p->slots[i].binding.memory, "FAST") == 0;
    slow += strcmp(p->slots[i].binding.memory, "SLOW") == 0;
    CHECK(p->slots[i].reason != NULL);
  }
  CHECK(fast > slow && slow > 0 && fast + slow == p->slot_count);
  CHECK_EQ(p->verdict, ASH_FEASIBLE); /* who went where is not proved */
  net_free(&n);
}

/* FAST and TWIN cost the same; banks of 1 KiB. */
static const ash_plan *plan_with_banks(net *n, const char *state,
                                       const char *costs) {
  char text[600];
  const ash_device *device;
  (void)snprintf(text, sizeof text,
                 "name: banked\ncpu: cortex-m4\nalignment: 16\nmemories:\n"
                 "  - {name: FAST, bytes: 4K, bank: 1K, read_cost: 100,\n"
                 "     write_cost: 100}\n"
                 "  - {name: TWIN, bytes: 4K, bank: 1K, %s}\n"
                 "  - {name: ROM, bytes: 64K, kind: nvm}\n"
                 "default: FAST\nconstants: ROM\norder: [FAST, TWIN]\n",
                 costs);
  CHECK_EQ(ash_device_parse(n->ctx, &device, text, strlen(text), "banked"),
           ASH_OK);
  const uint32_t s = row_variable(n, 100), x = row_input(n, 440);
  const uint32_t a = row_input(n, 100), b = row_add(n, row_read(n, s), a);
  row_end(n, row_concat(n, row_relu(n, x), b));
  const ash_plan_options o = {
      .rules = rules_from(n, state), .no_in_place = true, .no_concat = true};
  return must_plan(n, device, &o);
}

static uint64_t powered_in(const ash_plan *p, const char *memory) {
  for (uint32_t i = 0; i < p->power_count; i++)
    if (strcmp(p->power[i].memory, memory) == 0) {
      CHECK_EQ(p->power[i].bank_bytes, 1024);
      CHECK_EQ(p->power[i].banks, 4);
      CHECK_EQ(p->power[i].powered, (p->power[i].used + 1023) / 1024);
      return p->power[i].powered;
    }
  return 0;
}

/* 1080 bytes of scratch are alive at once: two banks of FAST. With state in
 * TWIN one bank there has power anyway, and has room for some of them. */
static void plan_lets_power_banks_stay_off_where_costs_are_equal(void) {
  static const char in_twin[] = "- {type: persistent, memory: TWIN}";
  net n = net_new();
  const ash_plan *p =
      plan_with_banks(&n, in_twin, "read_cost: 100, write_cost: 100");
  const uint64_t together = powered_in(p, "FAST") + powered_in(p, "TWIN");
  uint32_t moved = 0;
  for (uint32_t i = 0; i < p->slot_count; i++)
    moved += p->slots[i].reason && strstr(p->slots[i].reason, "power bank");
  net_free(&n);
  n = net_new(); /* costs differ: cycles come first */
  p = plan_with_banks(&n, in_twin, "read_cost: 101, write_cost: 100");
  CHECK_EQ(powered_in(p, "FAST") + powered_in(p, "TWIN"), together + 1);
  CHECK(moved > 0);
  net_free(&n);
  n = net_new(); /* no bank of TWIN has power: nothing would be saved */
  p = plan_with_banks(&n, "- {type: persistent, memory: FAST}",
                      "read_cost: 100, write_cost: 100");
  CHECK_EQ(powered_in(p, "TWIN"), 0);
  net_free(&n);
}

static void plan_says_what_is_short_by_how_much(void) {
  net n = net_new();
  const ash_plan *p;
  const ash_device *d = small_device(&n);
  const uint32_t x = row_input(&n, 4096);
  row_end(&n, row_add(&n, x, row_relu(&n, x)));
  const ash_plan_options o = {.no_in_place = true};
  CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, d, &o), ASH_NOFIT);
  size_t count;
  const ash_diag *said = ash_ctx_diags(n.ctx, &count);
  CHECK_EQ(said[0].id, ASH_D_plan_nofit);
  CHECK(strstr(said[0].message, "8192 bytes short"));
  CHECK(strstr(said[0].hint, "--set SLOW=12288"));
  net_free(&n);
}

static void plan_is_deterministic(void) {
  char first[17] = "", plan[17], layout[17];
  for (int i = 0; i < 3; i++) {
    net n = net_new();
    const uint32_t x = row_input(&n, 128), y = row_relu(&n, x);
    row_end(&n, row_concat(&n, row_add(&n, x, y), y));
    CHECK_EQ(ash_plan_hashes(n.ctx, plan, layout,
                             must_plan(&n, small_device(&n), NULL)),
             ASH_OK);
    if (i == 0)
      memcpy(first, layout, sizeof first);
    CHECK_STR(layout, first);
    net_free(&n);
  }
}

/* ---- the greedy planner, and ours ---------------------------------------- */

typedef struct instance {
  uint32_t count, steps;
  uint64_t peak, bound;
  ash_buffer buffers[256];
  uint32_t slot[256];
  long long want[256];
} instance;

static bool load(instance *in, const char *name) {
  char path[512], line[256], id[64];
  unsigned align, first, last;
  unsigned long long size, peak, bound;
  (void)snprintf(path, sizeof path, "%s/packing/heliaaot/%s.csv", shared_data(),
                 name);
  FILE *f = fopen(path, "r");
  if (!f)
    return false;
  CHECK(fgets(line, sizeof line, f));
  CHECK_EQ(sscanf(line,
                  "# align=%u ops=%u helia_peak=%llu "
                  "live_lower_bound=%llu",
                  &align, &in->steps, &peak, &bound),
           4);
  in->peak = peak;
  in->bound = bound;
  in->count = 0;
  while (fgets(line, sizeof line, f)) {
    long long want;
    if (sscanf(line, "%63[^,],%u,%u,%llu,%lld", id, &first, &last, &size,
               &want) != 5)
      continue;
    in->want[in->count] = want;
    in->buffers[in->count++] = (ash_buffer){.lower = first,
                                            .upper = last + 1,
                                            .size = size,
                                            .alignment = align,
                                            .offset = ASH_FREE_OFFSET,
                                            .hint = ASH_FREE_OFFSET};
  }
  (void)fclose(f);
  return true;
}

static const char *const published[] = {
    "hkv_arrhythmia_int8", "hkv_denoise_fp32",      "hkv_segmentation_int8",
    "kws_dscnn_m4_align4", "kws_dscnn_m55_align16", "resnet28_int8_ap510"};

static void pack(instance *in, ash_pack *how, ash_place_result *out,
                 ash_ctx *ctx) {
  const ash_plan_options options = {0};
  const ash_plan_request ask = {.options = &options,
                                .steps = {.count = in->steps}};
  ash_plan_answer answer = {0};
  ash_draft d = {.ctx = ctx, .ask = &ask, .answer = &answer};
  const ash_scratch s = {in->slot, in->buffers, in->count};
  CHECK_EQ(how(&d, out, &s, 0), ASH_OK);
}

static void plan_greedy_reproduces_every_published_offset(void) {
  static instance in;
  for (size_t i = 0; i < ASH_COUNT_OF(published); i++) {
    ash_place_result placed;
    if (!load(&in, published[i]))
      SKIP("the published plans are not in ../shared/data");
    net n = net_new();
    pack(&in, ash_plan_pack_greedy, &placed, n.ctx);
    for (uint32_t k = 0; k < in.count; k++)
      CHECK_EQ(placed.offsets[k], in.want[k]);
    CHECK_EQ(placed.height, in.peak);
    CHECK_EQ(placed.lower_bound, in.bound);
    net_free(&n);
  }
}

static void plan_exact_reaches_the_published_lower_bounds(void) {
  static instance in;
  for (size_t i = 0; i < ASH_COUNT_OF(published); i++) {
    ash_place_result placed;
    if (!load(&in, published[i]))
      SKIP("the published plans are not in ../shared/data");
    net n = net_new();
    pack(&in, ash_plan_pack_exact, &placed, n.ctx);
    CHECK_EQ(placed.height, in.bound);
    CHECK_EQ(placed.verdict, ASH_OPTIMAL);
    net_free(&n);
  }
}

/* ---- register_memory_planner --------------------------------------------- */

static ash_status refuse(void *user, ash_ctx *ctx, const ash_plan_request *ask,
                         ash_plan_answer *answer) {
  (void)user, (void)ctx, (void)ask;
  answer->message = "not today";
  return ASH_UNSUPPORTED;
}

static void register_memory_planner_makes_a_planner_known_by_its_name(void) {
  static const ash_planner mine = {
      .abi = ASH_PLANNER_ABI, .name = "mine", .help = "", .plan = refuse};
  static const ash_planner old = {.abi = 77, .name = "old", .plan = refuse};
  static const ash_planner empty = {.abi = ASH_PLANNER_ABI, .name = "empty"};
  net n = net_new();
  const ash_plan *p;
  CHECK(ash_find_planner(n.ctx, "exact") && ash_find_planner(n.ctx, "greedy"));
  CHECK(!ash_find_planner(n.ctx, "mine"));
  CHECK_EQ(ash_register_planner(n.ctx, &mine), ASH_OK);
  CHECK(ash_find_planner(n.ctx, "mine") == &mine);
  size_t last = 0;
  while (ash_planner_at(n.ctx, last + 1))
    last++;
  CHECK(ash_planner_at(n.ctx, last) == &mine);
  CHECK_EQ(ash_register_planner(n.ctx, &mine), ASH_MISUSE);
  CHECK_EQ(last_diag(&n)->id, ASH_D_planner_taken);
  CHECK_EQ(ash_register_planner(n.ctx, &old), ASH_MISUSE);
  CHECK_EQ(last_diag(&n)->id, ASH_D_planner_abi);
  CHECK_EQ(ash_register_planner(n.ctx, &empty), ASH_MISUSE);
  row_end(&n, row_relu(&n, row_input(&n, 64)));
  const ash_plan_options o = {.planner = "mine"}, typo = {.planner = "gredy"};
  const ash_device *d = small_device(&n);
  CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, d, &o), ASH_UNSUPPORTED);
  CHECK(strstr(last_diag(&n)->message, "not today"));
  CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, d, &typo), ASH_MISUSE);
  CHECK(strstr(last_diag(&n)->hint, "greedy"));
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(plan_binds_every_tensor_to_an_arena_slot)                                  \
  X(plan_keeps_persistent_tensors_in_arenas_per_bank)                          \
  X(plan_leaves_constants_cold_by_default)                                     \
  X(plan_stages_constants_whose_destination_differs)                           \
  X(plan_wants_one_source_memory_for_a_staged_arena)                           \
  X(plan_interns_identical_constants)                                          \
  X(plan_claims_no_more_than_it_proves_about_constants)                        \
  X(plan_obeys_rules_and_pins)                                                 \
  X(plan_spills_by_benefit_and_never_to_unlinkable_memory)                     \
  X(plan_lets_power_banks_stay_off_where_costs_are_equal)                      \
  X(plan_says_what_is_short_by_how_much)                                       \
  X(plan_is_deterministic)                                                     \
  X(plan_greedy_reproduces_every_published_offset)                             \
  X(plan_exact_reaches_the_published_lower_bounds)                             \
  X(register_memory_planner_makes_a_planner_known_by_its_name)
TEST_MAIN(TESTS)
