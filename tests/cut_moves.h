/* cut_moves.h - random folds, rows, moves and picks, for tests that cut
 * them (cuts.h). */
#ifndef ASH_TESTS_CUT_MOVES_H
#define ASH_TESTS_CUT_MOVES_H

#include "cuts.h"

enum { CUT_MOVES = 60 };

static inline ash_type some_type(void) {
  static const ash_type types[] = {ASH_FLOAT32, ASH_INT8, ASH_INT32};
  return types[pick(0, 2)];
}

/* Moves keep the scale. */
static inline uint32_t data(net *n, ash_type type, ash_shape shape) {
  return net_input(n, type, shape, scale_of(type), 0);
}

static inline uint32_t moved(net *n, ash_type type) {
  return net_result(n, type, NET_DIMS(1), scale_of(type), 0);
}

/* One operator with several outputs. */
static inline uint32_t net_op_many(net *n, ash_op_kind kind, net_ids in,
                                   ash_type type, uint32_t outputs,
                                   const ash_shape *shapes) {
  uint32_t ids[6], id;
  for (uint32_t k = 0; k < outputs; k++) {
    const ash_tensor t = {.name = "y",
                          .kind = ASH_TENSOR_ACTIVATION,
                          .type = type,
                          .shape = shapes ? shapes[k] : NET_DIMS(1)};
    ids[k] = net_tensor(n, t, scale_of(type), 0);
  }
  CHECK_EQ(ash_graph_set_outputs(n->g, ids, outputs), ASH_OK);
  const ash_op op = {.kind = kind,
                     .input_count = in.count,
                     .output_count = outputs,
                     .inputs = in.at,
                     .outputs = ids};
  CHECK_EQ(ash_graph_add_op(n->g, &id, op), ASH_OK);
  return id;
}

/* ---- folds and rows ------------------------------------------------------ */

static inline uint32_t some_axes(int32_t *axes, uint32_t rank) {
  uint32_t count = 0;
  for (uint32_t d = 0; d < rank; d++)
    if (pick(0, 1))
      axes[count++] = pick(0, 1) ? (int32_t)d : (int32_t)d - (int32_t)rank;
  if (count == 0)
    axes[count++] = 0;
  return count;
}

static inline void cut_reduction(ash_op_kind kind, ash_type type) {
  net n = net_new();
  int32_t axes[ASH_RANK_MAX];
  const ash_shape s = some_shape();
  const uint32_t x = data(&n, type, s);
  const uint32_t a = vector(&n, axes, some_axes(axes, s.rank));
  const bool picks = kind == ASH_OP_reduce_max || kind == ASH_OP_reduce_min;
  const uint32_t y = picks ? moved(&n, type) : result(&n, type);
  const uint32_t op = net_op(&n, kind, NET_IDS(x, a), y);
  net_int(&n, op, "keep_dims", pick(0, 1));
  (void)agree(&n, op);
}

static inline void reductions(void) {
  static const ash_op_kind kinds[] = {ASH_OP_mean, ASH_OP_sum,
                                      ASH_OP_reduce_max, ASH_OP_reduce_min};
  for (int i = 0; i < CUT_MOVES / 2; i++) {
    for (size_t k = 0; k < ASH_COUNT_OF(kinds); k++)
      cut_reduction(kinds[k], some_type());
    cut_reduction(ASH_OP_mean, i & 1 ? ASH_INT16 : ASH_UINT8);
    cut_reduction(ASH_OP_sum, i & 1 ? ASH_INT16 : ASH_UINT8);
    cut_reduction(ASH_OP_reduce_prod, ASH_FLOAT32);
    cut_reduction(ASH_OP_reduce_any, ASH_BOOL);
    cut_reduction(ASH_OP_reduce_all, ASH_BOOL);
  }
}

static inline void general_folds(void) {
  static const char *const names[] = {"sum", "mean",    "prod",      "max",
                                      "min", "sum_abs", "sum_square"};
  for (int i = 0; i < 2 * CUT_MOVES; i++) {
    net n = net_new();
    const ash_shape s = some_shape();
    int32_t axes[ASH_RANK_MAX];
    int64_t list[ASH_RANK_MAX];
    const uint32_t count = some_axes(axes, s.rank);
    for (uint32_t k = 0; k < count; k++)
      list[k] = axes[k];
    const uint32_t op =
        net_op(&n, ASH_OP_fold, NET_IDS(data(&n, ASH_FLOAT32, s)),
               moved(&n, ASH_FLOAT32));
    net_string(&n, op, "fn", names[pick(0, 6)]);
    net_int(&n, op, "keep_dims", pick(0, 1));
    set_ints(&n, op, "axes", list, count);
    (void)agree(&n, op);
  }
}

