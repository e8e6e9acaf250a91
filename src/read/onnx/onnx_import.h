/* onnx_import.h - what the readers of ONNX operators (onnx_ops_*.c) share: the
 * import under way, the node, and a builder whose failure is sticky.
 *
 * Tensors are ids. After a failure every builder function does nothing and
 * returns an id that ash_ox_t turns into a harmless tensor, so an operator is
 * written as a chain of calls and the caller looks at `status` once.
 *
 * A function that gets constants only returns a constant: the reference
 * interpreter computes it. */
#ifndef ASH_READ_ONNX_IMPORT_H
#define ASH_READ_ONNX_IMPORT_H

#include "op/functions.h"
#include "read/onnx/onnx.h"
#include "read/onnx/onnx_model.h"

typedef struct ash_ox_name {
  const char *name;
  uint32_t tensor;
} ash_ox_name;

/* A value that is no tensor (sequence/sequence.h). */
typedef struct ash_ox_bundle {
  const uint32_t *members; /* NULL: an optional value that holds nothing */
  uint32_t count;
} ash_ox_bundle;

/* Ids from here on are theirs. */
#define ASH_OX_SEQUENCE ((uint32_t)1 << 31)
static inline bool ash_ox_is_sequence(uint32_t id) {
  return id >= ASH_OX_SEQUENCE && id != ASH_NO_ID;
}

typedef struct ash_ox {
  ash_ctx *ctx;
  ash_graph *g;
  const char *file;
  const ash_load_options *options;
  ash_onnx_model *model;
  int64_t opset;
  bool quantlib; /* exported by QuantLib, which means a few things otherwise */
  struct {       /* open addressing; capacity a power of 2, 0 at first */
    ash_ox_name *items;
    size_t capacity, count;
  } names;
  struct {
    ash_ox_bundle *items;
    uint32_t capacity, count;
  } values;
  const ash_onnx_node *node;
  uint32_t node_index;
  uint32_t made;      /* operators so far, folded ones too: makes ids unique */
  uint32_t depth;     /* of nested graphs */
  uint64_t grown;     /* bytes by which folded constants exceed their inputs */
  uint64_t made_up;   /* bytes of constants whose file is not there          */
  struct {            /* the file of the last constant beside the model */
    const char *name; /* NULL: none */
    ash_file file;
  } outside;
  ash_status status;
} ash_ox;

/* ---- inputs of the model (onnx_input.c) ---------------------------------- */

void ash_ox_add_inputs(ash_ox *m);

/* ---- the node ------------------------------------------------------------ */

bool ash_ox_has(const ash_ox *m, uint32_t k);  /* input k is there */
uint32_t ash_ox_in(ash_ox *m, uint32_t k);     /* must be, and a tensor */
uint32_t ash_ox_in_any(ash_ox *m, uint32_t k); /* or another value */
uint32_t ash_ox_in_or(ash_ox *m, uint32_t k, uint32_t otherwise);
bool ash_ox_wants(const ash_ox *m, uint32_t k); /* output k is named */
void ash_ox_out(ash_ox *m, uint32_t k, uint32_t tensor);

const ash_onnx_attr *ash_ox_attr(const ash_ox *m, const char *name);
int64_t ash_ox_int(const ash_ox *m, const char *name, int64_t otherwise);
double ash_ox_float(const ash_ox *m, const char *name, double otherwise);
/* Is the string attribute this text (or absent and `text` the default)? */
bool ash_ox_is(const ash_ox *m, const char *name, const char *text,
               const char *otherwise);
/* NULL if absent. */
const int64_t *ash_ox_ints(const ash_ox *m, const char *name, uint32_t *count);
/* Exactly `n` numbers, or `otherwise` where the attribute is absent. */
void ash_ox_fill(ash_ox *m, const char *name, int64_t *to, uint32_t n,
                 int64_t otherwise);

/* ---- tensors ------------------------------------------------------------- */

