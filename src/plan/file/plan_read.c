/* plan_read.c - plan JSON -> plan. */
#include "plan/file/plan_read.h"

#include <string.h>

typedef struct reader {
  ash_ctx *ctx;
  ash_plan plan;
  ash_arena *arenas;
  ash_slot *slots;
} reader;

static ash_status bad_word(reader *r, const ash_yaml *map, const char *what,
                           const char *word) {
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_json, ash_yaml_loc(map),
                  "'%s' is no %s", word, what);
}

static ash_status get_role(reader *r, const ash_yaml *map, ash_role *out) {
  const char *word;
  ASH_TRY(ash_yaml_need_string(r->ctx, &word, map, "role"));
  for (int role = 0; role < 3; role++)
    if (strcmp(word, ash_role_text((ash_role)role)) == 0) {
      *out = (ash_role)role;
      return ASH_OK;
    }
  return bad_word(r, map, "role", word);
}

static ash_status get_verdict(reader *r, const ash_yaml *map,
                              ash_verdict *out) {
  const char *word;
  ASH_TRY(ash_yaml_need_string(r->ctx, &word, map, "verdict"));
  for (int v = ASH_UNKNOWN; v <= ASH_INFEASIBLE; v++)
    if (strcmp(word, ash_verdict_text((ash_verdict)v)) == 0) {
      *out = (ash_verdict)v;
      return ASH_OK;
    }
  return bad_word(r, map, "verdict", word);
}

static ash_status read_arena(reader *r, const ash_yaml *map, ash_arena *a) {
  ASH_TRY(ash_yaml_want_map(r->ctx, map, "an arena"));
  ASH_TRY(get_role(r, map, &a->role));
  ASH_TRY(ash_yaml_need_string(r->ctx, &a->memory, map, "memory"));
  ASH_TRY(
      ash_yaml_need_string(r->ctx, &a->source_memory, map, "source_memory"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &a->size, map, "size"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &a->alignment, map, "alignment"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &a->lower_bound, map, "lower_bound"));
  return get_verdict(r, map, &a->verdict);
}

static ash_status get_step(reader *r, const ash_yaml *map, const char *key,
                           uint32_t *out) {
  uint64_t value;
  ASH_TRY(ash_yaml_need_u64(r->ctx, &value, map, key));
  if (value >= UINT32_MAX)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_json, ash_yaml_loc(map),
                    "'%s' is too large", key);
  *out = (uint32_t)value;
  return ASH_OK;
}

static ash_status read_slot(reader *r, const ash_yaml *map, ash_slot *s) {
  ASH_TRY(ash_yaml_want_map(r->ctx, map, "a tensor"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &s->id, map, "id"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &s->name, map, "name"));
  ASH_TRY(get_role(r, map, &s->binding.role));
  ASH_TRY(ash_yaml_need_string(r->ctx, &s->binding.memory, map, "memory"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &s->binding.source_memory, map,
                               "source_memory"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &s->binding.offset, map, "offset"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &s->size, map, "size"));
  ASH_TRY(get_step(r, map, "first_step", &s->life.first_step));
  ASH_TRY(get_step(r, map, "last_step", &s->life.end_step));
  s->life.end_step++;
  const ash_yaml *alignment = ash_yaml_get(map, "alignment");
  if (alignment)
    ASH_TRY(ash_yaml_u64(r->ctx, &s->alignment, alignment, "alignment"));
  s->bound = true;
  s->tensor = s->op = s->alias_of = s->follows = s->moved_from = ASH_NO_ID;
  return ASH_OK;
}

/* alias_of and follows name a tensor by id. */
static ash_status link_slot(reader *r, const ash_yaml *map, const char *key,
                            uint32_t *out) {
  const ash_yaml *other = ash_yaml_get(map, key);
  const char *id;
  if (!other || ash_yaml_is_null(other))
    return ASH_OK;
  ASH_TRY(ash_yaml_string(r->ctx, &id, other, key));
  ASH_ASSERT(*out == ASH_NO_ID);
  for (uint32_t i = 0; i < r->plan.slot_count; i++)
    if (strcmp(r->slots[i].id, id) == 0) {
      *out = i;
      return ASH_OK;
    }
  return bad_word(r, map, "tensor of this plan", id);
}

static ash_status read_lists(reader *r, const ash_yaml *top) {
  const ash_yaml *arenas, *tensors;
  ASH_TRY(ash_yaml_need_list(r->ctx, &arenas, top, "arenas"));
  ASH_TRY(ash_yaml_need_list(r->ctx, &tensors, top, "tensors"));
  r->arenas = ASH_NEW_ARRAY(&r->ctx->scratch, ash_arena, arenas->count + 1);
  r->slots = ASH_NEW_ARRAY(&r->ctx->scratch, ash_slot, tensors->count + 1);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (const ash_yaml_item *i = arenas->first; i; i = i->next)
    ASH_TRY(read_arena(r, i->node, &r->arenas[r->plan.arena_count++]));
  for (const ash_yaml_item *i = tensors->first; i; i = i->next)
    ASH_TRY(read_slot(r, i->node, &r->slots[r->plan.slot_count++]));
  uint32_t index = 0;
  for (const ash_yaml_item *i = tensors->first; i; i = i->next, index++) {
    ASH_ASSERT(index < r->plan.slot_count);
    ASH_TRY(link_slot(r, i->node, "alias_of", &r->slots[index].alias_of));
    ASH_TRY(link_slot(r, i->node, "follows", &r->slots[index].follows));
  }
  ASH_ASSERT(r->plan.arena_count == arenas->count);
  r->plan.arenas = r->arenas;
  r->plan.slots = r->slots;
  return ASH_OK;
}

static ash_status read_plan(reader *r, ash_plan_file *out,
                            const ash_yaml *top) {
  const char *schema;
  ASH_TRY(ash_yaml_want_map(r->ctx, top, "a plan"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &schema, top, "schema"));
  if (strcmp(schema, "ashlar-plan-1") != 0)
    return bad_word(r, top, "schema that this version reads", schema);
  ASH_TRY(ash_yaml_need_string(r->ctx, &r->plan.model, top, "model"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &r->plan.target, top, "target"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &out->plan_hash, top, "plan_hash"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &out->layout_hash, top,
                               "tensor_layout_hash"));
  ASH_TRY(get_verdict(r, top, &r->plan.verdict));
  return read_lists(r, top);
}

ash_status ash_plan_read(ash_ctx *ctx, ash_plan_file *out,
                         const ash_yaml *top) {
  reader r = {.ctx = ctx};
  ASH_TRY(read_plan(&r, out, top));
  out->plan = r.plan;
  return ASH_OK;
}
