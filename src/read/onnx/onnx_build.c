/* onnx_build.c - adding operators: shapes inferred, constants computed. */
#include "op/shape/shape.h"
#include "read/onnx/onnx_import.h"
#include "ref/ref.h"

#include <string.h>

/* Larger results are left to run time, and what makes a model larger by more
 * than that in sum. */
enum { FOLD_BYTES_MAX = 1 << 29 };

/* ---- constants ----------------------------------------------------------- */

uint32_t ash_ox_constant(ash_ox *m, ash_type type, ash_shape shape,
                         const void *data) {
  uint64_t bytes = 0;
  uint32_t id = ASH_NO_ID;
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  if (!ash_shape_bytes(&bytes, &shape, type)) {
    ash_ox_bad(m, "a constant has an impossible shape");
    return ASH_NO_ID;
  }
  uint8_t *copy = ASH_NEW_ARRAY(&m->g->zone, uint8_t, (size_t)bytes + 1);
  if (!copy) {
    m->status = ash_nomem(m->ctx);
    return ASH_NO_ID;
  }
  if (data && bytes)
    memcpy(copy, data, (size_t)bytes);
  m->status = ash_graph_add_tensor(m->g, &id,
                                   (ash_tensor){.name = "",
                                                .kind = ASH_TENSOR_CONSTANT,
                                                .type = type,
                                                .shape = shape,
                                                .data = copy,
                                                .file_byte = UINT64_MAX});
  return id;
}

/* Beyond 64 bits, or no number: 0, as `cast` has it. */
static int64_t integer_of(double value) {
  static const double two63 = 9223372036854775808.0;
  return value >= -two63 && value < two63 ? (int64_t)value : 0;
}

/* An element of any type, little-endian. */
static void encode(uint8_t *to, ash_type type, double value) {
  const float f = (float)value;
  const int64_t i = ash_type_is_float(type) ? 0 : integer_of(value);
  uint64_t bits = (uint64_t)i;
  uint32_t word;
  memcpy(&word, &f, sizeof word);
  if (type == ASH_FLOAT32)
    bits = word;
  else if (type == ASH_FLOAT64)
    memcpy(&bits, &value, sizeof bits);
  else if (type == ASH_BFLOAT16)
    bits = word >> 16;
  for (uint32_t b = 0; b < ash_type_bits(type) / 8; b++)
    to[b] = (uint8_t)(bits >> (8 * b));
}

uint32_t ash_ox_scalar(ash_ox *m, ash_type type, double value) {
  const ash_type stored = type == ASH_FLOAT16 ? ASH_FLOAT32 : type;
  uint8_t bytes[8];
  encode(bytes, stored, value);
  const uint32_t scalar = ash_ox_constant(m, stored, (ash_shape){0}, bytes);
  /* A half is rounded by the interpreter. */
  return stored == type ? scalar : ash_ox_cast(m, scalar, type);
}

uint32_t ash_ox_ints32(ash_ox *m, const int64_t *values, uint32_t count) {
  uint8_t *bytes =
      ASH_NEW_ARRAY(&m->ctx->scratch, uint8_t, 4 * (size_t)count + 1);
  if (!bytes) {
    m->status = ash_nomem(m->ctx);
    return ASH_NO_ID;
  }
  for (size_t i = 0; i < count; i++)
    encode(bytes + 4 * i, ASH_INT32, (double)values[i]);
  return ash_ox_constant(m, ASH_INT32, (ash_shape){1, {(int32_t)count}}, bytes);
}

uint32_t ash_ox_iota(ash_ox *m, ash_type type, int32_t count, uint32_t rank,
                     uint32_t axis) {
  const size_t width = ash_type_bits(type) / 8;
  ash_shape shape = {.rank = rank};
  uint8_t *bytes =
      ASH_NEW_ARRAY(&m->ctx->scratch, uint8_t, width * (size_t)count + 1);
  if (!bytes) {
    m->status = ash_nomem(m->ctx);
    return ASH_NO_ID;
  }
  for (int32_t i = 0; i < count; i++)
    encode(bytes + (size_t)i * width, type, i);
  for (uint32_t i = 0; i < rank; i++)
    shape.dim[i] = i == axis ? count : 1;
  return ash_ox_constant(m, type, shape, bytes);
}

