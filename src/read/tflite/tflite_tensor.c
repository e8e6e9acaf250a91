/* tflite_tensor.c - one tensor of a TFLite file: type, shape, quantisation and
 * constant bytes, each checked against the others before the graph sees it. */
#include "base/text.h"
#include "read/given.h"
#include "read/tflite/tflite_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Fields of the format's tables, by number. */
enum { /* Tensor */
       TENSOR_SHAPE = 0,
       TENSOR_TYPE = 1,
       TENSOR_BUFFER = 2,
       TENSOR_NAME = 3,
       TENSOR_QUANTIZATION = 4,
       TENSOR_IS_VARIABLE = 5,
       TENSOR_SPARSITY = 6,
       TENSOR_SHAPE_SIGNATURE = 7,
       TENSOR_HAS_RANK = 8,
       TENSOR_EXTERNAL_BUFFER = 10,
};
enum { /* QuantizationParameters; 0 and 1 are observed ranges */
       QUANT_SCALE = 2,
       QUANT_ZERO_POINT = 3,
       QUANT_DETAILS_TYPE = 4,
       QUANT_DETAILS = 5,
       QUANT_AXIS = 6,
};
enum { /* BlockwiseQuantization, number 2 of the details */
       BLOCKWISE = 2,
       BLOCK_SCALES = 0,
       BLOCK_ZEROS = 1,
       BLOCK_SIZE = 2,
};
enum { /* Buffer */
       BUFFER_DATA = 0,
       BUFFER_OFFSET = 1,
       BUFFER_SIZE = 2,
};

/* Element types, by the file's number. */
static const struct {
  const char *text;
  ash_type type; /* ASH_NONE: not supported */
} types[] = {
    {"float32", ASH_FLOAT32},     {"float16", ASH_FLOAT16},
    {"int32", ASH_INT32},         {"uint8", ASH_UINT8},
    {"int64", ASH_INT64},         {"string", ASH_NONE},
    {"bool", ASH_BOOL},           {"int16", ASH_INT16},
    {"complex64", ASH_COMPLEX64}, {"int8", ASH_INT8},
    {"float64", ASH_FLOAT64},     {"complex128", ASH_NONE},
    {"uint64", ASH_UINT64},       {"resource", ASH_NONE},
    {"variant", ASH_NONE},        {"uint32", ASH_UINT32},
    {"uint16", ASH_UINT16},       {"int4", ASH_INT4},
    {"bfloat16", ASH_BFLOAT16},   {"int2", ASH_NONE},
    {"uint4", ASH_UINT4},         {"float8_e4m3fn", ASH_NONE},
    {"float8_e5m2", ASH_NONE},
};

/* A tensor while it is read. */
typedef struct draft {
  ash_tflite *r;
  uint32_t index;
  ash_fb_table table, blocks; /* blocks: of block-wise quantisation */
  ash_tensor t;
} draft;

/* Names reach terminals and generated comments: no control characters. */
const char *ash_tflite_clean(ash_tflite *r, const char *raw) {
  char *name = ash_zone_string(&r->ctx->scratch, raw ? raw : "");
  if (name)
    ash_text_clean(name, "");
  return name;
}

static const char *clean_name(ash_tflite *r, const ash_fb_table *table) {
  return ash_tflite_clean(r, ash_fb_string(table, TENSOR_NAME));
}

static ash_loc at_tensor(ash_tflite *r, uint32_t tensor, const char *name) {
  ash_loc at = ASH_NOWHERE;
  at.file = r->file;
  at.tensor = tensor;
  at.tensor_name = name;
  return at;
}

ash_loc ash_tflite_at_tensor(ash_tflite *r, uint32_t tensor) {
  const ash_fb_table table = ash_fb_at_table(&r->tensors, tensor);
  return at_tensor(r, tensor, clean_name(r, &table));
}

static ash_loc here(const draft *d) {
  return at_tensor(d->r, d->index, d->t.name);
}

/* ---- type and shape ---------------------------------------------------- */

