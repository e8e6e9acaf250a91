/* cmd_inspect.c - ashlar inspect MODEL: operators, tensors, sizes, work. */
#include "commands.h"
#include "session.h"
#include "show/json_out.h"
#include "show/model_facts.h"

#include <inttypes.h>
#include <string.h>

static void print_op(const ash_graph *g, uint32_t i) {
  const ash_op *op = ash_graph_op(g, i);
  printf("  %4" PRIu32 "  %-20s %12" PRIu64 "  ", op->source_index,
         ash_op_text(op), ash_op_macs(g, i));
  bool first = true;
  for (uint32_t k = 0; k < op->input_count; k++) {
    if (op->inputs[k] == ASH_NO_ID)
      continue;
    const ash_tensor *t = ash_graph_tensor(g, op->inputs[k]);
    if (t->kind == ASH_TENSOR_CONSTANT)
      continue;
    printf("%s", first ? "" : ", ");
    print_tensor_type(t);
    first = false;
  }
  printf(" -> ");
  for (uint32_t k = 0; k < op->output_count; k++)
    print_tensor_type(ash_graph_tensor(g, op->outputs[k]));
  printf("\n");
}

static void print_model(const ash_graph *g) {
  print_model_ends(g);
  printf("\n  %4s  %-20s %12s  %s\n", "op", "kind", "MACs", "tensors");
  for (uint32_t i = 0; i < ash_graph_op_count(g); i++)
    print_op(g, i);
  print_model_totals(g);
}

/* ---- for programs ------------------------------------------------------- */

static void put_tensor_json(const ash_tensor *t) {
  bool first = true;
  printf("{");
  json_key_text(stdout, &first, "id", t->id);
  json_key_text(stdout, &first, "name", t->name);
  json_key_text(stdout, &first, "type", ash_type_text(t->type));
  json_key(stdout, &first, "shape");
  printf("[");
  for (uint32_t i = 0; i < t->shape.rank; i++)
    printf("%s%" PRId32, i ? ", " : "", t->shape.dim[i]);
  printf("]");
  json_key_uint(stdout, &first, "bytes", t->bytes);
  json_key_bool(stdout, &first, "constant", t->kind == ASH_TENSOR_CONSTANT);
  printf("}");
}

static void put_ids(const ash_graph *g, const char *key, const uint32_t *ids,
                    size_t count) {
  const char *comma = "";
  printf(", \"%s\": [", key);
  for (size_t i = 0; i < count; i++) {
    if (ids[i] == ASH_NO_ID)
      continue;
    printf("%s", comma);
    json_text(stdout, ash_graph_tensor(g, ids[i])->id);
    comma = ", ";
  }
  printf("]");
}

static void put_ends(const ash_graph *g, const char *key, bool inputs) {
  const size_t n =
      inputs ? ash_graph_input_count(g) : ash_graph_output_count(g);
  printf("  \"%s\": [", key);
  for (size_t i = 0; i < n; i++) {
    const uint32_t t = inputs ? ash_graph_input(g, i) : ash_graph_output(g, i);
    printf("%s", i ? ", " : "");
    json_text(stdout, ash_graph_tensor(g, t)->id);
  }
  printf("],\n");
}

static void print_json(const ash_graph *g) {
  printf("{\n  \"model\": ");
  json_text(stdout, ash_graph_name(g));
  printf(",\n");
  put_ends(g, "inputs", true);
  put_ends(g, "outputs", false);
  printf("  \"tensors\": [");
  for (uint32_t i = 0; i < ash_graph_tensor_count(g); i++) {
    printf("%s\n    ", i ? "," : "");
    put_tensor_json(ash_graph_tensor(g, i));
  }
  printf("],\n  \"ops\": [");
  for (uint32_t i = 0; i < ash_graph_op_count(g); i++) {
    const ash_op *op = ash_graph_op(g, i);
    bool first = true;
    printf("%s\n    {", i ? "," : "");
    json_key_text(stdout, &first, "id", op->id);
    json_key_text(stdout, &first, "kind", ash_op_text(op));
    json_key_uint(stdout, &first, "macs", ash_op_macs(g, i));
    put_ids(g, "inputs", op->inputs, op->input_count);
    put_ids(g, "outputs", op->outputs, op->output_count);
    printf("}");
  }
  printf("]\n}\n");
}

