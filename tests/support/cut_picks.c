/* cut_picks.c - random gathers and scatters, transforms and choices, to be cut
 * (cuts.h). */
#include "cuts.h"
#include "op/shape/shape.h"

enum { ROUNDS = 60 };

/* Every index that pieces_fill makes lies inside. */
static ash_shape long_shape(void) {
  ash_shape s = cut_shape();
  for (uint32_t d = 0; d < s.rank; d++)
    s.dim[d] += 2;
  return s;
}

static void gathers(void) {
  for (int i = 0; i < 2 * ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = long_shape();
    const int32_t axis = cut_pick(0, (int32_t)s.rank - 1);
    ash_shape at = cut_shape_of((uint32_t)cut_pick(1, 2), 4);
    const int32_t batch = cut_pick(0, axis < 2 ? axis : 1);
    for (int32_t d = 0; d < batch; d++)
      at.dim[d] = s.dim[d];
    const uint32_t x = cut_moved_input(&n, type, s);
    const uint32_t k = cut_moved_input(&n, ASH_INT32, at);
    const uint32_t op =
        net_op(&n, ASH_OP_gather, NET_IDS(x, k), cut_moved_result(&n, type));
    net_int(&n, op, "axis", axis);
    net_int(&n, op, "batch_dims", batch);
    (void)cut_agree(&n, op);
  }
}

static void gathers_of_positions(void) {
  for (int i = 0; i < 2 * ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = long_shape();
    const int32_t depth = cut_pick(1, (int32_t)s.rank);
    ash_shape at = cut_shape_of((uint32_t)cut_pick(1, 3), 4);
    int32_t batch = 0;
    if (i & 1 && depth < (int32_t)s.rank && at.rank > 1) {
      batch = 1;
      at.dim[0] = s.dim[0];
    }
    at.dim[at.rank - 1] = depth;
    const uint32_t x = cut_moved_input(&n, type, s);
    const uint32_t k = cut_moved_input(&n, ASH_INT32, at);
    const uint32_t op =
        net_op(&n, ASH_OP_gather_nd, NET_IDS(x, k), cut_moved_result(&n, type));
    if (batch)
      net_int(&n, op, "batch_dims", batch);
    (void)cut_agree(&n, op);
  }
}

static void elements_taken_and_put(void) {
  for (int i = 0; i < 2 * ROUNDS; i++) {
    net n = net_new();
    const ash_shape s = cut_shape();
    ash_shape at = s;
    const bool put = i & 1;
    const int32_t axis = cut_pick(0, (int32_t)s.rank - 1);
    for (uint32_t d = 0; d < s.rank; d++)
      at.dim[d] = (int32_t)d == axis ? cut_pick(1, 5)
                  : cut_pick(0, 2)   ? s.dim[d]
                                     : cut_pick(1, s.dim[d]);
    const uint32_t x = cut_moved_input(&n, ASH_FLOAT32, s);
    const uint32_t k = cut_moved_input(&n, ASH_INT64, at);
    const uint32_t u = put ? cut_moved_input(&n, ASH_FLOAT32, at) : 0;
    const uint32_t op =
        net_op(&n, put ? ASH_OP_scatter_elements : ASH_OP_gather_elements,
               put ? NET_IDS(x, k, u) : NET_IDS(x, k),
               cut_moved_result(&n, ASH_FLOAT32));
    net_int(&n, op, "axis", axis);
    if (put)
      net_string(&n, op, "fn", cut_pick(0, 1) ? "set" : "add");
    (void)cut_agree(&n, op);
  }
}

static void runs_put(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_shape s = cut_shape();
    const int32_t depth = cut_pick(1, (int32_t)s.rank), count = cut_pick(1, 4);
    ash_shape up = NET_DIMS(count);
    for (uint32_t d = (uint32_t)depth; d < s.rank; d++)
      up.dim[up.rank++] = s.dim[d];
    const uint32_t x = cut_moved_input(&n, ASH_FLOAT32, s);
    const uint32_t k = cut_moved_input(&n, ASH_INT64, NET_DIMS(count, depth));
    const uint32_t u = cut_moved_input(&n, ASH_FLOAT32, up);
    const uint32_t op = net_op(&n, ASH_OP_scatter_nd, NET_IDS(x, k, u),
                               cut_moved_result(&n, ASH_FLOAT32));
    net_string(&n, op, "fn", cut_pick(0, 1) ? "set" : "max");
    (void)cut_agree(&n, op);
  }
}

