/* ref_value.c - values as kernels read and write them. */
#include "ref/ref_call.h"

#include <float.h>
#include <math.h>
#include <string.h>

int64_t ash_ref_get(const ash_tensor *t, const void *data, uint64_t i) {
  switch (t->type) {
  case ASH_INT8:
    return ((const int8_t *)data)[i];
  case ASH_UINT8:
  case ASH_BOOL:
    return ((const uint8_t *)data)[i];
  case ASH_INT16:
    return ((const int16_t *)data)[i];
  case ASH_UINT16:
    return ((const uint16_t *)data)[i];
  case ASH_INT32:
    return ((const int32_t *)data)[i];
  case ASH_UINT32:
    return ((const uint32_t *)data)[i];
  default:
    return ((const int64_t *)data)[i];
  }
}

void ash_ref_put(const ash_tensor *t, void *data, uint64_t i, int64_t value) {
  const uint64_t bits = (uint64_t)value;
  switch (ash_type_bits(t->type)) {
  case 8:
    ((uint8_t *)data)[i] = (uint8_t)bits;
    break;
  case 16:
    ((uint16_t *)data)[i] = (uint16_t)bits;
    break;
  case 32:
    ((uint32_t *)data)[i] = (uint32_t)bits;
    break;
  default:
    ((uint64_t *)data)[i] = bits;
    break;
  }
}

const int32_t *ash_ref_widen(const ash_ref_call *c, uint32_t k) {
  const ash_tensor *t = ash_ref_in(c, k);
  if (!t)
    return NULL;
  const uint64_t count = ash_ref_elements(t);
  /* Per-channel zero points are 0: the shape rules see to it. */
  const int32_t zero = t->quant.count == 1 ? t->quant.zero_point[0] : 0;
  int32_t *wide = ASH_NEW_ARRAY(&c->ctx->scratch, int32_t, (size_t)count + 1);
  for (uint64_t i = 0; wide && i < count; i++)
    wide[i] = (int32_t)ash_ref_get(t, ash_ref_read(c, k), i) - zero;
  return wide;
}

/* ---- limits ------------------------------------------------------------- */

static void limit_type(ash_ref_limits *l, ash_type type) {
  l->lo = type == ASH_UINT8   ? 0
          : type == ASH_INT16 ? INT16_MIN
          : type == ASH_INT32 ? INT32_MIN
                              : INT8_MIN;
  l->hi = type == ASH_UINT8   ? UINT8_MAX
          : type == ASH_INT16 ? INT16_MAX
          : type == ASH_INT32 ? INT32_MAX
                              : INT8_MAX;
  l->flo = -FLT_MAX;
  l->fhi = FLT_MAX;
}

/* The stored value that means `real`, as far as an int32 can say. */
static int32_t quantise_limit(const ash_tensor *t, float real) {
  const float steps = roundf(real / ash_ref_scale_of(t));
  const int32_t zero = ash_ref_zero_of(t);
  if (steps > 1e6f)
    return 1000000 + zero;
  return steps < -1e6f ? -1000000 + zero : (int32_t)steps + zero;
}

static void raise_floor(ash_ref_limits *l, const ash_tensor *t, float real) {
  l->flo = real;
  if (t->quant.count && quantise_limit(t, real) > l->lo)
    l->lo = quantise_limit(t, real);
}

static void lower_ceiling(ash_ref_limits *l, const ash_tensor *t, float real) {
  l->fhi = real;
  if (t->quant.count && quantise_limit(t, real) < l->hi)
    l->hi = quantise_limit(t, real);
}

ash_ref_limits ash_ref_limits_of(const ash_ref_call *c, const char *act) {
  const ash_tensor *out = ash_ref_out(c, 0);
  ash_ref_limits l;
  limit_type(&l, out->type);
  if (strcmp(act, "relu") == 0 || strcmp(act, "relu6") == 0 ||
      strcmp(act, "relu_0_to_1") == 0)
    raise_floor(&l, out, 0);
  if (strcmp(act, "relu_0_to_1") == 0)
    lower_ceiling(&l, out, 1);
  if (strcmp(act, "relu6") == 0)
    lower_ceiling(&l, out, 6);
  if (strcmp(act, "relu_n1_to_1") == 0) {
    raise_floor(&l, out, -1);
    lower_ceiling(&l, out, 1);
  }
  return l;
}

void ash_ref_put_int(const ash_ref_call *c, const ash_ref_limits *limits,
                     uint64_t i, int32_t value) {
  const ash_tensor *out = ash_ref_out(c, 0);
  int64_t y = (int64_t)value + ash_ref_zero_of(out);
  y = y < limits->lo ? limits->lo : y;
  y = y > limits->hi ? limits->hi : y;
  ash_ref_put(out, ash_ref_write(c, 0), i, y);
}

float ash_ref_clamp(const ash_ref_limits *limits, float value) {
  const float y = value < limits->flo ? limits->flo : value; /* keeps NaN */
  return y > limits->fhi ? limits->fhi : y;
}

/* ---- positions ---------------------------------------------------------- */

void ash_ref_next(const ash_shape *s, int32_t *at) {
  for (uint32_t i = s->rank; i-- > 0;) {
    if (++at[i] < s->dim[i])
      return;
    at[i] = 0;
  }
}

uint64_t ash_ref_offset(const ash_shape *s, const int32_t *at) {
  uint64_t index = 0;
  for (uint32_t i = 0; i < s->rank; i++)
    index = index * (uint64_t)s->dim[i] + (uint64_t)at[i];
  return index;
}

uint64_t ash_ref_index(const ash_shape *s, const int32_t *at, uint32_t rank) {
  uint64_t index = 0;
  for (uint32_t i = 0; i < s->rank; i++) {
    const int32_t where = s->dim[i] == 1 ? 0 : at[rank - s->rank + i];
    index = index * (uint64_t)s->dim[i] + (uint64_t)where;
  }
  return index;
}
