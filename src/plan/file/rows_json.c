/* rows_json.c - see rows_json.h. Lists of numbers, so that a tensor with its
 * rows, and an order of thousands of runs, stay readable. */
#include "plan/file/rows_json.h"

#include "graph/graph.h"

ash_status ash_rows_entries(ash_ctx *ctx, ash_row_entries *out,
                            const ash_plan *p) {
  ash_zone *z = &ctx->scratch;
  uint32_t count = 0, tensors = 0;
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].tensor != ASH_NO_ID && p->slots[i].tensor >= tensors)
      tensors = p->slots[i].tensor + 1;
  uint32_t *of_tensor = ASH_NEW_ARRAY(z, uint32_t, (size_t)tensors + 1);
  *out = (ash_row_entries){ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u),
                           ASH_NEW_ARRAY(z, bool, p->slot_count + 1u),
                           ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u)};
  ASH_TRY(ash_zone_check(ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++)
    out->next[i] = ASH_NO_ID;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    out->begins[i] = !s->has_row || of_tensor[s->tensor] == 0;
    if (out->begins[i])
      out->entry[i] = count++;
    else
      out->entry[i] = of_tensor[s->tensor] - 1;
    if (s->has_row)
      of_tensor[s->tensor] = out->entry[i] + 1;
    if (s->moved_from != ASH_NO_ID)
      out->next[s->moved_from] = i;
  }
  return ASH_OK;
}

bool ash_rows_begin(const ash_row_entries *e, uint32_t slot) {
  return e->begins[slot];
}

/* ---- rows of a tensor ---------------------------------------------------- */

/* The next first place of a row of the same tensor; ASH_NO_ID: none. */
static uint32_t next_row(const ash_plan *p, uint32_t slot) {
  for (uint32_t i = slot + 1; i < p->slot_count; i++)
    if (p->slots[i].tensor == p->slots[slot].tensor && p->slots[i].has_row &&
        p->slots[i].moved_from == ASH_NO_ID)
      return i;
  return ASH_NO_ID;
}

/* The end of the row's life, in its last place. */
static uint32_t end_of(const ash_row_entries *e, const ash_plan *p,
                       uint32_t slot) {
  ASH_ASSERT(slot < p->slot_count);
  while (e->next[slot] != ASH_NO_ID)
    slot = e->next[slot];
  return p->slots[slot].life.end_step;
}

ash_lifetime ash_rows_life(const ash_row_entries *e, const ash_plan *p,
                           uint32_t slot) {
  ash_lifetime all = p->slots[slot].life;
  for (uint32_t i = slot; i != ASH_NO_ID; i = next_row(p, i)) {
    const ash_lifetime life = {p->slots[i].life.first_step, end_of(e, p, i)};
    if (life.first_step < all.first_step)
      all.first_step = life.first_step;
    if (life.end_step > all.end_step)
      all.end_step = life.end_step;
  }
  return all;
}

enum link { ALIAS, FOLLOWS };

static uint32_t link_of(const ash_slot *s, enum link what) {
  return what == ALIAS ? s->alias_of : s->follows;
}

/* Rows that share the storage of rows of another tensor, or lie over them, one
 * for one, joined as long as they go on: [row, count, tensor, its row]. */
static void put_links(ash_json *j, const ash_row_entries *e, const ash_plan *p,
                      uint32_t slot, const char *key, enum link what) {
  ash_json_open(j, key, '[');
  for (uint32_t i = slot; i != ASH_NO_ID;) {
    const ash_slot *s = &p->slots[i];
    uint32_t count = 1, k = next_row(p, i);
    if (link_of(s, what) == ASH_NO_ID) {
      i = k;
      continue;
    }
    const ash_slot *of = &p->slots[link_of(s, what)];
    for (; k != ASH_NO_ID && link_of(&p->slots[k], what) != ASH_NO_ID;
         count++) {
      const ash_slot *other = &p->slots[link_of(&p->slots[k], what)];
      if (other->tensor != of->tensor || other->row != of->row + count)
        break;
      k = next_row(p, k);
    }
    ash_json_open_inline(j, NULL, '[');
    ash_json_uint(j, NULL, s->row);
    ash_json_uint(j, NULL, count);
    ash_json_uint(j, NULL, e->entry[link_of(s, what)]);
    ash_json_uint(j, NULL, of->row);
    ash_json_close(j, ']');
    i = k;
  }
  ash_json_close(j, ']');
}

