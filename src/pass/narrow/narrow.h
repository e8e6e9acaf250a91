/* narrow.h - the state of the pass `narrow`. Private to narrow*.c. */
#ifndef ASH_PASS_NARROW_H
#define ASH_PASS_NARROW_H

#include "pass/narrow/ranges.h"

/* Arrays have one entry for each tensor that the graph had. */
typedef struct ash_narrow {
  ash_ctx *ctx;
  ash_graph *g;
  ash_range *ranges;
  uint32_t *narrow; /* the tensor that holds its values as integers, or none */
  bool *pending;    /* and nothing has made the tensor itself              */
  size_t tensors;   /* that the graph had */
  uint32_t made;
  bool changed;
} ash_narrow;

static inline ash_tensor *ash_narrow_tensor(const ash_narrow *w, uint32_t t) {
  return &w->g->tensors.items[t];
}

/* An integer type of 8 bits or more, not bool. */
bool ash_narrow_is_integer(ash_type type);
/* The smallest type for a range; ASH_NONE: there is none. */
ash_type ash_narrow_smallest(const ash_range *r);
/* A tensor like `t`, of another type. */
ash_status ash_narrow_like(ash_narrow *w, uint32_t *out, uint32_t t,
                           ash_type type, const uint8_t *data);
/* The values of `t` as an integer tensor of its smallest type. */
ash_status ash_narrow_operand(ash_narrow *w, uint32_t *out, uint32_t t,
                              uint32_t source);
/* .. in exactly that integer type. */
ash_status ash_narrow_operand_of(ash_narrow *w, uint32_t *out, uint32_t t,
                                 ash_type type, uint32_t source);
/* .. in its own type, if nothing has made that yet. */
ash_status ash_narrow_settle(ash_narrow *w, uint32_t t, uint32_t source);

/* Rewrites one operator, or keeps it (narrow_ops.c). */
ash_status ash_narrow_visit(ash_narrow *w, const ash_op *op);

#endif
