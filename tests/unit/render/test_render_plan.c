/* test_render_plan.c - heliaAOT's render plan: records, region ids, hashes, and
 * every contract of build_render_plan. */
#include "plan_net.h"

typedef struct rendered {
  net n;
  const ash_plan *plan;
  const ash_render_plan *r;
  uint32_t x, cold, hot, state, y;
} rendered;

/* A scratch, a persistent, a cold and a staged constant arena. */
static rendered setup(void) {
  rendered t = {.n = net_new()};
  net *n = &t.n;
  ash_rules *rules;
  t.x = row_input(n, 64);
  t.cold = row_constant(n, 60, 1);
  t.hot = row_constant(n, 64, 2);
  t.state = row_variable(n, 64);
  const uint32_t wide = row_add(n, row_add(n, t.x, t.hot), t.state);
  t.y = row_concat(n, wide, t.cold);
  row_end(n, t.y);
  CHECK_EQ(ash_rules_new(n->ctx, &rules), ASH_OK);
  CHECK_EQ(
      ash_rules_add(n->ctx, rules, "id=2 constant_destination_memory=SLOW"),
      ASH_OK);
  const ash_plan_options o = {.rules = rules};
  t.plan = must_plan(n, small_device(n), &o);
  CHECK_EQ(ash_build_render_plan(n->ctx, &t.r, t.plan, n->g, "kws"), ASH_OK);
  return t;
}

static void
RenderArena_has_region_id_role_memory_source_memory_size_alignment_is_staged(
    void) {
  rendered t = setup();
  CHECK_EQ(t.r->arena_count, 4);
  const ash_render_arena *a = t.r->all_arenas;
  CHECK_STR(a[0].role, "scratch");
  CHECK_STR(a[0].memory, "FAST");
  CHECK_STR(a[0].source_memory, "FAST");
  CHECK_EQ(a[0].size, t.plan->arenas[0].size);
  CHECK_EQ(a[0].alignment, 16);
  CHECK(!a[0].is_staged);
  CHECK_STR(a[3].role, "constant");
  CHECK_STR(a[3].memory, "SLOW");
  CHECK_STR(a[3].source_memory, "ROM");
  CHECK(a[3].is_staged);
  net_free(&t.n);
}

static void
all_arenas_and_region_id_go_by_role_then_memory_name_and_are_dense(void) {
  rendered t = setup();
  static const char *const want[][2] = {{"scratch", "FAST"},
                                        {"persistent", "FAST"},
                                        {"constant", "ROM"},
                                        {"constant", "SLOW"}};
  for (uint32_t i = 0; i < 4; i++) {
    CHECK_EQ(t.r->all_arenas[i].region_id, i);
    CHECK_STR(t.r->all_arenas[i].role, want[i][0]);
    CHECK_STR(t.r->all_arenas[i].memory, want[i][1]);
  }
  CHECK(t.r->scratch_count == 1 && t.r->persistent_count == 1 &&
        t.r->constant_count == 2);
  net_free(&t.n);
}

static void staged_constant_arenas_are_those_with_a_distinct_source(void) {
  rendered t = setup();
  CHECK_EQ(t.r->staged_count, 1);
  const ash_render_arena *a = t.r->staged_constant_arenas[0];
  CHECK_EQ(a->region_id, 3);
  CHECK(ash_render_region(t.r, ASH_CONSTANT, "SLOW") == a);
  CHECK(!ash_render_region(t.r, ASH_SCRATCH, "SLOW"));
  CHECK(!ash_render_region(t.r, ASH_SCRATCH, NULL));
  net_free(&t.n);
}

