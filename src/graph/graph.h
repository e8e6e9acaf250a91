/* graph.h - the graph as the compiler sees it: arrays in one zone.
 *
 * Invariants that verify.c checks after every stage:
 *   - every id is in range; operators stand in a topological order;
 *   - each activation has exactly one producer, inputs and constants none,
 *     variables any number;
 *   - shapes and types agree with the operator's shape rule (shape.h);
 *   - attributes are those that ops.def lists for the operator;
 *   - tensor and op ids are unique. */
#ifndef ASH_GRAPH_GRAPH_H
#define ASH_GRAPH_GRAPH_H

#include "ashlar/graph.h"
#include "base/ctx.h"
#include "base/file.h"

enum ash_op_kinds {
#define OP(name, columns) ASH_OP_##name,
#include "op/ops.def"
#undef OP
  ASH_OP_COUNT
};

/* What the compiler may assume of an operator. */
enum ash_op_flags {
  ASH_OP_VIEW = 1,        /* the output is the input's bytes, reshaped      */
  ASH_OP_ELEMENTWISE = 2, /* output element i needs element i of each input
                             (after broadcasting): may run in place         */
  ASH_OP_VARIADIC = 4,    /* any number of inputs >= in_min                 */
  ASH_OP_STATE = 8,       /* inputs that are variables are read and then
                             updated where they are                         */
  ASH_OP_MOVES = 16,      /* elements of the outputs are elements of input 0 */
  ASH_OP_WINDOW = 32,     /* a window slides over height and width of NHWC  */
  ASH_OP_WEIGHTS = 64,    /* input 1 holds weights, input 2 may be a bias   */
  ASH_OP_RECTIFIES = 128, /* may apply a rectifier to its results: `act`    */
  ASH_OP_INTEGERS = 256   /* may sum integers without scales (op/sums.h)    */
};

typedef struct ash_op_info {
  const char *name; /* "conv_2d" */
  uint32_t inputs_min, inputs_max, outputs;
  uint32_t flags;
  const char *attrs; /* "stride_h=1 act=none axes": names it may carry, with
                        defaults where there is one; NULL: none           */
} ash_op_info;

const ash_op_info *ash_kind_info(ash_op_kind kind);
static inline bool ash_op_has(const ash_op *op, enum ash_op_flags flag) {
  return (ash_kind_info(op->kind)->flags & flag) != 0;
}
/* ASH_OP_COUNT when no operator has that name. */
ash_op_kind ash_kind_find(const char *name);

struct ash_graph {
  ash_ctx *ctx;
  ash_zone zone;    /* everything below */
  const char *name; /* of the model, without folder and ending */
  const char *file; /* as given, for diagnostics; may be NULL  */
  ash_file bytes;   /* of the model, if the graph owns them     */
  const char *absent, *absent_file; /* a constant whose bytes are made up, and
                       the file that has them; NULL: none       */
  struct {
    ash_tensor *items;
    size_t capacity;
  } tensors;
  size_t tensor_count;
  uint32_t next_number; /* above all ids that are numbers */
  struct {
    ash_op *items;
    size_t capacity;
  } ops;
  size_t op_count;
  uint32_t *inputs, *outputs;
  size_t input_count, output_count;
};

/* Are the bytes of all constants those of the model? Otherwise an error that
 * names one of them; shapes are right in any case. */
ash_status ash_graph_need_constants(ash_ctx *ctx, const ash_graph *g);

/* ---- building ----------------------------------------------------------- */

/* An empty graph; NULL after ash_nomem. */
ash_status ash_graph_new(ash_ctx *ctx, ash_graph **out, const char *name,
                         const char *file);

/* Adds a tensor. `t.name` and quantisation arrays are copied, `t.data` is
 * not; `t.bytes` is computed from shape and type (fails on overflow). `t.id`
 * NULL gives the index as id. */
ash_status ash_graph_add_tensor(ash_graph *g, uint32_t *out, ash_tensor t);
/* Adds a constant that no file has; `data` is in the graph's zone. */
ash_status ash_graph_add_constant(ash_graph *g, uint32_t *out, const char *id,
                                  ash_type type, const ash_shape *shape,
                                  const void *data);

/* Adds an operator at the end. `op.id` NULL gives "<kind>_<source_index>".
 * Input, output and attribute arrays are copied. */
