/* test_rows.c - ordering problems of graphs: which rows a step reads, views,
 * fed inputs, variables, both grains. The models of ../shared have known
 * smallest peaks. */
#include "faulty.h"
#include "loaded.h"
#include "order/rows.h"
#include "pass/pass.h"
#include "plan_net.h"

static ash_order_model must_model(net *n, ash_order_kind grain,
                                  const bool *is_fed) {
  const ash_order_ask ask = {.is_fed = is_fed};
  ash_order_model m;
  CHECK_EQ(ash_order_model_of(n->ctx, &m, n->g, grain, &ask), ASH_OK);
  return m;
}

static ash_order_answer must_order(ash_ctx *ctx, const ash_order_model *m) {
  ash_order_answer a;
  CHECK_EQ(ash_order_best(ctx, &a, &m->problem, NULL), ASH_OK);
  return a;
}

static uint32_t result(net *n, ash_shape shape) {
  const ash_tensor t = {.name = "t",
                        .kind = ASH_TENSOR_ACTIVATION,
                        .type = ASH_INT8,
                        .shape = shape};
  return net_tensor(n, t, 1, 0);
}

static uint32_t image(net *n, int32_t rows) {
  return result(n, NET_DIMS(1, rows, 4, 2));
}

static uint32_t image_input(net *n, int32_t rows) {
  return net_input(n, ASH_INT8, NET_DIMS(1, rows, 4, 2), 1, 0);
}

/* The largest of `filter` rows, `stride` rows apart. */
static uint32_t pool(net *n, uint32_t x, int32_t rows, int32_t filter,
                     int32_t stride, int32_t pad) {
  const uint32_t y = image(n, rows);
  const uint32_t op = net_op(n, ASH_OP_max_pool_2d, NET_IDS(x), y);
  net_int(n, op, "filter_h", filter);
  net_int(n, op, "filter_w", 1);
  net_int(n, op, "stride_h", stride);
  net_int(n, op, "stride_w", 1);
  net_int(n, op, "pad_top", pad);
  net_int(n, op, "pad_bottom", pad);
  return y;
}

static uint32_t reshape(net *n, uint32_t x, ash_shape shape) {
  const uint32_t y = result(n, shape);
  (void)net_op(n, ASH_OP_reshape, NET_IDS(x), y);
  return y;
}

static uint32_t relu_of(net *n, uint32_t x) {
  const uint32_t y = result(n, n->g->tensors.items[x].shape);
  (void)net_op(n, ASH_FN_ROW(relu), NET_IDS(x), y);
  return y;
}

static void check_range(const ash_order_access *a, uint32_t step, uint32_t from,
                        uint32_t to) {
  CHECK_EQ(a->rows[step].from, from);
  CHECK_EQ(a->rows[step].to, to);
}

/* ---- rules ----------------------------------------------------------------
 */

static void a_window_reads_the_rows_under_it(void) {
  net n = net_new();
  const uint32_t x = image_input(&n, 7);
  row_end(&n, pool(&n, x, 4, 3, 2, 1));
  const ash_order_model m = must_model(&n, ASH_ORDER_ROWS, NULL);
  CHECK_EQ(m.problem.op_count, 1);
  CHECK_EQ(m.problem.tensor_count, 2);
  CHECK_EQ(m.problem.tensors[0].rows, 7);
  CHECK_EQ(m.problem.tensors[0].row_bytes, 8);
  CHECK(m.problem.tensors[0].is_present && !m.problem.tensors[0].is_kept);
  CHECK(!m.problem.tensors[1].is_present && m.problem.tensors[1].is_kept);
  const ash_order_op *o = &m.problem.ops[0];
  CHECK_EQ(o->steps, 4);
  CHECK_EQ(o->in_place, 0);
  check_range(o->reads, 0, 0, 2); /* row -1 is padding */
  check_range(o->reads, 1, 1, 4);
  check_range(o->reads, 2, 3, 6);
  check_range(o->reads, 3, 5, 7);
  check_range(o->writes, 3, 3, 4);
  net_free(&n);
}

