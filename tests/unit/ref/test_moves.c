/* test_moves.c - data movement in the reference interpreter: shapes and values,
 * right and wrong. */
#include "check.h"
#include "net.h"
#include "op/shape/shape.h"
#include "run_net.h"

/* A net with one int8 input and maybe int32 constants. */
typedef struct move_net {
  net n;
  uint32_t op;
} move_net;

static move_net move(ash_op_kind kind, ash_shape in, ash_shape out,
                     int32_t count, const void *values) {
  move_net m = {.n = net_new()};
  net_ids ids = {1, {net_input(&m.n, ASH_INT8, in, 1, 7)}};
  if (values)
    ids.at[ids.count++] =
        net_constant(&m.n, ASH_INT32, NET_DIMS(count), values, 0, 0);
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

/* int8 [2,4] at steps. */
static move_net strided(ash_shape out, const int64_t *step, int64_t offset) {
  move_net m = {.n = net_new()};
  const uint32_t x = net_input(&m.n, ASH_INT8, NET_DIMS(2, 4), 1, 0);
  const uint32_t y = net_result(&m.n, ASH_INT8, out, 1, 0);
  m.op = net_strided(&m.n, x, y, out, step, offset);
  return m;
}

static void strided_steps_turns_and_repeats(void) {
  const void *data = NET_BYTES(1, 2, 3, 4, 5, 6, 7, 8);
  const int64_t turned[] = {1, 4}, back[] = {4, -2}, again[] = {0, 1};
  move_net m = strided(NET_DIMS(4, 2), turned, 0);
  gives_bytes(&m.n, data, NULL, 8, NET_BYTES(1, 5, 2, 6, 3, 7, 4, 8));
  m = strided(NET_DIMS(1, 2), back, 3);
  gives_bytes(&m.n, data, NULL, 2, NET_BYTES(4, 2));
  m = strided(NET_DIMS(2, 2), again, 5);
  gives_bytes(&m.n, data, NULL, 4, NET_BYTES(6, 7, 6, 7));
  m = strided(NET_DIMS(2, 2), back, 0);
  refuses(&m, ASH_D_shape_attr, "reaches outside its input");
}

static void splits_take_parts(void) {
  net n = net_new();
  int8_t first[4], second[2];
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(2, 3), 1, 0);
  const int64_t sizes[] = {2, 1};
  uint32_t outs[2], op;
  outs[0] = net_result(&n, ASH_INT8, NET_DIMS(2, 2), 1, 0);
  outs[1] = net_result(&n, ASH_INT8, NET_DIMS(2, 1), 1, 0);
  uint32_t ins[] = {x};
  CHECK_EQ(ash_graph_add_op(n.g, &op,
                            (ash_op){.kind = ASH_OP_split,
                                     .input_count = 1,
                                     .output_count = 2,
                                     .inputs = ins,
                                     .outputs = outs}),
           ASH_OK);
  net_int(&n, op, "axis", -1);
  net_ints(&n, op, "sizes", sizes, 2);
  CHECK_EQ(ash_graph_set_outputs(n.g, outs, 2), ASH_OK);
  const void *inputs[] = {NET_BYTES(1, 2, 3, 4, 5, 6)};
  void *outputs[] = {first, second};
  CHECK_EQ(ash_ref_run(n.ctx, n.g, inputs, outputs), ASH_OK);
  CHECK(memcmp(first, NET_BYTES(1, 2, 4, 5), 4) == 0);
  CHECK(memcmp(second, NET_BYTES(3, 6), 2) == 0);
  net_free(&n);
}

