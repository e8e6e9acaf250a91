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

model_totals model_totals_of(const ash_graph *g) {
  model_totals all = {.operators = ash_graph_op_count(g)};
  for (uint32_t i = 0; i < ash_graph_tensor_count(g); i++) {
    const ash_tensor *t = ash_graph_tensor(g, i);
    *(t->kind == ASH_TENSOR_CONSTANT ? &all.constants : &all.activations) +=
        t->bytes;
  }
  for (uint32_t i = 0; i < ash_graph_op_count(g); i++)
    all.macs += ash_op_macs(g, i);
  return all;
}

void print_model_totals(const ash_graph *g) {
  const model_totals all = model_totals_of(g);
  printf("%" PRIu64 " operators, %" PRIu64 " multiply-accumulates, %" PRIu64
         " bytes of constants, %" PRIu64 " bytes of activations in all\n",
         all.operators, all.macs, all.constants, all.activations);
}
