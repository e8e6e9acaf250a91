/* test_planner_backend.c - planner backends, as heliaAOT has them: a backend is
 * anything with a plan function, built in, registered, loaded or run, and what
 * it returns is checked. */
#include "plan_net.h"

#include <stdlib.h>
#include <unistd.h>

/* x -> relu -> y; x + y -> z; z . y -> out */
static net make(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), y = row_relu(&n, x);
  row_end(&n, row_concat(&n, row_add(&n, x, y), y));
  return n;
}

static ash_status plan_within(net *n, const ash_plan **p, const char *planner,
                              uint32_t seconds) {
  const ash_plan_options o = {.planner = planner, .timeout_seconds = seconds};
  const ash_device *d = small_device(n);
  return ash_plan_model(n->ctx, p, n->g, d, &o);
}

/* A busy machine may take seconds to start a program. */
static ash_status plan_by(net *n, const ash_plan **p, const char *planner) {
  return plan_within(n, p, planner, 60);
}

/* ---- registered ---------------------------------------------------------- */

typedef struct behaviour {
  bool skip_last, wrong_memory, collide, far_away, unlinkable, lie;
  bool meddle, no_role, own_slots, internal;
} behaviour;

static ash_status stack_up(void *user, ash_ctx *ctx,
                           const ash_plan_request *ask,
                           ash_plan_answer *answer) {
  const behaviour *b = user;
  uint64_t top = 0;
  uint32_t last = ASH_NO_ID;
  (void)ctx;
  for (uint32_t i = 0; i < ask->slot_count; i++) {
    ash_slot *s = &answer->slots[i];
    if (s->binding.role != ASH_SCRATCH || s->alias_of != ASH_NO_ID)
      continue;
    s->bound = true;
    s->binding.memory = b->wrong_memory ? "NOWHERE"
                        : b->unlinkable ? "FAR"
                                        : "FAST";
    s->binding.source_memory = NULL;
    s->binding.offset = b->collide ? 0 : b->far_away ? top + 4096 : top;
    top += (s->size + 15) / 16 * 16;
    last = i;
  }
  if (b->meddle) {
    answer->slots[last].size = answer->slots[last].alignment = 1;
    answer->slots[last].alias_of = 4711;
    answer->slots[last].tensor = 4711;
    answer->slots[last].life.end_step = 0;
    answer->arenas = NULL;
    answer->arena_capacity = UINT32_MAX;
  }
  if (b->no_role)
    answer->slots[last].binding.role = (ash_role)77;
  if (b->own_slots)
    answer->slots = NULL;
  if (b->internal)
    return ASH_INTERNAL;
  if (b->skip_last)
    answer->slots[last].bound = false;
  if (b->lie)
    answer->arenas[answer->arena_count++] = (ash_arena){.role = ASH_SCRATCH,
                                                        .memory = "FAST",
                                                        .source_memory = "FAST",
                                                        .size = 1,
                                                        .lower_bound = 1,
                                                        .alignment = 16,
                                                        .verdict = ASH_OPTIMAL};
  return ASH_OK;
}

static ash_status try_backend(behaviour b, uint32_t *id) {
  net n = make();
  const ash_plan *p;
  const ash_planner mine = {.abi = ASH_PLANNER_ABI,
                            .name = "mine",
                            .plan = stack_up,
                            .user = &b,
                            .views_only = true};
  CHECK_EQ(ash_register_planner(n.ctx, &mine), ASH_OK);
  const ash_status status = plan_by(&n, &p, "mine");
  *id = status == ASH_OK ? 0 : last_diag(&n)->id;
  if (status == ASH_OK) {
    CHECK_STR(p->planner, "mine");
    CHECK_EQ(p->arenas[0].size, 64 * 5);
    CHECK_EQ(p->arenas[0].lower_bound, 64 * 4); /* ours, not its own */
    CHECK_EQ(p->arenas[0].verdict, ASH_FEASIBLE);
  }
  net_free(&n);
  return status;
}

static void plan_is_all_that_a_backend_needs(void) {
  uint32_t id;
  CHECK_EQ(try_backend((behaviour){0}, &id), ASH_OK);
}

/* Injected directly, a PlannerBackend needs neither a name nor a registry. */
static void PlannerBackend_needs_no_NAME_when_it_is_injected(void) {
  net n = make();
  const ash_plan *p;
  behaviour b = {0};
  const ash_planner mine = {
      .abi = ASH_PLANNER_ABI, .plan = stack_up, .user = &b, .views_only = true};
  ash_plan_options o = {.backend = &mine, .planner = "no such planner"};
  CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, small_device(&n), &o), ASH_OK);
  CHECK_EQ(p->arenas[0].size, 64 * 5);
  CHECK_STR(p->planner, "unnamed");
  CHECK(!ash_find_planner(n.ctx, "unnamed"));
  const ash_planner old = {.abi = 99, .plan = stack_up, .user = &b};
  o.backend = &old;
  CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, small_device(&n), &o), ASH_MISUSE);
  CHECK_EQ(last_diag(&n)->id, ASH_D_planner_abi);
  net_free(&n);
}

