/* net.c - see net.h. Whatever fails here fails the case that asked. */
#include "net.h"

net net_new(void) {
  net n = {.ctx = new_ctx()};
  CHECK_EQ(ash_graph_new(n.ctx, &n.g, "net", NULL), ASH_OK);
  return n;
}

void net_free(net *n) {
  ash_graph_free(n->g);
  ash_ctx_free(n->ctx);
}

uint32_t net_tensor(net *n, ash_tensor t, float scale, int32_t zero) {
  uint32_t id;
  if (scale != 0)
    t.quant = (ash_quant){1, 0, &scale, &zero, false};
  CHECK_EQ(ash_graph_add_tensor(n->g, &id, t), ASH_OK);
  return id;
}

uint32_t net_input(net *n, ash_type type, ash_shape shape, float scale,
                   int32_t zero) {
  const ash_tensor t = {
      .name = "x", .kind = ASH_TENSOR_INPUT, .type = type, .shape = shape};
  const uint32_t id = net_tensor(n, t, scale, zero);
  uint32_t all[64];
  CHECK(n->g->input_count < ASH_COUNT_OF(all));
  for (size_t i = 0; i < n->g->input_count; i++)
    all[i] = n->g->inputs[i];
  all[n->g->input_count] = id;
  CHECK_EQ(ash_graph_set_inputs(n->g, all, n->g->input_count + 1), ASH_OK);
  return id;
}

uint32_t net_result(net *n, ash_type type, ash_shape shape, float scale,
                    int32_t zero) {
  const ash_tensor t = {
      .name = "y", .kind = ASH_TENSOR_ACTIVATION, .type = type, .shape = shape};
  const uint32_t id = net_tensor(n, t, scale, zero);
  CHECK_EQ(ash_graph_set_outputs(n->g, &id, 1), ASH_OK);
  return id;
}

static uint32_t add_filled(net *n, ash_tensor_kind kind, ash_type type,
                           ash_shape shape, const void *data, float scale,
                           int32_t zero) {
  ash_tensor t = {.name = "c", .kind = kind, .type = type, .shape = shape};
  uint64_t bytes;
  CHECK(ash_shape_bytes(&bytes, &shape, type));
  t.data = ash_zone_copy(&n->g->zone, data, (size_t)bytes);
  return net_tensor(n, t, scale, zero);
}

uint32_t net_constant(net *n, ash_type type, ash_shape shape, const void *data,
                      float scale, int32_t zero) {
  return add_filled(n, ASH_TENSOR_CONSTANT, type, shape, data, scale, zero);
}

uint32_t net_variable(net *n, ash_type type, ash_shape shape, const void *data,
                      float scale, int32_t zero) {
  return add_filled(n, ASH_TENSOR_VARIABLE, type, shape, data, scale, zero);
}

void net_channels(net *n, uint32_t tensor, int32_t axis, const float *scales,
                  uint32_t count) {
  ash_quant *q = &n->g->tensors.items[tensor].quant;
  int32_t *zeros = ASH_NEW_ARRAY(&n->g->zone, int32_t, count);
  *q = (ash_quant){count, axis,
                   ash_zone_copy(&n->g->zone, scales, count * sizeof *scales),
                   zeros, false};
  CHECK(q->scale && zeros);
}

uint32_t net_op(net *n, uint32_t row, net_ids in, uint32_t out) {
  uint32_t id;
  const bool map = row >= ASH_OP_COUNT;
  ash_attr fn = ASH_STRING_ATTR("fn", ash_row_text(row));
  const ash_op op = {.kind = map ? ASH_OP_map : row,
                     .attrs = &fn,
                     .attr_count = map,
                     .source_index = (uint32_t)n->g->op_count,
                     .input_count = in.count,
                     .output_count = 1,
                     .inputs = in.at,
                     .outputs = &out};
  CHECK_EQ(ash_graph_add_op(n->g, &id, op), ASH_OK);
  return id;
}

void net_int(net *n, uint32_t op, const char *name, int64_t value) {
  CHECK_EQ(ash_graph_set_attr(n->g, op, ASH_INT_ATTR(name, value)), ASH_OK);
}

void net_float(net *n, uint32_t op, const char *name, double value) {
  CHECK_EQ(ash_graph_set_attr(n->g, op, ASH_FLOAT_ATTR(name, value)), ASH_OK);
}

void net_string(net *n, uint32_t op, const char *name, const char *value) {
  CHECK_EQ(ash_graph_set_attr(n->g, op, ASH_STRING_ATTR(name, value)), ASH_OK);
}

void net_ints(net *n, uint32_t op, const char *name, const int64_t *v,
              uint32_t count) {
  const ash_attr list = ASH_INTS_ATTR(name, v, count);
  CHECK_EQ(ash_graph_set_attr(n->g, op, list), ASH_OK);
}

uint32_t net_strided(net *n, uint32_t x, uint32_t y, ash_shape dims,
                     const int64_t *step, int64_t offset) {
  const uint32_t op = net_op(n, ASH_OP_strided, NET_IDS(x), y);
  int64_t dim[ASH_RANK_MAX];
  for (uint32_t i = 0; i < dims.rank; i++)
    dim[i] = dims.dim[i];
  net_ints(n, op, "dim", dim, dims.rank);
  net_ints(n, op, "step", step, dims.rank);
  net_int(n, op, "offset", offset);
  return op;
}

uint32_t net_transpose(net *n, uint32_t x, uint32_t y, const int32_t *perm) {
  const ash_shape in = n->g->tensors.items[x].shape;
  ash_shape out = {.rank = in.rank};
  int64_t stride[ASH_RANK_MAX], step[ASH_RANK_MAX], list[ASH_RANK_MAX];
  int64_t size = 1;
  for (uint32_t i = in.rank; i-- > 0; size *= in.dim[i])
    stride[i] = size;
  for (uint32_t i = 0; i < in.rank; i++) {
    out.dim[i] = in.dim[perm[i]];
    step[i] = stride[perm[i]];
    list[i] = perm[i];
  }
  const uint32_t op = net_strided(n, x, y, out, step, 0);
  net_ints(n, op, "perm", list, in.rank);
  return op;
}

uint32_t net_fold(net *n, const char *fn, uint32_t x, uint32_t y,
                  const int64_t *axes, uint32_t count) {
  const uint32_t op = net_op(n, ASH_OP_reduce, NET_IDS(x), y);
  net_string(n, op, "fn", fn);
  net_ints(n, op, "axes", axes, count);
  return op;
}
