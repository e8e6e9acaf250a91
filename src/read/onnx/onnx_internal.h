/* onnx_internal.h - what the files of the structural ONNX reader share. */
#ifndef ASH_READ_ONNX_INTERNAL_H
#define ASH_READ_ONNX_INTERNAL_H

#include "read/onnx/onnx_model.h"

typedef struct ash_onnx_reader {
  ash_ctx *ctx;
  ash_zone *zone;
  const char *file;
  uint32_t node; /* being read, for messages */
  const char *node_name;
  bool over_limit; /* sticky: some list was too long */
} ash_onnx_reader;

/* How often a field occurs; 0 and `over_limit` when too often. */
uint32_t ash_onnx_count(ash_onnx_reader *r, ash_pb_span m, uint32_t number);
const int64_t *ash_onnx_ints(ash_onnx_reader *r, ash_pb_span m, uint32_t number,
                             uint32_t *count);
ash_loc ash_onnx_at(const ash_onnx_reader *r);

/* ---- onnx_tensor.c ------------------------------------------------------- */

int32_t ash_onnx_type_number(const ash_pb_field *f);
ash_type ash_onnx_type(int32_t number);
ash_status ash_onnx_read_tensor(ash_onnx_reader *r, ash_onnx_tensor *t,
                                ash_pb_span m);
ash_status ash_onnx_new_tensor(ash_onnx_reader *r, const ash_onnx_tensor **out,
                               ash_pb_span m);

#endif
