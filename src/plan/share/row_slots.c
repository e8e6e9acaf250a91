/* row_slots.c - see row_slots.h.
 *
 * A row lives from the step that makes it to the last one that reads it, itself
 * or through a view. A tensor is in one piece where somebody sees it as one:
 * the caller an input or output, a kernel what it reads or writes in one call,
 * a rule what it pins. */
#include "plan/share/row_slots.h"

#include "ask/rules.h"
#include "base/checked.h"
#include "domain/rows.h"

typedef struct collector {
  ash_ctx *ctx;
  ash_zone *zone;
  const ash_graph *g;
  const ash_ask *ask;
  ash_slots *slots;
  ash_domain_row_rule *rows; /* by op */
  uint32_t *root;      /* by tensor                                           */
  uint32_t *slot_of;   /* by tensor                                           */
  uint32_t *first;     /* by root: of its rows in `lives`                     */
  ash_lifetime *lives; /* by row; end_step 0: the row never exists           */
  uint32_t *view_end;  /* by tensor: end of the last step that reads it       */
  bool *has_rows, *is_piece; /* by root                                      */
  bool in_place;
  bool apart; /* two tensors in one piece share no rows                      */
} collector;

/* A run of some rows of an op, or the whole op. */
typedef struct run {
  uint32_t op, step;
  uint32_t first_row, row_count; /* 0: whole */
} run;

static const ash_tensor *tensor_at(const collector *c, uint32_t tensor) {
  ASH_ASSERT(tensor < c->g->tensor_count);
  return &c->g->tensors.items[tensor];
}

static bool is_scratch(const collector *c, uint32_t tensor) {
  return tensor != ASH_NO_ID &&
         ash_ask_tensor_role(tensor_at(c, tensor)) == ASH_SCRATCH;
}

static uint32_t rows_of(const collector *c, uint32_t tensor) {
  ASH_ASSERT(tensor < c->g->tensor_count);
  return ash_domain_row_count(tensor_at(c, tensor));
}

static ash_lifetime *life_of(const collector *c, uint32_t root, uint32_t row) {
  ASH_ASSERT(c->root[root] == root && row < rows_of(c, root));
  return &c->lives[c->first[root] + row];
}

/* ---- who reads and writes what ------------------------------------------- */

static bool reads(const collector *c, uint32_t op, uint32_t k) {
  ASH_ASSERT(op < c->g->op_count && k < c->g->ops.items[op].input_count);
  const uint32_t tensor = c->g->ops.items[op].inputs[k];
  return is_scratch(c, tensor) &&
         ash_kernel_reads(c->ask->choices[op].kernel, c->g, op, k);
}

/* The rows of its root that a run reads of input k; `*follows`: some of them,
 * row by row. */
static ash_domain_row_range read_range(const collector *c, const run *r,
                                       uint32_t k, bool *follows) {
  const ash_domain_row_rule *rows = &c->rows[r->op];
  const uint32_t tensor = c->g->ops.items[r->op].inputs[k];
  const uint32_t operand = ash_domain_row_rule_operand(rows, false, k);
  *follows = r->row_count > 0 && operand != ASH_NO_ID &&
             rows->follows[operand] &&
             ash_domain_row_same(c->g, c->root, tensor);
  return *follows ? ash_domain_row_rule_range(c->g, rows, false, k, tensor,
                                              r->first_row, r->row_count)
                  : (ash_domain_row_range){0, rows_of(c, c->root[tensor])};
}

static ash_domain_row_range write_range(const collector *c, const run *r,
                                        uint32_t k) {
  const uint32_t tensor = c->g->ops.items[r->op].outputs[k];
  return r->row_count > 0
             ? ash_domain_row_rule_range(c->g, &c->rows[r->op], true, k, tensor,
                                         r->first_row, r->row_count)
             : (ash_domain_row_range){0, rows_of(c, tensor)};
}

static void make(collector *c, uint32_t root, ash_domain_row_range rows,
                 uint32_t step) {
  for (uint32_t i = rows.from; i < rows.to; i++)
    if (life_of(c, root, i)->end_step == 0)
      *life_of(c, root, i) = (ash_lifetime){step, step + 1};
}

