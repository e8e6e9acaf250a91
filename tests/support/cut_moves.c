/* cut_moves.c - random data movement, to be cut (cuts.h). */
#include "cuts.h"

enum { ROUNDS = 60 };

static void some_order(int32_t *perm, uint32_t rank) {
  for (uint32_t i = 0; i < rank; i++)
    perm[i] = (int32_t)i;
  for (uint32_t i = rank; i-- > 1;) {
    const int32_t k = cut_pick(0, (int32_t)i), old = perm[i];
    perm[i] = perm[k];
    perm[k] = old;
  }
}

static void transpositions(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    int32_t perm[ASH_RANK_MAX];
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    some_order(perm, s.rank);
    const uint32_t op = net_op(
        &n, ASH_OP_transpose,
        NET_IDS(cut_moved_input(&n, type, s), cut_vector(&n, perm, s.rank)),
        cut_moved_result(&n, type));
    CHECK(cut_agree(&n, op) > 0 || ash_shape_elements(&s) == 1);
  }
}

static void slices(void) {
  for (int i = 0; i < 2 * ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    int32_t begin[ASH_RANK_MAX], end[ASH_RANK_MAX], step[ASH_RANK_MAX];
    const uint32_t x = cut_moved_input(&n, type, s);
    uint32_t op;
    for (uint32_t d = 0; d < s.rank; d++) {
      begin[d] = cut_pick(0, s.dim[d] - 1);
      end[d] = cut_pick(begin[d] + 1, s.dim[d]);
      step[d] = cut_pick(1, 3);
    }
    if (i & 1) {
      for (uint32_t d = 0; d < s.rank; d++)
        end[d] -= begin[d];
      op = net_op(&n, ASH_OP_slice,
                  NET_IDS(x, cut_vector(&n, begin, s.rank),
                          cut_vector(&n, end, s.rank)),
                  cut_moved_result(&n, type));
    } else {
      const uint32_t turned = (uint32_t)cut_pick(0, (int32_t)s.rank);
      if (turned < s.rank) {
        begin[turned] = -1;
        end[turned] = -1 - s.dim[turned];
        step[turned] = -1;
      }
      op = net_op(&n, ASH_OP_strided_slice,
                  NET_IDS(x, cut_vector(&n, begin, s.rank),
                          cut_vector(&n, end, s.rank),
                          cut_vector(&n, step, s.rank)),
                  cut_moved_result(&n, type));
      if (turned > 0)
        net_int(&n, op, "shrink_axis_mask", cut_pick(0, 1));
      net_int(&n, op, "new_axis_mask", 0);
    }
    (void)cut_agree(&n, op);
  }
}

static void reversals(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    int32_t axes[ASH_RANK_MAX];
    const uint32_t count = cut_axes(axes, s.rank);
    const uint32_t x = cut_moved_input(&n, type, s);
    (void)cut_agree(&n, net_op(&n, ASH_OP_reverse,
                               NET_IDS(x, cut_vector(&n, axes, count)),
                               cut_moved_result(&n, type)));
  }
}

/* Transposed slices, with dimensions repeated, as steps and an offset. */
static void strided_walks(void) {
  for (int i = 0; i < 2 * ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    int64_t dim[ASH_RANK_MAX + 1], step[ASH_RANK_MAX + 1], offset = 0;
    int32_t perm[ASH_RANK_MAX];
    uint32_t count = 0;
    some_order(perm, s.rank);
    for (uint32_t k = 0; k < s.rank; k++) {
      const uint32_t d = (uint32_t)perm[k];
      int64_t stride = 1;
      for (uint32_t e = d + 1; e < s.rank; e++)
        stride *= s.dim[e];
      const int32_t begin = cut_pick(0, s.dim[d] - 1), pace = cut_pick(1, 2);
      const int32_t most = 1 + (s.dim[d] - 1 - begin) / pace;
      offset += begin * stride;
      if (cut_pick(0, 4) == 0) {
        dim[count] = cut_pick(1, 3);
        step[count++] = 0;
      }
      dim[count] = cut_pick(1, most);
      step[count++] = pace * stride;
    }
    const uint32_t op =
        net_op(&n, ASH_OP_strided, NET_IDS(cut_moved_input(&n, type, s)),
               cut_moved_result(&n, type));
    net_ints(&n, op, "dim", dim, count);
    net_ints(&n, op, "step", step, count);
    net_int(&n, op, "offset", offset);
    (void)cut_agree(&n, op);
  }
}

