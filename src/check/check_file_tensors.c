/* check_file_tensors.c - the tensors of a plan file against its operators:
 * sizes, makers, readers, roles, and the lifetimes that follow from them. */
#include "check/check_file.h"

#include "base/checked.h"
#include "op/functions.h"

#include <inttypes.h>
#include <string.h>

static const ash_file_tensor *at(const ash_file_check *k, uint32_t entry) {
  return &k->f->tensors[entry];
}

static const ash_slot *slot_of(const ash_file_check *k, uint32_t entry) {
  return &k->f->plan.slots[k->f->tensors[entry].slot];
}

#define REFUSE(k, entry, id, ...)                                              \
  ash_fail((k)->ctx, ASH_MALFORMED, (id), ash_yaml_loc(at((k), (entry))->at),  \
           __VA_ARGS__)

/* ---- one by one ---------------------------------------------------------- */

static ash_status check_size(const ash_file_check *k, uint32_t entry) {
  const ash_file_tensor *t = at(k, entry);
  const ash_slot *s = slot_of(k, entry);
  if (s->alignment == 0 || (s->alignment & (s->alignment - 1)) != 0 ||
      s->alignment > ASH_FILE_ALIGNMENT_MAX)
    return REFUSE(k, entry, ASH_D_plan_misaligned,
                  "'%s' has alignment %" PRIu64, s->id, s->alignment);
  if (!t->has_type && s->size == 0)
    return REFUSE(k, entry, ASH_D_plan_undersized,
                  "the work memory '%s' has no bytes", s->id);
  if (!t->has_type)
    return ASH_OK;
  if (t->size != t->bytes)
    return REFUSE(k, entry, ASH_D_plan_undersized,
                  "'%s' has %" PRIu64 " bytes by type and shape, and "
                  "%" PRIu64 " in the plan",
                  s->id, t->bytes, t->size);
  const uint64_t element = ash_max_u64(1, ash_type_bits(t->type) / 8);
  if (s->binding.offset % element != 0)
    return REFUSE(k, entry, ASH_D_plan_element_misaligned,
                  "'%s' at %" PRIu64 " has elements of %" PRIu64 " bytes",
                  s->id, s->binding.offset, element);
  return ASH_OK;
}

static ash_status check_words(const ash_file_check *k, uint32_t entry) {
  const ash_file_tensor *t = at(k, entry);
  const ash_slot *s = slot_of(k, entry);
  const bool alias = s->alias_of != ASH_NO_ID;
  bool known = false;
  for (int a = ASH_ALIAS_VIEW; a <= ASH_ALIAS_IN_PLACE && t->alias_kind; a++)
    known |= strcmp(t->alias_kind, ash_alias_text((ash_alias_kind)a)) == 0;
  if (t->rows == 0 && (t->alias_kind ? !alias || !known : alias))
    return REFUSE(k, entry, ASH_D_plan_alias, "'%s' has alias_kind '%s'", s->id,
                  t->alias_kind ? t->alias_kind : "none");
  known = false;
  for (int a = ASH_SLOT_TILE; a <= ASH_SLOT_ACCUMULATOR && t->kind; a++)
    known |= strcmp(t->kind, ash_slot_kind_text((ash_slot_kind)a)) == 0;
  if (t->kind && (!known || t->has_type))
    return REFUSE(k, entry, ASH_D_plan_json, "'%s' has kind '%s'", s->id,
                  t->kind);
  return ASH_OK;
}

/* ---- makers and readers -------------------------------------------------- */

typedef struct use {
  const ash_file_op *maker;
  bool is_input, is_made, is_used;
  uint32_t first, last; /* steps, from the maker on; last < first: none */
} use;

typedef struct uses {
  const ash_file_check *k;
  use *of; /* by entry */
} uses;

/* State has no maker: it is there from the start, and may be written. */
static bool is_state(const ash_file_check *k, uint32_t entry) {
  const ash_slot *s = slot_of(k, entry);
  return s->binding.role == ASH_PERSISTENT && s->alias_of == ASH_NO_ID;
}

static bool is_there(const uses *u, uint32_t entry) {
  return u->of[entry].is_input || u->of[entry].is_made ||
         is_state(u->k, entry) ||
         slot_of(u->k, entry)->binding.role == ASH_CONSTANT;
}

