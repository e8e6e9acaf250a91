/* test_rows.c - plans of rows: every read finds the bytes of its row, arenas
 * have their known sizes. */
#include "ashlar/compile.h"
#include "loaded.h"
#include "pass/pass.h"
#include "plan_net.h"

#include "base/checked.h"

/* ---- memory, byte by byte ------------------------------------------------ */

/* What a byte of the arena holds. */
typedef struct cell {
  uint32_t tensor; /* ASH_NO_ID: nothing of use */
  uint64_t at;     /* which byte of it          */
} cell;

typedef struct sim {
  const ash_plan *p;
  const ash_graph *g;
  const ash_device *device;
  cell *cells;
  uint64_t size;
} sim;

static uint32_t rows_of(const ash_tensor *t) {
  uint32_t d = 0;
  while (d < t->shape.rank && t->shape.dim[d] == 1)
    d++;
  return d + 1 < t->shape.rank ? (uint32_t)t->shape.dim[d] : 1;
}

/* Whose bytes a view shows. */
static uint32_t shown(const sim *s, uint32_t tensor) {
  for (uint32_t i = 0; i < s->p->steps.count; i++) {
    const ash_step *step = &s->p->steps.items[i];
    for (uint32_t k = 0; k < step->op_count; k++)
      if (s->g->ops.items[step->ops[k]].outputs[0] == tensor)
        return tensor;
  }
  for (uint32_t op = 0; op < s->g->op_count; op++)
    if (s->g->ops.items[op].outputs[0] == tensor)
      return shown(s, s->g->ops.items[op].inputs[0]);
  return tensor;
}

/* The slot that holds a row at a step. */
static const ash_slot *slot_at(const sim *s, uint32_t tensor, uint32_t row,
                               uint32_t step) {
  for (uint32_t i = 0; i < s->p->slot_count; i++) {
    const ash_slot *x = &s->p->slots[i];
    if (x->tensor == tensor && (!x->has_row || x->row == row) &&
        x->life.first_step <= step && step < x->life.end_step)
      return x;
  }
  CHECK(false && "a row has no place");
  return NULL;
}

static bool is_activation(const sim *s, uint32_t tensor) {
  if (tensor == ASH_NO_ID)
    return false;
  const ash_tensor_kind kind = s->g->tensors.items[tensor].kind;
  return kind == ASH_TENSOR_ACTIVATION || kind == ASH_TENSOR_INPUT;
}

/* Writes the bytes of a row, or checks that they are there. */
static void access_row(sim *s, uint32_t tensor, uint32_t row, uint32_t step,
                       bool writes) {
  const ash_tensor *t = &s->g->tensors.items[tensor];
  const uint64_t bytes = t->bytes / rows_of(t), at = row * bytes;
  const uint32_t root = shown(s, tensor);
  const ash_slot *slot = slot_at(s, tensor, row, step);
  const uint64_t to = slot->binding.offset + (slot->has_row ? 0 : at);
  CHECK(slot->size >= (slot->has_row ? bytes : t->bytes));
  for (uint64_t i = 0; i < bytes; i++) {
    CHECK(to + i < s->size);
    cell *c = &s->cells[to + i];
    if (writes)
      *c = (cell){root, at + i};
    CHECK_EQ(c->tensor, root);
    CHECK_EQ(c->at, at + i);
  }
}

static void access_rows(sim *s, uint32_t tensor, int64_t from, int64_t to,
                        uint32_t step, bool writes) {
  const int64_t rows = rows_of(&s->g->tensors.items[tensor]);
  for (int64_t r = from < 0 ? 0 : from; r < to && r < rows; r++)
    access_row(s, tensor, (uint32_t)r, step, writes);
}

