/* test_boxes.c - boxes are not only enough (test_cuts.c) but no larger than
 * needed: every element of the inputs is changed in turn, to see which results
 * depend on it; the box of a piece is the smallest one around those that its
 * results depend on. And the numbers that the search and the emitter rely on:
 * bytes, parts and classes of pieces. */
#include "cuts.h"
#include "domain/piece_graph.h"
#include "pass/pass.h"
#include "ref/ref.h"

enum { PIECES = 6 };

/* depends[e] for the elements of one input: marks the results (of all `results`
 * elements) that change with element e. */
static bool *find_dependencies(net *n, uint32_t op, uint32_t input,
                               void **values) {
  const ash_op *o = &n->g->ops.items[op];
  const ash_tensor *x = &n->g->tensors.items[input];
  const ash_tensor *y = ash_op_out(n->g, o, 0);
  const uint64_t inputs = ash_shape_elements(&x->shape);
  const uint64_t results = ash_shape_elements(&y->shape);
  bool *depends =
      ASH_NEW_ARRAY(&n->ctx->scratch, bool, (size_t)(inputs * results));
  float *before = ASH_NEW_ARRAY(&n->ctx->scratch, float, (size_t)results);
  CHECK(depends && before);
  CHECK_EQ(ash_ref_run_op(n->ctx, n->g, op, values), ASH_OK);
  memcpy(before, values[o->outputs[0]], (size_t)y->bytes);
  for (uint64_t e = 0; e < inputs; e++) {
    float *at = (float *)values[input] + e;
    const float old = *at;
    *at = 12345.0f;
    CHECK_EQ(ash_ref_run_op(n->ctx, n->g, op, values), ASH_OK);
    const float *now = values[o->outputs[0]];
    for (uint64_t r = 0; r < results; r++)
      depends[e * results + r] = now[r] != before[r];
    *at = old;
  }
  return depends;
}

static bool is_inside(const ash_shape *s, uint64_t index, const ash_box *box) {
  for (uint32_t d = s->rank; d-- > 0; index /= (uint64_t)s->dim[d]) {
    const int64_t at = (int64_t)(index % (uint64_t)s->dim[d]);
    if (at < box->start[d] || at >= box->start[d] + box->size[d])
      return false;
  }
  return true;
}

/* The smallest box around what the results in `out` depend on. */
static ash_box hull_of(const ash_shape *in, const ash_shape *out,
                       const ash_box *part, const bool *depends) {
  const uint64_t results = ash_shape_elements(out);
  int64_t low[ASH_RANK_MAX], high[ASH_RANK_MAX];
  ash_box hull = {.rank = in->rank};
  for (uint32_t d = 0; d < in->rank; d++) {
    low[d] = in->dim[d];
    high[d] = -1;
  }
  for (uint64_t e = 0; e < ash_shape_elements(in); e++) {
    bool needed = false;
    for (uint64_t r = 0; r < results && !needed; r++)
      needed = depends[e * results + r] && is_inside(out, r, part);
    uint64_t index = e;
    for (uint32_t d = in->rank; needed && d-- > 0;
         index /= (uint64_t)in->dim[d]) {
      const int64_t at = (int64_t)(index % (uint64_t)in->dim[d]);
      low[d] = at < low[d] ? at : low[d];
      high[d] = at > high[d] ? at : high[d];
    }
  }
  for (uint32_t d = 0; d < in->rank; d++) {
    hull.start[d] = low[d];
    hull.size[d] = high[d] - low[d] + 1;
  }
  return hull;
}

static void some_piece(const ash_tile_space *s, int64_t *at, int64_t *n) {
  for (uint32_t a = 0; a < s->axis_count; a++) {
    const ash_tile_axis *x = &s->axes[a];
    const int32_t steps = (int32_t)((x->extent + x->granule - 1) / x->granule);
    const int32_t first = cut_pick(0, steps - 1);
    at[a] = first * x->granule;
    n[a] = cut_pick(1, steps - first) * x->granule;
    if (at[a] + n[a] > x->extent)
      n[a] = x->extent - at[a];
    if (x->kind == ASH_AXIS_SUM) {
      at[a] = 0;
      n[a] = x->extent;
    }
  }
}

