/* ref_element_chain.c - chain: every stage stored in its own type, as the maps
 * that it stands for would. */
#include "op/chain.h"
#include "ref/ref_any.h"

/* The stages of one element. */
typedef struct row {
  const ash_ref_call *c;
  const ash_chain *chain;
  const int32_t *at;
  uint64_t value[ASH_CHAIN_STAGES]; /* bytes of each stage's type */
} row;

static ash_number argument(const row *r, const ash_chain_arg *a) {
  if (a->source == ASH_CHAIN_VALUE)
    return (ash_number){.real = ash_type_is_float(a->type),
                        .is_unsigned = a->type == ASH_UINT64,
                        .x = a->x,
                        .i = a->i};
  if (a->source == ASH_CHAIN_STAGE) {
    const ash_tensor like = {.type = a->type};
    return ash_ref_number_get(&like, &r->value[a->index], 0);
  }
  const ash_tensor *in = ash_ref_in(r->c, a->index);
  return ash_ref_number_get(
      in, ash_ref_read(r->c, a->index),
      ash_ref_index(&in->shape, r->at, ash_ref_out(r->c, 0)->shape.rank));
}

static ash_number run_stage(row *r, uint32_t k) {
  const ash_chain_stage *s = &r->chain->stages[k];
  ash_number o[ASH_FN_OPERANDS] = {{0}};
  for (uint32_t i = 0; i < ash_fn_operands(s->fn); i++)
    o[i] = argument(r, &s->args[i]);
  return ash_ref_number_apply(s->fn, o);
}

ash_status ash_ref_chain(const ash_ref_call *c) {
  const ash_tensor *out = ash_ref_out(c, 0);
  int32_t at[ASH_RANK_MAX] = {0};
  ash_chain chain;
  uint32_t stage;
  row r = {c, &chain, at, {0}};
  (void)ash_chain_read(&chain, c->g, c->op, &stage);
  for (uint64_t i = 0; i < ash_ref_elements(out); i++) {
    for (uint32_t k = 0; k + 1 < chain.count; k++) {
      const ash_tensor like = {.type = chain.stages[k].type};
      ash_ref_number_put(&like, &r.value[k], 0, run_stage(&r, k));
    }
    ash_ref_number_put(out, ash_ref_write(c, 0), i,
                       run_stage(&r, chain.count - 1));
    ash_ref_next(&out->shape, at);
  }
  return ASH_OK;
}

/* ---- rows ---------------------------------------------------------------- */

/* Stage by stage over a row: row_chain. */
typedef struct whole {
  const ash_ref_call *c;
  const ash_chain *chain;
  int32_t at[ASH_RANK_MAX]; /* of the element that is computed */
  int32_t length;
  ash_number *folded; /* what a fold reads */
  uint64_t *value[ASH_CHAIN_STAGES];
} whole;

/* A stage has its value of every element, folds the same one everywhere. */
static ash_number argument_of(const whole *r, const ash_chain_arg *a) {
  const uint32_t rank = ash_ref_out(r->c, 0)->shape.rank;
  if (a->source == ASH_CHAIN_VALUE)
    return (ash_number){.real = ash_type_is_float(a->type),
                        .is_unsigned = a->type == ASH_UINT64,
                        .x = a->x,
                        .i = a->i};
  if (a->source == ASH_CHAIN_STAGE) {
    const ash_tensor like = {.type = a->type};
    return ash_ref_number_get(&like, &r->value[a->index][r->at[rank - 1]], 0);
  }
  const ash_tensor *in = ash_ref_in(r->c, a->index);
  return ash_ref_number_get(in, ash_ref_read(r->c, a->index),
                            ash_ref_index(&in->shape, r->at, rank));
}

static ash_number fold(whole *r, const ash_chain_stage *s) {
  int32_t *i = &r->at[ash_ref_out(r->c, 0)->shape.rank - 1];
  for (*i = 0; *i < r->length; ++*i)
    r->folded[*i] = argument_of(r, &s->args[0]);
  return ash_ref_number_fold(s->args[0].type, s->fold, r->folded,
                             (uint64_t)r->length);
}

static void run_over_row(whole *r, uint32_t k) {
  const ash_chain_stage *s = &r->chain->stages[k];
  const ash_tensor like = {.type = s->type};
  int32_t *i = &r->at[ash_ref_out(r->c, 0)->shape.rank - 1];
  ash_number o[ASH_FN_OPERANDS] = {{0}};
  const ash_number all = s->folds ? fold(r, s) : o[0];
  for (*i = 0; *i < r->length; ++*i) {
    for (uint32_t n = 0; n < ash_chain_operands(s) && !s->folds; n++)
      o[n] = argument_of(r, &s->args[n]);
    ash_ref_number_put(&like, &r->value[k][*i], 0,
                       s->folds ? all : ash_ref_number_apply(s->fn, o));
  }
  *i = 0;
}

ash_status ash_ref_row_chain(const ash_ref_call *c) {
  const ash_tensor *out = ash_ref_out(c, 0);
  ash_shape rows = out->shape;
  ash_chain chain;
  uint32_t stage;
  whole r = {.c = c, .chain = &chain, .length = rows.dim[rows.rank - 1]};
  ash_zone *z = &c->ctx->scratch;
  const size_t length = (size_t)r.length;
  rows.dim[rows.rank - 1] = 1;
  (void)ash_chain_read(&chain, c->g, c->op, &stage);
  r.folded = ASH_NEW_ARRAY(z, ash_number, length);
  for (uint32_t k = 0; k < chain.count; k++)
    r.value[k] = ASH_NEW_ARRAY(z, uint64_t, length);
  ASH_TRY(ash_zone_check(c->ctx, z));
  const ash_tensor like = {.type = out->type};
  for (uint64_t i = 0; i < ash_shape_elements(&rows); i++) {
    for (uint32_t k = 0; k < chain.count; k++)
      run_over_row(&r, k);
    for (size_t k = 0; k < length; k++)
      ash_ref_number_put(
          out, ash_ref_write(c, 0), i * length + k,
          ash_ref_number_get(&like, &r.value[chain.count - 1][k], 0));
    ash_ref_next(&rows, r.at);
  }
  return ASH_OK;
}