static void element_wise_results_may_take_the_place_of_a_row(void) {
  net n = net_new();
  const uint32_t x = image_input(&n, 3);
  const uint32_t one = net_input(&n, ASH_INT8, NET_DIMS(1, 1, 1, 2), 1, 0);
  const uint32_t y = image(&n, 3);
  (void)net_op(&n, ASH_FN_ROW(add), NET_IDS(x, one), y);
  row_end(&n, y);
  const ash_order_model m = must_model(&n, ASH_ORDER_ROWS, NULL);
  const ash_order_op *o = &m.problem.ops[0];
  CHECK_EQ(o->steps, 3);
  CHECK_EQ(o->in_place, 1); /* the broadcast operand is too small */
  check_range(&o->reads[0], 2, 2, 3);
  check_range(&o->reads[1], 2, 0, 1); /* read by every row */
  CHECK_EQ(must_order(n.ctx, &m).peak, 3 * 8 + 2);
  net_free(&n);
}

static void an_operator_without_rows_is_one_step(void) {
  net n = net_new();
  const uint32_t x = image_input(&n, 5), y = result(&n, NET_DIMS(1, 1, 1, 2));
  const uint32_t op = net_op(&n, ASH_OP_average_pool_2d, NET_IDS(x), y);
  net_int(&n, op, "filter_h", 5);
  net_int(&n, op, "filter_w", 4);
  row_end(&n, y);
  const ash_order_model m = must_model(&n, ASH_ORDER_ROWS, NULL);
  CHECK_EQ(m.problem.ops[0].steps, 1);
  check_range(m.problem.ops[0].reads, 0, 0, 5);
  net_free(&n);
}

/* One input after the other: no row of the second before the first ends. */
static void a_concatenation_reads_the_part_that_it_copies(void) {
  net n = net_new();
  const uint32_t a = image_input(&n, 2), b = image_input(&n, 3);
  const uint32_t y = image(&n, 5);
  const uint32_t op = net_op(&n, ASH_OP_concatenation, NET_IDS(a, b), y);
  net_int(&n, op, "axis", 1);
  row_end(&n, y);
  const ash_order_model m = must_model(&n, ASH_ORDER_ROWS, NULL);
  const ash_order_op *o = &m.problem.ops[0];
  CHECK_EQ(o->steps, 5);
  check_range(&o->reads[0], 1, 1, 2);
  check_range(&o->reads[0], 2, 2, 2);
  check_range(&o->reads[1], 1, 0, 0);
  check_range(&o->reads[1], 4, 2, 3);
  CHECK_EQ(must_order(n.ctx, &m).verdict, ASH_OPTIMAL);
  net_free(&n);
}

/* ---- views ----------------------------------------------------------------
 */

static void views_are_read_where_they_lie(void) {
  net n = net_new();
  const uint32_t x = image_input(&n, 3), a = relu_of(&n, x);
  const uint32_t b = relu_of(&n, reshape(&n, a, NET_DIMS(3, 8)));
  row_end(&n, relu_of(&n, reshape(&n, b, NET_DIMS(1, 24))));
  const ash_order_model m = must_model(&n, ASH_ORDER_ROWS, NULL);
  CHECK_EQ(m.problem.op_count, 3);
  CHECK_EQ(m.problem.tensor_count, 4);
  CHECK_EQ(m.op_of[1], 2); /* the reshape has no step */
  CHECK_EQ(m.problem.ops[1].steps, 3);
  check_range(m.problem.ops[1].reads, 1, 1, 2); /* the same rows */
  CHECK_EQ(m.problem.ops[2].steps, 1);
  check_range(m.problem.ops[2].reads, 0, 0, 3); /* no rows of its own */
  CHECK_EQ(must_order(n.ctx, &m).peak, 48);     /* nor the result's rows */
  net_free(&n);
}

