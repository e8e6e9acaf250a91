/* liveness.c - the allocation pass over all steps of a module, for its account:
 * what each step makes must not be live already, what it uses last must be, and
 * no memory may ever hold more than the plan gave it. The plan was checked
 * against the graph; this checks what the emitter is about to write. */
#include "emit/block/block.h"
#include "emit/tile/tile.h"

#include <inttypes.h>
#include <string.h>

typedef struct account {
  ash_module *m;
  ash_scope *scope;
  uint32_t *buffer; /* by slot, ASH_NO_ID: not scratch */
  uint32_t *users;  /* room for one buffer's */
} account;

static bool is_scratch(const ash_slot *s) {
  return s->bound && s->binding.role == ASH_SCRATCH;
}

static bool reads(const ash_op *o, uint32_t tensor) {
  ASH_ASSERT(tensor != ASH_NO_ID);
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] == tensor)
      return true;
  return false;
}

static bool makes(const ash_op *o, uint32_t tensor) {
  ASH_ASSERT(tensor != ASH_NO_ID);
  for (uint32_t k = 0; k < o->output_count; k++)
    if (o->outputs[k] == tensor)
      return true;
  return false;
}

static bool is_input(const account *a, const ash_slot *s) {
  return s->tensor != ASH_NO_ID &&
         a->m->g->tensors.items[s->tensor].kind == ASH_TENSOR_INPUT;
}

static bool is_read(const account *a, uint32_t tensor) {
  ASH_ASSERT(tensor < a->m->g->tensor_count);
  for (uint32_t op = 0; op < a->m->g->op_count; op++)
    if (reads(&a->m->g->ops.items[op], tensor))
      return true;
  return false;
}

/* Outputs live to the end, and so may inputs that nobody reads. */
static bool stays(const account *a, const ash_slot *s) {
  return s->tensor != ASH_NO_ID &&
         (a->m->g->tensors.items[s->tensor].is_output ||
          (is_input(a, s) && !is_read(a, s->tensor)));
}

/* Ops that read the slot, in order; one that nobody reads is work memory of
 * the op that makes it. */
static ash_status fill_users(account *a, const ash_slot *s,
                             ash_block_buffer *b) {
  const ash_plan *p = a->m->plan;
  uint32_t maker = s->op;
  for (uint32_t i = 0; i < p->steps.count; i++)
    for (uint32_t k = 0; k < p->steps.items[i].op_count; k++) {
      const uint32_t op = p->steps.items[i].ops[k];
      const ash_op *o = &a->m->g->ops.items[op];
      if (s->tensor != ASH_NO_ID && reads(o, s->tensor))
        a->users[b->user_count++] = op;
      if (s->tensor != ASH_NO_ID && makes(o, s->tensor))
        maker = op;
    }
  if (b->user_count == 0 && !b->global) {
    b->kind = ASH_BUFFER_TRANSIENT;
    a->users[b->user_count++] = maker;
  }
  ASH_ASSERT(b->user_count <= a->m->g->op_count);
  b->users = a->users;
  return ASH_OK;
}

static ash_status add_slot(account *a, uint32_t i) {
  ASH_ASSERT(i < a->m->plan->slot_count);
  const ash_slot *s = &a->m->plan->slots[i];
  ash_block_buffer b = {
      .name = ash_zone_format(&a->m->ctx->scratch, "slot_%" PRIu32, i),
      .memory = s->binding.memory,
      .bytes = s->alias_of == ASH_NO_ID ? s->size : 0,
      .base = ASH_NO_ID,
      .global = stays(a, s)};
  ASH_TRY(ash_zone_check(a->m->ctx, &a->m->ctx->scratch));
  ASH_TRY(fill_users(a, s, &b));
  return ash_scope_add(a->scope, &a->buffer[i], &b);
}

static ash_status add_slots(account *a) {
  const ash_plan *p = a->m->plan;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    a->buffer[i] = ASH_NO_ID;
    if (is_scratch(&p->slots[i]))
      ASH_TRY(add_slot(a, i));
  }
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const uint32_t other = p->slots[i].alias_of;
    ASH_ASSERT(other == ASH_NO_ID || other < p->slot_count);
    if (other != ASH_NO_ID && a->buffer[i] != ASH_NO_ID &&
        a->buffer[other] != ASH_NO_ID)
      ASH_TRY(ash_scope_alias(a->scope, a->buffer[i], a->buffer[other]));
  }
  return ASH_OK;
}

static ash_status run_op(account *a, uint32_t op) {
  ASH_ASSERT(op < a->m->g->op_count);
  const ash_plan *p = a->m->plan;
  const ash_op *o = &a->m->g->ops.items[op];
  ash_block *block;
  ASH_TRY(ash_block_new(a->scope, &block));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    const bool mine = s->tensor == ASH_NO_ID
                          ? s->op == op
                          : reads(o, s->tensor) || makes(o, s->tensor);
    const ash_snippet_part part = {"", a->buffer[i], true};
    if (mine && a->buffer[i] != ASH_NO_ID)
      ASH_TRY(ash_block_add(block, ASH_BLOCK_RIGHT, &part, 1));
  }
  return ash_block_allocate(block, op, "/.*/");
}

/* The caller writes inputs: a node before all others makes them. */
static ash_status run_caller(account *a) {
  const ash_plan *p = a->m->plan;
  ash_block *block;
  ASH_TRY(ash_block_new(a->scope, &block));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_snippet_part part = {"", a->buffer[i], true};
    if (a->buffer[i] != ASH_NO_ID && is_input(a, &p->slots[i]) &&
        !stays(a, &p->slots[i]))
      ASH_TRY(ash_block_add(block, ASH_BLOCK_RIGHT, &part, 1));
  }
  return ash_block_allocate(block, (uint32_t)a->m->g->op_count, "/.*/");
}

static ash_status run_all(account *a) {
  const ash_plan *p = a->m->plan;
  ASH_TRY(run_caller(a));
  for (uint32_t i = 0; i < p->steps.count; i++)
    for (uint32_t k = 0; k < p->steps.items[i].op_count; k++)
      ASH_TRY(run_op(a, p->steps.items[i].ops[k]));
  return ASH_OK;
}

static ash_status check_peaks(const account *a) {
  const ash_plan *p = a->m->plan;
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].follows != ASH_NO_ID)
      return ASH_OK; /* bytes of such are not their own alone */
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == ASH_SCRATCH)
      ASH_INVARIANT(a->m->ctx, ash_scope_peak(a->scope, p->arenas[i].memory) <=
                                   p->arenas[i].size);
  return ASH_OK;
}

ash_status ash_emit_account(ash_module *m) {
  ASH_ASSERT(m->plan && m->g && m->code);
  ash_zone *z = &m->ctx->scratch;
  const ash_mark mark = ash_zone_mark(z);
  account a = {.m = m,
               .buffer = ASH_NEW_ARRAY(z, uint32_t, m->plan->slot_count + 1u),
               .users = ASH_NEW_ARRAY(z, uint32_t, m->g->op_count + 2u)};
  ash_status status = ash_zone_check(m->ctx, z);
  if (status == ASH_OK)
    status = ash_scope_new(m->ctx, &a.scope);
  if (status == ASH_OK)
    status = add_slots(&a);
  if (status == ASH_OK)
    status = run_all(&a);
  if (status == ASH_OK)
    status = check_peaks(&a);
  ash_zone_rewind(z, mark);
  return status;
}