static ash_status read_type(draft *d) {
  const uint32_t number = ash_fb_u8(&d->table, TENSOR_TYPE, 0);
  ash_ctx *ctx = d->r->ctx;
  if (number >= ASH_COUNT_OF(types))
    return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_tensor_type, here(d),
                    "element type number %u is unknown", (unsigned)number);
  d->t.type = types[number].type;
  if (d->t.type == ASH_NONE)
    return ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_tensor_type, here(d),
                    "element type %s is not supported", types[number].text);
  return ASH_OK;
}

/* "[1,-1,3]", cut where the buffer ends. */
static const char *shape_text(char *buf, size_t size, const ash_fb_vector *v) {
  size_t used = 0;
  for (uint32_t i = 0; i < v->count && used + 16 < size; i++) {
    const int n = snprintf(buf + used, size - used, "%c%d", i ? ',' : '[',
                           (int)ash_fb_at_i32(v, i));
    used += n > 0 ? (size_t)n : 0;
  }
  (void)snprintf(buf + used, size - used, "%s", v->count ? "]" : "[]");
  return buf;
}

static bool any_open(const ash_fb_vector *v) {
  for (uint32_t i = 0; i < v->count; i++)
    if (ash_fb_at_i32(v, i) == -1)
      return true;
  return false;
}

static ash_status refuse_open(draft *d, const ash_fb_vector *shape) {
  char text[128];
  ash_ctx *ctx = d->r->ctx;
  const ash_status got =
      ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_tensor_dynamic, here(d),
               "shape %s is not fixed", shape_text(text, sizeof text, shape));
  ash_hint(ctx, "export with a fixed input shape: keras.Input(shape, "
                "batch_size=1), or a concrete function whose input signature "
                "has no None");
  return got;
}

/* As --input-shape wants it: the batch is 1, other open dimensions are for the
 * user to fill. */
static ash_status refuse_input(draft *d, const ash_fb_vector *shape) {
  char open[128], fixed[128];
  ash_ctx *ctx = d->r->ctx;
  size_t used = 0;
  const ash_status got =
      ash_fail(ctx, ASH_UNSUPPORTED, ASH_D_input_open, here(d),
               "shape %s is not fixed", shape_text(open, sizeof open, shape));
  fixed[0] = '\0';
  for (uint32_t i = 0; i < shape->count && used + 16 < sizeof fixed; i++) {
    const int32_t dim = ash_fb_at_i32(shape, i);
    const int n = dim < 1 && i > 0
                      ? snprintf(fixed + used, sizeof fixed - used, ",?")
                      : snprintf(fixed + used, sizeof fixed - used, "%s%d",
                                 i ? "," : "", dim < 1 ? 1 : (int)dim);
    used += n > 0 ? (size_t)n : 0;
  }
  ash_hint(ctx, "fix it with --input-shape %.200s=%s", d->t.name, fixed);
  return got;
}

/* Keras leaves the batch open in the signature and stores 1 in the shape; some
 * files store -1 there too. */
static ash_status accept_input(draft *d, const ash_fb_vector *shape) {
  ash_tflite *r = d->r;
  const ash_fb_vector said = ash_fb_vec(&d->table, TENSOR_SHAPE_SIGNATURE, 4);
  const bool open = any_open(&said) || any_open(shape);
  ash_shape *s = &d->t.shape;
  for (uint32_t i = 0; i < s->rank && open; i++) {
    if (s->dim[i] < 1 && (i > 0 || s->rank == 1))
      return refuse_input(d, said.count == shape->count ? &said : shape);
    s->dim[i] = s->dim[i] < 1 ? 1 : s->dim[i];
  }
  if (!open)
    return ASH_OK;
  if (said.count != shape->count && said.count)
    return refuse_open(d, &said);
  r->uses[d->index].loose = true;
  if (r->assumed_count++ == 0)
    r->assumed_tensor = d->index;
  return ASH_OK;
}

