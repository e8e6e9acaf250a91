/* plan_json.c - plan -> JSON (docs/plan-format.md). */
#include "ashlar/plan.h"
#include "base/json.h"
#include "graph/graph.h"
#include "plan/file/hash.h"
#include "plan/file/layers_json.h"
#include "plan/file/rows_json.h"
#include "plan/record/record.h"

#include <string.h>

static void put_arenas(ash_json *j, const ash_plan *p) {
  ash_json_open(j, "arenas", '[');
  for (uint32_t i = 0; i < p->arena_count; i++) {
    const ash_arena *a = &p->arenas[i];
    ASH_ASSERT(a->lower_bound <= a->size && a->alignment > 0);
    ash_json_open(j, NULL, '{');
    ash_json_uint(j, "region_id", i);
    ash_json_string(j, "role", ash_role_text(a->role));
    ash_json_string(j, "memory", a->memory);
    ash_json_string(j, "source_memory", a->source_memory);
    ash_json_uint(j, "size", a->size);
    ash_json_uint(j, "total_size", a->total_size);
    ash_json_uint(j, "alignment", a->alignment);
    ash_json_bool(j, "is_staged", strcmp(a->memory, a->source_memory) != 0);
    ash_json_uint(j, "lower_bound", a->lower_bound);
    ash_json_string(j, "verdict", ash_verdict_text(a->verdict));
    ash_json_close(j, '}');
  }
  ash_json_close(j, ']');
}

static void put_shape(ash_json *j, const ash_tensor *t) {
  ASH_ASSERT(t->shape.rank <= ASH_RANK_MAX);
  ash_json_string(j, "type", ash_type_text(t->type));
  ash_json_open_inline(j, "shape", '[');
  for (uint32_t k = 0; k < t->shape.rank; k++)
    ash_json_int(j, NULL, t->shape.dim[k]);
  ash_json_close(j, ']');
}

static void put_place(ash_json *j, const ash_slot *s, ash_lifetime life,
                      uint64_t size) {
  ASH_ASSERT(s->bound && life.first_step < life.end_step);
  ash_json_string(j, "role", ash_role_text(s->binding.role));
  ash_json_string(j, "memory", s->binding.memory);
  ash_json_string(j, "source_memory", s->binding.source_memory);
  ash_json_uint(j, "offset", s->binding.offset);
  ash_json_uint(j, "size", size);
  ash_json_uint(j, "alignment", s->alignment);
  ash_json_uint(j, "first_step", life.first_step);
  ash_json_uint(j, "last_step", life.end_step - 1);
}

/* What a slot shares with others. */
static void put_links(ash_json *j, const ash_plan *p, const ash_slot *s) {
  ASH_ASSERT(s->alias_of == ASH_NO_ID || s->alias_of < p->slot_count);
  ash_json_string(j, "alias_of",
                  s->alias_of == ASH_NO_ID ? NULL : p->slots[s->alias_of].id);
  if (s->alias_of != ASH_NO_ID)
    ash_json_string(j, "alias_kind", ash_alias_text(s->alias_kind));
  if (s->follows != ASH_NO_ID && s->tensor != ASH_NO_ID && !s->has_row)
    ash_json_string(j, "follows", p->slots[s->follows].id);
}

/* Rows of a tensor are one entry, at the place of its first slot. */
static void put_tensor(ash_json *j, const ash_row_entries *e, const ash_plan *p,
                       const ash_graph *g, uint32_t slot) {
  const ash_slot *s = &p->slots[slot];
  const bool in_rows = s->has_row;
  ash_json_open(j, NULL, '{');
  ash_json_string(j, "id", s->id);
  ash_json_string(j, "name", s->name);
  if (s->tensor != ASH_NO_ID)
    put_shape(j, &g->tensors.items[s->tensor]);
  if (s->kind > ASH_SLOT_WORK)
    ash_json_string(j, "kind", ash_slot_kind_text(s->kind));
  if (s->kind == ASH_SLOT_WORK && ash_plan_in_rows(p))
    ash_json_uint(j, "op", s->op);
  put_place(j, s, in_rows ? ash_rows_life(e, p, slot) : s->life,
            in_rows ? g->tensors.items[s->tensor].bytes : s->size);
  put_links(j, p, s);
  if (in_rows)
    ash_rows_json(j, e, p, slot);
  if (s->reason)
    ash_json_string(j, "reason", s->reason);
  ash_json_close(j, '}');
}

static void put_tensors(ash_json *j, const ash_row_entries *e,
                        const ash_plan *p, const ash_graph *g) {
  ash_json_open(j, "tensors", '[');
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (ash_rows_begin(e, i))
      put_tensor(j, e, p, g, i);
  ash_json_close(j, ']');
}

static void put_power(ash_json *j, const ash_plan *p) {
  if (p->power_count == 0)
    return;
  ash_json_open(j, "power", '[');
  for (uint32_t i = 0; i < p->power_count; i++) {
    const ash_power *x = &p->power[i];
    ASH_ASSERT(x->bank_bytes > 0);
    ash_json_open(j, NULL, '{');
    ash_json_string(j, "memory", x->memory);
    ash_json_uint(j, "bank_bytes", x->bank_bytes);
    ash_json_uint(j, "used", x->used);
    ash_json_uint(j, "powered", x->powered);
    ash_json_uint(j, "banks", x->banks);
    ash_json_close(j, '}');
  }
  ash_json_close(j, ']');
}

