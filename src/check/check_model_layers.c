/* check_model_layers.c - `layers` of a plan file become the tilings that
 * check_tiles.c judges. Axes and operands come from the rules of the model's
 * operators; sizes, loops and buffers from the file, whose own form
 * check_file_layers.c has seen to. */
#include "check/check_model.h"

#include "plan/record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define REFUSE(x, at, ...)                                                     \
  ash_fail((x)->k->ctx, ASH_MALFORMED, ASH_D_plan_model, ash_yaml_loc(at),     \
           __VA_ARGS__)

typedef struct layer {
  ash_model_match *x;
  const ash_yaml *at;
  ash_tiling *t;
  ash_tile_buffer *buffers; /* of t */
} layer;

static const char *name_of(const layer *l) {
  return l->x->m->graph->ops.items[l->t->op].id;
}

/* ---- the space ----------------------------------------------------------- */

/* An operator that cannot be cut: the operands that its kernel reads and its
 * results, each as a whole. */
static ash_status whole_space(layer *l) {
  const ash_graph *g = l->x->m->graph;
  const ash_op *o = &g->ops.items[l->t->op];
  ash_zone *z = &l->x->k->ctx->scratch;
  const uint32_t most = o->input_count + o->output_count;
  ash_tile_space *space = ASH_NEW(z, ash_tile_space);
  ash_tile_operand *list = ASH_NEW_ARRAY(z, ash_tile_operand, most + 1u);
  ASH_TRY(ash_zone_check(l->x->k->ctx, z));
  *space = (ash_tile_space){.op = l->t->op, .operands = list};
  for (uint32_t k = 0; k < most; k++) {
    const bool is_output = k >= o->input_count;
    const uint32_t at = is_output ? k - o->input_count : k;
    const uint32_t tensor = is_output ? o->outputs[at] : o->inputs[at];
    if (tensor == ASH_NO_ID ||
        (!is_output && !ash_plan_reads(&l->x->plan, g, l->t->op, at)))
      continue;
    ash_tile_operand *own = &list[space->operand_count++];
    *own = (ash_tile_operand){
        tensor, is_output, at, g->tensors.items[tensor].shape.rank, {{0}}};
    for (uint32_t d = 0; d < ASH_RANK_MAX; d++)
      own->dim[d] = (ash_tile_dim){ASH_NO_AXIS, 1, 1, 0, 1};
  }
  l->t->space = space;
  return ASH_OK;
}

/* Names and sizes of the axes are those of the operator's rule. */
static ash_status read_space(layer *l) {
  const ash_yaml *extent = ash_yaml_get(l->at, "extent");
  const char *why = "";
  uint32_t a = 0;
  if (extent->count == 0)
    return whole_space(l);
  ASH_TRY(ash_tile_space_of(l->x->k->ctx, &l->t->space, &why, l->x->m->graph,
                            l->t->op));
  if (!l->t->space)
    return REFUSE(l->x, l->at, "%s cannot be cut: %s", name_of(l), why);
  for (const ash_yaml_item *i = extent->first; i; i = i->next, a++) {
    uint64_t size;
    ASH_TRY(ash_yaml_u64(l->x->k->ctx, &size, i->node, "extent"));
    if (a >= l->t->space->axis_count ||
        strcmp(i->key, l->t->space->axes[a].name) != 0 ||
        size != (uint64_t)l->t->space->axes[a].extent)
      return REFUSE(l->x, extent, "%s has no axis %s of %" PRIu64, name_of(l),
                    i->key, size);
  }
  return a == l->t->space->axis_count
             ? ASH_OK
             : REFUSE(l->x, extent, "%s has %u axes", name_of(l),
                      (unsigned)l->t->space->axis_count);
}

/* ---- levels -------------------------------------------------------------- */

static uint32_t axis_called(const ash_tile_space *space, const char *name) {
  for (uint32_t a = 0; a < space->axis_count; a++)
    if (strcmp(space->axes[a].name, name) == 0)
      return a;
  return ASH_NO_AXIS; /* check_tiles.c refuses it */
}

static uint32_t memory_called(const ash_device *device, const char *name) {
  for (uint32_t i = 0; i < device->memory_count; i++)
    if (strcmp(device->memories[i].name, name) == 0)
      return i;
  return ASH_NO_MEMORY;
}

