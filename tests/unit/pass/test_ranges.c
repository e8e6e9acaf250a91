/* test_ranges.c - interval analysis is sound: in random graphs of functions,
 * layers and folds on random integers, every value that the interpreter
 * computes lies within its range; and what the passes `narrow` and `requant`
 * make of such a graph gives the same results. */
#include "check.h"

#include "ashlar/plan.h"
#include "base/rng.h"
#include "net.h"
#include "op/verify.h"
#include "pass/narrow/ranges.h"
#include "pass/pass.h"
#include "run_net.h"

#include <math.h>

enum { SIDE = 3, CHANNELS = 2, GRAPHS = 400, STEPS = 12, POOL = 64, RUNS = 3 };

static ash_rng rng;

static int32_t pick(int32_t low, int32_t high) {
  return low + (int32_t)ash_rng_below(&rng, (uint64_t)(high - low + 1));
}

/* Tensors of one shape, from which the next operator takes its operands. */
typedef struct maker {
  net n;
  uint32_t pool[POOL];
  uint32_t count;
} maker;

static ash_shape full(void) {
  return NET_DIMS(1, SIDE, SIDE, CHANNELS);
}

static uint32_t new_tensor(maker *m, ash_type type, ash_shape shape) {
  const ash_tensor t = {
      .name = "t", .kind = ASH_TENSOR_ACTIVATION, .type = type, .shape = shape};
  return net_tensor(&m->n, t, 0, 0);
}

static ash_type type_of(const maker *m, uint32_t t) {
  return m->n.g->tensors.items[t].type;
}

/* One of the pool with that type; ASH_NO_ID if there is none. */
static uint32_t any_of(const maker *m, ash_type type) {
  uint32_t from = (uint32_t)pick(0, (int32_t)m->count - 1);
  for (uint32_t i = 0; i < m->count; i++) {
    const uint32_t t = m->pool[(from + i) % m->count];
    if (type_of(m, t) == type)
      return t;
  }
  return ASH_NO_ID;
}

static uint32_t number(maker *m, ash_type type, int64_t value) {
  const float real = (float)value;
  const int32_t word = (int32_t)value;
  const void *data = type == ASH_FLOAT32 ? (const void *)&real
                     : type == ASH_INT64 ? (const void *)&value
                                         : (const void *)&word;
  return net_constant(&m->n, type, NET_SCALAR, data, 0, 0);
}

static uint32_t numbers(maker *m, ash_shape shape, int32_t most) {
  float data[256];
  for (uint64_t i = 0; i < ash_shape_elements(&shape); i++)
    data[i] = (float)pick(-most, most);
  return net_constant(&m->n, ASH_FLOAT32, shape, data, 0, 0);
}

static uint32_t add_map(maker *m, const char *fn, net_ids in, ash_type type) {
  const uint32_t y = new_tensor(m, type, full());
  const uint32_t op = net_op(&m->n, ASH_OP_map, in, y);
  net_string(&m->n, op, "fn", fn);
  return y;
}

/* ---- steps --------------------------------------------------------------- */

static ash_type some_type(void) {
  static const ash_type types[] = {ASH_FLOAT32, ASH_INT64, ASH_INT32};
  return types[pick(0, 2)];
}

static uint32_t make_pair(maker *m) {
  static const char *const both[] = {"add", "sub", "mul", "minimum", "maximum"};
  static const char *const whole[] = {"div",    "shift_right", "bit_and",
                                      "bit_or", "bit_xor",     "shift_left"};
  const ash_type type = some_type();
  const uint32_t a = any_of(m, type);
  const bool integer = type != ASH_FLOAT32 && pick(0, 1);
  const char *fn = integer ? whole[pick(0, 5)] : both[pick(0, 4)];
  const bool shifts = strncmp(fn, "shift", 5) == 0;
  const uint32_t b = shifts || pick(0, 1)
                         ? number(m, type, shifts ? pick(0, 5) : pick(-9, 9))
                         : any_of(m, type);
  return a == ASH_NO_ID ? a : add_map(m, fn, NET_IDS(a, b), type);
}

static uint32_t make_one(maker *m) {
  static const char *const names[] = {"neg",   "abs",  "sign",
                                      "floor", "ceil", "round"};
  const ash_type type = some_type();
  const uint32_t a = any_of(m, type);
  if (a == ASH_NO_ID)
    return a;
  if (type == ASH_INT64 && pick(0, 1))
    return add_map(m, "integer_sqrt", NET_IDS(a), type);
  return add_map(m, names[pick(0, 5)], NET_IDS(a), type);
}

