/* residency_json.c - writes a residency file, for tools that read heliaAOT's:
 * keys are sorted, names in small letters. */
#include "plan/file/residency.h"

#include "base/json.h"
#include "plan/file/hash.h"

#include <ctype.h>
#include <string.h>

/* The file under way. */
typedef struct residency {
  ash_ctx *ctx;
  const ash_plan *plan;
  ash_json json;
} residency;

static void put_memory(residency *r, const char *key, const char *name) {
  ASH_ASSERT(key && name);
  char *lower = ash_zone_string(&r->ctx->scratch, name);
  for (char *c = lower; c && *c; c++)
    *c = (char)tolower((unsigned char)*c);
  ash_json_string(&r->json, key, lower ? lower : "");
}

static bool lies_in(const ash_slot *s, const ash_arena *a) {
  ASH_ASSERT(s->binding.memory && a->memory);
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

static void put_arena(residency *r, uint32_t region) {
  ash_json *j = &r->json;
  const ash_arena *a = &r->plan->arenas[region];
  const uint64_t live = peak_live(r->plan, a);
  ash_json_open(j, NULL, '{');
  ash_json_uint(j, "alignment", a->alignment);
  if (a->role == ASH_SCRATCH)
    ash_json_uint(j, "fragmentation", a->size > live ? a->size - live : 0);
  if (a->role == ASH_CONSTANT)
    ash_json_string(j, "kind",
                    strcmp(a->memory, a->source_memory) ? "staged" : "cold");
  put_memory(r, "memory", a->memory);
  if (a->role == ASH_SCRATCH)
    ash_json_uint(j, "peak_live", live);
  ash_json_uint(j, "region_id", region);
  if (a->role == ASH_CONSTANT) {
    put_memory(r, "source_memory", a->source_memory);
    ash_json_uint(j, "tensor_count", tensors_in(r->plan, a));
  }
  ash_json_uint(j, "total_size",
                a->role == ASH_SCRATCH ? a->total_size : a->size);
  ash_json_uint(j, "used", a->size);
  ash_json_close(j, '}');
}

static void put_role(residency *r, ash_role role) {
  ASH_ASSERT(role <= ASH_CONSTANT);
  ash_json_open(&r->json, ash_role_text(role), '[');
  for (uint32_t i = 0; i < r->plan->arena_count; i++)
    if (r->plan->arenas[i].role == role)
      put_arena(r, i);
  ash_json_close(&r->json, ']');
}

/* All places of a tensor's rows, by row and time: [at, end) of the order. */
static void put_rows(residency *r, const ash_slot **at, const ash_slot **end) {
  ASH_ASSERT(at < end);
  ash_json_open_inline(&r->json, "row_offsets", '[');
  for (; at < end; at++)
    ash_json_uint(&r->json, NULL, (*at)->binding.offset);
  ash_json_close(&r->json, ']');
}

/* Rows of a tensor are one entry: `offset` and `size` are those of row 0. */
static void put_tensor(residency *r, const ash_slot **at,
                       const ash_slot **end) {
  const ash_slot *s = *at;
  ash_json *j = &r->json;
  ash_json_open(j, NULL, '{');
  ash_json_string(j, "id", s->id);
  put_memory(r, "memory", s->binding.memory);
  ash_json_uint(j, "offset", s->binding.offset);
  ash_json_string(j, "role", ash_role_text(s->binding.role));
  if (s->has_row)
    put_rows(r, at, end);
  ash_json_uint(j, "size", s->size);
  put_memory(r, "source_memory", s->binding.source_memory);
  ash_json_close(j, '}');
}

ash_status ash_residency_json(ash_ctx *ctx, ash_text *out, const ash_plan *p,
                              const char *prefix) {
  residency r = {.ctx = ctx, .plan = p};
  char plan_hash[17], layout_hash[17];
  const ash_slot **order;
  ASH_TRY(ash_plan_hashes(ctx, plan_hash, layout_hash, p));
  ASH_TRY(ash_plan_natural_order(ctx, &order, p));
  ash_json *j = &r.json;
  ash_json_init(j, out);
  ash_json_open(j, NULL, '{');
  ash_json_open(j, "arenas", '{');
  put_role(&r, ASH_CONSTANT);
  put_role(&r, ASH_PERSISTENT);
  put_role(&r, ASH_SCRATCH);
  ash_json_close(j, '}');
  ash_json_string(j, "module_prefix", prefix);
  ash_json_string(j, "plan_hash", plan_hash);
  ash_json_uint(j, "schema_version", 4);
  ash_json_string(j, "tensor_layout_hash", layout_hash);
  ash_json_open(j, "tensors", '[');
  for (uint32_t i = 0, end; i < p->slot_count; i = end) {
    for (end = i + 1; end < p->slot_count && order[i]->has_row &&
                      order[end]->has_row &&
                      order[end]->tensor == order[i]->tensor;)
      end++;
    put_tensor(&r, order + i, order + end);
  }
  ash_json_close(j, ']');
  ash_json_close(j, '}');
  return ASH_OK;
}
