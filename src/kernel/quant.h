/* quant.h - the arithmetic that turns scales into integers, exactly as
 * TensorFlow Lite does it (IEEE double and float operations in the same
 * order), and the checks that make it safe. */
#ifndef ASH_KERNEL_QUANT_H
#define ASH_KERNEL_QUANT_H

#include "op/functions.h"

/* real = multiplier * 2^(shift - 31); the multiplier has 31 bits, or fewer
 * where the shift is 0. */
typedef struct ash_scaling {
  int32_t multiplier;
  int32_t shift;
} ash_scaling;

/* Ratios below 2^-32 become 0. False above 2^31: kernels cannot shift that
 * far. */
bool ash_quant_scaling(ash_scaling *out, double real);

/* The smallest ratio for results that are rounded once. Their multiplier has no
 * shift behind it, which is a second rounding, and so loses a bit for every
 * halving of the ratio: below, it would lose more than it gains. */
#define ASH_QUANT_ONCE_LEAST (1.0 / 4096)

/* For a result with a quantisation of its own: rounded as that says. */
bool ash_quant_scaling_to(ash_scaling *out, const ash_tensor *result,
                          double real);

/* A sum of 32 bits, scaled as kernels do it; shifts up to 0. */
int64_t ash_quant_rescale(int64_t sum, ash_scaling s);

/* real = multiplier * 2^-(22 + shift) with 53 bits: what a double holds. */
typedef struct ash_long_scaling {
  int64_t multiplier;
  int32_t shift; /* 1 to 62 */
} ash_long_scaling;

bool ash_quant_long_scaling(ash_long_scaling *out, double real);

/* Nearest, ties away from zero: C's roundf, the same on every machine. */
float ash_quant_round(float x);

typedef struct ash_int_range {
  int32_t low, high;
} ash_int_range;

int64_t ash_quant_limit(int64_t x, ash_int_range range);

typedef struct ash_float_range {
  float low, high;
} ash_float_range;

/* What a fused activation leaves of the values of an integer tensor (all of
 * its type if it is not quantised) or of float32. */
ash_int_range ash_quant_range(const ash_tensor *t, const char *act);
ash_float_range ash_float_range_of(const char *act);

/* Smallest and largest value of int8, uint8, int16. */
ash_int_range ash_kernel_type_range(ash_type type);

/* Is `tensor` of `op` quantised usably: one scale, positive and finite, and a
 * zero point of its type? */
ash_status ash_quant_check(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                           uint32_t tensor);
/* The same for weights with one scale, or one for each of the channels along
 * `axis`. */
ash_status ash_quant_check_weights(ash_ctx *ctx, const ash_graph *g,
                                   uint32_t op, uint32_t tensor, int32_t axis);
/* Scales of the op are too far apart. */
ash_status ash_quant_fail_ratio(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                                double real);

/* ---- what an operator needs --------------------------------------------- */

/* Each is false where the ratio is out of range. */
bool ash_quant_conv(ash_scaling *out, const ash_tensor *in,
                    const ash_tensor *filter, const ash_tensor *result,
                    uint32_t channel);
/* One step of the sums over one of the output. */
double ash_quant_ratio(const ash_tensor *in, const ash_tensor *filter,
                       const ash_tensor *result, uint32_t channel);
bool ash_quant_fully_connected(ash_long_scaling *out, const ash_tensor *in,
                               const ash_tensor *filter,
                               const ash_tensor *result, uint32_t channel);

typedef struct ash_add_scaling {
  ash_scaling a, b, out;
} ash_add_scaling;

bool ash_quant_add(ash_add_scaling *out, const ash_tensor *a,
                   const ash_tensor *b, const ash_tensor *result);
/* Which power of two a scale is; false if it is none. */
bool ash_quant_power(int32_t *out, const ash_tensor *t);
/* Are all scales powers of two and the result's the largest? Then operands are
 * shifted to it. */
bool ash_quant_shifts(int32_t *a_shift, int32_t *b_shift, const ash_tensor *a,
                      const ash_tensor *b, const ash_tensor *result);

/* Any operator of two quantised inputs (quant_pair.c). Where an entry does not
 * count, it is 0. */
bool ash_quant_pair(ash_add_scaling *out, ash_fn fn, const ash_tensor *a,
                    const ash_tensor *b, const ash_tensor *result);
bool ash_quant_mul(ash_scaling *out, const ash_tensor *a, const ash_tensor *b,
                   const ash_tensor *result);
bool ash_quant_matmul(ash_scaling *out, const ash_tensor *a,
                      const ash_tensor *b, const ash_tensor *result);
/* From one scale to another: quantize, concatenation. */
bool ash_quant_convert(ash_scaling *out, const ash_tensor *in,
                       const ash_tensor *result);
bool ash_quant_relu(ash_scaling *out, const ash_tensor *in,
                    const ash_tensor *result);
/* Includes the division by `count` elements. */
bool ash_quant_mean(ash_scaling *out, const ash_tensor *in,
                    const ash_tensor *result, int64_t count);

/* Rows and slopes (quant_layers.c): differences of int16 softmax; differences
 * in Q5.26, and back; both sides of a slope. */
bool ash_quant_softmax_s16(ash_scaling *out, const ash_tensor *in, double beta);
bool ash_quant_softmax(ash_scaling *out, const ash_tensor *in, double beta);
bool ash_quant_log_softmax(ash_scaling *out, ash_scaling *back,
                           const ash_tensor *in);
/* From products of queries and keys to scores, from shares times values to the
 * result. */
bool ash_quant_attention(ash_scaling *scores, ash_scaling *result,
                         const ash_graph *g, const ash_op *op);
bool ash_quant_leaky(ash_scaling *above, ash_scaling *below,
                     const ash_tensor *in, const ash_tensor *result,
                     double alpha);

bool ash_quant_svdf(ash_scaling *in, ash_scaling *out, const ash_graph *g,
                    const ash_op *op);

typedef struct ash_lstm_scaling {
  ash_scaling in[4], state[4], cell[4]; /* by gate; 0 where it has none */
  ash_scaling hidden, projection, update;
} ash_lstm_scaling;

/* int8 activations, and int16. */
bool ash_quant_lstm(ash_lstm_scaling *out, const ash_graph *g,
                    const ash_op *op);
bool ash_quant_lstm_s16(ash_lstm_scaling *out, const ash_graph *g,
                        const ash_op *op);

#endif