ash_status ash_graph_add_op(ash_graph *g, uint32_t *out, ash_op op);

ash_status ash_graph_set_inputs(ash_graph *g, const uint32_t *ids, size_t n);
ash_status ash_graph_set_outputs(ash_graph *g, const uint32_t *ids, size_t n);

/* Sets or replaces an attribute of an op already in the graph. */
ash_status ash_graph_set_attr(ash_graph *g, uint32_t op, ash_attr attr);
/* Appends an input to an op already in the graph. */
ash_status ash_graph_append_input(ash_graph *g, uint32_t op, uint32_t tensor);

#define ASH_INT_ATTR(key, value)                                               \
  ((ash_attr){.name = (key), .kind = ASH_ATTR_INT, .i = (value)})
#define ASH_FLOAT_ATTR(key, value)                                             \
  ((ash_attr){.name = (key), .kind = ASH_ATTR_FLOAT, .f = (value)})
#define ASH_INTS_ATTR(key, values, n)                                          \
  ((ash_attr){                                                                 \
      .name = (key), .kind = ASH_ATTR_INTS, .ints = (values), .count = (n)})
#define ASH_STRING_ATTR(key, value)                                            \
  ((ash_attr){.name = (key), .kind = ASH_ATTR_STRING, .s = (value)})

/* ---- reading ------------------------------------------------------------ */

const ash_attr *ash_attr_find(const ash_op *op, const char *name);
int64_t ash_attr_int(const ash_op *op, const char *name, int64_t otherwise);
double ash_attr_float(const ash_op *op, const char *name, double otherwise);
const char *ash_attr_string(const ash_op *op, const char *name,
                            const char *otherwise);

uint64_t ash_shape_elements(const ash_shape *s); /* 1 for rank 0 */
bool ash_shape_equal(const ash_shape *a, const ash_shape *b);
/* Bytes of a tensor; false when they do not fit 63 bits or a dim is < 0. */
bool ash_shape_bytes(uint64_t *out, const ash_shape *s, ash_type type);

/* A shape as text, "[1,8,8,3]", in a buffer of this size. */
enum { ASH_SHAPE_TEXT = 12 * ASH_RANK_MAX + 3 };
const char *ash_shape_text(char *buf, const ash_shape *s);

/* Shorthands for operator code: the tensor behind input or output k, NULL if
 * absent. */
static inline ash_tensor *ash_op_in(const ash_graph *g, const ash_op *op,
                                    uint32_t k) {
  if (k >= op->input_count || op->inputs[k] == ASH_NO_ID)
    return NULL;
  return &g->tensors.items[op->inputs[k]];
}
static inline ash_tensor *ash_op_out(const ash_graph *g, const ash_op *op,
                                     uint32_t k) {
  return &g->tensors.items[op->outputs[k]];
}

/* First scale and zero point of a tensor; 1 and 0 if it has none. */
static inline float ash_quant_scale(const ash_tensor *t) {
  return t->quant.count ? t->quant.scale[0] : 1.0f;
}
static inline int32_t ash_quant_zero(const ash_tensor *t) {
  return t->quant.count ? t->quant.zero_point[0] : 0;
}
static inline bool ash_quant_equal(const ash_tensor *a, const ash_tensor *b) {
  return ash_quant_scale(a) == ash_quant_scale(b) &&
         ash_quant_zero(a) == ash_quant_zero(b);
}

/* Does the op give the variable `tensor` a new value? As an output, or as an
 * input of an operator with ASH_OP_STATE. */
bool ash_graph_updates(const ash_graph *g, const ash_op *op, uint32_t tensor);
/* Any variable at all: then it runs even if nobody needs its outputs. */
bool ash_graph_has_effect(const ash_graph *g, const ash_op *op);

/* Element `i` of a constant integer tensor (int8..int64, uint8, bool). */
int64_t ash_tensor_int(const ash_tensor *t, uint64_t i);
float ash_tensor_float(const ash_tensor *t, uint64_t i); /* float32 only */

/* Diagnostics' locations. `op` or `tensor` may be ASH_NO_ID. */
ash_loc ash_graph_loc(const ash_graph *g, uint32_t op, uint32_t tensor);

#endif
