/* test_shrink.c - results that are smaller than the dying input they are
 * written over: the tail is free after the step, no placement that the checker
 * accepts is smaller, and the checker refuses what breaks the rule. */
#include "plan_net.h"

#include "base/rng.h"

enum { N = 16 }; /* elements; so that all sizes are multiples of alignment */

static uint32_t floats(net *n) {
  return net_input(n, ASH_FLOAT32, NET_DIMS(1, N), 0, 0);
}

static uint32_t result(net *n, ash_type type, float scale) {
  const ash_tensor t = {.name = "y",
                        .kind = ASH_TENSOR_ACTIVATION,
                        .type = type,
                        .shape = NET_DIMS(1, N)};
  return net_tensor(n, t, scale, 0);
}

/* The same elements, in place, as bytes. */
static uint32_t quantised(net *n, uint32_t from) {
  const uint32_t to = result(n, ASH_INT8, 1);
  (void)net_op(n, ASH_OP_quantize, NET_IDS(from), to);
  return to;
}

/* Four times as large, so never in place. */
static uint32_t dequantised(net *n, uint32_t from) {
  const uint32_t to = result(n, ASH_FLOAT32, 0);
  (void)net_op(n, ASH_OP_dequantize, NET_IDS(from), to);
  return to;
}

static uint32_t added(net *n, uint32_t a, uint32_t b) {
  const uint32_t to = result(n, ASH_FLOAT32, 0);
  (void)net_op(n, ASH_FN_ROW(add), NET_IDS(a, b), to);
  return to;
}

static void keep(net *n, uint32_t tensor) {
  uint32_t all[8];
  const size_t count = n->g->output_count;
  CHECK(count < 8);
  for (size_t i = 0; i < count; i++)
    all[i] = n->g->outputs[i];
  all[count] = tensor;
  CHECK_EQ(ash_graph_set_outputs(n->g, all, count + 1), ASH_OK);
}

/* x and y are floats; both become bytes, y while the bytes of x wait. */
static net two_inputs(uint32_t *x, uint32_t *a, uint32_t *y, uint32_t *b) {
  net n = net_new();
  *x = floats(&n);
  *y = floats(&n);
  *a = quantised(&n, *x);
  *b = quantised(&n, *y);
  keep(&n, *a);
  keep(&n, *b);
  return n;
}

static void the_tail_is_free_after_the_step(void) {
  uint32_t x, a, y, b;
  net n = two_inputs(&x, &a, &y, &b);
  keep(&n, dequantised(&n, a));
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  /* x and y; later a, b and 64 bytes more: 96 */
  CHECK_EQ(p->arenas[0].size, 8 * N);
  CHECK_EQ(p->arenas[0].lower_bound, 8 * N);
  CHECK_EQ(p->verdict, ASH_OPTIMAL);
  CHECK(slot_of(p, a)->follows != ASH_NO_ID);
  CHECK_EQ(slot_of(p, a)->binding.offset, slot_of(p, x)->binding.offset);
  const char *text;
  size_t count;
  CHECK_EQ(ash_plan_json(n.ctx, &text, &count, p, n.g), ASH_OK);
  CHECK_EQ(ash_check_plan_json(n.ctx, text, count, "plan.json"), ASH_OK);
  net_free(&n);
}

static void without_results_in_place_nothing_shrinks(void) {
  net n = net_new();
  const uint32_t x = floats(&n), a = quantised(&n, x);
  keep(&n, a);
  const ash_plan_options o = {.no_in_place = true};
  const ash_plan *p = must_plan(&n, small_device(&n), &o);
  CHECK_EQ(p->arenas[0].size, 5 * N);
  CHECK_EQ(slot_of(p, a)->follows, ASH_NO_ID);
  net_free(&n);
}

static void other_planners_know_no_tails(void) {
  static const char *const names[] = {"greedy", "first-fit", "naive"};
  for (size_t i = 0; i < ASH_COUNT_OF(names); i++) {
    uint32_t x, a, y, b;
    net n = two_inputs(&x, &a, &y, &b);
    const ash_plan_options o = {.planner = names[i]};
    const ash_plan *p = must_plan(&n, small_device(&n), &o);
    CHECK_EQ(slot_of(p, a)->follows, ASH_NO_ID);
    CHECK_EQ(slot_of(p, b)->follows, ASH_NO_ID);
    net_free(&n);
  }
}

