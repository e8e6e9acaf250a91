/* layers_json.c - the tilings of a plan as JSON: `layers`, one an operator. */
#include "plan/file/layers_json.h"

static void put_sizes(ash_json *j, const ash_tiling *t, uint32_t level) {
  ASH_ASSERT(level < t->level_count);
  ash_json_open_inline(j, "tile", '{');
  for (uint32_t a = 0; a < t->space->axis_count; a++)
    ash_json_int(j, t->space->axes[a].name, t->levels[level].tile[a]);
  ash_json_close(j, '}');
  ash_json_open_inline(j, "order", '[');
  for (uint32_t d = 0; d < t->space->axis_count; d++)
    ash_json_string(j, NULL, t->space->axes[t->levels[level].order[d]].name);
  ash_json_close(j, ']');
}

static void put_level(ash_json *j, const ash_tilings *all, const ash_tiling *t,
                      uint32_t level) {
  const uint32_t count = t->space->operand_count;
  ash_json_open(j, NULL, '{');
  ash_json_string(j, "memory",
                  all->device->memories[t->levels[level].memory].name);
  put_sizes(j, t, level);
  ash_json_open_inline(j, "buffering", '[');
  for (uint32_t o = 0; o < count; o++)
    ash_json_uint(j, NULL, t->buffers[level * count + o].copies);
  ash_json_close(j, ']');
  ash_json_open_inline(j, "buffer_bytes", '[');
  for (uint32_t o = 0; o < count; o++)
    ash_json_uint(j, NULL, t->buffers[level * count + o].bytes);
  ash_json_close(j, ']');
  ash_json_uint(j, "bytes_moved", t->cost.bytes_moved[level]);
  ash_json_uint(j, "transfers", t->cost.transfers[level]);
  ash_json_uint(j, "rows", t->cost.rows[level]);
  ash_json_close(j, '}');
}

static void put_extent(ash_json *j, const ash_tiling *t) {
  ASH_ASSERT(t->space != NULL);
  ash_json_open_inline(j, "extent", '{');
  for (uint32_t a = 0; a < t->space->axis_count; a++)
    ash_json_int(j, t->space->axes[a].name, t->space->axes[a].extent);
  ash_json_close(j, '}');
}

static uint64_t bytes_of(const ash_tiling *t) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < t->level_count; k++)
    sum += t->cost.bytes_moved[k];
  return sum;
}

static void put_layer(ash_json *j, const ash_tilings *all, const ash_tiling *t,
                      const ash_graph *g) {
  const ash_op *op = ash_graph_op(g, t->op);
  const ash_tile_cost *c = &t->cost;
  ash_json_open(j, NULL, '{');
  ash_json_string(j, "op", op->id);
  ash_json_string(j, "kind", ash_op_text(op));
  if (t->reason)
    ash_json_string(j, "reason", t->reason);
  if (t->space) {
    put_extent(j, t);
    ash_json_open(j, "levels", '[');
    for (uint32_t k = 0; k < t->level_count; k++)
      put_level(j, all, t, k);
    ash_json_close(j, ']');
    ash_json_uint(j, "tiles", c->tiles);
    ash_json_uint(j, "bytes_moved", bytes_of(t));
    ash_json_uint(j, "bytes_without_reuse", c->bytes_without_reuse);
    ash_json_uint(j, "compute_cycles", c->compute_cycles);
    ash_json_uint(j, "cycles", c->cycles);
    ash_json_uint(j, "price", c->price);
    ash_json_uint(j, "lower_bound", c->lower_bound);
    ash_json_uint(j, "utilisation_percent",
                  c->cycles ? c->compute_cycles * 100 / c->cycles : 0);
    ash_json_string(j, "verdict", ash_verdict_text(c->verdict));
  }
  ash_json_close(j, '}');
}

void ash_layers_json(ash_json *j, const ash_plan *p, const ash_graph *g) {
  if (!p->tilings)
    return;
  ash_json_open(j, "layers", '[');
  for (uint32_t i = 0; i < p->tilings->count; i++)
    put_layer(j, p->tilings, &p->tilings->items[i], g);
  ash_json_close(j, ']');
}