static ash_status read_input_shape(draft *d, const ash_fb_vector *shape) {
  ash_tflite *r = d->r;
  const ash_shape stored = d->t.shape;
  const char *given = ash_given_shape(r->options, d->t.name);
  if (!given || r->depth > 0)
    return accept_input(d, shape);
  ASH_TRY(ash_given_read_shape(r->ctx, &d->t.shape, given, d->t.name));
  r->uses[d->index].loose = !ash_shape_equal(&stored, &d->t.shape);
  r->resized = r->resized || r->uses[d->index].loose;
  return ASH_OK;
}

void ash_tflite_note_assumed(ash_tflite *r) {
  const uint32_t index = r->assumed_tensor;
  if (r->assumed_count == 0)
    return;
  const ash_fb_table table = ash_fb_at_table(&r->tensors, index);
  const ash_fb_vector open = ash_fb_vec(&table, TENSOR_SHAPE_SIGNATURE, 4);
  const ash_fb_vector shape = ash_fb_vec(&table, TENSOR_SHAPE, 4);
  const ash_tensor *t = &r->g->tensors.items[r->uses[index].graph];
  char from[128], to[ASH_SHAPE_TEXT], others[32] = "";
  if (r->assumed_count > 1)
    (void)snprintf(others, sizeof others, " (nor are %u others)",
                   (unsigned)r->assumed_count - 1);
  ash_note(r->ctx, ASH_D_tensor_assumed, at_tensor(r, index, t->name),
           "shape %s is not fixed%s; compiled for %s",
           shape_text(from, sizeof from, open.count ? &open : &shape), others,
           ash_shape_text(to, &t->shape));
}

/* An empty shape is a single number's, or left to the program that runs the
 * model; the format says which. */
bool ash_tflite_has_shape(ash_tflite *r, uint32_t tensor) {
  const ash_fb_table table = ash_fb_at_table(&r->tensors, tensor);
  const ash_fb_vector shape = ash_fb_vec(&table, TENSOR_SHAPE, 4);
  return !any_open(&shape) &&
         (shape.count > 0 || ash_fb_bool(&table, TENSOR_HAS_RANK, false));
}

/* The signature says more than the stored shape, where there is one. */
bool ash_tflite_allows_shape(ash_tflite *r, uint32_t tensor,
                             const ash_shape *shape, char *stored,
                             size_t size) {
  const ash_fb_table table = ash_fb_at_table(&r->tensors, tensor);
  const ash_fb_vector open = ash_fb_vec(&table, TENSOR_SHAPE_SIGNATURE, 4);
  const ash_fb_vector said =
      open.count ? open : ash_fb_vec(&table, TENSOR_SHAPE, 4);
  bool agrees = said.count == shape->rank;
  for (uint32_t i = 0; agrees && i < said.count; i++) {
    const int32_t dim = ash_fb_at_i32(&said, i);
    agrees = dim == -1 || dim == shape->dim[i];
  }
  (void)shape_text(stored, size, &said);
  return agrees ||
         (said.count == 0 && !ash_fb_bool(&table, TENSOR_HAS_RANK, false));
}

/* What an operator makes is inferred where the file leaves it open. */
static void read_made_shape(draft *d, const ash_fb_vector *shape) {
  const ash_fb_vector said = ash_fb_vec(&d->table, TENSOR_SHAPE_SIGNATURE, 4);
  const bool whole = !any_open(shape);
  if (whole && !any_open(&said) && ash_tflite_has_shape(d->r, d->index))
    return;
  d->r->uses[d->index].loose = true;
  if (!whole)
    d->t.shape = (ash_shape){0};
}