static inline void searches(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_shape s = some_shape();
    const int32_t axis = pick(0, (int32_t)s.rank - 1);
    const uint32_t x = data(&n, some_type(), s);
    const uint32_t y = moved(&n, ASH_INT32);
    const bool general = i & 1;
    uint32_t op;
    if (general) {
      const int64_t list[] = {axis};
      op = net_op(&n, ASH_OP_fold, NET_IDS(x), y);
      net_string(&n, op, "fn", pick(0, 1) ? "arg_max" : "arg_min_last");
      set_ints(&n, op, "axes", list, 1);
    } else {
      const uint32_t a = net_constant(&n, ASH_INT32, NET_SCALAR, &axis, 0, 0);
      op = net_op(&n, pick(0, 1) ? ASH_OP_arg_max : ASH_OP_arg_min,
                  NET_IDS(x, a), y);
    }
    (void)agree(&n, op);
  }
}

static inline void cut_rows(ash_op_kind kind, ash_type type) {
  net n = net_new();
  const uint32_t x = data(&n, type, some_shape());
  const bool logs = kind == ASH_OP_log_softmax, units = kind != ASH_OP_softmax;
  const float scale = logs ? 1.0f / 16 : units ? 1.0f / 128 : 1.0f / 256;
  const uint32_t y =
      net_result(&n, type, NET_DIMS(1), type == ASH_INT8 ? scale : 0,
                 logs    ? 127
                 : units ? 0
                         : -128);
  (void)agree(&n, net_op(&n, kind, NET_IDS(x), y));
}

static inline void rows(void) {
  for (int i = 0; i < CUT_MOVES / 2; i++) {
    const ash_type type = i & 1 ? ASH_INT8 : ASH_FLOAT32;
    cut_rows(ASH_OP_softmax, type);
    cut_rows(ASH_OP_log_softmax, type);
    cut_rows(ASH_OP_l2_normalization, type);
  }
}

static inline void running_sums_and_the_largest(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_shape s = some_shape();
    const int32_t axis = pick(-(int32_t)s.rank, (int32_t)s.rank - 1);
    const uint32_t x = data(&n, ASH_FLOAT32, s);
    uint32_t op;
    if (i % 3 == 0) {
      const uint32_t a = net_constant(&n, ASH_INT32, NET_SCALAR, &axis, 0, 0);
      op = net_op(&n, ASH_OP_cumsum, NET_IDS(x, a), moved(&n, ASH_FLOAT32));
    } else if (i % 3 == 1) {
      op = net_op(&n, ASH_OP_running, NET_IDS(x), moved(&n, ASH_FLOAT32));
      net_int(&n, op, "axis", axis);
    } else {
      op = net_op_many(&n, ASH_OP_top_k, NET_IDS(x), ASH_FLOAT32, 2, NULL);
      ash_op_out(n.g, &n.g->ops.items[op], 1)->type = ASH_INT64;
      const uint32_t d = (uint32_t)(axis < 0 ? axis + (int32_t)s.rank : axis);
      net_int(&n, op, "axis", axis);
      net_int(&n, op, "k", pick(1, s.dim[d]));
    }
    (void)agree(&n, op);
  }
}

static inline void resized_images(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = i & 1 ? ASH_INT8 : ASH_FLOAT32;
    const uint32_t x = data(&n, type, some_shape_of(4, 5));
    const int32_t size[] = {pick(1, 7), pick(1, 7)};
    const uint32_t op = net_op(
        &n, i & 2 ? ASH_OP_resize_bilinear : ASH_OP_resize_nearest_neighbor,
        NET_IDS(x, vector(&n, size, 2)), moved(&n, type));
    net_int(&n, op, "half_pixel_centers", pick(0, 1));
    (void)agree(&n, op);
  }
}