static ash_status read_buffers(layer *l, const ash_yaml *map, uint32_t level) {
  const uint32_t count = l->t->space->operand_count;
  const ash_yaml *copies = ash_yaml_get(map, "buffering");
  const ash_yaml *bytes = ash_yaml_get(map, "buffer_bytes");
  const ash_yaml_item *b = bytes->first;
  ash_tile_buffer *own = l->buffers + (size_t)level * count;
  if (copies->count != count)
    return REFUSE(l->x, copies, "%s has %u operands that are staged",
                  name_of(l), (unsigned)count);
  for (const ash_yaml_item *i = copies->first; i; i = i->next, b = b->next) {
    own->slot = ASH_NO_ID;
    ASH_TRY(ash_yaml_u32(l->x->k->ctx, &own->copies, i->node, "buffering",
                         ASH_TILE_COPIES));
    ASH_TRY(ash_yaml_u64(l->x->k->ctx, &own->bytes, b->node, "buffer_bytes"));
    own++;
  }
  return ASH_OK;
}

static ash_status read_level(layer *l, const ash_yaml *map, uint32_t level) {
  ash_ctx *ctx = l->x->k->ctx;
  const ash_tile_space *space = l->t->space;
  ash_tile_level *own = &l->t->levels[level];
  ash_tile_cost *cost = &l->t->cost;
  uint32_t d = 0;
  own->memory =
      memory_called(l->x->m->device, ash_yaml_get(map, "memory")->text);
  for (uint32_t a = 0; a < space->axis_count; a++) {
    uint64_t size;
    ASH_TRY(ash_yaml_need_u64(ctx, &size, ash_yaml_get(map, "tile"),
                              space->axes[a].name));
    own->tile[a] = (int64_t)size;
  }
  for (const ash_yaml_item *i = ash_yaml_get(map, "order")->first; i;
       i = i->next)
    own->order[d++] = axis_called(space, i->node->text);
  ASH_TRY(
      ash_yaml_need_u64(ctx, &cost->bytes_moved[level], map, "bytes_moved"));
  ASH_TRY(ash_yaml_need_u64(ctx, &cost->transfers[level], map, "transfers"));
  ASH_TRY(ash_yaml_need_u64(ctx, &cost->rows[level], map, "rows"));
  return read_buffers(l, map, level);
}

static ash_status read_levels(layer *l) {
  const ash_yaml *levels = ash_yaml_get(l->at, "levels");
  ash_zone *z = &l->x->k->ctx->scratch;
  ASH_ASSERT(levels->count <= ASH_TILE_LEVELS);
  l->buffers = ASH_NEW_ARRAY(z, ash_tile_buffer,
                             levels->count * l->t->space->operand_count + 1);
  ASH_TRY(ash_zone_check(l->x->k->ctx, z));
  l->t->buffers = l->buffers;
  for (const ash_yaml_item *i = levels->first; i; i = i->next)
    ASH_TRY(read_level(l, i->node, l->t->level_count++));
  return ASH_OK;
}

static ash_status read_figures(layer *l) {
  ash_ctx *ctx = l->x->k->ctx;
  ash_tile_cost *c = &l->t->cost;
  ASH_TRY(ash_yaml_need_u64(ctx, &c->tiles, l->at, "tiles"));
  ASH_TRY(ash_yaml_need_u64(ctx, &c->bytes_without_reuse, l->at,
                            "bytes_without_reuse"));
  ASH_TRY(ash_yaml_need_u64(ctx, &c->compute_cycles, l->at, "compute_cycles"));
  ASH_TRY(ash_yaml_need_u64(ctx, &c->cycles, l->at, "cycles"));
  ASH_TRY(ash_yaml_need_u64(ctx, &c->price, l->at, "price"));
  return ash_yaml_need_u64(ctx, &c->lower_bound, l->at, "lower_bound");
}

/* ---- tiles among the slots ----------------------------------------------- */

