/* check_row_run.c - the runs of a plan with rows, gone through as the device
 * would: what do the bytes of the arenas hold at every step?
 *
 * Every write gives its bytes a new value, and what lay there before is gone.
 * A run finds the rows that the operator's rule (check_row_rules.c) wants if
 * all bytes at the places that the plan names hold the newest value of these
 * rows. Lifetimes are compared with the uses; nothing is concluded from them,
 * nor from aliases. */
#include "check/check_rows.h"

#include "base/sort.h"
#include "op/views.h"
#include "plan/record/record.h"

#include <inttypes.h>
#include <string.h>

/* The slots of a tensor: one, or one per row. */
typedef struct places {
  uint32_t first; /* in `at` and `made`                                     */
  uint32_t count; /* 0: the plan has no place for it                        */
  uint32_t rows;  /* of the tensor                                          */
  uint64_t each;  /* bytes of a row                                         */
} places;

/* Bytes that an operator reads while it runs. */
typedef struct reading {
  const ash_binding *in; /* role and memory           */
  uint64_t lo, hi;
  uint32_t input, row; /* ASH_NO_ID: all rows       */
} reading;

/* Bytes that it writes; row ASH_NO_ID: all rows at once. */
typedef struct writing {
  const ash_binding *in;
  uint64_t lo, hi;
  uint32_t output, row;
} writing;

typedef struct runner {
  const ash_checker *c;
  ash_cells cells;
  uint32_t *root;   /* by tensor: whose bytes it shows                      */
  places *places;   /* by tensor                                            */
  uint32_t *at;     /* by place: the slot that it is in now                 */
  bool *made;       /* by place                                             */
  uint32_t *value;  /* by slot: what its bytes hold if nothing was written
                       over them; 0: nothing yet                            */
  uint32_t *writer; /* by value: slot                                       */
  uint32_t values;
  uint32_t *next_row; /* by op: rows made; ASH_NO_ID: it ran whole         */
  uint32_t *arrived;  /* by tensor: rows fed                               */
  bool *is_fed;       /* by tensor                                         */
  uint32_t *moves;    /* slots that are moved to, by first step            */
  uint32_t move_count, next_move;
  reading *readings; /* of the operator that runs                           */
  uint32_t reading_count, reading_capacity;
  writing *writings;
  uint32_t writing_count, writing_capacity;
  uint32_t step;
} runner;

static const ash_tensor *tensor_at(const runner *r, uint32_t t) {
  return &r->c->g->tensors.items[t];
}

static const ash_slot *slot_at(const runner *r, uint32_t i) {
  return &r->c->plan->slots[i];
}

#define REFUSE(r, id, op, tensor, ...)                                         \
  ash_fail((r)->c->ctx, ASH_INTERNAL, (id),                                    \
           ash_graph_loc((r)->c->g, (op), (tensor)), __VA_ARGS__)

static const char *name_of(const runner *r, uint32_t op) {
  return op == ASH_NO_ID ? "the caller" : r->c->g->ops.items[op].id;
}

/* ---- places -------------------------------------------------------------- */

static uint32_t place_of(const runner *r, uint32_t tensor, uint32_t row) {
  const places *p = &r->places[tensor];
  return p->first + (p->count > 1 ? row : 0);
}

static uint32_t slot_of(const runner *r, uint32_t tensor, uint32_t row) {
  return r->at[place_of(r, tensor, row)];
}

static ash_role true_role(const ash_tensor *t) {
  if (t->kind == ASH_TENSOR_CONSTANT)
    return ASH_CONSTANT;
  return t->kind == ASH_TENSOR_VARIABLE ? ASH_PERSISTENT : ASH_SCRATCH;
}

static ash_status check_slot(const runner *r, uint32_t slot) {
  const ash_slot *s = slot_at(r, slot);
  const ash_tensor *t = tensor_at(r, s->tensor);
  const uint64_t bytes = s->has_row ? r->places[s->tensor].each : t->bytes;
  const uint64_t element = ash_type_bits(t->type) / 8;
  if (s->has_row && s->row >= r->places[s->tensor].rows)
    return REFUSE(r, ASH_D_plan_rows, ASH_NO_ID, s->tensor,
                  "'%s' has %u rows, the plan lists row %u", s->id,
                  (unsigned)r->places[s->tensor].rows, (unsigned)s->row);
  if (s->size < bytes || (s->has_row && s->size != bytes))
    return REFUSE(r, s->has_row ? ASH_D_plan_row_size : ASH_D_plan_undersized,
                  ASH_NO_ID, s->tensor,
                  "'%s' needs %" PRIu64 " bytes, the plan gives it %" PRIu64,
                  s->id, bytes, s->size);
  if (element > 1 && s->binding.offset % element != 0)
    return REFUSE(r, ASH_D_plan_element_misaligned, ASH_NO_ID, s->tensor,
                  "'%s' at %" PRIu64 " has elements of %" PRIu64 " bytes",
                  s->id, s->binding.offset, element);
  if (s->binding.role != true_role(t) &&
      !(true_role(t) == ASH_SCRATCH && s->binding.role == ASH_PERSISTENT &&
        s->alias_of != ASH_NO_ID))
    return REFUSE(r, ASH_D_plan_role, ASH_NO_ID, s->tensor,
                  "'%s' is planned as %s, it is %s", s->id,
                  ash_role_text(s->binding.role), ash_role_text(true_role(t)));
  return ASH_OK;
}

