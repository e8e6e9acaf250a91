/* test_run.c - plans that no lifetime and no alias contradicts, and that a run
 * of their steps refutes: what is read was written over, or is written over
 * while it is read. */
#include "pass/pass.h"
#include "plan_net.h"

/* A plan of whole operators that may be spoilt. */
typedef struct victim {
  net n;
  ash_plan plan;
  ash_slot slots[32];
  ash_arena arenas[8];
} victim;

static victim take(net n, const ash_plan_options *options) {
  victim v = {.n = n};
  v.plan = *must_plan(&v.n, small_device(&v.n), options);
  CHECK(v.plan.slot_count <= ASH_COUNT_OF(v.slots));
  memcpy(v.slots, v.plan.slots, v.plan.slot_count * sizeof *v.slots);
  memcpy(v.arenas, v.plan.arenas, v.plan.arena_count * sizeof *v.arenas);
  return v;
}

static ash_slot *slot(victim *v, uint32_t tensor) {
  const uint32_t i = ash_plan_slot_of_tensor(&v->plan, tensor);
  CHECK(i != ASH_NO_ID);
  return &v->slots[i];
}

static ash_slot *work(victim *v) {
  for (uint32_t i = 0; i < v->plan.slot_count; i++)
    if (v->slots[i].kind == ASH_SLOT_WORK)
      return &v->slots[i];
  CHECK(false);
  return NULL;
}

/* `a` lies `by` bytes into `b`, says so, and both live all the time. */
static void lay(victim *v, ash_slot *a, ash_slot *b, uint64_t by) {
  a->alias_of = (uint32_t)(b - v->slots);
  a->alias_kind = ASH_ALIAS_IN_PLACE;
  a->binding = b->binding;
  a->binding.offset += by;
  a->life = b->life = (ash_lifetime){0, v->plan.steps.count};
  a->alignment = 1;
}

/* Everything else is out of the way: only the run can tell. */
static void spread(victim *v) {
  uint64_t end = 1 << 20;
  for (uint32_t i = 0; i < v->plan.slot_count; i++) {
    ash_slot *s = &v->slots[i];
    const ash_slot *of =
        s->alias_of == ASH_NO_ID ? NULL : &v->slots[s->alias_of];
    if (s->binding.role != ASH_SCRATCH || of)
      continue;
    const uint64_t before = s->binding.offset;
    s->binding.offset = end;
    end += (s->size + 1023) / 512 * 512;
    for (uint32_t k = 0; k < v->plan.slot_count; k++)
      if (v->slots[k].alias_of == i)
        v->slots[k].binding.offset += s->binding.offset - before;
  }
  for (uint32_t i = 0; i < v->plan.arena_count; i++)
    if (v->arenas[i].role == ASH_SCRATCH) {
      v->arenas[i].size = end;
      v->arenas[i].verdict = ASH_FEASIBLE;
    }
}

static ash_status check(victim *v) {
  v->plan.slots = v->slots;
  v->plan.arenas = v->arenas;
  v->plan.order.peak = 0; /* other lives, another peak */
  ash_ctx_forget(v->n.ctx);
  return ash_check_plan(v->n.ctx, &v->plan, v->n.g, NULL);
}

static void refused(victim *v, uint32_t id) {
  const ash_status status = check(v);
  if (status == ASH_OK || last_diag(&v->n)->id != id)
    print_newest(v->n.ctx);
  CHECK_EQ(status, ASH_INTERNAL);
  CHECK_EQ(last_diag(&v->n)->id, id);
  net_free(&v->n);
}

static void accepted(victim *v) {
  const ash_status status = check(v);
  if (status != ASH_OK)
    print_newest(v->n.ctx);
  CHECK_EQ(status, ASH_OK);
  net_free(&v->n);
}

static const ash_plan_options plain = {.no_in_place = true, .no_concat = true};

static void ends(net *n, uint32_t a, uint32_t b) {
  const uint32_t both[] = {a, b};
  CHECK_EQ(ash_graph_set_outputs(n->g, both, 2), ASH_OK);
  n->g->tensors.items[a].is_output = n->g->tensors.items[b].is_output = true;
}

/* ---- start and end ------------------------------------------------------- */

static void inputs_on_the_same_bytes(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), z = row_input(&n, 64);
  row_end(&n, row_add(&n, x, z));
  victim v = take(n, &plain);
  lay(&v, slot(&v, z), slot(&v, x), 0);
  spread(&v);
  refused(&v, ASH_D_plan_overlap);
}

static void an_output_that_is_written_over(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), a = row_relu(&n, x);
  const uint32_t b = row_relu(&n, a);
  ends(&n, a, b);
  victim v = take(n, &plain);
  lay(&v, slot(&v, b), slot(&v, a), 0);
  spread(&v);
  refused(&v, ASH_D_plan_clobbered);
}

