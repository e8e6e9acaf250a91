/* onnx_ops_make.c - values made from shapes and numbers. */
#include "read/onnx/onnx_import.h"

#include "read/onnx/onnx_internal.h"

#include <math.h>
#include <string.h>

static uint32_t int64_list(ash_ox *m, const int64_t *values, uint32_t count) {
  uint8_t bytes[8 * 4096];
  if (count > 4096) {
    ash_ox_refuse(m, "such a long list");
    return ASH_NO_ID;
  }
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t b = 0; b < 8; b++)
      bytes[8 * i + b] = (uint8_t)((uint64_t)values[i] >> (8 * b));
  return ash_ox_constant(m, ASH_INT64, (ash_shape){1, {(int32_t)count}}, bytes);
}

static uint32_t float_list(ash_ox *m, const float *values, uint32_t count) {
  return ash_ox_constant(m, ASH_FLOAT32, (ash_shape){1, {(int32_t)count}},
                         values);
}

static uint32_t one(ash_ox *m, uint32_t id) {
  return ash_ox_reshape(m, id, (ash_shape){0});
}

static void read_constant(ash_ox *m) {
  const ash_onnx_attr *a = m->node->attr_count ? &m->node->attrs[0] : NULL;
  switch (a ? a->kind : ASH_ONNX_NONE) {
  case ASH_ONNX_TENSOR:
    ash_ox_out(m, 0, ash_ox_from_tensor(m, a->t));
    break;
  case ASH_ONNX_INT:
    ash_ox_out(m, 0, one(m, int64_list(m, &a->i, 1)));
    break;
  case ASH_ONNX_INTS:
    ash_ox_out(m, 0, int64_list(m, a->ints, a->count));
    break;
  case ASH_ONNX_FLOAT:
    ash_ox_out(m, 0, one(m, float_list(m, &a->f, 1)));
    break;
  case ASH_ONNX_FLOATS:
    ash_ox_out(m, 0, float_list(m, a->floats, a->count));
    break;
  default:
    ash_ox_refuse(m, "a constant of this kind");
  }
}

static void read_shape(ash_ox *m) {
  const ash_shape *s = ash_ox_shape(m, ash_ox_in(m, 0));
  int64_t dims[ASH_RANK_MAX];
  int64_t start = ash_ox_int(m, "start", 0);
  int64_t end = ash_ox_int(m, "end", s->rank);
  uint32_t count = 0;
  start += start < 0 ? s->rank : 0;
  end += end < 0 ? s->rank : 0;
  for (int64_t i = start < 0 ? 0 : start; i < end && i < s->rank; i++)
    dims[count++] = s->dim[i];
  ash_ox_out(m, 0, int64_list(m, dims, count));
}

static void read_size(ash_ox *m) {
  const int64_t n =
      (int64_t)ash_shape_elements(ash_ox_shape(m, ash_ox_in(m, 0)));
  ash_ox_out(m, 0, one(m, int64_list(m, &n, 1)));
}

static void read_constant_of_shape(ash_ox *m) {
  int64_t dims[ASH_RANK_MAX];
  const ash_onnx_attr *a = ash_ox_attr(m, "value");
  ash_shape shape = {.rank =
                         ash_ox_list(m, ash_ox_in(m, 0), dims, ASH_RANK_MAX)};
  for (uint32_t i = 0; i < shape.rank; i++) {
    if (dims[i] < 1 || dims[i] > INT32_MAX)
      ash_ox_refuse(m, "a result without elements");
    shape.dim[i] = (int32_t)dims[i];
  }
  const uint32_t value = a && a->kind == ASH_ONNX_TENSOR
                             ? one(m, ash_ox_from_tensor(m, a->t))
                             : ash_ox_scalar(m, ASH_FLOAT32, 0);
  if (m->status == ASH_OK)
    ash_ox_out(m, 0, ash_ox_expand(m, value, &shape));
}

static void read_range(ash_ox *m) {
  const uint32_t in[] = {ash_ox_in(m, 0), ash_ox_in(m, 1), ash_ox_in(m, 2)};
  int64_t unused;
  for (uint32_t k = 0; k < 3; k++)
    (void)ash_ox_list(m, in[k], &unused, 1); /* must be known */
  const double start = ash_ox_value(m, in[0], 0);
  const double step = ash_ox_value(m, in[2], 0);
  const double count =
      step != 0 ? ceil((ash_ox_value(m, in[1], 0) - start) / step) : 0;
  if (m->status != ASH_OK)
    return;
  if (!(count >= 1 && count <= 1 << 24)) {
    ash_ox_refuse(m, "a range without elements, or too many");
    return;
  }
  const uint32_t at =
      ash_ox_iota(m, ash_ox_type(m, in[0]), (int32_t)count, 1, 0);
  ash_ox_out(m, 0,
             ash_ox_map2(m, ASH_FN_add, one(m, in[0]),
                         ash_ox_map2(m, ASH_FN_mul, at, one(m, in[2]))));
}

