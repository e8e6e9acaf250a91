/* check_order.c - is the claim about the order of a plan true? Which bytes of
 * activations exist at every step follows from the graph and the steps alone:
 * a row exists from the step that makes it to the last one that reads it. Rows
 * of inputs that the caller fills exist before the first step, rows of outputs
 * to the end; where an element-wise operator may take over rows that die with
 * it, as large as its own or, of whole tensors, larger, the new rows add
 * nothing to that step. */
#include "check/check_rows.h"

#include "plan/record/record.h"

#include <inttypes.h>

/* Times: 0 is before the first step, step s runs at s + 1. */
typedef struct lives {
  const ash_checker *c;
  uint32_t *root;         /* by tensor: whose bytes it shows           */
  uint32_t *first;        /* by tensor: its first row below            */
  uint32_t *birth, *last; /* by row; birth NEVER: not made             */
  bool *is_kept;          /* by tensor                                 */
  bool *is_fed;           /* by tensor                                 */
  uint64_t *load;         /* by time: first what is added, what leaves */
} lives;

#define NEVER UINT32_MAX

static const ash_tensor *tensor_at(const lives *l, uint32_t t) {
  return &l->c->g->tensors.items[t];
}

static bool counts(const lives *l, uint32_t tensor) {
  const ash_tensor_kind kind = tensor_at(l, tensor)->kind;
  return kind == ASH_TENSOR_ACTIVATION || kind == ASH_TENSOR_INPUT;
}

static uint64_t row_bytes(const lives *l, uint32_t tensor) {
  return tensor_at(l, tensor)->bytes /
         ash_check_row_count(tensor_at(l, tensor));
}

static ash_status reserve(lives *l) {
  const ash_graph *g = l->c->g;
  ash_zone *z = &l->c->ctx->scratch;
  size_t rows = 0;
  l->root = ASH_NEW_ARRAY(z, uint32_t, g->tensor_count + 1);
  l->first = ASH_NEW_ARRAY(z, uint32_t, g->tensor_count + 1);
  l->is_kept = ASH_NEW_ARRAY(z, bool, g->tensor_count + 1);
  l->is_fed = ASH_NEW_ARRAY(z, bool, g->tensor_count + 1);
  l->load = ASH_NEW_ARRAY(z, uint64_t, (size_t)l->c->plan->steps.count + 3);
  ASH_TRY(ash_zone_check(l->c->ctx, z));
  for (uint32_t t = 0; t < g->tensor_count; t++) {
    l->root[t] = t;
    l->first[t] = (uint32_t)rows;
    rows += ash_check_row_count(tensor_at(l, t));
  }
  l->birth = ASH_NEW_ARRAY(z, uint32_t, rows + 1);
  l->last = ASH_NEW_ARRAY(z, uint32_t, rows + 1);
  ASH_TRY(ash_zone_check(l->c->ctx, z));
  for (size_t i = 0; i < rows; i++)
    l->birth[i] = NEVER;
  return ASH_OK;
}

static void begin(lives *l) {
  const ash_graph *g = l->c->g;
  const ash_plan *p = l->c->plan;
  for (uint32_t op = 0; op < g->op_count; op++)
    if (ash_check_is_name(g, op, l->root))
      l->root[g->ops.items[op].outputs[0]] =
          l->root[g->ops.items[op].inputs[0]];
  for (size_t i = 0; i < g->output_count; i++)
    if (!p->is_drained || !p->is_drained[i])
      l->is_kept[l->root[g->outputs[i]]] = true;
  for (uint32_t s = 0; s < p->steps.count; s++)
    if (p->steps.items[s].op_count == 0)
      l->is_fed[p->steps.items[s].input] = true;
  for (uint32_t t = 0; t < g->tensor_count; t++)
    for (uint32_t r = 0; r < ash_check_row_count(tensor_at(l, t)); r++)
      if (tensor_at(l, t)->kind == ASH_TENSOR_INPUT && !l->is_fed[t])
        l->birth[l->first[t] + r] = 0;
}

/* ---- uses ---------------------------------------------------------------- */

/* What rows [row, row + 1) of the results, or all, need of an input. */
static ash_check_range range_of(const lives *l, uint32_t op, uint32_t k,
                                uint32_t row, bool is_run) {
  const uint32_t t = l->c->g->ops.items[op].inputs[k];
  const uint32_t rows = ash_check_row_count(tensor_at(l, l->root[t]));
  const ash_check_range all = {0, rows, true};
  if (!is_run || rows != ash_check_row_count(tensor_at(l, t)))
    return all;
  return ash_check_rows_read(l->c->g, op, k, row);
}