static ash_status read_shape(draft *d) {
  ash_ctx *ctx = d->r->ctx;
  const ash_fb_vector v = ash_fb_vec(&d->table, TENSOR_SHAPE, 4);
  char text[128];
  if (v.count > ASH_RANK_MAX)
    return ash_fail(ctx, ASH_LIMIT, ASH_D_model_limit, here(d),
                    "%u dimensions (the limit is %d)", (unsigned)v.count,
                    ASH_RANK_MAX);
  d->t.shape.rank = v.count;
  for (uint32_t i = 0; i < v.count; i++)
    d->t.shape.dim[i] = ash_fb_at_i32(&v, i);
  const ash_tflite_use *use = &d->r->uses[d->index];
  if (use->is_input)
    ASH_TRY(read_input_shape(d, &v));
  else if (use->writer != ASH_NO_ID)
    read_made_shape(d, &v);
  else if (any_open(&v))
    return refuse_open(d, &v);
  if (!ash_shape_bytes(&d->t.bytes, &d->t.shape, d->t.type))
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_tensor_shape, here(d),
                    "shape %s is impossible",
                    shape_text(text, sizeof text, &v));
  return ASH_OK;
}

/* ---- quantisation ------------------------------------------------------ */

static ash_status bad_quant(const draft *d, const char *what) {
  return ash_fail(d->r->ctx, ASH_MALFORMED, ASH_D_tensor_quant, here(d), "%s",
                  what);
}

static bool zero_point_fits(ash_type type, int64_t zero) {
  const uint32_t bits = ash_type_bits(type) < 32 ? ash_type_bits(type) : 32;
  const bool is_unsigned = type == ASH_UINT4 || type == ASH_UINT8 ||
                           type == ASH_UINT16 || type == ASH_BOOL;
  if (is_unsigned)
    return zero >= 0 && zero < (int64_t)1 << bits;
  const int64_t half = (int64_t)1 << (bits - 1);
  return zero >= -half && zero < half;
}

/* One scale and zero point for the tensor or for each element of the axis. */
static ash_status check_counts(draft *d, uint32_t scales, uint32_t zeros) {
  ash_quant *q = &d->t.quant;
  const ash_shape *s = &d->t.shape;
  if (zeros != scales && zeros != 1)
    return ash_fail(d->r->ctx, ASH_MALFORMED, ASH_D_tensor_quant, here(d),
                    "%u scales but %u zero points", (unsigned)scales,
                    (unsigned)zeros);
  if (scales == 1)
    return ASH_OK;
  if (s->rank == 1)
    q->axis = 0; /* some converters give biases the axis of the weights */
  if (q->axis < 0 || (uint32_t)q->axis >= s->rank)
    return ash_fail(d->r->ctx, ASH_MALFORMED, ASH_D_tensor_quant, here(d),
                    "quantised along axis %d of %u", (int)q->axis,
                    (unsigned)s->rank);
  if ((uint32_t)s->dim[q->axis] != scales)
    return ash_fail(d->r->ctx, ASH_MALFORMED, ASH_D_tensor_quant, here(d),
                    "%u scales for %d elements of axis %d", (unsigned)scales,
                    (int)s->dim[q->axis], (int)q->axis);
  return ASH_OK;
}

static ash_status copy_quant(draft *d, const ash_fb_vector *scales,
                             const ash_fb_vector *zeros) {
  ash_ctx *ctx = d->r->ctx;
  const uint32_t count = scales->count;
  float *scale = ASH_NEW_ARRAY(&ctx->scratch, float, count);
  int32_t *zero_point = ASH_NEW_ARRAY(&ctx->scratch, int32_t, count);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < count; i++) {
    const int64_t zero = ash_fb_at_i64(zeros, zeros->count == 1 ? 0 : i);
    scale[i] = ash_fb_at_f32(scales, i);
    if (!isfinite(scale[i]) || scale[i] <= 0)
      return bad_quant(d, "a scale is not a positive finite number");
    if (!zero_point_fits(d->t.type, zero))
      return bad_quant(d, "a zero point is not a value of the tensor's type");
    zero_point[i] = (int32_t)zero;
  }
  d->t.quant.count = count;
  d->t.quant.scale = scale;
  d->t.quant.zero_point = zero_point;
  return ASH_OK;
}

static bool is_float(ash_type type) {
  return type == ASH_FLOAT32 || type == ASH_FLOAT64 || type == ASH_FLOAT16 ||
         type == ASH_BFLOAT16;
}

