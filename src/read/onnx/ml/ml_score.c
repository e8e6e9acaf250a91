/* ml_score.c - rows, scores and labels, which all models of ai.onnx.ml have. */
#include "read/onnx/ml/ml.h"

#include <string.h>

uint32_t ash_ml_rows(ash_ox *m, uint32_t k) {
  const uint32_t x = ash_ox_cast(m, ash_ox_in(m, k), ASH_FLOAT32);
  const ash_shape s = *ash_ox_shape(m, x);
  const int32_t rows = s.rank > 1 ? s.dim[0] : 1;
  const int32_t all = (int32_t)ash_shape_elements(&s);
  return ash_ox_reshape(m, x, (ash_shape){2, {rows, all / rows}});
}

uint32_t ash_ml_count(const ash_ox *m, const char *name) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  const bool list =
      a && (a->kind == ASH_ONNX_FLOATS || a->kind == ASH_ONNX_INTS ||
            a->kind == ASH_ONNX_STRINGS);
  return list ? a->count : 0;
}

uint32_t ash_ml_floats(ash_ox *m, const char *name, ash_shape shape) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  if (m->status == ASH_OK && (!a || a->kind != ASH_ONNX_FLOATS ||
                              a->count != ash_shape_elements(&shape)))
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
                "%s: attribute %s has %u numbers, expected %u", m->node->type,
                name, (unsigned)ash_ml_count(m, name),
                (unsigned)ash_shape_elements(&shape));
  return m->status == ASH_OK ? ash_ox_constant(m, ASH_FLOAT32, shape, a->floats)
                             : ASH_NO_ID;
}

uint32_t ash_ml_product(ash_ox *m, uint32_t x, const char *weights,
                        const char *bias, int32_t out) {
  const uint32_t w =
      ash_ml_floats(m, weights, (ash_shape){2, {out, ash_ox_dim(m, x, 1)}});
  const uint32_t b = ash_ml_count(m, bias)
                         ? ash_ml_floats(m, bias, (ash_shape){1, {out}})
                         : ASH_NO_ID;
  return ash_ox_dense(m, x, w, b);
}

/* Scores of 0 mean that nothing is known: they stay 0. */
static uint32_t softmax_but_zeros(ash_ox *m, uint32_t x) {
  const uint32_t most = ash_ox_fold(m, ASH_FOLD_MAX, x, 2, true);
  const uint32_t zero = ash_ox_scalar(m, ASH_FLOAT32, 0);
  const uint32_t known = ash_ox_with(
      m, ASH_FN_greater, ash_ox_map1(m, ASH_FN_abs, x), (double)1e-7f);
  const uint32_t e = ash_ox_map3(
      m, ASH_FN_select, known,
      ash_ox_map1(m, ASH_FN_exp, ash_ox_map2(m, ASH_FN_sub, x, most)), zero);
  return ash_ox_map2(m, ASH_FN_div, e,
                     ash_ox_fold(m, ASH_FOLD_SUM, e, 2, true));
}

uint32_t ash_ml_transform(ash_ox *m, uint32_t scores) {
  if (ash_ox_is(m, "post_transform", "NONE", "NONE"))
    return scores;
  if (ash_ox_is(m, "post_transform", "SOFTMAX", ""))
    return ash_ox_softmax(m, scores, 2);
  if (ash_ox_is(m, "post_transform", "LOGISTIC", ""))
    return ash_ox_map1(m, ASH_FN_logistic, scores);
  if (ash_ox_is(m, "post_transform", "SOFTMAX_ZERO", ""))
    return softmax_but_zeros(m, scores);
  ash_ox_refuse(m, "this post_transform");
  return scores;
}

uint32_t ash_ml_both(ash_ox *m, uint32_t no, uint32_t yes) {
  const uint32_t parts[] = {no, yes};
  return ash_ox_join(m, parts, 2, 1);
}

static const char *label_list(const ash_ox *m) {
  static const char *const names[] = {"classlabels_ints", "classlabels_int64s"};
  for (size_t i = 0; i < ASH_COUNT_OF(names); i++)
    if (ash_ml_count(m, names[i]))
      return names[i];
  return NULL;
}

uint32_t ash_ml_classes(const ash_ox *m) {
  const char *list = label_list(m);
  return ash_ml_count(m, list ? list : "classlabels_strings");
}

void ash_ml_put_labels(ash_ox *m, uint32_t best) {
  const char *list = label_list(m);
  uint32_t count;
  if (m->status != ASH_OK || !ash_ox_wants(m, 0))
    return;
  if (!list) {
    ash_loc at = ASH_NOWHERE;
    at.file = m->file;
    at.op_kind = m->node->type;
    ash_warn(m->ctx, ASH_D_onnx_type, at,
             "the labels are strings: output '%s' gives their numbers, from 0 "
             "on in the order of classlabels_strings",
             m->node->outputs[0]);
    ash_ox_out(m, 0, best);
    return;
  }
  const int64_t *labels = ash_ox_ints(m, list, &count);
  const uint32_t table =
      ash_ox_constant(m, ASH_INT64, (ash_shape){1, {(int32_t)count}}, labels);
  ash_ox_out(m, 0, ash_ox_gather(m, table, best, 0));
}
