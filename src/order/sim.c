/* sim.c - see sim.h. Each row counts the reads that are still to end; every
 * read of an operator ends once for each row that it ever reads. */
#include "order/sim.h"

/* ---- what the search relies on ------------------------------------------- */

static bool goes_forward(const ash_order_access *a, uint32_t steps,
                         uint32_t rows) {
  for (uint32_t s = 0; s < steps; s++)
    if (a->rows[s].from > a->rows[s].to || a->rows[s].to > rows ||
        (s > 0 && (a->rows[s].from < a->rows[s - 1].from ||
                   a->rows[s].to < a->rows[s - 1].to)))
      return false;
  return true;
}

/* Each row once, in order. */
static bool is_gapless(const ash_order_access *a, uint32_t steps,
                       uint32_t rows) {
  uint32_t next = 0;
  for (uint32_t s = 0; s < steps; s++)
    if (a->rows[s].from < a->rows[s].to) {
      if (a->rows[s].from != next)
        return false;
      next = a->rows[s].to;
    }
  return next == rows;
}

static bool is_well_formed(const ash_order_problem *p, const ash_order_sim *s) {
  for (uint32_t op = 0; op < p->op_count; op++) {
    const ash_order_op *o = &p->ops[op];
    for (uint32_t k = 0; k < o->read_count; k++) {
      const ash_order_access *a = &o->reads[k];
      const uint32_t maker = s->maker[a->tensor];
      if (!goes_forward(a, o->steps, p->tensors[a->tensor].rows) ||
          (p->tensors[a->tensor].is_present ? maker != ASH_ORDER_NO_OP
                                            : maker >= op))
        return false;
    }
    for (uint32_t k = 0; k < o->write_count; k++)
      if (!is_gapless(&o->writes[k], o->steps,
                      p->tensors[o->writes[k].tensor].rows))
        return false;
  }
  return true;
}

/* ---- the start ------------------------------------------------------------
 */

ash_order_range ash_order_ends(const ash_order_op *o, uint32_t read,
                               uint32_t step) {
  ASH_ASSERT(read < o->read_count && step < o->steps);
  const ash_order_range *rows = o->reads[read].rows;
  ash_order_range ends = rows[step];
  if (step + 1 < o->steps && rows[step + 1].from < ends.to)
    ends.to = rows[step + 1].from;
  return ends;
}

static void count_reads(ash_order_sim *s, const ash_order_op *o) {
  for (uint32_t k = 0; k < o->read_count; k++)
    for (uint32_t step = 0; step < o->steps; step++) {
      const ash_order_range ends = ash_order_ends(o, k, step);
      uint32_t *left = s->left + s->first[o->reads[k].tensor];
      for (uint32_t r = ends.from; r < ends.to; r++)
        left[r]++;
    }
}

static void start_tensor(ash_order_sim *s, uint32_t tensor) {
  const ash_order_tensor *t = &s->p->tensors[tensor];
  for (uint32_t r = 0; r < t->rows; r++)
    s->left[s->first[tensor] + r] += t->is_kept;
  if (!t->is_present)
    return;
  s->made[tensor] = t->rows;
  s->start += t->rows * t->row_bytes;
  for (uint32_t r = 0; r < t->rows; r++)
    s->load += s->left[s->first[tensor] + r] ? t->row_bytes : 0;
}

bool ash_order_sim_init(ash_order_sim *s, ash_zone *zone,
                        const ash_order_problem *p) {
  uint32_t rows = 0;
  *s = (ash_order_sim){.p = p};
  for (uint32_t i = 0; i < p->op_count; i++)
    s->steps += p->ops[i].steps;
  for (uint32_t t = 0; t < p->tensor_count; t++)
    rows += p->tensors[t].rows;
  s->done = ASH_NEW_ARRAY(zone, uint32_t, (size_t)p->op_count + 1);
  s->made = ASH_NEW_ARRAY(zone, uint32_t, (size_t)p->tensor_count + 1);
  s->maker = ASH_NEW_ARRAY(zone, uint32_t, (size_t)p->tensor_count + 1);
  s->first = ASH_NEW_ARRAY(zone, uint32_t, (size_t)p->tensor_count + 1);
  s->left = ASH_NEW_ARRAY(zone, uint32_t, (size_t)rows + 1);
  s->trail = ASH_NEW_ARRAY(zone, uint32_t, (size_t)s->steps + 1);
  s->stack = ASH_NEW_ARRAY(zone, uint32_t, (size_t)p->op_count + 1);
  if (zone->failed)
    return false;
  for (uint32_t t = 0; t < p->tensor_count; t++) {
    s->first[t + 1] = s->first[t] + p->tensors[t].rows;
    s->maker[t] = ASH_ORDER_NO_OP;
  }
  for (uint32_t i = 0; i < p->op_count; i++) {
    count_reads(s, &p->ops[i]);
    for (uint32_t k = 0; k < p->ops[i].write_count; k++)
      s->maker[p->ops[i].writes[k].tensor] = i;
  }
  ASH_ASSERT(is_well_formed(p, s));
  for (uint32_t t = 0; t < p->tensor_count; t++)
    start_tensor(s, t);
  return true;
}

uint32_t ash_order_waits_for(const ash_order_sim *s, uint32_t op) {
  const ash_order_op *o = &s->p->ops[op];
  const uint32_t step = s->done[op];
  ASH_ASSERT(step < o->steps);
  for (uint32_t k = 0; k < o->read_count; k++) {
    const ash_order_range rows = o->reads[k].rows[step];
    if (rows.from < rows.to && s->made[o->reads[k].tensor] < rows.to)
      return s->maker[o->reads[k].tensor];
  }
  return op;
}

