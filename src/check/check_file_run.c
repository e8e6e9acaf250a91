/* check_file_run.c - the steps of a plan file, gone through as the device
 * would. What an operator writes follows from the kinds of operators and
 * aliases; attributes, which the file does not have, are not needed for that:
 * a view writes nothing, a concatenation only the pieces that are not in place,
 * everything else its whole result. */
#include "check/check_file.h"

#include "kernel/kernel.h"

#include <string.h>

typedef enum in_place { NOT_KNOWN, NOWHERE, SOMEWHERE } in_place;

typedef struct runner {
  const ash_file_check *k;
  ash_intact intact;
  uint32_t *killer; /* by slot: the op that wrote over it, ASH_NO_ID: none */
  const ash_file_op *op;
  const ash_file_op **reader; /* by slot: the last op that read it */
  uint64_t before;            /* bytes of the results before this one */
  in_place *over; /* by slot: does a link of its aliases say `in place`? */
} runner;

static const ash_slot *slot_of(const runner *r, uint32_t entry) {
  return &r->k->f->plan.slots[r->k->f->tensors[entry].slot];
}

static ash_bytes bytes_of(const runner *r, uint32_t entry) {
  const ash_slot *s = slot_of(r, entry);
  return (ash_bytes){s->binding.role, s->binding.memory, s->binding.offset,
                     s->binding.offset + s->size};
}

static bool meet(const ash_bytes *a, const ash_bytes *b) {
  return a->role == b->role && a->lo < b->hi && b->lo < a->hi &&
         strcmp(a->memory, b->memory) == 0;
}

static bool share(const runner *r, uint32_t a, uint32_t b) {
  const uint32_t *root = r->k->c.index.root;
  return root[r->k->f->tensors[a].slot] == root[r->k->f->tensors[b].slot];
}

/* Without rows a tensor has one slot, at its place in the list. */
static bool is_over(const runner *r, uint32_t slot) {
  const char *word = r->k->f->tensors[slot].alias_kind;
  return word && strcmp(word, ash_alias_text(ASH_ALIAS_IN_PLACE)) == 0;
}

/* A view of a result in place of something is there, too. Each link of a chain
 * is walked once; there are no circles. */
static in_place find_over(const runner *r, uint32_t slot) {
  const ash_slot *slots = r->k->f->plan.slots;
  uint32_t end = slot, links = 0;
  for (; r->over[end] == NOT_KNOWN && slots[end].alias_of != ASH_NO_ID;
       end = slots[end].alias_of)
    links += is_over(r, end);
  const bool above = r->over[end] == SOMEWHERE;
  for (uint32_t i = slot; i != end; i = slots[i].alias_of) {
    r->over[i] = links > 0 || above ? SOMEWHERE : NOWHERE;
    links -= is_over(r, i);
  }
  if (r->over[end] == NOT_KNOWN)
    r->over[end] = NOWHERE;
  return r->over[slot];
}

static ash_status lost(const runner *r, uint32_t entry, ash_diag_id id,
                       const char *who) {
  const uint32_t op = r->killer[r->k->f->tensors[entry].slot];
  return ash_fail(
      r->k->ctx, ASH_MALFORMED, id, ash_yaml_loc(r->k->f->tensors[entry].at),
      "%s needs '%s', %s %s", who, slot_of(r, entry)->id,
      op == ASH_NO_ID ? "which was never written" : "over which wrote",
      op == ASH_NO_ID ? "" : r->k->f->ops[op].id);
}

static ash_status overlaps(const runner *r, uint32_t out, uint32_t in) {
  return ash_fail(r->k->ctx, ASH_MALFORMED, ASH_D_plan_self_overlap,
                  ash_yaml_loc(r->k->f->tensors[out].at),
                  "%s writes '%s' over its input '%s', for which the plan "
                  "gives no reason",
                  r->op->id, slot_of(r, out)->id, slot_of(r, in)->id);
}

/* ---- writing ------------------------------------------------------------- */

static void write_bytes(runner *r, uint32_t out, const ash_bytes *w) {
  const uint32_t own = r->k->f->tensors[out].slot;
  for (uint32_t i = ASH_NO_ID;
       (i = ash_intact_next(&r->intact, w, i)) != ASH_NO_ID;) {
    const uint32_t slot = r->intact.order[i];
    if (slot == own)
      continue;
    ash_intact_set(&r->intact, slot, false);
    r->killer[slot] = (uint32_t)(r->op - r->k->f->ops);
  }
}