/* The model names another output than those that the steps make. */
static void an_output_that_nobody_makes(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64), a = row_relu(&n, x);
  const uint32_t b = row_relu(&n, a);
  ends(&n, a, b);
  victim v = take(n, &plain);
  const uint32_t stranger = row_tensor(&v.n, 64);
  ash_slot *s = &v.slots[v.plan.slot_count++];
  *s = *slot(&v, a);
  s->id = v.n.g->tensors.items[stranger].id;
  s->tensor = stranger;
  s->life = (ash_lifetime){0, v.plan.steps.count};
  v.n.g->outputs[0] = stranger;
  spread(&v);
  refused(&v, ASH_D_plan_clobbered);
}

/* ---- work memory --------------------------------------------------------- */

/* Float activations with int8 weights are quantised into work memory. */
static victim with_work(uint32_t *x, uint32_t *y) {
  static const int8_t weights[16 * 16];
  net n = net_new();
  *x = net_input(&n, ASH_FLOAT32, NET_DIMS(8, 16), 0, 0);
  const uint32_t w =
      net_constant(&n, ASH_INT8, NET_DIMS(16, 16), weights, 0.5f, 0);
  *y = net_result(&n, ASH_FLOAT32, NET_DIMS(8, 16), 0, 0);
  n.g->tensors.items[*y].is_output = true;
  (void)net_op(&n, ASH_OP_fully_connected, NET_IDS(*x, w), *y);
  CHECK_EQ(ash_pass_lower(n.ctx, n.g), ASH_OK);
  victim v = take(n, NULL);
  CHECK(work(&v)->size > 0);
  return v;
}

static void work_memory_may_lie_beside_the_rest(void) {
  uint32_t x, y;
  victim v = with_work(&x, &y);
  spread(&v);
  accepted(&v);
}

static void work_memory_on_the_result(void) {
  uint32_t x, y;
  victim v = with_work(&x, &y);
  lay(&v, work(&v), slot(&v, y), 16);
  spread(&v);
  refused(&v, ASH_D_plan_self_overlap);
}

static void work_memory_on_the_input(void) {
  uint32_t x, y;
  victim v = with_work(&x, &y);
  lay(&v, work(&v), slot(&v, x), 16);
  spread(&v);
  refused(&v, ASH_D_plan_self_overlap);
}

static void work_memory_that_is_too_small(void) {
  uint32_t x, y;
  victim v = with_work(&x, &y);
  work(&v)->size--;
  refused(&v, ASH_D_plan_work);
}

static void work_memory_that_is_not_there(void) {
  uint32_t x, y;
  victim v = with_work(&x, &y);
  work(&v)->op = ASH_NO_ID;
  refused(&v, ASH_D_plan_work);
}

/* ---- variables ----------------------------------------------------------- */

/* svdf reads x and updates its variable. */
static void an_input_on_the_variable_that_is_updated(void) {
  static const float zeros[64] = {0};
  net n = net_new();
  const uint32_t state = row_variable(&n, 96);
  const uint32_t in = row_input(&n, 20);
  const uint32_t x = row_relu(&n, in), y = row_tensor(&n, 12);
  const uint32_t w = net_constant(&n, ASH_FLOAT32, NET_DIMS(6, 5), zeros, 0, 0);
  const uint32_t t = net_constant(&n, ASH_FLOAT32, NET_DIMS(6, 4), zeros, 0, 0);
  const uint32_t b = net_constant(&n, ASH_FLOAT32, NET_DIMS(3), zeros, 0, 0);
  net_int(&n, net_op(&n, ASH_OP_svdf, NET_IDS(x, w, t, b, state), y), "rank",
          2);
  row_end(&n, y);
  victim v = take(n, &plain);
  ash_slot *s = slot(&v, x);
  lay(&v, s, slot(&v, state), 0);
  refused(&v, ASH_D_plan_clobbered); /* the relu has spoilt the variable */
}

/* ---- windows ------------------------------------------------------------- */

/* A pool over `images` images, whose result begins `before` bytes before its
 * input and follows it. */
static victim window(int32_t images, uint64_t before) {
  net n = net_new();
  const ash_shape s = NET_DIMS(images, 4, 4, 4);
  const uint32_t x = net_input(&n, ASH_INT8, s, 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, s, 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_max_pool_2d, NET_IDS(x), y);
  net_int(&n, op, "filter_h", 1);
  net_int(&n, op, "filter_w", 1);
  n.g->tensors.items[y].is_output = true;
  victim v = take(n, &plain);
  spread(&v);
  slot(&v, y)->binding.offset = slot(&v, x)->binding.offset - before;
  slot(&v, y)->alignment = 1;
  slot(&v, y)->follows = (uint32_t)(slot(&v, x) - v.slots);
  return v;
}

static void a_window_may_follow_its_input(void) {
  victim v = window(1, 4);
  accepted(&v);
}

static void a_window_over_several_images_may_not(void) {
  victim v = window(2, 4);
  refused(&v, ASH_D_plan_self_overlap);
}

static void a_window_that_overtakes_its_input(void) {
  victim v = window(1, (uint64_t)0 - 4);
  refused(&v, ASH_D_plan_self_overlap);
}