static void keep_until(collector *c, uint32_t root, ash_domain_row_range rows,
                       uint32_t end) {
  for (uint32_t i = rows.from; i < rows.to; i++) {
    ash_lifetime *life = life_of(c, root, i);
    if (life->end_step > 0 && life->end_step < end)
      life->end_step = end;
  }
}

static ash_domain_row_range all_rows(const collector *c, uint32_t root) {
  return (ash_domain_row_range){0, rows_of(c, root)};
}

static void use_run(collector *c, const run *r) {
  ASH_ASSERT(r->op < c->g->op_count && r->step < c->ask->steps.count);
  const ash_op *o = &c->g->ops.items[r->op];
  for (uint32_t k = 0; k < o->input_count; k++) {
    bool follows;
    if (!reads(c, r->op, k))
      continue;
    const uint32_t root = c->root[o->inputs[k]];
    keep_until(c, root, read_range(c, r, k, &follows), r->step + 1);
    c->view_end[o->inputs[k]] = r->step + 1;
    c->has_rows[root] = c->has_rows[root] || r->row_count > 0;
    c->is_piece[root] = c->is_piece[root] || !follows;
  }
  for (uint32_t k = 0; k < o->output_count; k++) {
    const uint32_t tensor = o->outputs[k];
    if (!is_scratch(c, tensor))
      continue;
    make(c, tensor, write_range(c, r, k), r->step);
    c->has_rows[tensor] = c->has_rows[tensor] || r->row_count > 0;
    c->is_piece[tensor] = c->is_piece[tensor] || r->row_count == 0;
  }
}

static run run_at(const collector *c, uint32_t step) {
  const ash_step *s = &c->ask->steps.items[step];
  ASH_ASSERT(s->op_count == 1);
  return (run){s->ops[0], step, s->first_row, s->row_count};
}

static bool is_feed(const collector *c, uint32_t step) {
  ASH_ASSERT(step < c->ask->steps.count);
  return c->ask->steps.items[step].op_count == 0;
}

static void use_step(collector *c, uint32_t step) {
  const ash_step *s = &c->ask->steps.items[step];
  if (is_feed(c, step)) {
    make(c, s->input,
         (ash_domain_row_range){s->first_row, s->first_row + s->row_count},
         step);
    c->has_rows[s->input] = true;
    return;
  }
  const run r = run_at(c, step);
  use_run(c, &r);
}

static bool is_fed(const collector *c, uint32_t tensor) {
  for (uint32_t s = 0; s < c->ask->steps.count; s++)
    if (is_feed(c, s) && c->ask->steps.items[s].input == tensor)
      return true;
  return false;
}

static bool is_ruled(const collector *c, uint32_t tensor) {
  ASH_ASSERT(tensor < c->g->tensor_count);
  const ash_tensor_attributes *a = &c->ask->rules.tensors[tensor];
  return a->offset != ASH_NO_OFFSET || a->alignment != 0;
}

/* Lives, and what must be in one piece. */
static void use_all(collector *c) {
  const uint32_t last = c->ask->steps.count;
  for (size_t i = 0; i < c->g->input_count; i++)
    if (!is_fed(c, c->g->inputs[i])) {
      make(c, c->g->inputs[i], all_rows(c, c->g->inputs[i]), 0);
      c->is_piece[c->g->inputs[i]] = true;
    }
  for (uint32_t s = 0; s < last; s++)
    use_step(c, s);
  for (size_t i = 0; i < c->g->output_count; i++) {
    const uint32_t root = c->root[c->g->outputs[i]];
    if (!is_scratch(c, root) || (c->ask->is_drained && c->ask->is_drained[i]))
      continue;
    keep_until(c, root, all_rows(c, root), last);
    c->view_end[c->g->outputs[i]] = last;
    c->is_piece[root] = true;
  }
  for (uint32_t t = 0; t < c->g->tensor_count; t++) {
    c->is_piece[c->root[t]] = c->is_piece[c->root[t]] || is_ruled(c, t);
    c->has_rows[t] = c->has_rows[t] && rows_of(c, t) > 1;
  }
}

/* ---- slots --------------------------------------------------------------- */