/* Reads all of an operand, in one call: its rows follow each other. */
static void read_whole(sim *s, uint32_t tensor, uint32_t step) {
  const ash_tensor *t = &s->g->tensors.items[tensor];
  access_rows(s, tensor, 0, INT64_MAX, step, false);
  const ash_slot *first = slot_at(s, tensor, 0, step);
  for (uint32_t r = 0; r < rows_of(t) && first->has_row; r++)
    CHECK_EQ(slot_at(s, tensor, r, step)->binding.offset,
             first->binding.offset + r * first->size);
}

/* The rows of input 0 under a window. */
static void read_window(sim *s, const ash_op *o, const ash_step *run,
                        uint32_t step) {
  const bool pools =
      o->kind == ASH_OP_max_pool_2d || o->kind == ASH_OP_average_pool_2d;
  const int64_t filter = pools ? ash_attr_int(o, "filter_h", 1)
                               : s->g->tensors.items[o->inputs[1]].shape.dim[1];
  const int64_t stride = ash_attr_int(o, "stride_h", 1);
  const int64_t reach = (filter - 1) * ash_attr_int(o, "dilation_h", 1);
  const int64_t top = run->first_row * stride - ash_attr_int(o, "pad_top", 0);
  access_rows(s, o->inputs[0], top,
              top + (run->row_count - 1) * stride + reach + 1, step, false);
}

static void read_inputs(sim *s, const ash_op *o, const ash_step *run,
                        uint32_t step) {
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (!is_activation(s, o->inputs[k]))
      continue;
    if (run->row_count == 0)
      read_whole(s, o->inputs[k], step);
    else if (ash_op_has(o, ASH_OP_WINDOW))
      read_window(s, o, run, step);
    else if (rows_of(&s->g->tensors.items[o->inputs[k]]) > 1)
      access_rows(s, o->inputs[k], run->first_row,
                  run->first_row + run->row_count, step, false);
    else
      read_whole(s, o->inputs[k], step);
  }
}

static void spoil_work(sim *s, uint32_t op) {
  const uint32_t i = ash_plan_slot_of_op(s->p, op);
  for (uint64_t b = 0; i != ASH_NO_ID && b < s->p->slots[i].size; b++)
    s->cells[s->p->slots[i].binding.offset + b].tensor = ASH_NO_ID;
}

static void run_step(sim *s, uint32_t step) {
  const ash_step *run = &s->p->steps.items[step];
  if (run->op_count == 0) {
    access_rows(s, run->input, run->first_row, run->first_row + run->row_count,
                step, true);
    return;
  }
  const ash_op *o = &s->g->ops.items[run->ops[0]];
  spoil_work(s, run->ops[0]);
  read_inputs(s, o, run, step);
  for (uint32_t k = 0; k < o->output_count; k++)
    access_rows(s, o->outputs[k], run->first_row,
                run->row_count ? run->first_row + run->row_count : INT64_MAX,
                step, true);
}

static bool is_fed(const ash_plan *p, uint32_t tensor) {
  for (uint32_t i = 0; i < p->steps.count; i++)
    if (p->steps.items[i].op_count == 0 && p->steps.items[i].input == tensor)
      return true;
  return false;
}

static void move_rows(sim *s, uint32_t step) {
  for (uint32_t i = 0; i < s->p->slot_count; i++) {
    const ash_slot *to = &s->p->slots[i];
    if (to->moved_from == ASH_NO_ID || to->life.first_step != step)
      continue;
    const ash_slot *from = &s->p->slots[to->moved_from];
    CHECK_EQ(from->life.end_step, step);
    memmove(&s->cells[to->binding.offset], &s->cells[from->binding.offset],
            to->size * sizeof(cell));
  }
}

static void check_memory(const ash_plan *p, const ash_graph *g) {
  sim s = {.p = p, .g = g};
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == ASH_SCRATCH)
      s.size = p->arenas[i].size;
  s.cells = calloc(s.size + 1, sizeof *s.cells);
  CHECK(s.cells != NULL);
  for (uint64_t i = 0; i < s.size; i++)
    s.cells[i].tensor = ASH_NO_ID;
  for (size_t i = 0; i < g->input_count; i++)
    if (!is_fed(p, g->inputs[i])) {
      access_rows(&s, g->inputs[i], 0, INT64_MAX, 0, true);
      read_whole(&s, g->inputs[i], 0);
    }
  for (uint32_t step = 0; step < p->steps.count; step++) {
    move_rows(&s, step);
    run_step(&s, step);
  }
  for (size_t i = 0; i < g->output_count; i++)
    read_whole(&s, g->outputs[i], p->steps.count - 1);
  free(s.cells);
}

