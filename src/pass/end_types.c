/* end_types.c - applies --input-type and --output-type: inserts casts at the
 * ends of the graph. A float32 input becomes int8, and a cast gives its readers
 * what they had; a cast of a float32 output gives int8. */
#include "pass/end_types.h"

#include "op/verify.h"

#include <string.h>

/* The inputs or the outputs of a graph. */
typedef struct ends {
  ash_ctx *ctx;
  ash_graph *g;
  bool inputs;
} ends;

static ash_status refuse(const ends *e, const char *text, const char *why) {
  const char *which = e->inputs ? "input" : "output";
  const ash_status status =
      ash_fail(e->ctx, ASH_MISUSE, ASH_D_end_type, ASH_NOWHERE,
               "--%s-type %.100s: %s", which, text, why);
  ash_hint(e->ctx,
           "--%s-type NAME=int8, or uint8, int16, int32; without a name it is "
           "for all float %ss",
           which, which);
  return status;
}

static ash_type find_type(const char *text) {
  static const ash_type types[] = {ASH_INT8, ASH_UINT8, ASH_INT16, ASH_INT32};
  for (size_t i = 0; i < ASH_COUNT_OF(types); i++)
    if (strcmp(text, ash_type_text(types[i])) == 0)
      return types[i];
  return ASH_NONE;
}

/* The cast of an input comes first of all operators, that of an output last. */
static ash_status put_cast(const ends *e, uint32_t from, uint32_t to) {
  ash_graph *g = e->g;
  uint32_t index;
  ash_attr fn = ASH_STRING_ATTR("fn", "cast");
  const uint32_t last =
      g->op_count ? g->ops.items[g->op_count - 1].source_index : 0;
  const char *id =
      ash_zone_format(&g->zone, "%s_cast_%u", e->inputs ? "input" : "output",
                      (unsigned)(e->inputs ? to : from));
  ASH_TRY(ash_zone_check(g->ctx, &g->zone));
  ASH_TRY(ash_graph_add_op(g, &index,
                           (ash_op){.kind = ASH_OP_map,
                                    .id = id,
                                    .source_index = e->inputs ? 0 : last,
                                    .input_count = 1,
                                    .inputs = &from,
                                    .output_count = 1,
                                    .outputs = &to,
                                    .attr_count = 1,
                                    .attrs = &fn}));
  if (!e->inputs)
    return ASH_OK;
  const ash_op cast = g->ops.items[index];
  memmove(g->ops.items + 1, g->ops.items, index * sizeof *g->ops.items);
  g->ops.items[0] = cast;
  return ASH_OK;
}

static ash_status declare(const ends *e, size_t end, ash_type type) {
  ash_graph *g = e->g;
  uint32_t *ids = e->inputs ? g->inputs : g->outputs, made;
  const uint32_t old = ids[end];
  ash_tensor t = g->tensors.items[old];
  if (t.type == type)
    return ASH_OK;
  t.type = type;
  t.quant = (ash_quant){0};
  t.is_output = !e->inputs;
  t.kind = e->inputs ? ASH_TENSOR_INPUT : ASH_TENSOR_ACTIVATION;
  t.data = NULL;
  t.id = ash_zone_format(&g->zone, "%s_%s%s", t.id, ash_type_text(type),
                         e->inputs ? "" : "_out");
  ASH_TRY(ash_zone_check(g->ctx, &g->zone));
  ASH_TRY(ash_graph_add_tensor(g, &made, t));
  if (e->inputs)
    g->tensors.items[old].kind = ASH_TENSOR_ACTIVATION;
  else
    g->tensors.items[old].is_output = false;
  ids[end] = made;
  for (size_t i = 0; !e->inputs && i < g->output_count; i++)
    g->tensors.items[g->outputs[i]].is_output = true;
  return e->inputs ? put_cast(e, made, old) : put_cast(e, old, made);
}

/* Integers may be narrowed, too, where they are named. */
static bool takes(const ash_tensor *t, ash_type type, bool named) {
  if (t->quant.count)
    return false;
  return t->type == ASH_FLOAT32 || t->type == type ||
         (named && (t->type == ASH_INT64 || t->type == ASH_INT32) &&
          ash_type_bits(type) < ash_type_bits(t->type));
}

static bool is_named(const ash_tensor *t, const char *name, size_t count) {
  return strlen(t->name) == count && strncmp(t->name, name, count) == 0;
}

/* One option: "NAME=int8", or "int8". Names may have a = of their own. */
static ash_status apply(const ends *e, const char *text) {
  const ash_graph *g = e->g;
  const char *sign = strrchr(text, '=');
  const ash_type type = find_type(sign ? sign + 1 : text);
  const size_t count = e->inputs ? g->input_count : g->output_count;
  bool found = !sign;
  if (type == ASH_NONE)
    return refuse(e, text, "no such integer type");
  for (size_t i = 0; i < count; i++) {
    const ash_tensor *t =
        &g->tensors.items[e->inputs ? g->inputs[i] : g->outputs[i]];
    if (sign && !is_named(t, text, (size_t)(sign - text)))
      continue;
    found = true;
    if (takes(t, type, sign != NULL))
      ASH_TRY(declare(e, i, type));
    else if (sign)
      return refuse(e, text, "it has another type");
  }
  return found ? ASH_OK : refuse(e, text, "none has that name");
}

ash_status ash_pass_end_types(ash_ctx *ctx, ash_graph *g,
                              const ash_load_options *options) {
  const ends in = {ctx, g, true}, out = {ctx, g, false};
  if (options->input_type_count + options->output_type_count == 0)
    return ASH_OK;
  for (size_t i = 0; i < options->input_type_count; i++)
    ASH_TRY(apply(&in, options->input_types[i]));
  for (size_t i = 0; i < options->output_type_count; i++)
    ASH_TRY(apply(&out, options->output_types[i]));
  return ash_op_verify(ctx, g);
}
