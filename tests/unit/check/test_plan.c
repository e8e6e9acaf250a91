/* test_plan.c - a right plan, spoilt in many ways: the checker finds each and
 * says which it is. */
#include "plan_net.h"

enum { X, C1, C2, STATE, C3, Y, Q, V, Z, OUT, TENSORS };

typedef struct bad {
  net n;
  const ash_device *device;
  uint32_t tensor[TENSORS];
  ash_plan plan;
  ash_slot slots[16];
  ash_arena arenas[8];
  ash_step steps[8];
} bad;

/* x is needed by two operators, q under two shapes. */
static void build(bad *b) {
  net *n = &b->n;
  uint32_t *t = b->tensor;
  b->n = net_new();
  t[X] = row_input(n, 64);
  t[C1] = row_constant(n, 64, 1);
  t[C2] = row_constant(n, 64, 2);
  t[STATE] = row_variable(n, 64);
  t[C3] = row_constant(n, 128, 3);
  t[Y] = row_add(n, t[X], t[C1]);
  t[Q] = row_add(n, t[X], t[STATE]);
  t[V] = row_reshape(n, t[Q]);
  t[Z] = row_concat(n, row_add(n, t[Y], t[C2]), t[V]);
  t[OUT] = row_add(n, t[Z], t[C3]);
  row_end(n, t[OUT]);
}

static bad setup(const ash_plan_options *options) {
  bad b = {0};
  build(&b);
  b.device = small_device(&b.n);
  const ash_plan *p = must_plan(&b.n, b.device, options);
  b.plan = *p;
  memcpy(b.slots, p->slots, p->slot_count * sizeof *p->slots);
  memcpy(b.arenas, p->arenas, p->arena_count * sizeof *p->arenas);
  memcpy(b.steps, p->steps.items, p->steps.count * sizeof *p->steps.items);
  return b;
}

static ash_slot *slot(bad *b, int which) {
  for (uint32_t i = 0; i < b->plan.slot_count; i++)
    if (b->slots[i].tensor == b->tensor[which])
      return &b->slots[i];
  CHECK(false);
  return NULL;
}

static void drop_slot(bad *b, int which) {
  ash_slot *s = slot(b, which);
  const uint32_t at = (uint32_t)(s - b->slots);
  b->plan.slot_count--;
  memmove(s, s + 1, (b->plan.slot_count - at) * sizeof *s);
  for (uint32_t i = 0; i < b->plan.slot_count; i++)
    if (b->slots[i].alias_of != ASH_NO_ID && b->slots[i].alias_of > at)
      b->slots[i].alias_of--;
}

static ash_arena *arena(bad *b, ash_role role) {
  for (uint32_t i = 0; i < b->plan.arena_count; i++)
    if (b->arenas[i].role == role)
      return &b->arenas[i];
  CHECK(false);
  return NULL;
}

/* The arrays may not point into a struct that has moved: set them late. */
static ash_status check(bad *b) {
  b->plan.slots = b->slots;
  b->plan.arenas = b->arenas;
  b->plan.steps.items = b->steps;
  ash_ctx_forget(b->n.ctx);
  return ash_check_plan(b->n.ctx, &b->plan, b->n.g, b->device);
}

/* Every corruption has a diagnostic of its own. */
static uint32_t seen[64];
static size_t seen_count;

static void refused(bad *b, uint32_t id) {
  for (size_t i = 0; i < seen_count; i++)
    CHECK(seen[i] != id);
  seen[seen_count++] = id;
  CHECK_EQ(check(b), ASH_INTERNAL);
  CHECK_EQ(last_diag(&b->n)->id, id);
  net_free(&b->n);
}

static const ash_plan_options plain = {.no_in_place = true, .no_concat = true};

static void a_right_plan_passes(void) {
  bad b = setup(&plain);
  CHECK_EQ(check(&b), ASH_OK);
  net_free(&b.n);
}

static void a_slot_without_a_place(void) {
  bad b = setup(&plain);
  slot(&b, Y)->bound = false;
  refused(&b, ASH_D_plan_unbound);
}

static void a_tensor_left_out(void) {
  bad b = setup(&plain);
  drop_slot(&b, OUT);
  refused(&b, ASH_D_plan_missing);
}

static void a_constant_left_out(void) {
  bad b = setup(&plain);
  drop_slot(&b, C3);
  refused(&b, ASH_D_plan_constant_missing);
}

static void a_binding_to_an_arena_that_is_not_there(void) {
  bad b = setup(&plain);
  slot(&b, Y)->binding.memory = "SLOW";
  refused(&b, ASH_D_plan_no_arena);
}

static void a_slot_beyond_its_arena(void) {
  bad b = setup(&plain);
  slot(&b, Y)->binding.offset = 1 << 20;
  refused(&b, ASH_D_plan_beyond_arena);
}