static void
RenderConstantBlob_has_memory_is_staged_sidecar_filename_payload(void) {
  rendered t = setup();
  const ash_render_blob *cold = &t.r->constant_blobs[0];
  const ash_render_blob *hot = &t.r->constant_blobs[1];
  CHECK_STR(cold->memory, "ROM");
  CHECK(!cold->is_staged && hot->is_staged);
  CHECK_STR(cold->sidecar_filename, "kws_arena_const_rom__blob.bin");
  CHECK_STR(hot->sidecar_filename, "kws_arena_const_slow__source.bin");
  CHECK_EQ(hot->size, 64);
  CHECK(memcmp(hot->payload, t.n.g->tensors.items[t.hot].data, 64) == 0);
  CHECK(memcmp(cold->payload, t.n.g->tensors.items[t.cold].data, 60) == 0);
  net_free(&t.n);
}

static void RenderMemoryPlan_has_arenas_by_role_blobs_and_both_hashes(void) {
  rendered t = setup();
  CHECK(t.r->scratch_arenas == &t.r->all_arenas[0]);
  CHECK(t.r->persistent_arenas == &t.r->all_arenas[1]);
  CHECK(t.r->constant_arenas == &t.r->all_arenas[2]);
  for (uint32_t i = 0; i < t.r->constant_count; i++)
    CHECK_STR(t.r->constant_blobs[i].memory, t.r->constant_arenas[i].memory);
  CHECK(strlen(t.r->plan_hash) == 16 && strlen(t.r->tensor_layout_hash) == 16);
  net_free(&t.n);
}

/* 20 bytes, then 12 of padding, then 64: the gap is zeros. */
static void payload_includes_alignment_padding_between_constants(void) {
  net n = net_new();
  const ash_render_plan *r;
  const uint32_t x = row_input(&n, 20), y = row_input(&n, 64);
  const uint32_t a = row_constant(&n, 20, 1), b = row_constant(&n, 64, 2);
  const uint32_t end = row_constant(&n, 4, 5);
  const uint32_t first = row_add(&n, x, a), second = row_add(&n, y, b);
  row_end(&n, row_concat(&n, row_concat(&n, first, second), end));
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK_EQ(ash_build_render_plan(n.ctx, &r, p, n.g, "kws"), ASH_OK);
  const ash_render_blob *blob = &r->constant_blobs[0];
  uint8_t want[100] = {0};
  CHECK_EQ(blob->size, 32 + 64 + 4);
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].binding.role == ASH_CONSTANT)
      memcpy(want + p->slots[i].binding.offset,
             n.g->tensors.items[p->slots[i].tensor].data, p->slots[i].size);
  CHECK(memcmp(blob->payload, want, sizeof want) == 0);
  CHECK_EQ(slot_of(p, b)->binding.offset, 32);
  net_free(&n);
}

/* Two re-plans of one model give the same regions. */
static void region_id_is_stable_across_re_plans(void) {
  rendered t = setup(), u = setup();
  CHECK_STR(t.r->plan_hash, u.r->plan_hash);
  CHECK_STR(t.r->tensor_layout_hash, u.r->tensor_layout_hash);
  for (uint32_t i = 0; i < t.r->arena_count; i++)
    CHECK_STR(t.r->all_arenas[i].symbol, u.r->all_arenas[i].symbol);
  net_free(&t.n);
  net_free(&u.n);
}

static void plan_hash_reproduces_a_published_one(void) {
  const ash_arena same[] = {{.role = ASH_SCRATCH,
                             .memory = "dtcm",
                             .source_memory = "dtcm",
                             .size = 14976,
                             .alignment = 16},
                            {.role = ASH_CONSTANT,
                             .memory = "MRAM",
                             .source_memory = "MRAM",
                             .size = 25380,
                             .alignment = 16}};
  char plan[17], layout[17];
  net n = net_new();
  const ash_plan p = {.arenas = same, .arena_count = 2};
  CHECK_EQ(ash_plan_hashes(n.ctx, plan, layout, &p), ASH_OK);
  CHECK_STR(plan, "5d2b8211f7f2f774");
  net_free(&n);
}

/* SHA-256 of "2|scratch|DTCM|0|64;10|constant|MRAM|16|3;a_1|scratch|DTCM|64|4;"
 * by another implementation: numbers by value, then names. */
