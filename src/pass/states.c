/* states.c - applies --state OUTPUT=INPUT: what a run gives out is what the
 * next one takes in, so neither is the caller's any more.
 *
 *   input past, output present  ->  past = read_variable(v) at the start,
 *                                   v = assign_variable(present) at the end
 *
 * The planner keeps both where the variable lies when it can
 * (plan/share/alias_state.c): a row that is scattered into a cache is all that
 * is written. */
#include "pass/states.h"

#include "op/verify.h"

#include <string.h>

typedef struct binding {
  ash_ctx *ctx;
  ash_graph *g;
  const char *text; /* the option */
} binding;

static ash_status refuse(const binding *b, const char *why) {
  const ash_status status =
      ash_fail(b->ctx, ASH_MISUSE, ASH_D_state, ASH_NOWHERE,
               "--state %.200s: %s", b->text, why);
  ash_hint(b->ctx, "--state OUTPUT=INPUT, with names that 'ashlar inspect' "
                   "prints; a * in both stands for the same text");
  return status;
}

static const ash_tensor *input_at(const binding *b, size_t i) {
  return &b->g->tensors.items[b->g->inputs[i]];
}

static const ash_tensor *output_at(const binding *b, size_t i) {
  return &b->g->tensors.items[b->g->outputs[i]];
}

/* Does a name fit a pattern of `count` characters? `star` is what its * stands
 * for, of `*length` characters; no * stands for nothing. */
static bool fits(const char *pattern, size_t count, const char *name,
                 const char **star, size_t *length) {
  const char *at = memchr(pattern, '*', count);
  const size_t n = strlen(name), head = at ? (size_t)(at - pattern) : count;
  const size_t tail = at ? count - head - 1 : 0;
  *star = name + head;
  *length = at && n >= head + tail ? n - head - tail : 0;
  return n == head + *length + tail && strncmp(name, pattern, head) == 0 &&
         (!at || memcmp(name + n - tail, at + 1, tail) == 0);
}

/* The input that goes with an output whose * stands for that text. */
static size_t find_input(const binding *b, const char *pattern,
                         const char *text, size_t count) {
  size_t i = 0, length;
  const char *star;
  while (
      i < b->g->input_count &&
      !(fits(pattern, strlen(pattern), input_at(b, i)->name, &star, &length) &&
        length == count && strncmp(star, text, count) == 0))
    i++;
  return i;
}

static bool same_quant(const ash_quant *a, const ash_quant *b) {
  return a->count == b->count && (a->count < 2 || a->axis == b->axis) &&
         memcmp(a->scale, b->scale, a->count * sizeof *a->scale) == 0 &&
         memcmp(a->zero_point, b->zero_point,
                a->count * sizeof *a->zero_point) == 0;
}

static ash_status check_pair(const binding *b, const ash_tensor *from,
                             const ash_tensor *to) {
  char here[ASH_SHAPE_TEXT], there[ASH_SHAPE_TEXT];
  const char *why =
      from->type != to->type ? "output and input have different types"
      : from->quant.count != to->quant.count ||
              (from->quant.count && !same_quant(&from->quant, &to->quant))
          ? "output and input have different scales"
          : NULL;
  if (why)
    return refuse(b, why);
  if (ash_shape_equal(&from->shape, &to->shape))
    return ASH_OK;
  const ash_status status =
      ash_fail(b->ctx, ASH_UNSUPPORTED, ASH_D_state, ASH_NOWHERE,
               "--state %.200s: output '%.100s' is %s and input '%.100s' is %s",
               b->text, from->name, ash_shape_text(here, &from->shape),
               to->name, ash_shape_text(there, &to->shape));
  ash_hint(b->ctx, "a state keeps its size: export a decoder with a cache of "
                   "fixed length that is written at a position");
  return status;
}

/* Zero is what the zero point means. */
static ash_status first_value(const binding *b, ash_tensor *t) {
  const int32_t zero = ash_quant_zero(t);
  t->data = NULL;
  t->file_byte = UINT64_MAX;
  if (zero == 0 || ash_type_bits(t->type) != 8)
    return ASH_OK;
  uint8_t *data = ASH_NEW_ARRAY(&b->g->zone, uint8_t, t->bytes);
  ASH_TRY(ash_zone_check(b->ctx, &b->g->zone));
  memset(data, (uint8_t)zero, t->bytes);
  t->data = data;
  return ASH_OK;
}