static void a_slot_smaller_than_its_tensor(void) {
  bad b = setup(&plain);
  slot(&b, Y)->size = 60;
  refused(&b, ASH_D_plan_undersized);
}

static void two_slots_on_the_same_bytes(void) {
  bad b = setup(&plain);
  slot(&b, Y)->binding.offset = slot(&b, X)->binding.offset;
  refused(&b, ASH_D_plan_overlap);
}

static void two_constants_on_the_same_bytes(void) {
  bad b = setup(&plain);
  slot(&b, C2)->binding.offset = slot(&b, C1)->binding.offset;
  refused(&b, ASH_D_plan_constants_differ);
}

static void an_offset_that_is_not_aligned(void) {
  bad b = setup(&plain);
  slot(&b, C1)->binding.offset += 4;
  refused(&b, ASH_D_plan_misaligned);
}

static void elements_that_are_not_aligned(void) {
  bad b = setup(&plain);
  ash_slot *s = slot(&b, OUT);
  s->alignment = 1;
  s->binding.offset += 2;
  arena(&b, ASH_SCRATCH)->size += 1024;
  arena(&b, ASH_SCRATCH)->verdict = ASH_FEASIBLE;
  b.device = NULL;
  refused(&b, ASH_D_plan_element_misaligned);
}

static void an_arena_with_an_impossible_alignment(void) {
  bad b = setup(&plain);
  arena(&b, ASH_SCRATCH)->alignment = 24;
  refused(&b, ASH_D_plan_arena_alignment);
}

static void a_lifetime_that_misses_a_use(void) {
  bad b = setup(&plain);
  slot(&b, X)->life.end_step = 1;
  refused(&b, ASH_D_plan_lifetime);
}

static void a_slot_that_is_never_alive(void) {
  bad b = setup(&plain);
  slot(&b, Y)->life.end_step = slot(&b, Y)->life.first_step;
  refused(&b, ASH_D_plan_never_alive);
}

static void an_alias_outside_its_storage(void) {
  bad b = setup(&plain);
  CHECK(slot(&b, V)->alias_of != ASH_NO_ID);
  slot(&b, V)->binding.offset ^= 64;
  refused(&b, ASH_D_plan_alias);
}

static void aliases_in_a_circle(void) {
  bad b = setup(&plain);
  slot(&b, Q)->alias_of = (uint32_t)(slot(&b, V) - b.slots);
  refused(&b, ASH_D_plan_alias_circle);
}

static void arenas_larger_than_their_memory(void) {
  bad b = setup(&plain);
  arena(&b, ASH_SCRATCH)->size = 2000;
  arena(&b, ASH_SCRATCH)->verdict = ASH_FEASIBLE;
  refused(&b, ASH_D_plan_capacity);
}

static void a_variable_planned_as_scratch(void) {
  bad b = setup(&plain);
  slot(&b, STATE)->binding.role = ASH_SCRATCH;
  slot(&b, STATE)->binding.offset = 512;
  arena(&b, ASH_SCRATCH)->size = 576;
  arena(&b, ASH_SCRATCH)->verdict = ASH_FEASIBLE;
  refused(&b, ASH_D_plan_role);
}

static void scratch_in_memory_that_cannot_be_written(void) {
  bad b = setup(&plain);
  arena(&b, ASH_SCRATCH)->memory = "ROM";
  refused(&b, ASH_D_plan_read_only);
}

static void an_arena_in_memory_that_does_not_exist(void) {
  bad b = setup(&plain);
  arena(&b, ASH_PERSISTENT)->memory = "ELSEWHERE";
  refused(&b, ASH_D_plan_memory);
}

static void steps_in_the_wrong_order(void) {
  bad b = setup(&plain);
  const ash_step first = b.steps[0];
  b.steps[0] = b.steps[3];
  b.steps[3] = first;
  refused(&b, ASH_D_plan_step);
}

static void an_operator_that_runs_twice(void) {
  bad b = setup(&plain);
  b.steps[1] = b.steps[0];
  refused(&b, ASH_D_plan_step_twice);
}

static void an_operator_that_never_runs(void) {
  bad b = setup(&plain);
  b.plan.steps.count--;
  refused(&b, ASH_D_plan_step_missing);
}

static void a_bound_above_the_size(void) {
  bad b = setup(&plain);
  arena(&b, ASH_SCRATCH)->lower_bound++;
  refused(&b, ASH_D_plan_bound);
}

static void optimality_without_a_matching_bound(void) {
  bad b = setup(&plain);
  arena(&b, ASH_SCRATCH)->lower_bound--;
  refused(&b, ASH_D_plan_verdict);
}

static void slots_that_disagree_on_their_source(void) {
  bad b = setup(&plain);
  slot(&b, C1)->binding.source_memory = "SLOW";
  refused(&b, ASH_D_plan_source);
}