enum list { OFFSETS, FIRST_STEPS, LAST_STEPS };

static void put_list(ash_json *j, const ash_row_entries *e, const ash_plan *p,
                     uint32_t slot, const char *key, enum list what) {
  ash_json_open_inline(j, key, '[');
  for (uint32_t i = slot; i != ASH_NO_ID; i = next_row(p, i)) {
    const ash_slot *s = &p->slots[i];
    ash_json_uint(j, NULL,
                  what == OFFSETS       ? s->binding.offset
                  : what == FIRST_STEPS ? s->life.first_step
                                        : end_of(e, p, i) - 1);
  }
  ash_json_close(j, ']');
}

/* Does any row lie over one that dies? */
static bool any_follows(const ash_plan *p, uint32_t slot) {
  for (uint32_t i = slot; i != ASH_NO_ID; i = next_row(p, i))
    if (p->slots[i].follows != ASH_NO_ID)
      return true;
  return false;
}

void ash_rows_json(ash_json *j, const ash_row_entries *e, const ash_plan *p,
                   uint32_t slot) {
  uint32_t count = 0;
  uint64_t alignment = p->slots[slot].alignment;
  ASH_ASSERT(p->slots[slot].has_row && p->slots[slot].row == 0);
  for (uint32_t i = slot; i != ASH_NO_ID; i = next_row(p, i), count++)
    if (p->slots[i].alignment < alignment)
      alignment = p->slots[i].alignment;
  ash_json_open(j, "rows", '{');
  ash_json_uint(j, "count", count);
  ash_json_uint(j, "bytes", p->slots[slot].size);
  ash_json_uint(j, "alignment", alignment);
  put_list(j, e, p, slot, "offsets", OFFSETS);
  put_list(j, e, p, slot, "first_steps", FIRST_STEPS);
  put_list(j, e, p, slot, "last_steps", LAST_STEPS);
  put_links(j, e, p, slot, "aliases", ALIAS);
  if (any_follows(p, slot))
    put_links(j, e, p, slot, "follows", FOLLOWS);
  ash_json_close(j, '}');
}

/* ---- runs and moves ------------------------------------------------------ */

static int64_t input_number(const ash_graph *g, uint32_t tensor) {
  for (size_t i = 0; i < g->input_count; i++)
    if (g->inputs[i] == tensor)
      return (int64_t)i;
  return 0;
}

void ash_runs_json(ash_json *j, const ash_plan *p, const ash_graph *g) {
  ash_json_open(j, "runs", '[');
  for (uint32_t i = 0; i < p->steps.count; i++) {
    const ash_step *s = &p->steps.items[i];
    ASH_ASSERT(s->op_count <= 1);
    ash_json_open_inline(j, NULL, '[');
    ash_json_int(j, NULL,
                 s->op_count ? (int64_t)s->ops[0]
                             : -1 - input_number(g, s->input));
    ash_json_uint(j, NULL, s->first_row);
    ash_json_uint(j, NULL, s->row_count);
    ash_json_close(j, ']');
  }
  ash_json_close(j, ']');
}

void ash_moves_json(ash_json *j, const ash_row_entries *e, const ash_plan *p) {
  ash_json_open(j, "moves", '[');
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (s->moved_from == ASH_NO_ID)
      continue;
    ash_json_open_inline(j, NULL, '[');
    ash_json_uint(j, NULL, s->life.first_step);
    ash_json_uint(j, NULL, e->entry[i]);
    ash_json_uint(j, NULL, s->row);
    ash_json_uint(j, NULL, s->binding.offset);
    ash_json_close(j, ']');
  }
  ash_json_close(j, ']');
}
