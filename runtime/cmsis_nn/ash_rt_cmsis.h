/* ash_rt_cmsis.h - what the kernels that call CMSIS-NN share (`--kernels
 * cmsis-nn`); only modules with such kernels carry this file. The library is
 * the user's: its Include folder must be known to the compiler. */
#ifndef ASH_RT_CMSIS_H
#define ASH_RT_CMSIS_H

#include "ash_rt_layers_s8.h"
#include "ash_rt_pairs.h"

#include <arm_nnfunctions.h>

static inline cmsis_nn_dims ash_rt_dims_cmsis(int32_t n, int32_t h, int32_t w,
                                              int32_t c) {
  const cmsis_nn_dims d = {n, h, w, c};
  return d;
}

static inline cmsis_nn_tile ash_rt_tile_cmsis(int32_t w, int32_t h) {
  const cmsis_nn_tile t = {w, h};
  return t;
}

static inline cmsis_nn_dims ash_rt_in_cmsis(const ash_rt_window *w) {
  return ash_rt_dims_cmsis(w->batches, w->in_h, w->in_w, w->in_c);
}

static inline cmsis_nn_dims ash_rt_out_cmsis(const ash_rt_window *w) {
  return ash_rt_dims_cmsis(w->batches, w->out_h, w->out_w, w->out_c);
}

static inline cmsis_nn_activation ash_rt_range_cmsis(int32_t low,
                                                     int32_t high) {
  const cmsis_nn_activation a = {low, high};
  return a;
}

/* The library's structs point to constants without saying so. */
static inline int32_t *ash_rt_plain_cmsis(const int32_t *p) {
  return (int32_t *)(uintptr_t)p;
}

/* The library never asks how large its buffer is. */
static inline cmsis_nn_context ash_rt_context_cmsis(void *scratch) {
  const cmsis_nn_context c = {scratch, 0};
  return c;
}

/* Calls of CMSIS-NN (--kernels cmsis-nn). Multipliers and shifts have an entry
 * for each channel; `folded` is the bias and what the input's zero point adds.
 * The scale of a fully connected layer has 31 bits, as the library wants it. */
typedef struct ash_rt_dense_cmsis_params {
  int32_t batches, in_c, out_c;
  int32_t in_offset, out_offset;
  int32_t multiplier, shift;
  int32_t act_min, act_max;
} ash_rt_dense_cmsis_params;

typedef struct ash_rt_softmax_cmsis_params {
  int32_t rows, depth;
  int32_t multiplier, shift, diff_min;
} ash_rt_softmax_cmsis_params;

void ash_rt_conv_2d_s8_cmsis(const ash_rt_conv_2d_s8_params *p,
                             const int8_t *in, const int8_t *filter,
                             const int32_t *bias, const int32_t *multiplier,
                             const int32_t *shift, int8_t *out, void *scratch);
void ash_rt_depthwise_conv_2d_s8_cmsis(
    const ash_rt_depthwise_conv_2d_s8_params *p, const int8_t *in,
    const int8_t *filter, const int32_t *bias, const int32_t *multiplier,
    const int32_t *shift, int8_t *out, void *scratch);
void ash_rt_fully_connected_s8_cmsis(const ash_rt_dense_cmsis_params *p,
                                     const int8_t *in, const int8_t *filter,
                                     const int32_t *bias, const int32_t *folded,
                                     int8_t *out);
void ash_rt_average_pool_2d_s8_cmsis(const ash_rt_pool_2d_s8_params *p,
                                     const int8_t *in, int8_t *out,
                                     void *scratch);
void ash_rt_max_pool_2d_s8_cmsis(const ash_rt_pool_2d_s8_params *p,
                                 const int8_t *in, int8_t *out, void *scratch);
void ash_rt_add_s8_cmsis(const ash_rt_add_s8_params *p, const int8_t *a,
                         const int8_t *b, int8_t *out);
void ash_rt_mul_s8_cmsis(const ash_rt_mul_s8_params *p, const int8_t *a,
                         const int8_t *b, int8_t *out);
void ash_rt_softmax_s8_cmsis(const ash_rt_softmax_cmsis_params *p,
                             const int8_t *in, int8_t *out);

#endif
