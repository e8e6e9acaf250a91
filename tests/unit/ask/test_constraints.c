/* test_constraints.c - budgets of memories and rules of placement: heliaAOT's
 * fill_memory_constraints and fill_tensor_constraints. */
#include "plan/planner.h"
#include "plan_net.h"

/* ---- fill_memory_constraints --------------------------------------------- */

static void
fill_memory_constraints_takes_the_targets_size_without_max_size(void) {
  net n = net_new();
  const ash_device *d = small_device(&n);
  const ash_memory_constraint none = {"slow", ASH_NO_LIMIT};
  const ash_memory_budget *b;
  CHECK_EQ(ash_fill_memory_constraints(n.ctx, &b, d, &none, 1), ASH_OK);
  CHECK_EQ(b[0].max_size, 1024);
  CHECK_EQ(b[1].max_size, 4096);
  CHECK(b[0].writable && b[0].automatic && !b[0].constrained);
  CHECK(b[2].writable && !b[2].automatic);
  CHECK(!b[3].writable);
  net_free(&n);
}

static void
fill_memory_constraints_lets_a_constraint_override_the_target(void) {
  net n = net_new();
  const ash_device *d = small_device(&n);
  const ash_memory_constraint less[] = {{"FAST", 64}, {"fast", 128}};
  const ash_memory_constraint wrong = {"FSAT", 64}, much = {"FAST", 2048};
  const ash_memory_constraint nameless = {NULL, 64};
  const ash_memory_budget *b;
  CHECK_EQ(ash_fill_memory_constraints(n.ctx, &b, d, less, 2), ASH_OK);
  CHECK_EQ(b[0].max_size, 128);
  CHECK(b[0].constrained);
  CHECK(ash_fill_memory_constraints(n.ctx, &b, d, &wrong, 1) != ASH_OK);
  CHECK(last_diag(&n)->hint && strstr(last_diag(&n)->hint, "FAST"));
  CHECK(ash_fill_memory_constraints(n.ctx, &b, d, &nameless, 1) != ASH_OK);
  CHECK_EQ(ash_fill_memory_constraints(n.ctx, &b, d, &much, 1), ASH_MISUSE);
  const ash_memory_constraint back[] = {{"FAST", 64}, {"FAST", ASH_NO_LIMIT}};
  CHECK_EQ(ash_fill_memory_constraints(n.ctx, &b, d, back, 2), ASH_OK);
  CHECK_EQ(b[0].max_size, 1024); /* the later counts, whatever it says */
  CHECK(!b[0].constrained);
  net_free(&n);
}

/* ---- fill_tensor_constraints --------------------------------------------- */

static const char *memory_given(net *n, const char *text, uint32_t tensor) {
  const ash_device *d = small_device(n);
  ash_constraints c;
  CHECK_EQ(
      ash_fill_tensor_constraints(n->ctx, &c, n->g, d, rules_from(n, text)),
      ASH_OK);
  const uint32_t m = c.tensors[tensor].memory;
  return m == ASH_NO_MEMORY ? "none" : d->memories[m].name;
}

static void
fill_tensor_constraints_ranks_both_then_id_then_type_then_none(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), y = row_relu(&n, x);
  row_end(&n, y);
  CHECK_STR(memory_given(&n, "- {memory: FAST}", x), "FAST");
  CHECK_STR(memory_given(&n,
                         "- {type: scratch, memory: SLOW}\n"
                         "- {memory: FAST}",
                         x),
            "SLOW");
  CHECK_STR(memory_given(&n,
                         "- {id: '0', memory: FAR}\n"
                         "- {type: scratch, memory: SLOW}",
                         x),
            "FAR");
  CHECK_STR(memory_given(&n,
                         "- {type: scratch, id: '0', memory: FAST}\n"
                         "- {id: '0', memory: FAR}",
                         x),
            "FAST");
  CHECK_STR(memory_given(&n, "- {id: '1', memory: FAR}", x), "none");
  net_free(&n);
}

static void fill_tensor_constraints_lets_the_later_of_equals_win(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64);
  row_end(&n, row_relu(&n, x));
  CHECK_STR(memory_given(&n,
                         "- {type: scratch, memory: SLOW}\n"
                         "- {type: SCRATCH, memory: FAST}",
                         x),
            "FAST");
  net_free(&n);
}

static void fill_tensor_constraints_merges_field_by_field(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64);
  row_end(&n, row_relu(&n, x));
  const ash_device *d = small_device(&n);
  ash_constraints c;
  const char *text = "rules:\n"
                     "  - {type: scratch, memory: SLOW, alignment: 32}\n"
                     "  - id: '0'\n"
                     "    attributes: {memory: FAST}\n"
                     "  - {id: '0', type: relu, code_placement: SLOW}\n";
  CHECK_EQ(ash_fill_tensor_constraints(n.ctx, &c, n.g, d, rules_from(&n, text)),
           ASH_OK);
  CHECK_EQ(c.tensors[x].memory, 0);
  CHECK_EQ(c.tensors[x].memory_rule, 1);
  CHECK_EQ(c.tensors[x].alignment, 32);
  CHECK_EQ(c.tensors[x].alignment_rule, 0);
  CHECK(has_diag(&n, ASH_D_rule_unused)); /* no relu has the id 0 */
  CHECK_EQ(last_diag(&n)->loc.line, 5);
  net_free(&n);
}

