/* check_file_rows.c - the runs of a plan file in an order of rows: they make
 * all rows one after the other, rows live from the run that makes them to one
 * that has them among its operands, and what is seen as a whole is in one
 * piece. Which rows a run reads is not in the file (check_row_run.c knows). */
#include "check/check_file.h"

#include <inttypes.h>
#include <string.h>

typedef struct rows {
  const ash_file_check *k;
  uint32_t *next;  /* by slot: where its row is moved to, or ASH_NO_ID       */
  uint32_t *group; /* by entry: one of those who share storage with it       */
  uint32_t *made;  /* by op, then by input of the model: rows so far;
                      ASH_NO_ID: all at once                                 */
  uint32_t *earliest; /* by slot that is shared: the first step that makes
                         something there                                     */
  ash_lifetime *used, *runs; /* by entry: steps that have it among their
                                operands; by op: its runs                   */
  bool *is_input, *is_output, *is_drained; /* by entry                        */
} rows;

#define REFUSE(r, at, id, ...)                                                 \
  ash_fail((r)->k->ctx, ASH_MALFORMED, (id), ash_yaml_loc(at), __VA_ARGS__)

static const ash_plan *plan_of(const rows *r) {
  return &r->k->f->plan;
}

static const ash_file_tensor *at(const rows *r, uint32_t entry) {
  return &r->k->f->tensors[entry];
}

static const char *name_of(const rows *r, uint32_t entry) {
  return plan_of(r)->slots[at(r, entry)->slot].id;
}

/* ---- runs ---------------------------------------------------------------- */

/* The runs of every operator, and the rows of every input that arrive, go on
 * where they ended. */
static ash_status check_runs(const rows *r) {
  const ash_steps *steps = &plan_of(r)->steps;
  for (uint32_t i = 0; i < steps->count; i++) {
    const ash_step *s = &steps->items[i];
    uint32_t *made =
        &r->made[s->op_count ? s->ops[0] : r->k->f->op_count + s->input];
    if (*made != s->first_row || *made == ASH_NO_ID)
      return REFUSE(r, r->k->f->top, ASH_D_plan_row_run,
                    "run %u begins with row %u, the next is %u", (unsigned)i,
                    (unsigned)s->first_row, (unsigned)*made);
    *made = s->row_count ? *made + s->row_count : ASH_NO_ID;
  }
  return ASH_OK;
}

/* Only names for bytes that are there need no run. */
static bool is_free(const ash_file_op *op) {
  const ash_op_kind kind = ash_kind_find(op->kind);
  return kind != ASH_OP_COUNT &&
         (ash_kind_info(kind)->flags & (ASH_OP_VIEW | ASH_OP_MOVES)) != 0;
}

static bool has_dim(const ash_file_tensor *t, uint32_t size) {
  for (uint32_t d = 0; d < t->shape.rank; d++)
    if (t->shape.dim[d] == (int32_t)size)
      return true;
  return false;
}

/* What runs has places for its operands; names of names need none. */
static bool is_placed(const ash_file_op *op) {
  for (uint32_t i = 0; i < op->input_count; i++)
    if (op->reads[i] && op->inputs[i] == ASH_NO_ID)
      return false;
  for (uint32_t i = 0; i < op->output_count; i++)
    if (op->outputs[i] == ASH_NO_ID)
      return false;
  return true;
}

static ash_status check_complete(const rows *r, uint32_t index) {
  const ash_file_op *op = &r->k->f->ops[index];
  const uint32_t made = r->made[index];
  if (made && !is_placed(op))
    return REFUSE(r, op->at, ASH_D_plan_missing,
                  "the plan has no place for an operand of %s", op->id);
  if (made == 0 && !is_free(op))
    return REFUSE(r, op->at, ASH_D_plan_step_missing, "%s never runs", op->id);
  for (uint32_t i = 0; i < op->output_count && made && made != ASH_NO_ID; i++) {
    const ash_file_tensor *t = at(r, op->outputs[i]);
    if (t->rows ? made != t->rows : !has_dim(t, made))
      return REFUSE(r, op->at, ASH_D_plan_row_missing,
                    "%s makes %u rows of '%s'", op->id, (unsigned)made,
                    name_of(r, op->outputs[i]));
  }
  return ASH_OK;
}

