/* tflite_metadata.h - named bytes inside a .tflite file. */
#ifndef ASH_ANNOTATE_TFLITE_METADATA_H
#define ASH_ANNOTATE_TFLITE_METADATA_H

#include "annotate/model_file.h"
#include "base/ctx.h"

/* The bytes stored under `name` (the last, if it repeats); NULL: none. */
ash_status ash_annotate_metadata_get(ash_ctx *ctx, const uint8_t **data,
                                     size_t *data_count, const char *name,
                                     const ash_model_file *file);

/* The file with `data` under `name`, in place of what stood there; kept by the
 * context. */
ash_status ash_annotate_metadata_set(ash_ctx *ctx, const uint8_t **out,
                                     size_t *out_count, const char *name,
                                     const uint8_t *data, size_t data_count,
                                     const ash_model_file *file);

#endif
