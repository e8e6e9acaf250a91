/* request_json.c - the question put to an external planner, and its answer
 * (docs/planners.md). */
#include "base/checked.h"
#include "base/json.h"
#include "base/yaml.h"
#include "plan/backend/request.h"

#include <string.h>

/* ---- asking -------------------------------------------------------------- */

/* Bytes that constants and state already take. */
static uint64_t taken(const ash_plan_request *ask, const char *memory) {
  uint64_t end[2] = {0, 0};
  for (uint32_t i = 0; i < ask->slot_count; i++) {
    const ash_slot *s = &ask->slots[i];
    if (!s->bound || s->binding.role == ASH_SCRATCH)
      continue;
    const int which = s->binding.role == ASH_CONSTANT;
    const uint64_t top = s->binding.offset + s->size;
    if ((strcmp(s->binding.memory, memory) == 0 ||
         strcmp(s->binding.source_memory, memory) == 0) &&
        top > end[which])
      end[which] = top;
  }
  return ash_align_up(end[0], 64) + ash_align_up(end[1], 64);
}

static void put_memories(ash_json *j, const ash_plan_request *ask) {
  ASH_ASSERT(ask->memory_count == ask->device->memory_count);
  ash_json_open(j, "memories", '[');
  for (uint32_t i = 0; i < ask->memory_count; i++) {
    const ash_memory_budget *b = &ask->memories[i];
    const ash_memory *m = &ask->device->memories[i];
    const uint64_t used = taken(ask, b->memory);
    ash_json_open(j, NULL, '{');
    ash_json_string(j, "name", b->memory);
    ash_json_uint(j, "room", b->max_size > used ? b->max_size - used : 0);
    ash_json_bool(j, "writable", b->writable);
    ash_json_bool(j, "automatic", b->automatic);
    ash_json_uint(j, "read_cost", m->read_cost);
    ash_json_uint(j, "write_cost", m->write_cost);
    ash_json_uint(j, "bank", m->bank_bytes);
    ash_json_close(j, '}');
  }
  ash_json_close(j, ']');
}

/* Only what is left to do: scratch that is no alias. */
static void put_tensor(ash_json *j, const ash_plan_request *ask, uint32_t i) {
  ASH_ASSERT(i < ask->slot_count);
  ASH_ASSERT(ask->slots[i].life.first_step < ask->slots[i].life.end_step);
  const ash_slot *s = &ask->slots[i];
  if (s->binding.role != ASH_SCRATCH || s->alias_of != ASH_NO_ID)
    return;
  ash_json_open(j, NULL, '{');
  ash_json_string(j, "id", s->id);
  ash_json_uint(j, "size", s->size);
  ash_json_uint(j, "alignment", s->alignment);
  ash_json_uint(j, "first_step", s->life.first_step);
  ash_json_uint(j, "last_step", s->life.end_step - 1);
  ash_json_string(j, "memory",
                  ask->memory[i] == ASH_NO_MEMORY
                      ? NULL
                      : ask->memories[ask->memory[i]].memory);
  if (ask->offset[i] == ASH_NO_OFFSET)
    ash_json_null(j, "offset");
  else
    ash_json_uint(j, "offset", ask->offset[i]);
  ash_json_close(j, '}');
}

void ash_request_json(ash_text *text, const ash_plan_request *ask) {
  ash_json j;
  ash_json_init(&j, text);
  ash_json_open(&j, NULL, '{');
  ash_json_string(&j, "schema", "ashlar-plan-request-1");
  ash_json_string(&j, "model", ash_graph_name(ask->graph));
  ash_json_string(&j, "target", ask->device->name);
  ash_json_string(&j, "default_memory",
                  ask->memories[ask->device->default_memory].memory);
  ash_json_uint(&j, "steps", ask->steps.count);
  put_memories(&j, ask);
  ash_json_open(&j, "tensors", '[');
  for (uint32_t i = 0; i < ask->slot_count; i++)
    put_tensor(&j, ask, i);
  ash_json_close(&j, ']');
  ash_json_close(&j, '}');
}

/* ---- being answered ------------------------------------------------------ */

typedef struct reader {
  ash_ctx *ctx;
  const ash_plan_request *ask;
  ash_plan_answer *answer;
} reader;

