/* onnx_model.h - an ONNX file as plain arrays, before any operator is
 * understood. The structure follows the file: a model has a graph, a graph has
 * nodes, constants, and named values with their types.
 *
 * Names are copied and NUL-ended. Constants stay in the file's bytes where the
 * file holds them as little-endian elements (raw_data, packed floats), else
 * they are decoded into the zone. Nested graphs (If, Loop) are kept as spans
 * that ash_onnx_read_graph opens when wanted. */
#ifndef ASH_READ_ONNX_MODEL_H
#define ASH_READ_ONNX_MODEL_H

#include "graph/graph.h"
#include "read/protobuf.h"

enum {
  ASH_ONNX_RANK_MAX = 64,
  ASH_ONNX_ITEMS_MAX = 1 << 20, /* of one repeated field */
};

/* A constant. */
typedef struct ash_onnx_tensor {
  const char *name;
  int32_t type_number; /* ONNX's, for messages */
  ash_type type;       /* ASH_NONE: one that Ashlar does not have */
  uint32_t rank;
  const int64_t *dims;
  uint64_t elements;
  const uint8_t *data; /* little-endian elements; NULL if outside the file */
  uint64_t bytes;
  uint64_t file_byte;   /* of data, UINT64_MAX if decoded */
  const char *location; /* of the file that holds the data, or NULL */
  uint64_t outside_at, outside_bytes;
} ash_onnx_tensor;

/* A dimension is a number, a name or unknown (-1 and NULL). */
typedef struct ash_onnx_dim {
  int64_t value;
  const char *name;
} ash_onnx_dim;

/* The type of a named value: inputs, outputs, and those between. */
typedef struct ash_onnx_value {
  const char *name;
  int32_t type_number; /* 0: not a tensor, or not given */
  ash_type type;       /* of the tensor, or of all tensors of a sequence */
  bool is_sequence, is_optional;
  bool has_shape;
  uint32_t rank;
  const ash_onnx_dim *dims;
} ash_onnx_value;

typedef enum ash_onnx_attr_kind {
  ASH_ONNX_NONE = 0,
  ASH_ONNX_FLOAT = 1,
  ASH_ONNX_INT = 2,
  ASH_ONNX_STRING = 3,
  ASH_ONNX_TENSOR = 4,
  ASH_ONNX_GRAPH = 5,
  ASH_ONNX_FLOATS = 6,
  ASH_ONNX_INTS = 7,
  ASH_ONNX_STRINGS = 8,
  ASH_ONNX_OTHER = 9 /* lists of tensors or graphs, sparse, types */
} ash_onnx_attr_kind;

typedef struct ash_onnx_attr {
  const char *name;
  const char *ref; /* in functions: the caller's attribute; "" if none */
  ash_onnx_attr_kind kind;
  float f;
  int64_t i;
  ash_pb_span s; /* a string's bytes, or a graph */
  const ash_onnx_tensor *t;
  uint32_t count; /* of the lists */
  const float *floats;
  const int64_t *ints;
  const ash_pb_span *strings;
} ash_onnx_attr;

typedef struct ash_onnx_node {
  const char *name, *type, *domain; /* never NULL; domain "" is ai.onnx */
  uint32_t input_count, output_count, attr_count;
  const char *const *inputs; /* "" for an absent one */
  const char *const *outputs;
  const ash_onnx_attr *attrs;
} ash_onnx_node;

typedef struct ash_onnx_graph {
  const char *name;
  uint32_t node_count, constant_count, input_count, output_count, value_count;
  const ash_onnx_node *nodes;
  const ash_onnx_tensor *constants;
  const ash_onnx_value *inputs, *outputs, *values;
} ash_onnx_graph;

typedef struct ash_onnx_opset {
  const char *domain;
  int64_t version;
} ash_onnx_opset;

/* Nodes that stand for a node of this type; `defaults` are of attributes. */
typedef struct ash_onnx_function {
  const char *name, *domain;
  uint32_t input_count, output_count, node_count, default_count, opset_count;
  const char *const *inputs, *const *outputs;
  const ash_onnx_node *nodes;
  const ash_onnx_attr *defaults;
  const ash_onnx_opset *opsets;
} ash_onnx_function;

typedef struct ash_onnx_model {
  ash_pb pb;
  int64_t ir_version;
  const char *producer;
  uint32_t opset_count, function_count;
  const ash_onnx_opset *opsets;
  const ash_onnx_function *functions;
  ash_onnx_graph graph;
} ash_onnx_model;

/* Everything but the file's bytes lives in `zone`. `out` must not move: spans
 * point to its `pb`. */
ash_status ash_onnx_read_model(ash_ctx *ctx, ash_onnx_model *out,
                               ash_zone *zone, const uint8_t *bytes,
                               size_t count, const char *file);

/* A nested graph, from an attribute's span. */
ash_status ash_onnx_read_graph(ash_ctx *ctx, ash_onnx_graph *out,
                               ash_zone *zone, ash_pb_span span,
                               const char *file);

/* ONNX's name of an element type, for messages. */
const char *ash_onnx_type_text(int32_t number);

#endif
