/* ref_recurrence.c - ONNX's LSTM, GRU and RNN over a sequence, one element at a
 * time. */
#include "ref/ref_call.h"

#include <math.h>
#include <string.h>

/* One step of one sequence. */
typedef struct moment {
  const ash_ref_call *c;
  size_t depth, units;
  const float *x, *h; /* data, and what the step before made */
} moment;

static double sigmoid(double x) {
  return 1.0 / (1.0 + exp(-x));
}

static double row_of(const moment *m, uint32_t k, size_t row, const float *by,
                     size_t count) {
  const float *w = (const float *)ash_ref_read(m->c, k) + row * count;
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += (double)w[i] * (double)by[i];
  const float *bias = ash_ref_read(m->c, k + 2);
  return bias ? sum + (double)bias[row] : sum;
}

static double from_data(const moment *m, size_t gate, size_t u) {
  return row_of(m, 1, gate * m->units + u, m->x, m->depth);
}

static double from_past(const moment *m, size_t gate, size_t u,
                        const float *past) {
  return row_of(m, 2, gate * m->units + u, past, m->units);
}

static double both(const moment *m, size_t gate, size_t u) {
  return from_data(m, gate, u) + from_past(m, gate, u, m->h);
}

static void step_lstm(const moment *m, float *cell, float *y) {
  for (size_t u = 0; u < m->units; u++) {
    const double in = sigmoid(both(m, 0, u)), forget = sigmoid(both(m, 2, u));
    cell[u] = (float)(forget * (double)cell[u] + in * tanh(both(m, 3, u)));
    y[u] = (float)(sigmoid(both(m, 1, u)) * tanh((double)cell[u]));
  }
}

static void step_gru(const moment *m, float *held, float *y) {
  const bool late = ash_attr_int(m->c->op, "linear_before_reset", 0) != 0;
  for (size_t u = 0; u < m->units; u++)
    held[u] = (float)(sigmoid(both(m, 1, u)) * (double)m->h[u]);
  for (size_t u = 0; u < m->units; u++) {
    const double past = late ? sigmoid(both(m, 1, u)) * from_past(m, 2, u, m->h)
                             : from_past(m, 2, u, held);
    const double z = sigmoid(both(m, 0, u));
    const double fresh = tanh(from_data(m, 2, u) + past);
    y[u] = (float)((1 - z) * fresh + z * (double)m->h[u]);
  }
}

ash_status ash_ref_recurrence(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const size_t steps = (size_t)in->dim[0], batches = (size_t)in->dim[1];
  const size_t units = (size_t)ash_ref_in(c, 2)->shape.dim[1];
  const char *kind = ash_attr_string(c->op, "cell", "rnn");
  const bool back = ash_attr_int(c->op, "back", 0) != 0;
  float *out = ash_ref_write(c, 0), *cell = out + steps * batches * units;
  float *held = ASH_NEW_ARRAY(&c->ctx->scratch, float, units + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  if (strcmp(kind, "lstm") == 0)
    memcpy(cell, ash_ref_read(c, 6), batches * units * sizeof *cell);
  for (size_t k = 0; k < steps * batches; k++) {
    const size_t t = k / batches, b = k % batches;
    const size_t at = back ? steps - 1 - t : t, before = back ? at + 1 : at - 1;
    const size_t depth = (size_t)in->dim[2];
    const moment m = {c, depth, units,
                      (const float *)ash_ref_read(c, 0) +
                          (at * batches + b) * depth,
                      t ? out + (before * batches + b) * units
                        : (const float *)ash_ref_read(c, 5) + b * units};
    float *y = out + (at * batches + b) * units;
    if (strcmp(kind, "lstm") == 0)
      step_lstm(&m, cell + b * units, y);
    else if (strcmp(kind, "gru") == 0)
      step_gru(&m, held, y);
    else
      for (size_t u = 0; u < units; u++)
        y[u] = (float)tanh(both(&m, 0, u));
  }
  return ASH_OK;
}
