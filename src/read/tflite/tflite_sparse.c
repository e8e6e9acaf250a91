/* tflite_sparse.c - sparse constants, unpacked while they are read. The format
 * is TACO's: the levels of a tree, each the coordinates of one axis, in the
 * order of traversal. A dense level has all of them, a compressed one those
 * that its segments list. Axes may be cut into blocks, whose insides are levels
 * of their own. */
#include "read/tflite/tflite_internal.h"

#include <string.h>

enum { SPARSITY_ORDER = 0, SPARSITY_BLOCKS = 1, SPARSITY_LEVELS = 2 };
enum {
  LEVEL_FORMAT = 0,
  LEVEL_SIZE = 1,
  LEVEL_SEGMENTS = 2, /* the kind of a union; its table is the next field */
  LEVEL_INDICES = 4,
};
enum { LEVELS_MAX = 2 * ASH_RANK_MAX, DENSE_MAX = 1 << 28 /* bytes */ };

typedef struct list {
  ash_fb_vector values;
  uint32_t size; /* of one, in bytes */
} list;

typedef struct level {
  bool compressed;
  uint32_t extent;       /* coordinates lie below it */
  uint64_t step;         /* between elements of the unpacked tensor */
  list segments, places; /* of a compressed level */
} level;

typedef struct unpacking {
  ash_tflite *r;
  const ash_tensor *t;
  ash_loc at;
  level levels[LEVELS_MAX];
  uint32_t level_count;
  const uint8_t *packed;
  uint8_t *dense;
  uint32_t element; /* bytes */
  uint64_t stored;  /* elements */
} unpacking;

static ash_status refuse(const unpacking *u, const char *what) {
  return ash_fail(u->r->ctx, ASH_MALFORMED, ASH_D_tensor_storage, u->at,
                  "sparse weights: %s", what);
}

static uint32_t number(const list *l, uint32_t i) {
  if (i >= l->values.count)
    return UINT32_MAX;
  const uint8_t *p = l->values.fb->bytes + l->values.at + (uint64_t)i * l->size;
  uint32_t x = 0;
  for (uint32_t k = 0; k < l->size; k++)
    x |= (uint32_t)p[k] << (8 * k);
  return x;
}

/* A union of vectors of int32, uint16 and uint8. */
static list read_list(const ash_fb_table *metadata, uint32_t field) {
  static const uint32_t sizes[] = {0, 4, 2, 1};
  const uint32_t kind = ash_fb_u8(metadata, field, 0);
  list l = {.values.fb = metadata->fb};
  if (kind == 0 || kind >= ASH_COUNT_OF(sizes))
    return l;
  const ash_fb_table table = ash_fb_sub(metadata, field + 1);
  l.size = sizes[kind];
  l.values = ash_fb_vec(&table, 0, l.size);
  return l;
}

/* Segments rise from 0 and list each place once: no value has two parents. */
static ash_status check_compressed(const unpacking *u, const level *l,
                                   uint64_t parents) {
  uint32_t last = 0;
  if (l->segments.values.count != parents + 1 || number(&l->segments, 0) != 0)
    return refuse(u, "segments do not belong to the level above");
  for (uint32_t i = 1; i < l->segments.values.count; i++) {
    const uint32_t next = number(&l->segments, i);
    if (next < last)
      return refuse(u, "segments fall");
    last = next;
  }
  if (last != l->places.values.count)
    return refuse(u, "segments and indices contradict each other");
  for (uint32_t i = 0; i < last; i++)
    if (number(&l->places, i) >= l->extent)
      return refuse(u, "an index lies outside its axis");
  return ASH_OK;
}

/* Nodes of every level, from the top; the last are the stored elements. */
static ash_status check_levels(const unpacking *u) {
  uint64_t nodes = 1;
  for (uint32_t i = 0; i < u->level_count; i++) {
    const level *l = &u->levels[i];
    if (l->compressed) {
      ASH_TRY(check_compressed(u, l, nodes));
      nodes = l->places.values.count;
    } else
      nodes *= l->extent;
    if (nodes > DENSE_MAX)
      return refuse(u, "too many elements");
  }
  return nodes == u->stored ? ASH_OK
                            : refuse(u, "levels and values contradict each "
                                        "other");
}

typedef struct axes {
  uint32_t level_of[LEVELS_MAX];   /* axis, or rank + block: where it is */
  uint32_t block_of[ASH_RANK_MAX]; /* 0: the axis is not cut             */
} axes;

/* Every axis and every block is one level. */
static ash_status read_order(const unpacking *u, const ash_fb_vector *order,
                             const ash_fb_vector *blocks, axes *a) {
  const uint32_t rank = u->t->shape.rank;
  for (uint32_t i = 0; i < LEVELS_MAX; i++)
    a->level_of[i] = UINT32_MAX;
  memset(a->block_of, 0, sizeof a->block_of);
  for (uint32_t i = 0; i < order->count; i++) {
    const int32_t what = ash_fb_at_i32(order, i);
    if (what < 0 || (uint32_t)what >= order->count ||
        a->level_of[what] != UINT32_MAX)
      return refuse(u, "the order of traversal is no permutation");
    a->level_of[what] = i;
  }
  for (uint32_t i = 0; i < blocks->count; i++) {
    const int32_t axis = ash_fb_at_i32(blocks, i);
    if (axis < 0 || (uint32_t)axis >= rank || a->block_of[axis] != 0)
      return refuse(u, "blocks of an axis that is not there");
    a->block_of[axis] = rank + i;
  }
  return ASH_OK;
}