static ash_status add_op(const binding *b, ash_op_kind kind, uint32_t from,
                         uint32_t to, uint32_t *out) {
  ash_graph *g = b->g;
  const bool first = kind == ASH_OP_read_variable;
  const uint32_t last =
      g->op_count ? g->ops.items[g->op_count - 1].source_index : 0;
  const char *id =
      ash_zone_format(&g->zone, "state_%s_%u", first ? "read" : "assign",
                      (unsigned)(first ? from : to));
  ASH_TRY(ash_zone_check(b->ctx, &g->zone));
  return ash_graph_add_op(g, out,
                          (ash_op){.kind = kind,
                                   .id = id,
                                   .source_index = first ? 0 : last,
                                   .input_count = 1,
                                   .inputs = &from,
                                   .output_count = 1,
                                   .outputs = &to});
}

static void take_out(uint32_t *ids, size_t *count, size_t at) {
  ASH_ASSERT(at < *count);
  memmove(ids + at, ids + at + 1, (*count - at - 1) * sizeof *ids);
  --*count;
}

static ash_status bind(const binding *b, size_t output, size_t input) {
  ash_graph *g = b->g;
  const uint32_t from = g->outputs[output], to = g->inputs[input];
  uint32_t variable, read, assign;
  ash_tensor t = g->tensors.items[to];
  t.kind = ASH_TENSOR_VARIABLE;
  t.is_output = false;
  t.id = ash_zone_format(&g->zone, "%s_state", t.id);
  ASH_TRY(ash_zone_check(b->ctx, &g->zone));
  ASH_TRY(first_value(b, &t));
  ASH_TRY(ash_graph_add_tensor(g, &variable, t));
  ASH_TRY(add_op(b, ASH_OP_read_variable, variable, to, &read));
  const ash_op op = g->ops.items[read];
  memmove(g->ops.items + 1, g->ops.items, read * sizeof op);
  g->ops.items[0] = op;
  ASH_TRY(add_op(b, ASH_OP_assign_variable, from, variable, &assign));
  g->tensors.items[to].kind = ASH_TENSOR_ACTIVATION;
  take_out(g->inputs, &g->input_count, input);
  take_out(g->outputs, &g->output_count, output);
  g->tensors.items[from].is_output = false;
  for (size_t i = 0; i < g->output_count; i++)
    g->tensors.items[g->outputs[i]].is_output = true;
  return ASH_OK;
}

/* The outputs that fit the first `count` characters, each with its input. */
static ash_status bind_all(const binding *b, size_t count, uint32_t *bound) {
  const char *pattern = b->text + count + 1, *star;
  size_t length;
  for (size_t i = b->g->output_count; i-- > 0;) {
    if (!fits(b->text, count, output_at(b, i)->name, &star, &length))
      continue;
    const size_t k = find_input(b, pattern, star, length);
    if (k == b->g->input_count)
      continue;
    if (b->g->output_count == 1)
      return refuse(b, "a model needs an output that is not a state");
    ASH_TRY(check_pair(b, output_at(b, i), input_at(b, k)));
    ASH_TRY(bind(b, i, k));
    ++*bound;
  }
  return ASH_OK;
}

/* Names may have a = of their own. */
static ash_status apply(const binding *b) {
  uint32_t bound = 0;
  for (const char *sign = strchr(b->text, '='); sign && !bound;
       sign = strchr(sign + 1, '='))
    ASH_TRY(bind_all(b, (size_t)(sign - b->text), &bound));
  return bound ? ASH_OK
               : refuse(b, "no output and input have such names, or one of "
                           "them is a state already");
}

ash_status ash_pass_states(ash_ctx *ctx, ash_graph *g,
                           const ash_load_options *options) {
  if (options->state_count == 0)
    return ASH_OK;
  for (size_t i = 0; i < options->state_count; i++) {
    const binding b = {ctx, g, options->states[i]};
    ASH_TRY(apply(&b));
  }
  return ash_op_verify(ctx, g);
}