const ash_tensor *ash_ox_t(const ash_ox *m, uint32_t id);
static inline const ash_shape *ash_ox_shape(const ash_ox *m, uint32_t id) {
  return &ash_ox_t(m, id)->shape;
}
static inline ash_type ash_ox_type(const ash_ox *m, uint32_t id) {
  return ash_ox_t(m, id)->type;
}
static inline uint32_t ash_ox_rank(const ash_ox *m, uint32_t id) {
  return ash_ox_t(m, id)->shape.rank;
}
static inline int32_t ash_ox_dim(const ash_ox *m, uint32_t id, uint32_t d) {
  const ash_shape *s = ash_ox_shape(m, id);
  return d < s->rank ? s->dim[d] : 1;
}
static inline bool ash_ox_is_constant(const ash_ox *m, uint32_t id) {
  return ash_ox_t(m, id)->kind == ASH_TENSOR_CONSTANT;
}
bool ash_ox_is_float(const ash_ox *m, uint32_t id);
/* Entry i of a constant, as a number. */
double ash_ox_value(const ash_ox *m, uint32_t id, uint64_t i);
/* The integers of a constant; fails, asking for the constant, if it is none,
 * or has more than `most`. */
uint32_t ash_ox_list(ash_ox *m, uint32_t id, int64_t *out, uint32_t most);
/* Fails, asking for the constant, if it is none. */
void ash_ox_need_constant(ash_ox *m, uint32_t id);

uint32_t ash_ox_constant(ash_ox *m, ash_type type, ash_shape shape,
                         const void *data); /* copied; NULL: zeros */
uint32_t ash_ox_scalar(ash_ox *m, ash_type type, double value);
uint32_t ash_ox_ints32(ash_ox *m, const int64_t *values, uint32_t count);
/* 0, 1, 2 .. along one axis of `rank` axes. */
uint32_t ash_ox_iota(ash_ox *m, ash_type type, int32_t count, uint32_t rank,
                     uint32_t axis);
uint32_t ash_ox_from_tensor(ash_ox *m, const ash_onnx_tensor *t);

/* ---- operators ----------------------------------------------------------- */

typedef struct ash_ox_op {
  ash_op_kind kind;
  uint32_t inputs[8];
  uint32_t input_count;
  ash_attr attrs[16];
  uint32_t attr_count;
  ash_type type;          /* of the output */
  const ash_shape *shape; /* where only the model knows it (reshape) */
} ash_ox_op;

uint32_t ash_ox_add_op(ash_ox *m, const ash_ox_op *op);
/* With any number of inputs, and outputs of given types. */
void ash_ox_add_any(ash_ox *m, const ash_ox_op *op, const uint32_t *inputs,
                    uint32_t input_count, const ash_type *types,
                    uint32_t output_count, uint32_t *outputs);
uint32_t ash_ox_map1(ash_ox *m, ash_fn fn, uint32_t a);
/* float32 arithmetic uses the operators that have kernels. */
uint32_t ash_ox_map2(ash_ox *m, ash_fn fn, uint32_t a, uint32_t b);
uint32_t ash_ox_map3(ash_ox *m, ash_fn fn, uint32_t a, uint32_t b, uint32_t c);
/* With a number of the type of `a`. */
uint32_t ash_ox_with(ash_ox *m, ash_fn fn, uint32_t a, double number);
uint32_t ash_ox_cast(ash_ox *m, uint32_t a, ash_type type);
/* As cast, with the ends of the type for what lies beyond them. */
uint32_t ash_ox_saturate(ash_ox *m, uint32_t a, ash_type type);
uint32_t ash_ox_unary(ash_ox *m, ash_op_kind kind, uint32_t a);
uint32_t ash_ox_reshape(ash_ox *m, uint32_t a, ash_shape shape);
uint32_t ash_ox_transpose(ash_ox *m, uint32_t a, const uint32_t *perm);
/* The axis of channels, second or last, the others in their order. */
uint32_t ash_ox_channels_first(ash_ox *m, uint32_t a);
uint32_t ash_ox_channels_last(ash_ox *m, uint32_t a);
uint32_t ash_ox_strided(ash_ox *m, uint32_t a, const ash_shape *shape,
                        const int64_t *step, int64_t offset);
uint32_t ash_ox_expand(ash_ox *m, uint32_t a, const ash_shape *to);
/* Elements start, start + step .. of one axis, `count` of them. */
uint32_t ash_ox_slice(ash_ox *m, uint32_t a, uint32_t axis, int64_t start,
                      int64_t step, int64_t count);
uint32_t ash_ox_fold(ash_ox *m, ash_fold fold, uint32_t a, uint32_t axes,
                     bool keep);
uint32_t ash_ox_gather(ash_ox *m, uint32_t a, uint32_t index, uint32_t axis);
uint32_t ash_ox_join(ash_ox *m, const uint32_t *ids, uint32_t count,
                     uint32_t axis);