/* ---- lifetimes ----------------------------------------------------------- */

static uint32_t group_of(const rows *r, uint32_t entry) {
  while (r->group[entry] != entry)
    entry = r->group[entry] = r->group[r->group[entry]];
  return entry;
}

static void join(const rows *r, uint32_t a, uint32_t b) {
  r->group[group_of(r, a)] = group_of(r, b);
}

/* Who shares storage, or is another name of the same bytes. */
static ash_status find_groups(const rows *r) {
  const ash_plan_file *f = r->k->f;
  uint32_t *of_slot =
      ASH_NEW_ARRAY(&r->k->ctx->scratch, uint32_t, f->plan.slot_count + 1u);
  ASH_TRY(ash_zone_check(r->k->ctx, &r->k->ctx->scratch));
  for (uint32_t i = 0; i < f->tensor_count; i++) {
    r->group[i] = i;
    of_slot[f->tensors[i].slot] = i;
  }
  for (uint32_t i = 0; i < f->plan.slot_count; i++)
    if (f->plan.slots[i].has_row)
      of_slot[i] = f->plan.slots[i].tensor;
  for (uint32_t i = 0; i < f->plan.slot_count; i++)
    if (f->plan.slots[i].alias_of != ASH_NO_ID)
      join(r, of_slot[i], of_slot[f->plan.slots[i].alias_of]);
  for (uint32_t i = 0; i < f->op_count; i++)
    if (r->made[i] == 0 && f->ops[i].input_count > 0 &&
        f->ops[i].inputs[0] != ASH_NO_ID)
      for (uint32_t o = 0; o < f->ops[i].output_count; o++)
        if (f->ops[i].outputs[o] != ASH_NO_ID)
          join(r, f->ops[i].inputs[0], f->ops[i].outputs[o]);
  return ASH_OK;
}

static bool has_operand(const rows *r, const ash_file_op *op, uint32_t entry) {
  for (uint32_t i = 0; i < op->input_count; i++)
    if (op->inputs[i] != ASH_NO_ID &&
        group_of(r, op->inputs[i]) == group_of(r, entry))
      return true;
  for (uint32_t i = 0; i < op->output_count; i++)
    if (group_of(r, op->outputs[i]) == group_of(r, entry))
      return true;
  return false;
}

/* Does a row that may share its bytes move right after the step? Then its life
 * ends there, and goes on elsewhere. */
static bool moves_after(const rows *r, uint32_t entry, uint32_t step) {
  const ash_plan *p = plan_of(r);
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].has_row && p->slots[i].moved_from != ASH_NO_ID &&
        p->slots[i].life.first_step == step + 1 &&
        group_of(r, p->slots[i].tensor) == group_of(r, entry))
      return true;
  return false;
}

/* The step at which a row is touched last is a run of somebody who knows its
 * tensor, its arrival, or the end. */
static ash_status check_last(const rows *r, uint32_t entry, uint32_t step) {
  const ash_steps *steps = &plan_of(r)->steps;
  if (step + 1 == steps->count)
    return ASH_OK;
  const ash_step *s = &steps->items[step];
  const bool known =
      s->op_count
          ? has_operand(r, &r->k->f->ops[s->ops[0]], entry)
          : group_of(r, r->k->f->inputs.items[s->input]) == group_of(r, entry);
  if (known || moves_after(r, entry, step))
    return ASH_OK;
  return REFUSE(r, at(r, entry)->at, ASH_D_plan_lifetime,
                "a row of '%s' lives until step %u, which does not use it",
                name_of(r, entry), (unsigned)step);
}

/* The end of the life of a row, in its last place. */
static uint32_t end_of(const rows *r, uint32_t slot) {
  while (r->next[slot] != ASH_NO_ID)
    slot = r->next[slot];
  return plan_of(r)->slots[slot].life.end_step;
}

/* It lives from the step that makes it on, or as long as what shares its
 * bytes. */
