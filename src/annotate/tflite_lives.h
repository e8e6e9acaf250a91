/* tflite_lives.h - how long the tensors of a .tflite file live in TensorFlow
 * Lite Micro's interpreter, whatever its operators are: planning for it needs
 * no kernels, so it needs no operator that we know. */
#ifndef ASH_ANNOTATE_TFLITE_LIVES_H
#define ASH_ANNOTATE_TFLITE_LIVES_H

#include "annotate/model_file.h"
#include "base/ctx.h"

typedef struct ash_tflite_life {
  uint64_t bytes;       /* 0: takes no room that can be planned: a constant, a
                           variable, a type or shape without a fixed size,
                           or nobody touches it                           */
  int64_t lower, upper; /* half-open, in operators                        */
} ash_tflite_life;

/* Of the first subgraph; `all_tensors` counts those of all. In `zone`. */
ash_status ash_annotate_lives(ash_ctx *ctx, const ash_tflite_life **out,
                              uint32_t *tensors, uint32_t *all_tensors,
                              ash_zone *zone, const ash_model_file *file);

#endif
