/* fuse.h - what the passes that fuse element-wise operators share. */
#ifndef ASH_PASS_FUSE_H
#define ASH_PASS_FUSE_H

#include "op/chain.h"

/* A function of single elements that can be a stage of a chain. */
bool ash_fuse_is_stage(const ash_graph *g, const ash_op *o);
/* The program of an operator that reads it from an attribute. */
ash_status ash_fuse_set_code(ash_graph *g, uint32_t op, const ash_chain *chain);

#endif