static void touch(use *x, uint32_t step) {
  if (!x->is_used || step < x->first)
    x->first = step;
  if (!x->is_used || step > x->last)
    x->last = step;
  x->is_used = true;
}

static ash_status read_inputs(const uses *u, const ash_file_op *op) {
  for (uint32_t i = 0; i < op->input_count; i++) {
    const uint32_t entry = op->inputs[i];
    if (entry == ASH_NO_ID)
      continue;
    if (!at(u->k, entry)->has_type)
      return REFUSE(u->k, entry, ASH_D_plan_maker,
                    "%s reads '%s', which is no tensor", op->id,
                    slot_of(u->k, entry)->id);
    if (!is_there(u, entry))
      return REFUSE(u->k, entry, ASH_D_plan_step, "%s runs before '%s' exists",
                    op->id, slot_of(u->k, entry)->id);
    if (op->reads[i])
      touch(&u->of[entry], op->step);
  }
  return ASH_OK;
}

static ash_status write_outputs(const uses *u, const ash_file_op *op) {
  for (uint32_t i = 0; i < op->output_count; i++) {
    const uint32_t entry = op->outputs[i];
    if (entry == ASH_NO_ID)
      continue;
    const ash_slot *s = slot_of(u->k, entry);
    use *x = &u->of[entry];
    if (s->binding.role == ASH_CONSTANT)
      return REFUSE(u->k, entry, ASH_D_plan_role,
                    "'%s' is planned as constant, and %s makes it", s->id,
                    op->id);
    if (x->is_input || !at(u->k, entry)->has_type ||
        (x->is_made && !is_state(u->k, entry)) || x->maker == op)
      return REFUSE(u->k, entry, ASH_D_plan_maker, "%s makes '%s', which %s",
                    op->id, s->id,
                    x->is_input  ? "is an input"
                    : x->is_made ? "has another maker"
                                 : "is no tensor");
    x->is_made = true;
    x->maker = op;
    touch(x, op->step);
  }
  return ASH_OK;
}

static ash_status take_ends(const uses *u) {
  const ash_plan_file *f = u->k->f;
  for (uint32_t i = 0; i < f->inputs.count; i++) {
    const uint32_t entry = f->inputs.items[i];
    if (!at(u->k, entry)->has_type ||
        slot_of(u->k, entry)->binding.role != ASH_SCRATCH)
      return REFUSE(u->k, entry, ASH_D_plan_role,
                    "the input '%s' is not a scratch tensor",
                    slot_of(u->k, entry)->id);
    u->of[entry].is_input = true;
    touch(&u->of[entry], 0);
  }
  for (uint32_t i = 0; i < f->outputs.count; i++)
    if (!at(u->k, f->outputs.items[i])->has_type)
      return REFUSE(u->k, f->outputs.items[i], ASH_D_plan_role,
                    "the output '%s' is not a tensor",
                    slot_of(u->k, f->outputs.items[i])->id);
  return ASH_OK;
}

/* Among whole tensors an entry has one slot. */
static bool is_of_tensor(const ash_file_check *k, const ash_slot *s) {
  const size_t slot = (size_t)(s - k->f->plan.slots);
  return s->has_row || k->f->plan.slot_count != k->f->tensor_count ||
         k->f->tensors[slot].has_type;
}

/* What nobody makes is a constant or state, and is there for a reader. */
static ash_status check_entry(const uses *u, uint32_t entry) {
  const ash_slot *s = slot_of(u->k, entry);
  const use *x = &u->of[entry];
  if (!at(u->k, entry)->has_type)
    return ASH_OK;
  if (!is_there(u, entry))
    return REFUSE(u->k, entry, ASH_D_plan_maker,
                  "'%s' is planned as %s, and nobody makes it", s->id,
                  ash_role_text(s->binding.role));
  if (!x->is_used)
    return REFUSE(u->k, entry, ASH_D_plan_maker, "nobody uses '%s'", s->id);
  const ash_slot *root =
      &u->k->f->plan.slots[u->k->c.index.root[at(u->k, entry)->slot]];
  if (!is_of_tensor(u->k, root))
    return REFUSE(u->k, entry, ASH_D_plan_role,
                  "'%s' shares the work memory '%s'", s->id, root->id);
  if (s->binding.role != root->binding.role)
    return REFUSE(u->k, entry, ASH_D_plan_role,
                  "'%s' is planned as %s, what it shares as %s", s->id,
                  ash_role_text(s->binding.role),
                  ash_role_text(root->binding.role));
  return ASH_OK;
}