/* arena_usages, persistent_arenas, constant_arenas, tensor_allocs: all of a
 * MemoryPlan is there, made from the bindings where the backend is silent. */
static void
MemoryPlan_has_arena_usages_persistent_constant_arenas_and_tensor_allocs(void) {
  net n = net_new();
  const ash_plan *p;
  behaviour b = {0};
  const uint32_t x = row_input(&n, 64), c = row_constant(&n, 64, 1);
  const uint32_t s = row_variable(&n, 64);
  row_end(&n, row_add(&n, row_add(&n, x, c), s));
  const ash_planner mine = {
      .abi = ASH_PLANNER_ABI, .plan = stack_up, .user = &b, .views_only = true};
  const ash_plan_options o = {.backend = &mine};
  CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, small_device(&n), &o), ASH_OK);
  CHECK_EQ(p->arena_count, 3);
  for (uint32_t i = 0; i < 3; i++)
    CHECK_EQ(p->arenas[i].role, i);
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_binding *at = &p->slots[i].binding;
    CHECK(p->slots[i].bound && at->memory && at->source_memory);
  }
  CHECK_EQ(p->slot_count, n.g->tensor_count);
  net_free(&n);
}

static void plan_need_not_be_believed_about_arenas_and_verdicts(void) {
  uint32_t id;
  CHECK_EQ(try_backend((behaviour){.lie = true}, &id), ASH_OK);
}

static void plan_decides_bindings_and_nothing_else(void) {
  uint32_t id;
  CHECK_EQ(try_backend((behaviour){.meddle = true}, &id), ASH_OK);
  CHECK_EQ(try_backend((behaviour){.no_role = true}, &id), ASH_MALFORMED);
  CHECK_EQ(id, ASH_D_plan_role);
  CHECK_EQ(try_backend((behaviour){.own_slots = true}, &id), ASH_MALFORMED);
  CHECK_EQ(id, ASH_D_planner_answer);
}

/* Nobody is asked to report a foreign planner's mistakes to us. */
static void a_foreign_mistake_is_not_an_internal_error(void) {
  uint32_t id;
  CHECK_EQ(try_backend((behaviour){.internal = true}, &id), ASH_MALFORMED);
  CHECK_EQ(id, ASH_D_planner_failed);
  net n = make();
  const ash_plan *p;
  behaviour b = {.collide = true};
  const ash_planner mine = {
      .abi = ASH_PLANNER_ABI, .plan = stack_up, .user = &b, .views_only = true};
  const ash_plan_options o = {.backend = &mine};
  CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, small_device(&n), &o), ASH_MALFORMED);
  CHECK_EQ(last_diag(&n)->code, ASH_MALFORMED);
  CHECK(last_diag(&n)->hint && strstr(last_diag(&n)->hint, "planner"));
  net_free(&n);
}

static void plan_must_populate_a_binding_for_every_tensor(void) {
  uint32_t id;
  CHECK_EQ(try_backend((behaviour){.skip_last = true}, &id), ASH_MALFORMED);
  CHECK_EQ(id, ASH_D_plan_unbound);
}

static void plan_must_name_memories_of_the_device(void) {
  uint32_t id;
  CHECK_EQ(try_backend((behaviour){.wrong_memory = true}, &id), ASH_MALFORMED);
  CHECK_EQ(id, ASH_D_plan_memory);
}

static void plan_must_not_let_tensors_collide(void) {
  uint32_t id;
  CHECK_EQ(try_backend((behaviour){.collide = true}, &id), ASH_MALFORMED);
  CHECK_EQ(id, ASH_D_plan_overlap);
}

static void plan_must_stay_inside_memories(void) {
  uint32_t id;
  CHECK_EQ(try_backend((behaviour){.far_away = true}, &id), ASH_MALFORMED);
  CHECK_EQ(id, ASH_D_plan_capacity);
}

static void plan_must_not_use_unlinkable_memory_unasked(void) {
  uint32_t id;
  CHECK_EQ(try_backend((behaviour){.unlinkable = true}, &id), ASH_MALFORMED);
  CHECK_EQ(id, ASH_D_plan_demand);
}

static void plan_must_keep_to_budgets(void) {
  net n = make();
  behaviour b = {0};
  const ash_plan *p;
  const ash_planner mine = {.abi = ASH_PLANNER_ABI,
                            .name = "mine",
                            .plan = stack_up,
                            .user = &b,
                            .views_only = true};
  const ash_memory_constraint small = {"FAST", 256};
  const ash_plan_options o = {
      .planner = "mine", .constraints = &small, .constraint_count = 1};
  const ash_device *d = small_device(&n);
  CHECK_EQ(ash_register_planner(n.ctx, &mine), ASH_OK);
  CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, d, &o), ASH_MALFORMED);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_budget);
  net_free(&n);
}

