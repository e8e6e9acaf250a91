/* input_types.c - inputs of which the user says what they hold: the model's
 * float32 input takes int8, and a cast gives its readers what they had. */
#include "read/input_types.h"

#include "graph/verify.h"

#include <string.h>

static ash_status refuse(ash_ctx *ctx, const char *text, const char *why) {
  const ash_status status =
      ash_fail(ctx, ASH_MISUSE, ASH_D_input_type, ASH_NOWHERE,
               "--input-type %.100s: %s", text, why);
  ash_hint(ctx, "--input-type NAME=int8, or uint8, int16, int32; without a "
                "name it is for all float inputs");
  return status;
}

static ash_type find_type(const char *text) {
  static const ash_type types[] = {ASH_INT8, ASH_UINT8, ASH_INT16, ASH_INT32};
  for (size_t i = 0; i < ASH_COUNT_OF(types); i++)
    if (strcmp(text, ash_type_text(types[i])) == 0)
      return types[i];
  return ASH_NONE;
}

/* The cast comes first of all operators. */
static ash_status put_first(ash_graph *g, uint32_t from, uint32_t to) {
  uint32_t index;
  ash_attr fn = ASH_STRING_ATTR("fn", "cast");
  const char *id = ash_zone_format(&g->zone, "input_cast_%u", (unsigned)to);
  ASH_TRY(ash_zone_check(g->ctx, &g->zone));
  ASH_TRY(ash_graph_add_op(g, &index,
                           (ash_op){.kind = ASH_OP_map,
                                    .id = id,
                                    .input_count = 1,
                                    .inputs = &from,
                                    .output_count = 1,
                                    .outputs = &to,
                                    .attr_count = 1,
                                    .attrs = &fn}));
  const ash_op cast = g->ops.items[index];
  memmove(g->ops.items + 1, g->ops.items, index * sizeof *g->ops.items);
  g->ops.items[0] = cast;
  return ASH_OK;
}

static ash_status declare(ash_graph *g, size_t input, ash_type type) {
  const uint32_t old = g->inputs[input];
  uint32_t made;
  ash_tensor t = g->tensors.items[old];
  if (t.type == type)
    return ASH_OK;
  t.type = type;
  t.quant = (ash_quant){0};
  t.is_output = false;
  t.id = ash_zone_format(&g->zone, "%s_%s", t.id, ash_type_text(type));
  ASH_TRY(ash_zone_check(g->ctx, &g->zone));
  ASH_TRY(ash_graph_add_tensor(g, &made, t));
  g->tensors.items[old].kind = ASH_TENSOR_ACTIVATION;
  g->inputs[input] = made;
  return put_first(g, made, old);
}

static bool is_named(const ash_graph *g, size_t input, const char *name,
                     size_t count) {
  const char *own = g->tensors.items[g->inputs[input]].name;
  return strlen(own) == count && strncmp(own, name, count) == 0;
}

/* Integers may be narrowed, too, where they are named. */
static bool takes(const ash_tensor *t, ash_type type, bool named) {
  if (t->quant.count)
    return false;
  return t->type == ASH_FLOAT32 || t->type == type ||
         (named && (t->type == ASH_INT64 || t->type == ASH_INT32) &&
          ash_type_bits(type) < ash_type_bits(t->type));
}

/* One option: "NAME=int8", or "int8". Names may have a = of their own. */
static ash_status apply(ash_ctx *ctx, ash_graph *g, const char *text) {
  const char *sign = strrchr(text, '=');
  const ash_type type = find_type(sign ? sign + 1 : text);
  bool found = !sign;
  if (type == ASH_NONE)
    return refuse(ctx, text, "no such type of whole numbers");
  for (size_t i = 0; i < g->input_count; i++) {
    const ash_tensor *t = &g->tensors.items[g->inputs[i]];
    if (sign && !is_named(g, i, text, (size_t)(sign - text)))
      continue;
    found = true;
    if (takes(t, type, sign != NULL))
      ASH_TRY(declare(g, i, type));
    else if (sign)
      return refuse(ctx, text, "the input has another type");
  }
  return found ? ASH_OK : refuse(ctx, text, "no input has that name");
}

ash_status ash_read_input_types(ash_ctx *ctx, ash_graph *g,
                                const ash_load_options *options) {
  if (!options || options->input_type_count == 0)
    return ASH_OK;
  for (size_t i = 0; i < options->input_type_count; i++)
    ASH_TRY(apply(ctx, g, options->input_types[i]));
  return ash_graph_verify(ctx, g);
}