static uint32_t make_cast(maker *m) {
  static const ash_type to[] = {ASH_FLOAT32, ASH_INT64, ASH_INT32, ASH_INT8};
  const uint32_t a = any_of(m, some_type());
  if (a == ASH_NO_ID)
    return a;
  const ash_type type = to[pick(0, 3)];
  const uint32_t y = add_map(m, "cast", NET_IDS(a), type);
  return type == ASH_INT8 ? add_map(m, "cast", NET_IDS(y), some_type()) : y;
}

static uint32_t make_choice(maker *m) {
  const ash_type type = some_type();
  const uint32_t a = any_of(m, type), b = any_of(m, type);
  if (a == ASH_NO_ID)
    return a;
  const uint32_t c =
      add_map(m, pick(0, 1) ? "less" : "equal", NET_IDS(a, b), ASH_BOOL);
  return add_map(m, "select", NET_IDS(c, a, number(m, type, pick(-9, 9))),
                 type);
}

static uint32_t make_named(maker *m) {
  static const ash_op_kind kinds[] = {ASH_FN_ROW(add), ASH_FN_ROW(sub),
                                      ASH_FN_ROW(mul), ASH_FN_ROW(minimum),
                                      ASH_FN_ROW(maximum)};
  const uint32_t a = any_of(m, ASH_FLOAT32);
  if (a == ASH_NO_ID)
    return a;
  const uint32_t y = new_tensor(m, ASH_FLOAT32, full());
  if (pick(0, 3) == 0)
    (void)net_op(&m->n, ASH_FN_ROW(relu), NET_IDS(a), y);
  else
    (void)net_op(&m->n, kinds[pick(0, 4)], NET_IDS(a, any_of(m, ASH_FLOAT32)),
                 y);
  return y;
}

static uint32_t make_layer(maker *m) {
  const uint32_t x = any_of(m, ASH_FLOAT32);
  const bool deep = pick(0, 1), large = pick(0, 1);
  const int32_t k = large ? 3 : 1;
  if (x == ASH_NO_ID)
    return x;
  const uint32_t w = numbers(m,
                             deep ? NET_DIMS(1, k, k, CHANNELS)
                                  : NET_DIMS(CHANNELS, k, k, CHANNELS),
                             9);
  const uint32_t y = new_tensor(m, ASH_FLOAT32, full());
  const uint32_t op = net_op(
      &m->n, deep ? ASH_OP_depthwise_conv_2d : ASH_OP_conv_2d,
      pick(0, 1) ? NET_IDS(x, w) : NET_IDS(x, w, numbers(m, NET_DIMS(2), 99)),
      y);
  if (pick(0, 1))
    net_string(&m->n, op, "act", pick(0, 1) ? "relu" : "relu6");
  static const char *const pads[] = {"pad_top", "pad_left", "pad_bottom",
                                     "pad_right"};
  for (uint32_t i = 0; large && i < 4; i++)
    net_int(&m->n, op, pads[i], 1);
  return y;
}

static uint32_t make_dense(maker *m) {
  const uint32_t x = any_of(m, ASH_FLOAT32);
  const bool matmul = pick(0, 1);
  if (x == ASH_NO_ID)
    return x;
  const uint32_t w = numbers(m, NET_DIMS(CHANNELS, CHANNELS), 9);
  const uint32_t y = new_tensor(m, ASH_FLOAT32, full());
  const uint32_t op = net_op(
      &m->n, matmul ? ASH_OP_matmul : ASH_OP_fully_connected, NET_IDS(x, w), y);
  if (!matmul)
    net_int(&m->n, op, "keep_num_dims", 1);
  else if (pick(0, 1))
    net_int(&m->n, op, "transpose_b", 1);
  return y;
}

/* Folded along the last axis, and spread again. */
static uint32_t make_fold(maker *m) {
  static const char *const names[] = {"sum", "max", "min", "sum_abs",
                                      "sum_square"};
  static const int64_t last[] = {3};
  const ash_type type = some_type();
  const uint32_t x = any_of(m, type);
  if (x == ASH_NO_ID)
    return x;
  const uint32_t f = new_tensor(m, type, NET_DIMS(1, SIDE, SIDE, 1));
  const uint32_t op = net_op(&m->n, ASH_OP_reduce, NET_IDS(x), f);
  net_string(&m->n, op, "fn", names[pick(0, 4)]);
  net_int(&m->n, op, "keep_dims", 1);
  net_ints(&m->n, op, "axes", last, 1);
  return add_map(m, pick(0, 1) ? "sub" : "add", NET_IDS(x, f), type);
}

