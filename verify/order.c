/* order.c - reads an ordering problem and compares it with the plan: no tensor,
 * operator, use or work memory is believed that the plan does not have, and the
 * plan's own order must be one of the problem, with the peak that it tells. */
#include "order.h"

#include <string.h>

/* ---- the plan ------------------------------------------------------------ */

static void list_items(verify *v, const json *x, const json ***list,
                       size_t *count, size_t *capacity) {
  for (; x; x = x->next) {
    *list = more(v, *list, capacity, *count, sizeof **list);
    (*list)[(*count)++] = x;
  }
}

static void list_plan(order *o) {
  size_t tensors = 0, ops = 0;
  list_items(o->v, first_of(o->plan, "tensors"), &o->plan_tensors,
             &o->plan_tensor_count, &tensors);
  list_items(o->v, first_of(o->plan, "ops"), &o->plan_ops, &o->plan_op_count,
             &ops);
  for (const json *s = first_of(o->plan, "steps"); s; s = s->next)
    list_items(o->v, first_of(s, "ops"), &o->plan_ops, &o->plan_op_count, &ops);
}

static const json *tensor_with(const order *o, const char *id) {
  for (size_t i = 0; id && i < o->plan_tensor_count; i++)
    if (strcmp(text_at(o->plan_tensors[i], "id"), id) == 0)
      return o->plan_tensors[i];
  return NULL;
}

/* The tensor whose bytes a view shows under another shape; NULL: it is none. A
 * part of another tensor counts as a copy in orders. */
static const json *shown_by(const order *o, const json *t) {
  const json *of = tensor_with(o, text_at(t, "alias_of"));
  return of && strcmp(text_at(t, "alias_kind"), "view") == 0 &&
                 number_at(o->v, of, "size", 0) == number_at(o->v, t, "size", 0)
             ? of
             : NULL;
}

/* Is the tensor, or a view of it, this one? */
static bool shows(const order *o, const json *x, const tensor *t) {
  const json *at = tensor_with(o, x->text);
  for (int links = 0; at && at != t->in_plan && links < 1000; links++)
    at = shown_by(o, at);
  return at == t->in_plan;
}

static bool names(const order *o, const json *in, const char *key,
                  const tensor *t) {
  const json *x = first_of(in, key);
  while (x && !shows(o, x, t))
    x = x->next;
  return x != NULL;
}

/* Uses that the plan does not tell would make a bound too high. */
static void check_use(order *o, const op *x, const tensor *t, bool writes) {
  bool told = false;
  if (x->place < 0) {
    const json *input = first_of(o->plan, "inputs");
    for (int64_t k = -1 - x->place; input && k > 0; k--)
      input = input->next;
    told = writes && input && shows(o, input, t);
  } else {
    const json *at = o->plan_ops[x->place];
    told = ((!writes || t->is_variable) && names(o, at, "inputs", t)) ||
           ((writes || t->is_variable) && names(o, at, "outputs", t));
  }
  if (!told)
    broken(o->v, "an operator does not use tensor %s in the plan",
           text_at(t->in_plan, "id"));
}

/* ---- reading ------------------------------------------------------------- */

/* PLACE ROWS BYTES */
static void read_tensor(order *o, size_t i) {
  verify *v = o->v;
  tensor *t = &o->tensors[i];
  const int64_t place = next_number(v, 0, (int64_t)o->plan_tensor_count - 1);
  t->in_plan = o->plan_tensors[place];
  t->is_variable = strcmp(text_at(t->in_plan, "role"), "persistent") == 0;
  t->first = t->next = (int64_t)o->row_count;
  t->rows = next_number(v, 0, 1 << 20);
  const int64_t bytes = next_number(v, 0, t->is_variable ? 0 : LIMIT >> 24);
  const bool is_kept = !t->is_variable && names(o, o->plan, "outputs", t) &&
                       !names(o, o->plan, "drained", t);
  for (size_t k = 0; k < i && !t->is_variable; k++)
    if (o->tensors[k].in_plan == t->in_plan)
      broken(v, "a tensor twice");
  if (!t->is_variable &&
      (shown_by(o, t->in_plan) ||
       strcmp(text_at(t->in_plan, "role"), "scratch") != 0 ||
       t->rows * bytes > number_at(v, t->in_plan, "size", 0)))
    broken(v, "the tensor has no such rows in the plan");
  const json *last = first_of(member(t->in_plan, "rows"), "last_steps");
  for (int64_t r = 0; r < t->rows; r++, last = last ? last->next : NULL) {
    row x = {
        .bytes = bytes, .left = is_kept, .tensor = (uint32_t)i, .op = NONE};
    x.last = t->is_variable ? INT64_MAX
             : last         ? last->number
                            : number_at(v, t->in_plan, "last_step", 0);
    o->rows = more(v, o->rows, &o->row_capacity, o->row_count, sizeof x);
    o->rows[o->row_count++] = x;
    o->kept += is_kept ? bytes : 0;
  }
  if (o->row_count > 1 << 22)
    malformed(v, &v->certificate, "too many rows");
}

