/* plan_read.c - plan JSON -> plan. */
#include "plan/file/plan_read.h"

#include "graph/graph.h"
#include "plan/file/rows_read.h"
#include "plan/record/record.h"

#include <string.h>

typedef struct reader {
  ash_ctx *ctx;
  ash_plan_file *file;
  ash_arena *arenas;
  ash_slot_reader slots;
  bool in_rows; /* the schema is the one of plans with rows */
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

/* Whose work memory it is. */
static ash_status read_op(reader *r, const ash_yaml *map, ash_slot *s) {
  const ash_yaml *op = ash_yaml_get(map, "op");
  if (!op)
    return ASH_OK;
  ASH_TRY(ash_yaml_u32(r->ctx, &s->op, op, "op", UINT32_MAX - 1));
  s->kind = ASH_SLOT_WORK;
  return ASH_OK;
}

static ash_status get_text(reader *r, const ash_yaml *map, const char *key,
                           const char **out) {
  const ash_yaml *text = ash_yaml_get(map, key);
  ASH_ASSERT(key != NULL);
  *out = NULL;
  return text && !ash_yaml_is_null(text)
             ? ash_yaml_string(r->ctx, out, text, key)
             : ASH_OK;
}

static ash_status read_shape(reader *r, ash_file_tensor *t,
                             const ash_yaml *list) {
  ASH_ASSERT(t->has_type);
  ASH_TRY(ash_yaml_want_list(r->ctx, list, "shape"));
  if (list->count > ASH_RANK_MAX)
    return bad_word(r, list, "shape", "a list of so many");
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    uint32_t dim;
    ASH_TRY(ash_yaml_u32(r->ctx, &dim, i->node, "a dimension", INT32_MAX));
    t->shape.dim[t->shape.rank++] = (int32_t)dim;
  }
  if (!ash_shape_bytes(&t->bytes, &t->shape, t->type))
    return bad_word(r, list, "shape", "a list with this product");
  return ASH_OK;
}

/* Type and shape come together; memory that is no tensor has neither. */
static ash_status read_type(reader *r, ash_file_tensor *t,
                            const ash_yaml *map) {
  const ash_yaml *shape = ash_yaml_get(map, "shape");
  ASH_ASSERT(!t->has_type && t->shape.rank == 0);
  const char *word;
  ASH_TRY(get_text(r, map, "type", &word));
  if (!word && !shape)
    return ASH_OK;
  if (!word || !shape)
    return bad_word(r, map, "tensor",
                    "a type without a shape, or a shape "
                    "without a type,");
  for (int type = 0; type < ASH_TYPE_COUNT && !t->has_type; type++)
    if (strcmp(word, ash_type_text((ash_type)type)) == 0) {
      t->type = (ash_type)type;
      t->has_type = true;
    }
  return t->has_type ? read_shape(r, t, shape) : bad_word(r, map, "type", word);
}

static ash_status read_tensor(reader *r, ash_file_tensor *t,
                              const ash_yaml *map, const ash_slot *s) {
  *t = (ash_file_tensor){
      .at = map, .offset = s->binding.offset, .size = s->size, .life = s->life};
  ASH_TRY(get_text(r, map, "kind", &t->kind));
  ASH_TRY(get_text(r, map, "alias_kind", &t->alias_kind));
  const char *reason;
  ASH_TRY(get_text(r, map, "reason", &reason));
  return read_type(r, t, map);
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
  ASH_TRY(ash_yaml_need_u64(r->ctx, &s->alignment, map, "alignment"));
  s->bound = true;
  s->tensor = s->op = s->alias_of = s->follows = s->moved_from = ASH_NO_ID;
  return r->in_rows ? read_op(r, map, s) : ASH_OK;
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
  const uint32_t found = ash_plan_file_find(r->file, id);
  if (found == ASH_NO_ID)
    return bad_word(r, map, "tensor of this plan", id);
  *out = r->slots.first[found];
  return ASH_OK;
}

/* Links of whole tensors; rows have theirs one by one. */
static ash_status link_slots(reader *r, const ash_yaml *tensors) {
  uint32_t entry = 0;
  for (const ash_yaml_item *i = tensors->first; i; i = i->next, entry++) {
    ash_slot *s = &r->slots.slots[r->slots.first[entry]];
    if (s->has_row)
      continue;
    ASH_TRY(link_slot(r, i->node, "alias_of", &s->alias_of));
    ASH_TRY(link_slot(r, i->node, "follows", &s->follows));
  }
  return ash_rows_read_aliases(&r->slots, tensors);
}

static ash_status read_slots(reader *r, const ash_yaml *top) {
  const ash_yaml *tensors, *moves = ash_yaml_get(top, "moves");
  ash_zone *z = &r->ctx->scratch;
  ASH_TRY(ash_yaml_need_list(r->ctx, &tensors, top, "tensors"));
  if (moves)
    ASH_TRY(ash_yaml_want_list(r->ctx, moves, "moves"));
  const size_t most = ash_rows_count_slots(tensors, moves) + 1;
  r->slots =
      (ash_slot_reader){.ctx = r->ctx,
                        .slots = ASH_NEW_ARRAY(z, ash_slot, most),
                        .next = ASH_NEW_ARRAY(z, uint32_t, most),
                        .first = ASH_NEW_ARRAY(z, uint32_t, tensors->count + 1),
                        .rows = ASH_NEW_ARRAY(z, uint32_t, tensors->count + 1)};
  r->file->tensors = ASH_NEW_ARRAY(z, ash_file_tensor, tensors->count + 1);
  ASH_TRY(ash_zone_check(r->ctx, z));
  for (const ash_yaml_item *i = tensors->first; i; i = i->next) {
    ash_slot s = {0};
    ASH_TRY(read_slot(r, i->node, &s));
    ASH_TRY(
        read_tensor(r, &r->file->tensors[r->slots.entry_count], i->node, &s));
    ASH_TRY(ash_rows_read(&r->slots, i->node, s));
  }
  ASH_TRY(ash_moves_read(&r->slots, moves));
  r->file->plan.slots = r->slots.slots;
  r->file->plan.slot_count = r->slots.slot_count;
  r->file->tensor_count = r->slots.entry_count;
  for (uint32_t i = 0; i < r->slots.entry_count; i++) {
    r->file->tensors[i].slot = r->slots.first[i];
    r->file->tensors[i].rows = r->slots.rows[i];
  }
  ASH_TRY(ash_plan_file_sort(r->ctx, r->file));
  return link_slots(r, tensors);
}