static void fill_tensor_constraints_matches_lists_globs_and_expressions(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), y = row_relu(&n, x);
  row_end(&n, y);
  CHECK_STR(memory_given(&n, "- {id: ['7', '1'], memory: SLOW}", y), "SLOW");
  CHECK_STR(memory_given(&n, "- {id: '?', memory: SLOW}", y), "SLOW");
  CHECK_STR(memory_given(&n, "- {id: '1*', memory: SLOW}", y), "SLOW");
  CHECK_STR(memory_given(&n, "- {id: '*1*1', memory: SLOW}", y), "none");
  CHECK_STR(memory_given(&n, "- {id: '/^[1-3]$/', memory: SLOW}", y), "SLOW");
  CHECK_STR(memory_given(&n, "- {id: '/^[2-3]$/', memory: SLOW}", y), "none");
  CHECK_STR(memory_given(&n, "- {id: t, memory: SLOW}", y), "SLOW"); /* name */
  net_free(&n);
}

static void refuse_rule(const char *text, uint32_t id, uint32_t line,
                        const char *hint) {
  net n = net_new();
  ash_rules *rules;
  const uint32_t x = row_input(&n, 64);
  row_end(&n, row_add(&n, x, row_constant(&n, 64, 1)));
  const ash_device *d = small_device(&n);
  ash_constraints c;
  CHECK_EQ(ash_rules_new(n.ctx, &rules), ASH_OK);
  ash_status status =
      ash_rules_parse(n.ctx, rules, text, strlen(text), "rules.yaml");
  if (status == ASH_OK)
    status = ash_fill_tensor_constraints(n.ctx, &c, n.g, d, rules);
  CHECK_EQ(status, ASH_MALFORMED);
  CHECK_EQ(last_diag(&n)->id, id);
  CHECK_EQ(last_diag(&n)->loc.line, line);
  CHECK(!hint || (last_diag(&n)->hint && strstr(last_diag(&n)->hint, hint)));
  net_free(&n);
}

static void fill_tensor_constraints_refuses_what_cannot_be(void) {
  refuse_rule("- {memory: FAST}\n- {memry: FAST}", ASH_D_yaml_unknown_key, 2,
              "memory");
  refuse_rule("- {type: scrtch, memory: FAST}", ASH_D_rule_type, 1, "scratch");
  refuse_rule("- {type: conv_3d, memory: FAST}", ASH_D_rule_type, 1, "conv_2d");
  refuse_rule("- {memory: FAT}", ASH_D_rule_memory, 1, "FA");
  refuse_rule("- {type: scratch, memory: ROM}", ASH_D_rule_conflict, 1, NULL);
  refuse_rule("- {type: add, memory: FAST}", ASH_D_rule_conflict, 1, NULL);
  refuse_rule("- {type: scratch, code_placement: FAST}", ASH_D_rule_conflict, 1,
              NULL);
  refuse_rule("- {type: scratch, constant_destination_memory: FAST}",
              ASH_D_rule_conflict, 1, NULL);
  refuse_rule("- {type: constant, memory: FAST, "
              "constant_destination_memory: ROM}",
              ASH_D_rule_conflict, 1, NULL);
  refuse_rule("- {id: '0', offset: 8}", ASH_D_rule_conflict, 1, NULL);
  refuse_rule("- {id: '0', alignment: 24}", ASH_D_rule_value, 1, NULL);
  refuse_rule("- {id: '/(/', memory: FAST}", ASH_D_rule_pattern, 1, NULL);
  refuse_rule("- {type: scratch}", ASH_D_rule_value, 1, NULL);
}

static void fill_tensor_constraints_reads_rules_from_words(void) {
  net n = net_new();
  ash_rules *rules;
  ash_constraints c;
  const uint32_t x = row_input(&n, 64), y = row_relu(&n, x);
  row_end(&n, y);
  const ash_device *d = small_device(&n);
  CHECK_EQ(ash_rules_new(n.ctx, &rules), ASH_OK);
  CHECK_EQ(ash_rules_add(n.ctx, rules, " id=9,1  memory=SLOW alignment=64"),
           ASH_OK);
  CHECK_STR(ash_rules_text(rules, 0), "id=9,1 memory=SLOW alignment=64");
  CHECK_EQ(ash_fill_tensor_constraints(n.ctx, &c, n.g, d, rules), ASH_OK);
  CHECK(c.tensors[y].memory == 1 && c.tensors[y].alignment == 64);
  CHECK_EQ(ash_rules_add(n.ctx, rules, "memory"), ASH_MALFORMED);
  CHECK_EQ(ash_rules_add(n.ctx, rules, "memroy=SLOW"), ASH_MALFORMED);
  CHECK_EQ(last_diag(&n)->id, ASH_D_rule_key);
  CHECK(strstr(last_diag(&n)->hint, "memory"));
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(fill_memory_constraints_takes_the_targets_size_without_max_size)           \
  X(fill_memory_constraints_lets_a_constraint_override_the_target)             \
  X(fill_tensor_constraints_ranks_both_then_id_then_type_then_none)            \
  X(fill_tensor_constraints_lets_the_later_of_equals_win)                      \
  X(fill_tensor_constraints_merges_field_by_field)                             \
  X(fill_tensor_constraints_matches_lists_globs_and_expressions)               \
  X(fill_tensor_constraints_refuses_what_cannot_be)                            \
  X(fill_tensor_constraints_reads_rules_from_words)
TEST_MAIN(TESTS)