/* An output must survive the step that makes another one of it. */
static void an_output_keeps_its_bytes(void) {
  net n = net_new();
  const uint32_t x = floats(&n), y = added(&n, x, x), a = quantised(&n, y);
  keep(&n, y);
  keep(&n, a);
  const ash_plan *p = must_plan(&n, small_device(&n), NULL);
  CHECK_EQ(slot_of(p, a)->follows, ASH_NO_ID);
  CHECK_EQ(p->arenas[0].size, 5 * N);
  net_free(&n);
}

/* ---- what the checker refuses -------------------------------------------- */

typedef struct copy {
  ash_plan p;
  ash_slot slots[32];
  ash_arena arenas[4];
} copy;

static void copy_plan(copy *c, const ash_plan *p) {
  CHECK(p->slot_count <= 32 && p->arena_count <= 4);
  c->p = *p;
  memcpy(c->slots, p->slots, p->slot_count * sizeof *c->slots);
  memcpy(c->arenas, p->arenas, p->arena_count * sizeof *c->arenas);
  c->p.slots = c->slots;
  c->p.arenas = c->arenas;
}

static ash_slot *slot_in(copy *c, uint32_t tensor) {
  return &c->slots[ash_plan_slot_of_tensor(&c->p, tensor)];
}

static void broken_rules_are_refused(void) {
  uint32_t x, a, y, b;
  net n = two_inputs(&x, &a, &y, &b);
  const ash_device *d = small_device(&n);
  const ash_plan *p = must_plan(&n, d, NULL);
  CHECK_EQ(p->arenas[0].size, 8 * N);
  copy c;
  copy_plan(&c, p); /* unsaid */
  slot_in(&c, a)->follows = ASH_NO_ID;
  CHECK_EQ(ash_check_plan(n.ctx, &c.p, n.g, d), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_overlap);
  uint32_t lost = 0; /* not at the start: bytes are lost before they are read */
  for (uint64_t more = N; more < 4 * N; more += N) {
    copy_plan(&c, p);
    slot_in(&c, a)->binding.offset += more;
    CHECK_EQ(ash_check_plan(n.ctx, &c.p, n.g, d), ASH_INTERNAL);
    lost += last_diag(&n)->id == ASH_D_plan_self_overlap;
  }
  CHECK(lost > 0);
  copy_plan(&c, p); /* over an input that is still to be read */
  slot_in(&c, a)->binding.offset = slot_in(&c, y)->binding.offset;
  CHECK_EQ(ash_check_plan(n.ctx, &c.p, n.g, d), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_overlap);
  slot_in(&c, a)->follows = slot_in(&c, a)->follows == 0 ? 1 : 0;
  CHECK_EQ(ash_check_plan(n.ctx, &c.p, n.g, d), ASH_INTERNAL);
  copy_plan(&c, p); /* the input must be gone after the step */
  slot_in(&c, x)->life.end_step = p->steps.count;
  CHECK_EQ(ash_check_plan(n.ctx, &c.p, n.g, d), ASH_INTERNAL);
  CHECK_EQ(last_diag(&n)->id, ASH_D_plan_overlap);
  net_free(&n);
}

/* ---- against all placements ---------------------------------------------- */

static bool is_float(const net *n, uint32_t t) {
  return n->g->tensors.items[t].type == ASH_FLOAT32;
}

