/* shape_rule.c - the checks that shape rules are made of. Each failure says
 * what was expected and what was found, at the op and the tensor. */
#include "op/shape/shape_rule.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

ash_status ash_rule_input(const ash_rule *r, uint32_t k, const char *role,
                          const ash_tensor **out) {
  *out = ash_op_in(r->g, r->op, k);
  if (*out)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, input, ASH_NO_ID,
                       "input %" PRIu32 " (%s) is missing", k, role);
}

ash_status ash_rule_constant(const ash_rule *r, uint32_t k, const char *role,
                             uint32_t types, const ash_tensor **out) {
  ASH_TRY(ash_rule_input(r, k, role, out));
  ASH_TRY(ash_rule_type(r, r->op->inputs[k], types));
  if ((*out)->kind == ASH_TENSOR_CONSTANT)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, constant, r->op->inputs[k],
                       "input %" PRIu32 " (%s) is computed at run time, "
                       "expected a constant",
                       k, role);
}

/* "int8, uint8 or float32" */
static const char *list_types(char *buf, size_t size, uint32_t types) {
  size_t at = 0;
  buf[0] = '\0';
  for (uint32_t t = 0; t < ASH_TYPE_COUNT; t++) {
    if (!(types >> t & 1))
      continue;
    const bool last = types >> t == 1;
    const int n = snprintf(buf + at, size - at, "%s%s",
                           at == 0 ? ""
                           : last  ? " or "
                                   : ", ",
                           ash_type_text((ash_type)t));
    at = (size_t)n < size - at ? at + (size_t)n : size - 1;
  }
  return buf;
}

ash_status ash_rule_type(const ash_rule *r, uint32_t tensor, uint32_t types) {
  char buf[160];
  const ash_type found = r->g->tensors.items[tensor].type;
  if (types >> found & 1)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, type, tensor, "type %s, expected %s",
                       ash_type_text(found),
                       list_types(buf, sizeof buf, types));
}

ash_status ash_rule_one_type(const ash_rule *r, uint32_t count) {
  const ash_tensor *first;
  ASH_TRY(ash_rule_input(r, 0, "data", &first));
  const uint32_t types = 1u << first->type;
  for (uint32_t k = 1; k < count; k++) {
    const ash_tensor *t;
    ASH_TRY(ash_rule_input(r, k, "data", &t));
    ASH_TRY(ash_rule_type(r, r->op->inputs[k], types));
  }
  for (uint32_t k = 0; k < r->op->output_count; k++)
    ASH_TRY(ash_rule_type(r, r->op->outputs[k], types));
  return ASH_OK;
}

ash_status ash_rule_rank(const ash_rule *r, uint32_t tensor, uint32_t lo,
                         uint32_t hi) {
  char buf[ASH_SHAPE_TEXT];
  const ash_shape *s = &r->g->tensors.items[tensor].shape;
  if (s->rank >= lo && s->rank <= hi)
    return ASH_OK;
  return ASH_RULE_FAIL(
      r, ASH_MALFORMED, rank, tensor,
      "shape %s of rank %" PRIu32 ", expected rank %" PRIu32 "%s",
      ash_shape_text(buf, s), s->rank, lo < s->rank ? hi : lo,
      lo == hi ? "" : (lo < s->rank ? " at most" : " at least"));
}

ash_status ash_rule_int(const ash_rule *r, const char *name, int64_t otherwise,
                        int64_t lo, int64_t *out) {
  *out = ash_attr_int(r->op, name, otherwise);
  if (*out >= lo && *out <= INT32_MAX)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                       "%s is %" PRId64 ", expected at least %" PRId64
                       " and below 2^31",
                       name, *out, lo);
}

ash_status ash_rule_axis(const ash_rule *r, uint32_t tensor, int64_t axis,
                         uint32_t rank, uint32_t *out) {
  const int64_t from_front = axis < 0 ? axis + (int64_t)rank : axis;
  if (from_front < 0 || from_front >= (int64_t)rank)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, axis, tensor,
                         "axis %" PRId64 " of a tensor of rank %" PRIu32, axis,
                         rank);
  *out = (uint32_t)from_front;
  return ASH_OK;
}

ash_status ash_rule_act(const ash_rule *r) {
  static const char *const known[] = {"none", "relu", "relu6", "relu_n1_to_1"};
  const char *act = ash_attr_string(r->op, "act", "none");
  for (size_t i = 0; i < ASH_COUNT_OF(known); i++)
    if (strcmp(act, known[i]) == 0)
      return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, act, ASH_NO_ID,
                       "fused activation %s, expected none, relu, relu6 or "
                       "relu_n1_to_1",
                       act);
}

/* ---- quantisation ------------------------------------------------------- */

/* A scale for a message, whatever the locale says of decimal points. */
static const char *scale_text(const ash_rule *r, char *buf, size_t size,
                              float scale) {
  ash_text t;
  ash_text_init(&t, &r->ctx->mem);
  ash_text_float(&t, scale);
  (void)snprintf(buf, size, "%.*s", (int)t.count, t.bytes ? t.bytes : "");
  ash_text_drop(&t);
  return buf;
}

static bool zero_point_fits(ash_type type, int32_t zero) {
  switch (type) {
  case ASH_INT8:
    return zero >= INT8_MIN && zero <= INT8_MAX;
  case ASH_UINT8:
    return zero >= 0 && zero <= UINT8_MAX;
  default:
    return zero >= INT16_MIN && zero <= INT16_MAX;
  }
}

