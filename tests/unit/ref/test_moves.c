/* test_moves.c - data movement in the reference interpreter: shapes and values,
 * right and wrong. */
#include "check.h"
#include "net.h"
#include "op/shape/shape.h"
#include "run_net.h"

/* A net with one int8 input and int32 constants behind it. */
typedef struct move_net {
  net n;
  uint32_t op;
} move_net;

static uint32_t ints(net *n, ash_shape shape, const void *data) {
  return net_constant(n, ASH_INT32, shape, data, 0, 0);
}

static move_net move(ash_op_kind kind, ash_shape in, ash_shape out, int32_t a,
                     const void *va, int32_t b, const void *vb) {
  move_net m = {.n = net_new()};
  net_ids ids = {1, {net_input(&m.n, ASH_INT8, in, 1, 7)}};
  if (va)
    ids.at[ids.count++] = ints(&m.n, NET_DIMS(a), va);
  if (vb)
    ids.at[ids.count++] = ints(&m.n, NET_DIMS(b), vb);
  const uint32_t y = net_result(&m.n, ASH_INT8, out, 1, 7);
  m.op = net_op(&m.n, kind, ids, y);
  return m;
}

static void refuses(move_net *m, ash_diag_id id, const char *says) {
  ash_shape got[4];
  size_t count;
  CHECK(ash_infer_shape(m->n.ctx, m->n.g, m->op, got) != ASH_OK);
  const ash_diag *d = ash_ctx_diags(m->n.ctx, &count);
  CHECK_EQ(d[count - 1].id, id);
  if (!strstr(d[count - 1].message, says))
    CHECK_STR(d[count - 1].message, says);
  net_free(&m->n);
}

static void transposing_permutes(void) {
  move_net m = move(ASH_OP_transpose, NET_DIMS(2, 3), NET_DIMS(3, 2), 2,
                    NET_INTS(1, 0), 0, NULL);
  gives_bytes(&m.n, NET_BYTES(1, 2, 3, 4, 5, 6), NULL, 6,
              NET_BYTES(1, 4, 2, 5, 3, 6));
  m = move(ASH_OP_transpose, NET_DIMS(2, 3), NET_DIMS(3, 2), 2, NET_INTS(1, 1),
           0, NULL);
  refuses(&m, ASH_D_shape_axis, "axis 1 appears twice");
}

static void slices_take_boxes(void) {
  move_net m = move(ASH_OP_slice, NET_DIMS(2, 3), NET_DIMS(1, 2), 2,
                    NET_INTS(1, 1), 2, NET_INTS(1, -1));
  gives_bytes(&m.n, NET_BYTES(1, 2, 3, 4, 5, 6), NULL, 2, NET_BYTES(5, 6));
  m = move(ASH_OP_slice, NET_DIMS(2, 3), NET_DIMS(1, 2), 2, NET_INTS(1, 2), 2,
           NET_INTS(1, 2));
  refuses(&m, ASH_D_shape_attr, "outside the input");
  m = move(ASH_OP_slice, NET_DIMS(2, 3), NET_DIMS(1, 2), 1, NET_INTS(1), 2,
           NET_INTS(1, 2));
  refuses(&m, ASH_D_shape_attr, "one begin and one size an axis");
}

static move_net strided(ash_shape out, const void *begin, const void *end,
                        const void *step) {
  move_net m = {.n = net_new()};
  const uint32_t x = net_input(&m.n, ASH_INT8, NET_DIMS(2, 4), 1, 0);
  const uint32_t b = ints(&m.n, NET_DIMS(2), begin);
  const uint32_t e = ints(&m.n, NET_DIMS(2), end);
  const uint32_t s = ints(&m.n, NET_DIMS(2), step);
  const uint32_t y = net_result(&m.n, ASH_INT8, out, 1, 0);
  m.op = net_op(&m.n, ASH_OP_strided_slice, NET_IDS(x, b, e, s), y);
  return m;
}

