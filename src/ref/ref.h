/* ref.h - the reference interpreter: runs a graph the slow and obvious way, as
 * the oracle for generated code and for graph rewrites.
 *
 * It shares nothing with the kernels of runtime/ and believes nothing that a
 * pass derived: multipliers, shifts and tables are computed from the tensors'
 * quantisation, inputs that lowering appended are not looked at. Integer
 * operators give the same bytes as LiteRT's reference kernels; docs/numerics.md
 * says what is exact and what is not. */
#ifndef ASH_REF_REF_H
#define ASH_REF_REF_H

#include "graph/graph.h"

/* Called after each operator; `outputs` are its outputs' values, valid during
 * the call. */
typedef struct ash_ref_watch {
  void (*after)(void *user, const ash_graph *g, uint32_t op,
                const void *const *outputs);
  void *user;
} ash_ref_watch;

/* Runs the graph once. `inputs` and `outputs` are the caller's buffers, of the
 * tensors' sizes, in the order of the graph's inputs and outputs; no alignment
 * is needed. Variables start from their first values. Verifies the graph
 * first. `watch` may be NULL. */
ash_status ash_ref_run(ash_ctx *ctx, const ash_graph *g,
                       const void *const *inputs, void *const *outputs);
ash_status ash_ref_run_watched(ash_ctx *ctx, const ash_graph *g,
                               const void *const *inputs, void *const *outputs,
                               const ash_ref_watch *watch);

/* The same with variables that keep their values from run to run: `state` has
 * them one after the other, in the order of the tensors. */
uint64_t ash_ref_state_bytes(const ash_graph *g);
void ash_ref_first_state(const ash_graph *g, void *state);
ash_status ash_ref_run_kept(ash_ctx *ctx, const ash_graph *g,
                            const void *const *inputs, void *const *outputs,
                            void *state);

/* One operator alone, which must have a reference kernel and pass its shape
 * rule. `values` by tensor index: those of its inputs and outputs, aligned for
 * any type. */
ash_status ash_ref_run_op(ash_ctx *ctx, const ash_graph *g, uint32_t op,
                          void *const *values);

/* The same for an operator that reads constants: its outputs become constants
 * of the graph. Uses the scratch zone: mark and rewind around it. */
ash_status ash_ref_compute(ash_ctx *ctx, ash_graph *g, uint32_t op);

/* Whether the operator has a reference kernel. */
bool ash_ref_knows(ash_op_kind kind);

#endif
