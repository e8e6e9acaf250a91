/* region.c - what emitters ask about regions and slots; nothing is decided
 * here, all of it follows from the render plan. */
#include "emit/rows/rows.h"

#include "device/device.h"
#include "render/render.h"

#include <inttypes.h>
#include <string.h>

bool ash_emit_is_constant(const ash_render_arena *a) {
  ASH_ASSERT(a->role && a->memory && a->source_memory);
  return strcmp(a->role, ash_role_text(ASH_CONSTANT)) == 0;
}

bool ash_emit_is_persistent(const ash_render_arena *a) {
  return strcmp(a->role, ash_role_text(ASH_PERSISTENT)) == 0;
}

bool ash_emit_is_written(const ash_render_arena *a) {
  return !ash_emit_is_constant(a) || a->is_staged;
}

const ash_render_blob *ash_emit_blob(const ash_module *m,
                                     const ash_render_arena *a) {
  ASH_ASSERT(ash_emit_is_region(m, a) && ash_emit_is_constant(a));
  return &m->render->constant_blobs[a->region_id - ash_emit_first_constant(m)];
}

const char *ash_emit_shared(ash_module *m, const ash_render_arena *a) {
  if (!m->options.shared_scratch || ash_emit_is_constant(a) ||
      ash_emit_is_persistent(a))
    return NULL;
  return ash_render_symbol(&m->ctx->scratch, m->options.shared_scratch,
                           ASH_SCRATCH, a->memory);
}

const char *ash_emit_code_memory(const ash_module *m, uint32_t op) {
  ASH_ASSERT(op < m->g->op_count);
  return m->plan->code_memory && m->code && m->code[op].kernel
             ? m->plan->code_memory[op]
             : NULL;
}

const ash_memory *ash_emit_find_memory(const ash_module *m, const char *name) {
  ASH_ASSERT(name && m->device->memory_count <= ASH_MEMORY_MAX);
  const uint32_t i = ash_device_memory_named(m->device, name);
  return i == ASH_NO_MEMORY ? NULL : &m->device->memories[i];
}

bool ash_emit_is_linkable(const ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(ash_emit_is_region(m, a));
  const ash_memory *memory = ash_emit_find_memory(m, a->memory);
  return !memory || memory->linkable;
}

const char *ash_emit_const(const ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(ash_emit_is_region(m, a) && ash_emit_is_constant(a));
  const ash_memory *memory = ash_emit_find_memory(m, a->source_memory);
  return memory && memory->kind == ASH_MEMORY_RAM && memory->section_initialised
             ? ""
             : "const ";
}

bool ash_emit_has_first_values(const ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(ash_emit_is_region(m, a));
  for (uint32_t i = 0; i < m->plan->slot_count; i++) {
    const ash_slot *s = &m->plan->slots[i];
    if (s->binding.role == ASH_PERSISTENT && s->tensor != ASH_NO_ID &&
        ash_emit_is_persistent(a) &&
        strcmp(s->binding.memory, a->memory) == 0 &&
        m->g->tensors.items[s->tensor].data)
      return true;
  }
  return false;
}

const char *ash_emit_slot(ash_module *m, const ash_slot *s) {
  const ash_render_arena *a =
      ash_render_region(m->render, s->binding.role, s->binding.memory);
  ASH_ASSERT(a && s->binding.offset + s->size <= a->size);
  ash_zone *z = &m->ctx->scratch;
  if (ash_emit_is_written(a))
    return ash_zone_format(z, "(ctx->region[%" PRIu32 "] + %" PRIu64 ")",
                           a->region_id, s->binding.offset);
  return ash_zone_format(z, "(%s + %" PRIu64 ")", ash_emit_stored(m, a),
                         s->binding.offset);
}

const char *ash_emit_tensor(ash_module *m, uint32_t tensor) {
  ASH_ASSERT(tensor == ASH_NO_ID || tensor < m->g->tensor_count);
  if (tensor == ASH_NO_ID)
    return "NULL";
  const ash_row_tensor *rows = ash_emit_rows_of(m, tensor);
  if (rows)
    return ash_emit_rows_base(m, rows);
  uint32_t slot = ash_plan_slot_of_tensor(m->plan, tensor);
  if (slot == ASH_NO_ID && m->rows)
    slot = ash_plan_slot_of_tensor(m->plan, m->rows->root[tensor]);
  return slot == ASH_NO_ID ? "NULL" : ash_emit_slot(m, &m->plan->slots[slot]);
}

const char *ash_emit_stored(ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(ash_emit_is_region(m, a) && ash_emit_is_constant(a));
  if (!ash_emit_loads(m))
    return ash_emit_blob(m, a)->symbol;
  const char *text =
      ash_zone_format(&m->ctx->scratch, "ctx->constants[%" PRIu32 "]",
                      a->region_id - ash_emit_first_constant(m));
  return text ? text : "";
}

const char *ash_emit_region(ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(a->symbol && a->symbol[0]);
  return ash_emit_upper(m, a->symbol);
}
