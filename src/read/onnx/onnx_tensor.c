/* onnx_tensor.c - constants of an ONNX file. Their elements come as raw bytes,
 * as packed or single numbers in one of five fields, or in another file. All
 * but the last become little-endian elements: in place where the file has
 * them so, else decoded into the zone. */
#include "read/onnx/onnx_internal.h"

#include "base/checked.h"

#include <string.h>

enum { /* TensorProto */
       TENSOR_DIMS = 1,
       TENSOR_TYPE = 2,
       TENSOR_SEGMENT = 3,
       TENSOR_FLOATS = 4,
       TENSOR_INT32S = 5,
       TENSOR_INT64S = 7,
       TENSOR_NAME = 8,
       TENSOR_RAW = 9,
       TENSOR_DOUBLES = 10,
       TENSOR_UINT64S = 11,
       TENSOR_EXTERNAL = 13,
       TENSOR_LOCATION = 14,
};
enum { /* StringStringEntryProto */
       ENTRY_KEY = 1,
       ENTRY_VALUE = 2,
};

/* Element types, by the format's number, and the field their numbers come in
 * when they are not raw. */
static const struct {
  ash_type type;
  uint32_t field;
} types[] = {
    {ASH_NONE, 0},
    {ASH_FLOAT32, TENSOR_FLOATS},
    {ASH_UINT8, TENSOR_INT32S},
    {ASH_INT8, TENSOR_INT32S},
    {ASH_UINT16, TENSOR_INT32S},
    {ASH_INT16, TENSOR_INT32S},
    {ASH_INT32, TENSOR_INT32S},
    {ASH_INT64, TENSOR_INT64S},
    {ASH_NONE, 0}, /* string */
    {ASH_BOOL, TENSOR_INT32S},
    {ASH_FLOAT16, TENSOR_INT32S},
    {ASH_FLOAT64, TENSOR_DOUBLES},
    {ASH_UINT32, TENSOR_UINT64S},
    {ASH_UINT64, TENSOR_UINT64S},
    {ASH_NONE, 0}, /* complex64 */
    {ASH_NONE, 0}, /* complex128 */
    {ASH_BFLOAT16, TENSOR_INT32S},
    {ASH_NONE, 0}, /* 17 to 20: float8 in four forms */
    {ASH_NONE, 0},
    {ASH_NONE, 0},
    {ASH_NONE, 0},
    {ASH_UINT4, TENSOR_INT32S},
    {ASH_INT4, TENSOR_INT32S},
};

int32_t ash_onnx_type_number(const ash_pb_field *f) {
  const int64_t number = ash_pb_int(f);
  return number >= 0 && number < INT32_MAX ? (int32_t)number : -1;
}

const char *ash_onnx_type_text(int32_t number) {
  static const char *const names[] = {
      "undefined",      "float",        "uint8",          "int8",
      "uint16",         "int16",        "int32",          "int64",
      "string",         "bool",         "float16",        "double",
      "uint32",         "uint64",       "complex64",      "complex128",
      "bfloat16",       "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
      "float8e5m2fnuz", "uint4",        "int4",           "float4e2m1"};
  return number >= 0 && (size_t)number < ASH_COUNT_OF(names)
             ? names[number]
             : "of an unknown number";
}

ash_type ash_onnx_type(int32_t number) {
  if (number < 0 || (size_t)number >= ASH_COUNT_OF(types))
    return ASH_NONE;
  return types[number].type;
}

static ash_status bad(ash_onnx_reader *r, const ash_onnx_tensor *t,
                      const char *what) {
  ash_loc at = ash_onnx_at(r);
  at.tensor_name = t->name;
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_onnx_model, at, "%s", what);
}

/* ---- data in the file ---------------------------------------------------- */

static ash_pb_wire wire_of(uint32_t field) {
  if (field == TENSOR_FLOATS)
    return ASH_PB_FIXED32;
  return field == TENSOR_DOUBLES ? ASH_PB_FIXED64 : ASH_PB_VARINT;
}

