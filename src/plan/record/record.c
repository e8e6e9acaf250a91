/* record.c - questions that the records of a plan answer by themselves. */
#include "plan/record/record.h"

#include "op/views.h"

#include <ctype.h>
#include <string.h>

const char *ash_role_text(ash_role role) {
  static const char *const text[] = {"scratch", "persistent", "constant"};
  return (unsigned)role < ASH_COUNT_OF(text) ? text[role] : "?";
}

const char *ash_order_text(ash_order_kind kind) {
  static const char *const words[] = {[ASH_ORDER_AUTO] = "auto",
                                      [ASH_ORDER_GIVEN] = "given",
                                      [ASH_ORDER_OPERATORS] = "operators",
                                      [ASH_ORDER_ROWS] = "rows"};
  return (unsigned)kind < ASH_COUNT_OF(words) ? words[kind] : "?";
}

const char *ash_plan_order_scope(ash_order_kind kind) {
  return kind == ASH_ORDER_ROWS ? "every order of rows"
                                : "every order of operators";
}

const char *ash_move_policy_text(ash_move_policy policy) {
  static const char *const words[] = {[ASH_MOVES_AUTO] = "auto",
                                      [ASH_MOVES_NEVER] = "never",
                                      [ASH_MOVES_FIT] = "fit",
                                      [ASH_MOVES_SMALLEST] = "smallest"};
  return (unsigned)policy < ASH_COUNT_OF(words) ? words[policy] : "?";
}

const char *ash_alias_text(ash_alias_kind kind) {
  static const char *const text[] = {"none", "view", "piece", "in place"};
  return (unsigned)kind < ASH_COUNT_OF(text) ? text[kind] : "none";
}

const char *ash_slot_kind_text(ash_slot_kind kind) {
  static const char *const text[] = {"tensor", "work", "tile", "accumulator"};
  return (unsigned)kind < ASH_COUNT_OF(text) ? text[kind] : "?";
}

static int compare_words(const char *a, const char *b) {
  ASH_ASSERT(a && b);
  ASH_ASSERT(a && b);
  while (*a && toupper((unsigned char)*a) == toupper((unsigned char)*b))
    a++, b++;
  return toupper((unsigned char)*a) - toupper((unsigned char)*b);
}

int ash_arena_compare(const ash_arena *a, const ash_arena *b) {
  if (a->role != b->role)
    return a->role < b->role ? -1 : 1;
  return compare_words(a->memory, b->memory);
}

int ash_arena_order(const void *a, const void *b, const void *user) {
  (void)user;
  return ash_arena_compare(a, b);
}

uint32_t ash_alias_root(const ash_slot *slots, uint32_t count, uint32_t slot,
                        uint64_t *offset) {
  if (!slots)
    return slot;
  uint64_t sum = 0;
  for (uint32_t hops = 0; hops <= count && slot < count; hops++) {
    if (slots[slot].alias_of == ASH_NO_ID) {
      if (offset)
        *offset = sum;
      return slot;
    }
    sum += slots[slot].alias_offset;
    slot = slots[slot].alias_of;
  }
  return ASH_NO_ID;
}

void ash_alias_roots(uint32_t *root, const ash_slot *slots, uint32_t count) {
  enum { FRESH = 1 }; /* besides ASH_NO_ID, which a circle has */
  ASH_ASSERT(root && (slots || count == 0));
  for (uint32_t i = 0; i < count; i++)
    root[i] = ASH_NO_ID - FRESH;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t end = i, found;
    while (root[end] == ASH_NO_ID - FRESH && slots[end].alias_of < count) {
      root[end] = ASH_NO_ID; /* on the way: met again, it is a circle */
      end = slots[end].alias_of;
    }
    found = root[end] == ASH_NO_ID - FRESH ? end : root[end];
    root[end] = found;
    for (uint32_t k = i; k != end && root[k] == ASH_NO_ID;
         k = slots[k].alias_of)
      root[k] = found;
  }
}