static void check_boxes(net *n, uint32_t op, uint32_t operand,
                        const ash_tile_space *s, const bool *depends) {
  const ash_tile_operand *o = &s->operands[operand];
  const ash_op *it = &n->g->ops.items[op];
  for (int k = 0; k < PIECES; k++) {
    int64_t at[ASH_TILE_AXES], size[ASH_TILE_AXES];
    ash_box box, part;
    some_piece(s, at, size);
    ash_tile_box(&box, n->g, s, operand, at, size);
    ash_tile_box(&part, n->g, s, s->operand_count - 1, at, size);
    const ash_box hull =
        hull_of(&n->g->tensors.items[o->tensor].shape,
                &ash_op_out(n->g, it, 0)->shape, &part, depends);
    for (uint32_t d = 0; d < box.rank; d++) {
      CHECK_EQ(box.start[d], hull.start[d]);
      CHECK_EQ(box.size[d], hull.size[d]);
    }
  }
}

/* Filters are whole, even where some taps meet nothing but padding. */
static bool is_filter(const ash_op *op, const ash_tile_operand *o) {
  return o->position == 1 &&
         (op->kind == ASH_OP_conv_2d || op->kind == ASH_OP_depthwise_conv_2d);
}

/* All inputs of one operator, which are float. */
static uint32_t cut_exactly(net *n, uint32_t op) {
  const ash_mark mark = ash_zone_mark(&n->ctx->scratch);
  const ash_tile_space *s;
  const char *why;
  CHECK_EQ(ash_tile_space_of(n->ctx, &s, &why, n->g, op), ASH_OK);
  CHECK(s);
  void **values = pieces_values(&n->ctx->scratch, n->g);
  for (uint32_t i = 0; i + 1 < s->operand_count; i++) {
    float *x = values[s->operands[i].tensor];
    const ash_tensor *t = &n->g->tensors.items[s->operands[i].tensor];
    for (uint64_t e = 0; e < ash_shape_elements(&t->shape); e++)
      x[e] = (float)cut_pick(1, 200);
  }
  for (uint32_t i = 0; i + 1 < s->operand_count; i++)
    if (!is_filter(&n->g->ops.items[op], &s->operands[i]))
      check_boxes(n, op, i, s,
                  find_dependencies(n, op, s->operands[i].tensor, values));
  ash_zone_rewind(&n->ctx->scratch, mark);
  return s->axis_count;
}

/* ---- operators ----------------------------------------------------------- */

static void exact_window(ash_op_kind kind) {
  static const char *const pads[] = {"pad_top", "pad_left", "pad_bottom",
                                     "pad_right"};
  net n = net_new();
  const bool pools =
      kind == ASH_OP_max_pool_2d || kind == ASH_OP_average_pool_2d;
  const bool deep = kind == ASH_OP_depthwise_conv_2d;
  const int32_t k = cut_pick(1, 3), c = cut_pick(1, 3), out = cut_pick(1, 3);
  const uint32_t x = cut_input(&n, ASH_FLOAT32,
                               NET_DIMS(1, cut_pick(3, 6), cut_pick(3, 6), c));
  const uint32_t w = cut_input(
      &n, ASH_FLOAT32, deep ? NET_DIMS(1, k, k, c) : NET_DIMS(out, k, k, c));
  if (pools)
    n.g->input_count = 1;
  const uint32_t op = net_op(&n, kind, pools ? NET_IDS(x) : NET_IDS(x, w),
                             cut_result(&n, ASH_FLOAT32));
  for (uint32_t i = 0; i < 4; i++)
    net_int(&n, op, pads[i], cut_pick(0, k - 1));
  net_int(&n, op, "stride_h", cut_pick(1, 3));
  net_int(&n, op, "stride_w", cut_pick(1, 3));
  if (pools) {
    net_int(&n, op, "filter_h", k);
    net_int(&n, op, "filter_w", k);
  }
  (void)cut_agree(&n, op);
}

static void windows_need_what_their_box_holds(void) {
  cut_sink = cut_exactly;
  for (int i = 0; i < 12; i++) {
    exact_window(ASH_OP_conv_2d);
    exact_window(ASH_OP_depthwise_conv_2d);
    exact_window(ASH_OP_max_pool_2d);
    exact_window(ASH_OP_average_pool_2d);
  }
}

static void products_need_what_their_box_holds(void) {
  cut_sink = cut_exactly;
  for (int i = 0; i < 20; i++) {
    net n = net_new();
    const int32_t m = cut_pick(1, 4), k = cut_pick(1, 4), c = cut_pick(1, 4);
    const bool dense = i & 1;
    const uint32_t a = cut_input(&n, ASH_FLOAT32, NET_DIMS(m, k));
    const uint32_t b =
        cut_input(&n, ASH_FLOAT32, dense ? NET_DIMS(c, k) : NET_DIMS(2, k, c));
    (void)cut_agree(&n,
                    net_op(&n, dense ? ASH_OP_fully_connected : ASH_OP_matmul,
                           NET_IDS(a, b), cut_result(&n, ASH_FLOAT32)));
  }
}

