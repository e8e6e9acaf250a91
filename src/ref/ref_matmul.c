/* ref_matmul.c - products of matrices; leading axes broadcast. */
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
  return ash_ref_factor_of((double)product /
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