static inline void resampled_axes(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_shape s = some_shape();
    const uint32_t axis = (uint32_t)pick(0, (int32_t)s.rank - 1);
    const int32_t out = pick(1, 6), taps = pick(1, 3);
    int32_t from[18];
    for (int32_t k = 0; k < out * taps; k++)
      from[k] = pick(0, s.dim[axis] - 1);
    const uint32_t x = data(&n, ASH_FLOAT32, s);
    const uint32_t f =
        net_constant(&n, ASH_INT32, NET_DIMS(out, taps), from, 0, 0);
    const uint32_t w = constant(&n, ASH_FLOAT32, NET_DIMS(out, taps));
    const uint32_t op =
        net_op(&n, ASH_OP_resample, NET_IDS(x, f, w), moved(&n, ASH_FLOAT32));
    net_int(&n, op, "axis", axis);
    (void)agree(&n, op);
  }
}

/* ---- moves --------------------------------------------------------------- */

static inline void some_order(int32_t *perm, uint32_t rank) {
  for (uint32_t i = 0; i < rank; i++)
    perm[i] = (int32_t)i;
  for (uint32_t i = rank; i-- > 1;) {
    const int32_t k = pick(0, (int32_t)i), old = perm[i];
    perm[i] = perm[k];
    perm[k] = old;
  }
}

static inline void transpositions(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    int32_t perm[ASH_RANK_MAX];
    const ash_type type = some_type();
    const ash_shape s = some_shape();
    some_order(perm, s.rank);
    const uint32_t op = net_op(
        &n, ASH_OP_transpose,
        NET_IDS(data(&n, type, s), vector(&n, perm, s.rank)), moved(&n, type));
    CHECK(agree(&n, op) > 0 || ash_shape_elements(&s) == 1);
  }
}

static inline void slices(void) {
  for (int i = 0; i < 2 * CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    const ash_shape s = some_shape();
    int32_t begin[ASH_RANK_MAX], end[ASH_RANK_MAX], step[ASH_RANK_MAX];
    const uint32_t x = data(&n, type, s);
    uint32_t op;
    for (uint32_t d = 0; d < s.rank; d++) {
      begin[d] = pick(0, s.dim[d] - 1);
      end[d] = pick(begin[d] + 1, s.dim[d]);
      step[d] = pick(1, 3);
    }
    if (i & 1) {
      for (uint32_t d = 0; d < s.rank; d++)
        end[d] -= begin[d];
      op =
          net_op(&n, ASH_OP_slice,
                 NET_IDS(x, vector(&n, begin, s.rank), vector(&n, end, s.rank)),
                 moved(&n, type));
    } else {
      const uint32_t turned = (uint32_t)pick(0, (int32_t)s.rank);
      if (turned < s.rank) {
        begin[turned] = -1;
        end[turned] = -1 - s.dim[turned];
        step[turned] = -1;
      }
      op = net_op(&n, ASH_OP_strided_slice,
                  NET_IDS(x, vector(&n, begin, s.rank), vector(&n, end, s.rank),
                          vector(&n, step, s.rank)),
                  moved(&n, type));
      if (turned > 0)
        net_int(&n, op, "shrink_axis_mask", pick(0, 1));
      net_int(&n, op, "new_axis_mask", 0);
    }
    (void)agree(&n, op);
  }
}

static inline void reversals(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    const ash_shape s = some_shape();
    int32_t axes[ASH_RANK_MAX];
    const uint32_t count = some_axes(axes, s.rank);
    const uint32_t x = data(&n, type, s);
    (void)agree(&n,
                net_op(&n, ASH_OP_reverse, NET_IDS(x, vector(&n, axes, count)),
                       moved(&n, type)));
  }
}

