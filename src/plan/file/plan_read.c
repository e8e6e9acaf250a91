/* plan_read.c - plan JSON -> plan. */
#include "plan/file/plan_read.h"

#include <string.h>

typedef struct reader {
  ash_ctx *ctx;
  ash_plan plan;
  ash_arena *arenas;
  ash_slot *slots;
} reader;

static ash_status get_string(reader *r, const ash_yaml *map, const char *key,
                             const char **out) {
  const ash_yaml *node;
  ASH_TRY(ash_yaml_need(r->ctx, &node, map, key, "the plan"));
  return ash_yaml_string(r->ctx, out, node, key);
}

static ash_status get_u64(reader *r, const ash_yaml *map, const char *key,
                          uint64_t *out) {
  const ash_yaml *node;
  ASH_TRY(ash_yaml_need(r->ctx, &node, map, key, "the plan"));
  return ash_yaml_u64(r->ctx, out, node, key);
}

static ash_status bad_word(reader *r, const ash_yaml *map, const char *what,
                           const char *word) {
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_json, ash_yaml_loc(map),
                  "'%s' is no %s", word, what);
}

static ash_status get_role(reader *r, const ash_yaml *map, ash_role *out) {
  const char *word;
  ASH_TRY(get_string(r, map, "role", &word));
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
  ASH_TRY(get_string(r, map, "verdict", &word));
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
  ASH_TRY(get_string(r, map, "memory", &a->memory));
  ASH_TRY(get_string(r, map, "source_memory", &a->source_memory));
  ASH_TRY(get_u64(r, map, "size", &a->size));
  ASH_TRY(get_u64(r, map, "alignment", &a->alignment));
  ASH_TRY(get_u64(r, map, "lower_bound", &a->lower_bound));
  return get_verdict(r, map, &a->verdict);
}

static ash_status get_step(reader *r, const ash_yaml *map, const char *key,
                           uint32_t *out) {
  uint64_t value;
  ASH_TRY(get_u64(r, map, key, &value));
  if (value >= UINT32_MAX)
    return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_json, ash_yaml_loc(map),
                    "'%s' is too large", key);
  *out = (uint32_t)value;
  return ASH_OK;
}

static ash_status read_slot(reader *r, const ash_yaml *map, ash_slot *s) {
  ASH_TRY(ash_yaml_want_map(r->ctx, map, "a tensor"));
  ASH_TRY(get_string(r, map, "id", &s->id));
  ASH_TRY(get_string(r, map, "name", &s->name));
  ASH_TRY(get_role(r, map, &s->binding.role));
  ASH_TRY(get_string(r, map, "memory", &s->binding.memory));
  ASH_TRY(get_string(r, map, "source_memory", &s->binding.source_memory));
  ASH_TRY(get_u64(r, map, "offset", &s->binding.offset));
  ASH_TRY(get_u64(r, map, "size", &s->size));
  ASH_TRY(get_step(r, map, "first_step", &s->life.first_step));
  ASH_TRY(get_step(r, map, "last_step", &s->life.end_step));
  s->life.end_step++;
  const ash_yaml *alignment = ash_yaml_get(map, "alignment");
  if (alignment)
    ASH_TRY(ash_yaml_u64(r->ctx, &s->alignment, alignment, "alignment"));
  s->bound = true;
  s->tensor = s->op = s->alias_of = s->follows = ASH_NO_ID;
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

static ash_status need_list(reader *r, const ash_yaml *top, const char *key,
                            const ash_yaml **out) {
  ASH_TRY(ash_yaml_need(r->ctx, out, top, key, "the plan"));
  return ash_yaml_want_list(r->ctx, *out, key);
}

static ash_status read_lists(reader *r, const ash_yaml *top) {
  const ash_yaml *arenas, *tensors;
  ASH_TRY(need_list(r, top, "arenas", &arenas));
  ASH_TRY(need_list(r, top, "tensors", &tensors));
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
  ASH_TRY(get_string(r, top, "schema", &schema));
  if (strcmp(schema, "ashlar-plan-1") != 0)
    return bad_word(r, top, "schema that this version reads", schema);
  ASH_TRY(get_string(r, top, "model", &r->plan.model));
  ASH_TRY(get_string(r, top, "target", &r->plan.target));
  ASH_TRY(get_string(r, top, "plan_hash", &out->plan_hash));
  ASH_TRY(get_string(r, top, "tensor_layout_hash", &out->layout_hash));
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
