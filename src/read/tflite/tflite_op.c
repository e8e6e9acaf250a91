/* tflite_op.c - operators of a TFLite file: is each known, do its tensors fit,
 * and what it becomes. Rows are in tflite_ops.def, options are read by
 * tflite_option_*.c. */
#include "op/functions.h"
#include "read/tflite/tflite_option.h"

#include <string.h>

enum { LSTM_INPUTS = 24 };

enum { OPERATOR_OPTIONS_TYPE = 3, OPERATOR_OPTIONS = 4 };

/* ---- the operators ----------------------------------------------------- */

#define CONV_TYPES    "fff>f fbf>f bbi>b hbl>h hbi>h uui>u"
#define MATH_TYPES    "ff>f bb>b hh>h uu>u ii>i ll>l"
#define REDUCE_TYPES  "fi>f bi>b ui>u hi>h ii>i li>l"
#define COMPARE_TYPES "ff>o bb>o uu>o hh>o ii>o ll>o"
#define UNARY_TYPES   "f>f b>b u>u h>h"
#define QUANT_TYPES                                                            \
  "f>b f>u f>h h>b h>h h>i i>b i>h b>b b>u b>h b>i u>b u>u u>h"

static const ash_tflite_rule rules[] = {
#define TFLITE(number, op, columns)                                            \
  {.code = (number), .kind = ASH_OP_##op, columns},
#define FN(name)        .fn = (name),
#define VERSION(newest) .version_max = (newest),
#define OPTIONS(number) .options = (number),
#define READ(reader)    .read = ash_tflite_read_##reader,
#define FIELDS(text)    .fields = (text),
#define ORDER(text)     .order = (text),
#define SCALED()        .scaled = true,
#define TYPES(text)     .types = text,
#include "read/tflite/tflite_ops.def"
#undef TFLITE
};

static const ash_tflite_rule *find_rule(int32_t code) {
  for (size_t i = 0; i < ASH_COUNT_OF(rules); i++)
    if (rules[i].code == code)
      return &rules[i];
  return NULL;
}

ash_loc ash_tflite_at_op(const ash_tflite *r, uint32_t op) {
  ash_loc at = ASH_NOWHERE;
  const ash_tflite_code *code = r->ops[op].code;
  const ash_tflite_rule *known = find_rule(code->builtin);
  at.file = r->file;
  at.op = op;
  at.op_kind = !known ? ash_tflite_builtin_name(code->builtin)
               : known->kind == ASH_OP_map ? known->fn
                                           : ash_op_kind_text(known->kind);
  return at;
}

/* ---- is it known? ------------------------------------------------------ */

enum { CUSTOM = 32, DENSIFY = 124, CUSTOM_SHOWN = 200 };

static bool same_code(const ash_tflite_code *a, const ash_tflite_code *b) {
  const char *custom_a = a->custom ? a->custom : "";
  const char *custom_b = b->custom ? b->custom : "";
  return a->builtin == b->builtin && a->version == b->version &&
         strncmp(custom_a, custom_b, CUSTOM_SHOWN) == 0;
}

/* Converters may list a code once for each use. Later twins hand their uses to
 * the first, so that one operator is one message. */
static void merge_twins(ash_tflite *r, uint32_t first) {
  for (uint32_t i = first + 1; i < r->code_count; i++)
    if (same_code(&r->codes[first], &r->codes[i])) {
      r->codes[first].uses += r->codes[i].uses;
      r->codes[i].uses = 0;
    }
}

static ash_status refuse_custom(ash_tflite *r, const ash_tflite_code *code) {
  const char *name = code->custom ? code->custom : "";
  const ash_status status =
      ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_op_custom,
               ash_tflite_at_op(r, code->first_use),
               "custom operator '%.200s' is not supported (uses: %u)", name,
               (unsigned)code->uses);
  if (strcmp(name, "ethos-u") == 0)
    ash_hint(r->ctx, "Vela compiled this model for an Ethos-U; give the model "
                     "as it was before Vela");
  else if (strncmp(name, "Flex", 4) == 0)
    ash_hint(r->ctx, "convert the model with TFLite builtin operators only");
  else
    ash_hint(r->ctx,
             "--custom %.200s makes it a call of a function that you "
             "supply",
             name);
  return status;
}

/* Did the user promise to supply it? */
static bool is_supplied(const ash_tflite *r, const char *name) {
  return ash_customs_find(&r->customs, name) != NULL;
}