/* ---- operators ----------------------------------------------------------- */

static bool all_constant(const ash_ox *m, const ash_op *op) {
  for (uint32_t k = 0; k < op->input_count; k++)
    if (op->inputs[k] != ASH_NO_ID && !ash_ox_is_constant(m, op->inputs[k]))
      return false;
  return ash_ref_knows(op->kind);
}

/* Runs the newest operator now and makes its outputs constants. */
static ash_status compute(ash_ox *m) {
  ASH_TRY(ash_ref_compute(m->ctx, m->g, (uint32_t)m->g->op_count - 1));
  m->g->op_count--;
  return ASH_OK;
}

/* Bytes of results less those of the constants that they are made of. */
static uint64_t growth_of(const ash_ox *m, const ash_op *op, uint64_t total) {
  uint64_t in = 0;
  for (uint32_t k = 0; k < op->input_count; k++)
    in += op->inputs[k] == ASH_NO_ID ? 0 : ash_op_in(m->g, op, k)->bytes;
  return total > in ? total - in : 0;
}

static ash_status infer(ash_ox *m, uint32_t index) {
  ash_graph *g = m->g;
  const ash_op *op = &g->ops.items[index];
  ash_shape shapes[8];
  uint64_t total = 0;
  ASH_TRY(ash_infer_shape(m->ctx, g, index, shapes));
  for (uint32_t k = 0; k < op->output_count; k++) {
    ash_tensor *t = ash_op_out(g, op, k);
    t->shape = shapes[k];
    if (!ash_shape_bytes(&t->bytes, &t->shape, t->type))
      return ash_fail(m->ctx, ASH_MALFORMED, ASH_D_graph_shape,
                      ash_graph_loc(g, index, op->outputs[k]),
                      "the result is too large");
    total += t->bytes;
  }
  const uint64_t growth = growth_of(m, op, total);
  if (!all_constant(m, op) || total > FOLD_BYTES_MAX ||
      growth > FOLD_BYTES_MAX - m->grown)
    return ASH_OK;
  m->grown += growth;
  return compute(m);
}

static ash_status add(ash_ox *m, const ash_ox_op *op, const uint32_t *inputs,
                      uint32_t input_count, const ash_type *types,
                      uint32_t output_count, uint32_t *outputs) {
  ash_graph *g = m->g;
  uint32_t index;
  for (uint32_t k = 0; k < output_count; k++)
    ASH_TRY(ash_graph_add_tensor(
        g, &outputs[k],
        (ash_tensor){.name = "",
                     .kind = ASH_TENSOR_ACTIVATION,
                     .type = types[k],
                     .shape = op->shape ? *op->shape : (ash_shape){0},
                     .file_byte = UINT64_MAX}));
  const char *name =
      op->kind == ASH_OP_map ? op->attrs[0].s : ash_op_kind_text(op->kind);
  const char *id = ash_zone_format(&g->zone, "%s_%u", name, m->made++);
  ASH_TRY(ash_zone_check(m->ctx, &g->zone));
  ASH_TRY(ash_graph_add_op(
      g, &index,
      (ash_op){.kind = op->kind,
               .source_index = m->node_index,
               .id = id,
               .name = m->node && *m->node->name ? m->node->name : NULL,
               .input_count = input_count,
               .output_count = output_count,
               .attr_count = op->attr_count,
               .inputs = (uint32_t *)(uintptr_t)inputs,
               .outputs = outputs,
               .attrs = (ash_attr *)(uintptr_t)op->attrs}));
  return infer(m, index);
}