static ash_status read_arenas(reader *r, const ash_yaml *top) {
  const ash_yaml *arenas;
  ASH_TRY(ash_yaml_need_list(r->ctx, &arenas, top, "arenas"));
  r->arenas = ASH_NEW_ARRAY(&r->ctx->scratch, ash_arena, arenas->count + 1);
  ASH_TRY(ash_zone_check(r->ctx, &r->ctx->scratch));
  for (const ash_yaml_item *i = arenas->first; i; i = i->next)
    ASH_TRY(read_arena(r, i->node, &r->arenas[r->file->plan.arena_count++]));
  ASH_ASSERT(r->file->plan.arena_count == arenas->count);
  r->file->plan.arenas = r->arenas;
  return ASH_OK;
}

/* Which orders are meant, in words. */
static ash_status get_scope(reader *r, const ash_yaml *order,
                            ash_order_kind kind) {
  ASH_ASSERT(kind != ASH_ORDER_AUTO);
  const char *scope;
  ASH_TRY(get_text(r, order, "scope", &scope));
  return !scope || strcmp(scope, ash_plan_order_scope(kind)) == 0
             ? ASH_OK
             : ash_fail(r->ctx, ASH_MALFORMED, ASH_D_plan_order_kind,
                        ash_yaml_loc(order), "an order of %s is not of '%s'",
                        ash_order_text(kind), scope);
}

static ash_status read_order(reader *r, const ash_yaml *top) {
  const ash_yaml *order = ash_yaml_get(top, "order");
  ash_order_proof *o = &r->file->plan.order;
  const char *word;
  if (!order)
    return ASH_OK;
  ASH_TRY(ash_yaml_want_map(r->ctx, order, "order"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &word, order, "kind"));
  for (int k = ASH_ORDER_GIVEN; k <= ASH_ORDER_ROWS; k++)
    if (strcmp(word, ash_order_text((ash_order_kind)k)) == 0)
      o->kind = (ash_order_kind)k;
  if (o->kind == ASH_ORDER_AUTO)
    return bad_word(r, order, "kind of order", word);
  ASH_TRY(get_scope(r, order, o->kind));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &o->peak, order, "peak"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &o->lower_bound, order, "lower_bound"));
  if (ash_yaml_get(order, "peak_with_work")) {
    ASH_TRY(
        ash_yaml_need_u64(r->ctx, &o->peak_with_work, order, "peak_with_work"));
    ASH_TRY(ash_yaml_need_u64(r->ctx, &o->bound_with_work, order,
                              "lower_bound_with_work"));
  }
  return get_verdict(r, order, &o->verdict);
}

/* The first schema has whole tensors and steps; the second rows and runs. */
static ash_status read_schema(reader *r, const ash_yaml *top) {
  const char *schema;
  ASH_TRY(ash_yaml_need_string(r->ctx, &schema, top, "schema"));
  r->in_rows = strcmp(schema, "ashlar-plan-2") == 0;
  if (!r->in_rows && strcmp(schema, "ashlar-plan-1") != 0)
    return bad_word(r, top, "schema that this version reads", schema);
  const char *other = r->in_rows ? "steps" : "ops";
  if (ash_yaml_get(top, other))
    return bad_word(r, top, "key of this schema", other);
  return r->in_rows ? ash_runs_read(r->ctx, &r->file->plan.steps, top) : ASH_OK;
}

/* What nothing is concluded from is of its kind all the same. */
static ash_status check_extras(reader *r, const ash_yaml *top) {
  ASH_ASSERT(r->file->top == top);
  const ash_yaml *ticks = ash_yaml_get(top, "ticks");
  const char *planner;
  uint64_t number;
  if (ticks)
    ASH_TRY(ash_yaml_u64(r->ctx, &number, ticks, "ticks"));
  return get_text(r, top, "planner", &planner);
}

static ash_status read_plan(reader *r, const ash_yaml *top) {
  ash_plan_file *out = r->file;
  ASH_TRY(ash_yaml_want_map(r->ctx, top, "a plan"));
  ASH_TRY(read_schema(r, top));
  ASH_TRY(check_extras(r, top));
  ASH_TRY(ash_yaml_need_string(r->ctx, &r->file->plan.model, top, "model"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &r->file->plan.target, top, "target"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &out->plan_hash, top, "plan_hash"));
  ASH_TRY(ash_yaml_need_string(r->ctx, &out->layout_hash, top,
                               "tensor_layout_hash"));
  ASH_TRY(get_verdict(r, top, &r->file->plan.verdict));
  ASH_TRY(read_order(r, top));
  ASH_TRY(read_arenas(r, top));
  ASH_TRY(read_slots(r, top));
  return ash_plan_read_ops(r->ctx, out);
}

ash_status ash_plan_read(ash_ctx *ctx, ash_plan_file *out,
                         const ash_yaml *top) {
  reader r = {.ctx = ctx, .file = out};
  *out = (ash_plan_file){.top = top};
  return read_plan(&r, top);
}
