/* cmd_inspect.c - ashlar inspect MODEL: operators, tensors, sizes, work. */
#include "commands.h"
#include "session.h"

#include <inttypes.h>
#include <string.h>

static void print_type(const ash_tensor *t) {
  printf("%s[", ash_type_text(t->type));
  for (uint32_t i = 0; i < t->shape.rank; i++)
    printf("%s%" PRId32, i ? "," : "", t->shape.dim[i]);
  printf("]");
}

static void print_end(const char *what, const ash_tensor *t) {
  printf("  %-7s '%s' ", what, t->name);
  print_type(t);
  if (t->quant.count == 1)
    printf(" scale %.9g zero %" PRId32, (double)t->quant.scale[0],
           t->quant.zero_point[0]);
  printf("\n");
}

static void print_op(const ash_graph *g, uint32_t i) {
  const ash_op *op = ash_graph_op(g, i);
  printf("  %4" PRIu32 "  %-20s %12" PRIu64 "  ", op->source_index,
         ash_op_kind_text(op->kind), ash_op_macs(g, i));
  bool first = true;
  for (uint32_t k = 0; k < op->input_count; k++) {
    if (op->inputs[k] == ASH_NO_ID)
      continue;
    const ash_tensor *t = ash_graph_tensor(g, op->inputs[k]);
    if (t->kind == ASH_TENSOR_CONSTANT)
      continue;
    printf("%s", first ? "" : ", ");
    print_type(t);
    first = false;
  }
  printf(" -> ");
  for (uint32_t k = 0; k < op->output_count; k++)
    print_type(ash_graph_tensor(g, op->outputs[k]));
  printf("\n");
}

static void print_totals(const ash_graph *g) {
  uint64_t constants = 0, activations = 0, macs = 0;
  for (uint32_t i = 0; i < ash_graph_tensor_count(g); i++) {
    const ash_tensor *t = ash_graph_tensor(g, i);
    *(t->kind == ASH_TENSOR_CONSTANT ? &constants : &activations) += t->bytes;
  }
  for (uint32_t i = 0; i < ash_graph_op_count(g); i++)
    macs += ash_op_macs(g, i);
  printf("%zu operators, %" PRIu64 " multiply-accumulates, %" PRIu64
         " bytes of constants, %" PRIu64 " bytes of activations in all\n",
         ash_graph_op_count(g), macs, constants, activations);
}

static void print_model(const ash_graph *g) {
  printf("%s\n", ash_graph_name(g));
  for (size_t i = 0; i < ash_graph_input_count(g); i++)
    print_end("input", ash_graph_tensor(g, ash_graph_input(g, i)));
  for (size_t i = 0; i < ash_graph_output_count(g); i++)
    print_end("output", ash_graph_tensor(g, ash_graph_output(g, i)));
  printf("\n  %4s  %-20s %12s  %s\n", "op", "kind", "MACs", "tensors");
  for (uint32_t i = 0; i < ash_graph_op_count(g); i++)
    print_op(g, i);
  print_totals(g);
}

int cmd_inspect(int argc, char **argv) {
  session s = {0};
  bool text = false;
  arg_list models;
  const arg_option options[] = {
      {"text", 0, ARG_FLAG, &text, NULL,
       "print the whole model in the textual form (docs/ir.md)"},
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
  ash_status status = ash_load_model(s.ctx, &g, models.items[0]);
  if (status == ASH_OK && text) {
    const char *bytes;
    size_t count;
    status = ash_graph_dump(s.ctx, &bytes, &count, g);
    if (status == ASH_OK)
      status = write_text(&s, "-", bytes, count);
  } else if (status == ASH_OK) {
    print_model(g);
  }
  ash_graph_free(g);
  return session_close(&s, status);
}