static ash_slot slot_of_tensor(const collector *c, uint32_t tensor) {
  const ash_tensor *t = tensor_at(c, tensor);
  const ash_lifetime always = {0,
                               c->ask->steps.count ? c->ask->steps.count : 1};
  return (ash_slot){.id = t->id,
                    .name = t->name,
                    .tensor = tensor,
                    .op = ASH_NO_ID,
                    .size = t->bytes,
                    .alignment = ash_max_u64(c->ask->device->alignment,
                                             ash_type_bits(t->type) / 8),
                    .life = always,
                    .alias_of = ASH_NO_ID,
                    .follows = ASH_NO_ID,
                    .moved_from = ASH_NO_ID,
                    .binding = {.role = ash_ask_tensor_role(t)}};
}

static ash_status add(collector *c, ash_slot slot) {
  uint32_t made;
  return ash_slots_add(c->ctx, c->zone, c->slots, &made, slot);
}

/* Of all rows: from the first to the last, and while all of them exist. */
static void span(const collector *c, uint32_t root, ash_lifetime *any,
                 ash_lifetime *all) {
  *any = *all = *life_of(c, root, 0);
  for (uint32_t i = 1; i < rows_of(c, root); i++) {
    const ash_lifetime *l = life_of(c, root, i);
    if (l->end_step == 0)
      continue;
    any->first_step = ash_min_u32(any->first_step, l->first_step);
    any->end_step = ash_max_u32(any->end_step, l->end_step);
    all->first_step = ash_max_u32(all->first_step, l->first_step);
    all->end_step = ash_min_u32(all->end_step, l->end_step);
  }
}

/* A view whose rows are others than its root's: it is read whole, where all
 * rows of the root are. */
static ash_status add_whole_view(collector *c, uint32_t tensor) {
  ASH_ASSERT(c->slot_of[c->root[tensor]] != ASH_NO_ID);
  const uint32_t root = c->root[tensor];
  ash_lifetime any, all;
  ash_slot s = slot_of_tensor(c, tensor);
  span(c, root, &any, &all);
  s.life = c->has_rows[root] ? all : any;
  if (c->has_rows[root])
    s.life.end_step = ash_max_u32(c->view_end[tensor], s.life.first_step + 1);
  s.alias_of = c->slot_of[root];
  s.alias_kind = ASH_ALIAS_VIEW;
  s.alignment = ash_max_u64(1, ash_type_bits(tensor_at(c, tensor)->type) / 8);
  return add(c, s);
}

/* One slot per row that exists; those of a view are its root's. */
static ash_status add_rows(collector *c, uint32_t tensor) {
  const uint32_t root = c->root[tensor];
  ash_slot s = slot_of_tensor(c, tensor);
  const uint64_t whole = s.alignment;
  s.size = ash_domain_row_bytes(tensor_at(c, tensor));
  s.has_row = true;
  for (s.row = 0; s.row < rows_of(c, root); s.row++) {
    s.life = *life_of(c, root, s.row);
    if (s.life.end_step == 0)
      break;
    s.alignment =
        s.row == 0 && c->is_piece[root]
            ? whole
            : ash_max_u64(1, ash_type_bits(tensor_at(c, tensor)->type) / 8);
    if (root != tensor) {
      s.alias_of = c->slot_of[root] + s.row;
      s.alias_kind = ASH_ALIAS_VIEW;
    }
    ASH_TRY(add(c, s));
  }
  return ASH_OK;
}

/* Its root has slots, or is the tensor itself. */
static ash_status add_tensor(collector *c, uint32_t tensor) {
  const uint32_t root = c->root[tensor];
  ash_lifetime any, all;
  ASH_ASSERT(c->root[root] == root && c->slot_of[tensor] == ASH_NO_ID);
  ASH_ASSERT(root == tensor || c->slot_of[root] != ASH_NO_ID);
  c->slot_of[tensor] = c->slots->count;
  if (!is_scratch(c, tensor))
    return add(c, slot_of_tensor(c, tensor));
  if (c->has_rows[root] && ash_domain_row_same(c->g, c->root, tensor))
    return add_rows(c, tensor);
  if (root != tensor)
    return add_whole_view(c, tensor);
  ash_slot s = slot_of_tensor(c, tensor);
  span(c, tensor, &any, &all);
  s.life = any;
  return add(c, s);
}

