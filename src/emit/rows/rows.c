/* rows.c - what the records of a plan say about rows, arranged for the
 * emitters. */
#include "emit/rows/rows.h"

#include "plan/record/record.h"
#include "render/render.h"

typedef struct finder {
  ash_module *m;
  const ash_plan *plan;
  ash_rows *rows;
  uint32_t *source_of; /* by op of the graph */
  uint32_t move_source;
} finder;

static bool has_rows(const ash_plan *p, size_t output_count) {
  for (size_t i = 0; p->is_drained && i < output_count; i++)
    if (p->is_drained[i])
      return true;
  for (uint32_t s = 0; s < p->steps.count; s++)
    if (p->steps.items[s].row_count > 0)
      return true;
  return p->is_fed != NULL;
}

/* ---- tensors ------------------------------------------------------------- */

/* Tables have 16-bit numbers: the smallest power of two that reaches the end of
 * the arena. */
static uint64_t unit_of(const ash_render_arena *a) {
  uint64_t unit = 1;
  while (a->size > unit << 16)
    unit *= 2;
  return unit;
}

static void open_tensor(finder *f, uint32_t tensor, const ash_slot *s) {
  ash_module *m = f->m;
  const ash_tensor *t = &m->g->tensors.items[tensor];
  ash_row_tensor *r = &f->rows->tensors[f->rows->tensor_count];
  f->rows->of_tensor[tensor] = f->rows->tensor_count++;
  *r = (ash_row_tensor){
      .tensor = tensor,
      .rows = ash_domain_row_count(t),
      .row_bytes = ash_domain_row_bytes(t),
      .arena = ash_render_region(m->render, s->binding.role, s->binding.memory),
      .in_one_piece = true,
      .life = s->life};
  ASH_ASSERT(r->arena && s->size == r->row_bytes);
  r->unit = unit_of(r->arena);
  r->place = ASH_NEW_ARRAY(m->zone, uint64_t, r->rows);
  for (uint32_t k = 0; r->place && k < r->rows; k++)
    r->place[k] = ASH_NO_PLACE;
}

static ash_status add_row(finder *f, const ash_slot *s) {
  ASH_ASSERT(s->tensor < f->m->g->tensor_count && s->bound);
  if (f->rows->of_tensor[s->tensor] == ASH_NO_ID)
    open_tensor(f, s->tensor, s);
  ASH_TRY(ash_zone_check(f->m->ctx, f->m->zone));
  ash_row_tensor *r = &f->rows->tensors[f->rows->of_tensor[s->tensor]];
  ASH_INVARIANT(f->m->ctx, s->row < r->rows);
  if (s->life.first_step < r->life.first_step)
    r->life.first_step = s->life.first_step;
  if (s->life.end_step > r->life.end_step)
    r->life.end_step = s->life.end_step;
  if (s->moved_from != ASH_NO_ID)
    r->moves = true;
  else
    r->place[s->row] = s->binding.offset;
  return ASH_OK;
}

/* Rows that are there at one time, at most. */
static ash_status count_alive(finder *f) {
  const ash_plan *p = f->plan;
  ash_zone *z = &f->m->ctx->scratch;
  const ash_mark mark = ash_zone_mark(z);
  const size_t steps = (size_t)p->steps.count + 1;
  for (uint32_t i = 0; i < f->rows->tensor_count; i++) {
    int32_t *change = ASH_NEW_ARRAY(z, int32_t, steps);
    ASH_TRY(ash_zone_check(f->m->ctx, z));
    ash_row_tensor *r = &f->rows->tensors[i];
    for (uint32_t k = 0; k < p->slot_count; k++)
      if (p->slots[k].has_row && p->slots[k].tensor == r->tensor) {
        ASH_ASSERT(p->slots[k].life.end_step < steps);
        change[p->slots[k].life.first_step]++;
        change[p->slots[k].life.end_step]--;
      }
    int32_t now = 0;
    for (size_t s = 0; s < steps; s++) {
      now += change[s];
      if (now > (int32_t)r->alive)
        r->alive = (uint32_t)now;
    }
    ash_zone_rewind(z, mark);
  }
  return ASH_OK;
}

