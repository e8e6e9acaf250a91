/* test_alias.c - sharing storage: what is found, what is left alone, and, on
 * random networks, that running a plan byte by byte gives what running without
 * a plan gives. */
#include "plan_net.h"

#include "base/rng.h"

static bool shares(const ash_plan *p, uint32_t a, uint32_t b) {
  return ash_alias_root(p->slots, p->slot_count, ash_plan_slot_of_tensor(p, a),
                        NULL) == ash_alias_root(p->slots, p->slot_count,
                                                ash_plan_slot_of_tensor(p, b),
                                                NULL);
}

/* ---- what is found ------------------------------------------------------- */

static void chains_of_views_share_one_storage(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), a = row_reshape(&n, x);
  const uint32_t b = row_reshape(&n, a), c = row_reshape(&n, x);
  row_end(&n, row_concat(&n, row_add(&n, b, c), x));
  const ash_plan_options views = {.no_in_place = true, .no_concat = true};
  const ash_plan *p = must_plan(&n, small_device(&n), &views);
  CHECK(shares(p, x, a) && shares(p, x, b) && shares(p, x, c));
  CHECK_EQ(slot_of(p, a)->life.end_step, slot_of(p, x)->life.end_step);
  const ash_plan_options none = {.no_views = true, .no_in_place = true};
  CHECK(!shares(must_plan(&n, small_device(&n), &none), x, a));
  net_free(&n);
}

static void a_view_of_an_input_may_be_an_output(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), y = row_reshape(&n, x);
  row_end(&n, y);
  CHECK(shares(must_plan(&n, small_device(&n), NULL), x, y));
  net_free(&n);
}

static void constants_are_copied_and_state_is_viewed(void) {
  net n = net_new();
  const uint32_t c = row_constant(&n, 64, 1), s = row_variable(&n, 64);
  const uint32_t x = row_input(&n, 64);
  const uint32_t a = row_reshape(&n, c), b = row_reshape(&n, s);
  row_end(&n, row_add(&n, row_add(&n, a, b), x));
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(!shares(p, a, c) && shares(p, b, s));
  net_free(&n);
}

static void results_take_the_place_of_inputs_that_die(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), a = row_relu(&n, x);
  const uint32_t b = row_relu(&n, a);
  row_end(&n, b);
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(shares(p, x, b));
  CHECK_EQ(p->arenas[0].size, 64);
  net_free(&n);
}

static void an_input_that_is_read_later_is_not_overwritten(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), a = row_relu(&n, x);
  row_end(&n, row_add(&n, x, a));
  CHECK(!shares(must_plan(&n, small_device(&n), NULL), x, a));
  net_free(&n);
}

static void a_view_that_is_read_later_protects_its_storage(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), v = row_reshape(&n, x);
  const uint32_t a = row_relu(&n, x);
  row_end(&n, row_add(&n, v, a));
  CHECK(!shares(must_plan(&n, small_device(&n), NULL), x, a));
  net_free(&n);
}

static void an_output_is_not_overwritten(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), a = row_relu(&n, x);
  const uint32_t both[] = {a, row_relu(&n, a)};
  CHECK_EQ(ash_graph_set_outputs(n.g, both, 2), ASH_OK);
  n.g->tensors.items[both[0]].is_output = true;
  n.g->tensors.items[both[1]].is_output = true;
  CHECK(!shares(must_plan(&n, small_device(&n), NULL), both[0], both[1]));
  net_free(&n);
}

static void pieces_are_made_inside_their_concatenation(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), y = row_input(&n, 32);
  const uint32_t a = row_relu(&n, x), b = row_relu(&n, y);
  const uint32_t c = row_concat(&n, a, b);
  row_end(&n, c);
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(shares(p, a, c) && shares(p, b, c));
  CHECK_EQ(slot_of(p, b)->binding.offset, slot_of(p, c)->binding.offset + 64);
  CHECK_EQ(p->arenas[0].size, 96); /* inputs lie there as well */
  const ash_plan_options copy = {.no_concat = true};
  CHECK(!shares(must_plan(&n, small_device(&n), &copy), a, c));
  net_free(&n);
}