static ash_status check_first(const rows *r, uint32_t entry, uint32_t row,
                              uint32_t step) {
  const uint32_t slot = at(r, entry)->slot + row;
  const ash_slot *s = &plan_of(r)->slots[slot];
  const uint32_t root = r->k->c.index.root[slot];
  if (s->life.first_step == step || s->life.first_step == r->earliest[root])
    return ASH_OK;
  const ash_slot *storage = &plan_of(r)->slots[root];
  if (root != slot &&
      (r->next[root] != ASH_NO_ID || storage->moved_from != ASH_NO_ID))
    return ASH_OK; /* its storage moves: it lives there from then on */
  return REFUSE(r, at(r, entry)->at, ASH_D_plan_lifetime,
                "row %u of '%s' lives from step %u on and is made at step %u",
                (unsigned)row, s->id, (unsigned)s->life.first_step,
                (unsigned)step);
}

static void note_made(const rows *r, uint32_t entry, const ash_step *s,
                      uint32_t step) {
  const uint32_t count = at(r, entry)->rows;
  const uint32_t end = s->row_count ? s->first_row + s->row_count : count;
  for (uint32_t row = s->first_row; row < end && row < count; row++) {
    uint32_t *first =
        &r->earliest[r->k->c.index.root[at(r, entry)->slot + row]];
    *first = step < *first ? step : *first;
  }
}

static void find_earliest(const rows *r) {
  const ash_plan_file *f = r->k->f;
  for (uint32_t i = 0; i < f->plan.slot_count; i++)
    r->earliest[i] = UINT32_MAX;
  for (uint32_t i = 0; i < f->plan.steps.count; i++) {
    const ash_step *s = &f->plan.steps.items[i];
    const ash_file_op *op = s->op_count ? &f->ops[s->ops[0]] : NULL;
    if (!op)
      note_made(r, f->inputs.items[s->input], s, i);
    for (uint32_t k = 0; op && k < op->output_count; k++)
      note_made(r, op->outputs[k], s, i);
  }
  for (uint32_t i = 0; i < f->inputs.count; i++)
    if (r->made[f->op_count + i] == 0)
      note_made(r, f->inputs.items[i], &(ash_step){0}, 0);
}

/* Rows that a step makes begin to live there. */
static ash_status check_made(const rows *r, uint32_t entry, uint32_t step) {
  const ash_step *s = &plan_of(r)->steps.items[step];
  const uint32_t count = at(r, entry)->rows;
  const uint32_t end = s->row_count ? s->first_row + s->row_count : count;
  for (uint32_t row = s->first_row; row < end && row < count; row++)
    ASH_TRY(check_first(r, entry, row, step));
  return ASH_OK;
}

/* An operator that runs as a whole reads the whole. */
static ash_status check_read(const rows *r, uint32_t entry, uint32_t step) {
  const uint32_t count = at(r, entry)->rows;
  for (uint32_t row = 0; row < count; row++) {
    const ash_slot *s = &plan_of(r)->slots[at(r, entry)->slot + row];
    if (s->life.first_step > step ||
        end_of(r, at(r, entry)->slot + row) <= step)
      return REFUSE(r, at(r, entry)->at, ASH_D_plan_lifetime,
                    "row %u of '%s' is not alive at step %u, which reads it",
                    (unsigned)row, s->id, (unsigned)step);
  }
  return ASH_OK;
}

static ash_status check_steps(const rows *r) {
  const ash_plan_file *f = r->k->f;
  for (uint32_t i = 0; i < f->plan.steps.count; i++) {
    const ash_step *s = &f->plan.steps.items[i];
    const ash_file_op *op = s->op_count ? &f->ops[s->ops[0]] : NULL;
    if (!op)
      ASH_TRY(check_made(r, f->inputs.items[s->input], i));
    for (uint32_t k = 0; op && k < op->output_count; k++)
      ASH_TRY(check_made(r, op->outputs[k], i));
    for (uint32_t k = 0; op && !s->row_count && k < op->input_count; k++)
      if (op->reads[k])
        ASH_TRY(check_read(r, op->inputs[k], i));
  }
  return ASH_OK;
}