static void moves_need_what_their_box_holds(void) {
  cut_sink = cut_exactly;
  for (int i = 0; i < 30; i++) {
    net n = net_new();
    const ash_shape s = cut_shape_of(3, 4);
    const int32_t perm[] = {2, 0, 1};
    const int64_t step[] = {s.dim[1] * s.dim[2], s.dim[2], 1};
    ash_shape size = s;
    int64_t offset = 0;
    for (uint32_t d = 0; d < 3; d++) {
      const int32_t begin = cut_pick(0, s.dim[d] - 1);
      offset += begin * step[d];
      size.dim[d] = cut_pick(1, s.dim[d] - begin);
    }
    const uint32_t x = cut_input(&n, ASH_FLOAT32, s);
    const uint32_t y = cut_result(&n, ASH_FLOAT32);
    (void)cut_agree(&n, i & 1 ? net_transpose(&n, x, y, perm)
                              : net_strided(&n, x, y, size, step, offset));
  }
}

/* ---- parts and classes --------------------------------------------------- */

static void parts_of_a_sum_have_an_order(void) {
  const ash_tile_space s = {.axes = {{"m", 4, ASH_AXIS_FREE, 1, 1, 0},
                                     {"k", 9, ASH_AXIS_SUM, 1, 1, 0}},
                            .axis_count = 2};
  const int64_t n[] = {1, 3}, all[] = {1, 9};
  CHECK_EQ(ash_domain_part_of(&s, (int64_t[]){2, 0}, all), ASH_PART_WHOLE);
  CHECK_EQ(ash_domain_part_of(&s, (int64_t[]){2, 0}, n), ASH_PART_FIRST);
  CHECK_EQ(ash_domain_part_of(&s, (int64_t[]){2, 3}, n), ASH_PART_MIDDLE);
  CHECK_EQ(ash_domain_part_of(&s, (int64_t[]){2, 6}, n), ASH_PART_LAST);
}

/* A 3x3 convolution over rows: the first piece, all in the middle, the last. */
static void pieces_fall_into_few_classes(void) {
  net n = net_new();
  const uint32_t x = cut_input(&n, ASH_FLOAT32, NET_DIMS(1, 12, 5, 2));
  const uint32_t w = cut_constant(&n, ASH_FLOAT32, NET_DIMS(3, 3, 3, 2));
  const uint32_t op =
      net_op(&n, ASH_OP_conv_2d, NET_IDS(x, w), cut_result(&n, ASH_FLOAT32));
  net_int(&n, op, "pad_top", 1);
  net_int(&n, op, "pad_bottom", 1);
  pieces_shape(&n, op);
  const ash_tile_space *s;
  const char *why;
  uint64_t classes[6];
  CHECK_EQ(ash_tile_space_of(n.ctx, &s, &why, n.g, op), ASH_OK);
  CHECK_STR(s->axes[0].name, "h");
  for (int64_t i = 0; i < 6; i++) {
    int64_t at[ASH_TILE_AXES] = {0}, size[ASH_TILE_AXES];
    for (uint32_t a = 0; a < s->axis_count; a++)
      size[a] = s->axes[a].extent;
    at[0] = 2 * i;
    size[0] = 2;
    classes[i] = ash_domain_class(n.g, s, at, size, ASH_PART_WHOLE);
    CHECK(classes[i] != ash_domain_class(n.g, s, at, size, ASH_PART_FIRST));
  }
  CHECK(classes[0] != classes[1] && classes[5] != classes[4]);
  CHECK(classes[0] != classes[5]);
  for (int i = 2; i < 5; i++)
    CHECK(classes[i] == classes[1]);
  net_free(&n);
}

