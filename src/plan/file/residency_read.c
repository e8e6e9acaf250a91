/* residency_read.c - the check of a residency file, ours or heliaAOT's (schema
 * 3 or 4): its tensors lie in its arenas, and its hashes are those of its
 * contents. It says nothing about time, so neither does the check. */
#include "ashlar/plan.h"
#include "plan/file/residency.h"

#include <inttypes.h>
#include <string.h>

typedef struct reader {
  ash_ctx *ctx;
  ash_arena *arenas;
  ash_slot *slots;
  uint32_t arena_count, slot_count;
} reader;

static ash_status wrong(reader *r, const ash_yaml *at, const char *what,
                        const char *word) {
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_json, ash_yaml_loc(at),
                  "%s '%s'", what, word);
}

/* ---- arenas -------------------------------------------------------------- */

static ash_status read_arena(reader *r, const ash_yaml *map, ash_role role) {
  ASH_ASSERT(role <= ASH_CONSTANT);
  ash_arena a = {.role = role};
  uint64_t region;
  ASH_TRY(ash_yaml_want_map(r->ctx, map, "an arena"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &a.memory, map, "memory"));
  a.source_memory = a.memory;
  if (role == ASH_CONSTANT)
    ASH_TRY(
        ash_yaml_need_string(r->ctx, &a.source_memory, map, "source_memory"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &a.size, map, "used"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &a.alignment, map, "alignment"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &region, map, "region_id"));
  if (region != r->arena_count)
    return wrong(r, map, "the regions are not numbered in order at", a.memory);
  r->arenas[r->arena_count++] = a;
  return ASH_OK;
}

static ash_status read_role(reader *r, const ash_yaml *arenas, ash_role role) {
  ASH_ASSERT(role <= ASH_CONSTANT);
  const ash_yaml *list;
  ASH_TRY(ash_yaml_need(r->ctx, &list, arenas, ash_role_text(role), "arenas"));
  ASH_TRY(ash_yaml_want_list(r->ctx, list, ash_role_text(role)));
  ash_arena *more = ASH_NEW_ARRAY(&r->ctx->scratch, ash_arena,
                                  r->arena_count + list->count + 1);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (uint32_t i = 0; i < r->arena_count; i++)
    more[i] = r->arenas[i];
  r->arenas = more;
  for (const ash_yaml_item *i = list->first; i; i = i->next)
    ASH_TRY(read_arena(r, i->node, role));
  return ASH_OK;
}

/* ---- tensors ------------------------------------------------------------- */

static ash_status get_role(reader *r, const ash_yaml *map, ash_role *out) {
  const char *word;
  ASH_TRY(ash_yaml_need_string(r->ctx, &word, map, "role"));
  for (int role = ASH_SCRATCH; role <= ASH_CONSTANT; role++)
    if (strcmp(word, ash_role_text((ash_role)role)) == 0) {
      *out = (ash_role)role;
      return ASH_OK;
    }
  return wrong(r, map, "there is no role", word);
}

static ash_status check_place(reader *r, const ash_yaml *map,
                              const ash_slot *s) {
  for (uint32_t i = 0; i < r->arena_count; i++) {
    const ash_arena *a = &r->arenas[i];
    if (a->role != s->binding.role || strcmp(a->memory, s->binding.memory) != 0)
      continue;
    if (s->binding.offset <= a->size && s->size <= a->size - s->binding.offset)
      return ASH_OK;
    return ash_fail(
        r->ctx, ASH_MALFORMED, ASH_D_plan_beyond_arena, ash_yaml_loc(map),
        "'%s' reaches beyond its arena of %" PRIu64 " bytes", s->id, a->size);
  }
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_no_arena, ash_yaml_loc(map),
                  "'%s' is in an arena that the file does not list", s->id);
}

/* The newest slot is repeated at the place of every row. */
static ash_status read_rows(reader *r, const ash_yaml *map,
                            const ash_yaml *rows) {
  const ash_slot row = r->slots[--r->slot_count];
  ASH_TRY(ash_yaml_want_list(r->ctx, rows, "row_offsets"));
  for (const ash_yaml_item *i = rows->first; i; i = i->next) {
    ash_slot *s = &r->slots[r->slot_count++];
    *s = row;
    ASH_TRY(ash_yaml_u64(r->ctx, &s->binding.offset, i->node, "an offset"));
    ASH_TRY(check_place(r, map, s));
  }
  return ASH_OK;
}

static ash_status read_tensor(reader *r, const ash_yaml *map) {
  ash_slot *s = &r->slots[r->slot_count++];
  ASH_TRY(ash_yaml_want_map(r->ctx, map, "a tensor"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &s->id, map, "id"));
  ASH_TRY(get_role(r, map, &s->binding.role));
  ASH_TRY(ash_yaml_need_string(r->ctx, &s->binding.memory, map, "memory"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &s->binding.offset, map, "offset"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &s->size, map, "size"));
  const ash_yaml *rows = ash_yaml_get(map, "row_offsets");
  return rows ? read_rows(r, map, rows) : check_place(r, map, s);
}

static ash_status read_tensors(reader *r, const ash_yaml *top) {
  const ash_yaml *list;
  ASH_TRY(ash_yaml_need(r->ctx, &list, top, "tensors", "the file"));
  ASH_TRY(ash_yaml_want_list(r->ctx, list, "tensors"));
  size_t most = list->count + 1;
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    const ash_yaml *rows = ash_yaml_get(i->node, "row_offsets");
    most += rows ? rows->count : 0;
  }
  r->slots = ASH_NEW_ARRAY(&r->ctx->scratch, ash_slot, most);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (const ash_yaml_item *i = list->first; i; i = i->next)
    ASH_TRY(read_tensor(r, i->node));
  return ASH_OK;
}

/* ---- all of it ----------------------------------------------------------- */

static ash_status check_hashes(reader *r, const ash_yaml *top) {
  const ash_plan plan = {.arenas = r->arenas,
                         .arena_count = r->arena_count,
                         .slots = r->slots,
                         .slot_count = r->slot_count};
  const char *said_plan, *said_layout;
  char hash[17], layout[17];
  ASH_TRY(ash_yaml_need_string(r->ctx, &said_plan, top, "plan_hash"));
  ASH_TRY(
      ash_yaml_need_string(r->ctx, &said_layout, top, "tensor_layout_hash"));
  ASH_TRY(ash_plan_hashes(r->ctx, hash, layout, &plan));
  if (strcmp(hash, said_plan) == 0 && strcmp(layout, said_layout) == 0)
    return ASH_OK;
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_hash, ash_yaml_loc(top),
                  "the contents hash to %s and %s, the file says %s and %s",
                  hash, layout, said_plan, said_layout);
}

bool ash_is_residency(const ash_yaml *top) {
  return top->kind == ASH_YAML_MAP && ash_yaml_get(top, "schema_version");
}

ash_status ash_plan_check_residency(ash_ctx *ctx, const ash_yaml *top) {
  reader r = {.ctx = ctx};
  const ash_yaml *arenas;
  uint64_t version;
  ASH_TRY(ash_yaml_need_u64(ctx, &version, top, "schema_version"));
  if (version != 3 && version != 4)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_plan_json, ash_yaml_loc(top),
                    "residency files of schema %" PRIu64 " are not known",
                    version);
  ASH_TRY(ash_yaml_need(ctx, &arenas, top, "arenas", "the file"));
  for (int role = ASH_SCRATCH; role <= ASH_CONSTANT; role++)
    ASH_TRY(read_role(&r, arenas, (ash_role)role));
  ASH_TRY(read_tensors(&r, top));
  return check_hashes(&r, top);
}