/* What is kept is kept, whoever shows it. */
static void a_view_that_is_an_output_keeps_its_bytes(void) {
  net n = net_new();
  const uint32_t x = image_input(&n, 2), a = relu_of(&n, x);
  row_end(&n, reshape(&n, a, NET_DIMS(1, 16)));
  const ash_order_model m = must_model(&n, ASH_ORDER_ROWS, NULL);
  CHECK_EQ(m.problem.op_count, 1);
  CHECK(m.problem.tensors[1].is_kept);
  net_free(&n);
}

/* ---- inputs and variables -------------------------------------------------
 */

static void rows_are_fed_when_they_are_needed(void) {
  net n = net_new();
  const bool fed[] = {true};
  const uint32_t x = image_input(&n, 6); /* the last row is not read */
  row_end(&n, pool(&n, x, 2, 3, 2, 0));
  const ash_order_model m = must_model(&n, ASH_ORDER_ROWS, fed);
  CHECK_EQ(m.problem.op_count, 2);
  CHECK_EQ(m.op_of[0], ASH_NO_ID);
  CHECK_EQ(m.problem.ops[0].steps, 5);
  CHECK_EQ(m.problem.ops[0].read_count, 0);
  CHECK(!m.problem.tensors[0].is_present);
  const ash_order_answer a = must_order(n.ctx, &m);
  CHECK_EQ(a.peak, 5 * 8); /* three rows and the result's two */
  CHECK_EQ(a.run_count, 4);
  CHECK_EQ(a.runs[0].count, 3);
  CHECK_EQ(a.runs[2].count, 2);
  net_free(&n);
}

static void users_of_a_variable_keep_their_order(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 16), state = row_variable(&n, 16);
  const uint32_t old = row_read(&n, state);
  const uint32_t y = row_add(&n, x, old);
  row_assign(&n, state, x);
  row_end(&n, y);
  for (int grain = 0; grain < 2; grain++) {
    const ash_order_model m =
        must_model(&n, grain ? ASH_ORDER_ROWS : ASH_ORDER_OPERATORS, NULL);
    const ash_order_answer a = must_order(n.ctx, &m);
    uint32_t at[3];
    CHECK_EQ(m.problem.op_count, 3);
    for (uint32_t i = 0; i < 3; i++)
      at[m.op_of[a.runs[i].op]] = i;
    CHECK(at[0] < at[2]); /* read before it is assigned */
  }
  net_free(&n);
}

/* ---- whole operators ------------------------------------------------------
 */

/* Two branches that grow and shrink: one after the other is better than the
 * file's order, side by side. */
static void whole_operators_find_a_better_order_than_the_files(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 16);
  uint32_t wide[2], narrow[2];
  for (int i = 0; i < 2; i++)
    wide[i] = row_concat(&n, row_concat(&n, x, x), row_concat(&n, x, x));
  for (int i = 0; i < 2; i++)
    narrow[i] = row_slice(&n, wide[i], 1, 4);
  row_end(&n, row_add(&n, narrow[0], narrow[1]));
  const ash_order_model m = must_model(&n, ASH_ORDER_OPERATORS, NULL);
  ash_order_run file[16];
  ash_order_load load;
  for (uint32_t i = 0; i < m.problem.op_count; i++) {
    CHECK_EQ(m.problem.ops[i].steps, 1);
    file[i] = (ash_order_run){i, 0, 1};
  }
  CHECK(!ash_order_count(n.ctx, &load, &m.problem, file, m.problem.op_count));
  const ash_order_answer a = must_order(n.ctx, &m);
  CHECK_EQ(a.verdict, ASH_OPTIMAL);
  CHECK(a.peak < load.peak);
  net_free(&n);
}