static ash_status find_places(runner *r) {
  const ash_plan *p = r->c->plan;
  const ash_graph *g = r->c->g;
  uint32_t count = 0;
  for (uint32_t t = 0; t < g->tensor_count; t++) {
    const uint32_t rows = ash_check_row_count(tensor_at(r, t));
    r->places[t] = (places){0, 0, rows, tensor_at(r, t)->bytes / rows};
  }
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].tensor != ASH_NO_ID)
      r->places[p->slots[i].tensor].count =
          p->slots[i].has_row ? r->places[p->slots[i].tensor].rows : 1;
  for (uint32_t t = 0; t < g->tensor_count; t++) {
    r->places[t].first = count;
    count += r->places[t].count;
  }
  r->at = ASH_NEW_ARRAY(&r->c->ctx->scratch, uint32_t, (size_t)count + 1);
  r->made = ASH_NEW_ARRAY(&r->c->ctx->scratch, bool, (size_t)count + 1);
  ASH_TRY(ash_zone_check(r->c->ctx, &r->c->ctx->scratch));
  for (uint32_t i = 0; i < count; i++)
    r->at[i] = ASH_NO_ID;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (s->tensor == ASH_NO_ID)
      continue;
    ASH_TRY(check_slot(r, i));
    if (s->moved_from == ASH_NO_ID)
      r->at[place_of(r, s->tensor, s->row)] = i;
  }
  return ASH_OK;
}

static ash_status need_place(const runner *r, uint32_t tensor, uint32_t row) {
  const places *p = &r->places[tensor];
  if (p->count > 0 && slot_of(r, tensor, row) != ASH_NO_ID)
    return ASH_OK;
  if (p->count > 1)
    return REFUSE(r, ASH_D_plan_rows, ASH_NO_ID, tensor,
                  "the plan has no place for row %u of '%s'", (unsigned)row,
                  tensor_at(r, tensor)->id);
  return REFUSE(r,
                true_role(tensor_at(r, tensor)) == ASH_CONSTANT
                    ? ASH_D_plan_constant_missing
                    : ASH_D_plan_missing,
                ASH_NO_ID, tensor, "the plan has no place for '%s'",
                tensor_at(r, tensor)->id);
}

static ash_status check_alive(const runner *r, uint32_t slot, uint32_t step) {
  const ash_slot *s = slot_at(r, slot);
  if (s->life.first_step <= step && step < s->life.end_step)
    return ASH_OK;
  return REFUSE(r, ASH_D_plan_lifetime, ASH_NO_ID, s->tensor,
                "row %u of '%s' is used at step %u but alive only during "
                "[%u, %u)",
                (unsigned)s->row, s->id, (unsigned)step,
                (unsigned)s->life.first_step, (unsigned)s->life.end_step);
}

/* ---- values -------------------------------------------------------------- */

/* The bytes of a slot become new. */
static void write_slot(runner *r, uint32_t slot) {
  r->value[slot] = ++r->values;
  r->writer[r->values] = slot;
  ash_cells_put(&r->cells, slot, r->values);
}

/* Is what was written into the slot still there? */
static ash_status check_intact(const runner *r, uint32_t op, uint32_t place,
                               uint32_t row) {
  const uint32_t slot = r->at[place];
  const ash_slot *s = slot_at(r, slot);
  if (!r->made[place])
    return REFUSE(
        r, r->is_fed[s->tensor] ? ASH_D_plan_row_late : ASH_D_plan_row_unmade,
        op, s->tensor,
        "%s needs row %u of '%s' at step %u, which was not made yet",
        name_of(r, op), (unsigned)row, s->id, (unsigned)r->step);
  const uint32_t there = ash_cells_other(&r->cells, slot, r->value[slot]);
  if (there == r->value[slot])
    return ASH_OK;
  const ash_slot *other = slot_at(r, r->writer[there]);
  return REFUSE(r, ASH_D_plan_row_overwritten, op, s->tensor,
                "%s needs row %u of '%s' at step %u, over which '%s' row %u "
                "was written",
                name_of(r, op), (unsigned)row, s->id, (unsigned)r->step,
                other->id, (unsigned)other->row);
}

/* ---- reading ------------------------------------------------------------- */

/* Where the plan says that a row of a tensor begins. */
static uint64_t address_of(const runner *r, uint32_t tensor, uint32_t row) {
  const uint64_t offset = slot_at(r, slot_of(r, tensor, row))->binding.offset;
  return r->places[tensor].count > 1 ? offset
                                     : offset + row * r->places[tensor].each;
}

