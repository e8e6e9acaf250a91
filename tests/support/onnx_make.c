/* onnx_make.c - see onnx_make.h. */
#include "onnx_make.h"

#include "check.h"

/* ---- protobuf ----------------------------------------------------------- */

enum { VARINT = 0, BYTES = 2 }; /* wire types */

static void put_byte(wire *w, uint8_t byte) {
  CHECK(w->count < sizeof w->bytes);
  w->bytes[w->count++] = byte;
}

void wire_varint(wire *w, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    put_byte(w, (uint8_t)(value | 0x80));
  put_byte(w, (uint8_t)value);
}

static void put_key(wire *w, uint32_t field, uint32_t type) {
  wire_varint(w, (uint64_t)field << 3 | type);
}

void wire_int(wire *w, uint32_t field, int64_t value) {
  put_key(w, field, VARINT);
  wire_varint(w, (uint64_t)value);
}

void wire_head(wire *w, uint32_t field, uint64_t count) {
  put_key(w, field, BYTES);
  wire_varint(w, count);
}

void wire_bytes(wire *w, uint32_t field, const void *bytes, size_t count) {
  wire_head(w, field, count);
  for (size_t i = 0; i < count; i++)
    put_byte(w, ((const uint8_t *)bytes)[i]);
}

void wire_text(wire *w, uint32_t field, const char *text) {
  wire_bytes(w, field, text, strlen(text));
}

void wire_message(wire *w, uint32_t field, const wire *inner) {
  wire_bytes(w, field, inner->bytes, inner->count);
}

/* ---- ONNX --------------------------------------------------------------- */

enum { ATTR_INT = 2, ATTR_INTS = 7 };

void onnx_value(wire *graph, uint32_t field, const char *name, int32_t type,
                uint32_t rank, const int64_t *dims) {
  wire shape = {.count = 0}, tensor = {.count = 0}, t = {.count = 0};
  wire value = {.count = 0};
  for (uint32_t i = 0; i < rank; i++) {
    wire dim = {.count = 0};
    if (dims[i] < 0)
      wire_text(&dim, 2, "n");
    else
      wire_int(&dim, 1, dims[i]);
    wire_message(&shape, 1, &dim);
  }
  wire_int(&tensor, 1, type);
  if (dims)
    wire_message(&tensor, 2, &shape);
  wire_message(&t, 1, &tensor);
  wire_text(&value, 1, name);
  wire_message(&value, 2, &t);
  wire_message(graph, field, &value);
}

void onnx_constant(wire *graph, const char *name, int32_t type, uint32_t rank,
                   const int64_t *dims, const void *data, size_t bytes) {
  wire t = {.count = 0};
  for (uint32_t i = 0; i < rank; i++)
    wire_int(&t, 1, dims[i]);
  wire_int(&t, 2, type);
  wire_text(&t, 8, name);
  wire_bytes(&t, 9, data, bytes);
  wire_message(graph, 5, &t);
}

void onnx_int(wire *node, const char *name, int64_t value) {
  wire a = {.count = 0};
  wire_text(&a, 1, name);
  wire_int(&a, 3, value);
  wire_int(&a, 20, ATTR_INT);
  wire_message(node, 5, &a);
}

void onnx_node(wire *graph, const char *type, const char *const *inputs,
               const char *output, const char *attr, uint32_t count,
               const int64_t *values) {
  wire n = {.count = 0}, a = {.count = 0};
  for (; *inputs; inputs++)
    wire_text(&n, 1, *inputs);
  wire_text(&n, 2, output);
  wire_text(&n, 4, type);
  if (attr) {
    wire_text(&a, 1, attr);
    for (uint32_t i = 0; i < count; i++)
      wire_int(&a, 8, values[i]);
    wire_int(&a, 20, ATTR_INTS);
    wire_message(&n, 5, &a);
  }
  wire_message(graph, 1, &n);
}

wire onnx_model(const wire *graph) {
  wire opset = {.count = 0}, m = {.count = 0};
  wire_int(&opset, 2, 13);
  wire_int(&m, 1, 8);
  wire_text(&m, 2, "made");
  wire_message(&m, 7, graph);
  wire_message(&m, 8, &opset);
  return m;
}
