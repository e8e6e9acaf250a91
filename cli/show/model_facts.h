/* model_facts.h - what a model is, in a few lines. */
#ifndef CLI_MODEL_FACTS_H
#define CLI_MODEL_FACTS_H

#include "ashlar/graph.h"

/* "int8[1,8,8,16]" */
void print_tensor_type(const ash_tensor *t);
typedef struct model_totals {
  uint64_t operators, macs, constants, activations;
} model_totals;

model_totals model_totals_of(const ash_graph *g);
/* The model's name, its inputs and its outputs, a line each. */
void print_model_ends(const ash_graph *g);
/* Operators, work, bytes of constants and activations. */
void print_model_totals(const ash_graph *g);

#endif
