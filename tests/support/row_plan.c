/* row_plan.c - see row_plan.h. */
#include "row_plan.h"

#include "check.h"
#include "context.h"
#include "graph/graph.h"
#include "order/rows.h"

typedef struct maker {
  const row_plan_ask *ask;
  row_plan *p;
  ash_order_model model;
  ash_order_answer answer;
  uint32_t *root; /* by tensor                                               */
  bool *in_rows;  /* by tensor of the problem                                */
  bool *is_piece; /* likewise: somebody sees it as one                       */
  uint32_t *base; /* likewise: its first row in `lives`                      */
  ash_lifetime *lives;
  uint64_t end; /* of the arena                                              */
} maker;

static void *room(maker *m, size_t count, size_t size) {
  void *made = ash_zone_alloc(&m->p->ctx->keep, count + 4, size, 16);
  CHECK(made != NULL);
  memset(made, 0, (count + 4) * size);
  return made;
}

static const ash_order_problem *problem(const maker *m) {
  return &m->model.problem;
}

/* ---- steps --------------------------------------------------------------- */

static ash_step step_of(maker *m, uint32_t op, uint32_t k) {
  const ash_order_op *o = &problem(m)->ops[op];
  ash_step s = {.ops = &m->model.op_of[op], .op_count = 1, .input = ASH_NO_ID};
  if (m->model.op_of[op] == ASH_NO_ID) {
    s.op_count = 0;
    s.input = m->model.tensor_of[o->writes[0].tensor];
  } else if (o->steps == 1) {
    return s;
  }
  s.first_row = o->writes[0].rows[k].from;
  s.row_count = o->writes[0].rows[k].to - s.first_row;
  return s;
}

static void use(maker *m, const ash_order_access *a, uint32_t k, uint32_t step,
                bool makes) {
  for (uint32_t r = a->rows[k].from; r < a->rows[k].to; r++) {
    ash_lifetime *l = &m->lives[m->base[a->tensor] + r];
    if (makes)
      l->first_step = step;
    l->end_step = step + 1;
  }
}

static void make_steps(maker *m) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < m->answer.run_count; i++)
    count += m->answer.runs[i].count;
  m->p->steps = room(m, count, sizeof(ash_step));
  for (uint32_t i = 0; i < m->answer.run_count; i++)
    for (uint32_t n = 0; n < m->answer.runs[i].count; n++) {
      const uint32_t op = m->answer.runs[i].op;
      const uint32_t k = m->answer.runs[i].first + n;
      const uint32_t step = m->p->plan.steps.count++;
      const ash_order_op *o = &problem(m)->ops[op];
      m->p->steps[step] = step_of(m, op, k);
      for (uint32_t a = 0; a < o->read_count; a++)
        use(m, &o->reads[a], k, step, false);
      for (uint32_t a = 0; a < o->write_count; a++)
        use(m, &o->writes[a], k, step, true);
    }
  for (uint32_t t = 0; t < problem(m)->tensor_count; t++)
    for (uint32_t r = 0; r < problem(m)->tensors[t].rows; r++) {
      ash_lifetime *l = &m->lives[m->base[t] + r];
      if (problem(m)->tensors[t].is_kept || count == 0)
        l->end_step = count;
      else if (l->end_step == 0)
        l->end_step = 1;
    }
}

static void find_rows(maker *m) {
  const ash_order_problem *p = problem(m);
  uint32_t rows = 0;
  m->in_rows = room(m, p->tensor_count, sizeof(bool));
  m->is_piece = room(m, p->tensor_count, sizeof(bool));
  m->base = room(m, p->tensor_count, sizeof(uint32_t));
  for (uint32_t t = 0; t < p->tensor_count; t++) {
    m->base[t] = rows;
    rows += p->tensors[t].rows;
    m->is_piece[t] = p->tensors[t].is_present || p->tensors[t].is_kept;
  }
  m->lives = room(m, rows, sizeof(ash_lifetime));
  for (uint32_t op = 0; op < p->op_count; op++) {
    const ash_order_op *o = &p->ops[op];
    for (uint32_t a = 0; a < o->read_count + o->write_count; a++) {
      const ash_order_access *x =
          a < o->read_count ? &o->reads[a] : &o->writes[a - o->read_count];
      const uint32_t all = p->tensors[x->tensor].rows;
      m->in_rows[x->tensor] |= o->steps > 1 && all > 1;
      m->is_piece[x->tensor] |= x->rows[0].to - x->rows[0].from == all;
    }
    if (m->model.op_of[op] == ASH_NO_ID)
      m->in_rows[o->writes[0].tensor] =
          p->tensors[o->writes[0].tensor].rows > 1;
  }
}

