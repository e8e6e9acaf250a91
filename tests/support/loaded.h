/* loaded.h - a model that was read from a file, and questions about it. */
#ifndef ASH_TESTS_LOADED_H
#define ASH_TESTS_LOADED_H

#include "base/file.h"
#include "graph/graph.h"

typedef struct loaded {
  ash_ctx *ctx;
  ash_file file;
  ash_graph *g;
  ash_status status; /* of reading */
} loaded;

/* Skips the case if there is no such file. */
loaded loaded_from(const char *path);
void loaded_drop(loaded *l);

/* The tensor with that id, which must be there. */
const ash_tensor *tensor_by_id(const ash_graph *g, const char *id);

/* "1,96,96,3" */
void check_shape(const ash_tensor *t, const char *want);
void check_pads(const ash_op *op, int top, int left, int bottom, int right);

#endif