static ash_status read_quant(draft *d) {
  const ash_fb_table q = ash_fb_sub(&d->table, TENSOR_QUANTIZATION);
  const uint32_t details = ash_fb_u8(&q, QUANT_DETAILS_TYPE, 0);
  if (details == BLOCKWISE) {
    d->blocks = ash_fb_sub(&q, QUANT_DETAILS);
    return ash_fb_is_there(&d->blocks)
               ? ASH_OK
               : bad_quant(d, "block-wise quantisation without its table");
  }
  if (details != 0)
    return ash_fail(d->r->ctx, ASH_UNSUPPORTED, ASH_D_tensor_storage, here(d),
                    "custom quantisation is not supported");
  const ash_fb_vector scales = ash_fb_vec(&q, QUANT_SCALE, 4);
  if (scales.count == 0 || is_float(d->t.type))
    return ASH_OK;
  const ash_fb_vector zeros = ash_fb_vec(&q, QUANT_ZERO_POINT, 8);
  d->t.quant.axis = scales.count > 1 ? ash_fb_i32(&q, QUANT_AXIS, 0) : 0;
  ASH_TRY(check_counts(d, scales.count, zeros.count));
  return copy_quant(d, &scales, &zeros);
}

/* ---- constant bytes ---------------------------------------------------- */

/* Bytes stored behind the FlatBuffer, as files above 2 GiB have them. Offsets
 * 0 and 1 mean that there are none. */
static ash_status find_outside(draft *d, const ash_fb_table *buffer,
                               uint64_t *size) {
  const ash_tflite *r = d->r;
  const uint64_t offset = ash_fb_u64(buffer, BUFFER_OFFSET, 0);
  *size = ash_fb_u64(buffer, BUFFER_SIZE, 0);
  if (offset <= 1 || *size == 0) {
    *size = 0;
    return ASH_OK;
  }
  ash_loc at = here(d);
  at.byte = offset;
  if (offset > r->count || *size > r->count - offset)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tensor_bytes, at,
                    "%llu bytes of data do not lie inside the file of %llu",
                    (unsigned long long)*size, (unsigned long long)r->count);
  d->t.data = r->bytes + offset;
  d->t.file_byte = offset;
  return ASH_OK;
}

static ash_status find_data(draft *d, uint64_t *size) {
  ash_tflite *r = d->r;
  const uint32_t index = ash_fb_u32(&d->table, TENSOR_BUFFER, 0);
  *size = 0;
  if (index >= r->buffers.count && index != 0)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tflite_index, here(d),
                    "buffer %u does not exist (the file has %u)",
                    (unsigned)index, (unsigned)r->buffers.count);
  const ash_fb_table buffer = ash_fb_at_table(&r->buffers, index);
  const ash_fb_vector data = ash_fb_blob(&buffer, BUFFER_DATA);
  if (data.count == 0)
    return find_outside(d, &buffer, size);
  *size = data.count;
  d->t.data = r->bytes + data.at;
  d->t.file_byte = data.at;
  return ASH_OK;
}

static ash_status read_data(draft *d) {
  ash_tflite *r = d->r;
  uint64_t size;
  if (ash_fb_u32(&d->table, TENSOR_EXTERNAL_BUFFER, 0) != 0)
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_tensor_storage, here(d),
                    "the tensor's bytes are in another file");
  ASH_TRY(find_data(d, &size));
  const ash_fb_table sparsity = ash_fb_sub(&d->table, TENSOR_SPARSITY);
  if (size != 0 && ash_fb_is_there(&sparsity))
    return ash_tflite_unpack_sparse(r, &sparsity, &d->t, size, here(d));
  if (size == 0 || size == d->t.bytes)
    return ASH_OK;
  ash_loc at = here(d);
  at.byte = d->t.file_byte;
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tensor_bytes, at,
                  "the file stores %llu bytes, shape and type need %llu",
                  (unsigned long long)size, (unsigned long long)d->t.bytes);
}