static ash_status touch(collector *c, uint32_t tensor) {
  ASH_ASSERT(tensor < c->g->tensor_count);
  const uint32_t root = c->root[tensor];
  if (c->slot_of[root] == ASH_NO_ID)
    ASH_TRY(add_tensor(c, root));
  return c->slot_of[tensor] == ASH_NO_ID ? add_tensor(c, tensor) : ASH_OK;
}

static ash_status touch_op(collector *c, uint32_t op) {
  ASH_ASSERT(op < c->g->op_count);
  const ash_op *o = &c->g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID &&
        ash_kernel_reads(c->ask->choices[op].kernel, c->g, op, k))
      ASH_TRY(touch(c, o->inputs[k]));
  for (uint32_t k = 0; k < o->output_count; k++)
    ASH_TRY(touch(c, o->outputs[k]));
  return ASH_OK;
}

/* Bytes of the work memory of the op that runs in this step. */
static uint64_t work_of(const collector *c, uint32_t step) {
  const ash_step *s = &c->ask->steps.items[step];
  ASH_ASSERT(s->op_count > 0);
  const ash_choice *choice = &c->ask->choices[s->ops[0]];
  return s->row_count > 0 ? choice->row_scratch : choice->scratch;
}

static ash_status add_work(collector *c, uint32_t op, uint64_t bytes,
                           ash_lifetime life) {
  ASH_ASSERT(life.first_step < life.end_step);
  const char *id =
      ash_zone_format(c->zone, "%s_scratch", c->g->ops.items[op].id);
  ASH_TRY(ash_zone_check(c->ctx, c->zone));
  return add(c, (ash_slot){.id = id,
                           .name = id,
                           .tensor = ASH_NO_ID,
                           .op = op,
                           .size = bytes,
                           .alignment = c->ask->device->alignment,
                           .life = life,
                           .alias_of = ASH_NO_ID,
                           .follows = ASH_NO_ID,
                           .moved_from = ASH_NO_ID,
                           .binding = {.role = ASH_SCRATCH},
                           .kind = ASH_SLOT_WORK});
}

/* From its first run to its last. */
static ash_lifetime life_of_op(const collector *c, uint32_t op) {
  ASH_ASSERT(op < c->g->op_count);
  ash_lifetime life = {UINT32_MAX, 0};
  for (uint32_t s = 0; s < c->ask->steps.count; s++)
    if (!is_feed(c, s) && c->ask->steps.items[s].ops[0] == op) {
      life.first_step = ash_min_u32(life.first_step, s);
      life.end_step = s + 1;
    }
  return life;
}

