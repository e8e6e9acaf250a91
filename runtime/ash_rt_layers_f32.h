/* ash_rt_layers_f32.h - convolution, pooling and fully connected layers of
 * floats. */
#ifndef ASH_RT_LAYERS_F32_H
#define ASH_RT_LAYERS_F32_H

#include "ash_rt_window.h"

typedef struct ash_rt_conv_2d_f32_params {
  ash_rt_window window;
  int32_t groups;
  float act_min, act_max;
} ash_rt_conv_2d_f32_params;

void ash_rt_conv_2d_f32(const ash_rt_conv_2d_f32_params *p, const float *in,
                        const float *filter, const float *bias, float *out);
void ash_rt_conv_2d_f32_lines(const ash_rt_conv_2d_f32_params *p,
                              const ash_rt_lines *in, const float *filter,
                              const float *bias, const ash_rt_lines *out,
                              int32_t from, int32_t to);

typedef struct ash_rt_window_f32_params {
  ash_rt_window window;
  float act_min, act_max;
} ash_rt_window_f32_params;

void ash_rt_depthwise_conv_2d_f32(const ash_rt_window_f32_params *p,
                                  const float *in, const float *filter,
                                  const float *bias, float *out);
void ash_rt_depthwise_conv_2d_f32_lines(const ash_rt_window_f32_params *p,
                                        const ash_rt_lines *in,
                                        const float *filter, const float *bias,
                                        const ash_rt_lines *out, int32_t from,
                                        int32_t to);
void ash_rt_average_pool_2d_f32(const ash_rt_window_f32_params *p,
                                const float *in, float *out);
void ash_rt_average_pool_2d_f32_lines(const ash_rt_window_f32_params *p,
                                      const ash_rt_lines *in,
                                      const ash_rt_lines *out, int32_t from,
                                      int32_t to);
void ash_rt_max_pool_2d_f32(const ash_rt_window_f32_params *p, const float *in,
                            float *out);
void ash_rt_max_pool_2d_f32_lines(const ash_rt_window_f32_params *p,
                                  const ash_rt_lines *in,
                                  const ash_rt_lines *out, int32_t from,
                                  int32_t to);

typedef struct ash_rt_fully_connected_f32_params {
  int32_t batches, in_c, out_c;
  float act_min, act_max;
} ash_rt_fully_connected_f32_params;

void ash_rt_fully_connected_f32(const ash_rt_fully_connected_f32_params *p,
                                const float *in, const float *filter,
                                const float *bias, float *out);

/* As ash_rt_transpose_conv_s8. */
void ash_rt_transpose_conv_f32(const ash_rt_conv_2d_f32_params *p,
                               const float *in, const float *filter,
                               const float *bias, float *out);
void ash_rt_transpose_conv_f32_lines(const ash_rt_conv_2d_f32_params *p,
                                     const ash_rt_lines *in,
                                     const float *filter, const float *bias,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to);

#endif
