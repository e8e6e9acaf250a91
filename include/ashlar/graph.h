/* ashlar/graph.h - the intermediate representation, read-only for users of the
 * library: tensors and operators in arrays, joined by index, never by pointer.
 *
 * A graph is made by a reader (ashlar/compile.h), by the textual form, or by
 * the builder functions below; passes rewrite it; the verifier says whether it
 * is well formed. Tensors are stored channels-last where an operator knows
 * channels. Shapes are static: every dimension is known. */
#ifndef ASHLAR_GRAPH_H
#define ASHLAR_GRAPH_H

#include "ashlar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ASH_RANK_MAX = 8 };
#define ASH_NO_ID UINT32_MAX

/* Element types: X(name, text, bits, C type). */
#define ASH_TYPE_MAP(X)                                                        \
  X(NONE, "none", 0, "void")                                                   \
  X(INT8, "int8", 8, "int8_t")                                                 \
  X(UINT8, "uint8", 8, "uint8_t")                                              \
  X(INT16, "int16", 16, "int16_t")                                             \
  X(UINT16, "uint16", 16, "uint16_t")                                          \
  X(INT32, "int32", 32, "int32_t")                                             \
  X(UINT32, "uint32", 32, "uint32_t")                                          \
  X(INT64, "int64", 64, "int64_t")                                             \
  X(UINT64, "uint64", 64, "uint64_t")                                          \
  X(FLOAT32, "float32", 32, "float")                                           \
  X(FLOAT64, "float64", 64, "double")                                          \
  X(FLOAT16, "float16", 16, "uint16_t")                                        \
  X(BFLOAT16, "bfloat16", 16, "uint16_t")                                      \
  X(BOOL, "bool", 8, "uint8_t")                                                \
  X(INT4, "int4", 4, "uint8_t")                                                \
  X(UINT4, "uint4", 4, "uint8_t")                                              \
  X(COMPLEX64, "complex64", 64, "float") /* real part, then imaginary */

typedef enum ash_type {
#define X(name, text, bits, ctype) ASH_##name,
  ASH_TYPE_MAP(X)
#undef X
      ASH_TYPE_COUNT
} ash_type;

ASH_API const char *ash_type_text(ash_type type);
ASH_API uint32_t ash_type_bits(ash_type type);
ASH_API const char *ash_type_c(ash_type type); /* as generated C spells it */

/* Operators, from src/op/ops.def. */
typedef uint32_t ash_op_kind;
ASH_API const char *ash_op_kind_text(ash_op_kind kind); /* "conv_2d" */
/* The name of an operator: its kind, or the function of a `map`. */
struct ash_op;
ASH_API const char *ash_op_text(const struct ash_op *op);

/* What generated code can run: one row per kernel. */
typedef struct ash_op_row {
  const char *op;
  const char *types;   /* "int8, int8, int32 -> int8"; "any": as the input */
  const char *kernel;  /* "loop": written by the compiler */
  const char *feature; /* of the processor that it needs, or NULL */
  bool tiled;          /* has a tile rule                              */
  uint32_t in_place;   /* bit k: the result may overwrite input k      */
} ash_op_row;

/* False past the last row. `types` is written into `buf`. */
ASH_API bool ash_op_row_at(size_t index, ash_op_row *out, char *buf,
                           size_t size);

typedef struct ash_shape {
  uint32_t rank;
  int32_t dim[ASH_RANK_MAX];
} ash_shape;

/* Affine quantisation: real = scale[c] * (q - zero_point[c]). One entry, or one
 * per element of axis `axis`. count 0: not quantised. `once`: values of finer
 * scales are rounded once on their way to these, as float arithmetic rounds
 * them, not twice, as TensorFlow Lite does. */
typedef struct ash_quant {
  uint32_t count;
  int32_t axis;
  const float *scale;
  const int32_t *zero_point;
  bool once;
} ash_quant;

typedef enum ash_tensor_kind {
  ASH_TENSOR_ACTIVATION, /* computed; lives in a scratch arena          */
  ASH_TENSOR_INPUT,      /* given by the caller; scratch                */
  ASH_TENSOR_CONSTANT,   /* known at compile time                       */
  ASH_TENSOR_VARIABLE    /* state that survives a run; persistent arena */
} ash_tensor_kind;

typedef struct ash_tensor {
  const char *name; /* from the model; never NULL, may repeat         */
  const char *id;   /* stable and unique: "45" or "conv_2d_5_shift"   */
  ash_tensor_kind kind;
  ash_type type;
  ash_shape shape;
  ash_quant quant;
  uint64_t bytes;      /* element bytes of the whole tensor               */
  const uint8_t *data; /* constants, and initial values of variables: points
                          into the model's bytes or the graph's zone; no
                          alignment is promised                           */
  uint64_t file_byte;  /* where `data` was in the file, UINT64_MAX if made */
  bool is_output;
} ash_tensor;

/* Attributes are named values; which names an operator knows is in ops.def. */
typedef enum ash_attr_kind {
  ASH_ATTR_INT,
  ASH_ATTR_FLOAT,
  ASH_ATTR_INTS,
  ASH_ATTR_STRING
} ash_attr_kind;

typedef struct ash_attr {
  const char *name;
  ash_attr_kind kind;
  int64_t i;
  double f;
  const int64_t *ints;
  uint32_t count; /* of ints */
  const char *s;
} ash_attr;

typedef struct ash_op {
  ash_op_kind kind;
  uint32_t source_index; /* position of the operator in the model file */
  const char *id;        /* "conv_2d_5": unique, a valid C identifier  */
  const char *name;      /* from the model, or NULL                    */
  uint32_t input_count, output_count, attr_count;
  uint32_t *inputs;  /* tensor indices; ASH_NO_ID for an absent one */
  uint32_t *outputs; /* tensor indices */
  ash_attr *attrs;
} ash_op;

typedef struct ash_graph ash_graph;

ASH_API size_t ash_graph_tensor_count(const ash_graph *g);
ASH_API const ash_tensor *ash_graph_tensor(const ash_graph *g, uint32_t index);
ASH_API size_t ash_graph_op_count(const ash_graph *g);
ASH_API const ash_op *ash_graph_op(const ash_graph *g, uint32_t index);
ASH_API size_t ash_graph_input_count(const ash_graph *g);
ASH_API uint32_t ash_graph_input(const ash_graph *g, size_t index);
ASH_API size_t ash_graph_output_count(const ash_graph *g);
ASH_API uint32_t ash_graph_output(const ash_graph *g, size_t index);
ASH_API const char *ash_graph_name(const ash_graph *g);

/* Multiply-accumulates of one operator (0 if it has none). */
ASH_API uint64_t ash_op_macs(const ash_graph *g, uint32_t op);

/* The textual form (docs/ir.md). `text` is kept by the context. */
ASH_API ASH_MUST_CHECK ash_status ash_graph_dump(ash_ctx *ctx,
                                                 const char **text,
                                                 size_t *count,
                                                 const ash_graph *g);
ASH_API ASH_MUST_CHECK ash_status ash_graph_parse(ash_ctx *ctx, ash_graph **out,
                                                  const char *text,
                                                  size_t count,
                                                  const char *file);
ASH_API void ash_graph_free(ash_graph *g);

#ifdef __cplusplus
}
#endif
#endif