static void strided_slices_step_and_turn(void) {
  const void *data = NET_BYTES(1, 2, 3, 4, 5, 6, 7, 8);
  move_net m =
      strided(NET_DIMS(1, 2), NET_INTS(0, 3), NET_INTS(1, -5), NET_INTS(1, -2));
  gives_bytes(&m.n, data, NULL, 2, NET_BYTES(4, 2));
  m = strided(NET_DIMS(4), NET_INTS(-1, 9), NET_INTS(9, 9), NET_INTS(1, 1));
  net_int(&m.n, m.op, "shrink_axis_mask", 1);
  net_int(&m.n, m.op, "begin_mask", 2);
  gives_bytes(&m.n, data, NULL, 4, NET_BYTES(5, 6, 7, 8));
  m = strided(NET_DIMS(1, 1, 4), NET_INTS(0, 1), NET_INTS(0, 3),
              NET_INTS(1, 1));
  net_int(&m.n, m.op, "new_axis_mask", 1);
  gives_bytes(&m.n, data, NULL, 4, NET_BYTES(5, 6, 7, 8));
  m = strided(NET_DIMS(1, 1), NET_INTS(1, 2), NET_INTS(1, 3), NET_INTS(1, 1));
  refuses(&m, ASH_D_shape_attr, "an axis of the result is empty");
  m = strided(NET_DIMS(2, 1), NET_INTS(0, 1), NET_INTS(0, 2), NET_INTS(1, 1));
  net_int(&m.n, m.op, "ellipsis_mask", 1);
  gives_bytes(&m.n, data, NULL, 2, NET_BYTES(2, 6));
  m = strided(NET_DIMS(2, 2), NET_INTS(0, 0), NET_INTS(2, 4), NET_INTS(1, 0));
  refuses(&m, ASH_D_shape_attr, "a stride is 0");
}

static void splits_and_stacks_are_inverse(void) {
  net n = net_new();
  int8_t first[4], second[2];
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(2, 3), 1, 0);
  const uint32_t sizes = ints(&n, NET_DIMS(2), NET_INTS(-1, 1));
  const uint32_t axis = ints(&n, NET_SCALAR, NET_INTS(-1));
  uint32_t outs[2], op;
  outs[0] = net_result(&n, ASH_INT8, NET_DIMS(2, 2), 1, 0);
  outs[1] = net_result(&n, ASH_INT8, NET_DIMS(2, 1), 1, 0);
  uint32_t ins[3] = {x, sizes, axis};
  CHECK_EQ(ash_graph_add_op(n.g, &op,
                            (ash_op){.kind = ASH_OP_split_v,
                                     .input_count = 3,
                                     .output_count = 2,
                                     .inputs = ins,
                                     .outputs = outs}),
           ASH_OK);
  CHECK_EQ(ash_graph_set_outputs(n.g, outs, 2), ASH_OK);
  const void *inputs[] = {NET_BYTES(1, 2, 3, 4, 5, 6)};
  void *outputs[] = {first, second};
  CHECK_EQ(ash_ref_run(n.ctx, n.g, inputs, outputs), ASH_OK);
  CHECK(memcmp(first, NET_BYTES(1, 2, 4, 5), 4) == 0);
  CHECK(memcmp(second, NET_BYTES(3, 6), 2) == 0);
  net_free(&n);
  n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(2), 1, 0);
  const uint32_t b = net_input(&n, ASH_INT8, NET_DIMS(2), 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 2), 1, 0);
  op = net_op(&n, ASH_OP_pack, NET_IDS(a, b), y);
  net_int(&n, op, "axis", 1);
  gives_bytes(&n, NET_BYTES(1, 2), NET_BYTES(3, 4), 4, NET_BYTES(1, 3, 2, 4));
}

static void gathers_pick_and_check(void) {
  move_net m = move(ASH_OP_gather, NET_DIMS(2, 3), NET_DIMS(2, 2), 2,
                    NET_INTS(2, 0), 0, NULL);
  net_int(&m.n, m.op, "axis", -1);
  gives_bytes(&m.n, NET_BYTES(1, 2, 3, 4, 5, 6), NULL, 4,
              NET_BYTES(3, 1, 6, 4));
  m = move(ASH_OP_gather, NET_DIMS(4), NET_DIMS(2), 2, NET_INTS(2, 4), 0, NULL);
  int8_t out[2];
  const void *inputs[] = {NET_BYTES(1, 2, 3, 4)};
  void *outputs[] = {out};
  CHECK_EQ(ash_ref_run(m.n.ctx, m.n.g, inputs, outputs), ASH_MALFORMED);
  net_free(&m.n);
  m = move(ASH_OP_gather, NET_DIMS(4), NET_DIMS(2), 2, NET_INTS(2, 1), 0, NULL);
  net_int(&m.n, m.op, "batch_dims", 1);
  refuses(&m, ASH_D_shape_attr, "batch_dims is 1");
}

static void repetition_repeats(void) {
  move_net m = move(ASH_OP_tile, NET_DIMS(2, 1), NET_DIMS(4, 2), 2,
                    NET_INTS(2, 2), 0, NULL);
  gives_bytes(&m.n, NET_BYTES(1, 2), NULL, 8,
              NET_BYTES(1, 1, 2, 2, 1, 1, 2, 2));
  m = move(ASH_OP_broadcast_to, NET_DIMS(2, 1), NET_DIMS(2, 2), 2,
           NET_INTS(2, 2), 0, NULL);
  gives_bytes(&m.n, NET_BYTES(1, 2), NULL, 4, NET_BYTES(1, 1, 2, 2));
  m = move(ASH_OP_broadcast_to, NET_DIMS(2, 2), NET_DIMS(2, 1), 2,
           NET_INTS(2, 1), 0, NULL);
  refuses(&m, ASH_D_shape_broadcast, "does not broadcast to [2,1]");
  m = move(ASH_OP_reverse, NET_DIMS(2, 2), NET_DIMS(2, 2), 1, NET_INTS(1), 0,
           NULL);
  gives_bytes(&m.n, NET_BYTES(1, 2, 3, 4), NULL, 4, NET_BYTES(2, 1, 4, 3));
}

