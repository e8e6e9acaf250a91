/* tflite_detect.h - operators behind a detector, and options of custom
 * operators. Private to src/read/tflite. */
#ifndef ASH_READ_TFLITE_DETECT_H
#define ASH_READ_TFLITE_DETECT_H

#include "read/tflite/tflite_internal.h"

/* A FlexBuffers map (tflite_flex.c). */
typedef struct ash_flex {
  const uint8_t *bytes;
  uint64_t count;
} ash_flex;

/* The number of this name; `otherwise` where there is none. */
double ash_flex_number(const ash_flex *f, const char *name, double otherwise);

#endif