static void a_tensor_planned_twice(void) {
  bad b = setup(&plain);
  b.slots[b.plan.slot_count++] = *slot(&b, Y);
  refused(&b, ASH_D_plan_duplicate);
}

static void two_arenas_for_one_role_and_memory(void) {
  bad b = setup(&plain);
  b.arenas[b.plan.arena_count] = b.arenas[b.plan.arena_count - 1];
  b.plan.arena_count++;
  refused(&b, ASH_D_plan_arena_twice);
}

/* Both slots say that they share, and their lifetimes agree: only going
 * through the steps shows that y is written over x before q reads it. */
static void a_result_in_place_of_an_input_still_needed(void) {
  bad b = setup(&plain);
  ash_slot *y = slot(&b, Y), *x = slot(&b, X);
  y->alias_of = (uint32_t)(x - b.slots);
  y->binding.offset = x->binding.offset;
  x->life.end_step = y->life.end_step = 4;
  x->life.first_step = y->life.first_step = 0;
  b.device = NULL;
  for (uint32_t i = 0; i < b.plan.slot_count; i++) /* out of the way */
    if (b.slots[i].binding.role == ASH_SCRATCH && &b.slots[i] != x &&
        &b.slots[i] != y)
      b.slots[i].binding.offset += 4096;
  arena(&b, ASH_SCRATCH)->size += 4096;
  arena(&b, ASH_SCRATCH)->verdict = ASH_FEASIBLE;
  refused(&b, ASH_D_plan_clobbered);
}

/* An element-wise result may lie exactly on its input, not a bit behind. */
static void a_result_beside_the_input_it_overwrites(void) {
  const ash_plan_options sharing = {.no_concat = true, .no_views = true};
  bad b = setup(&sharing);
  ash_slot *z = slot(&b, Z), *out = slot(&b, OUT);
  CHECK(out->alias_of != ASH_NO_ID);
  CHECK_EQ(z->size, out->size);
  z->size += 16;
  out->binding.offset += 16;
  arena(&b, ASH_SCRATCH)->size += 4096;
  arena(&b, ASH_SCRATCH)->verdict = ASH_FEASIBLE;
  z->binding.offset += 2048;
  out->binding.offset += 2048;
  b.device = NULL;
  refused(&b, ASH_D_plan_self_overlap);
}

/* Something is written over the variable after its last use. */
static void stopped(bad *b, uint32_t id) {
  CHECK_EQ(check(b), ASH_INTERNAL);
  CHECK_EQ(last_diag(&b->n)->id, id);
  net_free(&b->n);
}

/* One field of a plan, its first arena or the slot of Y means nothing. */
static void spoil_field(bad *b, int which) {
  ash_slot *y = slot(b, Y);
  switch (which) {
  case 0:
    b->arenas[0].role = (ash_role)9;
    break;
  case 1:
    b->arenas[0].verdict = (ash_verdict)9;
    break;
  case 2:
    b->arenas[0].source_memory = NULL;
    break;
  case 3:
    b->plan.verdict = (ash_verdict)9;
    break;
  case 4: /* of which only some are there */
    b->plan.arena_count = 3 * ASH_MEMORY_MAX + 1;
    break;
  case 5:
    y->id = NULL;
    break;
  case 6:
    y->op = 4711;
    break;
  default:
    y->follows = 4711;
  }
}

static void fields_that_mean_nothing(void) {
  static const uint32_t ids[] = {
      ASH_D_plan_role,    ASH_D_plan_verdict,     ASH_D_plan_memory,
      ASH_D_plan_verdict, ASH_D_plan_arena_twice, ASH_D_plan_missing,
      ASH_D_plan_missing, ASH_D_plan_alias_circle};
  for (int i = 0; i < 8; i++) {
    bad b = setup(NULL);
    spoil_field(&b, i);
    stopped(&b, ids[i]);
  }
}

static void lists_that_are_not_there(void) {
  for (int i = 0; i < 3; i++) {
    bad b = setup(NULL);
    CHECK_EQ(check(&b), ASH_OK);
    b.plan.slots = i == 0 ? NULL : b.slots;
    b.plan.arenas = i == 1 ? NULL : b.arenas;
    b.plan.steps.items = i == 2 ? NULL : b.steps;
    CHECK_EQ(ash_check_plan(b.n.ctx, &b.plan, b.n.g, b.device), ASH_MISUSE);
    CHECK_EQ(last_diag(&b.n)->id, ASH_D_plan_missing);
    net_free(&b.n);
  }
}

/* Of the constants only the model knows what their bytes are. */
static void constants_without_a_tensor(void) {
  bad b = setup(&plain);
  slot(&b, C2)->binding.offset = slot(&b, C1)->binding.offset;
  slot(&b, C2)->tensor = ASH_NO_ID;
  stopped(&b, ASH_D_plan_constants_differ);
}