static void a_tensor_joined_twice_is_copied_once(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), a = row_relu(&n, x);
  const uint32_t c = row_concat(&n, a, a);
  row_end(&n, c);
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK_EQ(p->arenas[0].size, 128);
  net_free(&n);
}

/* ---- slices ---- */

static bool is_part(const ash_plan *p, uint32_t part, uint32_t whole,
                    uint64_t at) {
  const ash_slot *x = slot_of(p, part), *y = slot_of(p, whole);
  return x->alias_kind == ASH_ALIAS_VIEW &&
         strcmp(x->binding.memory, y->binding.memory) == 0 &&
         x->binding.offset == y->binding.offset + at;
}

static void a_slice_in_one_run_is_a_view(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), a = row_relu(&n, x);
  const uint32_t part = row_slice(&n, a, 4, 8), y = row_relu(&n, part);
  row_end(&n, y);
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(is_part(p, part, a, 16));
  CHECK_EQ(slot_of(p, a)->life.end_step, slot_of(p, part)->life.end_step);
  const ash_plan_options off = {.no_slices = true, .no_in_place = true};
  CHECK(!is_part(must_plan(&n, small_device(&n), &off), part, a, 16));
  net_free(&n);
}

static void both_halves_of_a_split_are_views(void) {
  net n = net_new();
  uint32_t halves[2];
  const uint32_t x = row_input(&n, 64), a = row_relu(&n, x);
  row_split(&n, a, halves);
  row_end(&n, row_add(&n, halves[0], halves[1]));
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(is_part(p, halves[0], a, 0) && is_part(p, halves[1], a, 32));
  net_free(&n);
}

/* Columns of a matrix are apart from each other. */
static void a_slice_of_columns_is_copied(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(4, 4), 0, 0);
  const int64_t step[] = {4, 1};
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(4, 2), 0, 0);
  net_strided(&n, x, y, NET_DIMS(4, 2), step, 1);
  row_end(&n, y);
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK_EQ(slot_of(p, y)->alias_of, ASH_NO_ID);
  net_free(&n);
}

/* The slice would keep 800 bytes for the sake of 16, while others come. */
static void a_slice_is_copied_where_its_view_would_cost_memory(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 800), part = row_slice(&n, x, 0, 4);
  const uint32_t big = row_concat(&n, row_input(&n, 400), part);
  row_end(&n, row_concat(&n, row_relu(&n, big), part));
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK(!is_part(p, part, x, 0));
  net_free(&n);
}

/* An output must be aligned like any other, whatever its elements need. */
static void an_output_is_a_slice_only_where_it_is_aligned(void) {
  for (int32_t first = 0; first <= 4; first++) {
    net n = net_new();
    const uint32_t x = row_input(&n, 64), a = row_relu(&n, x);
    const uint32_t y = row_slice(&n, a, first, 4);
    row_end(&n, y);
    const ash_plan *p = must_plan(&n, small_device(&n), NULL);
    CHECK_EQ(is_part(p, y, a, (uint64_t)first * 4), first % 4 == 0);
    net_free(&n);
  }
}

static void check_refuses_a_slice_at_the_wrong_place(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), a = row_relu(&n, x);
  const uint32_t part = row_slice(&n, a, 4, 8), y = row_relu(&n, part);
  row_end(&n, y);
  const ash_device *d = small_device(&n);
  const ash_plan_options o = {.no_in_place = true};
  const ash_plan *p = must_plan(&n, d, &o);
  ash_slot *slots =
      ash_zone_copy(&n.g->zone, p->slots, p->slot_count * sizeof *slots);
  ash_plan copy = *p;
  copy.slots = slots;
  CHECK_EQ(ash_check_plan(n.ctx, &copy, n.g, d), ASH_OK);
  slots[ash_plan_slot_of_tensor(p, part)].binding.offset += 16;
  CHECK_EQ(ash_check_plan(n.ctx, &copy, n.g, d), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_self_overlap);
  net_free(&n);
}