void ash_ox_add_any(ash_ox *m, const ash_ox_op *op, const uint32_t *inputs,
                    uint32_t input_count, const ash_type *types,
                    uint32_t output_count, uint32_t *outputs) {
  const ash_mark mark = ash_zone_mark(&m->ctx->scratch);
  for (uint32_t k = 0; k < output_count; k++)
    outputs[k] = ASH_NO_ID;
  if (m->status == ASH_OK)
    m->status = add(m, op, inputs, input_count, types, output_count, outputs);
  ash_zone_rewind(&m->ctx->scratch, mark);
}

uint32_t ash_ox_add_op(ash_ox *m, const ash_ox_op *op) {
  uint32_t out = ASH_NO_ID;
  ash_ox_add_any(m, op, op->inputs, op->input_count, &op->type, 1, &out);
  return out;
}

/* ---- element by element -------------------------------------------------- */

static ash_type result_of(const ash_ox *m, ash_fn fn, uint32_t a, uint32_t b) {
  switch (ash_fn_result_of(fn)) {
  case ASH_FN_BOOL:
    return ASH_BOOL;
  case ASH_FN_SECOND:
    return ash_ox_type(m, b);
  default:
    return ash_ox_type(m, a);
  }
}

static uint32_t map(ash_ox *m, ash_fn fn, const uint32_t *in, uint32_t count,
                    ash_type type) {
  ash_ox_op op = {.kind = ASH_OP_map,
                  .input_count = count,
                  .attrs = {ASH_STRING_ATTR("fn", ash_fn_text(fn))},
                  .attr_count = 1,
                  .type = type};
  for (uint32_t i = 0; i < count; i++)
    op.inputs[i] = in[i];
  return ash_ox_add_op(m, &op);
}

uint32_t ash_ox_map1(ash_ox *m, ash_fn fn, uint32_t a) {
  return map(m, fn, &a, 1, result_of(m, fn, a, a));
}

uint32_t ash_ox_map2(ash_ox *m, ash_fn fn, uint32_t a, uint32_t b) {
  const uint32_t in[] = {a, b};
  return map(m, fn, in, 2, result_of(m, fn, a, b));
}

uint32_t ash_ox_map3(ash_ox *m, ash_fn fn, uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t in[] = {a, b, c};
  return map(m, fn, in, 3, result_of(m, fn, a, b));
}

uint32_t ash_ox_with(ash_ox *m, ash_fn fn, uint32_t a, double number) {
  return ash_ox_map2(m, fn, a, ash_ox_scalar(m, ash_ox_type(m, a), number));
}

uint32_t ash_ox_cast(ash_ox *m, uint32_t a, ash_type type) {
  return ash_ox_type(m, a) == type ? a : map(m, ASH_FN_cast, &a, 1, type);
}

uint32_t ash_ox_saturate(ash_ox *m, uint32_t a, ash_type type) {
  return map(m, ASH_FN_saturate, &a, 1, type);
}

uint32_t ash_ox_unary(ash_ox *m, ash_op_kind kind, uint32_t a) {
  return ash_ox_add_op(m, &(ash_ox_op){.kind = kind,
                                       .inputs = {a},
                                       .input_count = 1,
                                       .type = ash_ox_type(m, a)});
}

/* ---- moving -------------------------------------------------------------- */

uint32_t ash_ox_reshape(ash_ox *m, uint32_t a, ash_shape shape) {
  if (ash_shape_equal(ash_ox_shape(m, a), &shape))
    return a;
  return ash_ox_add_op(m, &(ash_ox_op){.kind = ASH_OP_reshape,
                                       .inputs = {a},
                                       .input_count = 1,
                                       .type = ash_ox_type(m, a),
                                       .shape = &shape});
}