/* ---- forward ------------------------------------------------------------- */

/* Rows written, in bytes; those that something needs exist from now on. */
static uint64_t write_rows(ash_order_sim *s, const ash_order_op *o,
                           uint32_t step) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < o->write_count; k++) {
    const uint32_t tensor = o->writes[k].tensor;
    const ash_order_range rows = o->writes[k].rows[step];
    const uint64_t row_bytes = s->p->tensors[tensor].row_bytes;
    ASH_ASSERT(s->made[tensor] == rows.from || rows.from == rows.to);
    for (uint32_t r = rows.from; r < rows.to; r++)
      s->load += s->left[s->first[tensor] + r] ? row_bytes : 0;
    s->made[tensor] += rows.to - rows.from;
    bytes += (rows.to - rows.from) * row_bytes;
  }
  return bytes;
}

static void end_reads(ash_order_sim *s, const ash_order_op *o, uint32_t step) {
  for (uint32_t k = 0; k < o->read_count; k++) {
    const uint32_t tensor = o->reads[k].tensor;
    const ash_order_range ends = ash_order_ends(o, k, step);
    uint32_t *left = s->left + s->first[tensor];
    for (uint32_t r = ends.from; r < ends.to; r++) {
      ASH_ASSERT(left[r] > 0);
      if (--left[r] == 0)
        s->load -= s->p->tensors[tensor].row_bytes;
    }
  }
}

/* Are the rows that the step reads of it dead now, and no fewer bytes? */
static bool frees(const ash_order_sim *s, const ash_order_access *a,
                  uint32_t step, uint64_t bytes) {
  const ash_order_range rows = a->rows[step];
  const uint32_t *left = s->left + s->first[a->tensor];
  if ((rows.to - rows.from) * s->p->tensors[a->tensor].row_bytes < bytes)
    return false;
  for (uint32_t r = rows.from; r < rows.to; r++)
    if (left[r])
      return false;
  return true;
}

static bool takes_place(const ash_order_sim *s, const ash_order_op *o,
                        uint32_t step, uint64_t bytes) {
  for (uint32_t k = 0; o->in_place >> k && k < o->read_count; k++)
    if ((o->in_place >> k & 1) && frees(s, &o->reads[k], step, bytes))
      return true;
  return false;
}

uint64_t ash_order_step(ash_order_sim *s, uint32_t op) {
  const ash_order_op *o = &s->p->ops[op];
  const uint32_t step = s->done[op]++;
  const uint64_t before = s->load;
  ASH_ASSERT(step < o->steps && s->count < s->steps);
  s->trail[s->count++] = op;
  s->ticks++;
  const uint64_t bytes = write_rows(s, o, step);
  end_reads(s, o, step);
  return before + (takes_place(s, o, step, bytes) ? 0 : bytes) + o->work;
}

/* ---- back ---------------------------------------------------------------- */

static void begin_reads(ash_order_sim *s, const ash_order_op *o,
                        uint32_t step) {
  for (uint32_t k = 0; k < o->read_count; k++) {
    const uint32_t tensor = o->reads[k].tensor;
    const ash_order_range ends = ash_order_ends(o, k, step);
    uint32_t *left = s->left + s->first[tensor];
    for (uint32_t r = ends.from; r < ends.to; r++)
      if (left[r]++ == 0)
        s->load += s->p->tensors[tensor].row_bytes;
  }
}

static void unwrite_rows(ash_order_sim *s, const ash_order_op *o,
                         uint32_t step) {
  for (uint32_t k = 0; k < o->write_count; k++) {
    const uint32_t tensor = o->writes[k].tensor;
    const ash_order_range rows = o->writes[k].rows[step];
    for (uint32_t r = rows.from; r < rows.to; r++)
      s->load -=
          s->left[s->first[tensor] + r] ? s->p->tensors[tensor].row_bytes : 0;
    s->made[tensor] -= rows.to - rows.from;
  }
}

void ash_order_back(ash_order_sim *s, uint32_t count) {
  ASH_ASSERT(count <= s->count);
  while (s->count > count) {
    const uint32_t op = s->trail[--s->count];
    const uint32_t step = --s->done[op];
    begin_reads(s, &s->p->ops[op], step);
    unwrite_rows(s, &s->p->ops[op], step);
  }
}

/* ---- the answer ---------------------------------------------------------- */

ash_status ash_order_runs(ash_ctx *ctx, ash_order_answer *out,
                          const ash_order_sim *s) {
  const uint32_t *ops = s->trail;
  uint32_t count = 0;
  ASH_ASSERT(s->count == s->steps);
  for (uint32_t i = 0; i < s->steps; i++)
    count += i == 0 || ops[i] != ops[i - 1];
  ash_order_run *runs =
      ASH_NEW_ARRAY(&ctx->keep, ash_order_run, (size_t)count + 1);
  uint32_t *done =
      ASH_NEW_ARRAY(&ctx->scratch, uint32_t, (size_t)s->p->op_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  out->runs = runs;
  out->run_count = 0;
  for (uint32_t i = 0; i < s->steps; i++) {
    if (i == 0 || ops[i] != ops[i - 1])
      runs[out->run_count++] = (ash_order_run){ops[i], done[ops[i]], 0};
    runs[out->run_count - 1].count++;
    done[ops[i]]++;
  }
  return ASH_OK;
}
