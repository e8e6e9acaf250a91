/* test_folds.c - reductions, resizing, transposed convolution and matrix
 * products in the reference interpreter. */
#include "check.h"
#include "net.h"
#include "op/shape/shape.h"
#include "run_net.h"

static net fold_net(const char *fn, ash_type type, ash_shape out,
                    ash_type out_type, float a, float b, int64_t axis) {
  net n = net_new();
  const uint32_t x = net_input(&n, type, NET_DIMS(2, 3), a, 0);
  const uint32_t y = net_result(&n, out_type, out, b, 0);
  (void)net_fold(&n, fn, x, y, &axis, 1);
  return n;
}

static net cumsum_net(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(2, 3), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(2, 3), 0, 0);
  net_int(&n, net_op(&n, ASH_OP_cumsum, NET_IDS(x), y), "axis", 1);
  return n;
}

static net int8_fold(const char *fn, float b, int32_t axis) {
  return fold_net(fn, ASH_INT8, axis == 0 ? NET_DIMS(3) : NET_DIMS(2), ASH_INT8,
                  1, b, axis);
}

static void int8_folds(void) {
  const void *x = NET_BYTES(1, -5, 3, 10, 20, -30);
  net n = int8_fold("sum", 2, 1);
  gives_bytes(&n, x, NULL, 2,
              NET_BYTES(0, 0)); /* -0.5: the product rounds up */
  n = int8_fold("max", 1, 0);
  gives_bytes(&n, x, NULL, 3, NET_BYTES(10, 20, 3));
  n = int8_fold("min", 1, -1);
  gives_bytes(&n, x, NULL, 2, NET_BYTES(-5, -30));
  ash_shape shape;
  n = int8_fold("min", 2, -1);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, &shape), ASH_UNSUPPORTED);
  net_free(&n);
}

static void float_folds(void) {
  const void *x = NET_FLOATS(1, -5, 3, 10, 20, -30);
  net n = fold_net("sum", ASH_FLOAT32, NET_DIMS(2), ASH_FLOAT32, 0, 0, 1);
  gives_floats(&n, x, NULL, 2, NET_FLOATS(-1, 0));
  n = fold_net("prod", ASH_FLOAT32, NET_DIMS(3), ASH_FLOAT32, 0, 0, 0);
  gives_floats(&n, x, NULL, 3, NET_FLOATS(10, -100, -90));
}

static void truth_folds(void) {
  const void *x = NET_BYTES(1, 0, 1, 1, 1, 1);
  net n = fold_net("all", ASH_BOOL, NET_DIMS(2), ASH_BOOL, 0, 0, 1);
  gives_bytes(&n, x, NULL, 2, NET_BYTES(0, 1));
  n = fold_net("any", ASH_BOOL, NET_DIMS(3), ASH_BOOL, 0, 0, 0);
  gives_bytes(&n, x, NULL, 3, NET_BYTES(1, 1, 1));
}

static void the_first_of_equals_wins(void) {
  int32_t got[3];
  net n = fold_net("arg_max", ASH_INT8, NET_DIMS(2), ASH_INT32, 1, 0, 1);
  net_run(&n, NET_BYTES(1, 7, 7, -3, -9, -9), NULL, got);
  CHECK(got[0] == 1 && got[1] == 0);
  net_free(&n);
  n = fold_net("arg_min", ASH_INT8, NET_DIMS(3), ASH_INT32, 1, 0, 0);
  net_run(&n, NET_BYTES(1, 7, 7, -3, 9, 7), NULL, got);
  CHECK(got[0] == 1 && got[1] == 0 && got[2] == 0);
  net_free(&n);
}

static void running_sums_have_two_directions(void) {
  net n = cumsum_net();
  gives_floats(&n, NET_FLOATS(1, 2, 3, 4, 5, 6), NULL, 6,
               NET_FLOATS(1, 3, 6, 4, 9, 15));
  n = cumsum_net();
  net_int(&n, 0, "reverse", 1);
  net_int(&n, 0, "exclusive", 1);
  gives_floats(&n, NET_FLOATS(1, 2, 3, 4, 5, 6), NULL, 6,
               NET_FLOATS(5, 3, 0, 11, 6, 0));
}