static void blocks_come_and_go(void) {
  move_net m = move(ASH_OP_space_to_depth, NET_DIMS(1, 2, 2, 1),
                    NET_DIMS(1, 1, 1, 4), 0, NULL, 0, NULL);
  net_int(&m.n, m.op, "block", 2);
  gives_bytes(&m.n, NET_BYTES(1, 2, 3, 4), NULL, 4, NET_BYTES(1, 2, 3, 4));
  m = move(ASH_OP_depth_to_space, NET_DIMS(1, 1, 2, 4), NET_DIMS(1, 2, 4, 1), 0,
           NULL, 0, NULL);
  net_int(&m.n, m.op, "block", 2);
  gives_bytes(&m.n, NET_BYTES(1, 2, 3, 4, 5, 6, 7, 8), NULL, 8,
              NET_BYTES(1, 2, 5, 6, 3, 4, 7, 8));
  m = move(ASH_OP_space_to_batch_nd, NET_DIMS(1, 3, 1), NET_DIMS(2, 2, 1), 1,
           NET_INTS(2), 2, NET_INTS(1, 0));
  gives_bytes(&m.n, NET_BYTES(1, 2, 3), NULL, 4, NET_BYTES(7, 2, 1, 3));
  m = move(ASH_OP_batch_to_space_nd, NET_DIMS(2, 2, 1), NET_DIMS(1, 3, 1), 1,
           NET_INTS(2), 2, NET_INTS(1, 0));
  gives_bytes(&m.n, NET_BYTES(7, 2, 1, 3), NULL, 3, NET_BYTES(1, 2, 3));
  m = move(ASH_OP_depth_to_space, NET_DIMS(1, 1, 2, 3), NET_DIMS(1, 2, 4, 1), 0,
           NULL, 0, NULL);
  net_int(&m.n, m.op, "block", 2);
  refuses(&m, ASH_D_shape_attr, "does not divide into the blocks");
}

static void mirrors_turn_at_the_edge(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(3), 1, 0);
  const uint32_t p = ints(&n, NET_DIMS(1, 2), NET_INTS(2, 1));
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(6), 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_mirror_pad, NET_IDS(x, p), y);
  int8_t got[6];
  net_run(&n, NET_BYTES(1, 2, 3), NULL, got);
  CHECK(memcmp(got, NET_BYTES(3, 2, 1, 2, 3, 2), 6) == 0);
  net_string(&n, op, "mode", "symmetric");
  gives_bytes(&n, NET_BYTES(1, 2, 3), NULL, 6, NET_BYTES(2, 1, 1, 2, 3, 3));
}

static void conditions_choose(void) {
  for (int last = 0; last < 2; last++) { /* for the last axis, or the first */
    net n = net_new();
    const uint32_t w =
        net_input(&n, ASH_BOOL, last ? NET_DIMS(2) : NET_DIMS(2, 1), 0, 0);
    const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(2, 2), 1, 0);
    const uint32_t b =
        net_constant(&n, ASH_INT8, NET_DIMS(2, 2), NET_BYTES(5, 6, 7, 8), 1, 0);
    const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 2), 1, 0);
    (void)net_op(&n, ASH_FN_ROW(select), NET_IDS(w, a, b), y);
    gives_bytes(&n, NET_BYTES(1, 0), NET_BYTES(1, 2, 3, 4), 4,
                last ? NET_BYTES(1, 6, 3, 8) : NET_BYTES(1, 2, 7, 8));
  }
}

static void casts_cut_and_saturate(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(4), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(4), 0, 0);
  (void)net_op(&n, ASH_FN_ROW(saturate), NET_IDS(x), y);
  gives_bytes(&n, NET_FLOATS(1.9f, -1.9f, 1e9f, -1e9f), NULL, 4,
              NET_BYTES(1, -1, 127, -128));
}

#define TESTS(X)                                                               \
  X(transposing_permutes)                                                      \
  X(slices_take_boxes)                                                         \
  X(strided_slices_step_and_turn)                                              \
  X(splits_and_stacks_are_inverse)                                             \
  X(gathers_pick_and_check)                                                    \
  X(repetition_repeats)                                                        \
  X(blocks_come_and_go)                                                        \
  X(mirrors_turn_at_the_edge)                                                  \
  X(conditions_choose)                                                         \
  X(casts_cut_and_saturate)

TEST_MAIN(TESTS)
