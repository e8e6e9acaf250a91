/* liveness.c - the allocation pass over all steps of a module, for its account:
 * what each step makes must not be live already, what it uses last must be, and
 * no memory may ever hold more than the plan gave it. The plan was checked
 * against the graph; this checks what the emitter is about to write.
 *
 * Nodes of the pass are the operators of the steps, or their runs; rows that
 * arrive; and rows that move. */
#include "emit/block/block.h"
#include "emit/rows/rows.h"

#include <inttypes.h>

typedef struct node {
  uint32_t step;
  uint32_t op;    /* ASH_NO_ID: rows arrive, or one moves                  */
  uint32_t moved; /* slot that a row moves to, else ASH_NO_ID              */
} node;

typedef struct account {
  ash_module *m;
  ash_scope *scope;
  struct {
    node *items;
    size_t capacity, count;
  } nodes;
  ash_domain_row_rule *rows; /* by op, of those that have runs */
  uint32_t *buffer;          /* by slot, ASH_NO_ID: it has none */
  uint32_t *users;           /* room for one buffer's */
} account;

/* Activations; views that have no step are what they show. */
static bool has_buffer(const account *a, const ash_slot *s) {
  return s->bound && s->binding.role == ASH_SCRATCH &&
         !(a->m->rows && s->tensor != ASH_NO_ID &&
           a->m->rows->root[s->tensor] != s->tensor);
}

static uint32_t root_of(const account *a, uint32_t tensor) {
  return a->m->rows && tensor != ASH_NO_ID ? a->m->rows->root[tensor] : tensor;
}

/* ---- what a node reads and makes ----------------------------------------- */

typedef enum use { UNUSED, READ, MADE } use;

static bool holds(const ash_slot *s, ash_domain_row_range rows) {
  return !s->has_row || (s->row >= rows.from && s->row < rows.to);
}

/* The rows of input k that a run reads; all of them, if it does not read row by
 * row. */
static ash_domain_row_range rows_read(const account *a, const node *n,
                                      uint32_t k) {
  const ash_step *step = &a->m->plan->steps.items[n->step];
  const ash_graph *g = a->m->g;
  const uint32_t tensor = g->ops.items[n->op].inputs[k];
  if (step->row_count == 0 || !ash_domain_row_same(g, a->m->rows->root, tensor))
    return (ash_domain_row_range){0, UINT32_MAX};
  return ash_domain_row_rule_range(g, &a->rows[n->op], false, k, tensor,
                                   step->first_row, step->row_count);
}

static ash_domain_row_range rows_made(const account *a, const node *n,
                                      uint32_t k) {
  const ash_step *step = &a->m->plan->steps.items[n->step];
  if (step->row_count == 0)
    return (ash_domain_row_range){0, UINT32_MAX};
  return ash_domain_row_rule_range(a->m->g, &a->rows[n->op], true, k,
                                   a->m->g->ops.items[n->op].outputs[k],
                                   step->first_row, step->row_count);
}

/* A row is read where it is at that step; it is made in its first place. */
static use use_by_op(const account *a, const node *n, const ash_slot *s) {
  ASH_ASSERT(n->op < a->m->g->op_count && s->tensor != ASH_NO_ID);
  const ash_op *o = &a->m->g->ops.items[n->op];
  const bool is_there =
      n->step >= s->life.first_step && n->step < s->life.end_step;
  for (uint32_t k = 0; k < o->input_count; k++)
    if (root_of(a, o->inputs[k]) == s->tensor && (is_there || !s->has_row) &&
        (!s->has_row || holds(s, rows_read(a, n, k))))
      return READ;
  for (uint32_t k = 0; k < o->output_count; k++)
    if (o->outputs[k] == s->tensor && s->moved_from == ASH_NO_ID &&
        (!s->has_row || holds(s, rows_made(a, n, k))))
      return MADE;
  return UNUSED;
}

