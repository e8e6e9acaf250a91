/* cuts.c - what the cases of cut_*.c share. */
#include "cuts.h"

#include "op/verify.h"
#include "pass/pass.h"

ash_rng cut_rng;

int32_t cut_pick(int32_t low, int32_t high) {
  return low + (int32_t)ash_rng_below(&cut_rng, (uint64_t)(high - low + 1));
}

float cut_scale(ash_type type) {
  return type == ASH_INT8 || type == ASH_UINT8 ? 0.0625f
         : type == ASH_INT16                   ? 0.001f
                                               : 0.0f;
}

int32_t cut_zero(ash_type type, int32_t zero) {
  return type == ASH_UINT8 ? 128 + zero : type == ASH_INT8 ? zero : 0;
}

uint32_t cut_input(net *n, ash_type type, ash_shape shape) {
  return net_input(n, type, shape, cut_scale(type), cut_zero(type, 3));
}

uint32_t cut_constant(net *n, ash_type type, ash_shape shape) {
  const ash_tensor t = {.type = type, .shape = shape};
  static uint64_t data[4096];
  pieces_fill(&cut_rng, &t, data);
  return net_constant(n, type, shape, data, cut_scale(type), cut_zero(type, 0));
}

uint32_t cut_vector(net *n, const int32_t *values, uint32_t count) {
  return net_constant(n, ASH_INT32, NET_DIMS((int32_t)count), values, 0, 0);
}

uint32_t cut_result(net *n, ash_type type) {
  return net_result(n, type, NET_DIMS(1), cut_scale(type), cut_zero(type, -5));
}

static uint32_t cut_by_reference(net *n, uint32_t op) {
  return pieces_agree(n->ctx, n->g, op, &cut_rng, CUT_ROUNDS);
}

uint32_t (*cut_sink)(net *n, uint32_t op) = cut_by_reference;

uint32_t cut_agree(net *n, uint32_t op) {
  pieces_shape(n, op);
  if (ash_pass_lower(n->ctx, n->g) != ASH_OK)
    print_newest(n->ctx);
  if (ash_op_verify(n->ctx, n->g) != ASH_OK)
    print_newest(n->ctx);
  CHECK_EQ(ash_op_verify(n->ctx, n->g), ASH_OK);
  const uint32_t axes = cut_sink(n, op);
  net_free(n);
  return axes;
}

ash_shape cut_shape_of(uint32_t rank, int32_t most) {
  ash_shape s = {.rank = rank};
  for (uint32_t i = 0; i < s.rank; i++)
    s.dim[i] = cut_pick(1, most);
  return s;
}

ash_shape cut_shape(void) {
  return cut_shape_of((uint32_t)cut_pick(1, 4), 5);
}

ash_shape cut_narrower(ash_shape s) {
  const uint32_t drop = (uint32_t)cut_pick(0, (int32_t)s.rank);
  ash_shape t = {.rank = s.rank - drop};
  for (uint32_t i = 0; i < t.rank; i++)
    t.dim[i] = cut_pick(0, 2) ? s.dim[i + drop] : 1;
  return t;
}

uint32_t cut_op_outputs(net *n, ash_op_kind kind, net_ids in, ash_type type,
                        uint32_t outputs, const ash_shape *shapes) {
  uint32_t ids[6], id;
  for (uint32_t k = 0; k < outputs; k++) {
    const ash_tensor t = {.name = "y",
                          .kind = ASH_TENSOR_ACTIVATION,
                          .type = type,
                          .shape = shapes ? shapes[k] : NET_DIMS(1)};
    ids[k] = net_tensor(n, t, cut_scale(type), 0);
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

/* ---- layers and moves --------------------------------------------------- */

void cut_window(net *n, uint32_t op, int32_t filter, bool dilates) {
  static const char *const pads[] = {"pad_top", "pad_left", "pad_bottom",
                                     "pad_right"};
  for (uint32_t i = 0; i < 4; i++)
    net_int(n, op, pads[i], cut_pick(0, filter - 1));
  net_int(n, op, "stride_h", cut_pick(1, 3));
  net_int(n, op, "stride_w", cut_pick(1, 3));
  if (dilates) {
    net_int(n, op, "dilation_h", cut_pick(1, 2));
    net_int(n, op, "dilation_w", cut_pick(1, 2));
  }
}

ash_shape cut_image(int32_t channels) {
  return NET_DIMS(cut_pick(1, 2), cut_pick(5, 9), cut_pick(5, 9), channels);
}

void cut_channel_scales(net *n, uint32_t w, int32_t axis) {
  float scales[64];
  const uint32_t count = (uint32_t)n->g->tensors.items[w].shape.dim[axis];
  for (uint32_t i = 0; i < count; i++)
    scales[i] = 0.01f + 0.003f * (float)cut_pick(0, 9);
  net_channels(n, w, axis, scales, count);
}

cut_types cut_layer(int i) {
  static const cut_types all[] = {{ASH_FLOAT32, ASH_FLOAT32, ASH_FLOAT32},
                                  {ASH_INT8, ASH_INT8, ASH_INT32},
                                  {ASH_UINT8, ASH_UINT8, ASH_INT32},
                                  {ASH_INT16, ASH_INT8, ASH_INT64},
                                  {ASH_INT16, ASH_INT8, ASH_INT32},
                                  {ASH_FLOAT32, ASH_INT8, ASH_FLOAT32}};
  return all[(size_t)i % ASH_COUNT_OF(all)];
}

bool cut_has_channels(cut_types t) {
  return t.w == ASH_INT8 && cut_pick(0, 1);
}

ash_shape cut_matrix(int32_t rows, int32_t columns, bool turned,
                     const int32_t *batches, uint32_t rank) {
  ash_shape s = {0};
  for (uint32_t i = 0; i < rank; i++)
    s.dim[s.rank++] = cut_pick(0, 2) ? batches[i] : 1;
  s.dim[s.rank++] = turned ? columns : rows;
  s.dim[s.rank++] = turned ? rows : columns;
  return s;
}

uint32_t cut_axes(int32_t *axes, uint32_t rank) {
  uint32_t count = 0;
  for (uint32_t d = 0; d < rank; d++)
    if (cut_pick(0, 1))
      axes[count++] = cut_pick(0, 1) ? (int32_t)d : (int32_t)d - (int32_t)rank;
  if (count == 0)
    axes[count++] = 0;
  return count;
}

ash_type cut_moved_type(void) {
  static const ash_type types[] = {ASH_FLOAT32, ASH_INT8, ASH_INT32};
  return types[cut_pick(0, 2)];
}

uint32_t cut_moved_input(net *n, ash_type type, ash_shape shape) {
  return net_input(n, type, shape, cut_scale(type), 0);
}

uint32_t cut_moved_result(net *n, ash_type type) {
  return net_result(n, type, NET_DIMS(1), cut_scale(type), 0);
}

/* ---- cases -------------------------------------------------------------- */

const check_case *const cut_tables[] = {cut_windows, cut_integers, cut_elements,
                                        cut_folds,   cut_moves,    cut_picks,
                                        NULL};
