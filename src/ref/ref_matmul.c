/* ref_matmul.c - products of matrices; leading axes broadcast. Attention, row
 * by row of the queries: product, softmax and product, each rounded as if it
 * were an operator. */
#include "ref/ref_any.h"
#include "ref/ref_fixed.h"

/* One operand: where element (row, column) of matrix `batch` is. */
typedef struct operand {
  ash_shape batches; /* all but the last two axes */
  uint64_t rows, columns;
  bool turned;
} operand;

static operand operand_of(const ash_ref_call *c, uint32_t k,
                          const char *transposed) {
  const ash_shape *s = &ash_ref_in(c, k)->shape;
  operand o = {*s, (uint64_t)s->dim[s->rank - 2], (uint64_t)s->dim[s->rank - 1],
               ash_attr_int(c->op, transposed, 0) != 0};
  o.batches.rank -= 2;
  return o;
}

/* Row and column are those of the operand as multiplied, not as stored. */
static uint64_t element(const operand *o, uint64_t batch, uint64_t row,
                        uint64_t column) {
  const uint64_t r = o->turned ? column : row, k = o->turned ? row : column;
  return (batch * o->rows + r) * o->columns + k;
}

static uint64_t depth_of(const operand *a) {
  return a->turned ? a->rows : a->columns;
}

/* Position of output element i: its matrix in both operands, row, column. */
typedef struct spot {
  uint64_t a, b, row, column;
} spot;

static spot spot_of(const ash_ref_call *c, const operand *a, const operand *b,
                    const int32_t *at) {
  const uint32_t rank = ash_ref_out(c, 0)->shape.rank - 2;
  return (spot){ash_ref_index(&a->batches, at, rank),
                ash_ref_index(&b->batches, at, rank), (uint64_t)at[rank],
                (uint64_t)at[rank + 1]};
}

/* A product of floats, a quotient of doubles. */
static ash_ref_factor factor_of(const ash_ref_call *c, uint64_t column) {
  const ash_quant *q = &ash_ref_in(c, 1)->quant;
  const float product =
      ash_ref_scale_of(ash_ref_in(c, 0)) * q->scale[q->count > 1 ? column : 0];
  return ash_ref_out_factor(c, (double)product /
                                   (double)ash_ref_scale_of(ash_ref_out(c, 0)));
}

/* ---- quantised ----------------------------------------------------------- */

static ash_status multiply_quantised(const ash_ref_call *c, const operand *a,
                                     const operand *b) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const bool is_long = ash_ref_in(c, 0)->type == ASH_INT16;
  const int32_t *x = ash_ref_widen(c, 0), *y = ash_ref_widen(c, 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  const uint64_t count = ash_shape_elements(out);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++, ash_ref_next(out, at)) {
    const spot s = spot_of(c, a, b, at);
    const ash_ref_factor factor = factor_of(c, s.column);
    int64_t sum = 0;
    for (uint64_t k = 0; k < depth_of(a); k++)
      sum += (int64_t)x[element(a, s.a, s.row, k)] *
             y[element(b, s.b, k, s.column)];
    ash_ref_put_int(c, &limits, i,
                    is_long ? ash_ref_rescale_long(sum, factor)
                            : ash_ref_rescale(ash_ref_wrap(sum), factor));
  }
  return ASH_OK;
}

/* ---- as stored ----------------------------------------------------------- */

static bool is_finished(const ash_ref_call *c) {
  return c->op->input_count > 2 || ash_attr_find(c->op, "low") ||
         ash_attr_find(c->op, "high");
}