/* ---- slots --------------------------------------------------------------- */

static bool meet(const ash_slot *a, const ash_slot *b) {
  return a->binding.role == ASH_SCRATCH && b->binding.role == ASH_SCRATCH &&
         a->alias_of == ASH_NO_ID && b->alias_of == ASH_NO_ID &&
         a->life.first_step < b->life.end_step &&
         b->life.first_step < a->life.end_step &&
         a->binding.offset < b->binding.offset + b->size &&
         b->binding.offset < a->binding.offset + a->size;
}

/* At the end, or at the lowest multiple of 16 where nothing is. */
static void place(maker *m, ash_slot *s, bool at_end) {
  s->binding.offset = m->end;
  for (uint64_t at = 0; at < m->end && m->ask->reuse && !at_end; at += 16) {
    bool taken = false;
    s->binding.offset = at;
    for (uint32_t i = 0; i < m->p->plan.slot_count; i++)
      taken |= meet(s, &m->p->slots[i]);
    if (!taken)
      return;
    s->binding.offset = m->end;
  }
  m->end += s->size;
}

static ash_slot *add(maker *m, ash_slot s) {
  ash_slot *made = &m->p->slots[m->p->plan.slot_count];
  *made = s;
  m->p->plan.slot_count++;
  return made;
}

static ash_slot slot_for(const maker *m, uint32_t tensor) {
  const ash_tensor *t = &m->p->g->tensors.items[tensor];
  const uint64_t element = ash_type_bits(t->type) / 8;
  return (ash_slot){.id = t->id,
                    .name = t->name,
                    .tensor = tensor,
                    .op = ASH_NO_ID,
                    .size = t->bytes,
                    .alignment = element ? element : 1,
                    .life = {0, m->p->plan.steps.count},
                    .alias_of = ASH_NO_ID,
                    .follows = ASH_NO_ID,
                    .moved_from = ASH_NO_ID,
                    .bound = true,
                    .binding = {ASH_SCRATCH, m->p->arenas[0].memory, 0,
                                m->p->arenas[0].memory}};
}

static void add_tensor(maker *m, uint32_t t) {
  const ash_order_tensor *x = &problem(m)->tensors[t];
  ash_slot s = slot_for(m, m->model.tensor_of[t]);
  const ash_lifetime *lives = &m->lives[m->base[t]];
  m->end = (m->end + 15) / 16 * 16;
  s.has_row = m->in_rows[t];
  s.size = s.has_row ? x->row_bytes : s.size;
  for (s.row = 0; s.row < (s.has_row ? x->rows : 1); s.row++) {
    s.life = lives[s.row];
    for (uint32_t r = 0; r < x->rows && !s.has_row; r++) {
      if (lives[r].first_step < s.life.first_step)
        s.life.first_step = lives[r].first_step;
      if (lives[r].end_step > s.life.end_step)
        s.life.end_step = lives[r].end_step;
    }
    place(m, &s, m->is_piece[t]);
    (void)add(m, s);
  }
}