static void use(lives *l, const ash_step *s, uint32_t op, uint32_t time) {
  const ash_op *o = &l->c->g->ops.items[op];
  const uint32_t end = s->row_count ? s->first_row + s->row_count : 1;
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] == ASH_NO_ID || !counts(l, l->root[o->inputs[k]]))
      continue;
    for (uint32_t row = s->row_count ? s->first_row : 0; row < end; row++) {
      const ash_check_range need = range_of(l, op, k, row, s->row_count > 0);
      for (uint32_t r = need.from; r < need.to; r++)
        l->last[l->first[l->root[o->inputs[k]]] + r] = time;
    }
  }
}

static void make(lives *l, const ash_step *s, uint32_t tensor, uint32_t time) {
  const uint32_t rows = ash_check_row_count(tensor_at(l, tensor));
  const uint32_t from = s->row_count ? s->first_row : 0;
  const uint32_t to = s->row_count ? from + s->row_count : rows;
  for (uint32_t r = from; r < to; r++) {
    l->birth[l->first[tensor] + r] = time;
    if (l->last[l->first[tensor] + r] < time)
      l->last[l->first[tensor] + r] = time;
  }
}

static void follow(lives *l) {
  const ash_plan *p = l->c->plan;
  for (uint32_t i = 0; i < p->steps.count; i++) {
    const ash_step *s = &p->steps.items[i];
    if (s->op_count == 0)
      make(l, s, s->input, i + 1);
    for (uint32_t k = 0; k < s->op_count; k++) {
      const ash_op *o = &l->c->g->ops.items[s->ops[k]];
      if (ash_check_is_name(l->c->g, s->ops[k], l->root))
        continue;
      use(l, s, s->ops[k], i + 1);
      for (uint32_t n = 0; n < o->output_count; n++)
        if (counts(l, o->outputs[n]))
          make(l, s, o->outputs[n], i + 1);
    }
  }
}

/* ---- bytes --------------------------------------------------------------- */

/* Element by element, as large (or larger, in an order of whole operators), and
 * no other input shows it in another way. */
static bool can_replace(const lives *l, const ash_op *o, uint32_t k) {
  const ash_graph *g = l->c->g;
  const ash_tensor *in = ash_op_in(g, o, k), *out = ash_op_out(g, o, 0);
  const uint32_t op = (uint32_t)(o - g->ops.items);
  const ash_kernel *kernel = ash_plan_choice(l->c->plan, g, op).kernel;
  if (!in || !ash_op_has(o, ASH_OP_ELEMENTWISE) || o->output_count != 1 ||
      !kernel || !ash_kernel_in_place(kernel, g, op, k) ||
      !ash_shape_equal(&in->shape, &out->shape) || in->bytes < out->bytes ||
      (l->c->plan->order.kind == ASH_ORDER_ROWS && in->bytes != out->bytes))
    return false;
  for (uint32_t i = 0; i < o->input_count; i++)
    if (o->inputs[i] != ASH_NO_ID &&
        l->root[o->inputs[i]] == l->root[o->inputs[k]] &&
        !ash_shape_equal(&ash_op_in(g, o, i)->shape, &out->shape))
      return false;
  return true;
}

/* Does all that the step reads of input k die with it, as many bytes as it
 * makes? */
static bool dies(const lives *l, const ash_step *s, uint32_t op, uint32_t k,
                 uint32_t time) {
  const uint32_t root = l->root[l->c->g->ops.items[op].inputs[k]];
  const uint32_t rows = ash_check_row_count(tensor_at(l, root));
  const bool is_run =
      s->row_count > 0 && !range_of(l, op, k, s->first_row, true).is_whole;
  const uint32_t from = is_run ? s->first_row : 0;
  const uint32_t to = is_run ? from + s->row_count : rows;
  if (!counts(l, root) || l->is_kept[root] || (s->row_count > 0 && !is_run))
    return false;
  for (uint32_t r = from; r < to; r++)
    if (l->last[l->first[root] + r] != time)
      return false;
  return true;
}

static uint64_t taken_over(const lives *l, uint32_t step) {
  const ash_step *s = &l->c->plan->steps.items[step];
  if (s->op_count != 1)
    return 0;
  const ash_op *o = &l->c->g->ops.items[s->ops[0]];
  for (uint32_t k = 0; k < o->input_count; k++)
    if (can_replace(l, o, k) && dies(l, s, s->ops[0], k, step + 1))
      return s->row_count ? s->row_count * row_bytes(l, o->outputs[0])
                          : tensor_at(l, o->outputs[0])->bytes;
  return 0;
}

