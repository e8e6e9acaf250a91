/* ash_rt_recurrence_f32.c - ONNX's LSTM, GRU and RNN: every step sees the last
 * result, which is a row of the output. */
#include "ash_rt_state.h"

#include <math.h>

static float ash_rt_recurrence_dot(const float *a, const float *b,
                                   int32_t count) {
  float sum = 0;
  for (int32_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

static float ash_rt_recurrence_sigmoid(float x) {
  return 1.0f / (1.0f + expf(-x));
}

/* Gates are input, output, forget, update. */
static void ash_rt_recurrence_lstm(const float *gate, int32_t units,
                                   float *cell, float *y) {
  for (int32_t u = 0; u < units; u++) {
    const float in = ash_rt_recurrence_sigmoid(gate[u]);
    const float out = ash_rt_recurrence_sigmoid(gate[units + u]);
    const float forget = ash_rt_recurrence_sigmoid(gate[2 * units + u]);
    cell[u] = forget * cell[u] + in * tanhf(gate[3 * units + u]);
    y[u] = out * tanhf(cell[u]);
  }
}

/* Gates are update, reset, new; `work` has room for a fourth. */
static void ash_rt_recurrence_gru(const ash_rt_recurrence_f32_params *p,
                                  float *work, const float *weights,
                                  const float *bias, const float *h, float *y) {
  const int32_t units = p->units;
  float *reset = work + units, *fresh = work + 2 * units;
  float *held = work + 3 * units;
  const float *w = weights + (ptrdiff_t)2 * units * units;
  const float *b = bias ? bias + 2 * units : 0;
  for (int32_t u = 0; u < units; u++) {
    work[u] = ash_rt_recurrence_sigmoid(work[u]);
    reset[u] = ash_rt_recurrence_sigmoid(reset[u]);
    held[u] = reset[u] * h[u];
  }
  for (int32_t u = 0; u < units; u++, w += units) {
    float back =
        ash_rt_recurrence_dot(w, p->linear_before_reset ? h : held, units);
    back = b ? back + b[u] : back;
    fresh[u] =
        tanhf(fresh[u] + (p->linear_before_reset ? reset[u] * back : back));
  }
  for (int32_t u = 0; u < units; u++)
    y[u] = fresh[u] + work[u] * (h[u] - fresh[u]);
}

/* What goes into the gates; into the last one of a GRU only the data. */
static void ash_rt_recurrence_gates(const ash_rt_recurrence_f32_params *p,
                                    const float *x, const float *weights,
                                    const float *recurrent, const float *bias,
                                    const float *back_bias, const float *h,
                                    float *gate) {
  const int32_t rows = p->gates * p->units;
  const int32_t both = p->gates == 3 ? 2 * p->units : rows;
  for (int32_t i = 0; i < rows; i++) {
    float sum =
        ash_rt_recurrence_dot(weights + (ptrdiff_t)i * p->depth, x, p->depth);
    if (i < both)
      sum += ash_rt_recurrence_dot(recurrent + (ptrdiff_t)i * p->units, h,
                                   p->units);
    sum = bias ? sum + bias[i] : sum;
    gate[i] = back_bias && i < both ? sum + back_bias[i] : sum;
  }
}

void ash_rt_recurrence_f32(const ash_rt_recurrence_f32_params *p,
                           const float *in, const float *weights,
                           const float *recurrent, const float *bias,
                           const float *back_bias, const float *first,
                           const float *first_cell, float *out, void *work) {
  float *gate = (float *)work;
  for (int32_t b = 0; b < p->batches; b++) {
    const float *h = first + (ptrdiff_t)b * p->units;
    float *cell = out + ((ptrdiff_t)p->steps * p->batches + b) * p->units;
    for (int32_t u = 0; p->gates == 4 && u < p->units; u++)
      cell[u] = first_cell[(ptrdiff_t)b * p->units + u];
    for (int32_t t = 0; t < p->steps; t++) {
      const int32_t at = p->back ? p->steps - 1 - t : t;
      const ptrdiff_t row = (ptrdiff_t)at * p->batches + b;
      float *y = out + row * p->units;
      ash_rt_recurrence_gates(p, in + row * p->depth, weights, recurrent, bias,
                              back_bias, h, gate);
      if (p->gates == 4)
        ash_rt_recurrence_lstm(gate, p->units, cell, y);
      else if (p->gates == 3)
        ash_rt_recurrence_gru(p, gate, recurrent, back_bias, h, y);
      else
        for (int32_t u = 0; u < p->units; u++)
          y[u] = tanhf(gate[u]);
      h = y;
    }
  }
}