static ash_status collect(collector *c) {
  bool *ran = ASH_NEW_ARRAY(&c->ctx->scratch, bool, c->g->op_count + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (size_t i = 0; i < c->g->input_count; i++)
    ASH_TRY(touch(c, c->g->inputs[i]));
  for (uint32_t s = 0; s < c->ask->steps.count; s++) {
    if (is_feed(c, s) || ran[c->ask->steps.items[s].ops[0]])
      continue;
    const uint32_t op = c->ask->steps.items[s].ops[0];
    ran[op] = true;
    ASH_TRY(touch_op(c, op));
    if (work_of(c, s) > 0)
      ASH_TRY(add_work(c, op, work_of(c, s), life_of_op(c, op)));
  }
  for (size_t i = 0; i < c->g->output_count; i++)
    ASH_TRY(touch(c, c->g->outputs[i]));
  return ASH_OK;
}

/* ---- results that take the place of dying rows --------------------------- */

static ash_slot *slot_at(const collector *c, uint32_t root, uint32_t row) {
  const uint32_t slot = c->slot_of[root] + (c->has_rows[root] ? row : 0);
  ASH_ASSERT(slot < c->slots->count && c->slots->items[slot].tensor == root);
  return &c->slots->items[slot];
}

/* Element by element over input k, row by row, which nothing else shows in
 * another way. */
static bool can_replace(const collector *c, uint32_t op, uint32_t k) {
  ASH_ASSERT(op < c->g->op_count);
  const ash_op *o = &c->g->ops.items[op];
  const ash_kernel *kernel = c->ask->choices[op].kernel;
  if (!kernel || o->output_count != 1 || !ash_op_has(o, ASH_OP_ELEMENTWISE) ||
      !reads(c, op, k) || !is_scratch(c, o->outputs[0]) ||
      !ash_kernel_in_place(kernel, c->g, op, k))
    return false;
  const uint32_t root = c->root[o->inputs[k]], out = o->outputs[0];
  const ash_tensor_attributes *rules = c->ask->rules.tensors;
  if (rows_of(c, root) != rows_of(c, out) ||
      tensor_at(c, root)->bytes != tensor_at(c, out)->bytes ||
      rules[root].memory != rules[out].memory || is_ruled(c, root) ||
      is_ruled(c, out))
    return false;
  for (uint32_t n = 0; n < o->input_count; n++)
    if (reads(c, op, n) && c->root[o->inputs[n]] == root &&
        !ash_shape_equal(&tensor_at(c, o->inputs[n])->shape,
                         &tensor_at(c, out)->shape))
      return false;
  return true;
}

uint64_t ash_plan_row_unit(uint64_t bytes) {
  const uint64_t most = 65536;
  uint64_t unit = 1;
  while (ash_ceil_div(bytes, unit) > most)
    unit *= 2;
  return unit;
}

/* May rows of one tensor lie where those of the other do? Tables point at the
 * rows of tensors that are not in one piece, in units; rows that a piece holds
 * at other distances cannot be pointed at. The arena is taken to be at most
 * twice the load. */
static bool can_point(const collector *c, uint32_t x, uint32_t y) {
  const uint64_t unit = ash_plan_row_unit(2 * c->ask->order.peak_with_work);
  ASH_ASSERT(c->root[x] == x && c->root[y] == y);
  return c->is_piece[x] == c->is_piece[y] ||
         ash_domain_row_bytes(tensor_at(c, x)) % unit == 0;
}

static bool all_die(const collector *c, uint32_t root,
                    ash_domain_row_range rows, uint32_t step) {
  for (uint32_t i = rows.from; i < rows.to; i++)
    if (life_of(c, root, i)->end_step != step + 1)
      return false;
  return rows.from < rows.to;
}

/* The input whose rows the result of a run may take; ASH_NO_ID: none. */
static uint32_t find_dying(const collector *c, const run *r) {
  ASH_ASSERT(r->op < c->g->op_count);
  const ash_op *o = &c->g->ops.items[r->op];
  for (uint32_t k = 0; k < o->input_count && k < 32; k++) {
    bool follows;
    if (!can_replace(c, r->op, k))
      continue;
    const uint32_t root = c->root[o->inputs[k]];
    const ash_domain_row_range in = read_range(c, r, k, &follows);
    const ash_domain_row_range out = write_range(c, r, 0);
    if (in.from == out.from && in.to == out.to &&
        all_die(c, root, in, r->step) && can_point(c, root, o->outputs[0]) &&
        !(c->apart && c->is_piece[root] && c->is_piece[o->outputs[0]]))
      return k;
  }
  return ASH_NO_ID;
}

/* Both have slots of rows, or neither. */
static void even_out(collector *c) {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t s = 0; s < c->ask->steps.count; s++) {
      if (is_feed(c, s))
        continue;
      const run r = run_at(c, s);
      const uint32_t k = find_dying(c, &r);
      if (k == ASH_NO_ID)
        continue;
      const ash_op *o = &c->g->ops.items[r.op];
      bool *x = &c->has_rows[c->root[o->inputs[k]]];
      bool *y = &c->has_rows[o->outputs[0]];
      changed = changed || *x != *y;
      *x = *y = *x || *y;
    }
  }
}

static void take_place(collector *c, const run *r) {
  ASH_ASSERT(r->op < c->g->op_count);
  const uint32_t k = find_dying(c, r);
  if (k == ASH_NO_ID)
    return;
  const ash_op *o = &c->g->ops.items[r->op];
  const uint32_t root = c->root[o->inputs[k]], out = o->outputs[0];
  ash_domain_row_range rows = write_range(c, r, 0);
  ASH_ASSERT(c->has_rows[root] == c->has_rows[out]);
  if (!c->has_rows[out])
    rows = (ash_domain_row_range){0, 1};
  for (uint32_t i = rows.from; i < rows.to; i++) {
    ash_slot *s = slot_at(c, out, i);
    ASH_ASSERT(s->size == slot_at(c, root, i)->size);
    s->alias_of = (uint32_t)(slot_at(c, root, i) - c->slots->items);
    s->alias_kind = ASH_ALIAS_IN_PLACE;
  }
}