/* Transposed slices, with dimensions repeated, as steps and an offset. */
static inline void strided_walks(void) {
  for (int i = 0; i < 2 * CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    const ash_shape s = some_shape();
    int64_t dim[ASH_RANK_MAX + 1], step[ASH_RANK_MAX + 1], offset = 0;
    int32_t perm[ASH_RANK_MAX];
    uint32_t count = 0;
    some_order(perm, s.rank);
    for (uint32_t k = 0; k < s.rank; k++) {
      const uint32_t d = (uint32_t)perm[k];
      int64_t stride = 1;
      for (uint32_t e = d + 1; e < s.rank; e++)
        stride *= s.dim[e];
      const int32_t begin = pick(0, s.dim[d] - 1), pace = pick(1, 2);
      const int32_t most = 1 + (s.dim[d] - 1 - begin) / pace;
      offset += begin * stride;
      if (pick(0, 4) == 0) {
        dim[count] = pick(1, 3);
        step[count++] = 0;
      }
      dim[count] = pick(1, most);
      step[count++] = pace * stride;
    }
    const uint32_t op =
        net_op(&n, ASH_OP_strided, NET_IDS(data(&n, type, s)), moved(&n, type));
    set_ints(&n, op, "dim", dim, count);
    set_ints(&n, op, "step", step, count);
    net_int(&n, op, "offset", offset);
    (void)agree(&n, op);
  }
}

static inline void views(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const int32_t a = pick(1, 4), b = pick(1, 4), c = pick(1, 4);
    const ash_shape shapes[] = {NET_DIMS(a, b, c),    NET_DIMS(a * b, c),
                                NET_DIMS(a, b * c),   NET_DIMS(1, a, 1, b, c),
                                NET_DIMS(c, a * b),   NET_DIMS(a * b * c),
                                NET_DIMS(c, 1, a, b), NET_DIMS(b * c, a)};
    const ash_type type = some_type();
    const uint32_t x = data(&n, type, shapes[pick(0, 7)]);
    const uint32_t y =
        net_result(&n, type, shapes[pick(0, 7)], scale_of(type), 0);
    (void)pieces_agree(n.ctx, n.g, net_op(&n, ASH_OP_reshape, NET_IDS(x), y),
                       &rng, CUT_ROUNDS);
    net_free(&n);
  }
}

static inline void joins(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    const ash_shape s = some_shape();
    const uint32_t axis = (uint32_t)pick(0, (int32_t)s.rank - 1);
    net_ids ids = {.count = (uint32_t)pick(1, 4)};
    const bool packs = i % 3 == 2;
    for (uint32_t k = 0; k < ids.count; k++) {
      ash_shape part = s;
      if (!packs)
        part.dim[axis] = pick(1, 4);
      ids.at[k] = data(&n, type, part);
    }
    const uint32_t op = net_op(&n,
                               i % 3 == 0   ? ASH_OP_concatenation
                               : i % 3 == 1 ? ASH_OP_join
                                            : ASH_OP_pack,
                               ids, moved(&n, type));
    net_int(&n, op, "axis", axis);
    (void)agree(&n, op);
  }
}

static inline void splits(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    ash_shape s = some_shape();
    const int32_t axis = pick(0, (int32_t)s.rank - 1), parts = pick(1, 4);
    const uint32_t a = net_constant(&n, ASH_INT32, NET_SCALAR, &axis, 0, 0);
    s.dim[axis] = i % 3 == 2 ? parts : parts * pick(1, 3);
    int32_t sizes[4];
    for (int32_t k = 0; k < parts; k++)
      sizes[k] = s.dim[axis] / parts;
    const uint32_t x = data(&n, type, s);
    uint32_t op;
    if (i % 3 == 0)
      op = net_op_many(&n, ASH_OP_split, NET_IDS(x, a), type, (uint32_t)parts,
                       NULL);
    else if (i % 3 == 1)
      op = net_op_many(&n, ASH_OP_split_v,
                       NET_IDS(x, vector(&n, sizes, (uint32_t)parts), a), type,
                       (uint32_t)parts, NULL);
    else {
      op = net_op_many(&n, ASH_OP_unpack, NET_IDS(x), type, (uint32_t)parts,
                       NULL);
      net_int(&n, op, "axis", axis);
    }
    (void)agree(&n, op);
  }
}