/* ---- models -------------------------------------------------------------- */

static const struct {
  const char *path;
  uint64_t resident, fed;             /* 0: not tried */
  uint32_t moves_resident, moves_fed; /* at most, else none */
} known[] = {
    {"tiny/ic_resnet8_int8", 10944, 10944, 0, 0},
    {"tiny/vww_96_int8", 28032, 9888, 0, 0},
    {"tiny/kws_ref_model_int8", 8640, 8640, 20, 0},
    {"tflite-micro/person_detect", 12288, 9696, 50, 0},
    {"TinyMaix/cifar10_q", 5088, 4384, 5, 20},
    {"tinyengine/mcunet_vww1_int8", 20880, 0, 200, 0},
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

static const ash_plan *plan_rows(loaded *l, const ash_device *device,
                                 bool fed) {
  const char *names[] = {l->g->tensors.items[l->g->inputs[0]].name};
  const ash_plan_options options = {
      .order = ASH_ORDER_ROWS, .feed = names, .feed_count = fed};
  const ash_plan *p;
  CHECK_EQ(ash_plan_model(l->ctx, &p, l->g, device, &options), ASH_OK);
  return p;
}

static void check_model(loaded *l, const ash_device *device, bool fed,
                        uint64_t want, uint32_t moves) {
  const ash_plan *p = plan_rows(l, device, fed);
  CHECK_EQ(p->order.kind, ASH_ORDER_ROWS);
  CHECK_EQ(p->order.verdict, ASH_OPTIMAL);
  CHECK_EQ(p->order.peak, want);
  CHECK_EQ(p->order.lower_bound, want);
  CHECK_EQ(p->verdict, ASH_OPTIMAL);
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == ASH_SCRATCH)
      CHECK_EQ(p->arenas[i].size, want);
  const ash_move_facts moved = ash_plan_move_facts(p);
  CHECK(moved.count <= moves);
  CHECK(p->move_cycles * 100 <= p->cycles);
  CHECK_EQ(p->move_cycles > 0, moved.count > 0);
  check_memory(p, l->g);
}

static void models_meet_the_peaks_of_their_best_orders(void) {
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++) {
    const ash_device *device;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/models/%s.tflite", shared_data(),
                   known[i].path);
    loaded l = loaded_from(path);
    CHECK_EQ(l.status, ASH_OK);
    CHECK_EQ(ash_pass_run(l.ctx, l.g), ASH_OK);
    drop_floats(l.g);
    CHECK_EQ(ash_device_load(l.ctx, &device, "host"), ASH_OK);
    if (known[i].resident)
      check_model(&l, device, false, known[i].resident,
                  known[i].moves_resident);
    if (known[i].fed)
      check_model(&l, device, true, known[i].fed, known[i].moves_fed);
    loaded_drop(&l);
  }
}

static void a_fed_input_is_explained_as_such(void) {
  char path[512];
  const char *text;
  const ash_device *device;
  (void)snprintf(path, sizeof path, "%s/models/tiny/vww_96_int8.tflite",
                 shared_data());
  loaded l = loaded_from(path);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_pass_run(l.ctx, l.g), ASH_OK);
  CHECK_EQ(ash_device_load(l.ctx, &device, "host"), ASH_OK);
  const ash_plan *p = plan_rows(&l, device, true);
  CHECK_EQ(ash_explain_tensor(l.ctx, &text, p, l.g, device, NULL,
                              l.g->tensors.items[l.g->inputs[0]].id),
           ASH_OK);
  CHECK(strstr(text, "fed: its rows arrive while the model runs") != NULL);
  loaded_drop(&l);
}

