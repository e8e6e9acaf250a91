/* load.c - judges an order from the definition of the problem: the lifetime of
 * every row, by its first and last step, and a sweep over them. Shares nothing
 * with the search, which counts up and down while it goes. */
#include "order/problem.h"

/* Times: 0 is before the first step, step t runs at t, 1 and up; after the last
 * comes `end`. */
typedef struct lives {
  const ash_order_problem *p;
  uint32_t *first;        /* by tensor: its first row in the arrays below */
  uint32_t *birth, *last; /* by row; birth NEVER: not written yet          */
  uint32_t *made;         /* by op: steps so far                           */
  uint32_t end;
  uint64_t *rises, *falls; /* by time: bytes                               */
} lives;

#define NEVER UINT32_MAX

static uint64_t steps_of(const ash_order_problem *p) {
  uint64_t steps = 0;
  for (uint32_t i = 0; i < p->op_count; i++)
    steps += p->ops[i].steps;
  return steps;
}

static bool reserve(lives *l, ash_zone *z) {
  uint32_t rows = 0;
  l->end = (uint32_t)steps_of(l->p) + 1;
  l->first = ASH_NEW_ARRAY(z, uint32_t, l->p->tensor_count + 1);
  l->made = ASH_NEW_ARRAY(z, uint32_t, l->p->op_count + 1);
  l->rises = ASH_NEW_ARRAY(z, uint64_t, (size_t)l->end + 2);
  l->falls = ASH_NEW_ARRAY(z, uint64_t, (size_t)l->end + 2);
  for (uint32_t t = 0; l->first && t < l->p->tensor_count; t++) {
    l->first[t] = rows;
    rows += l->p->tensors[t].rows;
  }
  l->birth = ASH_NEW_ARRAY(z, uint32_t, (size_t)rows + 1);
  l->last = ASH_NEW_ARRAY(z, uint32_t, (size_t)rows + 1);
  return !z->failed;
}

static void begin(lives *l) {
  for (uint32_t t = 0; t < l->p->tensor_count; t++)
    for (uint32_t r = 0; r < l->p->tensors[t].rows; r++)
      l->birth[l->first[t] + r] = l->p->tensors[t].is_present ? 0 : NEVER;
}

static const char *use(lives *l, uint32_t op, uint32_t now) {
  const ash_order_op *o = &l->p->ops[op];
  const uint32_t step = l->made[op]++;
  for (uint32_t k = 0; k < o->read_count; k++) {
    const ash_order_range rows = o->reads[k].rows[step];
    for (uint32_t r = rows.from; r < rows.to; r++) {
      const uint32_t row = l->first[o->reads[k].tensor] + r;
      if (l->birth[row] == NEVER)
        return "a row is read before it is written";
      l->last[row] = now;
    }
  }
  for (uint32_t k = 0; k < o->write_count; k++) {
    const ash_order_range rows = o->writes[k].rows[step];
    for (uint32_t r = rows.from; r < rows.to; r++) {
      const uint32_t row = l->first[o->writes[k].tensor] + r;
      if (l->birth[row] != NEVER)
        return "a row is written twice";
      l->birth[row] = l->last[row] = now;
    }
  }
  return NULL;
}

static const char *follow(lives *l, const ash_order_run *runs, uint32_t count) {
  uint32_t now = 0;
  for (uint32_t i = 0; i < count; i++) {
    const ash_order_run *run = &runs[i];
    if (run->op >= l->p->op_count || run->first != l->made[run->op] ||
        run->count > l->p->ops[run->op].steps - run->first)
      return "a run is not the next of its operator";
    for (uint32_t k = 0; k < run->count; k++) {
      const char *why = use(l, run->op, ++now);
      if (why)
        return why;
    }
  }
  return now + 1 == l->end ? NULL : "steps are missing";
}

/* ---- bytes --------------------------------------------------------------- */

static void add_rows(lives *l) {
  for (uint32_t t = 0; t < l->p->tensor_count; t++) {
    const ash_order_tensor *x = &l->p->tensors[t];
    for (uint32_t r = 0; r < x->rows; r++) {
      const uint32_t row = l->first[t] + r;
      if (l->birth[row] == NEVER)
        continue;
      l->rises[l->birth[row]] += x->row_bytes;
      l->falls[(x->is_kept ? l->end : l->last[row]) + 1] += x->row_bytes;
    }
  }
}

static uint64_t bytes_of(const lives *l, const ash_order_access *a,
                         uint32_t step) {
  return (a->rows[step].to - a->rows[step].from) *
         l->p->tensors[a->tensor].row_bytes;
}

/* Does everything that the step reads of it die at that time? */
static bool dies(const lives *l, const ash_order_access *a, uint32_t step,
                 uint32_t now) {
  if (l->p->tensors[a->tensor].is_kept)
    return false;
  for (uint32_t r = a->rows[step].from; r < a->rows[step].to; r++)
    if (l->last[l->first[a->tensor] + r] != now)
      return false;
  return true;
}

/* Written rows that take the places of dying ones add nothing to that step. */
static void share_place(lives *l, uint32_t op, uint32_t step, uint32_t now) {
  const ash_order_op *o = &l->p->ops[op];
  for (uint32_t k = 0; k < o->read_count && k < 32; k++) {
    if (!(o->in_place >> k & 1) || !dies(l, &o->reads[k], step, now))
      continue;
    const uint64_t bytes = bytes_of(l, &o->writes[0], step);
    if (bytes > bytes_of(l, &o->reads[k], step))
      continue;
    l->rises[now] -= bytes;
    l->falls[now + 1] -= bytes;
    return;
  }
}

static void add_steps(lives *l, const ash_order_run *runs, uint32_t count) {
  uint32_t now = 0;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < runs[i].count; k++) {
      share_place(l, runs[i].op, runs[i].first + k, ++now);
      l->rises[now] += l->p->ops[runs[i].op].work;
      l->falls[now + 1] += l->p->ops[runs[i].op].work;
    }
}

static void sweep(ash_order_load *out, const lives *l) {
  uint64_t load = 0;
  for (uint32_t now = 0; now <= l->end; now++) {
    load += l->rises[now] - l->falls[now];
    out->peak = load > out->peak ? load : out->peak;
    out->sum += load;
  }
}

const char *ash_order_count(ash_ctx *ctx, ash_order_load *out,
                            const ash_order_problem *p,
                            const ash_order_run *runs, uint32_t run_count) {
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  lives l = {.p = p};
  const char *why = "there is not enough memory";
  *out = (ash_order_load){0};
  if (reserve(&l, &ctx->scratch)) {
    begin(&l);
    why = follow(&l, runs, run_count);
  }
  if (!why) {
    add_rows(&l);
    add_steps(&l, runs, run_count);
    sweep(out, &l);
  }
  ash_zone_rewind(&ctx->scratch, mark);
  return why;
}