/* Other channels, other scales: the same code. */
static void channels_of_one_size_are_one_class(void) {
  net n = net_new();
  const float scales[] = {0.1f, 0.2f, 0.3f, 0.4f};
  const uint32_t x = cut_input(&n, ASH_INT8, NET_DIMS(1, 4, 4, 2));
  const uint32_t w = cut_constant(&n, ASH_INT8, NET_DIMS(4, 1, 1, 2));
  const uint32_t op =
      net_op(&n, ASH_OP_conv_2d, NET_IDS(x, w), cut_result(&n, ASH_INT8));
  net_channels(&n, w, 0, scales, 4);
  pieces_shape(&n, op);
  CHECK_EQ(ash_pass_lower(n.ctx, n.g), ASH_OK);
  const ash_tile_space *s;
  const char *why;
  CHECK_EQ(ash_tile_space_of(n.ctx, &s, &why, n.g, op), ASH_OK);
  CHECK_EQ(s->operand_count, 5);
  int64_t at[ASH_TILE_AXES] = {0}, size[ASH_TILE_AXES];
  uint32_t c = 0;
  for (uint32_t a = 0; a < s->axis_count; a++) {
    size[a] = s->axes[a].extent;
    c = strcmp(s->axes[a].name, "c") == 0 ? a : c;
  }
  size[c] = 2;
  const uint64_t first = ash_domain_class(n.g, s, at, size, ASH_PART_WHOLE);
  at[c] = 2;
  CHECK(first == ash_domain_class(n.g, s, at, size, ASH_PART_WHOLE));
  ash_box box;
  ash_tile_box(&box, n.g, s, 2, at, size); /* multipliers */
  CHECK_EQ(box.start[0], 2);
  CHECK_EQ(ash_box_bytes(n.g, s->operands[2].tensor, &box), 8);
  net_free(&n);
}

static void what_cannot_be_cut_says_why(void) {
  net n = net_new();
  const uint32_t x = cut_input(&n, ASH_FLOAT32, NET_DIMS(2, 3));
  const uint32_t w = cut_constant(&n, ASH_FLOAT32, NET_DIMS(4, 2));
  const uint32_t op = net_op(&n, ASH_OP_fully_connected, NET_IDS(x, w),
                             cut_result(&n, ASH_FLOAT32));
  const ash_tile_space *s;
  const char *why;
  pieces_shape(&n, op);
  CHECK_EQ(ash_tile_space_of(n.ctx, &s, &why, n.g, op), ASH_OK);
  CHECK(!s);
  CHECK_STR(why, "rows end inside a dimension of the input");
  net_free(&n);
}

/* Elements of another width lie elsewhere: in one piece alone. */
static void pieces_take_the_place_of_inputs_of_their_width(void) {
  for (uint32_t k = 0; k < 2; k++) {
    const ash_type from = k ? ASH_INT8 : ASH_INT32;
    net n = net_new();
    const uint32_t x = cut_input(&n, from, NET_DIMS(4, 6));
    const uint32_t op = net_op(&n, ASH_OP_map, NET_IDS(x),
                               net_result(&n, ASH_INT8, NET_DIMS(4, 6), 0, 0));
    const ash_tile_space *s;
    const char *why;
    net_string(&n, op, "fn", "cast");
    CHECK_EQ(ash_tile_space_of(n.ctx, &s, &why, n.g, op), ASH_OK);
    ash_tiling t = {.op = op, .space = s, .cost = {.tiles = 2}};
    CHECK_EQ(ash_tiling_in_place(n.g, &t, 0), from == ASH_INT8);
    t.cost.tiles = 1;
    CHECK(ash_tiling_in_place(n.g, &t, 0));
    net_free(&n);
  }
}

/* Functions of the user, layers with state and choices among all boxes or
 * classes take their tensors whole. */
static bool is_whole(ash_op_kind kind) {
  static const ash_op_kind whole[] = {
      ASH_OP_custom,       ASH_OP_svdf,       ASH_OP_rnn,
      ASH_OP_lstm,         ASH_OP_recurrence, ASH_OP_non_max_suppression,
      ASH_OP_decode_poses, ASH_OP_pose_masks, ASH_OP_pairwise_coupling,
      ASH_OP_fixed_rfft,   ASH_OP_filter_bank};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (whole[i] == kind)
      return true;
  return false;
}

static void every_operator_has_a_rule(void) {
  for (ash_op_kind kind = 0; kind < ASH_OP_COUNT; kind++)
    CHECK(ash_op_is_tiled(kind) != is_whole(kind));
}

#define TESTS(X)                                                               \
  X(windows_need_what_their_box_holds)                                         \
  X(products_need_what_their_box_holds)                                        \
  X(moves_need_what_their_box_holds)                                           \
  X(parts_of_a_sum_have_an_order)                                              \
  X(pieces_fall_into_few_classes)                                              \
  X(channels_of_one_size_are_one_class)                                        \
  X(pieces_take_the_place_of_inputs_of_their_width)                            \
  X(what_cannot_be_cut_says_why)                                               \
  X(every_operator_has_a_rule)
TEST_MAIN(TESTS)