/* ---- kind -------------------------------------------------------------- */

static ash_status decide_kind(draft *d) {
  ash_tensor *t = &d->t;
  const ash_tflite_use *use = &d->r->uses[d->index];
  const bool written = use->writer != ASH_NO_ID;
  const bool variable = ash_fb_bool(&d->table, TENSOR_IS_VARIABLE, false);
  if (written && (use->is_input || (t->data && !variable))) {
    ash_loc at = ash_tflite_at_op(d->r, use->writer);
    at.tensor = d->index;
    at.tensor_name = t->name;
    return ash_fail(d->r->ctx, ASH_MALFORMED, ASH_D_op_writes, at,
                    "the operator writes %s",
                    use->is_input ? "an input of the model" : "a constant");
  }
  t->kind = ASH_TENSOR_ACTIVATION;
  if (use->is_input)
    t->kind = ASH_TENSOR_INPUT;
  else if (variable)
    t->kind = ASH_TENSOR_VARIABLE;
  else if (t->data || (t->bytes == 0 && !written))
    t->kind = ASH_TENSOR_CONSTANT;
  if (t->kind == ASH_TENSOR_INPUT)
    t->data = NULL; /* a default value, which callers overwrite */
  return ASH_OK;
}

/* int4 constants become int8: two numbers a byte, the lower half first. */
static ash_status unpack(draft *d) {
  ash_zone *zone = &d->r->g->zone;
  const uint64_t count = ash_shape_elements(&d->t.shape);
  int8_t *wide = ASH_NEW_ARRAY(zone, int8_t, (size_t)count + 1);
  ASH_TRY(ash_zone_check(d->r->ctx, zone));
  const uint8_t *packed = d->t.data;
  for (uint64_t i = 0; i < count; i++) {
    const int32_t x = packed[i / 2] >> (i % 2 * 4) & 15;
    wide[i] = (int8_t)(x < 8 ? x : x - 16);
  }
  d->t.type = ASH_INT8;
  d->t.data = (const uint8_t *)wide;
  d->t.file_byte = UINT64_MAX;
  return ASH_OK;
}

/* ---- block-wise quantisation --------------------------------------------- */