static void views(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const int32_t a = cut_pick(1, 4), b = cut_pick(1, 4), c = cut_pick(1, 4);
    const ash_shape shapes[] = {NET_DIMS(a, b, c),    NET_DIMS(a * b, c),
                                NET_DIMS(a, b * c),   NET_DIMS(1, a, 1, b, c),
                                NET_DIMS(c, a * b),   NET_DIMS(a * b * c),
                                NET_DIMS(c, 1, a, b), NET_DIMS(b * c, a)};
    const ash_type type = cut_moved_type();
    const uint32_t x = cut_moved_input(&n, type, shapes[cut_pick(0, 7)]);
    const uint32_t y =
        net_result(&n, type, shapes[cut_pick(0, 7)], cut_scale(type), 0);
    (void)pieces_agree(n.ctx, n.g, net_op(&n, ASH_OP_reshape, NET_IDS(x), y),
                       &cut_rng, CUT_ROUNDS);
    net_free(&n);
  }
}

static void joins(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    const uint32_t axis = (uint32_t)cut_pick(0, (int32_t)s.rank - 1);
    net_ids ids = {.count = (uint32_t)cut_pick(1, 4)};
    const bool packs = i % 3 == 2;
    for (uint32_t k = 0; k < ids.count; k++) {
      ash_shape part = s;
      if (!packs)
        part.dim[axis] = cut_pick(1, 4);
      ids.at[k] = cut_moved_input(&n, type, part);
    }
    const uint32_t op = net_op(&n,
                               i % 3 == 0   ? ASH_OP_concatenation
                               : i % 3 == 1 ? ASH_OP_join
                                            : ASH_OP_pack,
                               ids, cut_moved_result(&n, type));
    net_int(&n, op, "axis", axis);
    (void)cut_agree(&n, op);
  }
}

static void splits(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    ash_shape s = cut_shape();
    const int32_t axis = cut_pick(0, (int32_t)s.rank - 1),
                  parts = cut_pick(1, 4);
    const uint32_t a = net_constant(&n, ASH_INT32, NET_SCALAR, &axis, 0, 0);
    s.dim[axis] = i % 3 == 2 ? parts : parts * cut_pick(1, 3);
    int32_t sizes[4];
    for (int32_t k = 0; k < parts; k++)
      sizes[k] = s.dim[axis] / parts;
    const uint32_t x = cut_moved_input(&n, type, s);
    uint32_t op;
    if (i % 3 == 0)
      op = cut_op_outputs(&n, ASH_OP_split, NET_IDS(x, a), type,
                          (uint32_t)parts, NULL);
    else if (i % 3 == 1)
      op = cut_op_outputs(&n, ASH_OP_split_v,
                          NET_IDS(x, cut_vector(&n, sizes, (uint32_t)parts), a),
                          type, (uint32_t)parts, NULL);
    else {
      op = cut_op_outputs(&n, ASH_OP_unpack, NET_IDS(x), type, (uint32_t)parts,
                          NULL);
      net_int(&n, op, "axis", axis);
    }
    (void)cut_agree(&n, op);
  }
}