static use use_of(const account *a, const node *n, uint32_t slot) {
  const ash_plan *p = a->m->plan;
  const ash_slot *s = &p->slots[slot];
  const ash_step *step = &p->steps.items[n->step];
  if (n->moved != ASH_NO_ID)
    return slot == n->moved                        ? MADE
           : slot == p->slots[n->moved].moved_from ? READ
                                                   : UNUSED;
  if (n->op != ASH_NO_ID)
    return s->tensor == ASH_NO_ID ? (s->op == n->op ? READ : UNUSED)
                                  : use_by_op(a, n, s);
  return s->tensor == step->input && s->moved_from == ASH_NO_ID &&
                 holds(s,
                       (ash_domain_row_range){
                           step->first_row, step->first_row + step->row_count})
             ? MADE
             : UNUSED;
}

static ash_status add_node(account *a, node n) {
  if (!ASH_GROW(&a->m->ctx->scratch, &a->nodes, a->nodes.count))
    return ash_nomem(a->m->ctx);
  a->nodes.items[a->nodes.count++] = n;
  return ASH_OK;
}

static ash_status add_step(account *a, uint32_t s) {
  const ash_plan *p = a->m->plan;
  for (uint32_t i = 0; a->m->rows && i < p->slot_count; i++)
    if (p->slots[i].moved_from != ASH_NO_ID && p->slots[i].life.first_step == s)
      ASH_TRY(add_node(a, (node){s, ASH_NO_ID, i}));
  if (p->steps.items[s].op_count == 0)
    return add_node(a, (node){s, ASH_NO_ID, ASH_NO_ID});
  for (uint32_t k = 0; k < p->steps.items[s].op_count; k++) {
    const uint32_t op = p->steps.items[s].ops[k];
    if (p->steps.items[s].row_count > 0 && !a->rows[op].space)
      ASH_TRY(ash_domain_row_rule_of(a->m->ctx, &a->rows[op], a->m->g, op));
    ASH_TRY(add_node(a, (node){s, op, ASH_NO_ID}));
  }
  return ASH_OK;
}

/* ---- buffers ------------------------------------------------------------- */

static bool is_input(const account *a, const ash_slot *s) {
  return s->tensor != ASH_NO_ID &&
         a->m->g->tensors.items[s->tensor].kind == ASH_TENSOR_INPUT;
}

static bool is_output(const account *a, uint32_t tensor) {
  for (size_t i = 0; i < a->m->g->output_count; i++)
    if (root_of(a, a->m->g->outputs[i]) == tensor &&
        !ash_emit_is_drained(a->m, i))
      return true;
  return false;
}

/* Is it there from the start, as inputs are that do not arrive after it? */
static bool is_given(const account *a, const ash_slot *s) {
  if (!is_input(a, s) || s->moved_from != ASH_NO_ID)
    return false;
  for (size_t i = 0; i < a->m->g->input_count; i++)
    if (a->m->g->inputs[i] == s->tensor && ash_emit_is_fed(a->m, i))
      return a->m->plan->is_fed != NULL;
  return true;
}

/* Nodes that read the slot, in order; one that nobody reads is work memory of
 * the node that makes it. Outputs live to the end, and so may inputs that
 * nobody reads. */
static void fill_users(account *a, uint32_t slot, ash_block_buffer *b) {
  const ash_slot *s = &a->m->plan->slots[slot];
  uint32_t maker = (uint32_t)a->nodes.count;
  for (uint32_t i = 0; i < a->nodes.count; i++) {
    const use u = use_of(a, &a->nodes.items[i], slot);
    if (u == READ)
      a->users[b->user_count++] = i;
    if (u == MADE)
      maker = i;
  }
  const bool moves_on =
      b->user_count > 0 &&
      a->nodes.items[a->users[b->user_count - 1]].moved != ASH_NO_ID;
  b->global =
      s->tensor != ASH_NO_ID && ((is_output(a, s->tensor) && !moves_on) ||
                                 (is_given(a, s) && b->user_count == 0));
  if (s->tensor == ASH_NO_ID)
    b->kind = ASH_BUFFER_TRANSIENT;
  else if (b->user_count == 0 && !b->global) {
    b->kind = ASH_BUFFER_TRANSIENT;
    a->users[b->user_count++] = maker;
  }
  b->users = a->users;
}