static net resize_net(ash_op_kind kind, ash_type type) {
  net n = net_new();
  const float scale = type == ASH_INT8 ? 1 : 0;
  const uint32_t x = net_input(&n, type, NET_DIMS(1, 1, 2, 1), scale, 0);
  const uint32_t y = net_result(&n, type, NET_DIMS(1, 1, 4, 1), scale, 0);
  const uint32_t op = net_op(&n, kind, NET_IDS(x), y);
  net_ints(&n, op, "size", (const int64_t[]){1, 4}, 2);
  return n;
}

/* 0.3 and 0.7 as float32 add up to less than 1; in steps of float32, as the
 * generated code sums, 243 stays 243. */
static void weighted_sums_are_rounded_as_they_are_made(void) {
  static const int32_t at[] = {0, 1};
  static const float weights[] = {0.3f, 0.7f};
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_UINT8, NET_DIMS(2), 0, 0);
  const uint32_t from = net_constant(&n, ASH_INT32, NET_DIMS(1, 2), at, 0, 0);
  const uint32_t w =
      net_constant(&n, ASH_FLOAT32, NET_DIMS(1, 2), weights, 0, 0);
  const uint32_t y = net_result(&n, ASH_UINT8, NET_DIMS(1), 0, 0);
  net_int(&n, net_op(&n, ASH_OP_resample, NET_IDS(x, from, w), y), "axis", 0);
  gives_bytes(&n, NET_BYTES(-13, -13), NULL, 1, NET_BYTES(-13)); /* 243 */
}

static net boxes_net(uint32_t k) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(1, 3, 4), 0, 0);
  const uint32_t s = net_input(&n, ASH_FLOAT32, NET_DIMS(1, 1, 3), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT32, NET_DIMS(1, 1, 2), 0, 0);
  const uint32_t z = net_result(&n, ASH_FLOAT32, NET_DIMS(1, 1, 2), 0, 0);
  const uint32_t op = net_op(&n, ASH_OP_non_max_suppression, NET_IDS(x, s), y);
  static uint32_t outputs[2];
  outputs[0] = y;
  outputs[1] = z;
  n.g->ops.items[op].outputs = outputs;
  n.g->ops.items[op].output_count = 2;
  net_int(&n, op, "k", k);
  return n;
}

static void boxes_need_as_many_scores(void) {
  ash_shape shapes[2];
  net n = boxes_net(2);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, shapes), ASH_OK);
  CHECK_EQ(shapes[0].dim[2], 2);
  net_free(&n);
  n = boxes_net(4); /* of three */
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, shapes), ASH_MALFORMED);
  net_free(&n);
}

static net poses_net(int32_t channels) {
  static uint32_t outputs[2];
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(1, 3, 3, 17), 0, 0);
  const uint32_t s = net_input(&n, ASH_FLOAT32, NET_DIMS(1, 3, 3, 34), 0, 0);
  const uint32_t b =
      net_input(&n, ASH_FLOAT32, NET_DIMS(1, 3, 3, channels), 0, 0);
  outputs[0] = net_result(&n, ASH_FLOAT32, NET_DIMS(2, 17, 3), 0, 0);
  outputs[1] = net_result(&n, ASH_FLOAT32, NET_DIMS(2), 0, 0);
  const uint32_t op =
      net_op(&n, ASH_OP_decode_poses, NET_IDS(x, s, b), outputs[0]);
  n.g->ops.items[op].outputs = outputs;
  n.g->ops.items[op].output_count = 2;
  net_int(&n, op, "k", 2);
  return n;
}

static void poses_need_maps_of_all_joints_and_bones(void) {
  ash_shape shapes[2];
  net n = poses_net(64);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, shapes), ASH_OK);
  CHECK_EQ(shapes[0].dim[1], 17);
  CHECK_EQ(shapes[1].dim[0], 2);
  net_free(&n);
  n = poses_net(32); /* bones outwards alone */
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, shapes), ASH_MALFORMED);
  net_free(&n);
}