static bool is_in_one_piece(const ash_row_tensor *r) {
  uint32_t first = 0;
  while (first < r->rows && r->place[first] == ASH_NO_PLACE)
    first++;
  if (r->moves || first == r->rows || r->place[first] < first * r->row_bytes)
    return false;
  for (uint32_t k = first; k < r->rows; k++)
    if (r->place[k] != ASH_NO_PLACE &&
        r->place[k] - r->place[first] != (k - first) * r->row_bytes)
      return false;
  return true;
}

static ash_status find_tensors(finder *f) {
  const ash_plan *p = f->plan;
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].has_row &&
        f->rows->root[p->slots[i].tensor] == p->slots[i].tensor)
      ASH_TRY(add_row(f, &p->slots[i]));
  for (uint32_t i = 0; i < f->rows->tensor_count; i++)
    f->rows->tensors[i].in_one_piece = is_in_one_piece(&f->rows->tensors[i]);
  return count_alive(f);
}

/* ---- the order ----------------------------------------------------------- */

static uint32_t add_source(finder *f, ash_row_source source) {
  f->rows->sources[f->rows->source_count] = source;
  return f->rows->source_count++;
}

static uint32_t input_index(const ash_graph *g, uint32_t tensor) {
  for (uint32_t i = 0; i < g->input_count; i++)
    if (g->inputs[i] == tensor)
      return i;
  return ASH_NO_ID;
}

static uint32_t feed_of(const ash_rows *r, uint32_t input) {
  for (uint32_t i = 0; i < r->feed_count; i++)
    if (r->sources[i].input == input)
      return i;
  return ASH_NO_ID;
}

static void add_feed_source(finder *f, uint32_t input) {
  ASH_ASSERT(input < f->m->g->input_count);
  if (feed_of(f->rows, input) != ASH_NO_ID)
    return;
  add_source(f, (ash_row_source){ASH_ROWS_FEED, ASH_NO_ID, input, 0, 0});
  f->rows->feed_count++;
}

/* Feeds, then moves, then operators. */
static ash_status find_sources(finder *f) {
  const ash_steps *steps = &f->plan->steps;
  const bool *is_fed = f->plan->is_fed;
  for (uint32_t i = 0; is_fed && i < f->m->g->input_count; i++)
    if (is_fed[i])
      add_feed_source(f, i);
  for (uint32_t s = 0; s < steps->count; s++) {
    if (steps->items[s].op_count > 0)
      continue;
    const uint32_t input = input_index(f->m->g, steps->items[s].input);
    ASH_INVARIANT(f->m->ctx, input != ASH_NO_ID);
    add_feed_source(f, input);
  }
  for (uint32_t i = 0; i < f->plan->slot_count; i++)
    if (f->plan->slots[i].moved_from != ASH_NO_ID &&
        f->move_source == ASH_NO_ID)
      f->move_source = add_source(
          f, (ash_row_source){ASH_ROWS_MOVE, ASH_NO_ID, ASH_NO_ID, 0, 0});
  for (uint32_t s = 0; s < steps->count; s++)
    for (uint32_t k = 0; k < steps->items[s].op_count; k++) {
      const uint32_t op = steps->items[s].ops[k];
      if (f->m->code[op].kernel && f->source_of[op] == ASH_NO_ID)
        f->source_of[op] =
            add_source(f, (ash_row_source){ASH_ROWS_OP, op, ASH_NO_ID, 0, 0});
    }
  return ASH_OK;
}

/* Counts are bytes of a table: more rows are several entries. Runs of one
 * operator that directly follow each other are one entry up to some rows:
 * kernels make one row after the other, so that nothing changes, but each call
 * costs hundreds of instructions. */
enum { ROWS_OF_ENTRY = 255 };

static ash_status add_entry(finder *f, uint32_t source, uint32_t rows) {
  ASH_ASSERT(source < f->rows->source_count && rows <= ROWS_OF_ENTRY);
  if (!ASH_GROW(f->m->zone, &f->rows->entries, f->rows->entries.count))
    return ash_nomem(f->m->ctx);
  f->rows->entries.items[f->rows->entries.count++] =
      (ash_row_entry){source, rows};
  f->rows->sources[source].entries++;
  f->rows->sources[source].rows += rows;
  return ASH_OK;
}

/* Rows of outputs that leave do so before the next one is made. */
static bool drains(const finder *f, uint32_t op) {
  const ash_graph *g = f->m->g;
  for (uint32_t k = 0; k < g->ops.items[op].output_count; k++)
    for (size_t i = 0; i < g->output_count; i++)
      if (f->rows->drained[i] &&
          f->rows->root[g->outputs[i]] == g->ops.items[op].outputs[k])
        return true;
  return false;
}