static bool usable_scale(float scale) {
  return scale > 0 && scale <= 3.4e38f; /* neither zero, infinite nor NaN */
}

ash_status ash_rule_quant(const ash_rule *r, uint32_t tensor) {
  char buf[32];
  const ash_tensor *t = &r->g->tensors.items[tensor];
  if (!(ASH_T_QUANT >> t->type & 1))
    return ASH_OK;
  if (t->quant.count != 1)
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, tensor,
                         "%" PRIu32 " scales, expected 1", t->quant.count);
  if (!usable_scale(t->quant.scale[0]) ||
      !zero_point_fits(t->type, t->quant.zero_point[0]))
    return ASH_RULE_FAIL(r, ASH_MALFORMED, quant, tensor,
                         "scale %s and zero point %" PRId32 " of type %s",
                         scale_text(r, buf, sizeof buf, t->quant.scale[0]),
                         t->quant.zero_point[0], ash_type_text(t->type));
  return ASH_OK;
}

ash_status ash_rule_quants(const ash_rule *r, uint32_t count) {
  for (uint32_t k = 0; k < count && k < r->op->input_count; k++)
    if (r->op->inputs[k] != ASH_NO_ID)
      ASH_TRY(ash_rule_quant(r, r->op->inputs[k]));
  for (uint32_t k = 0; k < r->op->output_count; k++)
    ASH_TRY(ash_rule_quant(r, r->op->outputs[k]));
  return ASH_OK;
}

ash_status ash_rule_same_quant(const ash_rule *r, uint32_t a, uint32_t b) {
  char left[32], right[32];
  const ash_quant *p = &r->g->tensors.items[a].quant;
  const ash_quant *q = &r->g->tensors.items[b].quant;
  if (p->count == 0 && q->count == 0)
    return ASH_OK;
  if (p->count == 1 && q->count == 1 && p->scale[0] == q->scale[0] &&
      p->zero_point[0] == q->zero_point[0])
    return ASH_OK;
  return ASH_RULE_FAIL(
      r, ASH_UNSUPPORTED, quant, a,
      "scale %s and zero point %" PRId32 ", expected those of the output, %s "
      "and %" PRId32,
      scale_text(r, left, sizeof left, p->count ? p->scale[0] : 0),
      p->count ? p->zero_point[0] : 0,
      scale_text(r, right, sizeof right, q->count ? q->scale[0] : 0),
      q->count ? q->zero_point[0] : 0);
}

ash_status ash_rule_weights(const ash_rule *r, uint32_t k, int32_t axis,
                            bool shifted) {
  char buf[32];
  const uint32_t tensor = r->op->inputs[k];
  const ash_tensor *t = &r->g->tensors.items[tensor];
  if (!(ASH_T_QUANT >> t->type & 1))
    return ASH_OK;
  if (t->quant.count != 1 &&
      (t->quant.axis != axis || t->quant.count != (uint32_t)t->shape.dim[axis]))
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, tensor,
                         "%" PRIu32 " scales along axis %" PRId32
                         ", expected 1, or %" PRId32 " along axis %" PRId32,
                         t->quant.count, t->quant.axis, t->shape.dim[axis],
                         axis);
  for (uint32_t i = 0; i < t->quant.count; i++)
    if (!usable_scale(t->quant.scale[i]))
      return ASH_RULE_FAIL(
          r, ASH_MALFORMED, quant, tensor, "scale %s of channel %" PRIu32,
          scale_text(r, buf, sizeof buf, t->quant.scale[i]), i);
    else if (t->quant.zero_point[i] != 0 && !(shifted && t->quant.count == 1))
      return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, quant, tensor,
                           "zero point %" PRId32 " of channel %" PRIu32
                           ", expected 0",
                           t->quant.zero_point[i], i);
  return ASH_OK;
}

/* ---- shapes ------------------------------------------------------------- */

/* Axis i of a shape that is seen with `rank` axes: missing ones are 1. */
static int32_t dim_from_back(const ash_shape *s, uint32_t i, uint32_t rank) {
  const uint32_t missing = rank - s->rank;
  return i < missing ? 1 : s->dim[i - missing];
}

ash_status ash_rule_broadcast(const ash_rule *r, const ash_shape *a,
                              const ash_shape *b, ash_shape *out) {
  char left[ASH_SHAPE_TEXT], right[ASH_SHAPE_TEXT];
  out->rank = a->rank > b->rank ? a->rank : b->rank;
  for (uint32_t i = 0; i < out->rank; i++) {
    const int32_t x = dim_from_back(a, i, out->rank);
    const int32_t y = dim_from_back(b, i, out->rank);
    if (x != y && x != 1 && y != 1)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, broadcast, ASH_NO_ID,
                           "shapes %s and %s differ in an axis where neither "
                           "is 1",
                           ash_shape_text(left, a), ash_shape_text(right, b));
    out->dim[i] = x == 1 ? y : x;
  }
  return ASH_OK;
}

ash_status ash_rule_bytes(const ash_rule *r) {
  const uint32_t types = ASH_T_ANY & ~(ASH_T(INT4) | ASH_T(UINT4));
  for (uint32_t k = 0; k < r->op->input_count; k++)
    ASH_TRY(ash_rule_type(r, r->op->inputs[k], types));
  return ASH_OK;
}

ash_status ash_rule_no_function(const ash_rule *r) {
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                       "no function is called '%s'",
                       ash_attr_string(r->op, "fn", ""));
}