/* Element i of float32 or float16. */
static float real_at(const ash_tensor *t, uint64_t i) {
  if (t->type == ASH_FLOAT32)
    return ash_tensor_float(t, i);
  const uint32_t bits =
      ash_tflite_widen_half(t->data[2 * i] | (uint32_t)t->data[2 * i + 1] << 8);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* The tensor of scales, one for each block of a row. */
static ash_status open_scales(draft *d, ash_tensor *scales, uint64_t count) {
  const int32_t index = ash_fb_i32(&d->blocks, BLOCK_SCALES, -1);
  if (index < 0 || (uint32_t)index >= d->r->tensors.count)
    return bad_quant(d, "the tensor of the blocks' scales does not exist");
  const ash_fb_table table = ash_fb_at_table(&d->r->tensors, (uint32_t)index);
  ASH_TRY(ash_tflite_read_value(d->r, &table, scales));
  if ((scales->type != ASH_FLOAT32 && scales->type != ASH_FLOAT16) ||
      !scales->data || scales->bytes != count * ash_type_bits(scales->type) / 8)
    return bad_quant(d, "the blocks' scales are no floats, one a block");
  return ASH_OK;
}

/* Weights whose scales belong to blocks of the last axis become float32. */
static ash_status spread_blocks(draft *d) {
  ash_tensor *t = &d->t, scales;
  const ash_shape *s = &t->shape;
  const int32_t size = ash_fb_i32(&d->blocks, BLOCK_SIZE, 0);
  const uint64_t count = ash_shape_elements(s);
  ash_zone *zone = &d->r->g->zone;
  if (t->type != ASH_INT8 || !t->data || s->rank < 1 || size < 1 ||
      s->dim[s->rank - 1] % size != 0 || count > INT32_MAX / 4 ||
      ash_fb_i32(&d->blocks, BLOCK_ZEROS, -1) > 0)
    return ash_fail(d->r->ctx, ASH_UNSUPPORTED, ASH_D_tensor_storage, here(d),
                    "block-wise quantisation of others than int4 and int8 "
                    "constants in whole blocks, without zero points, is not "
                    "supported");
  ASH_TRY(open_scales(d, &scales, count / (uint32_t)size));
  float *wide = ASH_NEW_ARRAY(zone, float, (size_t)count + 1);
  ASH_TRY(ash_zone_check(d->r->ctx, zone));
  for (uint64_t i = 0; i < count; i++)
    wide[i] = (float)(int8_t)t->data[i] * real_at(&scales, i / (uint32_t)size);
  t->type = ASH_FLOAT32;
  t->data = (const uint8_t *)wide;
  t->file_byte = UINT64_MAX;
  return ASH_OK;
}

enum { STATE_MAX = 1 << 24 }; /* bytes of a variable */

/* Variables of int8 start from the value that means 0, others from zeros. */
static ash_status fill_first(draft *d) {
  ash_tensor *t = &d->t;
  if (t->kind != ASH_TENSOR_VARIABLE || t->data || t->type != ASH_INT8 ||
      t->quant.count == 0 || t->quant.zero_point[0] == 0)
    return ASH_OK;
  ash_zone *zone = &d->r->g->zone;
  const uint64_t count = ash_shape_elements(&t->shape);
  if (count > STATE_MAX) /* nothing in the file stands for that many bytes */
    return ash_fail(d->r->ctx, ASH_LIMIT, ASH_D_model_limit, here(d),
                    "a state of %llu bytes (the limit is %u)",
                    (unsigned long long)count, (unsigned)STATE_MAX);
  uint8_t *first = ASH_NEW_ARRAY(zone, uint8_t, (size_t)count + 1);
  ASH_TRY(ash_zone_check(d->r->ctx, zone));
  memset(first, t->quant.zero_point[0] & 0xff, (size_t)count);
  t->data = first;
  t->file_byte = UINT64_MAX;
  return ASH_OK;
}

static ash_status read_tensor(draft *d) {
  ash_tflite *r = d->r;
  d->table = ash_fb_at_table(&r->tensors, d->index);
  d->t.name = clean_name(r, &d->table);
  d->t.id = ash_zone_format(&r->ctx->scratch, "%s%u",
                            r->prefix ? r->prefix : "", (unsigned)d->index);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  ASH_TRY(read_type(d));
  ASH_TRY(read_shape(d));
  ASH_TRY(read_quant(d));
  ASH_TRY(read_data(d));
  ASH_TRY(decide_kind(d));
  ASH_TRY(ash_fb_check(r->ctx, &r->fb, r->file));
  if (d->t.type == ASH_INT4 && d->t.kind == ASH_TENSOR_CONSTANT && d->t.data)
    ASH_TRY(unpack(d));
  if (ash_fb_is_there(&d->blocks))
    ASH_TRY(spread_blocks(d));
  ASH_TRY(fill_first(d));
  if (!d->t.data)
    d->t.file_byte = UINT64_MAX;
  return ash_graph_add_tensor(r->g, &r->uses[d->index].graph, d->t);
}

ash_status ash_tflite_add_tensor(ash_tflite *r, uint32_t tensor) {
  draft d = {.r = r, .index = tensor, .t.file_byte = UINT64_MAX};
  const ash_mark mark = ash_zone_mark(&r->ctx->scratch);
  const ash_status status = read_tensor(&d);
  ash_zone_rewind(&r->ctx->scratch, mark);
  return status;
}

ash_status ash_tflite_read_value(ash_tflite *r, const ash_fb_table *table,
                                 ash_tensor *out) {
  draft d = {.r = r, .index = ASH_NO_ID, .table = *table};
  d.t.name = clean_name(r, table);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  ASH_TRY(read_type(&d));
  ASH_TRY(find_data(&d, &d.t.bytes));
  *out = d.t;
  return ASH_OK;
}