static void demands_for_different_memories_part_a_storage(void) {
  net n = net_new();
  ash_rules *rules;
  const uint32_t x = row_input(&n, 64), a = row_reshape(&n, x);
  row_end(&n, a);
  CHECK_EQ(ash_rules_new(n.ctx, &rules), ASH_OK);
  CHECK_EQ(ash_rules_add(n.ctx, rules, "id=0 memory=SLOW"), ASH_OK);
  CHECK_EQ(ash_rules_add(n.ctx, rules, "id=1 memory=FAST"), ASH_OK);
  const ash_plan_options o = {.rules = rules};
  const ash_plan *p = must_plan(&n, small_device(&n), &o);
  CHECK(!shares(p, x, a));
  CHECK_STR(slot_of(p, x)->binding.memory, "SLOW");
  CHECK_STR(slot_of(p, a)->binding.memory, "FAST");
  net_free(&n);
}

/* ---- random networks ----------------------------------------------------- */

enum { VALUES = 160, FLOATS = 1024, ARENA = 1 << 16 };

typedef struct machine {
  const ash_plan *plan;
  const ash_graph *g;
  float *want[VALUES];  /* by tensor, without any plan */
  uint8_t *arena[3][4]; /* by role and memory          */
} machine;

static uint64_t roll(ash_rng *rng, uint64_t below) {
  return ash_rng_next(rng) % below;
}

static uint32_t grow(net *n, ash_rng *rng, const uint32_t *have,
                     uint32_t count) {
  const uint32_t a = have[roll(rng, count)];
  uint32_t b = have[roll(rng, count)];
  const int32_t count_a = row_bytes(n, a) / 4;
  uint32_t halves[2];
  switch (roll(rng, 8)) {
  case 0:
    return row_reshape(n, a);
  case 5: {
    const int32_t first = (int32_t)roll(rng, (uint64_t)count_a);
    return row_slice(n, a, first,
                     1 + (int32_t)roll(rng, (uint64_t)(count_a - first)));
  }
  case 6:
    if (count_a % 2)
      return row_relu(n, a);
    row_split(n, a, halves);
    return row_add(n, halves[0], halves[1]);
  case 7: /* the variable, read or written */
    for (uint32_t t = 0; t < n->g->tensor_count; t++)
      if (n->g->tensors.items[t].kind == ASH_TENSOR_VARIABLE) {
        if (row_bytes(n, a) == row_bytes(n, t) && roll(rng, 2))
          row_assign(n, t, a);
        return row_read(n, t);
      }
    return row_relu(n, a);
  case 1:
    return row_relu(n, a);
  case 2:
    return row_bytes(n, a) + row_bytes(n, b) <= FLOATS * 4 ? row_concat(n, a, b)
                                                           : row_relu(n, a);
  default:
    for (int tries = 0; tries < 8 && row_bytes(n, a) != row_bytes(n, b);
         tries++)
      b = have[roll(rng, count)];
    return row_bytes(n, a) == row_bytes(n, b) ? row_add(n, a, b)
                                              : row_relu(n, b);
  }
}

/* Newer tensors are taken more often, so that older ones die. */
static net random_net(ash_rng *rng) {
  net n = net_new();
  uint32_t have[32], count = 0, outputs[2];
  have[count++] = row_input(&n, 4 * (int32_t)(1 + roll(rng, 24)));
  have[count++] = row_input(&n, row_bytes(&n, have[0]));
  have[count++] = row_constant(&n, row_bytes(&n, have[0]), 3);
  (void)row_variable(&n, row_bytes(&n, have[0]));
  const uint32_t ops = 3 + (uint32_t)roll(rng, 12);
  for (uint32_t i = 0; i < ops; i++) {
    const uint32_t window = count > 4 && roll(rng, 3) ? 3 : count;
    have[count] = grow(&n, rng, have + count - window, window);
    count++;
  }
  outputs[0] = have[count - 1];
  outputs[1] = have[count - 2 - roll(rng, 2)];
  const bool two = roll(rng, 2) && outputs[1] > 2;
  CHECK_EQ(ash_graph_set_outputs(n.g, outputs, two ? 2 : 1), ASH_OK);
  n.g->tensors.items[outputs[0]].is_output = true;
  if (two)
    n.g->tensors.items[outputs[1]].is_output = true;
  return n;
}

