/* own_constraint.c - a tile constraint of one's own, and a multi-buffer
 * strategy.
 *
 * A kernel that is not Ashlar's wants eight channels at a time and whole rows:
 * the constraint says so, all searches obey. The program prints the tiles that
 * are chosen with and without it, operator by operator.
 *
 *   own_constraint examples/digits/digits.tflite                           */
#include "ashlar/compile.h"
#include "ashlar/deeploy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Channels in eights; rows are not cut. */
static void eight_channels_whole_rows(void *user, const ash_graph *g,
                                      const ash_tile_space *space,
                                      int64_t granule[ASH_TILE_AXES]) {
  (void)user, (void)g;
  for (uint32_t a = 0; a < space->axis_count; a++) {
    if (strcmp(space->axes[a].name, "c") == 0)
      granule[a] *= 8;
    if (strcmp(space->axes[a].name, "w") == 0)
      granule[a] = space->axes[a].extent;
  }
}

static void print_tiles(const ash_tilings *tilings) {
  for (uint32_t i = 0; i < tilings->count; i++) {
    const ash_tiling *t = &tilings->items[i];
    printf("op %u:", (unsigned)i);
    for (uint32_t a = 0; t->space && a < t->space->axis_count; a++)
      printf(" %s %" PRId64 "/%" PRId64, t->space->axes[a].name,
             t->levels[t->level_count - 1].tile[a], t->space->axes[a].extent);
    printf("\n");
  }
}

/* Are they as the constraint says? */
static bool obeys(const ash_tilings *tilings) {
  for (uint32_t i = 0; i < tilings->count; i++) {
    const ash_tiling *t = &tilings->items[i];
    for (uint32_t a = 0; t->space && a < t->space->axis_count; a++) {
      const ash_tile_axis *axis = &t->space->axes[a];
      const int64_t tile = t->levels[t->level_count - 1].tile[a];
      if (tile < axis->extent &&
          (strcmp(axis->name, "w") == 0 ||
           (strcmp(axis->name, "c") == 0 && tile % 8 != 0)))
        return false;
    }
  }
  return true;
}

static ash_status tile(ash_ctx *ctx, const ash_device *device, ash_graph *g,
                       ash_tile_constraint *constraint,
                       const ash_tilings **out) {
  const ash_tiler_settings settings = {
      .struct_bytes = sizeof settings,
      .tile = {.copies = ash_multi_buffer_double, .constrain = constraint}};
  const ash_plan *map;
  ash_tiler *t;
  ash_status status = ash_tiler_new(ctx, &t, device, &settings);
  if (status == ASH_OK)
    status = ash_tiler_setup_model(t, g, NULL, NULL);
  if (status == ASH_OK)
    status = ash_tiler_compute_schedule(t, out);
  if (status == ASH_OK)
    status = ash_tiler_compute_memory_map(t, &map);
  if (status == ASH_OK)
    status = ash_tiler_annotate_memory_level(t, out);
  return status == ASH_OK ? ash_tiler_test_solution(t) : status;
}

static ash_status compare(ash_ctx *ctx, const char *model) {
  const ash_device *device;
  const ash_tilings *free_tiles, *own_tiles;
  ash_graph *g = NULL;
  ash_status status = ash_device_load(ctx, &device, "deeploy");
  if (status == ASH_OK)
    status = ash_device_set_bytes(ctx, &device, "L1", 1600);
  if (status == ASH_OK)
    status = ash_load_model(ctx, &g, model);
  if (status == ASH_OK)
    status = ash_lower(ctx, g);
  if (status == ASH_OK)
    status = tile(ctx, device, g, NULL, &free_tiles);
  if (status == ASH_OK)
    status = tile(ctx, device, g, eight_channels_whole_rows, &own_tiles);
  if (status == ASH_OK) {
    print_tiles(free_tiles);
    printf("with the constraint:\n");
    print_tiles(own_tiles);
    printf("obeyed: %s, before: %s\n", obeys(own_tiles) ? "yes" : "no",
           obeys(free_tiles) ? "yes" : "no");
  }
  ash_graph_free(g);
  return status;
}

int main(int argc, char **argv) {
  ash_ctx *ctx;
  if (argc != 2 || ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 2;
  const ash_status status = compare(ctx, argv[1]);
  size_t count;
  const ash_diag *diags = ash_ctx_diags(ctx, &count);
  for (size_t i = 0; status != ASH_OK && i < count; i++)
    fprintf(stderr, "%s\n", diags[i].message);
  ash_ctx_free(ctx);
  return status != ASH_OK;
}