static void choices(void) {
  for (int i = 0; i < ROUNDS; i++) {
    net n = net_new();
    const ash_type type = cut_moved_type();
    const ash_shape s = cut_shape();
    const uint32_t c = cut_moved_input(&n, ASH_BOOL, cut_narrower(s));
    const uint32_t a = cut_moved_input(&n, type, s);
    const uint32_t b = cut_moved_input(&n, type, cut_narrower(s));
    (void)cut_agree(&n, net_op(&n, ASH_FN_ROW(select), NET_IDS(c, a, b),
                               cut_moved_result(&n, type)));
  }
}

static void transposed_convolutions(void) {
  for (int i = 0; i < 2 * ROUNDS; i++) {
    net n = net_new();
    static const ash_type types[][3] = {{ASH_INT8, ASH_INT8, ASH_INT32},
                                        {ASH_FLOAT32, ASH_FLOAT32, ASH_FLOAT32},
                                        {ASH_UINT8, ASH_UINT8, ASH_INT32},
                                        {ASH_INT16, ASH_INT8, ASH_INT64}};
    const ash_type *t = types[i % 4], type = t[0];
    const int32_t in[] = {cut_pick(1, 2), cut_pick(1, 5), cut_pick(1, 5),
                          cut_pick(1, 3)};
    const int32_t k[] = {cut_pick(1, 4), cut_pick(1, 4)};
    const int32_t stride[] = {cut_pick(1, 3), cut_pick(1, 3)},
                  out_c = cut_pick(1, 4);
    int32_t pad[2], out[2];
    for (uint32_t d = 0; d < 2; d++) {
      const int32_t full = (in[d + 1] - 1) * stride[d] + k[d];
      pad[d] = cut_pick(0, (k[d] - 1) / 2);
      out[d] = full - 2 * pad[d] + cut_pick(0, stride[d] - 1);
      if (out[d] < 1)
        out[d] = 1;
    }
    const uint32_t x =
        cut_input(&n, type, NET_DIMS(in[0], in[1], in[2], in[3]));
    const uint32_t w =
        cut_constant(&n, t[1], NET_DIMS(out_c, k[0], k[1], in[3]));
    const uint32_t b = cut_constant(&n, t[2], NET_DIMS(out_c));
    const uint32_t y =
        net_result(&n, type, NET_DIMS(in[0], out[0], out[1], out_c),
                   cut_scale(type), cut_zero(type, 0));
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
    (void)cut_agree(&n, op);
  }
}

static void transforms(void) {
  for (int i = 0; i < ROUNDS / 4; i++) {
    net n = net_new();
    const int64_t lengths[] = {1 << cut_pick(0, 2), 2 << cut_pick(0, 2)};
    const uint32_t x = cut_input(
        &n, ASH_FLOAT32, NET_DIMS(cut_pick(1, 4), cut_pick(1, 3), 3, 5));
    const uint32_t op =
        net_op(&n, ASH_OP_rfft2d, NET_IDS(x),
               net_result(&n, ASH_COMPLEX64, NET_DIMS(1), 0, 0));
    net_ints(&n, op, "length", lengths, 2);
    (void)cut_agree(&n, op);
  }
}

static void complex_numbers(void) {
  static const ash_op_kind kinds[] = {ASH_OP_complex_abs, ASH_OP_real,
                                      ASH_OP_imag};
  for (int i = 0; i < ROUNDS / 2; i++) {
    net n = net_new();
    const uint32_t x = net_input(&n, ASH_COMPLEX64, cut_shape(), 0, 0);
    (void)cut_agree(&n, net_op(&n, kinds[i % 3], NET_IDS(x),
                               net_result(&n, ASH_FLOAT32, NET_DIMS(1), 0, 0)));
  }
}

const check_case cut_picks[] = {
    {"gathers", gathers},
    {"gathers_of_positions", gathers_of_positions},
    {"elements_taken_and_put", elements_taken_and_put},
    {"runs_put", runs_put},
    {"choices", choices},
    {"transposed_convolutions", transposed_convolutions},
    {"transforms", transforms},
    {"complex_numbers", complex_numbers},
    {NULL, NULL},
};