/* A view has the places of what it shows. */
static void add_view(maker *m, uint32_t tensor) {
  const ash_tensor *t = &m->p->g->tensors.items[tensor];
  const uint32_t root = m->root[tensor];
  const uint32_t count = m->p->plan.slot_count;
  ash_slot s = slot_for(m, tensor);
  for (uint32_t i = 0; i < count; i++) {
    const ash_slot *of = &m->p->slots[i];
    uint32_t d = 0;
    if (of->tensor != root || of->moved_from != ASH_NO_ID)
      continue;
    while (d + 1 < t->shape.rank && t->shape.dim[d] == 1)
      d++;
    s.has_row = of->has_row && d + 1 < t->shape.rank &&
                t->bytes / of->size == (uint64_t)t->shape.dim[d];
    s.size = s.has_row ? of->size : t->bytes;
    s.row = of->row;
    s.binding = of->binding;
    s.life = s.has_row || !of->has_row ? of->life : s.life;
    s.alias_of = i;
    s.alias_kind = ASH_ALIAS_VIEW;
    if (s.has_row || s.row == 0)
      (void)add(m, s);
  }
}

static void add_work(maker *m) {
  for (uint32_t op = 0; op < m->p->g->op_count; op++) {
    ash_slot s = slot_for(m, m->p->g->ops.items[op].outputs[0]);
    s.id = s.name = m->p->g->ops.items[op].id;
    s.tensor = ASH_NO_ID;
    s.op = op;
    s.kind = ASH_SLOT_WORK;
    s.size = m->p->choices[op].row_scratch;
    m->end = (m->end + 15) / 16 * 16;
    place(m, &s, true);
    if (s.size > 0)
      (void)add(m, s);
  }
}

static uint32_t most_slots(const maker *m, const ash_plan *base) {
  uint64_t most = base->slot_count + m->p->g->op_count + 64;
  for (uint32_t t = 0; t < m->p->g->tensor_count; t++) {
    const ash_shape *s = &m->p->g->tensors.items[t].shape;
    uint32_t d = 0;
    while (d + 1 < s->rank && s->dim[d] == 1)
      d++;
    most += s->rank ? (uint64_t)s->dim[d] + 1 : 1;
  }
  return (uint32_t)most;
}

/* Arenas, constants, variables and kernels are those of a plan of whole
 * operators. */
static void take_over(maker *m, const ash_plan *base) {
  row_plan *p = m->p;
  p->plan = *base;
  p->plan.steps.count = p->plan.slot_count = 0;
  p->slots = room(m, most_slots(m, base), sizeof(ash_slot));
  p->arenas = room(m, base->arena_count, sizeof(ash_arena));
  p->choices = room(m, p->g->op_count, sizeof(ash_choice));
  memcpy(p->arenas, base->arenas, base->arena_count * sizeof(ash_arena));
  CHECK_EQ(p->arenas[0].role, ASH_SCRATCH);
  for (uint32_t op = 0; op < p->g->op_count; op++)
    p->choices[op] =
        base->choices ? base->choices[op] : ash_choose(p->g, op, NULL);
}

static bool is_kept(const maker *m, uint32_t tensor) {
  const ash_tensor_kind kind = m->p->g->tensors.items[tensor].kind;
  return kind == ASH_TENSOR_CONSTANT || kind == ASH_TENSOR_VARIABLE;
}

static void keep_others(maker *m, const ash_plan *base) {
  for (uint32_t i = 0; i < base->slot_count; i++)
    if (base->slots[i].tensor != ASH_NO_ID &&
        is_kept(m, base->slots[i].tensor)) {
      ash_slot *s = add(m, base->slots[i]);
      s->life = (ash_lifetime){0, m->p->plan.steps.count};
      s->alias_of = ASH_NO_ID;
    }
}

static void find_roots(maker *m) {
  const ash_graph *g = m->p->g;
  bool *runs = room(m, g->op_count, sizeof(bool));
  m->root = room(m, g->tensor_count, sizeof(uint32_t));
  for (uint32_t op = 0; op < problem(m)->op_count; op++)
    if (m->model.op_of[op] != ASH_NO_ID)
      runs[m->model.op_of[op]] = true;
  for (uint32_t t = 0; t < g->tensor_count; t++)
    m->root[t] = t;
  for (uint32_t op = 0; op < g->op_count; op++)
    if (!runs[op])
      m->root[g->ops.items[op].outputs[0]] =
          m->root[g->ops.items[op].inputs[0]];
}