static inline void paddings(void) {
  for (int i = 0; i < 2 * CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    const ash_shape s = some_shape();
    int32_t pads[2 * ASH_RANK_MAX] = {0};
    int64_t before[ASH_RANK_MAX], after[ASH_RANK_MAX];
    const bool mirrors = i % 3 == 2;
    for (uint32_t d = 0; d < s.rank; d++) {
      pads[2 * d] = pick(0, mirrors ? s.dim[d] - 1 : 3) * pick(0, 1);
      pads[2 * d + 1] = pick(0, mirrors ? s.dim[d] - 1 : 3) * pick(0, 1);
      before[d] = pads[2 * d];
      after[d] = pads[2 * d + 1];
    }
    const uint32_t x = data(&n, type, s);
    const uint32_t p =
        net_constant(&n, ASH_INT32, NET_DIMS((int32_t)s.rank, 2), pads, 0, 0);
    uint32_t op;
    if (i % 3 == 1) {
      op = net_op(&n, ASH_OP_fill_pad,
                  NET_IDS(x, constant(&n, type, NET_DIMS(1))), moved(&n, type));
      set_ints(&n, op, "before", before, s.rank);
      set_ints(&n, op, "after", after, s.rank);
    } else {
      op = net_op(&n, mirrors ? ASH_OP_mirror_pad : ASH_OP_pad, NET_IDS(x, p),
                  moved(&n, type));
    }
    (void)agree(&n, op);
  }
}

static inline void repetitions(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    const ash_shape s = some_shape();
    int32_t list[ASH_RANK_MAX];
    uint32_t op;
    for (uint32_t d = 0; d < s.rank; d++)
      list[d] = i % 3 == 0 ? pick(1, 3) : s.dim[d];
    if (i % 3 == 0)
      op = net_op(&n, ASH_OP_tile,
                  NET_IDS(data(&n, type, s), vector(&n, list, s.rank)),
                  moved(&n, type));
    else if (i % 3 == 1)
      op =
          net_op(&n, ASH_OP_broadcast_to,
                 NET_IDS(data(&n, type, narrower(s)), vector(&n, list, s.rank)),
                 moved(&n, type));
    else
      op = net_op(&n, ASH_OP_fill,
                  NET_IDS(vector(&n, list, s.rank), data(&n, type, NET_SCALAR)),
                  moved(&n, type));
    (void)agree(&n, op);
  }
}

static inline void regrouped_images(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    const int32_t block = pick(1, 3);
    uint32_t op;
    if (i & 1) {
      const bool deep = i & 2;
      const ash_shape s = deep ? NET_DIMS(pick(1, 2), pick(1, 4), pick(1, 4),
                                          block * block * pick(1, 3))
                               : NET_DIMS(pick(1, 2), block * pick(1, 4),
                                          block * pick(1, 4), pick(1, 3));
      op = net_op(&n, deep ? ASH_OP_depth_to_space : ASH_OP_space_to_depth,
                  NET_IDS(data(&n, type, s)), moved(&n, type));
      net_int(&n, op, "block", block);
    } else {
      const bool back = i & 2;
      const int32_t blocks[] = {block, pick(1, 2)};
      const int32_t edges[] = {0, 0, 0, 0};
      const ash_shape s =
          NET_DIMS(back ? blocks[0] * blocks[1] * pick(1, 2) : pick(1, 2),
                   blocks[0] * pick(1, 3), blocks[1] * pick(1, 3), pick(1, 4));
      const uint32_t e =
          net_constant(&n, ASH_INT32, NET_DIMS(2, 2), edges, 0, 0);
      op =
          net_op(&n, back ? ASH_OP_batch_to_space_nd : ASH_OP_space_to_batch_nd,
                 NET_IDS(data(&n, type, s), vector(&n, blocks, 2), e),
                 moved(&n, type));
    }
    (void)agree(&n, op);
  }
}

/* ---- picks --------------------------------------------------------------- */

/* Every index that pieces_fill makes lies inside. */
static inline ash_shape long_shape(void) {
  ash_shape s = some_shape();
  for (uint32_t d = 0; d < s.rank; d++)
    s.dim[d] += 2;
  return s;
}

static inline void gathers(void) {
  for (int i = 0; i < 2 * CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    const ash_shape s = long_shape();
    const int32_t axis = pick(0, (int32_t)s.rank - 1);
    ash_shape at = some_shape_of((uint32_t)pick(1, 2), 4);
    const bool general = i & 1;
    const int32_t batch = general ? 0 : pick(0, axis < 2 ? axis : 1);
    for (int32_t d = 0; d < batch; d++)
      at.dim[d] = s.dim[d];
    const uint32_t x = data(&n, type, s);
    const uint32_t k = data(&n, ASH_INT32, at);
    const uint32_t op = net_op(&n, general ? ASH_OP_take : ASH_OP_gather,
                               NET_IDS(x, k), moved(&n, type));
    net_int(&n, op, "axis", axis);
    if (!general)
      net_int(&n, op, "batch_dims", batch);
    (void)agree(&n, op);
  }
}

