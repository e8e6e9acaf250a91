/* test_constants.c - where constants go: the device's memory for them, the next
 * one with room, where a rule says; which of them share their bytes; and what
 * is said when there is no room. */
#include "plan_net.h"

static const ash_device *device_of(net *n, const char *rom) {
  char text[1024];
  const ash_device *device = NULL;
  const int count =
      snprintf(text, sizeof text,
               "name: roms\ncpu: cortex-m4\nalignment: 16\nmemories:\n"
               "  - {name: FAST, bytes: 2K}\n"
               "  - {name: ROM, bytes: %s, kind: nvm}\n"
               "  - {name: CARD, bytes: 1M, kind: nvm, linkable: false}\n"
               "  - {name: FLASH, bytes: 4K, kind: nvm}\n"
               "default: FAST\nconstants: ROM\n"
               "order: [FAST, ROM, CARD, FLASH]\n",
               rom);
  CHECK_EQ(ash_device_parse(n->ctx, &device, text, (size_t)count, "roms.yaml"),
           ASH_OK);
  return device;
}

/* x + a + b, both constants of that many bytes. */
static net sum_net(uint32_t *a, uint32_t *b, int32_t bytes, float first,
                   float second) {
  net n = net_new();
  const uint32_t x = row_input(&n, bytes);
  *a = row_constant(&n, bytes, first);
  *b = row_constant(&n, bytes, second);
  row_end(&n, row_add(&n, row_add(&n, x, *a), *b));
  return n;
}

static void constants_go_on_where_there_is_room(void) {
  uint32_t a, b;
  net n = sum_net(&a, &b, 256, 1, 2);
  const ash_plan *p = must_plan(&n, device_of(&n, "300"), NULL);
  CHECK_STR(slot_of(p, a)->binding.memory, "ROM");
  CHECK_STR(slot_of(p, b)->binding.memory, "FLASH");
  net_free(&n);
}

static void constants_without_room_are_told_how_much_is_missing(void) {
  uint32_t a, b;
  net n = sum_net(&a, &b, 256, 1, 2);
  const ash_plan *p;
  const ash_plan_options o = {
      .rules = rules_from(&n, "- {type: constant, memory: ROM}")};
  CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, device_of(&n, "300"), &o), ASH_NOFIT);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_nofit);
  CHECK(strstr(last_diag(&n)->message, "need 512 bytes of ROM") != NULL);
  CHECK(strstr(last_diag(&n)->message, "212 bytes short") != NULL);
  CHECK(strstr(last_diag(&n)->hint, "--set ROM=512") != NULL);
  const ash_memory_constraint less = {"ROM", 300};
  const ash_plan_options budget = {
      .rules = o.rules, .constraints = &less, .constraint_count = 1};
  CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, device_of(&n, "1K"), &budget),
           ASH_NOFIT);
  CHECK(!last_diag(&n)->hint || !strstr(last_diag(&n)->hint, "--set"));
  net_free(&n);
}

/* Equal bytes, and rules that agree or not. */
static void equal_constants_share_if_their_rules_agree(void) {
  static const struct {
    const char *rules;
    bool shares;
  } cases[] = {{"[]", true},
               {"- {type: constant, memory: FLASH}", true},
               {"- {type: constant, alignment: 64}", true},
               {"- {id: '1', memory: FLASH}", false},
               {"- {id: '2', memory: FLASH}", false},
               {"- {id: '1', constant_destination_memory: FAST}", false},
               {"- {id: '2', constant_destination_memory: FAST}", false}};
  for (size_t i = 0; i < ASH_COUNT_OF(cases); i++) {
    uint32_t a, b;
    net n = sum_net(&a, &b, 64, 1, 1);
    const ash_plan_options o = {.rules = rules_from(&n, cases[i].rules)};
    const ash_plan *p = must_plan(&n, device_of(&n, "1K"), &o);
    const ash_binding *x = &slot_of(p, a)->binding;
    const ash_binding *y = &slot_of(p, b)->binding;
    const bool same = strcmp(x->memory, y->memory) == 0 &&
                      strcmp(x->source_memory, y->source_memory) == 0 &&
                      x->offset == y->offset;
    CHECK_EQ(same, cases[i].shares);
    net_free(&n);
  }
}

#define TESTS(X)                                                               \
  X(constants_go_on_where_there_is_room)                                       \
  X(constants_without_room_are_told_how_much_is_missing)                       \
  X(equal_constants_share_if_their_rules_agree)
TEST_MAIN(TESTS)