static uint32_t add_strided(ash_ox *m, uint32_t a, const ash_shape *shape,
                            const int64_t *step, int64_t offset,
                            const uint32_t *perm) {
  int64_t dim[ASH_RANK_MAX], order[ASH_RANK_MAX];
  for (uint32_t i = 0; i < shape->rank; i++) {
    dim[i] = shape->dim[i];
    order[i] = perm ? perm[i] : 0;
  }
  return ash_ox_add_op(
      m, &(ash_ox_op){.kind = ASH_OP_strided,
                      .inputs = {a},
                      .input_count = 1,
                      .attrs = {ASH_INTS_ATTR("dim", dim, shape->rank),
                                ASH_INTS_ATTR("step", step, shape->rank),
                                ASH_INT_ATTR("offset", offset),
                                ASH_INTS_ATTR("perm", order, shape->rank)},
                      .attr_count = perm ? 4 : 3,
                      .type = ash_ox_type(m, a)});
}

uint32_t ash_ox_strided(ash_ox *m, uint32_t a, const ash_shape *shape,
                        const int64_t *step, int64_t offset) {
  return add_strided(m, a, shape, step, offset, NULL);
}

/* Elements to the next index along each axis. */
static void steps_of(const ash_shape *s, int64_t *step) {
  int64_t n = 1;
  for (uint32_t i = s->rank; i-- > 0; n *= s->dim[i])
    step[i] = n;
}

/* A transposition that moves only axes of one element is a reshape. */
uint32_t ash_ox_transpose(ash_ox *m, uint32_t a, const uint32_t *perm) {
  const ash_shape in = *ash_ox_shape(m, a);
  ash_shape out = {.rank = in.rank};
  int64_t from[ASH_RANK_MAX], step[ASH_RANK_MAX], last = -1;
  bool moves = false;
  steps_of(&in, from);
  for (uint32_t i = 0; i < in.rank; i++) {
    out.dim[i] = in.dim[perm[i]];
    step[i] = from[perm[i]];
    if (out.dim[i] == 1)
      continue;
    moves = moves || (int64_t)perm[i] < last;
    last = perm[i];
  }
  return moves ? add_strided(m, a, &out, step, 0, perm)
               : ash_ox_reshape(m, a, out);
}

uint32_t ash_ox_channels_first(ash_ox *m, uint32_t a) {
  const uint32_t rank = ash_ox_rank(m, a);
  uint32_t perm[ASH_RANK_MAX] = {0};
  for (uint32_t i = 1; i < rank; i++)
    perm[i] = i == 1 ? rank - 1 : i - 1;
  return ash_ox_transpose(m, a, perm);
}

uint32_t ash_ox_channels_last(ash_ox *m, uint32_t a) {
  const uint32_t rank = ash_ox_rank(m, a);
  uint32_t perm[ASH_RANK_MAX] = {0};
  for (uint32_t i = 1; i < rank; i++)
    perm[i] = i + 1 < rank ? i + 1 : 1;
  return ash_ox_transpose(m, a, perm);
}

uint32_t ash_ox_expand(ash_ox *m, uint32_t a, const ash_shape *to) {
  const ash_shape in = *ash_ox_shape(m, a);
  int64_t from[ASH_RANK_MAX] = {0}, step[ASH_RANK_MAX] = {0};
  if (ash_shape_equal(&in, to))
    return a;
  if (in.rank > to->rank) {
    ash_ox_bad(m, "a tensor cannot be expanded to fewer dimensions");
    return ASH_NO_ID;
  }
  steps_of(&in, from);
  for (uint32_t i = 0; i < in.rank; i++) {
    const uint32_t d = i + to->rank - in.rank;
    step[d] = in.dim[i] == 1 ? 0 : from[i];
    if (in.dim[i] != 1 && in.dim[i] != to->dim[d])
      ash_ox_bad(m, "shapes cannot be broadcast together");
  }
  return ash_ox_strided(m, a, to, step, 0);
}

