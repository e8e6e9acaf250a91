/* onnx_make.h - writes small ONNX files for tests: protobuf messages, and the
 * few of ONNX that tests need. Numbers of fields are those of onnx.proto:
 *
 *   wire graph = {.count = 0};
 *   onnx_node(&graph, "Relu", ONNX_NAMES("x"), "y", NULL, 0, NULL);
 *   onnx_value(&graph, 11, "x", ONNX_FLOAT, 1, ONNX_INTS(4));
 *   onnx_value(&graph, 12, "y", ONNX_FLOAT, 0, NULL);
 *   const wire model = onnx_model(&graph); */
#ifndef ASH_TESTS_ONNX_MAKE_H
#define ASH_TESTS_ONNX_MAKE_H

#include <stddef.h>
#include <stdint.h>

/* ---- protobuf ----------------------------------------------------------- */

/* A message under way. */
typedef struct wire {
  uint8_t bytes[4096];
  size_t count;
} wire;

void wire_varint(wire *w, uint64_t value);
void wire_int(wire *w, uint32_t field, int64_t value);
void wire_bytes(wire *w, uint32_t field, const void *bytes, size_t count);
void wire_text(wire *w, uint32_t field, const char *text);
void wire_message(wire *w, uint32_t field, const wire *inner);

/* Only the key and the length of a field whose `count` bytes follow. */
void wire_head(wire *w, uint32_t field, uint64_t count);

/* ---- ONNX --------------------------------------------------------------- */

enum { ONNX_FLOAT = 1, ONNX_UINT8 = 2, ONNX_INT8 = 3, ONNX_INT64 = 7 };

#define ONNX_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define ONNX_INTS(...)  ((const int64_t[]){__VA_ARGS__})

/* An input (field 11) or output (12); a dimension below 0 is open and called
 * "n"; without `dims` the shape is left open. */
void onnx_value(wire *graph, uint32_t field, const char *name, int32_t type,
                uint32_t rank, const int64_t *dims);
void onnx_constant(wire *graph, const char *name, int32_t type, uint32_t rank,
                   const int64_t *dims, const void *data, size_t bytes);

/* An attribute that is a number. */
void onnx_int(wire *node, const char *name, int64_t value);

/* A node with one output and, unless `attr` is NULL, a list as attribute. */
void onnx_node(wire *graph, const char *type, const char *const *inputs,
               const char *output, const char *attr, uint32_t count,
               const int64_t *values);

/* The whole file: IR version 8, opset 13, made by "made". */
wire onnx_model(const wire *graph);

#endif
