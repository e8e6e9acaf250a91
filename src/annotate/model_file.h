/* model_file.h - a .tflite file in memory. */
#ifndef ASH_ANNOTATE_MODEL_FILE_H
#define ASH_ANNOTATE_MODEL_FILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct ash_model_file {
  const uint8_t *bytes;
  size_t count;
  const char *name; /* for diagnostics */
} ash_model_file;

#endif
