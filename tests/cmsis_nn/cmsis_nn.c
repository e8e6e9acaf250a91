/* cmsis_nn.c - a stand-in for CMSIS-NN: checks its arguments, writes over the
 * whole buffer that the real one would ask for (CMSIS_NN_BUFFER says which
 * processor's: 0 plain C, 1 DSP, 2 Helium), and computes with the portable
 * kernels. Prints how often it was called. */
#include "arm_nnfunctions.h"

#include "ash_rt_cmsis.h"
#include "ash_rt_rows.h"
#include "ash_rt_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned calls;

static void say_calls(void) {
  fprintf(stderr, "cmsis-nn calls %u\n", calls);
}

static void enter(void) {
  if (calls++ == 0)
    (void)atexit(say_calls);
}

static void check(int good, const char *what) {
  if (!good) {
    fprintf(stderr, "cmsis-nn: %s\n", what);
    exit(90);
  }
}

static int32_t up(int32_t x, int32_t to) {
  return (x + to - 1) / to * to;
}

/* What is not there is not touched; what is there is spoilt. */
static void use(const cmsis_nn_context *ctx, int32_t bytes) {
  check(bytes == 0 || ctx->buf, "a buffer is missing");
  check(((uintptr_t)ctx->buf & 3) == 0, "the buffer is not aligned");
  if (bytes)
    memset(ctx->buf, 0x77, (size_t)bytes);
}

static ash_rt_window window(const cmsis_nn_dims *in, const cmsis_nn_dims *f,
                            const cmsis_nn_dims *out, cmsis_nn_tile stride,
                            cmsis_nn_tile padding, cmsis_nn_tile dilation) {
  const ash_rt_window w = {in->n,      in->h,     in->w,    in->c,
                           out->h,     out->w,    out->c,   f->h,
                           f->w,       stride.h,  stride.w, dilation.h,
                           dilation.w, padding.h, padding.w};
  check(in->n == out->n && in->n > 0, "batches");
  return w;
}

static int8_t *narrow(const int32_t *shift, int32_t count) {
  int8_t *out = malloc((size_t)count);
  check(out != 0, "memory");
  for (int32_t i = 0; i < count; i++) {
    check(shift[i] >= -31 && shift[i] <= 31, "a shift");
    out[i] = (int8_t)shift[i];
  }
  return out;
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_conv_params *p,
    const cmsis_nn_per_channel_quant_params *q, const cmsis_nn_dims *in,
    const int8_t *input, const cmsis_nn_dims *f, const int8_t *filter,
    const cmsis_nn_dims *b, const int32_t *bias, const cmsis_nn_dims *out,
    int8_t *output) {
  const ash_rt_conv_2d_s8_params c = {
      window(in, f, out, p->stride, p->padding, p->dilation),
      1,
      p->input_offset,
      p->output_offset,
      1,
      p->activation.min,
      p->activation.max};
  const int32_t taps = f->h * f->w * in->c;
  const int point = f->h == 1 && f->w == 1 && p->padding.h == 0 &&
                    p->padding.w == 0 && p->dilation.h == 1 &&
                    p->dilation.w == 1;
  int8_t *shift = narrow(q->shift, out->c);
  enter();
  check(f->n == out->c && f->c == in->c && b->c == out->c, "channels");
  use(ctx, point                  ? (CMSIS_NN_BUFFER == 1 ? 4 * in->c : 0)
           : CMSIS_NN_BUFFER == 2 ? 4 * up(taps, 16)
                                  : 4 * up(taps, 4));
  ash_rt_conv_2d_s8(&c, input, filter, bias, q->multiplier, shift, output);
  free(shift);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(
    const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *p,
    const cmsis_nn_per_channel_quant_params *q, const cmsis_nn_dims *in,
    const int8_t *input, const cmsis_nn_dims *f, const int8_t *filter,
    const cmsis_nn_dims *b, const int32_t *bias, const cmsis_nn_dims *out,
    int8_t *output) {
  const ash_rt_depthwise_conv_2d_s8_params c = {
      window(in, f, out, p->stride, p->padding, p->dilation),
      p->input_offset,
      p->output_offset,
      1,
      p->activation.min,
      p->activation.max};
  const int32_t area = f->h * f->w;
  const int small =
      f->h == 3 && f->w == 3 && p->padding.h <= 1 && p->padding.w <= 1;
  const int fast =
      in->c == out->c && in->n == 1 && p->dilation.w == 1 && p->dilation.h == 1;
  int8_t *shift = narrow(q->shift, out->c);
  enter();
  check(p->ch_mult * in->c == out->c && f->c == out->c && b->c == out->c,
        "channels");
  use(ctx, !fast                            ? 0
           : CMSIS_NN_BUFFER == 2           ? 4 * 124 * area
           : CMSIS_NN_BUFFER == 1 && !small ? 2 * in->c * area
                                            : 0);
  ash_rt_depthwise_conv_2d_s8(&c, input, filter, bias, q->multiplier, shift,
                              output);
  free(shift);
  return ARM_CMSIS_NN_SUCCESS;
}

static int8_t rescale(uint32_t sum, const cmsis_nn_per_tensor_quant_params *q,
                      const cmsis_nn_fc_params *p) {
  const int32_t y = ash_rt_rescale((int32_t)sum, q->multiplier, q->shift);
  return (int8_t)ash_rt_finish(y, p->output_offset, p->activation.min,
                               p->activation.max);
}

arm_cmsis_nn_status
arm_fully_connected_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *p,
                       const cmsis_nn_per_tensor_quant_params *q,
                       const cmsis_nn_dims *in, const int8_t *input,
                       const cmsis_nn_dims *f, const int8_t *filter,
                       const cmsis_nn_dims *b, const int32_t *bias,
                       const cmsis_nn_dims *out, int8_t *output) {
  const int32_t *sums = ctx->buf;
  enter();
  check(f->n == in->c && f->c == out->c && b->c == out->c && in->n == out->n,
        "sizes");
  check(p->filter_offset == 0 && sums, "sums of weights");
  for (int32_t n = 0; n < in->n; n++, input += in->c)
    for (int32_t c = 0; c < out->c; c++) {
      const int8_t *w = filter + (ptrdiff_t)c * in->c;
      const uint32_t sum = (bias ? (uint32_t)bias[c] : 0) +
                           ash_rt_dot_s8(input, w, in->c, p->input_offset);
      check(sum == (uint32_t)sums[c] + ash_rt_dot_s8(input, w, in->c, 0),
            "sums of weights are wrong");
      *output++ = rescale(sum, q, p);
    }
  return ARM_CMSIS_NN_SUCCESS;
}