static ash_status check_code(ash_tflite *r, const ash_tflite_code *code) {
  const ash_loc at = ash_tflite_at_op(r, code->first_use);
  const ash_tflite_rule *known = find_rule(code->builtin);
  const char *name = ash_tflite_builtin_name(code->builtin);
  if (ash_tflite_is_made(code) && !is_supplied(r, code->custom))
    return ASH_OK;
  if (code->builtin == CUSTOM)
    return is_supplied(r, code->custom) ? ASH_OK : refuse_custom(r, code);
  if (ash_tflite_makes_handles(code->builtin) || code->builtin == DENSIFY)
    return ASH_OK;
  if (ash_tflite_is_flow(code->builtin))
    return ASH_OK;
  if (r->depth > 0 && ash_tflite_makes_handles(code->builtin))
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_op_unsupported, at,
                    "%s inside IF or WHILE is not supported",
                    name ? name : "?");
  if (!known)
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_op_unsupported, at,
                    "TFLite operator %d, %s, is not supported (uses: %u)",
                    (int)code->builtin, name ? name : "of unknown name",
                    (unsigned)code->uses);
  if (code->version < 1 || code->version > known->version_max)
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_op_version, at,
                    "version %d of %s is not supported (known: 1 to %d)",
                    (int)code->version, name ? name : "?",
                    (int)known->version_max);
  return ASH_OK;
}

ash_status ash_tflite_check_codes(ash_tflite *r) {
  ash_status first = ASH_OK;
  for (uint32_t i = 0; i < r->code_count; i++) {
    if (r->codes[i].uses == 0)
      continue;
    merge_twins(r, i);
    const ash_status status = check_code(r, &r->codes[i]);
    first = first == ASH_OK ? status : first;
  }
  return first;
}

/* ---- types ------------------------------------------------------------- */

static ash_status check_types(const ash_tflite_call *c) {
  const ash_graph *g = c->r->g;
  if (ash_tflite_types_match(g, &c->op, c->rule->types))
    return ASH_OK;
  const ash_tensor *in = ash_op_in(g, &c->op, 0);
  const ash_tensor *out = ash_op_out(g, &c->op, 0);
  char inputs[80];
  const ash_status status = ash_fail(
      c->r->ctx, ASH_UNSUPPORTED, ASH_D_op_types, ash_tflite_at_output(c, 0),
      "inputs of types (%s) with an output of %s are not supported",
      ash_tflite_types_text(inputs, sizeof inputs, g, &c->op),
      ash_type_text(out->type));
  if (in && in->type == ASH_FLOAT32 && c->op.input_count > 1)
    ash_hint(c->r->ctx, "this is dynamic-range quantisation; quantise the "
                        "activations too (full integer) or keep the weights "
                        "float");
  return status;
}

static ash_status check_quant(const ash_tflite_call *c, const uint32_t *tensors,
                              uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    if (tensors[i] == ASH_NO_ID)
      continue;
    const uint32_t in_graph = c->r->uses[tensors[i]].graph;
    const ash_tensor *t = &c->r->g->tensors.items[in_graph];
    const bool narrow = t->type == ASH_INT8 || t->type == ASH_UINT8 ||
                        t->type == ASH_INT16 || t->type == ASH_INT4;
    if (narrow && t->quant.count == 0)
      return ash_fail(c->r->ctx, ASH_UNSUPPORTED, ASH_D_tensor_quant,
                      ash_tflite_at_op_tensor(c, tensors[i]),
                      "the %s tensor has no quantisation parameters",
                      ash_type_text(t->type));
  }
  return ASH_OK;
}

/* ---- adding ------------------------------------------------------------ */

static ash_status bad_arity(const ash_tflite_call *c, const char *what,
                            uint32_t count) {
  return ash_fail(c->r->ctx, ASH_MALFORMED, ASH_D_op_arity,
                  ash_tflite_at_op(c->r, c->index), "%s: %u", what,
                  (unsigned)count);
}

static ash_status check_arity(const ash_tflite_call *c) {
  const ash_op_info *info = ash_kind_info(c->rule->kind);
  /* What PADV2 adds to PAD is not optional. */
  const uint32_t least = c->rule->code == 60 ? 3
                         : c->rule->kind == ASH_OP_map
                             ? ash_fn_operands(ash_fn_find(c->rule->fn))
                             : info->inputs_min;
  const ash_op *op = &c->op;
  if (op->input_count < least ||
      op->input_count > ash_tflite_types_inputs_max(c->rule->types))
    return bad_arity(c, "a wrong number of inputs", op->input_count);
  if (info->outputs ? op->output_count != info->outputs : op->output_count == 0)
    return bad_arity(c, "a wrong number of outputs", op->output_count);
  for (uint32_t i = 0; i < least && !(info->flags & ASH_OP_STATE); i++)
    if (op->inputs[i] == ASH_NO_ID)
      return bad_arity(c, "a required input is absent", i);
  return ASH_OK;
}