/* FROM TO: rows are written once, in their order, before they are read. */
static void read_use(order *o, size_t i, int64_t step, uint32_t k) {
  verify *v = o->v;
  op *x = &o->ops[i];
  tensor *t = &o->tensors[x->tensors[k]];
  const int64_t from = t->first + next_number(v, 0, t->rows);
  const int64_t to = t->first + next_number(v, from - t->first, t->rows);
  x->use[(size_t)step * x->uses + k] = (use){from, to};
  for (int64_t r = from; r < to; r++) {
    if (k >= x->reads) {
      if (r != t->next++ || o->rows[r].is_needed)
        broken(v, "rows are not written once, one after the other");
      o->rows[r].op = (uint32_t)i;
    } else {
      if (o->rows[r].op == NONE && !names(o, o->plan, "inputs", t))
        broken(v, "a tensor is read before anything writes it");
      o->rows[r].is_needed = true;
      o->rows[r].left++;
    }
  }
}

/* PLACE STEPS WORK IN-PLACE READS WRITES TENSOR ..., the uses of each step */
static void read_op(order *o, size_t i) {
  verify *v = o->v;
  op *x = &o->ops[i];
  int64_t work = 0;
  x->place = next_number(v, -LIMIT, (int64_t)o->plan_op_count - 1);
  for (size_t k = 0; k < i; k++)
    if (o->ops[k].place == x->place)
      broken(v, "an operator twice");
  for (size_t k = 0; k < o->plan_tensor_count; k++)
    if (member(o->plan_tensors[k], "op") &&
        number_at(v, o->plan_tensors[k], "op", 0) == x->place)
      work += number_at(v, o->plan_tensors[k], "size", 0);
  x->steps = next_number(v, 0, UINT16_MAX);
  x->work = next_number(v, 0, work);
  x->in_place = next_number(v, 0, UINT32_MAX);
  x->reads = (uint32_t)next_number(v, 0, 1 << 16);
  x->uses = x->reads + (uint32_t)next_number(v, 0, 1 << 16);
  x->tensors = get(v, x->uses + 1u, sizeof *x->tensors);
  for (uint32_t k = 0; k < x->uses; k++) {
    x->tensors[k] = (uint32_t)next_number(v, 0, (int64_t)o->tensor_count - 1);
    check_use(o, x, &o->tensors[x->tensors[k]], k >= x->reads);
  }
  if (x->steps * x->uses > 1 << 24)
    malformed(v, &v->certificate, "too many steps");
  x->use = get(v, (size_t)x->steps * x->uses + 1, sizeof *x->use);
  for (int64_t n = 0; n < x->steps; n++)
    for (uint32_t k = 0; k < x->uses; k++)
      read_use(o, i, n, k);
}

static void read_problem(order *o) {
  expect_word(o->v, "tensors");
  o->tensor_count = (size_t)next_number(o->v, 1, 1 << 20);
  o->tensors = get(o->v, o->tensor_count, sizeof *o->tensors);
  for (size_t i = 0; i < o->tensor_count; i++)
    read_tensor(o, i);
  expect_word(o->v, "ops");
  o->op_count = (size_t)next_number(o->v, 1, 1 << 20);
  o->ops = get(o->v, o->op_count, sizeof *o->ops);
  o->done = get(o->v, o->op_count, sizeof *o->done);
  for (size_t i = 0; i < o->op_count; i++)
    read_op(o, i);
  for (size_t r = 0; r < o->row_count; r++) {
    row *x = &o->rows[r];
    const tensor *t = &o->tensors[x->tensor];
    x->is_needed = x->left > 0;
    x->is_made = x->op == NONE;
    if (x->is_made && (t->next > t->first || !names(o, o->plan, "inputs", t)))
      broken(o->v, "a row is not written");
    o->start += x->is_made ? x->bytes : 0;
    o->load += x->is_made && x->is_needed ? x->bytes : 0;
  }
}

/* ---- steps --------------------------------------------------------------- */

/* Does all that the step reads die, and is it as large as what is written? */
static bool frees(const order *o, const use *read, int64_t bytes) {
  bool dead = true;
  for (int64_t r = read->from; r < read->to; r++) {
    dead = dead && o->rows[r].left == 0;
    bytes -= o->rows[r].bytes;
  }
  return dead && bytes <= 0;
}