static ash_status note_reading(runner *r, reading what) {
  if (r->reading_count == r->reading_capacity) {
    const uint32_t more = 2 * r->reading_capacity + 16;
    reading *grown = ASH_NEW_ARRAY(&r->c->ctx->scratch, reading, more);
    ASH_TRY(ash_zone_check(r->c->ctx, &r->c->ctx->scratch));
    if (r->reading_count)
      memcpy(grown, r->readings, r->reading_count * sizeof *grown);
    r->readings = grown;
    r->reading_capacity = more;
  }
  r->readings[r->reading_count++] = what;
  return ASH_OK;
}

static ash_status note_writing(runner *r, writing what) {
  if (r->writing_count == r->writing_capacity) {
    const uint32_t more = 2 * r->writing_capacity + 16;
    writing *grown = ASH_NEW_ARRAY(&r->c->ctx->scratch, writing, more);
    ASH_TRY(ash_zone_check(r->c->ctx, &r->c->ctx->scratch));
    if (r->writing_count)
      memcpy(grown, r->writings, r->writing_count * sizeof *grown);
    r->writings = grown;
    r->writing_capacity = more;
  }
  r->writings[r->writing_count++] = what;
  return ASH_OK;
}

/* Rows [from, to) of a tensor with places, at `where` and one after the other:
 * are they there, and intact? */
static ash_status find_rows(runner *r, uint32_t op, uint32_t tensor,
                            uint32_t from, uint32_t to, const ash_slot *where,
                            uint64_t address) {
  const places *p = &r->places[tensor];
  for (uint32_t row = from; row < to; row++) {
    ASH_TRY(need_place(r, tensor, row));
    const uint32_t slot = slot_of(r, tensor, row);
    const ash_slot *s = slot_at(r, slot);
    if (address_of(r, tensor, row) != address + (row - from) * p->each ||
        s->binding.role != where->binding.role ||
        strcmp(s->binding.memory, where->binding.memory) != 0)
      return REFUSE(r,
                    where->tensor == tensor ? ASH_D_plan_row_pieces
                                            : ASH_D_plan_row_view,
                    op, where->tensor,
                    "%s looks for row %u of '%s' at %" PRIu64 " at step %u; it "
                    "is at %" PRIu64,
                    name_of(r, op), (unsigned)row, where->id,
                    address + (row - from) * p->each, (unsigned)r->step,
                    address_of(r, tensor, row));
    if (p->count == 1 && row > from)
      continue; /* the same slot */
    ASH_TRY(check_alive(r, slot, r->step));
    ASH_TRY(check_intact(r, op, place_of(r, tensor, row), row));
  }
  return ASH_OK;
}

/* Are the rows of a view those of what it shows? */
static bool has_root_rows(const runner *r, uint32_t tensor) {
  const uint32_t root = r->root[tensor];
  return r->places[tensor].rows == r->places[root].rows;
}

static ash_status read_row(runner *r, uint32_t op, uint32_t input,
                           uint32_t row) {
  const uint32_t tensor = r->c->g->ops.items[op].inputs[input];
  ASH_TRY(need_place(r, tensor, row));
  const ash_slot *where = slot_at(r, slot_of(r, tensor, row));
  const uint64_t lo = address_of(r, tensor, row);
  ASH_TRY(check_alive(r, slot_of(r, tensor, row), r->step));
  ASH_TRY(find_rows(r, op, r->root[tensor], row, row + 1, where, lo));
  return note_reading(r, (reading){&where->binding, lo,
                                   lo + r->places[tensor].each, input, row});
}

static ash_status read_all(runner *r, uint32_t op, uint32_t tensor,
                           uint32_t input) {
  const uint32_t root = r->root[tensor];
  ASH_TRY(need_place(r, tensor, 0));
  const ash_slot *where = slot_at(r, slot_of(r, tensor, 0));
  const uint64_t lo = address_of(r, tensor, 0);
  ASH_TRY(check_alive(r, slot_of(r, tensor, 0), r->step));
  ASH_TRY(find_rows(r, op, root, 0, r->places[root].rows, where, lo));
  return note_reading(r, (reading){&where->binding, lo,
                                   lo + tensor_at(r, root)->bytes, input,
                                   ASH_NO_ID});
}

/* What rows [first, end) of the results need of an input. */
static ash_status read_input(runner *r, uint32_t op, uint32_t input,
                             uint32_t first, uint32_t end) {
  const ash_graph *g = r->c->g;
  const uint32_t tensor = g->ops.items[op].inputs[input];
  ash_check_range before = {0, 0, false};
  if (tensor_at(r, tensor)->kind == ASH_TENSOR_CONSTANT)
    return need_place(r, tensor, 0);
  for (uint32_t row = first; row < end; row++) {
    const ash_check_range need = ash_check_rows_read(g, op, input, row);
    if (need.is_whole || !has_root_rows(r, tensor))
      return read_all(r, op, tensor, input);
    const bool on = row > first && need.from >= before.from;
    uint32_t from = on && before.to > need.from ? before.to : need.from;
    for (; from < need.to; from++)
      ASH_TRY(read_row(r, op, input, from));
    before = need;
  }
  return ASH_OK;
}

