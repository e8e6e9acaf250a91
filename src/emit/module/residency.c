/* residency.c - <prefix>_residency.json: which tensor lives where, in the
 * fourth schema of heliaAOT's file of that name, for tools that read it. Keys
 * are sorted, names in small letters. */
#include "base/json.h"
#include "emit/module/module.h"
#include "render/render.h"

#include <string.h>

static bool lies_in(const ash_slot *s, const ash_arena *a) {
  return s->bound && s->binding.role == a->role &&
         strcmp(s->binding.memory, a->memory) == 0;
}

/* The largest sum of bytes alive at one step. */
static uint64_t peak_live(const ash_plan *p, const ash_arena *a) {
  uint64_t peak = 0;
  for (uint32_t step = 0; step < p->steps.count; step++) {
    uint64_t live = 0;
    for (uint32_t i = 0; i < p->slot_count; i++) {
      const ash_slot *s = &p->slots[i];
      if (lies_in(s, a) && s->alias_of == ASH_NO_ID &&
          s->life.first_step <= step && step < s->life.end_step)
        live += s->size;
    }
    peak = live > peak ? live : peak;
  }
  return peak;
}

static uint32_t tensors_in(const ash_plan *p, const ash_arena *a) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->slot_count; i++)
    count += lies_in(&p->slots[i], a);
  return count;
}

static void put_arena(ash_module *m, ash_json *j, uint32_t region) {
  const ash_arena *a = &m->plan->arenas[region];
  const uint64_t live = peak_live(m->plan, a);
  ash_json_open(j, NULL, '{');
  ash_json_uint(j, "alignment", a->alignment);
  if (a->role == ASH_SCRATCH)
    ash_json_uint(j, "fragmentation", a->size > live ? a->size - live : 0);
  if (a->role == ASH_CONSTANT)
    ash_json_string(j, "kind",
                    strcmp(a->memory, a->source_memory) ? "staged" : "cold");
  ash_json_string(j, "memory", ash_emit_lower(m, a->memory));
  if (a->role == ASH_SCRATCH)
    ash_json_uint(j, "peak_live", live);
  ash_json_uint(j, "region_id", region);
  if (a->role == ASH_CONSTANT) {
    ash_json_string(j, "source_memory", ash_emit_lower(m, a->source_memory));
    ash_json_uint(j, "tensor_count", tensors_in(m->plan, a));
  }
  ash_json_uint(j, "total_size",
                a->role == ASH_SCRATCH ? a->total_size : a->size);
  ash_json_uint(j, "used", a->size);
  ash_json_close(j, '}');
}

static void put_role(ash_module *m, ash_json *j, ash_role role) {
  ash_json_open(j, ash_role_text(role), '[');
  for (uint32_t i = 0; i < m->plan->arena_count; i++)
    if (m->plan->arenas[i].role == role)
      put_arena(m, j, i);
  ash_json_close(j, ']');
}

static void put_tensor(ash_module *m, ash_json *j, const ash_slot *s) {
  ash_json_open(j, NULL, '{');
  ash_json_string(j, "id", s->id);
  ash_json_string(j, "memory", ash_emit_lower(m, s->binding.memory));
  ash_json_uint(j, "offset", s->binding.offset);
  ash_json_string(j, "role", ash_role_text(s->binding.role));
  ash_json_uint(j, "size", s->size);
  ash_json_string(j, "source_memory",
                  ash_emit_lower(m, s->binding.source_memory));
  ash_json_close(j, '}');
}

ash_status ash_emit_residency(ash_module *m) {
  ash_json j;
  const ash_slot **order;
  ASH_TRY(ash_render_natural_order(m->ctx, &order, m->plan));
  ash_json_init(&j, m->text);
  ash_json_open(&j, NULL, '{');
  ash_json_open(&j, "arenas", '{');
  put_role(m, &j, ASH_CONSTANT);
  put_role(m, &j, ASH_PERSISTENT);
  put_role(m, &j, ASH_SCRATCH);
  ash_json_close(&j, '}');
  ash_json_string(&j, "module_prefix", m->prefix);
  ash_json_string(&j, "plan_hash", m->render->plan_hash);
  ash_json_uint(&j, "schema_version", 4);
  ash_json_string(&j, "tensor_layout_hash", m->render->tensor_layout_hash);
  ash_json_open(&j, "tensors", '[');
  for (uint32_t i = 0; i < m->plan->slot_count; i++)
    put_tensor(m, &j, order[i]);
  ash_json_close(&j, ']');
  ash_json_close(&j, '}');
  return ASH_OK;
}
