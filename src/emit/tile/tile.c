/* tile.c - see tile.h. */
#include "emit/tile/tile.h"

#include <inttypes.h>
#include <string.h>

bool ash_emit_is_tiled(const ash_module *m) {
  for (uint32_t op = 0; m->g && op < m->g->op_count; op++)
    if (m->code[op].tiling)
      return true;
  return false;
}

const char *ash_emit_tile_slot(ash_module *m, uint32_t op, ash_slot_kind kind,
                               uint32_t operand, uint32_t level,
                               uint32_t copy) {
  ASH_ASSERT(op < m->g->op_count && level < ASH_TILE_LEVELS);
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

ash_status ash_emit_use_kernel(ash_module *m, const ash_kernel *kernel,
                               bool lines) {
  ASH_ASSERT(kernel && (kernel->lines || !lines));
  const char *function =
      lines ? ash_zone_format(m->zone, "%s_lines", kernel->name) : kernel->name;
  ASH_TRY(ash_zone_check(m->ctx, m->zone));
  for (size_t i = 0; i < m->used.count; i++)
    if (m->used.items[i].kernel == kernel &&
        strcmp(m->used.items[i].function, function) == 0)
      return ASH_OK;
  if (!ASH_GROW(m->zone, &m->used, m->used.count))
    return ash_nomem(m->ctx);
  m->used.items[m->used.count++] = (ash_used_kernel){kernel, function};
  return ASH_OK;
}

/* " * L1: n 1 h 8 w 16 c 64; 12 pieces" */
static void put_comment(ash_module *m, const ash_tiling *t) {
  ASH_ASSERT(t->level_count > 0 && t->level_count <= ASH_TILE_LEVELS);
  for (uint32_t k = 0; k < t->level_count; k++) {
    ASH_ASSERT(t->levels[k].memory < m->device->memory_count);
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

/* ---- loops and kernels that several steps share ------------------------- */

/* The text stands for all names of the step with this sign, which C does not
 * know. */
static const char own_name[] = "@";

static void put_named(ash_module *m, const char *text, size_t count,
                      size_t number) {
  ASH_ASSERT(text || count == 0);
  const char *end = text + count;
  ash_text t;
  ash_text_init(&t, &m->ctx->mem);
  for (const char *sign; (sign = memchr(text, *own_name, (size_t)(end - text)));
       text = sign + 1) {
    ash_text_put(&t, text, (size_t)(sign - text));
    ash_text_format(&t, "%s_tiled_%zu", m->prefix, number);
  }
  ash_text_put(&t, text, (size_t)(end - text));
  ash_emit_renamed(m, t.bytes, t.count);
  m->text->failed |= t.failed;
  ash_text_drop(&t);
}

/* Steps whose loops and kernels are the same to the letter share them: only
 * addresses differ, and those are arguments. */
static ash_status share(ash_module *m, const ash_text *t, size_t *number) {
  ASH_ASSERT(t->count > 0);
  for (size_t i = 0; i < m->tiled.count; i++)
    if (m->tiled.items[i].count == t->count &&
        memcmp(m->tiled.items[i].bytes, t->bytes, t->count) == 0) {
      *number = i;
      return ASH_OK;
    }
  if (!ASH_GROW(m->zone, &m->tiled, m->tiled.count))
    return ash_nomem(m->ctx);
  *number = m->tiled.count;
  m->tiled.items[m->tiled.count++] =
      (ash_tiled_text){ash_zone_copy(m->zone, t->bytes, t->count), t->count};
  put_named(m, t->bytes, t->count, *number);
  return ash_zone_check(m->ctx, m->zone);
}

ash_status ash_emit_tiled_loops(ash_module *m, const ash_tiling *t,
                                size_t *number) {
  ASH_ASSERT(t->op < m->g->op_count && m->code[t->op].tiling == t);
  ash_tile_classes classes;
  ash_text text;
  ASH_TRY(ash_emit_tile_classify(m->ctx, &classes, m->g, t));
  ash_text_init(&text, &m->ctx->mem);
  ash_status status = ash_emit_tile_kernels(m, &text, t, own_name, &classes);
  if (status == ASH_OK)
    status = ash_emit_tile_loops(m, &text, t, own_name);
  if (status == ASH_OK)
    status = ash_text_check(m->ctx, &text);
  if (status == ASH_OK)
    status = share(m, &text, number);
  ash_text_drop(&text);
  return status;
}

const ash_slot *ash_emit_home(const ash_module *m, const ash_tile_operand *o) {
  ASH_ASSERT(o->tensor < m->g->tensor_count);
  const uint32_t slot = ash_plan_slot_of_tensor(m->plan, o->tensor);
  return slot == ASH_NO_ID ? NULL : &m->plan->slots[slot];
}

void ash_emit_tiled_step(ash_module *m, const ash_tiling *t, size_t number) {
  ASH_ASSERT(number < m->tiled.count && t->space->op == t->op);
  const ash_tile_space *s = t->space;
  put_comment(m, t);
  ash_text_format(m->text, "static void %s_%s(", m->prefix,
                  m->g->ops.items[t->op].id);
  ash_emit_step_parameters(m);
  ash_text_string(m->text, ") {\n");
  if (m->rows)
    ash_text_line(m->text, "  (void)from, (void)to;");
  ash_text_string(m->text, "  uint8_t *const home[] = {");
  for (uint32_t i = 0; i < s->operand_count; i++) {
    const ash_slot *home = ash_emit_home(m, &s->operands[i]);
    ash_text_format(
        m->text, "%s\n      %s%s", i ? "," : "",
        home->binding.role == ASH_CONSTANT ? "(uint8_t *)(uintptr_t)" : "",
        ash_emit_slot(m, home));
  }
  ash_text_string(m->text, "};\n  uint8_t *const copy[] = {");
  ash_emit_tile_buffers(m, t);
  ash_text_string(m->text, "};\n");
  ash_text_line(m->text, "  %s_tiled_%zu(ctx, home, copy);", m->prefix, number);
  ash_text_line(m->text, "}");
  ash_text_blank(m->text);
}