static bool is_whole_view(const collector *c, const ash_slot *s) {
  ASH_ASSERT(s->tensor == ASH_NO_ID || s->tensor < c->g->tensor_count);
  return s->alias_of != ASH_NO_ID && !s->has_row &&
         c->slots->items[s->alias_of].has_row;
}

static void widen(ash_lifetime *life, const ash_lifetime *by) {
  ASH_ASSERT(by->first_step < by->end_step);
  life->first_step = ash_min_u32(life->first_step, by->first_step);
  life->end_step = ash_max_u32(life->end_step, by->end_step);
}

/* Those who share storage live as long as any of them, and are aligned as the
 * strictest of them. */
static void merge(collector *c) {
  ash_slot *slots = c->slots->items;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < c->slots->count; i++) {
      const uint32_t root = ash_alias_root(slots, c->slots->count, i, NULL);
      ASH_ASSERT(root < c->slots->count);
      if (is_whole_view(c, &slots[i]))
        continue;
      if (pass == 0)
        widen(&slots[root].life, &slots[i].life);
      else
        slots[i].life = slots[root].life;
      slots[root].alignment =
          ash_max_u64(slots[root].alignment, slots[i].alignment);
    }
}

/* Do two tensors in one piece, tied to each other by a row that one took over
 * from the other, both need the places of another row at the same time? */
static bool collide(const collector *c, uint32_t x, uint32_t y) {
  ASH_ASSERT(x != y && c->root[x] == x && c->root[y] == y);
  for (uint32_t i = 0; i < rows_of(c, x); i++) {
    const ash_slot *slots = c->slots->items;
    const ash_lifetime *a = life_of(c, x, i), *b = life_of(c, y, i);
    const uint32_t sx = c->slot_of[x] + i, sy = c->slot_of[y] + i;
    if (a->first_step < b->end_step && b->first_step < a->end_step &&
        ash_alias_root(slots, c->slots->count, sx, NULL) !=
            ash_alias_root(slots, c->slots->count, sy, NULL))
      return true;
  }
  return false;
}

static uint32_t group_of(const uint32_t *group, uint32_t tensor) {
  while (group[tensor] != tensor)
    tensor = group[tensor];
  return tensor;
}

static bool any_collide(const collector *c, const uint32_t *group) {
  const size_t n = c->g->tensor_count;
  for (uint32_t x = 0; x < n; x++)
    for (uint32_t y = 0; y < x && c->root[x] == x; y++)
      if (c->root[y] == y && c->has_rows[x] && c->has_rows[y] &&
          c->is_piece[x] && c->is_piece[y] && is_scratch(c, x) &&
          group_of(group, x) == group_of(group, y) && collide(c, x, y))
        return true;
  return false;
}

static ash_status share(collector *c, bool *collided) {
  uint32_t *group =
      ASH_NEW_ARRAY(&c->ctx->scratch, uint32_t, c->g->tensor_count + 1);
  ASH_TRY(ash_zone_check(c->ctx, &c->ctx->scratch));
  for (uint32_t t = 0; t < c->g->tensor_count; t++)
    group[t] = t;
  for (uint32_t s = 0; c->in_place && s < c->ask->steps.count; s++) {
    if (is_feed(c, s))
      continue;
    const run r = run_at(c, s);
    take_place(c, &r);
  }
  for (uint32_t i = 0; i < c->slots->count; i++) {
    const ash_slot *slot = &c->slots->items[i];
    if (slot->alias_of == ASH_NO_ID || slot->alias_kind != ASH_ALIAS_IN_PLACE)
      continue;
    const uint32_t other = c->slots->items[slot->alias_of].tensor;
    group[group_of(group, slot->tensor)] = group_of(group, other);
  }
  *collided = any_collide(c, group);
  return ASH_OK;
}

/* ---- gaps ---------------------------------------------------------------- */

static bool is_run_of(const collector *c, uint32_t step, uint32_t op) {
  ASH_ASSERT(step < c->ask->steps.count && op < c->g->op_count);
  return !is_feed(c, step) && c->ask->steps.items[step].ops[0] == op;
}

