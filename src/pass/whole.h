/* whole.h - the state of the pass `whole`. Private to whole*.c. */
#ifndef ASH_PASS_WHOLE_H
#define ASH_PASS_WHOLE_H

#include "pass/ranges.h"

/* Arrays have one entry for each tensor that the graph had. */
typedef struct ash_whole {
  ash_ctx *ctx;
  ash_graph *g;
  ash_range *ranges;
  uint32_t *narrow; /* the tensor that holds its values as integers, or none */
  bool *pending;    /* and nothing has made the tensor itself              */
  size_t tensors;   /* that the graph had */
  uint32_t made;
  bool changed;
} ash_whole;

#endif
