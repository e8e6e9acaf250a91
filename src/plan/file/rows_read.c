/* rows_read.c - see rows_read.h. */
#include "plan/file/rows_read.h"

static ash_status wrong(ash_ctx *ctx, const ash_yaml *at, const char *what) {
  ASH_ASSERT(at && what);
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_plan_json, ash_yaml_loc(at), "%s",
                  what);
}

/* The number of items that follow `key`, 0 if it is no list. */
static size_t length_of(const ash_yaml *map, const char *key) {
  ASH_ASSERT(map && key);
  const ash_yaml *list = ash_yaml_get(map, key);
  return list && list->kind == ASH_YAML_LIST ? list->count : 0;
}

size_t ash_rows_count_slots(const ash_yaml *tensors, const ash_yaml *moves) {
  size_t count = moves ? moves->count : 0;
  for (const ash_yaml_item *i = tensors->first; i; i = i->next) {
    const ash_yaml *rows = ash_yaml_get(i->node, "rows");
    count += 1 + (rows ? length_of(rows, "offsets") : 0);
  }
  return count;
}

/* ---- rows ---------------------------------------------------------------- */

/* A list of `count` numbers. */
static ash_status need_numbers(ash_ctx *ctx, const ash_yaml_item **out,
                               const ash_yaml *map, const char *key,
                               uint64_t count) {
  const ash_yaml *list;
  ASH_TRY(ash_yaml_need_list(ctx, &list, map, key));
  if (list->count != count)
    return wrong(ctx, list, "a list of rows is not as long as their count");
  *out = list->first;
  return ASH_OK;
}

static ash_status need_alignment(ash_ctx *ctx, uint64_t *out,
                                 const ash_yaml *rows) {
  ASH_TRY(ash_yaml_need_u64(ctx, out, rows, "alignment"));
  return *out && (*out & (*out - 1)) == 0
             ? ASH_OK
             : wrong(ctx, rows, "the alignment of rows is no power of two");
}

static ash_status get_step(ash_ctx *ctx, const ash_yaml *node, uint32_t *out) {
  ASH_ASSERT(node != NULL);
  return ash_yaml_u32(ctx, out, node, "a step", UINT32_MAX - 1);
}

static void add(ash_slot_reader *r, ash_slot s) {
  r->next[r->slot_count] = ASH_NO_ID;
  r->slots[r->slot_count++] = s;
}

static ash_status read_list(ash_slot_reader *r, const ash_yaml *rows,
                            ash_slot s) {
  const ash_yaml_item *offsets = NULL, *first = NULL, *last = NULL;
  uint64_t count, alignment;
  ASH_TRY(ash_yaml_need_u64(r->ctx, &count, rows, "count"));
  ASH_TRY(ash_yaml_need_u64(r->ctx, &s.size, rows, "bytes"));
  ASH_TRY(need_alignment(r->ctx, &alignment, rows));
  ASH_TRY(need_numbers(r->ctx, &offsets, rows, "offsets", count));
  ASH_TRY(need_numbers(r->ctx, &first, rows, "first_steps", count));
  ASH_TRY(need_numbers(r->ctx, &last, rows, "last_steps", count));
  if (count == 0)
    return wrong(r->ctx, rows, "a tensor in rows has none");
  s.has_row = true;
  s.tensor = r->entry_count - 1;
  for (; offsets; s.row++) {
    ASH_TRY(
        ash_yaml_u64(r->ctx, &s.binding.offset, offsets->node, "an offset"));
    ASH_TRY(get_step(r->ctx, first->node, &s.life.first_step));
    ASH_TRY(get_step(r->ctx, last->node, &s.life.end_step));
    s.life.end_step++;
    add(r, s);
    s.alignment = alignment;
    offsets = offsets->next;
    first = first->next;
    last = last->next;
  }
  r->rows[s.tensor] = s.row;
  return ASH_OK;
}

ash_status ash_rows_read(ash_slot_reader *r, const ash_yaml *map, ash_slot s) {
  const ash_yaml *rows = ash_yaml_get(map, "rows");
  r->first[r->entry_count] = r->slot_count;
  r->rows[r->entry_count++] = 0;
  if (!rows) {
    add(r, s);
    return ASH_OK;
  }
  ASH_TRY(ash_yaml_want_map(r->ctx, rows, "rows"));
  return read_list(r, rows, s);
}

/* ---- moves and aliases --------------------------------------------------- */

enum { FIELDS = 4 };

/* A list of four numbers. */
static ash_status read_fields(ash_ctx *ctx, uint64_t out[FIELDS],
                              const ash_yaml *list, const char *what) {
  ASH_TRY(ash_yaml_want_list(ctx, list, what));
  if (list->count != FIELDS)
    return wrong(ctx, list, "a list of four numbers has another length");
  for (const ash_yaml_item *i = list->first; i; i = i->next)
    ASH_TRY(ash_yaml_u64(ctx, out++, i->node, what));
  return ASH_OK;
}

static uint32_t last_place(const ash_slot_reader *r, uint32_t slot) {
  while (r->next[slot] != ASH_NO_ID)
    slot = r->next[slot];
  return slot;
}

