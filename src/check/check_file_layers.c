/* check_file_layers.c - the tilings of a plan file: every operator has one,
 * cuts are possible, figures follow from them, and every buffer has its tiles
 * among the tensors. What boxes an operator reads is not in the file
 * (check_tiles.c knows). */
#include "check/check_file.h"

#include "ashlar/tile.h"
#include "device/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { AXES_MAX = ASH_TILE_AXES };

typedef struct layer {
  const ash_file_check *k;
  const ash_yaml *at;
  uint32_t op;
  uint32_t operands; /* inputs that are read, then outputs */
  uint32_t axis_count;
  const char *axes[AXES_MAX];
  uint64_t region[AXES_MAX]; /* what the level outside leaves             */
  uint64_t pieces;           /* calls of the kernel                       */
  uint32_t level;
  uint32_t tile;  /* the next tile among `tiles` ..                      */
  uint64_t moved; /* by the levels so far                                */
  bool is_cut;
} layer;

/* The tiles of all operators: entries in the order of the file, by operator. */
typedef struct tiles {
  uint32_t *first, *next; /* by op; by entry */
  bool *seen;             /* by op: it has a layer */
} tiles;

#define REFUSE(l, ...)                                                         \
  ash_fail((l)->k->ctx, ASH_MALFORMED, ASH_D_plan_layers,                      \
           ash_yaml_loc((l)->at), __VA_ARGS__)

static const char *name_of(const layer *l) {
  return l->k->f->ops[l->op].id;
}

static ash_status need_u64(const layer *l, uint64_t *out, const ash_yaml *map,
                           const char *key) {
  return ash_yaml_need_u64(l->k->ctx, out, map, key);
}

/* ---- axes ---------------------------------------------------------------- */

static ash_status read_extent(layer *l) {
  const ash_yaml *extent;
  ASH_TRY(ash_yaml_need(l->k->ctx, &extent, l->at, "extent", "a layer"));
  ASH_TRY(ash_yaml_want_map(l->k->ctx, extent, "extent"));
  if (extent->count > AXES_MAX)
    return REFUSE(l, "%s has %zu axes", name_of(l), extent->count);
  for (const ash_yaml_item *i = extent->first; i; i = i->next) {
    uint64_t *size = &l->region[l->axis_count];
    l->axes[l->axis_count++] = i->key;
    ASH_TRY(ash_yaml_u64(l->k->ctx, size, i->node, "extent"));
    if (*size == 0 || *size > INT32_MAX)
      return REFUSE(l, "%s has an axis of %" PRIu64, name_of(l), *size);
  }
  return ASH_OK;
}

/* Every axis once, each cut in at least one piece of at most the region. */
static ash_status check_tile(layer *l, const ash_yaml *map) {
  const ash_yaml *tile;
  uint32_t a = 0;
  ASH_TRY(ash_yaml_need(l->k->ctx, &tile, map, "tile", "a level"));
  ASH_TRY(ash_yaml_want_map(l->k->ctx, tile, "tile"));
  if (tile->count != l->axis_count)
    return REFUSE(l, "%s: a tile has %zu of %u axes", name_of(l), tile->count,
                  (unsigned)l->axis_count);
  for (const ash_yaml_item *i = tile->first; i; i = i->next, a++) {
    uint64_t size;
    ASH_TRY(ash_yaml_u64(l->k->ctx, &size, i->node, "tile"));
    if (strcmp(i->key, l->axes[a]) != 0 || size == 0 || size > l->region[a])
      return REFUSE(l,
                    "%s: a tile of %" PRIu64 " along %s of a region of "
                    "%" PRIu64,
                    name_of(l), size, i->key, l->region[a]);
    l->is_cut |= size < l->region[a];
  }
  return ASH_OK;
}

static ash_status check_order(const layer *l, const ash_yaml *map) {
  const ash_yaml *order;
  uint32_t seen = 0;
  ASH_TRY(ash_yaml_need_list(l->k->ctx, &order, map, "order"));
  for (const ash_yaml_item *i = order->first; i; i = i->next)
    for (uint32_t a = 0; a < l->axis_count; a++)
      if (strcmp(i->node->text, l->axes[a]) == 0)
        seen |= (uint32_t)1 << a;
  if (order->count != l->axis_count || seen + 1 != (uint32_t)1 << l->axis_count)
    return REFUSE(l, "%s: the order of loops is not one of its axes",
                  name_of(l));
  return ASH_OK;
}

/* Pieces of an axis, level by level from the outside: the last piece of a
 * region may be smaller, and is cut again. At most two lengths for each. */