/* The slot whose bytes it shares, or takes along: a row that moves is in two
 * places only while it is copied, and these may overlap. */
static uint32_t storage_of(const ash_slot *s) {
  return s->alias_of != ASH_NO_ID ? s->alias_of : s->moved_from;
}

static ash_status add_slot(account *a, uint32_t i) {
  ASH_ASSERT(i < a->m->plan->slot_count);
  const ash_slot *s = &a->m->plan->slots[i];
  ash_block_buffer b = {
      .name = ash_zone_format(&a->m->ctx->scratch, "slot_%" PRIu32, i),
      .memory = s->binding.memory,
      .bytes = storage_of(s) == ASH_NO_ID ? s->size : 0,
      .base = ASH_NO_ID};
  ASH_TRY(ash_zone_check(a->m->ctx, &a->m->ctx->scratch));
  fill_users(a, i, &b);
  return ash_scope_add(a->scope, &a->buffer[i], &b);
}

static ash_status add_slots(account *a) {
  const ash_plan *p = a->m->plan;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    a->buffer[i] = ASH_NO_ID;
    if (has_buffer(a, &p->slots[i]))
      ASH_TRY(add_slot(a, i));
  }
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const uint32_t other = storage_of(&p->slots[i]);
    ASH_ASSERT(other == ASH_NO_ID || other < p->slot_count);
    if (other != ASH_NO_ID && a->buffer[i] != ASH_NO_ID &&
        a->buffer[other] != ASH_NO_ID)
      ASH_TRY(ash_scope_alias(a->scope, a->buffer[i], a->buffer[other]));
  }
  return ASH_OK;
}

/* ---- the pass ------------------------------------------------------------ */

static ash_status run_node(account *a, uint32_t number) {
  ASH_ASSERT(number < a->nodes.count);
  const ash_plan *p = a->m->plan;
  ash_block *block;
  ASH_TRY(ash_block_new(a->scope, &block));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_snippet_part part = {"", a->buffer[i], true};
    if (a->buffer[i] != ASH_NO_ID &&
        use_of(a, &a->nodes.items[number], i) != UNUSED)
      ASH_TRY(ash_block_add(block, ASH_BLOCK_RIGHT, &part, 1));
  }
  return ash_block_allocate(block, number, "/.*/");
}

/* The caller writes inputs: a node before all others makes them. */
static ash_status run_caller(account *a) {
  const ash_plan *p = a->m->plan;
  ash_block *block;
  ASH_TRY(ash_block_new(a->scope, &block));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_snippet_part part = {"", a->buffer[i], true};
    if (a->buffer[i] != ASH_NO_ID && is_given(a, &p->slots[i]) &&
        !ash_scope_buffer(a->scope, a->buffer[i])->global)
      ASH_TRY(ash_block_add(block, ASH_BLOCK_RIGHT, &part, 1));
  }
  return ash_block_allocate(block, (uint32_t)a->nodes.count, "/.*/");
}

static ash_status run_all(account *a) {
  for (uint32_t s = 0; s < a->m->plan->steps.count; s++)
    ASH_TRY(add_step(a, s));
  a->users = ASH_NEW_ARRAY(&a->m->ctx->scratch, uint32_t, a->nodes.count + 2);
  ASH_TRY(ash_zone_check(a->m->ctx, &a->m->ctx->scratch));
  ASH_TRY(add_slots(a));
  ASH_TRY(run_caller(a));
  for (uint32_t i = 0; i < a->nodes.count; i++)
    ASH_TRY(run_node(a, i));
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
               .rows =
                   ASH_NEW_ARRAY(z, ash_domain_row_rule, m->g->op_count + 1u)};
  ash_status status = ash_zone_check(m->ctx, z);
  if (status == ASH_OK)
    status = ash_scope_new(m->ctx, &a.scope);
  if (status == ASH_OK)
    status = run_all(&a);
  if (status == ASH_OK)
    status = check_peaks(&a);
  ash_zone_rewind(z, mark);
  return status == ASH_MISUSE ? ASH_INTERNAL : status; /* our own blocks */
}