static uint8_t *bytes_at(machine *m, const ash_slot *s) {
  int memory = 0;
  static const char *const names[] = {"FAST", "SLOW", "FAR", "ROM"};
  while (strcmp(names[memory], s->binding.memory) != 0)
    memory++;
  uint8_t **arena = &m->arena[s->binding.role][memory];
  if (!*arena)
    *arena = calloc(1, ARENA);
  CHECK(*arena && s->binding.offset + s->size <= ARENA);
  return *arena + s->binding.offset;
}

static float *floats_at(machine *m, uint32_t tensor) {
  return (float *)(void *)bytes_at(m, slot_of(m->plan, tensor));
}

/* The kernels' loops, on whatever memory they are given. */
static void compute(const ash_graph *g, const ash_op *o, float **in, float *out,
                    float *second) {
  const uint64_t count = g->tensors.items[o->outputs[0]].bytes / 4;
  uint64_t at = 0;
  switch (ash_row_of(o)) {
  case ASH_FN_ROW(relu):
    for (uint64_t i = 0; i < count; i++)
      out[i] = in[0][i] > 0 ? in[0][i] : 0;
    break;
  case ASH_FN_ROW(add):
    for (uint64_t i = 0; i < count; i++)
      out[i] = in[0][i] + in[1][i];
    break;
  case ASH_OP_reshape:
  case ASH_OP_read_variable:
  case ASH_OP_assign_variable:
    if (out != in[0])
      memcpy(out, in[0], count * 4);
    break;
  case ASH_OP_strided:
    at = (uint64_t)ash_attr_int(o, "offset", 0);
    if (out != in[0] + at)
      memcpy(out, in[0] + at, count * 4);
    break;
  case ASH_OP_split:
    if (out != in[0])
      memcpy(out, in[0], count * 4);
    if (second != in[0] + count)
      memcpy(second, in[0] + count, count * 4);
    break;
  default: /* concatenation: what is there already is not copied */
    for (uint32_t k = 0; k < o->input_count; k++) {
      const uint64_t n = g->tensors.items[o->inputs[k]].bytes / 4;
      if (out + at != in[k])
        memcpy(out + at, in[k], n * 4);
      at += n;
    }
  }
}

static bool is_planned(const machine *m, uint32_t tensor) {
  return ash_plan_slot_of_tensor(m->plan, tensor) != ASH_NO_ID;
}

/* Constants and state once, inputs before every run. */
static void fill(machine *m, ash_rng *rng, bool first) {
  const ash_graph *g = m->g;
  for (uint32_t t = 0; t < g->tensor_count; t++) {
    const ash_tensor *x = &g->tensors.items[t];
    if (!m->want[t])
      m->want[t] = calloc(FLOATS, sizeof(float));
    CHECK(t < VALUES && m->want[t] && x->bytes <= FLOATS * 4);
    if (x->kind == ASH_TENSOR_ACTIVATION ||
        (x->kind != ASH_TENSOR_INPUT && !first))
      continue;
    if (x->kind == ASH_TENSOR_CONSTANT)
      memcpy(m->want[t], x->data, x->bytes);
    for (uint64_t i = 0; x->kind != ASH_TENSOR_CONSTANT && i < x->bytes / 4;
         i++)
      m->want[t][i] = (float)roll(rng, 200) - 100;
    if (is_planned(m, t))
      memcpy(floats_at(m, t), m->want[t], x->bytes);
  }
}