/* The extents and steps of an axis and of the blocks it is cut into. */
static ash_status place_axis(unpacking *u, const ash_fb_vector *metadata,
                             const axes *a, uint32_t axis, uint64_t pitch) {
  const int32_t dim = u->t->shape.dim[axis];
  level *outer = &u->levels[a->level_of[axis]];
  int32_t size = 1;
  if (a->block_of[axis]) {
    const uint32_t inside = a->level_of[a->block_of[axis]];
    const ash_fb_table m = ash_fb_at_table(metadata, inside);
    size = ash_fb_i32(&m, LEVEL_SIZE, 0);
    if (size < 1 || dim % size != 0)
      return refuse(u, "an axis is no number of blocks");
    u->levels[inside].extent = (uint32_t)size;
    u->levels[inside].step = pitch;
  }
  outer->extent = (uint32_t)(dim / size);
  outer->step = pitch * (uint32_t)size;
  return ASH_OK;
}

static ash_status read_levels(unpacking *u, const ash_fb_vector *metadata) {
  for (uint32_t i = 0; i < u->level_count; i++) {
    const ash_fb_table m = ash_fb_at_table(metadata, i);
    level *l = &u->levels[i];
    l->compressed = ash_fb_u8(&m, LEVEL_FORMAT, 0) != 0;
    if (l->compressed) {
      l->segments = read_list(&m, LEVEL_SEGMENTS);
      l->places = read_list(&m, LEVEL_INDICES);
    } else if ((uint32_t)ash_fb_i32(&m, LEVEL_SIZE, 0) != l->extent)
      return refuse(u, "a dense level has another size than its axis");
  }
  return check_levels(u);
}

static ash_status read_sparsity(unpacking *u, const ash_fb_table *sparsity) {
  const ash_fb_vector order = ash_fb_vec(sparsity, SPARSITY_ORDER, 4);
  const ash_fb_vector blocks = ash_fb_vec(sparsity, SPARSITY_BLOCKS, 4);
  const ash_fb_vector metadata = ash_fb_vec(sparsity, SPARSITY_LEVELS, 4);
  const uint32_t rank = u->t->shape.rank;
  axes a;
  if (order.count == 0 || order.count != rank + blocks.count ||
      order.count > LEVELS_MAX || metadata.count != order.count)
    return refuse(u, "levels and axes contradict each other");
  u->level_count = order.count;
  ASH_TRY(read_order(u, &order, &blocks, &a));
  uint64_t pitch = 1;
  for (uint32_t i = rank; i-- > 0;) {
    ASH_TRY(place_axis(u, &metadata, &a, i, pitch));
    pitch *= (uint32_t)u->t->shape.dim[i];
  }
  return read_levels(u, &metadata);
}

/* A node on the way down: its children that are left, and its element. */
typedef struct frame {
  uint64_t node, at;
  uint32_t next, end;
} frame;

static frame open_node(const level *l, uint64_t node, uint64_t at) {
  frame f = {.node = node, .at = at, .end = l->extent};
  if (l->compressed) {
    f.next = number(&l->segments, (uint32_t)node);
    f.end = number(&l->segments, (uint32_t)node + 1);
  }
  return f;
}

/* Walks the tree depth first; its leaves are the stored elements. */
static void scatter(const unpacking *u) {
  frame stack[LEVELS_MAX];
  uint32_t depth = 1;
  ASH_ASSERT(u->level_count >= 1 && u->level_count <= LEVELS_MAX);
  stack[0] = open_node(&u->levels[0], 0, 0);
  while (depth > 0) {
    frame *f = &stack[depth - 1];
    const level *l = &u->levels[depth - 1];
    if (f->next == f->end) {
      depth--;
      continue;
    }
    const uint32_t i = f->next++;
    const uint64_t node = l->compressed ? i : f->node * l->extent + i;
    const uint64_t at =
        f->at + (l->compressed ? number(&l->places, i) : i) * l->step;
    if (depth == u->level_count)
      memcpy(u->dense + at * u->element, u->packed + node * u->element,
             u->element);
    else {
      stack[depth] = open_node(&u->levels[depth], node, at);
      depth++;
    }
  }
}

/* Absent elements mean 0, which quantised values have a number for. */
static uint8_t absent_byte(const ash_tensor *t) {
  return t->quant.count > 0 ? (uint8_t)(t->quant.zero_point[0] & 0xff) : 0;
}

ash_status ash_tflite_unpack_sparse(ash_tflite *r, const ash_fb_table *sparsity,
                                    ash_tensor *t, uint64_t stored,
                                    ash_loc at) {
  unpacking u = {.r = r, .t = t, .at = at, .packed = t->data};
  if (ash_type_bits(t->type) % 8 != 0)
    return ash_fail(r->ctx, ASH_UNSUPPORTED, ASH_D_tensor_storage, at,
                    "sparse weights of %s are not supported",
                    ash_type_text(t->type));
  u.element = ash_type_bits(t->type) / 8;
  u.stored = stored / u.element;
  if (t->bytes > DENSE_MAX || stored % u.element != 0)
    return refuse(&u, "too many elements, or not whole ones");
  ASH_TRY(read_sparsity(&u, sparsity));
  u.dense = ASH_NEW_ARRAY(&r->g->zone, uint8_t, (size_t)t->bytes + 1);
  ASH_TRY(ash_zone_check(r->ctx, &r->g->zone));
  memset(u.dense, absent_byte(t), (size_t)t->bytes);
  scatter(&u);
  t->data = u.dense;
  t->file_byte = UINT64_MAX;
  return ASH_OK;
}
