/* model_facts.c - see model_facts.h. */
#include "show/model_facts.h"

#include <inttypes.h>
#include <stdio.h>

void print_tensor_type(const ash_tensor *t) {
  printf("%s[", ash_type_text(t->type));
  for (uint32_t i = 0; i < t->shape.rank; i++)
    printf("%s%" PRId32, i ? "," : "", t->shape.dim[i]);
  printf("]");
}

static void print_end(const char *what, const ash_tensor *t) {
  printf("  %-7s '%s' ", what, t->name);
  print_tensor_type(t);
  if (t->quant.count == 1)
    printf(" scale %.9g zero %" PRId32, (double)t->quant.scale[0],
           t->quant.zero_point[0]);
  printf("\n");
}

void print_model_ends(const ash_graph *g) {
  printf("%s\n", ash_graph_name(g));
  for (size_t i = 0; i < ash_graph_input_count(g); i++)
    print_end("input", ash_graph_tensor(g, ash_graph_input(g, i)));
  for (size_t i = 0; i < ash_graph_output_count(g); i++)
    print_end("output", ash_graph_tensor(g, ash_graph_output(g, i)));
}

void print_model_totals(const ash_graph *g) {
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