static void run(machine *m) {
  for (uint32_t s = 0; s < m->plan->steps.count; s++) {
    const ash_op *o = &m->g->ops.items[m->plan->steps.items[s].ops[0]];
    const uint32_t other = o->outputs[o->output_count - 1];
    float *alone[6], *planned[6];
    for (uint32_t k = 0; k < o->input_count; k++) {
      alone[k] = m->want[o->inputs[k]];
      planned[k] =
          is_planned(m, o->inputs[k]) ? floats_at(m, o->inputs[k]) : NULL;
    }
    compute(m->g, o, alone, m->want[o->outputs[0]], m->want[other]);
    compute(m->g, o, planned, floats_at(m, o->outputs[0]), floats_at(m, other));
  }
}

static void compare(machine *m) {
  for (size_t i = 0; i < m->g->output_count; i++) {
    const uint32_t t = m->g->outputs[i];
    CHECK(memcmp(m->want[t], floats_at(m, t), m->g->tensors.items[t].bytes) ==
          0);
  }
}

static void drop(machine *m) {
  for (uint32_t t = 0; t < VALUES; t++)
    free(m->want[t]);
  for (int i = 0; i < 12; i++)
    free(m->arena[i / 4][i % 4]);
}

static void sharing_never_changes_the_results_of_random_networks(void) {
  static const char *const planners[] = {"exact", "greedy", "first-fit"};
  uint32_t aliases = 0, pieces = 0, parts = 0, states = 0, planned = 0;
  for (uint64_t seed = 0; seed < 1200; seed++) {
    ash_rng rng = {seed * 7919 + 1};
    net n = random_net(&rng);
    const ash_plan_options o = {.planner = planners[seed / 8 % 3],
                                .ticks = 20000,
                                .no_views = seed & 1,
                                .no_slices = (seed & 48) == 48,
                                .no_in_place = (seed & 6) == 6,
                                .no_concat = (seed & 12) == 12};
    machine m = {.g = n.g};
    if (ash_plan_model(n.ctx, &m.plan, n.g, small_device(&n), &o) != ASH_OK) {
      CHECK_EQ(last_diag(&n)->code == ASH_INTERNAL, 0);
      net_free(&n);
      continue;
    }
    planned++;
    for (uint32_t i = 0; i < m.plan->slot_count; i++) {
      aliases += m.plan->slots[i].alias_of != ASH_NO_ID;
      pieces += m.plan->slots[i].alias_kind == ASH_ALIAS_MEMBER;
      parts += m.plan->slots[i].alias_kind == ASH_ALIAS_VIEW &&
               m.plan->slots[i].alias_offset != 0;
      states += m.plan->slots[i].alias_of != ASH_NO_ID &&
                m.plan->slots[i].binding.role == ASH_PERSISTENT;
    }
    for (int runs = 0; runs < 3; runs++) { /* state goes on */
      fill(&m, &rng, runs == 0);
      run(&m);
      compare(&m);
    }
    drop(&m);
    net_free(&n);
  }
  CHECK(planned > 1000 && aliases > 3000);
  CHECK(pieces > 400 && parts > 400 && states > 400);
}

#define TESTS(X)                                                               \
  X(chains_of_views_share_one_storage)                                         \
  X(a_view_of_an_input_may_be_an_output)                                       \
  X(constants_are_copied_and_state_is_viewed)                                  \
  X(results_take_the_place_of_inputs_that_die)                                 \
  X(an_input_that_is_read_later_is_not_overwritten)                            \
  X(a_view_that_is_read_later_protects_its_storage)                            \
  X(an_output_is_not_overwritten)                                              \
  X(pieces_are_made_inside_their_concatenation)                                \
  X(a_tensor_joined_twice_is_copied_once)                                      \
  X(a_slice_in_one_run_is_a_view)                                              \
  X(both_halves_of_a_split_are_views)                                          \
  X(a_slice_of_columns_is_copied)                                              \
  X(a_slice_is_copied_where_its_view_would_cost_memory)                        \
  X(an_output_is_a_slice_only_where_it_is_aligned)                             \
  X(check_refuses_a_slice_at_the_wrong_place)                                  \
  X(demands_for_different_memories_part_a_storage)                             \
  X(sharing_never_changes_the_results_of_random_networks)

TEST_MAIN(TESTS)