static void tensor_layout_hash_is_over_ids_in_natural_order(void) {
  const ash_slot slots[] = {
      {.id = "a_1", .size = 4, .binding = {ASH_SCRATCH, "DTCM", 64, "DTCM"}},
      {.id = "10", .size = 3, .binding = {ASH_CONSTANT, "mram", 16, "mram"}},
      {.id = "2", .size = 64, .binding = {ASH_SCRATCH, "DTCM", 0, "DTCM"}}};
  char plan[17], layout[17];
  net n = net_new();
  const ash_plan p = {.slots = slots, .slot_count = 3};
  CHECK_EQ(ash_plan_hashes(n.ctx, plan, layout, &p), ASH_OK);
  CHECK_STR(layout, "7eb61088f829ae75");
  net_free(&n);
}

static void plan_hash_ignores_moves_inside_arenas_and_the_other_does_not(void) {
  rendered t = setup();
  ash_slot slots[16];
  ash_plan p = *t.plan;
  char plan[17], layout[17];
  memcpy(slots, p.slots, p.slot_count * sizeof *slots);
  slots[0].binding.offset += 16;
  p.slots = slots;
  CHECK_EQ(ash_plan_hashes(t.n.ctx, plan, layout, &p), ASH_OK);
  CHECK_STR(plan, t.r->plan_hash);
  CHECK(strcmp(layout, t.r->tensor_layout_hash) != 0);
  net_free(&t.n);
}

/* ---- contracts ----------------------------------------------------------- */

typedef struct spoilt {
  rendered t;
  ash_plan plan;
  ash_slot slots[16];
  ash_arena arenas[8];
} spoilt;

static void spoil(spoilt *s) {
  s->t = setup();
  s->plan = *s->t.plan;
  memcpy(s->slots, s->plan.slots, s->plan.slot_count * sizeof *s->slots);
  memcpy(s->arenas, s->plan.arenas, s->plan.arena_count * sizeof *s->arenas);
  s->plan.slots = s->slots;
  s->plan.arenas = s->arenas;
}

static ash_slot *spoilt_slot(spoilt *s, uint32_t tensor) {
  return &s->slots[ash_plan_slot_of_tensor(&s->plan, tensor)];
}

static void raises(spoilt *s, uint32_t id) {
  const ash_render_plan *r;
  CHECK_EQ(ash_build_render_plan(s->t.n.ctx, &r, &s->plan, s->t.n.g, "kws"),
           ASH_MALFORMED);
  CHECK(r == NULL);
  CHECK_EQ(last_diag(&s->t.n)->id, id);
  net_free(&s->t.n);
}

static void build_render_plan_raises_for_a_constant_with_no_allocation(void) {
  spoilt s;
  spoil(&s);
  spoilt_slot(&s, s.t.cold)->tensor = ASH_NO_ID;
  /* A slot of no tensor is no constant's: take it away altogether. */
  uint32_t to = 0;
  for (uint32_t i = 0; i < s.plan.slot_count; i++)
    if (s.slots[i].tensor != ASH_NO_ID)
      s.slots[to++] = s.slots[i];
  s.plan.slot_count = to;
  raises(&s, ASH_D_plan_constant_missing);
}

static void build_render_plan_raises_for_slots_that_disagree_on_source(void) {
  spoilt s;
  spoil(&s);
  spoilt_slot(&s, s.t.hot)->binding.source_memory = "FAST";
  raises(&s, ASH_D_plan_source);
}

static void build_render_plan_raises_for_a_missing_binding(void) {
  spoilt s;
  spoil(&s);
  spoilt_slot(&s, s.t.y)->bound = false;
  raises(&s, ASH_D_plan_unbound);
}

static void build_render_plan_raises_for_a_binding_to_no_arena(void) {
  spoilt s;
  spoil(&s);
  spoilt_slot(&s, s.t.x)->binding.memory = "SLOW";
  raises(&s, ASH_D_plan_no_arena);
}