static void put_ids(ash_json *j, const char *key, const ash_graph *g,
                    const uint32_t *ids, size_t count) {
  ASH_ASSERT(ids != NULL || count == 0);
  ash_json_open_inline(j, key, '[');
  for (size_t i = 0; i < count; i++)
    if (ids[i] != ASH_NO_ID)
      ash_json_string(j, NULL, g->tensors.items[ids[i]].id);
  ash_json_close(j, ']');
}

/* Which variant, and why not the fast one. */
static void put_kernel(ash_ctx *ctx, ash_json *j, const ash_plan *p,
                       const ash_graph *g, uint32_t op) {
  ASH_ASSERT(op < g->op_count);
  const ash_choice choice = ash_plan_choice(p, g, op);
  const char *reason = ash_choice_reason(ctx, &choice);
  if (choice.kernel)
    ash_json_string(j, "kernel", choice.kernel->name);
  if (reason)
    ash_json_string(j, "kernel_reason", reason);
  if (choice.cores > 1)
    ash_json_uint(j, "cores", choice.cores);
}

/* Is no position of this tensor among the inputs read by the kernel? */
static bool is_unread(const ash_plan *p, const ash_graph *g, uint32_t op,
                      uint32_t tensor) {
  const ash_op *o = &g->ops.items[op];
  ASH_ASSERT(tensor < g->tensor_count);
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] == tensor && ash_plan_reads(p, g, op, k))
      return false;
  return true;
}

/* Inputs that were taken up at compile time, each once. */
static void put_unread(ash_json *j, const ash_plan *p, const ash_graph *g,
                       uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  bool open = false;
  ASH_ASSERT(op < g->op_count);
  for (uint32_t k = 0; k < o->input_count; k++) {
    bool again = o->inputs[k] == ASH_NO_ID || ash_plan_reads(p, g, op, k);
    for (uint32_t i = 0; i < k && !again; i++)
      again = o->inputs[i] == o->inputs[k];
    if (again || !is_unread(p, g, op, o->inputs[k]))
      continue;
    if (!open)
      ash_json_open_inline(j, "unread", '[');
    open = true;
    ash_json_string(j, NULL, g->tensors.items[o->inputs[k]].id);
  }
  if (open)
    ash_json_close(j, ']');
}

static void put_op(ash_ctx *ctx, ash_json *j, const ash_plan *p,
                   const ash_graph *g, uint32_t index) {
  const ash_op *op = &g->ops.items[index];
  ash_json_open(j, NULL, '{');
  ash_json_string(j, "id", op->id);
  ash_json_string(j, "kind", ash_op_text(op));
  ash_json_uint(j, "source_index", op->source_index);
  put_ids(j, "inputs", g, op->inputs, op->input_count);
  put_unread(j, p, g, index);
  put_ids(j, "outputs", g, op->outputs, op->output_count);
  ash_json_uint(j, "macs", ash_op_macs(g, index));
  if (p->device)
    ash_json_uint(j, "cycles", ash_plan_op_cycles(p, g, index));
  put_kernel(ctx, j, p, g, index);
  ash_json_close(j, '}');
}

static void put_steps(ash_ctx *ctx, ash_json *j, const ash_plan *p,
                      const ash_graph *g) {
  ash_json_open(j, "steps", '[');
  for (uint32_t i = 0; i < p->steps.count; i++) {
    ash_json_open(j, NULL, '{');
    ash_json_uint(j, "step", i);
    ash_json_open(j, "ops", '[');
    for (uint32_t k = 0; k < p->steps.items[i].op_count; k++)
      put_op(ctx, j, p, g, p->steps.items[i].ops[k]);
    ash_json_close(j, ']');
    ash_json_close(j, '}');
  }
  ash_json_close(j, ']');
}

/* All operators once; steps say which of them makes which rows. */
static void put_runs(ash_ctx *ctx, ash_json *j, const ash_row_entries *e,
                     const ash_plan *p, const ash_graph *g) {
  ash_json_open(j, "ops", '[');
  for (uint32_t op = 0; op < g->op_count; op++)
    put_op(ctx, j, p, g, op);
  ash_json_close(j, ']');
  ash_runs_json(j, p, g);
  ash_moves_json(j, e, p);
}

/* What moves cost in a run. */
static void put_copies(ash_json *j, const ash_plan *p) {
  const ash_move_facts f = ash_plan_move_facts(p);
  ASH_ASSERT(p->order.kind == ASH_ORDER_ROWS);
  ash_json_uint(j, "moved_rows", f.count);
  ash_json_uint(j, "moved_bytes", f.bytes);
  if (p->cycles > 0) {
    ash_json_uint(j, "moved_cycles", p->move_cycles);
    ash_json_uint(j, "cycles", p->cycles);
  }
}