static void give_work(maker *m) {
  for (uint32_t op = 0; op < problem(m)->op_count && m->ask->work > 0; op++)
    if (problem(m)->ops[op].steps > 1 && m->model.op_of[op] != ASH_NO_ID) {
      m->p->choices[m->model.op_of[op]].row_scratch = m->ask->work;
      return;
    }
}

static void finish(maker *m) {
  row_plan *p = m->p;
  p->arenas[0].size = (m->end + 15) / 16 * 16;
  p->arenas[0].lower_bound = 0;
  p->arenas[0].verdict = p->plan.verdict = ASH_FEASIBLE;
  p->plan.order = (ash_order_proof){.kind = ASH_ORDER_ROWS,
                                    .peak = m->answer.peak,
                                    .lower_bound = m->answer.bound,
                                    .verdict = m->answer.verdict};
}

row_plan row_plan_of(ash_ctx *ctx, const ash_graph *g, const ash_device *device,
                     const row_plan_ask *ask) {
  const ash_plan_options options = {.no_concat = true, .no_slices = true};
  const ash_plan *base;
  row_plan p = {.ctx = ctx, .g = g, .device = device};
  maker m = {.ask = ask, .p = &p};
  bool *fed = room(&m, g->input_count, sizeof(bool));
  for (size_t i = 0; i < g->input_count; i++)
    fed[i] = ask->fed;
  CHECK_EQ(ash_plan_model(ctx, &base, g, device, &options), ASH_OK);
  CHECK_EQ(ash_order_model_of(ctx, &m.model, g, ASH_ORDER_ROWS,
                              &(ash_order_ask){.is_fed = fed}),
           ASH_OK);
  CHECK_EQ(ash_order_best(ctx, &m.answer, problem(&m), NULL), ASH_OK);
  take_over(&m, base);
  find_rows(&m);
  make_steps(&m);
  find_roots(&m);
  give_work(&m);
  keep_others(&m, base);
  for (uint32_t t = 0; t < problem(&m)->tensor_count; t++)
    if (m.model.tensor_of[t] != ASH_NO_ID && !is_kept(&m, m.model.tensor_of[t]))
      add_tensor(&m, t);
  for (uint32_t t = 0; t < g->tensor_count; t++)
    if (m.root[t] != t)
      add_view(&m, t);
  add_work(&m);
  finish(&m);
  return p;
}

ash_status row_plan_check(row_plan *p) {
  p->plan.slots = p->slots;
  p->plan.steps.items = p->steps;
  p->plan.arenas = p->arenas;
  p->plan.choices = p->choices;
  ash_ctx_forget(p->ctx);
  return ash_check_plan(p->ctx, &p->plan, p->g, NULL);
}

ash_slot *row_plan_slot(row_plan *p, uint32_t tensor, uint32_t row) {
  for (uint32_t i = 0; i < p->plan.slot_count; i++)
    if (p->slots[i].tensor == tensor && p->slots[i].row == row)
      return &p->slots[i];
  CHECK(false);
  return NULL;
}

uint32_t row_plan_step(const row_plan *p, uint32_t op, uint32_t row) {
  for (uint32_t s = 0; s < p->plan.steps.count; s++) {
    const ash_step *x = &p->steps[s];
    if (x->op_count == 1 && x->ops[0] == op && x->first_row <= row &&
        (x->row_count == 0 || row < x->first_row + x->row_count))
      return s;
  }
  CHECK(false);
  return 0;
}

ash_slot *row_plan_move(row_plan *p, uint32_t tensor, uint32_t row,
                        uint32_t step) {
  ash_slot *from = row_plan_slot(p, tensor, row);
  ash_slot *to = &p->slots[p->plan.slot_count++];
  *to = *from;
  to->life.first_step = from->life.end_step = step;
  to->moved_from = (uint32_t)(from - p->slots);
  to->binding.offset = p->arenas[0].size;
  p->arenas[0].size += (to->size + 15) / 16 * 16;
  return to;
}