static ash_status bad(const reader *r, const ash_yaml *node, const char *what,
                      const char *word) {
  return ash_fail(r->ctx, ASH_MALFORMED, ASH_D_planner_answer,
                  ash_yaml_loc(node), "%s '%.60s'", what, word);
}

static ash_slot *find_slot(const reader *r, const char *id) {
  for (uint32_t i = 0; i < r->ask->slot_count; i++)
    if (strcmp(r->answer->slots[i].id, id) == 0)
      return &r->answer->slots[i];
  return NULL;
}

static const char *find_memory(const reader *r, const char *name) {
  for (uint32_t i = 0; i < r->ask->memory_count; i++)
    if (strcmp(r->ask->memories[i].memory, name) == 0)
      return r->ask->memories[i].memory;
  return NULL;
}

static ash_status read_tensor(const reader *r, const ash_yaml *map) {
  const ash_yaml *node;
  const char *id, *memory;
  ASH_TRY(ash_yaml_want_map(r->ctx, map, "a tensor"));
  ASH_TRY(ash_yaml_need(r->ctx, &node, map, "id", "a tensor"));
  ASH_TRY(ash_yaml_string(r->ctx, &id, node, "id"));
  ash_slot *slot = find_slot(r, id);
  if (!slot || slot->alias_of != ASH_NO_ID || slot->binding.role != ASH_SCRATCH)
    return bad(r, map, "nobody asked for the tensor", id);
  if (slot->bound)
    return bad(r, map, "there are two places for the tensor", id);
  ASH_TRY(ash_yaml_need(r->ctx, &node, map, "memory", "a tensor"));
  ASH_TRY(ash_yaml_string(r->ctx, &memory, node, "memory"));
  slot->binding.memory = slot->binding.source_memory = find_memory(r, memory);
  if (!slot->binding.memory)
    return bad(r, map, "the target has no memory", memory);
  ASH_TRY(ash_yaml_need(r->ctx, &node, map, "offset", "a tensor"));
  ASH_TRY(ash_yaml_u64(r->ctx, &slot->binding.offset, node, "offset"));
  slot->bound = true;
  slot->reason = "the external planner's choice";
  return ASH_OK;
}

/* {"error": "..."} instead of a plan, perhaps with "verdict": "infeasible". */
static ash_status read_refusal(const reader *r, const ash_yaml *root,
                               const ash_yaml *error) {
  const ash_yaml *verdict = ash_yaml_get(root, "verdict");
  const char *why = "";
  ASH_TRY(ash_yaml_string(r->ctx, &why, error, "error"));
  const bool nofit = verdict && strcmp(verdict->text, "infeasible") == 0;
  return ash_fail(r->ctx, nofit ? ASH_NOFIT : ASH_UNSUPPORTED,
                  nofit ? ASH_D_plan_nofit : ASH_D_planner_failed, ASH_NOWHERE,
                  "the external planner says: %s", why);
}

static ash_status read_answer(const reader *r, const ash_yaml *root) {
  const ash_yaml *node;
  const char *schema;
  ASH_TRY(ash_yaml_want_map(r->ctx, root, "the answer"));
  node = ash_yaml_get(root, "error");
  if (node && !ash_yaml_is_null(node))
    return read_refusal(r, root, node);
  ASH_TRY(ash_yaml_need(r->ctx, &node, root, "schema", "the answer"));
  ASH_TRY(ash_yaml_string(r->ctx, &schema, node, "schema"));
  if (strcmp(schema, "ashlar-plan-answer-1") != 0)
    return bad(r, node, "unknown schema", schema);
  ASH_TRY(ash_yaml_need(r->ctx, &node, root, "tensors", "the answer"));
  ASH_TRY(ash_yaml_want_list(r->ctx, node, "tensors"));
  for (const ash_yaml_item *i = node->first; i; i = i->next)
    ASH_TRY(read_tensor(r, i->node));
  return ASH_OK;
}

ash_status ash_answer_parse(ash_ctx *ctx, ash_plan_answer *answer,
                            const ash_plan_request *ask, const char *text,
                            size_t count, const char *who) {
  const reader r = {ctx, ask, answer};
  const ash_yaml *root;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_status status =
      ash_yaml_parse(ctx, &root, &ctx->scratch, text, count, who);
  if (status == ASH_OK)
    status = read_answer(&r, root);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}
