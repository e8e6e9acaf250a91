/* lower_tables.h - tables that stand for functions of one int8 value. */
#ifndef ASH_PASS_LOWER_TABLES_H
#define ASH_PASS_LOWER_TABLES_H

#include "graph/graph.h"

/* out[x + 128] = the op's result for the int8 value x: relu, relu6,
 * relu_n1_to_1, logistic, tanh. */
ash_status ash_table_of_unary(ash_ctx *ctx, int8_t out[256], const ash_graph *g,
                              uint32_t op);

/* The same of any operator, for int8 from -128 and for uint8 from 0 on, by the
 * reference interpreter (table_by_reference.c). */
ash_status ash_table_by_reference(ash_ctx *ctx, uint8_t out[256],
                                  const ash_graph *g, uint32_t op);

/* Of an operator on int16: its results from -32768 on in steps of 128; the last
 * entry ends the last step. */
ash_status ash_table16_by_reference(ash_ctx *ctx, int16_t out[513],
                                    const ash_graph *g, uint32_t op);

/* out[d] = exp(-d * scale * beta) in Q0.31, 0 where TensorFlow Lite leaves
 * the element out of the sum. */
ash_status ash_table_of_softmax(ash_ctx *ctx, int32_t out[256],
                                const ash_graph *g, uint32_t op, double scale);

#endif
