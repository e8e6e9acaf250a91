/* lower_append.h - how lowering adds constants to an operator. Private to
 * lower*.c and pack*.c. */
#ifndef ASH_PASS_LOWER_APPEND_H
#define ASH_PASS_LOWER_APPEND_H

#include "graph/graph.h"

/* Little-endian, as model files are. */
void ash_lower_put_int(uint8_t *to, int64_t value, uint32_t bytes);

/* Appends a constant of `count` elements to the op's inputs. `bytes` lives in
 * the graph's zone. */
ash_status ash_lower_append(ash_graph *g, uint32_t op, const char *suffix,
                            ash_type type, uint32_t count,
                            const uint8_t *bytes);

/* Tables of resize_bilinear and resize_nearest_neighbor (lower_resize.c). */
ash_status ash_lower_resize(ash_ctx *ctx, ash_graph *g, uint32_t op);

/* Cosines and sines (lower_fourier.c). */
ash_status ash_lower_rfft2d(ash_ctx *ctx, ash_graph *g, uint32_t op);
ash_status ash_lower_fixed_rfft(ash_ctx *ctx, ash_graph *g, uint32_t op);

/* Tables of logistic, tanh and softmax in int16 (lower_int16.c). */
ash_status ash_lower_curve(ash_ctx *ctx, ash_graph *g, uint32_t op);
ash_status ash_lower_softmax_s16(ash_ctx *ctx, ash_graph *g, uint32_t op);

#endif