/* The steps between the runs of an op, in which its work memory is free. */
static ash_status find_gaps(collector *c, const ash_slot *s,
                            const ash_gap **out, uint32_t *count) {
  ash_gap *gaps = ASH_NEW_ARRAY(c->zone, ash_gap,
                                s->life.end_step - s->life.first_step + 1u);
  ASH_TRY(ash_zone_check(c->ctx, c->zone));
  *out = gaps;
  *count = 0;
  for (uint32_t step = s->life.first_step; step < s->life.end_step; step++) {
    if (is_run_of(c, step, s->op))
      continue;
    if (is_run_of(c, step - 1, s->op))
      gaps[(*count)++] = (ash_gap){.lower = step, .upper = step};
    gaps[*count - 1].upper = step + 1;
  }
  return ASH_OK;
}

static ash_status put_layout(collector *c, ash_row_layout *layout) {
  ash_zone *z = &c->ctx->scratch;
  ash_lifetime *own = ASH_NEW_ARRAY(z, ash_lifetime, c->slots->count + 1u);
  *layout = (ash_row_layout){
      .own = own,
      .root = c->root,
      .slot_of = c->slot_of,
      .has_rows = c->has_rows,
      .is_piece = c->is_piece,
      .gaps = ASH_NEW_ARRAY(z, const ash_gap *, c->slots->count + 1u),
      .gap_count = ASH_NEW_ARRAY(z, uint32_t, c->slots->count + 1u)};
  ASH_TRY(ash_zone_check(c->ctx, z));
  for (uint32_t i = 0; i < c->slots->count; i++) {
    const ash_slot *s = &c->slots->items[i];
    own[i] = s->has_row ? *life_of(c, c->root[s->tensor], s->row) : s->life;
    if (s->kind == ASH_SLOT_WORK)
      ASH_TRY(find_gaps(c, s, &layout->gaps[i], &layout->gap_count[i]));
  }
  return ASH_OK;
}

/* ---- all ----------------------------------------------------------------- */

static ash_status prepare(collector *c) {
  const size_t n = c->g->tensor_count + 1;
  ash_zone *z = &c->ctx->scratch;
  uint32_t rows = 0;
  c->rows = ASH_NEW_ARRAY(z, ash_domain_row_rule, c->g->op_count + 1);
  c->root = ASH_NEW_ARRAY(z, uint32_t, n);
  c->slot_of = ASH_NEW_ARRAY(z, uint32_t, n);
  c->first = ASH_NEW_ARRAY(z, uint32_t, n);
  c->view_end = ASH_NEW_ARRAY(z, uint32_t, n);
  c->has_rows = ASH_NEW_ARRAY(z, bool, n);
  c->is_piece = ASH_NEW_ARRAY(z, bool, n);
  ASH_TRY(ash_zone_check(c->ctx, z));
  ash_domain_row_roots(c->g, c->root);
  for (uint32_t t = 0; t < c->g->tensor_count; t++) {
    c->slot_of[t] = ASH_NO_ID;
    c->first[t] = rows;
    rows += rows_of(c, t);
  }
  c->lives = ASH_NEW_ARRAY(z, ash_lifetime, rows + 1u);
  ASH_TRY(ash_zone_check(c->ctx, z));
  for (uint32_t op = 0; op < c->g->op_count; op++)
    ASH_TRY(ash_domain_row_rule_of(c->ctx, &c->rows[op], c->g, op));
  return ASH_OK;
}

static ash_status run_all(collector *c, bool *collided) {
  *c->slots = (ash_slots){0};
  ASH_TRY(prepare(c));
  use_all(c);
  if (c->in_place)
    even_out(c);
  ASH_TRY(collect(c));
  return share(c, collided);
}

ash_status ash_collect_row_slots(ash_ctx *ctx, ash_zone *zone, ash_slots *out,
                                 ash_row_layout *layout, const ash_ask *ask,
                                 bool in_place) {
  collector c = {.ctx = ctx,
                 .zone = zone,
                 .g = ask->graph,
                 .ask = ask,
                 .slots = out,
                 .in_place = in_place};
  bool collided;
  ASH_TRY(run_all(&c, &collided));
  if (collided) {
    c.apart = true;
    ASH_TRY(run_all(&c, &collided));
  }
  if (collided) {
    c.in_place = false;
    ASH_TRY(run_all(&c, &collided));
  }
  merge(&c);
  return put_layout(&c, layout);
}