static inline void gathers_of_positions(void) {
  for (int i = 0; i < 2 * CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    const ash_shape s = long_shape();
    const int32_t depth = pick(1, (int32_t)s.rank);
    ash_shape at = some_shape_of((uint32_t)pick(1, 3), 4);
    const bool general = i & 1;
    int32_t batch = 0;
    if (general && depth < (int32_t)s.rank && at.rank > 1) {
      batch = 1;
      at.dim[0] = s.dim[0];
    }
    at.dim[at.rank - 1] = depth;
    const uint32_t x = data(&n, type, s);
    const uint32_t k = data(&n, ASH_INT32, at);
    const uint32_t op = net_op(&n, general ? ASH_OP_take_nd : ASH_OP_gather_nd,
                               NET_IDS(x, k), moved(&n, type));
    if (batch)
      net_int(&n, op, "batch_dims", batch);
    (void)agree(&n, op);
  }
}

static inline void elements_taken_and_put(void) {
  for (int i = 0; i < 2 * CUT_MOVES; i++) {
    net n = net_new();
    const ash_shape s = some_shape();
    ash_shape at = s;
    const bool put = i & 1;
    const int32_t axis = pick(0, (int32_t)s.rank - 1);
    for (uint32_t d = 0; d < s.rank; d++)
      at.dim[d] = (int32_t)d == axis ? pick(1, 5)
                  : pick(0, 2)       ? s.dim[d]
                                     : pick(1, s.dim[d]);
    const uint32_t x = data(&n, ASH_FLOAT32, s);
    const uint32_t k = data(&n, ASH_INT64, at);
    const uint32_t u = put ? data(&n, ASH_FLOAT32, at) : 0;
    const uint32_t op =
        net_op(&n, put ? ASH_OP_put_elements : ASH_OP_take_elements,
               put ? NET_IDS(x, k, u) : NET_IDS(x, k), moved(&n, ASH_FLOAT32));
    net_int(&n, op, "axis", axis);
    if (put)
      net_string(&n, op, "fn", pick(0, 1) ? "set" : "add");
    (void)agree(&n, op);
  }
}

static inline void runs_put(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_shape s = some_shape();
    const int32_t depth = pick(1, (int32_t)s.rank), count = pick(1, 4);
    ash_shape up = NET_DIMS(count);
    for (uint32_t d = (uint32_t)depth; d < s.rank; d++)
      up.dim[up.rank++] = s.dim[d];
    const uint32_t x = data(&n, ASH_FLOAT32, s);
    const uint32_t k = data(&n, ASH_INT64, NET_DIMS(count, depth));
    const uint32_t u = data(&n, ASH_FLOAT32, up);
    const uint32_t op =
        net_op(&n, ASH_OP_put_nd, NET_IDS(x, k, u), moved(&n, ASH_FLOAT32));
    net_string(&n, op, "fn", pick(0, 1) ? "set" : "max");
    (void)agree(&n, op);
  }
}

static inline void choices(void) {
  for (int i = 0; i < CUT_MOVES; i++) {
    net n = net_new();
    const ash_type type = some_type();
    const ash_shape s = some_shape();
    const bool old = i & 1;
    const uint32_t c = data(&n, ASH_BOOL,
                            !old              ? narrower(s)
                            : pick(0, 1) == 0 ? s
                                              : NET_DIMS(s.dim[0]));
    const uint32_t a = data(&n, type, s);
    const uint32_t b = data(&n, type, old ? s : narrower(s));
    (void)agree(&n, net_op(&n, old ? ASH_OP_select : ASH_OP_select_v2,
                           NET_IDS(c, a, b), moved(&n, type)));
  }
}