/* ---- which order --------------------------------------------------------- */

static uint64_t scratch_of(const ash_plan *p) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < p->arena_count; i++)
    sum += p->arenas[i].role == ASH_SCRATCH ? p->arenas[i].size : 0;
  return sum;
}

static loaded resnet8(const ash_device **device) {
  char path[512];
  (void)snprintf(path, sizeof path, "%s/models/tiny/ic_resnet8_int8.tflite",
                 shared_data());
  loaded l = loaded_from(path);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_pass_run(l.ctx, l.g), ASH_OK);
  CHECK_EQ(ash_device_load(l.ctx, device, "host"), ASH_OK);
  return l;
}

/* The largest work memory of a kernel. */
static uint64_t work_of(const ash_plan *p) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].kind == ASH_SLOT_WORK && p->slots[i].size > most)
      most = p->slots[i].size;
  return most;
}

/* ResNet-8 on a Cortex-M4: no order needs less than 10,944 bytes of
 * activations, none less than 12,128 with work memory. */
static void work_memory_counts_in_the_order(void) {
  const ash_compile_options o = {.plan = {.order = ASH_ORDER_ROWS}};
  const ash_device *device;
  ash_compiled c;
  char path[512];
  ash_ctx *ctx = new_ctx();
  (void)snprintf(path, sizeof path, "%s/models/tiny/ic_resnet8_int8.tflite",
                 shared_data());
  CHECK_EQ(ash_device_load(ctx, &device, "mps2-an386"), ASH_OK);
  const ash_status status = ash_compile(ctx, &c, path, device, &o);
  if (status == ASH_IO) {
    ash_ctx_free(ctx);
    SKIP("the shared models are not here");
  }
  CHECK_EQ(status, ASH_OK);
  const ash_order_proof *order = &c.plan->order;
  CHECK(work_of(c.plan) > 0);
  CHECK_EQ(order->lower_bound, 10944);
  CHECK_EQ(order->bound_with_work, 12128);
  CHECK(order->peak >= order->lower_bound);
  CHECK(order->peak_with_work >= order->bound_with_work);
  CHECK(order->peak_with_work <= order->peak + work_of(c.plan));
  CHECK(order->peak_with_work <= scratch_of(c.plan));
  ash_compiled_drop(&c);
  ash_ctx_free(ctx);
}

static uint32_t whole_steps(const ash_plan *p) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->steps.count; i++)
    count += p->steps.items[i].row_count == 0;
  return count;
}

/* Of keyword spotting 8,640 bytes are alive at once; without moves its rows
 * take 12,160. */
static const ash_plan *plan_kws(loaded *l, ash_order_kind order,
                                ash_move_policy moves, uint64_t budget) {
  const ash_memory_constraint limit = {"RAM", budget};
  const ash_plan_options options = {.constraints = &limit,
                                    .constraint_count = 1,
                                    .order = order,
                                    .moves = moves};
  const ash_device *device;
  const ash_plan *p = NULL;
  CHECK_EQ(ash_device_load(l->ctx, &device, "host"), ASH_OK);
  const ash_status status = ash_plan_model(l->ctx, &p, l->g, device, &options);
  CHECK(status == ASH_OK || (status == ASH_NOFIT && !p));
  if (p)
    check_memory(p, l->g);
  return p;
}