/* ---- a drawing ---------------------------------------------------------- */

/* Between quotes of the DOT language; the first of the names of fused ones. */
static void put_dot_text(const char *text) {
  for (; *text && *text != ';'; text++)
    if (*text == '"' || *text == '\\')
      printf("\\%c", *text);
    else
      putchar((unsigned char)*text < ' ' ? '?' : *text);
}

static void put_dot_edges(const ash_graph *g, uint32_t index) {
  const ash_op *op = ash_graph_op(g, index);
  for (uint32_t k = 0; k < op->input_count; k++) {
    if (op->inputs[k] == ASH_NO_ID ||
        ash_graph_tensor(g, op->inputs[k])->kind == ASH_TENSOR_CONSTANT)
      continue;
    printf("  t%" PRIu32 " -> o%" PRIu32 ";\n", op->inputs[k], index);
  }
  for (uint32_t k = 0; k < op->output_count; k++)
    printf("  o%" PRIu32 " -> t%" PRIu32 ";\n", index, op->outputs[k]);
}

/* Operators are boxes, tensors ellipses with the model's own names; constants
 * are left out. */
static void print_dot(const ash_graph *g) {
  printf("digraph model {\n  rankdir = TB;\n  node [fontname = \"sans-serif\", "
         "fontsize = 10];\n");
  for (uint32_t i = 0; i < ash_graph_tensor_count(g); i++) {
    const ash_tensor *t = ash_graph_tensor(g, i);
    if (t->kind == ASH_TENSOR_CONSTANT)
      continue;
    printf("  t%" PRIu32 " [label = \"", i);
    put_dot_text(t->name);
    printf("\\n");
    print_tensor_type(t);
    printf(" %" PRIu64 " B\"%s];\n", t->bytes,
           t->kind == ASH_TENSOR_INPUT || t->is_output ? ", peripheries = 2"
                                                       : "");
  }
  for (uint32_t i = 0; i < ash_graph_op_count(g); i++) {
    const ash_op *op = ash_graph_op(g, i);
    printf("  o%" PRIu32 " [shape = box, style = filled, fillcolor = "
           "\"#c4dbf2\", label = \"%s\\n%" PRIu64 " MACs\"];\n",
           i, op->id, ash_op_macs(g, i));
    put_dot_edges(g, i);
  }
  printf("}\n");
}

static ash_status print_text(session *s, const ash_graph *g) {
  const char *bytes;
  size_t count;
  const ash_status status = ash_graph_dump(s->ctx, &bytes, &count, g);
  return status == ASH_OK ? write_text(s, "-", bytes, count) : status;
}

int cmd_inspect(int argc, char **argv) {
  session s = {0};
  bool text = false, json = false, dot = false;
  arg_list models;
  const arg_option options[] = {
      {"text", 0, ARG_FLAG, &text, NULL,
       "print the whole model in the textual form (docs/ir.md)"},
      {"dot", 0, ARG_FLAG, &dot, NULL, "draw it for Graphviz"},
      {"json", 0, ARG_FLAG, &json, NULL, "print it as JSON"},
      LOAD_OPTIONS(&s),
      CUSTOM_OPTION(&s),
      OUTPUT_OPTIONS(&s),
      {0}};
  const command *cmd = find_command("inspect");
  int code = args_parse(cmd, argc, argv, options, &models);
  if (code < 0 && models.count != 1)
    code = usage_error(cmd, "one model file is needed");
  if (code < 0)
    code = session_open(&s, cmd);
  if (code >= 0)
    return code;
  ash_graph *g;
  ash_status status =
      ash_load_model_with(s.ctx, &g, models.items[0], &s.options.load);
  if (status == ASH_OK && text)
    status = print_text(&s, g);
  else if (status == ASH_OK && (json || dot))
    json ? print_json(g) : print_dot(g);
  else if (status == ASH_OK && !s.quiet)
    print_model(g);
  ash_graph_free(g);
  return session_close(&s, status);
}