uint32_t ash_ox_slice(ash_ox *m, uint32_t a, uint32_t axis, int64_t start,
                      int64_t step, int64_t count) {
  ash_shape out = *ash_ox_shape(m, a);
  int64_t steps[ASH_RANK_MAX];
  if (m->status != ASH_OK || axis >= out.rank)
    return ASH_NO_ID;
  if (start == 0 && step == 1 && count == out.dim[axis])
    return a;
  steps_of(&out, steps);
  const int64_t offset = start * steps[axis];
  steps[axis] *= step;
  if (count < 1 || count > INT32_MAX) {
    ash_ox_refuse(m, "a result without elements");
    return ASH_NO_ID;
  }
  out.dim[axis] = (int32_t)count;
  return ash_ox_strided(m, a, &out, steps, offset);
}

uint32_t ash_ox_gather(ash_ox *m, uint32_t a, uint32_t index, uint32_t axis) {
  return ash_ox_add_op(m, &(ash_ox_op){.kind = ASH_OP_gather,
                                       .inputs = {a, index},
                                       .input_count = 2,
                                       .attrs = {ASH_INT_ATTR("axis", axis)},
                                       .attr_count = 1,
                                       .type = ash_ox_type(m, a)});
}

uint32_t ash_ox_join(ash_ox *m, const uint32_t *ids, uint32_t count,
                     uint32_t axis) {
  const ash_ox_op op = {.kind = ASH_OP_concatenation,
                        .attrs = {ASH_INT_ATTR("axis", axis)},
                        .attr_count = 1};
  const ash_type type = ash_ox_type(m, ids[0]);
  uint32_t out;
  if (count == 1)
    return ids[0];
  ash_ox_add_any(m, &op, ids, count, &type, 1, &out);
  return out;
}

uint32_t ash_ox_pad(ash_ox *m, uint32_t a, const int64_t *before,
                    const int64_t *after, uint32_t value) {
  const uint32_t rank = ash_ox_rank(m, a);
  bool any = false;
  for (uint32_t i = 0; i < rank; i++)
    any = any || before[i] || after[i];
  if (!any)
    return a;
  return ash_ox_add_op(
      m, &(ash_ox_op){.kind = ASH_OP_pad,
                      .inputs = {a, value},
                      .input_count = 2,
                      .attrs = {ASH_INTS_ATTR("before", before, rank),
                                ASH_INTS_ATTR("after", after, rank)},
                      .attr_count = 2,
                      .type = ash_ox_type(m, a)});
}

/* ---- sums ---------------------------------------------------------------- */

uint32_t ash_ox_fold(ash_ox *m, ash_fold fold, uint32_t a, uint32_t axes,
                     bool keep) {
  int64_t list[ASH_RANK_MAX];
  uint32_t count = 0;
  const ash_type type = ash_ox_type(m, a);
  for (uint32_t i = 0; i < ash_ox_rank(m, a); i++)
    if (axes >> i & 1)
      list[count++] = i;
  return ash_ox_add_op(
      m, &(ash_ox_op){.kind = ASH_OP_reduce,
                      .inputs = {a},
                      .input_count = 1,
                      .attrs = {ASH_STRING_ATTR("fn", ash_fold_text(fold)),
                                ASH_INTS_ATTR("axes", list, count),
                                ASH_INT_ATTR("keep_dims", keep)},
                      .attr_count = 3,
                      .type = fold >= ASH_FOLD_ARG_MAX ? ASH_INT64 : type});
}

uint32_t ash_ox_matmul(ash_ox *m, uint32_t a, uint32_t b) {
  return ash_ox_add_op(m, &(ash_ox_op){.kind = ASH_OP_matmul,
                                       .inputs = {a, b},
                                       .input_count = 2,
                                       .type = ash_ox_type(m, a)});
}

uint32_t ash_ox_dense(ash_ox *m, uint32_t x, uint32_t w, uint32_t bias) {
  return ash_ox_add_op(m,
                       &(ash_ox_op){.kind = ASH_OP_fully_connected,
                                    .inputs = {x, w, bias},
                                    .input_count = bias == ASH_NO_ID ? 2 : 3,
                                    .attrs = {ASH_INT_ATTR("keep_num_dims", 1)},
                                    .attr_count = 1,
                                    .type = ASH_FLOAT32});
}