static void build_render_plan_raises_for_a_slot_beyond_its_arena(void) {
  spoilt s;
  spoil(&s);
  spoilt_slot(&s, s.t.state)->binding.offset = 1024;
  raises(&s, ASH_D_plan_beyond_arena);
}

static void build_render_plan_raises_for_a_missing_payload(void) {
  spoilt s;
  spoil(&s);
  s.t.n.g->tensors.items[s.t.cold].data = NULL;
  raises(&s, ASH_D_plan_payload);
}

static void build_render_plan_raises_for_a_missing_output(void) {
  spoilt s;
  spoil(&s);
  const uint32_t at = ash_plan_slot_of_tensor(&s.plan, s.t.y);
  s.plan.slot_count--;
  memmove(&s.slots[at], &s.slots[at + 1],
          (s.plan.slot_count - at) * sizeof *s.slots);
  raises(&s, ASH_D_plan_unbound);
}

static void build_render_plan_raises_for_sizes_that_are_not_the_tensors(void) {
  spoilt s;
  spoil(&s);
  s.arenas[2].size += 4096;
  spoilt_slot(&s, s.t.cold)->size += 4096;
  raises(&s, ASH_D_plan_payload);
  spoil(&s);
  spoilt_slot(&s, s.t.cold)->size--;
  raises(&s, ASH_D_plan_undersized);
}

static void build_render_plan_raises_for_names_that_are_missing(void) {
  spoilt s;
  spoil(&s);
  spoilt_slot(&s, s.t.y)->binding.memory = NULL;
  raises(&s, ASH_D_plan_memory);
  spoil(&s);
  spoilt_slot(&s, s.t.hot)->binding.source_memory = NULL;
  raises(&s, ASH_D_plan_memory);
  spoil(&s);
  s.arenas[1].memory = NULL;
  raises(&s, ASH_D_plan_memory);
  spoil(&s);
  s.slots[0].id = NULL;
  raises(&s, ASH_D_plan_missing);
}

static void build_render_plan_raises_for_numbers_that_mean_nothing(void) {
  spoilt s;
  spoil(&s);
  spoilt_slot(&s, s.t.y)->tensor = 9999;
  raises(&s, ASH_D_plan_missing);
  spoil(&s);
  spoilt_slot(&s, s.t.y)->binding.role = (ash_role)77;
  raises(&s, ASH_D_plan_role);
  spoil(&s);
  s.arenas[0].role = (ash_role)77;
  raises(&s, ASH_D_plan_role);
  spoil(&s);
  s.arenas[1] = s.arenas[0];
  raises(&s, ASH_D_plan_arena_twice);
}

static void build_render_plan_wants_a_plan_a_graph_and_a_prefix(void) {
  rendered t = setup();
  const ash_render_plan *r = t.r;
  CHECK_EQ(ash_build_render_plan(t.n.ctx, &r, NULL, t.n.g, "a"), ASH_MISUSE);
  CHECK(!r);
  CHECK_EQ(ash_build_render_plan(t.n.ctx, &r, t.plan, NULL, "a"), ASH_MISUSE);
  CHECK_EQ(ash_build_render_plan(t.n.ctx, &r, t.plan, t.n.g, NULL), ASH_MISUSE);
  net_free(&t.n);
}

