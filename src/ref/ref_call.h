/* ref_call.h - what the reference kernels (ref_*.c) share: the call, access to
 * values, and the kernels.
 *
 * Integer kernels work on `int32_t` copies of their inputs with the zero point
 * already subtracted, so one kernel serves int8, uint8 and int16. The verifier
 * has run: shapes, types and attributes are as the shape rules demand. */
#ifndef ASH_REF_REF_CALL_H
#define ASH_REF_REF_CALL_H

#include "ref/ref.h"
#include "ref/ref_fixed.h"

typedef struct ash_ref_call {
  ash_ctx *ctx;
  const ash_graph *g;
  uint32_t index; /* of the op */
  const ash_op *op;
  void *const *values; /* by tensor index; aligned for any type */
} ash_ref_call;

static inline const ash_tensor *ash_ref_in(const ash_ref_call *c, uint32_t k) {
  return ash_op_in(c->g, c->op, k);
}
static inline const ash_tensor *ash_ref_out(const ash_ref_call *c, uint32_t k) {
  return ash_op_out(c->g, c->op, k);
}
static inline const void *ash_ref_read(const ash_ref_call *c, uint32_t k) {
  return ash_ref_in(c, k) ? c->values[c->op->inputs[k]] : NULL;
}
static inline void *ash_ref_write(const ash_ref_call *c, uint32_t k) {
  return c->values[c->op->outputs[k]];
}
static inline uint64_t ash_ref_elements(const ash_tensor *t) {
  return ash_shape_elements(&t->shape);
}
static inline bool ash_ref_is_float(const ash_ref_call *c) {
  return ash_ref_in(c, 0)->type == ASH_FLOAT32;
}
static inline bool ash_ref_is_quantised(const ash_tensor *t) {
  return t->type == ASH_INT8 || t->type == ASH_UINT8 || t->type == ASH_INT16;
}
/* A ratio of scales as the output's quantisation rounds. */
static inline ash_ref_factor ash_ref_out_factor(const ash_ref_call *c,
                                                double real) {
  return ash_ref_out(c, 0)->quant.once ? ash_ref_factor_once(real)
                                       : ash_ref_factor_of(real);
}
static inline float ash_ref_scale_of(const ash_tensor *t) {
  return t->quant.scale[0];
}
static inline int32_t ash_ref_zero_of(const ash_tensor *t) {
  return t->quant.count ? t->quant.zero_point[0] : 0;
}

/* Element i as stored, and storing it (cut to the type's bits). */
int64_t ash_ref_get(const ash_tensor *t, const void *data, uint64_t i);
void ash_ref_put(const ash_tensor *t, void *data, uint64_t i, int64_t value);

/* Input k as int32 with its zero point subtracted, in the scratch zone; NULL
 * if the input is absent or memory ran out (check the zone once). */
const int32_t *ash_ref_widen(const ash_ref_call *c, uint32_t k);

/* The limits that the fused activation `act` and the type of output 0 set. */
typedef struct ash_ref_limits {
  int32_t lo, hi;
  float flo, fhi;
} ash_ref_limits;
ash_ref_limits ash_ref_limits_of(const ash_ref_call *c, const char *act);
/* Stores element i of output 0: result plus zero point, within the limits. */
void ash_ref_put_int(const ash_ref_call *c, const ash_ref_limits *limits,
                     uint64_t i, int32_t value);
float ash_ref_clamp(const ash_ref_limits *limits, float value);
/* Stores element i of a layer of integers (op/sums.h), of that output channel:
 * its sum without the bias. */
void ash_ref_put_integer(const ash_ref_call *c, uint64_t i, uint64_t channel,
                         uint64_t sum);

/* Float input k as int8 with a scale and a zero point for each of `rows` equal
 * rows, as dynamic-range quantisation does it; `values` have the zero point
 * subtracted. */
float ash_ref_quantise_row(const float *x, size_t count, bool asymmetric,
                           int32_t *to); /* the scale */
/* Sum of products of `count` floats with row `i` of the weights in input k,
 * float or int8; `codes` has room for `count`. */
float ash_ref_weigh(const ash_ref_call *c, uint32_t k, size_t i, const float *x,
                    size_t count, int32_t *codes);
ash_status ash_ref_quantise_rows(const ash_ref_call *c, uint32_t k, size_t rows,
                                 bool asymmetric, const int32_t **values,
                                 const float **scales);

/* To an integer, halves away from zero, cut where no type reaches. */
int32_t ash_ref_to_int(float x);

/* int16 functions that are tables with interpolation (ref_element_int16.c):
 * logistic and tanh, softmax of rows of `depth`. */
ash_status ash_ref_curve(const ash_ref_call *c);
/* Any function of int16: a table of 513 results, and interpolation. */
ash_status ash_ref_map16(const ash_ref_call *c, float (*f)(float x));
/* Of x in 1/12288, results in 1/32768. */
int64_t ash_ref_logistic16(int32_t x);
int64_t ash_ref_tanh16(int32_t x);
ash_status ash_ref_softmax_sixteen(const ash_ref_call *c, uint64_t depth);

/* One row of a softmax: floats; int8 scores as shares in 1/256. `y` may be
 * `x`. */
void ash_ref_softmax_float(const float *x, float *y, uint64_t depth,
                           float beta);
void ash_ref_softmax_int(const int32_t *x, int32_t *shares, uint64_t depth,
                         double beta, double scale);

/* How sequences lie: row of (batch, step) = batch * per_batch + step *
 * per_step. */
typedef struct ash_ref_steps {
  size_t batches, steps, per_batch, per_step;
} ash_ref_steps;
ash_ref_steps ash_ref_steps_of(const ash_ref_call *c);

/* Walks a shape's elements in order: `at` is the position, all 0 at first. */
void ash_ref_next(const ash_shape *s, int32_t *at);
/* Index of a position in a shape of that rank. */
uint64_t ash_ref_offset(const ash_shape *s, const int32_t *at);
/* Index of `at`, a position in a shape of `rank` axes, in a tensor that was
 * broadcast to that shape. */
uint64_t ash_ref_index(const ash_shape *s, const int32_t *at, uint32_t rank);

/* Element `from` of a value becomes element `to` of output k, as it is. */
void ash_ref_move(const ash_ref_call *c, uint32_t k, uint64_t to,
                  const void *source, uint64_t from);
/* Fills output 0 from input 0: `source_of` says which element comes to a
 * position of the output, or ASH_REF_NOWHERE for the value that means zero. */
#define ASH_REF_NOWHERE UINT64_MAX
typedef uint64_t ash_ref_source(const ash_ref_call *c, const int32_t *at);
ash_status ash_ref_move_all(const ash_ref_call *c, ash_ref_source *source_of);

/* The kernels. */
#define OP(op, columns) columns
#define FN(fn, columns) columns
#define REF(kernel)     ash_status ash_ref_##kernel(const ash_ref_call *c);
#include "op/ops.def"
#undef OP

#endif
