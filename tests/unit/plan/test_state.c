/* test_state.c - variables: what they may share, what the checker says when
 * they share too much, and that they keep their values between runs. */
#include "ashlar/compile.h"
#include "plan_net.h"
#include "ref/ref.h"

static bool shares(const ash_plan *p, uint32_t a, uint32_t b) {
  const ash_binding *x = &slot_of(p, a)->binding, *y = &slot_of(p, b)->binding;
  return x->role == y->role && strcmp(x->memory, y->memory) == 0 &&
         x->offset == y->offset;
}

/* A plan with room to be spoilt. */
static ash_plan copy_plan(net *n, const ash_plan *p, ash_slot **slots) {
  ash_plan copy = *p;
  *slots = ash_zone_copy(&n->g->zone, p->slots, p->slot_count * sizeof **slots);
  copy.slots = *slots;
  return copy;
}

static void spoil_view(ash_slot *slots, const ash_plan *p, uint32_t value,
                       uint32_t variable) {
  const uint32_t v = ash_plan_slot_of_tensor(p, value);
  const uint32_t s = ash_plan_slot_of_tensor(p, variable);
  slots[v].alias_of = s;
  slots[v].alias_kind = ASH_ALIAS_VIEW;
  slots[v].alias_offset = 0;
  slots[v].binding = slots[s].binding;
  slots[v].life = slots[s].life;
}

/* ---- views of variables -------------------------------------------------- */

static void a_value_read_lies_in_its_variable(void) {
  net n = net_new();
  const uint32_t s = row_variable(&n, 64), x = row_input(&n, 64);
  const uint32_t r = row_read(&n, s), v = row_reshape(&n, r);
  row_end(&n, row_add(&n, v, x));
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(shares(p, r, s) && shares(p, v, s));
  CHECK_EQ(slot_of(p, r)->binding.role, ASH_PERSISTENT);
  CHECK_EQ(slot_of(p, v)->life.end_step, slot_of(p, s)->life.end_step);
  const ash_plan_options none = {.no_views = true};
  CHECK(!shares(must_plan(&n, small_device(&n), &none), r, s));
  net_free(&n);
}

static void a_value_needed_after_an_assignment_is_copied(void) {
  net n = net_new();
  const uint32_t s = row_variable(&n, 64), x = row_input(&n, 64);
  const uint32_t r = row_read(&n, s);
  row_assign(&n, s, x);
  row_end(&n, row_add(&n, r, x));
  CHECK(!shares(must_plan(&n, small_device(&n), NULL), r, s));
  net_free(&n);
}

/* Only a view of the value is needed after the assignment. */
static void a_view_of_a_view_is_copied_too(void) {
  net n = net_new();
  const uint32_t s = row_variable(&n, 64), x = row_input(&n, 64);
  const uint32_t r = row_read(&n, s), v = row_reshape(&n, r);
  row_assign(&n, s, x);
  row_end(&n, row_add(&n, v, x));
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(shares(p, r, s) && !shares(p, v, s));
  net_free(&n);
}

static void an_output_never_lies_in_a_variable(void) {
  net n = net_new();
  const uint32_t s = row_variable(&n, 64), x = row_input(&n, 64);
  const uint32_t r = row_read(&n, s);
  row_assign(&n, s, x);
  const uint32_t q = row_read(&n, s);
  const uint32_t ends[] = {r, q};
  CHECK_EQ(ash_graph_set_outputs(n.g, ends, 2), ASH_OK);
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(!shares(p, r, s) && !shares(p, q, s));
  net_free(&n);
}

static void nothing_is_written_over_a_variable_in_place(void) {
  net n = net_new();
  const uint32_t s = row_variable(&n, 64), y = row_relu(&n, row_read(&n, s));
  row_end(&n, y);
  CHECK(!shares(must_plan(&n, small_device(&n), NULL), y, s));
  net_free(&n);
}

static void a_rule_for_the_value_does_not_move_the_variable(void) {
  net n = net_new();
  ash_rules *rules;
  const uint32_t s = row_variable(&n, 64), x = row_input(&n, 64);
  const uint32_t r = row_read(&n, s);
  row_end(&n, row_add(&n, r, x));
  CHECK_EQ(ash_rules_new(n.ctx, &rules), ASH_OK);
  CHECK_EQ(ash_rules_add(n.ctx, rules, "type=scratch memory=SLOW"), ASH_OK);
  ash_plan_options options = {.rules = rules};
  const ash_plan *p = must_plan(&n, small_device(&n), &options);
  CHECK(strcmp(slot_of(p, s)->binding.memory, "FAST") == 0);
  CHECK(strcmp(slot_of(p, r)->binding.memory, "SLOW") == 0);
  CHECK_EQ(ash_rules_add(n.ctx, rules, "type=persistent memory=SLOW"), ASH_OK);
  p = must_plan(&n, small_device(&n), &options);
  CHECK(shares(p, r, s));
  CHECK(strcmp(slot_of(p, s)->binding.memory, "SLOW") == 0);
  net_free(&n);
}