static void paddings(void) {
  for (int i = 0; i < 2 * ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    int32_t pads[2 * ASH_RANK_MAX] = {0};
    int64_t before[ASH_RANK_MAX], after[ASH_RANK_MAX];
    const bool mirrors = i % 3 == 2;
    for (uint32_t d = 0; d < s.rank; d++) {
      pads[2 * d] = cut_pick(0, mirrors ? s.dim[d] - 1 : 3) * cut_pick(0, 1);
      pads[2 * d + 1] =
          cut_pick(0, mirrors ? s.dim[d] - 1 : 3) * cut_pick(0, 1);
      before[d] = pads[2 * d];
      after[d] = pads[2 * d + 1];
    }
    const uint32_t x = cut_moved_input(&n, type, s);
    const uint32_t p =
        net_constant(&n, ASH_INT32, NET_DIMS((int32_t)s.rank, 2), pads, 0, 0);
    uint32_t op;
    if (i % 3 == 1) {
      op = net_op(&n, ASH_OP_fill_pad,
                  NET_IDS(x, cut_constant(&n, type, NET_DIMS(1))),
                  cut_moved_result(&n, type));
      net_ints(&n, op, "before", before, s.rank);
      net_ints(&n, op, "after", after, s.rank);
    } else {
      op = net_op(&n, mirrors ? ASH_OP_mirror_pad : ASH_OP_pad, NET_IDS(x, p),
                  cut_moved_result(&n, type));
    }
    (void)cut_agree(&n, op);
  }
}

static void repetitions(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    int32_t list[ASH_RANK_MAX];
    uint32_t op;
    for (uint32_t d = 0; d < s.rank; d++)
      list[d] = i % 3 == 0 ? cut_pick(1, 3) : s.dim[d];
    if (i % 3 == 0)
      op = net_op(
          &n, ASH_OP_tile,
          NET_IDS(cut_moved_input(&n, type, s), cut_vector(&n, list, s.rank)),
          cut_moved_result(&n, type));
    else if (i % 3 == 1)
      op = net_op(&n, ASH_OP_broadcast_to,
                  NET_IDS(cut_moved_input(&n, type, cut_narrower(s)),
                          cut_vector(&n, list, s.rank)),
                  cut_moved_result(&n, type));
    else
      op = net_op(&n, ASH_OP_fill,
                  NET_IDS(cut_vector(&n, list, s.rank),
                          cut_moved_input(&n, type, NET_SCALAR)),
                  cut_moved_result(&n, type));
    (void)cut_agree(&n, op);
  }
}

static void regrouped_images(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const int32_t block = cut_pick(1, 3);
    uint32_t op;
    if (i & 1) {
      const bool deep = i & 2;
      const ash_shape s =
          deep ? NET_DIMS(cut_pick(1, 2), cut_pick(1, 4), cut_pick(1, 4),
                          block * block * cut_pick(1, 3))
               : NET_DIMS(cut_pick(1, 2), block * cut_pick(1, 4),
                          block * cut_pick(1, 4), cut_pick(1, 3));
      op = net_op(&n, deep ? ASH_OP_depth_to_space : ASH_OP_space_to_depth,
                  NET_IDS(cut_moved_input(&n, type, s)),
                  cut_moved_result(&n, type));
      net_int(&n, op, "block", block);
    } else {
      const bool back = i & 2;
      const int32_t blocks[] = {block, cut_pick(1, 2)};
      const int32_t edges[] = {0, 0, 0, 0};
      const ash_shape s = NET_DIMS(back ? blocks[0] * blocks[1] * cut_pick(1, 2)
                                        : cut_pick(1, 2),
                                   blocks[0] * cut_pick(1, 3),
                                   blocks[1] * cut_pick(1, 3), cut_pick(1, 4));
      const uint32_t e =
          net_constant(&n, ASH_INT32, NET_DIMS(2, 2), edges, 0, 0);
      op = net_op(
          &n, back ? ASH_OP_batch_to_space_nd : ASH_OP_space_to_batch_nd,
          NET_IDS(cut_moved_input(&n, type, s), cut_vector(&n, blocks, 2), e),
          cut_moved_result(&n, type));
    }
    (void)cut_agree(&n, op);
  }
}

const check_case cut_moves[] = {
    {"transpositions", transpositions},
    {"slices", slices},
    {"reversals", reversals},
    {"strided_walks", strided_walks},
    {"views", views},
    {"joins", joins},
    {"splits", splits},
    {"paddings", paddings},
    {"repetitions", repetitions},
    {"regrouped_images", regrouped_images},
    {NULL, NULL},
};
