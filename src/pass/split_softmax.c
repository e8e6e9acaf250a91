/* split_softmax.c - softmax of rows that are too long for the compute memory.
 *
 *   softmax(x)   ->   e = exp((x - max(x)) * beta),  e / sum(e)
 *
 * Tiles of softmax are whole rows (domain/domain_row.c); largest values and
 * sums may be cut, with accumulators. The arithmetic is that of the kernel,
 * element by element and in its order, so the results are the same. Only float,
 * only for devices with a compute memory, only where a row does not fit it. */
#include "pass/pass.h"

#include "op/functions.h"
#include "pass/decompose.h"

#include <string.h>

enum { SLACK = 64 }; /* alignment of the buffers */

typedef struct rows {
  ash_ctx *ctx;
  ash_graph *g;
  const ash_op *op;
  uint64_t room; /* in the compute memory */
} rows;

static bool is_too_long(const rows *r) {
  if (r->op->kind != ASH_OP_softmax)
    return false;
  const ash_tensor *x = ash_op_in(r->g, r->op, 0);
  const uint32_t rank = x->shape.rank;
  return x->type == ASH_FLOAT32 && rank > 0 &&
         8 * (uint64_t)x->shape.dim[rank - 1] + SLACK > r->room;
}

static uint32_t rank_of(const rows *r) {
  return ash_op_in(r->g, r->op, 0)->shape.rank;
}

/* A tensor like the op's input, or with one value a row. */
static ash_status add_tensor(const rows *r, uint32_t *out, bool narrow) {
  ash_tensor t = *ash_op_out(r->g, r->op, 0);
  t.id = NULL;
  t.is_output = false;
  if (narrow)
    t.shape.dim[t.shape.rank - 1] = 1;
  return ash_graph_add_tensor(r->g, out, t);
}

static ash_status add_constant(const rows *r, uint32_t *out, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  uint8_t *data = ASH_NEW_ARRAY(&r->g->zone, uint8_t, 4);
  ASH_TRY(ash_zone_check(r->ctx, &r->g->zone));
  for (uint32_t i = 0; i < 4; i++)
    data[i] = (uint8_t)(bits >> (8 * i));
  return ash_graph_add_tensor(r->g, out,
                              (ash_tensor){.name = "of_rows",
                                           .kind = ASH_TENSOR_CONSTANT,
                                           .type = ASH_FLOAT32,
                                           .shape = {1, {1}},
                                           .file_byte = UINT64_MAX,
                                           .data = data});
}

static ash_status add_map(const rows *r, ash_fn fn, uint32_t a, uint32_t b,
                          uint32_t y) {
  uint32_t in[2] = {a, b}, op;
  ash_attr attr = ASH_STRING_ATTR("fn", ash_fn_text(fn));
  const char *id =
      ash_zone_format(&r->g->zone, "%s_%s", r->op->id, ash_fn_text(fn));
  ASH_TRY(ash_zone_check(r->ctx, &r->g->zone));
  return ash_graph_add_op(r->g, &op,
                          (ash_op){.kind = ASH_OP_map,
                                   .id = id,
                                   .source_index = r->op->source_index,
                                   .input_count = b == ASH_NO_ID ? 1 : 2,
                                   .output_count = 1,
                                   .attrs = &attr,
                                   .attr_count = 1,
                                   .inputs = in,
                                   .outputs = &y});
}

/* One value per row. */
static ash_status add_fold(const rows *r, ash_fold fold, uint32_t x,
                           uint32_t y) {
  const int64_t last = (int64_t)rank_of(r) - 1;
  const char *name = ash_fold_text(fold);
  ash_attr attrs[] = {ASH_STRING_ATTR("fn", name),
                      ASH_INTS_ATTR("axes", &last, 1),
                      ASH_INT_ATTR("keep_dims", 1)};
  uint32_t op;
  const char *id = ash_zone_format(&r->g->zone, "%s_%s", r->op->id, name);
  ASH_TRY(ash_zone_check(r->ctx, &r->g->zone));
  return ash_graph_add_op(r->g, &op,
                          (ash_op){.kind = ASH_OP_reduce,
                                   .id = id,
                                   .source_index = r->op->source_index,
                                   .input_count = 1,
                                   .output_count = 1,
                                   .attrs = attrs,
                                   .attr_count = ASH_COUNT_OF(attrs),
                                   .inputs = &x,
                                   .outputs = &y});
}

static ash_status scale(const rows *r, uint32_t *x) {
  const float beta = (float)ash_attr_float(r->op, "beta", 1.0);
  uint32_t by, y;
  if (beta >= 1.0f && beta <= 1.0f)
    return ASH_OK;
  ASH_TRY(add_constant(r, &by, beta));
  ASH_TRY(add_tensor(r, &y, false));
  ASH_TRY(add_map(r, ASH_FN_mul, *x, by, y));
  *x = y;
  return ASH_OK;
}

static ash_status decompose(const rows *r) {
  const uint32_t x = r->op->inputs[0], out = r->op->outputs[0];
  uint32_t most, less, e, sum;
  ASH_TRY(add_tensor(r, &most, true));
  ASH_TRY(add_tensor(r, &less, false));
  ASH_TRY(add_tensor(r, &e, false));
  ASH_TRY(add_tensor(r, &sum, true));
  ASH_TRY(add_fold(r, ASH_FOLD_MAX, x, most));
  ASH_TRY(add_map(r, ASH_FN_sub, x, most, less));
  ASH_TRY(scale(r, &less));
  ASH_TRY(add_map(r, ASH_FN_exp, less, ASH_NO_ID, e));
  ASH_TRY(add_fold(r, ASH_FOLD_SUM, e, sum));
  return add_map(r, ASH_FN_div, e, sum, out);
}

static bool wants(void *user, const ash_op *op) {
  rows *r = user;
  r->op = op;
  return is_too_long(r);
}

static ash_status put(void *user, const ash_op *op) {
  rows *r = user;
  r->op = op;
  return decompose(r);
}

ash_status ash_pass_split_softmax(ash_ctx *ctx, ash_graph *g,
                                  const ash_target *target) {
  rows r = {.ctx = ctx, .g = g, .room = target->compute_bytes};
  const ash_decomposer decomposer = {&r, wants, put};
  return r.room ? ash_pass_decompose(g, &decomposer) : ASH_OK;
}