/* Three to five operators, each on one or two of the values so far. */
static net random_net(ash_rng *rng) {
  net n = net_new();
  uint32_t values[8], count = 0, read[8] = {0};
  const uint32_t inputs = 1 + (ash_rng_below(rng, 4) > 0);
  const uint32_t ops = 3 + (uint32_t)ash_rng_below(rng, 2);
  while (count < inputs)
    values[count++] = floats(&n);
  for (uint32_t i = 0; i < ops; i++) {
    const uint32_t k = (uint32_t)ash_rng_below(rng, count);
    const uint32_t m = (uint32_t)ash_rng_below(rng, count);
    read[k]++;
    if (!is_float(&n, values[k])) {
      values[count++] = dequantised(&n, values[k]);
    } else if (is_float(&n, values[m]) && ash_rng_below(rng, 3) == 0) {
      read[m]++;
      values[count++] = added(&n, values[k], values[m]);
    } else {
      values[count++] = quantised(&n, values[k]);
    }
  }
  for (uint32_t i = inputs; i < count; i++)
    if (!read[i])
      keep(&n, values[i]);
  return n;
}

/* Every storage may follow what its maker reads; the checker judges. */
static void allow_all(const net *n, copy *c) {
  for (uint32_t op = 0; op < n->g->op_count; op++) {
    const ash_op *o = &n->g->ops.items[op];
    const uint32_t out = ash_plan_slot_of_tensor(&c->p, o->outputs[0]);
    const uint32_t in = ash_plan_slot_of_tensor(&c->p, o->inputs[0]);
    if (c->slots[out].alias_of == ASH_NO_ID)
      c->slots[out].follows =
          ash_alias_root(c->slots, c->p.slot_count, in, NULL);
  }
}

/* How many placements of all storages are there? */
static uint64_t placements(const copy *c, uint64_t size) {
  uint64_t count = 1;
  for (uint32_t i = 0; i < c->p.slot_count; i++)
    if (c->slots[i].alias_of == ASH_NO_ID)
      count *= (size - c->slots[i].size) / N + 1;
  return count;
}

/* Does the checker accept any placement in `size` bytes? */
static bool any_fits(const net *n, const ash_device *d, copy *c, uint64_t size,
                     uint32_t slot) {
  while (slot < c->p.slot_count && c->slots[slot].alias_of != ASH_NO_ID)
    slot++;
  if (slot == c->p.slot_count) {
    ash_populate_alias_allocations(c->slots, c->p.slot_count);
    const bool fits = ash_check_plan(n->ctx, &c->p, n->g, d) == ASH_OK;
    n->ctx->diag_count = 0; /* thousands are refused */
    return fits;
  }
  for (uint64_t at = 0; at + c->slots[slot].size <= size; at += N) {
    c->slots[slot].binding.offset = at;
    if (any_fits(n, d, c, size, slot + 1))
      return true;
  }
  return false;
}

static void no_placement_is_smaller(void) {
  ash_rng rng = {7};
  uint32_t shrunk = 0, tried = 0;
  for (int i = 0; i < 80; i++) {
    net n = random_net(&rng);
    const ash_device *d = small_device(&n);
    const ash_plan *p = must_plan(&n, d, NULL);
    copy c;
    copy_plan(&c, p);
    CHECK_EQ(p->arenas[0].role, ASH_SCRATCH);
    CHECK_EQ(p->verdict, ASH_OPTIMAL);
    if (placements(&c, p->arenas[0].size) > 20000) {
      net_free(&n);
      continue;
    }
    tried++;
    for (uint32_t k = 0; k < p->slot_count; k++)
      shrunk += p->slots[k].follows != ASH_NO_ID;
    allow_all(&n, &c);
    c.p.verdict = c.arenas[0].verdict = ASH_FEASIBLE;
    c.arenas[0].lower_bound = 0;
    CHECK(any_fits(&n, d, &c, p->arenas[0].size, 0));
    c.arenas[0].size -= N;
    CHECK(!any_fits(&n, d, &c, c.arenas[0].size, 0));
    net_free(&n);
  }
  CHECK(tried >= 50);
  CHECK(shrunk >= 20);
}

#define TESTS(X)                                                               \
  X(the_tail_is_free_after_the_step)                                           \
  X(without_results_in_place_nothing_shrinks)                                  \
  X(other_planners_know_no_tails)                                              \
  X(an_output_keeps_its_bytes)                                                 \
  X(broken_rules_are_refused)                                                  \
  X(no_placement_is_smaller)

TEST_MAIN(TESTS)
