/* ash_rt_cmsis.h - what the kernels that call CMSIS-NN share (`--kernels
 * cmsis-nn`); only modules with such kernels carry this file. The library is
 * the user's: its Include folder must be known to the compiler. */
#ifndef ASH_RT_CMSIS_H
#define ASH_RT_CMSIS_H

#include "ash_rt.h"

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

#endif