uint32_t ash_ox_pad(ash_ox *m, uint32_t a, const int64_t *before,
                    const int64_t *after, uint32_t value);
uint32_t ash_ox_matmul(ash_ox *m, uint32_t a, uint32_t b);
/* x * w' + bias, w constant [out, in] float32; keeps leading dimensions. */
uint32_t ash_ox_dense(ash_ox *m, uint32_t x, uint32_t w, uint32_t bias);

/* uint8 codes between the least and the largest value, with the scale and zero
 * point that follow from them (onnx_ops_quant.c). */
uint32_t ash_ox_dynamic_codes(ash_ox *m, uint32_t x, uint32_t *scale,
                              uint32_t *zero);

/* Numbers of blocks of an axis of x, each for `size` elements, as one for each
 * element (onnx_ops_blocks.c); and com.microsoft's MatMulNBits. */
uint32_t ash_ox_spread_blocks(ash_ox *m, uint32_t v, uint32_t x, int64_t axis,
                              int64_t size);
void ash_ox_read_matmul_bits(ash_ox *m);

/* Over the axes of these bits (onnx_ops_norm.c). */
uint32_t ash_ox_softmax(ash_ox *m, uint32_t x, uint32_t axes);
uint32_t ash_ox_log_softmax(ash_ox *m, uint32_t x, uint32_t axes);

/* The rounded average of integers (onnx_ops_deeploy.c). */
void ash_ox_integer_mean(ash_ox *m);

/* ---- failures ------------------------------------------------------------ */

void ash_ox_fail(ash_ox *m, ash_status status, ash_diag_id id, const char *fmt,
                 ...) ASH_PRINTF(4, 5);
/* "<what> is not supported" for this node. */
void ash_ox_refuse(ash_ox *m, const char *what);
/* The node contradicts itself. */
void ash_ox_bad(ash_ox *m, const char *what);
/* Refuses sums of 8- and 16-bit integers: ONNX defines none, as the result's
 * type would not hold them. */
void ash_ox_need_sums(ash_ox *m, uint32_t id);
/* -1 counts from the back; fails outside. */
uint32_t ash_ox_axis(ash_ox *m, int64_t axis, uint32_t rank);

/* ---- names, nested graphs (onnx.c) --------------------------------------- */

uint32_t ash_ox_find(const ash_ox *m, const char *name); /* ASH_NO_ID: none */
void ash_ox_bind(ash_ox *m, const char *name, uint32_t tensor);
void ash_ox_unbind(ash_ox *m, const char *name);
void ash_ox_run_graph(ash_ox *m, const ash_onnx_graph *graph);
void ash_ox_run_node(ash_ox *m, const ash_onnx_node *node);
/* The graph that an attribute of the node is, and what it made as output k
 * (onnx_ops_flow.c). */
bool ash_ox_open_graph(ash_ox *m, const char *name, ash_onnx_graph *graph);
uint32_t ash_ox_graph_output(ash_ox *m, const ash_onnx_graph *graph,
                             uint32_t k);
/* The model's function for such a node, NULL if there is none; and its nodes in
 * the node's place (onnx_inline.c). */
const ash_onnx_function *ash_ox_function_of(const ash_ox *m,
                                            const ash_onnx_node *node);
void ash_ox_inline(ash_ox *m, const ash_onnx_function *f,
                   const ash_onnx_node *node);
/* Reads the node as if it were of another type, with these inputs; the first
 * output. */
uint32_t ash_ox_run_as(ash_ox *m, const char *type, const uint32_t *inputs,
                       uint32_t count);

/* ---- the operators: one table a file ------------------------------------- */

typedef struct ash_ox_handler {
  const char *type;
  void (*read)(ash_ox *m);
} ash_ox_handler;

extern const ash_ox_handler ash_ox_math[], ash_ox_move[], ash_ox_window[],
    ash_ox_norm[], ash_ox_reduce[], ash_ox_matrix[], ash_ox_quant[],
    ash_ox_rnn[], ash_ox_loss[], ash_ox_resize[], ash_ox_deeploy[],
    ash_ox_flow[], ash_ox_make[], ash_ox_signal[], ash_ox_detect[],
    ash_ox_sample[];
/* Of com.microsoft alone. */
extern const ash_ox_handler ash_ox_fused[], ash_ox_attention[],
    ash_ox_onnx_attention[];

#endif
