/* test_compute_memory.c - layers that do not fit a compute memory even when
 * they are tiled become several that do: the results stay the same. */
#include "cuts.h"
#include "op/verify.h"
#include "pass/pass.h"
#include "run_net.h"

#include <math.h>

enum { ROUNDS = 60, VALUES = 4096 };

static void
run_both(net *n, ash_status (*pass)(ash_ctx *, ash_graph *, const ash_target *),
         size_t ops, bool exact) {
  static uint64_t in[VALUES], before[VALUES], after[VALUES];
  ash_target target = {0};
  const ash_tensor *x = &n->g->tensors.items[n->g->inputs[0]];
  pieces_shape(n, 0);
  const ash_tensor y = n->g->tensors.items[n->g->outputs[0]];
  CHECK(y.bytes <= sizeof before && x->bytes <= sizeof in);
  pieces_fill(&cut_rng, x, in);
  net_run(n, in, NULL, before);
  CHECK_EQ(pass(n->ctx, n->g, &target), ASH_OK); /* no compute memory */
  CHECK_EQ(n->g->op_count, 1);
  target.compute_bytes = 100000;
  CHECK_EQ(pass(n->ctx, n->g, &target), ASH_OK); /* it fits */
  CHECK_EQ(n->g->op_count, 1);
  target.compute_bytes = 8;
  const ash_status status = pass(n->ctx, n->g, &target);
  if (status != ASH_OK)
    print_newest(n->ctx);
  CHECK_EQ(status, ASH_OK);
  CHECK_EQ(n->g->op_count, ops);
  net_run(n, in, NULL, after);
  if (exact)
    CHECK(memcmp(before, after, (size_t)y.bytes) == 0);
  for (uint64_t i = 0; !exact && i < y.bytes / 4; i++)
    CHECK(fabsf(((float *)before)[i] - ((float *)after)[i]) <= 1e-6f);
  CHECK_EQ(ash_pass_lower(n->ctx, n->g), ASH_OK);
  CHECK_EQ(ash_op_verify(n->ctx, n->g), ASH_OK);
  net_free(n);
}

static void groups_on_images_become_layers(void) {
  for (int i = 0; i < ROUNDS; i++) {
    const cut_types t = cut_layer(i % 5); /* scales of all of an image: no */
    const int32_t groups = cut_pick(2, 4), each = cut_pick(1, 3);
    const int32_t out = groups * cut_pick(1, 3), k = cut_pick(1, 3);
    net n = net_new();
    const uint32_t x = cut_input(&n, t.x, cut_image(groups * each));
    const uint32_t w =
        cut_constant(&n, t.w, NET_DIMS(out, k, cut_pick(1, 3), each));
    const uint32_t b = cut_constant(&n, t.b, NET_DIMS(out));
    const uint32_t op = net_op(
        &n, ASH_OP_conv_2d, cut_pick(0, 2) ? NET_IDS(x, w, b) : NET_IDS(x, w),
        cut_result(&n, t.x));
    if (cut_has_channels(t))
      cut_channel_scales(&n, w, 0);
    cut_window(&n, op, k, true);
    run_both(&n, ash_pass_split_groups, (size_t)groups + 2, true);
  }
}

static void groups_in_any_dimension_become_layers(void) {
  for (int i = 0; i < ROUNDS; i++) {
    const int32_t groups = cut_pick(2, 4), each = cut_pick(1, 3);
    const int32_t out = groups * cut_pick(1, 3);
    net n = net_new();
    const uint32_t x =
        cut_input(&n, ASH_FLOAT32,
                  NET_DIMS(cut_pick(1, 2), groups * each, cut_pick(5, 9)));
    const uint32_t w =
        cut_constant(&n, ASH_FLOAT32, NET_DIMS(out, each, cut_pick(1, 3)));
    const uint32_t b = cut_constant(&n, ASH_FLOAT32, NET_DIMS(out));
    const uint32_t op = net_op(&n, ASH_OP_conv_nd, NET_IDS(x, w, b),
                               cut_result(&n, ASH_FLOAT32));
    net_int(&n, op, "groups", groups);
    run_both(&n, ash_pass_split_groups, (size_t)groups + 2, true);
  }
}

static void long_rows_become_largest_values_and_sums(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const bool scaled = cut_pick(0, 1);
    const uint32_t x = cut_input(&n, ASH_FLOAT32, cut_shape());
    const uint32_t op =
        net_op(&n, ASH_OP_softmax, NET_IDS(x), cut_result(&n, ASH_FLOAT32));
    net_float(&n, op, "beta", scaled ? 0.75 : 1.0);
    run_both(&n, ash_pass_split_softmax, scaled ? 6 : 5, false);
  }
}

#define TESTS(X)                                                               \
  X(groups_on_images_become_layers)                                            \
  X(groups_in_any_dimension_become_layers)                                     \
  X(long_rows_become_largest_values_and_sums)
TEST_MAIN(TESTS)