static void rows_move_when_they_may(void) {
  enum { PLENTY = 1 << 20, LITTLE = 8700 };
  char path[512];
  (void)snprintf(path, sizeof path, "%s/models/tiny/kws_ref_model_int8.tflite",
                 shared_data());
  loaded l = loaded_from(path);
  CHECK_EQ(l.status, ASH_OK);
  CHECK_EQ(ash_pass_run(l.ctx, l.g), ASH_OK);
  const ash_plan *p = plan_kws(&l, ASH_ORDER_ROWS, ASH_MOVES_NEVER, PLENTY);
  CHECK_EQ(ash_plan_move_facts(p).count, 0);
  CHECK(scratch_of(p) > 8640);
  p = plan_kws(&l, ASH_ORDER_ROWS, ASH_MOVES_FIT, PLENTY);
  CHECK_EQ(ash_plan_move_facts(p).count, 0);
  p = plan_kws(&l, ASH_ORDER_ROWS, ASH_MOVES_SMALLEST, PLENTY);
  CHECK_EQ(scratch_of(p), 8640);
  CHECK_EQ(p->verdict, ASH_OPTIMAL);
  CHECK(!plan_kws(&l, ASH_ORDER_ROWS, ASH_MOVES_NEVER, LITTLE));
  CHECK(!plan_kws(&l, ASH_ORDER_AUTO, ASH_MOVES_NEVER, LITTLE));
  p = plan_kws(&l, ASH_ORDER_AUTO, ASH_MOVES_AUTO, LITTLE);
  CHECK(p && ash_plan_move_facts(p).count > 0 && scratch_of(p) <= LITTLE);
  p = plan_kws(&l, ASH_ORDER_AUTO, ASH_MOVES_AUTO, PLENTY);
  CHECK_EQ(p->order.kind, ASH_ORDER_GIVEN);
  p = plan_kws(&l, ASH_ORDER_AUTO, ASH_MOVES_AUTO, 12500);
  CHECK(p && ash_plan_move_facts(p).count == 0);
  loaded_drop(&l);
}

/* Layer by layer it needs 49,152 bytes, in rows 10,944. */
static void rows_are_for_models_that_do_not_fit(void) {
  const ash_device *device;
  loaded l = resnet8(&device);
  uint32_t whole = UINT32_MAX;
  for (uint64_t budget = 50000; budget > 10000; budget -= 10000) {
    const ash_memory_constraint limit = {"RAM", budget};
    const ash_plan_options options = {.constraints = &limit,
                                      .constraint_count = 1};
    const ash_plan *p;
    CHECK_EQ(ash_plan_model(l.ctx, &p, l.g, device, &options), ASH_OK);
    CHECK_EQ(p->order.kind, budget < 49152 ? ASH_ORDER_ROWS : ASH_ORDER_GIVEN);
    CHECK(scratch_of(p) <= budget);
    CHECK(whole_steps(p) <= whole); /* no more rows than must be */
    whole = whole_steps(p);
    if (p->order.kind == ASH_ORDER_ROWS)
      check_memory(p, l.g);
  }
  CHECK(whole > 3);
  loaded_drop(&l);
}

static void what_no_order_fits_is_refused_with_what_rows_need(void) {
  const ash_device *device;
  loaded l = resnet8(&device);
  const ash_memory_constraint limit = {"RAM", 10000};
  const ash_plan_options options = {.constraints = &limit,
                                    .constraint_count = 1};
  const ash_plan *p;
  CHECK_EQ(ash_plan_model(l.ctx, &p, l.g, device, &options), ASH_NOFIT);
  bool told = false;
  size_t count;
  const ash_diag *diags = ash_ctx_diags(l.ctx, &count);
  for (size_t i = 0; i < count; i++)
    told = told || strstr(diags[i].message, "need 10944 bytes");
  CHECK(told);
  loaded_drop(&l);
}