/* ---- joins --------------------------------------------------------------- */

/* a and b are computed where they belong in c. */
static victim joined(uint32_t *a, uint32_t *b, uint32_t *c, int64_t axis) {
  net n = net_new();
  const uint32_t x = row_input(&n, 64);
  *a = row_relu(&n, x);
  *b = row_add(&n, x, x);
  *c = row_concat(&n, *a, *b);
  net_int(&n, (uint32_t)n.g->op_count - 1, "axis", axis);
  row_end(&n, *c);
  return take(n, &(ash_plan_options){.no_in_place = true});
}

static void parts_may_lie_where_they_belong(void) {
  for (int64_t axis = -1; axis < 2; axis += 2) {
    uint32_t a, b, c;
    victim v = joined(&a, &b, &c, axis);
    CHECK(slot(&v, b)->alias_of != ASH_NO_ID);
    accepted(&v);
  }
}

static void parts_that_lie_where_others_belong(void) {
  uint32_t a, b, c;
  victim v = joined(&a, &b, &c, 1);
  slot(&v, a)->binding.offset += 64;
  slot(&v, b)->binding.offset -= 64;
  refused(&v, ASH_D_plan_self_overlap);
}

static void two_parts_in_one_place(void) {
  uint32_t a, b, c;
  victim v = joined(&a, &b, &c, 1);
  slot(&v, b)->binding.offset -= 64;
  refused(&v, ASH_D_plan_clobbered);
}

/* ---- the order ----------------------------------------------------------- */

/* An output is kept, so nothing takes its place: a, which is one, c and b are
 * there at once. */
static void a_peak_that_counts_on_an_outputs_place(void) {
  for (int claim = 128; claim <= 132; claim += 4) {
    net n = net_new();
    const uint32_t x = row_input(&n, 64), z = row_input(&n, 4);
    const uint32_t c = row_relu(&n, z), a = row_relu(&n, x);
    const uint32_t b = row_add(&n, a, c);
    ends(&n, a, b);
    victim v = take(n, NULL);
    v.plan.slots = v.slots;
    v.plan.order = (ash_order_proof){.kind = ASH_ORDER_GIVEN,
                                     .peak = (uint64_t)claim,
                                     .verdict = ASH_FEASIBLE};
    const ash_status status = ash_check_plan(v.n.ctx, &v.plan, v.n.g, NULL);
    CHECK_EQ(status, claim == 132 ? ASH_OK : ASH_INTERNAL);
    if (status != ASH_OK)
      CHECK_EQ(last_diag(&v.n)->id, ASH_D_plan_order_peak);
    net_free(&v.n);
  }
}

/* ---- as a file ----------------------------------------------------------- */

static void a_file_is_judged_for_the_device_that_is_given(void) {
  static const char tiny[] = "name: small\ncpu: cortex-m4\nmemories:\n"
                             "  - {name: FAST, bytes: 64}\n"
                             "  - {name: ROM, bytes: 64K, kind: nvm}\n"
                             "default: FAST\nconstants: ROM\norder: [FAST]\n";
  net n = net_new();
  const ash_device *device = small_device(&n), *small;
  ash_plan_text text = {.file = "plan.json"};
  const uint32_t x = row_input(&n, 64), c = row_constant(&n, 64, 1);
  row_end(&n, row_add(&n, x, c));
  const ash_plan *p = must_plan(&n, device, &plain);
  CHECK_EQ(ash_plan_json(n.ctx, &text.text, &text.count, p, n.g), ASH_OK);
  CHECK_EQ(ash_device_parse(n.ctx, &small, tiny, strlen(tiny), "tiny.yaml"),
           ASH_OK);
  CHECK_EQ(ash_check_plan_file(n.ctx, &text, NULL), ASH_OK);
  CHECK_EQ(ash_check_plan_file(n.ctx, &text, device), ASH_OK);
  CHECK_EQ(ash_check_plan_file(n.ctx, &text, small), ASH_MALFORMED);
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(inputs_on_the_same_bytes)                                                  \
  X(an_output_that_is_written_over)                                            \
  X(an_output_that_nobody_makes)                                               \
  X(work_memory_may_lie_beside_the_rest)                                       \
  X(work_memory_on_the_result)                                                 \
  X(work_memory_on_the_input)                                                  \
  X(work_memory_that_is_too_small)                                             \
  X(work_memory_that_is_not_there)                                             \
  X(an_input_on_the_variable_that_is_updated)                                  \
  X(a_window_may_follow_its_input)                                             \
  X(a_window_over_several_images_may_not)                                      \
  X(a_window_that_overtakes_its_input)                                         \
  X(parts_may_lie_where_they_belong)                                           \
  X(parts_that_lie_where_others_belong)                                        \
  X(two_parts_in_one_place)                                                    \
  X(a_peak_that_counts_on_an_outputs_place)                                    \
  X(a_file_is_judged_for_the_device_that_is_given)
TEST_MAIN(TESTS)
