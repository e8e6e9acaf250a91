/* given.h - what the caller says about inputs of a model: "name=1,3,32,32"
 * (--input-shape), "name=1,2,3" (--constant). Shared by the readers. */
#ifndef ASH_READ_GIVEN_H
#define ASH_READ_GIVEN_H

#include "ashlar/compile.h"
#include "graph/graph.h"

/* The text after the equals sign of the entry with this name, or NULL. */
const char *ash_given_shape(const ash_load_options *options, const char *name);
const char *ash_given_constant(const ash_load_options *options,
                               const char *name);

/* The number that the text starts with, which then starts after it; false if
 * there is none. */
bool ash_given_number(const char **text, double *out);
/* "1,3,32,32" or "1x3x32x32"; the empty text is the shape of one number. */
ash_status ash_given_read_shape(ash_ctx *ctx, ash_shape *out, const char *text,
                                const char *name);

/* Every name that is given must be among the inputs of the model. */
ash_status ash_given_check(ash_ctx *ctx, const ash_load_options *options,
                           const char *const *inputs, size_t count,
                           const char *file);

/* For a graph whose shapes are fixed: those that are given must be the same. */
ash_status ash_given_check_graph(ash_ctx *ctx, const ash_load_options *options,
                                 const ash_graph *g);

#endif