/* Of operators with more inputs some may be absent, as of an LSTM. */
enum { SURELY_THERE = 3 };

/* As many operands as the kind needs; a function of `map` has at least one. */
static ash_status check_arity(const ash_file_check *k, const ash_file_op *op) {
  const ash_op_kind kind = ash_kind_find(op->kind);
  const ash_op_info *info = kind < ASH_OP_COUNT ? ash_kind_info(kind) : NULL;
  const bool fn = !info && ash_fn_find(op->kind) != ASH_FN_COUNT;
  const uint32_t named = info ? info->inputs_min : fn;
  const uint32_t least = named < SURELY_THERE ? named : SURELY_THERE;
  if (op->input_count >= least && op->output_count > 0)
    return ASH_OK;
  return ash_fail(k->ctx, ASH_MALFORMED, ASH_D_plan_json, ash_yaml_loc(op->at),
                  "%s has %u inputs and %u outputs", op->id,
                  (unsigned)op->input_count, (unsigned)op->output_count);
}

/* A concatenation makes the bytes of its inputs, no more, no less. Inputs that
 * have no place may have any. */
static ash_status check_joined(const ash_file_check *k, const ash_file_op *op) {
  uint64_t sum = 0;
  if (strcmp(op->kind, "concatenation") != 0 || op->output_count != 1 ||
      op->outputs[0] == ASH_NO_ID)
    return ASH_OK;
  const ash_file_tensor *out = at(k, op->outputs[0]);
  for (uint32_t i = 0; i < op->input_count; i++) {
    const uint32_t in = op->inputs[i];
    if (in == ASH_NO_ID || !at(k, in)->has_type ||
        at(k, in)->type != out->type || ash_type_bits(out->type) < 8)
      return ASH_OK;
    sum += at(k, in)->bytes;
  }
  return sum == out->bytes
             ? ASH_OK
             : ash_fail(k->ctx, ASH_MALFORMED, ASH_D_plan_undersized,
                        ash_yaml_loc(op->at),
                        "%s joins %" PRIu64 " bytes to %" PRIu64, op->id, sum,
                        out->bytes);
}

static ash_status find_uses(const ash_file_check *k, uses *u) {
  const ash_plan_file *f = k->f;
  const uint32_t steps = f->plan.steps.count;
  *u = (uses){k, ASH_NEW_ARRAY(&k->ctx->scratch, use, f->tensor_count + 1u)};
  ASH_TRY(ash_zone_check(k->ctx, &k->ctx->scratch));
  ASH_TRY(take_ends(u));
  for (uint32_t i = 0; i < f->op_count; i++) {
    ASH_TRY(read_inputs(u, &f->ops[i]));
    ASH_TRY(write_outputs(u, &f->ops[i]));
  }
  for (uint32_t i = 0; i < f->outputs.count; i++)
    touch(&u->of[f->outputs.items[i]], steps ? steps - 1 : 0);
  return ASH_OK;
}

ash_status ash_check_file_tensors(const ash_file_check *k) {
  uses u;
  if (k->f->outputs.count == 0 && k->f->op_count > 0)
    return ash_fail(k->ctx, ASH_MALFORMED, ASH_D_plan_missing,
                    ash_yaml_loc(k->f->top), "the plan has no outputs");
  for (uint32_t i = 0; i < k->f->op_count; i++) {
    ASH_TRY(check_arity(k, &k->f->ops[i]));
    ASH_TRY(check_joined(k, &k->f->ops[i]));
  }
  for (uint32_t i = 0; i < k->f->tensor_count; i++) {
    ASH_TRY(check_size(k, i));
    ASH_TRY(check_words(k, i));
  }
  ASH_TRY(find_uses(k, &u));
  for (uint32_t i = 0; i < k->f->tensor_count; i++)
    ASH_TRY(check_entry(&u, i));
  return ASH_OK;
}

