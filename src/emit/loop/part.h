/* part.h - operators whose sum is computed in parts: loops that start, continue
 * or finish the accumulators. Shared by part*.c. */
#ifndef ASH_EMIT_PART_H
#define ASH_EMIT_PART_H

#include "emit/loop/loop.h"

typedef ash_status ash_write_part(ash_ctx *ctx, const ash_call *c);

/* The writer for an operator, NULL: it has no parts. */
ash_write_part *ash_part_of(ash_op_kind kind);

/* `uint32_t *a = (uint32_t *)(..);`, and the output where this part makes it.
 */
void ash_part_declare(const ash_call *c);
/* `uint32_t s = ..;`: the accumulator of output element `at`; `start` in the
 * first part. */
void ash_part_open(const ash_call *c, const char *at, const char *start);
/* Keeps it; true if instead this part must make the output of it. */
bool ash_part_close(const ash_call *c, const char *at);

ash_status ash_part_conv_2d(ash_ctx *ctx, const ash_call *c);
ash_status ash_part_dense(ash_ctx *ctx, const ash_call *c);
ash_status ash_part_matmul(ash_ctx *ctx, const ash_call *c);
ash_status ash_part_conv_nd(ash_ctx *ctx, const ash_call *c);
ash_status ash_part_fold(ash_ctx *ctx, const ash_call *c);

#endif