/* svdf updates its variable without naming it as an output. */
static uint32_t row_svdf(net *n, uint32_t state) {
  static const float zeros[64] = {0};
  const uint32_t x = row_input(n, 20), y = row_tensor(n, 12);
  const uint32_t w = net_constant(n, ASH_FLOAT32, NET_DIMS(6, 5), zeros, 0, 0);
  const uint32_t t = net_constant(n, ASH_FLOAT32, NET_DIMS(6, 4), zeros, 0, 0);
  const uint32_t b = net_constant(n, ASH_FLOAT32, NET_DIMS(3), zeros, 0, 0);
  const uint32_t op = net_op(n, ASH_OP_svdf, NET_IDS(x, w, t, b, state), y);
  net_int(n, op, "rank", 2);
  return y;
}

static void a_value_needed_after_an_operator_with_state_is_copied(void) {
  for (int late = 0; late < 2; late++) {
    net n = net_new();
    const uint32_t s = row_variable(&n, 96), r = row_read(&n, s);
    uint32_t ends[2];
    if (late)
      ends[0] = row_svdf(&n, s);
    ends[1] = row_relu(&n, r);
    if (!late)
      ends[0] = row_svdf(&n, s);
    CHECK_EQ(ash_graph_set_outputs(n.g, ends, 2), ASH_OK);
    const ash_plan *p = must_plan(&n, small_device(&n), NULL);
    CHECK_EQ(slot_of(p, s)->binding.role, ASH_PERSISTENT);
    CHECK_EQ(shares(p, r, s), !late);
    net_free(&n);
  }
}

static void check_refuses_a_view_over_an_operator_with_state(void) {
  net n = net_new();
  ash_slot *slots;
  const uint32_t s = row_variable(&n, 96), r = row_read(&n, s);
  const uint32_t y = row_svdf(&n, s), ends[] = {y, row_relu(&n, r)};
  CHECK_EQ(ash_graph_set_outputs(n.g, ends, 2), ASH_OK);
  const ash_device *device = small_device(&n);
  const ash_plan_options none = {.no_in_place = true};
  const ash_plan copy = copy_plan(&n, must_plan(&n, device, &none), &slots);
  spoil_view(slots, &copy, r, s);
  CHECK_EQ(ash_check_plan(n.ctx, &copy, n.g, device), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_clobbered);
  net_free(&n);
}

/* ---- values made where the variable lies --------------------------------- */

static void a_new_value_is_made_in_its_variable(void) {
  net n = net_new();
  const uint32_t s = row_variable(&n, 64), x = row_input(&n, 64);
  const uint32_t r = row_read(&n, s), sum = row_add(&n, r, x);
  row_assign(&n, s, sum);
  row_end(&n, row_relu(&n, sum));
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(shares(p, r, s) && shares(p, sum, s));
  const ash_plan_options none = {.no_in_place = true};
  CHECK(!shares(must_plan(&n, small_device(&n), &none), sum, s));
  net_free(&n);
}

static void a_new_value_waits_while_the_old_one_is_needed(void) {
  net n = net_new();
  const uint32_t s = row_variable(&n, 64), x = row_input(&n, 64);
  const uint32_t sum = row_add(&n, x, x), r = row_read(&n, s);
  const uint32_t y = row_add(&n, r, x);
  row_assign(&n, s, sum);
  row_end(&n, y);
  CHECK(!shares(must_plan(&n, small_device(&n), NULL), sum, s));
  net_free(&n);
}

static void a_new_value_that_is_read_after_the_next_assignment_stays_out(void) {
  net n = net_new();
  const uint32_t s = row_variable(&n, 64), x = row_input(&n, 64);
  const uint32_t a = row_relu(&n, x);
  row_assign(&n, s, a);
  const uint32_t b = row_add(&n, a, x);
  row_assign(&n, s, b);
  row_end(&n, row_add(&n, a, x));
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(!shares(p, a, s));
  net_free(&n);
}

/* ---- the checker --------------------------------------------------------- */

static void check_refuses_a_view_over_an_assignment(void) {
  net n = net_new();
  ash_slot *slots;
  const uint32_t s = row_variable(&n, 64), x = row_input(&n, 64);
  const uint32_t r = row_read(&n, s);
  row_assign(&n, s, x);
  row_end(&n, row_add(&n, r, x));
  const ash_device *device = small_device(&n);
  const ash_plan_options none = {.no_in_place = true};
  const ash_plan copy = copy_plan(&n, must_plan(&n, device, &none), &slots);
  CHECK_EQ(ash_check_plan(n.ctx, &copy, n.g, device), ASH_OK);
  spoil_view(slots, &copy, r, s);
  CHECK_EQ(ash_check_plan(n.ctx, &copy, n.g, device), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_clobbered);
  net_free(&n);
}