static void memory_that_runs_out_is_reported(void) {
  for (size_t fail_at = 1;; fail_at++) {
    net n = net_new();
    const uint32_t x = image_input(&n, 7);
    row_end(&n, relu_of(&n, pool(&n, x, 4, 3, 2, 1)));
    faulty f = {.fail_at = fail_at};
    const ash_allocator mem = faulty_allocator(&f);
    ash_ctx *ctx;
    ash_order_model m;
    if (ash_ctx_new(&ctx, &mem) != ASH_OK) {
      net_free(&n);
      continue;
    }
    const ash_status status =
        ash_order_model_of(ctx, &m, n.g, ASH_ORDER_ROWS, NULL);
    ash_ctx_free(ctx);
    net_free(&n);
    CHECK_EQ(f.live_bytes, 0);
    CHECK(status == ASH_OK || status == ASH_NOMEM);
    if (status == ASH_OK && f.calls < fail_at)
      return;
  }
}

/* ---- models ---------------------------------------------------------------
 */

/* Smallest peaks in bytes of activations, proved; the input there from the
 * start, and fed. */
static const struct {
  const char *path;
  uint64_t resident, fed; /* 0: not proved */
} known[] = {
    {"tiny/ic_resnet8_int8", 10944, 10944},
    {"tiny/vww_96_int8", 28032, 9888},
    {"tiny/kws_ref_model_int8", 8640, 8640},
    {"tflite-micro/person_detect", 12288, 9696},
    {"test_data/mobilenet_v1_0.25_128_quant", 49664, 14720},
    {"tinyengine/mcunet_vww1_int8", 20880, 13440},
    {"test_data/tf2_mobilenet_v2_1.0_224_ptq", 189952, 0},
    {"TinyMaix/cifar10_q", 5088, 4384},
    {"mltk/fingerprint_signature_generator", 33268, 29280},
};

/* The caller gives int8: an operator that makes it from floats is left out, and
 * so is one that makes floats of the result. */
static void drop_floats(ash_graph *g) {
  ash_tensor *tensors = g->tensors.items;
  ash_op *first = g->ops.items, *last = &g->ops.items[g->op_count - 1];
  if (last->kind == ASH_OP_dequantize) {
    tensors[last->outputs[0]].is_output = false;
    tensors[last->outputs[0]].kind = ASH_TENSOR_CONSTANT;
    g->outputs[0] = last->inputs[0];
    tensors[last->inputs[0]].is_output = true;
    g->op_count--;
  }
  if (first->kind == ASH_OP_quantize) {
    tensors[first->inputs[0]].kind = ASH_TENSOR_CONSTANT;
    g->inputs[0] = first->outputs[0];
    tensors[first->outputs[0]].kind = ASH_TENSOR_INPUT;
    g->op_count--;
    memmove(first, first + 1, g->op_count * sizeof *first);
  }
}

/* Ticks are counted because clocks are not the same everywhere: five million
 * take less than half a second. */
static void check_peak(loaded *l, const bool *is_fed, uint64_t want) {
  const ash_order_ask ask = {.is_fed = is_fed};
  ash_order_model m;
  CHECK_EQ(ash_order_model_of(l->ctx, &m, l->g, ASH_ORDER_ROWS, &ask), ASH_OK);
  const ash_order_answer a = must_order(l->ctx, &m);
  CHECK_EQ(a.verdict, ASH_OPTIMAL);
  CHECK_EQ(a.peak, want);
  CHECK(a.ticks < 5000000);
}

static void models_have_their_known_smallest_peaks(void) {
  static const bool fed[] = {true};
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/models/%s.tflite", shared_data(),
                   known[i].path);
    loaded l = loaded_from(path);
    CHECK_EQ(l.status, ASH_OK);
    CHECK_EQ(ash_pass_run(l.ctx, l.g), ASH_OK);
    drop_floats(l.g);
    check_peak(&l, NULL, known[i].resident);
    if (known[i].fed)
      check_peak(&l, fed, known[i].fed);
    loaded_drop(&l);
  }
}