/* Low bytes of the numbers, lowest first. */
static void store(uint8_t *out, const uint64_t *numbers, uint64_t count,
                  uint32_t width) {
  for (uint64_t i = 0; i < count; i++)
    for (uint32_t b = 0; b < width; b++)
      *out++ = (uint8_t)(numbers[i] >> (8 * b));
}

/* Numbers of one field, behind those decoded before. */
static ash_status decode(ash_onnx_reader *r, const ash_pb_field *f,
                         uint8_t *out, uint32_t width) {
  ash_zone *scratch = &r->ctx->scratch;
  const ash_mark mark = ash_zone_mark(scratch);
  const uint64_t count = ash_pb_count(f, wire_of(f->number));
  uint64_t *numbers = ASH_NEW_ARRAY(scratch, uint64_t, (size_t)count);
  if (numbers) {
    ash_pb_unpack(f, wire_of(f->number), numbers);
    store(out, numbers, count, width);
  }
  ash_zone_rewind(scratch, mark);
  return ash_zone_check(r->ctx, scratch);
}

static ash_status decode_all(ash_onnx_reader *r, ash_onnx_tensor *t,
                             ash_pb_span m, uint32_t field, uint64_t count) {
  const uint32_t bits = ash_type_bits(t->type);
  const uint32_t width = bits < 8 ? 1 : bits / 8; /* two int4 in one number */
  uint8_t *data = ASH_NEW_ARRAY(r->zone, uint8_t, (size_t)count * width);
  ash_pb_field f;
  ASH_TRY(ash_zone_check(r->ctx, r->zone));
  t->data = data;
  t->bytes = count * width;
  for (uint64_t done = 0; done < count && ash_pb_next(&m, &f);)
    if (f.number == field) {
      ASH_TRY(decode(r, &f, data + done * width, width));
      done += ash_pb_count(&f, wire_of(field));
    }
  return ASH_OK;
}

static void point_to(ash_onnx_tensor *t, const ash_pb_span *span) {
  t->data = span->pb->bytes + span->at;
  t->bytes = ash_pb_bytes(span);
  t->file_byte = span->at;
}

/* Raw bytes win; then numbers. Fixed-width numbers packed into one field are
 * elements already. */
static ash_status find_data(ash_onnx_reader *r, ash_onnx_tensor *t,
                            ash_pb_span m) {
  const uint32_t field = types[t->type_number].field;
  const ash_pb_wire wire = wire_of(field);
  uint64_t count = 0, fields = 0;
  ash_pb_span only = m;
  ash_pb_field f;
  for (ash_pb_span rest = m; ash_pb_next(&rest, &f);) {
    if (f.number == TENSOR_RAW) {
      const ash_pb_span raw = ash_pb_sub(&f);
      point_to(t, &raw);
      return ASH_OK;
    }
    if (f.number == field) {
      fields++;
      count += ash_pb_count(&f, wire);
      only = f.span;
    }
  }
  if (fields == 1 && wire != ASH_PB_VARINT && ash_pb_bytes(&only)) {
    point_to(t, &only);
    return ASH_OK;
  }
  return count ? decode_all(r, t, m, field, count) : ASH_OK;
}

/* ---- data elsewhere ------------------------------------------------------ */

static bool parse_u64(uint64_t *out, const char *text) {
  *out = 0;
  for (; *text; text++)
    if (*text < '0' || *text > '9' || !ash_mul_u64(out, *out, 10) ||
        !ash_add_u64(out, *out, (uint64_t)(*text - '0')))
      return false;
  return true;
}

static ash_status read_entry(ash_onnx_reader *r, ash_onnx_tensor *t,
                             ash_pb_span m) {
  const char *key = "", *value = "";
  ash_pb_field f;
  while (ash_pb_next(&m, &f))
    if (f.number == ENTRY_KEY)
      key = ash_pb_string(&f, r->zone);
    else if (f.number == ENTRY_VALUE)
      value = ash_pb_string(&f, r->zone);
  bool good = true;
  if (strcmp(key, "location") == 0)
    t->location = value;
  else if (strcmp(key, "offset") == 0)
    good = parse_u64(&t->outside_at, value);
  else if (strcmp(key, "length") == 0)
    good = parse_u64(&t->outside_bytes, value);
  return good ? ASH_OK : bad(r, t, "the place of external data is no number");
}

