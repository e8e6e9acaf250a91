/* layer.h - what loops of layers share, element by element (loop_layer.c) and
 * in blocks (loop_layer_blocks.c). */
#ifndef ASH_EMIT_LAYER_H
#define ASH_EMIT_LAYER_H

#include "emit/loop/loop.h"

/* `x`, `w`, and where the output is made its bias, scales and `y`; in parts
 * the accumulators `a`. */
void ash_layer_declare(const ash_call *c);
/* What becomes of the sum `s` of output channel `o`, element `i`. */
void ash_layer_finish(const ash_call *c);

/* Layers whose kernel adds up blocks: windows, dense ones, products of matrices
 * with loops over output, first and second input around them. */
void ash_layer_window_blocks(const ash_call *c);
void ash_layer_dense_blocks(const ash_call *c);
void ash_layer_product_blocks(const ash_call *c, const ash_nest *batches);

#endif