/* Does row `next` lie apart from the `count` rows before it, in all outputs? */
static bool lies_apart(const finder *f, uint32_t op, uint32_t next,
                       uint32_t count) {
  const ash_op *o = &f->m->g->ops.items[op];
  for (uint32_t k = 0; k < o->output_count; k++) {
    const uint32_t i = f->rows->of_tensor[o->outputs[k]];
    const ash_row_tensor *r = i == ASH_NO_ID ? NULL : &f->rows->tensors[i];
    for (uint32_t row = next - count; r && row < next; row++)
      if (r->place[row] < r->place[next] + r->row_bytes &&
          r->place[next] < r->place[row] + r->row_bytes)
        return false;
  }
  return true;
}

/* Adds a row to the newest entry, if they may be together: kernels for lines
 * may write the end of one together with the start of the next. */
static bool join(finder *f, uint32_t source, uint32_t rows) {
  ash_row_entry *last =
      f->rows->entries.count == 0
          ? NULL
          : &f->rows->entries.items[f->rows->entries.count - 1];
  const ash_row_source *s = &f->rows->sources[source];
  if (!last || last->source != source || s->kind != ASH_ROWS_OP || rows != 1 ||
      last->rows >= ASH_ROWS_TOGETHER || drains(f, s->op) ||
      !lies_apart(f, s->op, s->rows, last->rows))
    return false;
  last->rows++;
  f->rows->sources[source].rows++;
  return true;
}

static ash_status add_rows(finder *f, uint32_t source, uint32_t rows) {
  if (join(f, source, rows))
    return ASH_OK;
  for (; rows > ROWS_OF_ENTRY; rows -= ROWS_OF_ENTRY)
    ASH_TRY(add_entry(f, source, ROWS_OF_ENTRY));
  return add_entry(f, source, rows);
}

/* Rows arrive one by one. */
static ash_status add_feed(finder *f, const ash_step *s) {
  const uint32_t source = feed_of(f->rows, input_index(f->m->g, s->input));
  for (uint32_t k = 0; k < s->row_count; k++)
    ASH_TRY(add_entry(f, source, 1));
  return ASH_OK;
}

/* What moves before step `step` starts. */
static ash_status add_moves(finder *f, uint32_t step) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->plan->slot_count; i++) {
    const ash_slot *s = &f->plan->slots[i];
    if (s->moved_from == ASH_NO_ID || s->life.first_step != step)
      continue;
    ASH_ASSERT(s->has_row && f->move_source != ASH_NO_ID);
    if (!ASH_GROW(f->m->zone, &f->rows->moves, f->rows->moves.count))
      return ash_nomem(f->m->ctx);
    f->rows->moves.items[f->rows->moves.count++] = (ash_row_move){
        f->rows->of_tensor[s->tensor], s->row, s->binding.offset};
    count++;
  }
  return count > 0 ? add_rows(f, f->move_source, count) : ASH_OK;
}

static ash_status add_step(finder *f, const ash_step *s) {
  if (s->op_count == 0)
    return add_feed(f, s);
  ASH_ASSERT(s->row_count == 0 || s->op_count == 1);
  for (uint32_t k = 0; k < s->op_count; k++) {
    const uint32_t source = f->source_of[s->ops[k]];
    if (source != ASH_NO_ID)
      ASH_TRY(add_rows(f, source, s->row_count));
  }
  return ASH_OK;
}

/* Rows that nothing reads have no place, and arrive nevertheless: whoever
 * pushes them need not know. */
static ash_status add_unread(finder *f) {
  for (uint32_t i = 0; i < f->rows->feed_count; i++) {
    const ash_row_source *s = &f->rows->sources[i];
    const uint32_t rows = ash_domain_row_count(
        &f->m->g->tensors.items[f->m->g->inputs[s->input]]);
    while (s->entries < rows)
      ASH_TRY(add_entry(f, i, 0));
  }
  return ASH_OK;
}

/* All rows of inputs that arrive before the first step. */
static ash_status add_first_feeds(finder *f) {
  const ash_graph *g = f->m->g;
  for (uint32_t i = 0; f->plan->is_fed && i < g->input_count; i++) {
    const uint32_t rows = ash_domain_row_count(&g->tensors.items[g->inputs[i]]);
    for (uint32_t k = 0; f->plan->is_fed[i] && k < rows; k++)
      ASH_TRY(add_entry(f, feed_of(f->rows, i), 1));
  }
  return ASH_OK;
}