static void every_built_in_backend_satisfies_the_contract(void) {
  static const char *const names[] = {"exact", "greedy", "first-fit", "naive"};
  for (size_t i = 0; i < ASH_COUNT_OF(names); i++) {
    net n = make();
    const ash_plan *p;
    CHECK_EQ(plan_by(&n, &p, names[i]), ASH_OK);
    CHECK_STR(p->planner, names[i]);
    net_free(&n);
  }
}

/* ---- a shared object ----------------------------------------------------- */

static void a_shared_object_is_a_backend(void) {
  net n = make();
  const ash_plan *p;
  CHECK_EQ(plan_by(&n, &p, PLUGIN), ASH_OK);
  CHECK_STR(p->planner, "by-size");
  net_free(&n);
}

static void a_shared_object_that_cannot_be_used_is_refused(void) {
  net n = make();
  const ash_plan *p;
  CHECK_EQ(plan_by(&n, &p, "./no_such_file.so"), ASH_IO);
  CHECK_EQ(last_diag(&n)->id, ASH_D_planner_load);
  net_free(&n);
}

/* ---- a program ----------------------------------------------------------- */

static void a_program_is_a_backend(void) {
  if (system("python3 -c pass") != 0)
    SKIP("python3 is not installed");
  net n = make();
  const ash_plan *p;
  CHECK_EQ(plan_by(&n, &p,
                   "exec:python3 " TEST_SOURCE_DIR
                   "/examples/planner/best_fit.py"),
           ASH_OK);
  CHECK(strncmp(p->planner, "exec:", 5) == 0);
  net_free(&n);
}

static void program(const char *command, ash_status want, uint32_t id) {
  net n = make();
  const ash_plan *p;
  CHECK_EQ(plan_by(&n, &p, command), want);
  CHECK_EQ(last_diag(&n)->id, id);
  net_free(&n);
}

static void a_program_that_fails_is_refused(void) {
  program("exec:", ASH_MISUSE, ASH_D_planner_load);
  program("exec:./no_such_program", ASH_IO, ASH_D_planner_answer);
  program("exec:false", ASH_IO, ASH_D_planner_answer);
  program("exec:echo '{'", ASH_MALFORMED, ASH_D_yaml_syntax);
  program("exec:echo '{\"schema\": \"x\"}'", ASH_MALFORMED,
          ASH_D_planner_answer);
  program("exec:echo '{\"error\": \"no\", \"verdict\": \"infeasible\"}'",
          ASH_NOFIT, ASH_D_plan_nofit);
  program("exec:echo '{\"error\": \"no\"}'", ASH_UNSUPPORTED,
          ASH_D_planner_failed);
  program("exec:echo '{\"schema\": \"ashlar-plan-answer-1\", \"tensors\": []}'",
          ASH_MALFORMED, ASH_D_plan_unbound);
  program("exec:echo '{\"schema\": \"ashlar-plan-answer-1\", \"tensors\": "
          "[{\"id\": \"99\", \"memory\": \"FAST\", \"offset\": 0}]}'",
          ASH_MALFORMED, ASH_D_planner_answer);
}

static void a_program_that_takes_too_long_is_ended(void) {
  net n = make();
  const ash_plan *p;
  CHECK_EQ(plan_within(&n, &p, "exec:sleep 60", 1), ASH_LIMIT);
  CHECK_EQ(last_diag(&n)->id, ASH_D_planner_timeout);
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(plan_is_all_that_a_backend_needs)                                          \
  X(PlannerBackend_needs_no_NAME_when_it_is_injected)                          \
  X(MemoryPlan_has_arena_usages_persistent_constant_arenas_and_tensor_allocs)  \
  X(plan_need_not_be_believed_about_arenas_and_verdicts)                       \
  X(plan_decides_bindings_and_nothing_else)                                    \
  X(a_foreign_mistake_is_not_an_internal_error)                                \
  X(plan_must_populate_a_binding_for_every_tensor)                             \
  X(plan_must_name_memories_of_the_device)                                     \
  X(plan_must_not_let_tensors_collide)                                         \
  X(plan_must_stay_inside_memories)                                            \
  X(plan_must_not_use_unlinkable_memory_unasked)                               \
  X(plan_must_keep_to_budgets)                                                 \
  X(every_built_in_backend_satisfies_the_contract)                             \
  X(a_shared_object_is_a_backend)                                              \
  X(a_shared_object_that_cannot_be_used_is_refused)                            \
  X(a_program_is_a_backend)                                                    \
  X(a_program_that_fails_is_refused)                                           \
  X(a_program_that_takes_too_long_is_ended)

TEST_MAIN(TESTS)