/* A plan of another program may show a constant inside another one, if its
 * bytes are there. */
static void a_constant_inside_another(void) {
  for (int differs = 0; differs < 2; differs++) {
    bad b = setup(&plain);
    ash_slot *part = slot(&b, C1), *whole = slot(&b, C3);
    const uint8_t *bytes = b.n.g->tensors.items[b.tensor[C3]].data;
    part->alias_of = (uint32_t)(whole - b.slots);
    part->alias_kind = ASH_ALIAS_VIEW;
    part->binding.offset = whole->binding.offset + 32 + (uint64_t)differs * 16;
    b.n.g->tensors.items[b.tensor[C1]].data = bytes + 32;
    if (differs)
      stopped(&b, ASH_D_plan_constants_differ);
    else {
      CHECK_EQ(check(&b), ASH_OK);
      net_free(&b.n);
    }
  }
}

static void names_and_numbers_that_mean_nothing(void) {
  bad b = setup(NULL);
  slot(&b, Y)->binding.memory = NULL;
  stopped(&b, ASH_D_plan_memory);
  b = setup(NULL);
  slot(&b, C1)->binding.source_memory = NULL;
  stopped(&b, ASH_D_plan_memory);
  b = setup(NULL);
  b.arenas[0].memory = NULL;
  stopped(&b, ASH_D_plan_memory);
  b = setup(NULL);
  slot(&b, Y)->tensor = 4711;
  stopped(&b, ASH_D_plan_missing);
  b = setup(NULL);
  slot(&b, V)->alias_of = 4711;
  stopped(&b, ASH_D_plan_alias_circle);
  b = setup(NULL);
  slot(&b, Y)->binding.role = (ash_role)9;
  stopped(&b, ASH_D_plan_role);
  b = setup(NULL);
  CHECK_EQ(ash_check_plan(b.n.ctx, NULL, b.n.g, b.device), ASH_MISUSE);
  net_free(&b.n);
}

static void a_variable_that_does_not_survive(void) {
  bad b = setup(&plain);
  ash_slot *out = slot(&b, OUT), *state = slot(&b, STATE);
  state->size = out->size;
  arena(&b, ASH_PERSISTENT)->size = state->size;
  arena(&b, ASH_PERSISTENT)->verdict = ASH_FEASIBLE;
  out->binding = state->binding;
  out->life = state->life;
  out->alias_of = (uint32_t)(state - b.slots);
  refused(&b, ASH_D_plan_state_lost);
}

static void there_are_at_least_twenty_of_them(void) {
  CHECK(seen_count >= 20);
}

#define TESTS(X)                                                               \
  X(a_right_plan_passes)                                                       \
  X(a_slot_without_a_place)                                                    \
  X(a_tensor_left_out)                                                         \
  X(a_constant_left_out)                                                       \
  X(a_binding_to_an_arena_that_is_not_there)                                   \
  X(a_slot_beyond_its_arena)                                                   \
  X(a_slot_smaller_than_its_tensor)                                            \
  X(two_slots_on_the_same_bytes)                                               \
  X(two_constants_on_the_same_bytes)                                           \
  X(an_offset_that_is_not_aligned)                                             \
  X(elements_that_are_not_aligned)                                             \
  X(an_arena_with_an_impossible_alignment)                                     \
  X(a_lifetime_that_misses_a_use)                                              \
  X(a_slot_that_is_never_alive)                                                \
  X(an_alias_outside_its_storage)                                              \
  X(aliases_in_a_circle)                                                       \
  X(arenas_larger_than_their_memory)                                           \
  X(a_variable_planned_as_scratch)                                             \
  X(scratch_in_memory_that_cannot_be_written)                                  \
  X(an_arena_in_memory_that_does_not_exist)                                    \
  X(steps_in_the_wrong_order)                                                  \
  X(an_operator_that_runs_twice)                                               \
  X(an_operator_that_never_runs)                                               \
  X(a_bound_above_the_size)                                                    \
  X(optimality_without_a_matching_bound)                                       \
  X(slots_that_disagree_on_their_source)                                       \
  X(a_tensor_planned_twice)                                                    \
  X(two_arenas_for_one_role_and_memory)                                        \
  X(a_result_in_place_of_an_input_still_needed)                                \
  X(a_result_beside_the_input_it_overwrites)                                   \
  X(names_and_numbers_that_mean_nothing)                                       \
  X(fields_that_mean_nothing)                                                  \
  X(lists_that_are_not_there)                                                  \
  X(constants_without_a_tensor)                                                \
  X(a_constant_inside_another)                                                 \
  X(a_variable_that_does_not_survive)                                          \
  X(there_are_at_least_twenty_of_them)

TEST_MAIN(TESTS)