/* ---- writing ------------------------------------------------------------- */

static bool meet(const ash_binding *a, uint64_t a_lo, uint64_t a_hi,
                 const ash_binding *b, uint64_t b_lo, uint64_t b_hi) {
  return a->role == b->role && a_lo < b_hi && b_lo < a_hi &&
         strcmp(a->memory, b->memory) == 0;
}

/* A concatenation of whole parts: is this one where it belongs already? */
static bool is_part(const runner *r, uint32_t op, const reading *in,
                    const writing *w) {
  uint64_t offset;
  return w->row == ASH_NO_ID &&
         ash_op_is_piece(r->c->g, op, in->input, &offset) &&
         in->lo == w->lo + offset;
}

/* A line of a window, pixel by pixel: is what is still read of a line that no
 * later one needs there when a pixel has been written? From the definition: a
 * pixel reads nothing left of its first column, and those after it read further
 * right. */
static bool stays_behind(const runner *r, uint32_t op, const ash_kernel *kernel,
                         const reading *in, const writing *w) {
  const ash_graph *g = r->c->g;
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *from = ash_op_in(g, o, 0), *to = ash_op_out(g, o, 0);
  const bool windows =
      o->kind == ASH_OP_conv_2d || o->kind == ASH_OP_depthwise_conv_2d ||
      o->kind == ASH_OP_average_pool_2d || o->kind == ASH_OP_max_pool_2d;
  if (!windows || in->input != 0 || in->row == ASH_NO_ID ||
      w->row == ASH_NO_ID || ash_kernel_is_vector(kernel) ||
      kernel->order != ASH_ORDER_PIXELS || !kernel->lines ||
      from->shape.rank != 4 || to->shape.rank != 4 || to->shape.dim[0] != 1)
    return false;
  if (w->row + 1 < r->places[o->outputs[0]].rows &&
      ash_check_rows_read(g, op, 0, w->row + 1).from <= in->row)
    return false;
  const uint64_t read = (in->hi - in->lo) / (uint64_t)from->shape.dim[2];
  const uint64_t made = (w->hi - w->lo) / (uint64_t)to->shape.dim[2];
  for (int32_t x = 0; x < to->shape.dim[2]; x++) {
    const int64_t left =
        x * ash_attr_int(o, "stride_w", 1) - ash_attr_int(o, "pad_left", 0);
    if (w->lo + ((uint64_t)x + 1) * made >
        in->lo + (left > 0 ? (uint64_t)left : 0) * read)
      return false;
  }
  return true;
}

/* May the operator write there while it reads that? In place, an element-wise
 * one takes the very row that it reads for this row. */
static bool may_write(const runner *r, uint32_t op, const reading *in,
                      const writing *w) {
  const ash_graph *g = r->c->g;
  const ash_kernel *kernel = ash_plan_choice(r->c->plan, g, op).kernel;
  if (!meet(in->in, in->lo, in->hi, w->in, w->lo, w->hi))
    return true;
  if (is_part(r, op, in, w) || (kernel && stays_behind(r, op, kernel, in, w)))
    return true;
  if (in->lo != w->lo || !kernel ||
      !ash_kernel_in_place(kernel, g, op, in->input))
    return false;
  if (w->row == ASH_NO_ID)
    return in->row == ASH_NO_ID;
  if (in->hi != w->hi || in->row == ASH_NO_ID)
    return false;
  const ash_check_range need = ash_check_rows_read(g, op, in->input, w->row);
  return !need.is_whole && need.from == in->row && need.to == in->row + 1;
}

static ash_status check_writing(const runner *r, uint32_t op,
                                const writing *w) {
  const ash_op *o = &r->c->g->ops.items[op];
  for (uint32_t i = 0; i < r->reading_count; i++)
    if (!may_write(r, op, &r->readings[i], w))
      return REFUSE(
          r, ASH_D_plan_self_overlap, op, o->inputs[r->readings[i].input],
          "%s writes '%s' over its input '%s' at step %u while it "
          "still reads it",
          o->id, tensor_at(r, o->outputs[w->output])->id,
          tensor_at(r, o->inputs[r->readings[i].input])->id, (unsigned)r->step);
  return ASH_OK;
}