static ash_status open_options(ash_tflite_call *c) {
  const ash_fb_table *table = &c->r->ops[c->index].table;
  const uint32_t type = ash_fb_u8(table, OPERATOR_OPTIONS_TYPE, 0);
  c->options = (ash_fb_table){.fb = &c->r->fb};
  if (c->rule->options == 0 || type == 0)
    return ASH_OK;
  if (type != c->rule->options)
    return ash_tflite_bad_options(
        c,
        "the number of the options' table, which belongs to "
        "another operator,",
        type);
  c->options = ash_fb_sub(table, OPERATOR_OPTIONS);
  return ASH_OK;
}

/* The file's place of input i. */
static uint32_t place_of(const ash_tflite_rule *rule, uint32_t i) {
  const char *order = rule->order;
  return order && i < strlen(order) ? (uint32_t)(order[i] - '0') : i;
}

/* The file has handle and value as inputs; the graph has the variable as the
 * output. Their number was checked (tflite_variable.c). */
static void turn_assignment(ash_tflite_call *c, const ash_tflite_op *from) {
  c->op.inputs[0] = c->r->uses[from->inputs[1]].graph;
  c->op.outputs[0] = c->r->uses[from->inputs[0]].graph;
  c->op.input_count = c->op.output_count = 1;
}

/* An order also says how many of the file's inputs are kept. */
static void drop_unlisted(ash_tflite_call *c) {
  const char *order = c->rule->order;
  if (order && c->op.input_count > strlen(order))
    c->op.input_count = (uint32_t)strlen(order);
}

/* EMBEDDING_LOOKUP is a gather with the indices first. */
static void swap_lookup(ash_tflite_call *c) {
  if (c->rule->code != 7 || c->op.input_count != 2)
    return;
  const uint32_t first = c->op.inputs[0];
  c->op.inputs[0] = c->op.inputs[1];
  c->op.inputs[1] = first;
}

static ash_status translate(ash_tflite_call *c) {
  const ash_tflite_op *from = &c->r->ops[c->index];
  ash_zone *scratch = &c->r->ctx->scratch;
  c->op = (ash_op){.kind = c->rule->kind,
                   .source_index = c->index,
                   .input_count = from->input_count,
                   .output_count = from->output_count,
                   .attrs = c->attrs};
  c->op.inputs =
      ASH_NEW_ARRAY(scratch, uint32_t, from->input_count + LSTM_INPUTS);
  c->op.outputs = ASH_NEW_ARRAY(scratch, uint32_t, from->output_count + 1u);
  ASH_TRY(ash_zone_check(c->r->ctx, scratch));
  if (c->rule->kind == ASH_OP_assign_variable) {
    turn_assignment(c, from);
    return ASH_OK;
  }
  for (uint32_t i = 0; i < from->input_count; i++) {
    const uint32_t k = place_of(c->rule, i);
    c->op.inputs[i] = k >= from->input_count || from->inputs[k] == ASH_NO_ID
                          ? ASH_NO_ID
                          : c->r->uses[from->inputs[k]].graph;
  }
  drop_unlisted(c);
  swap_lookup(c);
  while (c->rule->kind == ASH_OP_lstm && c->op.input_count >= 20 &&
         c->op.input_count < LSTM_INPUTS) /* no layer normalisation */
    c->op.inputs[c->op.input_count++] = ASH_NO_ID;
  for (uint32_t i = 0; i < from->output_count; i++)
    c->op.outputs[i] = c->r->uses[from->outputs[i]].graph;
  return ASH_OK;
}

static ash_status check_tensors(const ash_tflite_call *c) {
  const ash_tflite_op *from = &c->r->ops[c->index];
  ASH_TRY(check_arity(c));
  ASH_TRY(check_types(c));
  if (!c->rule->scaled)
    return ASH_OK;
  ASH_TRY(check_quant(c, from->inputs, from->input_count));
  return check_quant(c, from->outputs, from->output_count);
}

enum { FOLDED_MAX = 4096 }; /* bytes */

