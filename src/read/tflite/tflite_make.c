/* tflite_make.c - operators that one of the file becomes: makes constants and
 * operators of the graph, shapes inferred. After a failure nothing more is
 * made. */
#include "read/tflite/tflite_make.h"

#include "op/shape/shape.h"

#include <string.h>

ash_status ash_tx_refuse(const ash_tx *m, const char *what) {
  return ash_fail(m->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                  ash_tflite_at_op(m->r, m->op), "%s", what);
}

const ash_tensor *ash_tx_tensor(const ash_tx *m, uint32_t id) {
  static const ash_tensor nothing = {.shape = {4, {1, 1, 1, 1}}};
  return m->status == ASH_OK && id < m->r->g->tensor_count
             ? &m->r->g->tensors.items[id]
             : &nothing;
}

const ash_shape *ash_tx_shape(const ash_tx *m, uint32_t id) {
  return &ash_tx_tensor(m, id)->shape;
}

static void set_shape(ash_tx *m, uint32_t id, const ash_shape *shape) {
  ash_tensor *t = &m->r->g->tensors.items[id];
  t->shape = *shape;
  if (!ash_shape_bytes(&t->bytes, &t->shape, t->type))
    m->status = ash_tx_refuse(m, "a result is too large");
}

uint32_t ash_tx_make(ash_tx *m, ash_op op, ash_type type, ash_type second,
                     const ash_shape *shape) {
  ash_graph *g = m->r->g;
  ash_shape shapes[2] = {{0}};
  uint32_t outputs[2] = {ASH_NO_ID, ASH_NO_ID}, index = 0;
  const uint32_t count = second == ASH_NONE ? 1 : 2;
  for (uint32_t k = 0; k < count && m->status == ASH_OK; k++)
    m->status = ash_graph_add_tensor(
        g, &outputs[k],
        (ash_tensor){.name = "",
                     .kind = ASH_TENSOR_ACTIVATION,
                     .type = k ? second : type,
                     .shape = shape ? *shape : (ash_shape){0},
                     .file_byte = UINT64_MAX});
  op.source_index = m->op;
  op.outputs = outputs;
  op.output_count = count;
  op.id = ash_zone_format(&m->r->ctx->scratch, "%s_%s%u_%u", ash_op_text(&op),
                          m->r->prefix ? m->r->prefix : "", (unsigned)m->op,
                          (unsigned)m->steps++);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->r->ctx, &m->r->ctx->scratch);
  if (m->status == ASH_OK)
    m->status = ash_graph_add_op(g, &index, op);
  if (m->status == ASH_OK)
    m->status = ash_infer_shape(m->r->ctx, g, index, shapes);
  for (uint32_t k = 0; k < count && m->status == ASH_OK; k++)
    set_shape(m, outputs[k], &shapes[k]);
  return m->status == ASH_OK ? outputs[0] : ASH_NO_ID;
}

uint32_t ash_tx_map(ash_tx *m, ash_fn fn, const uint32_t *in, uint32_t count,
                    ash_type type) {
  ash_attr attr = ASH_STRING_ATTR("fn", ash_fn_text(fn));
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_map,
                              .inputs = (uint32_t *)(uintptr_t)in,
                              .input_count = count,
                              .attrs = &attr,
                              .attr_count = 1},
                     type, ASH_NONE, NULL);
}

uint32_t ash_tx_pair(ash_tx *m, ash_fn fn, uint32_t a, uint32_t b) {
  const uint32_t in[] = {a, b};
  const bool truth = ash_fn_result_of(fn) == ASH_FN_BOOL;
  return ash_tx_map(m, fn, in, 2, truth ? ASH_BOOL : ash_tx_tensor(m, a)->type);
}

uint32_t ash_tx_constant(ash_tx *m, ash_type type, ash_shape shape,
                         const void *data) {
  uint32_t id = ASH_NO_ID;
  uint64_t bytes = 0;
  if (m->status != ASH_OK)
    return id;
  if (!ash_shape_bytes(&bytes, &shape, type) || bytes > INT32_MAX) {
    m->status = ash_tx_refuse(m, "a result is too large");
    return id;
  }
  uint8_t *copy = ASH_NEW_ARRAY(&m->r->g->zone, uint8_t, (size_t)bytes + 1);
  m->status = ash_zone_check(m->r->ctx, &m->r->g->zone);
  if (m->status == ASH_OK && data)
    memcpy(copy, data, (size_t)bytes);
  if (m->status == ASH_OK)
    m->status = ash_graph_add_tensor(m->r->g, &id,
                                     (ash_tensor){.name = "",
                                                  .kind = ASH_TENSOR_CONSTANT,
                                                  .type = type,
                                                  .shape = shape,
                                                  .data = copy,
                                                  .file_byte = UINT64_MAX});
  return id;
}

uint32_t ash_tx_real(ash_tx *m, float x) {
  return ash_tx_constant(m, ASH_FLOAT32, (ash_shape){0}, &x);
}
uint32_t ash_tx_whole(ash_tx *m, int32_t x) {
  return ash_tx_constant(m, ASH_INT32, (ash_shape){0}, &x);
}

uint32_t ash_tx_reshape(ash_tx *m, uint32_t x, ash_shape shape) {
  return ash_tx_make(
      m, (ash_op){.kind = ASH_OP_reshape, .inputs = &x, .input_count = 1},
      ash_tx_tensor(m, x)->type, ASH_NONE, &shape);
}

uint32_t ash_tx_gather(ash_tx *m, uint32_t x, uint32_t at) {
  uint32_t in[] = {x, at};
  return ash_tx_make(
      m, (ash_op){.kind = ASH_OP_gather, .inputs = in, .input_count = 2},
      ash_tx_tensor(m, x)->type, ASH_NONE, NULL);
}