/* Work memory is written during the run, so it shares nothing with it. */
static ash_status use_work(runner *r, uint32_t op) {
  const uint32_t work = r->c->index.work[op];
  const ash_choice choice = ash_plan_choice(r->c->plan, r->c->g, op);
  const uint64_t need = r->c->plan->steps.items[r->step].row_count > 0
                            ? choice.row_scratch
                            : choice.scratch;
  if (need && (work == ASH_NO_ID || slot_at(r, work)->size < need))
    return REFUSE(r, ASH_D_plan_work, op, ASH_NO_ID,
                  "%s needs more work memory than the plan gives it",
                  name_of(r, op));
  if (work == ASH_NO_ID)
    return ASH_OK;
  const ash_slot *s = slot_at(r, work);
  const uint64_t lo = s->binding.offset, hi = lo + s->size;
  bool shares = false;
  for (uint32_t i = 0; i < r->reading_count; i++)
    shares |= meet(r->readings[i].in, r->readings[i].lo, r->readings[i].hi,
                   &s->binding, lo, hi);
  for (uint32_t i = 0; i < r->writing_count; i++)
    shares |= meet(r->writings[i].in, r->writings[i].lo, r->writings[i].hi,
                   &s->binding, lo, hi);
  if (shares)
    return REFUSE(r, ASH_D_plan_row_work, op, ASH_NO_ID,
                  "the work memory of %s lies on rows that it uses at step %u",
                  name_of(r, op), (unsigned)r->step);
  if (r->step < s->life.first_step || r->step >= s->life.end_step)
    return REFUSE(r, ASH_D_plan_lifetime, op, ASH_NO_ID,
                  "the work memory of %s is not alive at step %u",
                  name_of(r, op), (unsigned)r->step);
  write_slot(r, work);
  return ASH_OK;
}

static ash_status make_row(runner *r, uint32_t tensor, uint32_t row) {
  ASH_TRY(need_place(r, tensor, row));
  const uint32_t place = place_of(r, tensor, row);
  ASH_TRY(check_alive(r, r->at[place], r->step));
  write_slot(r, r->at[place]);
  r->made[place] = true;
  return ASH_OK;
}

/* ---- operators ----------------------------------------------------------- */

static ash_status read_inputs(runner *r, uint32_t op, uint32_t first,
                              uint32_t end) {
  const ash_op *o = &r->c->g->ops.items[op];
  r->reading_count = r->writing_count = 0;
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] == ASH_NO_ID ||
        !ash_plan_reads(r->c->plan, r->c->g, op, k))
      continue;
    if (first < end)
      ASH_TRY(read_input(r, op, k, first, end));
    else if (tensor_at(r, o->inputs[k])->kind == ASH_TENSOR_CONSTANT)
      ASH_TRY(need_place(r, o->inputs[k], 0));
    else
      ASH_TRY(read_all(r, op, o->inputs[k], k));
  }
  return ASH_OK;
}

static ash_status list_rows(runner *r, uint32_t op, uint32_t first,
                            uint32_t end) {
  const ash_op *o = &r->c->g->ops.items[op];
  for (uint32_t k = 0; k < o->output_count; k++) {
    const places *p = &r->places[o->outputs[k]];
    if (p->count == 1)
      return REFUSE(r, ASH_D_plan_rows, op, o->outputs[k],
                    "%s makes '%s' row by row, and the plan has it whole",
                    o->id, tensor_at(r, o->outputs[k])->id);
    for (uint32_t row = first; row < end; row++) {
      ASH_TRY(need_place(r, o->outputs[k], row));
      const uint64_t lo = address_of(r, o->outputs[k], row);
      const ash_slot *s = slot_at(r, slot_of(r, o->outputs[k], row));
      ASH_TRY(
          note_writing(r, (writing){&s->binding, lo, lo + p->each, k, row}));
    }
  }
  return ASH_OK;
}

static ash_status check_writings(runner *r, uint32_t op) {
  for (uint32_t i = 0; i < r->writing_count; i++)
    ASH_TRY(check_writing(r, op, &r->writings[i]));
  return use_work(r, op);
}

static ash_status run_rows(runner *r, uint32_t op, uint32_t first,
                           uint32_t end) {
  const ash_op *o = &r->c->g->ops.items[op];
  ASH_TRY(read_inputs(r, op, first, end));
  ASH_TRY(list_rows(r, op, first, end));
  ASH_TRY(check_writings(r, op));
  for (uint32_t i = 0; i < r->writing_count; i++)
    ASH_TRY(make_row(r, o->outputs[r->writings[i].output], r->writings[i].row));
  return ASH_OK;
}

/* A variable is read, or gets its value, where it is. */
static bool is_nothing(runner *r, uint32_t op, const writing *w) {
  const ash_op *o = &r->c->g->ops.items[op];
  if (!ash_op_has(o, ASH_OP_VIEW) || r->reading_count != 1 ||
      r->readings[0].lo != w->lo || r->readings[0].hi != w->hi ||
      !meet(r->readings[0].in, w->lo, w->hi, w->in, w->lo, w->hi) ||
      r->places[o->inputs[0]].count != 1 || r->places[o->outputs[0]].count != 1)
    return false;
  const uint32_t out = slot_of(r, o->outputs[0], 0);
  r->value[out] = r->value[slot_of(r, r->root[o->inputs[0]], 0)];
  r->made[place_of(r, o->outputs[0], 0)] = true;
  return true;
}

