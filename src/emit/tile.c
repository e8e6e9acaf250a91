/* tile.c - see tile.h. */
#include "emit/tile.h"

#include <inttypes.h>

const ash_tiling *ash_emit_tiling(const ash_module *m, uint32_t op) {
  if (!m->plan->tilings || op >= m->plan->tilings->count)
    return NULL;
  const ash_tiling *t = &m->plan->tilings->items[op];
  return t->space && t->level_count && m->kernels[op] ? t : NULL;
}

bool ash_emit_is_tiled(const ash_module *m) {
  for (uint32_t op = 0; m->g && op < m->g->op_count; op++)
    if (ash_emit_tiling(m, op))
      return true;
  return false;
}

const char *ash_emit_tile_slot(ash_module *m, uint32_t op, ash_slot_kind kind,
                               uint32_t operand, uint32_t level,
                               uint32_t copy) {
  for (uint32_t i = 0; i < m->plan->slot_count; i++) {
    const ash_slot *s = &m->plan->slots[i];
    if (s->op != op || s->kind != kind)
      continue;
    if (kind != ASH_SLOT_TILE ||
        (s->operand == operand && s->level == level && s->copy == copy))
      return ash_emit_slot(m, s);
  }
  return "0";
}

ash_status ash_emit_use_kernel(ash_module *m, const ash_kernel *kernel) {
  for (size_t i = 0; i < m->used.count; i++)
    if (m->used.items[i] == kernel)
      return ASH_OK;
  if (!ASH_GROW(m->zone, &m->used, m->used.count))
    return ash_nomem(m->ctx);
  m->used.items[m->used.count++] = kernel;
  return ASH_OK;
}

/* " * L1: n 1 h 8 w 16 c 64; 12 pieces" */
static void put_comment(ash_module *m, const ash_tiling *t) {
  for (uint32_t k = 0; k < t->level_count; k++) {
    ash_text_format(m->text,
                    " * in %s:", m->device->memories[t->levels[k].memory].name);
    for (uint32_t a = 0; a < t->space->axis_count; a++)
      ash_text_format(m->text, " %s %" PRId64 " of %" PRId64,
                      t->space->axes[a].name, t->levels[k].tile[a],
                      t->space->axes[a].extent);
    ash_text_blank(m->text);
  }
  ash_text_line(m->text, " */");
}

ash_status ash_emit_tiled_op(ash_module *m, uint32_t op) {
  const ash_tiling *t = ash_emit_tiling(m, op);
  const char *name = ash_zone_format(&m->ctx->scratch, "%s_%s", m->prefix,
                                     m->g->ops.items[op].id);
  ash_tile_classes classes;
  ASH_TRY(ash_zone_check(m->ctx, &m->ctx->scratch));
  put_comment(m, t);
  ASH_TRY(ash_tile_classify(m->ctx, &classes, m->g, t));
  ASH_TRY(ash_tile_put_kernels(m, t, name, &classes));
  return ash_tile_put_loops(m, t, name);
}