static ash_status read_op(ash_tflite_call *c) {
  const size_t first = c->r->g->op_count;
  uint32_t ignored;
  ash_tflite_spread_loose(c->r, c->index);
  ASH_TRY(translate(c));
  ASH_TRY(check_tensors(c));
  ASH_TRY(open_options(c));
  if (c->rule->fn)
    ash_tflite_put(c, ASH_STRING_ATTR("fn", c->rule->fn));
  if (c->rule->read)
    ASH_TRY(c->rule->read(c));
  ASH_TRY(ash_fb_check(c->r->ctx, &c->r->fb, c->r->file));
  if (c->r->prefix) {
    c->op.id =
        ash_zone_format(&c->r->ctx->scratch, "%s_%s%u", ash_op_text(&c->op),
                        c->r->prefix, (unsigned)c->index);
    ASH_TRY(ash_zone_check(c->r->ctx, &c->r->ctx->scratch));
  }
  ASH_TRY(ash_graph_add_op(c->r->g, &ignored, c->op));
  if (ash_tflite_is_loose(c))
    ASH_TRY(ash_tflite_infer(c->r, c->index));
  return ash_tflite_fold(c->r, first, FOLDED_MAX);
}

/* DEQUANTIZE of float16 weights: they become float32 here, once. */
static bool is_widening(const ash_tflite *r, const ash_tflite_op *op) {
  if (op->code->builtin != 6 || op->input_count != 1 || op->output_count != 1 ||
      op->inputs[0] == ASH_NO_ID || r->uses[op->inputs[0]].graph == ASH_NO_ID)
    return false;
  const ash_tensor *items = r->g->tensors.items;
  const ash_tensor *in = &items[r->uses[op->inputs[0]].graph];
  const ash_tensor *out = &items[r->uses[op->outputs[0]].graph];
  return in->type == ASH_FLOAT16 && in->data && out->type == ASH_FLOAT32 &&
         ash_shape_equal(&in->shape, &out->shape);
}

uint32_t ash_tflite_widen_half(uint32_t half) {
  const uint32_t sign = (half & 0x8000) << 16;
  uint32_t exponent = half >> 10 & 31, part = half & 1023;
  if (exponent == 31)
    return sign | 0x7f800000 | part << 13;
  if (exponent == 0) {
    if (part == 0)
      return sign;
    for (exponent = 1; !(part & 1024); exponent--)
      part <<= 1;
    part &= 1023;
  }
  return sign | (exponent + 112) << 23 | part << 13;
}

static ash_status widen(ash_tflite *r, const ash_tflite_op *op) {
  const ash_tensor *in = &r->g->tensors.items[r->uses[op->inputs[0]].graph];
  ash_tensor *out = &r->g->tensors.items[r->uses[op->outputs[0]].graph];
  uint8_t *bytes = ASH_NEW_ARRAY(&r->g->zone, uint8_t, (size_t)out->bytes + 1);
  ASH_TRY(ash_zone_check(r->ctx, &r->g->zone));
  const uint8_t *from = in->data;
  for (uint64_t i = 0; i < in->bytes / 2; i++) {
    const uint32_t low = from[2 * i], high = from[2 * i + 1];
    const uint32_t bits = ash_tflite_widen_half(low | high << 8);
    for (uint32_t k = 0; k < 4; k++)
      bytes[4 * i + k] = (uint8_t)(bits >> (8 * k));
  }
  out->data = bytes;
  out->kind = ASH_TENSOR_CONSTANT;
  return ASH_OK;
}

/* DENSIFY: the constant was unpacked when it was read. */
static ash_status add_densified(ash_tflite *r, uint32_t index) {
  const ash_tflite_op *op = &r->ops[index];
  if (op->input_count != 1 || op->output_count != 1 ||
      op->inputs[0] == ASH_NO_ID)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_op_arity,
                    ash_tflite_at_op(r, index), "not one input and one output");
  const ash_tensor *in = &r->g->tensors.items[r->uses[op->inputs[0]].graph];
  ash_tensor *out = &r->g->tensors.items[r->uses[op->outputs[0]].graph];
  if (!in->data || in->kind != ASH_TENSOR_CONSTANT || in->type != out->type)
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                    ash_tflite_at_op(r, index),
                    "only constants of one type can be made dense");
  out->shape = in->shape;
  out->bytes = in->bytes;
  out->data = in->data;
  out->kind = ASH_TENSOR_CONSTANT;
  return ASH_OK;
}

ash_status ash_tflite_add_op(ash_tflite *r, uint32_t op) {
  const ash_tflite_code *code = r->ops[op].code;
  if (is_widening(r, &r->ops[op]))
    return widen(r, &r->ops[op]);
  if (code->builtin == DENSIFY)
    return add_densified(r, op);
  if (ash_tflite_is_made(code) && !is_supplied(r, code->custom))
    return ash_tflite_add_made(r, op);
  ash_tflite_call c = {
      .r = r, .rule = find_rule(r->ops[op].code->builtin), .index = op};
  const ash_mark mark = ash_zone_mark(&r->ctx->scratch);
  const ash_status status = read_op(&c);
  ash_zone_rewind(&r->ctx->scratch, mark);
  return status;
}