/* Is there a kernel of this name that may write over an input? */
static bool kernel_allows(const ash_file_op *op) {
  const ash_kernel *kernel;
  for (size_t i = 0; op->kernel && (kernel = ash_kernel_at(i)) != NULL; i++)
    if (kernel->in_place && strcmp(kernel->name, op->kernel) == 0)
      return true;
  return false;
}

/* In place: the same bytes from the start. Or close behind the reading. */
static bool may_overwrite(const runner *r, uint32_t out, uint32_t in) {
  const ash_plan *p = &r->k->f->plan;
  const uint32_t *root = r->k->c.index.root;
  const ash_slot *w = &p->slots[root[r->k->f->tensors[out].slot]];
  if (w->follows != ASH_NO_ID &&
      root[w->follows] == root[r->k->f->tensors[in].slot])
    return true;
  return share(r, out, in) &&
         slot_of(r, out)->binding.offset == slot_of(r, in)->binding.offset &&
         (find_over(r, r->k->f->tensors[out].slot) == SOMEWHERE ||
          find_over(r, r->k->f->tensors[in].slot) == SOMEWHERE) &&
         kernel_allows(r->op);
}

static ash_status write_whole(runner *r, uint32_t out) {
  const ash_bytes w = bytes_of(r, out);
  for (uint32_t i = 0; i < r->op->input_count; i++) {
    if (!r->op->reads[i])
      continue;
    const ash_bytes in = bytes_of(r, r->op->inputs[i]);
    if (meet(&in, &w) && !may_overwrite(r, out, r->op->inputs[i]))
      return overlaps(r, out, r->op->inputs[i]);
  }
  write_bytes(r, out, &w);
  return ASH_OK;
}

/* Copies one input to its place, which must not hold another one. */
static ash_status copy_piece(runner *r, uint32_t out, uint32_t in,
                             const ash_bytes *piece) {
  for (uint32_t i = ASH_NO_ID;
       (i = ash_intact_next(&r->intact, piece, i)) != ASH_NO_ID;)
    if (r->reader[r->intact.order[i]] == r->op)
      return overlaps(r, out, in);
  write_bytes(r, out, piece);
  return ASH_OK;
}

/* Inputs that are in place lie where the others before them end; what is
 * joined twice is copied the second time. */
static ash_status write_joined(runner *r, uint32_t out) {
  const ash_bytes whole = bytes_of(r, out);
  uint64_t at = whole.lo;
  for (uint32_t i = 0; i < r->op->input_count; i++) {
    const uint32_t entry = r->op->inputs[i];
    if (entry == ASH_NO_ID)
      return write_whole(r, out);
    const ash_bytes in = bytes_of(r, entry);
    const ash_bytes piece = {whole.role, whole.memory, at,
                             at + (in.hi - in.lo)};
    at = piece.hi;
    if (piece.hi > whole.hi)
      return overlaps(r, out, entry);
    if (!share(r, out, entry) || in.lo != piece.lo)
      ASH_TRY(copy_piece(r, out, entry, &piece));
  }
  return ASH_OK;
}

static bool joins(const runner *r, uint32_t out) {
  if (strcmp(r->op->kind, "concatenation") != 0 || r->op->output_count != 1)
    return false;
  for (uint32_t i = 0; i < r->op->input_count; i++)
    if (r->op->inputs[i] != ASH_NO_ID && share(r, out, r->op->inputs[i]))
      return true;
  return false;
}

/* Does a view, slice or split lie where it is to go? Parts of a split are one
 * after the other. */
static bool is_nothing(const runner *r, uint32_t out) {
  const ash_file_op *op = r->op;
  const ash_op_kind kind = ash_kind_find(op->kind);
  if (kind == ASH_OP_COUNT || op->input_count == 0 ||
      op->inputs[0] == ASH_NO_ID || !share(r, op->inputs[0], out))
    return false;
  const ash_bytes in = bytes_of(r, op->inputs[0]), w = bytes_of(r, out);
  if (ash_kind_info(kind)->flags & ASH_OP_VIEW)
    return meet(&in, &w) && in.lo == w.lo && in.hi == w.hi;
  if (kind != ASH_OP_split && kind != ASH_OP_strided)
    return false;
  return meet(&in, &w) && w.lo >= in.lo && w.hi <= in.hi &&
         (kind != ASH_OP_split || w.lo == in.lo + r->before);
}