/* Differences from the extremes, shares of a sum, squares. */
static uint32_t make_related(maker *m) {
  static const int64_t last[] = {3};
  const ash_type type = some_type();
  const uint32_t x = any_of(m, type);
  if (x == ASH_NO_ID)
    return x;
  if (pick(0, 2) == 0)
    return add_map(m, "mul", NET_IDS(x, x), type);
  const bool share = type != ASH_FLOAT32 && pick(0, 1);
  const uint32_t e = share ? add_map(m, "abs", NET_IDS(x), type) : x;
  const uint32_t f = new_tensor(m, type, NET_DIMS(1, SIDE, SIDE, 1));
  const uint32_t op = net_op(&m->n, ASH_OP_reduce, NET_IDS(e), f);
  net_string(&m->n, op, "fn", share ? "sum" : pick(0, 1) ? "max" : "min");
  net_int(&m->n, op, "keep_dims", 1);
  net_ints(&m->n, op, "axes", last, 1);
  if (!share)
    return add_map(m, "sub", pick(0, 1) ? NET_IDS(x, f) : NET_IDS(f, x), type);
  const uint32_t p =
      add_map(m, "mul", NET_IDS(e, number(m, type, pick(0, 255))), type);
  return add_map(m, "div", NET_IDS(pick(0, 1) ? p : e, f), type);
}

static uint32_t make_pool(maker *m) {
  const uint32_t x = any_of(m, ASH_FLOAT32);
  if (x == ASH_NO_ID)
    return x;
  const uint32_t y = new_tensor(m, ASH_FLOAT32, full());
  const uint32_t op = net_op(&m->n, ASH_OP_max_pool_2d, NET_IDS(x), y);
  static const char *const names[] = {"filter_h", "filter_w"};
  static const char *const pads[] = {"pad_top", "pad_left", "pad_bottom",
                                     "pad_right"};
  for (uint32_t i = 0; i < 2; i++)
    net_int(&m->n, op, names[i], 3);
  for (uint32_t i = 0; i < 4; i++)
    net_int(&m->n, op, pads[i], 1);
  return y;
}

static uint32_t make_requant(maker *m) {
  const uint32_t x = any_of(m, ASH_INT64);
  uint32_t y;
  if (x == ASH_NO_ID)
    return x;
  y = add_map(m, "mul", NET_IDS(x, number(m, ASH_INT64, pick(1, 99))),
              ASH_INT64);
  y = add_map(m, "add", NET_IDS(y, number(m, ASH_INT64, pick(0, 99))),
              ASH_INT64);
  y = add_map(m, "shift_right", NET_IDS(y, number(m, ASH_INT64, pick(0, 6))),
              ASH_INT64);
  const uint32_t low = number(m, ASH_INT64, pick(0, 1) ? -128 : 0);
  return add_map(m, "clip", NET_IDS(y, low, number(m, ASH_INT64, 127)),
                 ASH_INT64);
}

/* ---- the proof ----------------------------------------------------------- */

static double value_at(const ash_tensor *t, const void *data, uint64_t i) {
  switch (t->type) {
  case ASH_FLOAT32:
    return (double)((const float *)data)[i];
  case ASH_INT8:
    return ((const int8_t *)data)[i];
  case ASH_UINT8:
  case ASH_BOOL:
    return ((const uint8_t *)data)[i];
  case ASH_INT16:
    return ((const int16_t *)data)[i];
  case ASH_INT32:
    return ((const int32_t *)data)[i];
  default:
    return (double)((const int64_t *)data)[i];
  }
}

static void within(void *user, const ash_graph *g, uint32_t op,
                   const void *const *outputs) {
  const ash_range *ranges = user;
  const uint32_t t = g->ops.items[op].outputs[0];
  const ash_tensor *y = &g->tensors.items[t];
  for (uint64_t i = 0; ranges[t].known && i < ash_shape_elements(&y->shape);
       i++) {
    const double v = value_at(y, outputs[0], i);
    CHECK(v == floor(v));
    CHECK(v >= (double)ranges[t].low && v <= (double)ranges[t].high);
  }
}

/* Floats beyond 2^24 would be rounded: those are not taken on. */
static bool is_exact(maker *m, uint32_t t) {
  ash_range *r;
  const ash_mark mark = ash_zone_mark(&m->n.ctx->scratch);
  CHECK_EQ(ash_ranges_of(m->n.ctx, &r, m->n.g), ASH_OK);
  const bool exact =
      type_of(m, t) != ASH_FLOAT32 ||
      (r[t].known && r[t].low > -(1 << 24) && r[t].high < 1 << 24);
  ash_zone_rewind(&m->n.ctx->scratch, mark);
  return exact;
}

