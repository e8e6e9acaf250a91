/* part.h - operators whose sum is computed in parts: loops that start, continue
 * or finish the accumulators. Shared by part*.c. */
#ifndef ASH_EMIT_PART_H
#define ASH_EMIT_PART_H

#include "emit/loop/loop.h"

/* `uint32_t *a = (uint32_t *)(..);`, and the output where this part makes it.
 */
void ash_part_declare(const ash_call *c);
/* `uint32_t s = ..;`: the accumulator of output element `at`; `start` in the
 * first part. */
void ash_part_open(const ash_call *c, const char *at, const char *start);
/* Keeps it; true if instead this part must make the output of it. */
bool ash_part_close(const ash_call *c, const char *at);

/* The parts of each operator. */
#define OP(op, columns) columns
#define PART(writer)    void ash_##writer(const ash_call *c);
#include "op/ops.def"
#undef OP

#endif