static void add_rows(lives *l) {
  const uint32_t steps = l->c->plan->steps.count;
  for (uint32_t t = 0; t < l->c->g->tensor_count; t++) {
    const uint32_t rows = ash_check_row_count(tensor_at(l, t));
    for (uint32_t r = 0; r < rows; r++) {
      const uint32_t i = l->first[t] + r;
      if (l->birth[i] == NEVER)
        continue;
      l->load[l->birth[i]] += row_bytes(l, t);
      l->load[(l->is_kept[t] ? steps + 1 : l->last[i]) + 1] -= row_bytes(l, t);
    }
  }
}

/* The work memory of the operators of a step. */
static uint64_t work_of(const lives *l, uint32_t step) {
  const ash_step *s = &l->c->plan->steps.items[step];
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < s->op_count; k++) {
    const ash_choice c = ash_plan_choice(l->c->plan, l->c->g, s->ops[k]);
    bytes += s->row_count > 0 ? c.row_scratch : c.scratch;
  }
  return bytes;
}

/* Of activations, and with work memory. */
typedef struct peaks {
  uint64_t rows, all;
} peaks;

static void raise_peaks(peaks *p, uint64_t rows, uint64_t work) {
  p->rows = rows > p->rows ? rows : p->rows;
  p->all = rows + work > p->all ? rows + work : p->all;
}

/* With the rows that may be taken over, and without. */
static void find_peaks(const lives *l, peaks *least, peaks *most) {
  const uint32_t steps = l->c->plan->steps.count;
  uint64_t load = 0;
  *least = *most = (peaks){0};
  for (uint32_t time = 0; time <= steps + 1; time++) {
    const bool runs = time > 0 && time <= steps;
    const uint64_t work = runs ? work_of(l, time - 1) : 0;
    load += l->load[time];
    raise_peaks(least, load - (runs ? taken_over(l, time - 1) : 0), work);
    raise_peaks(most, load, work);
  }
}

static ash_status check_bounds(const ash_checker *c) {
  const ash_order_proof *o = &c->plan->order;
  if (o->lower_bound > o->peak || o->bound_with_work > o->peak_with_work ||
      (o->verdict == ASH_OPTIMAL && o->lower_bound != o->peak) ||
      (o->verdict != ASH_OPTIMAL && o->verdict != ASH_FEASIBLE &&
       o->verdict != ASH_UNKNOWN))
    return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_plan_order_bound, ASH_NOWHERE,
                    "the order has peak %" PRIu64 ", bound %" PRIu64
                    " and verdict %s; with work memory, peak %" PRIu64
                    " and bound %" PRIu64,
                    o->peak, o->lower_bound, ash_verdict_text(o->verdict),
                    o->peak_with_work, o->bound_with_work);
  return ASH_OK;
}

static ash_status wrong_peak(const ash_checker *c, const char *what,
                             uint64_t bytes, uint64_t told) {
  return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_plan_order_peak, ASH_NOWHERE,
                  "at most %" PRIu64 " bytes of %s exist at once, "
                  "the plan says %" PRIu64,
                  bytes, what, told);
}

ash_status ash_check_order_proof(const ash_checker *c) {
  const ash_order_proof *o = &c->plan->order;
  lives l = {.c = c};
  if (o->kind != ASH_ORDER_ROWS && ash_plan_in_rows(c->plan))
    return ash_fail(c->ctx, ASH_INTERNAL, ASH_D_plan_order_kind, ASH_NOWHERE,
                    "the plan has runs of rows, its order is called '%s'",
                    ash_order_text(o->kind));
  if (o->peak == 0)
    return ASH_OK; /* nothing is claimed */
  ASH_TRY(check_bounds(c));
  if (!c->g)
    return ASH_OK;
  ASH_TRY(reserve(&l));
  begin(&l);
  follow(&l);
  add_rows(&l);
  peaks least, most; /* equal where nothing works in place */
  find_peaks(&l, &least, &most);
  if (o->peak != least.rows && o->peak != most.rows)
    return wrong_peak(c, "activations", least.rows, o->peak);
  if (o->peak_with_work && o->peak_with_work != least.all &&
      o->peak_with_work != most.all)
    return wrong_peak(c, "activations and work memory", least.all,
                      o->peak_with_work);
  return ASH_OK;
}