static maker make_graph(void) {
  static uint32_t (*const steps[])(maker *) = {
      make_pair,  make_pair,    make_one,     make_cast,   make_cast,
      make_named, make_layer,   make_dense,   make_fold,   make_choice,
      make_pool,  make_requant, make_related, make_related};
  maker m = {.n = net_new()};
  const uint32_t x = net_input(&m.n, ASH_INT8, full(), 0, 0);
  m.pool[m.count++] = add_map(&m, "cast", NET_IDS(x), ASH_FLOAT32);
  m.pool[m.count++] = add_map(&m, "cast", NET_IDS(x), ASH_INT64);
  for (int i = 0; i < STEPS; i++) {
    const size_t ops = m.n.g->op_count;
    const uint32_t y = steps[pick(0, (int32_t)ASH_COUNT_OF(steps) - 1)](&m);
    if (y == ASH_NO_ID)
      continue;
    bool exact = true;
    for (size_t k = ops; k < m.n.g->op_count; k++)
      exact = exact && is_exact(&m, m.n.g->ops.items[k].outputs[0]);
    if (exact)
      m.pool[m.count++] = y;
    else
      m.n.g->op_count = ops;
  }
  const uint32_t y = m.pool[m.count - 1];
  CHECK_EQ(ash_graph_set_outputs(m.n.g, &y, 1), ASH_OK);
  CHECK_EQ(ash_pass_dead_code(m.n.ctx, m.n.g), ASH_OK);
  return m;
}

static void fill(int8_t *x, size_t count, int round) {
  for (size_t i = 0; i < count; i++)
    x[i] = (int8_t)(round == 0   ? pick(-128, 127)
                    : round == 1 ? (pick(0, 1) ? -128 : 127)
                                 : pick(-3, 3));
}

static void values_lie_within_their_ranges(void) {
  rng = (ash_rng){11};
  for (int i = 0; i < GRAPHS; i++) {
    maker m = make_graph();
    ash_range *ranges;
    CHECK_EQ(ash_op_verify(m.n.ctx, m.n.g), ASH_OK);
    CHECK_EQ(ash_ranges_of(m.n.ctx, &ranges, m.n.g), ASH_OK);
    const ash_ref_watch watch = {.after = within, .user = ranges};
    for (int round = 0; round < RUNS; round++) {
      int8_t x[SIDE * SIDE * CHANNELS];
      uint64_t y[SIDE * SIDE * CHANNELS];
      fill(x, sizeof x, round);
      const void *in[] = {x};
      void *out[] = {y};
      CHECK_EQ(ash_ref_run_watched(m.n.ctx, m.n.g, in, out, &watch), ASH_OK);
    }
    net_free(&m.n);
  }
}

static void passes_change_no_result(void) {
  int8_t x[RUNS][SIDE * SIDE * CHANNELS];
  uint64_t before[RUNS][SIDE * SIDE * CHANNELS] = {{0}};
  uint64_t after[RUNS][SIDE * SIDE * CHANNELS] = {{0}};
  rng = (ash_rng){12};
  for (int i = 0; i < GRAPHS; i++) {
    maker m = make_graph();
    for (int round = 0; round < RUNS; round++) {
      fill(x[round], sizeof x[round], round);
      net_run(&m.n, x[round], NULL, before[round]);
    }
    CHECK_EQ(ash_pass_narrow(m.n.ctx, m.n.g), ASH_OK);
    CHECK_EQ(ash_pass_requant(m.n.ctx, m.n.g), ASH_OK);
    for (int round = 0; round < RUNS; round++) {
      net_run(&m.n, x[round], NULL, after[round]);
      const ash_tensor *t = &m.n.g->tensors.items[m.n.g->outputs[0]];
      for (uint64_t k = 0; k < ash_shape_elements(&t->shape); k++)
        CHECK(value_at(t, before[round], k) == value_at(t, after[round], k));
    }
    net_free(&m.n);
  }
}

/* ---- single rules -------------------------------------------------------- */

static void gives(ash_fn fn, ash_range a, ash_range b, ash_range c,
                  ash_range want) {
  const ash_range o[] = {a, b, c};
  const ash_range got = ash_range_apply(fn, o);
  CHECK_EQ(got.known, want.known);
  if (want.known) {
    CHECK_EQ(got.low, want.low);
    CHECK_EQ(got.high, want.high);
  }
}

#define R(low, high) ((ash_range){true, (low), (high)})