static uint64_t pieces_of(uint64_t extent, const uint64_t *tile,
                          uint32_t levels) {
  uint64_t length[1 << ASH_TILE_LEVELS] = {extent};
  uint64_t times[1 << ASH_TILE_LEVELS] = {1}, sum = 0;
  uint32_t count = 1;
  for (uint32_t k = 0; k < levels; k++)
    for (uint32_t i = count; i-- > 0;) {
      length[count] = length[i] % tile[k];
      times[count] = length[count] ? times[i] : 0;
      times[i] *= length[i] / tile[k];
      length[i] = tile[k];
      count++;
    }
  for (uint32_t i = 0; i < count; i++)
    sum += times[i];
  return sum;
}

static ash_status count_pieces(layer *l, const ash_yaml *levels) {
  l->pieces = 1;
  for (uint32_t a = 0; a < l->axis_count; a++) {
    uint64_t sizes[ASH_TILE_LEVELS], extent = 0;
    uint32_t n = 0;
    for (const ash_yaml_item *i = levels->first; i; i = i->next)
      ASH_TRY(
          need_u64(l, &sizes[n++], ash_yaml_get(i->node, "tile"), l->axes[a]));
    ASH_TRY(need_u64(l, &extent, ash_yaml_get(l->at, "extent"), l->axes[a]));
    l->pieces *= pieces_of(extent, sizes, n);
  }
  return ASH_OK;
}

/* ---- buffers ------------------------------------------------------------- */

static ash_status check_slot(const layer *l, uint32_t entry, const char *memory,
                             uint64_t bytes) {
  const ash_file_tensor *t = &l->k->f->tensors[entry];
  const ash_slot *s = &l->k->f->plan.slots[t->slot];
  char start[32];
  const size_t op = strlen(name_of(l));
  (void)snprintf(start, sizeof start, "_tile%u_", (unsigned)l->level);
  if (strncmp(s->id + op, start, strlen(start)) == 0 && s->size == bytes &&
      strcmp(s->binding.memory, memory) == 0)
    return ASH_OK;
  return REFUSE(l,
                "%s: '%s' of %" PRIu64 " bytes in %s is not a buffer of "
                "%" PRIu64 " in %s",
                name_of(l), s->id, s->size, s->binding.memory, bytes, memory);
}

typedef struct numbers {
  const ash_yaml_item *copies, *bytes;
} numbers;

static ash_status check_operands(layer *l, const tiles *t, numbers n,
                                 const char *memory) {
  for (; n.copies; n.copies = n.copies->next, n.bytes = n.bytes->next) {
    uint64_t copies, bytes;
    ASH_TRY(ash_yaml_u64(l->k->ctx, &copies, n.copies->node, "buffering"));
    ASH_TRY(ash_yaml_u64(l->k->ctx, &bytes, n.bytes->node, "buffer_bytes"));
    if (copies > ASH_TILE_COPIES)
      return REFUSE(l, "%s: %" PRIu64 " buffers of one tile", name_of(l),
                    copies);
    if (copies == 0 && bytes != 0)
      return REFUSE(l, "%s: no buffers of %" PRIu64 " bytes", name_of(l),
                    bytes);
    for (uint64_t i = 0; i < copies; i++) {
      if (l->tile == ASH_NO_ID)
        return REFUSE(l, "%s has more buffers than tiles", name_of(l));
      ASH_TRY(check_slot(l, l->tile, memory, bytes));
      l->tile = t->next[l->tile];
    }
  }
  return ASH_OK;
}

/* Each operand that is staged moves at least once, without cuts as a whole; an
 * engine may need several transfers for that. */
static ash_status check_moves(layer *l, const ash_yaml *map, numbers n) {
  uint64_t moved, transfers, rows, staged = 0, bytes = 0;
  ASH_TRY(need_u64(l, &moved, map, "bytes_moved"));
  ASH_TRY(need_u64(l, &transfers, map, "transfers"));
  ASH_TRY(need_u64(l, &rows, map, "rows"));
  for (; n.copies; n.copies = n.copies->next, n.bytes = n.bytes->next) {
    uint64_t copies, size;
    ASH_TRY(ash_yaml_u64(l->k->ctx, &copies, n.copies->node, "buffering"));
    ASH_TRY(ash_yaml_u64(l->k->ctx, &size, n.bytes->node, "buffer_bytes"));
    staged += copies > 0;
    bytes += copies ? size : 0;
  }
  const bool possible = transfers >= staged && rows >= transfers &&
                        moved >= rows && (l->is_cut || moved == bytes);
  if (!possible || moved > bytes * l->pieces)
    return REFUSE(l,
                  "%s moves %" PRIu64 " bytes in %" PRIu64 " rows, "
                  "%" PRIu64 " transfers of %" PRIu64 " operands",
                  name_of(l), moved, rows, transfers, staged);
  l->moved += moved;
  return ASH_OK;
}