static bool is_fed(const rows *r, uint32_t entry) {
  for (uint32_t i = 0; i < r->k->f->inputs.count; i++)
    if (r->k->f->inputs.items[i] == entry)
      return r->made[r->k->f->op_count + i] != 0;
  return false;
}

/* What an entry says of all its rows together. */
static ash_status check_head(const rows *r, uint32_t entry) {
  const ash_file_tensor *t = at(r, entry);
  const ash_slot *s = &plan_of(r)->slots[t->slot];
  ash_lifetime all = {UINT32_MAX, 0};
  for (uint32_t row = 0; row < t->rows; row++) {
    const uint32_t first = plan_of(r)->slots[t->slot + row].life.first_step;
    const uint32_t end = end_of(r, t->slot + row);
    all.first_step = first < all.first_step ? first : all.first_step;
    all.end_step = end > all.end_step ? end : all.end_step;
  }
  if (t->offset != s->binding.offset || t->life.first_step != all.first_step ||
      t->life.end_step != all.end_step)
    return REFUSE(r, t->at, ASH_D_plan_rows,
                  "offset and steps of '%s' are not those of its rows", s->id);
  const bool whole =
      s->size > 0 && t->size % s->size == 0 && t->size / s->size == t->rows;
  if (whole || (is_fed(r, entry) && s->size > 0 && t->size % s->size == 0 &&
                t->size / s->size >= t->rows))
    return ASH_OK;
  return REFUSE(r, t->at, ASH_D_plan_row_size,
                "'%s' has %" PRIu64 " bytes, and %u rows of %" PRIu64, s->id,
                t->size, (unsigned)t->rows, s->size);
}

/* Constants are there before and after every run. */
static ash_status check_always(const rows *r, uint32_t entry) {
  const ash_slot *s = &plan_of(r)->slots[at(r, entry)->slot];
  const uint32_t steps = plan_of(r)->steps.count;
  if (s->binding.role != ASH_CONSTANT ||
      (s->life.first_step == 0 && s->life.end_step == steps))
    return ASH_OK;
  return REFUSE(r, at(r, entry)->at, ASH_D_plan_lifetime,
                "the constant '%s' is alive during [%u, %u) of %u steps", s->id,
                (unsigned)s->life.first_step, (unsigned)s->life.end_step,
                (unsigned)steps);
}

/* From the first to the last step in which an operator runs, or that has a
 * tensor among its operands. */
static void touch(ash_lifetime *life, uint32_t step) {
  life->first_step = step < life->first_step ? step : life->first_step;
  life->end_step = step + 1 > life->end_step ? step + 1 : life->end_step;
}

static void touch_operands(const rows *r, const ash_file_op *op,
                           uint32_t step) {
  for (uint32_t i = 0; i < op->input_count; i++)
    if (op->reads[i] && op->inputs[i] != ASH_NO_ID)
      touch(&r->used[op->inputs[i]], step);
  for (uint32_t i = 0; i < op->output_count; i++)
    touch(&r->used[op->outputs[i]], step);
}

static void find_uses(const rows *r) {
  const ash_plan_file *f = r->k->f;
  for (uint32_t i = 0; i < f->tensor_count; i++)
    r->used[i] = (ash_lifetime){UINT32_MAX, 0};
  for (uint32_t i = 0; i < f->op_count; i++)
    r->runs[i] = (ash_lifetime){UINT32_MAX, 0};
  for (uint32_t i = 0; i < f->plan.steps.count; i++) {
    const ash_step *s = &f->plan.steps.items[i];
    if (s->op_count == 0) {
      touch(&r->used[f->inputs.items[s->input]], i);
      continue;
    }
    touch(&r->runs[s->ops[0]], i);
    touch_operands(r, &f->ops[s->ops[0]], i);
  }
}

