/* ash_rt_types.h - elements of a type known only from the parameters. */
#ifndef ASH_RT_TYPES_H
#define ASH_RT_TYPES_H

#include "ash_rt.h"

enum {
  ASH_RT_S8,
  ASH_RT_U8,
  ASH_RT_S16,
  ASH_RT_U16,
  ASH_RT_S32,
  ASH_RT_U32,
  ASH_RT_S64,
  ASH_RT_F32,
  ASH_RT_BOOL
};

static inline int64_t ash_rt_load(const void *data, int32_t type, ptrdiff_t i) {
  switch (type) {
  case ASH_RT_S8:
    return ((const int8_t *)data)[i];
  case ASH_RT_S16:
    return ((const int16_t *)data)[i];
  case ASH_RT_U16:
    return ((const uint16_t *)data)[i];
  case ASH_RT_S32:
    return ((const int32_t *)data)[i];
  case ASH_RT_U32:
    return ((const uint32_t *)data)[i];
  case ASH_RT_S64:
    return ((const int64_t *)data)[i];
  default:
    return ((const uint8_t *)data)[i];
  }
}

/* Keeps the bits that the type has. */
static inline void ash_rt_store(void *data, int32_t type, ptrdiff_t i,
                                int64_t value) {
  switch (type) {
  case ASH_RT_S16:
  case ASH_RT_U16:
    ((uint16_t *)data)[i] = (uint16_t)value;
    break;
  case ASH_RT_S32:
  case ASH_RT_U32:
    ((uint32_t *)data)[i] = (uint32_t)value;
    break;
  case ASH_RT_S64:
    ((int64_t *)data)[i] = value;
    break;
  default:
    ((uint8_t *)data)[i] = (uint8_t)value;
    break;
  }
}

#endif