static ash_status list_whole(runner *r, uint32_t op) {
  const ash_op *o = &r->c->g->ops.items[op];
  for (uint32_t k = 0; k < o->output_count; k++) {
    const uint32_t t = o->outputs[k];
    for (uint32_t row = 0; row < r->places[t].rows; row++) {
      ASH_TRY(need_place(r, t, row));
      const uint64_t want = address_of(r, t, 0) + row * r->places[t].each;
      if (address_of(r, t, row) != want)
        return REFUSE(r, ASH_D_plan_row_pieces, op, t,
                      "%s makes '%s' at once, and row %u is at %" PRIu64
                      ", not at %" PRIu64,
                      o->id, tensor_at(r, t)->id, (unsigned)row,
                      address_of(r, t, row), want);
    }
    const uint64_t lo = address_of(r, t, 0);
    ASH_TRY(
        note_writing(r, (writing){&slot_at(r, slot_of(r, t, 0))->binding, lo,
                                  lo + tensor_at(r, t)->bytes, k, ASH_NO_ID}));
  }
  return ASH_OK;
}

static ash_status make_whole(runner *r, uint32_t tensor) {
  const places *p = &r->places[tensor];
  for (uint32_t row = 0; row < p->count; row++)
    ASH_TRY(make_row(r, tensor, row));
  return ASH_OK;
}

static ash_status update_state(runner *r, uint32_t op) {
  const ash_op *o = &r->c->g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count && ash_op_has(o, ASH_OP_STATE); k++)
    if (o->inputs[k] != ASH_NO_ID &&
        ash_graph_updates(r->c->g, o, o->inputs[k])) {
      ASH_TRY(need_place(r, o->inputs[k], 0));
      write_slot(r, slot_of(r, o->inputs[k], 0));
    }
  return ASH_OK;
}

static ash_status run_whole(runner *r, uint32_t op) {
  const ash_op *o = &r->c->g->ops.items[op];
  ASH_TRY(read_inputs(r, op, 0, 0));
  ASH_TRY(list_whole(r, op));
  if (o->output_count != 1 || !is_nothing(r, op, &r->writings[0])) {
    ASH_TRY(check_writings(r, op));
    for (uint32_t k = 0; k < o->output_count; k++)
      ASH_TRY(make_whole(r, o->outputs[k]));
  }
  return update_state(r, op);
}

/* ---- steps --------------------------------------------------------------- */

static ash_status move_row(runner *r, uint32_t slot) {
  const ash_slot *s = slot_at(r, slot);
  const uint32_t place = place_of(r, s->tensor, s->row);
  if (r->at[place] != s->moved_from)
    return REFUSE(r, ASH_D_plan_row_move, ASH_NO_ID, s->tensor,
                  "row %u of '%s' is moved at step %u from where it is not",
                  (unsigned)s->row, s->id, (unsigned)r->step);
  if (tensor_at(r, s->tensor)->kind == ASH_TENSOR_INPUT &&
      !r->is_fed[s->tensor])
    return REFUSE(r, ASH_D_plan_row_pieces, ASH_NO_ID, s->tensor,
                  "row %u of the input '%s' is moved from where the caller "
                  "puts it",
                  (unsigned)s->row, s->id);
  if (s->alias_of == ASH_NO_ID) {
    const uint32_t from = r->at[place];
    if (!r->made[place] ||
        ash_cells_other(&r->cells, from, r->value[from]) != r->value[from])
      return REFUSE(r, ASH_D_plan_row_move_lost, ASH_NO_ID, s->tensor,
                    "row %u of '%s' is moved at step %u, when it is not there",
                    (unsigned)s->row, s->id, (unsigned)r->step);
    write_slot(r, slot);
  }
  r->at[place] = slot;
  return ASH_OK;
}

static ash_status move_rows(runner *r) {
  while (r->next_move < r->move_count &&
         slot_at(r, r->moves[r->next_move])->life.first_step == r->step)
    ASH_TRY(move_row(r, r->moves[r->next_move++]));
  return ASH_OK;
}

static ash_status feed(runner *r, const ash_step *s) {
  if (s->input >= r->c->g->tensor_count ||
      tensor_at(r, s->input)->kind != ASH_TENSOR_INPUT || s->row_count == 0 ||
      r->places[s->input].count < r->places[s->input].rows)
    return REFUSE(r, ASH_D_plan_row_feed, ASH_NO_ID, ASH_NO_ID,
                  "step %u brings rows of what is not an input in rows",
                  (unsigned)r->step);
  if (s->first_row != r->arrived[s->input] ||
      s->row_count > r->places[s->input].rows - s->first_row)
    return REFUSE(r, ASH_D_plan_row_feed, ASH_NO_ID, s->input,
                  "step %u brings rows [%u, %u) of '%s' after row %u",
                  (unsigned)r->step, (unsigned)s->first_row,
                  (unsigned)(s->first_row + s->row_count),
                  tensor_at(r, s->input)->id, (unsigned)r->arrived[s->input]);
  for (uint32_t i = 0; i < s->row_count; i++)
    ASH_TRY(make_row(r, s->input, r->arrived[s->input]++));
  return ASH_OK;
}

