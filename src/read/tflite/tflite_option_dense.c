/* tflite_option_dense.c - options of dense layers and matrix products. */
#include "read/tflite/tflite_option.h"

ash_status ash_tflite_read_fully_connected(ash_tflite_call *c) {
  if (ash_fb_u8(&c->options, 1, 0) != 0)
    return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                    ash_tflite_at_op(c->r, c->index),
                    "shuffled weights are not supported");
  ash_tflite_put_int(c, "keep_num_dims", ash_fb_bool(&c->options, 2, false));
  if (ash_op_in(c->r->g, &c->op, 0)->type == ASH_FLOAT32 &&
      ash_op_in(c->r->g, &c->op, 1)->type == ASH_INT8)
    ash_tflite_put_int(c, "asymmetric", ash_fb_bool(&c->options, 3, false));
  return ash_tflite_put_act(c, 0);
}

/* The weights [k, n] as [n, k], or as they are; leading axes of 1 go. */
static ash_status turn_weights(ash_tflite_call *c, bool turned, uint32_t *out) {
  const ash_tensor w = *ash_op_in(c->r->g, &c->op, 1);
  const uint32_t rank = w.shape.rank;
  const int32_t rows = w.shape.dim[rank - 2], columns = w.shape.dim[rank - 1];
  const size_t n = (size_t)ash_shape_elements(&w.shape);
  int8_t *data = ASH_NEW_ARRAY(&c->r->g->zone, int8_t, n + 1);
  ASH_TRY(ash_zone_check(c->r->ctx, &c->r->g->zone));
  ash_tensor t = w;
  t.id = NULL;
  t.shape = (ash_shape){2, {rows, columns}};
  t.data = (const uint8_t *)data;
  t.file_byte = UINT64_MAX;
  for (size_t i = 0; i < n; i++)
    data[i] = ((const int8_t *)w.data)[i];
  for (int32_t y = 0; !turned && y < rows; y++)
    for (int32_t x = 0; x < columns; x++)
      data[(size_t)x * (size_t)rows + (size_t)y] =
          ((const int8_t *)w.data)[(size_t)y * (size_t)columns + (size_t)x];
  if (!turned)
    t.shape = (ash_shape){2, {columns, rows}};
  return ash_graph_add_tensor(c->r->g, out, t);
}

/* Float data by constant int8 weights is a dense layer. */
static ash_status read_dense_product(ash_tflite_call *c) {
  const ash_tensor *w = ash_op_in(c->r->g, &c->op, 1);
  const ash_shape *in = ash_tflite_shape_in(c, 0);
  const uint32_t rank = w->shape.rank;
  const uint64_t n = rank < 2 ? 0
                              : (uint64_t)w->shape.dim[rank - 2] *
                                    (uint64_t)w->shape.dim[rank - 1];
  if (w->kind != ASH_TENSOR_CONSTANT || !w->data || w->quant.count != 1 ||
      n != ash_shape_elements(&w->shape) || rank > in->rank ||
      ash_fb_bool(&c->options, 0, false))
    return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                    ash_tflite_at_input(c, 1),
                    "float data needs one matrix of constant int8 weights with "
                    "one scale");
  ASH_TRY(
      turn_weights(c, ash_fb_bool(&c->options, 1, false), &c->op.inputs[1]));
  c->op.kind = ASH_OP_fully_connected;
  ash_tflite_put_int(c, "keep_num_dims", 1);
  ash_tflite_put_int(c, "asymmetric", ash_fb_bool(&c->options, 2, false));
  ash_tflite_put(c, ASH_STRING_ATTR("act", "none"));
  return ASH_OK;
}

ash_status ash_tflite_read_batch_matmul(ash_tflite_call *c) {
  if (ash_tflite_is_hybrid(c, 1))
    return read_dense_product(c);
  return ash_tflite_read_fields(c);
}