static inline void transposed_convolutions(void) {
  for (int i = 0; i < 2 * CUT_MOVES; i++) {
    net n = net_new();
    static const ash_type types[][3] = {{ASH_INT8, ASH_INT8, ASH_INT32},
                                        {ASH_FLOAT32, ASH_FLOAT32, ASH_FLOAT32},
                                        {ASH_UINT8, ASH_UINT8, ASH_INT32},
                                        {ASH_INT16, ASH_INT8, ASH_INT64}};
    const ash_type *t = types[i % 4], type = t[0];
    const int32_t in[] = {pick(1, 2), pick(1, 5), pick(1, 5), pick(1, 3)};
    const int32_t k[] = {pick(1, 4), pick(1, 4)};
    const int32_t stride[] = {pick(1, 3), pick(1, 3)}, out_c = pick(1, 4);
    int32_t pad[2], out[2];
    for (uint32_t d = 0; d < 2; d++) {
      const int32_t full = (in[d + 1] - 1) * stride[d] + k[d];
      pad[d] = pick(0, (k[d] - 1) / 2);
      out[d] = full - 2 * pad[d] + pick(0, stride[d] - 1);
      if (out[d] < 1)
        out[d] = 1;
    }
    const uint32_t x = input(&n, type, NET_DIMS(in[0], in[1], in[2], in[3]));
    const uint32_t w = constant(&n, t[1], NET_DIMS(out_c, k[0], k[1], in[3]));
    const uint32_t b = constant(&n, t[2], NET_DIMS(out_c));
    const uint32_t y =
        net_result(&n, type, NET_DIMS(in[0], out[0], out[1], out_c),
                   scale_of(type), zero_of(type, 0));
    const uint32_t op = net_op(&n, ASH_OP_transpose_conv, NET_IDS(x, w, b), y);
    net_int(&n, op, "stride_h", stride[0]);
    net_int(&n, op, "stride_w", stride[1]);
    net_int(&n, op, "pad_top", pad[0]);
    net_int(&n, op, "pad_left", pad[1]);
    net_int(&n, op, "pad_bottom", pad[0]);
    net_int(&n, op, "pad_right", pad[1]);
    ash_shape shape;
    if (ash_infer_shape(n.ctx, n.g, op, &shape) != ASH_OK) {
      net_free(&n);
      continue;
    }
    (void)agree(&n, op);
  }
}

static inline void transforms(void) {
  for (int i = 0; i < CUT_MOVES / 4; i++) {
    net n = net_new();
    const int32_t lengths[] = {1 << pick(0, 2), 2 << pick(0, 2)};
    const uint32_t x =
        input(&n, ASH_FLOAT32, NET_DIMS(pick(1, 4), pick(1, 3), 3, 5));
    const uint32_t op =
        net_op(&n, ASH_OP_rfft2d, NET_IDS(x, vector(&n, lengths, 2)),
               net_result(&n, ASH_COMPLEX64, NET_DIMS(1), 0, 0));
    (void)agree(&n, op);
  }
}

static inline void complex_numbers(void) {
  static const ash_op_kind kinds[] = {ASH_OP_complex_abs, ASH_OP_real,
                                      ASH_OP_imag};
  for (int i = 0; i < CUT_MOVES / 2; i++) {
    net n = net_new();
    const uint32_t x = net_input(&n, ASH_COMPLEX64, some_shape(), 0, 0);
    (void)agree(&n, net_op(&n, kinds[i % 3], NET_IDS(x),
                           net_result(&n, ASH_FLOAT32, NET_DIMS(1), 0, 0)));
  }
}

#define CUT_MOVES_LIST(X)                                                      \
  X(reductions)                                                                \
  X(general_folds)                                                             \
  X(searches)                                                                  \
  X(rows)                                                                      \
  X(running_sums_and_the_largest)                                              \
  X(resized_images)                                                            \
  X(resampled_axes)                                                            \
  X(transpositions)                                                            \
  X(slices)                                                                    \
  X(reversals)                                                                 \
  X(strided_walks)                                                             \
  X(views)                                                                     \
  X(joins)                                                                     \
  X(splits)                                                                    \
  X(paddings)                                                                  \
  X(repetitions)                                                               \
  X(regrouped_images)                                                          \
  X(gathers)                                                                   \
  X(gathers_of_positions)                                                      \
  X(elements_taken_and_put)                                                    \
  X(runs_put)                                                                  \
  X(choices)                                                                   \
  X(transposed_convolutions)                                                   \
  X(transforms)                                                                \
  X(complex_numbers)

#endif