static ash_status find_order(finder *f) {
  ASH_TRY(find_sources(f));
  ASH_TRY(add_first_feeds(f));
  for (uint32_t s = 0; s < f->plan->steps.count; s++) {
    ASH_TRY(add_moves(f, s));
    ASH_TRY(add_step(f, &f->plan->steps.items[s]));
  }
  return add_unread(f);
}

/* ---- inputs and outputs -------------------------------------------------- */

bool ash_emit_is_fed(const ash_module *m, size_t index) {
  return m->rows && feed_of(m->rows, (uint32_t)index) != ASH_NO_ID;
}

bool ash_emit_is_drained(const ash_module *m, size_t index) {
  return m->rows && m->rows->drained[index];
}

bool ash_emit_has_drains(const ash_module *m) {
  for (size_t i = 0; i < m->g->output_count; i++)
    if (ash_emit_is_drained(m, i))
      return true;
  return false;
}

bool ash_emit_has_row_ends(const ash_module *m) {
  return m->rows && (m->rows->feed_count > 0 || ash_emit_has_drains(m));
}

/* ---- the whole ----------------------------------------------------------- */

bool ash_emit_is_scattered(const ash_module *m, uint32_t tensor) {
  const ash_row_tensor *rows =
      tensor == ASH_NO_ID ? NULL : ash_emit_rows_of(m, tensor);
  return rows && !rows->in_one_piece;
}

const ash_row_tensor *ash_emit_rows_of(const ash_module *m, uint32_t tensor) {
  ASH_ASSERT(tensor < m->g->tensor_count);
  if (!m->rows)
    return NULL;
  const uint32_t i = m->rows->of_tensor[m->rows->root[tensor]];
  return i == ASH_NO_ID ? NULL : &m->rows->tensors[i];
}

const ash_tensor *ash_emit_rows_shown(const ash_module *m, uint32_t tensor) {
  const ash_row_tensor *r = ash_emit_rows_of(m, tensor);
  return &m->g->tensors.items[r ? r->tensor : tensor];
}

uint32_t ash_emit_row_ops(const ash_module *m) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->rows->source_count; i++)
    count += m->rows->sources[i].kind == ASH_ROWS_OP;
  return count;
}

static ash_status reserve(finder *f) {
  ash_zone *z = f->m->zone;
  const ash_graph *g = f->m->g;
  ash_rows *r = ASH_NEW(z, ash_rows);
  f->rows = r;
  f->source_of = ASH_NEW_ARRAY(z, uint32_t, g->op_count + 1);
  if (!r || !f->source_of)
    return ash_nomem(f->m->ctx);
  r->tensors = ASH_NEW_ARRAY(z, ash_row_tensor, g->tensor_count + 1);
  r->sources =
      ASH_NEW_ARRAY(z, ash_row_source, g->op_count + g->input_count + 1);
  r->of_tensor = ASH_NEW_ARRAY(z, uint32_t, g->tensor_count + 1);
  r->root = ASH_NEW_ARRAY(z, uint32_t, g->tensor_count + 1);
  r->drained = ASH_NEW_ARRAY(z, bool, g->output_count + 1);
  ASH_TRY(ash_zone_check(f->m->ctx, z));
  ash_domain_row_roots(g, r->root);
  for (uint32_t i = 0; i < g->tensor_count; i++)
    r->of_tensor[i] = ASH_NO_ID;
  for (uint32_t i = 0; i < g->op_count; i++)
    f->source_of[i] = ASH_NO_ID;
  return ASH_OK;
}

ash_status ash_emit_find_rows(ash_module *m) {
  finder f = {.m = m, .plan = m->plan, .move_source = ASH_NO_ID};
  m->rows = NULL;
  if (!has_rows(m->plan, m->g->output_count))
    return ASH_OK;
  ASH_TRY(reserve(&f));
  ASH_TRY(find_tensors(&f));
  for (size_t i = 0; i < m->g->output_count; i++)
    f.rows->drained[i] = m->plan->is_drained && m->plan->is_drained[i];
  ASH_TRY(find_order(&f));
  m->rows = f.rows;
  return ASH_OK;
}