int64_t run_step(order *o, size_t i) {
  const op *x = &o->ops[i];
  const use *u = uses_of(x, o->done[i]);
  const int64_t before = o->load;
  int64_t bytes = 0, load = before;
  bool in_place = false;
  set(o->v, &o->log, &o->done[i], o->done[i] + 1);
  for (uint32_t k = x->reads; k < x->uses; k++)
    for (int64_t r = u[k].from; r < u[k].to; r++) {
      bytes += o->rows[r].bytes;
      load += o->rows[r].left ? o->rows[r].bytes : 0;
      set(o->v, &o->log, &o->rows[r].is_made, true);
    }
  for (uint32_t k = 0; k < x->reads; k++)
    for (int64_t r = u[k].from; r < u[k].to; r++) {
      set(o->v, &o->log, &o->rows[r].left, o->rows[r].left - 1);
      load -= o->rows[r].left ? 0 : o->rows[r].bytes;
    }
  set(o->v, &o->log, &o->load, load);
  for (uint32_t k = 0; k < x->reads && k < 32; k++)
    in_place = in_place || ((x->in_place >> k & 1) && frees(o, &u[k], bytes));
  return before + (in_place ? 0 : bytes) + (o->with_work ? x->work : 0);
}

/* ---- the plan's own order ------------------------------------------------ */

/* The next step, in step `time` of the plan; its load. */
static int64_t follow_step(order *o, size_t i, int64_t time) {
  const op *x = &o->ops[i];
  if (o->done[i] == x->steps)
    broken(o->v, "the plan runs an operator once more");
  const use *u = uses_of(x, o->done[i]);
  for (uint32_t k = 0; k < x->reads; k++)
    for (int64_t r = u[k].from; r < u[k].to; r++)
      if (!o->rows[r].is_made || o->rows[r].last < time)
        broken(o->v, "step %lld of the plan reads what is not there",
               (long long)time);
  return run_step(o, i);
}

/* Rows of an operator, up to `end`, or all if that is 0. */
static int64_t follow(order *o, int64_t place, int64_t end, int64_t time) {
  size_t i = 0;
  int64_t peak = 0;
  while (i < o->op_count && o->ops[i].place != place)
    i++;
  if (i == o->op_count && time < 0) /* a view */
    return 0;
  if (i == o->op_count)
    broken(o->v, "a run of the plan is none of the problem");
  const op *x = &o->ops[i];
  const tensor *t =
      x->uses > x->reads ? &o->tensors[x->tensors[x->reads]] : NULL;
  if (end && (!t || end > t->rows))
    broken(o->v, "a run of the plan has too many rows");
  do
    peak = larger(peak, follow_step(o, i, time < 0 ? -1 - time : time));
  while (end && !o->rows[t->first + end - 1].is_made);
  return peak;
}

static int64_t follow_plan(order *o) {
  int64_t peak = o->start, time = 0, place = 0;
  for (const json *r = first_of(o->plan, "runs"); r; r = r->next) {
    const json *first = r->first ? r->first->next : NULL;
    if (!first || !first->next)
      malformed(o->v, NULL, "a run of the plan has three numbers");
    const int64_t count = first->next->number;
    const int64_t end = count ? first->number + count : 0;
    peak = larger(peak, follow(o, r->first->number, end, time++));
  }
  for (const json *s = first_of(o->plan, "steps"); s; s = s->next, time++)
    for (const json *x = first_of(s, "ops"); x; x = x->next)
      peak = larger(peak, follow(o, place++, 0, -1 - time));
  for (size_t i = 0; i < o->op_count; i++)
    if (o->done[i] < o->ops[i].steps)
      broken(o->v, "the plan does not run all steps");
  take_back(&o->log, 0);
  return peak;
}

/* ---- the whole ----------------------------------------------------------- */

static void check_peak(order *o, const char *key, bool with_work) {
  const int64_t told = number_at(o->v, member(o->plan, "order"), key, 0);
  o->with_work = with_work;
  const int64_t peak = follow_plan(o);
  if (peak != told)
    broken(o->v, "the plan's order has a %s of %lld here, not %lld", key,
           (long long)peak, (long long)told);
}

void check_order(verify *v, const json *plan) {
  const json *claim = member(plan, "order");
  const int64_t bound = number_at(v, claim, "lower_bound", 1);
  order o = {.v = v, .plan = plan};
  expect_word(v, "order");
  expect_word(v, text_at(claim, "kind"));
  list_plan(&o);
  read_problem(&o);
  check_peak(&o, "peak", false);
  check_order_bound(&o, bound);
  if (strcmp(text_at(claim, "kind"), "rows") != 0)
    return;
  const int64_t with_work = number_at(v, claim, "lower_bound_with_work", 0);
  check_peak(&o, "peak_with_work", true);
  if (with_work > bound)
    check_order_bound(&o, with_work);
}