/* Two branches that grow and shrink, side by side in the file. */
static void better_orders_of_operators_replace_the_given_one(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 16);
  uint32_t wide[2], narrow[2];
  for (int i = 0; i < 2; i++)
    wide[i] = row_concat(&n, row_concat(&n, x, x), row_concat(&n, x, x));
  for (int i = 0; i < 2; i++)
    narrow[i] = row_relu(&n, row_slice(&n, wide[i], 1, 4));
  row_end(&n, row_add(&n, narrow[0], narrow[1]));
  const ash_device *device = small_device(&n);
  uint64_t bytes[ASH_ORDER_ROWS];
  for (ash_order_kind k = ASH_ORDER_AUTO; k < ASH_ORDER_ROWS; k++) {
    const ash_plan_options options = {
        .order = k, .no_concat = true, .no_slices = true};
    const ash_plan *p = must_plan(&n, device, &options);
    bytes[k] = scratch_of(p);
    CHECK_EQ(p->order.kind,
             k == ASH_ORDER_GIVEN ? ASH_ORDER_GIVEN : ASH_ORDER_OPERATORS);
    CHECK_EQ(p->steps.count, n.g->op_count);
  }
  CHECK(bytes[ASH_ORDER_OPERATORS] < bytes[ASH_ORDER_GIVEN]);
  CHECK_EQ(bytes[ASH_ORDER_OPERATORS], bytes[ASH_ORDER_AUTO]);
  net_free(&n);
}

/* In arenas above 64 KiB, tables count in units of more than a byte; rows of
 * the result, in one piece, lie at odd distances, where no table can point. */
static void rows_at_odd_distances_share_no_place_with_others(void) {
  net n = net_new();
  const ash_shape shape = NET_DIMS(1, 200, 1, 501);
  const uint32_t x = net_input(&n, ASH_INT8, shape, 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, shape, 1, 0);
  const uint32_t z = net_result(&n, ASH_INT8, shape, 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_max_pool_2d, NET_IDS(x), y);
  net_int(&n, op, "filter_h", 3);
  net_int(&n, op, "filter_w", 1);
  net_int(&n, op, "stride_h", 1);
  net_int(&n, op, "stride_w", 1);
  net_int(&n, op, "pad_top", 1);
  net_int(&n, op, "pad_bottom", 1);
  (void)net_op(&n, ASH_FN_ROW(relu), NET_IDS(y), z);
  row_end(&n, z);
  const char *names[] = {n.g->tensors.items[x].name};
  const ash_plan_options options = {
      .order = ASH_ORDER_ROWS, .feed = names, .feed_count = 1};
  const ash_device *device;
  CHECK_EQ(ash_device_load(n.ctx, &device, "host"), ASH_OK);
  const ash_plan *p = must_plan(&n, device, &options);
  CHECK(scratch_of(p) >= 200 * 501);
  CHECK(scratch_of(p) <= 200 * 501 + 5 * 502);
  net_free(&n);
}

static void rows_that_cannot_be_are_refused(void) {
  net n = net_new();
  const uint32_t x = row_input(&n, 16);
  row_end(&n, row_relu(&n, x));
  const ash_device *device = small_device(&n);
  const char *wrong[] = {"nothing"};
  const ash_plan_options bad[] = {
      {.order = ASH_ORDER_ROWS, .planner = "greedy"},
      {.order = ASH_ORDER_ROWS, .no_views = true},
      {.feed = wrong, .feed_count = 1},
      {.drain = wrong, .drain_count = 1}};
  for (size_t i = 0; i < ASH_COUNT_OF(bad); i++) {
    const ash_plan *p;
    CHECK_EQ(ash_plan_model(n.ctx, &p, n.g, device, &bad[i]), ASH_MISUSE);
    CHECK(has_diag(&n, i < 2 ? ASH_D_plan_order : ASH_D_plan_stream));
  }
  net_free(&n);
}

#define TESTS(X)                                                               \
  X(a_fed_input_is_explained_as_such)                                          \
  X(work_memory_counts_in_the_order)                                           \
  X(models_meet_the_peaks_of_their_best_orders)                                \
  X(rows_move_when_they_may)                                                   \
  X(rows_are_for_models_that_do_not_fit)                                       \
  X(what_no_order_fits_is_refused_with_what_rows_need)                         \
  X(better_orders_of_operators_replace_the_given_one)                          \
  X(rows_at_odd_distances_share_no_place_with_others)                          \
  X(rows_that_cannot_be_are_refused)
TEST_MAIN(TESTS)