static bool is_used(const layer *l, const char *memory) {
  const ash_plan *p = &l->k->f->plan;
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (strcmp(p->arenas[i].memory, memory) == 0)
      return true;
  return false;
}

/* In the memory of a level lie tiles, or what kernels read where it lives. An
 * operator whose tensors are all small has nothing in the compute memory. */
static bool is_possible(const layer *l, const char *memory,
                        const ash_yaml *buffering) {
  const ash_device *device = l->k->device;
  if (is_used(l, memory))
    return true;
  for (const ash_yaml_item *i = buffering->first; i; i = i->next)
    if (!i->node->text || strcmp(i->node->text, "0") != 0)
      return false;
  return !device ||
         (device->compute_memory != ASH_NO_MEMORY &&
          ash_device_memory_named(device, memory) == device->compute_memory);
}

static ash_status check_level(layer *l, const tiles *t, const ash_yaml *map) {
  const ash_yaml *copies, *bytes;
  const char *memory;
  ASH_TRY(ash_yaml_want_map(l->k->ctx, map, "a level"));
  ASH_TRY(ash_yaml_need_string(l->k->ctx, &memory, map, "memory"));
  ASH_TRY(ash_yaml_need_list(l->k->ctx, &copies, map, "buffering"));
  if (!is_possible(l, memory, copies))
    return REFUSE(l, "%s has a level in %s, where nothing lies", name_of(l),
                  memory);
  ASH_TRY(check_tile(l, map));
  ASH_TRY(check_order(l, map));
  ASH_TRY(ash_yaml_need_list(l->k->ctx, &bytes, map, "buffer_bytes"));
  if (copies->count != l->operands || bytes->count != l->operands)
    return REFUSE(l, "%s has %u operands, a level has buffers for %zu and %zu",
                  name_of(l), (unsigned)l->operands, copies->count,
                  bytes->count);
  const numbers n = {copies->first, bytes->first};
  ASH_TRY(check_operands(l, t, n, memory));
  for (uint32_t a = 0; a < l->axis_count; a++)
    ASH_TRY(need_u64(l, &l->region[a], ash_yaml_get(map, "tile"), l->axes[a]));
  return ASH_OK;
}

/* ---- figures ------------------------------------------------------------- */

static ash_status check_figures(const layer *l) {
  uint64_t calls, moved, without, compute, cycles, price, bound, used;
  const char *verdict;
  ASH_TRY(need_u64(l, &calls, l->at, "tiles"));
  ASH_TRY(need_u64(l, &moved, l->at, "bytes_moved"));
  ASH_TRY(need_u64(l, &without, l->at, "bytes_without_reuse"));
  ASH_TRY(need_u64(l, &compute, l->at, "compute_cycles"));
  ASH_TRY(need_u64(l, &cycles, l->at, "cycles"));
  ASH_TRY(need_u64(l, &price, l->at, "price"));
  ASH_TRY(need_u64(l, &bound, l->at, "lower_bound"));
  ASH_TRY(need_u64(l, &used, l->at, "utilisation_percent"));
  ASH_TRY(ash_yaml_need_string(l->k->ctx, &verdict, l->at, "verdict"));
  if (calls != l->pieces || moved != l->moved || moved > without)
    return REFUSE(l,
                  "%s is said to have %" PRIu64 " tiles and to move %" PRIu64
                  " bytes, %" PRIu64 " without reuse; it has %" PRIu64
                  " and its levels move %" PRIu64,
                  name_of(l), calls, moved, without, l->pieces, l->moved);
  const bool optimal = strcmp(verdict, ash_verdict_text(ASH_OPTIMAL)) == 0;
  if (compute > cycles || cycles > price || bound > price ||
      (optimal && bound != price) ||
      (!optimal && strcmp(verdict, ash_verdict_text(ASH_FEASIBLE)) != 0) ||
      used != (cycles ? compute * 100 / cycles : 0))
    return REFUSE(l,
                  "%s is said to take %" PRIu64 " cycles, %" PRIu64
                  " of them to compute (%" PRIu64 " %%), at a price of "
                  "%" PRIu64 ", no less than %" PRIu64 ", %s",
                  name_of(l), cycles, compute, used, price, bound, verdict);
  return ASH_OK;
}

/* ---- layers -------------------------------------------------------------- */

