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
    const uint32_t x = cut_moved_input(&n, type, s);
    const uint32_t op = net_transpose(&n, x, cut_moved_result(&n, type), perm);
    CHECK(cut_agree(&n, op) > 0 || ash_shape_elements(&s) == 1);
  }
}

/* Transposed slices, with dimensions repeated and turned around. */
static void strided_walks(void) {
  for (int i = 0; i < 2 * ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    int64_t step[ASH_RANK_MAX], offset = 0;
    int32_t perm[ASH_RANK_MAX];
    ash_shape out = {0};
    some_order(perm, s.rank);
    for (uint32_t k = 0; k < s.rank; k++) {
      const uint32_t d = (uint32_t)perm[k];
      int64_t stride = 1;
      for (uint32_t e = d + 1; e < s.rank; e++)
        stride *= s.dim[e];
      const int32_t begin = cut_pick(0, s.dim[d] - 1), pace = cut_pick(1, 2);
      const bool back = cut_pick(0, 3) == 0;
      const int32_t most = 1 + (back ? begin : s.dim[d] - 1 - begin) / pace;
      offset += begin * stride;
      if (cut_pick(0, 4) == 0 && out.rank + (s.rank - k) < ASH_RANK_MAX) {
        step[out.rank] = 0;
        out.dim[out.rank++] = cut_pick(1, 3);
      }
      step[out.rank] = back ? -pace * stride : pace * stride;
      out.dim[out.rank++] = cut_pick(1, most);
    }
    const uint32_t x = cut_moved_input(&n, type, s);
    (void)cut_agree(
        &n, net_strided(&n, x, cut_moved_result(&n, type), out, step, offset));
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
    (void)cut_sink(&n, net_op(&n, ASH_OP_reshape, NET_IDS(x), y));
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
    for (uint32_t k = 0; k < ids.count; k++) {
      ash_shape part = s;
      part.dim[axis] = cut_pick(1, 4);
      ids.at[k] = cut_moved_input(&n, type, part);
    }
    const uint32_t op =
        net_op(&n, ASH_OP_concatenation, ids, cut_moved_result(&n, type));
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
    int64_t sizes[4];
    s.dim[axis] = 0;
    for (int32_t k = 0; k < parts; k++) {
      sizes[k] = cut_pick(1, 3);
      s.dim[axis] += (int32_t)sizes[k];
    }
    const uint32_t x = cut_moved_input(&n, type, s);
    const uint32_t op = cut_op_outputs(&n, ASH_OP_split, NET_IDS(x), type,
                                       (uint32_t)parts, NULL);
    net_int(&n, op, "axis", axis);
    net_ints(&n, op, "sizes", sizes, (uint32_t)parts);
    (void)cut_agree(&n, op);
  }
}

static void paddings(void) {
  for (int i = 0; i < 2 * ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    int64_t before[ASH_RANK_MAX], after[ASH_RANK_MAX];
    const bool mirrors = i % 3 == 2;
    for (uint32_t d = 0; d < s.rank; d++) {
      const int32_t most = mirrors ? s.dim[d] - 1 : 3;
      before[d] = cut_pick(0, most) * cut_pick(0, 1);
      after[d] = cut_pick(0, most) * cut_pick(0, 1);
    }
    const uint32_t x = cut_moved_input(&n, type, s);
    const net_ids ids = i % 3 == 1
                            ? NET_IDS(x, cut_constant(&n, type, NET_DIMS(1)))
                            : NET_IDS(x);
    const uint32_t op = net_op(&n, mirrors ? ASH_OP_mirror_pad : ASH_OP_pad,
                               ids, cut_moved_result(&n, type));
    net_ints(&n, op, "before", before, s.rank);
    net_ints(&n, op, "after", after, s.rank);
    (void)cut_agree(&n, op);
  }
}

static void repetitions(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    int64_t times[ASH_RANK_MAX];
    for (uint32_t d = 0; d < s.rank; d++)
      times[d] = cut_pick(1, 3);
    const uint32_t op =
        net_op(&n, ASH_OP_tile, NET_IDS(cut_moved_input(&n, type, s)),
               cut_moved_result(&n, type));
    net_ints(&n, op, "times", times, s.rank);
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
      const int32_t other = cut_pick(1, 2);
      const int64_t blocks[] = {block, other}, edges[] = {0, 0};
      const ash_shape s = NET_DIMS(
          back ? block * other * cut_pick(1, 2) : cut_pick(1, 2),
          block * cut_pick(1, 3), other * cut_pick(1, 3), cut_pick(1, 4));
      op = net_op(
          &n, back ? ASH_OP_batch_to_space_nd : ASH_OP_space_to_batch_nd,
          NET_IDS(cut_moved_input(&n, type, s)), cut_moved_result(&n, type));
      net_ints(&n, op, "block", blocks, 2);
      net_ints(&n, op, "before", edges, 2);
      net_ints(&n, op, "after", edges, 2);
    }
    (void)cut_agree(&n, op);
  }
}

const check_case cut_moves[] = {
    {"transpositions", transpositions},
    {"strided_walks", strided_walks},
    {"views", views},
    {"joins", joins},
    {"splits", splits},
    {"paddings", paddings},
    {"repetitions", repetitions},
    {"regrouped_images", regrouped_images},
    {NULL, NULL},
};
