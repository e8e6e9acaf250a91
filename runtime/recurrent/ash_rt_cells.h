/* ash_rt_cells.h - what layers with float states share, whatever their weights
 * are. */
#ifndef ASH_RT_CELLS_H
#define ASH_RT_CELLS_H

#include "ash_rt_state.h"

#include <math.h>

/* Places in `parts`: inputs of the operator from the second on. */
enum {
  ASH_RT_LSTM_IN = 0,
  ASH_RT_LSTM_STATE = 4,
  ASH_RT_LSTM_PEEPHOLE = 8, /* input, forget, output */
  ASH_RT_LSTM_BIAS = 11,
  ASH_RT_LSTM_PROJECTION = 15,
  ASH_RT_LSTM_PROJECTION_BIAS = 16,
  ASH_RT_LSTM_NORM = 19
};

static inline float ash_rt_lstm_activate(int32_t act, float x) {
  if (act == ASH_RT_ACT_TANH)
    return tanhf(x);
  if (act == ASH_RT_ACT_NONE)
    return x;
  return act == ASH_RT_ACT_RELU6 && x > 6.0f ? 6.0f : x < 0 ? 0.0f : x;
}

static inline float ash_rt_lstm_clip(float x, float most) {
  return most > 0 ? ash_rt_clamp_f32(x, -most, most) : x;
}

/* To mean 0 and deviation 1. */
static inline void ash_rt_lstm_normalise(float *x, int32_t count) {
  float sum = 0, squares = 0;
  for (int32_t i = 0; i < count; i++)
    sum += x[i];
  const float mean = sum / (float)count;
  for (int32_t i = 0; i < count; i++)
    squares += (x[i] - mean) * (x[i] - mean);
  const float inverse = 1.0f / sqrtf(squares / (float)count + 1e-8f);
  for (int32_t i = 0; i < count; i++)
    x[i] = (x[i] - mean) * inverse;
}

/* What follows the sums of a gate, 0 to 3: input, forget, cell, output. */
static inline void ash_rt_lstm_finish_gate(float *y, int32_t cells,
                                           int32_t gate, int32_t act,
                                           const float *norm,
                                           const float *bias) {
  if (norm)
    ash_rt_lstm_normalise(y, cells);
  for (int32_t i = 0; i < cells; i++) {
    if (norm)
      y[i] = y[i] * norm[i] + (bias ? bias[i] : 0.0f);
    y[i] = gate == 2 ? ash_rt_lstm_activate(act, y[i])
                     : 1.0f / (1.0f + expf(-y[i]));
  }
}

/* New cells from the gates; if coupled, the forget gate is the input gate,
 * too. */
static inline void ash_rt_lstm_update_cells(float *cell, int32_t cells,
                                            int coupled, const float *in,
                                            const float *forget,
                                            const float *update, float clip) {
  for (int32_t i = 0; i < cells; i++) {
    const float old = forget[i] * cell[i];
    const float part = coupled ? 1.0f - forget[i] : in[i];
    cell[i] = ash_rt_lstm_clip(old + part * update[i], clip);
  }
}

static inline float ash_rt_rnn_activate(int32_t act, float x) {
  switch (act) {
  case ASH_RT_ACT_TANH:
    return tanhf(x);
  case ASH_RT_ACT_RELU:
    return x < 0 ? 0 : x;
  case ASH_RT_ACT_RELU6:
    return ash_rt_clamp_f32(x, 0.0f, 6.0f);
  case ASH_RT_ACT_RELU_N1_TO_1:
    return ash_rt_clamp_f32(x, -1.0f, 1.0f);
  default:
    return x;
  }
}

#endif
