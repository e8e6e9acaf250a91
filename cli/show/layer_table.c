/* layer_table.c - see layer_table.h. */
#include "show/layer_table.h"

#include <inttypes.h>
#include <stdio.h>

enum { TILE_WIDTH = 30, BUFFERS_WIDTH = 12 };

typedef struct line {
  char text[96];
  size_t count;
} line;

static void put(line *l, const char *text) {
  while (*text && l->count + 1 < sizeof l->text)
    l->text[l->count++] = *text++;
  l->text[l->count] = '\0';
}

static void put_number(line *l, int64_t n) {
  char digits[24];
  (void)snprintf(digits, sizeof digits, "%" PRId64, n);
  put(l, digits);
}

/* Cut axes, outermost loop first: "h=8 c=16"; "whole" if there are none. */
static void put_tile(line *l, const ash_tiling *t, uint32_t level) {
  const ash_tile_space *s = t->space;
  bool any = false;
  for (uint32_t d = 0; d < s->axis_count; d++) {
    const uint32_t a = t->levels[level].order[d];
    const int64_t outer =
        level ? t->levels[level - 1].tile[a] : s->axes[a].extent;
    if (t->levels[level].tile[a] >= outer)
      continue;
    if (any)
      put(l, " ");
    any = true;
    put(l, s->axes[a].name);
    put(l, "=");
    put_number(l, t->levels[level].tile[a]);
  }
  if (!any)
    put(l, "whole");
}

/* Copies of each operand: "2,1,2"; "." where it is read where it is. */
static void put_copies(line *l, const ash_tiling *t, uint32_t level) {
  const ash_tile_space *s = t->space;
  for (uint32_t o = 0; o < s->operand_count; o++) {
    const uint32_t copies = t->buffers[level * s->operand_count + o].copies;
    if (o)
      put(l, ",");
    if (copies)
      put_number(l, copies);
    else
      put(l, ".");
  }
}

static void print_level(const term *out, const ash_tiling *t, uint32_t level,
                        const char *name, const char *memory) {
  line tile = {.count = 0}, copies = {.count = 0};
  const bool last = level + 1 == t->level_count;
  put_tile(&tile, t, level);
  put_copies(&copies, t, level);
  fprintf(out->out, "  %-24.24s %-6s %-*.*s", name, memory, TILE_WIDTH,
          TILE_WIDTH, tile.text);
  if (last)
    fprintf(out->out, " %8" PRIu64, t->cost.tiles);
  else
    fprintf(out->out, " %8s", "");
  fprintf(out->out, " %-*.*s %12" PRIu64, BUFFERS_WIDTH, BUFFERS_WIDTH,
          copies.text, t->cost.bytes_moved[level]);
  if (last && t->cost.cycles)
    fprintf(out->out, " %12" PRIu64 " %5.1f%% %s", t->cost.cycles,
            100.0 * (double)t->cost.compute_cycles / (double)t->cost.cycles,
            ash_verdict_text(t->cost.verdict));
  fputc('\n', out->out);
}

void print_layers(const term *out, const ash_plan *p, const ash_graph *g,
                  const ash_device *device) {
  uint64_t bytes[ASH_TILE_LEVELS] = {0}, cycles = 0, tiles = 0;
  fprintf(out->out, "\n  %-24s %-6s %-*s %8s %-*s %12s %12s %6s %s\n", "layer",
          "memory", TILE_WIDTH, "tile", "tiles", BUFFERS_WIDTH, "copies",
          "bytes moved", "cycles", "used", "search");
  for (uint32_t i = 0; i < p->tilings->count; i++) {
    const ash_tiling *t = &p->tilings->items[i];
    const char *name = ash_graph_op(g, t->op)->id;
    if (!t->space) {
      fprintf(out->out, "  %-24.24s %-6s %s\n", name, "-", t->reason);
      continue;
    }
    for (uint32_t k = 0; k < t->level_count; k++) {
      print_level(out, t, k, k ? "" : name,
                  device->memories[t->levels[k].memory].name);
      bytes[t->level_count - 1 - k] += t->cost.bytes_moved[k];
    }
    cycles += t->cost.cycles;
    tiles += t->cost.tiles;
  }
  fprintf(out->out,
          "  total: %" PRIu64 " tiles, %" PRIu64 " cycles, bytes moved", tiles,
          cycles);
  for (uint32_t k = ASH_TILE_LEVELS; k-- > 0;)
    if (bytes[k] || k == 0)
      fprintf(out->out, " %" PRIu64, bytes[k]);
  fputc('\n', out->out);
}
