/* tflite_option.c - what the readers of options share. */
#include "read/tflite/tflite_option.h"

#include <string.h>

ash_status ash_tflite_bad_options(const ash_tflite_call *c, const char *what,
                                  int64_t value) {
  return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_options,
                  ash_tflite_at_op(c->r, c->index), "%s is %lld", what,
                  (long long)value);
}

/* The place of one of the operator's tensors, by the file's number. */
ash_loc ash_tflite_at_op_tensor(const ash_tflite_call *c, uint32_t tensor) {
  ash_loc at = ash_tflite_at_op(c->r, c->index);
  at.tensor = tensor;
  at.tensor_name = c->r->g->tensors.items[c->r->uses[tensor].graph].name;
  return at;
}

ash_loc ash_tflite_at_input(const ash_tflite_call *c, uint32_t k) {
  return ash_tflite_at_op_tensor(c, c->r->ops[c->index].inputs[k]);
}

ash_loc ash_tflite_at_output(const ash_tflite_call *c, uint32_t k) {
  return ash_tflite_at_op_tensor(c, c->r->ops[c->index].outputs[k]);
}

void ash_tflite_put(ash_tflite_call *c, ash_attr attr) {
  if (c->op.attr_count < ASH_TFLITE_ATTRS)
    c->attrs[c->op.attr_count++] = attr;
}

void ash_tflite_put_int(ash_tflite_call *c, const char *name, int64_t value) {
  ash_tflite_put(c, ASH_INT_ATTR(name, value));
}

/* Integers that must be at least `least`. */
ash_status ash_tflite_put_field(ash_tflite_call *c, const char *name,
                                uint32_t field, int32_t otherwise,
                                int32_t least) {
  const int32_t value = ash_fb_i32(&c->options, field, otherwise);
  if (value < least)
    return ash_tflite_bad_options(c, name, value);
  ash_tflite_put_int(c, name, value);
  return ASH_OK;
}

ash_status ash_tflite_put_act(ash_tflite_call *c, uint32_t field) {
  static const char *const act[] = {"none",  "relu", "relu_n1_to_1",
                                    "relu6", "tanh", "sign_bit"};
  const uint32_t number = ash_fb_u8(&c->options, field, 0);
  if (number >= ASH_COUNT_OF(act))
    return ash_tflite_bad_options(c, "the fused activation's number", number);
  ash_tflite_put(c, ASH_STRING_ATTR("act", act[number]));
  return ASH_OK;
}

ash_status ash_tflite_take_list(const ash_tflite_call *c, uint32_t k,
                                const char *what, ash_tflite_list *out) {
  const ash_tensor *t = ash_op_in(c->r->g, &c->op, k);
  ash_zone *zone = &c->r->ctx->scratch;
  *out = (ash_tflite_list){0};
  if (!t || t->kind != ASH_TENSOR_CONSTANT || !t->data)
    return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                    ash_tflite_at_op(c->r, c->index), "%s must be constant",
                    what);
  out->count = (uint32_t)ash_shape_elements(&t->shape);
  int64_t *list = ASH_NEW_ARRAY(zone, int64_t, out->count + 1u);
  ASH_TRY(ash_zone_check(c->r->ctx, zone));
  for (uint32_t i = 0; i < out->count; i++)
    list[i] = ash_tensor_int(t, i);
  out->at = list;
  return ASH_OK;
}

/* An integer put before. */
int64_t ash_tflite_got(const ash_tflite_call *c, const char *name) {
  return ash_attr_int(&c->op, name, 1);
}

const ash_shape *ash_tflite_shape_in(const ash_tflite_call *c, uint32_t k) {
  return &ash_op_in(c->r->g, &c->op, k)->shape;
}

ash_status ash_tflite_need_rank(const ash_tflite_call *c, uint32_t input,
                                uint32_t rank) {
  const uint32_t found = ash_tflite_shape_in(c, input)->rank;
  if (found == rank)
    return ASH_OK;
  return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_options,
                  ash_tflite_at_input(c, input),
                  "the input has %u dimensions, the operator needs %u",
                  (unsigned)found, (unsigned)rank);
}

/* Float data with int8 weights? What is absent is refused by the shape rules.
 */
bool ash_tflite_is_hybrid(const ash_tflite_call *c, uint32_t weights) {
  const ash_tensor *x = ash_op_in(c->r->g, &c->op, 0);
  const ash_tensor *w = ash_op_in(c->r->g, &c->op, weights);
  return x && w && x->type == ASH_FLOAT32 && w->type == ASH_INT8;
}

ash_status ash_tflite_read_fields(ash_tflite_call *c) {
  const char *p = c->rule->fields;
  while (*p) {
    const char *colon = strchr(p, ':');
    char name[32] = "";
    memcpy(name, p, (size_t)(colon - p));
    const char *kept = ash_zone_string(&c->r->ctx->scratch, name);
    ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
    const uint32_t field = (uint32_t)(colon[2] - '0');
    ash_tflite_put_int(c, kept,
                       colon[1] == 'b' ? ash_fb_bool(&c->options, field, false)
                                       : ash_fb_i32(&c->options, field, 0));
    p = colon[3] ? colon + 4 : colon + 3;
  }
  return ASH_OK;
}