static ash_status read_entries(ash_onnx_reader *r, ash_onnx_tensor *t,
                               ash_pb_span m) {
  ash_pb_field f;
  while (ash_pb_next(&m, &f))
    if (f.number == TENSOR_EXTERNAL)
      ASH_TRY(read_entry(r, t, ash_pb_sub(&f)));
  if (!t->location && !m.pb->bad && !r->zone->failed)
    return bad(r, t, "external data has no location");
  return ASH_OK;
}

/* ---- the tensor ---------------------------------------------------------- */

static ash_status count_elements(ash_onnx_reader *r, ash_onnx_tensor *t) {
  uint64_t bits;
  t->elements = 1;
  if (t->rank > ASH_ONNX_RANK_MAX)
    return bad(r, t, "the constant has too many dimensions");
  for (uint32_t i = 0; i < t->rank; i++)
    if (t->dims[i] < 0 ||
        !ash_mul_u64(&t->elements, t->elements, (uint64_t)t->dims[i]))
      return bad(r, t, "the constant's shape is impossible");
  if (!ash_mul_u64(&bits, t->elements, 64))
    return bad(r, t, "the constant's shape is impossible");
  return ASH_OK;
}

static ash_status check_bytes(ash_onnx_reader *r, const ash_onnx_tensor *t) {
  const uint64_t need = ash_ceil_div(t->elements * ash_type_bits(t->type), 8);
  if (t->bytes == need)
    return ASH_OK;
  ash_loc at = ash_onnx_at(r);
  at.tensor_name = t->name;
  at.byte = t->file_byte;
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_tensor_bytes, at,
                  "the file stores %llu bytes, shape and type need %llu",
                  (unsigned long long)t->bytes, (unsigned long long)need);
}

static ash_status read_head(ash_onnx_reader *r, ash_onnx_tensor *t,
                            ash_pb_span m, bool *outside) {
  ash_pb_field f;
  bool segmented = false;
  *outside = false;
  t->dims = ash_onnx_ints(r, m, TENSOR_DIMS, &t->rank);
  while (ash_pb_next(&m, &f))
    if (f.number == TENSOR_NAME)
      t->name = ash_pb_string(&f, r->zone);
    else if (f.number == TENSOR_TYPE)
      t->type_number = ash_onnx_type_number(&f);
    else if (f.number == TENSOR_LOCATION)
      *outside = ash_pb_int(&f) == 1;
    else if (f.number == TENSOR_SEGMENT)
      segmented = true;
  t->type = ash_onnx_type(t->type_number);
  if (segmented)
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_onnx_storage, ash_onnx_at(r),
                    "constants in segments are not supported");
  return ash_zone_check(r->ctx, r->zone);
}

ash_status ash_onnx_read_tensor(ash_onnx_reader *r, ash_onnx_tensor *t,
                                ash_pb_span m) {
  bool outside;
  *t = (ash_onnx_tensor){.name = "", .file_byte = UINT64_MAX};
  ASH_TRY(read_head(r, t, m, &outside));
  ASH_TRY(count_elements(r, t));
  if (outside)
    return read_entries(r, t, m);
  if (t->type == ASH_NONE)
    return ASH_OK; /* whoever uses it will say so */
  ASH_TRY(find_data(r, t, m));
  return check_bytes(r, t);
}

ash_status ash_onnx_new_tensor(ash_onnx_reader *r, const ash_onnx_tensor **out,
                               ash_pb_span m) {
  ash_onnx_tensor *t = ASH_NEW(r->zone, ash_onnx_tensor);
  *out = t;
  ASH_TRY(ash_zone_check(r->ctx, r->zone));
  return ash_onnx_read_tensor(r, t, m);
}