/* Work memory is there while its operator runs. */
static ash_status check_work(const rows *r, uint32_t entry) {
  const ash_slot *s = &plan_of(r)->slots[at(r, entry)->slot];
  if (s->op >= r->k->f->op_count || at(r, entry)->kind)
    return REFUSE(r, at(r, entry)->at, ASH_D_plan_maker,
                  "'%s' is the work memory of no operator", s->id);
  const ash_lifetime *runs = &r->runs[s->op];
  if (s->life.first_step <= runs->first_step &&
      s->life.end_step >= runs->end_step)
    return ASH_OK;
  return REFUSE(r, at(r, entry)->at, ASH_D_plan_lifetime,
                "'%s' is alive during [%u, %u), and %s runs during [%u, %u)",
                s->id, (unsigned)s->life.first_step, (unsigned)s->life.end_step,
                r->k->f->ops[s->op].id, (unsigned)runs->first_step,
                (unsigned)runs->end_step);
}

/* What is not in rows lives while it is used. */
static ash_status check_whole(const rows *r, uint32_t entry) {
  const ash_slot *s = &plan_of(r)->slots[at(r, entry)->slot];
  ash_lifetime used = r->used[entry];
  if (r->is_input[entry] && !is_fed(r, entry))
    used.first_step = 0;
  if (r->is_output[entry] && !r->is_drained[entry])
    used.end_step = plan_of(r)->steps.count;
  if (used.end_step == 0 || (s->life.first_step <= used.first_step &&
                             s->life.end_step >= used.end_step))
    return ASH_OK;
  return REFUSE(r, at(r, entry)->at, ASH_D_plan_lifetime,
                "'%s' is alive during [%u, %u), its runs say [%u, %u)", s->id,
                (unsigned)s->life.first_step, (unsigned)s->life.end_step,
                (unsigned)used.first_step, (unsigned)used.end_step);
}

static ash_status check_entry(const rows *r, uint32_t entry) {
  const ash_file_tensor *t = at(r, entry);
  const uint32_t steps = plan_of(r)->steps.count;
  const bool stays = r->is_output[entry] && !r->is_drained[entry];
  ASH_TRY(check_always(r, entry));
  if (!t->has_type)
    return check_work(r, entry);
  ASH_TRY(t->rows ? check_head(r, entry) : check_whole(r, entry));
  for (uint32_t row = 0; row < t->rows; row++) {
    const uint32_t end = end_of(r, t->slot + row);
    if (r->is_input[entry] && !is_fed(r, entry))
      ASH_TRY(check_first(r, entry, row, 0));
    ASH_TRY(check_last(r, entry, end - 1));
    if (stays && end != steps)
      return REFUSE(r, t->at, ASH_D_plan_row_output,
                    "row %u of the output '%s' lives until step %u of %u",
                    (unsigned)row, name_of(r, entry), (unsigned)end,
                    (unsigned)steps);
  }
  return ASH_OK;
}

/* ---- pieces -------------------------------------------------------------- */

/* Do all rows that exist at a step lie one after the other from `offset` on? */
static bool is_piece(const rows *r, uint32_t entry, uint32_t step,
                     uint64_t offset) {
  const ash_slot *slots = plan_of(r)->slots;
  for (uint32_t row = 0; row < at(r, entry)->rows; row++) {
    uint32_t s = at(r, entry)->slot + row;
    while (r->next[s] != ASH_NO_ID && slots[r->next[s]].life.first_step <= step)
      s = r->next[s];
    if (slots[s].life.first_step <= step && step < slots[s].life.end_step &&
        slots[s].binding.offset != offset + row * slots[s].size)
      return false;
  }
  return true;
}

/* Where row 0 is at the end. */
static uint64_t last_offset(const rows *r, uint32_t entry) {
  uint32_t s = at(r, entry)->slot;
  while (r->next[s] != ASH_NO_ID)
    s = r->next[s];
  return plan_of(r)->slots[s].binding.offset;
}

/* What the caller sees, or a kernel reads whole, is in one piece. */
static ash_status check_pieces(const rows *r, uint32_t entry) {
  const ash_plan *p = plan_of(r);
  const ash_slot *s = &p->slots[at(r, entry)->slot];
  const uint32_t last = p->steps.count ? p->steps.count - 1 : 0;
  bool pieces = true;
  if (!s->has_row && s->alias_of != ASH_NO_ID && p->slots[s->alias_of].has_row)
    pieces = is_piece(r, p->slots[s->alias_of].tensor, s->life.end_step - 1,
                      s->binding.offset);
  if (s->has_row && r->is_input[entry] && !is_fed(r, entry))
    pieces &= is_piece(r, entry, 0, s->binding.offset);
  if (s->has_row && r->is_output[entry] && !r->is_drained[entry])
    pieces &= is_piece(r, entry, last, last_offset(r, entry));
  if (pieces)
    return ASH_OK;
  return REFUSE(r, at(r, entry)->at, ASH_D_plan_row_pieces,
                "the rows of '%s' are not in one piece", s->id);
}