static ash_status check_levels(layer *l, const tiles *t) {
  const ash_yaml *levels;
  ASH_TRY(ash_yaml_need_list(l->k->ctx, &levels, l->at, "levels"));
  if (levels->count == 0 || levels->count > ASH_TILE_LEVELS)
    return REFUSE(l, "%s has %zu levels", name_of(l), levels->count);
  for (const ash_yaml_item *i = levels->first; i; i = i->next, l->level++)
    ASH_TRY(check_level(l, t, i->node));
  if (l->tile != ASH_NO_ID)
    return REFUSE(l, "%s has more tiles than buffers", name_of(l));
  ASH_TRY(count_pieces(l, levels));
  for (const ash_yaml_item *i = levels->first; i; i = i->next) {
    const numbers n = {ash_yaml_get(i->node, "buffering")->first,
                       ash_yaml_get(i->node, "buffer_bytes")->first};
    ASH_TRY(check_moves(l, i->node, n));
  }
  return ASH_OK;
}

static ash_status begin(layer *l, tiles *t) {
  const char *id, *kind;
  ASH_TRY(ash_yaml_want_map(l->k->ctx, l->at, "a layer"));
  ASH_TRY(ash_yaml_need_string(l->k->ctx, &id, l->at, "op"));
  ASH_TRY(ash_yaml_need_string(l->k->ctx, &kind, l->at, "kind"));
  l->op = ash_check_file_op(l->k, id, strlen(id));
  if (l->op == ASH_NO_ID || t->seen[l->op] ||
      strcmp(kind, l->k->f->ops[l->op].kind) != 0)
    return REFUSE(l, "there is no operator %s of kind %s, or it has two layers",
                  id, kind);
  const ash_file_op *op = &l->k->f->ops[l->op];
  t->seen[l->op] = true;
  l->operands = op->output_count;
  for (uint32_t i = 0; i < op->input_count; i++)
    l->operands += op->reads[i];
  l->tile = t->first[l->op];
  return ASH_OK;
}

static ash_status check_layer(const ash_file_check *k, tiles *t,
                              const ash_yaml *at) {
  layer l = {.k = k, .at = at};
  ASH_TRY(begin(&l, t));
  if (!ash_yaml_get(at, "extent")) {
    const char *reason;
    ASH_TRY(ash_yaml_need_string(k->ctx, &reason, at, "reason"));
    return l.tile == ASH_NO_ID
               ? ASH_OK
               : REFUSE(&l, "%s is not tiled and has tiles", name_of(&l));
  }
  ASH_TRY(read_extent(&l));
  ASH_TRY(check_levels(&l, t));
  return check_figures(&l);
}

/* Tiles of an operator, in the order of the file. */
static ash_status find_tiles(const ash_file_check *k, tiles *t) {
  const ash_plan_file *f = k->f;
  ash_zone *z = &k->ctx->scratch;
  *t = (tiles){ASH_NEW_ARRAY(z, uint32_t, f->op_count + 1u),
               ASH_NEW_ARRAY(z, uint32_t, f->tensor_count + 1u),
               ASH_NEW_ARRAY(z, bool, f->op_count + 1u)};
  ASH_TRY(ash_zone_check(k->ctx, z));
  for (uint32_t i = 0; i < f->op_count; i++)
    t->first[i] = ASH_NO_ID;
  for (uint32_t i = f->tensor_count; i-- > 0;) {
    const char *kind = f->tensors[i].kind;
    if (!kind || strcmp(kind, ash_slot_kind_text(ASH_SLOT_TILE)) != 0)
      continue;
    const uint32_t op = ash_check_file_owner(k, i);
    if (op == ASH_NO_ID)
      continue;
    t->next[i] = t->first[op];
    t->first[op] = i;
  }
  return ASH_OK;
}

ash_status ash_check_file_layers(const ash_file_check *k) {
  const ash_yaml *layers = ash_yaml_get(k->f->top, "layers");
  tiles t;
  ASH_TRY(find_tiles(k, &t));
  if (layers)
    ASH_TRY(ash_yaml_want_list(k->ctx, layers, "layers"));
  for (const ash_yaml_item *i = layers ? layers->first : NULL; i; i = i->next)
    ASH_TRY(check_layer(k, &t, i->node));
  for (uint32_t i = 0; i < k->f->op_count; i++)
    if (layers ? !t.seen[i] : t.first[i] != ASH_NO_ID)
      return ash_fail(k->ctx, ASH_MALFORMED, ASH_D_plan_layers,
                      ash_yaml_loc(k->f->top), "%s has no layer",
                      k->f->ops[i].id);
  return ASH_OK;
}
