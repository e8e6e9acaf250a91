/* ref_recurrent.c - svdf and rnn. The state is the last input; it is read and
 * then written where it is. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

#include <math.h>
#include <string.h>

static void *state_of(const ash_ref_call *c, uint32_t k) {
  return c->values[c->op->inputs[k]];
}

static float activate(const char *act, float x) {
  if (strcmp(act, "tanh") == 0)
    return (float)tanh((double)x);
  if (strcmp(act, "relu") == 0)
    return x < 0 ? 0 : x;
  if (strcmp(act, "relu6") == 0)
    return x < 0 ? 0 : x > 6 ? 6 : x;
  if (strcmp(act, "relu_n1_to_1") == 0)
    return x < -1 ? -1 : x > 1 ? 1 : x;
  return x;
}

/* ---- svdf --------------------------------------------------------------- */

typedef struct svdf {
  const ash_ref_call *c;
  size_t batches, depth, filters, memory, rank;
  bool real;
  int32_t *codes; /* room for a row of data */
} svdf;

static svdf svdf_of(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  return (svdf){c,
                (size_t)in->dim[0],
                (size_t)in->dim[1],
                (size_t)ash_ref_in(c, 1)->shape.dim[0],
                (size_t)ash_ref_in(c, 2)->shape.dim[1],
                (size_t)ash_attr_int(c->op, "rank", 1),
                ash_ref_is_float(c),
                NULL};
}

static float ratio(const ash_tensor *a, const ash_tensor *b,
                   const ash_tensor *c) {
  const float product = ash_ref_scale_of(a) * ash_ref_scale_of(b);
  return product / ash_ref_scale_of(c);
}

/* One filter's answer to the newest input. */
static double feature(const svdf *s, size_t batch, size_t filter) {
  const ash_ref_call *c = s->c;
  const ash_tensor *in = ash_ref_in(c, 0), *w = ash_ref_in(c, 1);
  int64_t sum = 0;
  if (s->real)
    return (double)ash_ref_weigh(
        c, 1, filter, (const float *)ash_ref_read(c, 0) + batch * s->depth,
        s->depth, s->codes);
  for (size_t i = 0; i < s->depth; i++)
    sum += (ash_ref_get(in, ash_ref_read(c, 0), batch * s->depth + i) -
            ash_ref_zero_of(in)) *
           ash_ref_get(w, ash_ref_read(c, 1), filter * s->depth + i);
  const ash_tensor *state = ash_ref_in(c, 4);
  const int32_t y = ash_ref_rescale(
      ash_ref_wrap(sum), ash_ref_factor_of((double)ratio(in, w, state)));
  const int32_t most = state->type == ASH_INT16 ? INT16_MAX : INT8_MAX;
  return y > most ? most : y < -most - 1 ? -most - 1 : y;
}

/* The oldest value of a filter leaves, the newest comes last. */
static void remember(const svdf *s, size_t row, double value) {
  const ash_tensor *t = ash_ref_in(s->c, 4);
  const size_t size = ash_type_bits(t->type) / 8;
  uint8_t *first = (uint8_t *)state_of(s->c, 4) + row * s->memory * size;
  memmove(first, first + size, (s->memory - 1) * size);
  if (s->real)
    ((float *)first)[s->memory - 1] = (float)value;
  else
    ash_ref_put(t, first, s->memory - 1, (int64_t)value);
}

/* Of float data; int8 weights are used as the floats that they mean. */
static float time_weight(const svdf *s, size_t i) {
  const ash_tensor *w = ash_ref_in(s->c, 2);
  if (w->type == ASH_FLOAT32)
    return ((const float *)ash_ref_read(s->c, 2))[i];
  return (float)((const int8_t *)ash_ref_read(s->c, 2))[i] *
         ash_ref_scale_of(w);
}

/* Sum over the filters of a unit and their memories. */
static void put_unit(const svdf *s, size_t batch, size_t unit) {
  const ash_ref_call *c = s->c;
  const size_t units = s->filters / s->rank, to = batch * units + unit;
  const ash_tensor *wt = ash_ref_in(c, 2), *state = ash_ref_in(c, 4);
  int64_t sum = 0;
  float real = 0;
  for (size_t k = 0; k < s->rank; k++) {
    const size_t filter = unit * s->rank + k;
    float part = 0;
    for (size_t m = 0; m < s->memory; m++) {
      const size_t w = filter * s->memory + m;
      const size_t at = (batch * s->filters + filter) * s->memory + m;
      if (s->real)
        part += time_weight(s, w) * ((const float *)ash_ref_read(c, 4))[at];
      else
        sum += ash_ref_get(wt, ash_ref_read(c, 2), w) *
               ash_ref_get(state, ash_ref_read(c, 4), at);
    }
    real += part;
  }
  if (s->real) {
    const float *bias = ash_ref_read(c, 3);
    ((float *)ash_ref_write(c, 0))[to] = activate(
        ash_attr_string(c->op, "act", "none"), bias ? real + bias[unit] : real);
    return;
  }
  const int32_t *bias = ash_ref_read(c, 3);
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  ash_ref_put_int(c, &limits, to,
                  ash_ref_rescale(ash_ref_wrap(sum + (bias ? bias[unit] : 0)),
                                  ash_ref_factor_of((double)ratio(
                                      state, wt, ash_ref_out(c, 0)))));
}

ash_status ash_ref_svdf(const ash_ref_call *c) {
  svdf s = svdf_of(c);
  s.codes = ASH_NEW_ARRAY(&c->ctx->scratch, int32_t, s.depth + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (size_t b = 0; b < s.batches; b++) {
    for (size_t f = 0; f < s.filters; f++)
      remember(&s, b * s.filters + f, feature(&s, b, f));
    for (size_t u = 0; u < s.filters / s.rank; u++)
      put_unit(&s, b, u);
  }
  return ASH_OK;
}

/* ---- rnn ---------------------------------------------------------------- */

ash_ref_steps ash_ref_steps_of(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const bool time = ash_attr_int(c->op, "time_major", 0) != 0;
  ash_ref_steps s = {(size_t)in->dim[0], 1, 1, 1};
  if (in->rank == 3) {
    s.batches = (size_t)in->dim[time ? 1 : 0];
    s.steps = (size_t)in->dim[time ? 0 : 1];
  }
  s.per_batch = in->rank == 3 && !time ? s.steps : 1;
  s.per_step = in->rank == 3 && time ? s.batches : 1;
  return s;
}

ash_status ash_ref_rnn(const ash_ref_call *c) {
  const ash_ref_steps s = ash_ref_steps_of(c);
  const ash_shape *w = &ash_ref_in(c, 1)->shape;
  const size_t units = (size_t)w->dim[0], depth = (size_t)w->dim[1];
  const float *x = ash_ref_read(c, 0), *bias = ash_ref_read(c, 3);
  int32_t *codes = ASH_NEW_ARRAY(&c->ctx->scratch, int32_t, depth + units + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const char *act = ash_attr_string(c->op, "act", "none");
  float *y = ash_ref_write(c, 0);
  for (size_t b = 0; b < s.batches; b++)
    for (size_t t = 0; t < s.steps; t++) {
      const size_t row = b * s.per_batch + t * s.per_step;
      float *h = (float *)state_of(c, 4) + b * units;
      for (size_t u = 0; u < units; u++)
        y[row * units + u] = activate(
            act, (bias ? bias[u] : 0) +
                     ash_ref_weigh(c, 1, u, x + row * depth, depth, codes) +
                     ash_ref_weigh(c, 2, u, h, units, codes));
      memcpy(h, y + row * units, units * sizeof *h);
    }
  return ASH_OK;
}
