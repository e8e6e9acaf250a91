/* tile_flat.h - what is known of loops over pieces with one memory between home
 * and kernel: tile_flat_facts.c finds it, tile_flat_move.c writes transfers,
 * tile_flat.c the loops around them. */
#ifndef ASH_EMIT_TILE_FLAT_H
#define ASH_EMIT_TILE_FLAT_H

#include "base/checked.h"
#include "device/device.h"
#include "emit/tile/tile.h"

enum { ASH_FLAT_JOB_RANK = 3, ASH_FLAT_GROUPS = ASH_FLAT_JOB_RANK + 1 };

/* A loop of a transfer: `count` elements, or `times` (the size of dimension
 * `dim`) as many; steps in bytes, `inner` times the sizes of dimensions. */
typedef struct ash_flat_group {
  uint64_t count, outer, inner;
  uint32_t dim; /* ASH_NO_ID: the size is a number */
  const char *sizes;
} ash_flat_group;

/* A dimension of an operand over all pieces. */
typedef struct ash_flat_reach {
  uint32_t axis;       /* that is cut; ASH_NO_AXIS: none, start and size are */
  int64_t start, size; /* numbers. size 0: it varies                        */
} ash_flat_reach;

typedef struct ash_flat_operand {
  const ash_tile_operand *o;
  const char *name;
  uint32_t index, first, copies; /* of the buffers: copy[first ..] */
  uint32_t turn;                 /* the innermost loop that changes the box;
                                    cut_count: none                         */
  uint64_t turns;                /* boxes, one after the other              */
  uint32_t engine;               /* ASH_NO_DMA: the processor copies        */
  ash_flat_reach reach[ASH_RANK_MAX];
  ash_flat_group groups[ASH_FLAT_GROUPS];
  uint32_t group_count;
  uint32_t rank; /* of a transfer; one for each turn of the last group if that
                    is less                                                  */
} ash_flat_operand;

typedef struct ash_flat {
  ash_module *m;
  const ash_tiling *t;
  const char *name;
  ash_text *text;
  uint32_t cut[ASH_TILE_AXES], cut_count; /* innermost loop first */
  ash_flat_operand *operands;
} ash_flat;

static inline ash_zone *ash_flat_zone(const ash_flat *w) {
  return &w->m->ctx->scratch;
}

static inline int64_t ash_flat_extent(const ash_flat *w, uint32_t axis) {
  ASH_ASSERT(axis < w->t->space->axis_count);
  return w->t->space->axes[axis].extent;
}

static inline int64_t ash_flat_tile(const ash_flat *w, uint32_t axis) {
  ASH_ASSERT(axis < w->t->space->axis_count);
  return w->t->levels[0].tile[axis];
}

static inline const ash_tensor *ash_flat_tensor(const ash_flat *w,
                                                const ash_flat_operand *x) {
  ASH_ASSERT(x->o->tensor < w->m->g->tensor_count);
  return &w->m->g->tensors.items[x->o->tensor];
}

static inline bool ash_flat_follows(const ash_flat_operand *x, uint32_t axis) {
  ASH_ASSERT(x->o->rank <= ASH_RANK_MAX);
  for (uint32_t d = 0; d < x->o->rank; d++)
    if (x->reach[d].axis == axis)
      return true;
  return false;
}

/* Fills what is known; false: the loops are not so simple. */
bool ash_flat_look(ash_flat *w);

/* ", at_2, at_0": of the axes that are cut and change the operand's box. */
void ash_flat_put_places(const ash_flat *w, const ash_flat_operand *x,
                         const char *prefix, const char *suffix);
/* The function that starts a transfer of the operand's box, or says where in
 * its home that is. */
void ash_flat_put_transfer(const ash_flat *w, const ash_flat_operand *x);

#endif