/* A network with branches in which valleys lie in valleys: what one leaves must
 * be searched when another leads back to it. */
static void valleys_in_valleys_lose_no_order(void) {
  static const uint32_t off[] = {0, ASH_ORDER_VALLEYS,
                                 ASH_ORDER_VALLEYS | ASH_ORDER_FREE_MOVES};
  loaded l = loaded_from(TEST_SOURCE_DIR "/examples/digits/digits.tflite");
  ash_order_model m;
  const ash_order_ask ask = {0};
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_pass_run(l.ctx, l.g), ASH_OK);
  CHECK_EQ(ash_order_model_of(l.ctx, &m, l.g, ASH_ORDER_ROWS, &ask), ASH_OK);
  for (size_t i = 0; i < ASH_COUNT_OF(off); i++) {
    const ash_order_options options = {.ticks = 200000000, .off = off[i]};
    ash_order_answer a;
    CHECK_EQ(ash_order_best(l.ctx, &a, &m.problem, &options), ASH_OK);
    CHECK_EQ(a.verdict, ASH_OPTIMAL);
    CHECK_EQ(a.peak, 784);
  }
  loaded_drop(&l);
}

/* In three quarters of the default effort; the proof takes 97 million ticks. */
static void the_best_order_of_a_large_fed_model_is_found(void) {
  static const bool fed[] = {true};
  const ash_order_ask ask = {.is_fed = fed};
  const ash_order_options options = {.ticks = 24000000};
  char path[512];
  (void)snprintf(path, sizeof path,
                 "%s/models/test_data/tf2_mobilenet_v2_1.0_224_ptq.tflite",
                 shared_data());
  loaded l = loaded_from(path);
  ash_order_model m;
  ash_order_answer a;
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_pass_run(l.ctx, l.g), ASH_OK);
  CHECK_EQ(ash_order_model_of(l.ctx, &m, l.g, ASH_ORDER_ROWS, &ask), ASH_OK);
  CHECK_EQ(ash_order_best(l.ctx, &a, &m.problem, &options), ASH_OK);
  CHECK_EQ(a.peak, 93856);
  CHECK(a.bound > 80000);
  loaded_drop(&l);
}

/* Where the search gives up at every cap, cuts help: demand alone needs
 * 1,749,888 bytes. */
static void cuts_lower_the_peak_of_a_large_network(void) {
  char path[512];
  (void)snprintf(path, sizeof path, "%s/models/onnx/light_densenet121.onnx",
                 shared_data());
  loaded l = loaded_from(path);
  const ash_order_ask ask = {0};
  ash_order_model m;
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_pass_run(l.ctx, l.g), ASH_OK);
  CHECK_EQ(ash_order_model_of(l.ctx, &m, l.g, ASH_ORDER_ROWS, &ask), ASH_OK);
  const ash_order_answer a = must_order(l.ctx, &m);
  CHECK(a.peak <= 1248128);
  CHECK(a.bound <= a.peak);
  loaded_drop(&l);
}

#define TESTS(X)                                                               \
  X(a_window_reads_the_rows_under_it)                                          \
  X(element_wise_results_may_take_the_place_of_a_row)                          \
  X(an_operator_without_rows_is_one_step)                                      \
  X(a_concatenation_reads_the_part_that_it_copies)                             \
  X(views_are_read_where_they_lie)                                             \
  X(a_view_that_is_an_output_keeps_its_bytes)                                  \
  X(rows_are_fed_when_they_are_needed)                                         \
  X(users_of_a_variable_keep_their_order)                                      \
  X(whole_operators_find_a_better_order_than_the_files)                        \
  X(memory_that_runs_out_is_reported)                                          \
  X(valleys_in_valleys_lose_no_order)                                          \
  X(the_best_order_of_a_large_fed_model_is_found)                              \
  X(cuts_lower_the_peak_of_a_large_network)                                    \
  X(models_have_their_known_smallest_peaks)
TEST_MAIN(TESTS)