static void functions_of_ranges_are_tight(void) {
  const ash_range none = {false, 0, 0};
  gives(ASH_FN_mul, R(-2, 3), R(-5, 4), none, R(-15, 12));
  gives(ASH_FN_div, R(-7, 9), R(2, 3), none, R(-3, 4));
  gives(ASH_FN_div, R(-7, 9), R(0, 3), none, R(-7, 9));
  gives(ASH_FN_div, R(5, 9), R(-1, 3), none, R(-9, 9));
  gives(ASH_FN_abs, R(-7, 3), none, none, R(0, 7));
  gives(ASH_FN_abs, R(-7, -3), none, none, R(3, 7));
  gives(ASH_FN_clip, R(-700, 300), R(-128, -128), R(127, 127), R(-128, 127));
  gives(ASH_FN_clip, R(1, 2), R(5, 5), R(3, 3), R(1, 5));
  gives(ASH_FN_shift_right, R(-9, 9), R(1, 2), none, R(-5, 4));
  gives(ASH_FN_integer_sqrt, R(-4, 99), none, none, R(0, 9));
  gives(ASH_FN_mul, R(INT64_MIN, 0), R(2, 2), none, none);
  gives(ASH_FN_add, R(INT64_MIN, INT64_MAX), R(1, 1), none, none);
  gives(ASH_FN_exp, R(0, 1), none, none, none);
}

static void the_smallest_type_is_taken(void) {
  const ash_range r[] = {R(-128, 127), R(0, 255), R(-1, 255), R(0, 32768),
                         R(0, (int64_t)1 << 31)};
  const ash_type want[] = {ASH_INT8, ASH_UINT8, ASH_INT16, ASH_INT32, ASH_NONE};
  for (size_t i = 0; i < ASH_COUNT_OF(r); i++)
    CHECK_EQ(ash_range_type(&r[i]), want[i]);
}

static void windows_over_the_edge_have_fewer_taps(void) {
  maker m = {.n = net_new()};
  ash_range *r;
  const float ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const uint32_t x =
      net_input(&m.n, ASH_INT64, NET_DIMS(1, SIDE, SIDE, 1), 0, 0);
  const uint32_t w =
      net_constant(&m.n, ASH_FLOAT32, NET_DIMS(1, 3, 3, 1), ones, 0, 0);
  const uint32_t c = new_tensor(&m, ASH_INT64, NET_DIMS(1, SIDE, SIDE, 1));
  const uint32_t f = new_tensor(&m, ASH_FLOAT32, NET_DIMS(1, SIDE, SIDE, 1));
  const uint32_t y = new_tensor(&m, ASH_FLOAT32, NET_DIMS(1, 5, 5, 1));
  uint32_t op = net_op(
      &m.n, ASH_OP_map,
      NET_IDS(x, number(&m, ASH_INT64, 5), number(&m, ASH_INT64, 10)), c);
  net_string(&m.n, op, "fn", "clip");
  op = net_op(&m.n, ASH_OP_map, NET_IDS(c), f);
  net_string(&m.n, op, "fn", "cast");
  op = net_op(&m.n, ASH_OP_conv_2d, NET_IDS(f, w), y);
  net_int(&m.n, op, "pad_top", 2);
  CHECK_EQ(ash_ranges_of(m.n.ctx, &r, m.n.g), ASH_OK);
  CHECK(r[f].known && r[f].low == 5 && r[f].high == 10);
  CHECK(r[y].known && r[y].low == 0 && r[y].high == 90);
  net_free(&m.n);
}

/* Pieces of a result with smaller elements lie over other pieces' input. */
static void narrower_results_do_not_replace_inputs_that_are_cut(void) {
  for (int i = 0; i < 2; i++) {
    net n = net_new();
    const ash_tile_space *space;
    const char *why;
    const uint32_t x = net_input(&n, ASH_INT32, full(), 0, 0);
    const uint32_t y = net_result(&n, i ? ASH_INT8 : ASH_INT32, full(), 0, 0);
    const uint32_t op = net_op(&n, ASH_OP_map, NET_IDS(x), y);
    net_string(&n, op, "fn", "neg");
    CHECK_EQ(ash_tile_space_of(n.ctx, &space, &why, n.g, op), ASH_OK);
    const ash_tiling t = {.space = space};
    CHECK_EQ(ash_tiling_in_place(n.g, &t, 0), i == 0);
    net_free(&n);
  }
}

#define TESTS(X)                                                               \
  X(functions_of_ranges_are_tight)                                             \
  X(the_smallest_type_is_taken)                                                \
  X(windows_over_the_edge_have_fewer_taps)                                     \
  X(values_lie_within_their_ranges)                                            \
  X(passes_change_no_result)                                                   \
  X(narrower_results_do_not_replace_inputs_that_are_cut)
TEST_MAIN(TESTS)