uint32_t ash_plan_slot_of_tensor(const ash_plan *plan, uint32_t tensor) {
  if (!(plan && plan->slots))
    return ASH_NO_ID;
  for (uint32_t i = 0; i < plan->slot_count; i++)
    if (plan->slots[i].tensor == tensor)
      return i;
  return ASH_NO_ID;
}

uint32_t ash_plan_slot_of_op(const ash_plan *plan, uint32_t op) {
  if (!(plan && plan->slots))
    return ASH_NO_ID;
  for (uint32_t i = 0; i < plan->slot_count; i++)
    if (plan->slots[i].op == op && plan->slots[i].kind <= ASH_SLOT_WORK)
      return i;
  return ASH_NO_ID;
}

bool ash_plan_in_rows(const ash_plan *p) {
  for (uint32_t s = 0; s < p->steps.count; s++)
    if (p->steps.items[s].row_count > 0 || p->steps.items[s].op_count == 0)
      return true;
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].has_row || p->slots[i].moved_from != ASH_NO_ID)
      return true;
  return p->order.kind == ASH_ORDER_ROWS;
}

static uint32_t calls_of(const ash_plan *plan, const ash_graph *g,
                         const ash_step *s) {
  uint32_t calls = 0;
  for (uint32_t k = 0; k < s->op_count; k++)
    calls += s->row_count > 0 || !ash_plan_is_free(plan, g, s->ops[k]);
  return calls;
}

uint32_t ash_plan_calls(const ash_plan *plan, const ash_graph *g) {
  uint32_t calls = 0, together = 0;
  for (uint32_t i = 0; i < plan->steps.count; i++) {
    const ash_step *s = &plan->steps.items[i];
    const ash_step *last = i > 0 ? s - 1 : NULL;
    const bool goes_on = last && s->row_count == 1 && s->op_count == 1 &&
                         last->op_count == 1 && last->ops[0] == s->ops[0] &&
                         together < ASH_ROWS_TOGETHER;
    together = goes_on ? together + 1 : 1;
    calls += goes_on ? 0 : calls_of(plan, g, s);
  }
  return calls;
}

/* ---- rows of a tensor, taken together ------------------------------------ */

bool ash_plan_heads_tensor(const ash_plan *plan, uint32_t slot) {
  if (!(plan && slot < plan->slot_count))
    return false;
  ASH_ASSERT(slot < plan->slot_count);
  const ash_slot *s = &plan->slots[slot];
  return !s->has_row || (s->row == 0 && s->moved_from == ASH_NO_ID);
}

static bool is_row_of(const ash_slot *s, uint32_t tensor) {
  ASH_ASSERT(tensor != ASH_NO_ID);
  return s->has_row && s->tensor == tensor;
}

static uint32_t alive_at(const ash_plan *p, uint32_t tensor, uint32_t step) {
  ASH_ASSERT(step < p->steps.count);
  uint32_t alive = 0;
  for (uint32_t i = 0; i < p->slot_count; i++)
    alive += is_row_of(&p->slots[i], tensor) &&
             p->slots[i].life.first_step <= step &&
             step < p->slots[i].life.end_step;
  return alive;
}

static void add_place(ash_row_facts *f, const ash_slot *s,
                      const ash_slot *head) {
  f->count += s->moved_from == ASH_NO_ID;
  f->moves += s->moved_from != ASH_NO_ID;
  f->is_piece = f->is_piece && s->moved_from == ASH_NO_ID &&
                s->binding.offset == head->binding.offset + s->row * head->size;
  if (s->life.first_step < f->life.first_step)
    f->life.first_step = s->life.first_step;
  if (s->life.end_step > f->life.end_step)
    f->life.end_step = s->life.end_step;
}