static ash_rt_pool_2d_s8_params pool(const cmsis_nn_pool_params *p,
                                     const cmsis_nn_dims *in,
                                     const cmsis_nn_dims *f,
                                     const cmsis_nn_dims *out) {
  const cmsis_nn_tile one = {1, 1};
  const ash_rt_pool_2d_s8_params c = {
      window(in, f, out, p->stride, p->padding, one), p->activation.min,
      p->activation.max};
  enter();
  return c;
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx,
                                   const cmsis_nn_pool_params *p,
                                   const cmsis_nn_dims *in, const int8_t *input,
                                   const cmsis_nn_dims *f,
                                   const cmsis_nn_dims *out, int8_t *output) {
  const ash_rt_pool_2d_s8_params c = pool(p, in, f, out);
  use(ctx, CMSIS_NN_BUFFER == 1 ? 4 * in->c : 0);
  ash_rt_average_pool_2d_s8(&c, input, output);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx,
                                    const cmsis_nn_pool_params *p,
                                    const cmsis_nn_dims *in,
                                    const int8_t *input, const cmsis_nn_dims *f,
                                    const cmsis_nn_dims *out, int8_t *output) {
  const ash_rt_pool_2d_s8_params c = pool(p, in, f, out);
  use(ctx, 0);
  ash_rt_max_pool_2d_s8(&c, input, output);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_add_s8(
    const int8_t *a, const int8_t *b, int32_t offset_1, int32_t mult_1,
    int32_t shift_1, int32_t offset_2, int32_t mult_2, int32_t shift_2,
    int32_t left_shift, int8_t *output, int32_t out_offset, int32_t out_mult,
    int32_t out_shift, int32_t act_min, int32_t act_max, int32_t count) {
  const ash_rt_add_s8_params p = {{1, {count}, {1}, {1}},
                                  offset_1,
                                  mult_1,
                                  shift_1,
                                  offset_2,
                                  mult_2,
                                  shift_2,
                                  out_offset,
                                  out_mult,
                                  out_shift,
                                  act_min,
                                  act_max};
  enter();
  check(left_shift == 20, "left shift");
  ash_rt_add_s8(&p, a, b, output);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *a, const int8_t *b,
                                           int32_t offset_1, int32_t offset_2,
                                           int8_t *output, int32_t out_offset,
                                           int32_t out_mult, int32_t out_shift,
                                           int32_t act_min, int32_t act_max,
                                           int32_t count) {
  const ash_rt_mul_s8_params p = {{1, {count}, {1}, {1}},
                                  offset_1,
                                  offset_2,
                                  out_offset,
                                  out_mult,
                                  out_shift,
                                  act_min,
                                  act_max};
  enter();
  ash_rt_mul_s8(&p, a, b, output);
  return ARM_CMSIS_NN_SUCCESS;
}

/* exp(x) for x <= 0 in Q5.26, result in Q0.31: by its Taylor series in double
 * precision, rounded to Q0.31, which is close enough for the one output in
 * 256 that the test allows to differ by one. */
static double exponential(double x) {
  double term = 1.0, sum = 1.0;
  for (int i = 1; i < 200; i++) {
    term *= -x / i;
    sum += term;
  }
  return 1.0 / sum;
}

void arm_softmax_s8(const int8_t *in, int32_t rows, int32_t depth, int32_t mult,
                    int32_t shift, int32_t diff_min, int8_t *out) {
  enter();
  check(diff_min < 0 && shift >= 0 && mult > 0, "scale of softmax");
  for (int32_t r = 0; r < rows; r++, in += depth, out += depth) {
    const ash_rt_rows_params p = {1, depth};
    int32_t table[256];
    for (int32_t d = 0; d < 256; d++) {
      const double x = -(double)d * (double)mult / 2147483648.0 *
                       (double)(1u << shift) / 67108864.0;
      const double y = exponential(x) * 2147483648.0 + 0.5;
      table[d] = -d < diff_min ? 0 : y > 2147483647.0 ? 2147483647 : (int32_t)y;
    }
    ash_rt_softmax_s8(&p, in, table, out);
  }
}