/* [step, tensor, row, offset]: the row goes on there. */
static ash_status read_move(ash_slot_reader *r, const ash_yaml *list) {
  uint64_t f[FIELDS];
  ASH_TRY(read_fields(r->ctx, f, list, "a move"));
  if (f[1] >= r->entry_count || f[2] >= r->rows[f[1]] || f[0] >= UINT32_MAX)
    return wrong(r->ctx, list, "a move is of a row that the plan has not");
  if (f[0] < r->moved_at)
    return wrong(r->ctx, list, "the moves are not in the order of steps");
  r->moved_at = f[0];
  const uint32_t from = last_place(r, r->first[f[1]] + (uint32_t)f[2]);
  ash_slot s = r->slots[from];
  s.life.first_step = r->slots[from].life.end_step = (uint32_t)f[0];
  s.binding.offset = f[3];
  s.moved_from = from;
  s.alignment = 1; /* as that of rows, which its first place has shown */
  r->next[from] = r->slot_count;
  add(r, s);
  return ASH_OK;
}

ash_status ash_moves_read(ash_slot_reader *r, const ash_yaml *moves) {
  for (const ash_yaml_item *i = moves ? moves->first : NULL; i; i = i->next)
    ASH_TRY(read_move(r, i->node));
  return ASH_OK;
}

/* The place that a row is in at a step. */
static uint32_t place_at(const ash_slot_reader *r, uint32_t slot,
                         uint32_t step) {
  while (r->next[slot] != ASH_NO_ID &&
         r->slots[r->next[slot]].life.first_step <= step)
    slot = r->next[slot];
  return slot;
}

/* [row, count, tensor, its row]: they share storage, or lie over it, one for
 * one. */
static ash_status read_link(ash_slot_reader *r, uint32_t entry,
                            const ash_yaml *list, bool follows) {
  uint64_t f[FIELDS];
  ASH_TRY(read_fields(r->ctx, f, list, follows ? "what follows" : "an alias"));
  if (f[0] >= r->rows[entry] || f[1] > r->rows[entry] - f[0] ||
      f[2] >= r->entry_count ||
      (r->rows[f[2]] > 0 ? f[3] >= r->rows[f[2]] || f[1] > r->rows[f[2]] - f[3]
                         : f[3] > 0))
    return wrong(r->ctx, list, "an alias is of a row that the plan has not");
  if (f[1] == 0)
    return wrong(r->ctx, list, "an alias is of no rows");
  for (uint32_t i = 0; i < f[1]; i++) {
    ash_slot *s = &r->slots[r->first[entry] + f[0] + i];
    const uint32_t row = r->rows[f[2]] > 0 ? (uint32_t)f[3] + i : 0;
    const uint32_t of = place_at(r, r->first[f[2]] + row, s->life.first_step);
    uint32_t *to = follows ? &s->follows : &s->alias_of;
    if (*to != ASH_NO_ID)
      return wrong(r->ctx, list, "two aliases are of the same row");
    *to = of;
  }
  return ASH_OK;
}

static ash_status read_links(ash_slot_reader *r, uint32_t entry,
                             const ash_yaml *rows, const char *key,
                             bool follows) {
  const ash_yaml *list = ash_yaml_get(rows, key);
  if (!list)
    return ASH_OK;
  ASH_TRY(ash_yaml_want_list(r->ctx, list, key));
  for (const ash_yaml_item *k = list->first; k; k = k->next)
    ASH_TRY(read_link(r, entry, k->node, follows));
  return ASH_OK;
}

ash_status ash_rows_read_aliases(ash_slot_reader *r, const ash_yaml *tensors) {
  uint32_t entry = 0;
  for (const ash_yaml_item *i = tensors->first; i; i = i->next, entry++) {
    const ash_yaml *rows = ash_yaml_get(i->node, "rows");
    if (!rows)
      continue;
    ASH_TRY(read_links(r, entry, rows, "aliases", false));
    ASH_TRY(read_links(r, entry, rows, "follows", true));
  }
  return ASH_OK;
}

/* ---- runs ---------------------------------------------------------------- */

/* [op, first row, rows]: an operator, or -1 - n: rows of input n arrive. */
static ash_status read_run(ash_ctx *ctx, ash_step *s, uint32_t *op,
                           const ash_yaml *list, size_t ops, size_t inputs) {
  int64_t which;
  ASH_TRY(ash_yaml_want_list(ctx, list, "a run"));
  if (list->count != 3)
    return wrong(ctx, list, "a run has an operator, a row and a count");
  ASH_TRY(ash_yaml_i64(ctx, &which, list->first->node, "an operator"));
  ASH_TRY(ash_yaml_u32(ctx, &s->first_row, list->first->next->node, "a row",
                       UINT32_MAX / 2));
  ASH_TRY(ash_yaml_u32(ctx, &s->row_count, list->first->next->next->node,
                       "a count", UINT32_MAX / 2));
  if (which >= (int64_t)ops || which < -(int64_t)inputs)
    return wrong(ctx, list, "a run is of an operator that the plan has not");
  s->op_count = which >= 0;
  *op = which >= 0 ? (uint32_t)which : 0;
  s->ops = op;
  s->input = which >= 0 ? ASH_NO_ID : (uint32_t)(-1 - which);
  return ASH_OK;
}

ash_status ash_runs_read(ash_ctx *ctx, ash_steps *out, const ash_yaml *top) {
  const ash_yaml *ops, *runs, *inputs;
  ASH_TRY(ash_yaml_need_list(ctx, &ops, top, "ops"));
  ASH_TRY(ash_yaml_need_list(ctx, &runs, top, "runs"));
  ASH_TRY(ash_yaml_need_list(ctx, &inputs, top, "inputs"));
  ash_step *items = ASH_NEW_ARRAY(&ctx->scratch, ash_step, runs->count + 1);
  uint32_t *list = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, runs->count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  *out = (ash_steps){items, 0};
  for (const ash_yaml_item *i = runs->first; i; i = i->next, out->count++)
    ASH_TRY(read_run(ctx, &items[out->count], &list[out->count], i->node,
                     ops->count, inputs->count));
  return ASH_OK;
}
