/* ash_rt_cast.c - numbers from one type to another. */
#include "ash_rt_quantize.h"

static int64_t ash_rt_least_of(int32_t type) {
  switch (type) {
  case ASH_RT_S8:
    return INT8_MIN;
  case ASH_RT_S16:
    return INT16_MIN;
  case ASH_RT_S32:
    return INT32_MIN;
  case ASH_RT_S64:
    return INT64_MIN;
  default:
    return 0;
  }
}

static int64_t ash_rt_most_of(int32_t type) {
  switch (type) {
  case ASH_RT_S8:
    return INT8_MAX;
  case ASH_RT_U8:
    return UINT8_MAX;
  case ASH_RT_S16:
    return INT16_MAX;
  case ASH_RT_U16:
    return UINT16_MAX;
  case ASH_RT_S32:
    return INT32_MAX;
  case ASH_RT_U32:
    return UINT32_MAX;
  default:
    return INT64_MAX;
  }
}

/* Bounds as floats are the bounds or the power of two behind them. */
static int64_t ash_rt_cut_off(float x, int32_t type) {
  const int64_t least = ash_rt_least_of(type), most = ash_rt_most_of(type);
  if (type == ASH_RT_BOOL)
    return x != 0.0f;
  if (!(x < (float)most))
    return most;
  return x <= (float)least ? least : (int64_t)x;
}

static void ash_rt_cast_one(const ash_rt_cast_params *p, const void *in,
                            void *out, int32_t i) {
  if (p->from == ASH_RT_F32) {
    const float x = ((const float *)in)[i];
    if (p->to == ASH_RT_F32)
      ((float *)out)[i] = x;
    else
      ash_rt_store(out, p->to, i, ash_rt_cut_off(x, p->to));
    return;
  }
  const int64_t x = ash_rt_load(in, p->from, i);
  if (p->to == ASH_RT_F32)
    ((float *)out)[i] = (float)x;
  else
    ash_rt_store(out, p->to, i, p->to == ASH_RT_BOOL ? x != 0 : x);
}

void ash_rt_cast(const ash_rt_cast_params *p, const void *in, void *out) {
  for (int32_t i = 0; i < p->count; i++)
    ash_rt_cast_one(p, in, out, i);
}
