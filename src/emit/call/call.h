/* call.h - one operator as C text: its parameters as a static const struct and
 * the call of its kernel. */
#ifndef ASH_EMIT_CALL_H
#define ASH_EMIT_CALL_H

#include "ashlar/tile.h"
#include "base/text.h"
#include "graph/graph.h"
#include "kernel/kernel.h"

typedef struct ash_call {
  const ash_graph *graph; /* lowered (pass/lower/lower.c) */
  uint32_t op;
  const ash_kernel *kernel;
  bool special; /* the kernel becomes a part of the caller (render/code.h) */
  /* C expressions of type `const void *` and `void *`, one for each input and
   * output of the op. NULL or "NULL" for an absent one; those of inputs that
   * the kernel does not read (op/reads.h) are ignored. */
  const char *const *inputs;
  const char *const *outputs;
  const bool *in_place; /* one an input, or NULL: it already lies where the
                           result wants it (concatenation)                */
  const bool *made;    /* one an output, or NULL: it is there already (split) */
  const char *scratch; /* void *, where the kernel wants scratch */
  /* A part of a sum that is computed in several (part.c): other than whole,
   * `accumulator` (void *) holds op/sums.h's type for each element of the
   * output, in its order, and `folded` says how many elements each result of
   * all parts together comes from (means). Only the last part reads bias and
   * scales and writes the output. */
  ash_tile_part part;
  const char *accumulator;
  int64_t folded;
  /* Some lines of a window kernel: its function for lines is called, which
   * takes the first input and the output as `const ash_rt_lines *`, and the
   * lines [from, to) of the result, as these two variables say. */
  bool lines;
  /* The output shares no byte with an input: results may be made in any order,
   * else as the kernel's ORDER says. */
  bool apart;
  const char *prefix; /* of the module, for functions of the user */
  ash_text *text;
} ash_call;

/* Writes declarations and statements at the text's indentation, for the inside
 * of a function or block of its own: it declares `p`. Names carry the prefix of
 * runtime/, which the module replaces. */
ash_status ash_emit_call(ash_ctx *ctx, const ash_call *call);

/* A custom operator's name as part of a C identifier. */
void ash_call_custom_name(ash_text *text, const char *name);

#endif