static void read_eye_like(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const int64_t number = ash_ox_int(m, "dtype", 0);
  const ash_type type = number > 0 && number < 1000
                            ? ash_onnx_type((int32_t)number)
                            : ash_ox_type(m, x);
  const uint32_t row = ash_ox_iota(m, ASH_INT64, ash_ox_dim(m, x, 0), 2, 0);
  const uint32_t column = ash_ox_iota(m, ASH_INT64, ash_ox_dim(m, x, 1), 2, 1);
  const uint32_t hit = ash_ox_map2(
      m, ASH_FN_equal,
      ash_ox_with(m, ASH_FN_add, row, (double)ash_ox_int(m, "k", 0)), column);
  if (ash_ox_rank(m, x) != 2 || type == ASH_NONE)
    ash_ox_bad(m, "a matrix is needed");
  ash_ox_out(m, 0, ash_ox_cast(m, hit, type));
}

static void read_trilu(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  const uint32_t rank = ash_ox_rank(m, x);
  int64_t k = 0;
  if (rank < 2) {
    ash_ox_bad(m, "a matrix is needed");
    return;
  }
  if (ash_ox_has(m, 1))
    (void)ash_ox_list(m, ash_ox_in(m, 1), &k, 1);
  const uint32_t row =
      ash_ox_iota(m, ASH_INT64, ash_ox_dim(m, x, rank - 2), 2, 0);
  const uint32_t column =
      ash_ox_iota(m, ASH_INT64, ash_ox_dim(m, x, rank - 1), 2, 1);
  const uint32_t edge = ash_ox_with(m, ASH_FN_add, row, (double)k);
  const bool upper = ash_ox_int(m, "upper", 1) != 0;
  const uint32_t keep = ash_ox_map2(
      m, upper ? ASH_FN_greater_equal : ASH_FN_less_equal, column, edge);
  ash_ox_out(m, 0,
             ash_ox_map3(m, ASH_FN_select, keep, x,
                         ash_ox_scalar(m, ash_ox_type(m, x), 0)));
}

static void read_one_hot(ash_ox *m) {
  uint32_t index = ash_ox_in(m, 0);
  const uint32_t values = ash_ox_in(m, 2);
  const ash_type type = ash_ox_type(m, index);
  int64_t depth = 0;
  (void)ash_ox_list(m, ash_ox_in(m, 1), &depth, 1);
  ash_shape shape = *ash_ox_shape(m, index);
  const uint32_t axis =
      ash_ox_axis(m, ash_ox_int(m, "axis", -1), shape.rank + 1);
  if (m->status != ASH_OK || depth < 1 || depth > 1 << 24 ||
      shape.rank >= ASH_RANK_MAX) {
    ash_ox_refuse(m, "this depth or rank");
    return;
  }
  for (uint32_t i = shape.rank++; i > axis; i--)
    shape.dim[i] = shape.dim[i - 1];
  shape.dim[axis] = 1;
  index = ash_ox_reshape(m, index, shape);
  index = ash_ox_map3(m, ASH_FN_select, ash_ox_with(m, ASH_FN_less, index, 0),
                      ash_ox_with(m, ASH_FN_add, index, (double)depth), index);
  const uint32_t hit =
      ash_ox_map2(m, ASH_FN_equal, index,
                  ash_ox_iota(m, type, (int32_t)depth, shape.rank, axis));
  ash_ox_out(m, 0,
             ash_ox_map3(m, ASH_FN_select, hit,
                         ash_ox_slice(m, values, 0, 1, 1, 1),
                         ash_ox_slice(m, values, 0, 0, 1, 1)));
}

/* Windows of signal processing: a constant, since the size must be known. */
static void window(ash_ox *m, double a, double b, double c) {
  const double pi2 = 6.283185307179586;
  int64_t size = 0;
  const int64_t number = ash_ox_int(m, "output_datatype", 1);
  (void)ash_ox_list(m, ash_ox_in(m, 0), &size, 1);
  const int64_t period = ash_ox_int(m, "periodic", 1) ? size : size - 1;
  if (m->status != ASH_OK || size < 1 || size > 1 << 16) {
    ash_ox_refuse(m, "this size of a window");
    return;
  }
  float *values = ASH_NEW_ARRAY(&m->ctx->scratch, float, (size_t)size);
  if (!values) {
    m->status = ash_nomem(m->ctx);
    return;
  }
  for (int64_t i = 0; i < size; i++) {
    const double at = period > 0 ? pi2 * (double)i / (double)period : 0;
    values[i] = (float)(a - b * cos(at) + c * cos(2 * at));
  }
  const ash_type type =
      number > 0 && number < 1000 ? ash_onnx_type((int32_t)number) : ASH_NONE;
  if (!ash_type_is_float(type))
    ash_ox_refuse(m, "this type of a window");
  ash_ox_out(m, 0, ash_ox_cast(m, float_list(m, values, (uint32_t)size), type));
}

static void read_hann(ash_ox *m) {
  window(m, 0.5, 0.5, 0);
}
static void read_hamming(ash_ox *m) {
  window(m, 25.0 / 46, 21.0 / 46, 0);
}
static void read_blackman(ash_ox *m) {
  window(m, 0.42, 0.5, 0.08);
}

const ash_ox_handler ash_ox_make[] = {
    {"Constant", read_constant},
    {"Shape", read_shape},
    {"Size", read_size},
    {"ConstantOfShape", read_constant_of_shape},
    {"Range", read_range},
    {"EyeLike", read_eye_like},
    {"Trilu", read_trilu},
    {"OneHot", read_one_hot},
    {"HannWindow", read_hann},
    {"HammingWindow", read_hamming},
    {"BlackmanWindow", read_blackman},
    {NULL, NULL},
};
