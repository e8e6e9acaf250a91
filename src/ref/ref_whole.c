/* ref_whole.c - layers of whole numbers that have no scales. Sums wrap around
 * at 32 bits; what factors and offsets make of them, at 64. */
#include "ref/ref_call.h"

static int64_t attr(const ash_ref_call *c, const char *name, int64_t value) {
  return ash_attr_int(c->op, name, value);
}

static int64_t value(const ash_ref_call *c, uint32_t k, uint64_t at) {
  return ash_ref_get(ash_ref_in(c, k), ash_ref_read(c, k), at);
}

/* Input k of a channel: absent, one for all, or one for each. */
static int64_t of_channel(const ash_ref_call *c, uint32_t k, uint64_t channel) {
  const ash_tensor *t = ash_ref_in(c, k);
  if (!t)
    return 0;
  return value(c, k, ash_ref_elements(t) == 1 ? 0 : channel);
}

/* Element i of the output, of output channel `channel`. */
static void finish(const ash_ref_call *c, uint64_t i, uint64_t channel,
                   uint64_t sum) {
  const uint32_t bits = (uint32_t)(sum + (uint64_t)of_channel(c, 2, channel));
  int64_t y = (int32_t)bits;
  if (ash_ref_in(c, 3)) {
    y = (int64_t)((uint64_t)y * (uint64_t)of_channel(c, 3, channel) +
                  (uint64_t)of_channel(c, 4, channel));
    y >>= attr(c, "shift", 0);
  }
  if (ash_attr_find(c->op, "low") && y < attr(c, "low", 0))
    y = attr(c, "low", 0);
  if (ash_attr_find(c->op, "high") && y > attr(c, "high", 0))
    y = attr(c, "high", 0);
  ash_ref_put(ash_ref_out(c, 0), ash_ref_write(c, 0), i, y);
}

static uint64_t product(const ash_ref_call *c, uint64_t x, uint64_t w) {
  return (uint64_t)value(c, 0, x) * (uint64_t)value(c, 1, w);
}

/* The sum of output (n, row, column, o). */
static uint64_t sum_at(const ash_ref_call *c, const int32_t *at) {
  const int32_t *in = ash_ref_in(c, 0)->shape.dim;
  const int32_t *w = ash_ref_in(c, 1)->shape.dim;
  const int32_t *out = ash_ref_out(c, 0)->shape.dim;
  const bool deep = c->op->kind == ASH_OP_whole_depthwise_conv_2d;
  const int32_t depth = deep ? 1 : w[3];
  const int64_t first = (int64_t)(at[3] / (out[3] / (in[3] / depth))) * depth;
  uint64_t sum = 0;
  for (int64_t p = 0; p < w[1]; p++)
    for (int64_t q = 0; q < w[2]; q++) {
      const int64_t row = at[1] * attr(c, "stride_h", 1) +
                          p * attr(c, "dilation_h", 1) - attr(c, "pad_top", 0);
      const int64_t column = at[2] * attr(c, "stride_w", 1) +
                             q * attr(c, "dilation_w", 1) -
                             attr(c, "pad_left", 0);
      if (row < 0 || row >= in[1] || column < 0 || column >= in[2])
        continue;
      for (int64_t k = 0; k < depth; k++)
        sum += product(
            c,
            (uint64_t)(((at[0] * (int64_t)in[1] + row) * in[2] + column) *
                           in[3] +
                       first + k),
            (uint64_t)(deep ? (p * w[2] + q) * w[3] + at[3]
                            : ((at[3] * (int64_t)w[1] + p) * w[2] + q) * depth +
                                  k));
    }
  return sum;
}

ash_status ash_ref_whole_conv(const ash_ref_call *c) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < ash_shape_elements(out); i++, ash_ref_next(out, at))
    finish(c, i, (uint64_t)at[3], sum_at(c, at));
  return ASH_OK;
}

ash_status ash_ref_whole_dense(const ash_ref_call *c) {
  const uint64_t units = (uint64_t)ash_ref_in(c, 1)->shape.dim[0];
  const uint64_t depth = (uint64_t)ash_ref_in(c, 1)->shape.dim[1];
  for (uint64_t i = 0; i < ash_ref_elements(ash_ref_out(c, 0)); i++) {
    uint64_t sum = 0;
    for (uint64_t k = 0; k < depth; k++)
      sum += product(c, i / units * depth + k, i % units * depth + k);
    finish(c, i, i % units, sum);
  }
  return ASH_OK;
}

/* First element of the matrix that the batch at `at` reads. */
static uint64_t matrix_at(const ash_shape *s, const int32_t *at,
                          uint32_t rank) {
  ash_shape outer = *s;
  outer.rank -= 2;
  return ash_ref_index(&outer, at, rank) * (uint64_t)s->dim[s->rank - 2] *
         (uint64_t)s->dim[s->rank - 1];
}

ash_status ash_ref_whole_matmul(const ash_ref_call *c) {
  const ash_shape *a = &ash_ref_in(c, 0)->shape;
  const ash_shape *b = &ash_ref_in(c, 1)->shape;
  const ash_shape *y = &ash_ref_out(c, 0)->shape;
  const bool ta = attr(c, "transpose_a", 0) != 0;
  const bool tb = attr(c, "transpose_b", 0) != 0;
  const uint64_t a_cols = (uint64_t)a->dim[a->rank - 1];
  const uint64_t b_cols = (uint64_t)b->dim[b->rank - 1];
  const uint64_t depth = ta ? (uint64_t)a->dim[a->rank - 2] : a_cols;
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < ash_shape_elements(y); i++, ash_ref_next(y, at)) {
    const uint64_t m = (uint64_t)at[y->rank - 2], n = (uint64_t)at[y->rank - 1];
    const uint64_t x = matrix_at(a, at, y->rank - 2);
    const uint64_t w = matrix_at(b, at, y->rank - 2);
    uint64_t sum = 0;
    for (uint64_t k = 0; k < depth; k++)
      sum += product(c, x + (ta ? k * a_cols + m : m * a_cols + k),
                     w + (tb ? n * b_cols + k : k * b_cols + n));
    finish(c, i, n, sum);
  }
  return ASH_OK;
}