static void check_refuses_a_variable_that_the_run_destroys(void) {
  net n = net_new();
  ash_slot *slots;
  const uint32_t s = row_variable(&n, 64), x = row_input(&n, 64);
  const uint32_t sum = row_add(&n, row_read(&n, s), x), y = row_relu(&n, x);
  row_end(&n, row_add(&n, sum, y));
  const ash_device *device = small_device(&n);
  const ash_plan_options none = {.no_in_place = true};
  const ash_plan copy = copy_plan(&n, must_plan(&n, device, &none), &slots);
  spoil_view(slots, &copy, y, s);
  CHECK_EQ(ash_check_plan(n.ctx, &copy, n.g, device), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_state_lost);
  net_free(&n);
}

/* ---- the graph ----------------------------------------------------------- */

static void only_variables_are_read_and_assigned(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64);
  row_end(&n, row_read(&n, x));
  float in[16] = {0}, out[16];
  const void *inputs[] = {in};
  void *outputs[] = {out};
  CHECK_EQ(ash_ref_run(n.ctx, n.g, inputs, outputs), ASH_MALFORMED);
  CHECK_EQ(last_diag(&n)->id, ASH_D_shape_variable);
  net_free(&n);
}

static void the_interpreter_keeps_state_and_starts_again(void) {
  net n = net_new();
  const uint32_t s = row_variable(&n, 8), x = row_input(&n, 8);
  const uint32_t sum = row_add(&n, row_read(&n, s), x);
  row_assign(&n, s, sum);
  row_end(&n, sum);
  float in[2] = {1, -2}, out[2], state[2] = {9, 9};
  const void *inputs[] = {in};
  void *outputs[] = {out};
  CHECK_EQ(ash_ref_state_bytes(n.g), sizeof state);
  ash_ref_first_state(n.g, state);
  for (int run = 1; run <= 3; run++) {
    CHECK_EQ(ash_ref_run_kept(n.ctx, n.g, inputs, outputs, state), ASH_OK);
    CHECK(out[0] == (float)run && out[1] == -2 * (float)run);
  }
  ash_ref_first_state(n.g, state);
  CHECK_EQ(ash_ref_run_kept(n.ctx, n.g, inputs, outputs, state), ASH_OK);
  CHECK(out[0] == 1 && state[1] == -2);
  net_free(&n);
}

/* ---- TFLite -------------------------------------------------------------- */

static void impossible_variables_are_refused(void) {
  static const struct {
    const char *file;
    ash_diag_id id;
  } cases[] = {
      {"assignment_of_another_shape", ASH_D_graph_shape},
      {"assignment_of_nothing", ASH_D_tflite_variable},
      {"first_value_computed", ASH_D_tflite_once},
      {"first_value_of_another_size", ASH_D_tflite_variable},
      {"handle_as_data", ASH_D_tensor_type},
      {"handle_as_output", ASH_D_tensor_type},
      {"read_of_no_handle", ASH_D_tflite_variable},
      {"subgraph_that_is_not_there", ASH_D_tflite_variable},
  };
  for (size_t i = 0; i < ASH_COUNT_OF(cases); i++) {
    net n = net_new();
    ash_graph *g;
    const char *path = ash_zone_format(
        &n.g->zone, TEST_SOURCE_DIR "/tests/models/state/refused/%s.tflite",
        cases[i].file);
    CHECK(ash_load_model(n.ctx, &g, path) != ASH_OK);
    CHECK_EQ(last_diag(&n)->id, cases[i].id);
    net_free(&n);
  }
}

static void first_values_come_from_the_other_subgraph(void) {
  net n = net_new();
  ash_graph *g;
  CHECK_EQ(ash_load_model(n.ctx, &g,
                          TEST_SOURCE_DIR
                          "/tests/models/state/state_sum_float32.tflite"),
           ASH_OK);
  float first[4];
  CHECK_EQ(ash_state_bytes(g), sizeof first);
  ash_first_state(g, first);
  CHECK(first[0] == 0.5f && first[1] == -1 && first[2] == 2 && first[3] == 100);
  size_t notes;
  (void)ash_ctx_diags(n.ctx, &notes);
  CHECK_EQ(notes, 0); /* no word about a subgraph that is not compiled */
  ash_graph_free(g);
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(a_value_read_lies_in_its_variable)                                         \
  X(a_value_needed_after_an_assignment_is_copied)                              \
  X(a_view_of_a_view_is_copied_too)                                            \
  X(an_output_never_lies_in_a_variable)                                        \
  X(nothing_is_written_over_a_variable_in_place)                               \
  X(a_rule_for_the_value_does_not_move_the_variable)                           \
  X(a_value_needed_after_an_operator_with_state_is_copied)                     \
  X(check_refuses_a_view_over_an_operator_with_state)                          \
  X(a_new_value_is_made_in_its_variable)                                       \
  X(a_new_value_waits_while_the_old_one_is_needed)                             \
  X(a_new_value_that_is_read_after_the_next_assignment_stays_out)              \
  X(check_refuses_a_view_over_an_assignment)                                   \
  X(check_refuses_a_variable_that_the_run_destroys)                            \
  X(only_variables_are_read_and_assigned)                                      \
  X(the_interpreter_keeps_state_and_starts_again)                              \
  X(impossible_variables_are_refused)                                          \
  X(first_values_come_from_the_other_subgraph)

TEST_MAIN(TESTS)