static ash_status run_some(runner *r, const ash_step *s) {
  const uint32_t op = s->ops[0];
  if (s->op_count != 1 || !ash_check_has_rows(r->c->g, op))
    return REFUSE(r, ASH_D_plan_row_rule, op, ASH_NO_ID,
                  "step %u makes rows of %s, which makes none",
                  (unsigned)r->step, name_of(r, op));
  const uint32_t rows = r->places[r->c->g->ops.items[op].outputs[0]].rows;
  if (s->first_row != r->next_row[op] || s->row_count > rows - s->first_row)
    return REFUSE(r, ASH_D_plan_row_run, op, ASH_NO_ID,
                  "step %u makes rows [%u, %u) of %u of %s, the next is %u",
                  (unsigned)r->step, (unsigned)s->first_row,
                  (unsigned)(s->first_row + s->row_count), (unsigned)rows,
                  name_of(r, op), (unsigned)r->next_row[op]);
  r->next_row[op] += s->row_count;
  return run_rows(r, op, s->first_row, s->first_row + s->row_count);
}

static ash_status run_step(runner *r, const ash_step *s) {
  if (s->op_count == 0)
    return feed(r, s);
  for (uint32_t k = 0; k < s->op_count; k++) {
    const uint32_t op = s->ops[k];
    if (op >= r->c->g->op_count || (s->row_count == 0 && r->next_row[op] != 0))
      return REFUSE(r, ASH_D_plan_step_twice, op, ASH_NO_ID,
                    "step %u runs an operator that ran already or is none",
                    (unsigned)r->step);
    const ash_op *o = &r->c->g->ops.items[op];
    if (s->row_count > 0) {
      ASH_TRY(run_some(r, s));
      continue;
    }
    r->next_row[op] = ASH_NO_ID;
    if (o->output_count != 1 || r->root[o->outputs[0]] == o->outputs[0])
      ASH_TRY(run_whole(r, op));
  }
  return ASH_OK;
}

/* ---- from start to end --------------------------------------------------- */

static int by_first_step(const void *a, const void *b, const void *user) {
  const ash_plan *p = user;
  const uint32_t x = p->slots[*(const uint32_t *)a].life.first_step;
  const uint32_t y = p->slots[*(const uint32_t *)b].life.first_step;
  return x == y ? 0 : x < y ? -1 : 1;
}

static ash_status reserve(runner *r) {
  const ash_graph *g = r->c->g;
  const ash_plan *p = r->c->plan;
  ash_zone *z = &r->c->ctx->scratch;
  size_t writes = 2 * (size_t)p->slot_count + 1;
  for (uint32_t s = 0; s < p->steps.count; s++)
    writes += 1 + p->steps.items[s].op_count;
  for (uint32_t op = 0; op < g->op_count; op++)
    writes += g->ops.items[op].input_count + g->ops.items[op].output_count;
  r->root = ASH_NEW_ARRAY(z, uint32_t, g->tensor_count + 1);
  r->places = ASH_NEW_ARRAY(z, places, g->tensor_count + 1);
  r->value = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  r->writer = ASH_NEW_ARRAY(z, uint32_t, writes);
  r->next_row = ASH_NEW_ARRAY(z, uint32_t, g->op_count + 1);
  r->arrived = ASH_NEW_ARRAY(z, uint32_t, g->tensor_count + 1);
  r->is_fed = ASH_NEW_ARRAY(z, bool, g->tensor_count + 1);
  r->moves = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  uint32_t *spare = ASH_NEW_ARRAY(z, uint32_t, p->slot_count + 1u);
  ASH_TRY(ash_zone_check(r->c->ctx, z));
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].moved_from != ASH_NO_ID)
      r->moves[r->move_count++] = i;
  ash_sort(r->moves, spare, r->move_count, sizeof *spare, by_first_step, p);
  return ash_cells_of(r->c->ctx, &r->cells, p);
}

/* Views without a step show the bytes of another tensor, and so do those whose
 * slot says that it shares them. */
static ash_status find_roots(runner *r) {
  const ash_graph *g = r->c->g;
  const ash_plan *p = r->c->plan;
  bool *steps = ASH_NEW_ARRAY(&r->c->ctx->scratch, bool, g->op_count + 1);
  ASH_TRY(ash_zone_check(r->c->ctx, &r->c->ctx->scratch));
  for (uint32_t s = 0; s < p->steps.count; s++)
    for (uint32_t k = 0; k < p->steps.items[s].op_count; k++)
      if (p->steps.items[s].ops[k] < g->op_count)
        steps[p->steps.items[s].ops[k]] = true;
  for (uint32_t t = 0; t < g->tensor_count; t++)
    r->root[t] = t;
  for (uint32_t op = 0; op < g->op_count; op++) {
    if (!ash_check_is_name(g, op, r->root))
      continue;
    const uint32_t out = g->ops.items[op].outputs[0];
    const uint32_t slot = r->c->index.of_tensor[out];
    if (!steps[op])
      r->next_row[op] = ASH_NO_ID;
    if (!steps[op] ||
        (slot != ASH_NO_ID && p->slots[slot].alias_of != ASH_NO_ID))
      r->root[out] = r->root[g->ops.items[op].inputs[0]];
  }
  return ASH_OK;
}