ash_status ash_ref_matmul(const ash_ref_call *c) {
  const operand a = operand_of(c, 0, "transpose_a");
  const operand b = operand_of(c, 1, "transpose_b");
  const ash_tensor *p = ash_ref_in(c, 0), *q = ash_ref_in(c, 1);
  const ash_tensor *y = ash_ref_out(c, 0);
  const uint64_t count = ash_ref_elements(y);
  int32_t at[ASH_RANK_MAX] = {0};
  if (ash_ref_is_quantised(p) && p->quant.count)
    return multiply_quantised(c, &a, &b);
  for (uint64_t i = 0; i < count; i++, ash_ref_next(&y->shape, at)) {
    const spot s = spot_of(c, &a, &b, at);
    ash_number sum = ash_ref_number_zero(y);
    for (uint64_t k = 0; k < depth_of(&a); k++)
      ash_ref_number_accumulate(
          y->type, &sum,
          ash_ref_number_get(p, ash_ref_read(c, 0), element(&a, s.a, s.row, k)),
          ash_ref_number_get(q, ash_ref_read(c, 1),
                             element(&b, s.b, k, s.column)));
    if (is_finished(c))
      ash_ref_put_integer(c, i, s.column, (uint64_t)sum.i);
    else
      ash_ref_number_put(y, ash_ref_write(c, 0), i, sum);
  }
  return ASH_OK;
}

/* ---- attention ----------------------------------------------------------- */

/* One row of queries: where its operands are. */
typedef struct row {
  const ash_ref_call *c;
  int32_t at[ASH_RANK_MAX]; /* of the output, its last position 0 */
  uint64_t q, k, v;         /* their first elements */
} row;

static uint64_t size(const ash_ref_call *c, uint32_t k, uint32_t from_last) {
  const ash_shape *s = &ash_ref_in(c, k)->shape;
  return (uint64_t)s->dim[s->rank - from_last];
}

static bool is_turned(const ash_ref_call *c) {
  return ash_attr_int(c->op, "transpose_k", 0) != 0;
}

/* The first element of the matrix of keys or values that the row needs: axes of
 * one element repeat, heads serve equal numbers of neighbours. */
static uint64_t matrix_at(const row *r, uint32_t k) {
  const ash_shape *s = &ash_ref_in(r->c, k)->shape;
  const ash_shape *q = &ash_ref_in(r->c, 0)->shape;
  uint64_t at = 0;
  for (uint32_t d = 0; d + 2 < s->rank; d++)
    at = at * (uint64_t)s->dim[d] +
         (uint64_t)(r->at[d] / (q->dim[d] / s->dim[d]));
  return at * size(r->c, k, 1) * size(r->c, k, 2);
}

/* Element `n` of the row of a mask. */
static uint64_t mask_at(const row *r, uint32_t k, uint64_t n) {
  const ash_shape *s = &ash_ref_in(r->c, k)->shape;
  int32_t at[ASH_RANK_MAX];
  const uint32_t rank = ash_ref_out(r->c, 0)->shape.rank;
  for (uint32_t d = 0; d + 1 < rank; d++)
    at[d] = r->at[d];
  at[rank - 1] = (int32_t)n;
  return ash_ref_index(s, at, rank);
}

static uint64_t key_element(const row *r, uint64_t n, uint64_t d) {
  return is_turned(r->c) ? r->k + d * size(r->c, 1, 1) + n
                         : r->k + n * size(r->c, 1, 1) + d;
}

/* ---- attention: float32
 * ------------------------------------------------------------- */

static float finish_score(const row *r, float sum, uint64_t n) {
  const ash_op *op = r->c->op;
  const float *bias = ash_ref_read(r->c, 3);
  const uint8_t *keep = ash_ref_read(r->c, 4);
  float score = sum * (float)ash_attr_float(op, "factor", 1.0);
  score = score / (float)ash_attr_float(op, "divisor", 1.0);
  if (bias)
    score = score + bias[mask_at(r, 3, n)];
  if (keep &&
      (keep[mask_at(r, 4, n)] != 0) != (ash_attr_int(op, "keep", 1) != 0))
    score = (float)ash_attr_float(op, "filler", 0.0);
  return score;
}

static void run_float(const row *r, float *scores, float *out) {
  const float *q = ash_ref_read(r->c, 0), *k = ash_ref_read(r->c, 1);
  const float *v = ash_ref_read(r->c, 2);
  const uint64_t keys = size(r->c, 2, 2), columns = size(r->c, 2, 1);
  for (uint64_t n = 0; n < keys; n++) {
    float sum = 0;
    for (uint64_t d = 0; d < size(r->c, 0, 1); d++)
      sum += q[r->q + d] * k[key_element(r, n, d)];
    scores[n] = finish_score(r, sum, n);
  }
  ash_ref_softmax_float(scores, scores, keys,
                        (float)ash_attr_float(r->c->op, "beta", 1.0));
  for (uint64_t e = 0; e < columns; e++) {
    float sum = 0;
    for (uint64_t n = 0; n < keys; n++)
      sum += scores[n] * v[r->v + n * columns + e];
    out[e] = sum;
  }
}