/* ---- from start to end --------------------------------------------------- */

static bool is_intact(const runner *r, uint32_t entry) {
  return ash_intact_is(&r->intact, r->k->f->tensors[entry].slot);
}

static ash_status run_op(runner *r) {
  for (uint32_t i = 0; i < r->op->input_count; i++) {
    if (!r->op->reads[i])
      continue;
    if (!is_intact(r, r->op->inputs[i]))
      return lost(r, r->op->inputs[i], ASH_D_plan_clobbered, r->op->id);
    r->reader[r->k->f->tensors[r->op->inputs[i]].slot] = r->op;
  }
  r->before = 0;
  for (uint32_t i = 0; i < r->op->output_count; i++) {
    const uint32_t out = r->op->outputs[i];
    if (!is_nothing(r, out))
      ASH_TRY(joins(r, out) ? write_joined(r, out) : write_whole(r, out));
    ash_intact_set(&r->intact, r->k->f->tensors[out].slot, true);
    r->before += slot_of(r, out)->size;
  }
  return ASH_OK;
}

static bool is_state(const ash_slot *s) {
  return s->binding.role == ASH_PERSISTENT && s->alias_of == ASH_NO_ID;
}

static void start(runner *r) {
  const ash_plan_file *f = r->k->f;
  for (uint32_t i = 0; i < f->plan.slot_count; i++) {
    const ash_slot *s = &f->plan.slots[i];
    r->killer[i] = ASH_NO_ID;
    if (s->binding.role == ASH_CONSTANT || is_state(s))
      ash_intact_set(&r->intact, i, true);
  }
}

/* The caller fills all inputs before the run. */
static ash_status fill_inputs(runner *r) {
  const ash_plan_file *f = r->k->f;
  for (uint32_t i = 0; i < f->inputs.count; i++) {
    const uint32_t slot = f->tensors[f->inputs.items[i]].slot;
    const ash_bytes w = bytes_of(r, f->inputs.items[i]);
    const uint32_t other = ash_intact_next(&r->intact, &w, ASH_NO_ID);
    if (other != ASH_NO_ID && r->intact.order[other] != slot)
      return ash_fail(r->k->ctx, ASH_MALFORMED, ASH_D_plan_overlap,
                      ash_yaml_loc(f->tensors[f->inputs.items[i]].at),
                      "inputs '%s' and '%s' overlap", f->plan.slots[slot].id,
                      f->plan.slots[r->intact.order[other]].id);
    ash_intact_set(&r->intact, slot, true);
  }
  return ASH_OK;
}

ash_status ash_check_file_run(const ash_file_check *k) {
  const ash_plan_file *f = k->f;
  runner r = {.k = k,
              .killer = ASH_NEW_ARRAY(&k->ctx->scratch, uint32_t,
                                      f->plan.slot_count + 1u)};
  r.reader = ASH_NEW_ARRAY(&k->ctx->scratch, const ash_file_op *,
                           f->plan.slot_count + 1u);
  r.over = ASH_NEW_ARRAY(&k->ctx->scratch, in_place, f->plan.slot_count + 1u);
  ASH_TRY(ash_intact_of(k->ctx, &r.intact, &f->plan));
  start(&r);
  ASH_TRY(fill_inputs(&r));
  for (uint32_t i = 0; i < f->op_count; i++) {
    r.op = &f->ops[i];
    ASH_TRY(run_op(&r));
  }
  for (uint32_t i = 0; i < f->outputs.count; i++)
    if (!is_intact(&r, f->outputs.items[i]))
      return lost(&r, f->outputs.items[i], ASH_D_plan_clobbered, "the end");
  for (uint32_t i = 0; i < f->tensor_count; i++)
    if (is_state(slot_of(&r, i)) && !is_intact(&r, i))
      return lost(&r, i, ASH_D_plan_state_lost, "the next run");
  return ASH_OK;
}