static void resizing_samples(void) {
  net n = resize_net(ASH_OP_resize_nearest_neighbor, ASH_INT8);
  gives_bytes(&n, NET_BYTES(10, 20), NULL, 4, NET_BYTES(10, 10, 20, 20));
  n = resize_net(ASH_OP_resize_bilinear, ASH_INT8);
  gives_bytes(&n, NET_BYTES(10, 20), NULL, 4, NET_BYTES(10, 15, 20, 20));
  n = resize_net(ASH_OP_resize_bilinear, ASH_FLOAT32);
  net_int(&n, 0, "half_pixel_centers", 1);
  gives_floats(&n, NET_FLOATS(10, 20), NULL, 4,
               NET_FLOATS(10, 12.5f, 17.5f, 20));
  n = resize_net(ASH_OP_resize_bilinear, ASH_FLOAT32);
  net_int(&n, 0, "align_corners", 1);
  gives_floats(&n, NET_FLOATS(10, 40), NULL, 4, NET_FLOATS(10, 20, 30, 40));
  ash_shape shape;
  n = resize_net(ASH_OP_resize_bilinear, ASH_FLOAT32);
  net_int(&n, 0, "align_corners", 1);
  net_int(&n, 0, "half_pixel_centers", 1);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, 0, &shape), ASH_MALFORMED);
  net_free(&n);
}

static void transposed_convolutions_spread(void) {
  net n = net_new();
  const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 1, 2, 1), 1, 0);
  const uint32_t w = net_constant(&n, ASH_INT8, NET_DIMS(1, 1, 3, 1),
                                  NET_BYTES(1, 2, 3), 1, 0);
  const uint32_t b =
      net_constant(&n, ASH_INT32, NET_DIMS(1), NET_INTS(5), 0, 0);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 1, 5, 1), 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_transpose_conv, NET_IDS(x, w, b), y);
  net_int(&n, op, "stride_w", 2);
  CHECK_EQ(ash_op_macs(n.g, op), 6);
  gives_bytes(&n, NET_BYTES(10, 1), NULL, 5,
              NET_BYTES(15, 25, 36, 7, 8)); /* 10 20 30+1 2 3, plus 5 */
}

static void outputs_of_other_sizes_are_refused(void) {
  net n = net_new();
  ash_shape shape;
  const uint32_t x = net_input(&n, ASH_FLOAT32, NET_DIMS(1, 1, 2, 1), 0, 0);
  const uint32_t w = net_constant(&n, ASH_FLOAT32, NET_DIMS(1, 1, 3, 1),
                                  NET_FLOATS(1, 2, 3), 0, 0);
  const uint32_t y = net_result(&n, ASH_FLOAT32, NET_DIMS(1, 1, 7, 1), 0, 0);
  const uint32_t op = net_op(&n, ASH_OP_transpose_conv, NET_IDS(x, w), y);
  net_int(&n, op, "stride_w", 2);
  CHECK_EQ(ash_infer_shape(n.ctx, n.g, op, &shape), ASH_MALFORMED);
  net_free(&n);
}

static void matrices_multiply_and_broadcast(void) {
  net n = net_new();
  const uint32_t a = net_input(&n, ASH_INT8, NET_DIMS(2, 1, 2), 1, 0);
  const uint32_t b = net_input(&n, ASH_INT8, NET_DIMS(3, 2), 1, 1);
  const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(2, 1, 3), 1, 0);
  const uint32_t op = net_op(&n, ASH_OP_matmul, NET_IDS(a, b), y);
  net_int(&n, op, "transpose_b", 1);
  CHECK_EQ(ash_op_macs(n.g, op), 12);
  /* rows (1, 2) and (3, 4) by columns (1, 0), (0, 1), (1, 1) */
  gives_bytes(&n, NET_BYTES(1, 2, 3, 4), NET_BYTES(2, 1, 1, 2, 2, 2), 6,
              NET_BYTES(1, 2, 3, 3, 4, 7));
}

#define TESTS(X)                                                               \
  X(int8_folds)                                                                \
  X(float_folds)                                                               \
  X(truth_folds)                                                               \
  X(the_first_of_equals_wins)                                                  \
  X(running_sums_have_two_directions)                                          \
  X(weighted_sums_are_rounded_as_they_are_made)                                \
  X(resizing_samples)                                                          \
  X(boxes_need_as_many_scores)                                                 \
  X(poses_need_maps_of_all_joints_and_bones)                                   \
  X(transposed_convolutions_spread)                                            \
  X(outputs_of_other_sizes_are_refused)                                        \
  X(matrices_multiply_and_broadcast)
TEST_MAIN(TESTS)