/* ---- lifetimes ----------------------------------------------------------- */

static ash_lifetime own_life(const uses *u, uint32_t entry) {
  const ash_file_check *k = u->k;
  const uint32_t steps = k->f->plan.steps.count;
  const use *x = &u->of[entry];
  if (slot_of(k, entry)->binding.role != ASH_SCRATCH)
    return (ash_lifetime){0, steps ? steps : 1};
  return (ash_lifetime){x->first, x->last + 1};
}

/* Memory of one operator is there while it runs. */
static ash_status check_work(const ash_file_check *k, uint32_t entry) {
  const ash_slot *s = slot_of(k, entry);
  const uint32_t owner = ash_check_file_owner(k, entry);
  if (owner == ASH_NO_ID || s->binding.role != ASH_SCRATCH ||
      s->alias_of != ASH_NO_ID)
    return REFUSE(k, entry, ASH_D_plan_maker,
                  "'%s' is the scratch memory of no operator", s->id);
  const uint32_t step = k->f->ops[owner].step;
  if (s->life.first_step == step && s->life.end_step == step + 1)
    return ASH_OK;
  return REFUSE(k, entry, ASH_D_plan_lifetime,
                "'%s' is alive during [%u, %u), %s runs at step %u", s->id,
                (unsigned)s->life.first_step, (unsigned)s->life.end_step,
                k->f->ops[owner].id, (unsigned)step);
}

static ash_status check_life(const ash_file_check *k, uint32_t entry,
                             const ash_lifetime *lives) {
  const ash_slot *s = slot_of(k, entry);
  const ash_lifetime *want = &lives[k->c.index.root[at(k, entry)->slot]];
  if (s->life.first_step == want->first_step &&
      s->life.end_step == want->end_step)
    return ASH_OK;
  return REFUSE(k, entry, ASH_D_plan_lifetime,
                "'%s' is alive during [%u, %u), its steps say [%u, %u)", s->id,
                (unsigned)s->life.first_step, (unsigned)s->life.end_step,
                (unsigned)want->first_step, (unsigned)want->end_step);
}

/* What follows another one begins at the step where that one dies. */
static ash_status check_follows(const ash_file_check *k, uint32_t entry) {
  const ash_slot *s = slot_of(k, entry);
  if (s->follows == ASH_NO_ID)
    return ASH_OK;
  const ash_slot *of = &k->f->plan.slots[k->c.index.root[s->follows]];
  const uint32_t own = k->c.index.root[at(k, entry)->slot];
  if (s->binding.role == ASH_SCRATCH && of->binding.role == ASH_SCRATCH &&
      own != k->c.index.root[s->follows] &&
      of->life.end_step == s->life.first_step + 1)
    return ASH_OK;
  return REFUSE(k, entry, ASH_D_plan_lifetime,
                "'%s' begins at step %u and cannot follow '%s', which lives "
                "during [%u, %u)",
                s->id, (unsigned)s->life.first_step, of->id,
                (unsigned)of->life.first_step, (unsigned)of->life.end_step);
}

/* Those who share storage live as long as all of them. */
ash_status ash_check_file_lives(const ash_file_check *k) {
  const ash_plan_file *f = k->f;
  ash_lifetime *lives =
      ASH_NEW_ARRAY(&k->ctx->scratch, ash_lifetime, f->plan.slot_count + 1u);
  uses u;
  ASH_TRY(find_uses(k, &u));
  for (uint32_t i = 0; i < f->tensor_count; i++) {
    ash_lifetime *all = &lives[k->c.index.root[at(k, i)->slot]];
    const ash_lifetime own = own_life(&u, i);
    if (!at(k, i)->has_type)
      continue;
    if (all->end_step == 0 || own.first_step < all->first_step)
      all->first_step = own.first_step;
    if (own.end_step > all->end_step)
      all->end_step = own.end_step;
  }
  for (uint32_t i = 0; i < f->tensor_count; i++)
    ASH_TRY(at(k, i)->has_type ? check_life(k, i, lives) : check_work(k, i));
  for (uint32_t i = 0; i < f->tensor_count; i++)
    ASH_TRY(check_follows(k, i));
  return ASH_OK;
}
