/* tile_whole.c - an operator that the compute memory holds in one piece: no
 * loop, no boxes, one transfer without gaps for each operand. All are started
 * before the first is awaited. */
#include "emit/tile/tile.h"

#include <inttypes.h>

static bool takes_all(const ash_module *m, const ash_tiling *t, uint32_t i) {
  const ash_tile_space *s = t->space;
  const ash_tensor *x = &m->g->tensors.items[s->operands[i].tensor];
  int64_t at[ASH_TILE_AXES] = {0}, n[ASH_TILE_AXES] = {0};
  ash_box box;
  for (uint32_t a = 0; a < s->axis_count; a++)
    n[a] = s->axes[a].extent;
  ash_tile_box(&box, m->g, s, i, at, n);
  ASH_ASSERT(box.rank == x->shape.rank);
  for (uint32_t d = 0; d < box.rank; d++)
    if (box.size[d] != x->shape.dim[d])
      return false;
  return true;
}

bool ash_emit_tile_is_whole(const ash_module *m, const ash_tiling *t) {
  ASH_ASSERT(t->space && t->level_count > 0);
  if (t->level_count != 1)
    return false;
  for (uint32_t a = 0; a < t->space->axis_count; a++)
    if (t->levels[0].tile[a] < t->space->axes[a].extent)
      return false;
  for (uint32_t i = 0; i < t->space->operand_count; i++)
    if (!takes_all(m, t, i))
      return false;
  return true;
}

typedef struct writer {
  ash_module *m;
  const ash_tiling *t;
  ash_text *text;
} writer;

static const char *name_of(const writer *w, uint32_t i) {
  return ash_emit_tile_name(&w->m->ctx->scratch, &w->t->space->operands[i]);
}

static bool is_moved(const writer *w, uint32_t i) {
  return w->t->buffers[i].copies > 0;
}

/* Where an operand lies for the kernel, and the way there. */
static void put_operand(const writer *w, uint32_t i) {
  const char *name = name_of(w, i);
  if (!is_moved(w, i)) {
    ash_text_line(w->text, "  uint8_t *const %s = home[%" PRIu32 "];", name, i);
    return;
  }
  ash_text_line(w->text, "  uint8_t *const %s = copy[%" PRIu32 "];", name,
                ash_emit_tile_copy(w->t, 0, i));
  ash_text_format(w->text, "  const ash_rt_way %s_way = ", name);
  ash_emit_tile_way(w->m, w->text, w->t, 0, i);
  ash_text_string(w->text, ";\n");
}

static uint64_t bytes_of(const writer *w, uint32_t i) {
  return w->m->g->tensors.items[w->t->space->operands[i].tensor].bytes;
}

static void put_move(const writer *w, uint32_t i) {
  const char *name = name_of(w, i);
  ash_text_format(w->text,
                  "  const uint32_t %s_moved = ash_rt_move_row(&%s_way, ", name,
                  name);
  if (w->t->space->operands[i].is_output)
    ash_text_format(w->text, "home[%" PRIu32 "], %s", i, name);
  else
    ash_text_format(w->text, "%s, home[%" PRIu32 "]", name, i);
  ash_text_format(w->text, ", %" PRIu64 "u);\n", bytes_of(w, i));
}

/* Inputs are loaded before the kernel, outputs stored behind it. */
static void put_moves(const writer *w, bool outputs) {
  const ash_tile_space *s = w->t->space;
  for (uint32_t i = 0; i < s->operand_count; i++)
    if (s->operands[i].is_output == outputs && is_moved(w, i))
      put_move(w, i);
  for (uint32_t i = 0; i < s->operand_count; i++)
    if (s->operands[i].is_output == outputs && is_moved(w, i))
      ash_text_line(w->text, "  ash_rt_move_wait(&%s_way, %s_moved);",
                    name_of(w, i), name_of(w, i));
}

void ash_emit_tile_whole(ash_module *m, ash_text *out, const ash_tiling *tiling,
                         const char *name) {
  ASH_ASSERT(ash_emit_tile_is_whole(m, tiling));
  const writer w = {m, tiling, out};
  const uint32_t work = ash_emit_tile_copy(tiling, 1, 0);
  ash_text_line(out,
                "static void %s(const %s_context *ctx, uint8_t *const *home,\n"
                "    uint8_t *const *copy) {",
                name, m->prefix);
  for (uint32_t i = 0; i < tiling->space->operand_count; i++)
    put_operand(&w, i);
  ash_text_line(out, "  void *const work_memory = copy[%" PRIu32 "];", work);
  ash_text_line(out, "  void *const sum_memory = copy[%" PRIu32 "];", work + 1);
  ash_text_line(out, "  (void)ctx;");
  put_moves(&w, false);
  ash_text_string(out, "  ");
  ash_emit_tile_call(m, out, tiling, name, 0);
  put_moves(&w, true);
  ash_text_line(out, "}");
  ash_text_blank(out);
}