/* The caller fills inputs before the run, each as one piece. */
static ash_status fill_input(runner *r, uint32_t tensor) {
  const places *p = &r->places[tensor];
  for (uint32_t row = 0; row < p->rows; row++) {
    ASH_TRY(need_place(r, tensor, row));
    if (address_of(r, tensor, row) != address_of(r, tensor, 0) + row * p->each)
      return REFUSE(r, ASH_D_plan_row_pieces, ASH_NO_ID, tensor,
                    "row %u of the input '%s' is not where the caller puts it",
                    (unsigned)row, tensor_at(r, tensor)->id);
  }
  for (uint32_t row = 0; row < p->count; row++) {
    const uint32_t slot = slot_of(r, tensor, row);
    if (ash_cells_other(&r->cells, slot, 0) != 0)
      return REFUSE(r, ASH_D_plan_overlap, ASH_NO_ID, tensor,
                    "the input '%s' shares bytes with another",
                    tensor_at(r, tensor)->id);
    ASH_TRY(make_row(r, tensor, row));
  }
  return ASH_OK;
}

static ash_status begin(runner *r) {
  const ash_plan *p = r->c->plan;
  const ash_graph *g = r->c->g;
  for (uint32_t s = 0; s < p->steps.count; s++)
    if (p->steps.items[s].op_count == 0 &&
        p->steps.items[s].input < g->tensor_count)
      r->is_fed[p->steps.items[s].input] = true;
  for (uint32_t t = 0; t < g->tensor_count; t++) {
    const ash_tensor_kind kind = tensor_at(r, t)->kind;
    if (kind == ASH_TENSOR_VARIABLE && r->places[t].count > 0)
      ASH_TRY(make_whole(r, t));
    if (kind == ASH_TENSOR_INPUT && !r->is_fed[t])
      ASH_TRY(fill_input(r, t));
  }
  return ASH_OK;
}

/* An output is there at the end, in one piece; or each of its rows leaves when
 * it is made. */
static ash_status check_output(runner *r, size_t output) {
  const uint32_t tensor = r->c->g->outputs[output], root = r->root[tensor];
  const bool *is_drained = r->c->plan->is_drained;
  const places *p = &r->places[root];
  if (tensor_at(r, root)->kind == ASH_TENSOR_CONSTANT ||
      (is_drained && is_drained[output]))
    return need_place(r, root, 0);
  for (uint32_t row = 0; row < p->count; row++) {
    ASH_TRY(need_place(r, root, row));
    if (slot_at(r, slot_of(r, root, row))->life.end_step <= r->step)
      return REFUSE(r, ASH_D_plan_row_output, ASH_NO_ID, tensor,
                    "row %u of the output '%s' is not kept to the end",
                    (unsigned)row, tensor_at(r, tensor)->id);
  }
  return read_all(r, ASH_NO_ID, tensor, 0);
}

static ash_status check_end(runner *r) {
  const ash_graph *g = r->c->g;
  for (uint32_t op = 0; op < g->op_count; op++) {
    const ash_op *o = &g->ops.items[op];
    const uint32_t made = r->next_row[op];
    if (made == 0)
      return REFUSE(r, ASH_D_plan_step_missing, op, ASH_NO_ID, "%s never runs",
                    o->id);
    if (made != ASH_NO_ID && made < r->places[o->outputs[0]].rows)
      return REFUSE(r, ASH_D_plan_row_missing, op, ASH_NO_ID,
                    "the steps make %u of the %u rows of %s", (unsigned)made,
                    (unsigned)r->places[o->outputs[0]].rows, o->id);
  }
  if (r->next_move < r->move_count) {
    const ash_slot *s = slot_at(r, r->moves[r->next_move]);
    return REFUSE(r, ASH_D_plan_row_move, ASH_NO_ID, s->tensor,
                  "row %u of '%s' is moved after the last step",
                  (unsigned)s->row, s->id);
  }
  for (size_t i = 0; i < g->output_count; i++)
    ASH_TRY(check_output(r, i));
  for (uint32_t t = 0; t < g->tensor_count; t++) /* the next run needs it */
    if (tensor_at(r, t)->kind == ASH_TENSOR_VARIABLE && r->places[t].count) {
      const uint32_t slot = slot_of(r, t, 0);
      if (ash_cells_other(&r->cells, slot, r->value[slot]) != r->value[slot])
        return REFUSE(r, ASH_D_plan_state_lost, ASH_NO_ID, t,
                      "something was written over '%s'", tensor_at(r, t)->id);
    }
  return ASH_OK;
}

ash_status ash_check_row_run(const ash_checker *c) {
  runner r = {.c = c};
  ASH_TRY(reserve(&r));
  ASH_TRY(find_roots(&r));
  ASH_TRY(find_places(&r));
  ASH_TRY(begin(&r));
  for (; r.step < c->plan->steps.count; r.step++) {
    ASH_TRY(move_rows(&r));
    ASH_TRY(run_step(&r, &c->plan->steps.items[r.step]));
  }
  r.step = c->plan->steps.count ? c->plan->steps.count - 1 : 0;
  return check_end(&r);
}