/* "<op>_tile<level>_in<position>_<copy>", or out. */
static ash_status place_tile(layer *l, uint32_t index) {
  ash_slot *s = &l->x->slots[index];
  const ash_tile_space *space = l->t->space;
  unsigned level, position, copy;
  char side[4];
  if (sscanf(s->id + strlen(name_of(l)), "_tile%u_%3[a-z]%u_%u", &level, side,
             &position, &copy) != 4 ||
      level >= l->t->level_count || copy >= ASH_TILE_COPIES)
    return REFUSE(l->x, l->at, "'%s' is no name of a tile", s->id);
  const bool is_output = strcmp(side, "out") == 0;
  for (uint32_t o = 0; o < space->operand_count; o++) {
    if (space->operands[o].is_output != is_output ||
        space->operands[o].position != position)
      continue;
    s->level = level;
    s->operand = o;
    s->copy = copy;
    if (copy == 0)
      l->buffers[(size_t)level * space->operand_count + o].slot = index;
    return ASH_OK;
  }
  return REFUSE(l->x, l->at, "'%s' is a tile of no operand of %s", s->id,
                name_of(l));
}

static ash_status place(layer *l, uint32_t index) {
  ash_slot *s = &l->x->slots[index];
  if (s->kind == ASH_SLOT_TILE)
    return place_tile(l, index);
  s->level = l->t->level_count - 1;
  *(s->kind == ASH_SLOT_WORK ? &l->t->work : &l->t->accumulator) =
      (ash_tile_buffer){1, s->size, index};
  return ASH_OK;
}

/* ---- all of them --------------------------------------------------------- */

static ash_status read_layer(layer *l) {
  l->t->reason = ash_yaml_get(l->at, "reason")
                     ? ash_yaml_get(l->at, "reason")->text
                     : NULL;
  if (!ash_yaml_get(l->at, "levels"))
    return ASH_OK;
  ASH_TRY(read_space(l));
  ASH_TRY(read_levels(l));
  return read_figures(l);
}

/* Where each tensor of the graph lives; those without a slot nowhere. */
static uint32_t *homes_of(const ash_model_match *x) {
  const size_t count = x->m->graph->tensor_count;
  uint32_t *home = ASH_NEW_ARRAY(&x->k->ctx->scratch, uint32_t, count + 1);
  for (size_t i = 0; home && i < count; i++)
    home[i] = ASH_NO_MEMORY;
  for (uint32_t i = 0; home && i < x->plan.slot_count; i++)
    if (x->slots[i].tensor != ASH_NO_ID)
      home[x->slots[i].tensor] =
          memory_called(x->m->device, x->slots[i].binding.memory);
  return home;
}

/* What a kernel reads or writes lives somewhere: the judge looks there. */
static ash_status check_homes(const layer *l, const uint32_t *home) {
  const ash_tile_space *space = l->t->space;
  for (uint32_t o = 0; space && o < space->operand_count; o++)
    if (home[space->operands[o].tensor] == ASH_NO_MEMORY)
      return REFUSE(l->x, l->at, "%s needs '%s', which is in no memory of %s",
                    name_of(l),
                    l->x->m->graph->tensors.items[space->operands[o].tensor].id,
                    l->x->m->device->name);
  return ASH_OK;
}

ash_status ash_check_model_layers(ash_model_match *x) {
  const ash_yaml *list = ash_yaml_get(x->k->f->top, "layers");
  const uint32_t count = (uint32_t)x->m->graph->op_count;
  ash_zone *z = &x->k->ctx->scratch;
  if (!list)
    return ASH_OK;
  ash_tilings *all = ASH_NEW(z, ash_tilings);
  ash_tiling *items = ASH_NEW_ARRAY(z, ash_tiling, count + 1u);
  layer *layers = ASH_NEW_ARRAY(z, layer, count + 1u);
  uint32_t *home = homes_of(x);
  ASH_TRY(ash_zone_check(x->k->ctx, z));
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    const char *id = ash_yaml_get(i->node, "op")->text;
    const uint32_t op = x->op[ash_check_file_op(x->k, id, strlen(id))];
    items[op].op = op;
    layers[op] = (layer){.x = x, .at = i->node, .t = &items[op]};
    ASH_TRY(read_layer(&layers[op]));
    ASH_TRY(check_homes(&layers[op], home));
  }
  for (uint32_t i = 0; i < x->plan.slot_count; i++)
    if (x->slots[i].op != ASH_NO_ID && items[x->slots[i].op].space)
      ASH_TRY(place(&layers[x->slots[i].op], i));
  *all = (ash_tilings){items, count, home, x->m->device, NULL};
  x->plan.tilings = all;
  return ASH_OK;
}