bool ash_plan_row_facts(const ash_plan *plan, uint32_t slot,
                        ash_row_facts *out) {
  if (!(plan && plan->slots && slot < plan->slot_count && out))
    return false;
  const uint32_t tensor = plan->slots[slot].tensor;
  const ash_slot *head = NULL;
  *out = (ash_row_facts){.life = plan->slots[slot].life, .is_piece = true};
  if (!plan->slots[slot].has_row)
    return false;
  for (uint32_t i = 0; i < plan->slot_count; i++) {
    const ash_slot *s = &plan->slots[i];
    if (!is_row_of(s, tensor))
      continue;
    head = head ? head : s;
    add_place(out, s, head);
    const uint32_t alive = alive_at(plan, tensor, s->life.first_step);
    if (alive > out->most_alive) {
      out->most_alive = alive;
      out->most_step = s->life.first_step;
    }
  }
  out->bytes = plan->slots[slot].size;
  return true;
}

ash_move_facts ash_plan_move_facts(const ash_plan *plan) {
  if (!(plan && plan->slots))
    return ((ash_move_facts){0, 0});
  ash_move_facts f = {0, 0};
  for (uint32_t i = 0; i < plan->slot_count; i++)
    if (plan->slots[i].moved_from != ASH_NO_ID) {
      f.count++;
      f.bytes += plan->slots[i].size;
    }
  return f;
}

ash_choice ash_plan_choice(const ash_plan *plan, const ash_graph *g,
                           uint32_t op) {
  return plan->choices ? plan->choices[op] : ash_choose(g, op, NULL);
}

bool ash_plan_reads(const ash_plan *plan, const ash_graph *g, uint32_t op,
                    uint32_t input) {
  return ash_kernel_reads(ash_plan_choice(plan, g, op).kernel, g, op, input);
}

/* ---- what is in place already -------------------------------------------- */

/* Does tensor `inner` begin `offset` bytes into tensor `outer`? */
static bool is_there(const ash_plan *plan, uint32_t inner, uint32_t outer,
                     uint64_t offset) {
  const uint32_t in = ash_plan_slot_of_tensor(plan, inner);
  const uint32_t out = ash_plan_slot_of_tensor(plan, outer);
  if (in == ASH_NO_ID || out == ASH_NO_ID)
    return false;
  const ash_binding *a = &plan->slots[in].binding;
  const ash_binding *b = &plan->slots[out].binding;
  return a->role == b->role && strcmp(a->memory, b->memory) == 0 &&
         a->offset == b->offset + offset;
}

bool ash_plan_in_place(const ash_plan *plan, const ash_graph *g, uint32_t op,
                       uint32_t k) {
  const ash_op *o = &g->ops.items[op];
  uint64_t offset;
  return o->inputs[k] != ASH_NO_ID && ash_op_is_piece(g, op, k, &offset) &&
         is_there(plan, o->inputs[k], o->outputs[0], offset);
}

bool ash_plan_is_made(const ash_plan *plan, const ash_graph *g, uint32_t op,
                      uint32_t k) {
  const ash_op *o = &g->ops.items[op];
  uint32_t input = 0;
  uint64_t offset;
  return (ash_op_is_view(g, op, k, &input, &offset) ||
          ash_op_is_slice(g, op, k, &offset)) &&
         is_there(plan, o->outputs[k], o->inputs[input], offset);
}

static bool all_in_place(const ash_plan *plan, const ash_graph *g,
                         uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  bool any = false;
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] != ASH_NO_ID && !ash_plan_in_place(plan, g, op, k))
      return false;
    any = any || o->inputs[k] != ASH_NO_ID;
  }
  return any;
}

bool ash_plan_is_free(const ash_plan *plan, const ash_graph *g, uint32_t op) {
  ASH_ASSERT(op < g->op_count);
  const ash_op *o = &g->ops.items[op];
  for (uint32_t k = 0; k < o->output_count; k++)
    if (!ash_plan_is_made(plan, g, op, k))
      return all_in_place(plan, g, op);
  return true;
}