/* ---- all of it ----------------------------------------------------------- */

static void mark(bool *marks, const ash_file_list *list) {
  for (uint32_t i = 0; i < list->count; i++)
    marks[list->items[i]] = true;
}

static ash_status prepare(rows *r) {
  const ash_plan_file *f = r->k->f;
  ash_zone *z = &r->k->ctx->scratch;
  const size_t count = f->tensor_count + 1u;
  r->next = ASH_NEW_ARRAY(z, uint32_t, f->plan.slot_count + 1u);
  r->group = ASH_NEW_ARRAY(z, uint32_t, count);
  r->made =
      ASH_NEW_ARRAY(z, uint32_t, (size_t)f->op_count + f->inputs.count + 1);
  r->earliest = ASH_NEW_ARRAY(z, uint32_t, f->plan.slot_count + 1u);
  r->used = ASH_NEW_ARRAY(z, ash_lifetime, count);
  r->runs = ASH_NEW_ARRAY(z, ash_lifetime, f->op_count + 1u);
  r->is_input = ASH_NEW_ARRAY(z, bool, count);
  r->is_output = ASH_NEW_ARRAY(z, bool, count);
  r->is_drained = ASH_NEW_ARRAY(z, bool, count);
  ASH_TRY(ash_zone_check(r->k->ctx, z));
  for (uint32_t i = 0; i < f->plan.slot_count; i++)
    r->next[i] = ASH_NO_ID;
  for (uint32_t i = 0; i < f->plan.slot_count; i++)
    if (f->plan.slots[i].moved_from != ASH_NO_ID)
      r->next[f->plan.slots[i].moved_from] = i;
  mark(r->is_input, &f->inputs);
  mark(r->is_output, &f->outputs);
  mark(r->is_drained, &f->drained);
  return ASH_OK;
}

/* Does the order say of its copies what the moves are? */
static ash_status check_copies(const rows *r) {
  const ash_plan *p = plan_of(r);
  const ash_yaml *order = ash_yaml_get(r->k->f->top, "order");
  const ash_yaml *said = order ? ash_yaml_get(order, "moved_rows") : NULL;
  uint64_t moved, moved_bytes, count = 0, bytes = 0;
  if (!said)
    return ASH_OK;
  ASH_TRY(ash_yaml_u64(r->k->ctx, &moved, said, "moved_rows"));
  ASH_TRY(ash_yaml_need_u64(r->k->ctx, &moved_bytes, order, "moved_bytes"));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    count += p->slots[i].moved_from != ASH_NO_ID;
    bytes += p->slots[i].moved_from != ASH_NO_ID ? p->slots[i].size : 0;
  }
  if (moved == count && moved_bytes == bytes)
    return ASH_OK;
  return REFUSE(r, order, ASH_D_plan_facts,
                "%" PRIu64 " rows of %" PRIu64 " bytes are said to be moved, "
                "%" PRIu64 " of %" PRIu64 " are",
                moved, moved_bytes, count, bytes);
}

ash_status ash_check_file_rows(const ash_file_check *k) {
  rows r = {.k = k};
  ASH_TRY(prepare(&r));
  ASH_TRY(check_runs(&r));
  for (uint32_t i = 0; i < k->f->op_count; i++)
    ASH_TRY(check_complete(&r, i));
  ASH_TRY(find_groups(&r));
  find_earliest(&r);
  find_uses(&r);
  ASH_TRY(check_steps(&r));
  ASH_TRY(check_copies(&r));
  for (uint32_t i = 0; i < k->f->tensor_count; i++) {
    ASH_TRY(check_entry(&r, i));
    ASH_TRY(check_pieces(&r, i));
  }
  return ASH_OK;
}