static void gathers_pick_and_check(void) {
  move_net m =
      move(ASH_OP_gather, NET_DIMS(2, 3), NET_DIMS(2, 2), 2, NET_INTS(2, 0));
  net_int(&m.n, m.op, "axis", -1);
  gives_bytes(&m.n, NET_BYTES(1, 2, 3, 4, 5, 6), NULL, 4,
              NET_BYTES(3, 1, 6, 4));
  m = move(ASH_OP_gather, NET_DIMS(4), NET_DIMS(3), 3, NET_INTS(-2, 4, -9));
  gives_bytes(&m.n, NET_BYTES(1, 2, 3, 4), NULL, 3, NET_BYTES(3, 4, 1));
  m = move(ASH_OP_gather, NET_DIMS(4), NET_DIMS(2), 2, NET_INTS(2, 1));
  net_int(&m.n, m.op, "batch_dims", 1);
  refuses(&m, ASH_D_shape_attr, "batch_dims is 1");
}

static void repetition_repeats(void) {
  move_net m = move(ASH_OP_tile, NET_DIMS(2, 1), NET_DIMS(4, 2), 0, NULL);
  net_ints(&m.n, m.op, "times", (const int64_t[]){2, 2}, 2);
  gives_bytes(&m.n, NET_BYTES(1, 2), NULL, 8,
              NET_BYTES(1, 1, 2, 2, 1, 1, 2, 2));
}

/* Blocks of 2, with 1 element before. */
static void set_block(move_net *m) {
  net_ints(&m->n, m->op, "block", (const int64_t[]){2}, 1);
  net_ints(&m->n, m->op, "before", (const int64_t[]){1}, 1);
  net_ints(&m->n, m->op, "after", (const int64_t[]){0}, 1);
}

static void blocks_come_and_go(void) {
  move_net m = move(ASH_OP_space_to_depth, NET_DIMS(1, 2, 2, 1),
                    NET_DIMS(1, 1, 1, 4), 0, NULL);
  net_int(&m.n, m.op, "block", 2);
  gives_bytes(&m.n, NET_BYTES(1, 2, 3, 4), NULL, 4, NET_BYTES(1, 2, 3, 4));
  m = move(ASH_OP_depth_to_space, NET_DIMS(1, 1, 2, 4), NET_DIMS(1, 2, 4, 1), 0,
           NULL);
  net_int(&m.n, m.op, "block", 2);
  gives_bytes(&m.n, NET_BYTES(1, 2, 3, 4, 5, 6, 7, 8), NULL, 8,
              NET_BYTES(1, 2, 5, 6, 3, 4, 7, 8));
  m = move(ASH_OP_space_to_batch_nd, NET_DIMS(1, 3, 1), NET_DIMS(2, 2, 1), 0,
           NULL);
  set_block(&m);
  gives_bytes(&m.n, NET_BYTES(1, 2, 3), NULL, 4, NET_BYTES(7, 2, 1, 3));
  m = move(ASH_OP_batch_to_space_nd, NET_DIMS(2, 2, 1), NET_DIMS(1, 3, 1), 0,
           NULL);
  set_block(&m);
  gives_bytes(&m.n, NET_BYTES(7, 2, 1, 3), NULL, 3, NET_BYTES(1, 2, 3));
  m = move(ASH_OP_depth_to_space, NET_DIMS(1, 1, 2, 3), NET_DIMS(1, 2, 4, 1), 0,
           NULL);
  net_int(&m.n, m.op, "block", 2);
  refuses(&m, ASH_D_shape_attr, "does not divide into the blocks");
}

static void mirrors_turn_at_the_edge(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(3), 1, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(6), 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_mirror_pad, NET_IDS(x), y);
  net_ints(&n, op, "before", (const int64_t[]){2}, 1);
  net_ints(&n, op, "after", (const int64_t[]){1}, 1);
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
  X(strided_steps_turns_and_repeats)                                           \
  X(splits_take_parts)                                                         \
  X(gathers_pick_and_check)                                                    \
  X(repetition_repeats)                                                        \
  X(blocks_come_and_go)                                                        \
  X(mirrors_turn_at_the_edge)                                                  \
  X(conditions_choose)                                                         \
  X(casts_cut_and_saturate)

TEST_MAIN(TESTS)
