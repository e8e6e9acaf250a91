/* cut_folds.c - random reductions, operators on rows and resizing, to be cut
 * (cuts.h). */
#include "cuts.h"

#include <string.h>

enum { ROUNDS = 60 };

static void cut_fold(const char *fn, ash_type type) {
  net n = net_new();
  int32_t axes[ASH_RANK_MAX];
  int64_t list[ASH_RANK_MAX];
  const ash_shape s = cut_shape();
  const uint32_t count = cut_axes(axes, s.rank);
  const bool sums = strcmp(fn, "sum") == 0 || strcmp(fn, "mean") == 0;
  const uint32_t x = cut_moved_input(&n, type, s);
  const uint32_t y = sums ? cut_result(&n, type) : cut_moved_result(&n, type);
  for (uint32_t k = 0; k < count; k++)
    list[k] = axes[k];
  const uint32_t op = net_fold(&n, fn, x, y, list, count);
  net_int(&n, op, "keep_dims", cut_pick(0, 1));
  (void)cut_agree(&n, op);
}

static void folds(void) {
  static const char *const any_type[] = {"mean", "sum", "max", "min"};
  static const char *const reals[] = {"sum", "mean",    "prod",      "max",
                                      "min", "sum_abs", "sum_square"};
  for (int i = 0; i < ROUNDS / 2; i++) {
    for (size_t k = 0; k < ASH_COUNT_OF(any_type); k++)
      cut_fold(any_type[k], cut_moved_type());
    cut_fold("mean", i & 1 ? ASH_INT16 : ASH_UINT8);
    cut_fold("sum", i & 1 ? ASH_INT16 : ASH_UINT8);
    cut_fold("any", ASH_BOOL);
    cut_fold("all", ASH_BOOL);
  }
  for (int i = 0; i < 2 * ROUNDS; i++)
    cut_fold(reals[cut_pick(0, 6)], ASH_FLOAT32);
}

static void searches(void) {
  static const char *const names[] = {"arg_max", "arg_min", "arg_max_last",
                                      "arg_min_last"};
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_shape s = cut_shape();
    const int64_t axis = cut_pick(0, (int32_t)s.rank - 1);
    const uint32_t x = cut_moved_input(&n, cut_moved_type(), s);
    const uint32_t y = cut_moved_result(&n, ASH_INT32);
    (void)cut_agree(&n, net_fold(&n, names[cut_pick(0, 3)], x, y, &axis, 1));
  }
}

static void cut_rows(ash_op_kind kind, ash_type type) {
  net n = net_new();
  const uint32_t x = cut_moved_input(&n, type, cut_shape());
  const bool logs = kind == ASH_OP_log_softmax, units = kind != ASH_OP_softmax;
  const float scale = logs ? 1.0f / 16 : units ? 1.0f / 128 : 1.0f / 256;
  const uint32_t y =
      net_result(&n, type, NET_DIMS(1), type == ASH_INT8 ? scale : 0,
                 logs    ? 127
                 : units ? 0
                         : -128);
  (void)cut_agree(&n, net_op(&n, kind, NET_IDS(x), y));
}

static void rows(void) {
  for (int i = 0; i < ROUNDS / 2; i++) {
    const ash_type type = i & 1 ? ASH_INT8 : ASH_FLOAT32;
    cut_rows(ASH_OP_softmax, type);
    cut_rows(ASH_OP_log_softmax, type);
    cut_rows(ASH_OP_l2_normalization, type);
  }
}

static void running_sums_and_the_largest(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_shape s = cut_shape();
    const int32_t axis = cut_pick(-(int32_t)s.rank, (int32_t)s.rank - 1);
    const uint32_t x = cut_moved_input(&n, ASH_FLOAT32, s);
    uint32_t op;
    if (i & 1) {
      op = net_op(&n, ASH_OP_cumsum, NET_IDS(x),
                  cut_moved_result(&n, ASH_FLOAT32));
      net_int(&n, op, "axis", axis);
    } else {
      op = cut_op_outputs(&n, ASH_OP_top_k, NET_IDS(x), ASH_FLOAT32, 2, NULL);
      ash_op_out(n.g, &n.g->ops.items[op], 1)->type = ASH_INT64;
      const uint32_t d = (uint32_t)(axis < 0 ? axis + (int32_t)s.rank : axis);
      net_int(&n, op, "axis", axis);
      net_int(&n, op, "k", cut_pick(1, s.dim[d]));
    }
    (void)cut_agree(&n, op);
  }
}

/* Lines of a single image are its rows; of several, the images are. */
static void resized_images(void) {
  for (int i = 0; i < 4 * ROUNDS; i++) {
    net n = net_new();
    const ash_type type = i & 1 ? ASH_INT8 : ASH_FLOAT32;
    ash_shape s = cut_shape_of(4, 5);
    s.dim[0] = i & 4 ? 1 : s.dim[0];
    const uint32_t x = cut_moved_input(&n, type, s);
    const int64_t size[] = {cut_pick(1, 7), cut_pick(1, 7)};
    const uint32_t op = net_op(
        &n, i & 2 ? ASH_OP_resize_bilinear : ASH_OP_resize_nearest_neighbor,
        NET_IDS(x), cut_moved_result(&n, type));
    net_ints(&n, op, "size", size, 2);
    net_int(&n, op, i & 8 ? "half_pixel_centers" : "align_corners",
            cut_pick(0, 1));
    (void)cut_agree(&n, op);
  }
}

static void resampled_axes(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_shape s = cut_shape();
    const uint32_t axis = (uint32_t)cut_pick(0, (int32_t)s.rank - 1);
    const int32_t out = cut_pick(1, 6), taps = cut_pick(1, 3);
    int32_t from[18];
    for (int32_t k = 0; k < out * taps; k++)
      from[k] = cut_pick(0, s.dim[axis] - 1);
    const uint32_t x = cut_moved_input(&n, ASH_FLOAT32, s);
    const uint32_t f =
        net_constant(&n, ASH_INT32, NET_DIMS(out, taps), from, 0, 0);
    const uint32_t w = cut_constant(&n, ASH_FLOAT32, NET_DIMS(out, taps));
    const uint32_t op = net_op(&n, ASH_OP_resample, NET_IDS(x, f, w),
                               cut_moved_result(&n, ASH_FLOAT32));
    net_int(&n, op, "axis", axis);
    (void)cut_agree(&n, op);
  }
}

const check_case cut_folds[] = {
    {"folds", folds},
    {"searches", searches},
    {"rows", rows},
    {"running_sums_and_the_largest", running_sums_and_the_largest},
    {"resized_images", resized_images},
    {"resampled_axes", resampled_axes},
    {NULL, NULL},
};