/* ---- attention: int8
 * ---------------------------------------------------------------- */

/* Products of floats, quotients of doubles, as a product of matrices has. */
static ash_ref_factor factor_between(const row *r, float a, float b,
                                     float result) {
  const float product = a * b;
  return ash_ref_out_factor(r->c, (double)product / (double)result);
}

typedef struct codes {
  const int32_t *q, *k, *v;
  int32_t *scores, *shares;
} codes;

static int32_t score_of(const row *r, const codes *x, uint64_t n) {
  const ash_op *op = r->c->op;
  const ash_ref_factor f =
      factor_between(r, ash_ref_scale_of(ash_ref_in(r->c, 0)),
                     ash_ref_scale_of(ash_ref_in(r->c, 1)),
                     (float)ash_attr_float(op, "score_scale", 1.0));
  int64_t sum = 0;
  for (uint64_t d = 0; d < size(r->c, 0, 1); d++)
    sum += (int64_t)x->q[r->q + d] * x->k[key_element(r, n, d)];
  const int64_t code = (int64_t)ash_ref_rescale(ash_ref_wrap(sum), f) +
                       ash_attr_int(op, "score_zero", 0);
  return code < INT8_MIN   ? INT8_MIN
         : code > INT8_MAX ? INT8_MAX
                           : (int32_t)code;
}

static void run_int(const row *r, const codes *x, uint64_t first) {
  const ash_op *op = r->c->op;
  const ash_ref_limits limits = ash_ref_limits_of(r->c, "none");
  const uint64_t keys = size(r->c, 2, 2), columns = size(r->c, 2, 1);
  const ash_ref_factor f =
      factor_between(r, (float)ash_attr_float(op, "share_scale", 1.0),
                     ash_ref_scale_of(ash_ref_in(r->c, 2)),
                     ash_ref_scale_of(ash_ref_out(r->c, 0)));
  for (uint64_t n = 0; n < keys; n++)
    x->scores[n] = score_of(r, x, n);
  ash_ref_softmax_int(x->scores, x->shares, keys,
                      ash_attr_float(op, "beta", 1.0),
                      ash_attr_float(op, "score_scale", 1.0));
  for (uint64_t e = 0; e < columns; e++) {
    int64_t sum = 0;
    for (uint64_t n = 0; n < keys; n++)
      sum += (int64_t)x->shares[n] * x->v[r->v + n * columns + e];
    ash_ref_put_int(r->c, &limits, first + e,
                    ash_ref_rescale(ash_ref_wrap(sum), f));
  }
}

/* ---- attention: rows
 * ---------------------------------------------------------------- */

ash_status ash_ref_attention(const ash_ref_call *c) {
  const uint64_t columns = size(c, 2, 1), keys = size(c, 2, 2);
  const uint64_t count = ash_ref_elements(ash_ref_out(c, 0));
  const bool real = ash_ref_is_float(c);
  float *scores = ASH_NEW_ARRAY(&c->ctx->scratch, float, keys);
  codes x = {NULL, NULL, NULL, ASH_NEW_ARRAY(&c->ctx->scratch, int32_t, keys),
             ASH_NEW_ARRAY(&c->ctx->scratch, int32_t, keys)};
  if (!real) {
    x.q = ash_ref_widen(c, 0);
    x.k = ash_ref_widen(c, 1);
    x.v = ash_ref_widen(c, 2);
  }
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  row r = {.c = c};
  for (uint64_t i = 0; i < count; i++) {
    if (i % columns == 0) {
      r.q = i / columns * size(c, 0, 1);
      r.k = matrix_at(&r, 1);
      r.v = matrix_at(&r, 2);
      if (real)
        run_float(&r, scores, (float *)ash_ref_write(c, 0) + i);
      else
        run_int(&r, &x, i);
    }
    ash_ref_next(&ash_ref_out(c, 0)->shape, r.at);
  }
  return ASH_OK;
}
