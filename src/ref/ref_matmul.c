/* ref_matmul.c - products of matrices; leading axes broadcast. */
#include "ref/ref_call.h"
#include "ref/ref_fixed.h"

/* One operand: where element (row, column) of matrix `batch` is. */
typedef struct operand {
  ash_shape batches; /* all but the last two axes */
  uint64_t rows, columns;
  bool turned;
} operand;

static operand operand_of(const ash_ref_call *c, uint32_t k, const char *adj) {
  const ash_shape *s = &ash_ref_in(c, k)->shape;
  operand o = {*s, (uint64_t)s->dim[s->rank - 2], (uint64_t)s->dim[s->rank - 1],
               ash_attr_int(c->op, adj, 0) != 0};
  o.batches.rank -= 2;
  return o;
}

/* Row and column are those of the operand as multiplied, not as stored. */
static uint64_t element(const operand *o, uint64_t batch, uint64_t row,
                        uint64_t column) {
  const uint64_t r = o->turned ? column : row, k = o->turned ? row : column;
  return (batch * o->rows + r) * o->columns + k;
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

ash_status ash_ref_batch_matmul(const ash_ref_call *c) {
  const operand a = operand_of(c, 0, "adj_x"), b = operand_of(c, 1, "adj_y");
  const uint64_t depth = a.turned ? a.rows : a.columns;
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  const ash_ref_limits limits = ash_ref_limits_of(c, "none");
  const bool real = ash_ref_is_float(c);
  const int32_t *x = real ? NULL : ash_ref_widen(c, 0);
  const int32_t *y = real ? NULL : ash_ref_widen(c, 1);
  const float *fx = ash_ref_read(c, 0), *fy = ash_ref_read(c, 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  ash_ref_factor factor = {0, 0};
  if (!real)
    factor = factor_of(c, 0);
  const uint64_t count = ash_shape_elements(out);
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < count; i++, ash_ref_next(out, at)) {
    const spot s = spot_of(c, &a, &b, at);
    int64_t sum = 0;
    float total = 0;
    for (uint64_t k = 0; k < depth; k++) {
      const uint64_t p = element(&a, s.a, s.row, k);
      const uint64_t q = element(&b, s.b, k, s.column);
      if (real)
        total += fx[p] * fy[q];
      else
        sum += (int64_t)x[p] * y[q];
    }
    if (real)
      ((float *)ash_ref_write(c, 0))[i] = total;
    else
      ash_ref_put_int(c, &limits, i,
                      ash_ref_in(c, 0)->type == ASH_INT16
                          ? ash_ref_rescale_long(sum, factor_of(c, s.column))
                          : ash_ref_rescale(ash_ref_wrap(sum), factor));
  }
  return ASH_OK;
}