static void region_id_does_not_depend_on_the_order_of_arenas(void) {
  spoilt s;
  const ash_render_plan *r;
  spoil(&s);
  for (uint32_t i = 0; i < s.plan.arena_count; i++)
    s.arenas[i] = s.t.plan->arenas[s.plan.arena_count - 1 - i];
  CHECK_EQ(ash_build_render_plan(s.t.n.ctx, &r, &s.plan, s.t.n.g, "kws"),
           ASH_OK);
  for (uint32_t i = 0; i < r->arena_count; i++) {
    CHECK_EQ(r->all_arenas[i].region_id, i);
    CHECK_STR(r->all_arenas[i].symbol, s.t.r->all_arenas[i].symbol);
    CHECK_EQ(r->all_arenas[i].size, s.t.r->all_arenas[i].size);
  }
  CHECK_EQ(r->staged_count, 1);
  CHECK_STR(r->staged_constant_arenas[0]->memory, "SLOW");
  CHECK_STR(r->scratch_arenas[0].role, "scratch");
  CHECK_STR(r->constant_blobs[1].memory, "SLOW");
  CHECK_EQ(memcmp(r->constant_blobs[1].payload,
                  s.t.r->constant_blobs[1].payload, 64),
           0);
  CHECK_STR(r->plan_hash, s.t.r->plan_hash);
  net_free(&s.t.n);
}

/* Names are capitals in the hashes, so they are in the order, too. */
static void region_id_and_hashes_ignore_the_case_of_memories(void) {
  ash_arena large[] = {{.role = ASH_SCRATCH,
                        .memory = "DTCM",
                        .source_memory = "DTCM",
                        .size = 32,
                        .alignment = 16},
                       {.role = ASH_SCRATCH,
                        .memory = "SRAM",
                        .source_memory = "SRAM",
                        .size = 64,
                        .alignment = 16}};
  ash_arena small[2] = {large[1], large[0]};
  small[1].memory = small[1].source_memory = "dtcm";
  char want[17], plan[17], layout[17];
  net n = net_new();
  const ash_plan p = {.arenas = large, .arena_count = 2};
  const ash_plan q = {.arenas = small, .arena_count = 2};
  CHECK_EQ(ash_plan_hashes(n.ctx, want, layout, &p), ASH_OK);
  CHECK_EQ(ash_plan_hashes(n.ctx, plan, layout, &q), ASH_OK);
  CHECK_STR(plan, want);
  small[0].memory = NULL;
  CHECK_EQ(ash_plan_hashes(n.ctx, plan, layout, &q), ASH_MALFORMED);
  CHECK_STR(plan, "");
  net_free(&n);
}

#define TESTS(X)                                                                  \
  X(RenderArena_has_region_id_role_memory_source_memory_size_alignment_is_staged) \
  X(all_arenas_and_region_id_go_by_role_then_memory_name_and_are_dense)           \
  X(staged_constant_arenas_are_those_with_a_distinct_source)                      \
  X(RenderConstantBlob_has_memory_is_staged_sidecar_filename_payload)             \
  X(RenderMemoryPlan_has_arenas_by_role_blobs_and_both_hashes)                    \
  X(payload_includes_alignment_padding_between_constants)                         \
  X(region_id_is_stable_across_re_plans)                                          \
  X(plan_hash_reproduces_a_published_one)                                         \
  X(tensor_layout_hash_is_over_ids_in_natural_order)                              \
  X(plan_hash_ignores_moves_inside_arenas_and_the_other_does_not)                 \
  X(build_render_plan_raises_for_a_constant_with_no_allocation)                   \
  X(build_render_plan_raises_for_slots_that_disagree_on_source)                   \
  X(build_render_plan_raises_for_a_missing_binding)                               \
  X(build_render_plan_raises_for_a_binding_to_no_arena)                           \
  X(build_render_plan_raises_for_a_slot_beyond_its_arena)                         \
  X(build_render_plan_raises_for_a_missing_payload)                               \
  X(build_render_plan_raises_for_a_missing_output)                                \
  X(build_render_plan_raises_for_sizes_that_are_not_the_tensors)                  \
  X(build_render_plan_raises_for_names_that_are_missing)                          \
  X(build_render_plan_raises_for_numbers_that_mean_nothing)                       \
  X(build_render_plan_wants_a_plan_a_graph_and_a_prefix)                          \
  X(region_id_does_not_depend_on_the_order_of_arenas)                             \
  X(region_id_and_hashes_ignore_the_case_of_memories)

TEST_MAIN(TESTS)