uint32_t ash_tx_columns(ash_tx *m, uint32_t x, int32_t rows, int32_t row,
                        int32_t from, int32_t count) {
  int64_t dim[] = {rows, count}, step[] = {row, 1};
  ash_attr attrs[] = {ASH_INTS_ATTR("dim", dim, 2),
                      ASH_INTS_ATTR("step", step, 2),
                      ASH_INT_ATTR("offset", from)};
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_strided,
                              .inputs = &x,
                              .input_count = 1,
                              .attrs = attrs,
                              .attr_count = 3},
                     ash_tx_tensor(m, x)->type, ASH_NONE, NULL);
}

uint32_t ash_tx_cast(ash_tx *m, uint32_t x, ash_type type) {
  return ash_tx_map(m, ASH_FN_cast, &x, 1, type);
}

void ash_tx_give(ash_tx *m, uint32_t k, uint32_t x, ash_shape shape) {
  const ash_tflite_op *op = &m->r->ops[m->op];
  if (m->status != ASH_OK || k >= op->output_count)
    return;
  uint32_t to = m->r->uses[op->outputs[k]].graph, ignored;
  const uint32_t from = ash_tx_reshape(m, x, shape);
  if (m->status == ASH_OK &&
      ash_tx_tensor(m, to)->type != ash_tx_tensor(m, from)->type)
    m->status =
        ash_tx_refuse(m, "an output has another type than the operator makes");
  if (m->status != ASH_OK)
    return;
  set_shape(m, to, &shape);
  const ash_op copy = {
      .kind = ASH_OP_reshape,
      .source_index = m->op,
      .id = ash_zone_format(&m->r->ctx->scratch, "reshape_%s%u_%u",
                            m->r->prefix ? m->r->prefix : "", (unsigned)m->op,
                            (unsigned)m->steps++),
      .inputs = (uint32_t *)(uintptr_t)&from,
      .input_count = 1,
      .outputs = &to,
      .output_count = 1};
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->r->ctx, &m->r->ctx->scratch);
  if (m->status == ASH_OK)
    m->status = ash_graph_add_op(m->r->g, &ignored, copy);
}

uint32_t ash_tx_input(ash_tx *m, uint32_t k) {
  const ash_tflite_op *op = &m->r->ops[m->op];
  if (m->status == ASH_OK &&
      (k >= op->input_count || op->inputs[k] == ASH_NO_ID))
    m->status = ash_tx_refuse(m, "an input is absent");
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  uint32_t id = m->r->uses[op->inputs[k]].graph;
  const ash_type type = ash_tx_tensor(m, id)->type;
  if (type != ASH_INT8 && type != ASH_UINT8)
    return id;
  return ash_tx_make(
      m, (ash_op){.kind = ASH_OP_dequantize, .inputs = &id, .input_count = 1},
      ASH_FLOAT32, ASH_NONE, NULL);
}

/* ---- which operators ----------------------------------------------------- */

enum { CUSTOM = 32, FOLDED_MAX = 1 << 20 /* bytes */ };

static const struct {
  int32_t builtin;
  const char *custom; /* name of a custom operator */
  void (*read)(ash_tx *m);
} made[] = {
    {120, NULL, ash_tflite_suppression},
    {121, NULL, ash_tflite_soft_suppression},
    {122, NULL, ash_tflite_scatter_nd},
    {CUSTOM, "TFLite_Detection_PostProcess", ash_tflite_post_process},
    {CUSTOM, "PosenetDecoderOp", ash_tflite_decode_poses},
    {CUSTOM, "MaxPoolingWithArgmax2D", ash_tflite_pool_places},
    {CUSTOM, "MaxUnpooling2D", ash_tflite_unpool},
    {CUSTOM, "Convolution2DTransposeBias", ash_tflite_transpose_conv_bias},
    {CUSTOM, "SignalWindow", ash_tflite_window},
    {CUSTOM, "SignalFftAutoScale", ash_tflite_auto_scale},
    {CUSTOM, "SignalRfft", ash_tflite_rfft},
    {CUSTOM, "SignalEnergy", ash_tflite_energy},
    {CUSTOM, "SignalFilterBank", ash_tflite_filter_bank},
    {CUSTOM, "SignalFilterBankSquareRoot", ash_tflite_filter_root},
    {CUSTOM, "SignalFilterBankSpectralSubtraction",
     ash_tflite_spectral_subtraction},
    {CUSTOM, "SignalPCAN", ash_tflite_pcan},
    {CUSTOM, "SignalFilterBankLog", ash_tflite_filter_log},
};

static size_t find_made(const ash_tflite_code *code) {
  size_t i = 0;
  while (i < ASH_COUNT_OF(made) &&
         (made[i].builtin != code->builtin ||
          (made[i].custom &&
           (!code->custom || strcmp(made[i].custom, code->custom) != 0))))
    i++;
  return i;
}

bool ash_tflite_is_made(const ash_tflite_code *code) {
  return find_made(code) < ASH_COUNT_OF(made);
}

ash_status ash_tflite_add_made(ash_tflite *r, uint32_t op) {
  const size_t which = find_made(r->ops[op].code);
  const ash_mark mark = ash_zone_mark(&r->ctx->scratch);
  const size_t first = r->g->op_count;
  ash_tx m = {.r = r, .op = op};
  ASH_ASSERT(which < ASH_COUNT_OF(made));
  ash_tflite_spread_loose(r, op);
  made[which].read(&m);
  if (m.status == ASH_OK) /* anchors, as numbers and column by column */
    m.status = ash_tflite_fold(r, first, FOLDED_MAX);
  ash_zone_rewind(&r->ctx->scratch, mark);
  return m.status;
}