/* Of the model's order, or the caller's, nothing is claimed. */
static void put_order(ash_json *j, const ash_plan *p) {
  const ash_order_proof *o = &p->order;
  if (o->kind != ASH_ORDER_OPERATORS && o->kind != ASH_ORDER_ROWS)
    return;
  ash_json_open(j, "order", '{');
  ash_json_string(j, "kind", ash_order_text(o->kind));
  ash_json_uint(j, "peak", o->peak);
  ash_json_uint(j, "lower_bound", o->lower_bound);
  ash_json_string(j, "verdict", ash_verdict_text(o->verdict));
  if (o->peak_with_work) {
    ash_json_uint(j, "peak_with_work", o->peak_with_work);
    ash_json_uint(j, "lower_bound_with_work", o->bound_with_work);
  }
  ash_json_string(j, "scope", ash_plan_order_scope(o->kind));
  if (o->kind == ASH_ORDER_ROWS)
    put_copies(j, p);
  ash_json_close(j, '}');
}

/* Memories that were planned as if they had another size. */
static void put_set(ash_json *j, const ash_plan *p) {
  bool open = false;
  for (uint32_t i = 0; p->device && i < p->device->memory_count; i++) {
    const ash_memory *m = &p->device->memories[i];
    if (!m->is_set)
      continue;
    ASH_ASSERT(m->bytes > 0);
    if (!open)
      ash_json_open_inline(j, "set", '{');
    open = true;
    ash_json_uint(j, m->name, m->bytes);
  }
  if (open)
    ash_json_close(j, '}');
}

static void put_fed(ash_json *j, const ash_plan *p, const ash_graph *g) {
  ash_json_open_inline(j, "fed", '[');
  for (size_t i = 0; i < g->input_count; i++)
    if (p->is_fed[i])
      ash_json_string(j, NULL, g->tensors.items[g->inputs[i]].id);
  ash_json_close(j, ']');
}

static void put_drained(ash_json *j, const ash_plan *p, const ash_graph *g) {
  ash_json_open_inline(j, "drained", '[');
  for (size_t i = 0; p->is_drained && i < g->output_count; i++)
    if (p->is_drained[i])
      ash_json_string(j, NULL, g->tensors.items[g->outputs[i]].id);
  ash_json_close(j, ']');
}

static ash_status put_plan(ash_ctx *ctx, ash_text *t, const ash_plan *p,
                           const ash_graph *g) {
  char plan_hash[17], layout_hash[17], content_hash[17];
  const bool in_rows = ash_plan_in_rows(p);
  ash_row_entries e;
  ash_json j;
  ASH_TRY(ash_plan_hashes(ctx, plan_hash, layout_hash, p));
  ASH_TRY(ash_rows_entries(ctx, &e, p));
  ash_json_init(&j, t);
  ash_json_open(&j, NULL, '{');
  ash_json_string(&j, "schema", in_rows ? "ashlar-plan-2" : "ashlar-plan-1");
  ash_json_string(&j, "model", p->model);
  ash_json_string(&j, "target", p->target);
  if (p->device && p->device->mhz)
    ash_json_uint(&j, "mhz", p->device->mhz);
  put_set(&j, p);
  ash_json_string(&j, "planner", p->planner);
  ash_json_string(&j, "verdict", ash_verdict_text(p->verdict));
  ash_json_string(&j, "plan_hash", plan_hash);
  ash_json_string(&j, "tensor_layout_hash", layout_hash);
  ash_json_uint(&j, "ticks", p->ticks);
  put_order(&j, p);
  put_ids(&j, "inputs", g, g->inputs, g->input_count);
  put_ids(&j, "outputs", g, g->outputs, g->output_count);
  if (p->is_fed)
    put_fed(&j, p, g);
  if (in_rows)
    put_drained(&j, p, g);
  put_arenas(&j, p);
  put_power(&j, p);
  put_tensors(&j, &e, p, g);
  if (in_rows)
    put_runs(ctx, &j, &e, p, g);
  else
    put_steps(ctx, &j, p, g);
  ash_layers_json(&j, p, g);
  ash_plan_content_hash(content_hash, t->bytes, t->count);
  ash_json_string(&j, "content_hash", content_hash);
  ash_json_close(&j, '}');
  return ash_text_check(ctx, t);
}

ash_status ash_plan_json(ash_ctx *ctx, const char **text, size_t *count,
                         const ash_plan *plan, const ash_graph *g) {
  ASH_NEED(ctx, ctx && text && count && plan && g &&
                    (plan->slots || plan->slot_count == 0) &&
                    (plan->arenas || plan->arena_count == 0));
  ash_text t;
  *text = NULL;
  *count = 0;
  ash_text_init(&t, &ctx->mem);
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_status status = put_plan(ctx, &t, plan, g);
  ash_zone_rewind(&ctx->scratch, mark);
  if (status == ASH_OK) {
    *count = t.count;
    ash_text_put(&t, "", 1);
    *text = t.failed ? NULL : ash_zone_copy(&ctx->keep, t.bytes, t.count);
    status = *text ? ASH_OK : ash_nomem(ctx);
  }
  ash_text_drop(&t);
  return status;
}
